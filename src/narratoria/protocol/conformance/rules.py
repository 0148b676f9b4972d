"""Lists the rules that tools are checked against, in the order of a report."""

from __future__ import annotations

from narratoria.protocol.conformance.report import ConformanceRule

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
