"""What a tile-set study says: in words, as a table and as a chart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from basilica_env.arena.chart import Panel, draw_chart
from basilica_env.arena.effects import QUANTITIES, Effect, Quantity
from basilica_env.arena.statistics import Estimate
from basilica_env.arena.tables import Row, table_text
from basilica_env.files import write_text

if TYPE_CHECKING:
    from basilica_env.arena.study import StudyResult, VariationResult

TABLE, CHART = "study.csv", "study.svg"

COLUMNS = (
    *("tiles", "aspect", "change", "subject", "value", "low", "high"),
    *("difference", "difference_low", "difference_high", "sure"),
)
RATING = "rating of "
"""The subject of a row on an agent."""


def write_verdict(folder: Path, result: StudyResult) -> None:
    """Write ``study.csv`` and ``study.svg``, each whole or not at all.

    Raises
    ------
    OSError
        If one cannot be written.
    """
    write_text(folder / TABLE, table_text(COLUMNS, _rows(result)))
    write_text(folder / CHART, study_chart(result) + "\n")


def _rows(result: StudyResult) -> Iterator[Row]:
    for found in result.results:
        about = (found.name, found.variation.aspect, found.variation.change)
        for agent, rating in zip(result.agents, found.tournament.ratings.estimates, strict=True):
            yield *about, f"{RATING}{agent}", *rating, "", "", "", ""
        for quantity, effect in found.effects.items():
            difference = effect.difference or ("", "", "")
            yield *about, quantity, *effect.value, *difference, int(effect.is_sure)


# --- In words -------------------------------------------------------------------------------------


def verdict(result: StudyResult) -> list[str]:
    """Say in sentences which findings hold for all tile sets and which do not."""
    return [
        _on_ranking(result),
        *(_on_quantity(result, quantity) for quantity in QUANTITIES if quantity.name in result.base.effects),
        _on_aspects(result),
    ]


def _on_ranking(result: StudyResult) -> str:
    sure = [found for found in result.varied if result.is_surely_reordered(found)]
    perhaps = [found for found in result.varied if result.is_reordered(found) and found not in sure]
    sentences = [f"Ranking: {', '.join(result.base.ranking)} with {result.base.name}."]
    if sure:
        sentences.append(f"It surely changes with {_names(sure)}.")
    if perhaps:
        sentences.append(f"It looks different with {_names(perhaps)}, but that may be chance.")
    if not sure and not perhaps:
        sentences.append(f"It is the same with {_all(result)}.")
    return " ".join(sentences)


def _on_quantity(result: StudyResult, quantity: Quantity) -> str:
    effects = {found.name: found.effects[quantity.name] for found in result.varied if found.effects}
    sure = {name: effect for name, effect in effects.items() if effect.is_sure}
    value = result.base.effects[quantity.name].value
    begin = f"{quantity.title}: {shown(value, quantity)} with {result.base.name}."
    if not sure:
        most = max((_farthest(effect) for effect in effects.values()), default=0.0)
        return f"{begin} No variation surely changes it, none by more than {_number(most, quantity)}."
    largest = sorted(sure, key=lambda name: -abs(_difference(sure[name]).value))
    told = ", ".join(f"{name} ({_signed(_difference(sure[name]).value, quantity)})" for name in largest)
    return f"{begin} It surely changes with {len(sure)} of {len(effects)} variations: {told}."


def _on_aspects(result: StudyResult) -> str:
    """Say which aspects of the tiles matter, and for what."""
    told = []
    for aspect in dict.fromkeys(found.variation.aspect for found in result.varied):
        founds = [found for found in result.varied if found.variation.aspect == aspect]
        changed = ["the ranking"] if any(map(result.is_surely_reordered, founds)) else []
        changed += [
            quantity.short
            for quantity in QUANTITIES
            if any(found.effects and found.effects[quantity.name].is_sure for found in founds)
        ]
        told.append(f"{aspect} for {' and '.join(changed) or 'nothing that these games could show'}")
    return f"What matters: {'; '.join(told)}."


def _names(founds: Sequence[VariationResult]) -> str:
    return ", ".join(found.name for found in founds)


def _all(result: StudyResult) -> str:
    return f"all {len(result.varied)} variations" if len(result.varied) > 1 else "the variation"


def _difference(effect: Effect) -> Estimate:
    assert effect.difference is not None
    return effect.difference


def _farthest(effect: Effect) -> float:
    difference = _difference(effect)
    return max(abs(difference.low), abs(difference.high))


def shown(value: Estimate, quantity: Quantity) -> str:
    """Write a value and its interval, shares in per cent."""
    factor = 100 if quantity.is_share else 1
    middle, low, high = (factor * number for number in value)
    return f"{middle:.1f}{' %' if quantity.is_share else ''} ({low:.1f} to {high:.1f})"


def _number(value: float, quantity: Quantity) -> str:
    return f"{100 * value:.1f} percentage points" if quantity.is_share else f"{value:.1f}"


def _signed(value: float, quantity: Quantity) -> str:
    return f"{100 * value if quantity.is_share else value:+.1f}"


# --- As a chart -----------------------------------------------------------------------------------


def study_chart(result: StudyResult, dark: bool = False) -> str:
    """Draw ratings and quantities for each tile set as SVG; what surely differs is filled."""
    labels = [found.name for found in result.results]
    ratings = {
        agent: [found.tournament.ratings.estimates[number] for found in result.results]
        for number, agent in enumerate(result.agents)
    }
    panels = [Panel("Ratings", ratings, unit="Elo, mean 0")]
    for quantity in QUANTITIES:
        if quantity.name not in result.base.effects:
            continue
        effects = [found.effects.get(quantity.name) for found in result.results]
        factor = 100 if quantity.is_share else 1
        panels.append(
            Panel(
                quantity.title,
                {quantity.name: [_scaled(effect.value, factor) if effect else None for effect in effects]},
                unit="%" if quantity.is_share else "turns",
                reference=factor * result.base.effects[quantity.name].value.value,
                strong=frozenset(row for row, effect in enumerate(effects) if effect and effect.is_sure),
            )
        )
    title = f"The tile set {result.base.name} and {len(result.varied)} variations, {result.games:,} games"
    note = f"bars: 95 %; filled: surely different from {result.base.name}, the dashed line"
    return draw_chart(title, labels, panels, note, dark)


def _scaled(estimate: Estimate, factor: float) -> Estimate:
    return Estimate(*(factor * number for number in estimate))
