"""A real Chromium before a real server. Where there is no browser, nothing here is run, except in CI: there
its absence is a failure."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect, sync_playwright
from tests.browser.pointer import SCREENS, Press
from tests.browser.reader import PATIENCE, USUAL, Reader
from tests.web.serving import Server

from narratoria import paths

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
# The last list counts, so it begins with Playwright's own. An address bar that nobody sees would load two
# pages of its own in each window, which is half of what opening one costs.
SWITCHED_OFF = (
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades"),
    *("HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding"),
    *("ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints"),
    *("NetworkTimeServiceQuerying", "AimEnabled", "PreconnectToSearch"),
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup"),
)
OFFLINE = {"NARRATORIA_HUB": "http://127.0.0.1:9"}  # no model can be had
FAULTY = Path(__file__).with_name("faulty_server.py")


HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser on a busy machine is slow, and none of these tests is about speed."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.timeout(600))


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One for each module: what drives it must be gone before other tests run loops of their own."""
    if not CHROMIUM:
        reason = "no Chromium was found; Debian, Ubuntu: sudo apt-get install chromium"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        # everybody is root in a container, where Chromium has no sandbox of its own
        arguments = ["--no-sandbox", f"--disable-features={','.join(SWITCHED_OFF)}"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """As `narratoria play` starts it; shared by all tests that leave nothing behind but stories."""
    running = Server(tmp_path_factory.mktemp("served") / "home", env=OFFLINE).start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of a module's own, with bundled skills that it may rewrite: they lie beside its home."""
    folder = tmp_path_factory.mktemp("own")
    skills = folder / "bundled"
    shutil.copytree(paths.BUNDLED_SKILLS, skills, ignore=shutil.ignore_patterns("__pycache__"))
    running = Server(folder / "home", program=(str(FAULTY), str(skills)), env=OFFLINE).start()
    yield running
    if running.process.poll() is None:
        running.stop(signal.SIGKILL)


@pytest.fixture
def open_reader(chromium: Browser) -> Iterator[Callable[..., Reader]]:
    """Opens windows; at the end of the test, whatever a page complained about fails it."""
    readers: list[Reader] = []

    def opened(server: Server, **about: Any) -> Reader:
        context = chromium.new_context(
            viewport=about.pop("viewport", {"width": 1280, "height": 800}),
            reduced_motion=about.pop("reduced_motion", "reduce"),
            accept_downloads=True,
            **about,
        )
        context.set_default_timeout(PATIENCE)
        readers.append(Reader(server, context))
        return readers[-1]

    yield opened
    for reader in readers:
        reader.close()
    assert [trouble for reader in readers for trouble in reader.trouble] == []


@pytest.fixture
def reader(open_reader: Callable[..., Reader], server: Server) -> Reader:
    """Somebody with the printed address open before them, and nothing set otherwise than it comes."""
    server.ask("PUT", "/api/settings", USUAL)
    reader = open_reader(server)
    reader.unlock()
    return reader


@pytest.fixture(params=SCREENS)
def screen(
    request: pytest.FixtureRequest, open_reader: Callable[..., Reader], server: Server
) -> tuple[Reader, Press]:
    """Somebody at a desktop or with a phone, and how they press things there."""
    server.ask("PUT", "/api/settings", USUAL)
    about, press = SCREENS[request.param]
    reader = open_reader(server, **about)
    reader.unlock()
    return reader, press
