"""What the verbs share: faults, options, and what the terminal can show."""

from __future__ import annotations

import argparse
import atexit
import io
import re
import secrets
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from textwrap import fill
from typing import Any

from basilica_env.render.style import WIDTH, Style, printable

SEED_BITS = 32


class Failure(Exception):
    """Something went wrong that the user should read about in one line: exit status 1."""


class Misuse(Exception):
    """An argument that parses but makes no sense: exit status 2."""


@contextmanager
def failing() -> Iterator[None]:
    """Turn the faults of files, of what they hold and of missing extras into a :class:`Failure`."""
    try:
        yield
    except OSError as error:
        raise Failure(reason(error)) from error
    except (ImportError, ValueError) as error:
        raise Failure(str(error)) from error


def reason(error: OSError) -> str:
    """Say what an operating system's error is about, without its number."""
    where = f"{printable(str(error.filename))}: " if error.filename is not None else ""
    return f"{where}{error.strerror or error}"


@dataclass(frozen=True)
class Terminal:
    """Where the output goes.

    Attributes
    ----------
    style : Style
        What it can show.
    live : bool
        A person is watching: standard output is a terminal.
    """

    style: Style
    live: bool

    @classmethod
    def of(cls, options: argparse.Namespace) -> Terminal:
        """Find out what standard output can show and what the options allow."""
        able = Style.of(sys.stdout)
        style = Style(able.color and not options.no_color, able.unicode and not options.ascii)
        return cls(style, sys.stdout.isatty())


def tolerate_encoding() -> None:
    """Read and write as escapes what a stream cannot decode or encode, such as a name in a record."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def leave_plainly() -> None:
    """Write no code at the end: colorama does on any terminal, and Numba loads it where it is installed."""
    colorama = sys.modules.get("colorama.initialise")
    if colorama is not None:
        atexit.unregister(colorama.reset_all)


def add_drawing_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that :meth:`Terminal.of` reads."""
    parser.add_argument(
        "--no-color", action="store_true", help="no colours, as with NO_COLOR in the environment"
    )
    parser.add_argument("--ascii", action="store_true", help="no signs beyond ASCII")


def add_seed_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--seed``; the same seed gives the same game."""
    parser.add_argument(
        "--seed",
        type=seed,
        metavar="N",
        help="the same seed gives the same game (default: a new one, which is shown)",
    )


def seed(text: str) -> int:
    """Read a seed: an integer from 0 to 2**64 - 1."""
    if not re.fullmatch("[0-9]{1,20}", text) or int(text) >= 1 << 64:
        raise argparse.ArgumentTypeError(f"{text!r}: expected an integer from 0 to 2**64 - 1")
    return int(text)


def new_seed() -> int:
    """Draw a seed for those who gave none."""
    return secrets.randbits(SEED_BITS)


def add_tiles_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--tiles``."""
    parser.add_argument("--tiles", default="standard", metavar="FILE", help="a tile set (default: standard)")


def ask(prompt: str) -> str | None:
    """Read a line, without the blanks around it; None at the end of the input."""
    try:
        return input(prompt).strip()
    except EOFError:
        print()
        return None


def add_verb(
    verbs: Any, name: str, summary: str, description: str, examples: Sequence[tuple[str, str]]
) -> argparse.ArgumentParser:
    """Add the parser of a verb.

    Parameters
    ----------
    verbs
        What ``add_subparsers`` returned.
    name, summary, description : str
        The verb, one line for the list of the verbs, and sentences for its own help.
    examples : sequence of pairs of str
        Commands and what each of them does.
    """
    width = max(len(command) for command, _ in examples)
    lines = [f"  {command:<{width}}   {meaning}" for command, meaning in examples]
    parser: argparse.ArgumentParser = verbs.add_parser(
        name,
        help=summary,
        description=fill(description, WIDTH),
        epilog="\n".join(("examples:", *lines)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return parser
