"""How a piece of work is timed: several repeats of a least length, none thrown away."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice


@dataclass(frozen=True)
class Effort:
    """How long a row is measured.

    Attributes
    ----------
    repeats : int
        Timed repeats of one row.
    seconds : float
        Least length of a repeat.
    starts : int
        Processes started for a row that measures how long a start takes.
    """

    repeats: int
    seconds: float
    starts: int = 1


FULL = Effort(repeats=5, seconds=0.3, starts=5)
QUICK = Effort(repeats=3, seconds=0.05, starts=1)


@dataclass(frozen=True)
class Sample:
    """What one row measured.

    Attributes
    ----------
    values : list of float
        One value a repeat, in the unit of the row.
    ready : float or None
        When the first piece of work was done, as ``time.time()``: imports and compilation lie before it.
    """

    values: list[float]
    ready: float | None = None


Work = Callable[[], int]
"""Does a piece of work and returns how many units it was (steps, games, copies)."""


def _repeats(work: Work, effort: Effort) -> Iterator[tuple[int, float]]:
    """Yield the units done and the seconds taken, once a repeat."""
    for _ in range(effort.repeats):
        done, start = 0, time.perf_counter()
        end = start
        while end - start < effort.seconds or not done:
            done += work()
            end = time.perf_counter()
        yield done, end - start


def _warm_up(work: Work, effort: Effort) -> float:
    """Do the work untimed, so that everything is compiled and every game is well under way."""
    work()
    ready = time.time()
    end = time.perf_counter() + effort.seconds
    while time.perf_counter() < end:
        work()
    return ready


def rate(work: Work, effort: Effort) -> Sample:
    """Measure units of work a second."""
    ready = _warm_up(work, effort)
    return Sample([done / seconds for done, seconds in _repeats(work, effort)], ready)


def cost(work: Work, effort: Effort) -> Sample:
    """Measure microseconds a unit of work."""
    ready = _warm_up(work, effort)
    return Sample([1e6 * seconds / done for done, seconds in _repeats(work, effort)], ready)


def faster(slow: Work, fast: Work, effort: Effort) -> Sample:
    """Measure how many times as fast one piece of work is as another.

    In a repeat they take turns, so that a machine that grows slower meets both alike. The turns are as long
    as repeats, because a core that was idle may be slow at first.
    """
    ready = _warm_up(slow, effort)
    _warm_up(fast, effort)
    turn = Effort(1, effort.seconds)

    def ratio() -> float:
        seconds_a_unit = [0.0, 0.0]
        for number, work in ((0, slow), (1, fast), (1, fast), (0, slow)):
            done, seconds = next(_repeats(work, turn))
            seconds_a_unit[number] += seconds / done
        return seconds_a_unit[0] / seconds_a_unit[1]

    return Sample([ratio() for _ in range(effort.repeats)], ready)


def pieces(steps: Iterator[object], units: int) -> Work:
    """Return the work of taking ``units`` steps from an endless iterator."""

    def work() -> int:
        deque(islice(steps, units), maxlen=0)
        return units

    return work
