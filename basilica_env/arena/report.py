"""A report on many games: one HTML page that opens without a network.

What it says comes from :mod:`basilica_env.arena.findings`, in the sections of
:mod:`basilica_env.arena.report_sections`; how it looks stands in ``data/report.html``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from basilica_env.arena.dataset import (
    MISSING_EXTRA,
    SUMMARY,
    BuildProgress,
    Dataset,
    build_dataset,
    record_files,
)
from basilica_env.arena.findings import Findings
from basilica_env.arena.report_page import Example, Report, report_page
from basilica_env.arena.report_sections import (
    ORDER_TITLES,
    SCORING_TITLES,
    Sections,
    in_elo,
    in_percent,
    in_points,
)
from basilica_env.arena.report_study import base_of, find_study, study_section
from basilica_env.core.tiles import TileSet
from basilica_env.files import named, replaceable, write_text
from basilica_env.render.page import replay_page

if TYPE_CHECKING:
    import polars as pl

REPORT, TABLES = "report.html", "dataset"
"""What a report is called in its folder, and the data set there."""

EXAMPLES = 5

_NOT_ALL = "counted in ratings and scores, nowhere else"


class ReportError(ValueError):
    """Games that no report can be made of."""


def write_report(
    folder: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    tiles: Iterable[TileSet] = (),
    workers: int = 1,
    skip_damaged: bool = False,
    examples: int = EXAMPLES,
    reading: Callable[[BuildProgress], None] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Path:
    """Write a report on the games in a folder.

    Parameters
    ----------
    folder : with files of records, in it or deeper, such as that of a match or a tournament; or a data set.
        If it is none, one is made in it, or brought up to date with the records that are there now. If a
        study of tile sets lies in it or is it, the report tells what it has found; of its games, those with
        the tile set as it is count.
    out : the page; by default ``report.html`` in the folder
    tiles, workers, skip_damaged : as for :func:`basilica_env.arena.build_dataset`
    examples : how many games the page replays, at most
    reading : called while records are read
    progress : called with the title of what is being worked out

    Returns
    -------
    Path
        The page.

    Raises
    ------
    ReportError
        If no game has a result.
    ValueError
        If a record or the data set is damaged.
    OSError
        If something cannot be read or written.
    ImportError
        If the extra is missing.
    """
    if find_spec("plotly") is None:
        raise ImportError(MISSING_EXTRA.replace("data sets need", "reports need"))
    path = named(folder)
    page = replaceable(path / REPORT if out is None else out)
    known = tuple(tiles)
    study = find_study(path)
    if (path / SUMMARY).exists():
        data = Dataset(path)
    else:
        data = build_dataset(
            _sources(path, study),
            path / TABLES,
            tiles=known,
            workers=workers,
            skip_damaged=skip_damaged,
            replace=True,
            progress=reading,
        )
    report = _Reporter(data, path, study, known, examples, progress or (lambda _: None)).report()
    write_text(page, report_page(report))
    return page


def _sources(folder: Path, study: Path | None) -> list[Path]:
    """Return the files of records that a report rests on."""
    if study is None:
        return [folder]
    if study == folder:
        return [base_of(study)]
    return [path for path in record_files([folder]) if study.resolve() not in path.parents]


@dataclass(frozen=True)
class _Reporter:
    """Puts a report together."""

    data: Dataset
    folder: Path
    study: Path | None
    tiles: tuple[TileSet, ...]
    examples: int
    progress: Callable[[str], None]

    def report(self) -> Report:
        findings = Findings(self.data)
        if findings.results.is_empty():
            raise ReportError(f"{self.folder}: no game in it has a result")
        sections = Sections(findings, _anchors(self.folder))
        found = []
        for section in sections:
            self.progress(section.title)
            found.append(section)
        if self.study is not None:
            found.append(study_section(self.study))
        return Report(
            title=self.folder.resolve().name,
            facts=list(_facts(sections)),
            sections=found,
            examples=list(self._replays(findings)),
            notes=list(_notes(self.data, findings)),
        )

    def _replays(self, findings: Findings) -> Iterator[Example]:
        for game, reason in list(_worth_seeing(findings).items())[: self.examples]:
            self.progress(f"Example: {reason}")
            record = self.data.record(game, self.tiles)
            first, second = record.players
            words = f"{first} {record.scores[0]} : {record.scores[1]} {second}"
            yield Example(game, reason, words, replay_page(record))


def _anchors(folder: Path) -> dict[str, float]:
    """Return the ratings that the tournament in a folder fixes, if there is one."""
    try:
        summary = json.loads((folder / "tournament.json").read_text(encoding="utf-8"))
        result = summary["result"] or {"anchors": {}}
        return {str(agent): float(rating) for agent, rating in result["anchors"].items()}
    except FileNotFoundError:
        return {}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ReportError(f"{folder / 'tournament.json'}: damaged: {error}") from None


def _facts(sections: Sections) -> Iterator[str]:
    """Say in a few sentences what the games tell."""
    import polars as pl

    findings = sections.findings
    games, agents = findings.results.height, len(findings.agents)
    yield f"{games:,} {_plural(games, 'game')} of {agents:,} {_plural(agents, 'agent')}."
    if sections.ratings is not None:
        best = sections.ratings.row(0, named=True)
        yield f"The highest rating is that of {best['agent']}: {in_elo(best)}."
    if not sections.number_of_games:
        return
    first = findings.first_player().row(0, named=True)
    lead = findings.first_player_lead().row(0, named=True)
    yield (
        f"The player who begins scores {in_percent(first)} and ends {in_points(lead)} points ahead: "
        f"{_told(first)}."
    )
    every = findings.games.with_columns(value=pl.col("turns"))
    length = findings.means(every).row(0, named=True)
    ended = findings.means(every.with_columns(value=pl.col("termination") == "exhaustion"), share=True)
    yield (
        f"A game takes {in_points(length)} turns; {in_percent(ended.row(0, named=True))} end because the "
        "stack is exhausted."
    )
    best_agent = sections.agents[0]
    taken = findings.orders_taken().filter(pl.col("agent") == best_agent).sort("value", descending=True)
    if not taken.is_empty():
        order = taken.row(0, named=True)
        yield (
            f"The order that {best_agent} executes most readily is {ORDER_TITLES[order['order_name']]}: "
            f"{in_percent(order)} of its chances."
        )
    for row in findings.triggers("gain").iter_rows(named=True):
        yield (
            f"Whoever causes the {SCORING_TITLES[row['scoring']]} gains {in_points(row)} points on the other "
            "by it."
        )


def _told(share: Mapping[str, float]) -> str:
    if share["low"] > 0.5:
        return "going first is an advantage"
    if share["high"] < 0.5:
        return "going first is a disadvantage"
    return "these games do not tell whether going first is an advantage"


def _plural(number: int, word: str) -> str:
    return word if number == 1 else f"{word}s"


def _notes(data: Dataset, findings: Findings) -> Iterator[str]:
    """Say what the reader should know of the games."""
    import polars as pl

    results = findings.results
    for name, digest, number in results.group_by("tiles", "tiles_digest").len().sort("tiles").rows():
        yield f"Tile set {name} ({digest[:8]}): {number:,} {_plural(number, 'game')}."
    if data.damaged:
        number = len(data.damaged)
        yield f"{number:,} damaged {_plural(number, 'record')} left out; the first: {data.damaged[0]}."
    unfinished = data.games - results.height
    if unfinished:
        yield f"{unfinished:,} {_plural(unfinished, 'game')} without a result left out."
    odd = results.filter(~pl.col("finished"))
    for reason, number in odd.group_by("termination").len().sort("termination").rows():
        yield f"{number:,} {_plural(number, 'game')} ended by {reason}: {_NOT_ALL}."
    later = results.filter(pl.col("finished") & ~pl.col("dealt")).height
    if later:
        yield f"{later:,} {_plural(later, 'game')} began from a position: {_NOT_ALL}."
    yield (
        "Intervals are those of 95 %. They rest on pairs of games with the same stack, where there are "
        "pairs, else on games: what happens within one is not independent."
    )


def _worth_seeing(findings: Findings) -> dict[int, str]:
    """Return the numbers of games that show something, each with the reason."""
    import polars as pl

    first, second = pl.col("score_0").cast(pl.Int32), pl.col("score_1").cast(pl.Int32)
    games = findings.games.with_columns(lead=(first - second).abs(), total=first + second).collect()
    turned = findings.scorings().filter(pl.col("cause") == "king").sort("gain", "game").head(1).collect()
    picks: list[tuple[str, pl.DataFrame]] = [
        (
            "The closest game with the most points",
            games.filter(pl.col("lead") > 0).sort("lead", -pl.col("total"), "game"),
        ),
        ("The most points together", games.sort(-pl.col("total"), "game")),
        ("The largest lead", games.sort(-pl.col("lead"), "game")),
        ("The scoring that helped the opponent most", turned),
        ("The longest game", games.sort(-pl.col("turns").cast(pl.Int32), "game")),
        ("A tie with the most points", games.filter(pl.col("lead") == 0).sort(-pl.col("total"), "game")),
        ("The shortest game", games.sort("turns", "game")),
    ]
    found: dict[int, str] = {}
    for reason, frame in picks:
        if not frame.is_empty():
            found.setdefault(frame["game"][0], reason)
    return found
