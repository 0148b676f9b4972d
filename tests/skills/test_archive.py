"""Archives and folders of strangers: unpacked as they are, or refused whole with every reason."""

from __future__ import annotations

import io
import os
import stat
import struct
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.skills.corpus import manifest, write

from narratoria.errors import ContractViolation
from narratoria.skills.archive import PackageLimits, copy_package, unpack_archive

Fill = Callable[[zipfile.ZipFile], None]
MIB = 1 << 20


def archive(path: Path, fill: Fill) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("skill.json", manifest("x"))
        fill(file)
    return path


def named(name: str, content: bytes = b"x") -> Fill:
    """An entry with exactly this name, which the library would tidy up otherwise."""

    def fill(file: zipfile.ZipFile) -> None:
        info = zipfile.ZipInfo("placeholder")
        info.filename = name
        file.writestr(info, content)

    return fill


def of_kind(mode: int, content: str = "/etc/passwd") -> Fill:
    def fill(file: zipfile.ZipFile) -> None:
        info = zipfile.ZipInfo("odd")
        info.create_system = 3
        info.external_attr = mode << 16
        file.writestr(info, content)

    return fill


def both(*names: str) -> Fill:
    def fill(file: zipfile.ZipFile) -> None:
        for name in names:
            named(name)(file)

    return fill


def refusal(source: Path, into: Path, limits: PackageLimits = PackageLimits()) -> str:
    into.mkdir()
    with pytest.raises(ContractViolation) as caught:
        unpack_archive(source, into, limits)
    assert all(problem.file == str(source) for problem in caught.value.problems)
    return "\n".join(problem.message for problem in caught.value.problems)


