"""From a description in words to what there is to draw; what is left open is drawn by lot."""

from __future__ import annotations

import hashlib
import random
import re

import _portrait_colours as colours
import _portrait_words as words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

CLAUSE = re.compile(r"[.;:!?()—]|,(?! (?:and )?\w+ (?:hair|eyes|beard|skin))")
NEAR = 5  # words between a thing and its colour
GREY_FROM, WHITE_FROM = 50, 66


class Look:
    """Holds what somebody looks like."""

    sex = "n"
    years = 32
    age_said = False
    build = "average"
    species = "human"
    skin = "#e0ab86"
    hair = "#5a3a26"
    style = "short"
    beard = ""
    eyes = "#5b3a22"
    hat = ""
    hat_colour = "#54545e"
    garment = "tunic"
    cloth = "#54545e"
    cloth2 = "#d9cdb4"
    smile, brow, droop = 0.1, 0.0, 0.1
    glasses = ""
    patch = False
    scar = ""
    marks: frozenset[str] = frozenset()
    palette: tuple[str, ...] = ()
    lots: Mapping[str, float] = {}  # the chances of the face, each from -1 to 1, by name

    @property
    def child(self) -> bool:
        return self.years < 14

    @property
    def old(self) -> float:
        """0 for the young, 1 for the very old."""
        return max(0.0, min(1.0, (self.years - 38) / 40))


LOTS = [
    "wide",
    "jaw",
    "chin",
    "eyes",
    "apart",
    "slant",
    "brow",
    "thick",
    "nose",
    "tip",
    "lips",
    "mouth",
    "ears",
    "lean",
    "tilt",
    "fringe",
    "volume",
]


def read(identity: str, description: str, palette: Iterable[str] = ()) -> Look:
    """Return the look of a person: by the description, and by the identity where that leaves it open."""
    text = _as_now(" ".join(description.replace("’", "'").lower().split()))
    chance = random.Random(hashlib.sha256(identity.encode()).digest())
    look = Look()
    look.lots = {name: chance.uniform(-1, 1) for name in LOTS}
    look.palette = tuple(colour for colour in palette if colours.is_colour(colour))[:6]
    look.sex = _sex(text, chance)
    look.years, look.age_said = _years(text, chance)
    look.build = _first(words.BUILDS, text) or chance.choice(("average", "average", "slim", "broad"))
    look.species = _first(words.SPECIES, text) or "human"
    _read_skin(look, text, chance)
    _read_hair(look, text, chance)
    _read_clothes(look, text, chance)
    _read_face(look, text, chance)
    return look


def _as_now(text: str) -> str:
    """Return a description without what was so once: “hair, once black, is white” as “hair is white”."""
    for pattern, instead in words.ONCE:
        text = re.sub(pattern, instead, text)
    return text


def _first(table: Iterable[tuple[str, str]], text: str) -> str:
    return next((value for pattern, value in table if re.search(pattern, text)), "")


def _sex(text: str, chance: random.Random) -> str:
    women, men = (len(re.findall(pattern, text)) for pattern in (words.WOMEN, words.MEN))
    drawn = chance.choice("fm")
    if women == men:
        return "n" if re.search(r"\bthey\b|\bthem\b", text) else drawn
    return "f" if women > men else "m"


def _years(text: str, chance: random.Random) -> tuple[int, bool]:
    """Return how old somebody is, and whether that is said."""
    drawn = chance.randint(22, 52)
    match = re.search(r"\b(\d{1,3})(?:-| )years?[- ]old|\bag(?:e|ed):? (?:of )?(\d{1,3})\b", text)
    if match:
        return max(4, min(100, int(match[1] or match[2]))), True
    numbers = "|".join(sorted(words.NUMBERS, key=len, reverse=True))
    match = re.search(rf"\bage:? ({numbers})(?:[- ]({numbers}))?", text) or re.search(
        rf"\b(?:is|aged?|of|about|some|nearly|past|over) ({numbers})(?:-({numbers}))?"
        rf"(?= years?| or so| with\b|[.,;]| and (?:runs|looks|has|a half)|$)",
        text,
    )
    if match:
        first, second = (words.NUMBERS.get(match[group] or "", 0) for group in (1, 2))
        years = first + (second if first >= 20 else 0)
        if years >= 4:
            return min(100, years), True
    typical = next((years for pattern, years in words.AGES if re.search(pattern, text)), 0)
    if typical:
        return typical, True
    greyed = re.search(r"\b(?:white|silver|gr[ea]y)[- ](?:\w+ )?(?:hair\w*|plait|beard\w*|locks)", text)
    return (62 if greyed and not re.search(words.SPECIES[1][0], text) else drawn), False


