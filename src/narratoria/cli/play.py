"""`narratoria play`: a story in the browser, or in the terminal."""

from __future__ import annotations

import sys

import click

FIRST_STORY = "tomorrows-post"


@click.command()
@click.argument("campaign", required=False)
@click.option("--terminal", is_flag=True, help="Play here, in the terminal.")
@click.option(
    "--browser/--no-browser",
    default=None,
    help="Play in the browser, from a script too; or only print the address to open.",
)
@click.option("--port", type=click.IntRange(0, 65535), metavar="N", help="Listen here; 0 is any free port.")
@click.option("--host", metavar="ADDRESS", help="Let others in your network in, by a passphrase: 0.0.0.0")
@click.option("--story", metavar="ID", help="Go on with this story; `narratoria stories list` names them.")
@click.option("--seed", type=int, metavar="N", help="Tell a story that can be told again; begins a new one.")
@click.option("--new", is_flag=True, help="Begin a new story instead of going on with the last one.")
@click.option("--title", metavar="TEXT", help="What a new story is called.")
@click.option("--preset", metavar="NAME", help="Who you are in a new story, of those the campaign has.")
@click.option("--name", metavar="TEXT", help="What you are called, in a new story.")
@click.option("--free-text", is_flag=True, help="Take actions in your own words beside the choices.")
@click.option("--plain", is_flag=True, help="No colours.")
def play(
    *,
    campaign: str | None,
    terminal: bool,
    browser: bool | None,
    port: int | None,
    host: str | None,
    story: str | None,
    seed: int | None,
    new: bool,
    title: str | None,
    preset: str | None,
    name: str | None,
    free_text: bool,
    plain: bool,
) -> None:
    """Play a story: in your browser, or with --terminal by number.

    CAMPAIGN is the name of a campaign or its folder. A story goes on where it was left; every choice and
    every scene is on the disk before you see it. Nothing leaves this machine.

    What is not a terminal, such as a pipe, is read as one; the options from --story on are for the terminal.
    There, q leaves the story, and /help says what else there is.

    \b
    Examples:
      narratoria play
      narratoria play --terminal
      narratoria play --new --seed 7
      printf '1\\n2\\n' | narratoria play --new
    """
    if not _means_terminal(terminal or plain or new or free_text, story, seed, title, preset, name) and (
        browser is not None or port is not None or host or sys.stdin.isatty()
    ):
        from narratoria.cli.web import LOOPBACK, play_in_browser

        play_in_browser(campaign, host=host or LOOPBACK, port=port, browser=browser is not False)
        return
    from narratoria.cli.table import Begin, Table

    begin = Begin(new or bool(preset or name) or seed is not None, seed, title, preset, name)
    Table(plain=plain, free_text=free_text).sit_down(campaign or FIRST_STORY, story, begin)


def _means_terminal(*given: object) -> bool:
    return any(one is not None and one is not False for one in given)
