"""Reads under which address a proxy shows the server, and which addresses are such proxies."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import urlsplit

from narratoria.errors import NarratoriaException

ORIGIN, PROXIES = "NARRATORIA_PUBLIC_ORIGIN", "NARRATORIA_TRUSTED_PROXIES"
LOOPBACK = "127.0.0.1,::1"
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True, slots=True)
class PublicOrigin:
    """Holds the origin that browsers see, and the networks from which a proxy may speak for it."""

    origin: str  # https://stories.example.org
    proxies: tuple[Network, ...]

    @property
    def host(self) -> str:
        return urlsplit(self.origin).netloc

    @property
    def is_secure(self) -> bool:
        return self.origin.startswith("https://")

    def trusts(self, address: str) -> bool:
        """Return whether a request from this address comes from a proxy of ours."""
        try:
            peer = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(peer in network for network in self.proxies)

    def player_address(self, forwarded: str, peer: str) -> str:
        """Return who asked a proxy: the last address in X-Forwarded-For that is no proxy of ours."""
        for address in reversed([part.strip() for part in forwarded.split(",")]):
            if not self.trusts(address):
                return address or peer
        return peer


def read_public_origin(environment: Mapping[str, str]) -> PublicOrigin | None:
    """Return what the environment says; None without a public origin, NarratoriaException for a wrong one."""
    text = environment.get(ORIGIN, "").strip().rstrip("/")
    if not text:
        return None
    parts = urlsplit(text)
    if (
        parts.scheme not in ("http", "https")
        or text != f"{parts.scheme}://{parts.netloc}"
        or not parts.hostname
    ):
        raise NarratoriaException(
            f"{ORIGIN} is an origin such as https://stories.example.org, and not {text!r}"
        )
    networks = []
    for one in (environment.get(PROXIES) or LOOPBACK).split(","):
        try:
            networks.append(ipaddress.ip_network(one.strip()))
        except ValueError:
            message = (
                f"{PROXIES} holds addresses or networks with commas between, and {one.strip()!r} is none"
            )
            raise NarratoriaException(message) from None
    return PublicOrigin(text.lower(), tuple(networks))
