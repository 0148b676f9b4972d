"""`python -m evals.voices.notes [--show]`: are notes said in the first person as somebody would say them?

The cases are the notes of campaigns that were once said wrongly, with what was read to be right: a broken
sentence, another's deed or thing, a “they” that is “we”. Nothing said counts apart: it is never wrong, but
where something could be said it is missing.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from narratoria.narrator.first_person import Pronoun
from narratoria.narrator.own_account import Teller, as_own_account, names_of
from narratoria.narrator.own_tie import as_own_tie

CASES = Path(__file__).parent / "cases" / "notes.jsonl"


class NoteCase(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """A note of an author, and how its owner says it; empty where nothing can be said safely."""

    id: str
    kind: Literal["account", "tie"]
    note: str
    who: Pronoun
    name: str
    said: str
    rivals: tuple[str, ...] = ()  # others of whom the same pronoun is used
    others: tuple[str, ...] = ()  # and those of whom another is
    other_name: str = ""
    other_who: Pronoun | None = None

    def speak(self) -> str:
        if self.kind == "tie":
            return as_own_tie(self.note, self.who, self.name, self.other_who, self.other_name)
        teller = Teller(names_of(self.name), self.who, frozenset(self.rivals), frozenset(self.others))
        return as_own_account(self.note, teller)


class NoteResult(msgspec.Struct, frozen=True):
    case: NoteCase
    spoken: str

    @property
    def is_right(self) -> bool:
        return self.spoken == self.case.said

    @property
    def is_wrong(self) -> bool:
        return bool(self.spoken) and not self.is_right


def load_cases() -> list[NoteCase]:
    return [msgspec.json.decode(line, type=NoteCase) for line in CASES.read_bytes().splitlines() if line]


def measure() -> list[NoteResult]:
    return [NoteResult(case, case.speak()) for case in load_cases()]


def report(results: Sequence[NoteResult]) -> str:
    wrong = sum(one.is_wrong for one in results)
    missing = sum(not one.spoken and bool(one.case.said) for one in results)
    right = len(results) - wrong - missing
    share = f"{right} of {len(results)} notes said rightly ({right / len(results):.0%})"
    return f"{share}, {wrong} wrongly, {missing} not"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.voices.notes", description=__doc__)
    parser.add_argument(
        "--show", action="store_true", help="print what is said wrongly, and what it should be"
    )
    show = parser.parse_args(arguments).show
    results = measure()
    print(report(results))
    for one in results if show else ():
        if not one.is_right:
            print(f"  {one.case.id}\n    {one.spoken or '(nothing)'}\n    {one.case.said or '(nothing)'}")


if __name__ == "__main__":
    main()
