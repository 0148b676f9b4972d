"""Exports a story as Markdown, HTML, EPUB or JSON, with who wrote each passage."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from narratoria.campaign.campaign import Campaign
from narratoria.engine.persistence.save import ExportedRecord, write_save
from narratoria.engine.persistence.story import Story
from narratoria.engine.persistence.turn_record import TurnRecord, list_scenes
from narratoria.engine.scene import Author, Passage, Scene

Format: TypeAlias = Literal["markdown", "html", "epub", "json"]
FORMATS: tuple[Format, ...] = get_args(Format)
SUFFIXES: Mapping[Format, str] = {"markdown": "md", "html": "html", "epub": "epub", "json": "json"}
MEDIA_TYPES: Mapping[Format, str] = {
    "markdown": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "epub": "application/epub+zip",
    "json": "application/json",
}
WRITERS: Mapping[Author, str] = {
    "author": "the campaign's author",
    "model": "a language model",
    "composer": "Narratoria's composer, from the campaign's words",
    "player": "the player",
}


@dataclass(frozen=True, slots=True)
class Book:
    """Holds the story to export; without the campaign, places go by their ids."""

    story: Story
    turns: Sequence[TurnRecord]
    campaign: Campaign | None = None
    records: tuple[ExportedRecord, ...] = ()

    @property
    def scenes(self) -> list[Scene]:
        return list(list_scenes(self.turns))

    @property
    def by(self) -> str:
        return self.campaign.manifest.author if self.campaign else ""

    def place(self, scene: Scene) -> str:
        place = self.campaign.places.get(scene.place) if self.campaign else None
        return place.name if place else scene.place

    def heading(self, scene: Scene) -> str:
        place = self.place(scene)
        return f"{scene.number}. {place}" if place else str(scene.number)

    def about(self) -> str:
        title = self.campaign.title if self.campaign else self.story.campaign
        author = f" by {self.by}" if self.by else ""
        scenes = "1 scene" if len(self.turns) == 1 else f"{len(self.turns)} scenes"
        return f"A story of “{title}”{author}, in {scenes}."


def export(book: Book, form: Format) -> bytes:
    """Return a story as a document; the same story gives the same bytes."""
    return _WRITE[form](book)


def passages(scene: Scene) -> list[tuple[str, Passage]]:
    """Return the paragraphs, each with where it comes from."""
    sources = list(scene.passages[: len(scene.paragraphs)])
    missing = len(scene.paragraphs) - len(sources)
    return list(zip(scene.paragraphs, [*sources, *[Passage(by="composer")] * missing], strict=True))


def written_by(scenes: Sequence[Scene]) -> list[tuple[str, int]]:
    """Count the passages of each writer, the player's choices among them."""
    counts: dict[str, int] = {}
    for scene in scenes:
        if scene.number > 1:
            counts[WRITERS["player"]] = counts.get(WRITERS["player"], 0) + 1
        for _, passage in passages(scene):
            who = writer(passage)
            counts[who] = counts.get(who, 0) + 1
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def writer(passage: Passage) -> str:
    return f"{WRITERS[passage.by]} ({passage.model})" if passage.model else WRITERS[passage.by]


def describe_roll(scene: Scene) -> str:
    if scene.roll is None:
        return ""
    roll = scene.roll
    return (
        f"{roll.formula}: {roll.total}, {roll.outcome}" if roll.outcome else f"{roll.formula}: {roll.total}"
    )


def _markdown(book: Book) -> bytes:
    lines = [f"# {_plain(book.story.title)}", "", f"*{_plain(book.about())}*", ""]
    for scene in book.scenes:
        lines += [f"## {_plain(book.heading(scene))}", ""]
        if scene.number > 1:
            lines += [f"> **{_plain(scene.action)}** <!-- by: player -->"]
            lines += [f"> *{_plain(describe_roll(scene))}*"] if scene.roll else []
            lines += [""]
        for text, passage in passages(scene):
            model = f" {passage.model}" if passage.model else ""
            lines += [f"{_plain(text)} <!-- by: {passage.by}{_plain(model)} -->", ""]
    lines += ["---", "", "## Who wrote this", ""]
    lines += [f"- {who}: {_passage_count(count)}" for who, count in written_by(book.scenes)]
    return ("\n".join(lines) + "\n").encode()


def _passage_count(count: int) -> str:
    return "1 passage" if count == 1 else f"{count} passages"


def _plain(text: str) -> str:
    """Return a text without markup of its own, on one line."""
    text = " ".join(text.split())
    for sign in ("\\", "`", "*", "_", "<", ">", "#", "[", "]", "|"):
        text = text.replace(sign, f"\\{sign}")
    return text


def _html(book: Book) -> bytes:
    from narratoria.engine.persistence.export_web import write_html

    return write_html(book)


def _epub(book: Book) -> bytes:
    from narratoria.engine.persistence.export_web import write_epub

    return write_epub(book)


def _json(book: Book) -> bytes:
    return write_save(book.story, tuple(book.turns), book.records)


_WRITE: Mapping[Format, Callable[[Book], bytes]] = {
    "markdown": _markdown,
    "html": _html,
    "epub": _epub,
    "json": _json,
}
