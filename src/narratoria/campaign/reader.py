"""Reads the files of a campaign as values, and reports with its place what cannot be read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import msgspec

from narratoria import contracts
from narratoria.campaign.campaign import Provenance
from narratoria.campaign.folder import MAX_DOCUMENT, MAX_PROSE, Folder, generated_name, is_generated_name
from narratoria.campaign.pages import Page, read_page
from narratoria.campaign.problems import CampaignProblem, error, from_problem, sort_problems
from narratoria.contracts.json_pointer import SourceOffsets, line_and_column, locate_pointers
from narratoria.contracts.read import JsonFault, read_json
from narratoria.errors import ContractViolation
from narratoria.store.validation import check_provenance

T = TypeVar("T")

UNKNOWN_KEY = " is not a known key"  # what a contract says of it; told, and passed over
# msgspec says "… - at `$.beats[2].priority`"; a place in the document is a pointer everywhere else
MSGSPEC_PLACE = re.compile(r" - at `\$(?P<path>[^`]*)`$")


class Reader:
    """Reads each file once, and collects values, problems and provenance."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.problems: list[CampaignProblem] = list(folder.problems)
        self.generated: dict[str, Provenance] = {}
        self.pages: dict[str, Page] = {}
        self.texts: dict[str, str] = {}  # of JSON documents, to find places in
        self.files_read: set[str] = set()

    def report(self, problem: CampaignProblem) -> None:
        self.problems.append(problem)

    def has(self, file: str) -> bool:
        return file in self.folder.files

    def own_or_generated(self, file: str) -> str:
        """Return the author's file, else the generated one beside it, else an empty name."""
        own, generated = file, generated_name(file)
        if self.has(own):
            if self.has(generated):
                self.files_read.add(generated)
                self.check_generated_beside(generated)
            return own
        return generated if self.has(generated) else ""

    def check_generated_beside(self, file: str) -> None:
        """Check that a generated file which the author has replaced still states its provenance."""
        if file.endswith(".md"):
            self.page(file)
        elif (text := self._text(file, MAX_DOCUMENT)) is not None:
            self._check_origin(file, _as_object(text))

    # documents

    def document(self, file: str, contract: str, kind: type[T]) -> tuple[T, dict[str, Any]] | None:
        """Return the file as a value and as a document; None for one that breaks its contract."""
        self.files_read.add(file)
        text = self._text(file, MAX_DOCUMENT)
        if text is None:
            return None
        try:
            _, document = read_json(text)
        except JsonFault as fault:
            place = line_and_column(fault.text, fault.offset)
            self.report(error("json", fault.message, file, "", *place))
            return None
        self.texts[file] = text
        problems = [
            from_problem(problem, "warning", "unknown-key")
            if UNKNOWN_KEY in problem.message
            else from_problem(problem, "error", "schema")
            for problem in contracts.check(contract, text, file=file)
        ]
        self.problems += problems
        self._check_origin(file, document if isinstance(document, dict) else {})
        if any(problem.is_error for problem in problems):
            return None
        try:
            return msgspec.convert(document, kind), document
        except msgspec.ValidationError as refused:  # such as a number that is too large for one
            match = MSGSPEC_PLACE.search(str(refused))
            pointer = re.sub(r"[.\[\]]+", "/", match["path"]).rstrip("/") if match else ""
            self.report(error("schema", MSGSPEC_PLACE.sub("", str(refused)), file, pointer))
            return None

    # pages

    def plain_text(self, file: str) -> str | None:
        """Return the text of a file; None for one that is not there or cannot be read."""
        if not self.has(file):
            return None
        self.files_read.add(file)
        return self._text(file, MAX_PROSE)

    def page(self, file: str) -> Page | None:
        if file in self.pages:
            return self.pages[file]
        self.files_read.add(file)
        text = self._text(file, MAX_PROSE)
        if text is None:
            return None
        page = read_page(text)
        self.pages[file] = page
        if page.unreadable:
            of = page.unreadable.problem
            self.report(error("front-matter", of.message, file, "", of.line, of.column))
        else:
            marks = {**page.fields}
            if isinstance(marks.get("generated"), str):
                marks["generated"] = marks["generated"].lower() in ("true", "yes")
            self._check_origin(file, marks, line=page.lines.get("provenance", page.lines.get("generated", 1)))
        return page

    def plain(self, file: str) -> str | None:
        self.files_read.add(file)
        return self._text(file, MAX_PROSE)

    def _text(self, file: str, most: int) -> str | None:
        size = self.folder.files[file]
        if size > most:
            message = f"is {size / 2**20:,.1f} MiB large, and at most {most // 2**20} are read; divide it"
            self.report(error("too-large", message, file))
            return None
        try:
            content = (self.folder.root / file).read_bytes()
        except OSError as reason:
            self.report(error("unreadable", f"cannot be read ({reason.strerror})", file))
            return None
        return self._decoded(content, file)

    def _decoded(self, content: bytes, file: str) -> str | None:
        if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
            self.report(error("encoding", "is UTF-16; save it as UTF-8", file, "", 1, 1))
            return None
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as reason:
            before = content[: reason.start].decode("utf-8-sig", errors="replace")
            place = line_and_column(before, len(before))
            message = f"byte 0x{content[reason.start]:02x} is not UTF-8; save it as UTF-8"
            if b"\0" in content:
                message = "holds binary data; a text is expected"
            self.report(error("encoding", message, file, "", *place))
            return None
        if "\0" in text:
            place = line_and_column(text, text.index("\0"))
            self.report(error("encoding", "holds binary data; a text is expected", file, "", *place))
            return None
        return text.replace("\r\n", "\n")

    # who wrote it

    def _check_origin(self, file: str, document: Mapping[str, Any], *, line: int = 0) -> None:
        marked = document.get("generated") is True
        if is_generated_name(file) and not marked:
            where = "`generated: true` in its front matter" if file.endswith(".md") else '`"generated": true`'
            message = f"is called generated and does not say so; add {where} and its provenance, or rename it"
            self.report(error("unmarked", message, file, "", line or 1, 1))
            return
        self.record_provenance(file, "", document, line=line)

    def record_provenance(self, file: str, pointer: str, part: Mapping[str, Any], *, line: int = 0) -> None:
        """Record the provenance of a file or a part of it, and report what is wrong with it."""
        if part.get("generated") is not True and part.get("provenance") is None:
            return
        try:
            check_provenance(part)
        except ContractViolation as violation:
            for problem in violation.problems:
                at = pointer + (problem.pointer or ("/provenance" if "provenance" in part else "/generated"))
                at = at if file in self.texts else ""
                self.report(error("provenance", problem.message, file, at, line, int(line > 0)))
            return
        if part.get("generated") is True:
            fields = {name: str(part["provenance"].get(name) or "") for name in Provenance.__struct_fields__}
            self.generated[f"{file}#{pointer}" if pointer else file] = Provenance(**fields)

    # what was found

    def located_problems(self) -> tuple[CampaignProblem, ...]:
        """Return the problems in order, with lines and columns for those that only have a pointer."""
        pointers_by_file: dict[str, set[str]] = {}
        for problem in self.problems:
            if not problem.line and problem.pointer and problem.file in self.texts:
                pointers_by_file.setdefault(problem.file, set()).update(_ways_up(problem.pointer))
        offsets = {
            file: locate_pointers(self.texts[file], pointers) for file, pointers in pointers_by_file.items()
        }
        return sort_problems(
            self._with_place(problem, offsets.get(problem.file, {})) for problem in self.problems
        )

    def _with_place(self, problem: CampaignProblem, offsets: Mapping[str, SourceOffsets]) -> CampaignProblem:
        place_offsets = next((offsets[at] for at in _ways_up(problem.pointer) if at in offsets), None)
        if problem.line or place_offsets is None:
            return problem
        line, column = line_and_column(self.texts[problem.file], place_offsets.value)
        return replace(problem, line=line, column=column)


def _ways_up(pointer: str) -> Iterator[str]:
    """Yield the pointer and its parents: a missing member is placed at what should hold it."""
    while pointer:
        yield pointer
        pointer = pointer.rpartition("/")[0]


def _as_object(text: str) -> dict[str, Any]:
    try:
        _, document = read_json(text)
    except JsonFault:
        return {}
    return document if isinstance(document, dict) else {}
