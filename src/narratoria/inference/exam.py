"""Examines what a model can be trusted with on this machine, by its answers and not by its name.

A model that only *scores* weighs choices; one that *fills* is given forms as well; one that *embellishes* may
rework a sentence under supervision; one that *narrates* may tell a scene.
"""

from __future__ import annotations

import os
import platform
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from narratoria import paths
from narratoria.errors import ModelUnavailable
from narratoria.inference.chat_template import Message
from narratoria.inference.installed_models import InstalledModel
from narratoria.inference.model import LocalModel, default_threads
from narratoria.sdk import narration

Tier = Literal["scores", "fills", "embellishes", "narrates"]

EXAMINATION = 3  # goes up when the questions change: older verdicts are then forgotten
WITHIN = 900.0  # seconds for one question: a slow machine is not a bad answer
SCENE_PROMPT, SCENE_TOKENS = 700, 250  # of a usual scene, to say how long one takes
_VERDICTS = "tiers.json"


class ModelExam(msgspec.Struct, frozen=True, rename="camel"):
    tier: Tier
    scores: float  # of each kind of question, the part that was answered well
    fills: float
    facts: float
    prompt_per_second: float
    tokens_per_second: float
    first_word_ms: float
    load_seconds: float
    memory_mb: float
    seconds: float  # that the examination took
    retold: float = 0.0  # of the scenes that it was to tell anew; asked only of who keeps facts


@dataclass(frozen=True, slots=True)
class _Choice:
    question: str
    right: str
    wrong: str


@dataclass(frozen=True, slots=True)
class _FormQuestion:
    request: str
    properties: Mapping[str, Any]
    right: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Scene:
    facts: str
    required: tuple[str, ...]  # each pattern must match
    forbidden: tuple[str, ...]  # none may match