@pytest.mark.parametrize(
    ("fill", "words"),
    [
        (named("../../evil.py"), "'../../evil.py' leads out of the archive's folder"),
        (named("scripts/../../../evil.py"), "leads out of"),
        (named("..\\evil.py"), "leads out of"),
        (named("/etc/cron.d/evil"), "is an absolute path"),
        (named("C:/evil.py"), "is an absolute path"),
        (named("C:evil.py"), "is an absolute path"),
        (named("scripts\\evil.py"), "backslash or a colon"),
        (named("file.txt:stream"), "backslash or a colon"),
        (named("a//b"), "empty part"),
        (named("./a"), "empty part"),
        (named("a\x07b"), "control characters"),
        (named("a\nb"), "control characters"),
        (named("scripts/NUL.txt"), "Windows keeps for itself"),
        (named("aux"), "Windows keeps for itself"),
        (named("dot./x"), "ends in a dot or a space"),
        (named("n" * 256), "too long"),
        (named("ü" * 128), "too long"),
        (named("/".join("abcdefghijklmnopqrstuvwxyz")), "too deep"),
        (of_kind(stat.S_IFLNK | 0o777), "'odd' is a link"),
        (of_kind(stat.S_IFIFO | 0o644), "neither a file nor a folder"),
        (of_kind(stat.S_IFCHR | 0o644), "neither a file nor a folder"),
        (both("Readme.md", "README.md"), "differs from 'Readme.md' only by its case"),
        (both("scripts/a", "Scripts/b"), "differs from 'scripts' only by its case"),
        (both("caf\u00e9", "cafe\u0301"), "only by its case or its accents"),
        (both("a", "a/b"), "a file and a folder at the same time"),
        (both("a/b", "a"), "a file and a folder at the same time"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_an_entry_that_cannot_be_trusted_refuses_the_archive(tmp_path, fill, words) -> None:
    source = archive(tmp_path / "a.zip", fill)
    assert words in refusal(source, tmp_path / "into")
    assert list((tmp_path / "into").iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.zip", "into"]


def test_a_name_that_stands_there_twice_refuses_the_archive(tmp_path) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        source = archive(tmp_path / "a.zip", both("scripts/x.py", "scripts/x.py"))
    assert "stands there twice" in refusal(source, tmp_path / "into")


def test_every_reason_is_told_up_to_a_screenful(tmp_path) -> None:
    source = archive(tmp_path / "a.zip", both(*(f"../{number}" for number in range(25))))
    assert refusal(source, tmp_path / "into").splitlines()[-1] == "… and 5 more"


def patched(source: Path, old: bytes, new: bytes, *, least: int = 1) -> Path:
    content = source.read_bytes()
    assert content.count(old) >= least
    source.write_bytes(content.replace(old, new))
    return source


def test_a_name_with_a_nul_does_not_pass_for_a_shorter_one(tmp_path) -> None:
    source = patched(
        archive(tmp_path / "a.zip", named("good.py.exe")), b"good.py.exe", b"good.py\0exe", least=2
    )
    assert "control characters" in refusal(source, tmp_path / "into")


def test_a_name_that_is_not_utf8_refuses_the_archive(tmp_path) -> None:
    source = patched(archive(tmp_path / "a.zip", named("W_rfel")), b"W_rfel", b"W\x81rfel", least=2)
    assert "not UTF-8" in refusal(source, tmp_path / "into")


def test_a_name_that_claims_to_be_utf8_and_is_not_refuses_the_archive(tmp_path) -> None:
    source = patched(archive(tmp_path / "a.zip", named("Wü")), "Wü".encode(), b"W\xff\xfe", least=2)
    assert "not a sound zip archive" in refusal(source, tmp_path / "into")


def test_utf8_that_does_not_say_so_is_read(tmp_path) -> None:
    source = patched(archive(tmp_path / "a.zip", named("W__rfel")), b"W__rfel", "Würfel".encode(), least=2)
    (tmp_path / "into").mkdir()
    unpack_archive(source, tmp_path / "into")
    assert (tmp_path / "into" / "Würfel").read_bytes() == b"x"


def test_an_encrypted_entry_refuses_the_archive(tmp_path) -> None:
    source = archive(tmp_path / "a.zip", named("secret"))
    content = bytearray(source.read_bytes())
    at = content.rindex(b"PK\x01\x02") + 8
    content[at : at + 2] = struct.pack("<H", 1)
    source.write_bytes(content)
    assert "'secret' is encrypted" in refusal(source, tmp_path / "into")


def test_an_unusual_compression_refuses_the_archive(tmp_path) -> None:
    def fill(file: zipfile.ZipFile) -> None:
        file.writestr("x", b"x" * 100, compress_type=zipfile.ZIP_LZMA)

    assert "use deflate" in refusal(archive(tmp_path / "a.zip", fill), tmp_path / "into")


# bombs


def test_an_archive_that_would_grow_too_much_is_refused_unwritten(tmp_path) -> None:
    source = archive(tmp_path / "a.zip", named("zeros", b""))
    archive(source, lambda file: file.writestr("zeros", b"\0" * (4 * MIB)))
    assert "times when unpacked" in refusal(source, tmp_path / "into")
    assert list((tmp_path / "into").iterdir()) == []


def test_an_archive_that_is_too_large_or_holds_too_many_files_is_refused(tmp_path) -> None:
    source = archive(tmp_path / "a.zip", both("a", "b", "c"))
    assert "at most 3" in refusal(source, tmp_path / "files", PackageLimits(files=3))
    assert "would unpack to" in refusal(source, tmp_path / "bytes", PackageLimits(bytes=10))
    assert "is larger than" in refusal(source, tmp_path / "archive", PackageLimits(archive_bytes=10))


def test_sizes_that_are_lied_about_do_not_help(tmp_path) -> None:
    source = archive(tmp_path / "a.zip", lambda file: file.writestr("zeros", b"\0" * (4 * MIB)))
    content = bytearray(source.read_bytes())
    for signature, offset in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        at = content.rindex(signature) + offset
        content[at : at + 4] = struct.pack("<I", 10)
    source.write_bytes(content)
    assert "not a sound zip archive" in refusal(source, tmp_path / "into")
    assert sum(path.stat().st_size for path in (tmp_path / "into").rglob("*") if path.is_file()) <= 1000


@pytest.mark.parametrize("content", [b"", b"PK", b"not a zip", b"\x1f\x8b" + b"\0" * 100])
def test_what_is_no_archive_is_refused(tmp_path, content) -> None:
    (tmp_path / "a.zip").write_bytes(content)
    assert "not a sound zip archive" in refusal(tmp_path / "a.zip", tmp_path / "into")


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2000), st.binary(min_size=1, max_size=4))
def test_a_damaged_archive_is_refused_or_unpacked_inside_its_folder(tmp_path_factory, at, damage) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("skill.json", manifest("x"))
        file.writestr("scripts/x.py", "print()\n" * 20)
    content = bytearray(whole.getvalue())
    at %= len(content)
    content[at : at + len(damage)] = damage
    (folder / "a.zip").write_bytes(content)
    (folder / "into").mkdir()
    with suppress(ContractViolation):
        unpack_archive(folder / "a.zip", folder / "into")
    assert sorted(path.name for path in folder.iterdir()) == ["a.zip", "into"]


# what is kept of a good one


def test_files_come_with_the_right_to_be_executed_and_no_other(tmp_path) -> None:
    def fill(file: zipfile.ZipFile) -> None:
        for name, mode in (("run", 0o4755), ("text", 0o666)):
            info = zipfile.ZipInfo(name)
            info.create_system = 3
            info.external_attr = (stat.S_IFREG | mode) << 16
            file.writestr(info, "")
        file.writestr("__MACOSX/._run", "")
        file.writestr(".DS_Store", "")
        file.writestr("empty/", "")

    (tmp_path / "into").mkdir()
    unpack_archive(archive(tmp_path / "a.zip", fill), tmp_path / "into")
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "into").iterdir()}
    assert modes == {"skill.json": 0o644, "run": 0o755, "text": 0o644}


