"""Imports ink: the source as it is, with what it includes, once every line of it is understood."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePosixPath

from narratoria.campaign.importers.draft import ADVICE, ImportDraft, import_error, single_line
from narratoria.campaign.ink.story import InkStory, parse_ink
from narratoria.campaign.load import INK_STORY
from narratoria.errors import ContractViolation, Problem

LARGEST_FILE = 4 * 2**20  # bytes of one file of a story
MOST_ROUNDS = 20  # of leaving lines out
LEFT_OUT = "// left out: "
USED_TAGS = ("title", "author")
MOST_TAGS = 40  # that are listed, each with its lines
NO_USE = "tags stay in the story's file, and nothing is shown or played for them"
ReadFile = Callable[[str], "str | None"]


def read_ink(text: str, source: str, read_file: ReadFile = lambda _: None, *, leave_out: bool) -> ImportDraft:
    """Return the files of a campaign that plays an ink story; lines that are not understood are lost."""
    draft = ImportDraft()
    texts = {source: text}

    def read(name: str) -> str | None:
        if name == PurePosixPath(INK_STORY).name:
            return None  # the story itself will be called so
        if name not in texts and (found := read_file(name)) is not None:
            texts[name] = found
        return texts.get(name)

    story, problems = parse_ink(source, texts[source], read)
    for _ in range(MOST_ROUNDS if leave_out else 0):
        if not problems:
            break
        _leave_out(problems, texts, source, draft)
        story, problems = parse_ink(source, texts[source], read)
    if problems:
        raise ContractViolation([*problems, Problem(ADVICE, file=source)])
    beginning = story.begin(1)
    if not beginning.paragraphs and not beginning.choices:
        why = beginning.problem or "it says nothing and offers nothing"
        raise import_error(source, f"cannot be played: {why}; ink begins with text, or with “-> name”")
    for tag in story.tags:
        name, _, value = tag.partition(":")
        if name.strip().casefold() == "title":
            draft.title = single_line(value, 120)
        elif name.strip().casefold() == "author":
            draft.fields["author"] = single_line(value, 120)
    _list_tags(story, draft)
    draft.add_file(f"the story “{draft.title or source}”", INK_STORY, texts[source])
    for name in story.files[1:]:
        draft.add_file(f"INCLUDE {name}", f"plot/{name}", texts[name])
    return draft


def _list_tags(story: InkStory, draft: ImportDraft) -> None:
    """List the tags that nothing is made of: they are for the program that a story was written for."""
    used = {tag for tag in story.tags if tag.partition(":")[0].strip().casefold() in USED_TAGS}
    lines_by_tag: dict[str, list[str]] = {}
    for line, tag in story.program.tags_by_line:
        if tag not in used:
            file, own_line = story.locate(line)
            lines_by_tag.setdefault(tag, []).append(f"{file}:{own_line}")
    for tag, lines in list(lines_by_tag.items())[:MOST_TAGS]:
        more = f" and {len(lines) - 3} more" if len(lines) > 3 else ""
        draft.skip(f"the tag “# {single_line(tag, 60)}” ({', '.join(lines[:3])}{more})", NO_USE)
    if len(lines_by_tag) > MOST_TAGS:
        draft.skip(f"{len(lines_by_tag) - MOST_TAGS} other tags", NO_USE)


def _leave_out(problems: list[Problem], texts: dict[str, str], source: str, draft: ImportDraft) -> None:
    """Turn the lines that are not understood into comments, and list them."""
    for problem in problems:
        file = problem.file or source
        lines = texts.get(file, "").splitlines()
        if not 0 < problem.line <= len(lines) or lines[problem.line - 1].startswith(LEFT_OUT):
            continue
        line = lines[problem.line - 1]
        draft.skip(f"{file}:{problem.line}: “{single_line(line, 60)}”", problem.message)
        lines[problem.line - 1] = f"{LEFT_OUT}{line.replace('/*', '').replace('*/', '')}"
        texts[file] = "\n".join(lines) + "\n"


def read_beside(file: Path) -> ReadFile:
    """Return what reads the files beside a story, and in the folders below it."""
    folder = file.parent.resolve()

    def read(name: str) -> str | None:
        path = (folder / name).resolve()
        if not path.is_relative_to(folder) or not path.is_file() or path.stat().st_size > LARGEST_FILE:
            return None
        try:
            return path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError):
            return None

    return read
