"""The kits are whole: enough of everything, no slot without a value, nothing that their world excludes."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from itertools import combinations
from typing import Any

import msgspec
import pytest

from narratoria.campaign.enrich.kits import START, Kit, load_kit
from narratoria.campaign.enrich.premise import kinds_of_world
from narratoria.campaign.lore import sentences
from narratoria.contracts import Contract

DATA = files("narratoria.campaign.enrich").joinpath("data")
KINDS = tuple(kinds_of_world())
SLOT = re.compile(r"\{(\w+)")
NOUNS = {"home", "thing", "me", "event"}


def texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for item in value.values() for text in texts(item)]
    if isinstance(value, list | tuple):
        return [text for item in value for text in texts(item)]
    return [value] if isinstance(value, str) else []


def sentences_of(kit: Kit) -> set[str]:
    """Return the sentences of a kit without what fills them in; very short ones are anybody's."""
    found = (
        re.sub(r"\{[^}]*\}", "", one) for text in texts(msgspec.to_builtins(kit)) for one in sentences(text)
    )
    return {plain for sentence in found if len((plain := " ".join(sentence.split())).split()) > 5}


@pytest.mark.parametrize("kind", KINDS)
def test_a_kit_matches_its_schema(kind):
    schema = json.loads(DATA.joinpath("kit.schema.json").read_text(encoding="utf-8"))
    content = DATA.joinpath(f"kits/{kind}.json").read_text(encoding="utf-8")
    assert Contract(schema).check(content, file=f"{kind}.json") == ()


@pytest.mark.parametrize("kind", KINDS)
def test_a_kit_has_enough_of_everything(kind):
    kit = load_kit(kind)
    assert len(kit.places) >= 7
    assert len(kit.plots) >= 1
    assert len(kit.named) >= 2
    assert sum(len(plot.people) for plot in kit.plots) >= 4
    for plot in kit.plots:
        assert len(plot.people) >= 4
        assert len([beat for beat in plot.beats if not beat.ending]) >= 5
        assert len(plot.endings) >= 3
        assert {beat.ending for beat in plot.beats} - {""} == set(plot.endings)
        for person in plot.people.values():
            assert person.want
            assert person.secret
            assert len(person.says) >= 2
            assert len(person.topics) >= 2


@pytest.mark.parametrize("kind", KINDS)
def test_every_name_in_a_kit_is_known_there(kind):
    kit = load_kit(kind)
    places = {START, *(place.id for place in kit.places)}
    for plot in kit.plots:
        known = NOUNS | set(plot.people)
        assert {slot for text in texts(msgspec.to_builtins(plot)) for slot in SLOT.findall(text)} <= known
        assert {beat.at for beat in plot.beats} | {one.at for one in plot.people.values()} <= places
        ids = {beat.id for beat in plot.beats}
        assert all(set(beat.after) <= ids and set(beat.people) <= set(plot.people) for beat in plot.beats)
        assert {line.beat for line in plot.epilogue} <= ids
    for number, named in enumerate(kit.named):
        slots = {slot for text in texts(msgspec.to_builtins(named)) for slot in SLOT.findall(text)}
        assert slots <= NOUNS | {"xy"[number]}
    frames = {slot for text in kit.hearsay for slot in SLOT.findall(text)}
    assert frames <= NOUNS | {"p", "noun", "sentence"}


@pytest.mark.parametrize("kind", KINDS)
def test_every_pronoun_in_a_kit_can_be_written(kind):
    forms = set(re.findall(r"\{[a-z]\.(\w+)\}", " ".join(texts(msgspec.to_builtins(load_kit(kind))))))
    assert {form.casefold() for form in forms} <= {"they", "them", "their", "theirs", "self"}


@pytest.mark.parametrize("kind", KINDS)
def test_every_ground_in_a_kit_is_one_of_its_world(kind):
    kit, grounds = load_kit(kind), set(kinds_of_world()[kind].grounds)
    assert {ground for seed in (*kit.places, *kit.plots) for ground in seed.grounds} <= grounds
    for ground in grounds:
        suited = [place for place in kit.places if not place.grounds or ground in place.grounds]
        assert len(suited) >= 6
        assert any(not plot.grounds or ground in plot.grounds for plot in kit.plots)


@pytest.mark.parametrize("kind", KINDS)
def test_a_kit_says_nothing_that_its_world_excludes(kind):
    excluded = re.compile(
        r"\b(?:" + "|".join(map(re.escape, kinds_of_world()[kind].excludes)) + r")\b", re.IGNORECASE
    )
    assert [text for text in texts(msgspec.to_builtins(load_kit(kind))) if excluded.search(text)] == []


def test_no_two_kits_share_a_sentence():
    by_kind = {kind: sentences_of(load_kit(kind)) for kind in KINDS}
    for one, other in combinations(KINDS, 2):
        assert by_kind[one] & by_kind[other] == set(), f"{one} and {other}"


@pytest.mark.parametrize("kind", KINDS)
def test_no_two_plots_of_a_kit_share_a_person_or_a_beat(kind):
    for one, other in combinations(load_kit(kind).plots, 2):
        looks = ({person.look for person in plot.people.values()} for plot in (one, other))
        beats = ({beat.text for beat in plot.beats} for plot in (one, other))
        assert set.intersection(*looks) == set()
        assert set.intersection(*beats) == set()
