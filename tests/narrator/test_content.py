"""Content in words: what a deed, a text and a unit hold, who means to kill, and who is a child."""

from __future__ import annotations

import pytest

from narratoria import app, paths
from narratoria.contracts.content_limits import ContentLimits
from narratoria.narrator.content import (
    is_affection,
    is_child,
    means_to_kill,
    rate_action,
    rate_campaign,
    rate_text,
    rate_unit,
    words_beyond,
)
from narratoria.narrator.effect_types import Effect
from narratoria.narrator.repertoire import Unit


@pytest.mark.parametrize(
    "text",
    [
        *("I kill Pike", "murder the abbess", "stab him", "stabbing her twice", "slit his throat"),
        *("shoot her", "behead the king", "strangle the guard", "finish him", "poison her tea"),
    ],
)
def test_words_that_mean_to_kill_are_known(text: str) -> None:
    assert means_to_kill(text)


@pytest.mark.parametrize(
    "text",
    [
        *("slap him", "hit the guard", "push her over", "I don't kill him", "do not really kill her"),
        *("knock him out without killing him", "fight", "I attack"),
    ],
)
def test_words_that_only_mean_to_hurt_or_to_spare_mean_no_death(text: str) -> None:
    assert not means_to_kill(text)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I murder him", {"violence": "full"}),
        ("I kiss her", {"romance": "mild"}),
        ("drink a whisky", {"drink": "mild"}),
        ("summon the dead", {"fear": "mild"}),
        ("strike a match and wait a bit", {}),
        ("I refuse to kiss him", {}),
    ],
)
def test_a_deed_holds_what_its_verbs_say(text: str, content: dict[str, str]) -> None:
    assert rate_action(text) == content


def test_a_text_holds_what_any_of_its_words_say() -> None:
    assert rate_action("There is blood on the stair") == {}
    assert rate_text("There is blood on the stair") == {"violence": "mild"}


def test_a_hug_is_one_that_anybody_gives() -> None:
    assert is_affection("I hug my grandmother")
    assert not is_affection("I pull her close")


def unit(text: str = "Nothing much comes of it, and the day goes on.", **fields: object) -> Unit:
    values = {"id": "u", "acts": ("use",), "outcome": "none", "fact": "Nothing came of it."}
    return Unit(text=text, **{**values, **fields})  # type: ignore[arg-type]


def test_a_unit_is_rated_by_act_effect_world_and_words() -> None:
    acts = {"attack": {"violence": "mild"}, "use": {}}
    assert rate_unit(unit(), acts) == {}
    assert rate_unit(unit(acts=("attack",)), acts) == {"violence": "mild"}
    assert rate_unit(unit(acts=("attack", "use")), acts) == {}  # it also answers what is harmless
    assert rate_unit(unit(effects=(Effect("hurt", "person"),)), acts) == {"violence": "mild"}
    assert rate_unit(unit(effects=(Effect("dies", "person"),)), acts) == {"violence": "full"}
    assert rate_unit(unit(world=("horror",)), acts) == {"fear": "mild"}
    assert rate_unit(unit("He hands you a beer and a long look."), acts) == {"drink": "mild"}


def test_words_beyond_the_limits_are_listed_and_none_without_limits() -> None:
    assert words_beyond(ContentLimits()) == ()
    mild = words_beyond(ContentLimits(violence="mild"))
    assert "murder" in mild
    assert "slap" not in mild
    assert {"slap", "kiss", "beer"} <= set(words_beyond(ContentLimits(children=True)))


def test_a_rating_says_the_most_that_a_campaign_may_hold() -> None:
    assert rate_campaign("Everyone") == {}
    assert rate_campaign("Everyone 10+") == {"violence": "mild", "fear": "mild"}
    assert rate_campaign("Mature")["romance"] == "full"
    assert rate_campaign("") == {}


@pytest.mark.parametrize(
    ("age", "role", "appearance", "child"),
    [
        ("eleven or twelve", "Mudlark", "", True),
        ("14", "", "", True),
        ("17", "", "", True),
        ("18", "Errand boy", "", False),
        ("1,200", "", "", False),
        ("nine hundred years", "", "", False),
        ("", "A telegraph boy", "", True),
        ("", "Teacher of children", "", False),
        ("", "Mother of the girl", "", False),
        ("", "Thief", "Wim is a girl with straw in her hair.", True),
        ("", "Master", "She is small and upright, with white hair cropped like a boy's.", False),
    ],
)
def test_a_child_is_known_by_age_role_or_looks(age: str, role: str, appearance: str, child: bool) -> None:
    assert is_child(age=age, role=role, appearance=appearance, manners=()) is child


def test_a_childish_manner_is_a_childs() -> None:
    assert is_child(age="", role="", appearance="", manners=("curious", "childlike"))
    assert not is_child(age="", role="", appearance="", manners=("curious", "quick"))


def test_the_children_of_the_bundled_campaigns_are_known() -> None:
    children = {
        name
        for folder in paths.BUNDLED_CAMPAIGNS.iterdir()
        if folder.is_dir()
        for name, one in app.open_campaign(folder.name).people.items()
        if is_child(age=one.age, role=one.role, appearance=one.appearance, manners=one.personality.traits)
    }
    assert children == {"pike", "pell-oddy", "bea", "bryony-tuck"}
