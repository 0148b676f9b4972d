"""A browser with cookies of its own, as the tests of profiles use several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.web.serving import CAMPAIGN, Answer, Server


@dataclass
class Browser:
    """A browser with the key to a server, and the cookies that it was given."""

    server: Server
    cookies: dict[str, str] = field(default_factory=dict)

    def open(self) -> Browser:
        self._keep(self.server.ask("GET", f"/?token={self.server.token}", key=False))
        return self

    def ask(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        answer = self.server.ask(method, path, body, key=False, headers={"Cookie": cookie, **(headers or {})})
        self._keep(answer)
        return answer

    def get(self, path: str) -> Any:
        answer = self.ask("GET", path)
        assert answer.status == 200, answer
        return answer.json

    def enter(self, profile: str, pin: str = "") -> Browser:
        answer = self.ask("POST", "/api/profiles/enter", {"profile": profile, "pin": pin})
        assert answer.status == 200, answer
        return self

    def begin(self, title: str) -> str:
        answer = self.ask("POST", "/api/stories", {"campaign": CAMPAIGN, "seed": 7, "title": title})
        assert answer.status == 201, answer
        return str(answer.json["id"])

    def titles(self) -> list[str]:
        return [story["title"] for story in self.get("/api/stories")["stories"]]

    def _keep(self, answer: Answer) -> None:
        for line in answer.cookies:
            name, _, value = line.partition(";")[0].partition("=")
            self.cookies[name] = value


def profile_of(browser: Browser, name: str) -> str:
    listed = browser.get("/api/profiles")["profiles"]
    return str(next(one["id"] for one in listed if one["name"] == name))
