"""The files in deploy/ name settings that exist, and keep what the page on running a service says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml
from tests.docs.blocks import REPOSITORY

from narratoria.web.service_config import PREFIX, SETTINGS, read_service_config, read_settings_file

DEPLOY = REPOSITORY / "deploy"
HOW_TOS = ("run-a-service.md", "back-up-a-service.md", "upgrade-a-service.md")


def compose() -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return document


def known(variable: str) -> bool:
    return variable.removeprefix(PREFIX).lower().removesuffix("_file") in SETTINGS


def test_the_file_of_settings_has_all_of_them_and_can_be_used() -> None:
    settings = read_settings_file(DEPLOY / "narratoria.toml")
    config = read_service_config(settings)
    assert config.proxy is not None
    text = (DEPLOY / "narratoria.toml").read_text()
    missing = [name for name in SETTINGS if name not in text]
    assert missing == []


def test_every_variable_of_the_containers_is_a_setting() -> None:
    for name in ("first", "second"):
        environment = compose()["services"][name]["environment"]
        assert [one for one in environment if not known(one)] == []
    named = re.findall(r"(NARRATORIA_\w+)=", (DEPLOY / "Containerfile").read_text())
    assert named
    assert [one for one in named if not known(one)] == []


def test_every_variable_of_a_service_is_on_the_page_of_the_environment() -> None:
    page = (REPOSITORY / "docs/reference/environment.md").read_text()
    assert [name for name in SETTINGS if f"`{PREFIX}{name.upper()}`" not in page] == []


def test_each_server_has_a_home_of_its_own_and_all_share_a_folder() -> None:
    services = compose()["services"]
    homes, shared = [], set()
    for name in ("first", "second"):
        volumes = dict(reversed(one.split(":")) for one in services[name]["volumes"])
        homes.append(volumes["/var/lib/narratoria"])
        shared.add(volumes["/srv/narratoria"])
    assert len(set(homes)) == 2
    assert len(shared) == 1
    declared = compose()["volumes"]
    assert {*homes, *shared} <= set(declared)


def test_only_the_proxy_can_be_reached_and_is_the_one_that_is_trusted() -> None:
    services = compose()["services"]
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    address = services["proxy"]["networks"]["inside"]["ipv4_address"]
    assert services["first"]["environment"]["NARRATORIA_TRUSTED_PROXIES"] == address


def test_the_proxy_takes_away_what_a_browser_says_about_who_it_is() -> None:
    environment = compose()["services"]["first"]["environment"]
    proxy = (DEPLOY / "Caddyfile").read_text()
    for setting in ("NARRATORIA_IDENTITY_HEADER", "NARRATORIA_IDENTITY_NAME_HEADER"):
        removal = f"request_header -{environment[setting]}\n"
        assert removal in proxy
        assert proxy.index(removal) < proxy.index("forward_auth")


def test_secrets_are_files_and_every_one_that_is_used_is_declared() -> None:
    document = compose()
    used = {one for service in document["services"].values() for one in service.get("secrets", ())}
    assert used == set(document["secrets"])
    for service in document["services"].values():
        environment = service.get("environment", {})
        assert [name for name in environment if re.search(r"(SECRET|PASSWORD|DATABASE_URL)$", name)] == []


def test_the_container_runs_as_nobody_in_particular_and_ends_in_order() -> None:
    text = (DEPLOY / "Containerfile").read_text()
    stages = re.split(r"^FROM ", text, flags=re.MULTILINE)
    assert "USER narratoria" in stages[-1]
    assert "STOPSIGNAL SIGTERM" in stages[-1]
    assert 'CMD ["narratoria", "serve"]' in text
    assert not re.search(r"^FROM \S+:latest", text, re.MULTILINE)


def test_the_pages_name_files_that_are_there() -> None:
    for name in HOW_TOS:
        page = (REPOSITORY / "docs/how-to" / name).read_text()
        for path in re.findall(r"deploy/[\w.-]+\w", page):
            made_by_reader = path in ("deploy/secrets", "deploy/service.env")
            assert made_by_reader or (REPOSITORY / path).exists(), path
    assert Path(DEPLOY / "service.env.example").is_file()
