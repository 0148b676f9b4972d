"""Campaigns as the command line names them, and findings as it shows them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from narratoria import paths
from narratoria.errors import NarratoriaException
from narratoria.terminal import painted, visible

if TYPE_CHECKING:
    from narratoria.campaign.problems import Finding

SOMETHING_WRONG = 1
COLOURS = {"error": "red", "warning": "yellow", "info": "blue"}
NAMES = {"error": "error", "warning": "warning", "info": "note"}


def folder_of(name: str) -> Path:
    """The folder of this path, or of the campaign of this name."""
    if Path(name).is_dir():
        return Path(name)
    roots = (paths.home() / "campaigns", paths.BUNDLED_CAMPAIGNS)
    for root in roots:
        if (root / name).is_dir() and Path(name).name == name:
            return root / name
    known = sorted({at.name for root in roots for at in root.glob("*/") if not at.name.startswith(".")})
    message = f"there is no campaign '{name}'; give the path of its folder, or one of: {', '.join(known)}"
    raise NarratoriaException(message)


def by_file(findings: Iterable[Finding]) -> Iterator[str]:
    """Lines, under the name of the file they are about."""
    for file, group in groupby(findings, key=lambda finding: finding.file):
        yield painted(visible(file or "the campaign"), sys.stdout, bold=True)
        for finding in group:
            place = f"{finding.line}:{finding.column}" if finding.line else "-"
            severity = painted(f"{NAMES[finding.severity]:<7}", sys.stdout, fg=COLOURS[finding.severity])
            yield f"  {place:>7}  {severity}  {visible(finding.message)}"
            if finding.pointer:
                yield painted(f"{'':>20}{visible(finding.pointer)}", sys.stdout, dim=True)
        yield ""
