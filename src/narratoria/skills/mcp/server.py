"""Describes the MCP server of a skill: a program that is started in the skill's box, or an address."""

from __future__ import annotations

import importlib.util
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from narratoria.errors import NotRunnable, Problem
from narratoria.protocol.command import command_for
from narratoria.skills.permissions import NETWORK_HOST

LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))
INSTALL_SDK = "pip install 'narratoria[mcp]'"
_SETTING = re.compile(r"\$\{([^}]*)\}")  # in a text of the manifest: the value of a setting


@dataclass(frozen=True, slots=True)
class McpServer:
    """Describes a server as a skill's manifest does; texts may hold `${setting}`."""

    command: str = ""  # a file of the skill or a program on the PATH; empty for a server at an address
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict, hash=False)
    file: Path | None = None  # of the skill, where the command is one
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def host(self) -> str:
        """Return the host that a server at an address needs; empty for a program."""
        return (urlsplit(self.url).hostname or "") if self.url else ""

    @property
    def permission(self) -> str:
        return f"{NETWORK_HOST}{self.host}" if self.url else ""

    @property
    def settings(self) -> tuple[str, ...]:
        """Return the names of the settings that the description asks for."""
        texts = (*self.args, *self.env.values(), self.url, *self.headers.values())
        return tuple(dict.fromkeys(name for text in texts for name in _SETTING.findall(text)))

    def command_line(self) -> tuple[str, ...]:
        """Return the program with its arguments; NotRunnable for one that cannot be started here."""
        if self.file is not None:
            return (*command_for(self.file).argv, *self.args)
        program = shutil.which(self.command)
        if program is None:
            raise NotRunnable(f"{self.command}: is neither a file of the skill nor a program on the PATH")
        return (program, *self.args)

    def as_request(self, folder: Path) -> dict[str, Any]:
        """Return what the bridge is told of the server."""
        if self.url:
            return {"url": self.url, "headers": dict(self.headers)}
        return {"command": list(self.command_line()), "env": dict(self.env), "cwd": str(folder)}


def find_server_problems(document: Mapping[str, Any]) -> list[Problem]:
    """Return what is wrong with a manifest's `mcp` that its contract cannot say."""
    url = document.get("url", "")
    if bool(url) == ("command" in document):
        return [Problem("name one of both: the command that starts the server, or its url", "/mcp")]
    reason = _address_fault(url) if url else ""
    return [Problem(f"'{url}' {reason}", "/mcp/url")] if reason else []


def _address_fault(url: str) -> str:
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname or "", parts.port
    except ValueError as error:
        return f"is no address: {error}"
    if not host or "${" in parts.netloc:
        return "names no host; write https://example.org/mcp"
    if parts.username or parts.password:
        return "holds a password; take it from a setting, in headers"
    if parts.scheme == "http" and host not in LOOPBACK:
        return "would send the story over the network unencrypted; write https"
    return ""


def find_launch_problem(server: McpServer) -> str:
    """Return why a server cannot be spoken with here, and what to do; empty where it can."""
    if not is_sdk_installed():
        return f"speaks with an MCP server, for which the SDK is not installed; try: {INSTALL_SDK}"
    try:
        _ = () if server.url else server.command_line()
    except NotRunnable as reason:
        return str(reason)
    return ""


@cache
def is_sdk_installed() -> bool:
    return importlib.util.find_spec("mcp") is not None
