"""Tells what stats are good for and what memories are about, and puts both into words."""

# ruff: noqa: E501
# an alternation is read as one line, not as a paragraph

from __future__ import annotations

import re

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any

# what a stat is called → what it is good for → words of a choice that needs it
DOMAINS: dict[str, tuple[str, str]] = {
    "stealth": (
        r"stealth|sneak|subtl|shadow|sleight|thie|larcen|burgl|agil|dexter|finesse|cunning|nimbl|discretion",
        r"sneak|slip|unseen|quiet|steal|pick the lock|pick|creep|hide|shadow|pocket|unnoticed",
    ),
    "persuasion": (
        r"charis|charm|persua|eloqu|diplom|presence|rhetor|flirt|romanc|seduc|smooth|social|leader|sway|tact|speech",
        r"persuad|convinc|charm|talk .* (?:into|round|out of)|win .* over|flirt|bargain|negotiat|plead|sway|coax|"
        r"sweet-talk|bluff",
    ),
    "force": (
        r"strength|might|brawn|muscle|force|athlet|fight|combat|melee|body|brutal|power|violen|endur|stamina|constit|"
        r"tough|armou?r|physique|vigou?r|fitness|sport",
        r"force|break|lift|shove|push|fight|attack|smash|wrest|heave|carry|hold .* back|shoulder|climb|stand up to",
    ),
    "craft": (
        r"craft|repair|mechan|engineer|tinker|tech|hack|comput|alchem|cook|heal|medic|surg|herbal|pilot|art\b|music",
        r"mend|repair|rig|hack|tinker|brew|bandage|tend|build|fix|take .* apart",
    ),
    "study": (
        r"intel|mind|lore|knowl|logic|deduc|reason|schol|arcan|magic|scien|academ|book|histor|memory|smart|brain|"
        r"forens|learn|grades",
        r"work out|stud(?:y|ies)|reason|decipher|puzzle|piece together|look up|recall what|compare|deduce|read",
    ),
    "notice": (
        r"percep|notic|aware|insight|observ|investig|eye|alert|intuit|instinct|wis|search|detect|senses|vigilan|curio",
        r"search|watch|examine|closer look|look closely|spot|keep .* eyes|notice|listen|track|inspect|look",
    ),
    "empathy": (
        r"empath|heart|kind|compass|care|warm|affect|love|bond|trust|friend|sensitiv|understand|listen",
        r"comfort|listen|hear .* out|ask .* how|sit with|open up|take .* hand|reassure|confide",
    ),
    "nerve": (
        r"courag|brav|nerve|will|resolv|compos|daring|grit|spirit|confid|boldn|guts|luck|cool|passion|sanity",
        r"dare|face|stare .* down|stand your ground|confront|risk|say .* to .* face|hold your nerve",
    ),
    "wit": (
        r"\bwits?\b|humou?r|comed|banter|joke|perform|style|beaut|looks|fashion|glamou?r|creativ|quick",
        r"joke|laugh|tease|banter|play|improvise|clever|talk your way",
    ),
}
LOCKABLE = (
    r"door|gate|chest|strongbox|safe|cabinet|drawer|trunk|cell|vault|desk|hatch|casket|locker|cupboard|box"
)
LOCK = re.compile(
    rf"(?i)\b(?:locked|bolted|barred|padlocked)\s+((?:[a-z-]+ ){{0,2}}(?:{LOCKABLE}))\b"
    rf"|\b((?:[a-z-]+ ){{0,2}}?(?:{LOCKABLE}))\b[^.]{{0,40}}\b(?:locked|bolted|barred|padlocked|key|shut fast)\b"
)
SHUT = re.compile(rf"(?i)\b(?:the|a|an) ((?:[a-z-]+ )?(?:{LOCKABLE}))\b")
HELPING = re.compile(
    r"(?i)\b(?:ask\w*|beg\w*|request\w*|seek\w*|call\w*)\b.{0,60}\b(?:help|aid|assistance|favou?r|shelter|support|"
    r"backup|protection|advice|a hand)\b|\b(?:ask|beg)\b.{0,40}\bto (?:help|hide|join|come|lend|cover)\b|\bcall in\b|"
    r"\bally with\b|\bjoin forces\b|\bconfide in\b|\bembrace\b|\bshare a\b"
)
KINDS = (  # what a memory is about: the first that fits
    (
        "harm",
        r"betray|stole|steal|robb|lied|lying|cheat|attack|kill|murder|wound|hurt|insult|threaten|abandon|deceiv|"
        r"sold out|let .* down|poison|broke (?:a|the|his|her|their|your) (?:promise|heart|word|trust)|stood .* up",
    ),
    ("promise", r"promis|swore|sworn|vow|pledg|gave .* word|oath|owe|debt|agreed to"),
    (
        "help",
        r"help|saved?\b|rescu|heal|mend|repair|spared|gave|gift|freed|protect|defend|comfort|covered for|stood up for|"
        r"returned|brought back|carried|taught|paid for|nursed|hid\b|sheltered|warned",
    ),
    (
        "secret",
        r"secret|confid|told|learn|discover|found out|overheard|saw\b|admitted|confess|reveal|whisper|read\b",
    ),
)


