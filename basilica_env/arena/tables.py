"""The results of a tournament as files: ``ratings.csv``, ``crosstable.csv`` and the chart ``ratings.svg``."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from basilica_env.arena.chart import Panel, draw_chart
from basilica_env.arena.statistics import Estimate, elo_difference
from basilica_env.files import write_text

if TYPE_CHECKING:
    from basilica_env.arena.scoreboard import MatchResult
    from basilica_env.arena.tournament import TournamentResult

RATINGS, CROSSTABLE, CHART = "ratings.csv", "crosstable.csv", "ratings.svg"

RATING_COLUMNS = ("rank", "agent", "rating", "low", "high", "games", "wins", "draws", "losses", "score")
CROSSTABLE_COLUMNS = (
    *("agent", "opponent", "games", "wins", "draws", "losses", "score", "score_low", "score_high"),
    *("elo", "elo_low", "elo_high", "superiority"),
)

Row = Sequence[object]


def write_results(folder: Path, result: TournamentResult) -> None:
    """Write the files, each whole or not at all.

    Raises
    ------
    OSError
        If one cannot be written.
    """
    write_text(folder / RATINGS, table_text(RATING_COLUMNS, _ratings(result)))
    write_text(folder / CROSSTABLE, table_text(CROSSTABLE_COLUMNS, _crosstable(result)))
    write_text(folder / CHART, rating_chart(result) + "\n")


def table_text(columns: Sequence[str], rows: Iterable[Row]) -> str:
    """Write a table as CSV; numbers in full, infinite ones as ``inf`` and ``-inf``."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _ratings(result: TournamentResult) -> Iterator[Row]:
    for rank, number in enumerate(result.ranking, 1):
        agent = result.agents[number]
        tally = result.tally(agent)
        counts = (tally.games, tally.wins, tally.draws, tally.losses, tally.score)
        yield rank, agent, *result.ratings.estimates[number], *counts


def _crosstable(result: TournamentResult) -> Iterator[Row]:
    matches = {frozenset(match.agents): match for match in result.matches}
    for number in result.ranking:
        for other in result.ranking:
            agent, opponent = result.agents[number], result.agents[other]
            match = matches.get(frozenset((agent, opponent)))
            if match is not None and agent != opponent:
                yield agent, opponent, *_of(match, agent)


def _of(match: MatchResult, agent: str) -> Row:
    """Return what a match has come to, from the side of an agent."""
    games, score, superiority = match.total, match.score, match.los
    wins, losses = games.wins, games.losses
    if match.agents[0] != agent:
        wins, losses, superiority = losses, wins, 1 - superiority
        score = Estimate(1 - score.value, 1 - score.high, 1 - score.low)
    return games.games, wins, games.draws, losses, *score, *map(elo_difference, score), superiority


def rating_chart(result: TournamentResult, dark: bool = False) -> str:
    """Draw the ratings with their intervals, the highest at the top, as SVG."""
    ranking = result.ranking
    estimates = [result.ratings.estimates[number] for number in ranking]
    labels = [
        f"{result.agents[number]} ({estimate.value:+.0f})"
        for number, estimate in zip(ranking, estimates, strict=True)
    ]
    fixed = ", ".join(f"{agent} = {rating:g}" for agent, rating in result.anchors.items())
    note = f"bars: 95 %; {f'fixed: {fixed}' if fixed else 'the mean rating is 0'}"
    panel = Panel("", {"": estimates}, unit="Elo", width=460)
    return draw_chart(f"Ratings after {result.games:,} games", labels, [panel], note, dark)
