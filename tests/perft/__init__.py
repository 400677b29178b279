"""Perft: how many lines of play there are from a position, counted to a fixed depth.

A line is a sequence of moves. It follows the true order of the stack and the reshuffle of seed 0, so it has
no chance in it. A game that is over has no more moves: it counts at its own depth and not below.

``python -m tests.perft --write`` counts the published positions anew, by both engines, and rewrites
``positions.csv`` and the page ``docs/perft.md``; without ``--write`` it only prints the counts.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path

from tests.engines import Engine
from tests.positions import split

TABLE = Path(__file__).parent / "positions.csv"
PAGE = Path(__file__).parents[2] / "docs" / "perft.md"
DEPTH = 4
DEPTHS = [f"depth {depth}" for depth in range(1, DEPTH + 1)]


@dataclass(frozen=True)
class Published:
    """One published position and its counts to depth 1, 2, 3, 4."""

    name: str
    position: str
    counts: tuple[int, ...]


def perft(game: Engine, depth: int) -> int:
    """Count the lines of ``depth`` moves."""
    if depth == 0:
        return 1
    moves = game.legal_moves()
    if depth == 1:
        return len(moves)
    lines = 0
    for move in moves:
        after = game.copy()
        after.play(move)
        lines += perft(after, depth - 1)
    return lines


def read_table() -> list[Published]:
    """Read the published positions."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        Published(row["name"], row["position"], tuple(int(row[depth]) for depth in DEPTHS)) for row in rows
    ]


def table_text(table: list[Published]) -> str:
    """Write the published positions as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["name", "position", *DEPTHS])
    for row in table:
        writer.writerow([row.name, row.position, *row.counts])
    return text.getvalue()


def page_text(table: list[Published]) -> str:
    """Write the page of the documentation."""
    counts = []
    for row in table:
        cells = [row.name, f"`{split(row.position)['decision']}`", *(f"{count:,}" for count in row.counts)]
        counts.append("| " + " | ".join(cells) + " |")
    positions = [f"**{row.name}**\n\n```text\n{row.position}\n```" for row in table]
    return PAGE_TEXT.format(
        head=" | ".join(str(depth) for depth in range(1, DEPTH + 1)),
        rule=" | ".join(["---:"] * DEPTH),
        counts="\n".join(counts),
        positions="\n\n".join(positions),
    )


PAGE_TEXT = """# Perft

How many lines of play there are from a position, counted move by move to depth 4. Another implementation of
the rules that counts the same here agrees with this one on some millions of legal moves.

A line is a sequence of moves, the answers to offers among them. It follows the true order of the stack in the
[position text](notation.md); a reshuffle on the way is that of seed 0. A game that is over has no more moves,
so it does not count at greater depths.

```python
from basilica_env import GameState, perft

text = GameState.new(seed=7).to_text()  # or one of the positions below
print(perft(GameState.from_text(text, seed=0), depth=2))
```

| position | decision | {head} |
| --- | --- | {rule} |
{counts}

The compiled engine and the reference engine count the same; the tests hold both to this table. The command
`python -m tests.perft --write` makes it.

## The positions

{positions}
"""
