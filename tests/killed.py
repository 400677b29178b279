"""Kills what is being played, as ``kill -9`` does, at a random moment."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

MOST_BYTES = 9000
"""Some three games."""


def kill_often(play: Callable[[], object], games: Path, times: int, chance: Random) -> int:
    """Play in a process of its own and kill it when its games have grown by a random number of bytes.

    Parameters
    ----------
    play : callable
        Begins, or goes on with, what is to be killed.
    games : Path
        The file of its games.
    times : int
        How often it is killed.
    chance : Random

    Returns
    -------
    int
        How often it was still playing when it was killed.
    """
    found = 0
    for _ in range(times):
        size = _size(games) + chance.randrange(MOST_BYTES)
        found += _kill_at(play, games, size)
    return found


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def _kill_at(play: Callable[[], object], games: Path, size: int) -> bool:
    child = os.fork()
    if child == 0:
        try:
            play()
        finally:
            os._exit(0)
    while _size(games) <= size:
        if os.waitpid(child, os.WNOHANG) != (0, 0):
            return False
        time.sleep(0.0005)
    os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])
