"""Runs rows, each in a process of its own: what one of them breaks stays with it."""

from __future__ import annotations

import importlib.util
import json
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from basilica_env.benchmarks.rows import Row
from basilica_env.benchmarks.timing import Effort

MEASURED, ABSENT, FAILED, LATE = "measured", "absent", "failed", "late"
"""What became of a row: measured; its system is not installed; it failed; it ran past its time limit."""


@dataclass(frozen=True)
class Result:
    """What became of one row.

    Attributes
    ----------
    name, what, unit, system, arguments
        As in the :class:`~basilica_env.benchmarks.rows.Row`.
    status : str
        ``"measured"``, ``"absent"``, ``"failed"`` or ``"late"``.
    values : list of float
        One value a repeat, in ``unit``; empty unless measured.
    ready : float or None
        Seconds from the start of the process to the first piece of work done: imports, compilation and
        all. None where that says nothing.
    note : str
        Why there is no value.
    """

    name: str
    what: str
    unit: str
    system: str
    status: str
    values: list[float] = field(default_factory=list)
    ready: float | None = None
    note: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def group(self) -> str:
        """The first part of the name."""
        return self.name.partition("/")[0]

    @property
    def median(self) -> float:
        """The median of the repeats."""
        return statistics.median(self.values)


def _missing(row: Row) -> list[str]:
    return [module for module in row.needs if importlib.util.find_spec(module) is None]


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines else "no message"


def _cause(code: int, errors: str) -> str:
    """Say why a process ended with a code other than 0."""
    if code < 0:
        return f"ended by {signal.Signals(-code).name}"
    return f"exit status {code}: {_last_line(errors)}"


def run(row: Row, effort: Effort) -> Result:
    """Measure one row in a process of its own.

    Parameters
    ----------
    row : Row
        What to measure.
    effort : Effort
        How long.

    Returns
    -------
    Result
        The values, or why there are none. Nothing that happens in the row raises here.
    """

    def result(status: str, **parts: Any) -> Result:
        return Result(row.name, row.what, row.unit, row.system, status, arguments=row.arguments, **parts)

    if missing := _missing(row):
        return result(ABSENT, note=f"not installed: {', '.join(missing)}")
    job = {"measure": row.measure, "arguments": dict(row.arguments), "effort": asdict(effort)}
    start = time.time()
    try:
        process = subprocess.run(
            [sys.executable, "-P", "-m", "basilica_env.benchmarks.worker"],
            input=json.dumps(job),
            capture_output=True,
            text=True,
            timeout=row.limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return result(LATE, note=f"given up after {row.limit:g} s")
    if process.returncode != 0:
        return result(FAILED, note=_cause(process.returncode, process.stderr))
    try:
        answer = json.loads(process.stdout)
    except ValueError:
        return result(FAILED, note=f"ended without an answer: {_last_line(process.stderr)}")
    ready = None if answer["ready"] is None else answer["ready"] - start
    return result(MEASURED, values=answer["values"], ready=ready)
