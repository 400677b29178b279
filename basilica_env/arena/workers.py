"""Plays games, in this process or in several.

A worker is a process of its own, started afresh (spawn), with one thread for numerical libraries. It plays
one game at a time. What its game has come to lies in shared memory, so that the game of a worker that
dies, or that is ended because a decision takes far too long, still has its record.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import islice
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple

from basilica_env.agents import make_agent
from basilica_env.arena.game import CRASH, OVERTIME, Fixture, Outcome, lost, play_game
from basilica_env.game import GameState
from basilica_env.records import GameRecord, Recorder


class Played(NamedTuple):
    """A game that has ended."""

    fixture: Fixture
    outcome: Outcome
    record: str
    """Its record as text."""


LONGEST_GAME = 8192
"""Decisions that a journal holds; games have some hundred."""
GRACE = 1.0
"""Seconds beyond its limit, or beyond twice the limit, after which a decision is cut short."""
LONGEST_WARM_UP = 600.0
"""Seconds; the first worker may have to compile."""

_THREADS = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_NOBODY = -1


def play_games(
    fixtures: Iterable[Fixture], agents: Sequence[str], workers: int
) -> Generator[Played, None, None]:
    """Play games and yield each as it ends; close the iterator to leave those in play.

    Parameters
    ----------
    fixtures : iterable of Fixture
        Taken one by one as there is somebody to play them.
    agents : sequence of str
        The specs of all who play; each process lets them decide once before a clock runs.
    workers : int
        Processes; 1 plays in this one, where nothing can stop an agent that hangs or ends the process.
    """
    if workers == 1:
        _warm_up(agents)
        for fixture in fixtures:
            yield _played(fixture, play_game(*fixture))
    else:
        crew = _Crew(fixtures, agents, workers)
        try:
            yield from crew.play()
        finally:
            crew.dismiss()


def _played(fixture: Fixture, record: GameRecord) -> Played:
    return Played(fixture, Outcome.of(record), record.to_text())


# --- In the worker --------------------------------------------------------------------------------


class _Journal(ctypes.Structure):
    """What the game of a worker has come to; lies in memory that the worker shares with its match."""

    _fields_ = (
        ("since", ctypes.c_double),  # monotonic time; infinite while nothing has a limit
        ("seat", ctypes.c_int32),  # whose code is running, or _NOBODY
        ("moves", ctypes.c_int32),
        ("actions", ctypes.c_int16 * LONGEST_GAME),
    )


class _Writer:
    """Writes a journal."""

    def __init__(self, journal: Any) -> None:
        self.journal = journal
        journal.moves = 0
        self.goes_on()

    def waits(self, seat: int, since: float) -> None:
        self.journal.since = since
        self.journal.seat = seat

    def goes_on(self, action: int | None = None) -> None:
        self.journal.seat = _NOBODY
        self.journal.since = math.inf
        if action is not None and self.journal.moves < LONGEST_GAME:
            self.journal.actions[self.journal.moves] = action
            self.journal.moves += 1


def _work(connection: Connection, journal: Any, agents: Sequence[str]) -> None:
    """Play what comes through a connection until it closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the match
    threading.Thread(target=_end_with_the_match, daemon=True).start()
    sys.stdout = sys.stderr  # what agents print is no result
    _warm_up(agents)
    with contextlib.suppress(EOFError, ConnectionError):
        connection.send(None)
        while True:
            fixture = connection.recv()
            connection.send(_played(fixture, play_game(fixture.conditions, fixture.task, _Writer(journal))))


def _end_with_the_match() -> None:
    """End at once, in the middle of a game, if the match has been killed."""
    match = multiprocessing.parent_process()
    if match is not None:
        match.join()
        os._exit(1)


def _warm_up(agents: Sequence[str]) -> None:
    """Compile or load what games need, before a clock runs."""
    state = GameState.new(0)
    seen = state.copy()
    recorder = Recorder(state)
    recorder.play(state.sample_action())
    recorder.record().to_text()
    for spec in agents:
        with contextlib.suppress(Exception, SystemExit):  # the games will tell
            make_agent(spec, 0).act(seen.copy())


# --- In the match ---------------------------------------------------------------------------------


class _Worker:
    """A worker, as its match sees it."""

    def __init__(self, agents: Sequence[str]) -> None:
        context = multiprocessing.get_context("spawn")
        self.journal: Any = context.RawValue(_Journal)
        self.journal.seat = _NOBODY
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs, self.journal, agents), daemon=True)
        with _one_thread(), _without_interrupts():
            self.process.start()
        theirs.close()
        self.hired = time.monotonic()
        self.is_ready = False
        self.fixture: Fixture | None = None

    def deadline(self) -> float:
        """Return the monotonic time at which what it does is cut short."""
        if not self.is_ready:
            return self.hired + LONGEST_WARM_UP
        if self.fixture is None:
            return math.inf
        limit = self.fixture.conditions.limit
        return float(self.journal.since) + limit + max(limit, GRACE)

    def give(self, fixture: Fixture) -> None:
        """Have it play a game. If it is dead, that shows when its answer is awaited."""
        self.fixture = fixture
        self.journal.seat = _NOBODY
        self.journal.since = math.inf
        self.journal.moves = 0
        with contextlib.suppress(OSError):
            self.connection.send(fixture)

    def end(self) -> None:
        """Kill it."""
        self.process.kill()
        self.process.join()
        self.connection.close()

    def fate(self) -> str:
        """Say how its process ended."""
        status = self.process.exitcode
        if status is not None and status < 0:
            return f"ended its process by signal {signal.Signals(-status).name}"
        return f"ended its process with status {status}"


