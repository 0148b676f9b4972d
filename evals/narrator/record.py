"""`python -m evals.narrator.record CAMPAIGN FOLDER`: an evening of which a person is the narrator.

In the folder, turn by turn: `N.action` is what the player does (whoever plays writes it), `N.brief` what the
narrator is given, `N.answer` what the narrator writes, with a last line `MISSING: …` where the brief lacked
something, and `N.scene` the scene that came of it, with its choices. An action `end` ends the evening. What
was recorded stands in `recording.jsonl`.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

import msgspec

from evals.narrator.evening import PlayedTurn, RecordedTurn, open_evening, play
from evals.narrator.server import hash_brief, serve

LOOK_EVERY_S = 1.0


class Recorder:
    """Waits for answers in a folder, and keeps them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.number, self.tries = folder, 0, 0
        self.brief = self.answer = self.missing = ""

    def begin(self, number: int) -> None:
        self.number, self.tries = number, 0
        self.brief = self.answer = self.missing = ""

    def __call__(self, prompt: str) -> str | None:
        """Return the answer to a brief once it has been written; another try has a number of its own."""
        mark = hash_brief(prompt)
        if mark != self.brief:
            self.tries += 1
            self.brief = mark
            self._file("brief").write_text(prompt, encoding="utf-8")
        file = self._file("answer")
        if not file.exists():
            return None
        text, _, missing = file.read_text(encoding="utf-8").partition("\nMISSING:")
        self.answer, self.missing = text.strip(), missing.strip().removesuffix(".")
        self.missing = "" if self.missing in ("nothing", "none") else self.missing
        return self.answer

    def _file(self, kind: str) -> Path:
        again = f"-again{self.tries - 1}" if self.tries > 1 else ""
        return self.folder / f"{self.number}{again}.{kind}"


async def record(campaign: str, folder: Path) -> None:
    recorder = Recorder(folder)
    kept: list[RecordedTurn] = []
    with serve(recorder) as url:
        async with open_evening(campaign, url) as story:
            _show(folder / "0.scene", PlayedTurn("Begin", story.snapshot.scenes[-1], ()))
            while True:
                recorder.begin(len(kept) + 1)
                action = await asyncio.to_thread(_wait_for, folder / f"{recorder.number}.action")
                if action == "end":
                    return
                choices = story.snapshot.scenes[-1].choices
                action = choices[int(action)].text if action.isdecimal() else action
                turn = await play(story, action)
                _show(folder / f"{recorder.number}.scene", turn)
                kept.append(RecordedTurn(action, recorder.brief, recorder.answer, recorder.missing))
                lines = b"".join(msgspec.json.encode(one) + b"\n" for one in kept)
                (folder / "recording.jsonl").write_bytes(lines)


def _wait_for(file: Path) -> str:
    """Return what somebody has written to a file, once there is something."""
    while not file.exists() or not file.read_text(encoding="utf-8").strip():
        time.sleep(LOOK_EVERY_S)
    return file.read_text(encoding="utf-8").strip()


def _show(file: Path, turn: PlayedTurn) -> None:
    scene = turn.scene
    lines = [*scene.paragraphs, *(f"{at}: {choice.text}" for at, choice in enumerate(scene.choices))]
    lines += [f"[kept: {scene.fact}]"] if scene.fact else []
    lines += [f"[{reason}]" for reason in turn.refusals]
    file.write_text("\n\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    Path(sys.argv[2]).mkdir(parents=True, exist_ok=True)
    asyncio.run(record(sys.argv[1], Path(sys.argv[2])))
