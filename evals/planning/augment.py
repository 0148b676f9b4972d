"""More ways to say what a row says: slips, habits and hesitations, with the labels that follow from them."""

# ruff: noqa: E501
# lists of phrases are read as lists

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence

from evals.planning.cases import Case, Scene, setting_of
from evals.planning.voices import case_of

BEFORE = (
    "Okay, ", "OK so ", "Hmm. ", "Well, ", "So, ", "Then ", "Right, ", "Alright, ", "Now ", "Fine. ", "Next, ",
    "Without thinking, ", "Slowly, ", "Meanwhile ", "Ugh, ", "Ha! ", "After a moment ", "At last ", "Quietly ",
    "Sighing, ", "With a grin, ", "You know what? ", "First, ", "Finally ", "Let's see... ", "Oh well, ",
)  # fmt: skip
AFTER = (
    "...",
    "!",
    " now",
    " at once",
    " please",
    " then",
    ", I guess",
    " if that's all right",
    " lol",
    " again",
    ".",
)
TO_DO = (
    "I'll ",
    "I'm going to ",
    "I will ",
    "let me ",
    "gonna ",
    "I shall ",
    "time to ",
    "I start to ",
    "I want to ",
)
DENIED = (
    "I don't ", "I do not ", "I won't ", "I decide not to ", "I'm not going to ", "I choose not to ", "I never ",
    "I stop before I ", "I'd rather not ", "I will not ", "I refrain: I do not ", "I almost ", "no, I don't ",
)  # fmt: skip
MERELY = (
    "Could I ", "Should I ", "What if I ", "I wonder whether I could ", "I imagine how I ", "One day I might ",
    "I think about whether I should ", "Would it be wise if I ", "Maybe later I ", "If only I could ", "I dream that I ",
)  # fmt: skip
OPINIONS = frozenset(("npc-perception/update-perception", "reputation/update-reputation"))
JOINED = (". ", ", then ", " and then ", "; ", ". After that ", " and ", ". Then ", " while ", " before ")
_PLAIN = re.compile(r"^I (?!am\b|was\b|have\b|had\b|do\b|don|won|will|would|could|can|should|shall|might|never|not\b|"
                    r"neither|refuse|decline|almost|nearly)([a-z]+)\b(.*)$")  # fmt: skip
_SAID = re.compile(r"[\"“”]")


def varied(rows: Sequence[Case], times: int, seed: int = 7) -> Iterator[Case]:
    """`times` variants of each row, and rows in which two of one scene are said in one breath."""
    chance = random.Random(seed)
    by_scene: dict[tuple[str, Scene], list[Case]] = {}
    for case in rows:
        by_scene.setdefault((case.setting, case.scene), []).append(case)
    for case in rows:
        for number in range(times):
            other = chance.choice(by_scene[case.setting, case.scene])
            action, needed = _varied(case, other, chance)
            scene = case.scene if chance.random() > 0.12 else Scene(case.scene.place)
            if needed == case.scripts and action is not None and scene is case.scene:
                # the hand-given exceptions in what may be used stay with the words they were given for
                yield _same(case, action, number)
            elif action is not None:
                yield case_of(
                    f"{case.id}+{number}", case.setting, setting_of(case), action, scene=scene, needed=needed
                )


def _same(case: Case, action: str, number: int) -> Case:
    fields = {name: getattr(case, name) for name in case.__struct_fields__}
    return Case(**{**fields, "id": f"{case.id}+{number}", "action": action})


def _varied(case: Case, other: Case, chance: random.Random) -> tuple[str | None, frozenset[str]]:
    kind = chance.random()
    plain = _PLAIN.match(case.action)
    if kind < 0.22 and other is not case and len(case.action) + len(other.action) < 160:
        first, second = (case, other) if chance.random() < 0.5 else (other, case)
        joined = chance.choice(JOINED[:7]) if second.action[0].isupper() else chance.choice(JOINED)
        action = first.action.rstrip(" .!") + joined + second.action
        return _slips(action, chance, 0.15), first.scripts | second.scripts
    if plain and not _SAID.search(case.action) and "," not in case.action:
        deed = plain[1] + plain[2]
        # not to give or to insult is a deed as well, and which one depends
        if kind < 0.32 and not case.scripts & OPINIONS:
            return _slips(chance.choice(DENIED) + deed, chance, 0.2), frozenset()
        if kind < 0.40 and case.scripts and not case.scripts & {"memory/recall-memory"}:
            return chance.choice(MERELY) + deed.rstrip(".!") + "?", frozenset()
        if kind < 0.58:
            return _slips(_person(plain[1], plain[2], chance), chance, 0.2), case.scripts
        if kind < 0.66:
            return _slips(chance.choice(TO_DO) + deed, chance, 0.2), case.scripts
    action = case.action
    if kind > 0.8:
        action = chance.choice(BEFORE) + (
            action if action.startswith(("I ", '"')) else action[0].lower() + action[1:]
        )
    if chance.random() < 0.15 and not action.endswith(("?", '"')):
        action = action.rstrip(".!") + chance.choice(AFTER)
    return _slips(action, chance, 0.6), case.scripts


def _person(verb: str, rest: str, chance: random.Random) -> str:
    kind = chance.choice(("you", "she", "he", "they", "we", "drop", "drop", "they"))
    if kind == "drop":
        text = verb + rest
        return text if chance.random() < 0.5 else text[0].upper() + text[1:]
    mine, me, self_ = {
        "you": ("your", "you", "yourself"),
        "she": ("her", "her", "herself"),
        "he": ("his", "him", "himself"),
        "they": ("their", "them", "themselves"),
        "we": ("our", "us", "ourselves"),
    }[kind]
    if kind in ("she", "he"):
        verb = (
            verb[:-1] + "ies"
            if re.search(r"[^aeiou]y$", verb)
            else verb + ("es" if re.search(r"(s|sh|ch|x|z|o)$", verb) else "s")
        )
    for word, instead in (("my", mine), ("me", me), ("myself", self_), ("I", kind), ("I'm", f"{kind} are")):
        rest = re.sub(rf"\b{word}\b(?!')", instead, rest)
    return f"{kind.capitalize()} {verb}{rest}"


def _slips(text: str, chance: random.Random, share: float) -> str:
    """The text as it comes out of hasty fingers, in that share of cases."""
    if chance.random() > share:
        return text
    kind = chance.random()
    if kind < 0.3:
        return text.lower().rstrip(".")
    if kind < 0.4:
        return re.sub(r"[,.;:!]", "", text)
    if kind < 0.45:
        return text.upper()
    rate = 0.1 if kind < 0.75 else 0.25
    words = [
        _mistyped(word, chance) if len(word) > 2 and chance.random() < rate else word
        for word in text.split(" ")
    ]
    slipped = " ".join(words)
    return slipped.lower() if kind > 0.7 else slipped


def _mistyped(word: str, chance: random.Random) -> str:
    at = chance.randrange(len(word) - 1)
    ways: tuple[Callable[[], str], ...] = (
        lambda: word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        lambda: word[:at] + word[at + 1 :],
        lambda: word[:at] + word[at] + word[at:],
        lambda: word[:at] + chance.choice("aeiourstlnm") + word[at + 1 :],
    )
    return chance.choice(ways)()
