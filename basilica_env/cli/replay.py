"""``basilica replay``: recorded games again, move by move, or as a film or a page."""

from __future__ import annotations

import argparse
import re
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from basilica_env.cli.game import check_writable
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
from basilica_env.render.film import MOVES_PER_SECOND, is_rate, is_width
from basilica_env.render.raster import PICTURE_WIDTH
from basilica_env.render.style import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from basilica_env.records import GameRecord, RecordError


def add(verbs: Any) -> None:
    """Add the verb."""
    parser = add_verb(
        verbs,
        "replay",
        "show recorded games move by move",
        "Show the games of a record file move by move, each move checked against the rules; or write one "
        "of them as a GIF, a video or a page for the browser.",
        (
            ("basilica replay demo.basilica", "every game of the file"),
            ("basilica replay league.basilica --game 3", "the third game"),
            ("basilica replay demo.basilica --step", "on with Enter after each move"),
            ("basilica replay demo.basilica --html demo.html", "a page that opens offline"),
            ("basilica replay demo.basilica --gif demo.gif", "a film"),
        ),
    )
    parser.add_argument("file", metavar="FILE", help="a file of game records")
    parser.add_argument("--game", type=_number, metavar="N", help="only the game of this number, from 1")
    parser.add_argument("--step", action="store_true", help="wait for Enter after each move; q leaves")
    parser.add_argument("--moves-only", action="store_true", help="one line a move, no boards")
    pictures = parser.add_argument_group("pictures", "one game of the file, instead of showing it here")
    pictures.add_argument("--html", type=Path, metavar="OUT", help="write a page that opens offline")
    pictures.add_argument("--gif", type=Path, metavar="OUT", help="write a film as GIF")
    pictures.add_argument("--mp4", type=Path, metavar="OUT", help="write a film as MP4 video")
    pictures.add_argument(
        "--fps",
        type=_rate,
        default=MOVES_PER_SECOND,
        metavar="N",
        help="moves a second of a film (default: 2)",
    )
    pictures.add_argument(
        "--width", type=_width, default=PICTURE_WIDTH, metavar="N", help="pixels of a film (default: 768)"
    )
    pictures.add_argument("--dark", action="store_true", help="light signs on dark paper in a film")
    add_tiles_option(parser)
    add_drawing_options(parser)
    parser.set_defaults(run=run)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r}: expected the number of a game, from 1")
    return int(text)


def _rate(text: str) -> float:
    if not (re.fullmatch(r"[0-9]+(\.[0-9]+)?", text, re.ASCII) and is_rate(float(text))):
        raise argparse.ArgumentTypeError(f"{text!r}: expected moves a second, more than 0 and at most 50")
    return float(text)


def _width(text: str) -> int:
    if not (re.fullmatch("[0-9]{1,5}", text, re.ASCII) and is_width(int(text))):
        raise argparse.ArgumentTypeError(f"{text!r}: expected pixels from 64 to 4096")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Show the games of a file, or write one of them.

    Raises
    ------
    Failure
        A file cannot be read or written, a record is damaged, there is no such game, or an extra is missing.
    """
    if options.html or options.gif or options.mp4:
        return _write(options)
    terminal = Terminal.of(options)
    number = 0
    if options.game is not None:
        _show(_chosen(options), options.game, terminal, options)
        return 0
    for number, record in enumerate(_records(options), 1):
        if not _show(_sound(record), number, terminal, options):
            return 0
    if number == 0:
        raise Failure(f"{options.file}: no game in it")
    return 0


def _write(options: argparse.Namespace) -> int:
    from basilica_env.render.film import write_gif, write_mp4
    from basilica_env.render.page import write_page

    targets = [path for path in (options.html, options.gif, options.mp4) if path]
    for path in targets:
        check_writable(path)
    record = _only(options) if options.game is None else _chosen(options)
    film = {"fps": options.fps, "dark": options.dark, "width": options.width}
    with failing():
        if options.html:
            write_page(options.html, record)
        if options.gif:
            write_gif(options.gif, record, **film)
        if options.mp4:
            write_mp4(options.mp4, record, **film)
    for path in targets:
        print(f"wrote {path}: {len(record.moves)} moves")
    return 0


def _chosen(options: argparse.Namespace) -> GameRecord:
    """Read the game of the number that was asked for; other games of the file may be damaged.

    Raises
    ------
    Failure
        There is no such game, or it is damaged.
    """
    number = 0
    for number, record in enumerate(_records(options), 1):
        if number == options.game:
            return _sound(record)
    if number == 0:
        raise Failure(f"{options.file}: no game in it")
    raise Failure(f"{options.file}: no game {options.game}, expected 1 to {number}")


def _only(options: argparse.Namespace) -> GameRecord:
    """Read the only game of a file.

    Raises
    ------
    Failure
        There is none, or there are several, or it is damaged.
    """
    records = list(islice(_records(options), 2))
    if not records:
        raise Failure(f"{options.file}: no game in it")
    first = _sound(records[0])
    if len(records) > 1:
        raise Failure(f"{options.file}: several games in it, choose one with --game")
    return first


def _sound(record: GameRecord | RecordError) -> GameRecord:
    """Give the game that was read.

    Raises
    ------
    Failure
        It is damaged.
    """
    if isinstance(record, ValueError):
        raise Failure(str(record)) from record
    return record


def _records(options: argparse.Namespace) -> Iterator[GameRecord | RecordError]:
    """Read the records one by one; only reading is guarded, not what is done with them."""
    from basilica_env.core.tiles import tile_set
    from basilica_env.records import scan_records

    with failing():
        records = scan_records(options.file, [tile_set(options.tiles)])
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
