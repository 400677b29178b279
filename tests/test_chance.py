"""``GameState.outcomes``: the public results of an action, with their exact probabilities."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from basilica_env import GameState, IllegalMoveError
from basilica_env.core.tiles import TileSet
from tests.chance import Generator
from tests.policies import drawn_tiles
from tests.positions import NO_FIT, STANDARD, join, position, split

FEW_KINDS = [drawn_tiles(Generator(seed)) for seed in (2, 3)]
TILE_SETS = [STANDARD, *FEW_KINDS]
Public = tuple[Any, ...]


def side(tiles: TileSet, code: str | None) -> tuple[Any, ...]:
    """Give what the order side of a tile shows (R1.5)."""
    if code is None:
        return ()
    number = tiles.numbers[code]
    return tiles.colours[number], tiles.orders[number], tiles.coins[number]


def kind(tiles: TileSet, code: str | None) -> tuple[Any, ...]:
    """Give what both sides of a tile show."""
    return () if code is None else (*side(tiles, code), tiles.crowns[tiles.numbers[code]])


def public(state: GameState) -> Public:
    """Give what R1.5 calls open, tiles by what they show."""
    view, tiles = state.view(), state.tiles
    return (
        tuple((name, kind(tiles, s.code), s.glass, s.builder, s.rank) for name, s in view.cathedral.items()),
        tuple(side(tiles, code) for code in view.orders),
        tuple(kind(tiles, code) for code in view.vaults),
        tuple(side(tiles, code) for code in view.stack[:1]),
        len(view.stack),
        tuple(sorted(kind(tiles, code) for code in view.discard)),
        (view.king, view.scores, view.coins, view.turn, view.actions, view.decision, view.reshuffled),
    )


def arrangements(state: GameState) -> list[GameState]:
    """Give the position with every arrangement of the hidden tiles that fits what is open (R1.5)."""
    view, fields = state.view(), split(state.to_text())
    places = [*(code for code in view.orders if code), *view.stack]
    shown = len(places) - len(view.stack[1:])
    fitting = []
    for arranged in permutations(sorted(places)):
        pairs = zip(arranged[:shown], places[:shown], strict=True)
        if all(side(state.tiles, mine) == side(state.tiles, theirs) for mine, theirs in pairs):
            rest = iter(arranged)
            orders = ",".join(next(rest) if code else "_" for code in view.orders)
            changed = {**fields, "orders": orders, "stack": ",".join(rest) or "-"}
            fitting.append(GameState.from_text(join(changed), tiles=state.tiles))
    return fitting


def results(state: GameState, move: str) -> Iterator[GameState]:
    """Give the states after a move, for every order of a reshuffled pile as far as it is drawn or shown."""
    after = state.copy()
    after.play(move)
    if after.was_reshuffled == state.was_reshuffled:
        yield after
        return
    drawn = (3 if move == "redraw" else 1) - len(state.view().stack)
    placed = {*state.view().orders, *state.view().vaults, *state.view().stack}
    new = [code for code in (*after.view().orders, *after.view().vaults) if code and code not in placed]
    pile = [*new, *after.view().stack]
    for first in permutations(pile, min(drawn + 1, len(pile))):
        arranged = state.copy()
        arranged.play(move, reshuffled=[*first, *(code for code in pile if code not in first)])
        yield arranged


def counted(state: GameState, move: str) -> dict[Public, Fraction]:
    """Give the probabilities of all public results by counting arrangements."""
    found: Counter[Public] = Counter()
    every = arrangements(state)
    for arranged in every:
        after = list(results(arranged, move))
        for result in after:
            found[public(result)] += Fraction(1, len(after) * len(every))
    return dict(found)


def told(state: GameState, move: str) -> dict[Public, Fraction]:
    """Give the probabilities of all public results as ``outcomes`` tells them, each once."""
    outcomes = list(state.outcomes(move))
    found = {public(outcome.state): outcome.probability for outcome in outcomes}
    assert len(found) == len(outcomes), "two outcomes look the same"
    return found


def moves_of_every_kind(state: GameState) -> list[str]:
    """Give one move of each kind, and a vault from each space."""
    moves = {move[:2] if move[0] in "VO" else move[0]: move for move in state.legal_moves()}
    return list(moves.values())


def near_the_end_of_the_stack(tiles: TileSet, seeds: int) -> Iterator[GameState]:
    """Give a state of random games for each small stack, before and after the reshuffle."""
    for seed in range(seeds):
        state = GameState.new(seed=seed, tiles=tiles)
        rng = np.random.default_rng(seed)
        met = set()
        while not state.is_over:
            left = (state.was_reshuffled, len(state.view().stack))
            if left[1] <= 3 and left not in met:
                met.add(left)
                yield state.copy()
            orders = [move for move in state.legal_moves() if move[0] in "OB"]
            moves = orders if orders and rng.integers(4) else state.legal_moves()
            state.play(str(rng.choice(moves)))


def stirred(state: GameState) -> GameState:
    """Give the same open position with another order of the hidden stack, and another generator."""
    fields = split(state.to_text())
    top, *others = fields["stack"].split(",")
    fields["stack"] = ",".join([top, *others[::-1]])
    return GameState.from_text(join(fields), seed=77, tiles=state.tiles)


@pytest.mark.parametrize("tiles", TILE_SETS, ids=["standard", "few kinds", "other few kinds"])
def test_outcomes_are_those_of_every_arrangement(tiles: TileSet) -> None:
    several = reshuffles = exhausted = 0
    for state in near_the_end_of_the_stack(tiles, 2):
        for move in moves_of_every_kind(state):
            expected = counted(state, move)
            assert told(state, move) == expected
            assert sum(expected.values()) == 1
            several += len(expected) > 1
            after = state.copy()
            after.play(move)
            reshuffles += after.was_reshuffled and not state.was_reshuffled
            exhausted += after.is_over and after.king < 30
    assert several > 5
    assert reshuffles > 2
    assert exhausted > 2


@pytest.mark.parametrize("tiles", TILE_SETS, ids=["standard", "few kinds", "other few kinds"])
@pytest.mark.parametrize("left", [2, 3, 4])
def test_outcomes_of_a_redraw(tiles: TileSet, left: int) -> None:
    """From the stack alone, down to its last tile, and with the first tile of the reshuffled pile."""
    stack = " ".join(["G1", "G2", "B2", "B3"][:left])
    vaults = "RY1 RY2 YB1"  # wild in every tile set of these codes
    text = position(NO_FIT, orders="R1 Y1 B1", vaults=vaults, stack=stack, rest="discard", tiles=tiles)
    state = GameState.from_text(text, tiles=tiles)
    assert told(state, "redraw") == counted(state, "redraw")


@pytest.mark.parametrize("tiles", TILE_SETS, ids=["standard", "few kinds", "other few kinds"])
def test_probabilities_add_up_and_outcomes_differ(tiles: TileSet) -> None:
    several = 0
    rng = np.random.default_rng(0)
    for seed in range(2):
        state = GameState.new(seed=seed, tiles=tiles)
        while not state.is_over:
            move = str(rng.choice(moves_of_every_kind(state)))
            if move != "redraw":
                found = told(state, move)
                assert sum(found.values()) == 1
                assert min(found.values()) > 0
                assert all(isinstance(probability, Fraction) for probability in found.values())
                after = state.copy()
                after.play(move)
                assert public(after) in found  # what happens is one of the results
                several += len(found) > 1
            state.play(move)
    assert several > 50


def test_outcomes_are_as_frequent_as_in_play() -> None:
    rng = np.random.default_rng(0)
    state = GameState.new(seed=3, tiles=FEW_KINDS[0])
    for _ in range(20):
        state.apply(state.sample_action(rng))
    while not state.decision.startswith("main"):
        state.apply(state.sample_action(rng))
    move = state.legal_moves()[0]
    expected = told(state, move)
    assert len(expected) > 5
    seen: Counter[Public] = Counter()
    for _ in range(6000):
        other = state.copy()
        other.resample_hidden(rng)
        other.play(move)
        seen[public(other)] += 1
    assert set(seen) <= set(expected)
    spread = sum((seen[p] - 6000 * float(q)) ** 2 / (6000 * float(q)) for p, q in expected.items())
    assert spread < len(expected) + 6 * math.sqrt(2 * len(expected))


def test_outcomes_tell_nothing_of_the_true_stack() -> None:
    for seed in range(5):
        state = GameState.new(seed=seed)
        for _ in range(15):
            state.apply(state.sample_action())
        other = stirred(state)
        assert other != state
        for move in moves_of_every_kind(state):
            if move != "redraw":
                mine, theirs = list(state.outcomes(move)), list(other.outcomes(move))
                assert [outcome.probability for outcome in mine] == [
                    outcome.probability for outcome in theirs
                ]
                assert [public(outcome.state) for outcome in mine] == [public(o.state) for o in theirs]
                assert [outcome.state.to_text() for outcome in mine] == [o.state.to_text() for o in theirs]
                assert generators(mine) == generators(theirs)


def generators(outcomes: list[Any]) -> list[int]:
    return [int(outcome.state.to_array()["random"][0]) for outcome in outcomes]


def test_outcomes_change_nothing_and_are_games() -> None:
    state = GameState.new(seed=4)
    for _ in range(12):
        state.apply(state.sample_action())
    before = state.to_array().tobytes()
    for move in moves_of_every_kind(state):
        for outcome in state.outcomes(move):
            game = outcome.state
            assert GameState.from_text(game.to_text()).legal_moves() == game.legal_moves()
            while not game.is_over:
                game.apply(game.sample_action())
    assert state.to_array().tobytes() == before


def test_a_crown_that_the_reshuffle_hides_again_is_no_result() -> None:
    """The executed tile is one of three that look alike, two with a crown, and goes into the new stack."""
    red = [colours == "R" for colours in STANDARD.colours]
    twins = replace(
        STANDARD,
        name="twins",
        orders=tuple(
            "scaffold" if is_red else order for is_red, order in zip(red, STANDARD.orders, strict=True)
        ),
        crowns=tuple(number % 2 for number in range(58)),
        coins=tuple(0 if is_red else coin for is_red, coin in zip(red, STANDARD.coins, strict=True)),
    )
    text = position(
        "# . . . .",
        orders="R5 R2 R3",
        vaults="Y8 Y1 B0",
        rest="discard",
        decision="scaffold:1:1",
        tiles=twins,
    )
    state = GameState.from_text(text, tiles=twins)
    found = told(state, "b1")
    assert sum(found.values()) == 1
    after = state.copy()
    after.play("b1")
    assert after.was_reshuffled
    assert public(after) in found


def test_an_action_by_its_number_or_its_text() -> None:
    state = GameState.new(seed=4)
    by_text = list(state.outcomes("V1a1"))
    for action in (0, np.int8(0), np.uint64(0)):
        assert list(state.outcomes(action)) == by_text


def test_an_action_that_shows_nothing_has_one_outcome() -> None:
    state = GameState.new(seed=4)
    while not (orders := [move for move in state.legal_moves() if move[0] == "O"]):
        state.apply(state.sample_action())
    order = orders[0]
    after = state.copy()
    after.play(order)
    (outcome,) = state.outcomes(order)
    assert outcome.probability == 1
    assert public(outcome.state) == public(after)


def test_no_outcomes_of_an_illegal_action() -> None:
    state = GameState.new(seed=4)
    for action in ("V1a2", 5, "B"):
        with pytest.raises(IllegalMoveError, match="illegal move"):
            state.outcomes(action)
    with pytest.raises(ValueError, match="unknown move"):
        state.outcomes("x")
