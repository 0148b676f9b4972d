"""Finds what is wrong with a paragraph that a model wrote, for `narratoria.sdk.narration`."""

from __future__ import annotations

import re

TYPE_CHECKING = False  # importing `typing` would cost as much as all the rest
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

SHORTEST = 20  # characters; less is no paragraph


def faults(paragraph: str, facts: dict[str, Any], draft: Sequence[str], drafted: str = "") -> list[str]:
    """Return why this paragraph must not be told, as far as its words show; others judge what it means.

    `drafted` is the paragraph of the draft whose place it takes: how the deed ended need stand in one alone.
    """
    outside = _without_speech(paragraph)
    reasons = []
    if len(paragraph) < SHORTEST:
        reasons.append("it is no paragraph")
    if re.search(_FIRST_PERSON, outside):
        reasons.append("it speaks in the first person")
    if re.search(_OF_THE_GAME, outside):
        reasons.append("it speaks of the game, not of the story")
    if re.search(r"\?\s*$", outside) or re.search(r"\bwhat (?:do|will) you\b", outside, re.IGNORECASE):
        reasons.append("it asks the player what to do")
    if spoken := re.findall(_FOR_THE_PLAYER, outside):
        words = {word for text in draft for word in re.findall(r"\b[Yy]ou (\w+)", text)}
        if any(verb not in words for verb in spoken):
            reasons.append("it speaks or decides for the player")
    if strangers := _strangers(outside, facts, draft):
        reasons.append(f"it names {', '.join(sorted(strangers)[:3])}, of whom nobody has heard")
    ended = _mapping(facts.get("roll")).get("outcome")
    if (against := _against_outcome(outside, ended)) and not (
        drafted and _against_outcome(_without_speech(drafted), ended)
    ):
        reasons.append(against)
    reasons += _from_nowhere(outside, facts, draft)
    if repeats(paragraph):
        reasons.append("it goes round in circles")
    return reasons


# Patterns are compiled when they are first looked for: most scenes are told without a model, and need none.
_FIRST_PERSON = r"\b(?:I|[Mm]e|[Mm]y|[Mm]yself|[Ww]e|[Uu]s|[Oo]urs?|[Oo]urselves)\b"
_OF_THE_GAME = (  # and not of the draft that comes in under a door
    r"(?i)\b(?:the player|(?:the|this|my|your) draft|as an AI|language model|narrator|instructions?)\b"
)
_FOR_THE_PLAYER = (
    r"\b[Yy]ou (say(?! nothing\b)|reply|answer|ask|shout|whisper|decide(?= to\b)|promise|think(?= that\b))\b"
)


