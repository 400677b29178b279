"""Agents think here, in threads of their own: their kernels release the GIL, so the server goes on.

An agent is made anew for each decision, from a seed that the game and the number of the move fix. So a game
goes on in the same way after a restart, and memory is taken only by those who think now.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import numpy as np

from basilica_env.agents import Analysis, Analyst, MoveAnalysis
from basilica_env.game import GameState
from basilica_env.render.words import move_words
from basilica_env.web import messages
from basilica_env.web.opponents import opponent
from basilica_env.web.refusals import BusyError
from basilica_env.web.scenes import place_of
from basilica_env.web.settings import MOST_STUDIES, MOST_STUDIES_EACH

TOLD_EVERY = 0.25
"""Seconds between two reports of an agent that thinks."""

_T = TypeVar("_T")


class Thought:
    """Hears from an agent how far it is, and tells it when to stop.

    Parameters
    ----------
    limit : float
        Seconds.
    told : callable, optional
        Called now and then from the agent's thread.
    """

    def __init__(self, limit: float, told: Callable[[], object] | None = None) -> None:
        self.is_ended = False
        self.simulations = 0
        self.seconds = 0.0
        self._limit = limit
        self._told = told
        self._next = TOLD_EVERY

    def end(self) -> None:
        """Have the agent stop."""
        self.is_ended = True

    def __call__(self, simulations: int, seconds: float) -> bool:
        """Take note of how far the agent is; return whether it is to stop."""
        self.simulations, self.seconds = simulations, seconds
        if self._told is not None and seconds >= self._next:
            self._next = seconds + TOLD_EVERY
            self._told()
        return self.is_ended or seconds >= self._limit


def seed_of(seed: int, number: int) -> int:
    """Return the seed of the decision after so many moves in the game of a seed."""
    return int(np.random.SeedSequence((seed, number)).generate_state(1, np.uint64)[0])


def choose(spec: str, state: GameState, seed: int, thought: Thought) -> str:
    """Return the move of an agent."""
    seen, agent = _seen(state, seed), opponent(spec, seed)
    action = agent.analyse(seen, thought).moves[0].action if isinstance(agent, Analyst) else agent.act(seen)
    return state.move_of(action)


def study(spec: str, state: GameState, seed: int, thought: Thought) -> messages.Analysis:
    """Return what an agent thinks of a position; of one that only acts, its move."""
    seen, agent = _seen(state, seed), opponent(spec, seed)
    if isinstance(agent, Analyst):
        analysis = agent.analyse(seen, thought)
        figures = tuple(_figures(state, entry) for entry in analysis.moves)
    else:
        started = time.perf_counter()
        move = state.move_of(agent.act(seen))
        analysis = Analysis((), (move,), 0, time.perf_counter() - started)
        figures = (_unknown(state, move),)
    return messages.Analysis(
        agent=spec,
        player=state.player,
        decision=state.decision,
        moves=figures,
        line=analysis.line,
        simulations=analysis.simulations,
        seconds=analysis.seconds,
    )


def evaluate(spec: str, state: GameState, number: int, seed: int, thought: Thought) -> messages.Prospect:
    """Return what player 0 may expect after so many moves."""
    if state.is_over:
        first, second = state.scores
        return messages.Prospect(
            number=number, win_chance=(1 + state.returns()[0]) / 2, margin=float(first - second)
        )
    best = study(spec, state, seed, thought).moves[0]
    mine = state.player == 0
    chance, margin = best.win_chance, best.margin
    return messages.Prospect(
        number=number,
        win_chance=chance if mine or chance is None else 1 - chance,
        margin=margin if mine or margin is None else -margin,
    )


def _seen(state: GameState, seed: int) -> GameState:
    """Return a copy in which what the player cannot know is redrawn (R1.5)."""
    seen = state.copy()
    seen.resample_hidden(np.random.default_rng(seed))
    return seen


def _figures(state: GameState, entry: MoveAnalysis) -> messages.MoveFigures:
    if not entry.visits:
        return _unknown(state, entry.move)
    squares, space = place_of(state, entry.move)
    return messages.MoveFigures(
        move=entry.move,
        words=move_words(state, entry.move),
        squares=squares,
        space=space,
        value=entry.value,
        win_chance=entry.win_chance,
        margin=entry.margin,
        visits=entry.visits,
    )


def _unknown(state: GameState, move: str) -> messages.MoveFigures:
    squares, space = place_of(state, move)
    return messages.MoveFigures(
        move=move,
        words=move_words(state, move),
        squares=squares,
        space=space,
        value=None,
        win_chance=None,
        margin=None,
        visits=0,
    )


class Thinkers:
    """Two groups of threads: the moves of games never wait for hints, analyses and uploads.

    Parameters
    ----------
    threads : int
        Threads for games; half as many for the rest.
    """

    def __init__(self, threads: int) -> None:
        self._games = ThreadPoolExecutor(threads, thread_name_prefix="game")
        self._studies = ThreadPoolExecutor(max(1, threads // 2), thread_name_prefix="study")
        self._studying: Counter[str] = Counter()

    async def play(self, work: Callable[..., _T], *arguments: object) -> _T:
        """Work on the move of a game."""
        return await asyncio.get_running_loop().run_in_executor(self._games, work, *arguments)

    @contextmanager
    def place(self, visitor: str) -> Iterator[None]:
        """Count a visitor among those for whom there is something else to :meth:`look` at.

        Parameters
        ----------
        visitor : str
            The address.

        Raises
        ------
        BusyError
            If too many are counted already, or this one too often.
        """
        if self._studying.total() >= MOST_STUDIES:
            raise BusyError(
                f"{self._studying.total()} hints, analyses, evaluations and uploads are under way or wait: "
                "expected fewer"
            )
        if self._studying[visitor] >= MOST_STUDIES_EACH:
            raise BusyError(
                f"{self._studying[visitor]} hints, analyses, evaluations and uploads of yours are under way "
                f"or wait: expected at most {MOST_STUDIES_EACH} at a time"
            )
        self._studying[visitor] += 1
        try:
            yield
        finally:
            self._studying[visitor] -= 1
            self._studying += Counter()  # drops those who have none

    async def look(self, work: Callable[..., _T], *arguments: object) -> _T:
        """Work on something else, within a :meth:`place`."""
        return await asyncio.get_running_loop().run_in_executor(self._studies, work, *arguments)

    def close(self) -> None:
        """Wait for those who think; they must have been told to stop."""
        for group in (self._games, self._studies):
            group.shutdown(wait=True, cancel_futures=True)
