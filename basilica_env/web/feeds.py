"""Wakes those who watch something when it has changed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable

HEARTBEAT = 15.0
"""Seconds after which a silent stream says that it is alive."""


class Feed:
    """Those who watch one game or one replay.

    A watcher is told that something has changed, not what: it looks for itself, so a slow one misses
    nothing but what has been overtaken.

    Parameters
    ----------
    welcome : callable, optional
        Called whenever somebody begins to watch.
    """

    def __init__(self, welcome: Callable[[], None] | None = None) -> None:
        self.is_closed = False
        self._welcome = welcome
        self._bells: set[asyncio.Event] = set()

    @property
    def is_watched(self) -> bool:
        """Whether somebody watches."""
        return bool(self._bells)

    def wake(self) -> None:
        """Tell all watchers that there is something to see."""
        for bell in self._bells:
            bell.set()

    def close(self) -> None:
        """Send all watchers away."""
        self.is_closed = True
        self.wake()

    async def watch(self) -> AsyncGenerator[None, None]:
        """Yield at once, after every change, and when nothing has happened for a while; end with the feed."""
        bell = asyncio.Event()
        self._bells.add(bell)
        if self._welcome is not None:
            self._welcome()
        try:
            while not self.is_closed:
                bell.clear()
                yield
                try:
                    await asyncio.wait_for(bell.wait(), HEARTBEAT)
                except TimeoutError:
                    continue
        finally:
            self._bells.discard(bell)
