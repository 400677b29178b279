"""What stands in a report: sections of words, charts and tables, made of findings."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from basilica_env.arena.findings import ACTIONS, INTERVAL, POINTS_FOR, Findings
from basilica_env.arena.report_charts import bars, board, dots, lines
from basilica_env.core.layout import PLAYERS

if TYPE_CHECKING:
    import polars as pl
    from plotly.graph_objects import Figure

ORDER_TITLES = {
    "promote": "Promote",
    "move": "Move Builder",
    "recruit": "Recruit",
    "confuse": "Confuse",
    "glass": "Stained Glass",
    "scaffold": "Scaffolding",
    "disaster": "Disaster",
}
ACTION_TITLES = {"vault": "Place Vault", "builder": "Place Builder", **ORDER_TITLES}
POINTS_TITLES = {
    "tile": "Tiles",
    "architect": "Architects",
    "glass": "Stained glass",
    "minority": "Minority",
}
DECIDED_TITLES = {"strength": "strength", "strongmen": "Strongmen", "tied": "tied"}
SCORING_TITLES = {1: "first scoring", 2: "second scoring", 3: "third scoring"}
ENDING_TITLES = {"scoring": "third scoring", "exhaustion": "stack exhausted"}
PIECE_TITLES = {"vault": "Vaults", "builder": "Builders"}

MOST_CLASSES = 40
ALL_GAMES = "all games"

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Table:
    """Numbers of a section.

    Attributes
    ----------
    title : str
    columns : sequence of str
    rows : sequence of sequences of str
    shades : sequence of sequences of float
        How a cell is coloured: from -1 to 1, 0 for not at all. Empty for a table without colours.
    is_open : bool
        Whether it is seen at once.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    shades: Sequence[Sequence[float]] = ()
    is_open: bool = False


@dataclass(frozen=True)
class Chart:
    """A chart of a section.

    Attributes
    ----------
    title : str
    unit : str
        What its numbers are.
    figure : Figure
    """

    title: str
    unit: str
    figure: Figure


@dataclass(frozen=True)
class Section:
    """A part of a report.

    Attributes
    ----------
    title : str
    words : str
        What it shows and how to read it.
    charts : sequence of Chart
    tables : sequence of Table
    """

    title: str
    words: str
    charts: Sequence[Chart] = ()
    tables: Sequence[Table] = ()


def in_percent(row: Row) -> str:
    """Write a share with its interval."""
    return _written(row, ".1f", " %", 100)


def in_points(row: Row) -> str:
    """Write a value with its interval."""
    return _written(row, ".1f")


def in_elo(row: Row) -> str:
    """Write a rating with its interval."""
    return _written(row, "+.0f")


def _in_hundredths(row: Row) -> str:
    return _written(row, ".2f")


def _count(row: Row) -> str:
    return f"{row['number']:,}"


def _written(row: Row, form: str, unit: str = "", factor: float = 1) -> str:
    value, low, high = (f"{factor * row[name]:{form}}".replace("-", "−") for name in INTERVAL)
    if math.isinf(row["low"]) and math.isinf(row["high"]):
        return f"{value}{unit} (one game or pair gives no interval)"
    return f"{value}{unit} ({low} to {high})"


def pivot(
    title: str,
    frame: pl.DataFrame,
    rows: str,
    columns: str,
    write: Callable[[Row], str],
    order: Sequence[str],
) -> Table:
    """Make a table of a frame: a row a value of one column, a column a value of another, in order."""
    cells = {(row[rows], row[columns]): write(row) for row in frame.iter_rows(named=True)}
    across = [name for name in order if any(column == name for _, column in cells)]
    down = dict.fromkeys(frame[rows].to_list())
    return Table(
        title,
        ["", *across],
        [[name, *(cells.get((name, column), "") for column in across)] for name in down],
    )


