"""``basilica analyse``: what the best moves in a position are, and what each area would score now."""

from __future__ import annotations

import argparse
import json
import math
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from basilica_env.cli.game import agent_move, agent_of, blaming, derived
from basilica_env.cli.terminal import (
    Failure,
    Misuse,
    Terminal,
    add_drawing_options,
    add_tiles_option,
    add_verb,
    failing,
    seed,
)
from basilica_env.render import areas_table, draw
from basilica_env.render.style import WIDTH, printable
from basilica_env.render.words import move_words

if TYPE_CHECKING:
    from basilica_env.agents import Agent, Analyst
    from basilica_env.game import GameState

SIMULATIONS = 20_000
"""Simulations of the default agent."""
SHOWN = 5
"""Moves shown without --all."""
AIMS = ("margin", "win")
INTERRUPTED = 130
"""Exit status after Ctrl-C."""


def add(verbs: Any) -> None:
    """Add the verb."""
    parser = add_verb(
        verbs,
        "analyse",
        "find the best moves in a position",
        "What an agent thinks of the moves in a position, or what they are worth exactly, and what each area "
        "would score now. Only what is open to the players counts, not the order of the stack in the text. "
        "Ctrl-C ends the search and shows what is known so far.",
        (
            ('basilica analyse "POSITION"', f"mcts with {SIMULATIONS:,} simulations"),
            ('basilica analyse "POSITION" --seconds 10 --all', "ten seconds, every move"),
            ('basilica analyse "POSITION" --agent planner', "what another agent does"),
            ('basilica analyse "POSITION" --exact', "near the end: exact values"),
        ),
    )
    parser.add_argument("position", metavar="POSITION", help="a position text; quote it")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--agent", metavar="SPEC", help=f"who thinks (default: mcts:sims={SIMULATIONS})")
    how.add_argument("--exact", action="store_true", help="solve the position; it must be near the end")
    parser.add_argument("--aim", choices=AIMS, help="of --exact (default: margin)")
    parser.add_argument("--seconds", type=_seconds, metavar="S", help="think no longer than this")
    parser.add_argument(
        "--seed", type=seed, default=0, metavar="N", help="of the agent (default: %(default)s)"
    )
    parser.add_argument("--all", action="store_true", help=f"show every move, not only the best {SHOWN}")
    parser.add_argument("--json", action="store_true", help="write the analysis as JSON")
    add_tiles_option(parser)
    add_drawing_options(parser)
    parser.set_defaults(run=run)


def _seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r}: expected seconds above 0")
    return number


@dataclass(frozen=True)
class _Finding:
    """What is known of the moves in a position, best first."""

    title: str
    heads: tuple[str, ...]
    """What the figures of a move are."""
    figures: Sequence[tuple[str, ...]]
    """The figures of each move."""
    moves: Sequence[dict[str, Any]]
    """The moves for JSON; each has ``move``."""
    facts: dict[str, Any]
    """What JSON says of the work."""
    line: tuple[str, ...] = ()
    """The moves that are expected."""
    interrupted: bool = False


def run(options: argparse.Namespace) -> int:
    """Analyse a position and show the result.

    Raises
    ------
    Misuse
        The position or the agent does not exist, or the game is over.
    Failure
        The tile set has a fault, or the position is too far from the end to be solved.
    """
    if options.aim and not options.exact:
        raise Misuse(
            f"--aim belongs to --exact: for the search use --agent mcts:sims=20000,aim={options.aim}"
        )
    options.aim = options.aim or "margin"
    state = _position(options)
    finding = _solved(state, options) if options.exact else _thought(state, options)
    if options.json:
        print(json.dumps(_as_json(state, finding), indent=2, allow_nan=False))
    else:
        _show(state, finding, Terminal.of(options), len(finding.moves) if options.all else SHOWN)
    return INTERRUPTED if finding.interrupted else 0


