"""Packs a campaign into one archive with a checksum for every file, and installs such archives.

The same folder gives the same bytes on every machine. An archive is not trusted: it is unpacked into a
staging folder, checked and validated, and only then moved to its place.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from narratoria import paths
from narratoria.campaign.folder import MANIFEST, scan_folder
from narratoria.campaign.ingest import checksum
from narratoria.campaign.load import read_campaign
from narratoria.campaign.problems import raise_errors
from narratoria.contracts.read import UNDECODABLE
from narratoria.errors import ContractViolation, NarratoriaException, Problem
from narratoria.signatures import Maker, read_signature, sign, verify
from narratoria.skills.archive import MIB, PackageLimits, unpack_archive

ENDING = ".campaign.zip"
CHECKSUMS, SIGNATURE = "checksums.json", "signature.json"
PURPOSE = "campaign pack"  # of a signature, which is for the list of checksums
FORMAT = 1
MOMENT = (1980, 1, 1, 0, 0, 0)  # when an archive was made would make it another one
LIMITS = PackageLimits(archive_bytes=1024 * MIB, bytes=1024 * MIB, files=20_000)
MOST_SIGNED = 4096  # bytes of a signature
MOST_LISTED = 16 * MIB  # bytes of the list of checksums, which is read at once
NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class Checksums(msgspec.Struct, frozen=True):
    """Lists the contents of an archive, as the archive itself states them."""

    format: int
    name: str
    title: str
    version: str
    files: dict[str, str]
    generated: int = 0  # how many of them a program made


@dataclass(frozen=True, slots=True)
class PackedArchive:
    path: Path
    contents: Checksums
    sha256: str


@dataclass(frozen=True, slots=True)
class ArchivedCampaign:
    """Holds an archive that was unpacked and found whole: its folder, its list, and who has signed it."""

    folder: Path
    contents: Checksums
    maker: Maker | None


def pack_campaign(folder: Path, target: Path | None = None, *, signed: bool = False) -> PackedArchive:
    """Pack a campaign, signed with the user's key if wished; raise ContractViolation for one with errors."""
    root = folder.resolve()
    reading = read_campaign(root)
    raise_errors(reading.problems(), root)
    assert reading.campaign is not None
    manifest = reading.campaign.manifest
    files = {
        file: checksum(root / file) for file in reading.folder.files if file not in (CHECKSUMS, SIGNATURE)
    }
    name = archive_name(root.name)
    generated = len(reading.reader.generated)
    contents = Checksums(FORMAT, name, manifest.title, manifest.version, files, generated)
    path = target or Path(f"{name}-{manifest.version}{ENDING}")
    if path.resolve().is_relative_to(root):
        raise NarratoriaException(f"{path}: lies in the campaign itself; give another place (--to)")
    _write(path, root, contents, signed=signed)
    return PackedArchive(path, contents, checksum(path).removeprefix("sha256:"))


def _write(path: Path, root: Path, contents: Checksums, *, signed: bool) -> None:
    beginning = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    listing = msgspec.json.format(msgspec.json.encode(contents), indent=2) + b"\n"
    signature = sign(paths.shared_home(), PURPOSE, listing) if signed else None
    try:
        # stored, not deflated: pictures and music are compressed already, and no two zlibs agree on the rest
        with zipfile.ZipFile(beginning, "x", zipfile.ZIP_STORED) as archive:
            _add(archive, f"{contents.name}/{CHECKSUMS}", listing)
            if signature is not None:
                _add(archive, f"{contents.name}/{SIGNATURE}", msgspec.json.encode(signature))
            for file in sorted(contents.files):
                _add(archive, f"{contents.name}/{file}", (root / file).read_bytes())
        beginning.replace(path)
    except OSError as reason:
        raise ContractViolation(
            [Problem(f"cannot be written: {reason.strerror}", file=str(path))]
        ) from reason
    finally:
        beginning.unlink(missing_ok=True)


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, MOMENT)
    entry.external_attr = 0o100644 << 16
    entry.create_system = 3
    archive.writestr(entry, content)


@contextmanager
def open_archive(archive: Path, beside: Path | None = None) -> Iterator[ArchivedCampaign]:
    """Yield an archive unpacked in a temporary folder, checked and validated; raise ContractViolation.

    Nothing is installed; the folder is gone afterwards."""
    home = beside or Path(tempfile.gettempdir())
    with _staging_folder(home) as aside:
        unpack_archive(archive, aside, LIMITS)
        root = _root(archive, aside)
        maker = _verify_signature(archive, root)
        contents = _contents(archive, root)
        _verify(archive, root, contents.files)
        for path in root.rglob("*"):
            if path.is_file():
                path.chmod(0o644)
        (root / CHECKSUMS).unlink()
        raise_errors(read_campaign(root).problems(), root)
        yield ArchivedCampaign(root, contents, maker)


