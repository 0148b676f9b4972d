"""Keeps what factions or people think of the player, in the story's database or the skill's files.

    held = Opinions(request, "reputation", rate=0.1)
    held.add(request.key("theft"), [{"subject": "Watch", "change": -20.0, "reason": "stole a purse"}])
    print(held.scores(["Watch"])["Watch"]["score"])

Which of the two it is, the setting `storageBackend` says. Where the database is out of reach, opinions last
as long as the sitting: the state mirrors them under the name of their data type.
"""

from __future__ import annotations

from narratoria.sdk import host
from narratoria.sdk.decay import DEFAULT_RATE
from narratoria.sdk.emit import InvalidInput, log, state_patch

TYPE_CHECKING = False  # importing `typing` would cost as much as all the rest
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from narratoria.sdk.request import Request

__all__ = ["OUT_OF_REACH", "Opinions", "in_state", "is_number", "read_changes"]

OUT_OF_REACH = ("NOT_AVAILABLE", "NO_HOST")  # what a HostError says where there is no database
LONGEST_REASON = 500  # characters
REASONS = 5  # of the changes of one opinion, the latest
SUBJECT = {"reputation": "factionId", "perception": "npcId"}
SCORE = {"reputation": "currentScore", "perception": "perceptionScore"}
CHANGED = {"reputation": "lastUpdated", "perception": "lastInteraction"}


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= 1e6


def in_state(request: Request, data_type: str) -> dict[str, float]:
    """Return the scores as the state mirrors them."""
    held = request.state.get(data_type)
    scores: dict[str, float] = {}
    for name, value in (held if isinstance(held, dict) else {}).items():
        score: Any = value.get("score") if isinstance(value, dict) else value
        if is_number(score):
            scores[name] = float(score)
    return scores


def read_changes(
    given: dict[str, Any],
    subject: str,
    spell: Callable[[Any, str], str],
    *,
    score: str = "score",
    most: int = 100,
    reach: float = 1e6,
) -> list[dict[str, Any]]:
    """Every change for `Opinions.add`, or InvalidInput for the first that makes no sense: then none happens.

    `subject` and `score` are what those who think so and what they think are called in the input; `spell`
    reads a subject, given the value and where it stands; `reach` is how far from nought a score may be.
    """
    listed = given.get("changes")
    if listed is None:
        if subject not in given:
            raise InvalidInput("changes", f"expected a list of changes, each with {subject} and a number")
        listed = [{name: given[name] for name in (subject, "change", score) if name in given}]
    if not isinstance(listed, list) or len(listed) > most:
        raise InvalidInput("changes", f"expected a list of at most {most} changes")
    roll = given.get("roll")
    failed = isinstance(roll, dict) and roll.get("outcome") == "failure"
    changes = []
    for number, one in enumerate(listed):
        field = f"changes/{number}"
        if not isinstance(one, dict):
            raise InvalidInput(field, f"expected an object with {subject} and a change")
        kind, points = _points(one, field, score, reach)
        # who tries to help and fails is thanked for the trying
        points = points / 2 if failed and kind == "change" and points > 0 else points
        reason = one.get("reason", given.get("reason")) or ""
        if not isinstance(reason, str):
            raise InvalidInput(f"{field}/reason", "expected a text")
        changes.append(
            {
                "subject": spell(one.get(subject), f"{field}/{subject}"),
                "reason": " ".join(reason.split())[:LONGEST_REASON],
                kind: points,
            }
        )
    return changes


def _points(one: dict[str, Any], field: str, score: str, reach: float) -> tuple[str, float]:
    """By how much an opinion changes, or what it is set to."""
    if (score in one) == ("change" in one):
        raise InvalidInput(field, f"expected a change or a {score}")
    key = score if score in one else "change"
    points = one[key]
    if not is_number(points) or abs(points) > (reach if key == score else 2 * reach):
        raise InvalidInput(f"{field}/{key}", "expected a number of points")
    return ("score" if key == score else "change"), float(points)