def _position(options: argparse.Namespace) -> GameState:
    from basilica_env.core.tiles import tile_set
    from basilica_env.game import GameState

    with failing():
        tiles = tile_set(options.tiles)
    try:
        state = GameState.from_text(options.position, tiles=tiles)
    except ValueError as error:
        raise Misuse(f"POSITION: {error}") from error
    if state.is_over:
        raise Misuse("POSITION: the game is over, there is nothing to decide")
    return state


# --- Finding out ----------------------------------------------------------------------------------


def _thought(state: GameState, options: argparse.Namespace) -> _Finding:
    """Ask an agent."""
    from basilica_env.agents import Analyst

    budget = f"sims={SIMULATIONS}" if options.seconds is None else f"ms={1000 * options.seconds:g}"
    spec = options.agent or f"mcts:{budget}"
    agent = agent_of(spec, derived(options.seed, 0))
    seen = state.copy()  # as in a match, nobody can look into the stack
    seen.resample_hidden(np.random.default_rng(derived(options.seed, 1)))
    if isinstance(agent, Analyst):
        return _searched(seen, agent, spec, options)
    return _chosen(seen, agent, spec)


def _searched(state: GameState, agent: Analyst, spec: str, options: argparse.Namespace) -> _Finding:
    """Ask an agent that tells what it finds out."""
    with _watching(options, "simulations", agent.simulations) as watch, blaming(agent):
        analysis = agent.analyse(state.copy(), watch)
    moves, figures = [], []
    for entry in analysis.moves:
        if not entry.visits:
            moves.append({"move": entry.move, "visits": 0, "value": None, "win_chance": None, "margin": None})
            figures.append(("", "", "", "0"))
            continue
        chance = entry.win_chance
        moves.append(
            {
                "move": entry.move,
                "visits": entry.visits,
                "value": entry.value,
                "win_chance": chance,
                "margin": entry.margin,
            }
        )
        percent = "" if chance is None else f"{100 * chance:.1f} %"
        figures.append((f"{entry.value:+.3f}", percent, f"{entry.margin:+.1f}", f"{entry.visits:,}"))
    return _Finding(
        title=f"{spec}: {analysis.simulations:,} simulations in {analysis.seconds:.1f} s"
        + (", best move exact" if analysis.exact else ""),
        heads=("Value", "Win chance", "Margin", "Visits"),
        figures=figures,
        moves=moves,
        facts={
            "method": "search",
            "agent": spec,
            "simulations": analysis.simulations,
            "seconds": analysis.seconds,
            "exact": analysis.exact,
            "complete": not watch.interrupted,
        },
        line=analysis.line,
        interrupted=watch.interrupted,
    )


def _chosen(state: GameState, agent: Agent, spec: str) -> _Finding:
    """Ask an agent that only acts."""
    started = time.perf_counter()
    move = agent_move(agent, state)
    seconds = time.perf_counter() - started
    return _Finding(
        title=f"{spec}: a choice in {seconds:.1f} s",
        heads=(),
        figures=[()],
        moves=[{"move": move}],
        facts={"method": "choice", "agent": spec, "seconds": seconds, "complete": True},
    )


def _solved(state: GameState, options: argparse.Namespace) -> _Finding:
    """Solve the position, move by move, as far as there is time."""
    from basilica_env.agents.solver import Solution, Solver, TooLargeError

    solver = Solver(options.aim)
    number = len(state.legal_actions())
    solved = []
    started = time.perf_counter()
    try:
        with _watching(options, "moves", number) as watch:
            for entry in solver.moves(state):
                solved.append(entry)
                if watch(len(solved), time.perf_counter() - started):
                    break
    except TooLargeError as error:
        raise Failure(f"--exact: {error}") from error
    seconds = time.perf_counter() - started
    solved.sort(key=lambda entry: -entry.value)
    best = Solution(options.aim, tuple(solved), solver.positions).best
    what = "exact" if len(solved) == number else f"exact, {len(solved)} of {number} moves solved"
    if len(best) > 1:
        what += f", the first {len(best)} are equally good"
    return _Finding(
        title=f"{what}: {solver.positions:,} positions in {seconds:.1f} s",
        heads=("Points" if options.aim == "margin" else "Result", "Exactly"),
        figures=[(f"{float(entry.value):+.3f}", str(entry.value)) for entry in solved],
        moves=[
            {"move": entry.move, "value": float(entry.value), "exact_value": str(entry.value)}
            for entry in solved
        ],
        facts={
            "method": "exact",
            "aim": options.aim,
            "best_moves": list(best),
            "positions": solver.positions,
            "seconds": seconds,
            "complete": len(solved) == number,
        },
        interrupted=watch.interrupted,
    )


