"""What one drawing shows: a position, what is marked in it, and the colours."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from basilica_env.render.style import Players
from basilica_env.render.theme import Theme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from basilica_env.game import Area, GameState, PositionView

_SPACE_NAMES = {"O": "order", "V": "vault"}


@dataclass(frozen=True)
class Legal:
    """The legal moves, by the part of the drawing that they are about."""

    squares: dict[str, list[str]]
    spaces: dict[str, list[str]]
    """By the names of spaces: ``order-1`` to ``vault-3``."""
    steps: tuple[tuple[str, str], ...]
    """From where to where a builder can move."""
    answers: tuple[str, ...]
    """Moves about no place: ``pay``, ``pass``, ``redraw``."""

    @classmethod
    def of(cls, state: GameState) -> Legal:
        """Sort the legal moves of a position."""
        squares: dict[str, list[str]] = {}
        spaces: dict[str, list[str]] = {}
        steps, answers = [], []
        for move in state.legal_moves():
            on, at = squares_in(state.decision if move == "B" else move), spaces_in(move)
            if on:
                squares.setdefault(on[0], []).append(move)
            if len(on) > 1:
                steps.append((on[0], on[1]))
            if at:
                spaces.setdefault(at[0], []).append(move)
            if not on and not at:
                answers.append(move)
        return cls(squares, spaces, tuple(steps), tuple(answers))


NOTHING_LEGAL = Legal({}, {}, (), ())


@dataclass(frozen=True)
class Scene:
    """All that the parts of a drawing are drawn from."""

    state: GameState
    view: PositionView
    theme: Theme
    players: Players
    last: tuple[str, ...]
    """The squares and spaces of the last move."""
    legal: Legal
    areas: tuple[Area, ...] | None
    """The areas, if they are to be outlined."""

    @classmethod
    def of(
        cls,
        state: GameState,
        theme: Theme,
        last_move: str | None,
        legal: bool,
        areas: bool,
        names: Sequence[str] | None,
    ) -> Scene:
        """Gather what a drawing of a position shows."""
        move = last_move or ""
        return cls(
            state=state,
            view=state.view(),
            theme=theme,
            players=Players.called(names),
            last=(*squares_in(move), *spaces_in(move)),
            legal=Legal.of(state) if legal else NOTHING_LEGAL,
            areas=tuple(state.areas()) if areas else None,
        )


def squares_in(move: str) -> list[str]:
    """Return the squares that a move text names."""
    return re.findall("[a-e][1-9][0-9]?", move)


def spaces_in(move: str) -> list[str]:
    """Return the spaces that a move text names: ``O1`` names ``order-1``."""
    return [f"{_SPACE_NAMES[letter]}-{space}" for letter, space in re.findall("([OV])([1-3])", move)]
