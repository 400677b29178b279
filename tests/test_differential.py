"""The reference engine against the compiled core, decision by decision, over 20,000 random games.

After every move both must give the same text, the same legal actions and the same decider, at the end the
same scores and returns. Now and then both read the position back from its text, with a new seed, and play on
from there. A quarter of the games is played with tile sets drawn by chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from basilica_env import notation
from basilica_env.core.layout import ACTIONS
from basilica_env.core.tiles import TileSet
from basilica_env.game import GameState
from basilica_env.reference import ACTION_NUMBERS, CLAUSES, SELDOM, ReferenceGame
from tests.chance import Generator
from tests.policies import POLICIES, Policy, by_kind, drawn_tiles
from tests.positions import STANDARD, position

GAMES_A_SHARD = 500
SHARDS = {
    "uniform": 20,
    "by_kind": 6,
    "hurrying": 5,
    "blocking": 5,
    "ordering": 1,
    "burning": 1,
    "towering": 1,
    "rivalling": 1,
}
"""How many shards of games each policy plays."""

THERE_FOR = {
    "uniform": (),
    "hurrying": ("R8.6 third scoring",),
    "blocking": (
        "R4.5 redraw",
        "R4.5 redraw again",
        "R5.1 redraw ends the chance",
        "R7.1 reshuffle in a redraw",
    ),
    "ordering": ("R6.4 last token swapped", "R6.4 no token in supply"),
    "burning": ("R7.1 reshuffle after a scoring", "R7.2 exhausted after a scoring"),
    "towering": (
        "R4.6 vault beyond row 12 refused",
        "R4.6 scaffolding beyond row 12 refused",
        "R8.5 slide by more than two rows",
    ),
    "rivalling": (
        "R8.3 Master Mason decides",
        "R8.3 Strongmen cancel",
        "R8.4 opponent's Architect doubles",
        "R8.4 Architects double once",
        "R8.4 minority Master Mason is one",
    ),
}
"""The rare clauses that each shard of a policy must meet; every shard of ``by_kind`` must meet all others."""

FULL = "\n".join(["# # # # #"] * 12)
FORCED = {
    "R6.1 scaffold refused": (
        position(FULL, orders="R5 R6 R7", vaults="R0 R1 R3", king=0),
        "redraw",
    ),
    "R7.2 exhausted in a redraw": (
        position(FULL, orders="R0 R6 R7", vaults="R1 R3 R4", king=0, rest="discard", reshuffled=1),
        "redraw",
    ),
    "R8.5 nothing left": (
        position(
            "R0 Y0 B0 G0 R2", orders="R5 R6 R7", vaults="R1 R3 R4", king=9, rest="discard", reshuffled=1
        ),
        "V1a2",
    ),
}
"""For each clause that random games do not meet, a position and the move there that meets it."""


class Pair:
    """One game on both engines."""

    def __init__(self, reference: ReferenceGame, state: GameState) -> None:
        self.reference = reference
        self.state = state
        self.fired: Counter[str] = Counter()

    @classmethod
    def new(cls, seed: int, tiles: TileSet = STANDARD) -> Pair:
        return cls(ReferenceGame.new(seed, tiles), GameState.new(seed, tiles))

    @classmethod
    def from_text(cls, text: str, seed: int, tiles: TileSet = STANDARD) -> Pair:
        return cls(ReferenceGame.from_text(text, seed, tiles), GameState.from_text(text, seed, tiles))

    def read_back(self, seed: int) -> None:
        """Go on from the text of the position, with another seed for a reshuffle to come."""
        self.fired += self.reference.fired
        again = Pair.from_text(self.reference.to_text(), seed, self.state.tiles)
        self.reference, self.state = again.reference, again.state

    def play(self, move: str, by_number: bool) -> None:
        self.reference.play(move)
        if by_number:
            self.state.apply(ACTION_NUMBERS[move])
        else:
            self.state.play(move)

    def compare(self) -> None:
        reference, state = self.reference, self.state
        text = reference.to_text()
        assert state.to_text() == text
        assert state.legal_actions().tolist() == reference.legal_actions(), text
        assert (state.player if reference.legal_moves() else None) == reference.player, text
        if reference.is_over:
            assert state.is_over
            assert state.scores == reference.scores, text
            assert state.returns() == reference.returns(), text


def play_out(pair: Pair, policy: Policy, chance: Generator) -> Counter[str]:
    """Play a game to its end, compare the engines at every decision, and count the clauses that it met."""
    moves: list[str] = []
    try:
        pair.compare()
        while not pair.state.is_over:
            if not chance.below(40):
                pair.read_back(seed=chance.below(1 << 16))
                pair.compare()
            moves.append(policy(pair.reference, pair.reference.legal_moves(), chance))
            pair.play(moves[-1], by_number=bool(chance.below(2)))
            pair.compare()
        pair.read_back(seed=0)
        pair.compare()
    except Exception as error:
        error.add_note(f"after the moves {' '.join(moves)}")
        raise
    return pair.fired


def tile_sets(seed: int) -> Iterator[TileSet]:
    """Give the tile set of each game of a shard: one in four is drawn, anew after ten such games."""
    chance = Generator(seed)
    while True:
        drawn = drawn_tiles(chance)
        for _ in range(10):
            yield from (STANDARD, STANDARD, STANDARD, drawn)


@pytest.mark.parametrize(
    ("policy", "shard"), [(policy, shard) for policy, shards in SHARDS.items() for shard in range(shards)]
)
def test_both_engines_play_the_same_games(
    policy: str, shard: int, record_property: Callable[[str, object], None]
) -> None:
    fired: Counter[str] = Counter()
    first = shard * GAMES_A_SHARD
    for seed, tiles in zip(range(first, first + GAMES_A_SHARD), tile_sets(first), strict=False):
        pair = Pair.new(seed, tiles)
        try:
            fired += play_out(pair, POLICIES[policy], Generator(seed + 1_000_000))
        except Exception as error:
            error.add_note(f"in game {seed} of policy {policy}, with the tile set\n{tiles.to_csv()}")
            raise
    record_property("clauses", dict(fired))
    assert not clauses_of(policy) - fired.keys()


def clauses_of(policy: str) -> set[str]:
    """Give the clauses that every shard of a policy must meet."""
    if policy != "by_kind":
        return set(THERE_FOR[policy])
    return set(CLAUSES) - FORCED.keys() - {clause for clauses in THERE_FOR.values() for clause in clauses}


@pytest.mark.parametrize("clause", FORCED)
def test_both_engines_agree_on_forced_clauses(
    clause: str, record_property: Callable[[str, object], None]
) -> None:
    text, move = FORCED[clause]
    fired: Counter[str] = Counter()
    for seed in range(20):
        pair = Pair.from_text(text, seed)
        pair.compare()
        pair.play(move, by_number=bool(seed % 2))
        assert clause in pair.reference.fired
        fired += play_out(pair, by_kind, Generator(seed))
    record_property("clauses", dict(fired))


def test_the_games_are_enough_and_meet_every_clause() -> None:
    assert GAMES_A_SHARD * sum(SHARDS.values()) >= 20_000
    assert SHARDS.keys() == POLICIES.keys() == THERE_FOR.keys() | {"by_kind"}
    assert {clause for policy in SHARDS for clause in clauses_of(policy)} | FORCED.keys() == set(CLAUSES)
    assert FORCED.keys() <= set(SELDOM)


def test_both_engines_number_the_moves_alike() -> None:
    numbers = {notation.move_text(action): action for action in range(ACTIONS) if is_move(action)}
    assert numbers == ACTION_NUMBERS


def is_move(action: int) -> bool:
    """Return whether an action is not a step that leaves the cathedral."""
    try:
        notation.move_text(action)
    except ValueError:
        return False
    return True
