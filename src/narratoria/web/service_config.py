"""Reads how a server is to run: from a TOML file, and from the environment, which comes first.

Each setting has one name: `public_origin` in the file is `NARRATORIA_PUBLIC_ORIGIN` in the environment, and
`…_FILE` names a file that holds the value, for what is secret.
"""

from __future__ import annotations

import ipaddress
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from narratoria.errors import ContractViolation, NarratoriaException, Problem
from narratoria.web.identity import ProxyIdentity, read_proxy_identity
from narratoria.web.public_origin import Network, PublicOrigin, read_public_origin
from narratoria.web.rate_limits import AccountLimits
from narratoria.web.running_server import PORT
from narratoria.web.turn_queue import QueueBounds

PREFIX = "NARRATORIA_"
LOOPBACK = "127.0.0.1"
LISTS = ("trusted_proxies", "owners", "authors", "metrics_from")
SETTINGS = (
    *("home", "shared", "database_url", "host", "port", "passphrase", "log_format", "otlp_endpoint"),
    *("public_origin", "identity_header", "identity_name_header", *LISTS),
    *("turns_at_once", "turns_waiting"),
    *("limit_turns_per_minute", "limit_changes_per_minute", "limit_stories"),
)


@dataclass(frozen=True, slots=True)
class ServiceConfig:
    """Says how a server runs, beside where its files and its database are."""

    host: str = LOOPBACK
    port: int = PORT
    passphrase: str = ""
    log_format: Literal["json", "text"] = "json"
    otlp_endpoint: str = ""
    metrics_from: tuple[Network, ...] = ()
    public: PublicOrigin | None = None
    proxy: ProxyIdentity | None = None
    limits: AccountLimits = field(default_factory=AccountLimits)
    bounds: QueueBounds = field(default_factory=QueueBounds)

    def __repr__(self) -> str:
        return f"ServiceConfig({self.host}:{self.port})"  # without the passphrase


def read_service_config(environment: Mapping[str, str]) -> ServiceConfig:
    """Return the settings of the environment; NarratoriaException for what cannot be used."""
    public, proxy = read_public_origin(environment), read_proxy_identity(environment)
    if proxy is not None and public is None:
        raise NarratoriaException(
            "NARRATORIA_IDENTITY_HEADER needs NARRATORIA_PUBLIC_ORIGIN: a proxy is believed under that name"
        )
    log_format = environment.get(f"{PREFIX}LOG_FORMAT", "").strip() or "json"
    if log_format not in ("json", "text"):
        raise NarratoriaException(f"NARRATORIA_LOG_FORMAT is json or text, and not {log_format!r}")
    port = environment.get(f"{PREFIX}PORT", "").strip() or str(PORT)
    if not (port.isascii() and port.isdigit() and int(port) <= 65535):
        raise NarratoriaException(f"NARRATORIA_PORT is a port, and not {port!r}")
    return ServiceConfig(
        host=environment.get(f"{PREFIX}HOST", "").strip() or LOOPBACK,
        port=int(port),
        passphrase=environment.get(f"{PREFIX}PASSPHRASE", ""),
        log_format="json" if log_format == "json" else "text",
        otlp_endpoint=environment.get(f"{PREFIX}OTLP_ENDPOINT", "").strip(),
        metrics_from=_networks(environment.get(f"{PREFIX}METRICS_FROM", "").strip() or "127.0.0.1,::1"),
        public=public,
        proxy=proxy,
        limits=AccountLimits.read(environment),
        bounds=QueueBounds.read(environment),
    )


def read_settings_file(file: Path) -> dict[str, str]:
    """Return the settings of a TOML file as the environment would hold them.

    ContractViolation names everything that is wrong with it.
    """
    try:
        document = tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise ContractViolation([Problem(f"cannot be read: {error.strerror}", file=str(file))]) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ContractViolation([Problem(f"is not TOML: {error}", file=str(file))]) from None
    settings, problems = {}, []
    for key, value in document.items():
        if key.removesuffix("_file") not in SETTINGS:
            message = f"{key!r} is no setting; there are {', '.join(SETTINGS)}"
            problems.append(Problem(message, f"/{key}", file=str(file)))
        elif (text := _text(key, value)) is None:
            expected = "a list of texts" if key in LISTS else "a text or a number"
            problems.append(Problem(f"{key} is {expected}", f"/{key}", file=str(file)))
        else:
            settings[f"{PREFIX}{key.upper()}"] = text
    if problems:
        raise ContractViolation(problems)
    return settings


def combine_settings(from_file: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """Return all settings, those of the environment before those of the file, with secrets read."""
    settings = {**from_file, **{key: value for key, value in environment.items() if key.startswith(PREFIX)}}
    for name in SETTINGS:
        key = f"{PREFIX}{name.upper()}"
        if file := settings.pop(f"{key}_FILE", ""):
            try:
                settings[key] = Path(file).read_text("utf-8").strip()
            except (OSError, UnicodeDecodeError) as error:
                raise NarratoriaException(f"{key}_FILE names {file}, which cannot be read: {error}") from None
    return settings


def _text(key: str, value: Any) -> str | None:
    if key in LISTS and isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ",".join(value)
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return str(value)


def _networks(text: str) -> tuple[Network, ...]:
    networks = []
    for one in text.split(","):
        try:
            networks.append(ipaddress.ip_network(one.strip()))
        except ValueError:
            message = f"NARRATORIA_METRICS_FROM holds addresses or networks, and {one.strip()!r} is none"
            raise NarratoriaException(message) from None
    return tuple(networks)
