"""``basilica replay``: recorded games again, move by move."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from basilica_env.cli.show import Show
from basilica_env.cli.terminal import (
    Failure,
    Terminal,
    add_drawing_options,
    add_tiles_option,
    add_verb,
    ask,
    failing,
)
from basilica_env.render.style import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from basilica_env.records import GameRecord


def add(verbs: Any) -> None:
    """Add the verb."""
    parser = add_verb(
        verbs,
        "replay",
        "show recorded games move by move",
        "Show the games of a record file move by move, each move checked against the rules.",
        (
            ("basilica replay demo.basilica", "every game of the file"),
            ("basilica replay league.basilica --game 3", "the third game"),
            ("basilica replay demo.basilica --step", "on with Enter after each move"),
        ),
    )
    parser.add_argument("file", metavar="FILE", help="a file of game records")
    parser.add_argument("--game", type=_number, metavar="N", help="only the game of this number, from 1")
    parser.add_argument("--step", action="store_true", help="wait for Enter after each move; q leaves")
    parser.add_argument("--moves-only", action="store_true", help="one line a move, no boards")
    add_tiles_option(parser)
    add_drawing_options(parser)
    parser.set_defaults(run=run)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r}: expected the number of a game, from 1")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Show the games of a file.

    Raises
    ------
    Failure
        The file cannot be read, a record is damaged, or there is no such game.
    """
    terminal = Terminal.of(options)
    number = 0
    for number, record in enumerate(_records(options.file, options.tiles), 1):
        if options.game is None or number == options.game:
            go_on = _show(record, number, terminal, options)
            if number == options.game or not go_on:
                return 0
    if number == 0:
        raise Failure(f"{options.file}: no game in it")
    if options.game is not None:
        raise Failure(f"{options.file}: no game {options.game}, expected 1 to {number}")
    return 0


def _records(file: str, tiles: str) -> Iterator[GameRecord]:
    """Read the records one by one; only reading is guarded, not what is done with them."""
    from basilica_env.core.tiles import tile_set
    from basilica_env.records import read_records

    with failing():
        records = read_records(file, [tile_set(tiles)])
    while True:
        with failing():
            record = next(records, None)
        if record is None:
            return
        yield record


def _show(record: GameRecord, number: int, terminal: Terminal, options: argparse.Namespace) -> bool:
    """Show one game; return whether the person wants to see more."""
    show = Show(terminal, record.players, options.moves_only)
    names = " against ".join(map(printable, record.players))
    print(show.style.paint(f"Game {number}: {names}, {record.date}", "bold"))
    state = record.initial()
    show.legend()
    show.board(state)
    for count, recorded in enumerate(record.moves, 1):
        if options.step and ask("Enter goes on, q leaves: ") in (None, "q"):
            return False
        show.play(state, recorded.move, count, recorded.reshuffled or None)
        if recorded.comment:
            print(f"     {printable(recorded.comment)}")
        show.board(state)
    if state.is_over:
        show.result(state)
    else:
        first, second = state.scores
        print(f"Result: {record.result} at {first}:{second} ({printable(record.termination)})")
    print()
    return True