class _Crew:
    """The workers of a match."""

    def __init__(self, fixtures: Iterable[Fixture], agents: Sequence[str], size: int) -> None:
        self.fixtures = iter(fixtures)
        self.agents = agents
        """Whom workers try before their first game; none if that has ended one."""
        self.size = size
        self.workers: list[_Worker] = []
        self.again: deque[Fixture] = deque()
        self.failures: Counter[Fixture | None] = Counter()
        self.are_games_left = True
        self.is_compiled = False

    def play(self) -> Iterator[Played]:
        """Play all games."""
        self._hire()
        while True:
            self._give_games()
            if not self.are_games_left and not any(worker.fixture for worker in self.workers):
                return
            for worker in self._wait():
                yield from self._hear(worker)
            for worker in [worker for worker in self.workers if worker.deadline() < time.monotonic()]:
                yield from self._cut_short(worker)

    def dismiss(self) -> None:
        """End all workers, in the middle of their games if need be."""
        for worker in self.workers:
            worker.process.kill()
        for worker in self.workers:
            worker.end()
        self.workers.clear()

    def _hire(self) -> None:
        self.workers.append(_Worker(self.agents))

    def _give_games(self) -> None:
        for worker in self.workers:
            if worker.is_ready and worker.fixture is None:
                fixture = self.again.popleft() if self.again else next(self.fixtures, None)
                self.are_games_left = fixture is not None
                if fixture is None:
                    return
                worker.give(fixture)

    def _wait(self) -> list[_Worker]:
        """Wait a while for workers that have something to say."""
        # A decision begins without a word, so those that have a limit are looked at every now and then.
        speaking = wait([worker.connection for worker in self.workers], GRACE / 2)
        return [worker for worker in self.workers if worker.connection in speaking]

    def _hear(self, worker: _Worker) -> Iterator[Played]:
        try:
            played: Played | None = worker.connection.recv()
        except (EOFError, OSError):
            yield from self._replace(worker, CRASH, None)
            return
        if played is None:
            worker.is_ready = True
            self._complete()
        else:
            worker.fixture = None
            yield played

    def _complete(self) -> None:
        """Hire the others once the first has filled the cache of compiled code, which must not be raced."""
        if not self.is_compiled:
            self.is_compiled = True
            while len(self.workers) < self.size:
                self._hire()

    def _cut_short(self, worker: _Worker) -> Iterator[Played]:
        yield from self._replace(worker, OVERTIME, "took far more than its time and was cut short")

    def _replace(self, worker: _Worker, kind: str, reason: str | None) -> Iterator[Played]:
        """Hire somebody for a worker that has died or must; its game is lost by whose code was running."""
        worker.end()
        self.workers.remove(worker)
        if worker.fixture is not None and worker.journal.seat != _NOBODY:
            record = _unfinished(worker, worker.fixture, kind, reason or worker.fate())
            yield _played(worker.fixture, record)
        else:
            self._count_failure(worker)
        if self.are_games_left:
            self._hire()

    def _count_failure(self, worker: _Worker) -> None:
        """Play a game again that nobody's fault has ended, and warm up without agents if they broke it."""
        fixture = worker.fixture
        self.failures[fixture] += 1
        if self.failures[fixture] > 2:
            what = "warming up" if fixture is None else f"playing {fixture.task}"
            raise RuntimeError(f"a worker {worker.fate()} while {what}, and so did others before")
        if fixture is not None:
            self.again.append(fixture)
            self.are_games_left = True
        elif not worker.is_ready:
            self.agents = ()


def _unfinished(worker: _Worker, fixture: Fixture, kind: str, reason: str) -> GameRecord:
    """Return the record of a game that its worker could not finish."""
    recorder = fixture.conditions.recorder(fixture.task)
    for action in islice(worker.journal.actions, worker.journal.moves):
        recorder.play(action)
    return lost(recorder, worker.journal.seat, kind, reason)


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Let a process that is started now use one thread, unless the user has said otherwise."""
    unset = [name for name in _THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(unset, "1"))
    try:
        yield
    finally:
        for name in unset:
            os.environ.pop(name, None)


@contextlib.contextmanager
def _without_interrupts() -> Iterator[None]:
    """Let a process that is started now not hear Ctrl-C, not even before it can ignore it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
