"""Whose code runs here, under which licences, and that none of it calls anybody when it is imported."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from tests.security import audit

IMPORTS = """
import importlib, pkgutil, sys

def hook(event, args):
    if event in ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname",
                 "socket.sendto", "urllib.Request", "subprocess.Popen", "os.system", "os.exec",
                 "os.posix_spawn", "os.startfile"):
        raise SystemExit(f"{name}: {event} {args}")

sys.addaudithook(hook)
import narratoria
names = [found.name for found in pkgutil.walk_packages(narratoria.__path__, "narratoria.")]
outside = ("__main__", ".bundled.", ".migrations.", "child_windows", "inside.", "rasterise_child")
for name in sorted(names):
    if not any(part in name for part in outside):
        importlib.import_module(name)
from narratoria.campaign.lore import count_tokens
assert count_tokens("a letter") == 2
# it tries whether there is IPv6; tiktoken imports it when it fetches something, which nobody here lets it do
assert "urllib3" not in sys.modules
from importlib.metadata import packages_distributions
wanted = set(sys.argv[1:]) - {"requests", "urllib3"}
for name, owners in sorted(packages_distributions().items()):
    if wanted & {owner.lower().replace("_", "-") for owner in owners} and name.isidentifier():
        try:
            importlib.import_module(name)
        except ImportError:
            pass
print(len(names))
"""


def test_every_package_that_runs_is_locked_and_under_an_open_licence() -> None:
    assert audit.problems() == []


def test_every_file_that_may_be_installed_has_its_hash() -> None:
    assert len(audit.locked()) > 50, "or nothing was looked at"
    assert audit.without_hashes() == []


def test_the_bill_of_materials_names_packages_and_weights() -> None:
    components = json.loads(audit.BILL.read_text(encoding="utf-8"))["components"]
    names = {component["name"] for component in components}
    assert set(audit.closure()) | set(audit.BUILT_IN) <= names
    weights = [one for one in components if one["type"] == "machine-learning-model"]
    assert weights
    assert all(one["hashes"][0]["content"].startswith(one["name"].partition(".")[0]) for one in weights)


def test_the_packages_that_run_are_few_and_none_is_a_machine_learning_framework() -> None:
    needed = audit.closure()
    assert {"msgspec", "sqlalchemy", "starlette", "xllamacpp"} <= set(needed), "or nothing was looked at"
    assert not set(audit.FORBIDDEN) & set(audit.locked())
    assert len(needed) <= 49, "a new one is a decision: say in docs/decisions why, and raise this"


@pytest.mark.parametrize(
    ("expression", "open_"),
    [
        ("MIT", True),
        ("Apache-2.0 AND (MIT OR ISC)", True),
        ("", False),
        ("Proprietary", False),
        ("MIT AND X", False),
    ],
)
def test_an_expression_is_as_open_as_everything_in_it(expression: str, open_: bool) -> None:
    assert audit.is_open(expression) is open_


def test_nothing_calls_anybody_or_starts_anything_when_it_is_imported() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS, *audit.closure()], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout.split()[-1]) > 200