def coloured(things: str, text: str, table: Mapping[str, str]) -> str:
    """Return the colour said of one of these things: before it, or soon after."""
    for clause in CLAUSE.split(text):
        for thing in re.finditer(rf"\b(?:{things})\b", clause):
            before = " ".join(re.split(words.NOUNS, clause[: thing.start()])[-1].split()[-NEAR:])
            after = " ".join(clause[thing.end() :].split()[:NEAR])
            nearest = -1, ""
            for pattern, colour in table.items():
                for hit in re.finditer(rf"(?<![\w-])(?:{pattern})(?:-\w+)?\b", before):
                    nearest = max(nearest, (hit.end(), colour))
            if nearest[1]:
                return nearest[1]
            for pattern, colour in table.items():
                if re.match(
                    rf"(?:,? ?(?:is|are|was|were|has gone|went|gone|turned|the colour|of|as|like|still|all|"
                    rf"quite|very|dyed) ?)+(?:\w+ )?(?:{pattern})\b",
                    after,
                ):
                    return colour
    return ""


def _read_skin(look: Look, text: str, chance: random.Random) -> None:
    drawn = chance.choice(colours.SKINS)
    named = coloured("skin(?:ned)?|complexion|face|cheeks|features", text, colours.SKIN_WORDS)
    if not named:
        for pattern, colour in colours.SKIN_WORDS.items():
            if re.search(
                rf"\bis (?:\w+,? (?:and )?){{0,2}}(?:{pattern})(?: and\b|,|\.|$)", text
            ) or re.search(rf"\b(?:{pattern})[- ](?:skinned|(?:wo)?man|girl|boy|fellow)\b", text):
                named = colour
                break
    look.skin = named or next((tint for p, tint in words.PLAIN_SKIN if re.search(p, text)), drawn)
    strange = {
        "orc": "#7f9a5c",
        "goblin": "#8fa84f",
        "horned": "#b4574d",
        "machine": "#aeb6c0",
        "ghost": "#b9d3dc",
        "vampire": "#e9dde0",
        "scaled": "#5f9a86",
        "unseen": "#1d2440",
    }
    if look.species in strange:
        tinted = coloured("skin(?:ned)?|scales|hide|plating|metal", text, colours.CLOTH_WORDS)
        look.skin = tinted or strange[look.species]
    elif re.search(r"\b(?:blue|green|violet|purple|grey|red|silver)[- ]skin", text):
        look.skin = coloured("skin(?:ned)?", text, colours.CLOTH_WORDS) or look.skin


HAIR = (
    "hair(?:ed)?|headed|plaits?|braids?|ponytail|curls?|locks|bun|mane|ringlets|topknot|mohawk|afro|fringe|bob|"
    "dreadlocks"
)


