"""Reads an action without a model: who is meant, what is done, and what is only talked of."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from narratoria.planner.lexicon import (
    ADDRESSED,
    CONSIDERED,
    DENIED,
    GROUP,
    PRONOUN,
    QUESTION,
    SIGNS,
    STRANGER,
    TO_THE_MACHINE,
)
from narratoria.planner.word_lists import WORDS

MAX_READ_CHARS = 600  # of an action, which a reader or a trained model is given
MAX_PROMPT_CHARS = 400  # of an action, which a model that is prompted is given

_HEADED = r"(?<!#)#{2,}+[ \t]*+(?:instructions?|input|response|system|assistant|user|human)\b"
_MARK = re.compile(
    r"[<＜][|｜][ \t]{0,9}/?[\w▁][\w▁./:=-]{0,60}[ \t]{0,9}[|｜][>＞]?"  # <|im_end|>
    r"|[<＜][|｜]/?[\w▁][\w▁./:=-]{0,60}[>＞]?"  # also where it is not closed
    r"|[<＜][\w▁]{1,60}[|｜][>＞]"
    r"|[<＜]{1,2}/?(?:s|bos|eos|bot|eot|eod|unk|pad|cls|sep|mask|sop|eop|sys|system|assistant|user|human|developer"
    r"|start_of_\w+|end_of_\w+|extra_id_\d+|unused\d+|reserved_\w+|think|tools?|tool_\w+|function_\w+)[>＞]{1,2}"
    r"|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_\w+)\]"
    r"|(?-i:\[/?(?:[BE]OS|CLS|SEP|g?MASK|PAD|UNK)\])"
    # with a colon, or alone in its line: “## Human remains” is a heading of the player's own
    rf"|{_HEADED}[ \t]*+:|(?:^|(?<=[>＞\]]))[ \t]*+{_HEADED}[ \t]*+$",
    re.IGNORECASE | re.MULTILINE,
)
# behind a mark: whose words follow it
_SPEAKER = re.compile(
    r"\s*(system|assistant|developer|model|tool|function|ipython|environment|observation|analysis|commentary"
    r"|user|human)\b[ \t]*:?",
    re.IGNORECASE,
)
_PART = re.compile(r"[a-z]+")
_NOT_THE_PLAYER = WORDS.machine_roles
_THE_PLAYER = WORDS.player_roles
_CLOSING = WORDS.turn_ends


def remove_chat_marks(text: str) -> str:
    """Return the text without a chat template's marks and without what they give others to say."""
    player_texts: list[str] = []
    at, by_player = 0, True
    for mark in _MARK.finditer(text):
        if by_player:
            player_texts.append(text[at : mark.start()].strip())
        at, by_player = mark.end(), _is_players(mark[0].casefold(), by_player)
        if speaker := _SPEAKER.match(text, at):
            at, by_player = speaker.end(), speaker[1].casefold() in _THE_PLAYER
    if not at:
        return text
    if by_player:
        player_texts.append(text[at:].strip())
    return "\n".join(filter(None, player_texts))


def _is_players(mark: str, so_far: bool) -> bool:
    """Return whether the text after a mark is the player's; a mark that closes a turn leaves it to them."""
    parts = frozenset(_PART.findall(mark))
    if "header" in parts:  # it closes a speaker's name
        return so_far
    if "/" in mark or parts & (_CLOSING | _THE_PLAYER):
        return True
    return so_far and not parts & _NOT_THE_PLAYER


Mend: TypeAlias = Callable[[str, Collection[str]], str]

LONGEST = 2000  # characters of an action that are read
_SENTENCE = re.compile(r"(?<=[.!?…])[\"”']?\s+|\n+")
_CLAUSE = re.compile(
    r"(?<=[.!?;:…])\s+|,\s+(?=(?:and|but|then|so|or|while|I|instead)\b)"
    r"|\s+(?:but|and then|then|instead)\s+|\n+"
)
_SPECIAL = re.compile(r"\b[a-z]+(?:-[a-z]+)+\b")
_TITLES = WORDS.titles


@dataclass(frozen=True, slots=True)
class PlayerAction:
    """An action as the rules understand it."""

    text: str  # what is said in the story; what is said to the machine is left out
    masked: str  # with roles for names
    parts: tuple[str, ...]  # clauses that are done, not denied and not merely thought of
    signs: Mapping[str, float]
    known_people: tuple[str, ...]  # ids of the people who are meant and have been met
    strangers: tuple[str, ...]  # and of those who have not
    groups: tuple[str, ...]  # names

    def has(self, *signs: str) -> bool:
        return any(self.signs.get(sign) for sign in signs)


def read_action(
    text: str,
    context: Mapping[str, Any],
    names: Iterable[str] = (),
    mend: Mend | None = None,
) -> PlayerAction:
    """Return what the rules understand of an action; `names` are of skills, `mend` corrects spelling."""
    story_text = remove_orders(text[:LONGEST], frozenset(names))
    people = [person for person in get_list(context, "people") if isinstance(person, Mapping)]
    mended_text = mend(story_text, _all_names(people, context)) if mend else story_text
    people_meant = [person for person in people if _is_meant(person, mended_text)]
    known_people = tuple(person_id(person) for person in people_meant if person.get("met", True))
    strangers = tuple(person_id(person) for person in people_meant if not person.get("met", True))
    groups = _groups(mended_text, context)
    clauses = [clause for clause in _CLAUSE.split(mended_text) if clause.strip()]
    acted_clauses = tuple(
        clause for clause in clauses if not DENIED.search(clause) and not _is_idle_thought(clause)
    )
    signs = _signs(mended_text, acted_clauses, clauses)
    signs |= {
        "known": float(bool(known_people)),
        "strangers": float(bool(strangers)),
        "group": float(bool(groups)),
        "anyStranger": float(any(not person.get("met", True) for person in people)),
        "anyKnown": float(any(person.get("met", True) for person in people)),
        "alone": float(not people),
        "others": float(bool(get_list(context, "others"))),
        "onlyOne": float(len(people) == 1),
    }
    return PlayerAction(
        story_text,
        mask_names(mended_text, people_meant, groups),
        acted_clauses,
        signs,
        known_people,
        strangers,
        groups,
    )


