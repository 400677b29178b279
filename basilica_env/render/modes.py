"""The render modes of the environments."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from basilica_env.render.ansi import draw
from basilica_env.render.raster import PICTURE_WIDTH, rasterise
from basilica_env.render.style import Style
from basilica_env.render.svg import draw_svg
from basilica_env.render.window import Window
from basilica_env.render.words import marks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from basilica_env.game import GameState


RENDER_MODES = ("ansi", "svg", "rgb_array", "human")


def pixels(state: GameState, last_move: str | None = None) -> NDArray[np.uint8]:
    """Draw a position as the environments do; return RGB, uint8, shape (656, 768, 3)."""
    return rasterise(draw_svg(state, last_move=last_move, size=PICTURE_WIDTH))


class Renderer:
    """Draws positions in one of the render modes, and marks the last move.

    Parameters
    ----------
    mode : str
        ``ansi``: text, with colours and signs beyond ASCII if standard output can show them. ``svg``: the
        drawing as an ``svg`` element. ``rgb_array``: its pixels, uint8 of shape (656, 768, 3).
        ``human``: a window. After a person has closed it, the game goes on unseen.
    """

    def __init__(self, mode: str) -> None:
        self.mode = mode
        self._window = Window("Basilica")
        self._shown = ""
        self._until = 0.0

    def __reduce__(self) -> tuple[type[Renderer], tuple[str]]:
        """Copy without the window."""
        return Renderer, (self.mode,)

    def render(
        self, state: GameState, last_move: str | None = None, moves_per_second: float = 2
    ) -> str | NDArray[np.uint8] | None:
        """Draw a position.

        Parameters
        ----------
        state : GameState
        last_move : str, optional
            What to mark; see :func:`basilica_env.render.words.marks`.
        moves_per_second : float
            How fast a window changes its picture at most. A picture that is already shown is only refreshed.

        Returns
        -------
        str, ndarray or None
            None for a window.
        """
        if self.mode == "ansi":
            style = Style.of(sys.stdout)
            return draw(state, color=style.color, unicode=style.unicode, last_move=last_move)
        if self.mode == "svg":
            return draw_svg(state, last_move=last_move)
        if self.mode == "rgb_array":
            return pixels(state, last_move)
        if not self._window.is_dismissed:
            self._show(state, last_move, moves_per_second)
        return None

    def _show(self, state: GameState, last_move: str | None, moves_per_second: float) -> None:
        svg = draw_svg(state, last_move=last_move, size=PICTURE_WIDTH)
        if svg == self._shown:
            self._window.wait(0)
            return
        self._window.wait(self._until - time.monotonic())
        self._window.show(rasterise(svg))
        self._shown = svg
        self._until = time.monotonic() + 1 / moves_per_second

    def marks(self, state: GameState, action: int) -> str:
        """Name what to mark after an action, to be played in `state`; nothing if it is illegal."""
        return marks(state, state.move_of(action)) if state.is_legal(action) else ""

    def close(self) -> None:
        """Close the window, if one is open."""
        self._window.close()
        self._shown = ""
