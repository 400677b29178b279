"""The tile-set study: which findings about the game hold whatever is on the tiles (R1.4).

The same agents play the same tournament with a tile set and with its variations
(:mod:`basilica_env.arena.variations`): the same pairings, and in each pair of games the same shuffle. The
ranking of the agents is compared, and some quantities of the game (:mod:`basilica_env.arena.effects`).
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from basilica_env.arena.dataset import build_dataset, require_extra
from basilica_env.arena.effects import Effect, compare
from basilica_env.arena.findings import Findings
from basilica_env.arena.folder import (
    STUDY,
    TOURNAMENT,
    MatchError,
    MatchFolder,
    check_identity,
    choose_seed,
    read_summary,
    versions,
    write_summary,
)
from basilica_env.arena.match import check_numbers
from basilica_env.arena.ratings import check_scipy
from basilica_env.arena.scoreboard import Progress, json_estimate
from basilica_env.arena.tournament import Schedule, Tournament, TournamentResult, check_agents
from basilica_env.arena.variations import ASPECTS, Variation, variations
from basilica_env.arena.workers import Played
from basilica_env.core.tiles import TileSet, tile_set
from basilica_env.files import write_text

AGENTS = ("greedy", "planner", "mcts:sims=50")
DEFAULT_GAMES = 40
TILES = "tiles"
"""The folder of the tile sets, within that of the study."""
SURE = 0.975
"""How sure it must be which of two agents is the stronger, so that their order counts as known."""


@dataclass(frozen=True)
class VariationResult:
    """What has been found with one tile set.

    Attributes
    ----------
    variation : Variation
    tournament : TournamentResult
    effects : mapping of str to Effect
        By the names of :data:`basilica_env.arena.effects.QUANTITIES`; empty without games.
    """

    variation: Variation
    tournament: TournamentResult
    effects: Mapping[str, Effect]

    @property
    def name(self) -> str:
        """The name of the tile set."""
        return self.variation.name

    @cached_property
    def ranking(self) -> list[str]:
        """The agents, the strongest first."""
        return [self.tournament.agents[number] for number in self.tournament.ranking]

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON takes it."""
        tournament = self.tournament
        ratings = zip(tournament.agents, tournament.ratings.estimates, strict=True)
        return {
            "name": self.name,
            "aspect": self.variation.aspect,
            "change": self.variation.change,
            "games": tournament.games,
            "ranking": self.ranking,
            "ratings": {agent: json_estimate(estimate) for agent, estimate in ratings},
            **{
                quantity: {
                    **json_estimate(effect.value),
                    "difference": None if effect.difference is None else json_estimate(effect.difference),
                    "sure": effect.is_sure,
                }
                for quantity, effect in self.effects.items()
            },
        }


