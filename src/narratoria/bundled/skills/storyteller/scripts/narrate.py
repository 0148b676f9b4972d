#!/usr/bin/env python3
"""Tells a scene: by a capable model from the brief, or the engine's draft in the style that was set.

Whoever writes, a paragraph is shown only when it is whole and nothing in it is wrong. What the author wrote
for the scene is told first, word for word. What a writer leaves untold, because it was refused, hung or broke
off, is told by the next one, and at last by the draft itself.
"""

from __future__ import annotations

import time

from _style import SENTENCE, apply_style
from _writers import HostedWriter, LocalWriter, TextRefused, Writer, WriterStopped

from narratoria import sdk
from narratoria.sdk import brief, narration, quick_answer

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any

HOSTED = ("ollama", "openai", "claude")
FALLBACK_TIMEOUT_S = 9.0  # seconds from the first word to a writer that fails until the next one must begin
TRIES = 3  # of one writer whose text is refused
LEAST_TIMEOUT_S = 2.5  # seconds that another one is given, however late it is
SIGN_EVERY_S = 1.0  # seconds between two signs that a model goes on telling
UNGRANTED = "it was not granted the network; `narratoria skills grant storyteller network` allows it"
MAX_STATED = 90_000  # bytes of facts that are worth sending to be checked


class NarratedScene:
    """Holds the scene as it grows: every paragraph is shown once and stays."""

    def __init__(self, facts: dict[str, Any], draft: list[str], styled: list[str]) -> None:
        self.facts, self.draft, self.styled = facts, draft, styled
        self.paragraphs: list[str] = []
        self.passages: list[dict[str, str]] = []
        self.model = ""  # that wrote some of it
        self.fact = ""  # what that says is true now
        self.choices: list[narration.NextChoice] = []
        self._has_begun = False  # with what the author wrote
        self.is_embellished = False  # a model has told its first paragraph, and no more

    @property
    def told(self) -> list[str]:
        """Return what a model has told of it."""
        pairs = zip(self.paragraphs, self.passages, strict=True)
        return [text for text, passage in pairs if passage["source"] == "model"]

    def begin(self) -> None:
        """Tell what the author wrote for this scene; the rest is a model's."""
        if not self._has_begun:
            self._has_begun = True
            self._tell_written("before")

    def _tell_written(self, where: str) -> None:
        for paragraph in brief.decided(self.facts).get(where) or ():
            self.tell(paragraph, "author", "in the author's own words")

    def tell(self, paragraph: str, source: str, because: str) -> None:
        lead = "\n\n" if self.paragraphs else ""
        # around what a skill has said the engine drafts the scene anew: words that will change are not shown
        is_final = source == "model" or not self.facts.get("findings")
        for number, sentence in enumerate(SENTENCE.findall(paragraph) if is_final else ()):
            sdk.ui_event("narration_delta", {"text": sentence if number else lead + sentence})
        self.paragraphs.append(paragraph)
        self.passages.append({"source": source, "because": because})

    def finish(self) -> None:
        """Tell what no model has told: the rest of the draft, or its end where a lone paragraph stands."""
        if not self.told or self.is_embellished:
            rest = self.draft if self._has_begun else self.styled
            for number, paragraph in enumerate(rest):
                if paragraph not in self.paragraphs and not (self.told and not number):
                    self._tell_drafted(number, paragraph)
            return
        self._tell_written("after")
        if len(self.paragraphs) < narration.MIN_PARAGRAPHS:
            place = self.facts.get("place")
            moments = place.get("moments") if isinstance(place, dict) else None
            moment = next((one for one in moments or () if isinstance(one, str)), "")
            if moment:
                self.tell(moment, "author", "in the author's own words")
            elif self.draft[-1] not in self.paragraphs:
                self._tell_drafted(len(self.draft) - 1, self.draft[-1])

    def _tell_drafted(self, number: int, paragraph: str) -> None:
        """Tell a paragraph of the draft in the name of who wrote it."""
        passages = self.facts.get("passages")
        listed = passages if isinstance(passages, list) else []
        passage = listed[number] if number < len(listed) and isinstance(listed[number], dict) else {}
        self.tell(
            paragraph,
            str(passage.get("source") or "composer"),
            str(passage.get("because") or "from the campaign's own words"),
        )

    @property
    def text(self) -> str:
        return "\n\n".join(self.paragraphs)


