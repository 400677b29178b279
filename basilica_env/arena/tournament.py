"""Tournaments: many agents, each pairing a match of its own, and ratings over all of them.

A pairing plays the games of the match of its two agents whose seed is :func:`pairing_seed`. So its games
depend neither on who else takes part nor on the order of the agents, and a tournament can take up more agents
later.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, count
from pathlib import Path
from typing import Any

from basilica_env.agents import make_agent
from basilica_env.arena.folder import SEED_BITS, TOURNAMENT, MatchError, MatchFolder, choose_seed, versions
from basilica_env.arena.game import Conditions, Fixture, Outcome, Task
from basilica_env.arena.match import check_numbers
from basilica_env.arena.ratings import Pairing, Ratings, check_scipy, rate, rate_quickly
from basilica_env.arena.scoreboard import Limits, MatchResult, Progress, Scoreboard, Tally, json_estimate
from basilica_env.arena.tables import write_results
from basilica_env.arena.workers import Played, play_games
from basilica_env.core.layout import PLAYERS
from basilica_env.core.tiles import TileSet, tile_set

DEFAULT_GAMES = 40

Names = tuple[str, str]
"""The agents of a pairing, in alphabetical order."""


def pairing_seed(seed: int, agents: Sequence[str]) -> int:
    """Return the seed of the match that a pairing plays, whatever the order of the two."""
    text = "\n".join((str(seed), *sorted(agents)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[: SEED_BITS // 8])


@dataclass(frozen=True)
class TournamentResult:
    """What a tournament has come to.

    Attributes
    ----------
    agents : tuple of str
        Their specs, in the order in which they were entered.
    seed : int
        Of the tournament.
    matches : tuple of MatchResult
        One a pairing that has played or is to play.
    anchors : mapping of str to float
        Ratings that are fixed, by agent; without any, the mean rating is 0.
    stopped : str
        ``"games"``, ``"time"`` or ``"interrupted"``; empty while it goes on.
    """

    agents: tuple[str, ...]
    seed: int
    matches: tuple[MatchResult, ...]
    anchors: Mapping[str, float] = field(default_factory=dict)
    stopped: str = ""

    @property
    def games(self) -> int:
        """How many games were played."""
        return sum(match.games for match in self.matches)

    @cached_property
    def ratings(self) -> Ratings:
        """The ratings of the agents, in their order, with intervals and likelihoods of superiority."""
        return rate(self._pairings, len(self.agents), self._fixed)

    @cached_property
    def quick_ratings(self) -> list[float]:
        """The ratings of the agents, in their order, without intervals."""
        return rate_quickly(self._pairings, len(self.agents), self._fixed)

    @property
    def ranking(self) -> list[int]:
        """The numbers of the agents, the one with the highest rating first."""
        return sorted(range(len(self.agents)), key=lambda agent: -self.quick_ratings[agent])

    def tally(self, agent: str, other: str | None = None) -> Tally:
        """Return the games of an agent, against all others or against one."""
        total = Tally()
        for match in self.matches:
            if agent in match.agents and (other is None or other in match.agents):
                games = match.total
                mine = match.agents[0] == agent
                total += games if mine else Tally(games.losses, games.draws, games.wins)
        return total

    @property
    def _pairings(self) -> list[Pairing]:
        numbers = {agent: number for number, agent in enumerate(self.agents)}
        return [
            Pairing(numbers[match.agents[0]], numbers[match.agents[1]], match.pairs) for match in self.matches
        ]

    @property
    def _fixed(self) -> dict[int, float]:
        return {self.agents.index(agent): rating for agent, rating in self.anchors.items()}

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON takes it, the strongest agent first."""
        ratings = self.ratings
        return {
            "seed": self.seed,
            "stopped": self.stopped,
            "games": self.games,
            "anchors": dict(self.anchors),
            "fit": ratings.fit,
            "standings": [
                {
                    "rank": rank,
                    "agent": self.agents[number],
                    "rating": json_estimate(ratings.estimates[number]),
                    "games": (tally := self.tally(self.agents[number])).games,
                    "wins": tally.wins,
                    "draws": tally.draws,
                    "losses": tally.losses,
                    "score": tally.score,
                    "stronger_than": {
                        self.agents[other]: ratings.superiority[number][other]
                        for other in self.ranking
                        if other != number
                    },
                }
                for rank, number in enumerate(self.ranking, 1)
            ],
            "matches": [match.to_json() for match in self.matches],
        }


