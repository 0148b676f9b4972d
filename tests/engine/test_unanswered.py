"""What players asked and nothing answered: found in the records of turns, grouped for the author."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.engine.small_story import story

from narratoria.engine.memory.recall import RecallResult
from narratoria.engine.persistence.turn_record import TurnInput, TurnOutput, TurnRecord, TurnTrace
from narratoria.engine.reading import Understanding
from narratoria.engine.scene import Choice, Passage, Receipt, Scene
from narratoria.engine.snapshot import Progress
from narratoria.engine.unanswered import UnansweredQuestion, find_unanswered, group_questions
from narratoria.narrator.evidence import Evidence
from narratoria.narrator.repertoire import Unit, load_repertoire
from narratoria.planner.intent import Intent, Mention
from narratoria.planning.replan import Fallback
from narratoria.skills.health import SessionHealth

TALE = story()
KING = Evidence(id="ada/background/0", text="Ada saw the king once.", source="profile", relevance=0.2)
ASK = Intent(
    act="ask", text="Ask Ada about the king", person=Mention("Ada", "ada", "Ada"), topic="about the king"
)


def receipt_of(unit: Unit) -> Receipt:
    return Receipt("unit", unit.id, "ask")


def a_unit(**wanted: Any) -> Receipt:
    return receipt_of(
        next(
            unit
            for unit in load_repertoire()
            if all(getattr(unit, name) == value for name, value in wanted.items())
        )
    )


def record(*because: Receipt, intent: Intent = ASK, choice: Choice | None = None) -> TurnRecord:
    meaning = Understanding(intents=(intent,), evidence=((KING,),))
    trace = TurnTrace.of(Fallback("", SessionHealth(), ()), RecallResult(understanding=meaning))
    scene = Scene(
        number=3,
        action=intent.text,
        place="mill",
        paragraphs=("Ada shrugs.",),
        choices=(),
        passages=(Passage(by="composer", because=because),),
    )
    return TurnRecord(
        number=3,
        input=TurnInput(choice=choice or Choice(text=intent.text)),
        output=TurnOutput(scene=scene, progress=Progress(), trace=trace.pack()),
        state={},
        begun_at="",
        finished_at="",
    )


def found(one: TurnRecord) -> list[UnansweredQuestion]:
    return list(find_unanswered([one], TALE, "s"))


def test_a_question_that_only_a_unit_met_is_unanswered_and_keeps_what_came_nearest() -> None:
    (question,) = found(record(a_unit(evidence="none")))

    assert (question.words, question.person, question.scene) == ("Ask Ada about the king", "ada", 3)
    assert question.nearest == KING


def test_what_somebody_answers_out_of_their_own_head_is_a_gap_that_an_author_can_fill() -> None:
    assert len(found(record(a_unit(evidence="own")))) == 1


@pytest.mark.parametrize(
    "because",
    [
        Receipt("evidence", KING.id, KING.text),
        a_unit(evidence="withheld"),
        a_unit(absent=True),
    ],
)
def test_what_was_told_or_withheld_or_put_to_nobody_there_is_no_gap(because: Receipt) -> None:
    assert found(record(because)) == []


def test_only_questions_that_were_typed_count() -> None:
    gap = a_unit(evidence="none")

    assert found(record(gap, choice=Choice(text="Ask", kind="talk"))) == []
    assert found(record(gap, intent=msgspec.structs.replace(ASK, act="sing"))) == []
    assert found(record(gap, intent=Intent(act="look", text="look around"))) == []


def test_a_thing_that_nothing_is_written_of_is_a_question_to_its_place() -> None:
    clock = Intent(act="examine", text="examine the clock", thing=Mention("clock"))
    (question,) = found(record(a_unit(evidence="", absent=False), intent=clock))
    (group,) = group_questions([question], TALE)

    assert (group.addressee, group.file, group.field) == ("The mill", "lore/locations/mill.md", "")


def test_a_turn_from_before_receipts_is_judged_by_the_relevance_of_its_evidence() -> None:
    assert len(found(record())) == 1


def asked(words: str, person: str = "ada", **others: Any) -> UnansweredQuestion:
    return UnansweredQuestion(words=words, story=others.pop("story", "s"), scene=1, person=person, **others)


def test_questions_with_the_same_words_to_the_same_person_are_one() -> None:
    groups = group_questions(
        [
            asked("Ask Bo about the king", "bo"),
            asked("Ask Ada about the old king", nearest=KING),
            asked("Ada, what about the king?", story="t"),
            asked("Ask Ada where the horses are"),
        ],
        TALE,
    )

    assert [(one.addressee, one.times) for one in groups] == [("Ada", 2), ("Ada", 1), ("Bo", 1)]
    first = groups[0]
    assert first.wordings == ("Ask Ada about the old king", "Ada, what about the king?")
    assert first.stories == ("s", "t")
    assert (first.file, first.field) == ("characters/npcs/ada/profile.json", "topics")
    assert first.nearest is not None
    assert (first.nearest.id, first.nearest.relevance) == (KING.id, 0.2)
    assert first.nearest.file == "characters/npcs/ada/profile.json"


def test_a_question_to_nobody_is_answered_by_lore() -> None:
    (group,) = group_questions([asked("What do I know of the king?", "")], TALE)
    assert (group.addressee, group.file, group.nearest) == ("", "lore/", None)
