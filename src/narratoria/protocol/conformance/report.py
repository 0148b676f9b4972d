"""Defines the report on a tool: its rules, how they were broken, and the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Verdict = Literal["pass", "warn", "fail"]

MAX_FINDINGS = 3  # of one rule; a tool that breaks it on every line says so often enough


@dataclass(frozen=True, slots=True)
class ConformanceRule:
    """One thing that is asked of a tool."""

    id: str
    expected: str
    weight: Literal["warn", "fail"] = "fail"  # a SHOULD of the protocol warns, a MUST fails


@dataclass(frozen=True, slots=True)
class RuleViolation:
    """One time a rule was not kept."""

    rule: ConformanceRule
    happened: str
    advice: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class RuleFinding:
    """Reports on one rule: what was expected, what happened, with which inputs, and what to do next."""

    rule: str
    verdict: Verdict
    expected: str
    happened: str = ""
    advice: str = ""
    inputs: tuple[str, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class ConformanceReport:
    tool: str
    dialect: str
    inputs: tuple[str, ...]  # what it was tried with
    findings: tuple[RuleFinding, ...]
    unjudged: tuple[str, ...] = ()  # rules that this tool gave no occasion to look at

    @property
    def failures(self) -> tuple[RuleFinding, ...]:
        return tuple(finding for finding in self.findings if finding.verdict == "fail")

    @property
    def warnings(self) -> tuple[RuleFinding, ...]:
        return tuple(finding for finding in self.findings if finding.verdict == "warn")

    @property
    def ok(self) -> bool:
        return not self.failures

    @property
    def verdict(self) -> str:
        """All of it in one sentence."""
        rules = len({finding.rule for finding in self.findings})
        broken = len({finding.rule for finding in self.failures})
        odd = len({finding.rule for finding in self.warnings})
        if broken:
            also = f", and {_count(odd, 'warning')}" if odd else ""
            return f"{self.tool} breaks {broken} of {_count(rules, 'rule')}{also}: begin with the first ✗."
        if odd:
            return f"{self.tool} keeps to the protocol, with {_count(odd, 'warning')} worth a look."
        return f"{self.tool} keeps to the protocol: all {rules} rules hold."


def collect_findings(
    rules: Sequence[ConformanceRule],
    judged: Iterable[ConformanceRule],
    breaches: Iterable[tuple[str, RuleViolation]],
) -> tuple[RuleFinding, ...]:
    """One finding for a rule that held; for a broken one, each way it was broken with all its inputs."""
    seen = set(judged)
    by_rule: dict[ConformanceRule, dict[RuleViolation, list[str]]] = {}
    for name, breach in breaches:
        inputs = by_rule.setdefault(breach.rule, {}).setdefault(breach, [])
        if name not in inputs:
            inputs.append(name)
    findings: list[RuleFinding] = []
    for rule in rules:
        if rule in by_rule:
            findings.extend(_broken(rule, by_rule[rule]))
        elif rule in seen:
            findings.append(RuleFinding(rule.id, "pass", rule.expected))
    return tuple(findings)


def _broken(rule: ConformanceRule, violations: dict[RuleViolation, list[str]]) -> Iterable[RuleFinding]:
    for breach, inputs in list(violations.items())[:MAX_FINDINGS]:
        yield RuleFinding(
            rule.id, rule.weight, rule.expected, breach.happened, breach.advice, tuple(inputs), breach.line
        )
    if (more := len(violations) - MAX_FINDINGS) > 0:
        advice = "Mend the ones above, then check again."
        yield RuleFinding(rule.id, rule.weight, rule.expected, f"… and {more} more like these", advice)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
