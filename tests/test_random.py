"""The generator of the core against its definition, and its spread."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from basilica_env import BatchEnv, GameState
from basilica_env.core.random import advance, below, mix, seed_state, seed_states, shuffle
from tests.chance import WORD, Generator
from tests.positions import STANDARD, codes, split

SEEDS = (0, 1, 7, 2**32 - 1, 2**64, 2**100 + 3)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_stream_is_that_of_the_definition(seed: int) -> None:
    chance = Generator(seed)
    state = seed_state(seed)
    assert state == chance.state
    for _ in range(200):
        state = np.uint64(advance(state))
        assert int(mix(state)) == chance.word()
        assert int(state) == chance.state


def test_known_words() -> None:
    """The first words of splitmix64 from state 1234567, as published with the algorithm's description."""
    state = np.uint64(1234567)
    words = []
    for _ in range(3):
        state = np.uint64(advance(state))
        words.append(int(mix(state)))
    assert words == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_the_state_wraps_round() -> None:
    assert int(advance(np.uint64(WORD - 1))) == 0x9E3779B97F4A7C14


@pytest.mark.parametrize("n", [1, 2, 3, 7, 58, 667, 2**31 - 1])
def test_numbers_below_a_bound(n: int) -> None:
    chance = Generator(3)
    state = seed_state(3)
    for _ in range(300):
        state = np.uint64(advance(state))
        number = int(below(state, n))
        assert number == chance.below(n)
        assert 0 <= number < n


def test_numbers_below_a_bound_are_spread_evenly() -> None:
    state = seed_state(5)
    found = np.zeros(58)
    for _ in range(58 * 400):
        state = np.uint64(advance(state))
        found[below(state, 58)] += 1
    assert ((found - 400) ** 2 / 400).sum() < 58 + 5 * (2 * 58) ** 0.5


@pytest.mark.parametrize("size", [0, 1, 2, 5, 58])
@pytest.mark.parametrize("start", [0, 3])
def test_the_shuffle_is_that_of_the_definition(size: int, start: int) -> None:
    chance = Generator(9)
    items = np.arange(64, dtype=np.uint8)
    expected = [*range(start), *chance.shuffled(range(start, start + size)), *range(start + size, 64)]
    state = shuffle(items, start, start + size, seed_state(9))
    assert items.tolist() == expected
    assert int(state) == chance.state


def test_every_order_is_equally_likely() -> None:
    state = seed_state(1)
    found: dict[tuple[int, ...], int] = {}
    for _ in range(24 * 400):
        items = np.arange(4, dtype=np.uint8)
        state = np.uint64(shuffle(items, 0, 4, state))
        order = tuple(items.tolist())
        found[order] = found.get(order, 0) + 1
    assert len(found) == 24
    assert sum((n - 400) ** 2 / 400 for n in found.values()) < 24 + 5 * (2 * 24) ** 0.5


def test_a_new_game_is_dealt_from_the_shuffled_file() -> None:
    for seed in SEEDS:
        fields = split(GameState.new(seed=seed).to_text())
        dealt = [*codes(fields["orders"]), *codes(fields["vaults"]), *codes(fields["stack"])]
        assert dealt == Generator(seed).shuffled(STANDARD.codes)


def test_states_of_many_generators_do_not_depend_on_their_number() -> None:
    many = seed_states(4, 1000)
    assert many.dtype == np.uint64
    for size in (1, 2, 37):
        assert np.array_equal(seed_states(4, size), many[:size])
    assert len(set(many.tolist())) == 1000
    assert seed_states(4, 1)[0] == seed_state(4)
    assert BatchEnv(37, seed=4).to_text(0) == GameState.new(seed=4).to_text()


def test_without_a_seed_every_state_is_another() -> None:
    assert len({int(seed_state(None)) for _ in range(50)}) == 50


@pytest.mark.parametrize("seed", [-1, 1.5, "x", b"x", ..., [-1], {}, np.nan], ids=repr)
def test_what_is_no_seed(seed: Any) -> None:
    with pytest.raises(
        (ValueError, TypeError), match=r"seed is .*: expected a non-negative integer, or None"
    ):
        seed_state(seed)
