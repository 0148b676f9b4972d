"""Chooses the worked examples that a model reads once per story, by the tone of the campaign."""

from __future__ import annotations

import json
import re
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FILE = Path(__file__).with_name("examples.jsonl")
ENDED = {
    "success": "It succeeds.",
    "partial": "It succeeds in part: name the small price that it has.",
    "failure": "It fails, and the failure changes the situation.",
}
TONE_WEIGHT = 3  # of a word in genre and tone, beside one in the setting
_WORD = re.compile(r"[a-z]{4,}")


def choose_examples(facts: dict[str, Any], many: int) -> list[str]:
    """Return worked examples in the words of a brief: from the worlds most like this one."""
    rows = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    campaign = facts.get("campaign")
    about = campaign if isinstance(campaign, dict) else {}
    tone = _words(f"{about.get('genre') or ''} {about.get('tone') or ''}")
    setting = _words(str(about.get("setting") or ""))
    likeness = {
        row["setting"]: TONE_WEIGHT * len(tone & _words(row["setting"]))
        + len(setting & _words(f"{row['setting']} {row['place']}"))
        for row in rows
    }
    order = sorted(range(len(rows)), key=lambda at: (-likeness[rows[at]["setting"]], at))
    return [write_example(rows[at]) for at in order[:many]]


def write_example(row: dict[str, Any]) -> str:
    """Return one example: the brief, then what is told, the fact and what may come next."""
    people = [
        f"{one['name']} ({one.get('role', '')}; {one.get('manner', '')}), {one.get('feels', 'neutral')}."
        + (f" {one['name']}'s voice: “{one['says']}”" if one.get("says") else "")
        for one in row["people"]
    ]
    names = ", ".join(one["name"] for one in row["people"])
    parts = [
        f"## The world\n{row['setting']}",
        f"## Just now\n{row['before']}",
        f"## Place\n{row['place']}",
        "\n".join(["## Who is here", *people]) if people else "",
        "\n".join(["## Known about this", *(f"- {one}" for one in row["evidence"])])
        if row["evidence"]
        else "",
        f"## The player does\n{row['action']}",
        "\n".join(
            [
                "## Decided",
                *([f"- {ENDED[row['outcome']]}"] if row["outcome"] in ENDED else ()),
                f"- Here: {names}." if names else "- Nobody else is here.",
            ]
        ),
        "\n".join(["## Possible next", *(f"{at}: {one}" for at, one in enumerate(row["possible"], 1))]),
        row["answer"],
        f"TRUE NOW: {row['fact']}\nNEXT:\n" + "\n".join(_choice(one) for one in row["next"]),
    ]
    return "\n\n".join(part for part in parts if part)


def _choice(one: dict[str, Any]) -> str:
    return f"{'new' if one['of'] is None else one['of'] + 1}: {one['text']}"


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
