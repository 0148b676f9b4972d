"""Says who sends a request: the holder of the token, a profile of the household, or whom a proxy names."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.responses import Response

from narratoria.errors import NarratoriaException
from narratoria.web.access_keys import Guesses
from narratoria.web.accounts import (
    SOLE_PLAYER,
    Account,
    Accounts,
    Role,
    account_of_subject,
    is_account_id,
)

PROFILE_DAYS = 30
LONGEST_SUBJECT = 320  # characters, as an e-mail address may have
HEADER, NAME_HEADER = "NARRATORIA_IDENTITY_HEADER", "NARRATORIA_IDENTITY_NAME_HEADER"
OWNERS, AUTHORS = "NARRATORIA_OWNERS", "NARRATORIA_AUTHORS"


@dataclass(frozen=True, slots=True)
class ProxyIdentity:
    """Says by which header a trusted proxy names the person, and who of them is more than a player."""

    header: str  # as X-Forwarded-User, or X-Forwarded-Email
    name_header: str = ""
    owners: frozenset[str] = frozenset()
    authors: frozenset[str] = frozenset()

    def role_of(self, subject: str) -> Role:
        if subject in self.owners:
            return "owner"
        return "author" if subject in self.authors else "player"

    def account_of(self, headers: Mapping[str, str]) -> Account | None:
        """Return the account that the headers name; None where they name nobody."""
        subject = headers.get(self.header.lower(), "").strip()
        if not subject or len(subject) > LONGEST_SUBJECT or not subject.isprintable():
            return None
        name = headers.get(self.name_header.lower(), "").strip() if self.name_header else ""
        return account_of_subject(subject, name or subject, self.role_of(subject))


def read_proxy_identity(environment: Mapping[str, str]) -> ProxyIdentity | None:
    """Return what the environment says; None without a header, NarratoriaException for one that is none."""
    header = environment.get(HEADER, "").strip()
    if not header:
        return None
    names = (header, environment.get(NAME_HEADER, "").strip())
    for name in filter(None, names):
        if not all(letter.isascii() and (letter.isalnum() or letter == "-") for letter in name):
            raise NarratoriaException(f"{HEADER} is the name of a header, and not {name!r}")
    return ProxyIdentity(
        header=header,
        name_header=names[1],
        owners=_subjects(environment.get(OWNERS, "")),
        authors=_subjects(environment.get(AUTHORS, "")),
    )


def _subjects(text: str) -> frozenset[str]:
    return frozenset(filter(None, (one.strip() for one in text.split(","))))


@dataclass(slots=True)
class Identification:
    """Finds out whose request it is, and signs the cookie of a profile that was entered."""

    accounts: Accounts
    secret: bytes
    proxy: ProxyIdentity | None = None
    clock: Callable[[], float] = time.time

    def by_token(self) -> Account:
        """Return who holds the token of the server: whose home it is."""
        return self.accounts.get(SOLE_PLAYER.id) or SOLE_PLAYER

    def by_proxy(self, headers: Headers) -> Account | None:
        """Return whom a trusted proxy names, kept from then on; None where it names nobody, or two."""
        if self.proxy is None or len(headers.getlist(self.proxy.header)) != 1:
            return None  # of two, one may be the player's own
        named = self.proxy.account_of(headers)
        return None if named is None else self.accounts.remember(named)

    def by_profile(self, cookie: str) -> Account | None:
        """Return the profile that a cookie was given for; without accounts, the one player."""
        accounts = self.accounts.all()
        if not accounts:
            return SOLE_PLAYER
        expiry, _, rest = cookie.partition(".")
        sign, _, account_id = rest.partition(".")
        if not expiry.isdigit() or not expiry.isascii() or len(expiry) > 15 or not is_account_id(account_id):
            return None
        account = self.accounts.get(account_id)
        if account is None or int(expiry) < self.clock():
            return None
        return account if hmac.compare_digest(sign, self._sign(account, expiry)) else None

    def profile_cookie(self, account: Account) -> str:
        """Return a cookie that stands for a profile, until its PIN changes or it has grown old."""
        expiry = str(int(self.clock()) + PROFILE_DAYS * 24 * 3600)
        return f"{expiry}.{self._sign(account, expiry)}.{account.id}"

    def _sign(self, account: Account, expiry: str) -> str:
        text = f"narratoria profile\n{account.id}\n{account.salt}\n{account.pin}\n{expiry}"
        return hmac.new(self.secret, text.encode(), hashlib.sha256).hexdigest()


@dataclass(frozen=True, slots=True)
class Entrance:
    """Lets a profile in by its cookie, and lets it guess its PIN only so often."""

    identification: Identification
    cookie_name: str
    is_secure: bool
    guesses: Guesses

    def give_cookie(self, response: Response, account: Account) -> None:
        response.set_cookie(
            self.cookie_name,
            self.identification.profile_cookie(account),
            max_age=PROFILE_DAYS * 24 * 3600,
            path="/",
            secure=self.is_secure,
            httponly=True,
            samesite="strict",
        )

    def take_cookie(self, response: Response) -> None:
        response.delete_cookie(
            self.cookie_name, path="/", secure=self.is_secure, httponly=True, samesite="strict"
        )
