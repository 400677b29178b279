"""The generator inside a game: splitmix64 (Steele, Lea and Flood 2014), one word of state."""

from __future__ import annotations

from typing import Any

import numpy as np

from basilica_env.core.bitboard import signed
from basilica_env.core.compile import kernel

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
_SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
_HALF = np.uint64(32)


def seed_states(seed: int | None, size: int) -> Any:
    """Return the states of generators 0 to ``size - 1`` of a seed, uint64 array of shape (size,).

    Parameters
    ----------
    seed : a non-negative integer; None draws a fresh one. What generator k gets does not depend on ``size``.

    Raises
    ------
    ValueError, TypeError
        If the seed is no such number.
    """
    try:
        return np.random.SeedSequence(seed).generate_state(size, np.uint64)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"seed is {seed!r}: expected a non-negative integer, or None for a fresh one"
        ) from None


def seed_state(seed: int | None) -> np.uint64:
    """Return the state of the one generator of a seed; see :func:`seed_states`."""
    return seed_states(seed, 1)[0]


@kernel
def mix(state: Any) -> Any:
    """Return the 64 random bits that belong to a state."""
    z = (state ^ (state >> np.uint64(30))) * _FIRST_FACTOR
    z = (z ^ (z >> np.uint64(27))) * _SECOND_FACTOR
    return z ^ (z >> np.uint64(31))


@kernel
def advance(state: Any) -> Any:
    """Return the state after a state."""
    return state + _STEP


@kernel
def below(state: Any, n: int) -> int:
    """Return the number from 0 to n - 1 that belongs to a state."""
    return signed(((mix(state) >> _HALF) * np.uint64(n)) >> _HALF)


@kernel
def shuffle(items: Any, start: int, stop: int, state: Any) -> Any:
    """Shuffle ``items[start:stop]`` in place (Fisher and Yates); return the state afterwards."""
    for last in range(stop - start - 1, 0, -1):
        state = advance(state)
        chosen = start + below(state, last + 1)
        kept = items[start + last]
        items[start + last] = items[chosen]
        items[chosen] = kept
    return state
