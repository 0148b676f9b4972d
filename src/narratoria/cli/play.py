"""Defines `narratoria play` and `narratoria autoplay`: plays a story, or lets stories play themselves."""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from narratoria.errors import NarratoriaException
from narratoria.terminal import paint, say, visible

if TYPE_CHECKING:
    from narratoria.engine.autoplay import Policy, Report
    from narratoria.web.running_server import RunningServer


BLANK = 1
PART = 250  # turns of one process, where several play


SUMMED = ("turns", "crashes", "empty_scenes", "turns_without_choices", "lost_turns")


@click.command(short_help="Let a story play itself, optionally with faults.")
@click.argument("campaigns", nargs=-1, required=True, metavar="CAMPAIGN …")
@click.option(
    "--turns", type=click.IntRange(min=1), default=20, help="Number of turns in all.  [default: 20]"
)
@click.option(
    "--policy",
    type=click.Choice(["random", "greedy", "chaos", "typed"]),
    default="random",
    help="How it chooses.",
)
@click.option("--seed", type=int, default=1, help="The same seed plays the same story.")
@click.option(
    "--faults", type=click.FloatRange(0, 1), default=0.0, help="Probability of each fault, from 0 to 1."
)
@click.option(
    "--jobs", type=click.IntRange(1, 64), default=1, help="Number of stories played at once.  [default: 1]"
)
@click.option("--show", is_flag=True, help="Print the story as it goes.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each campaign.")
@click.option(
    "--report",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also write all figures and their sums to FILE, as JSON.",
)
@click.pass_context
def autoplay(
    ctx: click.Context,
    *,
    campaigns: tuple[str, ...],
    turns: int,
    policy: Policy,
    seed: int,
    faults: float,
    jobs: int,
    show: bool,
    as_json: bool,
    file: Path | None,
) -> None:
    """Play CAMPAIGN without anybody, in a store of its own that is thrown away.

    greedy takes the first choice, random any; chaos also says nonsense, undoes, leaves and comes back, and
    typed does so too and says everything in words of its own. With several jobs, the turns are played in
    parts of a few hundred, each with a seed of its own.

    \b
    Exit code:
      0  every turn had prose and choices, and none was lost
      1  some had not
    """
    if jobs > 1 and show:
        raise click.UsageError("several stories at once cannot be shown; leave out --show or --jobs")
    play = partial(_play, policy=policy, rate=faults, show=show)
    if jobs > 1:
        _refuse_unknown(campaigns)
        play = partial(_play_apart, policy=policy, rate=faults)
    reports = asyncio.run(_all(_parts(campaigns, turns, seed, jobs), play, jobs, as_json=as_json))
    if len(reports) > 1 and not as_json:
        _print_sums(reports)
    if file is not None:
        _write(file, reports)
    ctx.exit(0 if all(report.never_blank for report in reports) else BLANK)


@dataclass(frozen=True, slots=True)
class AutoplayPart:
    """Describes a number of turns of one campaign, played by one process."""

    campaign: str
    turns: int
    seed: int


def _parts(campaigns: Sequence[str], turns: int, seed: int, jobs: int) -> list[AutoplayPart]:
    share, rest = divmod(turns, len(campaigns))
    parts = []
    for index, campaign in enumerate(campaigns):
        left = share + (index < rest)
        for number in itertools.count():
            if left <= 0:
                break
            count = min(left, PART) if jobs > 1 else left
            # the stories of a part count on from its seed
            parts.append(AutoplayPart(campaign, count, seed + number * 1000))
            left -= count
    return parts


async def _all(
    parts: Sequence[AutoplayPart],
    play: Callable[[AutoplayPart], Awaitable[Report]],
    jobs: int,
    *,
    as_json: bool,
) -> list[Report]:
    free = asyncio.Semaphore(jobs)

    async def played(part: AutoplayPart) -> Report:
        async with free:
            report = await play(part)
        _print(report, as_json=as_json)
        return report

    return list(await asyncio.gather(*(played(part) for part in parts)))


async def _play_apart(part: AutoplayPart, *, policy: Policy, rate: float) -> Report:
    """Play a part in a process of its own."""
    import msgspec

    from narratoria.engine.autoplay import Report

    options = {"--turns": part.turns, "--policy": policy, "--seed": part.seed, "--faults": rate}
    given = [str(word) for pair in options.items() for word in pair]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "narratoria.cli", "autoplay", "--json", *given, "--", part.campaign),
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await process.communicate()
    try:
        return msgspec.json.decode(output, type=Report)
    except msgspec.DecodeError:  # it died over it
        problem = f"ended with {process.returncode} and no report"
        return Report(
            campaign=part.campaign, policy=policy, seed=part.seed, crashes=part.turns, problems=[problem]
        )


