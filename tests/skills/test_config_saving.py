from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from narratoria.errors import ContractViolation
from narratoria.skills.config import change_config, config_file
from narratoria.skills.skill import Skill

SECRET = "sk-test-51Hx9Q2eVf7"
SCHEMA = {
    "type": "object",
    "properties": {
        "apiKey": {"type": "string", "x-sensitive": True},
        "words": {"type": "integer", "default": 120},
        "greeting": {"type": "string"},
        "scale": {"type": "object", "properties": {"min": {"type": "integer"}}},
    },
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def teller(tmp_path: Path) -> Skill:
    folder = tmp_path / "teller"
    folder.mkdir()
    (folder / "config-schema.json").write_text(json.dumps(SCHEMA))
    return Skill(name="teller", version="1.0.0", description="Tells.", folder=folder)


SAVER = """
import sys
from pathlib import Path
from narratoria.skills.config import change_config
from narratoria.skills.skill import Skill
folder, home, key, count = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
skill = Skill(name="teller", version="1.0.0", description="Tells.", folder=folder)
print("ready", flush=True)
for number in range(1, count + 1):
    text = f"{number}:" + "long " * 20_000 if key == "greeting" else number + 9
    change_config(skill, home, {key: text})
    if number == 1:
        print("saved", flush=True)
"""


def saver(skill: Skill, home: Path, key: str, count: int) -> subprocess.Popen[bytes]:
    argv = [sys.executable, "-c", SAVER, str(skill.folder), str(home), key, str(count)]
    return subprocess.Popen(argv, stdout=subprocess.PIPE)


def test_killing_whoever_saves_leaves_the_old_file_or_the_new_one(teller: Skill, home: Path) -> None:
    change_config(teller, home, {"apiKey": SECRET, "greeting": "0:" + "long " * 20_000})
    file = config_file(home, "teller")
    seen: list[int] = []
    for round_number in range(12):
        process = saver(teller, home, "greeting", 1_000_000)
        assert process.stdout is not None
        with process:
            for _ in range(1 + round_number % 2):  # while it saves for the first time, or later
                process.stdout.readline()
            time.sleep(0.003 * round_number)  # at another moment each time
            os.kill(process.pid, signal.SIGKILL)
        values = json.loads(file.read_bytes())
        number, _, rest = values["greeting"].partition(":")
        assert (values["apiKey"], rest) == (SECRET, "long " * 20_000)
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        seen.append(int(number))
    assert any(seen), "no saver came as far as saving"
    change_config(teller, home, {"words": 30})
    left = {path.name for path in file.parent.iterdir()}
    assert left == {"config.json", ".config.json.lock"}, "what the dead had begun is swept away"


def test_two_who_save_at_once_lose_nothing_of_each_other(teller: Skill, home: Path) -> None:
    first, second = saver(teller, home, "words", 40), saver(teller, home, "scale.min", 40)
    with first, second:
        assert (first.wait(), second.wait()) == (0, 0)
    values = json.loads(config_file(home, "teller").read_bytes())
    assert values == {"words": 49, "scale": {"min": 49}}


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))
""" + SAVER.replace("change_config(skill, home, {key: text})", """
    try:
        change_config(skill, home, {key: text})
    except Exception as error:
        print(type(error).__name__, error, flush=True)
""")  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_a_file_that_cannot_be_written_to_its_end_leaves_the_old_one(teller: Skill, home: Path) -> None:
    change_config(teller, home, {"greeting": "old", "apiKey": SECRET})
    argv = [sys.executable, "-c", LIMITED, str(teller.folder), str(home), "greeting", "1"]
    said = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    assert "ContractViolation" in said
    assert "File too large; what was there before is unchanged" in said
    file = config_file(home, "teller")
    assert json.loads(file.read_bytes()) == {"greeting": "old", "apiKey": SECRET}
    assert {path.name for path in file.parent.iterdir()} == {"config.json", ".config.json.lock"}


@pytest.mark.parametrize("small_disk", ["64k"], indirect=True)
def test_a_disk_that_is_full_leaves_the_old_file(teller: Skill, small_disk: Path) -> None:
    change_config(teller, small_disk, {"greeting": "old"})
    with pytest.raises(ContractViolation, match="No space left on device; what was there"):
        change_config(teller, small_disk, {"greeting": "long " * 20_000})
    file = config_file(small_disk, "teller")
    assert json.loads(file.read_bytes()) == {"greeting": "old"}
    assert {path.name for path in file.parent.iterdir()} == {"config.json", ".config.json.lock"}


def test_a_home_that_cannot_be_written_is_told_without_a_traceback(teller: Skill, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(ContractViolation, match="cannot be written"):
        change_config(teller, tmp_path / "file", {"words": 30})
