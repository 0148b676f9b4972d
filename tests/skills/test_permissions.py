"""Permissions: what is asked for, what is granted, and what is in force."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narratoria.errors import ContractViolation
from narratoria.skills.permissions import MEANINGS, NOTHING, Permissions, check_permissions

NAMES = st.sampled_from([*MEANINGS, "files:/srv/maps", "files:/srv/maps:write", "files:~/Music"])
SETS = st.frozensets(NAMES).map(Permissions.parse)


def test_nothing_is_allowed_that_was_not_named() -> None:
    assert not any(NOTHING.allows(name) for name in (*MEANINGS, "files:"))
    assert Permissions.parse(["store:read"]).allows("store:read")
    assert not Permissions.parse(["store:read"]).allows("store:write")


@given(SETS, SETS)
def test_in_force_is_what_was_asked_for_and_granted(asked: Permissions, granted: Permissions) -> None:
    both = asked & granted
    assert both == granted & asked
    for name in MEANINGS:
        assert both.allows(name) == (asked.allows(name) and granted.allows(name))
    writable = {files.path for files in both.files if files.writable}
    for side in (asked, granted):
        assert {files.path for files in both.files} <= {files.path for files in side.files}
        assert writable <= {files.path for files in side.files if files.writable}
    assert asked & asked == asked or len(asked.files) > len({files.path for files in asked.files})


def test_writing_that_was_granted_as_reading_is_reading() -> None:
    both = Permissions.parse(["files:/srv/maps:write"]) & Permissions.parse(["files:/srv/maps/"])
    assert [(files.path, files.writable) for files in both.files] == [(Path("/srv/maps"), False)]


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("Network", "write 'network'"),
        ("store:raed", "write 'store:read'"),
        ("fly", "known are store:read"),
        ("", "known are"),
        ("files:", "names no path"),
        ("files:maps", "must begin at / or ~/"),
        ("files:/srv/../etc", "'..'"),
        ("files:/", "everything of the user"),
        ("files:~/", "everything of the user"),
        ("files:/srv/a\0b", "NUL"),
        (7, "is not text"),
    ],
)
def test_what_cannot_be_a_permission_is_refused_with_advice(name: object, advice: str) -> None:
    (problem,) = check_permissions(["model", name])
    assert problem.pointer == "/permissions/1"
    assert advice in problem.message


def test_all_problems_of_a_list_are_told_at_once() -> None:
    with pytest.raises(ContractViolation) as refusal:
        Permissions.parse(["fly", "model", "files:"], file="skill.json")
    assert [problem.pointer for problem in refusal.value.problems] == ["/permissions/0", "/permissions/2"]
    assert all(problem.file == "skill.json" for problem in refusal.value.problems)


def test_a_user_reads_what_each_permission_means() -> None:
    described = Permissions.parse(["network", "files:/srv/maps", "files:/srv/out:write"]).describe()
    assert described == (
        "read what is in /srv/maps",
        "read and change what is in /srv/out",
        MEANINGS["network"],
    )


def test_a_permission_for_a_host_names_it_and_is_not_the_whole_network() -> None:
    allowed = Permissions.parse(["network:sky.example.org"])
    assert allowed.hosts == ("sky.example.org",)
    assert not allowed.allows("network")
    assert allowed.describe() == ("reach sky.example.org, and send what it is asked about there",)
    (problem,) = check_permissions(["network:https://sky.example.org"])
    assert "write network:example.org" in problem.message


@pytest.mark.parametrize(
    "host",
    [
        *("3232235777", "0x7f.1", "127.1", "010.0.0.1", "1.2.3.0x4", "192.168.1", "127.0.0.1.", "0"),
        *("9" * 30, "9" * 300, "1.2.3.999", "::ffff:7f00:1:0:0:0:0:0:0", "0:0:0:0:0:0:0:1", "::0001"),
    ],
)
def test_an_address_in_disguise_is_no_host(host: str) -> None:
    with pytest.raises(ContractViolation, match=r"hides an address|names no host"):
        Permissions.parse([f"network:{host}"])


@pytest.mark.parametrize("host", ["192.0.2.1", "::1", "example.org", "3com.com", "nas", "x1", "1.example"])
def test_a_host_as_everybody_writes_it_is_one(host: str) -> None:
    assert Permissions.parse([f"network:{host}"]).hosts == (host,)
