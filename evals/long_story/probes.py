"""What somebody who was there for the first twenty turns would still know."""

from __future__ import annotations

from dataclasses import dataclass

from evals.long_story.play import Played
from narratoria.engine.action import choose
from narratoria.engine.facts import build_facts
from narratoria.engine.memory import compress
from narratoria.engine.memory.recall import make_recaller
from narratoria.engine.scene import Choice
from narratoria.sdk import brief
from narratoria.store.scope import Scope

FOUND_AMONG = 6  # memories that a scene is told with
LOCAL_BUDGET = 2000  # tokens of a brief that a model on this machine reads


@dataclass(frozen=True, slots=True)
class Probe:
    kind: str
    question: str
    answer: str  # words of the memory


PROBES = (
    Probe("promise", "What did you promise Senna Rook?", "promised Senna Rook"),
    Probe("promise", "Think of the oath you took on the mould", "founders' oath"),
    Probe("promise", "What did you swear to Pike?", "nobody shall take him up the ramp"),
    Probe("debt", "How much money do you owe Senna?", "ten silver pennies"),
    Probe("debt", "Where is your founder's rule, and who has it?", "lent Dame Ottoline"),
)


@dataclass(frozen=True, slots=True)
class Recalled:
    probe: Probe
    kept: bool  # word for word in the story so far
    found: bool  # by the store, for a question in other words
    read: bool  # in what a model on this machine is given to read


async def ask(played: Played) -> list[Recalled]:
    kept = " ".join(one.text for one in compress.keepsakes(played.session.progress.history))
    answers = []
    for probe in PROBES:
        choice = Choice(text=probe.question, kind="free")

        async def scope() -> Scope:
            return played.scope

        known = await make_recaller(scope, played.campaign)(choice, played.session)
        told = build_facts(
            choose(choice, played.session, played.campaign, known), played.session, played.campaign, known
        )
        memories = " ".join(memory.summary for memory in known.memories[:FOUND_AMONG])
        prompt = " ".join(brief.write(told.to_json_values(), budget=LOCAL_BUDGET)[:4])
        wanted = probe.answer.casefold()
        answers.append(
            Recalled(
                probe, wanted in kept.casefold(), wanted in memories.casefold(), wanted in prompt.casefold()
            )
        )
    return answers


def names(played: Played) -> tuple[list[str], list[str]]:
    """Who was met in the first twenty turns, and who of them is still known by name."""
    assert played.early is not None
    met = [played.campaign.people[who].name for who in played.early.progress.met_people]
    kept = {one.text for one in compress.keepsakes(played.session.progress.history, "name")}
    return met, [name for name in met if name in kept]