def domain_of(stat: str) -> str:
    """Return what a stat of any campaign is good for; empty where its name says nothing."""
    return next((name for name, (called, _) in DOMAINS.items() if re.search(called, stat, re.IGNORECASE)), "")


def domain_of_text(text: str) -> str:
    """Return the domain that doing this would take."""
    for name, (_, words) in DOMAINS.items():
        if re.search(rf"\b(?:{words})", text, re.IGNORECASE):
            return name
    return ""


def lock_in(*texts: str) -> str:
    """Something in these texts that is locked; or at least can be."""
    whole = " ".join(texts)
    match = LOCK.search(whole)
    if match:
        return trimmed(match[1] or match[2])
    match = SHUT.search(whole)
    return trimmed(match[1]) if match else ""


def trimmed(thing: str) -> str:
    words = [
        word
        for word in thing.lower().split()
        if word not in ("the", "a", "an", "is", "and", "of", "with", "to")
    ]
    return " ".join(words[-2:])


def is_helping(text: str) -> bool:
    return bool(HELPING.search(text))


def kind_of(summary: str) -> str:
    return next((kind for kind, words in KINDS if re.search(rf"(?i)\b(?:{words})", summary)), "event")


def pronouns(person: dict[str, Any]) -> tuple[str, str, str]:
    """Subject, object and possessive, as the description of a person says."""
    given = str(person.get("pronouns") or "").casefold()
    about = " ".join(
        str(part)
        for part in (person.get("appearance"), person.get("role"), *(person.get("habits") or ()))
        if part
    ).casefold()
    her = len(re.findall(r"\b(?:she|her|hers|woman|girl|lady|mother|sister|daughter|queen)\b", about))
    him = len(re.findall(r"\b(?:he|him|his|man|boy|lord|father|brother|son|king)\b", about))
    if given.startswith("she") or (not given and her > him):
        return "she", "her", "her"
    if given.startswith("he") or (not given and him > her):
        return "he", "him", "his"
    return "they", "them", "their"


def sentences(text: str) -> list[str]:
    """Return the sentences of a text; the full stop of a title or of an initial ends none."""
    return [part for part in _SENTENCE_END.split(text.strip()) if part]


_SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!\bDr\.)(?<!\bMr\.)(?<!\bMrs\.)(?<!\bMs\.)(?<!\bSt\.)(?<!\b[A-Z]\.)\s+"
)


def key_sentence(summary: str) -> str:
    """Of an event, the sentence that makes it what it is: the one with the promise, the wrong or the help."""
    words = dict(KINDS).get(kind_of(summary), "")
    parts = sentences(summary)
    matching = [part for part in parts if words and re.search(rf"(?i)\b(?:{words})", part)]
    return matching[-1] if matching else parts[0]


def outcome_in(summary: str) -> str:
    """Of an event, what was so afterwards, where it says that: it is what others want to hear."""
    parts = sentences(summary)
    return parts[-1] if len(parts) > 1 and not re.match(r"It (?:worked|went|ended)\b", parts[-1]) else summary


MOST_WORDS = 16
_YOU = re.compile(r"(?i)^(?:the )?(?:player(?: character)?|you|i)\b[:,]?\s+")
_SCENE = re.compile(
    r"^([^:.]{2,60}): (.+?)(?: \((success|partial success|failure)\))?\.(?: (.+))?$", re.DOTALL
)
_COMMON = re.compile(
    r"^(?:The|A|An|At|In|On|When|After|Before|Some\w*|Every\w*|No\w*|Two|Three|Four|Their|His|Her|Your|It|There|This|"
    r"That|One|All|Both|Half|Most|Many|Much|More|Several|Each|Neither|Either|Five|Six|Seven|Eight|Nine|Ten|Eleven|Twelve|"
    r"What|Who|Where|How|Why|If|While|Since|Under|Over|Behind|Beneath|Between|Another|Enough|Only|Those|These|They|He|She)"
    r"\b"
)


