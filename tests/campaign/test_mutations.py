"""Whatever happens to a campaign's files, its author gets problems and never a crash."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.campaign.mill import files, write

from narratoria.campaign.check import check_campaign
from narratoria.campaign.load import load_campaign, read_campaign
from narratoria.campaign.validate import validate_campaign
from narratoria.errors import ContractViolation

ORIGINAL = files()
TEXTS = sorted(name for name in ORIGINAL if name.endswith((".json", ".md")))
PIECES = (
    *(b"", b"\x00", b"\xff", b"{", b"}", b"[]", b'"', b"null", b"true", b"-1", b"1e400", b"NaN", b"\\u0000"),
    *(b"../../x.png", b"\n---\n", b"```", b"- [x](y.md)", b"&a *a", b"!!python/name:os", b"\xef\xbb\xbf"),
    *(b'"beats"', b'"id": 3,', b'"min": 99,', b'"generated": true,', b'"custom": "((",', b"\r\n", b"#" * 9),
)


@st.composite
def mutated(draw: st.DrawFn) -> dict[str, bytes]:
    """The mill after a few things were cut, put in, doubled or moved."""
    changed = dict(ORIGINAL)
    for _ in range(draw(st.integers(1, 4))):
        name = draw(st.sampled_from(TEXTS))
        content = changed.get(name, b"")
        start = draw(st.integers(0, len(content)))
        end = draw(st.integers(start, min(len(content), start + 40)))
        piece = draw(
            st.one_of(st.sampled_from(PIECES), st.binary(max_size=6), st.just(content[start:end] * 2))
        )
        match draw(st.integers(0, 9)):
            case 0:
                changed.pop(name, None)
            case 1:
                changed[draw(st.sampled_from(TEXTS))] = content
            case _:
                changed[name] = content[:start] + piece + content[end:]
    return changed


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(mutated())
def test_any_change_to_the_files_ends_in_findings_and_nothing_else(changed: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = write(Path(place), changed)
        report = validate_campaign(folder)
        assert all(finding.message and finding.code for finding in report.problems)
        compiled = check_campaign(folder)
        assert all(fate.reasons for fate in compiled.beats if fate.verdict == "unreachable")
        if any(finding.is_error for finding in read_campaign(folder).problems()):
            with pytest.raises(ContractViolation):
                load_campaign(folder)
            assert not report.ok
        else:
            campaign = load_campaign(folder)
            assert campaign.start in campaign.places
            assert campaign.premise
