"""Runs a command in a pseudo terminal, types to it and reads what it shows."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
from collections.abc import Sequence
from types import TracebackType
from typing import Self

PATIENCE = 60.0
"""Seconds without any output after which a command counts as stuck."""

STEERING = ("NO_COLOR", "FORCE_COLOR", "TERM")


class PseudoTerminal:
    """A running command; its input, output and errors are one pseudo terminal.

    Parameters
    ----------
    command : sequence of str
    settings : str
        Environment variables of the command, besides those of the tests that do not steer terminals.

    Attributes
    ----------
    shown : str
        All that the command has shown so far.
    """

    def __init__(self, command: Sequence[str], **settings: str) -> None:
        self.ours, theirs = pty.openpty()
        environment = {name: value for name, value in os.environ.items() if name not in STEERING}
        environment |= {"TERM": "xterm-256color", "PYTHONUTF8": "1"} | settings
        self.process = subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True
        )
        os.close(theirs)
        self.shown = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.ours)

    def wait_for(self, *texts: str) -> str:
        """Read until one of the texts has newly appeared, and give it; empty if the command ends before."""
        start = len(self.shown)
        while True:
            for text in texts:
                if text in self.shown[start:]:
                    return text
            new = self._read()
            if not new:
                return ""
            self.shown += new

    def _read(self) -> str:
        ready, _, _ = select.select([self.ours], [], [], PATIENCE)
        assert ready, f"no output for {PATIENCE} s after {self.shown[-500:]!r}"
        try:
            return os.read(self.ours, 1 << 16).decode(errors="replace").replace("\r\n", "\n")
        except OSError:  # how Linux tells that the other side is closed
            return ""

    def type(self, line: str) -> None:
        """Type a line and Enter."""
        os.write(self.ours, f"{line}\n".encode())

    def interrupt(self) -> None:
        """Do what Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)

    def end(self) -> int:
        """Read to the end; give the exit status."""
        self.wait_for("\0")
        return self.process.wait(PATIENCE)
