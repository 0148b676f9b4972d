"""What a browser loads of the page itself before something can be read."""

from __future__ import annotations

from collections.abc import Callable

from tests.browser.reader import Reader
from tests.web.serving import Server

LARGEST_FIRST_PAGE = 250_000  # bytes as they are sent, letters included; pictures are the campaigns' own
SENT = """() => performance.getEntriesByType("resource")
    .filter(entry => !entry.name.includes("/api/"))
    .map(entry => [new URL(entry.name).pathname, entry.encodedBodySize])"""


def test_the_first_page_and_the_first_scene_are_light(
    open_reader: Callable[..., Reader], server: Server
) -> None:
    story = server.begin()
    server.ask("PUT", "/api/settings", {"theme": "system"})
    for path in ("/", f"/story/{story}"):
        reader = open_reader(server)
        reader.unlock()
        reader.go(path)
        reader.page.wait_for_load_state("networkidle")
        sent = dict(reader.page.evaluate(SENT))
        assert sent
        assert sum(sent.values()) <= LARGEST_FIRST_PAGE, sent
        later = ("SettingsPanel", "JournalPanel", "MapPanel", "CreatePage", "ToolsPanel")
        assert [name for name in sent if any(part in name for part in later)] == []
