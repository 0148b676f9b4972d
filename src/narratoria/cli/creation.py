"""Who the player is, asked for in the terminal where somebody sits there, and sensible where nobody does."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import click

from narratoria.campaign.campaign import Campaign, Template
from narratoria.engine.persona import Persona, create
from narratoria.errors import ContractViolation
from narratoria.terminal import is_terminal, visible


def persona_for(campaign: Campaign, *, preset: str | None, name: str | None) -> dict[str, Any]:
    """What the state holds of the player; ContractViolation with every problem of what was given."""
    template = campaign.template
    answers: dict[str, Any] = {}
    if preset:
        answers["preset"] = preset
    if name:
        answers["name"] = name
    if not answers and _has_questions(template) and is_terminal(sys.stdin) and is_terminal(sys.stdout):
        answers = _asked(template)
    made = create(template, answers)
    if not isinstance(made, Persona):
        raise ContractViolation(made)
    return made.as_state()


def _has_questions(template: Template) -> bool:
    return bool(
        template.presets
        or template.allowed_races
        or template.allowed_classes
        or template.allowed_backgrounds
        or template.required_attributes
    )


def _asked(template: Template) -> dict[str, Any]:
    """An empty answer is the default, everywhere."""
    if template.character_creation.guidance:
        click.echo(visible(template.character_creation.guidance))
    answers: dict[str, Any] = {}
    if template.presets:
        listed = [(each.name, each.description) for each in template.presets]
        only = template.character_creation.mode == "preset"
        answers["preset"] = _pick("Who are you?", listed, none="" if only else "somebody of your own")
    if answers.get("preset"):
        return answers
    answers["name"] = click.prompt("Your name", default="", show_default=False).strip()
    for key, question, among in (
        ("race", "What are you?", template.allowed_races),
        ("class", "What do you do?", template.allowed_classes),
        ("background", "Where do you come from?", template.allowed_backgrounds),
    ):
        if among:
            named = [(each.name, each.description) for each in among]
            answers[key] = _pick(question, named, none="no matter")
    attributes = {}
    for each in template.required_attributes:
        if each.name == "name":
            continue
        if each.kind == "choice":
            attributes[each.name] = _pick(each.prompt or each.name, [(o, "") for o in each.options], none="")
        else:
            attributes[each.name] = click.prompt(
                visible(each.prompt or each.name), default=each.default, show_default=bool(each.default)
            )
    return {**answers, "attributes": attributes}


def _pick(question: str, among: Sequence[tuple[str, str]], *, none: str) -> str:
    click.echo(f"\n{visible(question)}")
    for number, (name, description) in enumerate(among, 1):
        click.echo(f"  {number}  {visible(name)}{f': {visible(description)}' if description else ''}")
    if none:
        click.echo(f"  0  {none}")
    first = 0 if none else 1
    numbers = click.IntRange(first, len(among))
    chosen: int = click.prompt("", type=numbers, default=first, prompt_suffix="> ")
    return among[chosen - 1][0] if chosen else ""
