"""``basilica study``: what the assumed parts of the tile set matter."""

from __future__ import annotations

import argparse
from textwrap import fill
from typing import TYPE_CHECKING, Any

from basilica_env.cli.arena import View, add_playing_options, playing_arguments
from basilica_env.cli.terminal import add_tiles_option, add_verb, failing
from basilica_env.cli.tournament import check_field
from basilica_env.render.style import WIDTH, printable

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from basilica_env.arena.study import StudyResult, VariationResult

ASPECTS = ("spread", "crowns", "orders", "coins")
AGENTS = ("greedy", "planner", "mcts:sims=50")
TABLE_COLUMNS = ("ranking", "first %", "turns", "stack %")


def add(verbs: Any) -> None:
    """Add the verb."""
    parser = verbs.add_parser(
        "study",
        help="find out which findings hold whatever is on the tiles",
        description="The tile set is partly assumed: see 'basilica study tiles --help'.",
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    tiles = add_verb(
        actions,
        "tiles",
        "vary crowns, orders and coin icons",
        "Agents play the same tournament with a tile set and with variations of it that have more or fewer "
        "crowns, other numbers of orders, fewer coin icons, or all of them on other tiles. Compared are the "
        "ranking of the agents, the first player's share, the length of a game, and how games end. A study "
        "stops after --games for each pairing and tile set or after --minutes; after 40 games by default.",
        (
            ("basilica study tiles --out study", "all variations"),
            ("basilica study tiles --vary crowns --games 200 --out crowns", "crowns alone, more games"),
            ("basilica study tiles --out study --resume", "go on with an interrupted study"),
        ),
    )
    tiles.add_argument(
        "--agents",
        nargs="+",
        default=AGENTS,
        metavar="AGENT",
        help=f"who play (default: {' '.join(AGENTS)})",
    )
    tiles.add_argument(
        "--vary", nargs="+", choices=ASPECTS, default=ASPECTS, help="what to vary (default: everything)"
    )
    add_playing_options(tiles, "study", "an even number of games for each pairing and tile set", keeps=True)
    add_tiles_option(tiles)
    tiles.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Play the study and show its result.

    Raises
    ------
    Misuse
        An agent does not exist.
    Failure
        The tile set has a fault, the folder cannot be written or holds another study, or an extra is missing.
    """
    with failing():
        from basilica_env.arena.study import play_study
        from basilica_env.core.tiles import tile_set

        tiles = tile_set(options.tiles)
    check_field(options.agents)
    view = _View(options)
    with view.playing() as progress:
        result = play_study(
            options.agents,
            options.games,
            aspects=options.vary,
            tiles=tiles,
            progress=progress,
            **playing_arguments(options),
        )
    view.show(result)
    return 0


class _View(View):
    """Shows a study."""

    def running(self, result: int) -> RenderableType:
        """Return a bar."""
        from rich.console import Group
        from rich.progress_bar import ProgressBar

        assert self.latest is not None
        games = f"{result} games"
        left = self.latest.left
        if not left or not self.latest.rate:
            return games
        total = result + left * self.latest.rate
        return Group(ProgressBar(total, result, width=60), f"{games} of some {total:.0f}")

    def report(self, result: StudyResult) -> RenderableType:
        """Return a table of the tile sets and what it says in words."""
        from rich.console import Group
        from rich.text import Text

        from basilica_env.arena.verdict import verdict

        title = f"{len(result.results)} tile sets, {result.games} games, seed {result.seed}"
        numbers = ", ".join(f"{number} {printable(agent)}" for number, agent in self._numbered(result))
        return Group(
            Text(title, "bold"),
            self._table(result),
            Text(f"Agents: {numbers}. A * marks what surely differs from the first row."),
            *(
                Text(fill(printable(sentence), WIDTH, initial_indent="- ", subsequent_indent="  "))
                for sentence in verdict(result)
            ),
        )

    def _numbered(self, result: StudyResult) -> list[tuple[int, str]]:
        return list(enumerate(result.base.ranking, 1))

    def _table(self, result: StudyResult) -> Table:
        table = self.table("tiles", *TABLE_COLUMNS, "what is different")
        table.columns[-1].justify = "left"
        numbers = {agent: number for number, agent in self._numbered(result)}
        for found in result.results:
            ranking = " ".join(str(numbers[agent]) for agent in found.ranking)
            star = "*" if result.is_surely_reordered(found) else ""
            cells = [ranking + star, *_cells(found)]
            table.add_row(printable(found.name), *cells, printable(found.variation.change))
        return table


def _cells(found: VariationResult) -> list[str]:
    from basilica_env.arena.effects import QUANTITIES

    cells = []
    for quantity in QUANTITIES:
        effect = found.effects.get(quantity.name)
        if effect is None:
            cells.append("")
        else:
            value = effect.value.value * (100 if quantity.is_share else 1)
            cells.append(f"{value:.1f}{'*' if effect.is_sure else ''}")
    return cells