class Opinions:
    """Holds the opinions of one story that are kept as one data type, `reputation` or `perception`."""

    def __init__(
        self, request: Request, data_type: str, *, rate: float, scale: tuple[float, float] | None = None
    ) -> None:
        in_files = request.config.get("storageBackend") == "files"
        self._backend: Any = _Files(request) if in_files else _Shared(data_type)
        self._rate, self._scale = rate, scale
        self._mirrored = in_state(request, data_type)
        self._type, self._mirrored_rate = data_type, in_state(request, "decayRates").get(data_type)

    def scores(self, subjects: Sequence[str] | None = None) -> dict[str, dict[str, Any]]:
        """By subject: the `score` as it is now, and when it was `changed` last."""
        try:
            held: dict[str, dict[str, Any]] = self._backend.scores(subjects)
        except host.HostError as refusal:
            if refusal.code not in OUT_OF_REACH:
                raise
            log(f"{refusal.message}; what is thought of the player lasts as long as this sitting", "warn")
            self._backend = _Sitting(self._mirrored, self._rate)
            held = self._backend.scores(subjects)
        # a rate is in force from where it was written down: what the user has set since is written down now
        if other := [name for name, opinion in held.items() if opinion["rate"] != self._rate]:
            self._backend.set_rate(other, self._rate)
        if self._rate != (DEFAULT_RATE if self._mirrored_rate is None else self._mirrored_rate):
            state_patch({"decayRates": {self._type: self._rate}})  # so that the mirror fades alike
            self._mirrored_rate = self._rate
        return held

    def reasons(self, subjects: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
        """Return the latest changes that had a reason, the newest first: `change`, `reason` and `at`."""
        return {name: _recent_reasons(self._backend.changes(name)) for name in subjects}

    def add(self, name: str, changes: Sequence[dict[str, Any]]) -> None:
        """Keeps changes (`subject`, `change` or `score`, `reason`), all or none; under one name, once."""
        self._backend.add(name, changes, self._rate, self._scale)


def _recent_reasons(changes: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    with_reason = [change for change in changes if change["reason"]][-REASONS:]
    return [
        {"change": round(change["change"], 1) + 0.0, "reason": change["reason"], "at": change["at"]}
        for change in reversed(with_reason)
    ]


class _Shared:
    """In the story's database, where opinions follow undo and branches, and other skills find them."""

    def __init__(self, data_type: str) -> None:
        self._type, self._subject = data_type, SUBJECT[data_type]

    def scores(self, subjects: Sequence[str] | None) -> dict[str, dict[str, Any]]:
        filters = {self._subject: list(subjects)} if subjects else None
        records = [entry["record"] for entry in host.exact_match(filters, self._type, limit=1000)]
        return {
            record[self._subject]: {
                "score": record[SCORE[self._type]],
                "changed": record[CHANGED[self._type]],
                "rate": record["decayRate"],
            }
            for record in records
        }

    def changes(self, subject: str) -> list[dict[str, Any]]:
        return host.history(self._type, subject, limit=4 * REASONS)

    def set_rate(self, subjects: Sequence[str], rate: float) -> None:
        host.store_all([(self._type, {self._subject: name, "decayRate": rate}) for name in subjects])

    def add(
        self, name: str, changes: Sequence[dict[str, Any]], rate: float, scale: tuple[float, float] | None
    ) -> None:
        shape: dict[str, Any] = {"decayRate": rate}
        shape |= {"scale": {"min": scale[0], "max": scale[1]}} if scale else {}
        records = []
        for number, change in enumerate(changes):
            moved = (
                {"change": change["change"]} if "change" in change else {SCORE[self._type]: change["score"]}
            )
            why = {"reason": change["reason"]} if change["reason"] else {}
            record = {self._subject: change["subject"], **shape, **moved, **why}
            records.append((self._type, record, f"{self._type}-{name}-{number}"))
        try:
            host.store_all(records)
        except host.HostError as refusal:
            if refusal.code != "ALREADY_EXISTS":  # this call was run before, and all of it was kept
                raise


class _Files:
    """In the skill's own folder."""

    def __init__(self, request: Request) -> None:
        from narratoria.sdk.ledger import Ledger

        self._ledger = Ledger(request.data_dir, request.playthrough_id)
        moment = request.input.get("gameTime", request.state.get("gameTime", 0))
        self._moment = float(moment) if is_number(moment) else 0.0

    def scores(self, subjects: Sequence[str] | None) -> dict[str, dict[str, Any]]:
        return {
            name: {"score": held["score"], "changed": held["changes"][-1]["at"], "rate": held["rate"]}
            for name, held in self._ledger.read(self._moment).items()
            if not subjects or name in subjects
        }

    def changes(self, subject: str) -> list[dict[str, Any]]:
        held = self._ledger.read(self._moment).get(subject)
        return held["changes"] if held else []

    def set_rate(self, subjects: Sequence[str], rate: float) -> None:
        changes = [{"subject": name, "change": 0.0, "rate": rate} for name in subjects]
        self._ledger.add(f"rate {rate} at {self._moment}", changes, self._moment)

    def add(
        self, name: str, changes: Sequence[dict[str, Any]], rate: float, scale: tuple[float, float] | None
    ) -> None:
        shape = {"rate": rate, **({"low": scale[0], "high": scale[1]} if scale else {})}
        self._ledger.add(name, [{**change, **shape} for change in changes], self._moment)


class _Sitting:
    """In the state alone, which the story lets fade; nobody knows why they think so."""

    def __init__(self, scores: dict[str, float], rate: float) -> None:
        self._scores, self._rate = dict(scores), rate

    def scores(self, subjects: Sequence[str] | None) -> dict[str, dict[str, Any]]:
        return {
            name: {"score": score, "changed": "", "rate": self._rate}
            for name, score in self._scores.items()
            if not subjects or name in subjects
        }

    def changes(self, subject: str) -> list[dict[str, Any]]:
        return []

    def add(
        self, name: str, changes: Sequence[dict[str, Any]], rate: float, scale: tuple[float, float] | None
    ) -> None:
        low, high = scale or (-100.0, 100.0)
        for change in changes:
            before = self._scores.get(change["subject"], 0.0)
            after = change["score"] if "score" in change else before + change["change"]
            self._scores[change["subject"]] = min(max(after, low), high)
