from __future__ import annotations

import sys


def report(done) -> str:
    assert b"Traceback" not in done.stderr
    return done.stdout.decode()


def test_a_healthy_project_is_told_so(workshop):
    workshop.config(tools={"lamp": {"oil": "whale"}})
    folder = workshop.tool("lamp", requiredConfig=["lamp.oil"], timeoutMs=1500)

    done = workshop.mctl("doctor")

    assert done.returncode == 0
    text = report(done)
    assert f"ok     lamp 1.0.0 (python, 1.5 s) {folder / 'manifest.json'}" in text
    assert f"ok     python: {sys.executable} (Python {sys.version.split()[0]})" in text
    assert text.endswith("All is well.\n")


def test_an_empty_folder_is_not_wrong_but_gets_hints(workshop):
    done = workshop.mctl("doctor")

    assert done.returncode == 0
    assert "`mctl init`" in report(done)
    assert "no tools yet" in report(done)


def test_everything_that_is_wrong_is_listed_with_its_place(workshop):
    config = workshop.config(
        paths={"toolsRoots": ["gone"]}, runtimes={"node": "/gone/node"}, tools={"lamp": {"colour": "red"}}
    )
    no_entry = workshop.tool("no-entry")
    (no_entry / "main.py").unlink()
    workshop.tool("no-setting", requiredConfig=["lamp.oil"])
    workshop.tool("no-runtime", runtime="node")
    broken = workshop.tool("broken", id="")
    sealed = workshop.tool("sealed", runtime="executable")

    done = workshop.mctl("doctor")

    assert done.returncode == 1
    text = report(done)
    assert f"wrong  {workshop.root / 'gone'}: does not exist" in text
    assert f"wrong  {no_entry / 'manifest.json'} /entry" in text
    assert f"wrong  {config} /tools/lamp/oil: no-setting needs lamp.oil" in text
    assert f"wrong  {config} /runtimes/node: /gone/node is not a program here" in text
    assert f"wrong  {broken / 'manifest.json'}:3 /id" in text
    assert f"chmod +x {sealed / 'main.py'}" in text
    assert "to mend" in text


def test_a_broken_config_is_told_file_by_file(workshop):
    home = workshop.config(at_home=True, configVersion=3)
    project = workshop.config(timeouts={"default": -1})

    done = workshop.mctl("doctor")

    assert done.returncode == 1
    assert f"wrong  {home}:2 /configVersion" in report(done)
    assert f"wrong  {project}:4 /timeouts/default" in report(done)


def test_a_slip_of_the_pen_in_a_manifest_is_a_note_with_a_guess(workshop):
    folder = workshop.tool("lamp", requiredConfg=["lamp.oil"])

    done = workshop.mctl("doctor")

    assert done.returncode == 0
    assert (
        f"note   {folder / 'manifest.json'} /requiredConfg: is not a field of a manifest; "
        "was requiredConfig meant?"
    ) in report(done)


def test_settings_that_others_may_read_are_a_note(workshop):
    path = workshop.config(tools={"azdo.token": "secret"})
    path.chmod(0o644)

    done = workshop.mctl("doctor")

    assert done.returncode == 0
    assert f"chmod 600 {path}" in report(done)
    assert "secret" not in report(done)
