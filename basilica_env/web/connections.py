"""Connections that do not stay open for those who say nothing."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

from basilica_env.web.settings import HEAD_SECONDS


class Connection(H11Protocol):
    """Hangs up when the head of a request does not arrive in time, which uvicorn has no setting for.

    The time runs from the beginning of the connection or the end of the last answer to the first request
    after it. Uvicorn's own limit between two requests ends with the first byte.
    """

    _waits: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait_or_not()

    def data_received(self, data: bytes) -> None:
        """Read on; what has come may be the end of a head."""
        super().data_received(data)
        self._wait_or_not()

    def on_response_complete(self) -> None:
        """Wait for the next request, unless it is there already."""
        super().on_response_complete()
        self._wait_or_not()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        super().connection_lost(exc)
        self._wait_or_not()

    def _wait_or_not(self) -> None:
        had_none = self.cycle is None  # its type says never, but there is none before the first request
        is_idle = had_none or self.cycle.response_complete
        if is_idle and not self.transport.is_closing():
            if self._waits is None:
                self._waits = self.loop.call_later(HEAD_SECONDS, self.timeout_keep_alive_handler)
        elif self._waits is not None:
            self._waits.cancel()
            self._waits = None
