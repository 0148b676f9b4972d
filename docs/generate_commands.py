"""What the commands say of themselves: usage, options, exit codes, and one example of each."""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

EXAMPLES = Path(__file__).parent / "reference" / "commands.toml"
USUAL_CODES = {"0": "done", "2": "it cannot be done; why is told on standard error"}
_CODES = re.compile(r"^(Exit code.*?):\n((?:  .*\n?)+)", re.MULTILINE)
_CODE = re.compile(r"  (\d+(?:, \d+)*) +(.+)")


@dataclass(frozen=True, slots=True)
class Command:
    name: str  # with its program and its groups
    command: click.Command
    context: click.Context
    codes: Mapping[str, str]

    @property
    def is_group(self) -> bool:
        return isinstance(self.command, click.Group)

    @property
    def help(self) -> str:
        return plain(self.command.help or "")

    def parameters(self) -> list[click.Parameter]:
        """All but --help, which every command has."""
        return self.command.params


def program(name: str) -> click.Group:
    from narratoria.cli.commands import narratoria
    from narratoria.mctl.cli import mctl

    return {"narratoria": narratoria, "mctl": mctl}[name]


def walk(name: str) -> Iterator[Command]:
    """Every command of a program, groups before what is in them."""
    yield from _walk(program(name), name, None, USUAL_CODES)


def _walk(
    command: click.Command, name: str, above: click.Context | None, codes: Mapping[str, str]
) -> Iterator[Command]:
    context = click.Context(command, info_name=name.rsplit(maxsplit=1)[-1], parent=above)
    own = codes_of(plain(command.help or "")) or codes
    yield Command(name, command, context, own)
    if isinstance(command, click.Group):
        for word in command.list_commands(context):
            if (below := command.get_command(context, word)) is not None:
                yield from _walk(below, f"{name} {word}", context, own)


def plain(text: str) -> str:
    return inspect.cleandoc(text).replace("\b\n", "")


def codes_of(text: str) -> dict[str, str]:
    return dict(_CODE.findall(found[2])) if (found := _CODES.search(text)) else {}


def commands(name: str) -> str:
    """The section of one program."""
    examples: Mapping[str, Any] = tomllib.loads(EXAMPLES.read_text(encoding="utf-8"))
    return "\n\n".join(_described(command, examples) for command in walk(name))


def _described(command: Command, examples: Mapping[str, Any]) -> str:
    depth = "##" if " " not in command.name else "###"
    parts = [f"{depth} {command.name}", _told(command.help)]
    if not command.is_group:
        parts.append(f"```text\n{_usage(command)}\n```")
    parameters = [parameter for parameter in command.parameters() if _words(parameter)]
    if parameters:
        rows = [f"| {_spelled(one, command.context)} | {_cell(_words(one))} |" for one in parameters]
        parts.append("\n".join(["| option | |", "| --- | --- |", *rows]))
    if not command.is_group:
        codes = "; ".join(f"`{code}` {meaning}" for code, meaning in command.codes.items())
        parts.append(f"Exit codes: {codes}.")
        parts.append(f"```sh\n{examples[command.name]['run']}\n```")
    return "\n\n".join(parts)


def _told(text: str) -> str:
    """The help as Markdown: paragraphs are unfolded, lists and samples stay as they are set."""
    text = _CODES.sub("", text)
    text = re.sub(r"^Examples:\n(?:  .*\n?)+", "", text, flags=re.MULTILINE)
    blocks = re.split(r"\n{2,}", text.strip())
    return "\n\n".join(_block(block) for block in blocks if block.strip())


def _block(block: str) -> str:
    lines = block.splitlines()
    set_lines = [line for line in lines if line.startswith("  ")]
    if not set_lines:
        return _escaped(" ".join(lines))
    head = [_escaped(" ".join(line for line in lines if not line.startswith("  ")))]
    return "\n\n".join([*filter(None, head), "```text\n" + inspect.cleandoc("\n".join(set_lines)) + "\n```"])


def _escaped(text: str) -> str:
    return text.replace("<", "&lt;").replace("$$", "&#36;&#36;")


def _usage(command: Command) -> str:
    return " ".join([command.name, *command.command.collect_usage_pieces(command.context)])


def _words(parameter: click.Parameter) -> str:
    return (parameter.help or "") if isinstance(parameter, click.Option) else ""


def _spelled(parameter: click.Parameter, context: click.Context) -> str:
    names = [*parameter.opts, *parameter.secondary_opts]
    takes = isinstance(parameter, click.Option) and not parameter.is_flag and not parameter.count
    value = f" {parameter.make_metavar(context)}" if takes else ""
    return ", ".join(f"`{_cell(name)}{_cell(value)}`" for name in names)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
