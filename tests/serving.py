"""Runs ``basilica serve`` as a process of its own and talks to it over the network."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import httpx2

PATIENCE = 120.0
"""Seconds after which an answer or an end counts as missing."""


class Serving:
    """A running server on a folder of games.

    Parameters
    ----------
    folder : Path
    options : str
        More options of the command.

    Attributes
    ----------
    address : str
        Where it answers.
    talks : httpx2.Client
    """

    def __init__(self, folder: Path, *options: str) -> None:
        command = (sys.executable, "-m", "basilica_env.cli", "serve", "--port", "0", "--games", str(folder))
        self.process = subprocess.Popen(
            (*command, *options), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        line = _stream(self.process.stdout).readline()
        found = re.search(r"http://\S+/", line)
        assert found is not None, line + _stream(self.process.stderr).read()
        self.address = found[0]
        self.talks = httpx2.Client(base_url=self.address, timeout=PATIENCE)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.talks.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def interrupt(self) -> tuple[int, str, str]:
        """Do what Ctrl-C does; give the exit status and what the process wrote to its outputs."""
        self.process.send_signal(signal.SIGINT)
        written, complained = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, written, complained

    def kill(self) -> None:
        """End it without a word, as ``kill -9`` does."""
        self.process.kill()
        self.process.wait()

    def begin(self, **wanted: Any) -> Any:
        """Begin a game."""
        return self.talks.post("/api/games?svg=false", json=wanted).raise_for_status().json()

    def play(self, game: Any, move: str) -> Any:
        """Play a move."""
        path = f"/api/games/{game['id']}/moves?svg=false"
        return self.talks.post(path, json={"move": move}).raise_for_status().json()

    def game(self, name: str, query: str = "?svg=false&wait=true") -> Any:
        """Give a game when no agent has to move any more."""
        return self.talks.get(f"/api/games/{name}{query}").raise_for_status().json()


def _stream(stream: IO[str] | None) -> IO[str]:
    assert stream is not None, "it is a pipe"
    return stream