def _read_hair(look: Look, text: str, chance: random.Random) -> None:
    drawn = chance.choice(colours.HAIRS if colours.light(look.skin) > 0.5 else colours.HAIRS[:5])
    named = coloured(HAIR, text, colours.HAIR_WORDS) or coloured(
        "beard(?:ed)?|moustache", text, colours.HAIR_WORDS
    )
    if not named:  # words that mean hair wherever they stand
        named = next((colour for pattern, colour in words.HAIR_ANYWHERE if re.search(pattern, text)), "")
    look.hair = named or _aged(drawn, look.years, look.lots["volume"])
    free = {
        "f": ("long", "wavy", "bob", "bun", "curly", "ponytail", "plait"),
        "m": ("short", "tousled", "slick", "cropped", "curly", "short"),
        "n": ("short", "bob", "tousled", "curly", "wavy", "ponytail"),
    }[look.sex]
    drawn_style = chance.choice(free)
    if look.years > 62:
        drawn_style = {"f": "bun", "m": "balding", "n": "short"}[look.sex]
    if look.child:
        drawn_style = {"f": "plaits", "m": "tousled", "n": "bob"}[look.sex]
    look.style = _style(re.sub(r"(?:\w+ ){1,3}(?:beard|moustache)", "", text)) or drawn_style
    if re.search(words.HAIRLESS, text):
        look.style = "balding" if "balding" in text else "bald"
    if look.style == "long" and look.sex == "m" and not re.search(r"\bhair\b", text):
        look.style = "tousled"
    drawn_beard = chance.choice(("", "", "stubble", "full", "moustache", "goatee"))
    look.beard = _beard(look, text, drawn_beard)
    if look.species in ("machine", "scaled", "unseen") and not re.search(r"\bhair\b", text):
        look.style = "bald"


def _aged(colour: str, years: int, lot: float) -> str:
    whiteness = (years + lot * 8 - GREY_FROM) / (WHITE_FROM - GREY_FROM)
    return colours.mix(colour, "#cfcccb", max(0.0, min(0.92, whiteness)))


def _style(text: str) -> str:
    """Return what is said near a word for hair, or by a word that means nothing else."""
    spans = [text[max(0, hit.start() - 45) : hit.end() + 45] for hit in re.finditer(rf"\b(?:{HAIR})\b", text)]
    for pattern, style in words.STYLES:
        if any(re.search(pattern, span) for span in spans):
            return style
        if style in words.OWN_STYLES and re.search(pattern, text) and not re.search(r"\bbraid\w* rope", text):
            return style
    return ""


def _beard(look: Look, text: str, drawn: str) -> str:
    for pattern, beard in words.BEARDS:
        if re.search(pattern, text):
            return beard
    if look.species == "dwarf" and look.sex != "f":
        return "long"
    return drawn if look.sex == "m" and look.years >= 22 and not re.search(r"\bchin\b", text) else ""


def _read_clothes(look: Look, text: str, chance: random.Random) -> None:
    role = next((row for row in words.ROLES if re.search(row[0], text)), ("", "", ""))
    drawn = chance.choice(("tunic", "coat", "jumper", "waistcoat", "cloak"))
    garment = next(((p, name) for p, name in words.GARMENTS if re.search(p, text)), ("", ""))
    look.garment = garment[1] or role[1] or drawn
    chosen = chance.choice(look.palette or colours.CLOTHS)
    fallen_to = colours.mix(chosen, chance.choice(colours.CLOTHS), 0.35 if look.palette else 0.0)
    if colours.light(fallen_to) > 0.68:
        fallen_to = colours.tone(fallen_to, -0.35)
    own = coloured(_plain(garment[0]), text, colours.CLOTH_WORDS) if garment[0] else ""
    look.cloth = own or role[2] or _dressed(text) or fallen_to
    if look.garment == "armour" and not own:
        look.cloth = "#98a1ad"
    accent = chance.choice(look.palette or colours.CLOTHS)
    look.cloth2 = accent if look.garment in ("shawl", "cloak", "gown", "armour", "uniform") else "#d9cdb4"
    look.hat = _first(words.HATS, text)
    if re.search(r"\bking\b|\bqueen\b|\bemperor\b|\bempress\b", text) and not look.hat:
        look.hat = "crown"
    if re.search(r"\bno hat\b|\bbare-?headed\b|\bhood (?:is )?down\b|\bhood (?:thrown|pushed) back\b", text):
        look.hat = ""
    hat = next((_plain(pattern) for pattern, name in words.HATS if name == look.hat), "")
    look.hat_colour = (coloured(hat, text, colours.CLOTH_WORDS) if hat else "") or colours.tone(
        look.cloth, -0.12
    )


def _plain(pattern: str) -> str:
    return pattern.replace(r"\b", "")


