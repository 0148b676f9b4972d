#!/usr/bin/env python3
"""Tells a scene: the engine's draft, in the style that was set, by a model where there is one to be trusted.

Whoever writes, a paragraph is shown only when it is whole and nothing in it is wrong. What a writer leaves
untold, because it was refused, hung or broke off, is told by the next one, and at last by the draft itself.
"""

from __future__ import annotations

import time

from _style import SENTENCE, apply_style
from _writers import HostedWriter, LocalWriter, TextRefused, Writer, WriterStopped

from narratoria import sdk
from narratoria.sdk import narration

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any

HOSTED = ("ollama", "openai", "claude")
WRITER_TIMEOUT_S = 30.0  # seconds that a writer who keeps writing may take
FALLBACK_TIMEOUT_S = (
    9.0  # seconds from the first word to a writer that fails until the scene is told all the same
)
TRIES = 3  # of one writer whose text is refused
LEAST_TIMEOUT_S = 2.5  # seconds that another one is given, however late it is
UNGRANTED = "it was not granted the network; `narratoria skills grant storyteller network` allows it"
MAX_STATED = 60_000  # bytes of facts that are worth sending to be checked


class NarratedScene:
    """Holds the scene as it grows: every paragraph is shown once and stays."""

    def __init__(self, facts: dict[str, Any], draft: list[str]) -> None:
        self.facts, self.draft = facts, draft
        self.paragraphs: list[str] = []
        self.passages: list[dict[str, str]] = []
        self.model = ""  # that wrote some of it

    @property
    def rest(self) -> list[str]:
        """Return the paragraphs of the draft that are not told yet."""
        return self.draft[len(self.paragraphs) :]

    def tell_drafted(self) -> None:
        """Tell the next paragraph of the draft, in its own words and its author's name."""
        passages, number = self.facts.get("passages"), len(self.paragraphs)
        listed = passages if isinstance(passages, list) else []
        passage = listed[number] if number < len(listed) and isinstance(listed[number], dict) else {}
        self.tell(
            self.draft[number],
            str(passage.get("source") or "composer"),
            str(passage.get("because") or "from the campaign's own words"),
        )

    def tell(self, paragraph: str, source: str, because: str) -> None:
        lead = "\n\n" if self.paragraphs else ""
        # around what a skill has said the engine drafts the scene anew: words that will change are not shown
        is_final = source == "model" or not self.facts.get("findings")
        for number, sentence in enumerate(SENTENCE.findall(paragraph) if is_final else ()):
            sdk.ui_event("narration_delta", {"text": sentence if number else lead + sentence})
        self.paragraphs.append(paragraph)
        self.passages.append({"source": source, "because": because})

    def finish(self) -> None:
        """Tell the rest of the draft."""
        while self.rest:
            self.tell_drafted()

    @property
    def text(self) -> str:
        return "\n\n".join(self.paragraphs)


def main(request: sdk.Request) -> dict[str, object]:
    facts, config = request.input, request.config
    style = str(config.get("style") or "vivid")
    scene = NarratedScene(facts, apply_style(read_draft(facts), style, facts, request.seed))
    steps: list[dict[str, str]] = []
    began = time.monotonic()
    for number, writer in enumerate(writers(request)):
        if not scene.rest:
            break
        now = time.monotonic()
        until = (
            now + WRITER_TIMEOUT_S if not number else max(began + FALLBACK_TIMEOUT_S, now + LEAST_TIMEOUT_S)
        )
        try:
            write(scene, writer, style, until=until, seed=request.seed)
        except WriterStopped as reason:
            steps.append({"writer": writer.name, "reason": str(reason)})
            note(writer.name, str(reason), expected=reason.expected)
    scene.finish()
    by_model = {"model": scene.model} if scene.model else {}
    sdk.ui_event("narration", {"text": scene.text, "passages": scene.passages, **by_model})
    return {
        "text": scene.text,
        "paragraphs": scene.paragraphs,
        "passages": scene.passages,
        "style": style,
        "steps": steps,
    }


