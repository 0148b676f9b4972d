"""Defines the keys of a server: the token of its address, the cookie that replaces it, and a passphrase."""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
import secrets
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import msgspec

from narratoria.contracts.read import UNDECODABLE
from narratoria.errors import ContractViolation
from narratoria.files import file_lock, replace_file

SHORTEST_PASSPHRASE = 8
GUESSES, GUESS_WINDOW_S = (
    5,
    60.0,
)  # guesses of one address, and of all together ten times as many, in so many seconds
_log = logging.getLogger(__name__)
_SECRET = "secret"
_PASSPHRASE = "passphrase.json"
_HEX = r"^(?:[0-9a-f]{2})+$"


class _Hashed(msgspec.Struct, frozen=True):
    salt: Annotated[str, msgspec.Meta(pattern=_HEX)]
    hash: Annotated[str, msgspec.Meta(pattern=_HEX)]

    def matches(self, passphrase: str) -> bool:
        return hmac.compare_digest(_hash(passphrase, bytes.fromhex(self.salt)), bytes.fromhex(self.hash))


@dataclass(slots=True)
class Guesses:
    """Counts the guesses of each address or profile, and of all together."""

    _times: dict[str, list[float]] = field(default_factory=dict)

    def seconds_until_next(self, who: str) -> float:
        """Return how long to wait before the next guess."""
        now = time.monotonic()
        for one, times in list(self._times.items()):
            self._times[one] = [then for then in times if now - then < GUESS_WINDOW_S]
            if not self._times[one]:
                del self._times[one]
        own = self._times.get(who, [])
        everyone = sorted(then for times in self._times.values() for then in times)
        waits = [
            then[-limit] + GUESS_WINDOW_S - now
            for then, limit in ((own, GUESSES), (everyone, GUESSES * 10))
            if len(then) >= limit
        ]
        return max(waits, default=0.0)

    def count(self, who: str) -> None:
        self._times.setdefault(who, []).append(time.monotonic())

    def forget(self, who: str) -> None:
        self._times.pop(who, None)


@dataclass(slots=True)
class AccessKeys:
    """Holds the keys of one server. The cookie outlives it, so that an open tab goes on after a restart."""

    token: str
    cookie: str
    passphrase: _Hashed | None = None
    secret: bytes = field(default=b"", repr=False)  # signs what the server gives out
    _guesses: Guesses = field(default_factory=Guesses)
    _redeemed: set[str] = field(default_factory=set)

    def opens(self, *, cookie: str = "", token: str = "") -> bool:
        return (bool(cookie) and _same(cookie, self.cookie)) or (bool(token) and _same(token, self.token))

    def redeem(self, ticket: str) -> bool:
        """Return whether this is a ticket of ours that nobody has used before."""
        number, _, sign = ticket.partition(".")
        if ticket in self._redeemed or not sign or not _same(sign, _signed(number, self.token)):
            return False
        self._redeemed.add(ticket)
        return True

    def seconds_until_next_guess(self, address: str) -> float:
        """Return how long this address has to wait before it may guess again."""
        return self._guesses.seconds_until_next(address)

    def count_guess(self, address: str) -> None:
        """Count a guess, before it is checked: of many at once each would otherwise be the first."""
        self._guesses.count(address)

    def matches(self, passphrase: str) -> bool:
        """Return whether this is the passphrase; call `seconds_until_next_guess` and `count_guess` first."""
        return self.passphrase is not None and self.passphrase.matches(passphrase)

    def forget_guesses(self, address: str) -> None:
        """Forget the guesses of an address that knows the passphrase."""
        self._guesses.forget(address)


def open_access_keys(folder: Path, *, guarded: bool) -> AccessKeys:
    """Return a new token and the cookie of this home; `guarded`: its passphrase too."""
    secret = _secret(folder)
    passphrase = _read_passphrase(folder) if guarded else None
    # whoever knew an old passphrase is out when there is a new one
    purpose = b"narratoria cookie" + (passphrase.hash.encode() if passphrase else b"")
    cookie = hmac.new(secret, purpose, hashlib.sha256).hexdigest()
    return AccessKeys(secrets.token_urlsafe(24), cookie, passphrase, secret)


def ticket_for(token: str) -> str:
    """Return a ticket that opens the server once: others can see a browser's command line."""
    number = secrets.token_urlsafe(12)
    return f"{number}.{_signed(number, token)}"


def has_passphrase(folder: Path) -> bool:
    return _read_passphrase(folder) is not None


def set_passphrase(folder: Path, passphrase: str) -> None:
    salt = secrets.token_bytes(16)
    hashed = _Hashed(salt.hex(), _hash(passphrase, salt).hex())
    path = folder / _PASSPHRASE
    with file_lock(path):
        replace_file(path, msgspec.json.encode(hashed), private=True)


def _read_passphrase(folder: Path) -> _Hashed | None:
    try:
        return msgspec.json.decode((folder / _PASSPHRASE).read_bytes(), type=_Hashed)
    except (OSError, *UNDECODABLE):
        return None


def _secret(folder: Path) -> bytes:
    """Return the secret of this home; where none can be written, one for as long as the server runs."""
    path, made = folder / _SECRET, os.urandom(32)
    try:
        with file_lock(path):
            if path.is_file() and len(stored := path.read_bytes()) == 32:
                return stored
            replace_file(path, made, private=True)
    except ContractViolation as full:
        _log.warning("%s", full)
    return made


def _signed(number: str, token: str) -> str:
    return hmac.new(token.encode(), f"narratoria ticket {number}".encode(), hashlib.sha256).hexdigest()


def _hash(passphrase: str, salt: bytes) -> bytes:
    return hashlib.scrypt(passphrase.encode(), salt=salt, n=2**14, r=8, p=1)


def _same(given: str, ours: str) -> bool:
    return hmac.compare_digest(given.encode(), ours.encode())
