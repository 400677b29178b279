"""What a match says about strength: intervals, Elo, likelihood of superiority, sequential test.

Games are played in pairs, the same stack with the seats swapped, so the two games of a pair are not
independent, but pairs are. All but :func:`wilson` rests on pairs: on the *pentanomial*, the five counts of
pairs in which a player made 0, 1/2, 1, 3/2 or 2 points (1 for a win, 1/2 for a draw).

One likelihood serves the interval, the likelihood of superiority and the test: that of the pentanomial, at
its greatest among all distributions with a given mean. With values ``v`` and counts ``n`` it is reached at
``p = n / (N (1 + x (v - mean)))``, where ``x`` solves ``sum(n (v - mean) / (1 + x (v - mean))) = 0`` (Van den
Bergh; Owen). It keeps intervals within 0 and 1 and honest when one side has won every pair, where an
interval by the standard error has no width.

Sources:

- Elo: A. E. Elo, *The rating of chessplayers, past and present* (1978), in its logistic form.
- Likelihood with a given mean: M. Van den Bergh, *A note on the maximum likelihood estimator of a multinomial
  distribution with a given expectation*, <https://www.cantate.be/Fishtest/support_MLE_multinomial.pdf>; also
  A. B. Owen, *Empirical likelihood ratio confidence intervals for a single functional*, Biometrika 75 (1988).
- Interval and likelihood of superiority by the likelihood ratio: S. S. Wilks, *The large-sample distribution
  of the likelihood ratio for testing composite hypotheses*, Annals of Mathematical Statistics 9 (1938).
- Interval of independent games: E. B. Wilson, *Probable inference, the law of succession, and statistical
  inference*, Journal of the American Statistical Association 22 (1927).
- Sequential test: X. Li, J. Liu and Z. Ying, *Generalized sequential probability ratio test for separate
  families of hypotheses*, Sequential Analysis 33 (2014); over pairs as in Stockfish's Fishtest (its
  ``LLRcalc.py``, statistic "expectation", logistic Elo). The bounds are those of A. Wald, *Sequential tests
  of statistical hypotheses*, Annals of Mathematical Statistics 16 (1945).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The mean score of the two games of a pair, for each entry of a pentanomial."""

CONFIDENCE = 0.95

_NEARLY_NONE = 1e-3
"""Stands for a count of 0, so that every mean between 0 and 1 has a likelihood; as in Fishtest."""

NORMAL = NormalDist()


class Estimate(NamedTuple):
    """A value and the ends of its interval."""

    value: float
    low: float
    high: float


# --- Elo ------------------------------------------------------------------------------------------


