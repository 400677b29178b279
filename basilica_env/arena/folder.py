"""The folder of a match: ``games.basilica``, a record a game as it ends, and ``match.json``."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from basilica_env.core.tiles import TileSet
from basilica_env.files import regular_file, write_text
from basilica_env.records import GameRecord, read_records

SUMMARY, GAMES = "match.json", "games.basilica"
FORMAT = "basilica match 1"

_WHOLE_RECORD = re.compile(rb"^(?:1-0|0-1|1/2-1/2|\*) +[0-9]+:[0-9]+\n", re.MULTILINE)


class MatchError(ValueError):
    """A folder that does not fit the match that is to be played in it."""


class MatchFolder:
    """The files of a match, open for one process at a time.

    Parameters
    ----------
    path : Path
        Made if it does not exist; its parent must.

    Raises
    ------
    MatchError
        If another process plays a match there.
    OSError
        If the folder cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(exist_ok=True)
        self.games = regular_file(path / GAMES).open("ab+", buffering=0)
        try:
            _lock(self.games)
        except OSError:
            self.close()
            raise MatchError(f"{path}: another process is playing a match there") from None

    def close(self) -> None:
        """Close the files."""
        self.games.close()

    def summary(self) -> dict[str, Any] | None:
        """Read ``match.json``; None if there is none.

        Raises
        ------
        MatchError
            If it is damaged.
        """
        path = self.path / SUMMARY
        try:
            summary = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise MatchError(f"{path}: not JSON: {error}") from None
        if not isinstance(summary, dict) or summary.get("format") != FORMAT:
            raise MatchError(f"{path}: expected a summary of format {FORMAT!r}")
        return summary

    def write_summary(self, summary: dict[str, Any]) -> None:
        """Write ``match.json``, whole or not at all."""
        text = json.dumps({"format": FORMAT, **summary}, indent=2, allow_nan=False) + "\n"
        write_text(self.path / SUMMARY, text)

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
        """Read the games.

        Raises
        ------
        RecordError
            If one is damaged.
        """
        return read_records(self.path / GAMES, [tiles])


def _lock(file: IO[bytes]) -> None:
    """Keep other processes from playing in the same folder; the system frees it when this one ends."""
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
