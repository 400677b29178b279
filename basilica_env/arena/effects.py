"""What a variation of the tile set changes: quantities of the game, compared pair by pair.

With each tile set the same pairings play pairs of games with the same shuffles, so a difference is the mean
over pairs of games of what a quantity is with the variation, less what it is with the tile set that is
varied. Its interval is Student's, and holds together with those of all other differences of the study with
95 %: each has the confidence that Bonferroni's inequality asks for. A difference is *sure* if its interval
does not hold 0.

To the differences of a share, half a pair is added in which it is 1, half a pair in which it is -1 and one in
which it is 0, so that the interval has a width even if all pairs are alike (A. Agresti and Y. Min, *Simple
improved confidence intervals for comparing matched proportions*, Statistics in Medicine 24, 2005).

Games that an agent lost by its own fault do not count.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from basilica_env.arena.statistics import CONFIDENCE, Estimate
from basilica_env.core.layout import PLAYERS

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from basilica_env.arena.findings import Findings


@dataclass(frozen=True)
class Quantity:
    """Something that is compared.

    Attributes
    ----------
    name : str
        Also that of its column.
    title : str
    short : str
        In a sentence.
    is_share : bool
        From 0 to 1, and shown in per cent.
    """

    name: str
    title: str
    short: str
    is_share: bool


QUANTITIES = (
    Quantity("first", "First player's share of the points", "the first player's share", is_share=True),
    Quantity("turns", "Turns in a game", "the length", is_share=False),
    Quantity("exhaustion", "Games ended by the stack (R7.2)", "how games end", is_share=True),
)


@dataclass(frozen=True)
class Effect:
    """A quantity with a tile set.

    Attributes
    ----------
    value : Estimate
        With its 95 % interval.
    difference : Estimate or None
        From the tile set that is varied, with an interval that holds for all differences together; None for
        that tile set itself.
    """

    value: Estimate
    difference: Estimate | None

    @property
    def is_sure(self) -> bool:
        """Whether the quantity surely differs."""
        return self.difference is not None and not self.difference.low <= 0 <= self.difference.high


def compare(findings: Findings, names: Sequence[str]) -> dict[str, dict[str, Effect]]:
    """Compare the quantities of variations with those of the tile set that is varied.

    Parameters
    ----------
    findings : Findings
        Of all games.
    names : sequence of str
        Of the tile sets, that which is varied first.

    Returns
    -------
    dict of str to dict of str to Effect
        By the names of tile set and quantity; empty for a tile set without games.
    """
    import polars as pl

    games = findings.games.with_columns(
        first=pl.col("score"), exhaustion=(pl.col("termination") == "exhaustion").cast(pl.Float64)
    )
    pairs = _pairs(games)
    confidence = 1 - (1 - CONFIDENCE) / max(1, (len(names) - 1) * len(QUANTITIES))
    compared: dict[str, dict[str, Effect]] = {name: {} for name in names}
    for quantity in QUANTITIES:
        cases = games.with_columns(value=pl.col(quantity.name))
        values = findings.means(cases, ["tiles"], share=quantity.is_share)
        for name, value, low, high in values.select("tiles", "value", "low", "high").rows():
            difference = None
            if name != names[0]:
                differences = _differences(pairs, quantity.name, name, names[0])
                difference = mean_difference(differences, confidence, quantity.is_share)
            compared[name][quantity.name] = Effect(Estimate(value, low, high), difference)
    return compared


def _pairs(games: pl.LazyFrame) -> pl.DataFrame:
    """Return the mean quantities of each pair of games that were both played to their end."""
    import polars as pl

    return (
        games.group_by("tiles", "one", "other", "pair")
        .agg(pl.len(), *(pl.col(quantity.name).mean() for quantity in QUANTITIES))
        .filter(pl.col("len") == PLAYERS)
        .sort("tiles", "one", "other", "pair")
        .collect()
    )


def _differences(pairs: pl.DataFrame, quantity: str, name: str, base: str) -> NDArray[Any]:
    """Return by how much a quantity differs between two tile sets, for each pair that both have."""
    here, there = pairs.filter(tiles=name), pairs.filter(tiles=base)
    both = here.join(there, on=["one", "other", "pair"], suffix="_base")
    return (both[quantity] - both[f"{quantity}_base"]).to_numpy()


def mean_difference(values: NDArray[Any], confidence: float, is_share: bool) -> Estimate:
    """Return the mean of differences and its interval.

    Parameters
    ----------
    values : ndarray
        A difference for each pair, shape (pairs,). The interval of fewer than two is all there is.
    confidence : float
        How often the interval holds the truth.
    is_share : bool
        They are of a share, from -1 to 1.
    """
    from scipy.stats import t

    most = 1.0 if is_share else math.inf
    number = len(values)
    if number < 2:
        return Estimate(float(values.mean()) if number else 0.0, -most, most)
    total, squares = float(values.sum()), float((values**2).sum())
    added, added_squares = (2, 1.0) if is_share else (0, 0.0)
    middle = total / (number + added)
    variance = ((squares + added_squares) / (number + added) - middle**2) / (number + added - 1)
    reach = float(t.ppf((1 + confidence) / 2, number + added - 1)) * math.sqrt(max(0.0, variance))
    return Estimate(total / number, max(-most, middle - reach), min(most, middle + reach))
