"""``basilica match``: which of two agents is stronger, and how sure that is."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from basilica_env.cli.arena import (
    View,
    add_playing_options,
    check_resumable,
    interval,
    playing_arguments,
    tally_cells,
)
from basilica_env.cli.game import agent_of
from basilica_env.cli.terminal import Misuse, add_tiles_option, add_verb, failing
from basilica_env.render.style import printable

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from basilica_env.arena import MatchResult, Spent, Sprt

SPRT_NAMES = ("elo0", "elo1", "alpha", "beta")


def add(verbs: Any) -> None:
    """Add the verb."""
    parser = add_verb(
        verbs,
        "match",
        "find out which of two agents is stronger",
        "Two agents play pairs of games: the same shuffled stack, the seats swapped. What is shown is seen "
        "from the side of the first; intervals hold 95 % and rest on pairs. A match stops after --games or "
        "--minutes, or when the sequential test --sprt is decided, whatever comes first; after 100 games by "
        "default.",
        (
            ("basilica match greedy random", "100 games"),
            ("basilica match greedy random --games 400 --seed 7 --out greedy-random", "the games are kept"),
            ("basilica match mine:Better mine:Good --sprt elo0=0 elo1=20", "is it better? stop when sure"),
        ),
    )
    parser.add_argument("agents", nargs=2, metavar="AGENT", help="the agents, by their specs")
    parser.add_argument(
        "--sprt",
        nargs="*",
        metavar="NAME=VALUE",
        help="stop when a test of elo0 (default: 0) against elo1 (20) is decided, with errors alpha (0.05) "
        "and beta (0.05)",
    )
    add_playing_options(parser, "match", "an even number of games")
    add_tiles_option(parser)
    parser.set_defaults(run=run)


def _sprt(settings: list[str] | None) -> Sprt | None:
    """Read the settings of the sequential test."""
    from basilica_env.arena import Sprt

    if settings is None:
        return None
    values: dict[str, float] = {}
    for setting in settings:
        name, _, text = setting.partition("=")
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if name not in SPRT_NAMES or name in values or not math.isfinite(value):
            names = ", ".join(SPRT_NAMES)
            raise Misuse(f"--sprt: {setting!r}: expected each of {names} at most once, such as elo1=20")
        values[name] = value
    try:
        return Sprt(**values)
    except ValueError as error:
        raise Misuse(f"--sprt: {error}") from error


def run(options: argparse.Namespace) -> int:
    """Play a match and show its result.

    Raises
    ------
    Misuse
        An agent does not exist, or the options do not fit together.
    Failure
        The tile set has a fault, or the folder cannot be written or holds another match.
    """
    from basilica_env.arena import play_match
    from basilica_env.core.tiles import tile_set

    sprt = _sprt(options.sprt)
    check_resumable(options)
    for spec in options.agents:
        agent_of(spec, 0)
    with failing():
        tiles = tile_set(options.tiles)
    view = _View(options)
    with view.playing() as progress:
        result = play_match(
            options.agents[0],
            options.agents[1],
            options.games,
            sprt=sprt,
            tiles=tiles,
            progress=progress,
            **playing_arguments(options),
        )
    view.show(result)
    return 0


class _View(View):
    """Shows a match."""

    def report(self, result: MatchResult) -> RenderableType:
        """Return the table of a match and what it says."""
        from rich.console import Group
        from rich.text import Text

        first, second = map(printable, result.agents)
        title = Text(f"{first} against {second}, seed {result.seed}", "bold")
        return Group(title, self._table(result), *map(Text, self._lines(result)))

    def _table(self, result: MatchResult) -> Table:
        table = self.table(printable(result.agents[0]), "games", "win", "draw", "loss", "score %")
        for name, tally in (
            ("in seat 0", result.as_first),
            ("in seat 1", result.as_second),
            ("in all", result.total),
        ):
            table.add_row(name, *tally_cells(tally))
        return table

    def _lines(self, result: MatchResult) -> Iterator[str]:
        first, second = map(printable, result.agents)
        score, elo = result.score, result.elo
        yield f"Score      {interval(score, 100, '.1f')} %"
        yield f"Elo        {interval(elo, 1, '+.0f')}"
        yield f"Stronger   {100 * result.los:.2f} % sure (likelihood of superiority)"
        pairs = " ".join(map(str, result.pairs))
        yield f"Pairs      {pairs} with 0, 1/2, 1, 3/2, 2 points"
        yield f"Points     {result.points[0]:.1f} : {result.points[1]:.1f} a game"
        for name, spent in zip((first, second), result.spent, strict=True):
            yield f"Time       {_spent(spent)}, {name}"
        if result.sprt is not None:
            yield f"Test       {_test(result)}"
        for name, faults in zip((first, second), result.faults, strict=True):
            if faults:
                kinds = ", ".join(f"{number} by {kind}" for kind, number in faults.items())
                yield f"Faults     {name} lost {kinds}"


def _spent(spent: Spent) -> str:
    decisions = max(1, spent.decisions)
    text = f"{1000 * spent.seconds / decisions:.3g} ms a decision, at most {1000 * spent.slowest:.3g}"
    if spent.simulations is not None:
        text += f"; {spent.simulations / decisions:.0f} simulations"
    return text


def _test(result: MatchResult) -> str:
    sprt = result.sprt
    assert sprt is not None
    low, high = sprt.bounds
    ratio = f"ratio {sprt.ratio(result.pairs):.2f} between {low:.2f} and {high:.2f}"
    if not result.stopped.startswith("H"):
        return f"elo0={sprt.elo0:g} or elo1={sprt.elo1:g} is undecided, {ratio}"
    accepted = f"elo1={sprt.elo1:g}" if result.stopped == "H1" else f"elo0={sprt.elo0:g}"
    return f"{accepted} is accepted, {ratio}"
