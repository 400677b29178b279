"""What players see (R1.5): every entry against the reference engine, and nothing but what is open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from basilica_env.core.observation import (
    OBSERVATION_SIZE,
    PLANE_ENTRIES,
    PLANES_SHAPE,
    PLANES_SIZE,
    SCALAR_ENTRIES,
    SCALARS_SIZE,
    highest,
    split,
    units,
)
from basilica_env.core.tiles import TileSet
from basilica_env.envs.batch import BatchEnv, BatchStep
from basilica_env.game import GameState
from basilica_env.reference import NEIGHBOURS, ROW_1, SQUARES, ReferenceGame, Tile
from tests.chance import Generator
from tests.policies import POLICIES, drawn_tiles
from tests.positions import STANDARD, position
from tests.test_facts import with_players_swapped

SEATS = (0, 1)
DTYPES = (np.uint8, np.float32)
NAMES = (
    *(f"{entry.name}@{square}" for entry in PLANE_ENTRIES for square in SQUARES),
    *(entry.name for entry in SCALAR_ENTRIES),
)
"""A name for each entry of a flat observation; those of planes with their square."""
UNITS = dict.fromkeys(NAMES, 1) | {entry.name: entry.unit for entry in SCALAR_ENTRIES}

GAMES = {"uniform": 80, "by_kind": 16, "rivalling": 8, "burning": 8, "towering": 4, "blocking": 24}
ONE_ORDER = replace(
    STANDARD,
    name="one order",
    orders=("move",) * 58,
    crowns=tuple(int(number % 3 == 0) for number in range(58)),
    coins=(0,) * 58,
)
"""Tiles of one colour are alike on their order side and differ in crown."""
RANK_NAMES = {"A": "architect", "M": "master", "S": "strongman"}

Numbers = dict[str, int | Fraction]


# --- What the reference engine says a player sees ------------------------------------------------


def expected(information: dict[str, Any], seat: int, tiles: TileSet) -> Numbers:
    """Give each entry that is not 0, before it is divided by its unit."""
    numbers: Numbers = dict.fromkeys(flags(information, seat, tiles), 1)
    places = {f"order_space_{space}": side for space, side in information["orders"].items()}
    for place, side in (*places.items(), ("stack_top", information["top"])):
        if side is not None:
            numbers[f"crown_chance_{place}"] = 255 * side["crown_probability"]
    for owner, player in (("my", seat), ("their", 1 - seat)):
        numbers[f"{owner}_score"] = min(information["scores"][player], 255)
        for thing in ("coins", "builders", "tokens"):
            numbers[f"{owner}_{thing}"] = information[thing][player]
    for thing in ("king", "actions", "stack"):
        numbers[thing] = information[thing]
    numbers["discards"] = len(information["discard"])
    return {name: number for name, number in numbers.items() if number}


def flags(information: dict[str, Any], seat: int, tiles: TileSet) -> Iterator[str]:
    """Name the entries that are 1 because something is so."""
    for square, here in information["squares"].items():
        for name in square_flags(here, seat):
            yield f"{name}@{square}"
    yield from room_flags(information["squares"])
    yield from decision_flags(information, seat)
    for space, tile in information["vaults"].items():
        if tile is not None:
            yield from side_flags(f"vault_{space}", tile.colours, tile.order, tile.coin)
            if tile.crown:
                yield f"vault_{space}_crown"
    places = {f"order_space_{space}": side for space, side in information["orders"].items()}
    for place, side in (*places.items(), ("stack_top", information["top"])):
        if side is not None:
            yield from side_flags(place, side["colours"], side["order"], side["coin"])
    yield from tile_flags(information, tiles)


def square_flags(here: dict[str, Any], seat: int) -> Iterator[str]:
    for colour in here["colours"]:
        yield f"colour_{colour}"
    if here["order"]:
        yield f"order_{here['order']}"
    for name in ("crown", "coin", "scaffold", "glass"):
        if here[name]:
            yield name
    if len(here["colours"]) == 2:
        yield "wild"
    if here["builder"] is not None:
        yield "mine" if here["builder"] == seat else "theirs"
    if here["rank"]:
        yield RANK_NAMES[here["rank"]]


def room_flags(squares: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Name the squares where a tile may be placed (R4.1), and a wild one (R4.2)."""
    tiled = {square for square, here in squares.items() if here["colours"] or here["scaffold"]}
    wild = {square for square, here in squares.items() if len(here["colours"]) == 2}
    for square in SQUARES:
        if square not in tiled and (square in ROW_1 or tiled.intersection(NEIGHBOURS[square])):
            yield f"open@{square}"
            if not wild.intersection(NEIGHBOURS[square]):
                yield f"open_wild@{square}"


