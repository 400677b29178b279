"""Matches: two agents, pairs of games with the same stack and the seats swapped."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, replace
from itertools import count
from pathlib import Path
from typing import Any

from basilica_env.agents import make_agent
from basilica_env.arena.folder import MATCH, MatchFolder, choose_seed, versions
from basilica_env.arena.game import Conditions, Fixture, Outcome, Task
from basilica_env.arena.scoreboard import Limits, MatchResult, Progress, Scoreboard
from basilica_env.arena.statistics import Sprt
from basilica_env.arena.workers import play_games
from basilica_env.core.layout import PLAYERS
from basilica_env.core.tiles import TileSet, tile_set

DEFAULT_GAMES = 100


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
    progress: Callable[[Progress[MatchResult]], None] | None = None,
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
    check_numbers(games, minutes, workers, limit_ms)
    if games is None and minutes is None and sprt is None:
        games = DEFAULT_GAMES
    for spec in (spec_a, spec_b):
        make_agent(spec, 0)
    chosen = tile_set(tiles)
    folder = None if out is None else MatchFolder(Path(out))
    try:
        going_on = folder.path if resume and folder is not None else None
        conditions = Conditions((spec_a, spec_b), choose_seed(seed, going_on, MATCH), chosen, limit_ms)
        match = _Match(conditions, games, minutes, sprt, progress)
        return match.play(workers, folder, resume)
    finally:
        if folder is not None:
            folder.close()


def check_numbers(games: int | None, minutes: float | None, workers: int, limit_ms: float | None) -> None:
    """Check the numbers that all who play matches take.

    Raises
    ------
    ValueError
        If one makes no sense.
    """
    if games is not None and (games < 2 or games % 2):
        raise ValueError(f"games {games}: expected an even number from 2, for they come in pairs")
    for name, number in (("minutes", minutes), ("limit in milliseconds", limit_ms)):
        if number is not None and not 0 < number < math.inf:
            raise ValueError(f"{name} {number!r}: expected a number above 0")
    if workers < 1:
        raise ValueError(f"workers {workers}: expected a number from 1")


class _Match:
    """A match in play."""

    def __init__(
        self,
        conditions: Conditions,
        games: int | None,
        minutes: float | None,
        sprt: Sprt | None,
        progress: Callable[[Progress[MatchResult]], None] | None,
    ) -> None:
        self.conditions = conditions
        self.limits = Limits(games, minutes)
        self.sprt = sprt
        self.progress = progress
        self.board = Scoreboard(conditions, sprt)
        self.played = 0
        self.stopped = ""

    def play(self, workers: int, folder: MatchFolder | None, resume: bool) -> MatchResult:
        if folder is not None:
            self._open(folder, resume)
        self.limits.begin()
        try:
            if not self.board.verdict:
                self._play(workers, folder)
        except KeyboardInterrupt:
            self._close(folder, workers, "interrupted")
            raise
        return self._close(folder, workers, self.board.verdict or self.stopped)

    def _play(self, workers: int, folder: MatchFolder | None) -> None:
        if self.limits.games is not None:
            workers = max(1, min(workers, self.limits.games - self.board.games))
        fixtures = (Fixture(self.conditions, task) for task in self._tasks())
        with closing(play_games(fixtures, self.conditions.agents, workers)) as games:
            for played in games:
                if folder is not None:
                    folder.append(played.record)
                self.board.add(played.outcome)
                self.played += 1
                if self.progress is not None:
                    self.progress(self._progress())
                if self.board.verdict:
                    return

    def _tasks(self) -> Iterator[Task]:
        """Yield the games that are missing, pair by pair, until the match is to stop."""
        self.limits.begin()  # asked for the first one, so whatever had to be compiled is
        for pair in count():
            self.stopped = self.board.verdict or self.limits.reason_to_stop(pair)
            if self.stopped:
                return
            for first in range(PLAYERS):
                if not self.board.has(Task(pair, first)):
                    yield Task(pair, first)

    def _progress(self) -> Progress[MatchResult]:
        limits, board = self.limits, self.board
        missing = (limits.games or 0) - board.games
        left = limits.seconds_left(missing, self.played)
        return Progress(board.result(), self.played, limits.seconds, left)

    def _open(self, folder: MatchFolder, resume: bool) -> None:
        """Take over the games of a match that goes on."""
        summary = folder.begin(resume)
        if summary is not None:
            folder.check(summary, self._identity())
            for record in folder.records(self.conditions.tiles):
                self.board.add(Outcome.of(record))
        folder.write_summary(self._summary(0, None))

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
            "games": self.limits.games,
            "minutes": self.limits.minutes,
            "sprt": None if self.sprt is None else asdict(self.sprt),
            "workers": workers,
            "versions": versions(),
            "seconds": self.limits.seconds,
            "result": None if result is None else result.to_json(),
        }
