"""Remembers the sentences that were told, and chooses among sentences the one told longest ago."""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Mapping, Sequence

from narratoria.contracts.scene_facts import PersonFacts
from narratoria.narrator.composer_lines import find_lines
from narratoria.narrator.grammar import call_name

FRESH = 40  # scenes before a sentence may come again
RARE = 150  # scenes before a line that only joins what others wrote may come again
LINE = "#"  # before the key of a line of the composer's own
MAX_PHRASES = 900  # sentences that are remembered to have been told
_SENTENCE = re.compile(r"(?<=[.!?…])[”’)]*\s+")
_SLOT = re.compile(r"\{(\w+)\}")


def remember_phrases(
    phrase_scenes: Mapping[str, int], paragraphs: Sequence[str], scene: int
) -> dict[str, int]:
    """Return the phrases told so far with those of this scene; the oldest are dropped first.

    The composer's own lines are few, and none is forgotten.
    """
    phrases = {**phrase_scenes, **{key: scene for text in paragraphs for key in phrase_keys(text)}}
    phrases |= {line_key(line): scene for text in paragraphs for line in find_lines(text)}
    if len(phrases) <= MAX_PHRASES:
        return phrases
    oldest_first = sorted(phrases, key=lambda key: (key.startswith(LINE), phrases[key]))
    return {key: phrases[key] for key in oldest_first[-MAX_PHRASES:]}


def line_key(line: str) -> str:
    """Return the key of one of the composer's own lines, whatever fills its slots."""
    return f"{LINE}{_key(line.casefold().split())}"


def phrase_keys(text: str) -> list[str]:
    """Return a key for each sentence, and one for how it begins: a turn of phrase wears out too."""
    keys = []
    for sentence in sentences(text):
        words = re.findall(r"\w+", sentence.casefold())
        if words:
            keys.append(_key(words))
            if len(words) > 4:
                keys.append(opening_key(words))
    return keys


def opening_key(words: Sequence[str]) -> str:
    """Return the key of how a sentence begins."""
    return f"~{_key(words[:4])}"


def _key(words: Sequence[str]) -> str:
    return f"{zlib.crc32(' '.join(words).encode()):08x}"


def sentences(text: str) -> list[str]:
    return [sentence for sentence in _SENTENCE.split(text) if sentence.strip()]


def fill_slots(text: str, slots: Mapping[str, str]) -> str:
    """Fill the slots of a template; braces in the author's own words are left alone."""

    def value(slot: re.Match[str]) -> str:
        word = slots.get(slot[1], slot[0])
        inside = slot.start() > 0 and not text[: slot.start()].rstrip("“ ").endswith((".", "!", "?"))
        return f"the {word[4:]}" if inside and word.startswith("The ") else word

    return _SLOT.sub(value, text) if slots else text


class PhraseChooser:
    """Chooses among sentences what was told longest ago; what is told here is not told again."""

    number: int
    phrase_scenes: Mapping[str, int]
    dice: random.Random
    scene_sentences: set[str]
    people: Sequence[PersonFacts]
    has_joining_line: bool

    def joining_line(self, texts: Sequence[str], slots: Mapping[str, str] | None = None) -> str:
        """Return a line that adds nothing but joins what others wrote, if one was not told for long.

        The second of a scene is left out.
        """
        if self.has_joining_line:
            return ""
        line = self.one_of(texts, slots, optional=True, rest=RARE)
        self.has_joining_line = bool(line)
        return line

    def one_of(
        self,
        texts: Sequence[str],
        slots: Mapping[str, str] | None = None,
        *,
        optional: bool = False,
        rest: int = FRESH,
    ) -> str:
        """Return the sentence told longest ago, or one never told; an optional one may be left out."""
        ages = {
            (sentence := fill_slots(line, slots or {})): min(self.freshness(sentence), self.line_age(line))
            for line in texts
            if line not in self.scene_sentences
        }
        best = max(ages.values(), default=-1)
        if not ages or (optional and best <= rest):
            return ""
        sentence = self.dice.choice([text for text, age in ages.items() if age == best])
        self.note(sentence)
        return sentence

    def line_age(self, line: str) -> int:
        """Return how many scenes ago a line of the composer's own was told, whatever filled its slots."""
        since = self.phrase_scenes.get(line_key(line))
        return 10**6 if since is None else self.number - since

    def note(self, text: str) -> None:
        self.scene_sentences.add(text)

    def freshness(self, text: str) -> int:
        """Return how many scenes ago any part was last told; a turn of phrase counts less than a sentence."""
        if text in self.scene_sentences:
            return -1
        ages = []
        for key in (key for way in self.ways_of_telling(text) for key in phrase_keys(way)):
            if key in self.phrase_scenes:
                age = self.number - self.phrase_scenes[key]
                ages.append(age + FRESH // 2 if key.startswith("~") else age)
        return min(ages, default=10**6)

    def freshest(self, texts: Sequence[str]) -> int:
        return max((self.freshness(text) for text in texts), default=0)

    @staticmethod
    def join(*parts: str) -> str:
        return " ".join(part.strip() for part in parts if part and part.strip())

    def since(self, text: str) -> int:
        """Return the scenes since the last sentence of a text was told."""
        last = [
            key
            for way in self.ways_of_telling(text)
            for key in phrase_keys(sentences(way)[-1])
            if not key.startswith("~")
        ]
        return min(
            (self.number - self.phrase_scenes[key] for key in last if key in self.phrase_scenes),
            default=10**6,
        )

    def ways_of_telling(self, text: str) -> set[str]:
        """Return a text as it is, and with the names shortened."""
        short = text
        for person in self.people:
            short = short.replace(person.name, call_name(person.name)) if person.name else short
        return {text, short}
