"""What a game pays. Every kind is zero-sum, so one number says it for both players."""

from __future__ import annotations

from basilica_env.core.batch import MARGIN_UNIT
from basilica_env.game import GameState

REWARDS = ("win", "margin", "score")
ILLEGAL = ("raise", "lose", "penalty")
"""What an illegal action does: it raises, it loses the game, or it costs and another is asked for."""
PENALTY = 0.1
"""What an illegal action costs in the last case, in every kind of reward."""


def lead(game: GameState) -> int:
    """Return by how many points player 0 is ahead."""
    first, second = game.scores
    return first - second


def step_reward(kind: str, lead_before: int, game: GameState) -> float:
    """Return what a decision paid player 0.

    Parameters
    ----------
    kind : {"win", "margin", "score"}
    lead_before : by how many points player 0 was ahead before the decision
    game : the game after the decision
    """
    if kind == "score":
        return (lead(game) - lead_before) / MARGIN_UNIT
    if not game.is_over:
        return 0.0
    return float(game.returns()[0]) if kind == "win" else lead(game) / MARGIN_UNIT


def forfeit_reward(kind: str, ahead: int) -> float:
    """Return what an illegal action that loses the game pays the player who made it.

    Counted in points she ends a whole unit behind, and behind what she had if that was less than nothing,
    so that no game is so bad that an illegal action would be the better end.

    Parameters
    ----------
    kind : {"win", "margin", "score"}
    ahead : by how many points she was ahead
    """
    if kind == "win":
        return -1.0
    already_paid = ahead if kind == "score" else 0
    return (min(ahead, 0) - already_paid) / MARGIN_UNIT - 1.0
