"""Ratings of many players from the games that they have played against each other.

The model is that of Bradley and Terry, in the scale of Elo: a player who is rated higher by `d` has a mean
score of ``1 / (1 + 10 ** (-d / 400))``; a draw is half a win. How well ratings fit the games of two players
is told by the likelihood of their pairs at this mean score, as for a match
(:mod:`basilica_env.arena.statistics`), so the two games of a pair may depend on each other and draws may be
as frequent as they like. The ratings are those that fit all pairings best; an interval holds the ratings
that a likelihood ratio does not reject, with the others fitted anew for each.

To each pairing one drawn game is added before anything is worked out. This is the prior: it keeps the
rating of a player who has won or lost every game finite, and takes away most of the bias that few games
would leave. In 200 games it moves a rating by 1 or 2, unless nearly all games were won.

Sources:

- Model: R. A. Bradley and M. E. Terry, *Rank analysis of incomplete block designs: I. The method of paired
  comparisons*, Biometrika 39 (1952); the scale is Elo's.
- Interval and likelihood of superiority: S. S. Wilks (1938), on the likelihood of A. B. Owen (1988), as for
  matches.
- One drawn game: half a win and half a loss for each side is Jeffreys' prior on the odds of a pairing; D.
  Firth, *Bias reduction of maximum likelihood estimates*, Biometrika 80 (1993).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from basilica_env.arena.statistics import (
    CONFIDENCE,
    NORMAL,
    Estimate,
    expected_score,
    pair_deviance,
    quantile,
)
from basilica_env.render.raster import lacking

if TYPE_CHECKING:
    from numpy.typing import NDArray

PRIOR_GAMES = 1
"""Drawn games that are added to each pairing."""
FARTHEST = 4000.0
"""Two ratings differ by no more; the mean score is then within 1e-10 of 0 or 1."""

SCALE = math.log(10) / 400
"""Natural logarithm of the odds that one Elo is."""
UNIT = 100.0
"""Elo that the search for the best ratings takes as one, so that its steps are of a natural size."""

_DRAWN = 2
"""The entry of a pentanomial for pairs of one point."""


class Pairing(NamedTuple):
    """The games of two players."""

    first: int
    second: int
    pairs: Sequence[float]
    """The pentanomial, from the side of the first."""


@dataclass(frozen=True)
class Ratings:
    """Ratings in the scale of Elo.

    Attributes
    ----------
    estimates : tuple of Estimate
        The rating of each player and its 95 % interval. An anchored one has no width.
    superiority : tuple of tuple of float
        How sure it is that the player of a row is stronger than that of a column; 1/2 for the player itself.
    fit : float
        How often games would fit the ratings as badly as these, or worse, if players had no other strengths
        than such ratings (Wilks). A small number says that some player does better or worse against some
        other than the ratings tell.
    """

    estimates: tuple[Estimate, ...]
    superiority: tuple[tuple[float, ...], ...]
    fit: float


def rate(pairings: Sequence[Pairing], players: int, anchors: Mapping[int, float] | None = None) -> Ratings:
    """Rate players, with intervals.

    Parameters
    ----------
    pairings : sequence of Pairing
        Those who have played, or are to play, against each other; together they must connect all players.
    players : int
        How many there are.
    anchors : mapping of player to rating, optional
        Ratings that are fixed; the others are relative to these. Without any, the mean of all is 0.

    Raises
    ------
    ValueError
        If some players are not connected with the others.
    ImportError
        If SciPy is not installed.
    """
    model = _Model(pairings, players, anchors or {})
    best = model.fit()
    estimates = tuple(model.estimate(best, player) for player in range(players))
    return Ratings(estimates, model.superiorities(best), model.goodness(best))


def rate_quickly(
    pairings: Sequence[Pairing], players: int, anchors: Mapping[int, float] | None = None
) -> list[float]:
    """Rate players without intervals; otherwise as :func:`rate`."""
    return [float(rating) for rating in _Model(pairings, players, anchors or {}).fit().ratings]


def check_scipy() -> None:
    """Find out before the games, not after them, that ratings cannot be worked out.

    Raises
    ------
    ImportError
        If SciPy is not installed.
    """
    try:
        import scipy  # noqa: F401
    except ImportError as error:
        lacking(error, "arena", "ratings need")


class _Misfit(NamedTuple):
    """How badly ratings fit: twice a logarithm of likelihoods, and its first two derivatives."""

    value: float
    gradient: NDArray[np.float64]
    curvature: NDArray[np.float64]


class _Fit(NamedTuple):
    """The best ratings under some constraints."""

    deviance: float
    ratings: NDArray[np.float64]


class _Constraint(NamedTuple):
    """A linear combination of the ratings has a value."""

    weights: NDArray[np.float64]
    value: float


class _Model:
    """The likelihood of ratings."""

    def __init__(self, pairings: Sequence[Pairing], players: int, anchors: Mapping[int, float]) -> None:
        check_scipy()
        self.players = players
        self.anchors = anchors
        self.pairings = [pairing._replace(pairs=_with_prior(pairing.pairs)) for pairing in pairings]
        self._check_connected()
        units = np.eye(players)
        self.scale = [_Constraint(units[player], rating) for player, rating in anchors.items()]
        if not anchors:
            self.scale.append(_Constraint(np.full(players, 1 / players), 0.0))

    def _check_connected(self) -> None:
        """Check that every rating is relative to a fixed one, or to all others."""
        groups = np.arange(self.players)
        joined = [(pairing.first, pairing.second) for pairing in self.pairings]
        joined += [(one, other) for one in self.anchors for other in self.anchors]
        for one, other in joined:
            groups[groups == groups[one]] = groups[other]
        if len(set(groups.tolist())) > 1:
            raise ValueError("some players have no games with others that would connect them to all")

    def misfit(self, ratings: NDArray[np.float64]) -> _Misfit:
        """Return how badly ratings fit, and the derivatives of that."""
        value, gradient = 0.0, np.zeros(self.players)
        curvature = np.zeros((self.players, self.players))
        for first, second, pairs in self.pairings:
            difference = max(-FARTHEST, min(FARTHEST, float(ratings[first] - ratings[second])))
            score = expected_score(difference)
            rise = SCALE * score * (1 - score)
            bend = SCALE * rise * (1 - 2 * score)
            deviance = pair_deviance(pairs, score)
            slope = deviance.slope * rise
            second_slope = deviance.curvature * rise**2 + deviance.slope * bend
            value += deviance.value
            gradient[first] += slope
            gradient[second] -= slope
            both = np.ix_((first, second), (first, second))
            curvature[both] += second_slope * np.array(((1, -1), (-1, 1)))
        return _Misfit(value, gradient, curvature)

    def fit(self, *constraints: _Constraint, start: NDArray[np.float64] | None = None) -> _Fit:
        """Find the ratings that fit best under the constraints and those of the scale."""
        from scipy.linalg import null_space
        from scipy.optimize import minimize

        weights, values = zip(*self.scale, *constraints, strict=True)
        rows = np.array(weights)
        origin = np.linalg.lstsq(rows, np.array(values), rcond=None)[0]
        free = UNIT * null_space(rows)
        if free.shape[1] == 0:
            return _Fit(self.misfit(origin).value, origin)

        @lru_cache(maxsize=1)
        def misfit(place: bytes) -> _Misfit:
            return self.misfit(origin + free @ np.frombuffer(place))

        found = minimize(
            lambda place: misfit(place.tobytes()).value,
            np.zeros(free.shape[1]) if start is None else free.T @ (start - origin) / UNIT**2,
            jac=lambda place: free.T @ misfit(place.tobytes()).gradient,
            hess=lambda place: free.T @ misfit(place.tobytes()).curvature @ free,
            method="trust-exact",
            options={"gtol": 1e-4, "initial_trust_radius": 4.0, "max_trust_radius": 64.0},
        )
        return _Fit(float(found.fun), origin + free @ found.x)

    def estimate(self, best: _Fit, player: int) -> Estimate:
        """Return the rating of a player and its interval."""
        value = float(best.ratings[player])
        if player in self.anchors:
            return Estimate(value, value, value)
        return Estimate(value, self._end(best, player, -1), self._end(best, player, 1))

    def _end(self, best: _Fit, player: int, side: int) -> float:
        """Return the end of an interval on one side: the rating that the likelihood ratio just rejects."""
        from scipy.optimize import brentq

        weights = np.eye(self.players)[player]
        nearest = best.ratings

        def beyond(distance: float) -> float:
            """Return by how much the root of the likelihood ratio, nearly a line, exceeds its bound."""
            nonlocal nearest
            fit = self.fit(_Constraint(weights, value + side * distance), start=nearest)
            nearest = fit.ratings
            return math.sqrt(max(0.0, fit.deviance - best.deviance)) - quantile(CONFIDENCE)

        value = float(best.ratings[player])
        inside, outside = 0.0, UNIT
        while beyond(outside) < 0:
            inside, outside = outside, 2 * outside
            if outside > FARTHEST:
                return side * math.inf
        return value + side * float(brentq(beyond, inside, outside, xtol=0.1))

    def goodness(self, best: _Fit) -> float:
        """Return how often games would fit as badly; 1 if any games of these pairings fit some ratings."""
        from scipy.stats import chi2

        freedom = len(self.pairings) - (self.players - len(self.scale))
        return float(chi2.sf(best.deviance, freedom)) if freedom > 0 else 1.0

    def superiorities(self, best: _Fit) -> tuple[tuple[float, ...], ...]:
        """Return how sure it is for each player to be stronger than each other."""
        sure = np.full((self.players, self.players), 0.5)
        for one in range(self.players):
            for other in range(one):
                sure[one, other] = self._superiority(best, one, other)
                sure[other, one] = 1 - sure[one, other]
        return tuple(tuple(map(float, row)) for row in sure)

    def _superiority(self, best: _Fit, one: int, other: int) -> float:
        if one in self.anchors and other in self.anchors:
            return float(np.heaviside(self.anchors[one] - self.anchors[other], 0.5))
        units = np.eye(self.players)
        level = self.fit(_Constraint(units[one] - units[other], 0.0), start=best.ratings)
        root = math.sqrt(max(0.0, level.deviance - best.deviance))
        return NORMAL.cdf(math.copysign(root, float(best.ratings[one] - best.ratings[other])))


def _with_prior(pairs: Sequence[float]) -> list[float]:
    counts = [float(count) for count in pairs]
    counts[_DRAWN] += PRIOR_GAMES / 2
    return counts
