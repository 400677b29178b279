"""Files of weights of the value network (:mod:`basilica_env.core.value`)."""

from __future__ import annotations

import functools
import io
import json
import zipfile
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from basilica_env.core import value
from basilica_env.core.features import FEATURE_NAMES


@functools.lru_cache(maxsize=4)
def load_weights(path: str | None) -> NDArray[np.float32]:
    """Read weights that ``training/fit_value.py`` wrote; None means the ones that ship.

    Raises
    ------
    ValueError
        If the file is damaged or belongs to other features.
    """
    source = resources.files("basilica_env") / "data" / "value.npz" if path is None else Path(path)
    try:
        with np.load(io.BytesIO(source.read_bytes()), allow_pickle=False) as file:
            weights = file["weights"]
            facts = json.loads(str(file["facts"]))
    except (zipfile.BadZipFile, KeyError, EOFError, ValueError) as error:
        raise ValueError(f"{source} holds no value network as training/fit_value.py writes it") from error
    if weights.shape != (value.WEIGHTS,) or facts.get("features") != list(FEATURE_NAMES):
        raise ValueError(f"{source} holds a value network of other features: fit it anew")
    return np.ascontiguousarray(weights, np.float32)
