"""What games add up to: the result of a match."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from typing import Any, Generic, TypeVar

from basilica_env.arena.folder import MatchError
from basilica_env.arena.game import Conditions, Outcome, Spent, Task
from basilica_env.arena.statistics import Estimate, Sprt, pair_elo, pair_score, superiority, wilson
from basilica_env.core.layout import PLAYERS

Pentanomial = tuple[int, int, int, int, int]
Result = TypeVar("Result")


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
            "score": json_estimate(self.score),
            "score_if_independent": json_estimate(self.wilson),
            "elo": json_estimate(self.elo),
            "los": self.los,
            "variance_ratio": finite(self.variance_ratio),
            "sprt": self._json_sprt(),
            "spent": [spent._asdict() for spent in self.spent],
            "faults": [dict(faults) for faults in self.faults],
        }

    def _json_sprt(self) -> dict[str, Any] | None:
        if self.sprt is None:
            return None
        return {**asdict(self.sprt), "bounds": list(self.sprt.bounds), "ratio": self.sprt.ratio(self.pairs)}


def finite(number: float) -> float | None:
    """Return a number as JSON takes it: None if it is infinite or unknown."""
    return number if math.isfinite(number) else None


def json_estimate(estimate: Estimate) -> dict[str, float | None]:
    """Return a value and the ends of its interval as JSON takes them."""
    return {name: finite(value) for name, value in estimate._asdict().items()}


class Limits:
    """When to stop beginning pairs: after a number of games, or a time, or both.

    Parameters
    ----------
    games : int or None
        A match.
    minutes : float or None
    """

    def __init__(self, games: int | None, minutes: float | None) -> None:
        self.games = games
        self.minutes = minutes
        self.begin()

    def begin(self) -> None:
        """Let the time run from now on."""
        self._begun = time.monotonic()

    @property
    def seconds(self) -> float:
        """Time since the beginning."""
        return time.monotonic() - self._begun

    def reason_to_stop(self, pair: int) -> str:
        """Return why a pair is not to be begun, ``games`` or ``time``; empty if it is."""
        if self.games is not None and PLAYERS * pair >= self.games:
            return "games"
        if self.minutes is not None and self.seconds >= 60 * self.minutes:
            return "time"
        return ""

    def seconds_left(self, missing: float, played: int) -> float | None:
        """Return how long it will take at the most; None if nobody knows.

        Parameters
        ----------
        missing : float
            Games still to be played.
        played : int
            Games played since the beginning.
        """
        left = []
        if self.games is not None:
            left.append(missing * self.seconds / max(1, played))
        if self.minutes is not None:
            left.append(60 * self.minutes - self.seconds)
        return max(0.0, min(left)) if left else None


@dataclass(frozen=True)
class Progress(Generic[Result]):
    """How far a match, or something made of matches, is.

    Attributes
    ----------
    result : MatchResult, or what else it comes to
        So far.
    played : int
        Games played since it began, or was resumed.
    seconds : float
        Since then.
    left : float or None
        Seconds until it stops at the latest; None if nobody knows.
    """

    result: Result
    played: int
    seconds: float
    left: float | None

    @property
    def rate(self) -> float:
        """Games a second."""
        return self.played / self.seconds if self.seconds else 0.0


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


class Scoreboard:
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
