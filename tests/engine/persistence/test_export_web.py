"""A story as a web page and as a book: whole, valid, and the same bytes each time."""

from __future__ import annotations

import io
import zipfile
from xml.etree import ElementTree as ET

import msgspec

from narratoria.engine.persistence.export import Book
from narratoria.engine.persistence.export_web import write_epub, write_html
from narratoria.engine.persistence.story import Story
from narratoria.engine.persistence.turn_record import TurnInput, TurnOutput, TurnRecord
from narratoria.engine.scene import BEGIN, Passage, Scene
from narratoria.engine.snapshot import Progress

SCENE = Scene(
    number=1,
    action="Begin",
    place="mill",
    paragraphs=("A <mill> & a \x00 brook.",),
    choices=(),
    passages=(Passage(by="author"),),
)
TURN = TurnRecord(
    number=1,
    input=TurnInput(choice=BEGIN),
    output=TurnOutput(scene=SCENE, progress=Progress()),
    state={},
    begun_at="",
    finished_at="2026-01-02T03:04:05.678Z",
)
BOOK = Book(Story(id="s", title="Tea & <Comets>", campaign="mill"), (TURN,))


def test_a_page_needs_nothing_else_and_holds_no_markup_of_the_story() -> None:
    page = write_html(BOOK).decode()

    assert "<title>Tea &amp; &lt;Comets&gt;</title>" in page
    assert "A &lt;mill&gt; &amp; a " in page
    assert "\x00" not in page
    assert 'data-by="author"' in page
    assert not any(sign in page for sign in ("<script", "<link", "src="))


def test_a_book_has_its_type_first_and_only_well_formed_files() -> None:
    with zipfile.ZipFile(io.BytesIO(write_epub(BOOK))) as archive:
        names = archive.namelist()
        assert names[0] == "mimetype"
        assert archive.infolist()[0].compress_type == zipfile.ZIP_STORED
        for name in names:
            if name.endswith(("xhtml", "opf", "xml")):
                ET.fromstring(archive.read(name))
        assert "2026-01-02T03:04:05Z" in archive.read("OEBPS/content.opf").decode()
        assert "OEBPS/scene-0001.xhtml" in names


def test_the_same_story_is_the_same_book_and_another_one_is_not() -> None:
    other = Book(msgspec.structs.replace(BOOK.story, seed=8), BOOK.turns)

    assert write_epub(BOOK) == write_epub(BOOK)
    assert write_epub(BOOK) != write_epub(other)
