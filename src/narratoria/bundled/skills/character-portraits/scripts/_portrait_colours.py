"""Colours: what words call them, and how they are mixed."""

from __future__ import annotations

SKINS = ("#f3d6c4", "#ecc3a6", "#deae8b", "#c7936f", "#a37253", "#80543d", "#5f3d2d", "#efccb3")
SKIN_WORDS = {
    "pale|pallid|porcelain|milk\\w*|ashen|wan|sallow|white-skinned": "#f7ddcd",
    "fair|freckled|rosy|pink-cheeked|light-skinned": "#f4cfb6",
    "ruddy|red-faced|florid|wind-burnt|windburnt": "#e8ab8d",
    "tan|tanned|sunburnt|sun-burnt|sunburned|weathered|leathery|weather-beaten|swarthy": "#cf9669",
    "olive|olive-skinned|golden-skinned|honey": "#d4a276",
    "bronze|bronzed|copper-skinned|tawny": "#b87a4d",
    "brown|brown-skinned|umber": "#9a6240",
    "dark|dark-skinned|mahogany": "#74452c",
    "black|black-skinned|ebony": "#52301f",
}
HAIRS = ("#2a1d17", "#3d2a1f", "#5a3a26", "#7a4f2e", "#1c1719", "#8a5a32", "#c08a4a", "#8c3f22")
HAIR_WORDS = {
    "raven|jet|ink-black|coal\\w*|black|dark": "#231d22",
    "chestnut|brown|mousy|nut-brown|hazel": "#5d3b26",
    "auburn|russet|mahogany": "#7c3420",
    "ginger|copper\\w*|orange|carrot\\w*|fox-red|red|flame\\w*|rust\\w*": "#b2501f",
    "flaxen|straw\\w*|golden|gold|honey\\w*|yellow|corn\\w*": "#d9aa58",
    "platinum|fair|blonde?|tow-headed": "#e3c384",
    "sandy|light|tawny|dirty-blonde?": "#b28a57",
    "snow\\w*|white|milk-white": "#efece6",
    "silver\\w*|pewter": "#c6cad3",
    "iron-gr[ea]y|steel-gr[ea]y|salt-and-pepper|grizzled|gr[ea]y(?:ing)?": "#9a9aa0",
    "blue|azure|teal": "#3d6fa8",
    "green|moss\\w*|emerald": "#4c8058",
    "violet|purple|lilac": "#7c589c",
    "pink|rose": "#d97f9b",
}
CLOTH_WORDS = {
    "black|ink-black|jet|coal\\w*|sooty": "#26252d",
    "charcoal|slate|iron\\w*": "#454954",
    "gr[ea]y|ash\\w*|pewter|smoke\\w*": "#7b8088",
    "silver\\w*|steel\\w*": "#a9b2bd",
    "white|snow\\w*|bleached": "#e9e6df",
    "cream|ivory|linen|bone|undyed|homespun|canvas": "#d9cdb4",
    "scarlet|vermilion": "#b9302a",
    "crimson|ruby|wine|maroon|burgundy|claret|oxblood": "#7d2032",
    "red": "#a8322f",
    "rose|pink|coral": "#c9707a",
    "rust\\w*|russet|brick|copper": "#9a4f2e",
    "orange|amber|saffron": "#cf7a2b",
    "ochre|mustard|tawny": "#b98a2f",
    "yellow|lemon|primrose": "#e0b53c",
    "gold|golden|gilt|gilded|brass|brassy": "#c99b3f",
    "olive|khaki|moss\\w*|sage": "#6c6f42",
    "green|emerald|forest|bottle": "#2f6349",
    "teal|sea-green|turquoise|petrol": "#2c6e74",
    "sky|azure|pale-blue|powder-blue": "#6f9cc0",
    "navy|midnight|indigo": "#27335a",
    "blue|cobalt|sapphire": "#35578f",
    "violet|purple|plum|lilac|lavender|mauve|amethyst": "#5f4478",
    "brown|leather\\w*|tan|hide|chestnut|oak|earth\\w*|mud\\w*": "#6d4a33",
    "beige|fawn|sand\\w*|camel": "#b3966f",
}
CLOTHS = ("#5a4a5e", "#3f5b6b", "#6d4a33", "#4d6350", "#7d3b3a", "#3b4468", "#86703f", "#54545e")
EYES = ("#5b3a22", "#6f5230", "#4b6f8f", "#5f7d62", "#77858f", "#3f2a1d")
EYE_WORDS = {
    "black|dark|ink\\w*|coal\\w*": "#241a1a",
    "brown|chestnut|brandy|tea": "#5b3a22",
    "hazel|amber|honey": "#96692c",
    "gold|golden|yellow": "#c79a2b",
    "blue|cornflower|sapphire|sky": "#3f76b0",
    "ice\\w*|pale|light|glacier": "#8fb4cc",
    "green|emerald|jade|sea-green": "#4a8a5c",
    "gr[ea]y|slate|steel\\w*|storm\\w*|silver\\w*": "#7b8894",
    "violet|purple|lilac": "#7a5aa8",
    "red|crimson|blood\\w*": "#a8302c",
    "milky|white|blind|clouded|cataract\\w*": "#cfd4d6",
}


def rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def mix(one: str, other: str, share: float) -> str:
    """`share` of the other colour in the one."""
    channels = (round(a + (b - a) * share) for a, b in zip(rgb(one), rgb(other), strict=True))
    return "#" + "".join(f"{max(0, min(255, channel)):02x}" for channel in channels)


def light(colour: str) -> float:
    """Return how light a colour looks, from 0 to 1."""
    red, green, blue = rgb(colour)
    return (0.299 * red + 0.587 * green + 0.114 * blue) / 255


def tone(colour: str, by: float) -> str:
    """Lighter and warmer above 0, darker and cooler below, as light and shadow are."""
    if by >= 0:
        return mix(colour, "#fff3dc", by)
    return mix(colour, "#160f26", -by)


def skin_tone(colour: str, by: float) -> str:
    """Skin in shadow turns red before it turns dark."""
    if by >= 0:
        return mix(colour, "#fff1e0", by)
    return mix(mix(colour, "#8e2f2a", min(0.4, -by * 0.5)), "#1d1226", -by * 0.72)


def is_colour(value: object) -> bool:
    return (
        isinstance(value, str)
        and len(value) == 7
        and value[0] == "#"
        and all(digit in "0123456789abcdefABCDEF" for digit in value[1:])
    )
