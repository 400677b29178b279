"""What many games say of strength, advantage, length, actions, orders, scorings and points, with intervals.

A finding is a Polars frame. What it is about stands in its first columns; ``value``, ``low`` and ``high`` are
the value and its 95 % interval, ``number`` the cases that it rests on.

The two games of a pair share their stack, and the decisions of a game share the game, so neither are
independent. Pairs are, and games that belong to no pair: they are the *clusters*. A value is a ratio of sums
over clusters, ``m = sum(y) / sum(n)``, and has the variance of the ratio estimator, ``c / (c - 1)
sum((y - m n)**2) / sum(n)**2`` with ``c`` clusters; its interval is Student's with ``c - 1`` degrees of
freedom. That of a share is Wilson's for as many independent cases as would have this variance, so that it
stays within 0 and 1, and has a width if all cases are alike.

Source: W. G. Cochran, *Sampling techniques*, 3rd edition (1977), chapters 6 and 9A.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from basilica_env.arena.dataset import Dataset, require_extra
from basilica_env.arena.ratings import Pairing, rate
from basilica_env.arena.statistics import CONFIDENCE, PAIR_SCORES, Estimate, pair_score, wilson
from basilica_env.core.layout import ORDER_NAMES, PLAYERS

if TYPE_CHECKING:
    import polars as pl

ACTIONS = ("vault", "builder", *ORDER_NAMES)
"""What a player can spend an action on."""
MOST_CLUSTERS = 20_000
"""Of more, several count as one: they are as independent, and memory stays small for millions of games."""
POINTS_FOR = ("tile", "architect", "glass", "minority")
"""What points are for: columns of the areas, without ``_points``."""
INTERVAL = ("value", "low", "high")


class Findings:
    """What the games of a data set say.

    Ratings and cross table rest on all games with a result, everything else on the games that were played
    from the deal to their end by the rules.

    Parameters
    ----------
    data : Dataset
    """

    def __init__(self, data: Dataset) -> None:
        require_extra()
        self.data = data

    # --- Strength ---------------------------------------------------------------------------------

    @cached_property
    def results(self) -> pl.DataFrame:
        """All games that have a result; ``score`` is that of seat 0, ``deal`` the first game of the pair."""
        import polars as pl

        agents = [pl.col(f"agent_{seat}") for seat in range(PLAYERS)]
        scores = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
        games = (
            self.data.table("games")
            .drop("headers")
            .filter(pl.col("result") != "*")
            .with_columns(
                one=pl.min_horizontal(agents),
                other=pl.max_horizontal(agents),
                score=pl.col("result").replace_strict(scores, return_dtype=pl.Float64),
            )
            .collect()
        )
        first_of_pair = pl.col("game").min().over("source", "tiles_digest", "one", "other", "pair")
        deal = pl.when(pl.col("pair").is_null()).then("game").otherwise(first_of_pair)
        return games.with_columns(deal=deal, cluster=deal % MOST_CLUSTERS)

    @cached_property
    def agents(self) -> list[str]:
        """All agents, in alphabetical order."""
        return sorted({*self.results["agent_0"], *self.results["agent_1"]})

    @cached_property
    def _pairs(self) -> dict[tuple[str, str], list[int]]:
        """The pentanomial of each two agents, from the side of the first; a lone game counts like a pair."""
        import polars as pl

        mine = pl.when(pl.col("agent_0") == pl.col("one")).then("score").otherwise(1 - pl.col("score"))
        pairs = (
            self.results.filter(pl.col("one") != pl.col("other"))
            .group_by("one", "other", "deal")
            .agg(mine.mean().alias("score"))
            .with_columns((pl.col("score") * (len(PAIR_SCORES) - 1)).round().cast(pl.Int64).alias("entry"))
            .group_by("one", "other", "entry")
            .len()
        )
        found: dict[tuple[str, str], list[int]] = {}
        for one, other, entry, number in pairs.rows():
            found.setdefault((one, other), [0] * len(PAIR_SCORES))[entry] += number
        return found

    def ratings(self, anchors: Mapping[str, float] | None = None) -> pl.DataFrame:
        """Return the ratings of the agents, the highest first; see :mod:`basilica_env.arena.ratings`.

        Raises
        ------
        ValueError
            If some agents have no games with others that would connect them to all.
        """
        import polars as pl

        numbers = {agent: number for number, agent in enumerate(self.agents)}
        pairings = [
            Pairing(numbers[one], numbers[other], pairs) for (one, other), pairs in self._pairs.items()
        ]
        fixed = {numbers[agent]: rating for agent, rating in (anchors or {}).items() if agent in numbers}
        estimates = rate(pairings, len(numbers), fixed).estimates
        games = self._tallies().group_by("agent").agg(pl.sum("games").alias("number"))
        return (
            pl.DataFrame(
                [(agent, *estimates[number]) for agent, number in numbers.items()],
                schema=["agent", *INTERVAL],
                orient="row",
            )
            .join(games, on="agent", how="left")
            .sort("value", descending=True)
        )

    def _tallies(self) -> pl.DataFrame:
        """Count the games of each agent against each other."""
        import polars as pl

        both = pl.concat(
            self.results.select(
                agent=f"agent_{seat}",
                opponent=f"agent_{1 - seat}",
                score=pl.col("score") if seat == 0 else 1 - pl.col("score"),
            )
            for seat in range(PLAYERS)
        ).filter(pl.col("agent") != pl.col("opponent"))
        score = pl.col("score")
        return both.group_by("agent", "opponent").agg(
            games=pl.len(), wins=(score == 1).sum(), draws=(score == 0.5).sum(), losses=(score == 0).sum()
        )

    def cross_table(self) -> pl.DataFrame:
        """Return the mean score of each agent against each other, with the interval by pairs."""
        import polars as pl

        rows = []
        for (one, other), pairs in self._pairs.items():
            score = pair_score(pairs)
            rows.append((one, other, *score))
            rows.append((other, one, 1 - score.value, 1 - score.high, 1 - score.low))
        names = ["agent", "opponent"]
        scores = pl.DataFrame(rows, schema=[*names, *INTERVAL], orient="row")
        return scores.join(self._tallies(), on=names).sort(names)

    # --- Games ------------------------------------------------------------------------------------

    @cached_property
    def games(self) -> pl.LazyFrame:
        """The games that were played from the deal to their end."""
        import polars as pl

        return self.results.lazy().filter(pl.col("dealt") & pl.col("finished"))

    def seats(self) -> pl.LazyFrame:
        """Return a row for each player of each game: agent, opponent, points, lead at the end, score."""
        import polars as pl

        return pl.concat(
            self.games.select(
                "game",
                "cluster",
                player=pl.lit(seat, pl.Int8),
                agent=f"agent_{seat}",
                opponent=f"agent_{1 - seat}",
                points=pl.col(f"score_{seat}").cast(pl.Int32),
                lead=pl.col(f"score_{seat}").cast(pl.Int32) - pl.col(f"score_{1 - seat}"),
                score=pl.col("score") if seat == 0 else 1 - pl.col("score"),
            )
            for seat in range(PLAYERS)
        )

    def first_player(self, *by: str) -> pl.DataFrame:
        """Return the mean score of the player who begins, a tie being 1/2; `by` may be ``one``, ``other``."""
        import polars as pl

        return self.means(self.games.with_columns(value=pl.col("score")), by, share=True)

    def first_player_lead(self, *by: str) -> pl.DataFrame:
        """Return by how many points the player who begins is ahead at the end."""
        import polars as pl

        lead = pl.col("score_0").cast(pl.Int32) - pl.col("score_1")
        return self.means(self.games.with_columns(value=lead), by)

    def points(self) -> pl.DataFrame:
        """Return the mean points of each agent."""
        import polars as pl

        return self.means(self.seats().with_columns(value=pl.col("points")), ["agent"])

    def length(self, unit: str = "turns") -> pl.DataFrame:
        """Return the mean length of the games of each two agents, in ``turns`` or ``decisions``."""
        import polars as pl

        return self.means(self.games.with_columns(value=pl.col(unit)), ["one", "other"])

    def endings(self) -> pl.DataFrame:
        """Return how the games of each two agents ended: by the third ``scoring`` or by ``exhaustion``."""
        import polars as pl

        return self.shares(self.games.with_columns(count=pl.lit(1)), ["one", "other"], "termination")

    # --- Actions and orders -----------------------------------------------------------------------

    def _choices(self) -> pl.LazyFrame:
        """Return the decisions on what to do; a redraw (R4.5) is no action, but could have been an order."""
        import polars as pl

        columns = ("agent", "kind", "move", "order_name", "denied", "executable")
        placed = pl.when(pl.col("move").str.starts_with("V")).then(pl.lit("vault"))
        return (
            self.of_games("decisions", *columns)
            .filter(pl.col("kind").is_in(["main", "vault"]))
            .with_columns(
                action=placed.when(pl.col("move") == "B").then(pl.lit("builder")).otherwise("order_name")
            )
        )

    def actions(self) -> pl.DataFrame:
        """Return what each agent spends its actions on, as shares."""
        import polars as pl

        taken = self._choices().drop_nulls("action")
        counts = taken.group_by("agent", "action", "cluster").agg(count=pl.len())
        return self.shares(counts, ["agent"], "action")

    def orders_taken(self) -> pl.DataFrame:
        """Return how often each agent executes an order when it can (R6.1)."""
        import polars as pl

        chances = (
            self._choices()
            .group_by("agent", "cluster")
            .agg(
                *(
                    (pl.col("executable").and_(1 << number) > 0).sum().alias(f"{name} possible")
                    for number, name in enumerate(ORDER_NAMES)
                ),
                *((pl.col("action") == name).sum().alias(name) for name in ORDER_NAMES),
            )
        )
        cases = pl.concat(
            chances.select("agent", "cluster", order_name=pl.lit(name), value=name, weight=f"{name} possible")
            for name in ORDER_NAMES
        )
        return self.means(cases, ["agent", "order_name"], share=True)

    def orders_denied(self) -> pl.DataFrame:
        """Return how many of the orders that an agent takes off their spaces it denies.

        An order is denied if a placed vault takes its tile off the order space above (R4.4), so that nobody
        can execute it any more; otherwise it is executed.
        """
        import polars as pl

        cases = self._choices().select(
            "agent",
            "cluster",
            value=pl.col("denied").is_not_null(),
            order_name=pl.coalesce("denied", "order_name"),
        )
        return self.means(cases.drop_nulls("order_name"), ["agent", "order_name"], share=True)

    def paid_orders(self) -> pl.DataFrame:
        """Return how often each agent pays when it is asked (R6.9)."""
        import polars as pl

        offers = self.of_games("decisions", "agent", "kind", "move", "order_name").filter(
            pl.col("kind") == "offer"
        )
        cases = offers.with_columns(value=pl.col("move") == "pay")
        return self.means(cases, ["agent", "order_name"], share=True)

    # --- Scorings and points ----------------------------------------------------------------------

    def scorings(self) -> pl.LazyFrame:
        """Return a row for each scoring: who caused it, where the game stood, and what came of it.

        ``lead`` is the lead of the player whose turn it was, before the scoring; ``gain`` what the scoring
        added to it; ``score`` what that player made of the game.
        """
        import polars as pl

        mine = pl.col("player") == 0
        lead = pl.col("score_0").cast(pl.Int32) - pl.col("score_1")
        gain = pl.col("gain_0") - pl.col("gain_1")
        games = self.games.select("game", "agent_0", "agent_1", first_score="score")
        return (
            self.of_games(
                "areas", "scoring", "cause", "player", "turn", "score_0", "score_1", "points_0", "points_1"
            )
            .group_by("game", "cluster", "scoring", "cause", "player", "turn", "score_0", "score_1")
            .agg(gain_0=pl.sum("points_0").cast(pl.Int32), gain_1=pl.sum("points_1").cast(pl.Int32))
            .join(games, on="game")
            .select(
                *("game", "cluster", "scoring", "cause", "player", "turn"),
                agent=pl.when(mine).then("agent_0").otherwise("agent_1"),
                opponent=pl.when(mine).then("agent_1").otherwise("agent_0"),
                lead=pl.when(mine).then(lead).otherwise(-lead),
                gain=pl.when(mine).then(gain).otherwise(-gain),
                score=pl.when(mine).then("first_score").otherwise(1 - pl.col("first_score")),
            )
        )

    def triggers(self, quantity: str, *by: str) -> pl.DataFrame:
        """Return what scorings by the king (R4.3) bring the player who causes them.

        Parameters
        ----------
        quantity : a column of :meth:`scorings`: ``gain``, ``lead``, ``turn`` or ``score``
        by : further columns, such as ``agent``, besides the number of the scoring
        """
        import polars as pl

        cases = self.scorings().filter(pl.col("cause") == "king").with_columns(value=pl.col(quantity))
        return self.means(cases, ["scoring", *by], share=quantity == "score")

    def points_for(self) -> pl.DataFrame:
        """Return what the points of each agent are for, in points a game."""
        import polars as pl

        def gained(seat: int, name: str) -> pl.Expr:
            holder = 1 - seat if name == "minority" else seat
            return pl.col(f"{name}_points").filter(pl.col("majority") == holder).sum().cast(pl.Int64)

        names = [f"{name}_points" for name in POINTS_FOR]
        areas = self.of_games("areas", "majority", *names)
        sums = [
            areas.group_by("game")
            .agg(gained(seat, name).alias(name) for name in POINTS_FOR)
            .with_columns(player=pl.lit(seat, pl.Int8))
            for seat in range(PLAYERS)
        ]
        cases = (
            self.seats()
            .join(pl.concat(sums), on=["game", "player"], how="left")
            .unpivot(POINTS_FOR, index=["agent", "cluster"], variable_name="source", value_name="value")
            .with_columns(pl.col("value").fill_null(0))
        )
        return self.means(cases, ["agent", "source"])

    def contests(self) -> pl.DataFrame:
        """Return how areas in which both players stand are decided: by strength, by Strongmen, or not."""
        import polars as pl

        contested = self.of_games(
            "areas", "colour", "majority", "by_strongmen", "builders_0", "builders_1"
        ).filter(pl.col("colour").is_not_null() & (pl.min_horizontal("builders_0", "builders_1") > 0))
        decided = (
            pl.when("by_strongmen")
            .then(pl.lit("strongmen"))
            .when(pl.col("majority").is_null())
            .then(pl.lit("tied"))
            .otherwise(pl.lit("strength"))
        )
        return self.shares(contested.with_columns(decided=decided, count=pl.lit(1)), [], "decided")

    def wasted_builders(self) -> pl.DataFrame:
        """Return how many builders of each agent gain nothing in a scoring."""
        import polars as pl

        columns = [f"{name}_{seat}" for name in ("wasted", "points") for seat in range(PLAYERS)]
        areas = self.of_games("areas", "scoring", *columns)
        games = self.games.select("game", "agent_0", "agent_1")
        cases = pl.concat(
            areas.group_by("game", "cluster", "scoring")
            .agg(value=pl.sum(f"wasted_{seat}").cast(pl.Int64))
            .join(games, on="game")
            .select("cluster", "value", agent=f"agent_{seat}")
            for seat in range(PLAYERS)
        )
        return self.means(cases, ["agent"])

    def squares(self) -> pl.DataFrame:
        """Return how often a vault and a builder are placed on each square, a game."""
        import polars as pl

        moves = self.of_games("decisions", "kind", "move", "square")
        vault = pl.col("move").str.starts_with("V")
        builder = (pl.col("move") == "B") | pl.col("kind").is_in(["recruit", "paid-recruit"])
        placed = (
            moves.with_columns(
                piece=pl.when(vault).then(pl.lit("vault")).when(builder).then(pl.lit("builder"))
            )
            .drop_nulls("piece")
            .group_by("piece", "square", "cluster")
            .agg(value=pl.len())
        )
        games = self.games.group_by("cluster").agg(weight=pl.len())
        return self.ratios(placed, games, [], ["piece", "square"])

    # --- Values with intervals --------------------------------------------------------------------

    def of_games(self, table: str, *columns: str) -> pl.LazyFrame:
        """Return columns of a table, with the game and its cluster, for the games played to their end."""
        rows = self.data.table(table).select("game", *columns)
        return rows.join(self.games.select("game", "cluster"), on="game")

    def means(self, cases: pl.LazyFrame, by: Sequence[str] = (), *, share: bool = False) -> pl.DataFrame:
        """Return means with their intervals.

        Parameters
        ----------
        cases : columns `by`, ``cluster`` and ``value``, and ``weight`` if a row is not one case
        by : what each mean is about
        share : values are from 0 to 1
        """
        import polars as pl

        weight = pl.sum("weight") if "weight" in cases.collect_schema() else pl.len()
        sums = cases.group_by(*by, "cluster").agg(pl.sum("value").cast(pl.Float64), weight=weight)
        return self.ratios(sums, sums, by, (), share=share)

    def shares(self, counts: pl.LazyFrame, by: Sequence[str], kind: str) -> pl.DataFrame:
        """Return which share of all cases is of each kind, with intervals.

        Parameters
        ----------
        counts : columns `by`, `kind`, ``cluster`` and ``count``
        by : what the shares add up to 1 for
        kind : the column that tells cases apart
        """
        import polars as pl

        values = counts.group_by(*by, kind, "cluster").agg(value=pl.sum("count"))
        weights = values.group_by(*by, "cluster").agg(weight=pl.sum("value"))
        return self.ratios(values, weights, by, (kind,), share=True)

    def ratios(
        self,
        values: pl.LazyFrame,
        weights: pl.LazyFrame,
        by: Sequence[str],
        kinds: Sequence[str],
        *,
        share: bool = False,
    ) -> pl.DataFrame:
        """Return ratios of sums over clusters with their intervals.

        Parameters
        ----------
        values : columns `by`, `kinds`, ``cluster`` and ``value``; where there is no row the value is 0
        weights : columns `by`, ``cluster`` and ``weight``
        by, kinds : what each ratio is about; all `kinds` of the same `by` have the same weights
        share : ratios are from 0 to 1
        """
        import polars as pl

        y, n = pl.col("value").cast(pl.Float64), pl.col("weight").cast(pl.Float64)
        constant = pl.lit(0, pl.Int8).alias("all")
        weights = weights.select(*by, "cluster", "weight").filter(pl.col("weight") > 0).with_columns(constant)
        totals = weights.group_by("all", *by).agg(number=n.sum(), clusters=pl.len(), nn=(n**2).sum())
        found = (
            values.select(*by, *kinds, "cluster", "value")
            .join(weights, on=[*by, "cluster"])
            .group_by("all", *by, *kinds)
            .agg(total=y.sum(), yy=(y**2).sum(), yn=(y * n).sum())
            .join(totals, on=["all", *by])
            .sort(*by, *kinds, "all")
            .collect(engine="streaming")
        )
        sums = found.select("total", "number", "clusters", "yy", "yn", "nn")
        estimates = [_estimate(*row, share=share) for row in sums.rows()]
        intervals = pl.DataFrame(estimates, schema=dict.fromkeys(INTERVAL, pl.Float64), orient="row")
        return found.select(*by, *kinds, *intervals, found["number"].round().cast(pl.Int64))


def _estimate(
    total: float, number: float, clusters: int, yy: float, yn: float, nn: float, *, share: bool
) -> Estimate:
    """Return a ratio of sums over clusters and its interval (Cochran)."""
    from scipy.stats import t

    value = total / number
    if clusters < 2:  # one case says nothing of how cases differ
        return Estimate(value, 0.0, 1.0) if share else Estimate(value, -math.inf, math.inf)
    spread = max(0.0, yy - 2 * value * yn + value**2 * nn)
    variance = spread * clusters / (clusters - 1) / number**2
    if share:
        return wilson(value, value * (1 - value) / variance if variance > 0 else clusters)
    half = float(t.ppf((1 + CONFIDENCE) / 2, clusters - 1)) * math.sqrt(variance)
    return Estimate(value, value - half, value + half)
