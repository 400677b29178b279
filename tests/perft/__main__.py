"""Count the published positions anew: ``python -m tests.perft [--write]``."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

from basilica_env.files import write_text
from tests.engines import Compiled, Reference
from tests.perft import DEPTH, PAGE, TABLE, page_text, perft, read_table, table_text


def main() -> int:
    """Count, compare the engines, and write if asked to."""
    parser = argparse.ArgumentParser(prog="python -m tests.perft", description=__doc__)
    parser.add_argument("--write", action="store_true", help="rewrite the table and the page")
    write = parser.parse_args().write
    table = []
    for row in read_table():
        counts = [
            tuple(perft(engine.from_text(row.position), depth) for depth in range(1, DEPTH + 1))
            for engine in (Compiled, Reference)
        ]
        print(row.name, *counts[0], flush=True)
        if counts[0] != counts[1]:
            print(f"{row.name}: the reference engine counts {counts[1]}", file=sys.stderr)
            return 1
        table.append(replace(row, counts=counts[0]))
    if write:
        write_text(TABLE, table_text(table))
        write_text(PAGE, page_text(table))
    return 0


if __name__ == "__main__":
    sys.exit(main())
