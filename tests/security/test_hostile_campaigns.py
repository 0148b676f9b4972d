"""A campaign made to do harm: to the disk, to the memory, to the time of whoever opens it."""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from tests.campaign import mill
from tests.campaign.importers.png import chunk, picture

from narratoria.campaign.check import check_campaign
from narratoria.campaign.enrich.nouns import find_nouns
from narratoria.campaign.expressions import compile_expression, expression_problem
from narratoria.campaign.importers import import_into
from narratoria.campaign.importers.draft import clean_text
from narratoria.campaign.lore import chunk_lore
from narratoria.campaign.pack import CHECKSUMS, install_archive, pack_campaign
from narratoria.campaign.validate import validate_campaign
from narratoria.engine.conditions import BadExpression, evaluate
from narratoria.errors import ContractViolation

DIGITS = "[0,1,2,3,4,5,6,7,8,9]"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def repacked(folder: Path, change: Callable[[dict[str, object]], None], *, deflated: bool = False) -> Path:
    """An honest archive whose list of contents somebody has rewritten."""
    packed = pack_campaign(mill.build(folder / "the-mill"), folder / "mill.zip").path
    target = folder / "evil.zip"
    kind = zipfile.ZIP_DEFLATED if deflated else zipfile.ZIP_STORED
    with zipfile.ZipFile(packed) as honest, zipfile.ZipFile(target, "w", kind) as evil:
        for info in honest.infolist():
            content = honest.read(info)
            if info.filename.endswith(CHECKSUMS):
                document = json.loads(content)
                change(document)
                content = json.dumps(document).encode()
            evil.writestr(info, content, kind)
    return target


@pytest.mark.parametrize(
    "name", ["/tmp/x/stolen", "../../stolen", "..", ".", "", "a/b", "a\\b", "con:x", "A" * 300]
)
def test_an_archive_cannot_choose_a_place_outside_the_campaigns(
    tmp_path: Path, home: Path, name: str
) -> None:
    before = sorted(tmp_path.iterdir())
    archive = repacked(tmp_path, lambda document: document.update(name=name.replace("/tmp/x", str(tmp_path))))
    with pytest.raises(ContractViolation, match="is no name for a folder"):
        install_archive(archive)
    assert list((home / "campaigns").iterdir()) == []
    made = {path.name for path in tmp_path.iterdir()} - {path.name for path in before}
    assert made == {"the-mill", "mill.zip", "evil.zip", "home"}


def test_a_list_of_contents_larger_than_any_list_is_not_read(tmp_path: Path, home: Path) -> None:
    noise = [
        hashlib.sha256(str(n).encode()).hexdigest() for n in range(6000)
    ] * 50  # packs, but not 100 times
    archive = repacked(tmp_path, lambda document: document.update(extra=noise), deflated=True)
    with pytest.raises(ContractViolation, match="as no list of files has"):
        install_archive(archive)


