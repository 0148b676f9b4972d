"""Premises of a sentence or two, each with the kind of world it is of."""

from __future__ import annotations

import json
from pathlib import Path

from narratoria.campaign.campaign import Campaign, Manifest

PREMISES = {
    "loaf": ("I am a loaf of bread.", "counter"),
    "teapot": ("You are a teapot in a house where nobody drinks tea any more.", "counter"),
    "hauler": ("You are the ship's cat on an ore hauler in deep space. The crew no longer talk.", "space"),
    "mars": ("The first baby on Mars is due, and Doctor Imani Reyes has gone missing in the dunes.", "space"),
    "museum": ("You are the night watchman in a museum. Last night the whale moved.", "work"),
    "suburb": ("A retired spy in a suburb. The new neighbours know too much about roses.", "crime"),
    "goblin": ("You are a goblin at court. The queen has made you her ambassador.", "court"),
    "glacier": (
        "A school on a glacier. The glacier moves forty metres a year, and the school too.",
        "school",
    ),
    "pirates": ("A pirate ship with no captain, and a parrot who remembers every order.", "sea"),
    "trench": ("Two soldiers share a trench and a tin of peaches. The war is nearly over.", "war"),
    "witch": ("You are the apprentice of a witch who has lost her spells.", "magic"),
    "bell-hill": ("The haunted house on Bell Hill has been empty since the twins vanished.", "horror"),
    "flatmates": ("Four flatmates in a city tower block find a door that was not there yesterday.", "city"),
    "midwife": (
        "The village of Little Oaken has had no wedding in nine years. You are the midwife.",
        "village",
    ),
    "christmas": ("Your parents are selling the family house. Everyone comes home for Christmas.", "home"),
    "north-wind": (
        "Once upon a time a miller promised his youngest daughter to the north wind. You are the daughter.",
        "tale",
    ),
    "old-wolf": ("You are the wolf in every fairy tale, and you want to retire.", "tale"),
    "after-power": (
        "Twelve years ago the power went out. You carry letters between the settlements. There are no cars.",
        "after",
    ),
    "ice-cream-van": (
        "You and your sisters are driving your father's ashes across the country in an ice cream van.",
        "road",
    ),
    "understudy": ("The school play opens tomorrow. You are the understudy.", "stage"),
    "night-porter": (
        "You are a porter on the night shift in a city hospital. The lift stops at a floor that is closed.",
        "ward",
    ),
    "keeper": (
        "You are the ghost of a lighthouse keeper. A family has bought the lighthouse.",
        "sea",
    ),
    "map-guild": (
        "You are a mapmaker's widow who keeps the archive of the guild. A chart is false.",
        "scribes",
    ),
    "orchard": (
        "We are the committee of a cooperative orchard. There is a vote about the lower field.",
        "council",
    ),
    "towels": ("I'm the night porter in a hotel. A guest rings from a floor that is not there.", "haunting"),
    "night-heron": ("I'm the Night Heron, superhero, and I coach the daughter of my old nemesis.", "capes"),
    "well-digger": (
        "The desert caravan is late, and the god of the oasis sulks. You are a well digger.",
        "caravan",
    ),
    "ring": ("I am a wedding ring, an heirloom, pawned twice. The pawnbroker cannot sell me.", "hands"),
    "under-nines": ("im a mum who runs the under 9s football club because nobody else would", "club"),
    "ice-core": ("A two-person drilling station. My partner has walked out, and the relief is near.", "post"),
    "yeti": ("An expedition into the mountains to find the yeti. You are the yeti.", "wilderness"),
}


def make_campaign(name: str, text: str, **manifest: str) -> Campaign:
    """Return a campaign of nothing but a description."""
    described = Manifest(title=name.title(), version="1.0.0", description=text, **manifest)
    return Campaign(folder=Path(name), manifest=described, premise=(text,))


def write_campaign(folder: Path, name: str) -> Path:
    """Write the manifest of a premise into a folder of its own."""
    root = folder / name
    root.mkdir(parents=True)
    manifest = {"title": name.title(), "version": "1.0.0", "description": PREMISES[name][0]}
    (root / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return root
