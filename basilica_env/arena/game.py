"""One game of a match: who plays which stack from which seeds, and what its record says of them.

The record of a game bears, besides its usual headers:

==================================  ====================================================================
``Pair``, ``First``                 the number of the pair from 0, and which agent has seat 0: ``A`` or ``B``
``AgentSeed0``, ``AgentSeed1``      the seeds of the agents, by seat
``Decisions0``, ``Decisions1``      how many decisions each took
``MeanTime0``, ``MeanTime1``        seconds a decision; ``MaxTime0``, ``MaxTime1`` the longest
``Simulations0``, ``Simulations1``  simulations a decision, of agents that tell them
``Reason``                          why an agent lost a game that did not end by the rules
==================================  ====================================================================

The termination of a game that an agent lost by its own fault is ``crash``, ``illegal move`` or ``time``.
"""

from __future__ import annotations

import datetime
import math
import operator
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from basilica_env.agents import Agent, make_agent
from basilica_env.core.layout import PLAYERS
from basilica_env.core.tiles import TileSet
from basilica_env.game import GameState
from basilica_env.records import GameRecord, Recorder

CRASH, ILLEGAL_MOVE, OVERTIME = "crash", "illegal move", "time"
FAULTS = (CRASH, ILLEGAL_MOVE, OVERTIME)
"""The terminations of a game that an agent lost by its own fault."""

LETTERS = ("A", "B")
LONGEST_REASON = 500

_DEAL, _REDRAWS, _AGENTS = range(3)
"""Who draws on a stream of chance of its own in a game; the agents by seat."""


class Task(NamedTuple):
    """One game to play."""

    pair: int
    """From 0; both games of a pair have the same stack."""
    first: int
    """The agent in seat 0: 0 for A, 1 for B."""

    def agent_of(self, seat: int) -> int:
        """Return which agent has a seat, or the seat of an agent."""
        return self.first ^ seat


@dataclass(frozen=True)
class Conditions:
    """What all games of a match have in common.

    Attributes
    ----------
    agents : tuple of two str
        The specs of A and B.
    seed : int
        Every seed of every game follows from it.
    tiles : TileSet
    limit_ms : float or None
        Milliseconds that a decision may take.
    """

    agents: tuple[str, str]
    seed: int
    tiles: TileSet
    limit_ms: float | None = None

    @property
    def limit(self) -> float:
        """Seconds that a decision may take; infinite without a limit."""
        return math.inf if self.limit_ms is None else self.limit_ms / 1000

    def sequence(self, task: Task, user: int) -> np.random.SeedSequence:
        """Return the source of chance of one user in a game; both games of a pair share that of the deal."""
        game = 0 if user == _DEAL else task.first
        return np.random.SeedSequence(self.seed, spawn_key=(task.pair, game, user))

    def deal_seed(self, task: Task) -> int:
        """Return the seed of the stack."""
        return _number(self.sequence(task, _DEAL))

    def agent_seeds(self, task: Task) -> tuple[int, int]:
        """Return the seeds of the agents, by seat."""
        first, second = (_number(self.sequence(task, _AGENTS + seat)) for seat in range(PLAYERS))
        return first, second

    def recorder(self, task: Task) -> Recorder:
        """Deal a game."""
        seed = self.deal_seed(task)
        seeds = self.agent_seeds(task)
        return Recorder(
            GameState.new(seed, self.tiles),
            players=(self.agents[task.agent_of(0)], self.agents[task.agent_of(1)]),
            seed=seed,
            date=datetime.datetime.now(datetime.UTC).date().isoformat(),
            headers={
                "Pair": str(task.pair),
                "First": LETTERS[task.first],
                "AgentSeed0": str(seeds[0]),
                "AgentSeed1": str(seeds[1]),
            },
        )


class Fixture(NamedTuple):
    """One game to play, and under which conditions."""

    conditions: Conditions
    task: Task


def _number(sequence: np.random.SeedSequence) -> int:
    return int(sequence.generate_state(1)[0])


class Witness(Protocol):
    """Is told how a game goes on, so that something is known of it even if its process ends."""

    def waits(self, seat: int, since: float) -> None:
        """Hear whose code is about to run; `since` is the monotonic time, infinite if it has no limit."""

    def goes_on(self, action: int | None = None) -> None:
        """Hear that it has come back, with which action."""


class _NoWitness:
    def waits(self, seat: int, since: float) -> None:
        """Ignore it."""

    def goes_on(self, action: int | None = None) -> None:
        """Ignore it."""


class _Fault(Exception):
    """An agent has lost the game."""

    def __init__(self, seat: int, kind: str, reason: str) -> None:
        super().__init__(seat, kind, reason)
        self.seat, self.kind, self.reason = seat, kind, reason


class _Seat:
    """An agent in its seat, and what it has spent."""

    def __init__(self, seat: int, spec: str, seed: int, limit: float, witness: Witness) -> None:
        self.seat = seat
        self.limit = limit
        self.witness = witness
        self.decisions, self.seconds, self.slowest = 0, 0.0, 0.0
        self.simulations: float | None = None
        witness.waits(seat, math.inf)
        try:
            self.agent: Agent = make_agent(spec, seed)
        except (Exception, SystemExit) as error:
            raise _Fault(seat, CRASH, f"could not be made: {_described(error.__cause__ or error)}") from error
        witness.goes_on()

    def decide(self, state: GameState) -> tuple[Any, float]:
        """Ask the agent; return what it answers and how many seconds it took."""
        self.witness.waits(self.seat, time.monotonic())
        begun = time.perf_counter()
        try:
            answer = self.agent.act(state)
        except (Exception, SystemExit) as error:
            raise _Fault(self.seat, CRASH, _described(error)) from error
        taken = time.perf_counter() - begun
        self.decisions += 1
        self.seconds += taken
        self.slowest = max(self.slowest, taken)
        simulations = _simulations(self.agent)
        if simulations is not None:
            self.simulations = (self.simulations or 0) + simulations
        if taken > self.limit:
            raise _Fault(
                self.seat, OVERTIME, f"took {taken * 1000:.1f} ms, expected at most {self.limit * 1000:g}"
            )
        return answer, taken

    def headers(self) -> dict[str, str]:
        """Return what the record says of the agent."""
        decisions = max(1, self.decisions)
        spent = {
            "Decisions": str(self.decisions),
            "MeanTime": f"{self.seconds / decisions:.6f}",
            "MaxTime": f"{self.slowest:.6f}",
        }
        if self.simulations is not None:
            spent["Simulations"] = f"{self.simulations / decisions:.1f}"
        return {f"{name}{self.seat}": value for name, value in spent.items()}


