"""Splits a player's words into what is done one after another, without what only leads up to it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from narratoria.planner.late_pattern import compile_late
from narratoria.planner.word_lists import WORDS

QUOTED = compile_late(r"[“\"]([^”\"]+)[”\"]")
_CLAUSE = compile_late(
    r"(?<=[.!?;…])\s+|\s+(?:and then|then|before I|after that)\s+(?!\w+$)|,\s*(?:and\s+)?then\s+(?!\w+$)|"
    r",\s+(?=I\s)|\n+",
    re.IGNORECASE,
)


def _any_of(phrases: Iterable[str]) -> str:
    """Return a pattern for any of some phrases, the longest first; a space stands for any space."""
    ordered = sorted(phrases, key=len, reverse=True)
    return "|".join(re.escape(phrase).replace(r"\ ", r"\s+").replace("'", "['’]?") for phrase in ordered)


_ABBREVIATION = compile_late(rf"\b((?:{_any_of(WORDS.abbreviations)}|[A-Z]))\.(?=\s)", re.IGNORECASE)
_LEAD_IN = compile_late(
    rf"^\W*(?:(?:{_any_of(WORDS.lead_ins)})(?:\s*[,.!…:;—–-]+\s*|\s+(?=(?:so|then|well|i|i['’]ll|i['’]m|let['’]?s)\b)))+"
    r"(?:(?:so|then|well|now)\b,?\s+(?=i\b|i['’]|let))?",
    re.IGNORECASE,
)
_PREPARATION = compile_late(
    rf"^\W*(?:i\s+)?(?:{_any_of(WORDS.preparations)})\s*(?:,|\band\b|\bthen\b)\s*(?:and\s+|then\s+)*(?=\w)",
    re.IGNORECASE,
)
_WISH = compile_late(
    r"^\W*(?:"
    r"i(?:\s+(?:really|just|still|only))?\s+(?:want|wanna|would\s+(?:like|love)|decide|intend|mean|try|plan|need|wish)"
    r"(?:\s+(?:to|and))?|"
    r"i\s*['’]?d\s+(?:really\s+)?(?:like|love)\s+to|"
    r"(?:i\s*['’]?m|im|i\s+am)\s+(?:just\s+)?(?:going\s+to|gonna|about\s+to|off\s+to|trying\s+to)|"
    r"(?:i\s*['’]?ll|i\s+will|ill)\s+(?:just\s+)?(?:try\s+(?:to|and))?|"
    r"i\s+gotta|gonna|wanna|time\s+to|it['’]?s\s+time\s+to|might\s+as\s+well|i\s+might\s+as\s+well|i\s+think\s+i['’]?ll|"
    r"try\s+(?:to|and)|let\s+me|let['’]?s|let\s+us|can\s+i|could\s+i|may\s+i"
    r")\s+(?:just\s+|maybe\s+|go\s+and\s+|please\s+)?(?=[a-z])",
    re.IGNORECASE,
)
_HAVE_A_GO = compile_late(
    r"^\W*(?:i\s+)?(?:have|take|give)\s+(?:it\s+)?a\s+(?:go|turn|try|crack|bash)\s+(?:on|at|with)\s+(?=\w)",
    re.IGNORECASE,
)
_NEEDS_TO = compile_late(r"\b(?:want|like|love|decide|intend|mean|plan|need|wish)\s*$", re.IGNORECASE)
_ASKS_LEAVE = compile_late(r"^\W*(?:can|could|may)\s+i\b", re.IGNORECASE)
_ASKS_TO_LET = compile_late(r"^\W*let\s+me\b", re.IGNORECASE)
_NO_ACT = compile_late(
    r"^\W*(?:i\s+)?(?:don['’]?t\s+\w+|\w+\s+(?:nothing|not\s+a\s+word|no\s+more))\b|"
    r"^\W*(?:(?:he|she|it|they)\s+)?(?:seems|looks|sounds|feels|smells)\s+(?!for\b|at\b|in\b|under\b|like\s+I\b)\w+\W*$",
    re.IGNORECASE,
)
_OWN_POCKET = compile_late(
    r"^\W*(?:i\s+)?(?:take|pull|get|fish|dig|bring|draw|produce|whip|slip)\b.*\b(?:out\s+of|from|out\s+from)\s+my\s+\w+",
    re.IGNORECASE,
)
_TAG = compile_late(  # "..., and I'll put in a good word for you. Deal?"
    r"^\W*(?:is\s+it\s+a\s+|do\s+we\s+have\s+a\s+)?(?:deal|right|ok|okay|alright|all\s+right|agreed|got\s+it|get\s+it|"
    r"understand|understood|you\s+understand|you\s+hear(?:\s+me)?|huh|eh|hm+|yeah|yes|no|please|savvy|fair)\W*$",
    re.IGNORECASE,
)
_FINDING_OUT = compile_late(
    r"^\W*(?:i\s+)?(?:(?:try\s+)?to\s+)?(?:see|check|watch|find\s+out|make\s+sure)\s+"
    r"(?:if|whether|what|where|who|how|which|that)\b",
    re.IGNORECASE,
)
_TWO_QUESTIONS = compile_late(  # "what's your name and where are your parents"
    r"^(.*\b(?:who|what|where|when|why|how|which|do|did|are|is|was|have)\b.*?),?\s+and\s+"
    r"((?:who|what|where|when|why|how|which)(?:['’]?s|['’]?re)?\s+(?!to\b)\w.*)$",
    re.IGNORECASE | re.DOTALL,
)
_ONE_QUESTION = compile_late(  # “when did you last go and see them?”: whatever verbs it has, it is asked
    r"^\W*(?:who|what|where|when|why|how|which|whose|do|does|did|have|has|had|are|is|was|were|will|would)\b.*\?\W*$",
    re.IGNORECASE | re.DOTALL,
)
_PROPOSED = compile_late(
    r"\b(?:let['’]?s|shall\s+we|(?:can|could|would|will)\s+you|why\s+don['’]?t\s+(?:you|we))\b", re.IGNORECASE
)
_IMPERATIVE = compile_late(  # "plump up her pillows": a verb that no list has, and what it is done to
    r"^\W*(?!(?:i|you|he|she|it|we|they|this|that|these|those|there|here|and|but|or|so|if|in|on|at|of|to|for|with|from|"
    r"by|as|all|both|half|not|no|yes|what|who|where|when|why|how|which|is|are|was|were|do|does|did|have|has|had|can|could|"
    r"will|would|shall|should|may|might|must|the|a|an|my|your|his|her|their|our)\b)[a-z]+\s+(?:(?:up|down|out|off|over|"
    r"open|back|away|round|around)\s+)?(?:the|my|his|her|their|it|him|them)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = compile_late(
    r"^\W*(?:i|i['’](?:m|ll|ve|d))\s+(?:just\s+|quietly\s+|slowly\s+|\w+ly\s+)?([\w'’-]+)", re.IGNORECASE
)


def split_clauses(text: str) -> list[str]:
    """Return the parts of an action that are done one after another; what is quoted stays whole."""
    if QUOTED.fullmatch(text.strip()):
        return [text.strip()]
    quotations: list[str] = []

    def hold(match: re.Match[str]) -> str:
        quotations.append(match[0])
        return f"\x00{len(quotations) - 1}\x00"

    masked_text = _ABBREVIATION.sub(hold, QUOTED.sub(hold, text))
    clauses = [
        clause
        for part in _CLAUSE.split(masked_text)
        if part and part.strip(" ,")
        for clause in _split_verbs(part)
    ]
    return [
        restored
        for clause in clauses
        if (restored := re.sub(r"\x00(\d+)\x00", lambda match: quotations[int(match[1])], clause).strip(" ,"))
    ]


def _split_verbs(part: str) -> list[str]:
    """Return a sentence's parts that begin with "and" and a verb; a proposal or a question stays whole."""
    if _PROPOSED.search(part):
        return [part]
    if two := _TWO_QUESTIONS.match(part):
        return [two[1].strip(), *_split_verbs(two[2].strip())]
    if _ONE_QUESTION.match(part):
        return [part]
    pieces = re.split(r"\s*,?\s+and\s+(?=(?:I\s+)?([\w'-]+))", part)
    clauses, clause = [], pieces[0]
    for verb, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        words = piece.split()
        word = words[1] if verb.casefold() == "i" and len(words) > 1 else verb
        if word.casefold() in WORDS.verbs:
            clauses.append(clause)
            clause = piece
        else:
            clause = f"{clause} and {piece}"
    return [*clauses, clause]


