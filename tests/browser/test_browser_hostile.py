"""What means harm, before a real browser: a campaign full of markup, and a page of another server."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser, expect
from tests.browser.reader import PATIENCE, Reader
from tests.web.serving import Server

BAD = "<img src=x onerror=window.pwned=1><script>window.pwned=2</script><svg onload=window.pwned=3>"
LINK = "[here](javascript:window.pwned=4) <a href='javascript:window.pwned=5'>there</a>"
TALE = {
    "manifest.json": json.dumps(
        {
            "title": f"A Tale {BAD}",
            "version": "1.0.0",
            "author": f"Ada {BAD}",
            "description": f"An evening. {BAD}",
        }
    ),
    "world/setting.md": f"# The hut {BAD}\n\nA hut, a fire. {BAD}\n",
    "plot/premise.md": f"The fire is low. {BAD}\n\nThe kettle hums. {LINK}\n",
    "plot/beats.json": json.dumps(
        {
            "beats": [
                {
                    "id": "sleep",
                    "title": f"Sleep {BAD}",
                    "description": f"You lie down. {BAD}",
                    "conditions": {"player_choice": f"Go to sleep {BAD}"},
                    "priority": "critical",
                    "ending": "morning",
                }
            ]
        }
    ),
    "plot/endings/morning.md": f"# Morning {BAD}\n\nSnow. {BAD}\n",
}
# everything that a page may try without being asked, each with what came of it
ATTACK = """
async ({origin, story}) => {
  const told = {};
  const attempt = async (name, work) => {
    try { told[name] = await work(); } catch (error) { told[name] = "refused"; }
  };
  const read = (mode, method, path) => async () => {
    const body = method === "POST" ? "{}" : undefined;
    const answer = await fetch(origin + path, {method, mode, credentials: "include", body});
    return answer.type === "opaque" ? "sent, unread" : await answer.text();
  };
  await attempt("read", read("cors", "GET", "/api/home"));
  await attempt("delete", read("cors", "DELETE", "/api/stories/" + story));
  await attempt("simple post", read("no-cors", "POST", "/api/stories/" + story + "/undo"));
  await attempt("image", () => new Promise((yes, no) => {
    const image = new Image(); image.onload = () => yes("shown"); image.onerror = no;
    image.src = origin + "/api/stories/" + story + "/export?format=html";
  }));
  await attempt("script", () => new Promise((yes, no) => {
    const script = document.createElement("script"); script.onload = () => yes("run"); script.onerror = no;
    script.src = origin + "/api/home"; document.head.append(script);
  }));
  await attempt("socket", () => new Promise((yes, no) => {
    const socket = new WebSocket(origin.replace("http", "ws") + "/api/stories/" + story + "/events?after=0");
    socket.onmessage = (event) => yes(event.data); socket.onclose = no; socket.onerror = no;
  }));
  await attempt("event source", () => new Promise((yes, no) => {
    const source = new EventSource(origin + "/api/home", {withCredentials: true});
    source.onmessage = (event) => yes(event.data); source.onerror = () => { source.close(); no(); };
  }));
  await attempt("frame", () => new Promise((yes) => {
    const frame = document.createElement("iframe");
    frame.onload = () => {
      try { yes(frame.contentDocument ? "read" : "refused"); } catch { yes("refused"); }
    };
    frame.src = origin + "/"; document.body.append(frame);
  }));
  return told;
}
"""


@pytest.fixture(scope="module")
def evil() -> Iterator[str]:
    """A page of somebody else's on this machine: to a browser it is the same site, and gets its cookies."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>A nice page</title><p>Nothing to see.")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
            pass

    serving = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=serving.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{serving.server_address[1]}"
    serving.shutdown()
    serving.server_close()


def test_markup_and_scripts_of_a_campaign_are_words_on_every_page(reader: Reader) -> None:
    for name, text in TALE.items():
        path = reader.server.home / "campaigns/hostile-tale" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    story = reader.server.begin(campaign="hostile-tale", title=f"Mine {BAD}")
    own = f"/story/{story}"
    for address in ("/", f"/library/{story}", own, f"{own}/state", "/new/hostile-tale"):
        reader.go(address)
        expect(reader.page.get_by_text("onerror=window.pwned", exact=False).first).to_be_attached()
        assert reader.page.evaluate("window.pwned") is None
        assert reader.page.locator("img[src='x'], svg[onload], a[href^='javascript']").count() == 0
    reader.server.ask("DELETE", f"/api/stories/{story}")


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_a_page_of_another_server_reads_nothing_changes_nothing_and_frames_nothing(
    chromium: Browser, server: Server, evil: str, name: str
) -> None:
    story = server.begin()
    server.choose(story)
    before = server.get(f"/api/stories/{story}")["scenes"]
    context = chromium.new_context()
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(f"{server.origin}/?token={server.token}")
    assert "token" not in page.url
    page.goto(evil.replace("127.0.0.1", name))
    told = page.evaluate(ATTACK, {"origin": server.origin, "story": story})
    unread = told.pop("simple post")
    assert unread in ("refused", "sent, unread")
    assert set(told.values()) == {"refused"}, told
    assert server.get(f"/api/stories/{story}")["scenes"] == before
    context.close()
