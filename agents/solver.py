"""Exact values of positions near the end of the game.

Expectimax over what players can know: the player who decides takes the most of her own expectation, the
opponent the least, and chance is averaged over the public results of an action with their exact
probabilities (:mod:`basilica_env.chance`). Where counting leaves nothing to chance any more, a compiled
search goes on (:mod:`basilica_env.core.endgame`). The true order of the stack is never looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from basilica_env.core import endgame, reveal
from basilica_env.core.layout import NONE, TILES
from basilica_env.game import GameState

AIMS = {"margin": endgame.points_worth(), "win": endgame.worth(margin_share=0)}
MOST_POSITIONS = 50_000_000
"""Positions visited before a solver gives up, by default: some ten seconds."""
MOST_DRAWS = 12
"""Tiles left to draw beyond which no search comes to an end."""


class TooLargeError(ValueError):
    """A position too far from the end to be solved."""


@dataclass(frozen=True)
class MoveValue:
    """What one move is worth."""

    move: str
    action: int
    value: Fraction
    """For the player who decides: her expected final lead in points, or her expected result, -1 to 1."""


@dataclass(frozen=True)
class Solution:
    """The exact value of a position and of all its moves."""

    aim: str
    moves: tuple[MoveValue, ...]
    """Every legal move, best first; equal ones in the order of their actions."""
    positions: int
    """Positions visited."""

    @property
    def value(self) -> Fraction:
        """What the position is worth to the player who decides."""
        return self.moves[0].value

    @property
    def best(self) -> tuple[str, ...]:
        """The best moves."""
        return tuple(entry.move for entry in self.moves if entry.value == self.value)


class Solver:
    """Solves positions and remembers what it has seen.

    Parameters
    ----------
    aim : ``"margin"``, points, or ``"win"``, the result
    most_positions : positions to visit before giving up
    """

    def __init__(self, aim: str = "margin", most_positions: int = MOST_POSITIONS) -> None:
        if aim not in AIMS:
            raise ValueError(f"aim is {aim!r}: expected one of {', '.join(AIMS)}")
        if most_positions < 1:
            raise ValueError(f"most_positions is {most_positions}: expected 1 or more")
        self.aim = aim
        self.positions = 0
        self._most = most_positions
        self._known: dict[bytes, Fraction] = {}

    def solve(self, state: GameState) -> Solution:
        """Return the exact value of a position; see :func:`solve`."""
        ranked = sorted(self.moves(state), key=lambda entry: -entry.value)
        return Solution(self.aim, tuple(ranked), self.positions)

    def moves(self, state: GameState) -> Iterator[MoveValue]:
        """Iterate over the legal moves, each solved when it is asked for.

        Raises
        ------
        TooLargeError
            If more positions follow than the solver may visit.
        ValueError
            If the game is over.
        """
        if state.is_over:
            raise ValueError("the game is over: there is nothing to decide")
        draws = tiles_to_draw(state)
        if draws > MOST_DRAWS:
            raise TooLargeError(
                f"{draws} tiles can still be drawn: expected a position nearer to the end, "
                f"with {MOST_DRAWS} at most"
            )
        self._visit(1)
        sign = 1 if state.player == 0 else -1
        for action in state.legal_actions().tolist():
            yield MoveValue(state.move_of(action), action, sign * self._expected(state, action))

    def _expected(self, state: GameState, action: int) -> Fraction:
        """Return what a move is worth to player 0, chance averaged."""
        return sum((chance * self._value(after) for chance, after in state.outcomes(action)), Fraction(0))

    def _value(self, state: GameState) -> Fraction:
        """Return what a position is worth to player 0."""
        if state.is_over:
            self._visit(1)
            first, second = state.scores if self.aim == "margin" else state.returns()
            return Fraction(first - second if self.aim == "margin" else first)
        key = public_key(state)
        if key not in self._known:
            self._known[key] = self._certain(state) if _is_certain(state) else self._uncertain(state)
        return self._known[key]

    def _uncertain(self, state: GameState) -> Fraction:
        self._visit(1)
        values = (self._expected(state, action) for action in state.legal_actions().tolist())
        return max(values) if state.player == 0 else min(values)

    def _certain(self, state: GameState) -> Fraction:
        most = self._most - self.positions
        best, value, visited = endgame.best_action(
            state.to_array(), state.tiles.array, AIMS[self.aim], most, favourite=NONE
        )
        self._visit(visited if best != NONE else most + 1)
        return Fraction(int(value))

    def _visit(self, positions: int) -> None:
        self.positions += positions
        if self.positions > self._most:
            raise TooLargeError(
                f"more than {self._most:,} positions follow: expected a position nearer to the end, "
                "or a larger limit"
            )


def solve(state: GameState, aim: str = "margin", most_positions: int = MOST_POSITIONS) -> Solution:
    """Return the exact value of a position near the end, and of all its moves.

    What is hidden stays so: the value is an expectation over all that fits what is open (R1.5).

    Parameters
    ----------
    state : left as it is
    aim : ``"margin"``: the expected final lead in points of the player who decides; ``"win"``: her
        expected result, from -1 to 1
    most_positions : positions to visit before giving up

    Raises
    ------
    TooLargeError
        If more positions follow than that.
    ValueError
        If the game is over, or there is no such aim.

    Examples
    --------
    >>> from basilica_env import GameState
    >>> from basilica_env.agents.solver import solve
    >>> solve(GameState.new(seed=7))
    Traceback (most recent call last):
    ...
    basilica_env.agents.solver.TooLargeError: 52 tiles can still be drawn: ...
    """
    return Solver(aim, most_positions).solve(state)


def tiles_to_draw(state: GameState) -> int:
    """Return how many tiles can still be drawn: the stack and, before the reshuffle, the discard pile."""
    game = state.to_array()[0]
    return TILES - int(game["top"]) + (0 if game["reshuffled"] else int(game["discards"]))


def public_key(state: GameState) -> bytes:
    """Return what is open in a position (R1.5), the same for every order of what is hidden.

    Two positions that differ in the order of the discard pile alone are the same, since it counts for
    nothing: a reshuffle mixes it.
    """
    games = state.to_array()
    game, tiles = games[0], state.tiles.array
    sides = [tiles["alike"][tile] if tile != NONE else 0 for tile in game["orders"]]
    sides.append(tiles["alike"][game["deck"][game["top"]]] if game["top"] < TILES else 0)
    for field in ("legal", "random", "deck", "orders"):
        game[field] = 0
    return games.tobytes() + np.array(sides, np.uint64).tobytes()


def _is_certain(state: GameState) -> bool:
    return bool(reveal.is_certain(state.to_array(), state.tiles.array))