def test_a_picture_with_a_thousand_packed_texts_does_not_fill_the_memory(tmp_path: Path) -> None:
    bomb = zlib.compress(bytes(32 * 2**20), 9)
    texts = [chunk(b"iTXt", b"k%d\0\1\0\0\0" % n + bomb) for n in range(300)]
    card = base64.b64encode(json.dumps({"data": {"name": "Orla"}}).encode())
    (tmp_path / "card.png").write_bytes(picture(*texts, chunk(b"tEXt", b"chara\0" + card)))
    program = (
        "import resource, sys; from pathlib import Path; "
        "from narratoria.campaign.importers import import_into; "
        "resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31)); "
        "import_into(Path(sys.argv[1]), Path(sys.argv[2]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "card.png", tmp_path / "out"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert validate_campaign(tmp_path / "out").ok


def with_condition(folder: Path, expression: str) -> Path:
    """The mill, with a beat that asks this."""
    campaign = mill.build(folder / "the-mill")
    beats = json.loads((campaign / "plot/beats.json").read_text())
    beats["beats"][0]["conditions"]["custom"] = expression
    (campaign / "plot/beats.json").write_text(json.dumps(beats))
    return campaign


def nested(depth: int) -> str:
    return "true" if not depth else f"{DIGITS}.all(x{depth}, {nested(depth - 1)})"


ENDLESS = {
    "loops in loops": nested(12),
    "a list that doubles": "[[1]]" + ".map(a, a + a)" * 60 + " == []",
    "a text that doubles": '["ab"]' + ".map(a, a + a)" * 60 + ' == ["x"]',
    "loops with words between": nested(12).replace(".all(", ".all // for ever\n ("),
    "loops behind a text that seems not to end": r'r"\" != "" && ' + nested(12),
}


@pytest.mark.parametrize("why", ENDLESS)
def test_an_expression_that_would_run_for_days_is_refused_before_it_runs(tmp_path: Path, why: str) -> None:
    assert "more than 2 times" in expression_problem(ENDLESS[why])
    folder = with_condition(tmp_path, ENDLESS[why])
    assert any("more than 2 times" in finding.message for finding in validate_campaign(folder).problems)


@pytest.mark.parametrize("why", ENDLESS)
def test_the_engine_evaluates_no_such_expression_either(why: str) -> None:
    with pytest.raises(BadExpression, match="more than 2 times"):
        evaluate(ENDLESS[why], None)  # type: ignore[arg-type]  # refused before anything is looked at


def test_an_expression_may_still_look_through_two_lists() -> None:
    assert not expression_problem('flags.exists(f, f == "a") && met.all(m, m != "b")')
    assert compile_expression("[1, 2].all(x, [3].exists(y, y > x))").execute({}) is True


@pytest.mark.parametrize(
    "expression", ["!" * 1900 + "true", "(" * 90 + "true" + ")" * 90, "[" * 900 + "]" * 900]
)
def test_an_expression_however_deep_breaks_no_reader(tmp_path: Path, expression: str) -> None:
    folder = with_condition(tmp_path, expression)
    assert validate_campaign(folder).problems is not None
    assert check_campaign(folder).beats is not None


# read by a pattern that looks for an end which never comes, half a megabyte of these takes hours
@pytest.mark.parametrize(
    "piece", ["[", "![", "[[a->", "[a](", "![a](http:", "a-", "<!--", "</script ", '"', "(if:["]
)
def test_a_page_of_beginnings_without_an_end_is_read_as_quickly_as_any(tmp_path: Path, piece: str) -> None:
    text = (piece * 400_000)[:400_000]
    assert clean_text(text) is not None
    assert find_nouns(text)
    assert chunk_lore("lore/page.md", text) is not None
    for name in ("story.twee", "story.ink"):
        (tmp_path / name).write_text(
            f":: Start\n{text}" if name.endswith("twee") else f"=== start ===\n{text}"
        )
        with suppress(ContractViolation):  # it may be refused, as long as it is
            import_into(tmp_path / name, tmp_path / f"{name}-out")


@pytest.mark.parametrize("link", ["plot/premise.md", "plot", "characters", "manifest.json"])
def test_nothing_is_written_through_a_link_that_a_campaign_brought(tmp_path: Path, link: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "profile").write_text("mine")
    folder = tmp_path / "campaign"
    (folder / link).parent.mkdir(parents=True)
    (folder / link).symlink_to(outside / "profile" if "." in link else outside)
    card = {"name": "Orla", "description": "A lamplighter.", "first_mes": "Fog.", "personality": "wry"}
    (tmp_path / "card.json").write_text(json.dumps(card))
    with pytest.raises(ContractViolation, match="leads out of the campaign"):
        import_into(tmp_path / "card.json", folder)
    assert [path.name for path in outside.iterdir()] == ["profile"]
    assert (outside / "profile").read_text() == "mine"
