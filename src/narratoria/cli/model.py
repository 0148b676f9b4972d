"""Defines `narratoria model`: the models on this machine and those to download."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import msgspec

from narratoria import paths
from narratoria.cli.commands import CommandTable, LazyGroup
from narratoria.errors import ModelUnavailable
from narratoria.inference import installed_models
from narratoria.inference.catalogue import CATALOGUE, CatalogueModel, Packages, find_catalogue_model
from narratoria.inference.installed_models import InstalledModel
from narratoria.terminal import format_size, is_terminal, paint, say, visible

DECLINED = 1

SUBCOMMANDS: CommandTable = {
    "list": ("narratoria.cli.model:list_models", "List models, installed and available."),
    "info": ("narratoria.cli.model:info", "Show a model: its file, its licence, its tier."),
    "use": ("narratoria.cli.model:use", "Use this model from now on."),
    "add": ("narratoria.cli.model:add", "Add a GGUF file of your own."),
    "download": ("narratoria.cli.model:download", "Download a model."),
    "remove": ("narratoria.cli.model:remove", "Remove a model, and delete its download."),
    "find": ("narratoria.cli.model_providers:find", "Look for model servers on this machine."),
    "connect": (
        "narratoria.cli.model_providers:connect",
        "Have a model server or a service tell the scenes.",
    ),
    "disconnect": (
        "narratoria.cli.model_providers:disconnect",
        "Have scenes told on this machine alone again.",
    ),
    "usage": ("narratoria.cli.model_providers:usage", "Show what hosted models have used today."),
    "bench": ("narratoria.cli.model:bench", "Measure how fast and how good a model is on this machine."),
}
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
TIERS = {
    "scores": "weighs choices",
    "fills": "weighs choices and fills in forms",
    "embellishes": "fills in forms and tells what you type, in a paragraph",
    "narrates": "fills in forms and tells the story",
}


@click.group(cls=LazyGroup, table=SUBCOMMANDS)
def model() -> None:
    """The language models that plan and tell: on this machine, or served by others where you say so.

    A story can be played with what came along. A larger model plans and tells better. `download` uses the
    network; `find` asks this machine alone; `connect` lets the storyteller use the network from then on.

    \b
    Exit code, of every command here:
      0  done
      1  you said no
      2  it cannot be done: no such model, no network, no room, a file that is no model
    """


@click.command("list", short_help="List models, installed and available.")
@AS_JSON
def list_models(*, as_json: bool) -> None:
    """List models, installed and available, and say who tells the scenes. The one in use has a star."""
    from narratoria.app import who_tells

    rows, teller = list(_rows()), who_tells()
    if as_json:
        _say_json({"models": rows, "teller": msgspec.to_builtins(teller)})
        return
    width = max(len(row["name"]) for row in rows)
    for row in rows:
        star = paint("*", sys.stdout, fg="green", bold=True) if row["chosen"] else " "
        there = (row["tier"] or "not examined") if row["installed"] else "not here"
        summary = row["summary"] or row["title"]
        size = format_size(row["size"]) if row["size"] else ""
        say(f"{star} {row['name']:<{width}}  {size:>7}  {there:<12}  {visible(summary)}")
    if fault := _choice_fault():
        say(f"\n{visible(fault)}")
    if not any(row["installed"] for row in rows):
        say("\nNone is here yet: `narratoria model download smollm2-135m` brings the smallest.")
    say(f"\n{visible(teller.sentence)}")
    if teller.advice:
        say(visible(teller.advice))


@click.command(short_help="Show a model: its file, its licence, its tier.")
@click.argument("name")
@AS_JSON
def info(*, name: str, as_json: bool) -> None:
    """All there is to say about NAME: a model of the list, or the path of a GGUF file."""
    facts = _info(name)
    if as_json:
        _say_json(facts)
        return
    width = max(map(len, facts))
    for key, value in facts.items():
        if value not in (None, "", []) and not isinstance(value, dict):
            say(f"{_words(key):<{width + 3}}{visible(_shown(key, value))}")


@click.command(short_help="Use this model from now on.")
@click.argument("name")
def use(*, name: str) -> None:
    """Play with NAME from now on: a model of the list that is here, or the path of a GGUF file."""
    chosen = installed_models.choose_model(name)
    say(f"{visible(chosen.title)} is used from the next turn on.")


@click.command(short_help="Add a GGUF file of your own.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--name", default="", help="Name of the model.  [default: the file's name]")
def add(*, file: Path, name: str) -> None:
    """Add a GGUF file of your own. It stays where it is."""
    added = installed_models.add_model(file, name)
    say(f"{visible(added.title)} is here as {added.name}; `narratoria model use {added.name}` plays with it.")


@click.command(short_help="Download a model.")
@click.argument("name")
@click.option("--as", "given_name", default="", help="Name of a model that is fetched by its address.")
@click.option("--yes", "-y", is_flag=True, help="Answer yes to every question.")
@click.pass_context
def download(ctx: click.Context, *, name: str, given_name: str, yes: bool) -> None:
    """Fetch the model NAME, or any GGUF file by its address, into your home for Narratoria.

    A download that was interrupted goes on from where it stopped. Every file is checked: by the hash that we
    know, else by that of the hub's own answer, else by whether it is a model at all.
    """
    entry = installed_models.name_download(name, given_name) if "://" in name else find_catalogue_model(name)
    if entry is None:
        names = ", ".join(entry.name for entry in CATALOGUE)
        raise ModelUnavailable(f"there is no model called {name!r} to be had; there are {names}")
    if any(here.name == entry.name and here.path.is_file() for here in installed_models.installed_models()):
        say(f"{entry.title} is here already.")
        return
    question = f"Fetch {entry.title}{describe_facts(entry)}?"
    if not yes and sys.stdin.isatty() and not click.confirm(question, default=True, err=True):
        ctx.exit(DECLINED)
    with _bar(entry.title, entry.size) as show:
        model = installed_models.install_model(
            entry, paths.home() / "models", on_progress=lambda progress: show(progress.done, progress.total)
        )
    say(f"{entry.title} is at {model.path}; `narratoria model use {model.name}` plays with it.")


@click.command(short_help="Remove a model, and delete its download.")
@click.argument("name")
def remove(*, name: str) -> None:
    """Forget the model NAME, and delete its file if Narratoria fetched it; your own files stay."""
    was_there = installed_models.find_model(name).path.is_file()
    gone = installed_models.remove_model(name)
    became = "stays" if gone.path.is_file() else "was deleted" if was_there else "was gone already"
    say(f"{gone.name} is no longer known; {gone.path} {became}.")


@click.command(short_help="Measure how fast and how good a model is on this machine.")
@click.argument("name", required=False)
@AS_JSON
def bench(*, name: str | None, as_json: bool) -> None:
    """Examine the model NAME, or the one in use: what can it be trusted with, how fast is it here?

    The verdict is kept for this file on this machine, and decides what the model is given to do.
    """
    from narratoria.inference.exam import describe_exam, save_exam

    model = installed_models.find_model(name) if name else installed_models.chosen_model()
    if model is None:
        raise ModelUnavailable("no model is here; `narratoria model list` shows those to be had")
    with _bar(f"Examining {model.title}", 1) as show:
        report = asyncio.run(_examine(model, show))
    save_exam(model, report)
    document = msgspec.to_builtins(report)
    if as_json:
        _say_json({"name": model.name, **document})
        return
    say(f"{visible(model.title)}: {report.tier} ({TIERS[report.tier]})")
    say(f"{describe_exam(report)}.")
    say(f"  choices right      {report.scores:.0%}")
    say(f"  forms right        {report.fills:.0%}")
    say(f"  facts kept         {report.facts:.0%}")
    say(f"  scenes by a brief  {report.told:.0%}")
    say(f"  reads              {report.prompt_per_second:g} tokens/s")
    say(f"  writes             {report.tokens_per_second:g} tokens/s")
    say(f"  first word after   {report.first_word_ms:g} ms")
    say(f"  loaded in          {report.load_seconds:g} s, {report.memory_mb:g} MB of memory")


async def _examine(model: InstalledModel, show: Callable[[int, int], None]) -> Any:
    from narratoria.inference.exam import examine_model
    from narratoria.inference.model import LocalModel

    local = LocalModel(model.path, sha256=model.sha256)
    try:
        return await examine_model(local, on_step=show)
    finally:
        await local.close()


def describe_facts(entry: CatalogueModel) -> str:
    """Return size and licence of a model to be had, and whether anybody has checked them."""
    size = format_size(entry.size) if entry.size else "of unknown size"
    about = "" if entry.is_checked else "about " if entry.size else ""
    licence = f", licence {entry.licence}" if entry.licence else ""
    return f", {about}{size}{licence}{'' if entry.is_checked else ' (not checked here)'}"


def _rows() -> Iterator[dict[str, Any]]:
    here = {model.name: model for model in installed_models.installed_models()}
    chosen = _chosen()
    for entry in CATALOGUE:
        yield _row(here.pop(entry.name, None), entry, chosen)
    for model in here.values():
        yield _row(model, None, chosen)
    if chosen is not None and not installed_models.is_recorded(chosen):  # a path, by NARRATORIA_MODEL
        yield _row(chosen, None, chosen)


def _chosen() -> InstalledModel | None:
    """Return the model in use, or None also if the chosen one is missing: the list is shown anyway."""
    try:
        return installed_models.chosen_model()
    except ModelUnavailable:
        return None


def _choice_fault() -> str:
    try:
        installed_models.chosen_model()
    except ModelUnavailable as error:
        return f"NARRATORIA_MODEL names what is not here, so that stories are told without: {error}"
    return ""


def _row(
    model: InstalledModel | None, entry: CatalogueModel | None, chosen: InstalledModel | None
) -> dict[str, Any]:
    from narratoria.inference.exam import load_exam

    report = load_exam(model) if model else None
    there = model is not None and model.path.is_file()
    return {
        "name": model.name if model else entry.name if entry else "",
        "title": model.title if model else entry.title if entry else "",
        "installed": there,
        "chosen": model is not None and model == chosen,
        "size": (model.size if model else 0) or (entry.size if entry else 0),
        "licence": (model.licence if model else "") or (entry.licence if entry else ""),
        "tier": report.tier if report else None,
        "memory": entry.memory if entry else 0,
        "checked": entry.is_checked if entry else None,
        "summary": _summary(entry) if entry else "" if there else "its file is gone",
        "path": str(model.path) if model else None,
        "sha256": (model.sha256 if model else "") or (entry.sha256 if entry else ""),
    }


def _summary(entry: CatalogueModel) -> str:
    memory = f"; {format_size(entry.memory)} of memory" if entry.memory else ""
    return f"{entry.summary}{memory}{'' if entry.is_checked else '; not checked here'}"


def _info(name: str) -> dict[str, Any]:
    entry = find_catalogue_model(name)
    try:
        model: InstalledModel | None = installed_models.find_model(name)
    except ModelUnavailable:
        if entry is None:
            raise
        model = None
    facts = _row(model, entry, _chosen())
    if entry is not None:
        places_to_look = [
            "the package index" if isinstance(source, Packages) else source.url() for source in entry.sources
        ]
        facts["sources"] = [*places_to_look, *entry.mirrors()]
    if model is not None and model.path.is_file():
        facts |= _file_info(model)
    return facts


def _file_info(model: InstalledModel) -> dict[str, Any]:
    from narratoria.inference.exam import load_exam
    from narratoria.inference.gguf import read_gguf_header

    try:
        header = read_gguf_header(model.path)
    except ModelUnavailable as error:
        return {"fault": str(error)}
    facts: dict[str, Any] = {
        "architecture": header.architecture,
        "parameters": header.parameters,
        "context": header.context,
    }
    if report := load_exam(model):
        facts["report"] = msgspec.to_builtins(report)
    return facts


@contextmanager
def _bar(label: str, total: int) -> Iterator[Callable[[int, int], None]]:
    """Show progress on stderr: a bar in a terminal, a few lines elsewhere."""
    if is_terminal(sys.stderr):
        with click.progressbar(length=total, label=label, file=sys.stderr, width=0) as bar:

            def draw(done: int, of: int) -> None:
                bar.length = of or total
                bar.update(done - bar.pos)

            yield draw
        return
    last_tenths = -1

    def write(done: int, of: int) -> None:
        nonlocal last_tenths
        tenths = done * 10 // max(of or total, 1)
        if tenths != last_tenths:
            last_tenths = tenths
            click.echo(f"{label}: {tenths * 10} %", err=True)

    yield write


def _shown(key: str, value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case list():
            return ", ".join(value)
        case int():
            return format_size(value) if key in ("size", "memory") else f"{value:,}"
        case _:
            return str(value)


def _words(key: str) -> str:
    return {"chosen": "in use", "installed": "here"}.get(key, key)


def _say_json(value: Any) -> None:
    say(msgspec.json.format(msgspec.json.encode(value)).decode())
