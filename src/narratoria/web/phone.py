"""Answers how a phone in the same network gets here: an address as a code to scan, or what to start first."""

from __future__ import annotations

import asyncio
import io
import socket
from collections.abc import Callable
from dataclasses import dataclass

import msgspec
import segno

from narratoria.web.app_state import AppState
from narratoria.web.operation import Operations

phone = Operations("Phone", "From the computer to a phone in the same network.", role="owner")

COMMAND = "narratoria play --host 0.0.0.0"
# reserved for documents: nothing is sent there, and the system still says which of our addresses it would use
_ANY_ADDRESS = ("192.0.2.1", 9)


class PhonePage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How to open this library on a phone; `code` is empty while only this machine is listened to."""

    address: str  # without its key
    code: str  # a picture as SVG, with a key that opens once
    command: str  # what to start instead, where there is no code


@dataclass(frozen=True, slots=True)
class Invitation:
    """Says where others in the network reach this server, and makes keys that open it once."""

    port: int
    is_open: bool  # whether it listens beyond this machine
    make_ticket: Callable[[], str]


@phone.get("/phone")
async def show_phone(app_state: AppState) -> PhonePage:
    """A code to scan with a phone in the same network; it opens once, each answer has another."""
    invitation = app_state.invitation
    host = await asyncio.to_thread(find_own_address) if invitation and invitation.is_open else ""
    if invitation is None or not host:
        return PhonePage(address="", code="", command=COMMAND)
    address = f"http://{host}:{invitation.port}/"
    code = draw_code(f"{address}?token={invitation.make_ticket()}")
    return PhonePage(address=address, code=code, command="")


def find_own_address() -> str:
    """Return the address of this machine in its network; empty where it is in none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_ANY_ADDRESS)
            host: str = probe.getsockname()[0]
        except OSError:
            return ""
    return "" if host.startswith(("127.", "0.")) else host


def draw_code(text: str) -> str:
    """Return a QR code as an SVG picture, dark on white whatever the theme."""
    picture = io.BytesIO()
    segno.make(text, error="m", micro=False).save(
        picture, kind="svg", border=4, scale=6, dark="#000", light="#fff", xmldecl=False, svgns=True
    )
    return picture.getvalue().decode()
