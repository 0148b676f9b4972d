"""A service is configured by a file and the environment, and everything wrong with them is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from narratoria.errors import ContractViolation, NarratoriaException
from narratoria.web.service_config import combine_settings, read_service_config, read_settings_file

FILE = """
host = "0.0.0.0"
port = 9000
public_origin = "https://stories.example.org"
trusted_proxies = ["10.0.0.5", "10.1.0.0/16"]
identity_header = "X-Forwarded-User"
owners = ["olga@example.org"]
turns_at_once = 3
limit_stories = 10
metrics_from = ["10.2.0.0/16"]
log_format = "text"
"""


def test_a_file_says_everything_that_the_environment_can(tmp_path: Path) -> None:
    (tmp_path / "n.toml").write_text(FILE)
    config = read_service_config(combine_settings(read_settings_file(tmp_path / "n.toml"), {}))
    assert (config.host, config.port, config.log_format) == ("0.0.0.0", 9000, "text")
    assert config.public is not None
    assert config.public.trusts("10.1.2.3")
    assert config.proxy is not None
    assert config.proxy.role_of("olga@example.org") == "owner"
    assert (config.bounds.slots, config.limits.stories) == (3, 10)
    assert str(config.metrics_from[0]) == "10.2.0.0/16"


def test_the_environment_comes_first_and_others_variables_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "n.toml").write_text(FILE)
    settings = combine_settings(
        read_settings_file(tmp_path / "n.toml"), {"NARRATORIA_PORT": "9001", "PATH": "/bin"}
    )
    assert read_service_config(settings).port == 9001
    assert "PATH" not in settings


def test_a_secret_is_read_from_the_file_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("correct horse battery\n")
    settings = combine_settings({"NARRATORIA_PASSPHRASE_FILE": str(tmp_path / "secret")}, {})
    config = read_service_config(settings)
    assert config.passphrase == "correct horse battery"
    assert "horse" not in repr(config)
    with pytest.raises(NarratoriaException, match="NARRATORIA_PASSPHRASE_FILE names"):
        combine_settings({"NARRATORIA_PASSPHRASE_FILE": str(tmp_path / "gone")}, {})


def test_every_problem_of_a_file_is_named_at_once(tmp_path: Path) -> None:
    (tmp_path / "n.toml").write_text('prot = 1\nowners = "olga"\nhost = ["a"]\nport = true\n')
    with pytest.raises(ContractViolation) as violation:
        read_settings_file(tmp_path / "n.toml")
    assert [problem.pointer for problem in violation.value.problems] == ["/prot", "/host", "/port"]
    (tmp_path / "n.toml").write_text("host =")
    with pytest.raises(ContractViolation, match="is not TOML"):
        read_settings_file(tmp_path / "n.toml")
    with pytest.raises(ContractViolation, match="cannot be read"):
        read_settings_file(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"NARRATORIA_PORT": "x"}, "NARRATORIA_PORT is a port"),
        ({"NARRATORIA_PORT": "70000"}, "NARRATORIA_PORT is a port"),
        ({"NARRATORIA_LOG_FORMAT": "xml"}, "json or text"),
        ({"NARRATORIA_METRICS_FROM": "here"}, "NARRATORIA_METRICS_FROM holds addresses"),
        ({"NARRATORIA_IDENTITY_HEADER": "X-User"}, "needs NARRATORIA_PUBLIC_ORIGIN"),
    ],
)
def test_what_cannot_be_used_is_named(settings: dict[str, str], message: str) -> None:
    with pytest.raises(NarratoriaException, match=message):
        read_service_config(settings)