def play_game(conditions: Conditions, task: Task, witness: Witness | None = None) -> GameRecord:
    """Play one game; the same task gives the same game, as far as its agents do.

    The agents are made for this game alone. At each decision an agent gets a copy of the game in which all
    that it cannot know is redrawn (R1.5), so no agent can play by what is hidden.
    """
    witness = witness or _NoWitness()
    recorder = conditions.recorder(task)
    redraws = np.random.default_rng(conditions.sequence(task, _REDRAWS))
    seats: list[_Seat] = []
    try:
        for seat, (spec, seed) in enumerate(zip(recorder.players, conditions.agent_seeds(task), strict=True)):
            seats.append(_Seat(seat, spec, seed, conditions.limit, witness))
        while not recorder.state.is_over:
            _decide(recorder, seats[recorder.state.player], redraws, witness)
    except _Fault as fault:
        _add_headers(recorder, seats)
        return lost(recorder, fault.seat, fault.kind, fault.reason)
    _add_headers(recorder, seats)
    return recorder.record()


def _decide(recorder: Recorder, seat: _Seat, redraws: np.random.Generator, witness: Witness) -> None:
    seen = recorder.state.copy()
    seen.resample_hidden(redraws)
    answer, seconds = seat.decide(seen)
    try:
        action = operator.index(answer)
        recorder.play(action, seconds)
    except (TypeError, ValueError) as error:
        raise _Fault(seat.seat, ILLEGAL_MOVE, f"answered {_shortened(repr(answer))}: {error}") from error
    witness.goes_on(action)


def _add_headers(recorder: Recorder, seats: list[_Seat]) -> None:
    for seat in seats:
        recorder.headers |= seat.headers()


def lost(recorder: Recorder, seat: int, kind: str, reason: str) -> GameRecord:
    """Return the record of a game that the agent of a seat has lost by its own fault."""
    recorder.headers["Reason"] = _shortened(f"{recorder.players[seat]} {reason}")
    return recorder.record(termination=kind, result="0-1" if seat == 0 else "1-0")


def _described(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_REASON else f"{text[:LONGEST_REASON]}..."


def _simulations(agent: Agent) -> float | None:
    """Return how many simulations the last decision took, if the agent's `analysis` tells it."""
    analysis = getattr(agent, "analysis", None)
    if isinstance(analysis, Mapping):
        number = analysis.get("simulations")
    else:
        number = getattr(analysis, "simulations", None)
    return None if number is None else float(number)


# --- What a match keeps of a game -----------------------------------------------------------------


class Spent(NamedTuple):
    """What an agent has spent in one game or in many."""

    decisions: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    """Seconds of the longest decision."""
    simulations: float | None = None
    """None if the agent does not tell them."""

    def __or__(self, other: Any) -> Spent:
        """Return what both are together."""
        told = [spent.simulations for spent in (self, other) if spent.simulations is not None]
        return Spent(
            self.decisions + other.decisions,
            self.seconds + other.seconds,
            max(self.slowest, other.slowest),
            sum(told) if told else None,
        )


@dataclass(frozen=True)
class Outcome:
    """What a match keeps of a game; A comes first in every pair.

    Attributes
    ----------
    task : Task
    score : float
        Of A: 1, 1/2 or 0.
    points : tuple of two int
    fault : tuple of agent and termination, or None
        Who lost the game by its own fault, and how.
    spent : tuple of two Spent
    """

    task: Task
    score: float
    points: tuple[int, int]
    fault: tuple[int, str] | None
    spent: tuple[Spent, Spent]

    @classmethod
    def of(cls, record: GameRecord) -> Outcome:
        """Read it from the record.

        Raises
        ------
        ValueError
            If the record is not one of a match.
        """
        try:
            task = Task(int(record.headers["Pair"]), LETTERS.index(record.headers["First"]))
            if task.pair < 0:
                raise ValueError("a negative pair")
            spent = tuple(_spent(record.headers, seat) for seat in range(PLAYERS))
            first_score = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}[record.result]
        except (KeyError, ValueError) as error:
            raise ValueError(f"a record that is not a match's: {error}") from None
        fault = None
        if record.termination in FAULTS:
            fault = task.agent_of(int(first_score)), record.termination
        a, b = task.agent_of(0), task.agent_of(1)
        return cls(
            task,
            first_score if task.first == 0 else 1 - first_score,
            (record.scores[a], record.scores[b]),
            fault,
            (spent[a], spent[b]),
        )


def _spent(headers: Mapping[str, str], seat: int) -> Spent:
    decisions = int(headers.get(f"Decisions{seat}", "0"))
    simulations = headers.get(f"Simulations{seat}")
    return Spent(
        decisions,
        decisions * float(headers.get(f"MeanTime{seat}", "0")),
        float(headers.get(f"MaxTime{seat}", "0")),
        None if simulations is None else decisions * float(simulations),
    )
