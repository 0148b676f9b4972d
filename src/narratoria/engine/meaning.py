"""Defines what a choice was understood to mean; kept with the turn, so that a replay reads nothing anew."""

from __future__ import annotations

import msgspec

from narratoria.narrator.evidence import Evidence
from narratoria.planner.intent import Intent, Question


class Understanding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Intents in order, the beat they set off, the evidence for each, or a question asked back."""

    intents: tuple[Intent, ...] = ()
    beat: str = ""  # an offered beat that the words mean
    evidence: tuple[tuple[Evidence, ...], ...] = ()  # for each intent, best first
    question: Question | None = None
