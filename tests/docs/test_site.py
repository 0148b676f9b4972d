"""The site: every link leads somewhere, every page can be come to, and nothing is fetched from elsewhere."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from tests.docs.blocks import REPOSITORY

GENERATOR = REPOSITORY / "docs" / "website"


@dataclass
class Found(HTMLParser):
    """What a page links, what it loads, and the anchors it has."""

    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)
    words: str = ""

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "a":
            self.links.append(given["href"])
        elif tag in ("img", "script", "link"):
            self.loaded.append(given.get("src") or given["href"])
        if "id" in given:
            self.anchors.append(given["id"])

    def handle_data(self, data: str) -> None:
        self.words += data


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    made = subprocess.run([sys.executable, GENERATOR, folder], capture_output=True, text=True, check=False)
    assert (made.returncode, made.stderr) == (0, "")
    return folder


@pytest.fixture(scope="module")
def read(site: Path) -> dict[Path, Found]:
    pages = {}
    for path in site.rglob("*.html"):
        pages[path] = Found()
        pages[path].feed(path.read_text(encoding="utf-8"))
    return pages


def test_every_page_of_the_documentation_is_there(site: Path, read: dict[Path, Found]):
    docs = REPOSITORY / "docs"
    for page in docs.rglob("*.md"):
        if ".template." not in page.name:
            made = site / page.relative_to(docs).with_suffix(".html")
            title = page.read_text(encoding="utf-8").partition("# ")[2].partition("\n")[0].replace("`", "")
            assert title in read[made].words


def test_every_link_and_every_anchor_leads_somewhere(read: dict[Path, Found]):
    broken = []
    for page, found in read.items():
        for link in (*found.links, *found.loaded):
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            anchor = unquote(parts.fragment)
            if not target.is_file() or (anchor and anchor not in read[target].anchors):
                broken.append(f"{page.name}: {link}")
    assert broken == []


def test_every_page_can_be_come_to_from_the_first(site: Path, read: dict[Path, Found]):
    seen, waiting = set(), [site / "index.html"]
    while waiting:
        page = waiting.pop()
        if page in seen or page not in read:
            continue
        seen.add(page)
        paths = (urlsplit(link) for link in read[page].links)
        waiting += [(page.parent / unquote(part.path)).resolve() for part in paths if not part.scheme]
    assert set(read) - seen == set()


def test_nothing_is_loaded_from_elsewhere_and_no_anchor_stands_twice(site: Path, read: dict[Path, Found]):
    for page, found in read.items():
        assert [address for address in found.loaded if urlsplit(address).scheme] == [], page
        assert len(found.anchors) == len(set(found.anchors)), page
    assert "http" not in (site / "style.css").read_text(encoding="utf-8")


def test_a_link_that_leads_nowhere_is_told_and_makes_it_fail(tmp_path: Path):
    repository = tmp_path / "repository"
    for name in (
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        *(f"{one}/README.md" for one in ("examples", "benchmarks", "evals")),
    ):
        (repository / name).parent.mkdir(parents=True, exist_ok=True)
        (repository / name).write_text("# A page\n", encoding="utf-8")
    for name in ("docs/website", "web/src/styles", "web/public"):
        (repository / name).parent.mkdir(parents=True, exist_ok=True)
        (repository / name).symlink_to(REPOSITORY / name)
    words = (
        "# First\n\n[so](#first) [not so](#second) [nor so](gone.md) [out](../../secret.txt) ![no](no.png)\n"
    )
    (repository / "docs" / "index.md").write_text(words, encoding="utf-8")
    copied = repository / "docs" / "generator"
    copied.mkdir()
    for file in GENERATOR.iterdir():
        if file.is_file():
            (copied / file.name).write_bytes(file.read_bytes())

    made = subprocess.run(
        [sys.executable, copied, tmp_path / "site"], capture_output=True, text=True, check=False
    )

    assert made.returncode == 1
    assert made.stderr.splitlines() == [
        "docs/index.md: #second: there is no such heading",
        "docs/index.md: gone.md: there is no such file",
        "docs/index.md: ../../secret.txt: there is no such file",
        "docs/index.md: no.png: there is no such file",
    ]
