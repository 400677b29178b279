"""Agents with faults and quirks, named by ``tests.arena_agents:Class``."""

from __future__ import annotations

import os
import time
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from basilica_env.game import GameState

SOON = 3
"""Decisions after which a fault shows."""


class Uniform:
    """Plays at random."""

    name = "uniform"

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.decisions = 0

    def act(self, state: GameState) -> Any:
        self.decisions += 1
        if self.decisions > SOON:
            return self.late(state)
        return self.play(state)

    def play(self, state: GameState) -> int:
        return int(self.rng.choice(state.legal_actions()))

    def late(self, state: GameState) -> Any:
        return self.play(state)


class Slow(Uniform):
    """Takes a while, so that a match can be killed in the middle."""

    def late(self, state: GameState) -> int:
        time.sleep(0.001)
        return self.play(state)


class Raising(Uniform):
    def late(self, _: GameState) -> int:
        raise RuntimeError('no idea {what} to "do"\nhere')


class Unmakeable:
    name = "unmakeable"

    def __init__(self, seed: int) -> None:
        if seed:  # a match makes one to see whether the spec is right
            raise OSError("the weights are gone")

    def act(self, state: GameState) -> int:
        return int(state.legal_actions()[0])


class Leaving(Uniform):
    def late(self, _: GameState) -> int:
        raise SystemExit(0)


class Illegal(Uniform):
    def __init__(self, seed: int, answer: Any = 0) -> None:
        super().__init__(seed)
        self.answer = answer

    def late(self, state: GameState) -> Any:
        """Answer what was given, or the first action that is not legal."""
        return self.answer or int(np.flatnonzero(state.legal_mask() == 0)[0])


class Clock:
    """Stands in for the module `time`: it goes only when it is told to."""

    now = 0.0

    def perf_counter(self) -> float:
        return self.now

    monotonic = perf_counter


CLOCK = Clock()


class Late(Uniform):
    """Takes 200 ms by a clock of its own."""

    def late(self, state: GameState) -> int:
        CLOCK.now += 0.2
        return self.play(state)


class Dying(Uniform):
    """Hangs in one game in four and ends its process in another."""

    def late(self, state: GameState) -> int:
        self.decisions = SOON
        kind = int(self.rng.integers(40))
        if kind == 0:
            time.sleep(3600)
        if kind == 1:
            os._exit(7)
        return self.play(state)


class Stillborn(Uniform):
    """Ends its process at once."""

    def act(self, _: GameState) -> int:
        os.abort()


class Peeking(Uniform):
    """Keeps what it is shown, and spoils it."""

    seen: ClassVar[list[tuple[str, ...]]] = []

    def act(self, state: GameState) -> int:
        self.seen.append(state.view().stack)
        action = self.play(state)
        while not state.is_over:
            state.apply(state.sample_action())
        return action


class Searching(Uniform):
    """Tells how many simulations a decision took."""

    analysis: Any = None

    def play(self, state: GameState) -> int:
        self.analysis = SimpleNamespace(simulations=10 * self.decisions)
        return super().play(state)


class Chatting(Uniform):
    def play(self, state: GameState) -> int:
        print("thinking")
        return super().play(state)