def read_draft(facts: dict[str, Any]) -> list[str]:
    """Return the engine's draft, or a plain scene from the facts where there is none."""
    drafts, roll = facts.get("drafts"), facts.get("roll")
    rolled = roll.get("outcome") if isinstance(roll, dict) else ""
    draft = (drafts.get(rolled) if isinstance(drafts, dict) else None) or facts.get("draft")
    paragraphs = (
        [text for text in draft if isinstance(text, str) and text.strip()] if isinstance(draft, list) else []
    )
    if not paragraphs:
        from _plain_scene import compose_plain_scene

        paragraphs = compose_plain_scene(facts)
    return paragraphs[: narration.MAX_PARAGRAPHS]


def writers(request: sdk.Request) -> list[Writer]:
    """Return the writers to ask, in order; the local model is always the last."""
    config = request.config
    allowed = request.context.get("permissions")
    chain: list[HostedWriter] = []
    for prefix, name in (("", config.get("provider")), ("fallback", config.get("fallbackProvider"))):
        if name not in HOSTED:
            continue
        if isinstance(allowed, list) and "network" not in allowed:
            note(str(name), UNGRANTED, expected=False)
            continue
        hosted = HostedWriter(str(name), config, prefix)
        if not any(hosted.is_same(other) for other in chain):
            chain.append(hosted)
    return [*chain, LocalWriter()]


def write(scene: NarratedScene, writer: Writer, style: str, *, until: float, seed: object) -> None:
    """Have the rest of the scene written; what is refused is asked for again, with the reasons."""
    refused: list[str] = []
    for number in range(1, TRIES + 1):
        varied = seed + number - 1 if isinstance(seed, int) else seed
        try:
            attempt(scene, writer, style, refused, until=until, seed=varied)
        except TextRefused as refusal:
            if number == TRIES or until - time.monotonic() < LEAST_TIMEOUT_S:
                raise
            refused = refusal.reasons
            sdk.log(f"{writer.name} is asked again: {refusal}", "debug", {"step": writer.name})
        else:
            return


def attempt(
    scene: NarratedScene, writer: Writer, style: str, refused: list[str], *, until: float, seed: object
) -> None:
    """Tell the rest of the scene, paragraph by paragraph, as far as it can be told."""
    task = writer.task(scene.facts, scene.rest, style, refused)
    if task is None:
        return
    held, count_before = narration.Paragraphs(), len(scene.paragraphs)
    many = len(scene.rest) if task.whole else 1
    # of a writer who breaks off, half a paragraph is none: the next one tells it whole
    for piece in writer.write(task, until=until, seed=seed):
        for paragraph in held.add(piece):
            show(scene, paragraph, writer, whole=task.whole)
            many -= 1
            if not many:
                return
    for paragraph in held.rest()[:many]:
        show(scene, paragraph, writer, whole=task.whole)
    if len(scene.paragraphs) == count_before:
        raise WriterStopped("it wrote nothing that could be told")


def show(scene: NarratedScene, paragraph: str, writer: Writer, *, whole: bool) -> None:
    """Tell it, or refuse it and with it whatever else this writer would have said."""
    wrong = narration.faults(paragraph, scene.facts, scene.draft, scene.rest[0] if whole else "")
    if whole and not wrong:
        wrong = narration.unspoken(paragraph, scene.rest[0])
    wrong = wrong or writer.check([*scene.paragraphs, paragraph], bounded(scene.facts))
    if wrong:
        raise TextRefused(wrong)
    if narration.copied(paragraph, scene.rest[0]) == 1.0:
        scene.tell_drafted()  # whoever wrote the draft wrote this
        return
    scene.tell(paragraph, "model", f"written by {writer.title}")
    scene.model = writer.title


def bounded(facts: dict[str, Any]) -> dict[str, Any]:
    selected, room = {}, MAX_STATED
    for name, value in facts.items():
        if name == "drafts":  # what would have happened otherwise
            continue
        room -= len(str(value))
        if room >= 0:
            selected[name] = value
    return selected


def note(writer: str, reason: str, *, expected: bool) -> None:
    """Log a step down the ladder, and tell the player where it is about what they have set up."""
    level = "debug" if expected else "warn"
    sdk.log(f"{writer} does not tell this scene: {reason}", level, {"step": writer, "reason": reason})
    if writer in HOSTED:
        message = f"{writer} did not tell this scene, and somebody else went on: {reason}"
        sdk.ui_event("notice", {"kind": "network", "message": message})


if __name__ == "__main__":
    sdk.run(main)
