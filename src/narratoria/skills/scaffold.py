"""Creates a new skill to begin with: small, complete and valid."""

from __future__ import annotations

import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path
from string import Template

from narratoria import contracts
from narratoria.errors import ContractViolation, Problem

TEMPLATE = Path(__file__).parent / "template"


@dataclass(frozen=True, slots=True)
class Language:
    """Describes the first script of a new skill in one language."""

    source: str
    ending: str
    does: str = "Greets whom the input names, as often as it asks."
    usage: str = "`who` in its input is the person's name; `times` says how often, from 1 to 10."


LANGUAGES = {
    "python": Language("python.py", ".py"),
    "bash": Language("bash.sh", ".sh", "Greets everybody there.", "It needs no input."),
    "node": Language("node.mjs", ".mjs"),
}


def create_skill(name: str, language: str, into: Path) -> Path:
    """Create a skill of this name in a folder of this name; raise ContractViolation if it cannot be."""
    _check_name(name)
    folder = into / name
    chosen = LANGUAGES[language]
    file = f"greet{chosen.ending}"
    words = {
        "name": name,
        "title": name.replace("-", " ").strip().title() or name,
        "script": "greet",
        "file": file,
        "does": chosen.does,
        "usage": chosen.usage,
    }
    try:
        if folder.exists() or folder.is_symlink():
            raise _cannot(folder, "is there already; choose another name, or another --dir")
        into.mkdir(parents=True, exist_ok=True)
        draft = into / f".{name}-{secrets.token_hex(4)}"
        try:
            _write(draft, words, TEMPLATE / "scripts" / chosen.source, file)
            draft.rename(folder)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    except OSError as error:
        raise _cannot(folder, f"cannot be written: {error.strerror or error}") from error
    return folder


def _write(draft: Path, words: dict[str, str], source: Path, file: str) -> None:
    (draft / "scripts").mkdir(parents=True)
    for template in sorted(path for path in TEMPLATE.iterdir() if path.is_file()):
        text = Template(template.read_text(encoding="utf-8")).substitute(words)
        (draft / template.name).write_text(text, encoding="utf-8")
    script = draft / "scripts" / file
    script.write_bytes(source.read_bytes())
    script.chmod(0o755)


def _check_name(name: str) -> None:
    schema = contracts.load("skill-manifest")["properties"]["name"]
    if problems := contracts.Contract(schema).check_value(name):
        raise ContractViolation([Problem(f"{problem.message}; choose such a name") for problem in problems])


def _cannot(path: Path, reason: str) -> ContractViolation:
    return ContractViolation([Problem(reason, file=str(path))])
