"""A story as a document to read: every word of it, and who wrote each."""

from __future__ import annotations

import io
import zipfile
from xml.etree import ElementTree as ET

from tests.engine.conftest import OpenLibrary
from tests.engine.played_story import begin_story

from narratoria.engine.persistence.export import Book, describe_roll, export, passages, written_by
from narratoria.engine.persistence.story import Story
from narratoria.engine.persistence.turn_record import TurnInput, TurnOutput, TurnRecord
from narratoria.engine.scene import BEGIN, Choice, Passage, Roll, Scene
from narratoria.engine.snapshot import Progress

SCENE = Scene(
    number=2,
    action="Climb *up*",
    place="mill",
    paragraphs=("You climb.", "It <creaks>."),
    choices=(Choice(text="Wait"),),
    roll=Roll("2d6", 9, "success"),
    passages=(Passage(by="model", model="tiny"),),
)


def book() -> Book:
    turn = TurnRecord(
        number=2,
        input=TurnInput(choice=BEGIN),
        output=TurnOutput(scene=SCENE, progress=Progress()),
        state={},
        begun_at="",
        finished_at="",
    )
    return Book(Story(id="s", title="The mill", campaign="mill"), (turn,))


async def test_every_form_holds_every_word_and_says_who_wrote_it(open_library: OpenLibrary) -> None:
    async with open_library() as library:
        session = await begin_story(library, 0)
        await library.rename(session.story.id, "Tea & <Comets>")
        forms = {form: await library.export(session.story.id, form) for form in ("markdown", "html", "epub")}
        assert forms["epub"] == await library.export(session.story.id, "epub")
        words = session.snapshot.scenes[-1].paragraphs[0].split()[0]
    assert words.encode() in forms["markdown"]
    assert b"<!-- by: player -->" in forms["markdown"]
    assert b"Tea &amp; &lt;Comets&gt;" in forms["html"]
    assert b'data-by="player"' in forms["html"]
    with zipfile.ZipFile(io.BytesIO(forms["epub"])) as book:
        assert book.namelist()[0] == "mimetype"
        assert book.infolist()[0].compress_type == zipfile.ZIP_STORED
        for name in book.namelist():
            if name.endswith(("xhtml", "opf", "xml")):
                ET.fromstring(book.read(name))
        assert words in book.read("OEBPS/scene-0002.xhtml").decode()


def test_a_paragraph_that_says_nothing_of_its_source_is_the_composers() -> None:
    assert [passage.by for _, passage in passages(SCENE)] == ["model", "composer"]


def test_everybody_who_wrote_is_counted_the_player_too() -> None:
    assert dict(written_by([SCENE])) == {
        "the player": 1,
        "a language model (tiny)": 1,
        "Narratoria's composer, from the campaign's words": 1,
    }


def test_nobodys_words_are_markup_and_a_roll_stands_beside_its_choice() -> None:
    text = export(book(), "markdown").decode()

    assert r"> **Climb \*up\*** <!-- by: player -->" in text
    assert r"It \<creaks\>." in text
    assert "> *2d6: 9, success*" in text
    assert "- the player: 1 passage\n" in text


def test_a_roll_is_described_with_its_outcome_where_it_has_one() -> None:
    plain = Scene(number=1, action="", place="", paragraphs=(), choices=(), roll=Roll("1d6", 3))

    assert (describe_roll(SCENE), describe_roll(plain)) == ("2d6: 9, success", "1d6: 3")