def expected_score(elo: float) -> float:
    """Return the mean score of a player who is stronger by so many points of Elo (Elo)."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_difference(score: float) -> float:
    """Return the difference in Elo that a mean score belongs to; infinite for 0 and 1."""
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return 400 * math.log10(score / (1 - score))


# --- Intervals ------------------------------------------------------------------------------------


def wilson(score: float, games: float, confidence: float = CONFIDENCE) -> Estimate:
    """Return the interval of a mean score if all games were independent (Wilson).

    Draws count as half a win and half a loss, which makes it wider than need be.

    Parameters
    ----------
    score : mean score of the games, from 0 to 1
    games : their number; the interval of none is all there is
    confidence : how often the interval holds the truth
    """
    if games == 0:
        return Estimate(0.5, 0.0, 1.0)
    z = quantile(confidence)
    centre = (score + z * z / (2 * games)) / (1 + z * z / games)
    spread = z * math.sqrt(score * (1 - score) / games + z * z / (4 * games**2)) / (1 + z * z / games)
    return Estimate(score, max(0.0, centre - spread), min(1.0, centre + spread))


def pair_score(pairs: Sequence[int], confidence: float = CONFIDENCE) -> Estimate:
    """Return the mean score and its interval by the likelihood of pairs (Wilks).

    Parameters
    ----------
    pairs : a pentanomial; the interval of no pairs is all there is
    confidence : how often the interval holds the truth
    """
    counts = _counts(pairs)
    mean = _mean(counts)
    threshold = quantile(confidence) ** 2

    def is_inside(score: float) -> bool:
        return _misfit(counts, score) <= threshold

    value = _mean(pairs) if sum(pairs) else 0.5
    return Estimate(value, _last_inside(is_inside, mean, 0.0), _last_inside(is_inside, mean, 1.0))


def pair_elo(pairs: Sequence[int], confidence: float = CONFIDENCE) -> Estimate:
    """Return the difference in Elo and its interval, as :func:`pair_score`."""
    return Estimate(*map(elo_difference, pair_score(pairs, confidence)))


def superiority(pairs: Sequence[int]) -> float:
    """Return the likelihood of superiority: how sure it is that the mean score is above 1/2.

    It is the normal distribution at the signed root of the likelihood ratio against a mean of 1/2 (Wilks).
    """
    counts = _counts(pairs)
    root = math.sqrt(_misfit(counts, 0.5))
    return NORMAL.cdf(math.copysign(root, _mean(counts) - 0.5))


def quantile(confidence: float) -> float:
    """Return how many standard errors to each side hold so much of the normal distribution."""
    return NORMAL.inv_cdf((1 + confidence) / 2)


def _last_inside(is_inside: Callable[[float], bool], inside: float, end: float) -> float:
    """Return the border of an interval between a place inside it and an end of the scale."""
    if is_inside(end + math.copysign(1e-9, inside - end)):
        return end
    outside = end
    for _ in range(50):
        middle = (inside + outside) / 2
        if is_inside(middle):
            inside = middle
        else:
            outside = middle
    return inside


# --- The likelihood of pairs ----------------------------------------------------------------------


class Deviance(NamedTuple):
    """How badly a mean score fits, and the first two derivatives of that by the mean score."""

    value: float
    slope: float
    curvature: float


def pair_deviance(pairs: Sequence[float], score: float) -> Deviance:
    """Return how badly a mean score fits a pentanomial.

    It is twice the logarithm of the greatest likelihood over the greatest with this mean (Wilks), which is 0
    for the mean of the pairs.

    Parameters
    ----------
    pairs : a pentanomial; its counts need not be whole
    score : the mean score, between 0 and 1
    """
    counts = _counts(pairs)
    offsets = _offsets(score)
    x = _multiplier(counts, offsets)
    weights = [n / (1 + x * offset) ** 2 for n, offset in zip(counts, offsets, strict=True)]
    spread = sum(weight * offset * offset for weight, offset in zip(weights, offsets, strict=True))
    # The value is stationary in x, and x moves with the score as its equation demands.
    twice = 2 * sum(counts)
    return Deviance(_deviance(counts, offsets, x), -twice * x, twice * sum(weights) / spread)


def _counts(pairs: Sequence[float]) -> list[float]:
    if len(pairs) != len(PAIR_SCORES) or min(pairs) < 0:
        raise ValueError(f"pairs {pairs!r}: expected five counts")
    return [count or _NEARLY_NONE for count in pairs]


def _mean(counts: Sequence[float]) -> float:
    return sum(n * value for n, value in zip(counts, PAIR_SCORES, strict=True)) / sum(counts)


def _deviance(counts: Sequence[float], offsets: Sequence[float], x: float) -> float:
    logarithms = (n * math.log1p(x * offset) for n, offset in zip(counts, offsets, strict=True))
    return max(0.0, 2 * sum(logarithms))


def _misfit(counts: Sequence[float], score: float) -> float:
    """Return the value of :func:`pair_deviance` alone."""
    offsets = _offsets(score)
    return _deviance(counts, offsets, _multiplier(counts, offsets))


def _offsets(score: float) -> list[float]:
    return [value - score for value in PAIR_SCORES]


def _multiplier(counts: Sequence[float], offsets: Sequence[float]) -> float:
    """Solve ``sum(n d / (1 + x d)) = 0``, which falls in `x`, by Newton's method kept within bounds."""
    low, high = -1 / offsets[-1], -1 / offsets[0]
    x = 0.0
    for _ in range(200):
        terms = [offset / (1 + x * offset) for offset in offsets]
        value = sum(n * term for n, term in zip(counts, terms, strict=True))
        slope = sum(n * term * term for n, term in zip(counts, terms, strict=True))
        if value > 0:
            low = x
        else:
            high = x
        step = value / slope
        if abs(step) <= 1e-12 * (1 + abs(x)):
            break
        x = x + step if low < x + step < high else (low + high) / 2
    return x


# --- Sequential test ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sprt:
    """A sequential test of two differences in Elo: the generalized likelihood ratio over pairs.

    Attributes
    ----------
    elo0, elo1 : float
        The hypotheses H0 and H1: the difference is `elo0`, or `elo1`, which is greater.
    alpha : float
        How often H1 may be accepted though H0 is true.
    beta : float
        How often H0 may be accepted though H1 is true.
    """

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -math.inf < self.elo0 < self.elo1 < math.inf:
            raise ValueError(f"elo0={self.elo0:g} and elo1={self.elo1:g}: expected elo0 less than elo1")
        for name, error in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < error < 0.5:
                raise ValueError(f"{name}={error:g}: expected an error between 0 and 0.5")

    @property
    def bounds(self) -> tuple[float, float]:
        """The ratios at which H0 and H1 are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def ratio(self, pairs: Sequence[int]) -> float:
        """Return the logarithm of the likelihood ratio of H1 to H0, given a pentanomial."""
        counts = _counts(pairs)
        against = [_misfit(counts, expected_score(elo)) for elo in (self.elo0, self.elo1)]
        return (against[0] - against[1]) / 2

    def verdict(self, pairs: Sequence[int]) -> str | None:
        """Return ``"H0"`` or ``"H1"`` if the pentanomial decides the test."""
        ratio = self.ratio(pairs)
        low, high = self.bounds
        return "H0" if ratio <= low else "H1" if ratio >= high else None