def clause(summary: str, names: tuple[str, ...] = ()) -> str:
    """Return an event as a clause to follow "how" or "where", the player as "you"; empty if it cannot be."""
    text = " ".join(summary.split())
    scene = _SCENE.match(text if text.endswith(".") else f"{text}.")
    if scene and scene[2] and (scene[3] or scene[4] or scene[2][:1].isupper()):
        left = next(iter(sentences(scene[4] or "")), "")
        if left:
            text = left
        else:
            action = _YOU.sub("", scene[2])
            text = f"You {'tried' if scene[3] == 'failure' else 'chose'} to {action[:1].lower()}{action[1:]}"
    text = re.split(r";\s", next(iter(sentences(text)), ""))[0].rstrip(".!?; …")
    for name in names:
        text = re.sub(rf"^{re.escape(name)}\b", "You", text)
    yours = bool(_YOU.match(text))
    text = _YOU.sub("", text) if yours else text
    text = re.sub(r"(?i)\b(?:the )?player's\b", "your", text)
    text = re.sub(r"(?i)\b(?:the )?player\b", "you", text)
    text = f"you {_agreeing(text)}" if yours else _lowered(text)
    return _short(text)


def is_state(clause_text: str) -> bool:
    """Return whether a clause says how things are, and not what was done."""
    return bool(
        re.match(
            r"(?i)you (?:have|are|had|know|owe|work|own|carry|hold|belong|remember|can|may|will)\b",
            clause_text,
        )
    )


def _agreeing(text: str) -> str:
    verb, _, rest = text.partition(" ")
    irregular = {"was": "were", "is": "are", "has": "have", "does": "do", "goes": "go", "tries": "try"}
    if verb in irregular:
        verb = irregular[verb]
    elif re.fullmatch(r"[a-z]+(?:sses|shes|ches|xes)", verb):
        verb = verb[:-2]
    elif re.fullmatch(r"[a-z]+ies", verb):
        verb = f"{verb[:-3]}y"
    elif re.fullmatch(r"[a-z]{2,}[^s\W]s", verb):
        verb = verb[:-1]
    return f"{verb} {rest}".strip()


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:] if _COMMON.match(text) else text


def _short(text: str) -> str:
    words = text.split()
    if len(words) <= MOST_WORDS:
        return text
    for cut in (r",\s", r"\s(?:and|but|while|because|so that|after|before|although)\s"):
        head = re.split(cut, text)[0]
        if 4 <= len(head.split()) <= MOST_WORDS:
            return head
    return ""


_TITLES = """
    dr dr. mr mr. mrs mrs. ms ms. miss sir lady lord dame madam madame captain colonel major general sergeant constable
    inspector officer agent doctor professor judge mayor brother sister father mother abbess abbot bishop reverend
    saint old young uncle aunt grandmother grandfather master mistress king queen prince princess baron baroness count
    countess duke duchess chief elder widow warden the
"""
TITLES = frozenset(_TITLES.split())


def first_name(name: str) -> str:
    """Return the first name without its title: “Ottoline” of “Dame Ottoline Carrow”."""
    words = name.split()
    while len(words) > 1 and words[0].casefold() in TITLES:
        words = words[1:]
    return words[0] if words else ""


_VERB = r"(?:\w+ed|was|is|had|has|did|took|gave|said|told|knew|thought|came|went|let|made|meant|saw|kept|left|stood|heard)"


def about_them(text: str, person: dict[str, Any]) -> str:
    """Return the clause with a pronoun where it names the person who is spoken to."""
    subject, other, possessive = pronouns(person)
    name = str(person.get("name") or "")
    words = name.split()
    titled = " ".join(words[:2]) if words and words[0].casefold() in TITLES else ""
    called = {name, titled, first_name(name), str(person.get("id") or "")}
    called |= {f"the {words[0]}"} if titled and words[0].casefold() != "the" else set()  # “the abbess”
    role = str(person.get("role") or "").split(",")[0]
    called |= {f"the {role}", f"a {role}", role} if role and len(role.split()) <= 2 else set()
    for one in sorted((one for one in called if len(one) > 2), key=len, reverse=True):
        text = re.sub(rf"(?i)\b{re.escape(one)}['’]s\b", possessive, text)
        text = re.sub(rf"(?i)^{re.escape(one)}\b", subject, text)
        text = re.sub(rf"(?i)(?<=\band ){re.escape(one)}(?= {_VERB}\b)", subject, text)
        text = re.sub(rf"(?i)\b{re.escape(one)}\b", other, text)
    return text
