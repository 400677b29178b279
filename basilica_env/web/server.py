"""Runs the application until Ctrl-C."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable

import uvicorn

from basilica_env.game import GameState
from basilica_env.web.api import Interface
from basilica_env.web.app import build
from basilica_env.web.connections import Connection
from basilica_env.web.opponents import ADMITTED, can_tell
from basilica_env.web.scenes import Scene
from basilica_env.web.settings import Settings
from basilica_env.web.thinking import Thought, choose, study

LAST_SECONDS = 5
"""How long requests may take to end after Ctrl-C."""


class _Server(uvicorn.Server):
    """Sends the watchers away first, since a stream would never end by itself."""

    def __init__(self, config: uvicorn.Config, begin: Callable[[], None], end: Callable[[], None]) -> None:
        super().__init__(config)
        self._begin = begin
        self._end = end

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._begin()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._end()
        await super().shutdown(sockets)


def listen(host: str, port: int) -> socket.socket:
    """Take a port; 0 takes any that is free.

    Raises
    ------
    OSError
        If there is no such host here, or the port is taken.
    """
    family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    return socket.create_server((host, port), family=family, backlog=512)


def serve(settings: Settings, listening: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until Ctrl-C or a request of the system to end.

    Parameters
    ----------
    settings : Settings
    listening : socket
        From :func:`listen`.
    ready : callable
        Called once requests are answered.
    """
    warm_up()
    interface = Interface(settings)
    config = uvicorn.Config(
        build(interface, settings.hosts),
        http=Connection,
        log_level="warning",
        access_log=False,  # a path tells the id of a game
        server_header=False,
        proxy_headers=True,  # tells the visitors of a proxy on this machine apart; no other is believed
        forwarded_allow_ips=["127.0.0.1", "::1"],
        ws="none",
        timeout_graceful_shutdown=LAST_SECONDS,
    )
    with contextlib.suppress(KeyboardInterrupt):  # uvicorn has ended in good order before it says so
        _Server(config, ready, interface.send_away).run([listening])


def warm_up() -> None:
    """Load or compile what games need, so that no visitor waits for it."""
    state = GameState.new(0)
    for spec in ADMITTED:
        think = study if can_tell(spec) else choose
        think(spec, state, 0, Thought(limit=0.0))
    GameState.from_text(state.to_text())
    Scene(state, ("", ""), with_moves=True).message(drawn=True)
