"""Defines which playthrough and turn a query is about, and what it may see and write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from narratoria.errors import ContractViolation, Problem
from narratoria.store.filters import Condition, Filters, read_filters
from narratoria.store.lineage import View, view_of, view_of_campaign
from narratoria.store.record_versions import Stamp
from narratoria.store.records import DataType
from narratoria.store.stories import require_fence
from narratoria.store.turns import game_time_of, turn_under_way
from narratoria.store.validation import CAMPAIGN_ONLY, now, parse_data_type


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryScope:
    """Names what is queried and by whom: a playthrough, now or as of a turn, or a campaign."""

    playthrough: str = ""
    campaign: str = ""
    session_id: str = ""
    turn: int | None = None
    game_time: float | None = None
    skill: str = ""
    fence: int | None = None  # of the story, when it was taken; what is written with an old one is refused

    def view(self, link: Connection) -> View:
        if not self.playthrough:
            return view_of_campaign(self.campaign)
        return view_of(link, self.playthrough, turn=self.turn)

    def conditions_by_type(
        self, data_type: str | None, filters: Filters, among: Sequence[DataType]
    ) -> dict[DataType, tuple[Condition, ...]]:
        """Return the conditions for each data type that is asked for."""
        if data_type is not None:
            kind = parse_data_type(data_type)
            if kind not in among:
                message = f"{kind} records have no text to search; use exactMatch"
                raise ContractViolation([Problem(message, "/dataType")])
            return {kind: read_filters(kind, filters, self.playthrough)}
        conditions_by_type: dict[DataType, tuple[Condition, ...]] = {}
        refusal: ContractViolation | None = None
        for kind in among:
            try:
                conditions_by_type[kind] = read_filters(kind, filters, self.playthrough)
            except ContractViolation as violation:
                refusal = refusal or violation  # other types may know the field
        if not conditions_by_type and refusal is not None:
            raise refusal
        return conditions_by_type

    def place(self, link: Connection) -> tuple[View, Stamp]:
        """Return the view and the stamp for what is written now."""
        view = self.view(link)
        if view.playthrough:
            require_fence(link, view.playthrough, self.fence)
        turn = 0 if not view.playthrough else self.turn
        turn = turn_under_way(link, view) if turn is None else turn
        if turn < view.fork_turn:
            message = (
                f"turn {turn} of {view.playthrough!r} was told on another branch, before turn "
                f"{view.fork_turn}; what happened then stays as it is"
            )
            raise ContractViolation([Problem(message, "/turn")])
        return view, Stamp(self.session_id, self.skill, turn, self.moment(link, view), now())

    def moment(self, link: Connection, view: View) -> float:
        return game_time_of(link, view) if self.game_time is None else self.game_time

    def writable(self, kind: DataType) -> DataType:
        if self.playthrough and kind in CAMPAIGN_ONLY:
            message = f"{kind} belongs to the campaign; a playthrough reads it and cannot change it"
            raise ContractViolation([Problem(message, "/dataType")])
        if not self.playthrough and kind not in (*CAMPAIGN_ONLY, "asset"):
            message = f"a {kind} record belongs to a playthrough, not to a campaign"
            raise ContractViolation([Problem(message, "/dataType")])
        return kind

    def log_fields(self, filters: Filters | None) -> dict[str, Any]:
        """Return the scope of a query for the log: where it looked, never what for."""
        return {
            "playthrough": self.playthrough,
            **({"campaign": self.campaign} if self.campaign else {}),
            "session": self.session_id,
            "turn": self.turn,
            **({"skill": self.skill} if self.skill else {}),
            "filters": sorted(filters or ()),
        }
