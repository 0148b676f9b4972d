"""What has happened since one last spoke with somebody, and who of them knows of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from tests.engine.small_story import beat, begin, person, play, situation, story

from narratoria.campaign.campaign import (
    Beat,
    BeatOutcome,
    Campaign,
    Conditions,
    Effects,
    ProfileChange,
    ProfileMetadata,
)
from narratoria.engine.answer_context import answer_intents
from narratoria.engine.effects import patch_state
from narratoria.engine.happenings import (
    MOST_ACTS,
    find_happening,
    note_exchange,
    state_of_thing,
)
from narratoria.engine.reading import Understanding
from narratoria.engine.scene import Choice
from narratoria.engine.snapshot import PlayerAct, Progress
from narratoria.narrator.answer_request import Answer
from narratoria.narrator.effect_types import Effect, mark_burnt
from narratoria.narrator.phrase_memory import remember_phrases
from narratoria.planner.intent import Intent, Mention
from narratoria.state import SessionState

ADA = Mention("Ada", "ada", "Ada")
TALK = Intent(act="talk", text="Talk to Ada", person=ADA)
OFFER = Conditions(player_choice="Give the lamp to Bo")
GIFT = beat("gift", OFFER, npcs=("ada",), location="mill")


def after(*beats: Beat, campaign: Campaign | None = None, flags: tuple[str, ...] = (), **others: Any) -> Any:
    tale = campaign or story(*beats)
    progress = Progress(
        place="mill",
        scene=4,
        beat_outcomes=dict.fromkeys((one.id for one in beats), others.pop("outcome", "")),
        beat_scenes={one.id: 2 + at for at, one in enumerate(beats)},
        **others,
    )
    return situation(tale, progress, frozenset(flags))


def clause(who: str, at: Any, intent: Intent = TALK) -> str:
    happening = find_happening(who, at, intent)
    return f"{happening.by}: {happening.clause}" if happening else ""


def test_who_took_part_has_seen_it_and_who_was_elsewhere_knows_nothing() -> None:
    assert clause("ada", after(GIFT)) == "seen: you gave the lamp to Bo"
    assert (
        clause("bo", after(beat("gift", Conditions(player_choice="Give Ada the lamp"), npcs=("ada",)))) == ""
    )


def test_what_was_done_with_the_speaker_is_their_own() -> None:
    given = beat("gift", Conditions(player_choice="Give Ada the lamp"), npcs=("ada",))
    assert clause("ada", after(given)) == "own: you gave me the lamp"


def test_who_stood_by_has_seen_what_was_done_in_the_open_and_not_what_was_hidden() -> None:
    opened = beat("box", Conditions(player_choice="Open the box"))
    hidden = beat("box", Conditions(player_choice="Open the box while nobody looks"))
    assert clause("ada", after(opened, witnesses={"box": ("ada",)})) == "seen: you opened the box"
    assert clause("ada", after(hidden, witnesses={"box": ("ada",)})) == ""
    assert clause("ada", after(opened)) == ""


def test_who_thinks_worse_of_it_knows_of_what_was_hidden() -> None:
    hidden = beat(
        "box",
        Conditions(player_choice="Open the box while nobody looks"),
        effects=Effects(perception={"ada": -5}),
    )
    assert clause("ada", after(hidden)) == "seen: you opened the box while nobody looks"


def test_a_faction_whose_opinion_changes_has_heard_of_it() -> None:
    bo = msgspec.structs.replace(
        person("Bo", "inn"), metadata=ProfileMetadata(first_appearance="inn", faction="guild")
    )
    deed = beat(
        "box",
        Conditions(player_choice="Open the box"),
        effects=Effects(reputation={"guild": 5}),
        npcs=("ada",),
    )
    tale = with_bo(story(deed), bo)
    assert clause("bo", after(deed, campaign=tale)) == "heard: you opened the box"


def with_bo(tale: Campaign, bo: Any) -> Campaign:
    """Return the campaign with another Bo."""
    return replace(tale, people={**tale.people, "bo": bo})


def test_an_attempt_that_failed_is_spoken_of_as_one() -> None:
    risky = beat(
        "well",
        Conditions(player_choice="Climb down the well"),
        npcs=("ada",),
        outcomes=(BeatOutcome("failure", "No."), BeatOutcome("success", "Yes.")),
    )
    assert clause("ada", after(risky, outcome="failure")) == "seen: you tried to climb down the well"
    assert clause("ada", after(risky, outcome="success")) == "seen: you climbed down the well"


def test_what_others_were_asked_is_nobodys_business() -> None:
    asked = beat("asked", Conditions(player_choice="Ask Bo about the ice"))
    assert clause("ada", after(asked, witnesses={"asked": ("ada",)})) == ""
    own = beat("asked", Conditions(player_choice="Ask Ada about the ice"), npcs=("ada",))
    assert clause("ada", after(own)) == "own: you asked me about the ice"


def test_everybody_knows_the_weather_while_it_is_so_and_new() -> None:
    ice = beat("ice", consequences=("the ice has come",))
    assert clause("ada", after(ice, flags=("the ice has come",))) == "heard: the ice has come"
    assert clause("ada", after(ice)) == ""  # it has thawed
    late = after(ice, flags=("the ice has come",))
    progress = msgspec.structs.replace(late.progress, scene=30)
    assert clause("ada", situation(late.campaign, progress, frozenset({"the ice has come"}))) == ""


def test_how_the_weather_ended_is_said_before_that_it_came() -> None:
    thaw = BeatOutcome("thaw", "It thaws.", probability=1.0, consequences=("the ice has gone",))
    ice = beat("ice", consequences=("the ice has come",), outcomes=(thaw,))
    flags = ("the ice has come", "the ice has gone")
    assert clause("ada", after(ice, flags=flags, outcome="thaw")) == "heard: the ice has gone"


@pytest.mark.parametrize("flag", ["ice_came", "Ada has lost her words", "ice"])
def test_a_flag_that_nobody_could_say_is_not_said(flag: str) -> None:
    assert clause("ada", after(beat("ice", consequences=(flag,)), flags=(flag,))) == ""


@pytest.mark.parametrize(
    "flag", ["you have seen who comes to the mill at night", "Bo has asked you what you would do"]
)
def test_what_the_player_has_come_to_know_or_was_asked_is_nobodys_news(flag: str) -> None:
    assert clause("ada", after(beat("night", consequences=(flag,)), flags=(flag,))) == ""


def test_news_is_brought_once_and_not_by_everybody_in_turn() -> None:
    flag = "the thaw has bought a few days"
    thaw = beat("thaw", consequences=(flag,))
    said = remember_phrases({}, ["“The thaw has bought a few days. I had it from everybody,” says Bo."], 3)
    before = remember_phrases({}, ["“The thaw has bought a few days. I had it from everybody,” says Bo."], 1)
    assert clause("ada", after(thaw, flags=(flag,), used_sentences=before)) == f"heard: {flag}"
    assert clause("ada", after(thaw, flags=(flag,), used_sentences=said)) == ""


def test_what_one_has_only_heard_is_news_for_a_few_scenes() -> None:
    guild = msgspec.structs.replace(story().people["bo"], metadata=ProfileMetadata(faction="guild"))
    opened = beat("box", Conditions(player_choice="Open the box"), effects=Effects(reputation={"guild": 5}))
    tale = replace(story(opened), people={**story().people, "bo": guild})
    lately = after(opened, campaign=tale)
    assert clause("bo", lately) == "heard: you opened the box"
    progress = msgspec.structs.replace(lately.progress, scene=30)
    assert clause("bo", situation(tale, progress)) == ""


def test_nobody_repeats_by_hearsay_what_an_author_lets_others_speak_of() -> None:
    tale = story(GIFT)
    guild = msgspec.structs.replace(tale.people["bo"], metadata=ProfileMetadata(faction="guild"))
    tale = replace(tale, people={**tale.people, "bo": guild})
    plain = beat("box", Conditions(player_choice="Open the box"), effects=Effects(reputation={"guild": 5}))
    written = msgspec.structs.replace(plain, remarks={"ada": "You opened it."})
    assert clause("bo", after(plain, campaign=replace(tale, beats=(plain,)))) == "heard: you opened the box"
    assert clause("bo", after(written, campaign=replace(tale, beats=(written,)))) == ""


def test_the_weightiest_comes_first_and_nothing_older_than_the_last_exchange() -> None:
    light = beat("light", Conditions(player_choice="Open the box"), npcs=("ada",), priority="low")
    heavy = beat("heavy", Conditions(player_choice="Break the mill"), npcs=("ada",), priority="critical")
    assert clause("ada", after(heavy, light)) == "seen: you broke the mill"
    assert clause("ada", after(heavy, light, spoken={"ada": 3})) == "seen: you opened the box"
    assert clause("ada", after(heavy, light, spoken={"ada": 4})) == ""


def test_what_the_player_speaks_of_is_not_brought_up() -> None:
    words = Intent(act="tell", text="tell Ada that I gave the lamp to Bo", person=ADA)
    assert clause("ada", after(GIFT), words) == ""


def test_what_the_author_wrote_is_said_by_whom_it_was_written_for() -> None:
    written = beat(
        "box",
        Conditions(player_choice="Open the box"),
        npcs=("ada",),
        remarks={"bo": "I heard the lid from here."},
    )
    happening = find_happening("bo", after(written), TALK)
    assert happening is not None
    assert happening.speech == "I heard the lid from here."


def test_who_has_become_another_knows_nothing_of_what_was_before() -> None:
    lost = beat("lost", consequences=("Ada is lost",), npcs=("ada",))
    tale = story(GIFT, lost)
    ada = msgspec.structs.replace(
        tale.people["ada"], changes=(ProfileChange(flag="Ada is lost", role="nobody"),)
    )
    changed = replace(tale, people={**tale.people, "ada": ada})
    assert clause("ada", after(GIFT, lost, campaign=changed)) == "seen: you gave the lamp to Bo"
    assert clause("ada", after(GIFT, lost, campaign=changed, flags=("Ada is lost",))) == ""


def exchange(act: str, effects: tuple[Effect, ...], **others: Any) -> Progress:
    intent = Intent(act=act, text=f"{act} it", person=ADA if others.pop("to", True) else None)
    answer = Answer(text="It is done.", fact="", source="unit:x", effects=effects)
    return note_exchange([intent], answer, "mill", Progress(place="mill", scene=3), story())


@pytest.mark.parametrize(
    ("act", "effect", "deed"),
    [
        ("give", Effect("gives", "lamp", to="ada"), PlayerAct(3, "gave", "gave Ada the lamp", ("ada",))),
        ("promise", Effect("promises", "ada"), PlayerAct(3, "promised", "gave Ada your word", ("ada",))),
        ("attack", Effect("hurt", "ada"), PlayerAct(3, "hurt", "hurt Ada", ("ada",))),
        ("insult", Effect("dislikes", "ada", by=5), PlayerAct(3, "wronged", "insulted Ada", ("ada",))),
        ("burn", Effect("loses", "letter"), PlayerAct(3, "broke", "burnt the letter", ("ada",))),
    ],
)
def test_effects_are_kept_as_deeds_with_who_saw_them(act: str, effect: Effect, deed: PlayerAct) -> None:
    assert exchange(act, (effect,)).player_acts == (deed,)


def test_a_gift_is_spoken_of_by_whoever_got_it_once() -> None:
    progress = exchange("give", (Effect("gives", "lamp", to="ada"),))
    assert progress.spoken == {"ada": 3}
    assert clause("ada", situation(story(), progress)) == "own: you gave me the lamp"
    later = msgspec.structs.replace(progress, scene=5, spoken={"ada": 5})
    assert clause("ada", situation(story(), later)) == ""


def test_nobody_knows_of_a_theft_that_was_not_noticed() -> None:
    assert exchange("steal", (Effect("takes", "purse"),)).player_acts == ()
    assert exchange("steal", (Effect("dislikes", "ada", by=5),)).player_acts == (
        PlayerAct(3, "wronged", "took what was not yours", ("ada",)),
    )


def test_an_attack_is_no_exchange_and_deeds_are_forgotten_in_the_end() -> None:
    assert exchange("attack", ()).spoken == {}
    progress = Progress(
        place="mill", scene=3, player_acts=tuple(PlayerAct(at, "gave", "x") for at in range(MOST_ACTS))
    )
    answer = Answer(text="", fact="", source="", effects=(Effect("promises", "ada"),))
    kept = note_exchange([TALK], answer, "mill", progress, story()).player_acts
    assert len(kept) == MOST_ACTS
    assert kept[-1].kind == "promised"


def test_who_was_there_when_a_beat_was_set_off_is_kept() -> None:
    tale = story(GIFT)
    session = play(begin(tale), Choice(text="Give the lamp to Bo", kind="beat", beat="gift"), tale)
    assert session.progress.witnesses == {"gift": ("ada",)}


def test_an_answer_begins_with_it_and_keeps_what_it_answers() -> None:
    thanks = Intent(act="thank", text="thank Ada", person=ADA)
    understanding = Understanding(intents=(thanks,), evidence=((),))
    here = story(GIFT).places["mill"]
    plain = answer_intents(understanding, after(GIFT, spoken={"ada": 4}), here, [""], seed="1")[""]
    answer = answer_intents(understanding, after(GIFT), here, [""], seed="1")[""]
    first, rest = answer.text.split("\n\n", 1)
    assert "ou gave the lamp to Bo" in first
    assert rest == plain.text
    assert answer.fact == plain.fact
    assert answer.parts[0].source == "happening:gift"


def test_who_is_talked_to_and_has_nothing_else_to_say_says_that_alone() -> None:
    understanding = Understanding(intents=(TALK,), evidence=((),))
    answer = answer_intents(understanding, after(GIFT), story(GIFT).places["mill"], [""], seed="1")[""]
    assert "ou gave the lamp to Bo" in answer.text
    assert "\n" not in answer.text
    assert answer.fact == "The player talked with Ada."


@pytest.mark.parametrize("act", ["attack", "examine"])
def test_who_is_not_spoken_to_says_nothing_first(act: str) -> None:
    understanding = Understanding(intents=(Intent(act=act, text=f"{act} Ada", person=ADA),), evidence=((),))
    answers = answer_intents(understanding, after(GIFT), story(GIFT).places["mill"], ["success"], seed="1")
    assert "gave the lamp" not in answers["success"].text


def test_a_burnt_letter_is_looked_at_as_burnt_and_a_broken_lamp_as_broken() -> None:
    effects = (*mark_burnt((Effect("loses", "letter"),), "burn"), Effect("breaks", "lamp"))
    state = SessionState({}).apply_patch(patch_state(effects, {}, place="mill", scene=2)).to_dict()
    assert state_of_thing("the letter", state) == "burnt"
    assert state_of_thing("lamp", state) == "broken"
    assert state_of_thing("box", state) == ""
    look = Intent(act="examine", text="look at the letter", thing=Mention("letter", "letter", "letter"))
    at = situation(story(), Progress(place="mill", scene=3), state=state)
    answer = answer_intents(
        Understanding(intents=(look,), evidence=((),)), at, story().places["mill"], [""], seed="1"
    )[""]
    assert any(word in answer.text for word in ("burnt", "fire has left"))
