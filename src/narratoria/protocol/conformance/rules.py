"""Lists the rules that tools are checked against, and defines the report on how a tool keeps them."""

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


# the lines of standard output
UTF_8 = ConformanceRule("utf-8", "Standard output is UTF-8.")
JSON_LINES = ConformanceRule(
    "json-lines", "Every line of standard output is one whole JSON object, and nothing else."
)
UNIQUE_KEYS = ConformanceRule("unique-keys", "No key stands in an event twice.")
LINE_LIMITS = ConformanceRule("line-limits", "A line is at most 8 MiB long and 100 levels deep.")
UNIX_NEWLINES = ConformanceRule("unix-newlines", "Lines end in \\n alone.", "warn")
NO_BLANK_LINES = ConformanceRule("no-blank-lines", "No line is blank.", "warn")
NO_BOM = ConformanceRule("no-bom", "Standard output does not begin with a byte order mark.", "warn")
LAST_NEWLINE = ConformanceRule("last-newline", "The last line ends in a newline, like all others.", "warn")
LINES = (
    UTF_8, JSON_LINES, UNIQUE_KEYS, LINE_LIMITS, UNIX_NEWLINES, NO_BLANK_LINES, NO_BOM, LAST_NEWLINE,
)  # fmt: skip

# the events on them
VERSION = ConformanceRule("version", 'Every event says "version": "0".')
EVENT_TYPE = ConformanceRule("event-type", "Every event is of a known type.")
EVENT_FIELDS = ConformanceRule(
    "event-fields", "Every event has its fields, each with a value of the right kind."
)
REQUEST_ID = ConformanceRule("request-id", "Events that carry a requestId carry that of the request.", "warn")
ASSET_IDS = ConformanceRule("asset-ids", "No assetId is announced twice in one invocation.")
ASSET_FILES = ConformanceRule("asset-files", "Every announced asset is a file that can be read.")
TOOL_ID = ConformanceRule("tool-id", "Every event carries the manifest's id as its toolId.")
STARTED_FIRST = ConformanceRule("started-first", "The first event is `started`.")
ERROR_DETAILS = ConformanceRule(
    "error-details", "An `error` says its code, and whether the user can recover.", "warn"
)

# the ending
ENDS_IN_TIME = ConformanceRule("ends-in-time", "The tool comes to an end by itself, in time.")
OUTPUT_LIMITS = ConformanceRule("output-limits", "It stays within the limits on bytes and events of output.")
ONE_DONE = ConformanceRule("one-done", "There is exactly one `done`.")
NOTHING_AFTER_DONE = ConformanceRule("nothing-after-done", "`done` is the last line.")
EXIT_ZERO = ConformanceRule("exit-code", "The exit code is 0, also after `done` with ok: false.")
EXITS_AFTER_DONE = ConformanceRule("exits-after-done", "The process exits soon after `done`.")
ERROR_BEFORE_FAILURE = ConformanceRule(
    "error-before-failure", "An `error` says why before `done` with ok: false.", "warn"
)
FAILURE_AFTER_ERROR = ConformanceRule(
    "failure-after-error", "After an `error`, `done` says ok: false.", "warn"
)
EXIT_ZERO_OR_ONE = ConformanceRule("exit-code", "The exit code is 0, or 1 for a failure that was expected.")
RESULT_ON_SUCCESS = ConformanceRule("result-on-success", "There is a `result` when the exit code is 0.")
ERROR_ON_FAILURE = ConformanceRule("error-on-failure", "There is an `error` when the exit code is 1.")
EXIT_MATCHES_EVENTS = ConformanceRule(
    "exit-matches-events", "The exit code agrees with the last event.", "warn"
)

# the requests it is sent
SUCCEEDS = ConformanceRule("succeeds", "With a fitting input, it succeeds.", "warn")
UNICODE_INPUT = ConformanceRule(
    "unicode-input", "Text in any script, with quotes and newlines in it, does no harm."
)
LARGE_INPUT = ConformanceRule("large-input", "A megabyte of input does no harm.")
EXTRA_FIELDS = ConformanceRule("extra-fields", "Fields it does not know make no difference to it.")
UNKNOWN_OPERATION = ConformanceRule(
    "unknown-operation", "An unknown operation is ignored, or refused in plain words."
)
EMPTY_STDIN = ConformanceRule(
    "empty-stdin", "An empty standard input is accepted, or refused in plain words."
)
MALFORMED_REQUEST = ConformanceRule(
    "malformed-request", "A broken request is refused in plain words, or not needed."
)
READS_REQUEST = ConformanceRule("reads-request", "Standard input is read to its end.")

# the process it is
SIDE_BY_SIDE = ConformanceRule("side-by-side", "Two of it can run at the same time.")
LEAVES_NOTHING = ConformanceRule("leaves-nothing", "Nothing it started is still running when it has ended.")
STOPS_WHEN_TOLD = ConformanceRule("stops-when-told", "It ends soon when it is told to, by SIGTERM.", "warn")
STREAMS = ConformanceRule("streams", "Events arrive while it works, not all at its end.", "warn")

V0_RULES: tuple[ConformanceRule, ...] = (
    *LINES,
    VERSION, EVENT_TYPE, EVENT_FIELDS, REQUEST_ID, ASSET_IDS, ASSET_FILES,
    ENDS_IN_TIME, OUTPUT_LIMITS, ONE_DONE, NOTHING_AFTER_DONE, EXIT_ZERO, EXITS_AFTER_DONE,
    ERROR_BEFORE_FAILURE, FAILURE_AFTER_ERROR,
    SUCCEEDS, UNICODE_INPUT, LARGE_INPUT, EXTRA_FIELDS, UNKNOWN_OPERATION, EMPTY_STDIN, MALFORMED_REQUEST,
    SIDE_BY_SIDE, LEAVES_NOTHING, STOPS_WHEN_TOLD, STREAMS,
)  # fmt: skip

MCTL_RULES: tuple[ConformanceRule, ...] = (
    *LINES,
    EVENT_TYPE, EVENT_FIELDS, TOOL_ID, STARTED_FIRST, ERROR_DETAILS,
    ENDS_IN_TIME, OUTPUT_LIMITS, EXIT_ZERO_OR_ONE, RESULT_ON_SUCCESS, ERROR_ON_FAILURE, EXIT_MATCHES_EVENTS,
    SUCCEEDS, READS_REQUEST, UNICODE_INPUT, LARGE_INPUT, EXTRA_FIELDS, EMPTY_STDIN, MALFORMED_REQUEST,
    SIDE_BY_SIDE, LEAVES_NOTHING, STOPS_WHEN_TOLD, STREAMS,
)  # fmt: skip

# these need a probe of their own or a long run; all others are judged by any run
OWN_OCCASION = frozenset(
    {
        SUCCEEDS, UNICODE_INPUT, LARGE_INPUT, EXTRA_FIELDS, UNKNOWN_OPERATION, EMPTY_STDIN, MALFORMED_REQUEST,
        READS_REQUEST, SIDE_BY_SIDE, LEAVES_NOTHING, STOPS_WHEN_TOLD, STREAMS,
    }
)  # fmt: skip
