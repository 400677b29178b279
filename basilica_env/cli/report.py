"""``basilica report``: what many games say, as a page."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from basilica_env.cli.dataset import Display, add_reading_options, tile_sets
from basilica_env.cli.terminal import add_verb, failing
from basilica_env.render.style import printable

EXAMPLES = 5


def add(verbs: Any) -> None:
    """Add the verb."""
    parser = add_verb(
        verbs,
        "report",
        "write a page on what many games say",
        "Write one HTML page on the games in a folder, such as that of a tournament: ratings, points, "
        "length, actions, orders, scorings, squares, each with its interval, and games to replay. The page "
        "opens without a network. The tables that it rests on are kept in the folder (see basilica dataset).",
        (
            ("basilica report league", "writes league/report.html"),
            ("basilica report league --out page.html --examples 0", "elsewhere, without games to replay"),
        ),
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="with files of records, in it or deeper")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="the page (default: report.html in the folder)"
    )
    parser.add_argument(
        "--examples",
        type=_examples,
        default=EXAMPLES,
        metavar="N",
        help="games to replay (default: %(default)s)",
    )
    add_reading_options(parser)
    parser.set_defaults(run=run)


def _examples(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 3):
        raise argparse.ArgumentTypeError(f"{text!r}: expected a number from 0 to 99")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Write the page.

    Raises
    ------
    Failure
        A file cannot be read or written, a record is damaged, no game has a result, or the extra is missing.
    """
    from basilica_env.arena.report import write_report

    with failing(), Display(options.folder) as display:
        page = write_report(
            options.folder,
            options.out,
            tiles=tile_sets(options),
            workers=options.workers,
            skip_damaged=options.skip_damaged,
            examples=options.examples,
            reading=display.read,
            progress=display.work,
        )
    print(f"wrote {printable(str(page))}")
    return 0
