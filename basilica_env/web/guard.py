"""What holds for every request: whom it is addressed to, and the headers that keep a browser safe."""

from __future__ import annotations

import ipaddress
import re

import msgspec
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from basilica_env.core.tiles import shown
from basilica_env.web import messages
from basilica_env.web.refusals import Refusal, WrongHostError

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
SAFE_HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9.-]+))(?::[0-9]{1,5})?", re.ASCII)


class Guard:
    """Stands before an application.

    A foreign page can have its own name lead to this machine (DNS rebinding) and then read what is answered.
    So a request is answered only if it names ``localhost``, an address, or a name told at the start.

    Parameters
    ----------
    app : ASGI application
    hosts : frozenset of str
        The names.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        self._app = app
        self._hosts = hosts | {"localhost"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let it pass."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(SAFE_HEADERS)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        host = Headers(scope=scope).get("host", "")
        if self._is_ours(host):
            await self._app(scope, receive, send_safely)
        else:
            names = ", ".join(sorted(self._hosts))
            fault = WrongHostError(f"host {shown(host)}: expected an address or one of {names}")
            await refuse(fault)(scope, receive, send_safely)

    def _is_ours(self, host: str) -> bool:
        match = _HOST.fullmatch(host)
        if match is None:
            return False
        name = (match[1] or match[2]).lower()
        return name in self._hosts or _is_address(name)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def refuse(fault: Refusal) -> Response:
    """Answer a request that is refused."""
    headers = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
    return failure(fault.status, str(fault), headers)


def failure(status: int, reason: str, headers: dict[str, str] | None = None) -> Response:
    """Answer with a reason."""
    content = msgspec.json.encode(messages.Failure(error=reason))
    return Response(content, status, headers, media_type="application/json")
