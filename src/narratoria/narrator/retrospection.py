"""Composes what looks back: the signs of the end, the ending, and the story seen from there."""

from __future__ import annotations

import re

from narratoria.contracts.scene_facts import ActionFacts, EndingFacts, PastAction, SceneFacts
from narratoria.narrator.composer_lines import ENDINGS, NARRATION
from narratoria.narrator.grammar import capital
from narratoria.narrator.phrase_memory import PhraseChooser, opening_key

LEANS = 0.6  # of the way to an ending is gone
BETWEEN_SIGNS = 9  # scenes between two signs that it is coming


class Retrospection(PhraseChooser):
    """The part of the composer that looks back."""

    facts: SceneFacts
    action: ActionFacts

    def sign_of_the_end(self) -> str:
        """Return now and then that the end is near."""
        leaning = self.facts.leaning
        if leaning is None or leaning.share < LEANS or self.since_any(*ENDINGS.leaning) < BETWEEN_SIGNS:
            return ""
        return self.joining_line(ENDINGS.leaning) if self.dice.random() < 0.2 else ""

    def since_any(self, *openers: str) -> int:
        """Return the scenes since one of these turns of phrase was used, whatever followed it."""
        words = (re.findall(r"\w+", opener.partition("{")[0].casefold()) for opener in openers)
        keys = map(opening_key, words)
        return min(
            (self.number - self.phrase_scenes[key] for key in keys if key in self.phrase_scenes),
            default=10**6,
        )

    # the end

    def end(self, ending: EndingFacts) -> list[str]:
        text = " ".join(ending.paragraphs)
        epilogue = list(ending.epilogue)
        mine = [memory for memory in ending.looking_back if memory not in " ".join(epilogue)]
        if mine:
            memory = "; and ".join(_as_clause(one) for one in mine[:2])
            epilogue.append(self.one_of(ENDINGS.at_the_end, {"memory": memory}))
        last = " ".join(epilogue)
        return [part for part in (text, last) if part] or [self.one_of(NARRATION.afterwards)]

    def afterwards(self) -> list[str]:
        """Return the scene after the end: the whole way, the turning points, or a last word."""
        actions = [one for one in self.facts.looking_back if one.text]
        kind = self.action.kind
        if kind == "leave":
            return [self.one_of(ENDINGS.leaving), self.one_of(ENDINGS.looked_back)]
        if kind == "branch" and actions:
            return [self.one_of(ENDINGS.turning_back), self.turning_points(actions)]
        opening = self.one_of(ENDINGS.looking_back)
        if not actions or self.since_any(*ENDINGS.looking_back) < BETWEEN_SIGNS:
            return [self.one_of(ENDINGS.looked_back_before), self.one_of(ENDINGS.looked_back)]
        half = (len(actions) + 1) // 2
        last = self.join(
            *self.chain_actions(actions[half:], (half + 1) // 2), self.one_of(ENDINGS.looked_back)
        )
        return [self.join(opening, *self.chain_actions(actions[:half], 0)), last]

    def chain_actions(self, actions: list[PastAction], first: int) -> list[str]:
        """Return what was done in its order and in twos: one after the other is a list, not a story."""
        sentences = []
        for at in range(0, len(actions), 2):
            link = ENDINGS.links[(first + at // 2) % len(ENDINGS.links)] if first + at else "It began when"
            pair = [one.text for one in actions[at : at + 2]]
            sentences.append(f"{link} {pair[0]}" + (f"; and then {pair[1]}." if len(pair) > 1 else "."))
        return [capital(sentence) for sentence in sentences]

    def turning_points(self, actions: list[PastAction]) -> str:
        candidates = [one for one in actions if not one.ends and one.scene > 1] or actions
        turns = sorted(self.dice.sample(candidates, min(4, len(candidates))), key=lambda one: one.scene)
        points = [f"after scene {one.scene - 1}, before you {one.did}" for one in turns]
        return f"There was a choice {'; '.join(points)}. Another story could leave this one at any of them."


def _as_clause(sentence: str) -> str:
    text = sentence.rstrip(".")
    return text[:1].lower() + text[1:] if re.match(r"(?:You|The|A|An|It|There|Your)\b", text) else text
