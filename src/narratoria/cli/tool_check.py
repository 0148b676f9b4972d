"""Checks a tool with the conformance kit, and prints the report."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from narratoria.errors import ContractViolation
from narratoria.protocol.command import command_for
from narratoria.protocol.conformance import (
    CHECK_LIMITS,
    ConformanceReport,
    RuleFinding,
    check_mctl_tool,
    check_tool,
)
from narratoria.protocol.conformance.rules import MCTL_RULES, V0_RULES
from narratoria.protocol.dialect import Limits
from narratoria.protocol.orphans import reap_orphans
from narratoria.terminal import paint, visible

SOMETHING_WRONG = 1
MANIFEST = "manifest.json"
RULES = {"narratoria_v0": V0_RULES, "mctl_v1": MCTL_RULES}
SIGNS = {"pass": ("✓", "green"), "warn": ("!", "yellow"), "fail": ("✗", "red")}


def check_path(
    path: Path, samples: Sequence[Mapping[str, Any]], *, operation: str, as_json: bool, timeout: float
) -> int:
    """Check the tool at a path, print the report, and return the exit code."""
    limits = dataclasses.replace(CHECK_LIMITS, timeout=timeout)
    manifest = path / MANIFEST if path.is_dir() and (path / MANIFEST).exists() else path
    with reap_orphans():
        if manifest.name == MANIFEST:
            report = _check_manifest(manifest, samples, limits)
        else:
            checking = check_tool(
                command_for(path), tool=str(path), samples=samples, operation=operation, limits=limits
            )
            report = asyncio.run(checking)
    for line in [as_document(report)] if as_json else format_report(report):
        click.echo(line)
    return 0 if report.ok else SOMETHING_WRONG


def _check_manifest(path: Path, samples: Sequence[Mapping[str, Any]], limits: Limits) -> ConformanceReport:
    from narratoria.protocol.command import Command
    from narratoria.skills.mcontrol.config import declared_values, load_config
    from narratoria.skills.mcontrol.manifest import read_manifest
    from narratoria.skills.mcontrol.tools import command_line

    expected = "The manifest is valid, and says nothing that m-control does not know."
    try:
        manifest = read_manifest(path)
    except ContractViolation as violation:
        advice = "Mend the manifest first; the tool was not run."
        problems = tuple(
            RuleFinding("manifest", "fail", expected, str(problem), advice, line=problem.line)
            for problem in violation.problems
        )
        return ConformanceReport(str(path), "mctl_v1", (), problems)
    config = load_config(Path.cwd())
    report = asyncio.run(
        check_mctl_tool(
            Command(command_line(manifest, config), cwd=config.workspace_root),
            tool=str(path),
            tool_id=manifest.id,
            config=declared_values(config, manifest),
            workspace_root=config.workspace_root,
            samples=samples,
            limits=limits,
        )
    )
    unknown = tuple(
        RuleFinding("manifest", "warn", expected, f"/{name} is not a field of a manifest", "Remove it.")
        for name in manifest.unknown_fields
    ) or (RuleFinding("manifest", "pass", expected),)
    return dataclasses.replace(report, findings=(*unknown, *report.findings))


def as_document(report: ConformanceReport) -> str:
    document = {**dataclasses.asdict(report), "ok": report.ok, "verdict": report.verdict}
    return json.dumps(document, indent=2, ensure_ascii=False)


def format_report(report: ConformanceReport) -> Iterator[str]:
    shown_rule = ""
    for finding in report.findings:
        if finding.rule != shown_rule:
            sign, colour = SIGNS[finding.verdict]
            title = f"{paint(sign, sys.stdout, fg=colour, bold=True)} {finding.expected}"
            name = paint(f"[{finding.rule}]", sys.stdout, dim=True)
            yield title if finding.verdict == "pass" else f"{title} {name}"
            shown_rule = finding.rule
        if finding.verdict != "pass":
            yield f"    {_place(finding, report)}{visible(finding.happened)}"
            yield f"    → {visible(finding.advice)}"
    yield ""
    for rule in RULES[report.dialect]:
        if rule.id in report.unjudged:
            name = paint(f"[{rule.id}]", sys.stdout, dim=True)
            yield f"There was no occasion to see this: {rule.expected} {name}"
    yield report.verdict


def _place(finding: RuleFinding, report: ConformanceReport) -> str:
    """Return where it happened: `line 2, with every input: `."""
    inputs = ""
    if finding.inputs and set(finding.inputs) >= set(report.inputs):
        inputs = "every input" if len(report.inputs) > 1 else report.inputs[0]
    elif finding.inputs:
        shown = ", ".join(finding.inputs[:3])
        more = len(finding.inputs) - 3
        inputs = f"{shown} and {more} more" if more > 0 else shown
    parts = [f"line {finding.line}" if finding.line else "", f"({inputs})" if inputs else ""]
    place = " ".join(part for part in parts if part)
    return f"{place}: " if place else ""