def main(request: sdk.Request) -> dict[str, object]:
    facts, config = request.input, request.config
    style = str(config.get("style") or "vivid")
    draft = read_draft(facts)
    scene = NarratedScene(facts, draft, apply_style(draft, style, facts, request.seed))
    steps: list[dict[str, str]] = []
    began = time.monotonic()
    for number, writer in enumerate(writers(request) if narration.room_to_tell(facts) else ()):
        late = max(began + FALLBACK_TIMEOUT_S, time.monotonic() + LEAST_TIMEOUT_S) if number else None
        try:
            write(scene, writer, style, first=late, seed=request.seed)
        except WriterStopped as reason:
            steps.append({"writer": writer.name, "reason": str(reason)})
            note(writer.name, str(reason), expected=reason.expected)
        if scene.told:
            break
    scene.finish()
    by_model: dict[str, object] = {}
    if scene.model:
        choices = [{"option": choice.option, "text": choice.text} for choice in scene.choices]
        by_model = {"model": scene.model, "fact": scene.fact, "choices": choices}
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


def write(scene: NarratedScene, writer: Writer, style: str, *, first: float | None, seed: object) -> None:
    """Have the scene told; what is refused is asked for again, with the reasons."""
    refused: list[str] = []
    for number in range(1, TRIES + 1):
        varied = seed + number - 1 if isinstance(seed, int) else seed
        try:
            attempt(scene, writer, style, refused, first=first, seed=varied)
        except TextRefused as refusal:
            if number == TRIES:
                raise
            refused = refusal.reasons
            sdk.log(f"{writer.name} is asked again: {refusal}", "debug", {"step": writer.name})
        else:
            return


def attempt(
    scene: NarratedScene,
    writer: Writer,
    style: str,
    refused: list[str],
    *,
    first: float | None,
    seed: object,
) -> None:
    """Tell the scene, paragraph by paragraph, as far as it can be told."""
    task = writer.task(scene.facts, scene.told, style, refused)
    if task is None:
        return
    if task.whole:
        scene.begin()
    scene.is_embellished = not task.whole
    telling = narration.Telling()
    room = (narration.room_to_tell(scene.facts) if task.whole else 1) - len(scene.told)
    words, signed = 0, time.monotonic()
    sdk.ui_event("telling", {"writer": writer.title, "words": 0})
    for piece in writer.write(task, first=first, seed=seed):
        words += piece.count(" ")
        if time.monotonic() - signed >= SIGN_EVERY_S:  # whoever waits sees that it goes on
            signed = time.monotonic()
            sdk.ui_event("telling", {"writer": writer.title, "words": words})
        for paragraph in telling.add(piece):
            if room > 0 and paragraph not in scene.paragraphs:  # one that is asked again may begin anew
                show(scene, paragraph, writer, whole=task.whole, ends=telling.ends)
                room -= 1
        if not room and not task.whole:
            break
    # of a writer who breaks off, half a paragraph is none: the next one tells it whole
    for paragraph in [one for one in telling.finish() if one not in scene.paragraphs][: max(0, room)]:
        show(scene, paragraph, writer, whole=task.whole, ends=telling.ends)
    if not scene.told:
        raise WriterStopped("it wrote nothing that could be told")
    scene.fact, scene.choices = telling.fact, telling.choices  # the engine checks what it keeps


def show(scene: NarratedScene, paragraph: str, writer: Writer, *, whole: bool, ends: str) -> None:
    """Tell it, or refuse it and with it whatever else this writer would have said.

    `ends` is how the writer says that the attempt ends, and the gate holds them to what was decided.
    """
    stated = bounded(scene.facts) | ({"told": {"outcome": ends}} if ends else {})
    if narration.repeats_instructions(paragraph):
        raise TextRefused(["it repeats the instructions; tell the scene"])
    wrong = writer.check([*scene.paragraphs, paragraph], stated)
    if wrong is None or not whole:  # nobody else judges it, or it takes the place of a paragraph of the draft
        replaced = "" if whole else scene.draft[0]
        wrong = [*(wrong or ()), *narration.faults(paragraph, scene.facts, scene.draft, replaced)]
    if wrong:
        raise TextRefused(wrong)
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
    if writer in HOSTED and reason != quick_answer.TAKEN:  # the player knows
        message = f"{writer} did not tell this scene, and somebody else went on: {reason}"
        sdk.ui_event("notice", {"kind": "network", "message": message})


if __name__ == "__main__":
    sdk.run(main)
