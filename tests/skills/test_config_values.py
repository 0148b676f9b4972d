"""A key goes to the address it was given for, and nowhere else."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from narratoria import paths
from narratoria.errors import ContractViolation
from narratoria.skills.config import SkillConfig, change_config, config_file, read_config
from narratoria.skills.config_schema import read_schema
from narratoria.skills.config_values import origin_of
from narratoria.skills.discovery import discover
from narratoria.skills.redact import MASK
from narratoria.skills.skill import Skill

KEY = "sk-of-the-owner-0123"
THEIRS = "https://thief.example"
OURS = {"provider": "openai", "baseUrl": "https://api.example.com/v1"}
VARIABLE = "NARRATORIA_STORYTELLER_API_KEY"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def storyteller() -> Skill:
    (skill,) = [one for one in discover([paths.BUNDLED_SKILLS]).skills if one.name == "storyteller"]
    return skill


def key_of(config: SkillConfig, env: dict[str, str] | None = None) -> Any:
    """The key that the script would be given."""
    return config.effective(env or {}).values.get("apiKey")


@pytest.mark.parametrize("address", [{"baseUrl": THEIRS}, {"provider": "claude", "baseUrl": ""}])
@pytest.mark.parametrize("untouched", [{}, {"apiKey": MASK}])
@pytest.mark.parametrize("in_terminal", [True, False])
def test_another_address_clears_the_key(
    storyteller: Skill,
    home: Path,
    address: dict[str, str],
    untouched: dict[str, str],
    in_terminal: bool,
) -> None:
    assert key_of(change_config(storyteller, home, {**OURS, "apiKey": KEY})) == KEY
    after = change_config(storyteller, home, {**address, **untouched}, in_terminal=in_terminal)
    assert after.cleared == ("apiKey",)
    assert key_of(after) is None
    assert KEY not in config_file(home, "storyteller").read_text()


def test_the_same_server_keeps_the_key_and_so_does_a_time_without_any(storyteller: Skill, home: Path) -> None:
    change_config(storyteller, home, {**OURS, "apiKey": KEY})
    changes: list[dict[str, str]] = [
        {"baseUrl": "https://API.example.com:443/v2"},
        {"style": "terse"},
        {"provider": "local", "baseUrl": ""},
    ]
    for change in changes:
        after = change_config(storyteller, home, change)
        assert (after.cleared, key_of(after)) == ((), KEY)
    assert key_of(change_config(storyteller, home, OURS)) == KEY
    assert key_of(change_config(storyteller, home, {"baseUrl": THEIRS})) is None


def test_a_key_that_is_given_with_an_address_is_for_that_address(storyteller: Skill, home: Path) -> None:
    change_config(storyteller, home, {**OURS, "apiKey": KEY})
    after = change_config(storyteller, home, {"baseUrl": THEIRS, "apiKey": "sk-another"})
    assert key_of(after) == "sk-another"


@pytest.mark.parametrize("first", [{"apiKey": KEY}, {"apiKey": KEY, "provider": "local"}])
def test_a_key_that_is_given_before_its_provider_goes_to_usual_addresses_alone(
    storyteller: Skill, home: Path, first: dict[str, str]
) -> None:
    change_config(storyteller, home, first)
    assert key_of(change_config(storyteller, home, {"provider": "claude"})) == KEY
    assert key_of(change_config(storyteller, home, {"provider": "openai", "baseUrl": THEIRS})) is None


def test_an_address_that_is_changed_in_the_file_is_not_sent_the_key(storyteller: Skill, home: Path) -> None:
    change_config(storyteller, home, {**OURS, "apiKey": KEY})
    file = config_file(home, "storyteller")
    file.write_text(file.read_text().replace("https://api.example.com/v1", THEIRS))
    config = read_config(storyteller, home)
    assert key_of(config) is None
    (warning,) = config.effective({}).warnings
    assert "API key was given for https://api.example.com:443, and is not sent to" in warning.message
    assert KEY not in warning.message
    assert key_of(change_config(storyteller, home, {"style": "terse"})) is None
    assert KEY not in file.read_text(), "the next change clears it"


def test_a_file_written_by_hand_or_by_an_earlier_version_is_bound_to_the_address_in_it(
    storyteller: Skill, home: Path
) -> None:
    file = config_file(home, "storyteller")
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({**OURS, "apiKey": KEY}))
    config = read_config(storyteller, home)
    assert key_of(config) == KEY
    assert config.effective({}).warnings == ()
    assert key_of(change_config(storyteller, home, {"style": "terse"})) == KEY
    assert key_of(change_config(storyteller, home, {"baseUrl": THEIRS})) is None


@pytest.mark.parametrize(
    "steps",
    [
        [{"baseUrl": THEIRS}],
        [{"baseUrl": THEIRS, "apiKey": f"${{{VARIABLE}}}"}],
        [{"baseUrl": THEIRS, "apiKey": ""}, {"apiKey": None}],
        [{"baseUrl": THEIRS, "apiKey": "bait"}, {"apiKey": None}],
        [{"baseUrl": THEIRS, "apiKey": "bait"}, {"apiKey": "${OTHER_SECRET}"}],
        [{"baseUrl": THEIRS, "apiKey": None, "$givenFor": None}],
    ],
)
@pytest.mark.parametrize("before", [{}, {"provider": "openai"}, OURS])
def test_a_page_cannot_send_what_is_in_the_environment_to_an_address_of_its_own(
    storyteller: Skill, home: Path, before: dict[str, str], steps: list[dict[str, Any]]
) -> None:
    env = {VARIABLE: KEY, "OTHER_SECRET": "another"}
    after = change_config(storyteller, home, {"provider": "openai", **before}, env=env, in_terminal=True)
    assert key_of(after, env) == KEY
    for step in steps:
        set_, unset = {k: v for k, v in step.items() if v is not None}, [k for k in step if step[k] is None]
        after = change_config(storyteller, home, set_, unset=unset, env=env)
    after = change_config(storyteller, home, {"style": "terse"}, env=env, in_terminal=True)
    assert key_of(after, env) not in (KEY, "another")
    if key_of(after, env) is None and after.values.get("apiKey") != "":
        assert any(
            "narratoria skills config set storyteller baseUrl=" in w.message
            for w in after.effective(env).warnings
        )
        after = change_config(storyteller, home, {"baseUrl": THEIRS}, env=env, in_terminal=True)
        assert key_of(after, env) in (KEY, "another"), "whoever has the terminal has the environment too"


def test_a_page_cannot_put_a_variable_where_it_is_sent_along(storyteller: Skill, home: Path) -> None:
    for key in ("model", "baseUrl"):
        with pytest.raises(ContractViolation, match="in a terminal only"):
            change_config(storyteller, home, {key: "https://thief.example/${HOME}"})
        change_config(storyteller, home, {key: "${MY_OWN}"}, in_terminal=True)
        change_config(storyteller, home, {"style": "terse", key: "${MY_OWN}"})  # as it was


def test_the_record_is_no_setting(storyteller: Skill, home: Path) -> None:
    config = change_config(storyteller, home, {**OURS, "apiKey": KEY})
    config = read_config(storyteller, home)
    assert config.unknown == ()
    assert set(config.shown(config.effective({}))) >= {"apiKey", "baseUrl"}
    assert not any(key.startswith("$") for key in config.shown(config.effective({})))
    with pytest.raises(ContractViolation):
        change_config(storyteller, home, {"$givenFor": {"apiKey": THEIRS}})


def test_the_usual_addresses_are_those_that_the_scripts_use(
    storyteller: Skill, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(storyteller.folder / "scripts"))
    import _providers

    monkeypatch.delitem(sys.modules, "_providers")
    schema = read_schema(storyteller.folder)
    for key in ("apiKey", "fallbackApiKey"):
        about = schema.field(key)
        assert about is not None
        assert about.sent_to is not None
        assert about.sent_to.usual == _providers.URLS


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://api.example.com/v1", "https://api.example.com:443"),
        ("HTTP://Example.com", "http://example.com:80"),
        ("http://[::1]:8080/x", "http://::1:8080"),
        ("https://good.example@thief.example/", "https://thief.example:443"),
        ("nonsense", "nonsense"),
        ("http://x:99999999", "http://x:99999999"),
    ],
)
def test_an_origin_is_scheme_host_and_port(url: str, origin: str) -> None:
    assert origin_of(url) == origin
