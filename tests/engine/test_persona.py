"""Who the player is: made from a template, or every problem with the answers."""

from __future__ import annotations

from typing import Any

import pytest

from narratoria.campaign.campaign import Attribute, Creation, Preset, Template, Trait, Window
from narratoria.engine.persona import NAMELESS, Persona, create

TEMPLATE = Template(
    character_creation=Creation(mode="guided"),
    allowed_races=(Trait("Otter", traits=("wet",), stats={"wit": 1}),),
    allowed_classes=(Trait("Thief", abilities=("pick locks",), items=("lockpick",)),),
    presets=(Preset("Mara", race="Otter", character_class="Thief", traits=("proud",), stats={"wit": 4}),),
    required_attributes=(Attribute("fear", kind="choice", options=("fire", "dark"), default="dark"),),
    optional_attributes=(Attribute("age", kind="number"),),
    starting_stats={"wit": 2, "might": 2},
    stat_points=3,
    stat_range=Window(min=0, max=5),
    starting_items=("coat",),
)


def made(**answers: Any) -> Persona:
    persona = create(TEMPLATE, answers)
    assert isinstance(persona, Persona), persona
    return persona


def test_whoever_answers_nothing_is_somebody_all_the_same() -> None:
    assert create(Template()) == Persona(name=NAMELESS)
    nobody = made()
    assert (nobody.stats, nobody.items, nobody.attributes) == (
        {"wit": 2, "might": 2},
        ("coat",),
        {"fear": "dark"},
    )


def test_what_is_chosen_adds_up() -> None:
    persona = made(name=" Ada  B. ", race="otter", **{"class": "Thief"}, stats={"wit": 4, "might": 3})
    assert persona.name == "Ada B."
    assert persona.stats == {"wit": 5, "might": 3}
    assert persona.traits == ("wet",)
    assert persona.abilities == ("pick locks",)
    assert persona.items == ("coat", "lockpick")


def test_a_preset_is_ready_and_may_be_given_another_name() -> None:
    mara = made(preset="mara")
    assert (mara.name, mara.race, mara.stats["wit"]) == ("Mara", "Otter", 4)
    assert mara.traits == ("proud", "wet")
    assert made(preset="mara", name="Ada").name == "Ada"


def test_a_campaign_with_presets_alone_is_played_by_the_first_of_them() -> None:
    only = Template(character_creation=Creation(mode="preset"), presets=TEMPLATE.presets)
    persona = create(only)
    assert isinstance(persona, Persona)
    assert persona.name == "Mara"


def test_all_problems_are_told_at_once() -> None:
    problems = create(
        TEMPLATE,
        {
            "preset": "Nobody",
            "name": "x" * 300,
            "race": "Badger",
            "stats": {"wit": 9, "luck": 1},
            "attributes": {"fear": "clowns", "age": "old", "shoe": "left"},
        },
    )
    assert isinstance(problems, list)
    assert {problem.pointer for problem in problems} == {
        "/preset",
        "/name",
        "/race",
        "/stats/wit",
        "/stats/luck",
        "/stats",
        "/attributes/fear",
        "/attributes/age",
        "/attributes/shoe",
    }
    assert "there are fire, dark" in str(next(p for p in problems if p.pointer == "/attributes/fear"))


@pytest.mark.parametrize("answers", [{"name": 3}, {"stats": "all"}, {"hat": "red"}])
def test_answers_of_another_form_are_a_problem_too(answers: dict[str, Any]) -> None:
    assert isinstance(create(TEMPLATE, answers), list)


def test_what_is_kept_in_the_state_has_a_name() -> None:
    assert Persona().as_state() == {"name": NAMELESS}
