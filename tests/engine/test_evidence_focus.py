"""The sentence of a passage that answers is found, and passages that belong together are told together."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from narratoria import app
from narratoria.engine.action import situation_of
from narratoria.engine.evidence_focus import (
    CERTAIN,
    join_neighbours,
    raise_tie,
    raise_topic_of_kind,
    see_handled,
    see_thing,
    weigh_names,
    with_focus,
)
from narratoria.engine.snapshot import Progress, StorySnapshot
from narratoria.narrator.evidence import Evidence, told_window
from narratoria.planner.intent import Intent, Mention


def passage(identifier: str, text: str, relevance: float = 0.0, **more: Any) -> Evidence:
    return Evidence(id=identifier, text=text, relevance=relevance, **{"source": "lore", **more})


FERRY = [passage(f"lore/ferry#{at}", f"Part {at}.") for at in range(4)]


def ranked(passages: list[Evidence], relevance: dict[str, float]) -> list[Evidence]:
    found = [
        passage(one.id, one.text, relevance[one.id], source=one.source, secret=one.secret)
        for one in passages
        if one.id in relevance
    ]
    return sorted(found, key=lambda one: -one.relevance)


def test_a_page_of_lore_is_told_with_the_passages_before_and_after_in_their_order() -> None:
    (joined,) = join_neighbours(ranked(FERRY, {"lore/ferry#2": 0.9}), FERRY)

    assert (joined.id, joined.text) == ("lore/ferry#2", "Part 1. Part 2. Part 3.")


def test_what_was_joined_is_not_told_a_second_time() -> None:
    evidence = join_neighbours(ranked(FERRY, {"lore/ferry#2": 0.9, "lore/ferry#1": 0.4}), FERRY)

    assert [one.id for one in evidence] == ["lore/ferry#2"]


def test_another_page_and_a_secret_beside_it_are_not_joined() -> None:
    beside = [
        FERRY[0],
        passage("lore/ferry#1", "A secret.", secret=True),
        passage("lore/mill#1", "The mill."),
    ]
    (alone,) = join_neighbours(ranked(beside, {"lore/ferry#0": 0.9}), beside)

    assert alone.text == "Part 0."


@pytest.mark.parametrize(("relevance", "is_joined"), [(0.6, True), (0.4, False)])
def test_of_a_profile_only_what_bears_on_the_question_nearly_as_much_is_joined(
    relevance: float, is_joined: bool
) -> None:
    own = [passage(f"ada/habits/{at}", f"Part {at}.", source="profile") for at in range(2)]
    evidence = join_neighbours(ranked(own, {"ada/habits/0": 0.9, "ada/habits/1": relevance}), own)

    assert (evidence[0].text == "Part 0. Part 1.") is is_joined


def test_somebodys_past_is_one_matter_like_a_page_of_lore() -> None:
    past = [passage(f"ada/background/{at}", f"Part {at}.", source="profile") for at in range(3)]
    (joined,) = join_neighbours(ranked(past, {"ada/background/0": 0.9}), past)

    assert joined.text == "Part 0. Part 1."


BELL = Intent(act="examine", text="examine the bell", thing=Mention("bell", "bell", "bell"))


def test_what_is_seen_of_a_thing_are_the_sentences_that_name_it_and_the_next() -> None:
    arrival = passage(
        "place/quay/0", "Ropes lie about. A bell hangs here. It is cracked. Gulls cry.", source="place"
    )
    (sight,) = see_thing(BELL, [], [arrival, passage("place/quay/1", "A boat.", source="place")])

    assert sight.text == "A bell hangs here. It is cracked."
    assert sight.relevance >= 0.5


def test_a_closer_look_is_shown_before_the_first_one_and_lore_last() -> None:
    arrival = passage("place/quay/0", "A bell hangs here.", source="place")
    detail = passage("place/quay/1", "The bell is cracked.", source="place")
    page = passage("lore/bell#0", "The bell was cast in Gdynia.", 0.9, about="The bell")
    sights = see_thing(BELL, [page], [page, arrival, detail])

    assert [one.id for one in sights] == ["place/quay/1", "place/quay/0", "lore/bell#0"]


def test_a_thing_that_nobody_calls_so_is_looked_for_by_all_that_was_said_of_it() -> None:
    cairn = passage("place/rim/2", "Among the iron of the cairn hangs a rocker.", source="place")
    shed = passage("place/rim/1", "A shed stands in the wind.", source="place")
    intent = Intent(act="search", text="poke around in that heap of iron", thing=Mention("heap"))

    assert see_thing(intent, [], [shed, cairn])[0].id == "place/rim/2"


def test_lore_that_is_about_something_else_is_not_seen() -> None:
    page = passage("lore/flood#0", "The flood took the bell.", 0.9, about="The flood")

    assert see_thing(BELL, [page], [page]) == ()


def test_sayings_stand_alone_though_they_are_numbered() -> None:
    says = [passage(f"ada/says/{at}", f"Saying {at}.", source="saying") for at in range(2)]

    assert join_neighbours(ranked(says, {"ada/says/0": 0.9}), says)[0].text == "Saying 0."


def test_an_answer_that_the_author_wrote_is_left_as_it_is() -> None:
    topic = passage("lore/ferry#1", "Part 1.", 0.9, answer="As written.")

    assert join_neighbours([topic], FERRY) == (topic,)
    assert join_neighbours([], FERRY) == ()


async def test_the_sentence_that_shares_the_questions_words_is_in_focus() -> None:
    text = "The ferry runs at noon. The bell was cast in Gdynia. Nobody swims here."
    (best,) = await with_focus("where was the bell cast", [passage("p", text, 0.9, source="profile")], None)

    assert best.focus == "The bell was cast in Gdynia."


class LastSentence:
    """Matches the last text best, whatever is asked."""

    def match(self, question: str, texts: list[str], shared: list[float], kind: str) -> list[float]:
        assert (kind, len(texts)) == ("question", len(shared))
        return [float(at) for at in range(len(texts))]


async def test_a_matcher_says_which_sentence_answers_where_there_is_one() -> None:
    text = "The bell was cast in Gdynia. Nobody swims here."
    matcher: Any = LastSentence()
    profile = passage("p", text, 0.9, source="profile")
    (best,) = await with_focus("where was the bell cast", [profile], matcher)

    assert best.focus == "Nobody swims here."


async def test_a_passage_that_is_told_whole_is_not_read_for_the_sentence_that_answers() -> None:
    page = passage("p", "The ferry runs at noon. The bell was cast in Gdynia. Nobody swims here.", 0.9)
    never: Any = None

    assert await with_focus("where was the bell cast", [page], never) == (page,)
    assert told_window("where was the bell cast", page) == page.text
    for focus in page.text.split(". "):
        focused = msgspec.structs.replace(page, focus=focus.rstrip(".") + ".")
        assert told_window("where was the bell cast", focused) == page.text


async def test_a_tie_is_told_whole() -> None:
    tie = passage("ada/ties/bo", "Bo: owes him. Never says so.", 0.9, source="relationship")

    assert await with_focus("what of Bo", [tie], None) == (tie,)


async def test_the_next_best_is_told_in_the_same_breath_where_the_best_is_not_certain() -> None:
    best, second = passage("a", "The bell is old.", CERTAIN - 0.2), passage("b", "It was cast twice.", 0.5)
    third = passage("c", "Ropes wear out.", 0.1)
    evidence = await with_focus("the bell", [best, second, third], None)

    assert [one.id for one in evidence] == ["a", "c"]
    assert evidence[0].spoken == "The bell is old. It was cast twice."


@pytest.mark.parametrize(
    ("relevance", "second"),
    [
        (CERTAIN, passage("b", "It was cast twice.", 0.7)),  # the best is certain
        (0.6, passage("b", "It was cast twice.", 0.2)),  # the next best hardly bears on it
        (0.6, passage("b", "It was cast twice.", 0.5, secret=True)),
        (0.6, passage("b", "It was cast twice.", 0.5, owner="bo")),  # which this person cannot know
        (0.6, passage("who/bo", "Bo is the smith.", 0.5, source="profile")),
        (0.6, passage("b", "The forge is hot.", 0.5, source="place")),
        (0.6, passage("b", "The bell is old.", 0.5)),  # the same words
    ],
)
async def test_the_next_best_is_kept_apart_where_it_would_not_be_said(
    relevance: float, second: Evidence
) -> None:
    best = passage("a", "The bell is old.", relevance)

    assert await with_focus("the bell", [best, second], None) == (best, second)


async def test_no_evidence_and_an_authors_answer_have_no_focus() -> None:
    topic = passage("a", "One. Two.", 0.9, answer="As written.")

    assert await with_focus("the bell", [], None) == ()
    assert await with_focus("the bell", [topic], None) == (topic,)


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("so who are your mum and dad then", "brother-osk/background/0"),
        ("what do you make of her mother", "ottoline-carrow/background/0"),
    ],
)
def test_whoever_is_asked_of_themselves_answers_of_themselves(words: str, first: str) -> None:
    campaign = app.open_campaign("harrowmere")
    story = StorySnapshot(id="s", campaign=campaign.name, seed=1, progress=Progress(place="landing"))
    pieces = [
        passage("ottoline-carrow/background/0", "A mother.", 0.9),
        passage("brother-osk/background/0", "A foundling.", 0.6),
    ]
    intent = Intent(act="ask", text=words, person=Mention("", "brother-osk", "Brother Osk"))
    assert weigh_names(intent, pieces, situation_of(story, campaign))[0].id == first


@pytest.mark.parametrize(
    ("words", "spoken_of", "relevance", "is_first"),
    [
        ("have you got anybody", (), 0.3, True),
        ("have you got anybody", (), 0.9, False),  # something else is certain
        ("does she have anybody", (), 0.3, False),  # it is not about whoever is asked
        ("have you and the tall one anybody", ("Pike",), 0.3, False),
    ],
)
def test_a_topic_for_a_kind_of_question_answers_it_in_whatever_words(
    words: str, spoken_of: tuple[str, ...], relevance: float, is_first: bool
) -> None:
    topic = passage("ada/topic/own-family", "Ada has a brother.", kind="ask/family", answer="“One brother.”")
    other = passage("lore/ferry#1", "The ferry.", relevance)
    intent = Intent(act="ask", text=words, kind="ask/family", person=Mention("", "ada", "Ada"))
    first = raise_topic_of_kind(intent, [other], [other, topic], spoken_of)[0]

    assert (first.id == topic.id) is is_first


def test_a_guessed_kind_does_not_go_before_a_topic_that_is_asked_for() -> None:
    today = passage(
        "ada/topic/today",
        "Ada is well.",
        kind="ask/feeling-today",
        answer="“Well.”",
        questions=("how are you",),
    )
    lonely = passage(
        "ada/topic/lonely", "Ada is lonely.", 0.6, answer="“At times.”", questions=("are you lonely",)
    )
    asks = Intent(
        act="ask", text="do you get lonely", kind="ask/feeling-today", person=Mention("", "ada", "Ada")
    )
    assert raise_topic_of_kind(asks, [lonely], [today, lonely], ())[0].id == lonely.id


def test_what_somebody_thinks_of_one_they_are_asked_about_comes_first() -> None:
    tie = passage("pike/ties/osk", "Osk is kind.", source="relationship", owner="pike")
    lore = passage("lore/abbey#0", "The abbey is old.", 0.7)
    asks = Intent(
        act="ask",
        text="what do you make of him",
        kind="ask/opinion-of-person",
        person=Mention("", "pike", "Pike"),
    )
    assert raise_tie(asks, [lore], [lore, tie], ["osk"])[0].id == tie.id
    assert raise_tie(asks, [lore], [lore, tie], ["osk", "senna"])[0].id == lore.id
    assert raise_tie(asks, [lore], [lore], ["osk"])[0].id == lore.id


def test_a_look_tells_what_names_the_thing_and_what_goes_on_about_it() -> None:
    layer = passage(
        "place/ward/1", "The bed is bare. The window above it is open. Mice run.", 0.9, source="place"
    )
    look = Intent(act="examine", text="look at the bed", thing=Mention("bed", "bed", "bed"))
    assert see_thing(look, [layer], [layer])[0].text == "The bed is bare. The window above it is open."


def test_reading_a_thing_tells_what_is_written_on_it() -> None:
    arrival = passage("place/green/0", "A stone stands here, carved *BR…D*.", 0.9, source="place")
    layer = passage("place/green/1", "Beside the stone is a house.", 0.95, source="place")
    look = Intent(act="read", text="read the stone", thing=Mention("stone", "stone", "stone"))
    assert see_thing(look, [layer, arrival], [arrival, layer])[0].text == arrival.text


async def test_the_sentence_that_answers_is_one_of_the_passage_that_answers() -> None:
    core = passage(
        "ada/background/0", "She was posted as a parcel. It cost her eleven crowns.", 0.9, source="profile"
    )
    joined = msgspec.structs.replace(core, text=f"{core.text} Every year she has new stamps.")
    matcher: Any = LastSentence()

    (best,) = await with_focus("why the stamps", [joined], matcher, core=core)
    assert best.focus == "It cost her eleven crowns."


def test_what_is_handled_is_seen_first_unless_it_was_looked_at_before() -> None:
    layers = [
        Evidence(id="place/hall/0", text="A hall with a board.", source="place"),
        Evidence(
            id="place/hall/1",
            text="Beside it lies a board. On the board a game is half played.",
            source="place",
        ),
    ]
    move = Intent(act="move", text="move a piece on the board")

    (seen,) = see_handled(move, layers)
    assert seen.text == "On the board a game is half played."
    looked_at = [msgspec.structs.replace(one, is_repeat=True) for one in layers]
    assert see_handled(move, looked_at) == ()


def test_what_was_read_on_arrival_is_shown_first_where_it_answers_by_far_the_best() -> None:
    arrival = passage("place/hall/0", "The bed has belts on it. A cape hangs there.", source="place")
    closer = passage("place/hall/1", "The wall over the bed is photos.", source="place")
    best = ranked([arrival, closer], {"place/hall/0": 0.95, "place/hall/1": 0.4})
    look = Intent(act="examine", text="why are there belts on the bed", thing=Mention("bed"))
    assert see_thing(look, best, [closer, arrival])[0].text == "The bed has belts on it."
    search = Intent(act="search", text="search the bed", thing=Mention("bed"))
    assert see_thing(search, best, [closer, arrival])[0].text == closer.text


def test_what_is_counted_apart_goes_on_about_the_thing() -> None:
    doors = passage("place/yard/0", "Six doors stand along it. Five are shut. A dog sleeps.", source="place")
    look = Intent(act="examine", text="look at the doors", thing=Mention("doors"))
    assert see_thing(look, [doors], [doors])[0].text == "Six doors stand along it. Five are shut."
