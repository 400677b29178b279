"""What a server is told when it starts, and the limits that keep strangers from wearing it out."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

MOST_BODY = 64 << 10
"""Bytes of a request."""
MOST_RECORD = 1 << 20
"""Bytes of a request with a file of records."""
HEAD_SECONDS = 10.0
"""How long the head of a request may take to arrive."""
BODY_SECONDS = 10.0
"""How long the body may take after it."""
MOST_STREAMS = 200
"""Streams of events, and requests that wait for an agent, at one time."""
MOST_REPLAYS = 50
MOST_STUDIES = 64
"""Hints, analyses, evaluations and uploads at one time, those that wait their turn included."""
MOST_STUDIES_EACH = 4
"""Of these, for one address."""


@dataclass(frozen=True)
class Settings:
    """What a server is told when it starts.

    Attributes
    ----------
    folder : Path
        Where the games are kept, one record file each; it exists.
    seconds : float
        How long an agent may think about a move, a hint or a position.
    most_games : int
        Games in the folder.
    threads : int
        Threads in which agents think about games; half as many think about hints and positions.
    hosts : frozenset of str
        Names, besides ``localhost`` and addresses, by which the server may be called.
    """

    folder: Path
    seconds: float = 10.0
    most_games: int = 1000
    threads: int = os.cpu_count() or 1
    hosts: frozenset[str] = frozenset()
