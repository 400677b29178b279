"""The folder of a match or a tournament.

``games.basilica`` has a record a game, written as it ends; ``match.json`` or ``tournament.json`` the settings
and the result.
"""

from __future__ import annotations

import json
import os
import platform
import re
import secrets
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from basilica_env import __version__
from basilica_env.core.compile import source_digest
from basilica_env.core.tiles import TileSet
from basilica_env.files import lock, regular_file, write_text
from basilica_env.records import GameRecord, read_records

GAMES = "games.basilica"
MATCH, TOURNAMENT, STUDY = "match", "tournament", "study"
"""What can be kept in a folder."""
VERSION = 1
SEED_BITS = 32

_WHOLE_RECORD = re.compile(rb"^(?:1-0|0-1|1/2-1/2|\*) +[0-9]+:[0-9]+\n", re.MULTILINE)


class MatchError(ValueError):
    """A folder that does not fit what is to be played in it."""


class MatchFolder:
    """The files of a match or a tournament, open for one process at a time.

    Parameters
    ----------
    path : Path
        Made if it does not exist; its parent must.
    kind : str
        :data:`MATCH` or :data:`TOURNAMENT`.

    Raises
    ------
    MatchError
        If another process plays there.
    OSError
        If the folder cannot be written.
    """

    def __init__(self, path: Path, kind: str = MATCH) -> None:
        self.path = path
        self.kind = kind
        path.mkdir(exist_ok=True)
        self.games = regular_file(path / GAMES).open("ab+", buffering=0)
        try:
            lock(self.games)
        except OSError:
            self.close()
            raise MatchError(f"{path}: another process is playing there") from None

    def close(self) -> None:
        """Close the files."""
        self.games.close()

    def begin(self, resume: bool) -> dict[str, Any] | None:
        """Return the summary of what is to go on, None if it begins, and remove what a crash has left.

        Raises
        ------
        MatchError
            If there is something and it is not to go on, or what is there is damaged.
        """
        summary = self.summary()
        for kind in (MATCH, TOURNAMENT, STUDY):
            if kind != self.kind and (self.path / f"{kind}.json").exists():
                raise MatchError(f"{self.path} holds a {kind}, no {self.kind}: choose another folder")
        if not resume and (summary is not None or not self.is_empty()):
            raise MatchError(
                f"{self.path} holds a {self.kind}: go on with it (resume), or choose another folder"
            )
        if summary is None and not self.is_empty():
            raise MatchError(f"{self.path} holds games but no summary of their {self.kind}")
        self.cut_torn_record()
        return summary

    def summary(self) -> dict[str, Any] | None:
        """Read the summary; None if there is none.

        Raises
        ------
        MatchError
            If it is damaged.
        """
        return read_summary(self.path, self.kind)

    def check(self, summary: Mapping[str, Any], identity: Mapping[str, Any]) -> None:
        """Check that the games here are those that are to go on.

        Raises
        ------
        MatchError
            If they were played under other conditions.
        """
        check_identity(self.path, self.kind, summary, identity)

    def write_summary(self, summary: Mapping[str, Any]) -> None:
        """Write the summary, whole or not at all."""
        write_summary(self.path, self.kind, summary)

    def append(self, record: str) -> None:
        """Add a record by a single write."""
        gap = "\n" if self.games.seek(0, os.SEEK_END) else ""
        data = (gap + record).encode()
        written = self.games.write(data)
        if written != len(data):
            raise OSError(f"only {written} of {len(data)} bytes of a record were written to {self.path}")

    def is_empty(self) -> bool:
        """Return whether no game has been written."""
        return self.games.seek(0, os.SEEK_END) == 0

    def cut_torn_record(self) -> None:
        """Remove what a crash has left of a record at the end of the file."""
        self.games.seek(0)
        content = self.games.read()
        end = 0
        for whole in _WHOLE_RECORD.finditer(content):
            end = whole.end()
        if end < len(content):
            self.games.truncate(end)

    def records(self, tiles: TileSet) -> Iterator[GameRecord]:
        """Read the games, which were played with one tile set.

        Raises
        ------
        RecordError
            If one is damaged.
        """
        return read_records(self.path / GAMES, [tiles])


def read_summary(path: Path, kind: str) -> dict[str, Any] | None:
    """Read what a folder says of the match, tournament or study in it; None if it says nothing.

    Raises
    ------
    MatchError
        If that is damaged.
    """
    file = path / f"{kind}.json"
    try:
        summary = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise MatchError(f"{file}: not JSON: {error}") from None
    if not isinstance(summary, dict) or summary.get("format") != _format(kind):
        raise MatchError(f"{file}: expected a summary of format {_format(kind)!r}")
    return summary


def write_summary(path: Path, kind: str, summary: Mapping[str, Any]) -> None:
    """Write what a folder says of what is in it, whole or not at all."""
    text = json.dumps({"format": _format(kind), **summary}, indent=2, allow_nan=False) + "\n"
    write_text(path / f"{kind}.json", text)


def check_identity(path: Path, kind: str, summary: Mapping[str, Any], identity: Mapping[str, Any]) -> None:
    """Check that a summary says what makes games what they are.

    Raises
    ------
    MatchError
        If it says something else.
    """
    for name, value in identity.items():
        if summary.get(name) != value:
            raise MatchError(
                f"{path} holds a {kind} with {name} {summary.get(name)!r}: "
                f"give the same to go on, not {value!r}"
            )


def choose_seed(given: int | None, going_on: Path | None, kind: str) -> int:
    """Return the seed that was given, or that of what goes on in a folder, or a new one.

    Raises
    ------
    MatchError
        If the summary in the folder is damaged.
    """
    if given is not None:
        return given
    summary = None if going_on is None else read_summary(going_on, kind)
    if going_on is None or summary is None:
        return secrets.randbits(SEED_BITS)
    seed = summary.get("seed")
    if not isinstance(seed, int):
        raise MatchError(f"{going_on / kind}.json names the seed {seed!r}: expected an integer")
    return seed


def versions() -> dict[str, str]:
    """Return the versions of all that has a say in how games go."""
    return {
        "basilica_env": __version__,
        "core": source_digest(),
        "python": platform.python_version(),
        **{name: version(name) for name in ("numba", "numpy")},
    }


def _format(kind: str) -> str:
    return f"basilica {kind} {VERSION}"