def decision_flags(information: dict[str, Any], seat: int) -> Iterator[str]:
    kind, _, placed = information["decision"].partition("@")
    if placed:
        yield f"placed@{placed}"
    kind, *details = kind.split(":")
    if details:
        yield f"executing_{details.pop(0)}"
    for detail in details:
        if detail in RANK_NAMES:
            yield f"given_{detail}"
        else:
            kind += f":{detail}"
    yield f"decision_{kind}"
    if information["turn"] == seat:
        yield "my_turn"
    if information["decider"] == seat:
        yield "my_decision"
    if information["reshuffled"]:
        yield "reshuffled"


def side_flags(place: str, colours: str, order: str, coin: bool) -> Iterator[str]:
    for colour in colours:
        yield f"{place}_colour_{colour}"
    yield f"{place}_order_{order}"
    if coin:
        yield f"{place}_coin"


def tile_flags(information: dict[str, Any], tiles: TileSet) -> Iterator[str]:
    """Name the discarded tiles and, as what is left of the tile set, the hidden ones."""
    vaults: list[Tile | None] = list(information["vaults"].values())
    shown = {here["tile"] for here in information["squares"].values()} | {
        tile.code for tile in vaults if tile
    }
    for number, code in enumerate(tiles.codes):
        if code in information["discard"]:
            yield f"discarded_{number}"
        elif code not in shown:
            yield f"hidden_{number}"


# --- What the core writes ------------------------------------------------------------------------


def seen(state: GameState, seat: int, dtype: Any) -> dict[str, Any]:
    """Give each entry of an observation that is not 0."""
    flat = state.observe(seat, dtype)
    assert flat.shape == (OBSERVATION_SIZE,)
    assert flat.dtype == dtype
    indices = np.flatnonzero(flat)
    return dict(zip([NAMES[index] for index in indices], flat[indices].tolist(), strict=True))


def in_dtype(numbers: Numbers, dtype: Any) -> dict[str, Any]:
    if dtype == np.uint8:
        return {name: rounded for name, number in numbers.items() if (rounded := round(number))}
    values = np.array([float(number / UNITS[name]) for name, number in numbers.items()], dtype)
    return dict(zip(numbers, values.tolist(), strict=True))


def check(reference: ReferenceGame, state: GameState) -> None:
    information = reference.open_information()
    for seat in SEATS:
        numbers = expected(information, seat, state.tiles)
        for dtype in DTYPES:
            assert seen(state, seat, dtype) == in_dtype(numbers, dtype), (seat, state.to_text())


