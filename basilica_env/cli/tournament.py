"""``basilica tournament``: how strong each of many agents is."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, Any

from basilica_env.cli.arena import View, add_playing_options, check_resumable, playing_arguments, tally_cells
from basilica_env.cli.game import agent_of
from basilica_env.cli.terminal import Misuse, add_tiles_option, add_verb, failing
from basilica_env.render.style import printable

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from basilica_env.arena import TournamentResult

DOUBTFUL = 0.05
"""How well ratings must fit the games to be taken at their word."""


def add(verbs: Any) -> None:
    """Add the verb."""
    parser = add_verb(
        verbs,
        "tournament",
        "rate many agents by matches between them",
        "Agents play each other, or the first plays all the others, in pairs of games as in a match. The "
        "games give each a rating in the scale of Elo; intervals hold 95 % and rest on pairs. A tournament "
        "stops after --games for each pairing or after --minutes; after 40 games by default.",
        (
            ("basilica tournament random greedy planner --out league", "all against all"),
            ("basilica tournament mine:New greedy planner --gauntlet", "one against all others"),
            ("basilica tournament random greedy planner mine:New --out league --resume", "one more enters"),
        ),
    )
    parser.add_argument("agents", nargs="+", metavar="AGENT", help="the agents, by their specs")
    parser.add_argument("--gauntlet", action="store_true", help="the first agent plays all the others")
    parser.add_argument(
        "--anchor",
        action="append",
        default=[],
        metavar="AGENT=ELO",
        help="fix the rating of an agent, may be given several times (default: the mean rating is 0)",
    )
    add_playing_options(parser, "tournament", "an even number of games for each pairing")
    add_tiles_option(parser)
    parser.set_defaults(run=run)


def anchors(texts: list[str], agents: list[str]) -> dict[str, float]:
    """Read ratings that are fixed.

    Raises
    ------
    Misuse
        One makes no sense.
    """
    fixed: dict[str, float] = {}
    for text in texts:
        agent, _, rating = text.rpartition("=")
        try:
            value = float(rating)
        except ValueError:
            value = math.nan
        if not math.isfinite(value) or agent not in agents or agent in fixed:
            raise Misuse(
                f"--anchor: {text!r}: expected each of {', '.join(agents)} at most once with a rating, "
                f"such as {agents[0]}=0"
            )
        fixed[agent] = value
    return fixed


def run(options: argparse.Namespace) -> int:
    """Play a tournament and show its result.

    Raises
    ------
    Misuse
        An agent does not exist, or the options do not fit together.
    Failure
        The tile set has a fault, the folder cannot be written or holds another tournament, or the extra is
        missing.
    """
    from basilica_env.arena import play_tournament
    from basilica_env.core.tiles import tile_set

    check_resumable(options)
    fixed = anchors(options.anchor, options.agents)
    check_field(options.agents)
    with failing():
        tiles = tile_set(options.tiles)
    view = _View(options)
    with view.playing() as progress:
        result = play_tournament(
            options.agents,
            options.games,
            gauntlet=options.gauntlet,
            anchors=fixed,
            tiles=tiles,
            progress=progress,
            **playing_arguments(options),
        )
    view.show(result)
    return 0


def check_field(agents: list[str]) -> None:
    """Check that there are several agents, all different, and that they exist.

    Raises
    ------
    Misuse
        If not.
    """
    if len(agents) < 2:
        raise Misuse(f"one agent, {agents[0]}: expected two or more")
    for number, spec in enumerate(agents):
        if spec in agents[:number]:
            raise Misuse(f"agent {spec!r} is entered twice: expected different agents")
        agent_of(spec, 0)


class _View(View):
    """Shows a tournament."""

    def report(self, result: TournamentResult) -> RenderableType:
        """Return the ratings with their intervals, and the cross table."""
        fit = f"The ratings fit the games with p = {result.ratings.fit:.2g}"
        doubt = "; the cross table shows where they do not." if result.ratings.fit < DOUBTFUL else "."
        return self._shown(result, self._ratings(result), fit + doubt)

    def running(self, result: TournamentResult) -> RenderableType:
        """Return the ratings without intervals, which take longer, and the cross table."""
        return self._shown(result, self._quick_ratings(result), "")

    def _shown(self, result: TournamentResult, ratings: Table, fit: str) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        title = f"{len(result.agents)} agents, {result.games} games, seed {result.seed}"
        scale = ", ".join(f"{printable(agent)} is {rating:g}" for agent, rating in result.anchors.items())
        return Group(
            Text(title, "bold"),
            ratings,
            Text(f"Elo: {scale or 'the mean is 0'}. Sure: to be stronger than the next one."),
            self._crosstable(result),
            Text(f"Scores in %, of the agent of the row against that of the column. {fit}".rstrip()),
        )

    def _ratings(self, result: TournamentResult) -> Table:
        table = self.table("agent", "Elo", "from", "to", "games", "win", "draw", "loss", "score %", "sure %")
        for rank, number in enumerate(result.ranking):
            rating = [f"{end:+.0f}" for end in result.ratings.estimates[number]]
            table.add_row(
                f"{rank + 1} {printable(result.agents[number])}",
                *rating,
                *_cells(result, number),
                _sure(result, rank),
            )
        return table

    def _quick_ratings(self, result: TournamentResult) -> Table:
        table = self.table("agent", "Elo", "games", "win", "draw", "loss", "score %")
        for rank, number in enumerate(result.ranking, 1):
            name = f"{rank} {printable(result.agents[number])}"
            table.add_row(name, f"{result.quick_ratings[number]:+.0f}", *_cells(result, number))
        return table

    def _crosstable(self, result: TournamentResult) -> Table:
        ranks = range(1, len(result.agents) + 1)
        table = self.table("agent", *map(str, ranks))
        for rank, number in enumerate(result.ranking, 1):
            agent = result.agents[number]
            tallies = [result.tally(agent, result.agents[other]) for other in result.ranking]
            scores = [
                "" if other == number or not tally.games else f"{100 * tally.score:.1f}"
                for other, tally in zip(result.ranking, tallies, strict=True)
            ]
            table.add_row(f"{rank} {printable(agent)}", *scores)
        return table


def _cells(result: TournamentResult, number: int) -> list[str]:
    return tally_cells(result.tally(result.agents[number]))


def _sure(result: TournamentResult, rank: int) -> str:
    """Return how sure it is that an agent is stronger than that of the next rank."""
    if rank + 1 == len(result.agents):
        return ""
    number, below = result.ranking[rank : rank + 2]
    return f"{100 * result.ratings.superiority[number][below]:.1f}"