def remove_orders(text: str, names: frozenset[str] = frozenset()) -> str:
    """Return the action without the sentences that speak to the machine instead of in the story."""
    special = {name.casefold() for name in names if "-" in name}
    sentences = [
        sentence
        for sentence in _SENTENCE.split(remove_chat_marks(text))
        if sentence
        and not TO_THE_MACHINE.search(sentence)
        and not any(word.group() in special for word in _SPECIAL.finditer(sentence.casefold()))
    ]
    return " ".join(sentences).strip()


def mask_names(text: str, people: Sequence[Mapping[str, Any]], groups: Sequence[str]) -> str:
    """Replace names by roles: an embedder knows what a role means and has never met the name."""
    for group in groups:
        text = re.sub(rf"(?:\bthe )?\b{re.escape(group)}\b", "the guild", text, flags=re.IGNORECASE)
    for person in people:
        role = "Sam" if person.get("met", True) else "the stranger"
        words = [word for word in _name_words(person) if word[0].isupper()]
        if words:
            pattern = "|".join(map(re.escape, words))
            text = re.sub(
                rf"(?:\b(?:Mr|Mrs|Miss|Dr|Doc|Sir|Captain)\.? )?\b(?:{pattern})\b(?: (?:{pattern})\b)*",
                role,
                text,
                flags=re.IGNORECASE,
            )
    return text


def _signs(text: str, acted_clauses: Sequence[str], clauses: Sequence[str]) -> dict[str, float]:
    acted_text = " . ".join(acted_clauses)
    signs = {name: float(bool(words.search(acted_text))) for name, words in SIGNS.items()}
    signs |= {f"{name}?": float(bool(words.search(text))) for name, words in SIGNS.items()}
    first = text[:1]
    return signs | {
        "not": float(bool(DENIED.search(text))),
        "maybe": float(bool(CONSIDERED.search(text))),
        "allDenied": float(not acted_clauses),
        "question": float(bool(QUESTION.search(text))),
        "endsAsking": float(text.rstrip(" \"”'").endswith("?")),
        "speech": float(bool(ADDRESSED.search(text))),
        "groupWord": float(bool(GROUP.search(text))),
        "pronoun": float(bool(PRONOUN.search(text))),
        "newWord": float(bool(STRANGER.search(text))),
        "I": float(bool(re.search(r"\bI\b|\bi\b", text))),
        "exclaims": float("!" in text),
        "capital": float(bool(re.search(r"(?<=[a-z,] )[A-Z][a-z]+", text))),
        "short": float(len(text.split()) <= 4),
        "long": float(len(text.split()) > 25),
        "many": float(len(clauses) > 2),
        "quoted": float(first in '"“'),
        "empty": float(not text),
    }


def _is_idle_thought(clause: str) -> bool:
    return bool(CONSIDERED.search(clause))


def _is_meant(person: Mapping[str, Any], text: str) -> bool:
    words = _name_words(person)
    return any(re.search(rf"\b{re.escape(word)}(?:'s|s)?\b", text, re.IGNORECASE) for word in words)


def _name_words(person: Mapping[str, Any]) -> list[str]:
    """Return the words by which a person may be called: of the name and of a short description."""
    name, about = str(person.get("name") or ""), str(person.get("appearance") or "")
    description = about.split(",", maxsplit=1)[0].split(" with ", maxsplit=1)[0] if len(about) < 60 else ""
    words = [word.strip(".,'\"") for word in f"{name} {description}".split()]
    name_words = [word for word in words if len(word) > 2 and word.casefold() not in _TITLES]
    titles = [
        word
        for word in name.split()
        if word.casefold()
        in _TITLES - {"the", "old", "young", "of", "a", "mr", "mrs", "miss", "with", "from", "who"}
    ]
    return list(dict.fromkeys(name_words + [title for title in titles if len(title) > 3]))


def _groups(text: str, context: Mapping[str, Any]) -> tuple[str, ...]:
    names = []
    for faction in get_list(context, "factions"):
        name = str(faction.get("name") if isinstance(faction, Mapping) else faction)
        words = [word for word in re.findall(r"[\w'-]{4,}", name) if word.casefold() not in _TITLES]
        for form in (name.removeprefix("the "), *words):
            stem = form.removesuffix("s").removesuffix("'")
            if re.search(rf"\b{re.escape(stem)}(?:s|'s|s')?\b", text, re.IGNORECASE):
                names.append(name)
                break
    return tuple(names)


def _all_names(people: Iterable[Mapping[str, Any]], context: Mapping[str, Any]) -> frozenset[str]:
    """Return the words of all names, which are never misspelt."""
    texts = [str(person.get("name") or "") for person in people]
    texts += [
        str(faction.get("name") if isinstance(faction, Mapping) else faction)
        for faction in get_list(context, "factions")
    ]
    return frozenset(word for text in texts for word in re.findall(r"[a-z]+", text.casefold()))


def person_id(person: Mapping[str, Any]) -> str:
    return str(person.get("id") or person.get("name") or "")


def get_list(context: Mapping[str, Any], name: str) -> Sequence[Any]:
    value = context.get(name)
    return value if isinstance(value, (list, tuple)) else ()
