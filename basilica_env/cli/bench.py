"""``basilica bench``: how fast this machine plays."""

from __future__ import annotations

import argparse
import importlib
from typing import Any

from basilica_env.cli.terminal import Failure

BENCHMARKS = "basilica_env.benchmarks"


def add(verbs: Any) -> None:
    """Add the verb; its options are those of the benchmarks."""
    parser = verbs.add_parser("bench", help="measure how fast this machine plays", add_help=False)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Hand the arguments on to the benchmarks.

    Raises
    ------
    Failure
        The benchmarks, or something they need, are not installed.
    """
    try:
        benchmarks = importlib.import_module(BENCHMARKS)
    except ModuleNotFoundError as error:
        raise Failure(
            f"no module {error.name!r}: expected an installation with the extra 'bench', "
            "pip install 'basilica-env[bench]'"
        ) from error
    status: int = benchmarks.main(options.rest)
    return status
