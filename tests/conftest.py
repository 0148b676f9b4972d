from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from tests.warm_process import stop_warm_server

# as the program sets it, before numpy is imported: on busy cores two threads wait for each other
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from narratoria import paths
from narratoria.inference.catalogue import EMBEDDED
from narratoria.inference.installed_models import InstalledModel, install_model

# whoever runs this in the background, as CI does, has it ignore Ctrl-C, and all that it starts would, too
if (
    threading.current_thread() is threading.main_thread()
    and signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):
    signal.signal(signal.SIGINT, signal.default_int_handler)

# files of some half a minute and more that have no slow test to say so
BROWSER = Path(__file__).parent / "browser"
LONG = (
    "tests/engine/persistence/test_turn_log.py",
    "tests/cli/test_plan_run.py",
    "tests/engine/test_plot_secrecy.py",
    "tests/cli/test_skills_install.py",
    "tests/engine/test_tones_as_read.py",
    "tests/cli/test_skills_try.py",
    "tests/evals/test_planning_runs.py",
    "tests/evals/test_answers_floors.py",
    "tests/web/test_stories.py",
    "tests/skills/bundled/test_portraits.py",
    "tests/skills/bundled/test_providers.py",
    "tests/skills/bundled/test_composed_plans.py",
    "tests/skills/mcp/test_bridge.py",
    "tests/skills/sandbox/test_backends.py",
    "tests/playthroughs/test_continuity.py",
    "tests/playthroughs/test_opinions_in_play.py",
    "tests/playthroughs/test_home_of_0_1.py",
    "tests/playthroughs/test_other_ways.py",
    "tests/engine/test_revise.py",
    "tests/engine/persistence/test_library.py",
    "tests/inference/test_embedder.py",
    "tests/inference/test_model.py",
    "tests/planner/test_trained_vote.py",
    "tests/protocol/conformance/test_check.py",
    "tests/security/test_hostile_campaigns.py",
    "tests/web/test_campaigns.py",
    "tests/web/test_profiles.py",
)

# how fast examples are made says something about the machine, never about the product
settings.register_profile("narratoria", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("narratoria")

# some thousand interpreters are started: where a machine forbids bytecode, each would compile all anew
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def pytest_unconfigure() -> None:
    stop_warm_server()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Slow tests have time, and their files go first: no process begins a long one when others are done."""
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(600))  # a minute alone is several on a busy machine
    if not hasattr(config, "workerinput"):
        return  # one process takes them as they are named
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    every = Counter(item.path for item in items)
    long = {config.rootpath / name for name in LONG} | {
        path
        for path in every
        if path.parent == BROWSER  # a test there takes as long as ten elsewhere
    }
    items.sort(key=lambda item: (-slow[item.path], item.path not in long, -every[item.path], item.path))


@pytest.fixture(scope="session", autouse=True)
def a_home_of_the_tests_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads or writes what belongs to whoever runs it; a test may still name a home for itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NARRATORIA_HOME", str(tmp_path_factory.mktemp("narratoria-home")))
        yield


@pytest.fixture(scope="session")
def embedded() -> InstalledModel:
    """The smallest real model, which `make test` installs."""
    return install_model(EMBEDDED, paths.INSTALLED_MODELS)


@pytest.fixture
def small_disk(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A disk of the size that the test names, such as 2m."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={request.param}", "tmpfs", str(folder)]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def fill_disk(folder: Path) -> Path:
    """Fill a disk to its last byte, and return the file that does."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))
    return filler