@dataclass(frozen=True)
class StudyResult:
    """What a study has come to.

    Attributes
    ----------
    seed : int
    results : tuple of VariationResult
        That of the tile set that is varied comes first.
    stopped : str
        ``"games"`` or ``"time"``.
    """

    seed: int
    results: tuple[VariationResult, ...]
    stopped: str = ""

    @property
    def base(self) -> VariationResult:
        """The result with the tile set that is varied."""
        return self.results[0]

    @property
    def varied(self) -> tuple[VariationResult, ...]:
        """The results with its variations."""
        return self.results[1:]

    @property
    def agents(self) -> tuple[str, ...]:
        """Who played."""
        return self.base.tournament.agents

    @property
    def games(self) -> int:
        """How many games were played."""
        return sum(result.tournament.games for result in self.results)

    def is_reordered(self, result: VariationResult) -> bool:
        """Return whether the ranking is not that with the tile set that is varied."""
        return result.ranking != self.base.ranking

    def is_surely_reordered(self, result: VariationResult) -> bool:
        """Return whether some two agents surely change places."""
        here = result.tournament.ratings.superiority
        there = self.base.tournament.ratings.superiority
        numbers = range(len(self.agents))
        return any(
            here[one][other] > SURE and there[other][one] > SURE for one in numbers for other in numbers
        )

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON takes it."""
        return {
            "seed": self.seed,
            "stopped": self.stopped,
            "games": self.games,
            "variations": [
                {
                    **result.to_json(),
                    "reordered": self.is_reordered(result),
                    "surely_reordered": self.is_surely_reordered(result),
                }
                for result in self.results
            ],
        }


def play_study(
    agents: Sequence[str] = AGENTS,
    games: int | None = None,
    *,
    out: str | os.PathLike[str],
    aspects: Sequence[str] = ASPECTS,
    tiles: str | os.PathLike[str] | TileSet = "standard",
    minutes: float | None = None,
    workers: int = 1,
    seed: int | None = None,
    resume: bool = False,
    limit_ms: float | None = None,
    progress: Callable[[Progress[int]], None] | None = None,
) -> StudyResult:
    """Play the tile-set study: a tournament with a tile set and with each of its variations, side by side.

    Parameters
    ----------
    agents : two or more different agents, by their specs
    games : games for each pairing and tile set, an even number; 40 if nothing else stops the study
    out : folder for the tile sets, the games and the results
    aspects : what to vary, of :data:`basilica_env.arena.variations.ASPECTS`
    tiles : the tile set to vary, the path of one, or ``"standard"``
    minutes : begin no round after so many minutes
    workers : processes, as for :func:`basilica_env.arena.play_match`
    seed : the same seed gives the same variations and the same games; None draws one
    resume : go on with the study in that folder, if there is one
    limit_ms : milliseconds that a decision may take; an agent that takes longer loses the game
    progress : called after each game; its result is how many games there are

    Raises
    ------
    ValueError
        If an agent, a number, an aspect or the tile set is wrong, or the folder holds another study.
    OSError
        If the folder cannot be written.
    ImportError
        If the extra is not installed.
    KeyboardInterrupt
        If it is interrupted; the folder has then all games that had ended, and can be resumed.
    """
    check_numbers(games, minutes, workers, limit_ms)
    if games is None and minutes is None:
        games = DEFAULT_GAMES
    check_agents(agents, {})
    check_scipy()
    require_extra()
    path = Path(out)
    chosen_seed = choose_seed(seed, path if resume else None, STUDY)
    study = _Study(path, agents, aspects, tile_set(tiles), chosen_seed, limit_ms)
    with ExitStack() as stack:
        study.open(resume, stack)
        schedule = Schedule(study.tournaments, games, minutes)
        before = sum(tournament.result().games for tournament in study.tournaments)

        def hear(_: Played) -> None:
            if progress is not None:
                played = schedule.played
                progress(Progress(before + played, played, schedule.seconds, schedule.seconds_left()))

        schedule.play(agents, workers, hear)
        return study.close(schedule.stopped)


class _Study:
    """A study in play."""

    def __init__(
        self,
        path: Path,
        agents: Sequence[str],
        aspects: Sequence[str],
        base: TileSet,
        seed: int,
        limit_ms: float | None,
    ) -> None:
        self.path = path
        self.agents = agents
        self.variations = variations(base, seed, aspects)
        self.seed = seed
        self.limit_ms = limit_ms
        self.tournaments: list[Tournament] = []
        self.identity = {
            "agents": list(agents),
            "seed": seed,
            "aspects": sorted(aspects),
            "tiles": {"name": base.name, "digest": base.digest},
            "limit_ms": limit_ms,
        }

    def open(self, resume: bool, stack: ExitStack) -> None:
        """Make the folders, or take over what is in them; the stack closes them.

        Raises
        ------
        MatchError
            If there is a study that does not go on, or another one.
        """
        self.path.mkdir(exist_ok=True)
        summary = read_summary(self.path, STUDY)
        if summary is not None:
            if not resume:
                raise MatchError(
                    f"{self.path} holds a study: go on with it (resume), or choose another folder"
                )
            check_identity(self.path, STUDY, summary, self.identity)
        self._write_summary(None)
        (self.path / TILES).mkdir(exist_ok=True)
        for variation in self.variations:
            write_text(self.path / TILES / f"{variation.name}.csv", variation.tiles.to_csv())
            folder = stack.enter_context(closing(MatchFolder(self.path / variation.name, TOURNAMENT)))
            tournament = Tournament(self.agents, self.seed, variation.tiles, self.limit_ms, folder=folder)
            tournament.open(resume)
            self.tournaments.append(tournament)

    def close(self, stopped: str) -> StudyResult:
        """Write the results."""
        from basilica_env.arena.verdict import write_verdict

        tournaments = [tournament.close(stopped) for tournament in self.tournaments]
        effects = self._effects()
        results = (
            VariationResult(variation, tournament, effects[variation.name])
            for variation, tournament in zip(self.variations, tournaments, strict=True)
        )
        result = StudyResult(self.seed, tuple(results), stopped)
        self._write_summary(result)
        write_verdict(self.path, result)
        return result

    def _effects(self) -> dict[str, dict[str, Effect]]:
        names = [variation.name for variation in self.variations]
        tiles = [variation.tiles for variation in self.variations]
        with tempfile.TemporaryDirectory() as folder:
            data = build_dataset([self.path / name for name in names], Path(folder) / "games", tiles=tiles)
            return compare(Findings(data), names)

    def _write_summary(self, result: StudyResult | None) -> None:
        told = None if result is None else result.to_json()
        write_summary(self.path, STUDY, {**self.identity, "versions": versions(), "result": told})
