"""Matches: two agents, pairs of games with the same stack and the seats swapped."""

from __future__ import annotations

import math
import os
import platform
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from copy import deepcopy
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import Any

from basilica_env import __version__
from basilica_env.agents import make_agent
from basilica_env.arena.folder import SUMMARY, MatchError, MatchFolder
from basilica_env.arena.game import Conditions, Outcome, Spent, Task
from basilica_env.arena.statistics import Estimate, Sprt, pair_elo, pair_score, superiority, wilson
from basilica_env.arena.workers import play_games
from basilica_env.core.compile import source_digest
from basilica_env.core.layout import PLAYERS
from basilica_env.core.tiles import TileSet, tile_set

DEFAULT_GAMES = 100
SEED_BITS = 32

Pentanomial = tuple[int, int, int, int, int]


@dataclass(frozen=True)
class Tally:
    """Wins, draws and losses."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """How many there are together."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points a game, 1 for a win and 1/2 for a draw; 1/2 if there are no games."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5

    @property
    def variance(self) -> float:
        """The variance of the score of one game."""
        if not self.games:
            return 0.0
        return (self.wins + self.draws / 4) / self.games - self.score**2

    def __add__(self, other: Tally) -> Tally:
        """Add up."""
        return Tally(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)


@dataclass(frozen=True)
class MatchResult:
    """What a match has come to. A is the first agent; everything is seen from its side.

    Attributes
    ----------
    agents : tuple of two str
        The specs of A and B.
    seed : int
        Of the match.
    as_first, as_second : Tally
        The games in which A has seat 0, and seat 1.
    pairs : tuple of five int
        How many pairs brought A 0, 1/2, 1, 3/2 and 2 points: the pentanomial.
    points : tuple of two float
        Mean points of A and B in the games that ended by the rules; 0 if there are none.
    spent : tuple of two Spent
        Decisions, seconds and simulations of A and B.
    faults : tuple of two mappings of str to int
        Games that A and B lost by their own fault, by termination.
    sprt : Sprt or None
        The sequential test, if there was one.
    stopped : str
        ``"games"``, ``"time"``, ``"H0"`` or ``"H1"`` accepted, ``"interrupted"``; empty while it goes on.
    """

    agents: tuple[str, str]
    seed: int
    as_first: Tally = Tally()
    as_second: Tally = Tally()
    pairs: Pentanomial = (0, 0, 0, 0, 0)
    points: tuple[float, float] = (0.0, 0.0)
    spent: tuple[Spent, Spent] = (Spent(), Spent())
    faults: tuple[Mapping[str, int], Mapping[str, int]] = field(default=({}, {}), hash=False)
    sprt: Sprt | None = None
    stopped: str = ""

    @property
    def total(self) -> Tally:
        """All games."""
        return self.as_first + self.as_second

    @property
    def games(self) -> int:
        """How many games were played."""
        return self.total.games

    @property
    def wins(self) -> int:
        """Games that A won."""
        return self.total.wins

    @property
    def draws(self) -> int:
        """Games that nobody won."""
        return self.total.draws

    @property
    def losses(self) -> int:
        """Games that B won."""
        return self.total.losses

    @property
    def score(self) -> Estimate:
        """Mean score of A over the complete pairs, with its 95 % interval by pairs."""
        return pair_score(self.pairs)

    @property
    def wilson(self) -> Estimate:
        """Mean score of A over all games, with its 95 % interval if games were independent."""
        return wilson(self.total.score, self.games)

    @property
    def elo(self) -> Estimate:
        """By how much A is stronger, with its 95 % interval by pairs; ends may be infinite."""
        return pair_elo(self.pairs)

    @property
    def los(self) -> float:
        """Likelihood of superiority: how sure it is that A is the stronger."""
        return superiority(self.pairs)

    @property
    def variance_ratio(self) -> float:
        """Variance of the score of a pair over that of two games with different stacks; NaN if unknown."""
        apart = self.as_first.variance + self.as_second.variance
        number = sum(self.pairs)
        if not number or not apart:
            return math.nan
        scores = [entry / 2 for entry in range(len(self.pairs))]
        mean = sum(n * score for n, score in zip(self.pairs, scores, strict=True)) / number
        together = sum(n * (score - mean) ** 2 for n, score in zip(self.pairs, scores, strict=True)) / number
        return together / apart

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON takes it; what is infinite or unknown is None."""
        return {
            "agents": list(self.agents),
            "seed": self.seed,
            "stopped": self.stopped,
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "as_first": asdict(self.as_first),
            "as_second": asdict(self.as_second),
            "pairs": list(self.pairs),
            "points": list(self.points),
            "score": _json_estimate(self.score),
            "score_if_independent": _json_estimate(self.wilson),
            "elo": _json_estimate(self.elo),
            "los": self.los,
            "variance_ratio": _finite(self.variance_ratio),
            "sprt": self._json_sprt(),
            "spent": [spent._asdict() for spent in self.spent],
            "faults": [dict(faults) for faults in self.faults],
        }

    def _json_sprt(self) -> dict[str, Any] | None:
        if self.sprt is None:
            return None
        return {**asdict(self.sprt), "bounds": list(self.sprt.bounds), "ratio": self.sprt.ratio(self.pairs)}


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _json_estimate(estimate: Estimate) -> dict[str, float | None]:
    return {name: _finite(value) for name, value in estimate._asdict().items()}


@dataclass(frozen=True)
class Progress:
    """How far a match is.

    Attributes
    ----------
    result : MatchResult
        So far.
    played : int
        Games played since the match began, or was resumed.
    seconds : float
        Since then.
    left : float or None
        Seconds until it stops at the latest; None if nobody knows.
    """

    result: MatchResult
    played: int
    seconds: float
    left: float | None

    @property
    def rate(self) -> float:
        """Games a second."""
        return self.played / self.seconds if self.seconds else 0.0


def play_match(
    spec_a: str,
    spec_b: str,
    games: int | None = None,
    *,
    minutes: float | None = None,
    sprt: Sprt | None = None,
    workers: int = 1,
    seed: int | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    tiles: str | os.PathLike[str] | TileSet = "standard",
    limit_ms: float | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> MatchResult:
    """Play a match of two agents, in pairs of games with the same stack and the seats swapped.

    Parameters
    ----------
    spec_a, spec_b : agents by their specs
    games : stop after so many, an even number; 100 if nothing else stops the match
    minutes : begin no pair after so many minutes
    sprt : stop when this test is decided
    workers : processes. 1 plays in this one; more need ``if __name__ == "__main__":`` in a script, and
        survive agents that hang or end their process.
    seed : of the match: the same seed gives the same games, whatever the number of workers, as far as
        the agents play the same; None draws one
    out : folder for the records and the summary; None keeps nothing
    resume : go on with the match in that folder, if there is one
    tiles : a tile set, the path of one, or ``"standard"``
    limit_ms : milliseconds that a decision may take; an agent that takes longer loses the game
    progress : called after each game

    Raises
    ------
    ValueError
        If an agent, a number or the tile set is wrong, or the folder holds another match.
    OSError
        If the folder cannot be written.
    KeyboardInterrupt
        If it is interrupted; the folder has then all games that had ended, and can be resumed.
    """
    _check_numbers(games, minutes, workers, limit_ms)
    if games is None and minutes is None and sprt is None:
        games = DEFAULT_GAMES
    for spec in (spec_a, spec_b):
        make_agent(spec, 0)
    chosen = tile_set(tiles)
    folder = None if out is None else MatchFolder(Path(out))
    try:
        if seed is None:
            seed = _recorded_seed(folder) if resume else None
        if seed is None:
            seed = secrets.randbits(SEED_BITS)
        conditions = Conditions((spec_a, spec_b), seed, chosen, limit_ms)
        match = _Match(conditions, games, minutes, sprt, progress)
        return match.play(workers, folder, resume)
    finally:
        if folder is not None:
            folder.close()


def _check_numbers(games: int | None, minutes: float | None, workers: int, limit_ms: float | None) -> None:
    if games is not None and (games < 2 or games % 2):
        raise ValueError(f"games {games}: expected an even number from 2, for they come in pairs")
    for name, number in (("minutes", minutes), ("limit in milliseconds", limit_ms)):
        if number is not None and not 0 < number < math.inf:
            raise ValueError(f"{name} {number!r}: expected a number above 0")
    if workers < 1:
        raise ValueError(f"workers {workers}: expected a number from 1")


def _recorded_seed(folder: MatchFolder | None) -> int | None:
    summary = folder.summary() if folder is not None else None
    if summary is None:
        return None
    if not isinstance(summary.get("seed"), int):
        raise MatchError(f"{SUMMARY} names the seed {summary.get('seed')!r}: expected an integer")
    return int(summary["seed"])


class _Match:
    """A match in play."""

    def __init__(
        self,
        conditions: Conditions,
        games: int | None,
        minutes: float | None,
        sprt: Sprt | None,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self.conditions = conditions
        self.games = games
        self.minutes = minutes
        self.sprt = sprt
        self.progress = progress
        self.board = _Scoreboard(conditions, sprt)
        self.begun = time.monotonic()
        self.played = 0
        self.stopped = ""

    def play(self, workers: int, folder: MatchFolder | None, resume: bool) -> MatchResult:
        if folder is not None:
            self._open(folder, resume)
        self.begun = time.monotonic()
        try:
            if not self.board.verdict:
                self._play(workers, folder)
        except KeyboardInterrupt:
            self._close(folder, workers, "interrupted")
            raise
        return self._close(folder, workers, self.board.verdict or self.stopped)

    def _play(self, workers: int, folder: MatchFolder | None) -> None:
        if self.games is not None:
            workers = max(1, min(workers, self.games - self.board.games))
        with closing(play_games(self.conditions, self._tasks(), workers)) as played:
            for outcome, record in played:
                if folder is not None:
                    folder.append(record)
                self.board.add(outcome)
                self.played += 1
                if self.progress is not None:
                    self.progress(self._progress())
                if self.board.verdict:
                    return

    def _tasks(self) -> Iterator[Task]:
        """Yield the games that are missing, pair by pair, until the match is to stop."""
        self.begun = time.monotonic()  # asked for the first one, so whatever had to be compiled is
        for pair in count():
            self.stopped = self.board.verdict or self._reason_to_stop(pair)
            if self.stopped:
                return
            for first in range(PLAYERS):
                if not self.board.has(Task(pair, first)):
                    yield Task(pair, first)

    def _reason_to_stop(self, pair: int) -> str:
        """Return why a pair is not to be begun; empty if it is."""
        if self.games is not None and PLAYERS * pair >= self.games:
            return "games"
        if self.minutes is not None and time.monotonic() - self.begun >= 60 * self.minutes:
            return "time"
        return ""

    def _progress(self) -> Progress:
        seconds = time.monotonic() - self.begun
        left = []
        if self.games is not None:
            left.append((self.games - self.board.games) * seconds / self.played)
        if self.minutes is not None:
            left.append(60 * self.minutes - seconds)
        return Progress(self.board.result(), self.played, seconds, max(0.0, min(left)) if left else None)

    def _open(self, folder: MatchFolder, resume: bool) -> None:
        """Take over the games of a match that goes on."""
        summary = folder.summary()
        if not resume and (summary is not None or not folder.is_empty()):
            raise MatchError(f"{folder.path} holds a match: go on with it (resume), or choose another folder")
        if summary is None and not folder.is_empty():
            raise MatchError(f"{folder.path} holds games but no summary of their match")
        folder.cut_torn_record()
        if summary is not None:
            self._check(summary, folder.path)
            for record in folder.records(self.conditions.tiles):
                self.board.add(Outcome.of(record))
        folder.write_summary(self._summary(0, None))

    def _check(self, summary: Mapping[str, Any], path: Path) -> None:
        """Check that a folder holds games of this match."""
        for name, value in self._identity().items():
            if summary.get(name) != value:
                raise MatchError(
                    f"{path} holds a match with {name} {summary.get(name)!r}: expected {value!r} to go on"
                )

    def _close(self, folder: MatchFolder | None, workers: int, stopped: str) -> MatchResult:
        result = replace(self.board.result(), stopped=stopped)
        if folder is not None:
            folder.write_summary(self._summary(workers, result))
        return result

    def _identity(self) -> dict[str, Any]:
        """Return what makes the games of a match what they are."""
        return {
            "agents": list(self.conditions.agents),
            "seed": self.conditions.seed,
            "tiles": {"name": self.conditions.tiles.name, "digest": self.conditions.tiles.digest},
            "limit_ms": self.conditions.limit_ms,
        }

    def _summary(self, workers: int, result: MatchResult | None) -> dict[str, Any]:
        return {
            **self._identity(),
            "games": self.games,
            "minutes": self.minutes,
            "sprt": None if self.sprt is None else asdict(self.sprt),
            "workers": workers,
            "versions": {
                "basilica_env": __version__,
                "core": source_digest(),
                "python": platform.python_version(),
                **{name: version(name) for name in ("numba", "numpy")},
            },
            "seconds": time.monotonic() - self.begun,
            "result": None if result is None else result.to_json(),
        }


# --- Adding up ------------------------------------------------------------------------------------


@dataclass
class _Sums:
    """What games add up to."""

    tallies: list[Tally] = field(default_factory=lambda: [Tally(), Tally()])
    """Of A, by its seat."""
    pairs: list[int] = field(default_factory=lambda: [0] * 5)
    points: list[int] = field(default_factory=lambda: [0, 0])
    finished: int = 0
    """Games that ended by the rules."""
    spent: list[Spent] = field(default_factory=lambda: [Spent(), Spent()])
    faults: list[Counter[str]] = field(default_factory=lambda: [Counter(), Counter()])

    def add(self, outcomes: Mapping[int, Outcome]) -> None:
        """Add the games of a pair, one or both."""
        for outcome in outcomes.values():
            self.tallies[outcome.task.first] += Tally(
                outcome.score == 1, outcome.score == 0.5, outcome.score == 0
            )
            self.spent = [mine | more for mine, more in zip(self.spent, outcome.spent, strict=True)]
            if outcome.fault is None:
                self.finished += 1
                self.points = [mine + more for mine, more in zip(self.points, outcome.points, strict=True)]
            else:
                agent, kind = outcome.fault
                self.faults[agent][kind] += 1
        if len(outcomes) == PLAYERS:
            self.pairs[round(2 * sum(outcome.score for outcome in outcomes.values()))] += 1


class _Scoreboard:
    """Adds up games in the order of their pairs, so that a test stops at the same pair whoever is quicker.

    Games of later pairs that end before it stops do not count.
    """

    def __init__(self, conditions: Conditions, sprt: Sprt | None) -> None:
        self.conditions = conditions
        self.sprt = sprt
        self.sums = _Sums()
        self.counted = 0
        """Pairs in the sums; all pairs before it are complete."""
        self.waiting: dict[int, dict[int, Outcome]] = {}
        """Games of other pairs."""
        self.games = 0
        self.verdict = ""

    def has(self, task: Task) -> bool:
        """Return whether a game has been played."""
        return task.pair < self.counted or task.first in self.waiting.get(task.pair, {})

    def add(self, outcome: Outcome) -> None:
        """Add a game.

        Raises
        ------
        MatchError
            If it is there.
        """
        task = outcome.task
        if self.has(task):
            raise MatchError(f"game {task.first} of pair {task.pair} is there twice")
        self.waiting.setdefault(task.pair, {})[task.first] = outcome
        self.games += 1
        while not self.verdict and len(self.waiting.get(self.counted, {})) == PLAYERS:
            self.sums.add(self.waiting.pop(self.counted))
            self.counted += 1
            if self.sprt is not None:
                self.verdict = self.sprt.verdict(self.sums.pairs) or ""

    def result(self) -> MatchResult:
        """Return the result so far; once a test is decided, of the games that decided it."""
        sums = deepcopy(self.sums)
        if not self.verdict:
            for outcomes in self.waiting.values():
                sums.add(outcomes)
        finished = max(1, sums.finished)
        one, two, three, four, five = sums.pairs
        return MatchResult(
            agents=self.conditions.agents,
            seed=self.conditions.seed,
            as_first=sums.tallies[0],
            as_second=sums.tallies[1],
            pairs=(one, two, three, four, five),
            points=(sums.points[0] / finished, sums.points[1] / finished),
            spent=(sums.spent[0], sums.spent[1]),
            faults=(dict(sums.faults[0]), dict(sums.faults[1])),
            sprt=self.sprt,
            stopped=self.verdict,
        )