def _dressed(text: str) -> str:
    match = re.search(r"\b(?:dressed|clad|all) in (\w+)\b", text)
    return coloured("thing", f"{match[1]} thing", colours.CLOTH_WORDS) if match else ""


def _read_face(look: Look, text: str, chance: random.Random) -> None:
    dark = colours.light(look.skin) < 0.5
    drawn = chance.choice(colours.EYES[:2] + colours.EYES[5:] if dark else colours.EYES)
    look.eyes = coloured("eyes?|eyed|gaze|stare", text, colours.EYE_WORDS) or drawn
    if look.species in ("ghost", "machine", "unseen"):
        look.eyes = (look.palette[2] if len(look.palette) > 2 else "") or "#bdf0ff"
    moods = [mood for pattern, mood in words.MOODS if re.search(pattern, text)][:3]
    if moods:
        look.smile, look.brow, look.droop = (sum(part) / len(moods) for part in zip(*moods, strict=True))
    else:
        look.smile, look.brow = chance.uniform(-0.15, 0.45), chance.uniform(-0.3, 0.3)
    if re.search(r"\b(?:spectacles|glasses(?! of)|eyeglasses|pince-nez|bespectacled|lenses)\b", text):
        look.glasses = "square" if re.search(r"\b(?:square|thick|horn-rimmed) ", text) else "round"
    if re.search(r"\bmonocle\b", text):
        look.glasses = "monocle"
    look.patch = bool(re.search(r"\beye-?\s?patch\b|\bone-eyed\b|\bmissing eye\b|\blost an eye\b", text))
    if re.search(r"\bscar(?:s|red)?\b(?! hands| knuckles| arms)", text) and not re.search(
        r"\bscarred (?:hands|knuckles|arms)\b|\bscars? on (?:his|her|their) (?:hands|arms|back)\b", text
    ):
        look.scar = "brow" if re.search(r"\b(?:eye|brow|forehead)\b", text) else "cheek"
    marks = {
        "freckles": r"\bfreckl\w+",
        "ink": r"\bink(?:-stained| on (?:his|her|their) (?:chin|face|cheek|nose))",
        "soot": r"\bsoot\w*|\bgrim(?:e|y)\b|\bsmudge\w*|\bmuddy\b|\bmudlark\b|\bdirty\b",
        "tattoo": r"\btattoo\w*|\bwoad\b|\bwar ?paint\b",
        "mole": r"\bmole\b|\bbeauty spot\b",
        "earrings": r"\bearrings?\b|\bpierc\w+",
        "blush": r"\brosy\b|\bblush\w*|\bruddy\b|\bapple-cheeked\b",
        "necklace": r"\bnecklace\b|\bamulet\b|\bpendant\b|\bpearls?\b|\bmedallion\b|\blocket\b",
        "scarf": r"\bscarf\b|\bwick (?:with|round)\b|\bneckerchief\b|\bmuffler\b",
        "weed": r"\bpond ?weed\b|\bleaves in (?:his|her|their) hair\b|\btwigs in\b",
        "labels": r"\blabels?\b",
        "wide-eyed": r"\bwide-eyed\b|\bbig eyes\b|\bhuge eyes\b|\blarge eyes\b",
    }
    look.marks = frozenset(name for name, pattern in marks.items() if re.search(pattern, text))


def described(parts: Mapping[str, Any]) -> str:
    """One description from what a profile says of somebody."""
    texts = {name: parts[name] for name in parts if isinstance(parts[name], str) and parts[name]}
    sentences = [
        texts[name].rstrip(". ") + "." for name in ("name", "appearance", "description") if name in texts
    ]
    sentences += [
        f"{name.capitalize()}: {texts[name]}." for name in ("role", "age", "race", "class") if name in texts
    ]
    personality = parts.get("personality")
    if isinstance(personality, dict):
        for name in ("traits", "habits"):
            listed = personality.get(name)
            if isinstance(listed, list):
                sentences.append(" ".join(str(one) for one in listed if isinstance(one, str)) + ".")
    return " ".join(sentences)
