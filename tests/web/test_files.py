"""Files that the app may show, and every way to ask for others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from narratoria.web.files import find_inside, is_below

SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
OUTSIDE = [
    "../secret.png",
    "art/../../secret.png",
    "..%2fsecret.png",
    "%2e%2e/secret.png",
    "%2e%2e%2fsecret.png",
    "..%5csecret.png",
    "art/..%5c..%5csecret.png",
    "%2fetc/passwd",
    "//etc/passwd",
    "C:%5csecret.png",
    "C:/secret.png",
    "art/link.png",
    "linked/secret.png",
    "art/cover.png%00.html",
    "art/cover.png::$DATA",
    "art/cover.png.",
    "art/cover.png%20",
    "art/./cover.png",
    "art//cover.png",
    ".hidden.png",
    "art/con.png",
    "art",
    "",
]
NO_PICTURES = ["manifest.json", "page.html", "art/page.svg.html", "world/setting.md", "art/script.js"]


@pytest.fixture(scope="module")
def campaign(server: Any) -> Path:
    folder: Path = server.home / "campaigns" / "gallery"
    (folder / "art").mkdir(parents=True)
    (folder / "world").mkdir()
    (folder / "manifest.json").write_text(json.dumps({"title": "Gallery", "version": "1.0.0"}))
    (folder / "art" / "cover.png").write_bytes(b"\x89PNG")
    (folder / "art" / "con.png").write_bytes(b"\x89PNG")
    (folder / "art" / "a song.ogg").write_bytes(b"OggS" * 100)
    (folder / "art" / "drawing.svg").write_bytes(SVG)
    (folder / ".hidden.png").write_bytes(b"\x89PNG")
    for name in NO_PICTURES[1:]:
        (folder / name).write_text("<script>alert(1)</script>")
    (folder.parent / "secret.png").write_bytes(b"hush")
    (folder / "art" / "link.png").symlink_to(folder.parent / "secret.png")
    (folder / "linked").symlink_to(folder.parent)
    return folder


def test_a_picture_of_a_campaign_is_shown_under_its_own_type(server: Any, campaign: Path) -> None:
    shown = server.ask("GET", "/api/campaigns/gallery/files/art/cover.png")
    assert (shown.status, shown.content) == (200, b"\x89PNG")
    assert shown.headers["content-type"] == "image/png"
    assert shown.headers["x-content-type-options"] == "nosniff"
    card = server.get("/api/campaigns/gallery")
    assert card["cover"] == "/api/campaigns/gallery/files/art/cover.png"


def test_a_drawing_can_run_nothing(server: Any, campaign: Path) -> None:
    shown = server.ask("GET", "/api/campaigns/gallery/files/art/drawing.svg")
    assert shown.headers["content-type"] == "image/svg+xml"
    policy = shown.headers["content-security-policy"]
    assert "sandbox" in policy
    assert "default-src 'none'" in policy
    assert "script-src" not in policy


def test_music_can_be_read_in_parts(server: Any, campaign: Path) -> None:
    part = server.ask("GET", "/api/campaigns/gallery/files/art/a%20song.ogg", headers={"Range": "bytes=4-7"})
    assert (part.status, part.content) == (206, b"OggS")
    assert part.headers["content-type"] == "audio/ogg"


@pytest.mark.parametrize("path", OUTSIDE)
def test_nothing_outside_a_campaign_can_be_had(server: Any, campaign: Path, path: str) -> None:
    refused = server.ask("GET", f"/api/campaigns/gallery/files/{path}")
    assert refused.status == 404, refused
    assert b"hush" not in refused.content


@pytest.mark.parametrize("path", NO_PICTURES)
def test_nothing_but_pictures_sound_and_film_can_be_had(server: Any, campaign: Path, path: str) -> None:
    refused = server.ask("GET", f"/api/campaigns/gallery/files/{path}")
    assert refused.status == 404
    assert refused.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    "path",
    [
        "../server.py",
        "..%2fserver.py",
        "%2e%2e/keys.py",
        "../../paths.py",
        "..%5cserver.py",
        "assets/../../server.py",
    ],
)
def test_the_apps_own_files_end_at_their_folder(server: Any, path: str) -> None:
    answer = server.ask("GET", f"/{path}")
    assert answer.status == 404
    assert b"import" not in answer.content


def test_links_in_a_circle_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "a.png").symlink_to(tmp_path / "b.png")
    (tmp_path / "b.png").symlink_to(tmp_path / "a.png")
    assert find_inside(tmp_path, "a.png") is None
    assert not is_below(tmp_path / "a.png", [tmp_path])
