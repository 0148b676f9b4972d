"""From the computer to the phone: a code with a key that opens once, or what to start first."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

from narratoria import app
from narratoria.web import phone
from narratoria.web.access_keys import AccessKeys, ticket_for
from narratoria.web.app_state import AppState
from narratoria.web.phone import Invitation, draw_code, show_phone


def test_a_server_of_this_machine_alone_says_how_to_let_a_phone_in(server: Any) -> None:
    page = server.get("/api/phone")
    assert page == {"address": "", "code": "", "command": "narratoria play --host 0.0.0.0"}


async def test_the_code_holds_the_address_with_a_key_that_opens_once(
    tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(phone, "find_own_address", lambda: "192.168.7.20")
    keys, tickets = AccessKeys("token", "cookie"), list[str]()

    def make_ticket() -> str:
        tickets.append(ticket_for(keys.token))
        return tickets[-1]

    state = AppState(tmp_path, lambda: app.open_isolated_library(tmp_path))
    state.invitation = Invitation(8765, True, make_ticket)
    page = await show_phone(state)
    assert page.address == "http://192.168.7.20:8765/"
    assert page.code == draw_code(f"{page.address}?token={tickets[0]}")
    assert ET.fromstring(page.code).tag.endswith("svg")
    assert (keys.redeem(tickets[0]), keys.redeem(tickets[0])) == (True, False)
    assert (await show_phone(state)).code != page.code


def test_a_server_of_the_network_shows_a_code_where_the_machine_is_in_one(servers: Any) -> None:
    server = servers(args=("--host", "0.0.0.0"), stdin=b"a long winter\na long winter\n").start()
    page = server.get("/api/phone")
    if phone.find_own_address():
        assert page["code"].startswith("<svg")
        assert page["address"].endswith(f":{server.port}/")
    else:
        assert page["command"]