def _words(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


_FAILS = (
    r"(?i)\b(?:not|\w+n['’]t|fail\w*|break\w*|broken|miss\w*|slips?|too|but|cannot|never|lose|loses|lost|no|wrong|"
    r"late|falls?|short|nothing|without|in vain|almost|snaps?|stumbl\w+|holds? (?:fast|firm)|"
    r"stays? (?:shut|closed)|refus\w+)\b"
)
_SUCCEEDS = (
    r"(?i)\b(?:(?<!not )(?<!never )(?<!without )fail(?:s|ed|ure)?|in vain|do(?:es)?(?: not|n['’]t) work|"
    r"give up|can(?:no|’|')t(?! (?:help|believe|but)\b)|misses|"
    r"(?:(?:will|does) not|(?:wo|does)n['’]t) budge)\b"
)


def _against_outcome(text: str, outcome: Any) -> str:
    """Only the plainest: a failure in which nothing goes wrong, a success that fails."""
    if outcome == "failure" and not re.search(_FAILS, text):
        return "nothing goes wrong in it, and it was a failure"
    if outcome == "success" and re.search(_SUCCEEDS, text):
        return "it fails in it, and it was a success"
    return ""


def _strangers(outside: str, facts: dict[str, Any], draft: Sequence[str]) -> set[str]:
    """Capitalised words inside sentences that stand nowhere in what is known."""
    words = re.findall(r"(?<![.!?…:“\"]\s)(?<!^)(?<![“\"‘])(?<!(?<!\w)')\b([^\W\d_]{3,})\b", outside)
    inside = [word for word in words if word[0].isupper() and not word.isupper()]
    if not inside:
        return set()
    vocabulary = _vocabulary(facts, draft)
    return {word for word in inside if not _is_known(word, vocabulary)}


_DEATH = (
    r"(?i)\b(?:kill(?:s|ed|ing)?|stab(?:s|bed|bing)?|slay(?:s|ing)?|slain|corpse|dies|"
    r"(?:falls?|drops?|lies) dead)\b"
)
_NO_DEATH = (  # “the wind dies”
    r"(?i)\b(?:breeze|candle|echo|engine|fire|flame|glow|lamp|laugh|laughter|light|murmur|music|noise|smile|song|"
    r"sound|storm|voice|wind) dies\b|\bdies (?:away|down|out)\b|\bkills? the (?:engine|lamp|lights?)\b"
)
_GAINED = r"\b[Yy]ou (?:find|discover|uncover|pocket|pick up|take) an? ((?:[\w-]+ ?){1,3})"
_NO_GAIN = (
    r"\b(?:beat|bit|bite|breath|chance|comfort|corner|few|foothold|gap|glance|grip|handhold|hold|instant|kind|"
    r"liking|look|measure|minute|moment|path|pause|place|rest|rhythm|seat|second|sense|sip|sort|spot|stance|"
    r"step|turn|way|while)\b"
)
_SMALL = (  # words that stand in every draft
    r"\b(?:a|an|and|are|as|at|behind|beneath|beside|by|for|from|her|his|in|inside|into|is|it|its|near|of|on|over|"
    r"that|the|their|there|to|under|up|where|which|who|with|you|your)\b"
)


_LEAVES = (
    r"(?i)\byou (?:board(?! up\b)|depart|arrive|sail|set (?:off|out(?! (?:the|your)\b))|return to|"
    r"leave (?:the(?! \w+ (?:ajar|alone|as|be|closed|open|shut|where)\b)|for|town)|"
    r"(?:go|walk|head|run) (?:away|back|home|off|out|to the))\b"
)
_MOVES = (
    r"(?i)\b(?:board(?:s|ing)?|depart\w*|arriv\w+|sail\w*|set(?:s|ting)? (?:off|out)|leav\w+|return\w*|"
    r"go(?:es|ing)?(?! on\b)|walk\w*|head(?:s|ing)? (?:for|to|back)|run(?:s|ning)?|follow\w*|cross\w*|"
    r"climb\w*|flee\w*|escap\w+|sneak\w*|swim\w*|ride|riding)\b"
)


def _from_nowhere(outside: str, facts: dict[str, Any], draft: Sequence[str]) -> list[str]:
    """Return what the story would have to know of from now on, and does not."""
    reasons = []
    happens = " ".join([*draft, str(_mapping(facts.get("action")).get("text") or "")])
    if _tells_of_death(outside) and not _tells_of_death(happens):
        reasons.append("somebody is killed in it, and nobody was")
    if re.search(_LEAVES, outside) and not re.search(_MOVES, happens):
        reasons.append("the player goes elsewhere in it, and did not")
    gained = [gain.casefold() for gain in re.findall(_GAINED, outside) if not re.search(_NO_GAIN, gain)]
    vocabulary = _vocabulary(facts, draft) if gained else set()
    if not all(
        any(_is_known(word, vocabulary) for word in re.sub(_SMALL, "", gain).split()) for gain in gained
    ):
        reasons.append("it gives the player what is not there")
    return reasons


def _tells_of_death(text: str) -> bool:
    return re.search(_DEATH, re.sub(_NO_DEATH, "", text)) is not None


def _vocabulary(facts: dict[str, Any], draft: Sequence[str]) -> set[str]:
    return {
        word.casefold() for text in (*draft, *_everything(facts)) for word in re.findall(r"[^\W\d_]+", text)
    }


def _is_known(word: str, vocabulary: set[str]) -> bool:
    """Return whether it is one of these words, or one of them is its plural or its singular."""
    folded = word.casefold()
    return (
        folded in vocabulary
        or f"{folded}s" in vocabulary
        or (folded[-1:] == "s" and folded[:-1] in vocabulary)
    )


def repeats(paragraph: str) -> bool:
    """Return whether the same five words come three times, or three words five: a model has lost its way."""
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
