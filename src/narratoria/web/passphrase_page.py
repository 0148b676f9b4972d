"""Asks for the passphrase of a server that others in the network can reach, on a plain page."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from html import escape
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from narratoria.errors import NarratoriaException
from narratoria.web.access_keys import AccessKeys
from narratoria.web.operation import read_body

LARGEST = 4096
_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<title>Narratoria</title>
</head>
<body>
<main>
<h1>Narratoria</h1>
<p role="status">{message}</p>
<form method="post" action="/unlock">
<label for="passphrase">Passphrase</label>
<input id="passphrase" name="passphrase" type="password" autocomplete="current-password" required autofocus>
<button>Open</button>
</form>
</main>
</body>
</html>
"""
_ASK = "Enter the passphrase of this Narratoria server."
_NONE = "This server has no passphrase. Open the address that `narratoria play` printed."


class PassphrasePage:
    """Serves the page that asks for the passphrase, and its form."""

    def __init__(self, keys: AccessKeys) -> None:
        self._keys = keys
        self.give_cookie: Callable[[Response], None] = lambda _: None

    async def show(self, request: Request) -> Response:
        return _page(_ASK if self._keys.passphrase else _NONE)

    async def unlock(self, request: Request) -> Response:
        """Give the cookie for the right passphrase; wrong ones have to wait."""
        who = request.client.host if request.client else ""
        try:
            fields = parse_qs((await read_body(request, LARGEST)).decode("utf-8", "replace"))
        except NarratoriaException:
            return _page("That is too long for a passphrase.", 413)
        wait = self._keys.seconds_until_next_guess(who)
        if wait > 0:
            seconds = round(wait) + 1
            again = {"retry-after": str(seconds)}
            return _page(f"Too many tries. Try again in {seconds} seconds.", 429, again)
        self._keys.count_guess(who)
        given = fields.get("passphrase", [""])[0]
        # in a thread: it is slow on purpose
        if not await asyncio.to_thread(self._keys.matches, given):
            return _page("Wrong passphrase." if self._keys.passphrase else _NONE, 403)
        self._keys.forget_guesses(who)
        response = RedirectResponse("/", 303)
        self.give_cookie(response)
        return response


def _page(message: str, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return HTMLResponse(_PAGE.format(message=escape(message)), status, headers)
