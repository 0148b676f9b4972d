"""What is wrong with a paragraph that a model wrote, for `narratoria.sdk.narration`."""

from __future__ import annotations

import re

TYPE_CHECKING = False  # importing `typing` would cost as much as all the rest
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

SHORTEST = 20  # characters; less is no paragraph


def faults(paragraph: str, facts: dict[str, Any], draft: Sequence[str], drafted: str = "") -> list[str]:
    """Why this paragraph must not be told, as far as its words show; what it means is for others to judge.

    `drafted` is the paragraph of the draft whose place it takes: how the deed ended need stand in one alone.
    """
    outside = _without_speech(paragraph)
    told = []
    if len(paragraph) < SHORTEST:
        told.append("it is no paragraph")
    if re.search(r"\b(?:I|I'm|I’m|my|we|our)\b", outside):
        told.append("it speaks in the first person")
    if re.search(
        r"\b(?:the player|draft|as an AI|language model|narrator|instructions?)\b", outside, re.IGNORECASE
    ):
        told.append("it speaks of the game, not of the story")
    if re.search(r"\?\s*$", outside) or re.search(r"\bwhat (?:do|will) you\b", outside, re.IGNORECASE):
        told.append("it asks the player what to do")
    if re.search(r"\b[Yy]ou (?:say|reply|answer|ask|shout|whisper|decide to|promise|think that)\b", outside):
        words = {word for text in draft for word in re.findall(r"\b[Yy]ou (\w+)", text)}
        spoken = re.findall(r"\b[Yy]ou (say|reply|answer|ask|shout|whisper|decide|promise|think)\b", outside)
        if any(verb not in words for verb in spoken):
            told.append("it speaks or decides for the player")
    if strangers := _strangers(outside, facts, draft):
        told.append(f"it names {', '.join(sorted(strangers)[:3])}, of whom nobody has heard")
    ended = _mapping(facts.get("roll")).get("outcome")
    if (against := _against_outcome(outside, ended)) and not (
        drafted and _against_outcome(_without_speech(drafted), ended)
    ):
        told.append(against)
    told += _from_nowhere(outside, facts, draft)
    if repeats(paragraph):
        told.append("it goes round in circles")
    return told


def copied(paragraph: str, draft: str) -> float:
    """How much of a paragraph is the draft's own, 0 to 1: of each four words in a row outside of speech."""
    told, there = (_fours(_without_speech(text)) for text in (paragraph, draft))
    if _words(paragraph) == _words(draft):
        return 1.0
    known = set(there)
    return sum(four in known for four in told) / len(told) if told else 0.0


def _fours(text: str) -> list[tuple[str, ...]]:
    words = _words(text).split()
    return [tuple(words[start : start + 4]) for start in range(len(words) - 3)]


def unspoken(paragraph: str, draft: str) -> list[str]:
    """What is said or read in this paragraph of the draft, and is left out: the story may turn on it."""
    told = _words(paragraph)
    return [f"it leaves out “{said}”" for said in re.findall(r"“([^”]+)”", draft) if _words(said) not in told]


