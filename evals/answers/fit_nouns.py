"""Counts which words are nouns, by how players and authors use them: `python -m evals.answers.fit_nouns`.

A word is taken for a noun where it stands after an article or a possessive and ends its phrase, more often
than it stands there before another word. The list goes to `planner/data/nouns.json`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
TARGET = Path("src/narratoria/planner/data/nouns.json")
LEAST, SHARE = 3, 0.35  # times that a word ends its phrase, and of the times that it follows an article
NO_NOUNS = frozenset(  # that stand there all the same
    (
        *(
            "all",
            "once",
            "fit",
            "together",
            "somewhere",
            "red",
            "one",
            "ones",
            "other",
            "others",
            "same",
            "very",
        ),
        *(
            "lot",
            "way",
            "only",
            "last",
            "first",
            "next",
            "best",
            "worst",
            "rest",
            "more",
            "most",
            "least",
            "few",
        ),
        *("little", "big", "old", "new", "right", "left", "back", "whole", "hell", "fuck", "damn", "thing"),
        *("things", "bit", "moment", "second", "minute", "while", "kind", "sort", "hears", "hangs", "real"),
        "both",
    )
)
_PHRASE = re.compile(
    r"\b(?:the|a|an|my|your|our|every)\s+"
    r"(?:[a-z]+(?:ed|y|ish|al|ic|en|ous|ful)\s+)?([a-z]{3,})\b"
    r"(\s*(?:[.,;:?!)”\"]|$|(?:of|in|on|at|to|with|from|for|by|is|was|are|were|and|or|has|had|under|over|into|"
    r"behind|beside|near|until|before|after|that|who|which|where)\b))?"
)


def read_texts() -> Iterator[str]:
    """Yield everything that was written for fitting, and the campaigns and units that ship."""
    for name in ("intents-fit", "typed-fit", "kinds-fit"):
        for line in (HERE / "cases" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            yield from row.get("examples", ()) or (row.get("text", ""),)
    for pattern in ("src/narratoria/bundled/campaigns/**/*.md", "src/narratoria/bundled/campaigns/**/*.json"):
        yield from (path.read_text(encoding="utf-8") for path in sorted(Path().glob(pattern)))
    for path in sorted(Path("src/narratoria/narrator/repertoire_data").glob("*.jsonl")):
        yield re.sub(r"\{[^}]*\}", " ", path.read_text(encoding="utf-8"))


def main() -> None:
    ends: Counter[str] = Counter()
    uses: Counter[str] = Counter()
    for text in read_texts():
        for match in _PHRASE.finditer(text.casefold()):
            uses[match[1]] += 1
            ends[match[1]] += match[2] is not None
    nouns = sorted(
        word
        for word, count in ends.items()
        if count >= LEAST and count >= SHARE * uses[word] and word not in NO_NOUNS
    )
    TARGET.write_text(json.dumps({"nouns": " ".join(nouns)}, indent=1) + "\n", encoding="utf-8")
    print(len(nouns), "nouns")


if __name__ == "__main__":
    main()
