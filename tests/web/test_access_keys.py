"""The keys of a server: what opens it, what opens it once, and how often one may guess."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from narratoria.web import access_keys
from narratoria.web.access_keys import (
    GUESSES,
    has_passphrase,
    open_access_keys,
    set_passphrase,
    ticket_for,
)

PASSPHRASE = "a long winter"


def test_the_cookie_outlives_a_server_and_the_token_does_not(tmp_path: Path) -> None:
    first, second = (open_access_keys(tmp_path, guarded=False) for _ in range(2))
    assert second.opens(cookie=first.cookie)
    assert not second.opens(token=first.token)


def test_the_cookie_of_another_home_opens_nothing(tmp_path: Path) -> None:
    ours, theirs = (open_access_keys(tmp_path / name, guarded=False) for name in ("ours", "theirs"))
    assert not ours.opens(cookie=theirs.cookie)
    assert not theirs.opens(cookie=ours.cookie)


@pytest.mark.parametrize("given", ["", " ", "guess", "ключ", "\x00", "a" * 100_000])
def test_nothing_else_opens_a_server(tmp_path: Path, given: str) -> None:
    keys = open_access_keys(tmp_path, guarded=False)
    assert not keys.opens(cookie=given)
    assert not keys.opens(token=given)
    assert not keys.redeem(given)
    assert not keys.matches(given)


def test_token_and_cookie_do_not_stand_for_each_other(tmp_path: Path) -> None:
    keys = open_access_keys(tmp_path, guarded=False)
    assert not keys.opens(cookie=keys.token, token=keys.cookie)


def test_a_ticket_opens_once(tmp_path: Path) -> None:
    keys = open_access_keys(tmp_path, guarded=False)
    ticket = ticket_for(keys.token)
    assert keys.token not in ticket
    assert [keys.redeem(ticket), keys.redeem(ticket)] == [True, False]
    assert keys.redeem(ticket_for(keys.token))


def test_a_ticket_that_was_changed_or_made_elsewhere_is_refused(tmp_path: Path) -> None:
    keys = open_access_keys(tmp_path, guarded=False)
    number, _, sign = ticket_for(keys.token).partition(".")
    assert not keys.redeem(f"{number}x.{sign}")
    assert not keys.redeem(f"{number}.")
    assert not keys.redeem(number)
    assert not keys.redeem(ticket_for("another token"))


def test_a_new_passphrase_locks_out_whoever_knew_the_old_one(tmp_path: Path) -> None:
    set_passphrase(tmp_path, PASSPHRASE)
    before = open_access_keys(tmp_path, guarded=True)
    assert before.matches(PASSPHRASE)
    set_passphrase(tmp_path, "a short spring")
    after = open_access_keys(tmp_path, guarded=True)
    assert not after.matches(PASSPHRASE)
    assert not after.opens(cookie=before.cookie)


def test_a_passphrase_is_kept_as_a_salted_hash_for_the_users_eyes(tmp_path: Path) -> None:
    files = []
    for name in ("one", "two"):
        set_passphrase(tmp_path / name, PASSPHRASE)
        files.append(tmp_path / name / "passphrase.json")
    assert files[0].read_bytes() != files[1].read_bytes()
    assert all(b"winter" not in file.read_bytes() for file in files)
    assert [stat.S_IMODE(file.stat().st_mode) for file in files] == [0o600, 0o600]


@pytest.mark.parametrize("content", [b"", b"{torn", b"[]", b'{"salt": 7}', b"\xff"])
def test_a_passphrase_that_cannot_be_read_is_none_and_opens_nothing(tmp_path: Path, content: bytes) -> None:
    assert not has_passphrase(tmp_path)
    set_passphrase(tmp_path, PASSPHRASE)
    assert has_passphrase(tmp_path)
    (tmp_path / "passphrase.json").write_bytes(content)
    assert not has_passphrase(tmp_path)
    assert not open_access_keys(tmp_path, guarded=True).matches(PASSPHRASE)


def test_a_server_for_this_machine_alone_asks_for_no_passphrase(tmp_path: Path) -> None:
    set_passphrase(tmp_path, PASSPHRASE)
    assert open_access_keys(tmp_path, guarded=False).passphrase is None


def test_a_secret_that_is_torn_is_made_anew(tmp_path: Path) -> None:
    before = open_access_keys(tmp_path, guarded=False)
    (tmp_path / "secret").write_bytes(b"short")
    after = open_access_keys(tmp_path, guarded=False)
    assert not after.opens(cookie=before.cookie)
    assert len((tmp_path / "secret").read_bytes()) == 32


def test_an_address_waits_after_its_guesses_and_others_do_not(tmp_path: Path) -> None:
    keys = open_access_keys(tmp_path, guarded=False)
    waits = []
    for _ in range(GUESSES + 1):
        waits.append(keys.seconds_until_next_guess("192.0.2.1") > 0)
        keys.count_guess("192.0.2.1")
    assert waits == [False] * GUESSES + [True]
    assert keys.seconds_until_next_guess("192.0.2.2") == 0
    keys.forget_guesses("192.0.2.1")
    assert keys.seconds_until_next_guess("192.0.2.1") == 0


def test_many_addresses_together_have_to_wait_too(tmp_path: Path) -> None:
    keys = open_access_keys(tmp_path, guarded=False)
    for number in range(GUESSES * 10):
        assert keys.seconds_until_next_guess("192.0.2.1") == 0
        keys.count_guess(f"198.51.100.{number}")
    assert keys.seconds_until_next_guess("192.0.2.1") > 0


def test_guesses_are_forgotten_after_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = open_access_keys(tmp_path, guarded=False)
    for _ in range(GUESSES):
        keys.count_guess("192.0.2.1")
    assert keys.seconds_until_next_guess("192.0.2.1") > 0
    monkeypatch.setattr(access_keys, "GUESS_WINDOW_S", 0.0)
    assert keys.seconds_until_next_guess("192.0.2.1") == 0


@pytest.mark.parametrize("content", [b"\x88{}", b'{"salt": "x-", "hash": "00"}', b"[" * 100_000])
def test_a_passphrase_that_cannot_be_read_opens_nothing(tmp_path: Path, content: bytes) -> None:
    set_passphrase(tmp_path, PASSPHRASE)
    (tmp_path / "passphrase.json").write_bytes(content)
    assert not has_passphrase(tmp_path)
    assert not open_access_keys(tmp_path, guarded=True).matches(PASSPHRASE)


def test_a_secret_that_cannot_be_written_holds_as_long_as_the_server(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    keys = open_access_keys(tmp_path, guarded=False)
    assert keys.opens(cookie=keys.cookie)
