"""Every misbehaving tool in `tests/tools/`, what it is run with, and the exact outcome it must come to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from signal import Signals
from typing import Any, Literal

from narratoria.protocol.command import Command
from narratoria.protocol.dialect import Limits

DialectName = Literal["v0", "mctl"]

TOOLS = Path(__file__).parent.parent / "tools"
MB = 1_000_000

PATIENT = Limits(
    timeout=40, exit_grace=5, kill_grace=2
)  # for endings that come by themselves, on a busy machine
BRIEF = Limits(timeout=1, exit_grace=0.3, kill_grace=0.3)  # for endings that the runner has to bring about
LINGERING = replace(PATIENT, exit_grace=0.3, kill_grace=0.3)  # done, and still there
WIDE = replace(PATIENT, max_output_bytes=200 * MB)


@dataclass(frozen=True, slots=True)
class Expected:
    """None: not determined by the rulings, and so not looked at."""

    code: str | None = None  # of the failure; None is success
    category: str | None = None
    exit_code: int | None = 0
    events: int | None = 2
    dropped: int | None = 0
    message: tuple[str, ...] = ()  # parts of the failure's message
    warnings: tuple[str, ...] | None = ()  # a part of each warning
    output: dict[str, Any] | None = None
    says: tuple[str, ...] | None = None  # the messages of all log events
    stderr_bytes: int | None = None
    details: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    dialect: DialectName
    expected: Expected
    limits: Limits = PATIENT
    request_bytes: int = 0  # how much input the request carries at least
    strict: bool = False
    variant: str = ""  # tells the cases of one tool apart
    build: Callable[[Path], Command] | None = None  # for what cannot be committed as a file

    @property
    def id(self) -> str:
        return ":".join(filter(None, (self.dialect, self.name, self.variant, "strict" * self.strict)))

    @property
    def path(self) -> Path:
        (path,) = (TOOLS / self.dialect).glob(f"{self.name}.*")
        return path


def fine(**more: Any) -> Expected:
    return Expected(**more)


def refused(
    line: int, *parts: str, code: str = "INVALID_LINE", events: int | None = None, **more: Any
) -> Expected:
    """A line broke the protocol. Only what stood before it counts; how the process ended does not matter."""
    before = line - 1 if events is None else events
    more.setdefault("exit_code", None)
    return Expected(code, "invalid_json", events=before, message=(f"line {line}", *parts), **more)


def stopped(v0: bool, what: str, *, category: str = "process_error", **more: Any) -> Expected:
    """A guardrail was hit."""
    code = "TIMEOUT" if v0 and category == "timeout" else "RUNNER_GUARDRAIL"
    return Expected(code, category, message=(what,), **more)


# --- what both dialects must survive -----------------------------------------------------------------------


def shared(dialect: DialectName) -> Iterator[Case]:
    v0 = dialect == "v0"

    def case(name: str, expected: Expected, limits: Limits = PATIENT, request_bytes: int = 0) -> Case:
        return Case(name, dialect, expected, limits, request_bytes)

    def timed_out(**more: Any) -> Expected:
        # m-control tells its consumer about a guardrail with one more event
        events = more.pop("events", 1)
        more.setdefault("exit_code", -15)
        return stopped(
            v0, "1 s", category="timeout", events=events if v0 or events is None else events + 1, **more
        )

    def unfinished(**more: Any) -> Expected:
        """Exit code 0, and no last word."""
        if v0:
            return Expected("MISSING_DONE", "process_error", message=("done",), **more)
        return fine(**more)

    def exits(code: int, **more: Any) -> Expected:
        if v0:
            return Expected("NONZERO_EXIT", "process_error", code, message=(str(code),), **more)
        return Expected("CRASHED", "process_error", code, message=(str(code),), **more)

    def dies(number: int, **more: Any) -> Expected:
        code = "KILLED_BY_SIGNAL" if v0 else "CRASHED"
        return Expected(code, "process_error", -number, message=(Signals(number).name,), **more)

    def malformed(line: int, *, events: int = 2, **more: Any) -> Expected:
        """In m-control a bad line is a warning, and the run goes on."""
        return refused(line) if v0 else fine(events=events, warnings=(f"line {line}",), **more)

    # standard streams
    yield case("never_reads_stdin", fine(), request_bytes=8 * MB)
    yield case("closes_stdin", fine(), request_bytes=8 * MB)
    yield case("writes_before_reading", fine(events=6), request_bytes=8 * MB)
    yield case("floods_stderr", fine(stderr_bytes=200 * MB), replace(PATIENT, timeout=90))
    yield case("binary_stderr", fine(stderr_bytes=263))
    yield case("closes_stderr", fine())
    yield case("closes_stdout_and_sleeps", timed_out(), BRIEF)
    yield case("closes_stdout_and_exits", unfinished(events=1))
    yield case("closes_everything_and_sleeps", timed_out(), BRIEF)

    # time and signals
    yield case("hangs", timed_out(), BRIEF)
    yield case("hangs_silently", timed_out(events=0), BRIEF)
    yield case("trickles", timed_out(events=None), BRIEF)
    yield case("ignores_sigterm", timed_out(exit_code=-9), BRIEF)
    yield case("finishes_when_told_to_stop", timed_out(exit_code=0), replace(BRIEF, kill_grace=5))
    yield case("stops_itself", timed_out(), BRIEF)
    yield case("kills_itself", dies(9, events=1))
    yield case("segfaults", dies(11, events=1))
    yield case("aborts", dies(6, events=1))
    yield case("kills_its_group", dies(9, events=1))
    yield case("kills_itself_after_the_end", dies(9))

    # exit codes
    yield case("exits_0_silently", unfinished(events=0))
    yield case("exits_255", exits(255, events=1))
    yield case("exits_143", exits(143, events=1))
    yield case("exits_3_after_the_end", exits(3))
    failed = exits(1, events=0) if v0 else Expected("TOOL_FAILED", "tool_failure", 1, events=0)
    yield case("exits_1_silently", failed)
    yield case("exits_1_with_stderr", replace(failed, events=1))

    # families
    yield case("daemon_holds_the_pipe", fine())
    yield case("daemon_without_a_last_word", unfinished(events=1))
    yield case("daemon_speaks_later", unfinished(events=1))
    yield case("daemon_and_hangs", timed_out(), BRIEF)
    yield case("daemon_ignores_sigterm", fine())
    yield case("daemon_forgets_its_environment", fine())
    yield case("child_holds_stderr", fine())
    # the child shares the pipe, so what it wrote before its parent was gone cannot be told apart
    yield case(
        "child_floods_the_pipe", fine(dropped=None, **({} if v0 else {"events": 2, "warnings": None})), WIDE
    )
    yield case("moves_to_other_groups", timed_out(), BRIEF)
    yield case("forks_40_and_ends", fine())
    yield case("forks_40_and_hangs", timed_out(exit_code=None), BRIEF)
    yield case("forks_a_chain", timed_out(exit_code=-9), BRIEF)
    yield case("leaves_zombies", fine())
    yield case("starts_a_background_job", fine())

    # too much
    one_more = 0 if v0 else 1
    yield case("floods_events", stopped(v0, "10000 events", exit_code=None, events=10_000 + one_more))
    deaf = replace(PATIENT, kill_grace=0.3, max_events=1_000_000)
    yield case("floods_events_forever", stopped(v0, "10000000 bytes", exit_code=-9, events=None), deaf)
    yield case("floods_bytes", stopped(v0, "10000000 bytes", exit_code=None, events=None))
    yield case("floods_newlines", stopped(v0, "10000000 bytes", exit_code=None, events=0 + one_more))

    # lines that are none
    endless = refused(1) if v0 else fine(events=0, warnings=("line 1",))
    yield case("line_of_50_mb_without_newline", endless, WIDE)
    yield case("line_of_9_mib", malformed(2), WIDE)
    yield case("line_within_8_mib", fine(events=3))
    for name in (
        "array",
        "string",
        "number",
        "null",
        "nul_bytes",
        "random_bytes",
        "two_objects_on_a_line",
        "junk_after_the_object",
        "bom_on_second_line",
    ):
        yield case(name, malformed(2))
    yield case("plain_text", malformed(1))
    yield case("old_mac_newlines", refused(1) if v0 else fine(events=0, warnings=("line 1",)))
    yield case("blank_lines_then_junk", refused(3, events=1) if v0 else malformed(3))
    yield case("event_over_two_lines", refused(2) if v0 else fine(warnings=None))
    yield case("utf16", refused(1) if v0 else fine(events=0, warnings=("line 1", "line 2", "line 3")))
    yield case("half_a_line_then_exit", refused(2) if v0 else malformed(2, events=1))
    yield case("half_a_line_then_hang", timed_out(), BRIEF)

    # lines that are odd and right
    yield case("crlf", fine())
    yield case("bom_on_first_line", fine())
    yield case("no_last_newline", fine())
    yield case("blank_lines", fine())
    yield case("one_byte_at_a_time", fine())
    yield case("splits_a_character", fine(says=("🔥",)))
    yield case("odd_line_separators", fine(says=("one\u2028two\u2029three\x85four",)))
    yield case("brackets_in_a_string", fine(says=('[{"' * 250,)))


# --- Narratoria's own protocol ----------------------------------------------------------------------------


def v0_only() -> Iterator[Case]:
    def case(name: str, expected: Expected, limits: Limits = PATIENT) -> Case:
        return Case(name, "v0", expected, limits)

    wet = Expected("WET_WOOD", "tool_failure", message=("the wood is wet",))

    # done
    yield case("no_done", Expected("MISSING_DONE", "process_error", events=1, message=("done",)))
    yield case("two_dones", fine(dropped=1))
    yield case("events_after_done", fine(dropped=3))
    yield case("events_long_after_done", fine(dropped=3))
    yield case("junk_after_done", fine(dropped=2))
    yield case("half_a_line_after_done", fine(dropped=1))
    yield case("done_then_exits_slowly", fine())
    yield case("done_then_hangs", fine(exit_code=-15, warnings=("last event",)), LINGERING)
    yield case("done_then_ignores_sigterm", fine(exit_code=-9, warnings=("last event",)), LINGERING)
    yield case("done_then_stops_itself", fine(exit_code=-15, warnings=("last event",)), LINGERING)
    yield case("done_then_floods", fine(exit_code=None, dropped=None, warnings=("last event",)), LINGERING)
    yield case("done_false_then_hangs", replace(wet, exit_code=-15, warnings=("last event",)), LINGERING)
    yield case("done_false_then_exits_3", Expected("NONZERO_EXIT", "process_error", 3, message=("3",)))
    yield case("done_false_without_error", Expected("TOOL_FAILED", "tool_failure", events=1))
    yield case("error_then_done_false", replace(wet, events=3, details={"humidity": 0.9}))
    yield case("error_then_done_true", fine())
    yield case("error_without_done", Expected("MISSING_DONE", "process_error", events=1))
    yield case("bad_line_then_hangs", refused(2, exit_code=-15))
    yield case("bad_line_then_ignores_sigterm", refused(2, exit_code=-9), LINGERING)

    many = case("floods_events", fine(events=1_000_001), replace(WIDE, max_events=2_000_000))
    yield replace(many, variant="allowed")

    # a line that is no JSON, or that a lenient reader would take
    yield case("invalid_utf8", refused(2, "UTF-8"))
    yield case("invalid_utf8_in_ignored_field", refused(2, "UTF-8"))
    yield case("overlong_utf8", refused(2, "UTF-8"))
    for name in ("nan", "infinity", "minus_infinity", "nan_in_ignored_field"):
        yield case(name, refused(2))
    for name in ("single_quotes", "trailing_comma", "comment", "control_character"):
        yield case(name, refused(2, "JSON"))
    yield case("lone_surrogate", refused(2, "half of a surrogate pair"))
    yield case("duplicate_key", refused(2, "level", "more than once"))
    yield case("duplicate_type", refused(2, "type", "more than once"))
    yield case("duplicate_key_in_disguise", refused(2, "level", "more than once"))
    yield case("duplicate_ignored_key", refused(2, "extra", "more than once"))
    yield case("duplicate_key_in_patch", refused(2, "lit", "more than once"))
    yield case("nested_100", fine(events=3))
    yield case("nested_101", refused(2, "deeper than 100"))
    yield case("nested_900", refused(2, "deeper than 100"))
    yield case("nested_100000", refused(2, "deeper than 100"))
    yield case("nested_in_ignored_field", refused(2, "deeper than 100"))
    yield case("brackets_without_end", refused(2, "deeper than 100"))
    yield case("huge_number", refused(2))

    # a field that breaks the data model
    yield case("unknown_type", refused(2, "type", "teleport", code="UNKNOWN_EVENT_TYPE"))
    yield case("type_in_capitals", refused(2, "type", "LOG", code="UNKNOWN_EVENT_TYPE"))
    for name, field in (
        ("missing_type", "type"),
        ("type_as_number", "type"),
        ("wrong_version", "version"),
        ("version_as_number", "version"),
        ("missing_version", "version"),
        ("empty_object", ""),
        ("empty_message", "message"),
        ("missing_message", "message"),
        ("message_as_number", "message"),
        ("bad_level", "level"),
        ("fields_array", "fields"),
        ("patch_array", "patch"),
        ("patch_null", "patch"),
        ("patch_missing", "patch"),
        ("ok_as_string", "ok"),
        ("ok_missing", "ok"),
        ("output_array", "output"),
        ("empty_error_code", "errorCode"),
        ("empty_ui_event", "event"),
        ("request_id_as_number", "requestId"),
        ("bad_timestamp", "timestamp"),
        ("bad_media_type", "mediaType"),
        ("asset_without_path", "path"),
    ):
        yield case(name, refused(2, field))
    yield case("unknown_fields", fine(events=3))

    # assets: refused with a warning, and the invocation goes on
    yield case("asset_missing_file", fine(warnings=("ghost",)))
    yield case("asset_directory", fine(warnings=("folder",)))
    yield case("asset_names_no_file_can_have", fine(events=1, warnings=("endless", "nul", "loop")))
    yield case("asset_duplicate_id", fine(warnings=("twin",)))


# --- m-control --------------------------------------------------------------------------------------------


def mctl_only() -> Iterator[Case]:
    def case(name: str, expected: Expected, limits: Limits = PATIENT, strict: bool = False) -> Case:
        return Case(name, "mctl", expected, limits, strict=strict)

    def both_ways(name: str, line: int = 2, *parts: str) -> Iterator[Case]:
        """A bad line is a warning, and the end of it all when the runner is strict."""
        yield case(name, fine(events=line, warnings=(f"line {line}",), output={"answer": 42}))
        yield case(name, refused(line, *parts), strict=True)

    for name, field in (
        ("nan", ""),
        ("infinity", ""),
        ("invalid_utf8", "UTF-8"),
        ("duplicate_key", "ts"),
        ("nested_101", "deeper than 100"),
        ("nested_100000", "deeper than 100"),
        ("unknown_type", "teleport"),
        ("missing_type", "type"),
        ("missing_ts", "ts"),
        ("bad_ts", "ts"),
        ("wrong_tool_id", "toolId"),
        ("missing_payload", "payload"),
        ("bad_level", "level"),
        ("error_without_message", "message"),
    ):
        yield from both_ways(name, 2, field)
    for name in ("array", "string", "number", "null", "nul_bytes", "random_bytes", "junk_after_the_object"):
        yield case(name, refused(2), strict=True)
    yield case("plain_text", refused(1), strict=True)
    yield case("half_a_line_then_exit", refused(2), strict=True)
    yield case("line_of_9_mib", refused(2), WIDE, strict=True)
    yield case("line_of_50_mb_without_newline", refused(1), WIDE, strict=True)
    yield case("crlf", fine(), strict=True)

    yield case("unknown_fields", fine(events=3))
    yield case("two_results", fine(events=3, output={"answer": 42}))
    yield case("no_result", fine(events=1, output={}))
    wet = Expected(
        "WET_WOOD", "tool_failure", 1, 3, message=("the wood is wet",), details={"recoverable": True}
    )
    yield case("error_then_exit_1", wet)
    yield case("error_then_exit_0", fine())
    timed_out = stopped(False, "1 s", category="timeout", exit_code=-15, events=3)
    yield case("result_then_hangs", timed_out, BRIEF)
    yield case("junk_only", fine(events=1, warnings=None))
    megabyte = replace(PATIENT, max_output_bytes=MB)
    too_much = stopped(False, f"{MB} bytes", exit_code=None, events=1, warnings=None)
    yield case("junk_forever", too_much, megabyte)


# --- what never starts ------------------------------------------------------------------------------------


def never_started(dialect: DialectName) -> Iterator[Case]:
    def case(name: str, build: Callable[[Path], Command], *parts: str) -> Case:
        expected = Expected("NOT_STARTED", "process_error", None, events=0, message=parts)
        return Case(name, dialect, expected, build=build)

    yield case("missing_file", lambda tmp: Command((str(tmp / "ghost"),)), "ghost", "no such file")
    yield case("a_directory", lambda tmp: Command((str(tmp),)), "permission denied")
    yield case("empty_file", lambda tmp: written(tmp / "empty", b""), "empty", "format")
    yield case(
        "binary_garbage", lambda tmp: written(tmp / "garbage", bytes(range(256)) * 8), "garbage", "format"
    )
    yield case("no_shebang", lambda tmp: written(tmp / "bare", b"echo hello\n"), "bare", "format")
    yield case(
        "bad_shebang",
        lambda tmp: written(tmp / "lost", b"#!/no/such/interpreter\n"),
        "lost",
        "/no/such/interpreter",
    )
    yield case(
        "not_executable", lambda tmp: written(tmp / "plain", b"#!/bin/sh\n", 0o644), "plain", "permission"
    )
    yield case(
        "not_on_the_path", lambda _: Command(("no-such-program-anywhere",)), "no-such-program", "no such file"
    )
    yield case(
        "no_working_directory", lambda tmp: Command(("true",), cwd=tmp / "gone"), "gone", "no such file"
    )
    yield case("nul_in_the_name", lambda _: Command(("bad\0name",)), "null byte")
    yield case("endless_argument", lambda _: Command(("true", "x" * 10 * MB)), "too long")
    yield case("loop_of_links", lambda tmp: linked(tmp / "ouroboros"), "ouroboros", "symbolic links")


def written(path: Path, content: bytes, mode: int = 0o755) -> Command:
    path.write_bytes(content)
    path.chmod(mode)
    return Command((str(path),))


def linked(path: Path) -> Command:
    path.symlink_to(path)
    return Command((str(path),))


ZOO: list[Case] = [
    *shared("v0"),
    *v0_only(),
    *never_started("v0"),
    *shared("mctl"),
    *mctl_only(),
    *never_started("mctl"),
]
