"""The card to read: in the terminal, as a page, and its headlines for the README; all from the same data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from evals.scorecard.card import Card, Result, Run, State
from evals.scorecard.rows import GROUPS, ROOT, Group

PAGE = ROOT / "docs" / "scorecard.md"
README = ROOT / "README.md"
BEGIN, END = "<!-- scorecard: written by `make scorecard` -->", "<!-- /scorecard -->"
MARKS: dict[State, str] = {
    "pass": "pass",
    "other reading": "*by another reading*",
    "miss": "**miss**",
    "not measured": "not measured",
}


def line(result: Result) -> str:
    """One row, for the terminal."""
    remarks = "".join(f" [{remark}]" for remark in (result.why, result.reading) if remark)
    told = f"{result.measured or '–'}{remarks}"
    return f"{result.id:<7}{result.state:<14} {result.what} ({result.target}) · {told}"


def counts(card: Card) -> Iterator[str]:
    for group, title in GROUPS.items():
        found = card.counts(group)
        yield f"{title}: " + ", ".join(f"{many} {state}" for state, many in found.items())


def page(card: Card) -> str:
    parts = [
        INTRODUCTION,
        "\n".join(f"- {told}" for told in counts(card)),
        *headed("In short", headlines(card)),
    ]
    for group, title in GROUPS.items():
        parts += [f"## {title}", table(card, group)]
    parts += ["## What is behind each row", commands(card), "## The runs", runs(card)]
    return "\n\n".join(parts) + "\n"


INTRODUCTION = """# Scorecard

Written by `make scorecard` from `scorecard.json` beside it; nobody edits it. A row passes when everything
that it names was measured and holds in the specification's own words. A row that holds by another reading
says which, and is counted apart. A row of which something does not hold in play is a miss, whatever was
measured. A row that could not be measured says why, and is no pass. Times depend on the machine and on what
else it did: the runs are at the end, each with its load."""


def headed(title: str, lines: list[str]) -> list[str]:
    return [f"## {title}", "\n".join(f"- {each}" for each in lines)] if lines else []


def table(card: Card, group: Group) -> str:
    rows = [result for result in card.rows if result.group == group]
    head = ["| id | what | target | measured | |", "| --- | --- | --- | --- | --- |"]
    return "\n".join([*head, *map(_cells, rows)])


def _cells(result: Result) -> str:
    remarks = [f"*{remark}*" for remark in (*_reasons(result), result.reading) if remark]
    told = "<br>".join(part for part in (*result.measured.split("; "), *remarks) if part)
    cells = (result.id, result.what, result.target, told, MARKS[result.state])
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _reasons(result: Result) -> list[str]:
    """Return why a row is no pass, without the figures that stand in it anyway."""
    return [reason for reason in result.why.split("; ") if reason not in result.measured.split("; ")]


def commands(card: Card) -> str:
    lines = ["| id | command | run |", "| --- | --- | ---: |"]
    for result in card.rows:
        told = "<br>".join(f"`{_short(command)}`" for command in result.commands)
        lines.append(f"| {result.id} | {told or '–'} | {'–' if result.run is None else result.run + 1} |")
    return "\n".join(lines)


def _short(command: str) -> str:
    """Tests by their files: which of them, traceability.toml says."""
    words = [word.partition("::")[0] for word in command.split()]
    return " ".join(dict.fromkeys(words)) if "pytest" in words else command


def runs(card: Card) -> str:
    return "\n".join(f"{number}. {_run(run)}" for number, run in enumerate(card.runs, 1)) or "None yet."


def _run(run: Run) -> str:
    told = "; ".join(f"{key}: {value}" for key, value in run.machine.items())
    return (
        f"{told}; load before it {run.load_before:.2f}, after it {run.load_after:.2f}; "
        f"{run.rows} rows in {run.seconds / 60:.0f} minutes"
    )


# headlines


def headlines(card: Card) -> list[str]:
    """Only of what was measured."""
    told = [_criteria(card)]
    if others := [
        _share_met(card, group) for group in ("beyond", "speed") if any(card.counts(group).values())
    ]:
        told.append("beside them, " + " and ".join(others))
    for template, names in HEADLINES:
        found = [card.figure(name) for name in names]
        if all(found):
            told.append(template.format(*(figure.text for figure in found if figure)))
    return told


def _criteria(card: Card) -> str:
    """Count the criteria that hold as they are written; what holds by another reading is not among them."""
    rows = [row for row in card.rows if row.group == "seeds"]
    seeds = card.counts("seeds")
    missed = [row.id for row in rows if row.state == "miss"]
    parts = [
        f"**{seeds['pass']} of {len(rows)}** success criteria met in the specification's own words",
        f"{seeds['other reading']} by another reading that their rows state",
        f"{seeds['miss']} missed" + (f" ({', '.join(missed)})" if missed else ""),
        f"{seeds['not measured']} not measured",
    ]
    dates = sorted({card.runs[row.run].machine["date"] for row in rows if row.run is not None})
    when = f"; measured {' to '.join(dict.fromkeys((dates[0], dates[-1])))}" if dates else ""
    return ", ".join(parts) + when


def _share_met(card: Card, group: Group) -> str:
    found = card.counts(group)
    return f"{found['pass']} of {sum(found.values())} rows met in “{GROUPS[group].lower()}”"


HEADLINES = (
    (
        "**never blank**: {0} with {1} at every layer; what went wrong: {2}",
        ("never-blank/turns", "never-blank/faults", "never-blank/failures"),
    ),
    (
        "**the right skills** for {0} of *typed* actions that no planner was fitted on; "
        "picked choices are planned by rule, and not measured",
        ("planning/right skills, all rows that no fit saw",),
    ),
    (
        "**finding memories**: recall@5 {0}, beside {1} for BM25 and {2} for plain cosine",
        (
            "retrieval/held-out, recall@5, ours",
            "retrieval/held-out, recall@5, BM25 alone",
            "retrieval/held-out, recall@5, cosine alone",
        ),
    ),
    ("**the first page**: {0}, nothing from anywhere else", ("first-page/the first page",)),
)


def with_headlines(readme: str, card: Card) -> str:
    """The README with what is between the two marks written anew; ValueError where they are not there."""
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"README.md has no place for the headlines; it needs the lines {BEGIN} and {END}")
    lines = "\n".join(f"- {each}" for each in headlines(card))
    return f"{before}{BEGIN}\n{lines}\n\nAll of it: [the scorecard](docs/scorecard.md).\n{END}{after}"


def write_readme(card: Card, file: Path = README) -> None:
    file.write_text(with_headlines(file.read_text(encoding="utf-8"), card), encoding="utf-8")
