"""Defines `narratoria autoplay`: lets stories play themselves."""

from __future__ import annotations

import asyncio
import itertools
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from narratoria.terminal import paint, say, visible

if TYPE_CHECKING:
    from narratoria.engine.autoplay import Policy, Report

BLANK = 1
PART = 250  # turns of one process, where several play


SUMMED = ("turns", "crashes", "empty_scenes", "turns_without_choices", "lost_turns")


@click.command(short_help="Let a story play itself, optionally with faults.")
@click.argument("campaigns", nargs=-1, required=True, metavar="CAMPAIGN …")
@click.option(
    "--turns", type=click.IntRange(min=1), default=20, help="Number of turns in all.  [default: 20]"
)
@click.option(
    "--policy", type=click.Choice(["random", "greedy", "chaos"]), default="random", help="How it chooses."
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

    greedy takes the first choice, random any, chaos also says nonsense, undoes, leaves and comes back. With
    several jobs, the turns are played in parts of a few hundred, each with a seed of its own.

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
