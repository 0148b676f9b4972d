"""Types that files are read into are worked out before several threads use them."""

from __future__ import annotations

import subprocess
import sys

import narratoria.app
from narratoria.campaign.campaign import Profile
from narratoria.contracts.struct_types import prepare_struct_types

MANY_THREADS = """
import threading
import narratoria.app
from narratoria.contracts.struct_types import prepare_struct_types
from narratoria.campaign.campaign import Profile
import msgspec
prepare_struct_types()
start = threading.Barrier(8)
def read():
    start.wait()
    msgspec.json.decode(b'{"name": "Ada"}', type=Profile)
threads = [threading.Thread(target=read) for _ in range(8)]
[one.start() for one in threads]
[one.join() for one in threads]
"""


def test_every_type_of_the_package_is_prepared() -> None:
    assert narratoria.app.open_library is not None  # everything a library reads is defined
    assert Profile.__module__.startswith("narratoria.")
    assert prepare_struct_types() > 50


def test_threads_that_read_at_once_do_not_crash() -> None:
    done = subprocess.run([sys.executable, "-c", MANY_THREADS], check=False, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