def play_tournament(
    agents: Sequence[str],
    games: int | None = None,
    *,
    gauntlet: bool = False,
    anchors: Mapping[str, float] | None = None,
    minutes: float | None = None,
    workers: int = 1,
    seed: int | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    tiles: str | os.PathLike[str] | TileSet = "standard",
    limit_ms: float | None = None,
    progress: Callable[[Progress[TournamentResult]], None] | None = None,
) -> TournamentResult:
    """Play a tournament, round by round: in each, every pairing plays two games with the same stack.

    Parameters
    ----------
    agents : two or more different agents, by their specs
    games : games a pairing, an even number; 40 if nothing else stops the tournament
    gauntlet : the first agent plays all others, who do not play each other
    anchors : ratings that are fixed, by agent
    minutes : begin no round after so many minutes
    workers : processes, as for :func:`basilica_env.arena.play_match`
    seed : of the tournament: the same seed gives the same games; None draws one
    out : folder for the records and the results; None keeps nothing
    resume : go on with the tournament in that folder, if there is one. More agents may take part than
        before.
    tiles : a tile set, the path of one, or ``"standard"``
    limit_ms : milliseconds that a decision may take; an agent that takes longer loses the game
    progress : called after each game

    Raises
    ------
    ValueError
        If an agent, a number or the tile set is wrong, or the folder holds another tournament.
    OSError
        If the folder cannot be written.
    ImportError
        If SciPy is not installed.
    KeyboardInterrupt
        If it is interrupted; the folder has then all games that had ended, and can be resumed.
    """
    check_numbers(games, minutes, workers, limit_ms)
    if games is None and minutes is None:
        games = DEFAULT_GAMES
    check_agents(agents, anchors or {})
    check_scipy()
    chosen = tile_set(tiles)
    folder = None if out is None else MatchFolder(Path(out), TOURNAMENT)
    try:
        going_on = folder.path if resume and folder is not None else None
        chosen_seed = choose_seed(seed, going_on, TOURNAMENT)
        tournament = Tournament(agents, chosen_seed, chosen, limit_ms, gauntlet, anchors or {}, folder)
        tournament.open(resume)
        schedule = Schedule([tournament], games, minutes)

        def hear(_: Played) -> None:
            if progress is not None:
                progress(
                    Progress(tournament.result(), schedule.played, schedule.seconds, schedule.seconds_left())
                )

        try:
            schedule.play(agents, workers, hear)
        except KeyboardInterrupt:
            tournament.close("interrupted")
            raise
        return tournament.close(schedule.stopped)
    finally:
        if folder is not None:
            folder.close()


def check_agents(agents: Sequence[str], anchors: Mapping[str, float]) -> None:
    """Check that there are several agents, all different, that they exist, and their anchors.

    Raises
    ------
    ValueError
        If not.
    """
    if len(agents) < PLAYERS:
        raise ValueError(f"{len(agents)} agents: expected two or more")
    for number, spec in enumerate(agents):
        if spec in agents[:number]:
            raise ValueError(f"agent {spec!r} is entered twice: expected different agents")
        make_agent(spec, 0)
    for spec, rating in anchors.items():
        if spec not in agents:
            raise ValueError(f"anchor {spec!r} does not take part: expected one of {', '.join(agents)}")
        if not math.isfinite(rating):
            raise ValueError(f"anchor {spec!r} has the rating {rating!r}: expected a number")


