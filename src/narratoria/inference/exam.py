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
from narratoria.contracts.read import UNDECODABLE
from narratoria.errors import ModelUnavailable
from narratoria.inference.chat_template import Message
from narratoria.inference.installed_models import InstalledModel
from narratoria.inference.model import LocalModel, default_threads
from narratoria.sdk import narration

Tier = Literal["scores", "fills", "embellishes", "narrates"]

EXAMINATION = 3  # goes up when the questions change: older verdicts are then forgotten
WITHIN = 900.0  # seconds for one question: a slow machine is not a bad answer
BRIEF_BUDGET, LEAST_CHOICES = 1200, 2  # tokens of a brief, and how many things to do next
SCENE_PROMPT, SCENE_TOKENS = 1200, 350  # of a usual scene, to say how long one takes
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
    told: float = 0.0  # of the briefs that it was to tell; asked only of who keeps facts


@dataclass(frozen=True, slots=True)
class _Choice:
    question: str
    right: str
    wrong: str


@dataclass(frozen=True, slots=True)
class _BriefQuestion:
    facts: dict[str, Any]
    required: tuple[str, ...]


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
_BRIEFS = (  # what a narrator is given, and what its answer must hold
    _BriefQuestion(
        {
            "campaign": {"title": "The Miller's Loft", "tone": "quiet"},
            "action": {"kind": "free", "text": "I ask Ines what makes the noise up there"},
            "place": {"name": "the mill", "arrival": "Flour dust hangs in the lamplight."},
            "people": [{"name": "Ines", "role": "the miller", "traits": ["dry"], "met": True}],
            "ledger": {"present": ["Ines"], "place": "the mill"},
            "brief": {
                "decided": {
                    "": {
                        "evidence": [
                            {
                                "id": "a",
                                "source": "profile",
                                "person": "Ines",
                                "text": "An owl nests in the loft.",
                            }
                        ],
                        "options": ["Go up to the loft", "Talk to Ines"],
                    }
                }
            },
        },
        (r"\bowl\b", r"\bInes\b"),
    ),
    _BriefQuestion(
        {
            "campaign": {"title": "The Frozen Pond", "tone": "wintry"},
            "action": {"kind": "free", "text": "I jump over the crack in the ice"},
            "roll": {"outcome": "failure"},
            "place": {"name": "the pond", "arrival": "The ice is grey, and there is a crack across it."},
            "people": [{"name": "Tobias", "role": "a fisherman", "traits": ["calm"], "met": True}],
            "ledger": {"present": ["Tobias"], "place": "the pond"},
            "brief": {
                "decided": {
                    "failure": {
                        "effects": ["You are hurt"],
                        "options": ["Ask Tobias for his rope", "Go home"],
                    }
                }
            },
        },
        (r"\b(?:ice|crack)\b", r"\b(?:slip|fall|hurt|pain|short|knee|ankle|hand|water|crash|twist|land)\w*"),
    ),
)
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
    steps = len(_CHOICES) + len(_FORMS) + len(_SCENES) + len(_BRIEFS)
    done = 0
    tally = {"scores": 0.0, "fills": 0.0, "facts": 0.0, "told": 0.0}
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
    for question in _BRIEFS:
        mark("told", may_narrate and await _tells_brief(model, question), len(_BRIEFS))
    rate = max(speed.generated for speed in speeds)  # the machine's best: others may be at work on it
    return ModelExam(
        tier=_tier(tally["fills"], tally["facts"], tally["told"]),
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


async def _tells_brief(model: LocalModel, question: _BriefQuestion) -> bool:
    """Return whether the model can tell a scene from its brief, as a narrator must."""
    system, prompt = narration.ask(question.facts, budget=BRIEF_BUDGET)
    try:
        answer = await model.complete(
            [Message("system", system), Message("user", prompt)],
            max_tokens=400,
            temperature=0.0,
            stop=narration.STOP,
            within=WITHIN,
        )
    except ModelUnavailable:
        return False
    return is_well_told(answer.text, question.facts, question.required)


def is_well_told(text: str, facts: dict[str, Any], required: Sequence[str]) -> bool:
    """Return whether an answer tells what the brief asks for, and ends with a fact and with choices."""
    telling = narration.Telling()
    paragraphs = [*telling.add(text), *telling.finish()]
    prose = "\n\n".join(paragraphs)
    if not paragraphs or len(paragraphs) > narration.MAX_PARAGRAPHS + 1:
        return False
    if any(narration.faults(paragraph, facts, ()) for paragraph in paragraphs):
        return False
    says = all(re.search(pattern, prose, re.IGNORECASE) for pattern in required)
    return says and bool(telling.fact) and len(telling.choices) >= LEAST_CHOICES


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
    return f"{facts} and told {_counted(report.told, len(_BRIEFS), 'brief')} as it should"


def _counted(share: float, of: int, noun: str) -> str:
    return f"{round(share * of)} of {of} {noun}s"


def _describe_speed(report: ModelExam) -> str:
    seconds = scene_seconds(report)
    if seconds < 90:
        return f"a scene takes about {max(1, round(seconds))} seconds here"
    return f"a scene takes about {round(seconds / 60)} minutes here, and shows paragraph by paragraph"


def _tier(fills: float, facts: float, told: float) -> Tier:
    """Return what the answers are good for; how long they took is the player's to judge."""
    if fills < 0.75:
        return "scores"
    if facts < 0.6:
        return "fills"
    return "narrates" if min(facts, told) > 0.9 else "embellishes"


def _reports() -> dict[str, ModelExam]:
    try:
        content = (paths.home() / "models" / _VERDICTS).read_bytes()
        return msgspec.json.decode(content, type=dict[str, ModelExam])
    except (OSError, *UNDECODABLE):  # none yet, or of another version
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
