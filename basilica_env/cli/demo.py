"""``basilica demo``: two built-in players play a game."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from basilica_env.cli.game import agent_move, agent_of, check_writable, derived, new_game, write_game
from basilica_env.cli.show import Show
from basilica_env.cli.terminal import (
    Terminal,
    add_drawing_options,
    add_seed_option,
    add_tiles_option,
    add_verb,
    new_seed,
)

DELAY = 0.5
LONGEST_DELAY = 3600


def add(verbs: Any) -> None:
    """Add the verb."""
    parser = add_verb(
        verbs,
        "demo",
        "watch two built-in players play a game",
        "Two built-in players play a game, shown move by move; each scoring is broken down by "
        "area. At the end the record of the game is written to a file, for 'basilica replay'.",
        (
            ("basilica demo", "two greedy players"),
            ("basilica demo --agents greedy random --seed 7", "always the same game"),
            ("basilica demo --moves-only --out game.basilica", "one line a move"),
        ),
    )
    add_seed_option(parser)
    parser.add_argument(
        "--agents",
        nargs=2,
        default=("greedy", "greedy"),
        metavar=("FIRST", "SECOND"),
        help="the players (default: greedy greedy)",
    )
    add_tiles_option(parser)
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("demo.basilica"),
        metavar="FILE",
        help="where the record goes; a file of this name is replaced (default: %(default)s)",
    )
    parser.add_argument(
        "--delay",
        type=_seconds,
        default=DELAY,
        metavar="S",
        help="seconds between moves, when a terminal shows them (default: %(default)s)",
    )
    parser.add_argument("--moves-only", action="store_true", help="one line a move, no boards")
    add_drawing_options(parser)
    parser.set_defaults(run=run)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if not 0 <= seconds <= LONGEST_DELAY:
        raise argparse.ArgumentTypeError(f"{text!r}: expected seconds from 0 to {LONGEST_DELAY}")
    return seconds


def run(options: argparse.Namespace) -> int:
    """Play a game and write its record.

    Raises
    ------
    Misuse
        An agent does not exist.
    Failure
        The tile set has a fault, or the record cannot be written.
    """
    seed = new_seed() if options.seed is None else options.seed
    agents = [agent_of(spec, derived(seed, player)) for player, spec in enumerate(options.agents)]
    state = new_game(seed, options.tiles)
    check_writable(options.out)
    terminal = Terminal.of(options)
    names = (agents[0].name, agents[1].name)
    show = Show(terminal, names, options.moves_only)
    first, moves = state.copy(), list[str]()
    show.legend()
    show.board(state)
    while not state.is_over:
        if terminal.live:
            time.sleep(options.delay)
        move = agent_move(agents[state.player], state)
        moves.append(move)
        show.play(state, move, len(moves))
        show.board(state)
    show.result(state)
    write_game(options.out, first, moves, names, seed)
    print(f"Seed {seed}. The record is in {options.out}")
    return 0