def _refuse_unknown(campaigns: Sequence[str]) -> None:
    from narratoria import app

    for campaign in campaigns:
        app.open_campaign(campaign)


async def _play(part: AutoplayPart, *, policy: Policy, rate: float, show: bool) -> Report:
    from narratoria import app
    from narratoria.engine.autoplay import Run
    from narratoria.engine.faults import Faults

    with tempfile.TemporaryDirectory(prefix="narratoria-autoplay-") as folder:
        run = Run(
            part.campaign,
            part.turns,
            policy,
            part.seed,
            lambda faults: app.open_isolated_library(Path(folder), faults),
            Faults(rate, part.seed) if rate else None,
            on_scene=_show if show else lambda _: None,
        )
        return await run.play()


def _show(scene: Any) -> None:
    say(paint(f"\n> {visible(scene.action)}", sys.stdout, bold=True))
    for paragraph in scene.paragraphs:
        say(f"\n{visible(paragraph)}")


def _sums(reports: list[Report]) -> dict[str, int]:
    return {name: sum(getattr(report, name) for report in reports) for name in SUMMED}


def _print_sums(reports: list[Report]) -> None:
    sums = _sums(reports)
    faults = sum(sum(report.faults.values()) for report in reports)
    say(
        f"all: {sums['turns']} turns, {faults} faults: {sums['crashes']} crashes, "
        f"{sums['empty_scenes']} empty scenes, {sums['turns_without_choices']} turns without choices, "
        f"{sums['lost_turns']} lost turns"
    )


def _write(file: Path, reports: list[Report]) -> None:
    import msgspec

    faults = sum(sum(report.faults.values()) for report in reports)
    document = {**_sums(reports), "faults": faults, "campaigns": reports}
    file.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n")


def _print(report: Report, *, as_json: bool) -> None:
    if as_json:
        import msgspec

        say(msgspec.json.encode(report).decode())
        return
    good = paint("never blank", sys.stdout, fg="green") if report.never_blank else "NOT WELL"
    say(
        f"{visible(report.campaign)}: {report.turns} turns in {report.seconds:g} s, {good}: "
        f"{report.crashes} crashes, {report.empty_scenes} empty scenes, "
        f"{report.turns_without_choices} turns without choices, {report.lost_turns} lost turns"
    )
    say(
        f"  {report.stories} stories, {report.endings} endings, {sum(report.faults.values())} faults, "
        f"{report.fallbacks} fallbacks, {report.undone} undone, {report.reopened} reopened; "
        f"a turn took {report.first_ms:g} ms at first and {report.last_ms:g} ms at last"
    )
    for problem in report.problems[:10]:
        say(f"  {visible(problem)}")


FIRST_STORY = "tomorrows-post"


LOOPBACK = "127.0.0.1"


