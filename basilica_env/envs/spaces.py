"""What the faces have in common: spaces, the shape of observations, checks of arguments."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import DTypeLike

from basilica_env.core.layout import ACTIONS
from basilica_env.core.observation import PLANES_SHAPE, PLANES_SIZE, highest

FORMS = ("flat", "dict")
DTYPES = ("uint8", "float32")
SEATS = (0, 1, "random", "alternate")
MASK_DTYPE = np.int8
"""What ``spaces.Discrete.sample`` asks of a mask."""


def check_choice(name: str, value: object, choices: Collection[object]) -> None:
    """Raise a ValueError that names the choices unless the value is one of them."""
    if value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"unknown {name} {value!r}: expected one of {listed}")


def check_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    """Return the dtype of observations; raise a ValueError unless it is one of :data:`DTYPES`."""
    try:
        name = np.dtype(dtype).name
    except TypeError:
        name = str(dtype)
    check_choice("dtype", name, DTYPES)
    return np.dtype(name)


def observation_spaces(form: str, dtype: DTypeLike) -> dict[str, spaces.Box]:
    """Return the boxes of an observation by name.

    Parameters
    ----------
    form : {"flat", "dict"}
        ``flat``: ``observation``, shape (OBSERVATION_SIZE,). ``dict``: ``planes``, shape
        (planes, 12, 5), and ``scalars``, shape (scalars,).
    dtype : {"uint8", "float32"}
        ``uint8``: whole numbers; ``float32``: divided by their units.

    Raises
    ------
    ValueError
        The form or the dtype is none of the above.
    """
    check_choice("observation", form, FORMS)
    kind = check_dtype(dtype)
    high = highest(kind)
    if form == "flat":
        return {"observation": _box(high, kind)}
    return {
        "planes": _box(high[:PLANES_SIZE].reshape(PLANES_SHAPE), kind),
        "scalars": _box(high[PLANES_SIZE:], kind),
    }


def mask_space() -> spaces.Box:
    """Return the box of an action mask, shape (667,)."""
    return spaces.Box(0, 1, (ACTIONS,), MASK_DTYPE)


def _box(high: Any, dtype: np.dtype[Any]) -> spaces.Box:
    return spaces.Box(np.zeros_like(high), high, high.shape, dtype.type)
