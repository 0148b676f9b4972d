"""Defines `narratoria stories` and `narratoria replay`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
import msgspec

from narratoria.cli.commands import CommandTable, LazyGroup
from narratoria.terminal import count_noun, is_terminal, paint, say, visible

if TYPE_CHECKING:
    from narratoria.engine.persistence.compare import Comparison, SceneSummary
    from narratoria.engine.persistence.export import Format
    from narratoria.engine.persistence.library import Library
    from narratoria.engine.persistence.replay import ReplayReport
    from narratoria.engine.persistence.save import Save
    from narratoria.engine.persistence.story import Story
    from narratoria.engine.scene import Scene
    from narratoria.signatures import Maker

T = TypeVar("T")
DECLINED = 1
SUBCOMMANDS: CommandTable = {
    "list": ("narratoria.cli.stories:list_stories", "List the stories, the last played first."),
    "show": ("narratoria.cli.stories:show", "Show a story's scenes, or one of them."),
    "rename": ("narratoria.cli.stories:rename", "Rename a story."),
    "delete": ("narratoria.cli.stories:delete", "Delete a story; its branches stay."),
    "branch": ("narratoria.cli.stories:branch", "Start a story that shares this one's beginning."),
    "compare": ("narratoria.cli.stories:compare", "Compare two stories."),
    "export": ("narratoria.cli.stories:export", "Export a story as Markdown, HTML, EPUB or JSON."),
    "read": ("narratoria.cli.stories:read", "Read a story in a file, without bringing it in."),
    "import": ("narratoria.cli.stories:import_save", "Import a story that was exported as JSON."),
}
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


DIFFERENT = 1
MOST_SHOWN = 20


@click.group(cls=LazyGroup, table=SUBCOMMANDS)
def stories() -> None:
    """The stories of this home: list, read, branch, compare, export and bring in.

    \b
    Exit code, of every command here:
      0  done
      1  you said no
      2  it cannot be done: no such story, no such turn, a file that holds no story
    """


@click.command("list", short_help="List the stories, the last played first.")
@click.argument("campaign", required=False)
@AS_JSON
def list_stories(*, campaign: str | None, as_json: bool) -> None:
    """The stories there are, of CAMPAIGN or of all, the one played last first."""
    from narratoria.errors import StoreDamaged

    try:
        listed = _with_library(lambda library: library.stories(campaign))
    except StoreDamaged:
        for folder, logged in _logged_stories():
            say(f"{visible(folder.name)}  {count_noun(len(logged), 'scene')} in its log")
        raise
    if as_json:
        _print_json(listed)
    elif not listed:
        click.echo("No story has been begun yet. `narratoria play` begins one.", err=True)
    width = max((len(story.id) for story in listed), default=0)
    for story in () if as_json else listed:
        scenes = count_noun(story.scenes, "scene")
        ended = ", ended" if story.ended else ""
        name = paint(f"{story.id:<{width}}", sys.stdout, bold=True)
        say(f"{name}  {scenes:>11}, {story.minutes_played} min{ended}  {visible(story.title)}")


@click.command(short_help="Show a story's scenes, or one of them.")
@click.argument("story")
@click.argument("scene", type=int, required=False)
@AS_JSON
def show(*, story: str, scene: int | None, as_json: bool) -> None:
    """The scenes of STORY in a line each, or one SCENE with all its words.

    Where the database is damaged, the latest scenes are read from the story's own log.
    """
    from narratoria.engine.persistence.turn_record import list_scenes
    from narratoria.errors import StoreDamaged

    async def load_scenes(library: Library) -> tuple[Story, tuple[Scene, ...]]:
        return await library.story(story), list_scenes(await library.turns(story))

    try:
        about, scenes = _with_library(load_scenes)
    except StoreDamaged:
        for one in next((logged for folder, logged in _logged_stories() if folder.name == story), ()):
            if scene in (None, one.number):
                say(f"\n{one.number}  > {visible(one.action)}\n\n{visible_text(one.text)}")
        raise
    if scene is not None:
        scenes = tuple(one for one in scenes if one.number == scene)
    if as_json:
        _print_json({"story": about, "scenes": scenes})
        return
    say(paint(visible(about.title), sys.stdout, bold=True))
    if scene is not None and not scenes:
        raise click.BadParameter(f"{story} has scenes 1 to {about.scenes}.")
    for one in scenes:
        if scene is None:
            say(f"{one.number:>4}  {visible(one.action)}")
        else:
            say(f"\n> {visible(one.action)}\n\n{visible_text(one.text)}")


@click.command(short_help="Rename a story.")
@click.argument("story")
@click.argument("title")
def rename(*, story: str, title: str) -> None:
    """Call STORY by another TITLE."""
    renamed = _with_library(lambda library: library.rename(story, title))
    say(f"{renamed.id} is called “{visible(renamed.title)}”.")


@click.command(short_help="Delete a story; its branches stay.")
@click.argument("story")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_context
def delete(ctx: click.Context, *, story: str, yes: bool) -> None:
    """Remove STORY for good. What its branches share with it is kept for them."""
    about = _with_library(lambda library: library.story(story))
    question = f"Remove “{visible(about.title)}” with its {about.scenes} scenes for good?"
    if not yes and not (is_terminal(sys.stdin) and click.confirm(question)):
        click.echo("Nothing was removed. --yes removes it without a question.", err=True)
        ctx.exit(DECLINED)
    _with_library(lambda library: library.delete(story))
    say(f"{story} is gone.")


@click.command(short_help="Start a story that shares this one's beginning.")
@click.argument("story")
@click.argument("scene", type=int)
@click.option("--title", metavar="TEXT", help="Title of the branch.  [default: the story's]")
def branch(*, story: str, scene: int, title: str | None) -> None:
    """Another story, which shares STORY up to SCENE, memories and opinions among it."""
    made = _with_library(lambda library: library.branch(story, scene, title))
    say(f"{made.id} goes on after scene {scene}: `narratoria play --story {made.id}`")


@click.command(short_help="Compare two stories.")
@click.argument("left")
@click.argument("right")
@AS_JSON
def compare(*, left: str, right: str, as_json: bool) -> None:
    """What LEFT and RIGHT share, and how each goes on from there."""
    comparison: Comparison = _with_library(lambda library: library.compare(left, right))
    if as_json:
        _print_json(comparison)
        return
    say(f"{comparison.common} scenes are the same.")
    for name, scenes in ((left, comparison.left), (right, comparison.right)):
        say(f"\n{paint(visible(name), sys.stdout, bold=True)}")
        for scene in scenes:
            say(_line(scene))


@click.command(short_help="Export a story as Markdown, HTML, EPUB or JSON.")
@click.argument("story")
@click.option(
    "--format",
    "form",
    type=click.Choice(["markdown", "html", "epub", "json"]),
    default="markdown",
    help="Format; only json can be imported again.  [default: markdown]",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write.  [default: standard output]",
)
@click.option("--sign", "signed", is_flag=True, help="Sign it with your key (json).")
def export(*, story: str, form: Format, output: Path | None, signed: bool) -> None:
    """STORY to be read elsewhere, with who wrote each passage; or as JSON to be played on elsewhere."""
    from narratoria import paths
    from narratoria.engine.persistence.save import sign_save

    if signed and form != "json":
        raise click.UsageError("only --format json can be signed")
    document: bytes = _with_library(lambda library: library.export(story, form))
    if signed:
        document = sign_save(document, paths.shared_home())
    if output is None:
        sys.stdout.buffer.write(document)
    else:
        output.write_bytes(document)
        say(f"{output} holds the story.")


@click.command(short_help="Read a story in a file, without bringing it in.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("scene", type=int, required=False)
def read(*, file: Path, scene: int | None) -> None:
    """Show what the story in FILE tells and who has signed it, or one SCENE; nothing is kept, nothing is run.

    A story whose signature is not for what is in it is refused.
    """
    save, made_by = _open_save(file)
    _show_save(save, made_by)
    if scene is not None and scene > len(save.turns):
        raise click.BadParameter(f"it has scenes 1 to {len(save.turns)}.")
    for turn in save.turns:
        one = turn.output.scene
        if scene is None:
            say(f"{one.number:>4}  {visible(one.action)}")
        elif one.number == scene:
            say(f"\n> {visible(one.action)}\n\n{visible_text(one.text)}")


@click.command("import", short_help="Import a story that was exported as JSON.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--yes", is_flag=True, help="Do not ask, whoever made it.")
def import_save(*, file: Path, yes: bool) -> None:
    """Bring in the story in FILE, which `narratoria stories export --format json` wrote.

    At a terminal, one of somebody whom you do not know is shown first, and you are asked.
    """
    from narratoria.cli.maker import confirm_stranger

    save, made_by = _open_save(file)
    confirm_stranger(made_by, lambda: _show_save(save, made_by), yes=yes)
    made: Story = _with_library(lambda library: library.import_save(file.read_bytes()))
    scenes = count_noun(made.scenes, "scene")
    say(f"“{visible(made.title)}” is here, with {scenes}: `narratoria play --story {made.id}`")


def _logged_stories() -> Iterator[tuple[Path, tuple[Scene, ...]]]:
    """Yield the folder of every story that has a log of events, with the scenes in it."""
    from narratoria.app import stories_folder
    from narratoria.engine.persistence.event_log import read_logged_scenes
    from narratoria.engine.persistence.library import EVENTS

    for log in sorted(stories_folder().glob(f"*/{EVENTS}")):
        yield log.parent, read_logged_scenes(log)


def _open_save(file: Path) -> tuple[Save, Maker | None]:
    from narratoria import paths
    from narratoria.engine.persistence.save import open_save

    return open_save(file.read_bytes(), paths.shared_home())


def _show_save(save: Save, made_by: Maker | None) -> None:
    from narratoria.cli.maker import describe_maker

    scenes = count_noun(len(save.turns), "scene")
    say(f"“{visible(save.story.title)}”, a story of {visible(save.story.campaign)} in {scenes}")
    say(f"It is {describe_maker(made_by)}.")


def visible_text(text: str) -> str:
    return "\n\n".join(visible(paragraph) for paragraph in text.split("\n\n"))


def _line(scene: SceneSummary) -> str:
    roll = f" [{scene.roll}]" if scene.roll else ""
    return f"{scene.number:>4}  {visible(scene.action)}{visible(roll)}"


def _with_library(ask: Callable[[Library], Awaitable[T]]) -> T:
    async def asked() -> T:
        from narratoria import app

        async with app.open_library() as library:
            return await ask(library)

    return asyncio.run(asked())


def _print_json(value: Any) -> None:
    say(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


@click.command(short_help="Tell a story again from its log, and compare.")
@click.argument("story")
@click.option(
    "--live", is_flag=True, help="Run the planner and the skills again, without the story's memory."
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.pass_context
def replay(ctx: click.Context, *, story: str, live: bool, as_json: bool) -> None:
    """Tell STORY again from its log: the same choices, the same dice, what every tool said then.

    \b
    Exit code:
      0  every turn comes out byte for byte
      1  some would differ; each is named
    """
    import msgspec

    done = asyncio.run(_replay(story, live))
    if as_json:
        say(msgspec.json.format(msgspec.json.encode(done), indent=2).decode())
    else:
        turns = "1 turn" if done.turns == 1 else f"{done.turns} turns"
        say(f"{done.same} of {turns} come out byte for byte.")
        for each in done.differences[:MOST_SHOWN]:
            say(f"  {visible(str(each))}")
        if len(done.differences) > MOST_SHOWN:
            say(f"  … and {len(done.differences) - MOST_SHOWN} more")
    ctx.exit(0 if done.exact else DIFFERENT)


async def _replay(story: str, live: bool) -> ReplayReport:
    from narratoria import app

    async with app.open_library() as library:
        return await library.replay(story, live=live)