@click.command()
@click.argument("campaign", required=False)
@click.option("--terminal", is_flag=True, help="Play here, in the terminal.")
@click.option(
    "--browser/--no-browser",
    default=None,
    help="Open the browser, or only print the address.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), metavar="N", help="Port to listen on; 0 picks a free one."
)
@click.option("--host", metavar="ADDRESS", help="Let others in your network play, with a passphrase: 0.0.0.0")
@click.option("--story", metavar="ID", help="Continue this story; `narratoria stories list` shows their ids.")
@click.option("--seed", type=int, metavar="N", help="Start a new story with this seed, to be repeatable.")
@click.option("--new", is_flag=True, help="Start a new story instead of continuing the last one.")
@click.option("--title", metavar="TEXT", help="Title of a new story.")
@click.option(
    "--preset", metavar="NAME", help="Your character in a new story, one of the campaign's presets."
)
@click.option("--name", metavar="TEXT", help="Your name in a new story.")
@click.option(
    "--free-text/--choices-only",
    default=None,
    help="Accept actions in your own words, besides the choices (the default), or only choices.",
)
@click.option(
    "--effects/--no-effects",
    default=None,
    help="Say under a scene what it changed, or not; without either, as the setting in the browser says.",
)
@click.option(
    "--verbose",
    is_flag=True,
    help="Say why a skill failed or cannot be used, by file and line: for its author.",
)
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
    free_text: bool | None,
    effects: bool | None,
    verbose: bool,
    plain: bool,
) -> None:
    """Play a story: in your browser, or with --terminal by number and in your own words.

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
    chosen = (free_text is not None, effects is not None, story, seed, title, preset, name)
    if not _any_given(terminal or plain or new or verbose, *chosen) and (
        browser is not None or port is not None or host or sys.stdin.isatty()
    ):
        play_in_browser(campaign, host=host or LOOPBACK, port=port, browser=browser is not False)
        return
    from narratoria.cli.terminal_player import NewStoryOptions, TerminalPlayer

    begin = NewStoryOptions(new or bool(preset or name) or seed is not None, seed, title, preset, name)
    player = TerminalPlayer(
        plain=plain,
        own_words=free_text is not False,
        show_effects=_shows_effects() if effects is None else effects,
        show_reasons=verbose,
    )
    player.play(campaign or FIRST_STORY, story, begin)


def _shows_effects() -> bool:
    from narratoria import paths
    from narratoria.web.settings import read_settings

    return read_settings(paths.shared_home()).show_effects


def _any_given(*given: object) -> bool:
    return any(one is not None and one is not False for one in given)


def play_in_browser(
    campaign: str | None, *, host: str = LOOPBACK, port: int | None = None, browser: bool = True
) -> None:
    """Serve this home until interrupted, or open the server that runs already."""
    from narratoria import app, paths
    from narratoria.web.access_guard import is_loopback
    from narratoria.web.app_state import AppState
    from narratoria.web.running_server import claim
    from narratoria.web.server import FOLDER, Server, log_to, run
    from narratoria.web.service_config import read_service_config

    home, shared = paths.home(), paths.shared_home()
    folders, path = _resolve_campaign(campaign)
    claimed = claim(home / FOLDER)
    if claimed is None:
        _open_running_server(home / FOLDER, path, browser=browser)
        return
    try:
        config = read_service_config(os.environ)
        if config.proxy is None:
            _ask_passphrase(shared / FOLDER, config.public.host if config.public else host)
        log_to(home / "logs")
        state = AppState(home, app.open_library, folders, shared=shared, limits=config.limits)
        server = Server(state, host=host, port=port, claim=claimed, config=config)
        if not is_loopback(host) and config.proxy is None and not state.has_accounts:
            say(
                "There are no profiles: everybody with the passphrase sees and changes all stories, settings "
                "and skills. “Make profiles” in Settings, Privacy changes that."
            )
        run(server, lambda running: _announce(running, path, browser=browser))
    finally:
        claimed.release()
    say("The stories rest here. `narratoria play` goes on with them.")


def _resolve_campaign(name: str | None) -> tuple[tuple[Path, ...], str]:
    """Return the folder of a campaign outside the home, and the page that begins it."""
    if name is None:
        return (), "/"
    from narratoria import app

    campaign = app.open_campaign(name)
    elsewhere = (campaign.folder,) if Path(name).is_dir() else ()
    return elsewhere, f"/new/{quote(campaign.name, safe='')}"


def _announce(running: RunningServer, path: str, *, browser: bool) -> None:
    address = running.address_for_browser(path)
    opened = browser and _open_browser(running.address_for_browser(path, once=True))
    if opened:
        say(f"Narratoria is open in your browser. If it is not: {address}")
    else:
        say(f"Open this address in a browser: {address}")
    say("Ctrl-C ends it; stories are kept.")
    sys.stdout.flush()


def _open_browser(address: str) -> bool:
    """Open a browser in a thread; return whether there is one."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return False
    if isinstance(browser, webbrowser.GenericBrowser) and not isinstance(
        browser, webbrowser.BackgroundBrowser
    ):
        return False  # one that would take over this terminal
    threading.Thread(target=browser.open, args=(address,), daemon=True).start()
    return True


def _open_running_server(folder: Path, path: str, *, browser: bool) -> None:
    from narratoria.web.running_server import is_answering, last_announced

    running = last_announced(folder)
    if running is None or not is_answering(running):
        holder = f" (process {running.pid})" if running else ""
        raise NarratoriaException(
            f"another Narratoria{holder} has this home and does not answer; wait a moment, or end it"
        )
    say("Narratoria is running already.")
    _announce(running, path, browser=browser)


def _ask_passphrase(folder: Path, host: str) -> None:
    """Ask once for a passphrase if others in the network can reach the server; it is kept as a hash."""
    from narratoria.web.access_guard import is_loopback
    from narratoria.web.access_keys import SHORTEST_PASSPHRASE, has_passphrase, set_passphrase

    if is_loopback(host) or has_passphrase(folder):
        return
    say(f"Others will be able to open {host}. Choose a passphrase for them.")
    passphrase: str = click.prompt("Passphrase", hide_input=True, confirmation_prompt=True, err=True)
    if len(passphrase) < SHORTEST_PASSPHRASE:
        raise NarratoriaException(f"a passphrase has {SHORTEST_PASSPHRASE} characters or more")
    set_passphrase(folder, passphrase)
