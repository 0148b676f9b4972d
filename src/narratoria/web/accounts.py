"""Keeps the accounts of a home: who there is, what each may do, and the hash of each PIN.

Without an account the home has one player, who may do everything, and nobody is asked who they are. The
account of the home itself has the empty id: what was played before there were accounts is its own.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import msgspec

from narratoria.contracts.read import UNDECODABLE
from narratoria.errors import ContractViolation, NoSuchRecord, Problem, RecordExists, StoreUnavailable
from narratoria.files import file_lock, replace_file
from narratoria.paths import account_folder

FILE = "accounts.json"
HOME_ACCOUNT = ""
MOST_ACCOUNTS = 10_000
SHORTEST_PIN, SHORTEST_OWNER_PIN, LONGEST_PIN = 4, 6, 64
LONGEST_NAME = 60
Role: TypeAlias = Literal["player", "author", "owner"]
ROLES: tuple[Role, ...] = ("player", "author", "owner")  # each may do what those before it may
Hex: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^(?:[0-9a-f]{2})*$")]
_PLAIN_ID = re.compile(r"[a-z0-9-]{1,64}")


class Account(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Describes a person who may come in; `id` is empty for the one whose home it is."""

    id: str = HOME_ACCOUNT
    name: str = ""
    role: Role = "player"
    salt: Hex = ""
    pin: Hex = ""  # a hash; empty where none is asked for

    @property
    def has_pin(self) -> bool:
        return bool(self.pin)

    def may(self, role: Role) -> bool:
        """Return whether this account may do what needs a role."""
        return ROLES.index(self.role) >= ROLES.index(role)

    def matches(self, pin: str) -> bool:
        """Return whether this is the PIN; slow on purpose."""
        return not self.pin or hmac.compare_digest(_hash(pin, bytes.fromhex(self.salt)), self.pin)

    def with_pin(self, pin: str) -> Account:
        """Return the account with another PIN, or with none for an empty one."""
        if not pin:
            return msgspec.structs.replace(self, salt="", pin="")
        salt = secrets.token_bytes(16)
        return msgspec.structs.replace(self, salt=salt.hex(), pin=_hash(pin, salt))


class _Document(msgspec.Struct, frozen=True):
    version: Literal[1] = 1
    accounts: tuple[Account, ...] = ()


NOBODY = Account(id="nobody")  # who has a key to the server and has not said who they are
SOLE_PLAYER = Account(id=HOME_ACCOUNT, role="owner")  # who plays where there are no accounts


