from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# as the program sets it, before numpy is imported: on busy cores two threads wait for each other
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from narratoria import paths
from narratoria.inference.catalogue import EMBEDDED
from narratoria.inference.installed_models import InstalledModel, install_model

# how fast examples are made says something about the machine, never about the product
settings.register_profile("narratoria", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("narratoria")

# some thousand interpreters are started: where a machine forbids bytecode, each would compile all anew
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Slow tests have time, and their files go first: no process begins a long one when others are done."""
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(600))  # a minute alone is several on a busy machine
    if not hasattr(config, "workerinput"):
        return  # one process takes them as they are named
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    every = Counter(item.path for item in items)
    items.sort(key=lambda item: (-slow[item.path], -every[item.path], item.path))


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
