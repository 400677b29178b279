"""The application: the interface, the page, and what is answered when something is wrong."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from basilica_env.core.tiles import shown
from basilica_env.render.theme import DARK, LIGHT, Theme
from basilica_env.web.api import ENDPOINTS, Interface
from basilica_env.web.endpoints import EVENTS, JSON, Endpoint
from basilica_env.web.guard import Guard, failure, refuse
from basilica_env.web.openapi import describe
from basilica_env.web.refusals import NotFoundError, Refusal

STATIC = Path(__file__).parent / "static"


def build(interface: Interface, hosts: frozenset[str] = frozenset()) -> ASGIApp:
    """Build the application.

    Parameters
    ----------
    interface : Interface
        What stands behind the paths; it is closed when the application ends.
    hosts : frozenset of str
        Names, besides ``localhost`` and addresses, by which the server may be called.
    """

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        interface.close()

    app = Starlette(
        routes=[*_api_routes(interface), *_page_routes()],
        exception_handlers={Refusal: _refused, HTTPException: _not_found, Exception: _broken},
        lifespan=lifespan,
    )
    return Guard(app, hosts)


# --- The interface --------------------------------------------------------------------------------


def _api_routes(interface: Interface) -> list[Route]:
    """Make one route a path, so that a method it does not have is told from a path that is not there."""
    paths: dict[str, list[Endpoint]] = {}
    for entry in ENDPOINTS:
        paths.setdefault(entry.path, []).append(entry)
    return [_route(interface, path, entries) for path, entries in paths.items()]


def _route(interface: Interface, path: str, entries: Sequence[Endpoint]) -> Route:
    by_method = {entry.method: entry for entry in entries}

    async def answer(request: Request) -> Response:
        if request.method != "HEAD":
            return await by_method[request.method].answer_to(interface, request)
        entry = by_method["GET"]
        if entry.answer == EVENTS:  # it would never end
            return Response(media_type=EVENTS)
        return await entry.answer_to(interface, request)

    return Route(path, answer, methods=list(by_method))


# --- The page -------------------------------------------------------------------------------------


def _page_routes() -> list[Route]:
    description = msgspec.json.encode(describe(ENDPOINTS))
    theme = _theme_css()
    files = {path.name: path for path in STATIC.iterdir() if path.is_file()}

    async def openapi(_: Request) -> Response:
        return Response(description, media_type=JSON)

    async def theme_css(_: Request) -> Response:
        return Response(theme, media_type="text/css", headers=_FRESH)

    async def file(request: Request) -> Response:
        return _file(files, request.path_params.get("name", "index.html"))

    return [
        Route("/openapi.json", openapi),
        Route("/theme.css", theme_css),
        Route("/", file),
        Route("/static/{name}", file),
    ]


_MEDIA = {".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".svg": "image/svg+xml"}
_FRESH = {"Cache-Control": "no-cache"}
"""It may be kept, but is to be asked for whether it has changed."""


def _file(files: dict[str, Path], name: str) -> Response:
    """Give one of the files of the page; what the request says is looked up, never opened."""
    if name not in files:
        raise NotFoundError(f"file {shown(name)}: expected one of the page, there is none of this name")
    media = _MEDIA.get(files[name].suffix, "application/octet-stream")
    return FileResponse(files[name], media_type=media, headers=_FRESH)


def _theme_css() -> str:
    """Define every colour of the drawing by its name, for light and dark."""

    def rule(selector: str, theme: Theme) -> str:
        colours = "".join(f"  --{name}: {colour};\n" for name, colour in theme._asdict().items())
        return f"{selector} {{\n{colours}}}\n"

    return rule(":root", LIGHT) + rule(':root[data-theme="dark"]', DARK)


# --- When something is wrong ----------------------------------------------------------------------


async def _refused(_: Request, fault: Exception) -> Response:
    assert isinstance(fault, Refusal), "it is registered for no other"
    return refuse(fault)


async def _not_found(request: Request, fault: Exception) -> Response:
    assert isinstance(fault, HTTPException), "it is registered for no other"
    headers = dict(fault.headers or {})
    if fault.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        right = headers.get("Allow", "another")
        reason = f"method {request.method} of {shown(request.url.path)}: expected {right}"
    else:
        reason = f"path {shown(request.url.path)}: expected one of those that /openapi.json lists"
    return failure(fault.status_code, reason, headers)


async def _broken(_: Request, _fault: Exception) -> Response:
    return failure(HTTPStatus.INTERNAL_SERVER_ERROR, "the server has a fault; its output says more")
