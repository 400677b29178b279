"""How the core is compiled and kept: once for all processes, again after an edit, and safe when many compile.

A process that compiles takes seconds, so those that compile everything are few and their tests share them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import basilica_env
from basilica_env.core import compile as compiling
from tests.positions import NO_FIT, position

PACKAGE = Path(basilica_env.__file__).parent

MOST_MACHINE_CODE = 16_000_000
"""Bytes. The time to compile goes with them, some 4 s a million; unlike seconds they are the same on a busy
machine. ``basilica bench`` has the seconds."""

REPORT = """
import json
from numba.core import event
compiled = event.RecordingListener()
event.register("numba:compile", compiled)

def report(**more):
    names = [start.data["dispatcher"].py_func.__name__ for _, start in compiled.buffer if start.is_start]
    print(json.dumps({"compiled": names, **more}))
"""

EVERYTHING = (
    f"REDRAW = {position(NO_FIT, orders='R1 Y1 B1', vaults='RY1 RY2 YB1', rest='discard', king=12)!r}"
    + REPORT
    + """
import copy, importlib, pickle, pkgutil
import numpy as np
from numba.core.dispatcher import Dispatcher
import basilica_env.core
from basilica_env import BatchEnv, GameState, perft, random_playouts
from basilica_env.agents import make_agent
from basilica_env.agents.solver import solve
from basilica_env.core.tiles import TileSet
from basilica_env.envs.threads import Crew
from basilica_env.training import fit_value
from basilica_env.training.endgames import read_endgames
from rich.progress import Progress

def use_game(state):
    rng = np.random.default_rng(0)
    for _ in range(30):
        state = state.copy()
        action = state.sample_action() if state.player else state.greedy_action(rng)
        state.is_legal(np.uint8(1)), state.legal_moves(), state.legal_mask(), state.view()
        state.areas(), state.scoring_of(state.move_of(action))
        state.observe(), state.observe(1, np.float32), state.observe(np.int8(0))
        state.resample_hidden(rng)
        state.apply(np.int32(action))
    perft(state, np.int8(1))
    random_playouts(state, 3, seed=1, policy="kind-first", resample=0)
    random_playouts([state, state], np.int16(3), seed=1, threads=2)
    return state

def read_only(array):
    array.flags.writeable = False
    return array

def use_batch(**options):
    env = BatchEnv(300, seed=2, **options)
    everyone = read_only(np.arange(300))
    for _ in range(40):
        env.step(read_only(env.sample_actions()))
        env.step(env.greedy_actions(everyone[::2]).astype(np.int16), everyone[::2])
        env.step(env.sample_actions([0, 1]).tolist(), [0, 1])
    env.planned_actions(np.int8(2), everyone[:3])
    env.view(np.arange(3, dtype=np.uint8)), env.observe()
    env.observe(1), env.observe(read_only(everyone % 2))
    env.set_state(env.get_state(everyone[::-1])[::-1])
    env.set_state(env.get_state([1, 2]).tobytes(), [4, 5])
    env.reset(seed=3, indices=[1])
    use_game(env.game(0))

def use_crew():
    def fail(start, stop):
        raise KeyError
    crew = Crew(2)
    try:
        crew.run(fail, 10, chunk=1)
    except KeyError:
        crew.close()

def use_search(state):
    agent = make_agent("mcts:sims=20", 1)
    for _ in range(3):
        state.apply(agent.act(state))
    for spec in ("mcts:sims=20,leaf=rollout", "mcts:ms=1,threads=2", "planner:width=5"):
        make_agent(spec, 1).act(state)
    settings = fit_value.Settings(games=2, simulations=4)
    fit_value.play_round(settings, 1, fit_value.first_weights(1), Progress(disable=True))
    long = [endgame for endgame in read_endgames() if endgame.positions > 100 and not endgame.chance]
    solve(GameState.from_text(min(long, key=lambda endgame: endgame.positions).position))

use_crew()
use_search(GameState.new(seed=1))
state = use_game(GameState.new(seed=1))
use_game(GameState.from_text(state.to_text()))
use_game(pickle.loads(pickle.dumps(state)))
use_game(GameState.new(seed=1, tiles=copy.deepcopy(state.tiles)))
use_game(GameState.new(seed=1, tiles=TileSet.parse(state.tiles.to_csv().encode(), "own")))
use_batch()
use_batch(observation="dict", dtype=np.float32, mask="bits", reward="margin", autoreset="next-step")
use_batch(observation=None, mask=None, threads=2, copy=False, reward="score")

