"""What Basilica does: one function a kind of row, called in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from basilica_env.benchmarks.timing import Effort, Sample, Work, rate

OUTPUTS: dict[str, dict[str, Any]] = {
    "rules": {"mask": None, "observation": None},
    "mask": {"mask": "bytes", "observation": None},
    "observation": {"mask": "bytes", "observation": "dict"},
}
"""What a batch writes at each step, as arguments of BatchEnv."""

# --- Starting ------------------------------------------------------------------------------------

_IMPORT = "import basilica_env"
_FIRST_STEP = """
from basilica_env import BatchEnv
batch = BatchEnv(1024, seed=0)
batch.reset()
batch.step(batch.sample_actions())
"""


def _seconds(code: str, cache: str) -> float:
    """Run code in a fresh interpreter with a cache directory; return the seconds it took there."""
    timed = f"import time\nstart = time.perf_counter()\n{code}\nprint(time.perf_counter() - start)"
    process = subprocess.run(
        [sys.executable, "-c", timed],
        env=os.environ | {"NUMBA_CACHE_DIR": cache},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return float(process.stdout.split()[-1])


def importing(effort: Effort) -> Sample:
    """Measure ``import basilica_env``."""
    with tempfile.TemporaryDirectory() as cache:
        _seconds(_IMPORT, cache)  # the byte code is on disk from here on
        return Sample([_seconds(_IMPORT, cache) for _ in range(effort.starts)])


def cold_start(effort: Effort) -> Sample:
    """Measure from nothing imported and nothing compiled to the first step of a batch done."""

    def once() -> float:
        with tempfile.TemporaryDirectory() as cache:
            return _seconds(_FIRST_STEP, cache)

    return Sample([once() for _ in range(effort.starts)])


def warm_start(effort: Effort) -> Sample:
    """Measure the same with the compiled code on disk, as in every process but the first."""
    with tempfile.TemporaryDirectory() as cache:
        _seconds(_FIRST_STEP, cache)
        return Sample([_seconds(_FIRST_STEP, cache) for _ in range(effort.starts)])


# --- Many games in one call ----------------------------------------------------------------------


@contextmanager
def busy_core() -> Iterator[None]:
    """Keep one core busy with another process, which ends with this one."""
    code = "import os\nparent = os.getppid()\nwhile os.getppid() == parent:\n    sum(range(100_000))"
    process = subprocess.Popen([sys.executable, "-c", code])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def _batch_work(batch: Any, games: int) -> Work:
    """Return the work of stepping a batch with random legal actions, 4,096 steps of games or more."""
    calls = max(1, 4096 // games)

    def work() -> int:
        for _ in range(calls):
            batch.step(batch.sample_actions())
        return calls * games

    return work


def batch(effort: Effort, outputs: str, games: int, threads: int, busy: bool = False) -> Sample:
    """Measure BatchEnv from Python: choosing legal actions and stepping, steps of a game a second."""
    from basilica_env import BatchEnv

    env = BatchEnv(games, seed=0, threads=threads, **OUTPUTS[outputs])
    env.reset()
    work = _batch_work(env, games)
    if not busy:
        return rate(work, effort)
    with busy_core():
        return rate(work, effort)
