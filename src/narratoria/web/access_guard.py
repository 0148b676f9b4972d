"""Admits requests by their Host, Origin and key, and asks for the passphrase on a plain page.

A page of another site can send requests to this machine, and a name that it controls can be made to point
here. So the Host must be a name of ours, the Origin our own page or no page, and the API needs the key.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from narratoria.errors import NarratoriaException
from narratoria.web.access_keys import AccessKeys
from narratoria.web.accounts import NOBODY, Account
from narratoria.web.identity import Identification
from narratoria.web.operation import ACCOUNT, ApiError, error_response, read_body, to_api_error
from narratoria.web.public_origin import PublicOrigin

CONTENT_POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; media-src 'self'; style-src 'self'; script-src 'self'; "
    "connect-src 'self'; font-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": CONTENT_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
UNLOCK = "/unlock"
A_YEAR = 365 * 24 * 3600
_PUBLIC = "narratoria.public_origin"  # in the scope of a request that a proxy of ours brings
LOCKED = 4401  # a WebSocket's reason for being closed


@dataclass(frozen=True, slots=True)
class HostNames:
    """Holds the names that this server answers to."""

    port: int
    names: frozenset[str]
    addresses: bool  # any address will do: only a name can be made to point elsewhere
    public: PublicOrigin | None = None  # what a proxy shows the server as

    @classmethod
    def of(cls, host: str, port: int, public: PublicOrigin | None = None) -> HostNames:
        if is_loopback(host):
            return cls(port, frozenset({"localhost", "127.0.0.1", "::1"}), False, public)
        own = socket.gethostname().lower()
        return cls(port, frozenset({"localhost", host.lower(), own, f"{own}.local"}), True, public)

    def include(self, host: str) -> bool:
        """Return whether a Host header, or what stands in an Origin after its scheme, means us."""
        try:
            parts = urlsplit(f"//{host}")
            name, port = parts.hostname or "", parts.port
        except ValueError:
            return False
        if parts.netloc != host or "@" in host or (port or 80) != self.port:
            return False
        return name in self.names or (self.addresses and _is_address(name))


def is_loopback(host: str) -> bool:
    return host == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class AccessGuard:
    """Admits requests, and gives every answer its security headers."""

    def __init__(
        self,
        app: ASGIApp,
        names: HostNames,
        keys: AccessKeys,
        *,
        public: Iterable[str] = (),
        open_to_all: Iterable[str] = (),
        identification: Identification,
        for_anybody: Iterable[tuple[str, str]] = (),
    ) -> None:
        """`for_anybody`: methods and paths of the API for who has a key and has not said who they are."""
        self._app, self._names, self._keys = app, names, keys
        self._identification, self._for_anybody = identification, frozenset(for_anybody)
        self._open_to_all = frozenset(open_to_all)  # whoever asks, under whatever name
        self._public = frozenset(public)  # of the API, what needs no key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if scope["type"] == "http" and scope["path"] in self._open_to_all:
            await self._app(scope, receive, _with_headers(send))
            return
        self._read_forwarded(scope, headers)
        error = self._refuse_foreign(scope, headers)
        if scope["type"] == "websocket":
            await self._websocket(scope, receive, send, headers, error)
            return
        answer: ASGIApp
        if error is not None:
            answer = error_response(error)
        elif (token := _token(scope)) is not None:
            answer = self._exchange_token(scope, token)
        elif self._needs_passphrase(scope, headers):
            answer = RedirectResponse(UNLOCK, 303)
        elif (refusal := self._let_in(scope, headers)) is not None:
            answer = error_response(refusal)
        else:
            answer = self._app
        await answer(scope, receive, _with_headers(send))

    async def _websocket(
        self, scope: Scope, receive: Receive, send: Send, headers: Headers, error: ApiError | None
    ) -> None:
        if error is not None:  # before the handshake: the browser of a stranger's page learns nothing
            await send({"type": "websocket.close", "code": 1008, "reason": error.body.code})
        elif (refusal := self._let_in(scope, headers)) is not None:
            await send({"type": "websocket.accept"})
            await send({"type": "websocket.close", "code": LOCKED, "reason": refusal.body.code})
        else:
            await self._app(scope, receive, send)

    def _refuse_foreign(self, scope: Scope, headers: Headers) -> ApiError | None:
        """Return the error for a request that neither our own page nor a program of the user sent."""
        public, host = scope.get(_PUBLIC), headers.get("host", "")
        if not (public.host == host.lower() if public else self._names.include(host)):
            return ApiError(421, "wrong_host", "This server does not go by that name.")
        if len(headers.getlist("host")) > 1:
            return ApiError(400, "wrong_host", "A request has one Host.")
        # a server that speaks plain HTTP, without a proxy before it, has no other scheme
        if headers.get("origin") not in (None, public.origin if public else f"http://{host}"):
            return _cross_site()
        site = headers.get("sec-fetch-site", "none")
        inside = scope["path"].startswith("/api") or scope.get("method", "GET") not in ("GET", "HEAD")
        # `same-site` is another port of this machine: whoever listens there is a stranger too
        return _cross_site() if inside and site not in ("same-origin", "none") else None

    def _read_forwarded(self, scope: Scope, headers: Headers) -> None:
        """Write into a request that a proxy of ours brings under the public name from where it comes."""
        public, (peer, port) = self._names.public, scope.get("client") or ("", 0)
        if public is None or not public.trusts(peer) or headers.get("host", "").lower() != public.host:
            return
        scope["client"] = (public.player_address(headers.get("x-forwarded-for", ""), peer), port)
        scope[_PUBLIC] = public

    def _exchange_token(self, scope: Scope, token: str) -> Response:
        """Turn the token into a cookie, and take it out of the address, which browsers remember."""
        query = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        query.pop("token", None)
        rest = urlencode(query, doseq=True)
        path = "/" + scope["path"].lstrip("/\\")  # `//elsewhere` would be another server
        response = RedirectResponse(f"{path}?{rest}" if rest else path, 303)
        if self._keys.opens(token=token) or self._keys.redeem(token):
            self.give_cookie(response)
        return response

    def give_cookie(self, response: Response) -> None:
        public = self._names.public
        response.set_cookie(
            self.cookie_name,
            self._keys.cookie,
            max_age=A_YEAR,
            path="/",
            secure=public is not None and public.is_secure,
            httponly=True,
            samesite="strict",
        )

    @property
    def cookie_name(self) -> str:
        return f"narratoria_{self._cookie_end}"

    @property
    def profile_cookie_name(self) -> str:
        return f"narratoria_profile_{self._cookie_end}"

    @property
    def _cookie_end(self) -> str:
        # cookies know no ports, and two homes may be open; behind a proxy, all servers are one
        return "service" if self._names.public else str(self._names.port)

    def _let_in(self, scope: Scope, headers: Headers) -> ApiError | None:
        """Write into the scope of a request to the API whose it is, or return the error."""
        path: str = scope["path"]
        if not path.startswith("/api"):
            return None
        try:
            account = self._account_of(scope, headers)
        except NarratoriaException as error:  # accounts that cannot be read let nobody in
            return to_api_error(error)
        if account is None and path in self._public:
            account = NOBODY
        if account is None and (self._identification.proxy or not self._has_key(headers)):
            return locked_error()
        if account is None and (scope.get("method", ""), path) not in self._for_anybody:
            return ApiError(401, "no_profile", "Say who you are first.")
        scope[ACCOUNT] = account or NOBODY
        return None

    def _account_of(self, scope: Scope, headers: Headers) -> Account | None:
        """Return whose request it is; None without a key, and for who has not said which profile they are."""
        if self._has_token(headers):
            return self._identification.by_token()
        if self._identification.proxy:
            return self._identification.by_proxy(headers) if _PUBLIC in scope else None
        if not self._has_key(headers):
            return None
        return self._identification.by_profile(_cookie(headers, self.profile_cookie_name))

    def _needs_passphrase(self, scope: Scope, headers: Headers) -> bool:
        """Return whether the passphrase has to be given before this page."""
        path: str = scope["path"]
        is_page = "." not in path.rpartition("/")[2] and not path.startswith(("/api", UNLOCK))
        return self._keys.passphrase is not None and is_page and not self._has_key(headers)

    def _has_key(self, headers: Headers) -> bool:
        return self._has_token(headers) or self._keys.opens(cookie=_cookie(headers, self.cookie_name))

    def _has_token(self, headers: Headers) -> bool:
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and self._keys.opens(token=bearer.strip())


def locked_error() -> ApiError:
    advice = "Open the address that `narratoria play` printed, or run `narratoria play` again."
    return ApiError(401, "locked", "This browser has no key to this server.", advice)


def _cross_site() -> ApiError:
    return ApiError(403, "cross_site", "Another site's page may not ask for this.")


def _token(scope: Scope) -> str | None:
    """Only pages are opened by a token; the API takes it as a header, which no log holds."""
    if scope["method"] != "GET" or scope["path"].startswith("/api"):
        return None
    values = parse_qs(scope["query_string"].decode("latin-1")).get("token")
    return values[0] if values else None


def _cookie(headers: Headers, name: str) -> str:
    jar: SimpleCookie = SimpleCookie()
    try:
        jar.load(headers.get("cookie", ""))
    except CookieError:
        return ""
    return jar[name].value if name in jar else ""


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=_raw(message))
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return sending


def _raw(message: Message) -> dict[str, Any]:
    message.setdefault("headers", [])
    message["headers"] = list(message["headers"])
    return message  # type: ignore[return-value]


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
