"""Accounts are kept in one file, several servers may change it, and a damaged one lets nobody in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from narratoria.errors import ContractViolation, NoSuchRecord, RecordExists, StoreUnavailable
from narratoria.web.accounts import FILE, HOME_ACCOUNT, Accounts, account_of_subject, is_account_id

PIN = "731942"


@pytest.fixture
def accounts(tmp_path: Path) -> Accounts:
    made = Accounts(tmp_path)
    made.add("Olga", "player", PIN)
    return made


def test_the_first_account_is_the_home_s_own_and_its_owner(accounts: Accounts) -> None:
    (olga,) = accounts.all()
    assert (olga.id, olga.role, olga.has_pin) == (HOME_ACCOUNT, "owner", True)
    assert olga.matches(PIN)
    assert not olga.matches("")


def test_each_role_may_do_what_those_before_it_may(accounts: Accounts) -> None:
    author = accounts.add("Ada", "author", "")
    assert (author.may("player"), author.may("author"), author.may("owner")) == (True, True, False)


@pytest.mark.parametrize(("role", "pin"), [("owner", ""), ("owner", "12345"), ("player", "123")])
def test_a_pin_that_is_too_short_is_refused(accounts: Accounts, role: str, pin: str) -> None:
    with pytest.raises(ContractViolation, match="a PIN has"):
        accounts.add("Ada", role, pin)  # type: ignore[arg-type]
    assert len(accounts.all()) == 1


@pytest.mark.parametrize("name", ["", "  ", "x" * 61, "a\x07b"])
def test_a_name_has_letters_and_not_too_many(accounts: Accounts, name: str) -> None:
    with pytest.raises(ContractViolation, match="a name has"):
        accounts.add(name, "player", "")


def test_two_people_have_two_names(accounts: Accounts) -> None:
    with pytest.raises(RecordExists):
        accounts.add(" oLGa ", "player", "")


def test_nobody_becomes_owner_without_a_pin_and_whose_home_it_is_stays_owner(accounts: Accounts) -> None:
    ada = accounts.add("Ada", "player", "")
    with pytest.raises(ContractViolation, match="an owner needs a PIN"):
        accounts.update(ada.id, role="owner")
    assert accounts.update(ada.id, role="owner", pin="246810").role == "owner"
    with pytest.raises(ContractViolation, match="stays its owner"):
        accounts.update(HOME_ACCOUNT, role="player")


def test_the_home_s_own_account_goes_last(accounts: Accounts) -> None:
    ada = accounts.add("Ada", "player", "")
    with pytest.raises(ContractViolation, match="remove the others first"):
        accounts.remove(HOME_ACCOUNT)
    accounts.remove(ada.id)
    accounts.remove(HOME_ACCOUNT)
    assert accounts.all() == ()
    with pytest.raises(NoSuchRecord):
        accounts.remove(ada.id)


def test_a_second_server_sees_a_change_at_once(accounts: Accounts, tmp_path: Path) -> None:
    other = Accounts(tmp_path)
    assert len(other.all()) == 1
    ada = accounts.add("Ada", "player", "")
    assert other.get(ada.id) == ada
    other.remove(ada.id)
    assert accounts.get(ada.id) is None


@pytest.mark.parametrize(
    "content", [b"", b"{", b'{"version": 2}', b'{"accounts": [{"role": "king"}]}', b"\xff"]
)
def test_a_file_that_cannot_be_read_is_no_empty_file(
    accounts: Accounts, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(StoreUnavailable, match="nobody can be let in"):
        accounts.all()
    with pytest.raises(StoreUnavailable):
        accounts.add("Eve", "owner", PIN)


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_only_the_user_can_read_the_file_and_no_pin_is_in_it(accounts: Accounts, tmp_path: Path) -> None:
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0
    assert PIN.encode() not in (tmp_path / FILE).read_bytes()


def test_each_account_has_a_folder_of_its_own(accounts: Accounts, tmp_path: Path) -> None:
    ada = accounts.add("Ada", "player", "")
    assert accounts.folder_of(ada) == tmp_path / "people" / ada.id
    assert accounts.folder_of(accounts.all()[0]) == tmp_path


def test_a_subject_has_always_the_same_account_whatever_it_holds(accounts: Accounts, tmp_path: Path) -> None:
    subject = "../../etc@example.org"
    account = account_of_subject(subject, "Eve", "player")
    assert account.id == account_of_subject(subject, "Other", "owner").id
    assert account.id != account_of_subject("eve@example.org", "Eve", "player").id
    assert is_account_id(account.id)
    assert accounts.remember(account) == account
    assert Accounts(tmp_path).get(account.id) == account


@pytest.mark.parametrize("text", ["..", "a/b", "A", "a" * 65, "a.b", "ä"])
def test_what_is_no_plain_name_is_no_account(text: str) -> None:
    assert not is_account_id(text)


@pytest.mark.parametrize("content", [b'{"accounts": [{"salt": "zz", "pin": "00"}]}', b"[" * 100_000, b"\x88"])
def test_accounts_that_are_damaged_are_said_to_be(accounts: Accounts, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "accounts.json").write_bytes(content)
    with pytest.raises(StoreUnavailable, match="cannot be read"):
        accounts.all()
