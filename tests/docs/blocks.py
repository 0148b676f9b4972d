"""The fenced blocks of all pages, for the tests that see to it that each of them is run or checked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
_BLOCK = re.compile(r"(?:`([\w./-]+)`:\n\n)?^(`{3,})([^\n]*)\n(.*?)^\2$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    page: str  # in the repository
    line: int
    language: str
    name: str  # of the file that it shows, if it is one
    text: str

    @property
    def kind(self) -> str:
        return (
            "make" if not self.language and re.search(r"^make ", self.text, re.MULTILINE) else self.language
        )

    def __str__(self) -> str:
        return f"{self.page}:{self.line} ({self.language or 'no language'})"


def pages() -> list[Path]:
    beside = [REPOSITORY / name for name in ("README.md", "CONTRIBUTING.md")]
    readmes = [REPOSITORY / folder / "README.md" for folder in ("examples", "benchmarks", "evals")]
    docs = [page for page in (REPOSITORY / "docs").rglob("*.md") if ".template." not in page.name]
    return [*beside, *readmes, *sorted(docs)]


def blocks_of(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    name = page.relative_to(REPOSITORY).as_posix()
    for found in _BLOCK.finditer(text):
        line = text.count("\n", 0, found.start(2)) + 1
        yield Block(name, line, found[3].strip(), found[1] or "", found[4])


def all_blocks() -> list[Block]:
    return [block for page in pages() for block in blocks_of(page)]


def named(page: str, language: str) -> list[str]:
    """The texts of a page's blocks in a language."""
    return [block.text for block in blocks_of(REPOSITORY / page) if block.language == language]
