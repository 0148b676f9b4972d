"""Scans a campaign's folder: its files, and those that may not be followed or read."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from narratoria.campaign.problems import CampaignProblem, error, warning

MANIFEST = "manifest.json"
MAX_FILES = 20_000
MAX_DEPTH = 16
MAX_DOCUMENT = 8 * 2**20  # bytes of a JSON file; a hundred beats are a tenth of one
MAX_PROSE = 16 * 2**20  # bytes of a Markdown file, which is twenty novels
LARGE_ASSET = 64 * 2**20

IMAGES = (".png", ".jpg", ".jpeg", ".webp", ".svg")
AUDIO = (".mp3", ".ogg", ".wav", ".flac")
PROSE = (".md",)
# what somebody's system would run when it is opened; a campaign is read, never run
PROGRAMS = (
    *(".py", ".pyc", ".sh", ".bash", ".zsh", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".lua"),
    *(".exe", ".dll", ".so", ".dylib", ".bat", ".cmd", ".com", ".ps1", ".vbs", ".jar", ".wasm", ".app"),
)
SIDECAR = ".metadata.json"
KEYWORDS = ".keywords.txt"
GENERATED = "_generated"
WHOLE_STORIES = ("plot/story.ink", "plot/story.twee")  # which are played as they are written
MIN_CONTENT_FILES = 3  # content files; with fewer, a campaign is filled up
FOLDERS = ("world", "characters", "plot", "lore", "repertoire", "art", "music")
SKILL_FILES = ("skill.json", "SKILL.md")


@dataclass(frozen=True, slots=True)
class Folder:
    """Lists the files of a folder by relative path, with `/` between the parts, and their sizes in bytes."""

    root: Path
    files: Mapping[str, int]
    problems: tuple[CampaignProblem, ...] = ()

    def under(self, folder: str, *endings: str) -> Iterator[str]:
        """Yield the files in a folder and below it."""
        for name in self.files:
            if name.startswith(f"{folder}/") and (not endings or name.lower().endswith(endings)):
                yield name

    def directly_in(self, folder: str, *endings: str) -> Iterator[str]:
        for name in self.under(folder, *endings):
            if "/" not in name[len(folder) + 1 :]:
                yield name


def scan_folder(root: Path) -> Folder:
    """Scan a folder, without its hidden files."""
    files: dict[str, int] = {}
    problems: list[CampaignProblem] = []
    for path, entry in _walk(root, problems):
        if len(files) >= MAX_FILES:
            message = f"there are more than {MAX_FILES:,} files; the rest was not looked at"
            problems.append(error("too-many-files", message))
            break
        _add_file(path, entry, root, files, problems)
    problems += _name_collisions(files)
    return Folder(root, dict(sorted(files.items())), tuple(problems))


def is_sparse(folder: Folder) -> bool:
    """Return whether a campaign has too little to be played; a story in ink or of Twine is whole."""
    if any(story in folder.files for story in WHOLE_STORIES):
        return False
    return len(author_files(content_files(folder))) < MIN_CONTENT_FILES


def content_files(folder: Folder) -> list[str]:
    """Return the files with content: all but the manifest, the README and notes on files."""
    return [
        file
        for file in folder.files
        if file.partition("/")[0] in FOLDERS and not file.endswith((KEYWORDS, SIDECAR))
    ]


def author_files(files: Iterable[str]) -> list[str]:
    """Return the author's files, without generated ones."""
    return [file for file in files if not is_generated_name(file)]


def generated_name(file: str) -> str:
    """Return the name of the generated file: `plot/beats_generated.json` for `plot/beats.json`."""
    stem, dot, ending = file.rpartition(".")
    return f"{stem}{GENERATED}{dot}{ending}"


def is_generated_name(file: str) -> bool:
    return stem_of(file, keep=True).endswith(GENERATED)


def stem_of(file: str, *, keep: bool = False) -> str:
    """Return a file's name without its ending and, unless `keep`, without the mark of a generated one."""
    name = file.rpartition("/")[2]
    stem = name.partition(".")[0] if name.endswith(".metadata.json") else name.rpartition(".")[0]
    return stem if keep else stem.removesuffix(GENERATED)


def _walk(root: Path, problems: list[CampaignProblem]) -> Iterator[tuple[str, os.DirEntry[str]]]:
    waiting: list[tuple[Path, str, int]] = [(root, "", 0)]
    while waiting:
        folder, prefix, depth = waiting.pop()
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as reason:
            if prefix:  # a root that is not there has no manifest, which is told
                problems.append(error("unreadable", f"cannot be read ({reason.strerror})", prefix[:-1]))
            continue
        for entry in entries:
            path = f"{prefix}{entry.name}"
            if entry.name.startswith("."):
                continue
            if not _is_text(entry.name):
                message = "has a name that is not UTF-8; rename it"
                problems.append(error("bad-name", message, path.encode(errors="replace").decode()))
            elif entry.is_dir(follow_symlinks=False):
                if depth >= MAX_DEPTH:
                    problems.append(error("too-deep", f"is more than {MAX_DEPTH} folders deep", path))
                else:
                    waiting.append((folder / entry.name, f"{path}/", depth + 1))
            else:
                yield path, entry


def _add_file(
    path: str, entry: os.DirEntry[str], root: Path, files: dict[str, int], problems: list[CampaignProblem]
) -> None:
    if entry.is_symlink() and (problem := _link_problem(path, root)):
        problems.append(problem)
        return
    try:
        about = entry.stat()
    except OSError as reason:
        problems.append(error("unreadable", f"cannot be read ({reason.strerror})", path))
        return
    if not stat.S_ISREG(about.st_mode):
        message = "is not an ordinary file; a campaign holds nothing else"
        problems.append(error("not-a-file", message, path))
        return
    files[path] = about.st_size
    problems += _file_problems(path, about.st_size)


def _link_problem(path: str, root: Path) -> CampaignProblem | None:
    try:
        target = (root / path).resolve(strict=True)
    except (OSError, RuntimeError):  # RuntimeError: a link that leads to itself
        return error("broken-link", "is a link that leads nowhere; remove it", path)
    if not target.is_relative_to(root.resolve()):
        return error("link-out", "is a link that leads out of the campaign; put the file itself there", path)
    if target.is_dir():
        return error("folder-link", "is a link to a folder; put the folder itself there", path)
    return None


def _file_problems(path: str, size: int) -> Iterator[CampaignProblem]:
    name = PurePosixPath(path)
    if name.name in SKILL_FILES:
        message = (
            "is a skill, and a campaign brings none; name it under `recommended_skills` in manifest.json"
        )
        yield error("executable", message, path)
    elif name.suffix.lower() in PROGRAMS:
        yield error("executable", "is a program, and a campaign brings none; remove it", path)
    elif name.suffix.lower() in (*IMAGES, *AUDIO) and size > LARGE_ASSET:
        message = f"is {size / 2**20:,.0f} MiB large; more than {LARGE_ASSET // 2**20} take long to load"
        yield warning("large-asset", message, path)


def _name_collisions(files: Mapping[str, int]) -> Iterator[CampaignProblem]:
    seen: dict[str, str] = {}
    for path in files:
        first = seen.setdefault(unicodedata.normalize("NFC", path).casefold(), path)
        if first != path:
            message = f"differs from {first} only by case or accents; on some systems they are one file"
            yield warning("same-name", message, path)


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
