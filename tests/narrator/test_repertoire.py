"""The repertoire: units are read, checked and picked by what they fit."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from narratoria.narrator.repertoire import (
    ANY_DEED,
    RESTED,
    Unit,
    UnitSituation,
    fill_slots,
    load_campaign_units,
    load_repertoire,
    measure_fit,
    parse_unit,
    person_slots,
    pick_unit,
    read_units,
    thing_slots,
)
from narratoria.planner.intent import load_act_kinds, load_acts

PROUD = {
    "act": "give", "outcome": "none", "who": {"manner": ["proud"], "feeling": "any"}, "thing": "carried",
    "text": "{short} takes {the thing} without a word.", "effects": [{"gives": "thing", "to": "person"}],
    "fact": "{name} took {the thing}.",
}  # fmt: skip
ANY = {**PROUD, "who": {"manner": ["any"], "feeling": "any"}, "text": "{short} nods at {the thing}."}
SLOTS = {
    **person_slots("Pike", "Pike", "he"),
    **thing_slots("bread", is_carried=True),
    "place": "the landing",
}
GIVE = UnitSituation("give", has_person=True, manners=frozenset(("proud",)), thing="carried", slots=SLOTS)


def units(*documents: dict[str, object]) -> tuple[object, ...]:
    return tuple(read_units("\n".join(json.dumps(one) for one in documents), "test"))


def test_a_unit_that_fits_the_manner_is_picked_before_one_for_anybody() -> None:
    picked = pick_unit(units(ANY, PROUD), GIVE, {}, 1, "seed")  # type: ignore[arg-type]
    assert picked is not None
    assert "without a word" in picked.text


def test_a_unit_that_was_used_lately_gives_way_to_one_that_was_not() -> None:
    both = units(ANY, PROUD)
    used = {both[1].id: 5}  # type: ignore[attr-defined]
    picked = pick_unit(both, GIVE, used, 6, "seed")  # type: ignore[arg-type]
    assert picked is not None
    assert "nods" in picked.text


def test_the_one_used_longest_ago_comes_again_where_all_were_used() -> None:
    both = units(PROUD, {**PROUD, "text": "{short} looks at {the thing} and keeps it."})
    used = {both[0].id: 9, both[1].id: 2}  # type: ignore[attr-defined]
    picked = pick_unit(both, GIVE, used, 10, "seed")  # type: ignore[arg-type]
    assert picked is both[1]
    assert RESTED > 10


def test_nothing_fits_an_act_that_has_no_unit() -> None:
    assert pick_unit(units(PROUD), UnitSituation("sing"), {}, 1, "seed") is None  # type: ignore[arg-type]


def test_slots_are_filled_with_verbs_that_agree() -> None:
    text = "{they} wait{s} and {have} {the thing}. {short} goes."
    assert fill_slots(text, SLOTS) == "He waits and has your bread. Pike goes."
    theirs = {**SLOTS, **person_slots("the crew", "the crew", "they")}
    assert fill_slots(text, theirs) == "They wait and have your bread. The crew goes."


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"effects": [{"gives": "thing", "wings": "person"}]}, "'wings' is not a detail"),
        ({"effects": [{"flies": "person"}]}, "an effect names one of"),
        ({"effects": [{"time": "an age"}]}, "'an age' is not a span of time"),
    ],
)
def test_a_wrong_unit_is_refused_with_its_file_and_line(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=r"test:1: .*" + message):
        units({**PROUD, **change})


def test_every_unit_that_ships_names_known_acts_and_has_its_own_id() -> None:
    repertoire = load_repertoire()
    assert {act for unit in repertoire for act in unit.acts} <= {*load_acts(), ANY_DEED}
    assert len({unit.id for unit in repertoire}) == len(repertoire)


@pytest.mark.parametrize(
    ("thing", "agreed"),
    [
        ("the rope", "it is, was and has what it holds and reaches"),
        ("ropes", "they are, were and have what it hold and reach"),
        ("a pair of gloves", "it is, was and has what it holds and reaches"),
        ("boots of the guard", "they are, were and have what it hold and reach"),
        ("glass", "it is, was and has what it holds and reaches"),
        ("lens", "it is, was and has what it holds and reaches"),
    ],
)
def test_verbs_agree_with_a_thing_whether_it_is_one_or_many(thing: str, agreed: str) -> None:
    text = "X {it} {is}, {was} and {has} what it hold{ts} and reach{tes}"
    assert fill_slots(text, thing_slots(thing)) == f"X {agreed}"


def test_no_unit_that_ships_says_is_or_was_of_a_thing_that_may_be_many() -> None:
    of_one = re.compile(
        r"(?<!of )(?<!for )\{(?:the |a )?thing\} (?:is|was|has|isn't|wasn't|hasn't)\b"
        r"|[Tt]here(?:'s| is| was) no \{thing\}"
    )
    written = [(unit.source, f"{unit.text} {unit.fact}") for unit in load_repertoire()]
    assert [(source, of_one.findall(text)) for source, text in written if of_one.search(text)] == []

    keys = {**person_slots("Pike", "Pike", "he"), **thing_slots("bright keys"), "place": "the landing"}
    assert any("There are no bright keys at the landing" in fill_slots(text, keys) for _, text in written)


def test_a_unit_with_an_ending_fits_people_called_they() -> None:
    unit = {**ANY, "text": "{short} wait{s} with {the thing}."}
    crew = {**SLOTS, **person_slots("the crew", "the crew", "they")}
    situation = UnitSituation("give", has_person=True, thing="carried", slots=crew)
    assert pick_unit(units(unit), situation, {}, 1, "seed") is not None  # type: ignore[arg-type]


def test_a_unit_for_something_said_before_is_not_used_for_what_is_new() -> None:
    said = {
        **PROUD,
        "act": "ask",
        "thing": None,
        "evidence": "again",
        "text": "{short} says it again: {quote}",
    }
    new = {**said, "evidence": "given", "text": "{short} says {quote}"}
    slots = {**SLOTS, "quote": "“No.”"}
    both = units(
        {k: v for k, v in said.items() if v is not None}, {k: v for k, v in new.items() if v is not None}
    )
    for evidence, first in (("again", 0), ("given", 1)):
        situation = UnitSituation(
            "ask", has_person=True, manners=frozenset(("proud",)), evidence=evidence, slots=slots
        )
        assert pick_unit(both, situation, {}, 1, "seed") is both[first]  # type: ignore[arg-type]


def test_a_unit_in_which_somebody_dies_answers_only_who_means_to_kill() -> None:
    blow = {
        "act": "attack",
        "outcome": "success",
        "who": {"manner": ["any"], "feeling": "any"},
        "text": "{short} goes down like a coat from its hook.",
        "fact": "The player struck {name} down.",
    }
    deadly = {**blow, "text": "{short} falls, and does not get up again.", "effects": [{"dies": "person"}]}
    hit = UnitSituation("attack", outcome="success", has_person=True, slots=SLOTS)
    for seed in range(20):
        picked = pick_unit(units(blow, deadly), hit, {}, 1, seed)  # type: ignore[arg-type]
        assert picked is not None
        assert not picked.is_deadly
    assert pick_unit(units(deadly), hit, {}, 1, "seed") is None  # type: ignore[arg-type]
    meant = replace(hit, is_deadly=True)
    assert pick_unit(units(deadly), meant, {}, 1, "seed") is not None  # type: ignore[arg-type]


def test_a_unit_that_drives_the_player_out_says_where_to_so_that_it_needs_a_neighbouring_place() -> None:
    units = [unit for unit in load_repertoire() if any(one.kind == "driven_out" for one in unit.effects)]

    assert len(units) >= 10
    assert all("{outside}" in unit.text for unit in units)


DEED = {
    "act": ANY_DEED,
    "outcome": "none",
    "who": None,
    "text": "{deed} It is soon done.",
    "fact": "The player did it.",
}
DOES = UnitSituation(
    ANY_DEED, slots={"deed": "You dance.", "try": "You try to dance.", "place": "the landing"}
)


def fit(document: dict[str, object], situation: UnitSituation) -> float | None:
    (unit,) = units(document)
    return measure_fit(unit, situation)  # type: ignore[arg-type]


def test_a_campaigns_unit_for_a_deed_comes_before_one_that_ships_for_its_kind(tmp_path: Path) -> None:
    own = {**DEED, "act": "dance", "text": "{deed} A curtain opens."}
    (tmp_path / "repertoire").mkdir()
    (tmp_path / "repertoire" / "anywhere.jsonl").write_text(json.dumps(own), encoding="utf-8")
    dancing = replace(DOES, act="dance", kind="dance/alone")

    for seed in range(20):
        picked = pick_unit((*load_repertoire(), *load_campaign_units(tmp_path)), dancing, {}, 1, seed)
        assert picked is not None
        assert "curtain" in picked.text


def test_a_light_unit_is_told_only_in_a_light_story_and_only_after_plain_ones() -> None:
    plain, light = DEED, {**DEED, "tone": "light", "text": "{deed} The moon applauds."}
    in_jest = replace(DOES, is_light=True)

    assert fit(light, DOES) is None
    assert fit(light, in_jest) is not None
    for seed in range(20):
        picked = pick_unit(units(light, plain), in_jest, {}, 1, seed)  # type: ignore[arg-type]
        assert picked is not None
        assert picked.tone == ""


def test_a_unit_that_tells_the_deed_comes_before_one_that_does_not() -> None:
    beside = {**DEED, "text": "A minute goes by at {place}."}

    for text in ("{deed} It is soon done.", "{try} It will not do."):
        told, untold = fit({**DEED, "text": text}, DOES), fit(beside, DOES)
        assert told is not None
        assert untold is not None
        assert told > untold


def test_a_unit_that_tells_the_deed_needs_one() -> None:
    assert fit(DEED, replace(DOES, slots={"place": "the landing"})) is None


def test_a_unit_for_who_is_alone_is_told_to_nobody_else() -> None:
    alone = {**DEED, "who": "nobody", "text": "{deed} Nobody is there to see it."}

    assert fit(alone, replace(DOES, is_alone=True)) is not None
    assert fit(alone, DOES) is None


def test_a_unit_that_lists_the_ways_needs_some() -> None:
    lost = {**DEED, "act": "go", "text": "There is no way there. You could go to {ways}."}

    assert fit(lost, UnitSituation("go", slots={})) is None
    assert fit(lost, UnitSituation("go", slots={"ways": "the inn"})) is not None


@pytest.mark.parametrize(
    ("text", "thing", "fits"),
    [
        ("There is no {thing} here.", "unknown", True),
        ("You look for it in vain.", None, True),
        ("{deed} It is soon done.", None, False),
        ("{deed} It works.", "known", False),
        ("{deed} It works.", "any", False),
    ],
)
def test_nothing_is_done_with_a_thing_that_is_not_there(text: str, thing: str | None, fits: bool) -> None:
    unit = {**DEED, "text": text, "thing": thing}
    absent = replace(DOES, thing="unknown", slots={**DOES.slots, **thing_slots("dragon")})

    assert (fit(unit, absent) is not None) is fits


def test_a_unit_that_denies_a_thing_is_not_for_one_that_is_there() -> None:
    denial = {**DEED, "text": "There is no {thing} here.", "thing": "unknown"}

    assert fit(denial, replace(DOES, thing="known", slots={**DOES.slots, **thing_slots("rope")})) is None


def test_who_means_to_kill_is_answered_by_a_death_before_a_blow() -> None:
    blow = {
        "act": "attack",
        "outcome": "success",
        "who": {"manner": ["proud"], "feeling": "any"},
        "text": "{short} goes down.",
        "fact": "The player struck {name} down.",
    }
    death = {
        **blow,
        "who": {"manner": ["any"], "feeling": "any"},
        "text": "{short} does not get up.",
        "effects": [{"dies": "person"}],
    }
    meant = UnitSituation(
        "attack",
        outcome="success",
        has_person=True,
        manners=frozenset(("proud",)),
        is_deadly=True,
        slots=SLOTS,
    )
    for seed in range(20):
        picked = pick_unit(units(blow, death), meant, {}, 1, seed)  # type: ignore[arg-type]
        assert picked is not None
        assert picked.is_deadly


def test_a_unit_without_anybody_is_worse_for_who_speaks_to_somebody_than_for_who_is_merely_seen() -> None:
    addressed = replace(DOES, has_person=True, is_addressed=True)
    seen = replace(DOES, has_person=True, is_addressed=False)

    told_to, told_beside = fit(DEED, addressed), fit(DEED, seen)
    assert told_to is not None
    assert told_beside is not None
    assert told_to < told_beside


@pytest.mark.parametrize(
    ("thing", "said"),
    [("keys", "They are old. You take them."), ("key", "It is old. You take it.")],
)
def test_a_thing_is_they_as_a_subject_and_them_as_an_object(thing: str, said: str) -> None:
    assert fill_slots("{it} {is} old. You take {it}.", thing_slots(thing)) == said


def test_most_units_are_for_any_story_and_any_deed_has_its_own() -> None:
    repertoire = load_repertoire()

    assert sum(unit.tone == "" for unit in repertoire) > len(repertoire) / 2
    assert {unit.tone for unit in repertoire} == {"", "light"}
    for_any_deed = [unit for unit in repertoire if ANY_DEED in unit.acts]
    telling = [unit for unit in for_any_deed if unit.tells_deed]
    assert min(sum(unit.who is not None for unit in telling), sum(unit.who is None for unit in telling)) >= 15
    # and some for deeds whose words cannot be told again
    assert {unit.who is None for unit in for_any_deed if not unit.tells_deed} == {True, False}
    assert not any(unit.tone for unit in for_any_deed)


LIE = {
    "act": "lie", "kind": "lie/illness", "outcome": "none", "who": {"manner": ["any"], "feeling": "any"},
    "text": "{short} feels your forehead and nods slowly.", "effects": [], "fact": "{name} believed it.",
}  # fmt: skip


def test_a_unit_of_the_kind_comes_before_one_for_the_act_and_answers_no_other_kind() -> None:
    both = units(LIE, {**LIE, "kind": "", "text": "{short} believes it, and says so at once."})
    situation = UnitSituation("lie", kind="lie/illness", has_person=True, slots=SLOTS)
    picked = pick_unit(both, situation, {}, 1, "seed")  # type: ignore[arg-type]
    assert picked is both[0]
    of_a_name = replace(situation, kind="lie/name")
    assert pick_unit(both, of_a_name, {}, 1, "seed") is both[1]  # type: ignore[arg-type]


def test_what_is_said_back_has_its_capital_only_where_speech_begins() -> None:
    slots = {**SLOTS, "matter": "my brother"}
    assert fill_slots("“{matter},” {they} say{s}. “Leave {matter} out.”", slots) == (
        "“My brother,” he says. “Leave my brother out.”"
    )
    assert fill_slots("“Who?” {they} ask{s}, “{matter}?”", slots) == "“Who?” he asks, “my brother?”"


def test_every_unit_of_a_kind_names_one_that_the_reader_knows() -> None:
    kinds = {unit.kind: unit.acts for unit in load_repertoire() if unit.kind}
    assert set(kinds) <= set(load_act_kinds())
    assert all(acts == (kind.partition("/")[0],) for kind, acts in kinds.items())
    assert set(load_act_kinds()) <= set(kinds)  # every kind has an answer of its own


def test_a_unit_that_claims_more_than_is_known_stands_behind_one_that_does_not() -> None:
    plain = parse_unit(
        {"act": "thank", "outcome": "none", "text": "{short} nods to you.", "fact": "Thanked."}, "a:1"
    )
    claiming = parse_unit(
        {
            "act": "thank",
            "outcome": "none",
            "text": "“My sister taught me.”",
            "fact": "Thanked.",
            "claims": True,
        },
        "a:2",
    )
    situation = UnitSituation(act="thank", slots={"short": "Ada"})
    assert pick_unit([plain, claiming], situation, {}, 1, "seed") == plain
    assert pick_unit([claiming], situation, {}, 1, "seed") == claiming


def test_a_unit_for_one_person_answers_for_them_before_any_other_and_for_nobody_else() -> None:
    own = units(
        {**ANY, "who": {"person": "osk"}, "text": "{short} reads {their} cuff, and takes {the thing}."}
    )
    every = (*units(ANY, PROUD), *own)
    for person, is_own in (("osk", True), ("pike", False)):
        picked = pick_unit(every, replace(GIVE, person=person), {}, 1, "seed")  # type: ignore[arg-type]
        assert picked is not None
        assert ("cuff" in picked.text) is is_own


def test_a_unit_is_told_only_while_its_flags_are_set_and_the_others_are_not() -> None:
    (unit,) = units({**ANY, "when": ["the lot has fallen"], "unless": ["Pike is safe"]})
    assert [
        unit.is_open(flags)  # type: ignore[attr-defined]
        for flags in (set(), {"the lot has fallen"}, {"the lot has fallen", "Pike is safe"})
    ] == [False, True, False]


def test_the_better_graded_unit_is_told_first() -> None:
    good, poor = fit({**DEED, "grade": 8}, DOES), fit({**DEED, "grade": 4}, DOES)
    assert good is not None
    assert poor is not None
    assert good > poor


SOFT_KINDS = (  # what anybody has an answer of their own to
    "ask/absurd",
    "ask/advice",
    "ask/belief",
    "ask/doing-now",
    "ask/dreams",
    "ask/favourite",
    "ask/fears",
    "ask/feeling-today",
    "ask/figures",
    "ask/future",
    "ask/in-my-place",
    "ask/opinion-of-affair",
    "ask/opinion-of-me",
    "ask/opinion-of-person",
    "ask/permission",
    "ask/price",
    "ask/what-time",
)
PUTTING_OFF = re.compile(  # what is said instead of an answer
    r"[Aa]sk me (?:again|when|another|some)|another (?:time|day)|[Tt]ell me first|[Ff]irst tell me|"
    r"what do I get|"
    r"[Cc]ome back when you have|You first\b|know (?:you|each other) better|[Nn]ot yet[.”,]|in exchange"
)


def own_units() -> list[Unit]:
    return [unit for unit in load_repertoire() if unit.evidence == "own"]


def test_questions_about_oneself_have_answers_of_every_kind_in_different_manners() -> None:
    by_kind: dict[str, list[Unit]] = {}
    for unit in own_units():
        by_kind.setdefault(unit.kind, []).append(unit)

    kinds = {kind for kind in load_act_kinds() if kind.startswith("ask/")}
    assert kinds | {""} == set(by_kind)
    for_anybody = {
        kind: [one for one in units if one.who and one.who.manner == ("any",)]
        for kind, units in by_kind.items()
    }
    assert [kind for kind in by_kind if not for_anybody[kind]] == []
    for kind in SOFT_KINDS:
        manners = {manner for unit in by_kind[kind] if unit.who for manner in unit.who.manner}
        assert len(by_kind[kind]) >= 8, kind
        assert len(manners) >= 6, kind


def test_nobody_bargains_or_puts_off_a_question_about_themselves() -> None:
    assert [unit.source for unit in own_units() if PUTTING_OFF.search(unit.text)] == []


def test_no_two_answers_about_oneself_begin_alike() -> None:
    openings: dict[str, str] = {}
    alike = []
    for unit in own_units():
        words = " ".join(re.findall(r"\w+", re.sub(r"\{[^{}]*\}", "", unit.text).casefold())[:6])
        if openings.setdefault(f"{unit.kind} {words}", unit.source) != unit.source:
            alike.append((openings[f"{unit.kind} {words}"], unit.source))
    assert alike == []


def test_what_an_author_lets_one_person_withhold_comes_before_what_anybody_says() -> None:
    ask = {
        **ANY,
        "act": "ask",
        "thing": "any",
        "evidence": "own",
        "text": "“Bread,” says {short}.",
        "effects": [],
    }
    withheld = {
        **ask,
        "evidence": "withheld",
        "kind": "ask/family",
        "who": {"person": "pike"},
        "text": "Pike only turns his hat round.",
    }
    anybodys, own = units(ask, withheld)
    situation = UnitSituation(
        "ask", kind="ask/family", has_person=True, person="pike", evidence="own", slots=SLOTS
    )
    assert pick_unit((anybodys, own), situation, {}, 1, "seed") is own  # type: ignore[arg-type]
    price = replace(situation, kind="ask/price")  # of which nobody is silent
    assert pick_unit((anybodys, own), price, {}, 1, "seed") is anybodys  # type: ignore[arg-type]
    assert pick_unit((anybodys, own), replace(situation, person="osk"), {}, 1, "seed") is anybodys  # type: ignore[arg-type]


def test_where_nobody_is_nobody_else_speaks_or_acts() -> None:
    seen = {"act": "take", "outcome": "none", "text": "The owner says “Hey!” and no more.", "fact": "F."}
    alone = {"act": "take", "outcome": "none", "text": "Nobody keeps you from it.", "fact": "F."}
    both = units(seen, alone)

    def pick_all(situation: UnitSituation) -> set[str]:
        picked = [pick_unit(both, situation, {}, turn, "seed") for turn in range(20)]  # type: ignore[arg-type]
        return {unit.text for unit in picked if unit}

    assert pick_all(UnitSituation("take", is_alone=True, slots=SLOTS)) == {alone["text"]}
    assert pick_all(UnitSituation("take", slots=SLOTS)) == {seen["text"], alone["text"]}


def test_a_success_with_an_accusation_makes_nobody_guilty() -> None:
    """Who did what is for the author to say."""
    confessions = ("I did it", "I had a part in it", "it's so.", "You were right", "as good as an admission")
    for unit in load_repertoire():
        if "accuse" in unit.acts and unit.outcome in ("success", "partial") and not unit.person:
            assert not any(one in unit.text for one in confessions), unit.source
