"""Topics: what somebody can be asked, the author's answer, what it changes, and what a profile implies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
from tests.campaign.mill import MILLER, added, build
from tests.engine.conftest import OpenLibrary
from tests.engine.small_story import beat, begin, person, story

from narratoria.campaign.campaign import (
    Campaign,
    Conditions,
    Effects,
    LorePassage,
    NpcState,
    Opinion,
    Profile,
    Topic,
)
from narratoria.engine.action import choose, prepare_answers, situation_of
from narratoria.engine.advance import advance_story
from narratoria.engine.effects import MOST_EVIDENCE, progress_after_answer
from narratoria.engine.facts import build_facts
from narratoria.engine.memory.recall import NOTHING, RecallResult
from narratoria.engine.scene import Choice, Scene
from narratoria.engine.snapshot import StorySnapshot
from narratoria.engine.story_evidence import tellable_evidence
from narratoria.engine.topics import find_topic, list_topics, list_topics_elsewhere, needs_only_trust
from narratoria.engine.understanding import understand_by_words
from narratoria.narrator.answer_request import Answer
from narratoria.skills.health import SessionHealth

OAR = Topic(
    id="the-oar",
    ask="whose oar hangs above the door",
    answer="“My brother's,” says Ada. She takes it down and wipes it, although it is clean.",
    fact="Ada told you that the oar above the door was her brother's.",
    also=("who did that old paddle belong to",),
    again="“I've told you whose it was,” says Ada.",
    effects=Effects(perception={"ada": 4}, gain=("a peg",), moves={"bo": "mill"}),
    consequences=("Ada has spoken of her brother",),
)
FLOOD = Topic(
    id="the-flood",
    ask="what the flood took",
    answer="“The bridge,” says Ada, “and who stood on it.”",
    conditions=Conditions(requires_beat="flood"),
)
DEBT = Topic(
    id="the-debt",
    ask="what she owes the ferrymen",
    answer="“Nine boats,” says Ada, “and an apology.”",
    conditions=Conditions(npc_state={"ada": NpcState(perception=Opinion(min=25))}),
)
ADA = msgspec.structs.replace(person("Ada", "mill"), topics=(OAR, FLOOD, DEBT))
OAR_ID, FLOOD_ID, DEBT_ID = "ada/topic/the-oar", "ada/topic/the-flood", "ada/topic/the-debt"
BO = msgspec.structs.replace(
    person("Bo", "mill"),
    role="smith",
    background="Bo came from the coast.",
    relationships={"ada": "A friend"},
)


def tale(**people: Profile) -> Campaign:
    return replace(story(beat("flood", Conditions(player_choice="Open the sluice"))), people=people)


TALE = tale(ada=ADA)


def pick(topic: str, who: str = "ada", text: str = "Ask Ada") -> Choice:
    return Choice(text=text, kind="talk", act="ask", target=who, topic=topic)


def answer_to(choice: Choice, session: StorySnapshot, campaign: Campaign = TALE) -> tuple[Any, Answer | None]:
    meaning = understand_by_words(choice, session, campaign, NOTHING)
    action = choose(choice, session, campaign, RecallResult(understanding=meaning))
    action = prepare_answers(action, session, campaign)
    return action, action.answer_for("")


def ask(choice: Choice, session: StorySnapshot, campaign: Campaign = TALE) -> StorySnapshot:
    """Return the story after a question, without any skill."""
    action, answer = answer_to(choice, session, campaign)
    assert answer is not None
    scene = Scene(
        number=session.progress.scene + 1,
        action=choice.text,
        place=action.place.id,
        paragraphs=tuple(answer.text.split("\n\n")),
        choices=(),
    )
    return advance_story(scene, action, session, campaign, state=session.state, health=SessionHealth())


def told(choice: Choice, session: StorySnapshot, campaign: Campaign = TALE) -> str:
    answer = answer_to(choice, session, campaign)[1]
    return answer.text if answer else ""


def offered(session: StorySnapshot, campaign: Campaign = TALE) -> list[str]:
    """Return the topics that are offered after the next scene."""
    action, _ = answer_to(Choice(text="Wait", kind="wait"), session, campaign)
    return [topic.id for topic in build_facts(action, session, campaign).next[""].topics]


def after_flood(session: StorySnapshot) -> StorySnapshot:
    progress = msgspec.structs.replace(session.progress, beat_outcomes={"flood": ""})
    return msgspec.structs.replace(session, progress=progress)


def liked_by_ada(session: StorySnapshot, score: int) -> StorySnapshot:
    return msgspec.structs.replace(session, state=session.state.apply_patch({"perception": {"ada": score}}))


# what is offered


def test_a_topic_whose_conditions_hold_is_offered_and_one_whose_do_not_is_not() -> None:
    session = begin(TALE)

    assert offered(session) == [OAR_ID]
    assert set(offered(after_flood(session))) == {OAR_ID, FLOOD_ID}
    assert set(offered(liked_by_ada(session, 25))) == {OAR_ID, DEBT_ID}


def test_what_events_have_opened_comes_before_what_could_always_be_asked() -> None:
    assert offered(after_flood(begin(TALE)))[0] == FLOOD_ID


def test_a_topic_says_which_beats_have_opened_it_and_one_that_was_always_open_is_not_new() -> None:
    calm = Topic(
        id="calm", ask="about the calm", answer="…", conditions=Conditions(custom='!("flood" in told)')
    )
    campaign = tale(ada=msgspec.structs.replace(ADA, topics=(calm, FLOOD)))

    def listed(session: StorySnapshot) -> list[tuple[str, bool, list[tuple[str, str, str]]]]:
        topics = list_topics(situation_of(session, campaign), "mill", lambda _: frozenset())
        return [
            (topic.text, topic.new, [(one.kind, one.id, one.text) for one in topic.receipts])
            for topic in topics
        ]

    assert listed(begin(campaign)) == [("about the calm", False, [])]
    assert listed(after_flood(begin(campaign))) == [
        ("what the flood took", True, [("beat", "flood", "flood")])
    ]


def test_a_topic_is_not_offered_again_once_it_was_answered() -> None:
    session = begin(TALE)
    action, _ = answer_to(pick(OAR_ID), session)

    assert OAR_ID not in [topic.id for topic in build_facts(action, session, TALE).next[""].topics]
    assert OAR_ID not in offered(ask(pick(OAR_ID), session))


def test_a_topic_stays_told_however_much_is_told_after_it() -> None:
    session = ask(pick(OAR_ID), begin(TALE))
    many = Answer(
        text="", fact="", source="", evidence=tuple(f"lore/{at}" for at in range(MOST_EVIDENCE + 9))
    )
    progress = progress_after_answer(many, session.progress, TALE)

    assert OAR_ID in progress.evidence
    assert "lore/0" not in progress.evidence


def test_nobody_who_is_elsewhere_can_be_asked() -> None:
    session = begin(TALE)
    away = msgspec.structs.replace(session.progress, moved_people={"ada": "inn"})

    assert offered(msgspec.structs.replace(session, progress=away)) == []


def test_of_a_profile_without_topics_that_is_asked_which_it_has_an_answer_to() -> None:
    campaign = tale(bo=BO)
    situation = situation_of(begin(campaign), campaign)

    def ids(*answerable: str) -> set[str]:
        return {one.id for one in list_topics(situation, "mill", lambda _: frozenset(answerable))}

    known = {one.id for one in tellable_evidence("bo", situation) if not one.secret}
    assert ids() == set()
    assert ids(*known) == {"bo/background/0"}
    assert ids(*known) <= known


def asked_of_bo(
    *lore: LorePassage, evidence: tuple[str, ...] = (), campaign: Campaign | None = None
) -> list[str]:
    campaign = replace(campaign or tale(bo=BO), lore=lore)
    session = begin(campaign)
    progress = msgspec.structs.replace(session.progress, evidence=evidence)
    situation = situation_of(msgspec.structs.replace(session, progress=progress), campaign)
    known = {one.id for one in tellable_evidence("bo", situation)}
    return [one.text for one in list_topics(situation, "mill", lambda _: known) if one.id.startswith("lore/")]


def test_somebody_is_asked_about_lore_that_touches_who_they_are_in_words_that_fit_a_sentence() -> None:
    salt = LorePassage("lore/salt.md", 0, "The Salt Coast", "On the coast they pay in salt.")
    road = LorePassage("lore/road.md", 0, "The King's Road", "It ends at the coast.")
    waiting = LorePassage("lore/waiting.md", 0, "How Bo Waits Here", "By the coast, mostly.")
    crown = LorePassage("lore/crown.md", 0, "The Crown", "Kings wear it.")

    assert sorted(asked_of_bo(salt, road, waiting, crown)) == [
        "about the King's Road", "about the salt coast", "how Bo waits here",
    ]  # fmt: skip


def test_a_heading_is_asked_about_once_and_not_where_a_beat_asks_the_same() -> None:
    first = LorePassage("lore/salt.md", 0, "The Salt", "All salt comes from the coast.")
    second = LorePassage("lore/salt.md", 1, "The Salt", "The coast is white with it.")
    offer = beat("salt", Conditions(player_choice="Ask Bo about the salt"))

    assert asked_of_bo(first, second) == ["about the salt"]
    assert asked_of_bo(first, second, evidence=("lore/lore/salt.md#0",)) == []
    assert asked_of_bo(first, second, campaign=replace(tale(bo=BO), beats=(offer,))) == []


def test_one_question_is_put_to_one_person_at_a_time() -> None:
    salt = LorePassage("lore/salt.md", 0, "The Salt", "All salt comes from the coast.")
    cy = msgspec.structs.replace(BO, name="Cy", relationships={})
    campaign = replace(tale(bo=BO, cy=cy), lore=(salt,))
    session = begin(campaign)
    action, _ = answer_to(Choice(text="Wait", kind="wait"), session, campaign)
    topics = build_facts(action, session, campaign).next[""].topics

    assert [topic.person for topic in topics if topic.text == "about the salt"] == ["bo"]


def test_where_the_author_wrote_topics_nothing_but_people_is_implied_besides() -> None:
    ada = msgspec.structs.replace(
        ADA, background="Ada came from the coast.", relationships={"bo": "would bring him home"}
    )
    campaign = tale(ada=ada, bo=msgspec.structs.replace(BO, metadata=person("Bo", "inn").metadata))

    assert set(offered(begin(campaign), campaign)) == {OAR_ID, "ada/ties/bo"}


def test_somebody_whom_the_player_has_never_heard_of_is_asked_about_last() -> None:
    ada = msgspec.structs.replace(
        person("Ada", "mill"), relationships={"bo": "Owes him a boat"}, motivations=("See the flood out",)
    )
    campaign = replace(story(), people={"ada": ada, "bo": person("Bo", "inn")})
    session = begin(campaign)
    assert offered(session, campaign) == ["ada/wants/0", "ada/ties/bo"]
    met = msgspec.structs.replace(session.progress, met_people=(*session.progress.met_people, "bo"))
    after = msgspec.structs.replace(session, progress=met)
    assert offered(after, campaign) == ["ada/ties/bo", "ada/wants/0"]


def test_a_question_leaves_what_somebody_has_to_say_unsaid() -> None:
    session = begin(TALE)

    assert ask(pick(OAR_ID), session).progress.saying_counts == {}
    talk = Choice(text="Talk to Ada", kind="talk", target="ada")
    assert ask(talk, session).progress.saying_counts == {"ada": 1}


# what is answered


def test_a_picked_topic_is_answered_in_the_authors_words() -> None:
    _, answer = answer_to(pick(OAR_ID), begin(TALE))

    assert answer is not None
    assert (answer.text, answer.fact) == (OAR.answer, OAR.fact)
    assert answer.evidence == (OAR_ID,)


def test_asked_a_second_time_it_is_answered_as_the_author_wrote_for_that_or_as_before() -> None:
    session = after_flood(begin(TALE))

    assert told(pick(OAR_ID), ask(pick(OAR_ID), session)) == OAR.again
    assert told(pick(FLOOD_ID), ask(pick(FLOOD_ID), session)) == FLOOD.answer


def test_a_typed_question_in_other_words_finds_the_topic() -> None:
    session = begin(TALE)

    assert told(Choice(text="ask Ada whose oar that is above the door"), session) == OAR.answer
    assert told(Choice(text="ask Ada who the old paddle belonged to"), session) == OAR.answer


def test_a_topic_that_is_not_offered_is_no_choice_and_is_answered_when_it_is_typed() -> None:
    quiet = msgspec.structs.replace(OAR, offered=False)
    campaign = tale(ada=msgspec.structs.replace(ADA, topics=(quiet, FLOOD)))
    question = Choice(text="ask Ada whose oar that is above the door")

    assert OAR_ID not in offered(begin(campaign), campaign)
    assert told(question, begin(campaign), campaign) == OAR.answer


def test_what_has_not_happened_yet_is_not_answered_even_if_it_is_asked_for_by_its_words() -> None:
    question = Choice(text="ask Ada what the flood took")

    assert told(question, begin(TALE)) != FLOOD.answer
    assert told(question, after_flood(begin(TALE))) == FLOOD.answer


def test_a_topic_that_only_trust_is_missing_for_is_withheld() -> None:
    session = begin(TALE)
    assert needs_only_trust(DEBT, situation_of(session, TALE))
    assert not needs_only_trust(FLOOD, situation_of(session, TALE))

    for score in (0, 24):  # with 24 she is warm already: how much trust it takes is the author's to say
        withheld = told(Choice(text="ask Ada what she owes the ferrymen"), liked_by_ada(session, score))
        assert withheld
        assert "Nine boats" not in withheld
    assert "Nine boats" in told(Choice(text="ask Ada what she owes the ferrymen"), liked_by_ada(session, 25))


def test_somebody_who_has_left_the_story_answers_nothing() -> None:
    session = begin(TALE)
    away = msgspec.structs.replace(session.progress, moved_people={"ada": ""})

    assert OAR.answer not in told(pick(OAR_ID), msgspec.structs.replace(session, progress=away))


# what it changes


def test_what_a_topic_changes_is_in_the_state_and_changes_once() -> None:
    before = liked_by_ada(begin(TALE), 10)
    before = msgspec.structs.replace(before, state=before.state.apply_patch({"perception": {"bo": 7}}))
    once = ask(pick(OAR_ID), before)
    twice = ask(pick(OAR_ID), once)

    for session in (once, twice):
        assert session.state.get("perception") == {"ada": 14, "bo": 7}
        assert session.state.get("persona.items") == ["a peg"]
        assert session.flags == {"Ada has spoken of her brother"}
        assert session.progress.moved_people == {"bo": "mill"}
    assert OAR.fact in once.progress.history.recent[-1].text


def test_a_topic_can_end_a_life_and_bring_the_player_elsewhere() -> None:
    last = Topic(id="last", ask="how it ends", answer="“Like this,” says Ada.", effects=Effects(
        dies=("ada",), move_to="inn", state={"light": None, "bell": "rung"}
    ))  # fmt: skip
    campaign = tale(ada=msgspec.structs.replace(ADA, topics=(last,)))
    session = begin(campaign)
    lit = msgspec.structs.replace(session, state=session.state.apply_patch({"light": "on"}))
    after = ask(pick("ada/topic/last"), lit, campaign)

    assert after.progress.dead == ("ada",)
    assert (after.progress.place, after.progress.visits["inn"]) == ("inn", 1)
    assert (after.state.get("light"), after.state.get("bell")) == (None, "rung")


def test_what_is_offered_after_an_answer_knows_what_the_answer_has_changed() -> None:
    opinions = {who: NpcState(perception=Opinion(min=score)) for who, score in (("ada", 14), ("bo", 7))}
    needs = Conditions(player_state="Ada has spoken of her brother", npc_state=opinions)
    more = Topic(id="more", ask="about her brother", answer="…", conditions=needs)
    campaign = tale(ada=msgspec.structs.replace(ADA, topics=(OAR, more)))
    session = liked_by_ada(begin(campaign), 10)
    session = msgspec.structs.replace(session, state=session.state.apply_patch({"perception": {"bo": 7}}))
    action, _ = answer_to(pick(OAR_ID), session, campaign)

    assert [topic.id for topic in build_facts(action, session, campaign).next[""].topics] == [
        "ada/topic/more"
    ]


def test_only_the_authors_topics_are_found_by_their_ids() -> None:
    assert find_topic(OAR_ID, TALE) is OAR
    assert find_topic("ada/topic/nothing", TALE) is None
    assert find_topic("ada/role", TALE) is None
    assert find_topic("nobody/topic/the-oar", TALE) is None


async def test_a_topic_that_was_asked_is_undone_and_replayed(
    open_library: OpenLibrary, tmp_path: Path
) -> None:
    topic = {
        "id": "the-wheel", "ask": "why the wheel stands still",
        "answer": "“I stopped it,” says Jonah Reed. He looks at his hands as though they had told on him.",
        "fact": "Jonah Reed told you that he stopped the wheel himself.",
        "again": "“Once is enough to say that,” says Jonah Reed.",
        "effects": {"perception": {"miller": 6}}, "consequences": ["Jonah Reed has owned up"],
    }  # fmt: skip
    profile = added("characters/npcs/miller/profile.json", {**MILLER, "topics": [topic]})
    campaign = build(tmp_path / "mill", profile)
    async with open_library() as library:
        session = await library.begin(str(campaign), seed=3)
        scene = await session.resume()
        question = next(choice for choice in scene.choices if choice.topic)
        assert (question.text, question.kind) == ("Ask Jonah Reed why the wheel stands still", "talk")
        before = session.snapshot

        answered = await session.choose(question)
        assert "He looks at his hands as though they had told on him." in answered.text
        impression = session.snapshot.state.get("impressions.miller", 0)  # at first sight
        assert session.snapshot.state.get("perception.miller") == 6 + impression
        assert "Jonah Reed has owned up" in session.snapshot.flags
        assert all(choice.topic != question.topic for choice in answered.choices)
        assert (await library.replay(session.story.id)).exact

        await session.undo()
        assert session.snapshot.state == before.state
        assert session.snapshot.progress == before.progress

        await session.choose(question)
        again = await session.choose(question)
        assert "Once is enough to say that" in again.text
        assert session.snapshot.state.get("perception.miller") == 6 + impression
        assert (await library.replay(session.story.id)).exact


async def test_a_question_that_is_typed_in_other_words_is_answered_by_the_topic(
    open_library: OpenLibrary, tmp_path: Path
) -> None:
    wheel = {
        "id": "the-wheel",
        "ask": "why the wheel stands still",
        "answer": "“I stopped it,” says Jonah Reed.",
    }
    profile = added("characters/npcs/miller/profile.json", {**MILLER, "topics": [wheel]})
    async with open_library() as library:
        session = await library.begin(str(build(tmp_path / "mill", profile)), seed=3)
        await session.resume()
        scene = await session.say("Ask Jonah why the wheel isn't turning any more")
        assert "“I stopped it,” says Jonah Reed." in scene.text


# people who are elsewhere


def seen_both(place: str = "inn") -> StorySnapshot:
    """Return a story in which the player has met Ada and Bo, and stands at a place."""
    session = begin(tale(ada=ADA, cat=person("Cat", "inn")))
    progress = msgspec.structs.replace(
        session.progress, place=place, met_people=("ada", "cat"), visits={"mill": 1, "inn": 1}
    )
    return msgspec.structs.replace(session, progress=progress)


def elsewhere(session: StorySnapshot) -> list[tuple[str, str, str]]:
    campaign = tale(ada=ADA, cat=person("Cat", "inn"))
    situation = situation_of(session, campaign)
    here = campaign.places[session.progress.place]
    topics = list_topics_elsewhere(situation, here, lambda _: frozenset())
    return [(topic.id, topic.place, topic.name) for topic in topics]


def test_whoever_was_met_can_be_sought_out_with_a_question() -> None:
    assert elsewhere(seen_both()) == [(OAR_ID, "mill", "Ada")]


def test_nobody_is_sought_out_who_is_here_was_not_met_or_has_answered() -> None:
    session = seen_both()
    stranger = msgspec.structs.replace(session.progress, met_people=("cat",))
    answered = msgspec.structs.replace(session.progress, evidence=(OAR_ID,))
    assert elsewhere(seen_both("mill")) == []
    assert elsewhere(msgspec.structs.replace(session, progress=stranger)) == []
    assert elsewhere(msgspec.structs.replace(session, progress=answered)) == []


def test_a_question_to_somebody_elsewhere_is_a_walk_and_an_answer_in_one_turn() -> None:
    campaign, session = tale(ada=ADA, cat=person("Cat", "inn")), seen_both()
    choice = Choice(text="Go to the mill and ask Ada", kind="talk", target="ada", topic=OAR_ID)
    action, answer = answer_to(choice, session, campaign)
    facts = build_facts(action, session, campaign)
    assert answer is not None
    assert answer.evidence == (OAR_ID,)
    assert (action.place.id, action.route) == ("mill", "up the road")
    assert facts.draft[0].startswith(("You ", "There ", "Back ", "The way", "It is"))
    assert "My brother's" in " ".join(facts.draft)
    after = ask(choice, session, campaign)
    assert (after.progress.place, after.progress.visits["mill"]) == ("mill", 2)
