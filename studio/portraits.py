"""`python -m studio.portraits`: the contact sheet of the portraits skill, 24 people in the four presets."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import resvg_py
from PIL import Image, ImageDraw, ImageFont

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "narratoria" / "bundled"
SHEET = ROOT / "docs" / "images" / "portraits-contact-sheet.webp"
sys.path.insert(0, str(PACKAGE / "skills" / "character-portraits" / "scripts"))

from _portrait_drawing import PRESETS, svg_of  # noqa: E402
from _portrait_look import Look, described, read  # noqa: E402
from _portrait_pixel import place  # noqa: E402

CELL, COLUMNS, LABEL, GAP = 192, 6, 30, 10
PAPER, INK = "#f4efe4", "#2a2630"


@dataclass(frozen=True, slots=True)
class Sitter:
    id: str
    name: str
    description: str
    palette: tuple[str, ...] = ()


OTHERS = (
    Sitter(
        "aldric",
        "Aldric",
        "The old smith, a burly man with a long white beard, a bald head and a leather apron; kind eyes.",
        ("#3b2f2a", "#a8907a", "#ff9d4d", "#5c6470"),
    ),
    Sitter(
        "yasmin-okoye",
        "Captain Okoye",
        "A dark-skinned woman of forty with locs, a scar across her brow, a navy uniform and a dry smile.",
    ),
    Sitter(
        "elra",
        "Elra",
        "A young elf ranger, a woman with long silver hair, green eyes and a moss-green cloak; watchful.",
        ("#20352f", "#8fa88a", "#e6d9a0", "#4c6b57"),
    ),
    Sitter(
        "grum",
        "Grum",
        "A jovial dwarf with a braided red beard, ruddy skin and square glasses, in a scarlet waistcoat.",
    ),
    Sitter(
        "the-stranger",
        "The stranger",
        "A gaunt, clean-shaven man with pale skin and red eyes, in a black hood and a black cloak; menacing.",
        ("#1a1a24", "#5c5468", "#b9302a", "#3a3448"),
    ),
    Sitter(
        "isaura",
        "Queen Isaura",
        "A woman of thirty with wavy auburn hair, a gold crown, a crimson gown and a proud look; fair skin.",
    ),
    Sitter(
        "mei",
        "Mei",
        "A mechanic, a cheerful girl of nineteen with a black bob, goggles and an orange jumpsuit, freckled.",
        ("#203040", "#7090a0", "#ffb040", "#c04030"),
    ),
    Sitter(
        "amara",
        "Amara",
        "A healer with a great afro, brown skin, a teal dress and a smile. She is twenty-six years old.",
    ),
    Sitter(
        "ketil",
        "Ketil",
        "A fisherman with a blonde beard, a woollen cap, a grey jumper, ruddy cheeks and an eye-patch.",
    ),
    Sitter(
        "ruiz",
        "Inspector Ruiz",
        "A man of fifty with slicked black hair, a thin moustache, olive skin, a brown suit and a hat.",
    ),
    Sitter(
        "kira",
        "Kira",
        "An orc warrior woman in plate armour with a black mohawk and tusks, fierce.",
        ("#2a2a2a", "#8a7a6a", "#d08040", "#603030"),
    ),
)


def sitters() -> Iterator[Sitter]:
    for campaign in ("harrowmere", "tomorrows-post"):
        folder = PACKAGE / "campaigns" / campaign
        palette = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["palette"]
        for file in sorted(folder.glob("characters/npcs/*/profile.json")):
            profile = json.loads(file.read_text(encoding="utf-8"))
            yield Sitter(file.parent.name, profile["name"], described(profile), tuple(palette))
    for one in OTHERS:
        yield Sitter(one.id, one.name, f"{one.name}. {one.description}", one.palette)


def picture(look: Look, preset: str) -> Image.Image:
    png = place(look, _raster, CELL) if preset == "pixel" else _raster(svg_of(look, preset), CELL * 2, False)
    whole = Image.open(io.BytesIO(png)).convert("RGB")
    return whole.resize(
        (CELL, CELL), Image.Resampling.NEAREST if preset == "pixel" else Image.Resampling.LANCZOS
    )


def _raster(svg: str, size: int, crisp: bool) -> bytes:
    rendering = "crisp_edges" if crisp else "geometric_precision"
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg, width=size, height=size, skip_system_fonts=True, shape_rendering=rendering
        )
    )


def sheet(people: Sequence[Sitter]) -> Image.Image:
    wide, high = CELL * 2 + GAP, CELL * 2 + LABEL + GAP
    rows = -(-len(people) // COLUMNS)
    whole = Image.new("RGB", (COLUMNS * wide + GAP, rows * high + GAP), PAPER)
    pen, font = ImageDraw.Draw(whole), ImageFont.load_default(size=19)
    for index, person in enumerate(people):
        left, top = GAP + index % COLUMNS * wide, GAP + index // COLUMNS * high
        look = read(person.id, person.description, person.palette)
        for number, preset in enumerate(PRESETS):
            whole.paste(picture(look, preset), (left + number % 2 * CELL, top + number // 2 * CELL))
        pen.text((left + CELL, top + CELL * 2 + 4), person.name, INK, font, anchor="ma")
    return whole


def main() -> None:
    people = list(sitters())
    SHEET.parent.mkdir(parents=True, exist_ok=True)
    sheet(people).save(SHEET, quality=80, method=6)
    size = SHEET.stat().st_size
    print(f"{len(people)} people in {len(PRESETS)} presets: {SHEET.relative_to(ROOT)}, {size} bytes")


if __name__ == "__main__":
    main()
