"""Golden playthroughs: whole games, decision by decision, as text files that change only on purpose.

``python -m tests.golden --write`` plays the games anew and rewrites the files; without ``--write`` it only
says which of them would change. A file tells, for each decision, the position, who decides, the legal moves
and the move played, and at the end the position, the scores and the returns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.chance import Generator
from tests.engines import Engine
from tests.positions import split

FOLDER = Path(__file__).parent

Policy = Callable[[list[str], Generator], str]


def uniform(moves: list[str], chance: Generator) -> str:
    """Play any legal move."""
    return moves[chance.below(len(moves))]


def by_kind(moves: list[str], chance: Generator) -> str:
    """Draw the kind of move first, so that orders and builders come as often as vaults."""
    kinds = sorted({move[0] for move in moves})
    kind = kinds[chance.below(len(kinds))]
    return uniform([move for move in moves if move[0] == kind], chance)


def building(moves: list[str], chance: Generator) -> str:
    """Place vaults, and a builder on every other of them; orders only if there is nothing else."""
    if "B" in moves and chance.below(2):
        return "B"
    vaults = [move for move in moves if move[0] == "V"]
    return uniform(vaults or moves, chance)


def ordering(moves: list[str], chance: Generator) -> str:
    """Execute an order whenever there is one, and pay whenever asked; else as by_kind."""
    if "pay" in moves:
        return "pay"
    orders = [move for move in moves if move[0] == "O"]
    return uniform(orders, chance) if orders else by_kind(moves, chance)


POLICIES: dict[str, Policy] = {policy.__name__: policy for policy in (uniform, by_kind, building, ordering)}


@dataclass(frozen=True)
class Golden:
    """One game: its name, its seed, its policy and what it is there to show, in words of :func:`events`."""

    name: str
    seed: int
    policy: str
    shows: tuple[str, ...]

    @property
    def path(self) -> Path:
        """The file."""
        return FOLDER / f"{self.name}.txt"


GOLDEN = (
    Golden("third_scoring", 16, "building", ("third scoring",)),
    Golden("redraw", 25, "building", ("redraw", "third scoring")),
    Golden("tie", 56, "uniform", ("redraw", "tie")),
    Golden("uniform", 102, "uniform", ("paid-promote", "paid-recruit", "paid-confuse", "reshuffle")),
    Golden("paid_orders", 2, "by_kind", ("paid-promote", "paid-recruit", "paid-confuse", "reshuffle")),
    Golden("exhaustion", 103, "by_kind", ("reshuffle", "exhaustion")),
    Golden(
        "exhaustion_after_scoring", 55, "ordering", ("reshuffle", "exhaustion", "exhaustion after a scoring")
    ),
)


def playthrough(golden: Golden, engine: type[Engine]) -> str:
    """Play a game and tell it."""
    return "\n".join(_lines(golden, engine)) + "\n"


def _lines(golden: Golden, engine: type[Engine]) -> Iterator[str]:
    yield f"# {golden.name}: {', '.join(golden.shows)}"
    yield f"# seed {golden.seed}, policy {golden.policy}, tile set standard"
    # The choices draw on a generator of their own, so that they do not depend on the shuffles.
    chance = Generator(golden.seed + 1_000_000)
    game = engine.new(golden.seed)
    while not game.is_over:
        moves = game.legal_moves()
        move = POLICIES[golden.policy](sorted(moves), chance)
        yield ""
        yield f"position {game.to_text()}"
        yield f"player {game.player}"
        yield f"legal {' '.join(moves)}"
        yield f"move {move}"
        game.play(move)
    yield ""
    yield f"position {game.to_text()}"
    yield "scores {}:{}".format(*game.scores)
    yield "returns {}:{}".format(*game.returns())


def events(text: str) -> set[str]:
    """Say what happened in a playthrough."""
    moves = [line.removeprefix("move ") for line in text.splitlines() if line.startswith("move ")]
    positions = [
        split(line.removeprefix("position ")) for line in text.splitlines() if line.startswith("position ")
    ]
    before, last = positions[-2:]
    happened = {position["decision"].split(":")[0] for position in positions}
    happened.add("third scoring" if last["king"] == "30" else "exhaustion")
    if "redraw" in moves:
        happened.add("redraw")
    if last["reshuffled"] == "1":
        happened.add("reshuffle")
    if last["scores"].split(":")[0] == last["scores"].split(":")[1]:
        happened.add("tie")
    if last["king"] in ("10", "20") and last["king"] != before["king"]:
        happened.add("exhaustion after a scoring")
    return happened
