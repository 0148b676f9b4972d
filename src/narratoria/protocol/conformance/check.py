"""Calls a tool in many ways, and reports what is right and what is wrong with it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Protocol

from narratoria.protocol.command import Command
from narratoria.protocol.conformance import observe, rules
from narratoria.protocol.conformance.observe import Probe, Transcript, record
from narratoria.protocol.conformance.rules import (
    ConformanceReport,
    ConformanceRule,
    RuleViolation,
    collect_findings,
)
from narratoria.protocol.conformance.run_faults import is_long, late_output
from narratoria.protocol.dialect import Limits

CHECK_LIMITS = Limits(timeout=10.0)  # a tool that hangs is met a dozen times
SIMULTANEOUSLY = "two at once"
ENDLESS = frozenset({rules.ENDS_IN_TIME, rules.OUTPUT_LIMITS, rules.EXITS_AFTER_DONE})


class ProtocolKit(Protocol):
    """Defines the inputs and the rules of one protocol."""

    dialect: str
    rules: tuple[ConformanceRule, ...]
    reads_request: bool

    def probes(self) -> Iterator[Probe]: ...
    def is_last(self, line: bytes) -> bool: ...
    def succeeded(self, transcript: Transcript) -> bool: ...
    def examine(self, transcript: Transcript) -> Iterator[RuleViolation]: ...
    def ending(self, transcript: Transcript) -> Iterator[RuleViolation]: ...


async def check(
    tool: str, command: Command, kit: ProtocolKit, limits: Limits = CHECK_LIMITS
) -> ConformanceReport:
    """Everything the kit finds out about a tool; NotRunnable when it cannot be started."""
    examination = _Examination(command, kit, limits)
    await examination.run()
    judged = examination.judged
    return ConformanceReport(
        tool=tool,
        dialect=kit.dialect,
        inputs=tuple(examination.inputs),
        findings=collect_findings(kit.rules, judged, examination.breaches),
        unjudged=tuple(rule.id for rule in kit.rules if rule not in judged),
    )


class _Examination:
    def __init__(self, command: Command, kit: ProtocolKit, limits: Limits) -> None:
        self._command, self._kit, self._limits = command, kit, limits
        self.breaches: list[tuple[str, RuleViolation]] = []  # each with the name of its input
        self.inputs: list[str] = []
        self.judged: set[ConformanceRule] = set()
        self._general: set[ConformanceRule] = set()  # broken by endings that no odd input is to blame for
        self._succeeded = False

    async def run(self) -> None:
        probes = list(self._kit.probes())
        ordinary = [probe for probe in probes if probe.rule is None]
        for probe in ordinary:
            await self._try(probe)
        self._judge_success(ordinary)
        alone = self._last
        if not self._general & ENDLESS:  # else every further run would only take as long again
            for probe in probes:
                if probe.rule is not None:
                    await self._try(probe)
            await self._try_two_at_once(alone)
        if observe.POSIX:
            await self._observe_process(ordinary[-1])

    async def _record(self, probe: Probe) -> Transcript:
        return await record(self._command, probe, self._limits, self._kit.is_last)

    async def _try(self, probe: Probe) -> None:
        self._last = transcript = await self._record(probe)
        self.inputs.append(probe.name)
        self.judged |= set(self._kit.rules) - rules.OWN_OCCASION
        self._note(probe.name, *self._kit.examine(transcript))
        if is_long(transcript):
            self.judged.add(rules.STREAMS)
            self._note(probe.name, *late_output(transcript))
        succeeded = self._kit.succeeded(transcript)
        for breach in self._kit.ending(transcript):
            if probe.rule is None:
                self._general.add(breach.rule)
            self._note(probe.name, self._blame(breach, probe))
        if probe.rule is not None:
            self.judged.add(probe.rule)
        elif succeeded:
            self._succeeded = True
        if probe.rule is rules.EXTRA_FIELDS and self._succeeded and not succeeded:
            advice = "Ignore what you do not know: later versions will send more."
            self._note(
                probe.name,
                RuleViolation(probe.rule, "it succeeded without them, and failed with them", advice),
            )
        if probe.sample and not succeeded and not self._general:
            advice = "If the input was meant to work, `narratoria tool run` with the same --input shows why."
            self._note(probe.name, RuleViolation(rules.SUCCEEDS, "it failed with an input of yours", advice))

    def _blame(self, breach: RuleViolation, probe: Probe) -> RuleViolation:
        """Attribute an ending that is bad with an odd input alone to the rule about that input."""
        if probe.rule is None or breach.rule in self._general or breach.rule.weight == "warn":
            return breach
        return RuleViolation(probe.rule, f"{breach.happened} ({breach.rule.id})", breach.advice, breach.line)

    def _judge_success(self, ordinary: list[Probe]) -> None:
        self.judged.add(rules.SUCCEEDS)
        if not self._succeeded and not self._general and not any(probe.sample for probe in ordinary):
            advice = "Show the kit an input that fits: --input '{…}'."
            breach = RuleViolation(
                rules.SUCCEEDS, "an empty object was all it was given, and it did not", advice
            )
            self._note(ordinary[-1].name, breach)

    async def _try_two_at_once(self, before: Transcript) -> None:
        self.judged.add(rules.SIDE_BY_SIDE)
        alone = self._describe_ending(before)
        for transcript in await asyncio.gather(*(self._record(before.probe) for _ in range(2))):
            if self._describe_ending(transcript) != alone:
                endings = list(self._kit.ending(transcript))
                happened = endings[0].happened if endings else "one of the two ended otherwise than alone"
                advice = (
                    "Do not rely on a fixed temporary file, port or lock; use a name of its own each time."
                )
                self._note(SIMULTANEOUSLY, RuleViolation(rules.SIDE_BY_SIDE, happened, advice))

    def _describe_ending(self, transcript: Transcript) -> tuple[bool, frozenset[ConformanceRule]]:
        broken = frozenset(breach.rule for breach in self._kit.ending(transcript))
        return self._kit.succeeded(transcript), broken

    async def _observe_process(self, probe: Probe) -> None:
        if not self._general & ENDLESS:
            self._judge_exit(probe, await observe.observe_exit(self._command, probe.stdin, self._limits))
        stopped = await observe.observe_sigterm(self._command, self._limits)
        if stopped is not None:
            self.judged.add(rules.STOPS_WHEN_TOLD)
            self._judge_stop(stopped)

    def _judge_exit(self, probe: Probe, process_exit: observe.ProcessExit) -> None:
        if process_exit.exit_code is None:
            return  # told already, by the same probe
        self.judged.add(rules.LEAVES_NOTHING)
        if process_exit.left:
            happened = f"still running: {', '.join(name[:80] for name in process_exit.left[:3])}"
            advice = "Wait for what you start, or end it; the runtime kills it otherwise."
            self._note(probe.name, RuleViolation(rules.LEAVES_NOTHING, happened, advice))
        if self._kit.reads_request:
            self.judged.add(rules.READS_REQUEST)
            if process_exit.unread:
                advice = "Read all of standard input before you begin, also what you have no use for."
                happened = f"{process_exit.unread} bytes of it were left unread"
                self._note(probe.name, RuleViolation(rules.READS_REQUEST, happened, advice))

    def _judge_stop(self, stopped: observe.ProcessExit) -> None:
        if stopped.exit_code is None:
            happened = f"it still ran {self._limits.kill_grace:g} s after it"
            advice = "Do not ignore SIGTERM; whatever is left by then is killed, without a chance to tidy up."
            self._note("SIGTERM", RuleViolation(rules.STOPS_WHEN_TOLD, happened, advice))
        elif stopped.left:
            happened = f"it ended and left running: {stopped.left[0][:80]}"
            self._note(
                "SIGTERM", RuleViolation(rules.STOPS_WHEN_TOLD, happened, "Take what you started along.")
            )

    def _note(self, name: str, *breaches: RuleViolation) -> None:
        self.breaches.extend((name, breach) for breach in breaches)
