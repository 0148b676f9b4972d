"""Walks through a page as its reader would: saves the files it shows, and runs its commands in order."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.warm_process import warm_commands

_BLOCK = re.compile(r"(?:`([\w./-]+)`:\n\n)?^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Session:
    """One console block: what the page shows, and what really happens."""

    shown: str
    happened: str

    @property
    def agrees(self) -> bool:
        """Whether both are the same, save for times; a line with nothing but … stands for any lines."""
        parts = timeless(self.shown).split("\n…\n")
        pattern = r"\n(?:.*\n)*?".join(map(re.escape, parts))
        return re.fullmatch(pattern, timeless(self.happened)) is not None


def walk(page: Path, folder: Path) -> Iterator[Session]:
    for name, language, text in _BLOCK.findall(page.read_text(encoding="utf-8")):
        if name:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        elif language == "console":
            commands = [line[2:] for line in text.splitlines() if line.startswith("$ ")]
            yield Session(text, run_commands(commands, folder))


def files_shown(page: Path) -> dict[str, list[str]]:
    """The files of a page by name, each with its versions in order."""
    files: dict[str, list[str]] = {}
    for name, _, text in _BLOCK.findall(page.read_text(encoding="utf-8")):
        if name:
            files.setdefault(name, []).append(text)
    return files


def run_commands(commands: list[str], folder: Path) -> str:
    """What a terminal shows of these commands, `narratoria` and `mctl` among them forked from a warm process.

    That every command of theirs starts by itself is shown where each is run once: `test_commands_page.py`."""
    with warm_commands() as (place, descriptor):
        return run_installed_commands(commands, folder, before=f"{place}{os.pathsep}", pass_fds=[descriptor])


def run_installed_commands(
    commands: list[str], folder: Path, *, before: str = "", pass_fds: Sequence[int] = ()
) -> str:
    """What a terminal shows of these commands, as they are installed."""
    script = "".join(
        f"echo {shlex.quote(f'$ {command}')}; (exit $status); {command}; status=$?\n" for command in commands
    )
    path = f"{before}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", f"status=0\n{script}"],
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONUTF8": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        pass_fds=pass_fds,
    )
    return done.stdout.decode()


def timeless(text: str) -> str:
    """Without what depends on how busy the machine is: durations, and rules that only long runs can judge."""
    text = re.sub(r"\d+ ms", "some ms", re.sub(r"\d+ rules", "some rules", text))
    return re.sub(r"^There was no occasion to see this: .*\n", "", text, flags=re.MULTILINE)