def strip_lead_ins(text: str) -> str:
    """Return an action without the words that only lead up to it, as long as something is left to do."""
    rest = text
    while (match := _LEAD_IN.match(rest) or _PREPARATION.match(rest)) and re.search(
        r"\w", rest[match.end() :]
    ):
        rest = rest[match.end() :]
    return rest


def strip_wish(clause: str) -> str:
    """Return what somebody wants to do, without saying that they want it: "I'd like to sit" is sitting."""
    clause = _HAVE_A_GO.sub("use ", clause)
    match = _WISH.match(clause)
    if match is None:
        return clause
    rest = clause[match.end() :]
    verb = (re.findall(r"[\w'’-]+", rest) or [""])[0].casefold()
    if _NEEDS_TO.search(match[0]) or verb in ("be", "know", "never", "not", "always"):
        return clause  # a wish for a thing, or for how things should be
    if _ASKS_LEAVE.match(clause) and re.search(r"\byou", rest, re.IGNORECASE):
        return clause  # asked of somebody
    if _ASKS_TO_LET.match(clause) and (verb not in WORDS.verbs or (verb == "go" and len(rest.split()) < 2)):
        return clause  # begged for
    return rest


def is_act(clause: str) -> bool:
    """Return whether a clause says what the player does: "I" and a verb of doing, or the bare verb."""
    if match := _FIRST_PERSON.match(clause):
        return match[1].casefold() not in WORDS.state_verbs
    words = re.findall(r"[\w'’-]+", re.sub(r"^\W*(?:you|we)\s", "", clause, flags=re.IGNORECASE))
    return bool(words) and (words[0].casefold() in WORDS.verbs or _IMPERATIVE.match(clause) is not None)


def is_no_act(clause: str) -> bool:
    """Return whether a clause says what is not done, or how somebody seems: "ask nothing", "seems sad"."""
    return _NO_ACT.match(clause) is not None


def is_tag(clause: str) -> bool:
    """Return whether a clause only asks for a nod to what was said before it: "Deal?"."""
    return _TAG.match(clause) is not None


def is_finding_out(clause: str) -> bool:
    """Return whether a clause says only what is to be found out: "see if she flinches"."""
    return _FINDING_OUT.match(clause) is not None


def is_from_own_pocket(clause: str) -> bool:
    """Return whether something is only got out of what the player carries."""
    return _OWN_POCKET.match(clause) is not None