@pytest.mark.parametrize("policy", GAMES)
@pytest.mark.parametrize("tiles", ["standard", "drawn"])
def test_every_entry_is_what_the_reference_engine_says(policy: str, tiles: str) -> None:
    for seed in range(GAMES[policy] if tiles == "standard" else GAMES[policy] // 4):
        chance = Generator(seed + 2_000_000)
        chosen = STANDARD if tiles == "standard" else drawn_tiles(chance)
        reference, state = ReferenceGame.new(seed, chosen), GameState.new(seed, chosen)
        check(reference, state)
        while not reference.is_over:
            move = POLICIES[policy](reference, reference.legal_moves(), chance)
            reference.play(move)
            state.play(move)
            check(reference, state)


def test_crown_chances_are_exact() -> None:
    # Some red tiles with one order side are hidden, three of them on the order spaces, and some have a crown.
    reds = STANDARD.codes[:10]
    for hidden in range(4, 11):
        for crowned in range(hidden + 1):
            crowns = (1,) * crowned + (0,) * (hidden - crowned) + (1,) * (10 - hidden) + STANDARD.crowns[10:]
            tiles = replace(ONE_ORDER, crowns=crowns)
            text = position(
                orders=" ".join(reds[:3]),
                vaults="Y0 Y1 Y2",
                stack=" ".join(reds[3:hidden]),
                rest="discard",
                reshuffled=1,
                tiles=tiles,
            )
            state = GameState.from_text(text, tiles=tiles)
            check(ReferenceGame.from_text(text, tiles=tiles), state)
            chance = Fraction(crowned, hidden)
            for place in ("order_space_1", "order_space_2", "order_space_3", "stack_top"):
                name = f"crown_chance_{place}"
                assert seen(state, 0, np.uint8).get(name, 0) == round(255 * chance)
                assert seen(state, 0, np.float32).get(name, 0) == np.float32(float(chance))


@pytest.mark.parametrize(("scores", "whole"), [("254:3", 254), ("255:3", 255), ("600:3", 255)])
def test_points_beyond_255_show_as_255(scores: str, whole: int) -> None:
    text = position("", orders="R0 R1 R3", vaults="R4 Y1 B0", scores=scores, king=29, reshuffled=1)
    state = GameState.from_text(text)
    for seat, name in ((0, "my_score"), (1, "their_score")):
        assert seen(state, seat, np.uint8)[name] == whole
        assert seen(state, seat, np.float32)[name] == np.float32(whole / 50)


# --- Shape and range -----------------------------------------------------------------------------


def test_entries_have_names_of_their_own() -> None:
    assert len(NAMES) == len(set(NAMES)) == OBSERVATION_SIZE == PLANES_SIZE + SCALARS_SIZE
    assert (len(PLANE_ENTRIES), 12, 5) == PLANES_SHAPE
    assert all(entry.meaning for entry in (*PLANE_ENTRIES, *SCALAR_ENTRIES))


@pytest.mark.parametrize("dtype", DTYPES)
def test_planes_and_scalars_are_views_of_the_flat_row(dtype: Any) -> None:
    flat = GameState.from_text(position("R2+0 . . . #", **PLACES)).observe(0, dtype)
    planes, scalars = split(flat)
    assert (planes.shape, scalars.shape) == (PLANES_SHAPE, (SCALARS_SIZE,))
    assert planes.dtype == scalars.dtype == dtype
    assert np.shares_memory(planes, flat)
    assert np.shares_memory(scalars, flat)
    plane = {entry.name: planes[number] for number, entry in enumerate(PLANE_ENTRIES)}
    assert np.argwhere(plane["mine"]).tolist() == [[0, 0]]
    assert np.argwhere(plane["scaffold"]).tolist() == [[0, 4]]


def test_every_entry_stays_in_its_range_and_is_used() -> None:
    whole, floats = (BatchEnv(128, seed=3, dtype=dtype) for dtype in DTYPES)
    most = np.zeros((2, OBSERVATION_SIZE), np.float32)
    for _ in range(300):
        actions = whole.sample_actions()
        numbers, fractions = (every_row(env.step(actions)) for env in (whole, floats))
        assert fractions.min() >= 0
        np.maximum(most[0], numbers.max(axis=0), out=most[0])
        np.maximum(most[1], fractions.max(axis=0), out=most[1])
        # Chances are rounded to whole 255ths.
        np.testing.assert_allclose(numbers / units(np.float32), fractions, rtol=1e-6, atol=0.5 / 255)
    for dtype, highest_seen in zip(DTYPES, most, strict=True):
        assert highest(dtype).dtype == dtype
        assert highest(dtype).shape == (OBSERVATION_SIZE,)
        assert (highest_seen <= highest(dtype)).all()
    planes, scalars = split(most[0])
    assert planes.max(axis=(1, 2)).all()
    assert [NAMES[PLANES_SIZE + unused] for unused in np.flatnonzero(scalars == 0)] == []
    assert highest(np.uint8)[NAMES.index("my_score")] == 255
    assert highest(np.float32)[NAMES.index("their_score")] == np.float32(5.1)


def every_row(now: BatchStep) -> NDArray[Any]:
    """Give the observations of a step, those at the end of games included."""
    return np.concatenate([now.observation, now.final_observation.reshape(-1, OBSERVATION_SIZE)])


def test_players_see_the_same_from_their_sides() -> None:
    for seed in range(12):
        chance = Generator(seed)
        state = GameState.new(seed)
        while not state.is_over:
            if not chance.below(6):
                swapped = GameState.from_text(with_players_swapped(state.to_text()))
                for seat, dtype in product(SEATS, DTYPES):
                    np.testing.assert_array_equal(
                        swapped.observe(seat, dtype), state.observe(1 - seat, dtype)
                    )
            actions = state.legal_actions()
            state.apply(actions[chance.below(len(actions))])


# --- What is open, and what is not ---------------------------------------------------------------


PLACES: dict[str, Any] = {
    "orders": "R5 Y9 B6",
    "vaults": "R4 Y1 B0",
    "stack": "G0 G1",
    "king": 15,
    "reshuffled": 1,
}


def pair(
    first: str | dict[str, Any],
    second: str | dict[str, Any],
    *changed: str,
    tiles: TileSet = STANDARD,
    **both: Any,
) -> Any:
    """Give two positions, drawn or by their fields, and the entries in which player 0 sees them differ."""
    texts = []
    for one in (first, second):
        fields = {**PLACES, **both, **({"drawing": one} if isinstance(one, str) else one)}
        texts.append(position(**fields, tiles=tiles, earlier=False))
    return *texts, changed, tiles


def hidden(*codes: str) -> list[str]:
    return [f"hidden_{STANDARD.numbers[code]}" for code in codes]


def side(place: str, *parts: str) -> list[str]:
    return [f"{place}_{part}" for part in parts]


# R7 is R0 without the crown, R9 is R2 without the coin icon.
TWINS = replace(
    STANDARD,
    name="twins",
    crowns=tuple(
        0 if code == "R7" else crown for code, crown in zip(STANDARD.codes, STANDARD.crowns, strict=True)
    ),
    coins=tuple(
        0 if code == "R9" else coin for code, coin in zip(STANDARD.codes, STANDARD.coins, strict=True)
    ),
)
TWO = "R0+0A . . Y4+1M ."
OPEN = {
    "colour": pair("R0 . . . .", "Y4 . . . .", "colour_R@a1", "colour_Y@a1", *hidden("R0", "Y4")),
    "second colour": pair(
        "RY1 . . . .",
        "Y3 . . . .",
        *("colour_R@a1", "wild@a1", "open_wild@b1", "open_wild@a2"),
        *hidden("RY1", "Y3"),
    ),
    "crown": pair("R0 . . . .", "R7 . . . .", "crown@a1", *hidden("R0", "R7"), tiles=TWINS),
    "order": pair("R3 . . . .", "R9 . . . .", "order_confuse@a1", "order_recruit@a1", *hidden("R3", "R9")),
    "coin icon": pair("R2 . . . .", "R9 . . . .", "coin@a1", *hidden("R2", "R9"), tiles=TWINS),
    "square": pair(
        "R0 . . . .",
        ". . . . R0",
        *(
            f"{name}@{square}"
            for name in ("colour_R", "crown", "coin", "order_promote")
            for square in ("a1", "e1")
        ),
        *(f"{name}@{square}" for name in ("open", "open_wild") for square in ("a1", "a2", "e1", "e2")),
    ),
    "glass": pair("R0 . . . .", "R0* . . . .", "glass@a1"),
    "builder": pair("R0 . . . .", "R0+0 . . . .", "mine@a1", "my_builders"),
    "owner": pair("R0+1 . . . .", "R0+0 . . . .", "mine@a1", "theirs@a1", "my_builders", "their_builders"),
    "token": pair("R0+1 . . . .", "R0+1S . . . .", "strongman@a1", "their_tokens"),
    "rank": pair("R0+0A . . . .", "R0+0M . . . .", "architect@a1", "master@a1"),
    "scaffolding": pair(
        ". . . . .",
        ". . . . #",
        *("scaffold@e1", "open@e1", "open_wild@e1", "open@e2", "open_wild@e2"),
    ),
    "order space": pair(
        {"orders": "R5 Y9 B6"},
        {"orders": "R3 Y9 B6"},
        *side("order_space_1", "order_scaffold", "order_confuse", "coin"),
        "crown_chance_order_space_1",
        stack="G0",
    ),
    "order space by space": pair(
        {"orders": "Y2 Y5 B6"},
        {"orders": "Y5 Y2 B6"},
        *(
            side(f"order_space_{space}", "order_scaffold", "order_move")[part]
            for space in (1, 2)
            for part in (0, 1)
        ),
    ),
    "vault space": pair(
        {"vaults": "R4 Y1 B0"},
        {"vaults": "R4 RB0 B0"},
        *side("vault_2", "colour_Y", "colour_R", "colour_B", "order_glass", "order_move"),
        *hidden("Y1", "RB0"),
    ),
    "crown of a vault": pair(
        {"vaults": "R0 Y1 B0"}, {"vaults": "R7 Y1 B0"}, "vault_1_crown", *hidden("R0", "R7"), tiles=TWINS
    ),
    "top of the stack": pair(
        {"stack": "G1 G3"},
        {"stack": "G3 G1"},
        *side("stack_top", "order_confuse", "order_scaffold", "coin"),
        "crown_chance_stack_top",
    ),
    "discard pile": pair(
        {"rest": "discard", "stack": "G0 G1 G2"},
        {"rest": "discard", "stack": "G0 G1"},
        *(f"discarded_{STANDARD.numbers['G2']}", *hidden("G2"), "stack", "discards"),
    ),
    "king": pair({"king": 15}, {"king": 16}, "king"),
    "my points": pair({"scores": "7:8"}, {"scores": "9:8"}, "my_score"),
    "their points": pair({"scores": "7:8"}, {"scores": "7:0"}, "their_score"),
    "coins": pair({"coins": "1:1"}, {"coins": "2:0"}, "my_coins", "their_coins"),
    "turn": pair({"turn": "0:3"}, {"turn": "1:3"}, "my_turn", "my_decision"),
    "actions": pair({"turn": "0:3"}, {"turn": "0:1"}, "actions"),
    "vault just placed": pair(
        {"decision": "main"}, {"decision": "main@a1"}, "placed@a1", drawing="R0 . . . .", turn="0:2"
    ),
    "decision": pair(
        {"decision": "main"},
        {"decision": "scaffold:1:2"},
        "decision_main",
        "decision_scaffold:2",
        "executing_1",
    ),
    "order executed": pair(
        {"decision": "scaffold:1:2"}, {"decision": "scaffold:2:2"}, "executing_1", "executing_2"
    ),
    "scaffolding left": pair(
        {"decision": "scaffold:1:2"},
        {"decision": "scaffold:1:1"},
        *("decision_scaffold:2", "decision_scaffold:1"),
        drawing="# . . . .",
    ),
    "rank given": pair(
        {"decision": "paid-promote:1:A"},
        {"decision": "paid-promote:1:S"},
        *("given_A", "given_S"),
        drawing="R0+0A R2+0S . Y4+1M .",
        orders="R7 Y9 B6",
    ),
    "offer": pair(
        {"decision": "offer:1:A"},
        {"decision": "promote:1"},
        *("decision_offer", "decision_promote", "given_A", "my_decision"),
        drawing=TWO,
        orders="R7 Y9 B6",
    ),
    "offer taken": pair(
        {"decision": "offer:1:A", "coins": "1:1"},
        {"decision": "paid-promote:1:A", "coins": "2:0"},
        *("decision_offer", "decision_paid-promote", "my_coins", "their_coins"),
        drawing=TWO,
        orders="R7 Y9 B6",
    ),
    "reshuffled": pair({"reshuffled": 0}, {"reshuffled": 1}, "reshuffled", drawing=TWO, king=None),
}
"""For each open thing, two positions that differ in it, and how player 0 sees that."""

SIDES = {"mine": "theirs", "theirs": "mine"} | {
    f"{one}_{thing}": f"{other}_{thing}"
    for one, other in (("my", "their"), ("their", "my"))
    for thing in ("score", "coins", "builders", "tokens")
}


def from_the_other_side(name: str) -> str:
    plane, at, square = name.partition("@")
    return SIDES.get(plane, plane) + at + square


@pytest.mark.parametrize("thing", OPEN)
def test_every_open_thing_shows(thing: str) -> None:
    first, second, changed, tiles = OPEN[thing]
    one, other = GameState.from_text(first, tiles=tiles), GameState.from_text(second, tiles=tiles)
    assert changed
    for seat, dtype in product(SEATS, DTYPES):
        different = np.flatnonzero(one.observe(seat, dtype) != other.observe(seat, dtype))
        names = changed if seat == 0 else map(from_the_other_side, changed)
        assert {NAMES[index] for index in different} == set(names)


NOT_OPEN = {
    "order of the stack": pair({"stack": "G0 G1 G3"}, {"stack": "G0 G3 G1"}),
    "which of the alike tiles is the order": pair(
        {"orders": "R0 Y9 B6", "stack": "G0 R7"}, {"orders": "R7 Y9 B6", "stack": "G0 R0"}, tiles=TWINS
    ),
    "which of the alike tiles is next": pair({"stack": "R0 R7"}, {"stack": "R7 R0"}, tiles=TWINS),
}
"""Positions that differ only in what nobody can know."""


@pytest.mark.parametrize("thing", NOT_OPEN)
def test_what_is_hidden_does_not_show_in_drawn_positions(thing: str) -> None:
    first, second, _, tiles = NOT_OPEN[thing]
    assert first != second
    one, other = GameState.from_text(first, 1, tiles), GameState.from_text(second, 2, tiles)
    for seat, dtype in product(SEATS, DTYPES):
        np.testing.assert_array_equal(one.observe(seat, dtype), other.observe(seat, dtype))


@pytest.mark.parametrize(
    "tiles", [STANDARD, ONE_ORDER, drawn_tiles(Generator(5))], ids=lambda tiles: tiles.name
)
def test_what_is_hidden_does_not_show_in_games(tiles: TileSet) -> None:
    rng = np.random.default_rng(0)
    redrawn = 0
    for seed in range(30):
        chance = Generator(seed)
        state = GameState.new(seed, tiles)
        while not state.is_over:
            other = state.copy()
            other.resample_hidden(rng)
            redrawn += other != state
            assert (other.player, other.legal_moves()) == (state.player, state.legal_moves())
            for seat, dtype in product(SEATS, DTYPES):
                np.testing.assert_array_equal(other.observe(seat, dtype), state.observe(seat, dtype))
            actions = state.legal_actions()
            state.apply(actions[chance.below(len(actions))])
    assert redrawn > 1000


# --- Redrawing what is hidden --------------------------------------------------------------------


def arrangements(orders: str, stack: str, tiles: TileSet) -> set[tuple[str, ...]]:
    """List every way to lay the hidden tiles that keeps the order sides in view (R1.5)."""
    lying = [*orders.split(), *stack.split()]
    in_view = [order_side(code, tiles) for code in lying[:4]]
    return {
        deal
        for deal in permutations(lying)
        if all(order_side(code, tiles) == shown for code, shown in zip(deal, in_view, strict=False))
    }


def order_side(code: str, tiles: TileSet) -> tuple[str, str, int]:
    number = tiles.numbers[code]
    return tiles.colours[number], tiles.orders[number], tiles.coins[number]


@pytest.mark.parametrize(
    ("orders", "stack", "number"),
    [
        ("R0 R1 Y0", "G0 R2 Y1", 24),  # 6 for the red order tiles, 2 for the yellow one, 2 below the top
        ("R0 Y0 R1", "R2 R3 G1", 48),  # 24 for the red tiles in view, 2 below the top
        ("B0 Y0 G0", "G1 G2 R0", 12),  # 6 for the green tiles in view, 2 below the top
        ("B0 B1 B2", "", 6),
        ("B0 B1 R0", "B2", 6),
    ],
)
def test_every_arrangement_that_fits_is_equally_likely(orders: str, stack: str, number: int) -> None:
    text = position(
        orders=orders, vaults="Y7 Y8 Y9", stack=stack, rest="discard", reshuffled=1, tiles=ONE_ORDER
    )
    possible = arrangements(orders, stack, ONE_ORDER)
    assert len(possible) == number
    assert len({tuple(ONE_ORDER.crowns[ONE_ORDER.numbers[code]] for code in deal) for deal in possible}) > 1
    rng = np.random.default_rng(number)
    state = GameState.from_text(text, tiles=ONE_ORDER)
    draws = 200 * number
    counted: Counter[tuple[str, ...]] = Counter()
    for _ in range(draws):
        state.resample_hidden(rng)
        view = state.view()
        counted[(*(code or "" for code in view.orders), *view.stack)] += 1
    assert counted.keys() == possible
    chi_square = sum((count - 200) ** 2 / 200 for count in counted.values())
    freedom = number - 1
    assert chi_square < freedom + 4 * (2 * freedom) ** 0.5


def test_redrawing_follows_its_generator() -> None:
    state = GameState.new(seed=4, tiles=ONE_ORDER)
    first, second = state.copy(), state.copy()
    first.resample_hidden(np.random.default_rng(1))
    second.resample_hidden(np.random.default_rng(1))
    assert first == second != state
    second.resample_hidden(np.random.default_rng(2))
    assert first != second


def test_redrawing_changes_the_reshuffle_to_come() -> None:
    # Nobody can know how the discard pile will be shuffled (R7.1), so a redraw draws that anew, too.
    text = position("R2+0 . . . .", orders="R4 R1 R3", vaults="R0 Y1 B0", stack="", rest="discard", king=10)
    piles = set()
    for seed in range(10):
        state = GameState.from_text(text)
        state.resample_hidden(np.random.default_rng(seed))
        for move in ("O1", "a1"):
            state.play(move)
        piles.add(state.view().stack)
    assert len(piles) == 10