state = GameState.from_text(REDRAW)
drawn = state.copy()
drawn.play("redraw")
state.play("redraw", reshuffled=[*drawn.view().vaults, *drawn.view().stack])

signatures = {}
for module in pkgutil.iter_modules(basilica_env.core.__path__, "basilica_env.core."):
    for name, kernel in vars(importlib.import_module(module.name)).items():
        if isinstance(kernel, Dispatcher) and kernel.py_func.__module__ == module.name:
            signatures[f"{module.name}.{name}"] = [str(signature) for signature in kernel.signatures]
report(text=state.to_text(), signatures=signatures)
"""
)

ONE_KERNEL = (
    REPORT
    + """
import numba
import numpy as np
from basilica_env.core import compile, single
from basilica_env.core.layout import GAME

supplies = np.zeros((2, 2), np.int64)
single.supplies(np.zeros(1, GAME), supplies)
report(supplies=supplies.tolist(), cache=str(compile.CACHE), setting=numba.config.CACHE_DIR)
"""
)


def start(code: str, cache: Path | None, **environment: str) -> subprocess.Popen[str]:
    """Start a process with a cache of its own and no other place to keep compiled code in."""
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "BASILICA_"))
    }
    own = {} if cache is None else {"NUMBA_CACHE_DIR": str(cache)}
    return subprocess.Popen(
        [sys.executable, "-P", "-W", "always", "-c", code],
        env={**inherited, **own, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> dict[str, Any]:
    output, errors = process.communicate(timeout=900)
    assert process.returncode == 0, errors
    return {"errors": errors, **json.loads(output)}


def run(code: str, cache: Path | None, **environment: str) -> dict[str, Any]:
    return finish(start(code, cache, **environment))


def files_below(directory: Path) -> list[Path]:
    return [path for path in directory.rglob("*") if path.is_file()]


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """Give a copy of the package without compiled code, to be found first by ``PYTHONPATH=copied.parent``."""
    copied = tmp_path / "copied" / "basilica_env"
    shutil.copytree(PACKAGE, copied, ignore=shutil.ignore_patterns("__pycache__"))
    return copied


# Everything, compiled by two processes at once


@pytest.mark.slow
def test_two_processes_compile_at_once_and_a_third_compiles_nothing(tmp_path: Path) -> None:
    """All three use everything and begin with one cache, empty at first."""
    cold = [finish(process) for process in [start(EVERYTHING, tmp_path) for _ in range(2)]]
    warm = run(EVERYTHING, tmp_path)
    check_signatures([report["signatures"] for report in cold])
    assert all(len(report["compiled"]) > 50 for report in cold)
    assert machine_code(tmp_path) < MOST_MACHINE_CODE
    assert warm["compiled"] == []
    assert warm["errors"] == ""
    assert cold[0]["text"] == cold[1]["text"] == warm["text"]


def machine_code(cache: Path) -> int:
    """Return the bytes of machine code in a cache."""
    return sum(path.stat().st_size for path in files_below(cache) if path.suffix == ".nbc")


def check_signatures(reports: list[dict[str, list[str]]]) -> None:
    """Check that each kernel was compiled, and once: so the cache has one file for it, which nobody confuses.

    A kernel that was not compiled belongs into the code of ``EVERYTHING``, so that its cache is tested. A
    process that finds a kernel in the cache, put there by the other, does not compile those within it.
    """
    idle = [{name for name, compiled in report.items() if not compiled} for report in reports]
    assert set.intersection(*idle) == set()
    for report in reports:
        assert len(report) > 100
        assert {name: compiled for name, compiled in report.items() if len(compiled) > 1} == {}


# What a change of the sources does


@pytest.mark.slow
def test_an_edit_of_a_called_function_is_noticed(copied: Path, tmp_path: Path) -> None:
    cache, path = tmp_path / "cache", str(copied.parent)
    before = run(ONE_KERNEL, cache, PYTHONPATH=path)
    assert "supplies" in before["compiled"]
    rules = copied / "core" / "rules.py"
    source = rules.read_text(encoding="utf-8")
    assert source.count("return BUILDERS_EACH - count(") == 1
    rules.write_text(source.replace("return BUILDERS_EACH - count(", "return 9 - count("), encoding="utf-8")
    edited = run(ONE_KERNEL, cache, PYTHONPATH=path)
    assert (before["supplies"][0], edited["supplies"][0]) == ([5, 5], [9, 9])
    assert edited["cache"] != before["cache"]
    assert run(ONE_KERNEL, cache, PYTHONPATH=path)["compiled"] == []


def test_the_digest_counts_names_and_contents(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    digests = [compiling.source_digest()]
    monkeypatch.setattr(compiling, "__file__", str(copied / "core" / "compile.py"))
    assert compiling.source_digest() == digests[0]
    layout = copied / "core" / "layout.py"
    layout.write_bytes(layout.read_bytes() + b"\n")
    digests.append(compiling.source_digest())
    layout.rename(layout.with_name("outlay.py"))
    digests.append(compiling.source_digest())
    assert len(set(digests)) == 3


# Where the compiled code lies


@pytest.fixture
def no_place(copied: Path) -> dict[str, str]:
    """Give the environment of an installation that cannot be written to, without a home directory."""
    (copied / "core" / "__pycache__").write_text("a file where a folder would be")
    return {"PYTHONPATH": str(copied.parent), "HOME": os.devnull, "XDG_CACHE_HOME": ""}


def test_without_a_place_to_write_it_compiles_and_says_so_once(
    no_place: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = set(files_below(tmp_path))
    report = run(ONE_KERNEL, None, PYTHONDONTWRITEBYTECODE="1", **no_place)
    assert report["supplies"] == [[5, 5], [4, 4]]
    assert report["cache"] == "None"
    assert report["errors"].count("no directory that it can write compiled code to") == 1
    assert "NUMBA_CACHE_DIR" in report["errors"]
    assert set(files_below(tmp_path)) == before


def test_a_home_directory_takes_over_from_an_installation_that_cannot_be_written_to(
    no_place: dict[str, str], tmp_path: Path
) -> None:
    home = tmp_path / "home"
    report = run(ONE_KERNEL, None, **{**no_place, "HOME": str(home)})
    assert Path(report["cache"]).is_relative_to(home / ".cache" / "basilica_env")
    assert report["errors"] == ""
    assert files_below(home)
    assert run(ONE_KERNEL, None, **{**no_place, "HOME": str(home)})["compiled"] == []


@pytest.mark.parametrize(
    ("home", "cache_home", "expected"),
    [("home", None, "home/.cache"), ("home", "", "home/.cache"), ("home", "own", "own")],
)
def test_the_places_to_try(
    home: str, cache_home: str | None, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("numba.config.CACHE_DIR", "")
    monkeypatch.setenv("HOME", str(tmp_path / home))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    if cache_home is not None:
        monkeypatch.setenv("XDG_CACHE_HOME", cache_home and str(tmp_path / cache_home))
    assert compiling._bases() == [Path(compiling.__file__).parent / "__pycache__", tmp_path / expected]


def test_numbas_own_setting_comes_first_and_stays(tmp_path: Path) -> None:
    report = run(ONE_KERNEL, tmp_path)
    assert Path(report["cache"]).parent == tmp_path / "basilica_env"
    assert report["setting"] == str(tmp_path)


def test_the_cache_can_be_switched_off(tmp_path: Path) -> None:
    report = run(ONE_KERNEL, tmp_path, BASILICA_CACHE="0")
    assert report["supplies"] == [[5, 5], [4, 4]]
    assert report["cache"] == "None"
    assert report["errors"] == ""
    assert files_below(tmp_path) == []


def test_clearing_the_cache_removes_earlier_sources_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("earlier", "present"):
        (tmp_path / name / "deeper").mkdir(parents=True)
    monkeypatch.setattr(compiling, "CACHE", tmp_path / "present")
    assert compiling.clear_cache() == [tmp_path / "earlier", tmp_path / "present"]
    assert list(tmp_path.iterdir()) == []
    assert compiling.clear_cache() == []


def test_clearing_without_a_cache_removes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "CACHE", None)
    assert compiling.clear_cache() == []