class Tournament:
    """A tournament in play: who meets whom, and what has been played.

    Parameters
    ----------
    agents : sequence of str
    seed : int
    tiles : TileSet
    limit_ms : float or None
    gauntlet : bool
    anchors : mapping of str to float
    folder : MatchFolder or None
        Where games are kept.
    """

    def __init__(
        self,
        agents: Sequence[str],
        seed: int,
        tiles: TileSet,
        limit_ms: float | None = None,
        gauntlet: bool = False,
        anchors: Mapping[str, float] | None = None,
        folder: MatchFolder | None = None,
    ) -> None:
        self.agents = tuple(agents)
        self.seed = seed
        self.tiles = tiles
        self.limit_ms = limit_ms
        self.gauntlet = gauntlet
        self.anchors = dict(anchors or {})
        self.folder = folder
        self.boards: dict[Names, Scoreboard] = {}
        self.results: dict[Names, MatchResult] = {}
        self.scheduled = [
            self._board(pairing)
            for pairing in combinations(agents, PLAYERS)
            if not gauntlet or agents[0] in pairing
        ]

    def _board(self, pairing: Sequence[str]) -> Scoreboard:
        """Return the scoreboard of two agents, a new one if they have none."""
        first, second = sorted(pairing)
        names = first, second
        if names not in self.boards:
            seed = pairing_seed(self.seed, names)
            board = Scoreboard(Conditions(names, seed, self.tiles, self.limit_ms), None)
            self.boards[names], self.results[names] = board, board.result()
        return self.boards[names]

    def open(self, resume: bool) -> None:
        """Take over the games that are in the folder.

        Raises
        ------
        MatchError
            If they are those of another tournament, or are not to be taken over.
        """
        if self.folder is None:
            return
        summary = self.folder.begin(resume)
        if summary is not None:
            self.folder.check(summary, self._identity())
            self._check_field(summary.get("agents"))
            for record in self.folder.records(self.tiles):
                if not set(record.players) <= set(self.agents):
                    raise MatchError(
                        f"{self.folder.path} holds a game of {' and '.join(record.players)}, "
                        f"who are not both among the agents {', '.join(self.agents)}"
                    )
                self._add(Outcome.of(record), record.players)
        self.folder.write_summary(self._summary())

    def _check_field(self, before: Any) -> None:
        assert self.folder is not None
        missing = [agent for agent in before or () if agent not in self.agents]
        if missing:
            raise MatchError(
                f"{self.folder.path} holds a tournament with {', '.join(map(str, missing))}: "
                "expected all its agents to go on, others may be added"
            )

    def fixtures(self, pair: int) -> Iterator[Fixture]:
        """Yield the games of a round that are missing."""
        for board in self.scheduled:
            for first in range(PLAYERS):
                if not board.has(Task(pair, first)):
                    yield Fixture(board.conditions, Task(pair, first))

    def missing(self, games: int) -> int:
        """Return how many games are missing until each pairing has played so many."""
        return sum(max(0, games - board.games) for board in self.scheduled)

    def hear(self, played: Played) -> None:
        """Keep a game that has ended."""
        if self.folder is not None:
            self.folder.append(played.record)
        self._add(played.outcome, played.fixture.conditions.agents)

    def _add(self, outcome: Outcome, agents: Sequence[str]) -> None:
        board = self._board(agents)
        board.add(outcome)
        self.results[board.conditions.agents] = board.result()

    def result(self, stopped: str = "") -> TournamentResult:
        """Return the result so far."""
        return TournamentResult(self.agents, self.seed, tuple(self.results.values()), self.anchors, stopped)

    def close(self, stopped: str) -> TournamentResult:
        """Write the result."""
        result = self.result(stopped)
        if self.folder is not None:
            self.folder.write_summary({**self._summary(), "result": result.to_json()})
            write_results(self.folder.path, result)
        return result

    def _identity(self) -> dict[str, Any]:
        """Return what makes the games of a tournament what they are."""
        return {
            "seed": self.seed,
            "tiles": {"name": self.tiles.name, "digest": self.tiles.digest},
            "limit_ms": self.limit_ms,
        }

    def _summary(self) -> dict[str, Any]:
        return {
            "agents": list(self.agents),
            **self._identity(),
            "gauntlet": self.gauntlet,
            "pairings": [
                {"agents": list(names), "seed": board.conditions.seed} for names, board in self.boards.items()
            ],
            "versions": versions(),
            "result": None,
        }


class Schedule:
    """Plays tournaments side by side, round by round.

    Parameters
    ----------
    tournaments : sequence of Tournament
    games : int or None
        A pairing.
    minutes : float or None
        Begin no round after so many.
    """

    def __init__(self, tournaments: Sequence[Tournament], games: int | None, minutes: float | None) -> None:
        self.tournaments = tournaments
        self.limits = Limits(games, minutes)
        self.played = 0
        self.missing = math.inf if games is None else sum(one.missing(games) for one in tournaments)
        self.stopped = ""

    @property
    def seconds(self) -> float:
        """How long it has played."""
        return self.limits.seconds

    def seconds_left(self) -> float | None:
        """Return how long it will play at the most; None if nobody knows."""
        return self.limits.seconds_left(self.missing - self.played, self.played)

    def play(self, agents: Sequence[str], workers: int, hear: Callable[[Played], None]) -> None:
        """Play what is missing; `hear` is told of each game when it has been kept.

        Parameters
        ----------
        agents : sequence of str
            All who take part.
        workers : int
            Processes.
        hear : callable
        """
        owners = {
            board.conditions: tournament for tournament in self.tournaments for board in tournament.scheduled
        }
        workers = max(1, int(min(workers, self.missing)))
        with closing(play_games(self._fixtures(), agents, workers)) as games:
            for played in games:
                owners[played.fixture.conditions].hear(played)
                self.played += 1
                hear(played)

    def _fixtures(self) -> Iterator[Fixture]:
        self.limits.begin()  # asked for the first one, so whatever had to be compiled is
        for pair in count():
            self.stopped = self.limits.reason_to_stop(pair)
            if self.stopped:
                return
            for tournament in self.tournaments:
                yield from tournament.fixtures(pair)
