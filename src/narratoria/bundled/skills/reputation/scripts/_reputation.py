"""Factions and standings: read, named, put into words, and where they are kept."""

from __future__ import annotations

import hashlib
import json
import re

from narratoria import sdk
from narratoria.sdk import host

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any

MOST_FACTIONS = 100
REASONS_SHOWN = 5
LONGEST_REASON = 500
RATE = 0.1
WORDS = (  # up to this share of the scale: the standing, and what follows the faction's name
    (-75, "hated", "hates you"),
    (-50, "hostile", "is hostile to you"),
    (-30.01, "distrusted", "distrusts you"),
    (-10.01, "frowned upon", "frowns upon you"),
    (10, "neutral", "has no opinion of you"),
    (30, "well regarded", "regards you well"),
    (49.99, "trusted", "trusts you"),
    (74.99, "honoured", "holds you in honour"),
    (100, "revered", "reveres you"),
)


def refused(field: str, problem: str) -> sdk.ToolFailure:
    return sdk.ToolFailure("INVALID_INPUT", f"{field}: {problem}", {"field": field})


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= 1e6


def scale_of(config: dict[str, Any]) -> tuple[float, float]:
    given = config.get("reputationScale") or {}
    low, high = float(given.get("min", -100)), float(given.get("max", 100))
    if low >= high:
        raise sdk.ToolFailure(
            "INVALID_CONFIG",
            f"reputationScale: the lowest standing, {low:g}, is not below the highest, {high:g}",
        )
    return low, high


class Names:
    """How factions are spelled: "the Merchants Guild" and "merchants-guild" are the same."""

    def __init__(self, request: sdk.Request) -> None:
        self.listed = [name for name in request.config.get("factionList") or [] if isinstance(name, str)]
        held = request.state.get("reputation")
        known = [*self.listed, *(held if isinstance(held, dict) else ())]
        self._spelled: dict[str, str] = {_fold(name): name for name in reversed(known)}

    def spell(self, given: Any, field: str) -> str:
        """ToolFailure for what is no name, and for a faction that is not kept track of."""
        if not isinstance(given, str) or not given.strip():
            raise refused(field, "expected the name of a faction")
        name = " ".join(given.split())[:200]
        found = self._spelled.get(_fold(name), name)
        if self.listed and found not in self.listed:
            raise sdk.ToolFailure(
                "UNKNOWN_FACTION",
                f"{field}: {name!r} is not among the factions of factionList: {', '.join(self.listed)}",
                {"faction": name},
            )
        return found


def _fold(name: str) -> str:
    return re.sub(r"[\W_]+", "", re.sub(r"^the\s+", "", name.strip(), flags=re.IGNORECASE)).casefold()


def share(score: float, scale: tuple[float, float]) -> float:
    """Where a score lies between -100 and 100, whatever the scale."""
    low, high = scale
    middle = 0.0 if low < 0 < high else (low + high) / 2
    reach = high - middle if score >= middle else middle - low
    return max(-100.0, min(100.0, 100 * (score - middle) / reach))


def in_words(faction: str, score: float, scale: tuple[float, float]) -> dict[str, Any]:
    part = share(score, scale)
    _, standing, verb = next(words for words in WORDS if part <= words[0])
    name = faction if re.match(r"(?i)the\b", faction) else f"The {faction}"
    tone = "warm" if part > 30 else "cold" if part < -30 else "neutral"
    return {"standing": standing, "tone": tone, "sentence": f"{name} {verb}."}


def store_of(request: sdk.Request) -> Any:
    return Files(request) if request.config.get("storageBackend") == "files" else Shared(request)


def turn_of(request: sdk.Request, changes: Any) -> str:
    """The same for the same changes of the same turn, so that a call that is tried again counts once."""
    turn = request.seed if request.seed is not None else request.request_id.rpartition("/")[0]
    told = json.dumps([turn, request.playthrough_id, changes], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(told.encode()).hexdigest()[:20]


def rounded(score: float) -> float:
    return round(score, 1) + 0.0


class Shared:
    """The story's database."""

    def __init__(self, request: sdk.Request) -> None:
        self._request = request

    def scores(self, factions: list[str] | None) -> dict[str, dict[str, Any]]:
        filters = {"factionId": factions} if factions else None
        found = host.exact_match(filters, "reputation", limit=1000)
        return {
            entry["record"]["factionId"]: {
                "score": entry["record"]["currentScore"],
                "lastUpdated": entry["record"]["lastUpdated"],
            }
            for entry in found
        }

    def reasons(self, faction: str) -> list[dict[str, Any]]:
        return host.history("reputation", faction, limit=REASONS_SHOWN)

    def add(self, name: str, changes: list[dict[str, Any]], rate: float, scale: tuple[float, float]) -> None:
        records = []
        for number, change in enumerate(changes):
            record = {"factionId": change["faction"], "decayRate": rate}
            record |= {"scale": {"min": scale[0], "max": scale[1]}}
            record |= {"currentScore": change["score"]} if "score" in change else {"change": change["change"]}
            record |= {"reason": change["reason"]} if change["reason"] else {}
            records.append(("reputation", record, f"reputation-{name}-{number}"))
        try:
            host.store_all(records)
        except host.HostError as refusal:
            if refusal.code != "ALREADY_EXISTS":  # this call was run before, and all of it was kept
                raise


class Files:
    """The skill's own folder."""

    def __init__(self, request: sdk.Request) -> None:
        from narratoria.sdk.ledger import Ledger

        self._ledger = Ledger(request.data_dir, request.playthrough_id)
        moment = request.input.get("gameTime", request.state.get("gameTime", 0))
        self._moment = float(moment) if is_number(moment) else 0.0

    def scores(self, factions: list[str] | None) -> dict[str, dict[str, Any]]:
        held = self._ledger.read(self._moment)
        return {
            name: {"score": opinion["score"], "lastUpdated": opinion["changes"][-1]["at"]}
            for name, opinion in held.items()
            if factions is None or name in factions
        }

    def reasons(self, faction: str) -> list[dict[str, Any]]:
        held = self._ledger.read(self._moment).get(faction)
        return held["changes"][-REASONS_SHOWN:] if held else []

    def add(self, name: str, changes: list[dict[str, Any]], rate: float, scale: tuple[float, float]) -> None:
        shape = {"rate": rate, "low": scale[0], "high": scale[1]}
        kept = [
            {
                "subject": change["faction"],
                "change": change.get("change"),
                "score": change.get("score"),
                "reason": change["reason"],
                **shape,
            }
            for change in changes
        ]
        self._ledger.add(name, kept, self._moment)
