from __future__ import annotations

import os
from pathlib import Path

import pytest

from narratoria.skills.mcontrol.config import Config, load_config
from narratoria.skills.mcontrol.tools import Root, discover, tools_roots


def roots(*folders: Path) -> tuple[Root, ...]:
    return tuple(Root(folder, "test") for folder in folders)


def test_the_roots_are_those_of_the_environment_then_of_the_config_then_the_project(tmp_path, write_config):
    write_config(tmp_path, paths={"toolsRoots": ["/conf/a", "/conf/b"]})
    env = {
        "M_CONTROL_HOME": str(tmp_path / "nowhere"),
        "M_CONTROL_TOOLS_ROOT": os.pathsep.join(["/env/a", "", "/env/b"]),
    }

    found = tools_roots(load_config(tmp_path, env), env)

    assert [str(root.path) for root in found] == [
        "/env/a",
        "/env/b",
        "/conf/a",
        "/conf/b",
        str(tmp_path / "tools"),
    ]


def test_a_root_named_twice_is_searched_once(tmp_path):
    config = Config(tmp_path, Path("/h"), Path("/p"), tools_roots=(tmp_path / "tools",))

    (root,) = tools_roots(config, {})

    assert root.origin == "paths.toolsRoots"


def test_manifests_are_found_at_any_depth_in_a_stable_order(tmp_path, write_manifest):
    for folder in ("c", "a/deep/er", "b"):
        write_manifest(tmp_path / folder, id=folder.replace("/", "-"))

    catalog = discover(roots(tmp_path))

    assert [tool.id for tool in catalog.tools] == ["a-deep-er", "b", "c"]
    assert catalog.problems == ()
    assert catalog.get("b").path == tmp_path / "b" / "manifest.json"
    assert catalog.get("d") is None


@pytest.mark.parametrize("folder", ["node_modules/x", ".git/x", ".hidden", "__pycache__"])
def test_folders_that_hold_no_tools_of_ours_are_not_searched(tmp_path, write_manifest, folder):
    write_manifest(tmp_path / folder)

    assert discover(roots(tmp_path)).tools == ()


def test_a_hidden_root_that_was_named_is_searched(tmp_path, write_manifest):
    write_manifest(tmp_path / ".tools" / "lamp")

    assert discover(roots(tmp_path / ".tools")).get("lamp")


def test_links_are_followed_and_loops_end(tmp_path, write_manifest):
    write_manifest(tmp_path / "elsewhere" / "lamp")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "back").symlink_to(tmp_path / "root")
    (tmp_path / "elsewhere" / "self").symlink_to(tmp_path / "elsewhere")

    catalog = discover(roots(tmp_path / "root"))

    assert [tool.id for tool in catalog.tools] == ["lamp"]
    assert catalog.problems == ()


def test_one_file_reached_by_two_roots_is_one_tool(tmp_path, write_manifest):
    write_manifest(tmp_path / "inner" / "lamp")

    catalog = discover(roots(tmp_path / "inner", tmp_path))

    assert len(catalog.tools) == 1
    assert catalog.problems == ()


def test_of_two_tools_with_one_id_the_first_root_wins_and_the_other_is_reported(tmp_path, write_manifest):
    winner = write_manifest(tmp_path / "z" / "lamp", version="2")
    loser = write_manifest(tmp_path / "a" / "lamp", version="1")

    catalog = discover(roots(tmp_path / "z", tmp_path / "a"))

    assert catalog.get("lamp").version == "2"
    (problem,) = catalog.problems
    assert problem.file == str(loser)
    assert str(winner) in problem.message


def test_a_root_somebody_named_is_missed_and_the_default_one_is_not(tmp_path):
    catalog = discover((Root(tmp_path / "a", "X"), Root(tmp_path / "b", "./tools", expected=False)))

    (problem,) = catalog.problems
    assert str(problem) == f"{tmp_path / 'a'}: does not exist; create it, or take it out of X"


BROKEN = {
    "empty": b"",
    "cut": b'{"manifestVersion": 1, "id": "cut"',
    "array": b"[]",
    "not-utf8": b'{"id": "\xff"}',
    "trailing-comma": b'{\n "id": "x",\n}',
    "nan": b'{"timeoutMs": NaN}',
    "duplicate-key": b'{"id": "a",\n "id": "b"}',
    "null": b"null",
    "deep": b"[" * 100_000,
    "other-manifest": b'{"manifest_version": 3, "name": "an extension of a browser"}',
    "binary": bytes(range(256)),
}


@pytest.mark.parametrize("kind", sorted(BROKEN))
def test_a_broken_manifest_is_passed_over_with_its_place_and_reason(tmp_path, write_manifest, kind):
    write_manifest(tmp_path / "lamp")
    path = tmp_path / kind / "manifest.json"
    path.parent.mkdir()
    path.write_bytes(BROKEN[kind])

    catalog = discover(roots(tmp_path))

    assert [tool.id for tool in catalog.tools] == ["lamp"]
    assert catalog.problems
    for problem in catalog.problems:
        assert problem.file == str(path)
        assert problem.line >= 1
        assert problem.message


def test_many_broken_manifests_leave_the_good_ones_standing(tmp_path, write_manifest):
    for kind, content in BROKEN.items():
        (tmp_path / kind).mkdir()
        (tmp_path / kind / "manifest.json").write_bytes(content)
    (tmp_path / "folder" / "manifest.json").mkdir(parents=True)
    (tmp_path / "dangling").mkdir()
    (tmp_path / "dangling" / "manifest.json").symlink_to(tmp_path / "gone")
    (tmp_path / "circle").mkdir()
    (tmp_path / "circle" / "manifest.json").symlink_to(tmp_path / "circle" / "manifest.json")
    write_manifest(tmp_path / "escapes", id="escapes", entry="../x.py")
    write_manifest(tmp_path / "a", id="a")
    write_manifest(tmp_path / "z", id="z")

    catalog = discover(roots(tmp_path))

    assert [tool.id for tool in catalog.tools] == ["a", "z"]
    told = {Path(problem.file).parent.name for problem in catalog.problems}
    assert told == {*BROKEN, "folder", "dangling", "circle", "escapes"}


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_reported(tmp_path, write_manifest):
    write_manifest(tmp_path / "shut")
    (tmp_path / "shut").chmod(0)
    try:
        catalog = discover(roots(tmp_path))
    finally:
        (tmp_path / "shut").chmod(0o700)

    assert "cannot be searched" in catalog.problems[0].message