class Accounts:
    """Reads and changes the accounts in one folder, which several servers may share."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / FILE
        self._read: tuple[tuple[int, int, int], dict[str, Account]] | None = None

    def all(self) -> tuple[Account, ...]:
        """Return the accounts in the order in which they were made; none where there is one player."""
        return tuple(self._load().values())

    def get(self, account_id: str) -> Account | None:
        return self._load().get(account_id)

    def folder_of(self, account: Account) -> Path:
        """Return the folder in which an account keeps its settings and campaigns."""
        return account_folder(self._folder, account.id)

    def add(self, name: str, role: Role, pin: str, *, account_id: str | None = None) -> Account:
        """Add an account; the first one is the home's own, and its role is owner.

        Raise ContractViolation for a name or a PIN that cannot be used, RecordExists for one that is taken.
        """

        def change(accounts: dict[str, Account]) -> Account:
            is_first = HOME_ACCOUNT not in accounts
            chosen: Role = "owner" if is_first else role
            check_pin(chosen, pin)
            added = HOME_ACCOUNT if is_first else account_id or _new_id(name)
            account = Account(id=added, name=_checked_name(name, accounts), role=chosen).with_pin(pin)
            if len(accounts) >= MOST_ACCOUNTS:
                raise ContractViolation([Problem(f"there are {MOST_ACCOUNTS} accounts already", "/name")])
            accounts[added] = account
            return account

        return self._change(change)

    def remember(self, account: Account) -> Account:
        """Keep an account that somebody else vouches for, as it is now, and return it."""
        if self.get(account.id) == account:
            return account

        def change(accounts: dict[str, Account]) -> Account:
            if account.id not in accounts and len(accounts) >= MOST_ACCOUNTS:
                raise ContractViolation([Problem(f"there are {MOST_ACCOUNTS} accounts already")])
            accounts[account.id] = account
            return account

        return self._change(change)

    def update(
        self,
        account_id: str,
        *,
        name: str | None = None,
        role: Role | None = None,
        pin: str | None = None,
    ) -> Account:
        """Change what is given of an account; raise NoSuchRecord without one."""

        def change(accounts: dict[str, Account]) -> Account:
            account = _existing(accounts, account_id)
            if name is not None and name.strip() != account.name:
                others = {key: one for key, one in accounts.items() if key != account_id}
                account = msgspec.structs.replace(account, name=_checked_name(name, others))
            if role is not None:
                if account_id == HOME_ACCOUNT and role != "owner":
                    raise ContractViolation([Problem("whose home it is stays its owner", "/role")])
                account = msgspec.structs.replace(account, role=role)
            if pin is not None:
                check_pin(account.role, pin)
                account = account.with_pin(pin)
            elif account.role == "owner" and not account.has_pin:
                raise ContractViolation([Problem("an owner needs a PIN", "/pin")])
            accounts[account_id] = account
            return account

        return self._change(change)

    def remove(self, account_id: str) -> Account:
        """Remove an account; the home's own goes last, and then nobody is asked any more who they are."""

        def change(accounts: dict[str, Account]) -> Account:
            account = _existing(accounts, account_id)
            if account_id == HOME_ACCOUNT and len(accounts) > 1:
                raise ContractViolation([Problem("remove the others first; this is whose home it is")])
            del accounts[account_id]
            return account

        return self._change(change)

    def _change(self, change: Callable[[dict[str, Account]], Account]) -> Account:
        with file_lock(self._file):
            accounts = dict(self._load())
            changed = change(accounts)
            content = msgspec.json.encode(_Document(accounts=tuple(accounts.values())))
            replace_file(self._file, msgspec.json.format(content) + b"\n", private=True)
            self._read = None
        return changed

    def _load(self) -> dict[str, Account]:
        """Return the accounts by id; StoreUnavailable for a file that cannot be read lets nobody in."""
        try:
            about = self._file.stat()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise _unreadable(self._file, error.strerror or "") from None
        stamp = about.st_mtime_ns, about.st_size, about.st_ino
        if self._read is None or self._read[0] != stamp:
            try:
                document = msgspec.json.decode(self._file.read_bytes(), type=_Document)
            except (OSError, *UNDECODABLE) as error:
                raise _unreadable(self._file, str(error)) from None
            self._read = stamp, {account.id: account for account in document.accounts}
        return self._read[1]


def account_of_subject(subject: str, name: str, role: Role) -> Account:
    """Return the account of somebody whom a proxy has identified; the same subject has the same id."""
    digest = hashlib.sha256(subject.encode()).hexdigest()[:32]
    return Account(id=f"u-{digest}", name=" ".join(name.split())[:LONGEST_NAME], role=role)


def is_account_id(text: str) -> bool:
    """Return whether this can be the id of an account, which is also the name of a folder."""
    return text == HOME_ACCOUNT or _PLAIN_ID.fullmatch(text) is not None


def check_pin(role: Role, pin: str) -> None:
    """Raise ContractViolation for a PIN that is too short or too long; players may have none."""
    shortest = SHORTEST_OWNER_PIN if role == "owner" else SHORTEST_PIN
    if (not pin and role != "owner") or shortest <= len(pin) <= LONGEST_PIN:
        return
    needed = f"a PIN has {shortest} to {LONGEST_PIN} characters"
    raise ContractViolation([Problem(f"{needed}; an owner needs one" if role == "owner" else needed, "/pin")])


def _checked_name(name: str, others: dict[str, Account]) -> str:
    plain = " ".join(name.split())
    if not 1 <= len(plain) <= LONGEST_NAME or not plain.isprintable():
        raise ContractViolation([Problem(f"a name has 1 to {LONGEST_NAME} letters", "/name")])
    if plain.casefold() in {one.name.casefold() for one in others.values()}:
        raise RecordExists(f"there is somebody called {plain!r} already")
    return plain


def _existing(accounts: dict[str, Account], account_id: str) -> Account:
    if account_id not in accounts:
        raise NoSuchRecord("there is no such account")
    return accounts[account_id]


def _new_id(name: str) -> str:
    plain = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")[:40] or "person"
    return f"{plain}-{secrets.token_hex(4)}"


def _hash(pin: str, salt: bytes) -> str:
    return hashlib.scrypt(pin.encode(), salt=salt, n=2**14, r=8, p=1).hex()


def _unreadable(file: Path, why: str) -> StoreUnavailable:
    return StoreUnavailable(f"{file} cannot be read ({why}); nobody can be let in until it is mended")
