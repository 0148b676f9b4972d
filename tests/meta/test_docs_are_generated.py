"""The reference pages are what the contracts and the code say, and their examples are valid."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from narratoria import contracts

REPOSITORY = Path(__file__).parents[2]
REFERENCE = REPOSITORY / "docs" / "reference"
EXAMPLE = re.compile(r"^```json( mctl)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def generate(docs: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(docs / "generate.py"), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_committed_pages_are_up_to_date():
    done = generate(REPOSITORY / "docs", "--check")

    assert (done.stdout, done.returncode) == ("", 0)


def test_a_page_that_was_edited_by_hand_is_noticed(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "generate.py").write_bytes((REPOSITORY / "docs" / "generate.py").read_bytes())
    (docs / "page.template.md").write_text("At most <!-- limit max_depth --> levels.\n", encoding="utf-8")
    assert generate(docs).returncode == 0
    page = docs / "page.md"
    assert page.read_text(encoding="utf-8").endswith("At most 100 levels.\n")

    page.write_text("At most 99 levels.\n", encoding="utf-8")

    checked = generate(docs, "--check")
    assert (checked.returncode, checked.stdout) == (1, "docs/page.md is not up to date; run `make docs`\n")


def test_every_example_of_the_protocol_reference_fits_a_contract():
    text = (REFERENCE / "tool-protocol.md").read_text(encoding="utf-8")
    examples = EXAMPLE.findall(text)

    assert len(examples) >= 12
    for mctl, example in examples:
        names = ("mctl-event",) if mctl else ("tool-event", "tool-request", "mctl-request")
        assert any(not contracts.check(name, example) for name in names), example


def test_the_reference_names_every_failure_code_of_the_dialects():
    text = (REFERENCE / "tool-protocol.md").read_text(encoding="utf-8")
    codes = set()
    for path in (REPOSITORY / "src" / "narratoria" / "protocol" / "dialects").glob("*_v*.py"):
        source = path.read_text(encoding="utf-8")
        codes |= set(re.findall(r'"([A-Z]+_[A-Z_]+|CRASHED|TIMEOUT)"', source))

    assert {"TIMEOUT", "MISSING_DONE", "INVALID_LINE", "CRASHED"} <= codes
    assert [code for code in sorted(codes) if f"`{code}`" not in text] == []


def _without_code(page: Path) -> str:
    """What a page says itself; the files that it shows have links of their own."""
    fenced = re.sub(r"^(`{3,}).*?^\1$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]+`", "", fenced)


def test_links_between_pages_lead_somewhere():
    broken = [
        f"{page.name} → {target}"
        for page in (REPOSITORY / "docs").rglob("*.md")
        for target in re.findall(r"\]\(([^)#:]+\.md)(?:#[^)]*)?\)", _without_code(page))
        if not (page.parent / target).exists()
    ]

    assert broken == []