def _words(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


_FAILS = re.compile(
    r"\b(?:not|n't|n’t|fails?|break\w*|broken|miss\w*|slips?|too|but|cannot|never|lose|loses|lost|no|wrong|late|"
    r"falls?|short|nothing|without|stays? (?:shut|closed)|refus\w+)\b",
    re.IGNORECASE,
)
_SUCCEEDS = re.compile(
    r"\b(?:fail(?:s|ed|ure)?|in vain|do(?:es)? not work|give up|can(?:no|’|')t|misses|"
    r"(?:will not|won['’]t) budge)\b",
    re.IGNORECASE,
)


def _against_outcome(text: str, outcome: Any) -> str:
    """Only the plainest: a failure in which nothing goes wrong, a success that fails."""
    if outcome == "failure" and not _FAILS.search(text):
        return "nothing goes wrong in it, and it was a failure"
    if outcome == "success" and _SUCCEEDS.search(text):
        return "it fails in it, and it was a success"
    return ""


def _strangers(outside: str, facts: dict[str, Any], draft: Sequence[str]) -> set[str]:
    """Capitalised words inside sentences that stand nowhere in what is known."""
    inside = re.findall(r"(?<![.!?…:“\"]\s)(?<!^)(?<![“\"‘'])\b([A-Z][a-zà-ÿ]{2,})\b", outside)
    if not inside:
        return set()
    known = _known(facts, draft)
    return {word for word in inside if word.casefold() not in known and not _is_of(word, known)}


_DEATH = re.compile(
    r"\b(?:kill(?:s|ed|ing)?|stab(?:s|bed|bing)?|slay(?:s|ing)?|slain|corpse|dies|"
    r"(?:falls?|drops?|lies) dead)\b",
    re.IGNORECASE,
)
_GAINED = re.compile(r"\b[Yy]ou (?:find|discover|uncover|pocket|pick up|take) an? ((?:[\w-]+ ?){1,3})")
_NO_GAIN = re.compile(
    r"\b(?:beat|bit|bite|breath|chance|corner|few|glance|hold|liking|look|minute|moment|path|pause|place|rest|"
    r"seat|second|sip|stance|step|turn|way|while)\b"
)


_LEAVES = re.compile(
    r"\byou (?:board|depart|arrive|sail|set (?:off|out)|leave (?:the|for|town)|return to|"
    r"(?:go|walk|head|run) (?:away|back|home|off|out|to the))\b",
    re.IGNORECASE,
)
_MOVES = re.compile(
    r"\b(?:board(?:s|ing)?|depart\w*|arriv\w+|sail\w*|set(?:s|ting)? (?:off|out)|leav\w+|return\w*|"
    r"go(?:es|ing)?(?! on\b)|walk\w*|head(?:s|ing)? (?:for|to|back)|run(?:s|ning)?|follow\w*|cross\w*|"
    r"climb\w*|flee\w*|escap\w+|sneak\w*|swim\w*|ride|riding)\b",
    re.IGNORECASE,
)


def _from_nowhere(outside: str, facts: dict[str, Any], draft: Sequence[str]) -> list[str]:
    """What the story would have to know of from now on, and does not."""
    told = []
    happens = " ".join([*draft, str(_mapping(facts.get("action")).get("text") or "")])
    if _DEATH.search(outside) and not _DEATH.search(happens):
        told.append("somebody is killed in it, and nobody was")
    if _LEAVES.search(outside) and not _MOVES.search(happens):
        told.append("the player goes elsewhere in it, and did not")
    gained = [found.casefold() for found in _GAINED.findall(outside) if not _NO_GAIN.search(found)]
    if gained and not all(_known(facts, draft) & set(found.split()) for found in gained):
        told.append("it gives the player what is not there")
    return told


def _known(facts: dict[str, Any], draft: Sequence[str]) -> set[str]:
    return {
        word.casefold() for text in (*draft, *_everything(facts)) for word in re.findall(r"[^\W\d_]+", text)
    }


def _is_of(word: str, known: set[str]) -> bool:
    stem = word.casefold()
    return any(stem == other + "s" or other == stem + "s" for other in known)


def repeats(paragraph: str) -> bool:
    """Whether five words come three times in a row, or three words five times: a model has lost its way."""
    words = paragraph.casefold().split()
    return _most(words, 5) >= 3 or _most(words, 3) >= 5


def _most(words: Sequence[str], length: int) -> int:
    seen: dict[tuple[str, ...], int] = {}
    for start in range(len(words) - length + 1):
        stretch = tuple(words[start : start + length])
        seen[stretch] = seen.get(stretch, 0) + 1
    return max(seen.values(), default=0)


def _everything(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for one in value.values() for text in _everything(one)]
    if isinstance(value, list):
        return [text for one in value for text in _everything(one)]
    return []


def _without_speech(text: str) -> str:
    return re.sub(r"“[^”]*(?:”|$)|\"[^\"]*(?:\"|$)", "“”", text)


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
