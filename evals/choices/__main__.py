"""`python -m evals.choices [--show]`."""

from __future__ import annotations

import argparse
import asyncio
import statistics
from collections.abc import Sequence

from evals.choices.ask import Asked, ask_scenario, ask_setting, opened
from evals.choices.cases import read_settings
from evals.choices.metrics import Share, measure
from evals.choices.scenarios import Scenario, scenarios


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.choices", description=__doc__)
    parser.add_argument("--show", action="store_true", help="print every choice with its receipts")
    asyncio.run(_run(show=parser.parse_args(arguments).show))


async def _run(*, show: bool) -> None:
    async with opened() as memory_provider:
        asked = [one for setting in read_settings() for one in await ask_setting(setting, memory_provider)]
        held = [(scenario, await ask_scenario(scenario, memory_provider)) for scenario in scenarios()]
    if show:
        print("\n".join(map(_shown, asked)), end="\n\n")
    print(report(asked, held))


def report(asked: Sequence[Asked], held: Sequence[tuple[Scenario, bool]]) -> str:
    choices = sum(len(one.details) for one in asked)
    seconds = sorted(one.seconds for one in asked)
    lines = [f"## {len(asked)} decision points in {len(read_settings())} settings, {choices} choices", ""]
    lines += ["| | criterion | share | target |", "| --- | --- | ---: | ---: |"]
    lines += [_row(share) for share in measure(asked)]
    for criterion in dict.fromkeys(scenario.criterion for scenario, _ in held):
        of = [right for scenario, right in held if scenario.criterion == criterion]
        lines.append(_row(Share("situations with one right answer", criterion, sum(of), len(of), 1.0)))
    p95 = seconds[int(0.95 * (len(seconds) - 1))]
    lines += [
        "",
        f"A call takes {statistics.median(seconds):.2f} s (p95 {p95:.2f} s), its start in a box included.",
    ]
    lines += [f"wrong: {scenario.name} ({scenario.criterion})" for scenario, right in held if not right]
    return "\n".join(lines)


def _row(share: Share) -> str:
    target = f"{share.target:.0%}" if share.target is not None else ""
    return f"| {share.name} | {share.criterion} | {share.value:.0%} ({share.hits}/{share.of}) | {target} |"


def _shown(one: Asked) -> str:
    lines = [f"{one.case.name}  ({one.seconds:.2f} s)"]
    for detail, alike in zip(one.details, one.alike, strict=True):
        receipts = " ".join(f"{receipt['kind']}:{receipt['id']}" for receipt in detail.get("because", ()))
        marked = f" [{detail['difficulty']}]" if detail.get("difficulty") else ""
        lines.append(f"  {detail['text']}{marked}   ← {receipts} ({alike.relevance:.2f})")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
