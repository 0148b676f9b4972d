"""A skill that means harm, beyond leaving its box: what it hands to the page, and what it calls itself."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from tests.web.serving import Server

from narratoria.errors import ContractViolation
from narratoria.skills.discovery import discover
from narratoria.skills.install import install_skill, stage_skill

SAVE = Path(__file__).parents[1] / "fuzz" / "seeds" / "save.json"
MANIFEST = {
    "name": "evil",
    "version": "1.0.0",
    "description": "Does no good.",
    "scripts": [{"name": "run", "path": "run.py", "timeout": 5, "description": "Runs."}],
}


@pytest.fixture(scope="module")
def announced(server: Server) -> Any:
    """Asks for files that a skill has announced: what the browser gets for each."""
    data = server.home / "skills" / "evil" / "data"
    data.mkdir(parents=True)
    (data / "page.html").write_text("<script>alert(1)</script>")
    (data / "drawing.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    )
    (data / "link.png").symlink_to("/etc/passwd")
    (data / "secret.png").symlink_to(server.home / "web" / "secret")
    (data / "up").symlink_to(server.home)
    paths = {
        "page": str(data / "page.html"),
        "drawing": str(data / "drawing.svg"),
        "link": str(data / "link.png"),
        "secret": str(data / "secret.png"),
        "through": str(data / "up" / "web" / "server.json"),
        "outright": "/etc/passwd",
        "upwards": "../web/server.json",
        "database": str(server.home / "narratoria.db"),
    }
    document = json.loads(SAVE.read_bytes())
    document["turns"][1]["ended"]["scene"]["assets"] = [
        {"assetId": name, "kind": "image", "mediaType": "text/html", "path": path, "toolId": "evil"}
        for name, path in paths.items()
    ]
    story = server.ask("POST", "/api/stories/import", json.dumps(document).encode()).json["id"]
    return lambda name: server.ask("GET", f"/api/stories/{story}/assets/{name}")


@pytest.mark.parametrize("name", ["link", "secret", "through", "outright", "upwards", "database"])
def test_an_announced_file_that_lies_elsewhere_is_not_shown(announced: Any, name: str) -> None:
    answer = announced(name)
    assert answer.status == 404
    assert b"root:" not in answer.content


def test_an_announced_page_is_handed_over_to_keep_and_never_shown(announced: Any) -> None:
    answer = announced("page")
    assert (answer.status, answer.headers["content-type"]) == (200, "application/octet-stream")
    assert answer.headers["content-disposition"].startswith("attachment")
    assert "sandbox" in answer.headers["content-security-policy"]


def test_a_script_in_a_drawing_is_not_run(announced: Any) -> None:
    answer = announced("drawing")
    assert answer.headers["content-type"] == "image/svg+xml"
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy
    assert "script-src" not in policy


@pytest.mark.parametrize(
    "name", ["../../x", "/tmp/x", "..", ".", "a/b", "A B", "", "con\0", "\u202eevil", "a" * 300]
)
def test_a_skill_cannot_be_called_by_a_path(tmp_path: Path, name: str) -> None:
    archive = tmp_path / "evil.zip"
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("skill.json", json.dumps({**MANIFEST, "name": name}))
        made.writestr("scripts/run.py", "print()")
    with pytest.raises(ContractViolation), stage_skill(archive, tmp_path / "skills") as skill:
        install_skill(skill, tmp_path / "skills")
    assert not [path for path in (tmp_path / "skills").iterdir() if not path.name.startswith(".")]


@pytest.mark.parametrize(
    "path", ["/bin/sh", "../../../../bin/sh", "../other/scripts/run.py", "link.py", "\\\\host\\x"]
)
def test_a_script_lies_in_its_skill(tmp_path: Path, path: str) -> None:
    folder = tmp_path / "skills" / "evil"
    (folder / "scripts").mkdir(parents=True)
    (folder / "scripts" / "link.py").symlink_to("/bin/sh")
    (tmp_path / "skills" / "other" / "scripts").mkdir(parents=True)
    (tmp_path / "skills" / "other" / "scripts" / "run.py").write_text("print()")
    script = {**MANIFEST["scripts"][0], "path": path}  # type: ignore[dict-item]
    (folder / "skill.json").write_text(json.dumps({**MANIFEST, "scripts": [script]}))
    catalogue = discover([tmp_path / "skills"])
    inside = [
        one.path.resolve().is_relative_to(folder) for skill in catalogue.skills for one in skill.scripts
    ]
    assert all(inside)
    assert catalogue.problems or not inside