# --- While it works -------------------------------------------------------------------------------


class _Watch:
    """Is told how far the work has come, and says whether to end it: after Ctrl-C, or when time is up."""

    def __init__(self, limit: float | None, show: Callable[[int, float], None]) -> None:
        self.interrupted = False
        self._limit = limit
        self._show = show

    def __call__(self, done: int, seconds: float) -> bool:
        """Show how far the work is; return whether to end it."""
        self._show(done, seconds)
        return self.interrupted or (self._limit is not None and seconds >= self._limit)

    def note(self, *_: object) -> None:
        """Take note of Ctrl-C; the second one in a row ends the program."""
        if self.interrupted:
            raise KeyboardInterrupt
        self.interrupted = True


@contextmanager
def _watching(options: argparse.Namespace, unit: str, total: int | None) -> Iterator[_Watch]:
    """Watch over some work, with a bar for who sits at the terminal."""
    with _bar(options, unit, total) as show:
        watch = _Watch(options.seconds, show)
        usual = signal.signal(signal.SIGINT, watch.note)
        try:
            yield watch
        finally:
            signal.signal(signal.SIGINT, usual)


@contextmanager
def _bar(options: argparse.Namespace, unit: str, total: int | None) -> Iterator[Callable[[int, float], None]]:
    """Show a bar on the standard error output if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _done, _seconds: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    style = Terminal.of(options).style
    console = Console(file=sys.stderr, no_color=not style.color, highlight=False)
    columns = (
        TextColumn("{task.description}"),
        *((BarColumn(),) if style.unicode else ()),
        TaskProgressColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("thinking", total=options.seconds if total is None else total)

        def show(done: int, seconds: float) -> None:
            progress.update(
                task,
                completed=seconds if total is None else done,
                description=f"{done:,} {unit}, {seconds:.0f} s",
            )

        yield show


# --- Showing it -----------------------------------------------------------------------------------


def _as_json(state: GameState, finding: _Finding) -> dict[str, Any]:
    areas = state.areas()
    return {
        "position": state.to_text(),
        "player": state.player,
        "decision": state.decision,
        **finding.facts,
        "moves": finding.moves,
        "line": list(finding.line),
        "areas": [asdict(area) for area in areas],
        "points_now": [sum(area.points[player] for area in areas) for player in (0, 1)],
    }


def _show(state: GameState, finding: _Finding, terminal: Terminal, most: int) -> None:
    style = terminal.style
    print(draw(state, color=style.color, unicode=style.unicode), end="\n\n")
    print(style.paint(printable(finding.title), "bold"))
    if finding.moves:
        best = finding.moves[0]["move"]
        print(f"Best: {best}, {move_words(state, best)}")
    if finding.heads:
        print(_table(finding, most))
    if finding.line:
        print(fill("Line: " + " ".join(finding.line), WIDTH, subsequent_indent="      "))
    print(style.paint("\nIf scored now", "bold"))
    print(areas_table(state.areas(), color=style.color, unicode=style.unicode))


def _table(finding: _Finding, most: int) -> str:
    rows = [("Move", *finding.heads)]
    rows += [(move["move"], *figures) for move, figures in zip(finding.moves, finding.figures, strict=True)][
        :most
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for move, *figures in rows:
        cells = (f"{figure:>{width}}" for figure, width in zip(figures, widths[1:], strict=True))
        lines.append("  " + "  ".join((f"{move:<{widths[0]}}", *cells)).rstrip())
    left = len(finding.moves) + 1 - len(rows)
    if left:
        lines.append(f"  and {left} more; --all shows them")
    return "\n".join(lines)
