"""What an agent found out about a decision, and the agents that can tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from basilica_env.agents.base import Agent
from basilica_env.game import GameState

Listener = Callable[[int, float], bool | None]
"""Is told simulations and seconds while an agent thinks; what it returns is whether to end that."""


@dataclass(frozen=True)
class MoveAnalysis:
    """What a search found out about one move."""

    move: str
    action: int
    visits: int
    value: float
    """What the player who decides may expect by the aim of the search, -1 to 1."""
    result: float | None
    """The result that she may expect, -1 to 1; None if the search aims at the margin alone."""
    margin: float
    """The lead in points that she may expect at the end, squashed leads averaged."""

    @property
    def win_chance(self) -> float | None:
        """The share of games that she may expect to win, a tie counted half; None without a result."""
        return None if self.result is None else (1 + self.result) / 2


@dataclass(frozen=True)
class Analysis:
    """What a search found out about a decision."""

    moves: tuple[MoveAnalysis, ...]
    """The moves, best first."""
    line: tuple[str, ...]
    """The moves that the search expects, the best one first."""
    simulations: int
    seconds: float
    exact: bool = False
    """Whether exact play found the first move to be a best one, whatever its visits."""


@runtime_checkable
class Analyst(Agent, Protocol):
    """An agent that can say what it found out."""

    simulations: int | None
    """How many simulations a decision takes; None if something else ends the search."""

    def analyse(self, state: GameState, progress: Listener | None = None) -> Analysis:
        """Search and return what was found out."""
        ...
