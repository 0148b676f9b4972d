"""Figures are counted by operation, and shown to the addresses that may see them."""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from narratoria.web.app_state import AppState
from narratoria.web.metrics import Metrics
from narratoria.web.stories import stories

READERS = (ipaddress.ip_network("10.2.0.0/16"),)


def open_nothing() -> Any:
    raise AssertionError("no story is opened here")


@pytest.fixture
def state(tmp_path: Path) -> AppState:
    return AppState(tmp_path, open_nothing)


def request(address: str | None, **headers: str) -> Request:
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    client = (address, 1) if address else None
    return Request({"type": "http", "method": "GET", "path": "/metrics", "headers": raw, "client": client})


async def shown(metrics: Metrics) -> str:
    return bytes((await metrics.show(request("10.2.3.4"))).body).decode()


@pytest.mark.parametrize(
    ("address", "headers", "status"),
    [
        ("10.2.3.4", {}, 200),
        ("10.3.0.1", {}, 404),
        ("10.2.3.4", {"x_forwarded_for": "10.2.0.1"}, 404),  # through a proxy: anybody
        ("unknown", {}, 404),
        (None, {}, 404),
    ],
)
async def test_only_who_watches_the_server_sees_figures(
    state: AppState, address: str | None, headers: dict[str, str], status: int
) -> None:
    assert (await Metrics(state, READERS).show(request(address, **headers))).status_code == status


async def test_requests_are_counted_by_operation_and_status(state: AppState) -> None:
    metrics = Metrics(state, READERS)

    async def answer(_: Request) -> Response:
        return Response(status_code=404)

    counted = metrics.count(stories.all[0], answer)
    for _ in range(3):
        await counted(request("10.2.3.4"))
    assert 'narratoria_requests_total{operation="begin_story",status="404"} 3.0' in await shown(metrics)


async def test_turns_are_counted_while_they_run_and_timed_when_they_end(state: AppState) -> None:
    metrics = Metrics(state, READERS)
    leave = await state.queue.enter("ada")
    assert "narratoria_turns_running 1.0" in await shown(metrics)
    leave()
    text = await shown(metrics)
    assert "narratoria_turns_running 0.0" in text
    assert "narratoria_turn_seconds_count 1.0" in text
