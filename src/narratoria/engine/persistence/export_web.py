"""Writes a story as one HTML page that needs nothing else, and as an EPUB 3 book."""

from __future__ import annotations

import hashlib
import io
import re
import uuid
import zipfile
from html import escape
from typing import TYPE_CHECKING

from narratoria.engine.scene import Scene

if TYPE_CHECKING:
    from narratoria.engine.persistence.export import Book

CONTROL = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # what XML cannot hold
ZIP_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest a zip can say: the same story gives the same bytes

STYLE = """\
:root { color-scheme: light dark; }
body { font: 1.1rem/1.6 Georgia, serif; max-width: 38rem; margin: 0 auto; padding: 2rem 1rem; }
h1, h2 { line-height: 1.2; font-weight: normal; }
h2 { margin-top: 3rem; }
.about, .roll, .who { font-style: italic; opacity: .8; }
.action { border-left: .2rem solid; padding-left: .8rem; }
p[data-by]::after { content: attr(data-sign); font-size: .7em; vertical-align: super; opacity: .6; }
"""
SIGNS = {"author": "a", "model": "m", "composer": "c", "player": "p"}


def write_html(book: Book) -> bytes:
    title = _text(book.story.title)
    scenes = "\n".join(
        f"<section>\n<h2>{_text(book.heading(scene))}</h2>\n{_scene(scene)}\n</section>"
        for scene in book.scenes
    )
    page = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f'<h1>{title}</h1>\n<p class="about">{_text(book.about())}</p>\n{scenes}\n'
        f"{_colophon(book)}\n</main>\n</body>\n</html>\n"
    )
    return page.encode()


def write_epub(book: Book) -> bytes:
    """Write the book by hand, so that no clock and no random number gets into it."""
    chapters = [(f"scene-{scene.number:04}.xhtml", book.heading(scene), scene) for scene in book.scenes]
    identifier = hashlib.sha256(f"{book.story.id}/{book.story.seed}".encode()).hexdigest()
    uid = f"urn:uuid:{uuid.UUID(identifier[:32], version=5)}"
    files: dict[str, str] = {
        "META-INF/container.xml": _CONTAINER,
        "OEBPS/style.css": STYLE,
        "OEBPS/content.opf": _package(book, uid, [name for name, _, _ in chapters]),
        "OEBPS/nav.xhtml": _navigation(book, [(name, heading) for name, heading, _ in chapters]),
        "OEBPS/title.xhtml": _page(
            book.story.title,
            f'<h1>{_text(book.story.title)}</h1>\n<p class="about">{_text(book.about())}</p>',
        ),
        **{
            f"OEBPS/{name}": _page(heading, f"<h2>{_text(heading)}</h2>\n{_scene(scene)}")
            for name, heading, scene in chapters
        },
        "OEBPS/who.xhtml": _page("Who wrote this", _colophon(book)),
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        # readers look for this first, and uncompressed
        _add(archive, "mimetype", b"application/epub+zip", zipfile.ZIP_STORED)
        for name, content in files.items():
            _add(archive, name, content.encode(), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _scene(scene: Scene) -> str:
    from narratoria.engine.persistence.export import describe_roll, passages, writer

    lines = []
    if scene.number > 1:
        lines.append(f'<p class="action" data-by="player" data-sign="p">{_text(scene.action)}</p>')
    if scene.roll:
        lines.append(f'<p class="roll">{_text(describe_roll(scene))}</p>')
    for text, passage in passages(scene):
        model = f' data-model="{_text(passage.model)}"' if passage.model else ""
        lines.append(
            f'<p data-by="{passage.by}" data-sign="{SIGNS[passage.by]}"{model} '
            f'title="{_text(writer(passage))}">{_text(text)}</p>'
        )
    return "\n".join(lines)


def _colophon(book: Book) -> str:
    from narratoria.engine.persistence.export import WRITERS, written_by

    rows = "\n".join(f"<li>{_text(who)}: {count}</li>" for who, count in written_by(book.scenes))
    legend = ", ".join(f"{SIGNS[by]}: {_text(who)}" for by, who in WRITERS.items())
    return (
        f'<section>\n<h2>Who wrote this</h2>\n<p class="who">Passages, in the text: {legend}.</p>\n'
        f"<ul>\n{rows}\n</ul>\n</section>"
    )


def _page(title: str, body: str) -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n'
        '<html xmlns="http://www.w3.org/1999/xhtml" lang="en" xml:lang="en">\n<head>\n'
        f'<title>{_text(title)}</title>\n<link rel="stylesheet" type="text/css" href="style.css"/>\n'
        f"</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _package(book: Book, uid: str, chapters: list[str]) -> str:
    modified_at = (book.turns[-1].finished_at if book.turns else book.story.created_at)[
        :19
    ] or "1980-01-01T00:00:00"
    names = ["title.xhtml", *chapters, "who.xhtml"]
    items = "\n".join(
        f'<item id="p{index}" href="{name}" media-type="application/xhtml+xml"/>'
        for index, name in enumerate(names)
    )
    spine = "\n".join(f'<itemref idref="p{index}"/>' for index in range(len(names)))
    creator = f"<dc:creator>{_text(book.by)}</dc:creator>\n" if book.by else ""
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="uid" xml:lang="en">\n'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">\n'
        f'<dc:identifier id="uid">{uid}</dc:identifier>\n<dc:title>{_text(book.story.title)}</dc:title>\n'
        f"<dc:language>en</dc:language>\n{creator}<dc:publisher>Narratoria</dc:publisher>\n"
        f'<meta property="dcterms:modified">{modified_at}Z</meta>\n</metadata>\n<manifest>\n'
        '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>\n'
        f'<item id="style" href="style.css" media-type="text/css"/>\n{items}\n</manifest>\n'
        f"<spine>\n{spine}\n</spine>\n</package>\n"
    )


def _navigation(book: Book, chapters: list[tuple[str, str]]) -> str:
    entries = [("title.xhtml", book.story.title), *chapters, ("who.xhtml", "Who wrote this")]
    items = "\n".join(f'<li><a href="{name}">{_text(heading)}</a></li>' for name, heading in entries)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n'
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" '
        'lang="en" xml:lang="en">\n<head>\n<title>Contents</title>\n</head>\n<body>\n'
        f'<nav epub:type="toc">\n<h1>Contents</h1>\n<ol>\n{items}\n</ol>\n</nav>\n</body>\n</html>\n'
    )


_CONTAINER = (
    '<?xml version="1.0" encoding="utf-8"?>\n'
    '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">\n<rootfiles>\n'
    '<rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/>\n'
    "</rootfiles>\n</container>\n"
)


def _add(archive: zipfile.ZipFile, name: str, content: bytes, compression: int) -> None:
    info = zipfile.ZipInfo(name, ZIP_DATE)
    info.compress_type, info.external_attr, info.create_system = compression, 0o644 << 16, 3
    archive.writestr(info, content)


def _text(text: str) -> str:
    return escape(CONTROL.sub("", text))
