"""Imports Twee 3 and published pages of Twine: the story as it is, once every macro in it is understood."""

from __future__ import annotations

from collections.abc import Callable

from narratoria.campaign.importers.draft import ADVICE, ImportDraft, import_error, single_line
from narratoria.campaign.importers.twine_page import read_twine_page
from narratoria.campaign.load import TWEE_STORY
from narratoria.campaign.twee.story import LEFT_OUT, parse_twee
from narratoria.errors import ContractViolation, Problem


def read_twine(text: str, source: str, *, leave_out: bool) -> ImportDraft:
    """Return the files of a campaign that plays the story of a published page."""
    page = read_twine_page(text, source)
    return read_twee(page.twee, source, page.line_in_page, leave_out=leave_out)


def read_twee(
    text: str, source: str, line_of: Callable[[int], int] = lambda line: line, *, leave_out: bool
) -> ImportDraft:
    """Return the files of a campaign that plays a Twine story; what is not understood is refused by line.

    `line_of` returns the line that an author knows a line of the text by.
    """
    draft = ImportDraft()
    parsed = parse_twee(source, text)
    if parsed.problems and leave_out:
        for problem in parsed.problems:
            draft.skip(f"{source}:{line_of(problem.line)}", problem.message)
        lines = " ".join(str(line) for line in sorted({problem.line for problem in parsed.problems}))
        text = f"{text.rstrip()}\n\n:: {LEFT_OUT} [script]\n{lines}\n"
        parsed = parse_twee(source, text)
    if parsed.problems:
        located = [Problem(one.message, file=source, line=line_of(one.line)) for one in parsed.problems]
        raise ContractViolation([*located, Problem(ADVICE, file=source)])
    beginning = parsed.story.begin(1)
    if not beginning.paragraphs and not beginning.choices:
        raise import_error(source, "cannot be played: it says nothing and offers nothing")
    for name in parsed.programs:
        draft.skip(f"passage “{single_line(name, 60)}”", "programs and styles are not brought in")
    draft.title = single_line(parsed.title, 120)
    if author := single_line(parsed.author, 120):
        draft.fields["author"] = author
    draft.add_file(f"the story “{draft.title or source}”", TWEE_STORY, text)
    return draft
