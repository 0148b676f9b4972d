"""What is passed on can be signed: what was changed since is refused, and no name is believed."""

from __future__ import annotations

import base64
import json
import random
import zipfile
from pathlib import Path

import pytest
from tests.campaign import mill

from narratoria.campaign.pack import CHECKSUMS, SIGNATURE, install_archive, open_archive, pack_campaign
from narratoria.engine.persistence.save import open_save, read_save, sign_save
from narratoria.errors import ContractViolation, NarratoriaException, RecordExists
from narratoria.signatures import (
    OWN_KEY,
    Signature,
    change_known,
    create_key,
    own_maker,
    read_signature,
    sign,
    verify,
)

SAVE = (Path(__file__).parent / "fuzz" / "seeds" / "save.json").read_bytes()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of Ada, who has a key."""
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "ada"))
    create_key(tmp_path / "ada", "Ada")
    return tmp_path / "ada"


def test_the_key_is_for_its_owner_s_eyes_and_is_made_once(home: Path) -> None:
    assert (home / OWN_KEY).stat().st_mode & 0o077 == 0
    with pytest.raises(RecordExists, match="your key already"):
        create_key(home, "Ada")


def test_who_has_no_key_is_told_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(NarratoriaException, match="narratoria maker create"):
        sign(tmp_path, "story", b"x")


def test_a_signature_is_for_these_bytes_and_this_purpose(home: Path) -> None:
    signature = sign(home, "story", b"It floods.")
    assert verify(home, "story", b"It floods.", signature).known_as == "Ada"
    for purpose, content in (("story", b"It floods!"), ("campaign pack", b"It floods.")):
        with pytest.raises(ContractViolation, match="is not for what is in it"):
            verify(home, purpose, content, signature)


def test_what_was_changed_after_it_was_signed_is_refused(home: Path) -> None:
    signature = sign(home, "story", b"It floods.")
    other = base64.b64encode(bytes(64)).decode()
    for forged in (
        Signature("Ada", signature.key, other),
        Signature("Ada", base64.b64encode(bytes(32)).decode(), signature.signature),
        Signature("Ada", "no key", signature.signature),
        Signature("Ada", signature.key, ""),
    ):
        with pytest.raises(ContractViolation):
            verify(home, "story", b"It floods.", forged)


def test_a_name_is_believed_of_no_key_but_the_one_that_was_said_to_be_theirs(
    home: Path, tmp_path: Path
) -> None:
    stranger = tmp_path / "stranger"
    create_key(stranger, "Ada")
    signature = sign(stranger, "story", b"x")
    assert verify(home, "story", b"x", signature).known_as == ""
    assert "you do not know" in str(verify(home, "story", b"x", signature))
    change_known(home, signature.key, "Noor")
    assert str(verify(home, "story", b"x", signature)) == "signed by Noor"
    change_known(home, signature.key, None)
    assert verify(home, "story", b"x", signature).known_as == ""


@pytest.mark.parametrize(
    "document", [b"", b"{}", b"\xff", b"[" * 100_000, b'{"maker": "", "key": "", "signature": ""}']
)
def test_what_is_no_signature_is_refused(document: bytes) -> None:
    with pytest.raises(ContractViolation, match="cannot be read"):
        read_signature(document)


@pytest.mark.parametrize("content", [b"", b'{"name": "Ada", "private": "AAAA"}', b"\xff"])
def test_a_damaged_key_says_what_to_do(home: Path, content: bytes) -> None:
    (home / OWN_KEY).write_bytes(content)
    with pytest.raises(ContractViolation, match="is no key"):
        own_maker(home)


def test_a_signed_story_is_the_same_story(home: Path) -> None:
    signed = sign_save(SAVE, home)
    save, maker = open_save(signed, home)
    assert save == read_save(SAVE) == read_save(signed)
    assert maker is not None
    assert maker.known_as == "Ada"
    assert open_save(SAVE, home)[1] is None


def test_a_byte_changed_anywhere_in_a_signed_story_is_noticed(home: Path) -> None:
    signed, chance = sign_save(SAVE, home), random.Random(5)
    end = signed.rindex(b',\n "signature"')  # without the word itself, it is a story that nobody signed
    for _ in range(300):
        at = chance.randrange(end)
        changed = bytearray(signed)
        changed[at] ^= 1 << chance.randrange(8)
        with pytest.raises(ContractViolation):
            open_save(bytes(changed), home)


def test_what_stands_behind_a_signature_is_not_read(home: Path) -> None:
    signed = sign_save(SAVE, home)
    for more in (b',"turns":[]}\n', b"{}", b"x"):
        with pytest.raises(ContractViolation):
            open_save(signed.rstrip().removesuffix(b"}") + more, home)


def test_a_signed_pack_says_whose_it_is_and_leaves_no_signature_behind(home: Path, tmp_path: Path) -> None:
    packed = pack_campaign(mill.build(tmp_path / "the-mill"), tmp_path / "mill.zip", signed=True)
    with open_archive(packed.path) as opened:
        assert opened.maker is not None
        assert opened.maker.known_as == "Ada"
        inside = opened.folder
    assert not inside.exists()
    folder, _ = install_archive(packed.path)
    assert folder.parent == home / "campaigns"
    assert not (folder / SIGNATURE).exists()


def test_an_unsigned_pack_is_nobody_s(home: Path, tmp_path: Path) -> None:
    packed = pack_campaign(mill.build(tmp_path / "the-mill"), tmp_path / "mill.zip")
    with open_archive(packed.path) as opened:
        assert opened.maker is None


def test_a_pack_whose_files_were_listed_anew_is_refused(home: Path, tmp_path: Path) -> None:
    packed = pack_campaign(mill.build(tmp_path / "the-mill"), tmp_path / "mill.zip", signed=True)
    with zipfile.ZipFile(packed.path) as whole, zipfile.ZipFile(tmp_path / "changed.zip", "w") as changed:
        for name in whole.namelist():
            content = whole.read(name)
            if name.endswith(CHECKSUMS):
                content = json.dumps({**json.loads(content), "title": "Another"}).encode()
            changed.writestr(name, content)
    with pytest.raises(ContractViolation, match="is not for what is in it"):
        install_archive(tmp_path / "changed.zip")
    assert list((home / "campaigns").iterdir()) == []
