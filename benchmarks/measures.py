"""What Basilica does: one function a kind of row, called in a process of its own."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import count
from typing import Any

import numpy as np

from basilica_env.benchmarks.loops import aec_turns, random_legal, random_legal_each
from basilica_env.benchmarks.timing import Effort, Sample, Work, cost, faster, pieces, rate
from basilica_env.core.compile import kernel
from basilica_env.core.layout import GAME

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
        [sys.executable, "-P", "-c", timed],
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


def batch(effort: Effort, outputs: str, games: int, threads: int) -> Sample:
    """Measure BatchEnv from Python: choosing legal actions and stepping, steps of a game a second."""
    from basilica_env import BatchEnv

    env = BatchEnv(games, seed=0, threads=threads, **OUTPUTS[outputs])
    env.reset()
    return rate(_batch_work(env, games), effort)


def threads_gain(effort: Effort, outputs: str, games: int, threads: int, busy: bool = False) -> Sample:
    """Measure how many times as fast BatchEnv is with several threads as with one.

    The two take turns, so that what else the machine does meets both alike.

    Parameters
    ----------
    busy : bool
        While another process holds a core.
    """
    from basilica_env import BatchEnv

    one, several = (
        _batch_work(BatchEnv(games, seed=0, threads=number, **OUTPUTS[outputs]), games)
        for number in (1, threads)
    )
    with busy_core() if busy else nullcontext():
        return faster(one, several, effort)


_SHIFT = 0.05
"""Seconds that two processes work before they report."""


def _work_a_shift(work: Work) -> int:
    done, end = 0, time.perf_counter() + _SHIFT
    while time.perf_counter() < end:
        done += work()
    return done


def work_on_request(outputs: str, games: int) -> None:
    """Step a batch for a while whenever a line is read from standard input; write the steps done."""
    from basilica_env import BatchEnv

    work = _batch_work(BatchEnv(games, seed=1, **OUTPUTS[outputs]), games)
    work()
    for _ in sys.stdin:
        print(_work_a_shift(work), flush=True)


def processes_gain(effort: Effort, outputs: str, games: int) -> Sample:
    """Measure how many times as many steps two processes do as one, each with a batch of its own.

    They have nothing in common, so this is what the machine has to give to two threads.
    """
    from basilica_env import BatchEnv

    work = _batch_work(BatchEnv(games, seed=0, **OUTPUTS[outputs]), games)
    code = f"from {__name__} import work_on_request; work_on_request({outputs!r}, {games})"
    command = [sys.executable, "-P", "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        requests, reports = other.stdin, other.stdout
        assert requests
        assert reports

        def both() -> int:
            print(file=requests, flush=True)
            return _work_a_shift(work) + int(reports.readline())

        sample = faster(work, both, effort)
        requests.close()
    return sample


def _states_at(decision: int, games: int) -> Any:
    """Return states of different games in which a number of decisions has been played."""
    from basilica_env import BatchEnv

    env = BatchEnv(4096, seed=0, mask=None, observation=None)
    found: list[Any] = []
    while sum(map(len, found)) < games:
        states = env.get_state()
        found.append(states[states["length"] == decision])
        env.step(env.sample_actions())
    return np.concatenate(found)[:games]


def batch_at(effort: Effort, outputs: str, decision: int, games: int) -> Sample:
    """Measure the step of games that have come to a decision, steps of a game a second."""
    from basilica_env import BatchEnv

    states = _states_at(decision, games)
    env = BatchEnv(games, seed=0, **OUTPUTS[outputs])

    def seconds() -> float:
        states["sampler"] += np.uint64(1)  # other actions each time
        env.set_state(states)
        start = time.perf_counter()
        env.step(env.sample_actions())
        return time.perf_counter() - start

    def speed() -> float:
        steps, spent = 0, 0.0
        while spent < effort.seconds:
            spent += seconds()
            steps += games
        return steps / spent

    seconds()
    return Sample([speed() for _ in range(effort.repeats)])


# --- One game ------------------------------------------------------------------------------------


def _game_state_steps() -> Iterator[None]:
    from basilica_env import GameState

    for seed in count():
        state = GameState.new(seed=seed)
        while not state.is_over:
            state.apply(state.sample_action())
            state.legal_actions()
            yield


def game_state(effort: Effort) -> Sample:
    """Measure one game from Python: a random action, applying it, the legal actions; steps a second."""
    return rate(pieces(_game_state_steps(), 100), effort)


def aec(effort: Effort, wrapped: bool) -> Sample:
    """Measure random play through PettingZoo's turn-based interface, turns a second."""
    from basilica_env import basilica_v0

    env = basilica_v0.env() if wrapped else basilica_v0.raw_env()
    return rate(pieces(aec_turns(env, seed=0), 10), effort)


