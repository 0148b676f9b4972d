from __future__ import annotations

import pytest

from narratoria.errors import ContractViolation
from narratoria.skills.mcontrol.manifest import read_manifest


def test_a_full_manifest_is_read_with_its_places_made_absolute(tmp_path, write_manifest):
    path = write_manifest(
        tmp_path,
        entry="bin/lamp.py",
        requiredConfig=["lamp.oil"],
        optionalConfig=["lamp.colour", "lamp.oil"],
        timeoutMs=500,
        tags=["light"],
    )

    manifest = read_manifest(path)

    assert (manifest.id, manifest.version, manifest.name) == ("lamp", "1.2.3", "Lamp")
    assert manifest.entry == tmp_path / "bin" / "lamp.py"
    assert manifest.path == path
    assert manifest.declared == ("lamp.oil", "lamp.colour")
    assert manifest.timeout_ms == 500
    assert manifest.tags == ("light",)


def test_what_is_optional_may_be_left_out(tmp_path, write_manifest):
    manifest = read_manifest(write_manifest(tmp_path))

    assert manifest.declared == ()
    assert manifest.timeout_ms is None
    assert manifest.tags == ()


@pytest.mark.parametrize(
    "field", ["manifestVersion", "id", "version", "name", "description", "runtime", "entry"]
)
def test_each_required_field_is_missed_by_name(tmp_path, write_manifest, field):
    with pytest.raises(ContractViolation, match=field):
        read_manifest(write_manifest(tmp_path, **{field: ...}))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("manifestVersion", 2),
        ("manifestVersion", "1"),
        ("id", "Lamp"),
        ("id", "lamp_oil"),
        ("id", "-lamp"),
        ("id", "lamp--oil"),
        ("id", "lamp\n"),
        ("version", ""),
        ("runtime", "ruby"),
        ("entry", ""),
        ("entry", "/bin/sh"),
        ("entry", "C:/lamp.exe"),
        ("entry", "../lamp.py"),
        ("entry", "bin/../../lamp.py"),
        ("entry", "bin/.."),
        ("entry", "bin\\lamp.py"),
        ("requiredConfig", ["lamp oil"]),
        ("requiredConfig", ["lamp..oil"]),
        ("optionalConfig", "lamp.oil"),
        ("timeoutMs", 0),
        ("timeoutMs", 1.5),
        ("tags", [""]),
    ],
)
def test_a_field_that_breaks_the_contract_is_named_with_its_line(tmp_path, write_manifest, field, value):
    path = write_manifest(tmp_path, **{field: value})

    with pytest.raises(ContractViolation) as refused:
        read_manifest(path)

    line = next(
        number for number, text in enumerate(path.read_text().splitlines(), 1) if f'"{field}"' in text
    )
    (problem,) = refused.value.problems
    assert problem.file == str(path)
    assert problem.line - line in (0, 1)  # an item of a list stands one line below its field
    assert problem.pointer.startswith(f"/{field}")


@pytest.mark.parametrize(
    "entry", ["main.py", "bin/main.py", "..main.py", "bin/..main", "ab:c.py", "päth/ü.py"]
)
def test_an_entry_inside_the_folder_is_accepted_however_odd_its_name(tmp_path, write_manifest, entry):
    assert read_manifest(write_manifest(tmp_path, entry=entry)).entry == tmp_path / entry


def test_all_problems_are_listed_at_once(tmp_path, write_manifest):
    with pytest.raises(ContractViolation) as refused:
        read_manifest(write_manifest(tmp_path, id="Lamp", runtime="ruby", name=...))

    assert len(refused.value.problems) == 3


def test_an_entry_that_is_a_link_out_of_the_folder_is_refused(tmp_path, write_manifest):
    (tmp_path / "elsewhere.py").write_text("")
    path = write_manifest(tmp_path / "lamp")
    (tmp_path / "lamp" / "main.py").symlink_to(tmp_path / "elsewhere.py")

    with pytest.raises(ContractViolation, match="leads out of the manifest's folder"):
        read_manifest(path)


def test_fields_the_contract_does_not_know_are_ignored_and_remembered(tmp_path, write_manifest):
    manifest = read_manifest(write_manifest(tmp_path, requiredConfg=["x"], author="Ada"))

    assert manifest.unknown_fields == ("author", "requiredConfg")
    assert manifest.required_config == ()


def test_a_folder_in_place_of_the_file_is_refused_in_plain_words(tmp_path):
    (tmp_path / "manifest.json").mkdir()

    with pytest.raises(ContractViolation, match="is not a file"):
        read_manifest(tmp_path / "manifest.json")


def test_a_huge_file_is_refused_unread(tmp_path):
    path = tmp_path / "manifest.json"
    path.write_bytes(b" " * (1024 * 1024 + 1))

    with pytest.raises(ContractViolation, match="over 1 MiB"):
        read_manifest(path)
