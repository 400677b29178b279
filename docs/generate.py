"""Fill the tables of the page on the environment from the code that fills the arrays.

``python docs/generate.py`` rewrites the page; with ``--check`` it only says whether it is up to date.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from basilica_env.core import layout
from basilica_env.core.layout import ACTIONS, RANKS, SPACES, SQUARES, STEPS
from basilica_env.core.observation import (
    OBSERVATION_SIZE,
    PLANE_ENTRIES,
    PLANES_SHAPE,
    SCALAR_ENTRIES,
    SCALARS_SIZE,
    Entry,
    highest,
)
from basilica_env.envs.spaces import MASK_DTYPE
from basilica_env.files import write_text

PAGE = Path(__file__).parent / "basilica.md"
_BLOCK = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)

_ACTIONS = (
    (layout.PLACE, SPACES * SQUARES, "60 · space + square", "V2c3", "place the vault of a space on a square"),
    (layout.BUILDER, 1, "", "B", "place a builder on the vault just placed"),
    (layout.EXECUTE, SPACES, "{first} + space", "O1", "execute the order on a space"),
    (layout.REDRAW, 1, "", "redraw", "discard three vaults of which none can be placed"),
    (layout.PAY, 1, "", "pay", "pay the coin for the paid order offered"),
    (layout.PASS, 1, "", "pass", "decline it"),
    (layout.PROMOTE, SQUARES * RANKS, "{first} + 3 · square + rank", "c3=A", "promote a builder to a rank"),
    (layout.MOVE, SQUARES * STEPS, "{first} + 4 · square + step", "c3-c4", "move a builder by one step"),
    (layout.SQUARE, SQUARES, "{first} + square", "c3", "choose a square for any other order"),
)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(str(cell) for cell in line) + " |\n" for line in lines)


def shapes() -> str:
    """Return the shapes and ranges of observations and masks."""
    top = f"0 to {highest(np.uint8).max()} (`uint8`), 0 to {highest(np.float32).max():g} (`float32`)"
    rows = (
        ("vector", (OBSERVATION_SIZE,), top),
        ("`planes`", PLANES_SHAPE, "0 or 1"),
        ("`scalars`", (SCALARS_SIZE,), top),
        ("`action_mask`", (ACTIONS,), f"0 or 1 (`{np.dtype(MASK_DTYPE)}`)"),
    )
    return table(("array", "shape", "values"), ((name, f"`{shape}`", values) for name, shape, values in rows))


def planes() -> str:
    """Return the planes by number."""
    return table(
        ("plane", "name", "1 where"), ((k, f"`{e.name}`", e.meaning) for k, e in enumerate(PLANE_ENTRIES))
    )


def scalars() -> str:
    """Return the scalars by number; entries that only count tiles or spaces share a row."""
    rows = []
    for first, run in _runs(SCALAR_ENTRIES):
        one, last = run[0], run[-1]
        place = f"{first}" if len(run) == 1 else f"{first} – {first + len(run) - 1}"
        name = f"`{one.name}`" if len(run) == 1 else f"`{one.name}` – `{last.name}`"
        meaning = (
            one.meaning if len(run) == 1 else one.meaning.replace("number 0", f"number 0 – {len(run) - 1}")
        )
        rows.append((place, name, one.high, one.unit, meaning))
    return table(("scalar", "name", "high", "unit", "meaning"), rows)


def _runs(entries: Sequence[Entry]) -> Iterator[tuple[int, list[Entry]]]:
    """Yield runs of entries that differ in a tile number alone, with the number of the first."""
    first = 0
    while first < len(entries):
        stem = re.fullmatch(r"(hidden|discarded)_\d+", entries[first].name)
        run = [entries[first]]
        while stem and first + len(run) < len(entries) and entries[first + len(run)].name.startswith(stem[1]):
            run.append(entries[first + len(run)])
        yield first, run
        first += len(run)


def actions() -> str:
    """Return the numbering of the actions."""
    rows = []
    for (first, count, formula, move, meaning), end in zip(
        _ACTIONS, [*(row[0] for row in _ACTIONS[1:]), ACTIONS], strict=True
    ):
        assert first + count == end, f"the actions from {first} to {first + count - 1} end at {end - 1}"
        place = f"{first}" if count == 1 else f"{first} – {end - 1}"
        rows.append((place, formula.format(first=first) or first, count, f"`{move}`", meaning))
    return table(("action", "formula", "count", "move text", "meaning"), rows)


TABLES = {"shapes": shapes, "planes": planes, "scalars": scalars, "actions": actions}


def filled(page: str) -> str:
    """Return a page with its generated blocks filled.

    Raises
    ------
    ValueError
        If a block is none of :data:`TABLES`, or one of them has no block.
    """
    names = [match[2] for match in _BLOCK.finditer(page)]
    if sorted(names) != sorted(TABLES):
        raise ValueError(f"the page has the generated blocks {names}: expected each of {list(TABLES)} once")
    return _BLOCK.sub(lambda match: f"{match[1]}\n{TABLES[match[2]]()}\n{match[3]}", page)


def main(arguments: Sequence[str]) -> int:
    """Rewrite the page, or check it; return the exit status."""
    before = PAGE.read_text(encoding="utf-8")
    after = filled(before)
    if list(arguments) == ["--check"]:
        if before != after:
            print(f"{PAGE.name} is out of date: run python docs/generate.py", file=sys.stderr)
        return int(before != after)
    if arguments:
        print(f"unknown arguments {arguments}: expected none or --check", file=sys.stderr)
        return 2
    write_text(PAGE, after)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
