"""How a network does against fixed agents: pairs of games with the same stack and the seats swapped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from basilica_env.agents.base import BatchAgent
from basilica_env.arena.statistics import Estimate, pair_score
from basilica_env.core.layout import ACTIONS
from basilica_env.envs.batch import BatchEnv
from basilica_env.envs.opponents import Rival


@dataclass(frozen=True)
class Evaluation:
    """What came out of games against one agent, from the side of the network."""

    anchor: str
    """The spec of the other agent."""
    seats: tuple[tuple[int, int, int], tuple[int, int, int]]
    """Wins, draws and losses from seat 0, and from seat 1."""
    pairs: tuple[int, int, int, int, int]
    """Pairs of games that brought 0, 1/2, 1, 3/2 and 2 points."""
    lead: float
    """Mean lead in points at the end."""

    @property
    def games(self) -> int:
        """Number of games."""
        return 2 * sum(self.pairs)

    @property
    def score(self) -> Estimate:
        """Mean score, a draw counted as half a win, with its 95 % interval by pairs."""
        return pair_score(self.pairs)


def evaluate(agent: BatchAgent, anchor: str, games: int, seed: int, threads: int = 1) -> Evaluation:
    """Play games of an agent against another one, half of them from each seat.

    Game i and game i + games / 2 begin with the same stack and seats swapped.

    Parameters
    ----------
    agent : plays all games at once
    anchor : spec of the other agent
    games : an even number
    seed : of the games and of the other agent
    """
    half = games // 2
    seats = np.repeat((0, 1), half)
    leads = _play(agent, Rival(anchor, seed, "flat", np.dtype(np.uint8)), seats, seed, threads)
    results = np.sign(leads).astype(np.int64)
    in_pairs = results[:half] + results[half:]
    return Evaluation(
        anchor,
        (_tally(results[:half]), _tally(results[half:])),
        (*(int((in_pairs == points).sum()) for points in (-2, -1, 0, 1, 2)),),  # type: ignore[arg-type]
        float(leads.mean()),
    )


def _tally(results: NDArray[np.int64]) -> tuple[int, int, int]:
    wins, draws, losses = (int((results == result).sum()) for result in (1, 0, -1))
    return wins, draws, losses


def _play(
    agent: BatchAgent, rival: Rival, seats: NDArray[np.int64], seed: int, threads: int
) -> NDArray[np.int64]:
    """Return the final leads of the agent in games with its seats."""
    env = BatchEnv(len(seats), seed, threads, observation=None, mask=None, autoreset="disabled")
    states = env.get_state()
    states[len(seats) // 2 :] = states[: len(seats) // 2]
    players = env.set_state(states).player
    over = np.zeros(len(seats), np.bool_)
    leads = np.zeros(len(seats), np.int64)
    nothing = np.empty((0, ACTIONS), np.uint8)
    while not over.all():
        for is_agent in (True, False):
            games = np.flatnonzero(~over & ((players == seats) == is_agent))
            if not games.size:
                continue
            if is_agent:
                actions = agent.act_batch(env, games)
            else:
                actions = rival.act_batch(env, games, nothing, nothing)  # an agent looks at the games alone
            now = env.step(actions, games)
            players[games], over[games] = now.player, now.terminated
            leads[games] = now.scores[:, 0] - now.scores[:, 1]
    env.close()
    return np.where(seats == 0, leads, -leads)
