"""The command ``basilica``; one module a verb.

A verb's module has ``add(verbs)``, which adds its parser, and ``run(options) -> int``, which carries it
out and gives the exit status. What a verb needs of the game is imported when it runs, so that
``basilica --help`` is quick.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from basilica_env import __version__
from basilica_env.cli import (
    analyse,
    bench,
    dataset,
    demo,
    match,
    play,
    replay,
    report,
    serve,
    study,
    tiles,
    tournament,
    train,
)
from basilica_env.cli.terminal import Failure, Misuse, leave_plainly, tolerate_encoding

OK, FAILED, USAGE, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 130, 141
"""Exit statuses; the last two are those of a program stopped by the signal."""

VERBS = (demo, play, serve, match, tournament, study, dataset, report, replay, analyse, train, tiles, bench)

_EXAMPLES = """\
examples:
  basilica demo                    two greedy players play a game
  basilica play                    you against a greedy player
  basilica serve --open            play, watch and analyse in the browser
  basilica match greedy random     which of two agents is stronger
  basilica replay demo.basilica    a game again, move by move
  basilica analyse "POSITION"      the best moves in a position
  basilica train --out run         an agent that learns by playing against itself
  basilica tiles show              the tiles and how many there are of each kind

'basilica VERB --help' explains a verb.
Exit status: 0 done, 1 failed, 2 wrong use, 130 interrupted.
"""


class _Help(argparse.RawDescriptionHelpFormatter):
    """Leaves room for the longest verb: argparse indents verbs once more than it allows for."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog)
        self._action_max_length = self._indent_increment * 2 + max(len(_name(verb)) for verb in VERBS)


def _name(verb: ModuleType) -> str:
    return verb.__name__.rpartition(".")[2]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="basilica",
        description="The board game Basilica: play it, watch it, measure it.",
        epilog=_EXAMPLES,
        formatter_class=_Help,
    )
    parser.add_argument("--version", action="version", version=f"basilica-env {__version__}")
    verbs = parser.add_subparsers(title="verbs", dest="verb", metavar="VERB", required=True)
    for verb in VERBS:
        verb.add(verbs)
    return parser


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = _parser()
    options, rest = parser.parse_known_args(argv)
    options.rest = rest
    if rest and options.run is not bench.run:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    return options


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with its arguments, those of the process by default.

    Returns
    -------
    int
        The exit status.

    Raises
    ------
    SystemExit
        The arguments are wrong (2), or ask for help or the version (0).
    """
    tolerate_encoding()
    options = _options(argv)
    try:
        status: int = options.run(options)
        sys.stdout.flush()
    except Misuse as error:
        return _fail(options.verb, error, USAGE)
    except Failure as error:
        return _fail(options.verb, error, FAILED)
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return BROKEN_PIPE
    except OSError as error:
        _drop_output()
        print(f"basilica {options.verb}: cannot write the output: {error.strerror}", file=sys.stderr)
        return FAILED
    finally:
        leave_plainly()
    return status


def _fail(verb: str, error: Exception, status: int) -> int:
    sys.stdout.flush()
    print(f"basilica {verb}: {error}", file=sys.stderr)
    return status


def _drop_output() -> None:
    """Keep the interpreter from complaining, when it ends, that nobody reads what is left to write."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
