"""The page says who tells, finds a server on this machine by one click, and sets it up by another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect
from tests.browser.pointer import click
from tests.browser.reader import Reader
from tests.inference.model_servers import OLLAMA, served
from tests.web.serving import Server


def test_a_server_is_found_and_agreed_to_and_the_page_says_who_tells(
    open_reader: Callable[..., Reader], tmp_path: Path
) -> None:
    with served(OLLAMA) as asked:
        server = Server(tmp_path / "home", env={"OLLAMA_HOST": f"127.0.0.1:{asked.port}"}).start()
        try:
            reader = open_reader(server)
            reader.unlock()
            page = reader.page
            reader.go("/")
            click(page.get_by_role("link", name="Who tells:"))
            expect(page.get_by_role("status").get_by_text("campaign's own words")).to_be_visible()
            assert asked.requests == [], "nobody is asked before the click"
            click(page.get_by_role("button", name="Find servers"))
            expect(page.get_by_text(f"http://127.0.0.1:{asked.port}")).to_be_visible()
            page.get_by_label("Model of Ollama").select_option("qwen2.5:7b")
            row = page.locator(".server").filter(has_text=str(asked.port))
            click(row.get_by_role("button", name="Use it"))
            dialog = page.get_by_role("dialog")
            expect(dialog.get_by_text("is sent to")).to_be_visible()
            assert server.get("/api/providers")["chosen"] is None
            click(dialog.get_by_role("button", name="Agree"))
            expect(page.get_by_role("status").get_by_text("tells from the next scene on")).to_be_visible()
            assert server.get("/api/providers")["chosen"]["model"] == "qwen2.5:7b"
            click(page.get_by_role("button", name="Back to this machine"))
            expect(page.get_by_role("status").get_by_text("campaign's own words")).to_be_visible()
        finally:
            server.stop()