def install_archive(
    archive: Path, *, name: str = "", replace: bool = False, home: Path | None = None
) -> tuple[Path, Checksums]:
    """Install an archive and return its folder; raise ContractViolation, with nothing changed, if refused."""
    home = home or paths.shared_home() / "campaigns"
    paths.make_private(home)
    with open_archive(archive, beside=home) as opened:
        root, contents = opened.folder, opened.contents
        called = name or contents.name
        if not NAME.fullmatch(called):  # the whole of it: `/etc/x` and `../x` end in a name that would do
            message = (
                f"'{called[:100]}' is no name for a folder; use small letters, digits and hyphens (--name)"
            )
            raise ContractViolation([Problem(message, file=str(archive))])
        target = home / called
        _put(root, target, replace=replace)
    return target, contents


@contextmanager
def _staging_folder(home: Path) -> Iterator[Path]:
    """Yield a temporary folder in which no campaigns are looked for."""
    folder = home / f".incoming-{secrets.token_hex(4)}"
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _root(archive: Path, aside: Path) -> Path:
    """Return the campaign's folder: one inside the archive, or the archive itself."""
    if (aside / MANIFEST).is_file():
        return aside
    inside = [path for path in sorted(aside.iterdir()) if (path / MANIFEST).is_file()]
    if len(inside) != 1:
        message = f"holds no campaign: there is no {MANIFEST} in it, or there are several"
        raise ContractViolation([Problem(message, file=str(archive))])
    return inside[0]


def _verify_signature(archive: Path, root: Path) -> Maker | None:
    """Return who has signed the list of checksums, or None; the signature is not left in the folder."""
    file = root / SIGNATURE
    if not file.is_file():
        return None
    try:
        document = file.read_bytes() if file.stat().st_size <= MOST_SIGNED else b""
        maker = verify(
            paths.shared_home(), PURPOSE, (root / CHECKSUMS).read_bytes(), read_signature(document)
        )
    except FileNotFoundError:
        return None  # there is no list, which is told
    except ContractViolation as violation:
        raise ContractViolation(
            [Problem(problem.message, file=str(archive)) for problem in violation.problems]
        ) from None
    file.unlink()
    return maker


def _contents(archive: Path, root: Path) -> Checksums:
    try:
        if (size := (root / CHECKSUMS).stat().st_size) > MOST_LISTED:
            message = f"has a {CHECKSUMS} of {size:,} bytes, as no list of files has; pack it anew"
            raise ContractViolation([Problem(message, file=str(archive))])
        contents = msgspec.json.decode((root / CHECKSUMS).read_bytes(), type=Checksums)
    except FileNotFoundError:
        message = f"has no {CHECKSUMS}, so that nobody can tell whether it is whole; pack it anew"
        raise ContractViolation([Problem(message, file=str(archive))]) from None
    except UNDECODABLE as reason:
        message = f"has a {CHECKSUMS} that cannot be read: {reason}"
        raise ContractViolation([Problem(message, file=str(archive))]) from None
    if contents.format != FORMAT:
        message = f"is of format {contents.format}, and this Narratoria reads format {FORMAT}; pack it anew"
        raise ContractViolation([Problem(message, file=str(archive))])
    return contents


def _verify(archive: Path, root: Path, listed: Mapping[str, str]) -> None:
    there = {path.relative_to(root).as_posix(): path for path in sorted(root.rglob("*")) if path.is_file()}
    there.pop(CHECKSUMS)
    folder = scan_folder(root)
    problems = [f"'{file}' is listed and not there" for file in listed if file not in there]
    problems += [f"'{file}' is there and not listed" for file in there if file not in listed]
    problems += [
        f"'{file}' is not what was packed"
        for file, path in there.items()
        if file in listed and checksum(path) != listed[file]
    ]
    problems += [f"'{problem.file}' {problem.message}" for problem in folder.problems if problem.is_error]
    if problems:
        raise ContractViolation([Problem(problem, file=str(archive)) for problem in problems[:20]])


def _put(root: Path, target: Path, *, replace: bool) -> None:
    if target.exists() and not replace:
        message = "is there already; --replace puts this one in its place, --name gives it another name"
        raise ContractViolation([Problem(message, file=str(target))])
    before = target.with_name(f".replaced-{secrets.token_hex(4)}")
    try:
        if target.exists():
            target.rename(before)
        root.replace(target)
    except OSError as reason:
        if before.exists() and not target.exists():
            before.rename(target)
        message = f"cannot be put in its place: {reason.strerror}; all is as it was"
        raise ContractViolation([Problem(message, file=str(target))]) from reason
    shutil.rmtree(before, ignore_errors=True)


def archive_name(text: str) -> str:
    """Return a folder name made from a title or another name."""
    plain = re.sub(r"[^a-z0-9]+", "-", text.casefold().replace("'", "").replace("’", "")).strip("-")
    return plain or f"campaign-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