class Sections:
    """The sections of a report.

    Parameters
    ----------
    findings : Findings
    anchors : mapping of str to float
        Ratings that are fixed, by agent.
    """

    def __init__(self, findings: Findings, anchors: Mapping[str, float]) -> None:
        self.findings = findings
        self.anchors = anchors

    def __iter__(self) -> Iterator[Section]:
        yield self.strength()
        if len(self.findings.agents) > 1:
            yield self.cross_table()
        if self.number_of_games:
            yield self.points()
            yield self.first_player()
            yield self.length()
            yield self.actions()
            yield self.orders()
            yield self.paid_orders()
            yield self.scorings()
            yield self.points_for()
            yield self.contests()
            yield self.squares()

    @cached_property
    def number_of_games(self) -> int:
        """Games that were played from the deal to their end."""
        import polars as pl

        return int(self.findings.games.select(pl.len()).collect().item())

    @cached_property
    def ratings(self) -> pl.DataFrame | None:
        """The ratings, the highest first; None if there is nothing to rate or some agents never met."""
        if len(self.findings.agents) < PLAYERS:
            return None
        try:
            return self.findings.ratings(self.anchors)
        except ValueError:
            return None

    @cached_property
    def agents(self) -> list[str]:
        """The agents, the strongest first."""
        return self.findings.agents if self.ratings is None else self.ratings["agent"].to_list()

    def ranked(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Sort a frame by its agents, the strongest first."""
        places = {agent: place for place, agent in enumerate(self.agents)}
        return frame.sort(frame["agent"].replace_strict(places), maintain_order=True)

    def pairings(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Name the two agents of each row in a column ``pairing``."""
        import polars as pl

        return frame.with_columns(pairing=pl.concat_str("one", "other", separator=" – "))

    # --- Strength ---------------------------------------------------------------------------------

    def strength(self) -> Section:
        """Return ratings."""
        ratings = self.ratings
        if ratings is None:
            words = (
                "There is nothing to rate: one agent played against itself."
                if len(self.findings.agents) < PLAYERS
                else "There are no ratings: some agents have played no games that connect them to all."
            )
            return Section("Strength", words)
        fixed = ", ".join(f"{agent} at {rating:g}" for agent, rating in self.anchors.items())
        words = (
            "Ratings in the scale of Elo: 100 points more mean a score of 64 % against the other, 200 points "
            "76 %, 400 points 91 %. A bar holds the ratings that the games do not reject (95 %). "
            + (f"Fixed: {fixed}." if fixed else "The mean of all is 0.")
        )
        rows = [
            [str(rank), row["agent"], in_elo(row), f"{row['number']:,}"]
            for rank, row in enumerate(ratings.iter_rows(named=True), 1)
        ]
        return Section(
            "Strength",
            words,
            [Chart("Ratings, the strongest agent at the top", "Elo", dots(ratings, "agent"))],
            [Table("Ratings", ["", "agent", "Elo", "games"], rows)],
        )

    def cross_table(self) -> Section:
        """Return who scored what against whom."""
        cells = {
            (row["agent"], row["opponent"]): row for row in self.findings.cross_table().iter_rows(named=True)
        }
        rows, shades = [], []
        for agent in self.agents:
            mine = [cells.get((agent, opponent)) for opponent in self.agents]
            rows.append([agent, *("" if cell is None else _score(cell) for cell in mine)])
            shades.append([0.0, *(0.0 if cell is None else 2 * cell["value"] - 1 for cell in mine)])
        words = (
            "The score of the agent of a row against that of a column, in percent, a tie being half a win. "
            "Below it the 95 % interval, which rests on pairs of games with the same stack, and wins, ties "
            "and losses."
        )
        return Section(
            "Each against each", words, tables=[Table("", ["", *self.agents], rows, shades, is_open=True)]
        )

    # --- Games ------------------------------------------------------------------------------------

    def points(self) -> Section:
        """Return how many points agents make."""
        points = self.ranked(self.findings.points())
        spread = self.distribution(self.findings.seats(), "points", "agent", self.agents)
        return Section(
            "Points",
            "How many points an agent has at the end of a game, against whomever it played.",
            [
                Chart("Mean points of each agent", "points a game", dots(points, "agent")),
                Chart("How often an agent ends with so many points", "share of its games, by points", spread),
            ],
            [_means("Mean points", points, "agent", in_points)],
        )

    def distribution(self, cases: pl.LazyFrame, value: str, by: str, order: Sequence[str] = ()) -> Figure:
        """Draw the shares of cases by their value."""
        return lines(class_shares(cases, value, by), "middle", "share", by, "class", order=order)

    def first_player(self) -> Section:
        """Return what going first is worth."""
        import polars as pl

        def together(found: Callable[..., pl.DataFrame]) -> pl.DataFrame:
            each = self.pairings(found("one", "other")).drop("one", "other")
            whole = found().with_columns(pairing=pl.lit(ALL_GAMES))
            return pl.concat([whole, each.select(whole.columns)])

        scores, leads = together(self.findings.first_player), together(self.findings.first_player_lead)
        return Section(
            "The first player",
            "What the player who begins makes of the games, whoever it is. Above 50 %, or above 0 points, "
            "going first is an advantage; if the interval holds that value, the games do not tell.",
            [
                Chart(
                    "Score of the player who begins",
                    "a tie is half a win",
                    dots(scores, "pairing", percent=True, reference=0.5),
                ),
                Chart(
                    "Lead of the player who begins",
                    "points, at the end",
                    dots(leads, "pairing", reference=0),
                ),
            ],
            [
                _means("Score of the first player", scores, "pairing", in_percent),
                _means("Lead of the first player, in points", leads, "pairing", in_points),
            ],
        )

    def length(self) -> Section:
        """Return how long games are and how they end."""
        import polars as pl

        ending = pl.col("termination").replace_strict(ENDING_TITLES, return_dtype=pl.String)
        turns = self.pairings(self.findings.length("turns"))
        decisions = self.pairings(self.findings.length("decisions"))
        endings = self.pairings(self.findings.endings()).with_columns(termination=ending)
        order = list(ENDING_TITLES.values())
        spread = self.distribution(self.findings.games.with_columns(ending=ending), "turns", "ending", order)
        return Section(
            "Length and end",
            "A game ends with the third scoring, when the king reaches space 30, or when a tile is to be "
            "drawn and the stack is exhausted.",
            [
                Chart("Mean length", "turns a game", dots(turns, "pairing")),
                Chart("How often games have so many turns", "share of games with this end, by turns", spread),
                Chart(
                    "How games ended",
                    "share of games",
                    bars(endings, "pairing", "termination", percent=True, order=order),
                ),
            ],
            [
                _means("Turns", turns, "pairing", in_points),
                _means("Decisions", decisions, "pairing", in_points),
                pivot("How games ended", endings, "pairing", "termination", in_percent, order),
            ],
        )

    # --- Actions and orders -----------------------------------------------------------------------

    def actions(self) -> Section:
        """Return what agents spend their actions on."""
        found = self.ranked(_titled(self.findings.actions(), "action", ACTION_TITLES))
        order = [ACTION_TITLES[action] for action in ACTIONS]
        return Section(
            "Actions",
            "A turn is three actions. This is what they were spent on.",
            [
                Chart(
                    "What agents do",
                    "share of their actions",
                    bars(found, "agent", "action", percent=True, order=order),
                )
            ],
            [pivot("Share of actions", found, "agent", "action", in_percent, order)],
        )

    def orders(self) -> Section:
        """Return which orders are executed, and which are denied."""
        taken, denied = (
            _titled(frame, "order_name", ORDER_TITLES)
            for frame in (self.findings.orders_taken(), self.findings.orders_denied())
        )
        return Section(
            "Orders used and denied",
            "An order tile lies on its space until somebody executes it, or until somebody places the vault "
            "below it, which takes the tile away: then the order is denied to both players. So agents differ "
            "in how often they execute an order that they can, and in what they do to the orders that they "
            "take off their spaces.",
            [
                Chart(
                    "Orders used",
                    "share of the actions for which an agent could execute the order",
                    self.by_agent(taken, "order_name", percent=True),
                ),
                Chart(
                    "Orders denied",
                    "share of the orders that an agent took off their spaces",
                    self.by_agent(denied, "order_name", percent=True),
                ),
            ],
            [
                pivot("Used, of all chances", taken, "order_name", "agent", in_percent, self.agents),
                pivot("Denied, of those taken away", denied, "order_name", "agent", in_percent, self.agents),
            ],
        )

    def by_agent(self, frame: pl.DataFrame, label: str, **more: Any) -> Figure:
        """Draw values with a series an agent."""
        return dots(frame, label, "agent", order=self.agents, **more)

    def paid_orders(self) -> Section:
        """Return how often agents pay for an order."""
        found = _titled(self.findings.paid_orders(), "order_name", ORDER_TITLES)
        words = (
            "If an order with a coin icon is executed, the opponent may pay a coin to do something of the "
            "kind too. This is how often an agent pays when it is asked."
        )
        if found.is_empty():
            return Section("Paid orders", f"{words} Nobody was asked in these games.")
        return Section(
            "Paid orders",
            words,
            [
                Chart(
                    "Paid orders taken",
                    "share of the offers to an agent",
                    self.by_agent(found, "order_name", percent=True),
                )
            ],
            [pivot("Paid, of all offers", found, "order_name", "agent", in_percent, self.agents)],
        )

    # --- Scorings and points ----------------------------------------------------------------------

    def scorings(self) -> Section:
        """Return who causes scorings, when, and at which lead."""
        import polars as pl

        words = (
            "A scoring follows at once when a crown moves the king to space 10, 20 or 30. Whoever places "
            "that crown causes it. The gain is what the scoring adds to the lead of that player: below 0 "
            "it helped the opponent."
        )
        gains, scores, leads, turns = (
            _titled(self.findings.triggers(quantity, "agent"), "scoring", SCORING_TITLES)
            for quantity in ("gain", "score", "lead", "turn")
        )
        if gains.is_empty():
            return Section("Scorings", f"{words} There was none in these games.")
        cases = (
            self.findings.scorings()
            .filter(pl.col("cause") == "king")
            .with_columns(which=pl.col("scoring").replace_strict(SCORING_TITLES, return_dtype=pl.String))
        )
        order = list(SCORING_TITLES.values())
        return Section(
            "Scorings",
            words,
            [
                Chart(
                    "Gain of the agent that causes a scoring",
                    "points",
                    self.by_agent(gains, "scoring", reference=0),
                ),
                Chart("Its lead before", "points", self.by_agent(leads, "scoring", reference=0)),
                Chart(
                    "What it makes of the game",
                    "a tie is half a win",
                    self.by_agent(scores, "scoring", percent=True, reference=0.5),
                ),
                Chart(
                    "When scorings are caused",
                    "share of the first, second and third scorings, by turn",
                    self.distribution(cases, "turn", "which", order),
                ),
                Chart(
                    "How much the agent that causes a scoring gains",
                    "share of the first, second and third scorings, by points",
                    self.distribution(cases, "gain", "which", order),
                ),
            ],
            [
                pivot("Gain", gains, "scoring", "agent", in_points, self.agents),
                pivot("Lead before", leads, "scoring", "agent", in_points, self.agents),
                pivot("Score in the game", scores, "scoring", "agent", in_percent, self.agents),
                pivot("Turn", turns, "scoring", "agent", in_points, self.agents),
                pivot("Scorings caused", gains, "scoring", "agent", _count, self.agents),
            ],
        )

    def points_for(self) -> Section:
        """Return where points come from."""
        found = self.ranked(_titled(self.findings.points_for(), "source", POINTS_TITLES))
        order = [POINTS_TITLES[name] for name in POINTS_FOR]
        return Section(
            "Where points come from",
            "Who holds the majority in an area scores its tiles, once more if an Architect stands in it, and "
            "its stained glass; the other player scores her builders there, the minority.",
            [Chart("What points are for", "points a game", bars(found, "agent", "source", order=order))],
            [pivot("Points a game", found, "agent", "source", in_points, order)],
        )

    def contests(self) -> Section:
        """Return how areas are decided that both players want, and which builders are wasted."""
        contests = _titled(self.findings.contests(), "decided", DECIDED_TITLES)
        wasted = self.ranked(self.findings.wasted_builders())
        charts = [Chart("Wasted builders", "of the five of an agent, a scoring", dots(wasted, "agent"))]
        tables = [_means("Wasted builders, a scoring", wasted, "agent", _in_hundredths)]
        if not contests.is_empty():
            chart = dots(contests, "decided", percent=True)
            charts.insert(0, Chart("What decides contested areas", "share of these areas", chart))
            tables.insert(0, _means("What decides contested areas", contests, "decided", in_percent))
        return Section(
            "Contested areas and wasted builders",
            "An area is contested if both players have builders in it. Strength decides who holds it; on "
            "equal strength the player with more Strongmen; else nobody scores. A builder that gains "
            "nothing in any area was wasted: it stands where nobody holds the majority, or on a wild tile "
            "alone.",
            charts,
            tables,
        )

    def squares(self) -> Section:
        """Return where pieces are placed."""
        found = self.findings.squares()
        charts = []
        for piece, title in PIECE_TITLES.items():
            mine = found.filter(found["piece"] == piece)
            values = dict(mine.select("square", "value").rows())
            charts.append(Chart(f"{title} placed", "a game, by square", board(values)))
        tables = [
            _means(f"{title} placed, a game", found.filter(found["piece"] == piece), "square", _in_hundredths)
            for piece, title in PIECE_TITLES.items()
        ]
        return Section(
            "Squares",
            "The cathedral from above, row 1 at the board below. After a scoring what is left moves down, "
            "so a square can be used several times in a game.",
            charts,
            tables,
        )


def class_shares(cases: pl.LazyFrame, value: str, by: str) -> pl.DataFrame:
    """Return the shares of cases by their value, in classes of one width, the empty ones included.

    Few cases make few, wide classes, twice the cube root of their number (the rule of Rice).

    Parameters
    ----------
    cases : columns `value`, whole numbers, and `by`
    value, by : names of columns; the shares of each of `by` add up to 1

    Returns
    -------
    polars.DataFrame
        Columns `by`, ``class`` (a text), ``middle`` and ``share``, sorted by `by` and ``middle``.
    """
    import polars as pl

    counts = cases.group_by(by, pl.col(value).cast(pl.Int64)).len().collect(engine="streaming")
    least, most = counts.select(low=pl.min(value), high=pl.max(value)).row(0)
    number = min(MOST_CLASSES, math.ceil(2 * math.cbrt(counts["len"].sum())))
    width = math.ceil((most - least + 1) / number)
    first = pl.int_range(least // width, most // width + 1, eager=True).alias("first") * width
    last = pl.col("first") + width - 1
    name = pl.col("first").cast(pl.String) if width == 1 else pl.format("{} to {}", "first", last)
    classes = first.to_frame().with_columns(middle=(pl.col("first") + last) / 2, **{"class": name})
    found = counts.group_by(by, first=pl.col(value) // width * width).agg(pl.sum("len"))
    every = counts.select(pl.col(by).unique()).join(classes, how="cross")
    number_in = every.join(found, on=[by, "first"], how="left").with_columns(pl.col("len").fill_null(0))
    share = pl.col("len") / pl.col("len").sum().over(by)
    return number_in.select(by, "class", "middle", share=share).sort(by, "middle")


def _score(cell: Row) -> str:
    value, low, high = (100 * cell[name] for name in INTERVAL)
    return f"{value:.1f}\n{low:.1f} to {high:.1f}\n{cell['wins']:,} {cell['draws']:,} {cell['losses']:,}"


def _means(title: str, frame: pl.DataFrame, label: str, write: Callable[[Row], str]) -> Table:
    rows = [[row[label], write(row), f"{row['number']:,}"] for row in frame.iter_rows(named=True)]
    return Table(title, ["", "value (95 % interval)", "cases"], rows)


def _titled(frame: pl.DataFrame, column: str, titles: Mapping[Any, str]) -> pl.DataFrame:
    """Put titles in place of what a column says, in their order."""
    import polars as pl

    kept = _in_order(frame, column, list(titles))
    return kept.with_columns(pl.col(column).replace_strict(titles, return_dtype=pl.String))


def _in_order(frame: pl.DataFrame, column: str, order: Sequence[Any]) -> pl.DataFrame:
    places = {name: place for place, name in enumerate(order)}
    return frame.sort(frame[column].replace_strict(places), maintain_order=True)
