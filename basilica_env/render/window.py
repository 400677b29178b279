"""A window that shows pictures. Only here is pygame imported, and only when a window opens."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from basilica_env.render.raster import lacking

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FRAMES_PER_SECOND = 30
"""How often a window is drawn anew and answers events while something waits."""

_open_windows: list[Window] = []


class Window:
    """A window that opens with its first picture.

    Once a person has closed it, pictures are no longer shown, and nothing waits for them.

    Parameters
    ----------
    title : str
    """

    def __init__(self, title: str) -> None:
        self._title = title
        self._window: Any = None
        self._picture: Any = None
        self._drawn = 0.0
        self.is_dismissed = False

    @property
    def is_open(self) -> bool:
        """Whether there is something to see."""
        return self._window is not None

    def show(self, pixels: NDArray[np.uint8]) -> None:
        """Show a picture.

        Parameters
        ----------
        pixels : ndarray
            RGB, uint8, shape (height, width, 3).

        Raises
        ------
        ImportError
            The extra ``render`` is not installed.
        RuntimeError
            No window can be opened.
        """
        if self.is_dismissed:
            return
        pygame = _pygame()
        height, width, _ = pixels.shape
        if not self.is_open:
            try:
                pygame.display.init()
                self._window = pygame.Window(self._title, (width, height))
            except pygame.error as error:
                raise RuntimeError(f"cannot open a window: {error}") from None
            _open_windows.append(self)
        self._picture = pygame.image.frombuffer(pixels.tobytes(), (width, height), "RGB")
        self._refresh()

    def wait(self, seconds: float) -> None:
        """Keep the window alive for some time, for one frame at least, or until a person closes it."""
        end = time.monotonic() + seconds
        while self.is_open:
            time.sleep(max(0.0, self._drawn + 1 / FRAMES_PER_SECOND - time.monotonic()))
            self._refresh()
            if time.monotonic() >= end:
                return

    def close(self) -> None:
        """Close the window; a later picture opens it again."""
        if self.is_open:
            self._window.destroy()
            self._window = self._picture = None
            _open_windows.remove(self)
            if not _open_windows:
                _pygame().display.quit()
        self.is_dismissed = False

    def _refresh(self) -> None:
        pygame = _pygame()
        self._drawn = time.monotonic()
        self._window.get_surface().blit(self._picture, (0, 0))
        self._window.flip()
        for event in pygame.event.get():
            if event.type == pygame.WINDOWCLOSE:
                _dismiss([window for window in _open_windows if window._window is event.window])
            elif event.type == pygame.QUIT:
                _dismiss(list(_open_windows))


def _dismiss(windows: list[Window]) -> None:
    """Close windows as a person wants it, and leave them closed."""
    for window in windows:
        window.close()
        window.is_dismissed = True


def _pygame() -> Any:
    try:
        import pygame
    except ImportError as error:
        lacking(error, "render", "a window needs")
    return pygame
