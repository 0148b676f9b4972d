"""Makes the inputs that every tool is tried with, besides its author's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from narratoria.protocol.conformance import rules
from narratoria.protocol.conformance.record import Probe
from narratoria.protocol.conformance.report import ConformanceRule

MEGABYTE = 1_000_000
# quotes, a backslash, line ends, several scripts, right to left, beyond the basic plane, a joined emoji
ODD_TEXT = 'say "hé\\llo"\n\tпривет\u2028世界 שלום 𝄞 👩‍🚀 e\u0301'
LONG_TEXT = "a long story " * (MEGABYTE // 13)


def inputs_for(
    samples: Sequence[Mapping[str, Any]],
) -> Iterator[tuple[str, ConformanceRule | None, Mapping[str, Any]]]:
    """Inputs by name, with the rule that each is for; none for those a tool is judged by in general."""
    yield "empty object", None, {}
    for number, sample in enumerate(samples, 1):
        yield f"your input {number}" if len(samples) > 1 else "your input", None, sample
    base = samples[0] if samples else {}
    yield "odd text", rules.UNICODE_INPUT, _with_text(base, ODD_TEXT)
    yield "a megabyte", rules.LARGE_INPUT, _with_text(base, LONG_TEXT)


def malformed(request: bytes) -> Iterator[Probe]:
    yield Probe("empty stdin", b"", rules.EMPTY_STDIN)
    yield Probe("half a request", request[: len(request) // 2], rules.MALFORMED_REQUEST)
    yield Probe("text instead of JSON", b"light the torch\n", rules.MALFORMED_REQUEST)
    yield Probe("an array as request", b"[1, 2, 3]", rules.MALFORMED_REQUEST)
    yield Probe("a number as input", b'{"context": {}, "input": 42}', rules.MALFORMED_REQUEST)


def _with_text(sample: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return the sample with its texts replaced, or plausible texts where there are none."""
    names = [key for key, value in sample.items() if isinstance(value, str)] or ["name", "text"]
    first, *others = names
    return {**sample, first: text, **dict.fromkeys(others, text[:100])}