# --- One seat, the other played inside -----------------------------------------------------------


def _gymnasium_steps() -> Iterator[None]:
    import gymnasium

    import basilica_env  # noqa: F401  (registers the environment)

    env = gymnasium.make("Basilica-v0", opponent="random")
    generator = random.Random(0)
    for seed in count():
        observation, _ = env.reset(seed=seed)
        over = False
        while not over:
            action = random_legal(observation["action_mask"], generator)
            observation, _, over, _, _ = env.step(action)
            yield


def gymnasium_env(effort: Effort) -> Sample:
    """Measure ``gymnasium.make`` against a random opponent, decisions of the learner a second."""
    return rate(pieces(_gymnasium_steps(), 10), effort)


def vector_env(effort: Effort, games: int, threads: int) -> Sample:
    """Measure ``gymnasium.make_vec`` against random opponents, decisions of the learner a second."""
    import gymnasium

    import basilica_env  # noqa: F401  (registers the environment)

    envs: Any = gymnasium.make_vec(
        "Basilica-v0", num_envs=games, opponent="random", threads=threads, autoreset_mode="SameStep"
    )
    masks = envs.reset(seed=0)[0]["action_mask"]
    generator = np.random.default_rng(0)

    def work() -> int:
        nonlocal masks
        masks = envs.step(random_legal_each(masks, generator))[0]["action_mask"]
        return games

    return rate(work, effort)


def sb3_vec_env(effort: Effort, games: int, threads: int) -> Sample:
    """Measure the Stable-Baselines3 face against random opponents, decisions of the learner a second.

    The masks are asked for as MaskablePPO asks for them.
    """
    from basilica_env.envs.sb3 import BasilicaVecEnv

    envs = BasilicaVecEnv(games, opponent="random", threads=threads, seed=0)
    envs.reset()
    generator = np.random.default_rng(0)

    def work() -> int:
        envs.step(random_legal_each(np.stack(envs.env_method("action_masks")), generator))
        return games

    return rate(work, effort)


# --- Playouts, copies, memory --------------------------------------------------------------------


def playouts(effort: Effort, threads: int) -> Sample:
    """Measure compiled random playouts from the opening, games a second."""
    from basilica_env import GameState, random_playouts

    opening = GameState.new(seed=0)
    seeds = count()
    number = 10_000

    def work() -> int:
        random_playouts(opening, number, seed=next(seeds), threads=threads)
        return number

    return rate(work, effort)


@kernel
def copy_games(games: Any, copies: Any) -> None:
    """Copy each game of an array."""
    for i in range(len(games)):
        copies[i] = games[i]


def clone_core(effort: Effort) -> Sample:
    """Measure copying one game after the other inside the compiled core, microseconds a copy."""
    games, copies = np.zeros(1024, GAME), np.zeros(1024, GAME)

    def work() -> int:
        copy_games(games, copies)
        return len(games)

    return cost(work, effort)


def clone_game_state(effort: Effort) -> Sample:
    """Measure ``GameState.copy()``, microseconds a copy."""
    from basilica_env import GameState

    state = GameState.new(seed=0)

    def work() -> int:
        for _ in range(100):
            state.copy()
        return 100

    return cost(work, effort)


def memory_record(effort: Effort) -> Sample:  # noqa: ARG001
    """Tell the size of the record of one game, bytes."""
    return Sample([float(GAME.itemsize)])


def memory_batch(effort: Effort, outputs: str, games: int) -> Sample:  # noqa: ARG001
    """Measure what a game of a batch occupies, with what its last step returned; bytes."""
    from basilica_env import BatchEnv

    def made(size: int) -> tuple[Any, Any]:
        env = BatchEnv(size, seed=0, **OUTPUTS[outputs])
        return env, env.step(env.sample_actions())

    made(1)  # what is loaded once does not count
    tracemalloc.start()
    kept = made(games)
    used, _ = tracemalloc.get_traced_memory()
    del kept
    return Sample([used / games])
