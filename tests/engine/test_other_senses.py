"""Where nothing bears on what was read, a look may be a question, and a question a look."""

from __future__ import annotations

from narratoria.engine.other_senses import find_other_sense
from narratoria.planner.intent import Intent, KnownPerson, KnownThing, Mention, ReadingContext

ADA = KnownPerson("ada", "Ada Finch", "Ada", "she")
THINGS = (KnownThing("lantern", "lantern"),)
COMPANY = ReadingContext(people=(ADA,), things=THINGS)
ALONE = ReadingContext(things=THINGS)


def test_a_look_that_is_put_as_a_question_may_be_asked_of_whoever_is_there() -> None:
    look = Intent(act="examine", text="what is that noise?")
    question = find_other_sense(look, COMPANY)
    assert question is not None
    assert (question.act, question.person and question.person.id) == ("ask", "ada")
    assert find_other_sense(look, ALONE) is None
    assert find_other_sense(Intent(act="examine", text="look at the noise"), COMPANY) is None


def test_whether_something_is_there_may_be_looked_for() -> None:
    question = Intent(act="ask", text="is there a cellar anywhere?", person=Mention("", "ada", "Ada"))
    look = find_other_sense(question, COMPANY)
    assert look is not None
    assert (look.act, look.person, look.thing and look.thing.text) == ("examine", None, "cellar")


def test_a_question_to_somebody_by_name_stays_one() -> None:
    question = Intent(act="ask", text="is there a cellar, Ada?", person=Mention("Ada", "ada", "Ada"))
    assert find_other_sense(question, COMPANY) is None


def test_what_nobody_hears_is_looked_into() -> None:
    wonder = Intent(act="think_back", text="why is it so hot in here?")
    look = find_other_sense(wonder, ALONE)
    assert look is not None
    assert look.act == "examine"
    assert find_other_sense(wonder, COMPANY) is None


def test_what_nobody_hears_is_a_look_at_the_thing_that_it_names() -> None:
    look = find_other_sense(Intent(act="think_back", text="what is the old lantern for?"), ALONE)
    assert look is not None
    assert (look.thing and look.thing.id) == "lantern"