_CHOICES = (
    _Choice(
        "The player says: I swing my axe at the troll. Is this a fight or a purchase?", " fight", " purchase"
    ),
    _Choice("The player says: How much for the lantern? Is this a fight or a trade?", " trade", " fight"),
    _Choice("The player says: I creep past the sleeping guard. Is this loud or quiet?", " quiet", " loud"),
    _Choice("The player says: I thank the old woman warmly. Is this kind or cruel?", " kind", " cruel"),
)
_WHO = {"enum": ["guard", "merchant", "wolf", "king"]}
_FORMS = (
    _FormQuestion(
        "I give the merchant 20 coins.",
        {"who": _WHO, "coins": {"type": "integer"}},
        {"who": "merchant", "coins": 20},
    ),
    _FormQuestion(
        "I hit the wolf with my torch.",
        {"who": _WHO, "deed": {"enum": ["attack", "talk", "flee"]}},
        {"who": "wolf", "deed": "attack"},
    ),
    _FormQuestion(
        "I ask the king about the war.",
        {"who": _WHO, "deed": {"enum": ["attack", "talk", "flee"]}},
        {"who": "king", "deed": "talk"},
    ),
    _FormQuestion(
        "I slip the guard 5 coins.", {"who": _WHO, "coins": {"type": "integer"}}, {"who": "guard", "coins": 5}
    ),
)
_SCENES = (
    _Scene(
        "The player picks the lock of the chapel door. It fails: the pick breaks.",
        required=(r"\bpick|lock", r"br[eo]a?k|snap|fail"),
        forbidden=(r"\bopens\b|swings open|unlocks",),
    ),
    _Scene(
        "The player gives Mara the silver ring. Mara is glad.",
        required=(r"\bMara\b", r"\bring\b"),
        forbidden=(r"\bangry|\brefuse",),
    ),
    _Scene(
        "The player jumps over the ditch. It succeeds. It is raining.",
        required=(r"\bditch\b", r"\brain"),
        forbidden=(r"\bfails?\b|falls? into|fell into",),
    ),
)
_RETOLD = (
    (
        "You climb the stairs to the loft. It is dark, and something moves behind the flour sacks.",
        "Ines holds up the lamp. “Only the cat,” she says. The cat looks at you and does not agree.",
    ),
    (
        "You cross the frozen pond a step at a time. Near the middle the ice sings, and it holds.",
        "On the far side Tobias is waiting with a rope. “I would not have done that,” he says.",
    ),
)
MOST_COPIED = 0.6  # of a scene that is told anew; more is no telling
_PERSON = re.compile(r"\byou(r|rself)?\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"(?<![\"“'\w])(I|I'm|we|my)\b(?![\"”])")
_NARRATOR = (
    "You narrate a game in the second person, present tense, in two short sentences. Use only the facts. "
    "Example. Facts: The player opens the chest. It is empty. "
    "Narration: You lift the heavy lid of the chest. There is nothing inside but dust."
)
_CLERK = "You note down what a player does, as JSON."


async def examine_model(
    model: LocalModel, *, on_step: Callable[[int, int], None] = lambda *_: None
) -> ModelExam:
    """Ask all the questions; raise ModelUnavailable if the model cannot even be loaded."""
    began = time.monotonic()
    steps = len(_CHOICES) + len(_FORMS) + len(_SCENES) + len(_RETOLD)
    done = 0
    tally = {"scores": 0.0, "fills": 0.0, "facts": 0.0, "retold": 0.0}
    speeds: list[_Speed] = []

    def mark(kind: str, well: bool, of: int) -> None:
        nonlocal done
        done += 1
        tally[kind] += well / of
        on_step(done, steps)

    await model.warm("A", within=600.0)
    loaded = model.state.seconds
    for choice in _CHOICES:
        mark("scores", await _chooses(model, choice), len(_CHOICES))
    for form in _FORMS:
        mark("fills", await _fills(model, form), len(_FORMS))
    for scene in _SCENES:
        well, speed = await _tells(model, scene)
        speeds.append(speed)
        mark("facts", well, len(_SCENES))
    may_narrate = _tier(tally["fills"], tally["facts"], 1.0) == "narrates"
    for draft in _RETOLD:
        mark("retold", may_narrate and await _tells_anew(model, draft), len(_RETOLD))
    rate = max(speed.generated for speed in speeds)  # the machine's best: others may be at work on it
    return ModelExam(
        tier=_tier(tally["fills"], tally["facts"], tally["retold"]),
        **{kind: round(part, 3) for kind, part in tally.items()},
        prompt_per_second=round(max(speed.read for speed in speeds), 1),
        tokens_per_second=round(rate, 1),
        first_word_ms=round(min(speed.first_ms for speed in speeds), 1),
        load_seconds=round(loaded, 2),
        memory_mb=round(model.memory / 1e6, 1),
        seconds=round(time.monotonic() - began, 1),
    )


def load_exam(model: InstalledModel) -> ModelExam | None:
    """Return the verdict on this file on this machine, if it was examined."""
    return _reports().get(_key(model))


def save_exam(model: InstalledModel, report: ModelExam) -> None:
    file = paths.home() / "models" / _VERDICTS
    paths.make_private(file.parent)
    reports = {**_reports(), _key(model): report}
    paths.write_atomically(file, msgspec.json.format(msgspec.json.encode(reports)))


@dataclass(frozen=True, slots=True)
class _Speed:
    read: float  # tokens a second
    generated: float
    first_ms: float


async def _chooses(model: LocalModel, choice: _Choice) -> bool:
    prompt = f"{choice.question}\nAnswer:"
    try:
        scores = await model.score(prompt, [choice.right, choice.wrong], within=WITHIN)
    except ModelUnavailable:
        return False
    return scores[choice.right] > scores[choice.wrong]


async def _fills(model: LocalModel, form: _FormQuestion) -> bool:
    schema = {"type": "object", "properties": form.properties, "required": list(form.properties)}
    fields = ", ".join(form.properties)
    prompt = [Message("system", f"{_CLERK} Fields: {fields}."), Message("user", form.request)]
    try:
        return bool(await model.complete_json(schema, prompt, max_tokens=48, within=WITHIN) == form.right)
    except ModelUnavailable:
        return False


async def _tells(model: LocalModel, scene: _Scene) -> tuple[bool, _Speed]:
    prompt = [Message("system", _NARRATOR), Message("user", f"Facts: {scene.facts}\nNarration:")]
    answer = await model.complete(prompt, max_tokens=64, temperature=0.0, within=WITHIN)
    end = answer.end
    first = end.first_ms if end.first_ms is not None else end.total_ms
    speed = _Speed(
        read=(end.prompt_tokens - end.cached_tokens) / max(first, 1.0) * 1000,
        generated=max(end.generated_tokens - 1, 0) / max(end.total_ms - first, 1.0) * 1000,
        first_ms=first,
    )
    return keeps_facts(answer.text, scene.required, scene.forbidden), speed


async def _tells_anew(model: LocalModel, draft: Sequence[str]) -> bool:
    """Return whether the model can retell a whole scene in its own words, as a narrator must."""
    system, prompt = narration.ask({}, draft)
    try:
        answer = await model.complete(
            [Message("system", system), Message("user", prompt)],
            max_tokens=200,
            temperature=0.0,
            stop=narration.STOP,
            within=WITHIN,
        )
    except ModelUnavailable:
        return False
    held = narration.Paragraphs()
    return is_told_anew([*held.add(answer.text), *held.rest()], draft)


def is_told_anew(paragraphs: Sequence[str], draft: Sequence[str]) -> bool:
    """Return whether a text retells a draft, paragraph by paragraph, with its speech, in other words."""
    if len(paragraphs) != len(draft):
        return False
    for paragraph, drafted in zip(paragraphs, draft, strict=True):
        if narration.faults(paragraph, {}, draft) or narration.unspoken(paragraph, drafted):
            return False
    return narration.copied("\n".join(paragraphs), "\n".join(draft)) <= MOST_COPIED


def keeps_facts(text: str, required: tuple[str, ...], forbidden: tuple[str, ...]) -> bool:
    """Return whether a narration says what it must, does not contradict it, and addresses the player."""
    says = all(re.search(pattern, text, re.IGNORECASE) for pattern in required)
    contradicts = any(re.search(pattern, text, re.IGNORECASE) for pattern in forbidden)
    return says and not contradicts and bool(_PERSON.search(text)) and not _FIRST_PERSON.search(text)


def describe_exam(report: ModelExam) -> str:
    """Return how good a model is and how fast it is here, in words for whoever chooses one."""
    return f"{_describe_quality(report)}; {_describe_speed(report)}"


def scene_seconds(report: ModelExam) -> float:
    """Return how long a usual scene takes here, if none of its prompt was read before."""
    read = SCENE_PROMPT / max(report.prompt_per_second, 0.1)
    return read + SCENE_TOKENS / max(report.tokens_per_second, 0.1)


def _describe_quality(report: ModelExam) -> str:
    if report.tier == "scores":
        return f"it filled in {_counted(report.fills, len(_FORMS), 'form')} rightly"
    facts = f"it kept the facts in {_counted(report.facts, len(_SCENES), 'scene')}"
    if report.facts <= 0.9:
        return facts
    return f"{facts} and retold {_counted(report.retold, len(_RETOLD), '')}".rstrip() + " in its own words"


def _counted(share: float, of: int, noun: str) -> str:
    return f"{round(share * of)} of {of} {noun}s" if noun else f"{round(share * of)} of {of}"


def _describe_speed(report: ModelExam) -> str:
    seconds = scene_seconds(report)
    if seconds < 90:
        return f"a scene takes about {max(1, round(seconds))} seconds here"
    return f"a scene takes about {round(seconds / 60)} minutes here, and shows paragraph by paragraph"


def _tier(fills: float, facts: float, retold: float) -> Tier:
    """Return what the answers are good for; how long they took is the player's to judge."""
    if fills < 0.75:
        return "scores"
    if facts < 0.6:
        return "fills"
    return "narrates" if min(facts, retold) > 0.9 else "embellishes"


def _reports() -> dict[str, ModelExam]:
    try:
        content = (paths.home() / "models" / _VERDICTS).read_bytes()
        return msgspec.json.decode(content, type=dict[str, ModelExam])
    except (OSError, msgspec.DecodeError):  # none yet, or of another version
        return {}


def _key(model: InstalledModel) -> str:
    identity = model.sha256 or f"{model.path}:{model.size}"
    return f"{identity[:16]} {_machine()} {default_threads()} threads, examination {EXAMINATION}"


@cache
def _machine() -> str:
    try:
        cpu_info = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        processor = next(
            line.partition(":")[2].strip() for line in cpu_info.splitlines() if "model name" in line
        )
    except (OSError, StopIteration):
        processor = platform.processor() or platform.machine()
    return f"{platform.node()} {processor} × {os.cpu_count()}"
