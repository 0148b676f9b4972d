#!/usr/bin/env python3
"""Tells what counts for and against a choice, and how likely it is to succeed."""

from __future__ import annotations

from _choice_modifiers import UNLIKELY, unique, weigh_choice
from _choice_odds import read_rules
from _choice_scene import ChoiceScene

from narratoria import sdk

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any


def main(request: sdk.Request) -> dict[str, Any]:
    given = request.input
    choice = read_choice(given["choice"] if given.get("choice") is not None else given.get("action"))
    scene = ChoiceScene(request)
    scene.remember()
    weighed = weigh_choice(choice, scene, read_rules(request.input.get("rules")))
    counted = weighed.pop("modifiers")
    modifiers = [{"name": one["name"], "value": one["value"], "because": one["because"]} for one in counted]
    word = UNLIKELY if weighed["difficulty"] == "unlikely" else weighed["difficulty"]
    return {
        "choice": choice["text"],
        **weighed,
        "modifiers": modifiers,
        "because": unique([*(choice.get("because") or ()), *(one["receipt"] for one in counted)]),
        "summary": f"{word}: {round(100 * weighed['chance'])} in 100 with {weighed['formula']}",
    }


def read_choice(given: Any) -> dict[str, Any]:
    choice = {"text": given} if isinstance(given, str) else given
    if not isinstance(choice, dict) or not isinstance(choice.get("text"), str) or not choice["text"].strip():
        raise sdk.InvalidInput("choice", "expected a text, or an object with one")
    because = choice.get("because")
    return {**choice, "because": because if isinstance(because, list) else []}


if __name__ == "__main__":
    sdk.run(main)