# folders


def test_a_folder_is_copied_with_the_files_that_links_inside_it_lead_to(tmp_path) -> None:
    source = write(
        tmp_path / "source", {"skill.json": "{}", "lib/x.py": "x", ".git/config": "", "__pycache__/x": ""}
    )
    (source / "lib" / "x.py").chmod(0o750)
    (source / "run.py").symlink_to("lib/x.py")
    copy_package(source, tmp_path / "into")
    found = {str(path.relative_to(tmp_path / "into")): path for path in (tmp_path / "into").rglob("*")}
    assert sorted(found) == ["lib", "lib/x.py", "run.py", "skill.json"]
    assert not found["run.py"].is_symlink()
    assert stat.S_IMODE(found["lib/x.py"].stat().st_mode) == 0o755


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: path.symlink_to("/etc/passwd"), "leads out of the folder"),
        (lambda path: path.symlink_to("/etc"), "leads out of the folder"),
        (lambda path: path.symlink_to("../../../../../../etc/passwd"), "leads out of the folder"),
        (lambda path: path.symlink_to("scripts"), "link to a folder"),
        (lambda path: path.symlink_to("odd"), "cannot be copied"),
        (os.mkfifo, "neither a file nor a folder"),
    ],
)
def test_a_folder_with_something_odd_in_it_is_refused(tmp_path, make, words) -> None:
    source = write(tmp_path / "source", {"skill.json": "{}", "scripts/x.py": ""})
    make(source / "odd")
    with pytest.raises(ContractViolation, match=words):
        copy_package(source, tmp_path / "into")
    assert not (tmp_path / "into").exists()


def test_a_folder_that_is_too_large_is_refused(tmp_path) -> None:
    source = write(tmp_path / "source", {f"{number}.txt": "x" for number in range(5)})
    with pytest.raises(ContractViolation, match="too large for a skill"):
        copy_package(source, tmp_path / "into", PackageLimits(files=4))
