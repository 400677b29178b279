"""Endgames with their exact values, and what an agent loses on them.

    python -m basilica_env.training.endgames regret greedy planner mcts:sims=2000
    python -m basilica_env.training.endgames make --out endgames.csv

The set that ships comes from games of built-in agents against themselves. ``make`` takes one decision of a
game at most, where the moves differ in value, spread over the kinds of decision, with chance and without,
and solves it (:mod:`basilica_env.agents.solver`). The same seed and the same agents give the same set, as far
as the machine's floating-point sums do.
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib import resources
from pathlib import Path

import numpy as np
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from basilica_env.agents import Agent, make_agent
from basilica_env.agents.solver import Solution, TooLargeError, solve, tiles_to_draw
from basilica_env.core import reveal
from basilica_env.files import replacing
from basilica_env.game import GameState

COLUMNS = ("name", "source", "decision", "chance", "positions", "value", "best", "values", "position")
SOURCES = ("greedy", "planner", "mcts:sims=50")
"""Who plays the games that the positions come from."""
MOST_DRAWS = 4
"""Tiles left to draw in a position of the set."""
MAIN_SHARE = 6
"""Positions of the kind ``main`` for each of another kind."""
CHANCE_SHARE = 0.4
"""Positions with chance among all, at least."""


@dataclass(frozen=True)
class Endgame:
    """A position near the end with the exact value of every legal move."""

    name: str
    source: str
    """The agent whose game it comes from, and the seed of the game."""
    position: str
    chance: bool
    """Whether something that is still hidden can be shown before the end."""
    positions: int
    """Positions that its solution visits."""
    values: dict[str, Fraction]
    """For each legal move, the final lead in points that the player who decides may expect."""

    @property
    def value(self) -> Fraction:
        """What the position is worth to the player who decides."""
        return max(self.values.values())

    @property
    def best(self) -> tuple[str, ...]:
        """The best moves."""
        return tuple(move for move, value in self.values.items() if value == self.value)

    @property
    def decision(self) -> str:
        """The kind of the decision."""
        return decision_kind(self.position.split(" ")[9])


@dataclass(frozen=True)
class Regret:
    """What an agent loses on a set of endgames."""

    lost: tuple[Fraction, ...]
    """Points lost in each of the positions."""
    seconds: float
    """Time a decision, on average."""

    @property
    def best(self) -> float:
        """Share of the positions in which it takes a best move."""
        return self.lost.count(Fraction(0)) / len(self.lost)

    @property
    def mean(self) -> float:
        """Points lost a position, on average."""
        return _mean(self.lost)


def _mean(points: Sequence[Fraction]) -> float:
    return float(sum(points, Fraction(0)) / len(points)) if points else 0.0


def decision_kind(decision: str) -> str:
    """Return the kind in the decision field of a position: ``main@c3`` is of the kind ``main``."""
    return decision.partition(":")[0].partition("@")[0]


def regret(agent: Agent, endgames: Sequence[Endgame]) -> Regret:
    """Return what an agent loses in points against best play by both from there on.

    Raises
    ------
    ValueError
        If there are no endgames.
    """
    if not endgames:
        raise ValueError("no endgames: expected one or more")
    lost = []
    started = time.perf_counter()
    for entry in endgames:
        state = GameState.from_text(entry.position)
        lost.append(entry.value - entry.values[state.move_of(agent.act(state))])
    return Regret(tuple(lost), (time.perf_counter() - started) / len(endgames))


# --- The file -------------------------------------------------------------------------------------


def read_endgames(path: Path | None = None) -> list[Endgame]:
    """Read a set of endgames; None is the one that ships.

    Raises
    ------
    ValueError
        If the file is none.
    """
    source = resources.files("basilica_env") / "data" / "endgames.csv" if path is None else path
    rows = csv.DictReader(io.StringIO(source.read_text(encoding="utf-8")))
    if rows.fieldnames is None or tuple(rows.fieldnames) != COLUMNS:
        raise ValueError(f"{source} is no set of endgames: expected the columns {', '.join(COLUMNS)}")
    return [
        Endgame(
            name=row["name"],
            source=row["source"],
            position=row["position"],
            chance=row["chance"] == "1",
            positions=int(row["positions"]),
            values=_read_values(row["values"]),
        )
        for row in rows
    ]


def _read_values(text: str) -> dict[str, Fraction]:
    pairs = (entry.rpartition(":") for entry in text.split(" "))
    return {move: Fraction(value) for move, _, value in pairs}


def write_endgames(path: Path, endgames: Sequence[Endgame]) -> None:
    """Write a set of endgames, whole or not at all."""
    with replacing(path) as draft, draft.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for entry in endgames:
            values = " ".join(f"{move}:{value}" for move, value in entry.values.items())
            writer.writerow(
                [
                    entry.name,
                    entry.source,
                    entry.decision,
                    int(entry.chance),
                    entry.positions,
                    entry.value,
                    " ".join(entry.best),
                    values,
                    entry.position,
                ]
            )


# --- How the set is made --------------------------------------------------------------------------


def collect(
    number: int, seed: int, largest: int, progress: Callable[[int], None] | None = None
) -> list[Endgame]:
    """Collect endgames, one of a game at most.

    Parameters
    ----------
    number : endgames to collect
    largest : positions that the solution of one may visit
    progress : told the number found
    """
    found: list[Endgame] = []
    cells: Counter[tuple[str, bool]] = Counter()
    game = 0
    while len(found) < number:
        source = f"{SOURCES[game % len(SOURCES)]} {game}"
        ends = ends_of_a_game(SOURCES[game % len(SOURCES)], seed, game)
        for state in sorted(ends, key=lambda state: _fullness(cells, _cell(state))):
            cell = _cell(state)
            is_full = not cell[1] and _without_chance(cells) >= (1 - CHANCE_SHARE) * number
            solution = None if is_full else _solution(state, largest)
            if solution is not None:
                cells[cell] += 1
                found.append(_endgame(f"{len(found) + 1:03}", source, state, cell[1], solution))
                break
        game += 1
        if progress is not None:
            progress(len(found))
    return found


def ends_of_a_game(spec: str, seed: int, game: int) -> Iterator[GameState]:
    """Let an agent play a game against itself and iterate over the decisions near its end."""
    seeds = np.random.SeedSequence([seed, game]).generate_state(3)
    state = GameState.new(int(seeds[0]))
    agents = [make_agent(spec, int(seeds[player + 1])) for player in (0, 1)]
    while not state.is_over:
        if state.was_reshuffled and tiles_to_draw(state) <= MOST_DRAWS:
            yield state.copy()
        state.apply(agents[state.player].act(state))


def _cell(state: GameState) -> tuple[str, bool]:
    certain = reveal.is_certain(state.to_array(), state.tiles.array)
    return decision_kind(state.decision), not certain


def _without_chance(cells: Counter[tuple[str, bool]]) -> int:
    return sum(number for (_, chance), number in cells.items() if not chance)


def _fullness(cells: Counter[tuple[str, bool]], cell: tuple[str, bool]) -> float:
    return cells[cell] / (MAIN_SHARE if cell[0] == "main" else 1)


def _solution(state: GameState, largest: int) -> Solution | None:
    """Return the solution of a position, or None if it takes too long or all moves are alike."""
    if len(state.legal_actions()) < 2:
        return None
    try:
        solution = solve(state, most_positions=largest)
    except TooLargeError:
        return None
    return solution if solution.moves[-1].value < solution.value else None


def _endgame(name: str, source: str, state: GameState, chance: bool, solution: Solution) -> Endgame:
    values = {entry.move: entry.value for entry in solution.moves}
    in_order = {move: values[move] for move in state.legal_moves()}
    return Endgame(name, source, state.to_text(), chance, solution.positions, in_order)


# --- The command ----------------------------------------------------------------------------------


def regret_table(specs: Sequence[str], endgames: Sequence[Endgame], seed: int) -> str:
    """Return a Markdown table of what agents lose."""
    lines = [
        "| agent | best moves | points lost | with chance | without chance | ms a decision |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for spec in specs:
        found = regret(make_agent(spec, seed), endgames)
        pairs = list(zip(endgames, found.lost, strict=True))
        chance, quiet = (
            _mean([lost for entry, lost in pairs if entry.chance is kind]) for kind in (True, False)
        )
        lines.append(
            f"| `{spec}` | {found.best:.1%} | {found.mean:.2f} | {chance:.2f} | {quiet:.2f} "
            f"| {1000 * found.seconds:.1f} |"
        )
    return "\n".join(lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="endgames", description=(__doc__ or "").split("\n\n")[0])
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    make = commands.add_parser("make", help="collect and solve endgames")
    make.add_argument("--out", type=Path, required=True, help="the file to write (.csv)")
    make.add_argument("--positions", type=int, default=240, help="endgames to collect (default: 240)")
    make.add_argument("--largest", type=int, default=300_000, help="positions a solution (default: 300000)")
    make.add_argument("--seed", type=int, default=0, help="of the games (default: 0)")
    table = commands.add_parser("regret", help="what agents lose, as a table")
    table.add_argument("agents", nargs="+", metavar="AGENT", help="specs of agents")
    table.add_argument("--file", type=Path, help="another set of endgames than the one that ships")
    table.add_argument("--seed", type=int, default=0, help="of the agents (default: 0)")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    options = _parser().parse_args(arguments)
    if options.command == "make":
        columns = (TextColumn("endgames"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns) as progress:
            task = progress.add_task("endgames", total=options.positions)
            found = collect(
                options.positions,
                options.seed,
                options.largest,
                lambda number: progress.update(task, completed=number),
            )
        write_endgames(options.out, found)
        return 0
    try:
        print(regret_table(options.agents, read_endgames(options.file), options.seed))
    except (ValueError, OSError) as error:
        print(f"endgames: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
