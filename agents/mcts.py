"""The tree search as an agent."""

from __future__ import annotations

import functools
import io
import json
import time
import zipfile
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from basilica_env.agents.analysis import Analysis, Listener, MoveAnalysis
from basilica_env.core import search, value
from basilica_env.core.features import FEATURE_NAMES
from basilica_env.core.layout import ACTIONS, NONE
from basilica_env.core.playout import KIND_FIRST, UNIFORM
from basilica_env.envs.threads import Crew
from basilica_env.game import GameState

_LEAVES = {"rollout": search.LEAF_ROLLOUT, "value": search.LEAF_VALUE}
_POLICIES = {"uniform": UNIFORM, "kind-first": KIND_FIRST}
_NODES_A_SIMULATION = 64
"""More children than a simulation adds on average."""
_MOST_NODES = 1 << 21
_CHUNK = 256
"""Simulations between two looks at the clock."""


class MctsAgent:
    """Monte-Carlo tree search; see :mod:`basilica_env.core.search`.

    Parameters
    ----------
    sims : simulations a decision
    ms : milliseconds a decision instead
    threads : trees that grow side by side and are added up; with more than one the budget is for each
    leaf : ``"value"``, the network that ships, or ``"rollout"``, a random game to the end
    rollout : policy of rollouts, ``"uniform"`` or ``"kind-first"``
    aim : ``"win"``, ``"margin"`` or ``"both"``
    exploration : weight of unexplored moves
    temperature : of the priors made from the network's values
    weights : path of another value network
    reuse : 1 keeps what was found out below the move played for the next decision of the turn, 0 forgets
    seed : with ``sims`` the same seed decides the same way
    """

    def __init__(
        self,
        sims: int | None = None,
        ms: float | None = None,
        threads: int = 1,
        leaf: str = "value",
        rollout: str = "uniform",
        aim: str = "both",
        exploration: float = 0.6,
        temperature: float = 0.06,
        weights: str | None = None,
        reuse: int = 1,
        seed: int | None = None,
    ) -> None:
        if (sims is None) == (ms is None):
            sims = 800 if sims is None else sims
            if ms is not None:
                raise ValueError("both sims and ms are given: expected one")
        for name, number in (("sims", sims), ("ms", ms), ("threads", threads), ("temperature", temperature)):
            if number is not None and not number > 0:
                raise ValueError(f"{name} is {number}: expected more than 0")
        shares = {"win": 0.0, "margin": 1.0, "both": 0.5}
        for name, choice, choices in (
            ("leaf", leaf, _LEAVES),
            ("rollout", rollout, _POLICIES),
            ("aim", aim, shares),
        ):
            if choice not in choices:
                raise ValueError(f"{name} is {choice!r}: expected one of {', '.join(choices)}")
        self.name = f"mcts:sims={sims}" if ms is None else f"mcts:ms={ms}"
        self.simulations = None if sims is None else sims * threads
        self.analysis: Analysis | None = None
        self._sims = sims
        self._seconds = None if ms is None else ms / 1000
        self._settings = np.zeros(1, search.SETTINGS)
        self._settings["leaf"] = _LEAVES[leaf]
        self._settings["policy"] = _POLICIES[rollout]
        self._settings["margin_share"] = shares[aim]
        self._settings["exploration"] = exploration
        self._settings["temperature"] = temperature
        nodes = _MOST_NODES if sims is None else min(_NODES_A_SIMULATION * (sims + 1), _MOST_NODES)
        self._weights = load_weights(weights)
        self._trees = [_Tree(nodes) for _ in range(threads)]
        self._crew = Crew(threads)
        self._reuse = bool(reuse)
        self._next: tuple[int, bytes] | None = None  # the action played, and what follows for sure
        self._rng = np.random.default_rng(seed)

    def act(self, state: GameState) -> int:
        """Search and return the action that was visited most."""
        action = self.analyse(state).moves[0].action
        if self._reuse:
            after = state.copy()
            after.apply(action)
            self._next = action, _open_part(after.to_array())
        return action

    def analyse(self, state: GameState, progress: Listener | None = None) -> Analysis:
        """Search and return what was found out.

        Parameters
        ----------
        progress : asked between two chunks of simulations whether to end the search
        """
        if state.is_over:
            raise ValueError("the game is over: there is nothing to decide")
        started = time.perf_counter()
        root = state.to_array()
        follows = self._next is not None and self._next[1] == _open_part(root)
        played = self._next[0] if self._next is not None and follows else NONE
        self._next = None
        streams = self._rng.integers(2**64, size=len(self._trees), dtype=np.uint64)
        for tree, stream in zip(self._trees, streams, strict=True):
            tree.start(stream, played)
        done = 0
        while not self._is_done(done, started):
            chunk = _CHUNK if self._sims is None else min(_CHUNK, self._sims - done)
            self._grow(root, state, chunk)
            done += chunk
            if progress is not None and progress(done * len(self._trees), time.perf_counter() - started):
                break
        self.analysis = self._read(state, done * len(self._trees), time.perf_counter() - started)
        return self.analysis

    def _is_done(self, simulations: int, started: float) -> bool:
        if self._sims is not None:
            return simulations >= self._sims
        return simulations > 0 and time.perf_counter() - started >= (self._seconds or 0)

    def _grow(self, root: NDArray[np.void], state: GameState, simulations: int) -> None:
        def work(start: int, stop: int) -> None:
            for tree in self._trees[start:stop]:
                tree.grow(root, state.tiles.array, self._settings, self._weights, simulations)

        if len(self._trees) == 1:
            work(0, 1)
        else:
            self._crew.run(work, len(self._trees), chunk=1)

    def _read(self, state: GameState, simulations: int, seconds: float) -> Analysis:
        visits = np.zeros(ACTIONS, np.int64)
        totals = np.zeros((2, ACTIONS))
        for tree in self._trees:
            tree.add_up(visits, totals)
        sign = 1 if state.player == 0 else -1
        share = float(self._settings["margin_share"][0])
        legal = [int(action) for action in state.legal_actions()]
        ranked = sorted(legal, key=lambda action: (-visits[action], -sign * totals[0, action]))
        moves = []
        for action in ranked:
            count = max(int(visits[action]), 1)
            expected, squashed = sign * totals[:, action] / count
            result = None if share == 1 else float((expected - share * squashed) / (1 - share))
            lead = np.clip(squashed, -0.999, 0.999)
            moves.append(
                MoveAnalysis(
                    move=state.move_of(action),
                    action=action,
                    visits=int(visits[action]),
                    value=float(expected),
                    result=result,
                    margin=float(np.arctanh(lead) * value.LEAD_UNIT),
                )
            )
        line = tuple(state.move_of(action) for action in self._trees[0].line(ranked[0]))
        return Analysis(tuple(moves), line, simulations, seconds)


_CERTAIN = (
    *("planes", "top", "discards", "king", "scores", "coins", "turn", "actions"),
    *("decision", "space", "square", "rank", "reshuffled"),
)
"""The fields of a record that an action fixes, whatever is drawn."""


def _open_part(record: NDArray[np.void]) -> bytes:
    return b"".join(record[field].tobytes() for field in _CERTAIN)


class _Tree:
    """One tree in memory of a fixed size."""

    def __init__(self, nodes: int) -> None:
        self._nodes = np.zeros(nodes, search.NODE)
        self._spare = np.zeros(nodes, search.NODE)
        self._size = 0
        self._stream = np.uint64(0)

    def start(self, stream: Any, played: int) -> None:
        """Begin with what is below the root's child for the action played, or afresh where there is none."""
        child = search.child_of(self._nodes, 0, played) if self._size and played != NONE else NONE
        if child == NONE:
            self._size = search.plant(self._nodes)
        else:
            self._nodes, self._spare = self._spare, self._nodes
            self._size = search.transplant(self._spare, child, self._nodes)
        self._stream = stream

    def grow(
        self,
        root: NDArray[np.void],
        tiles: NDArray[np.void],
        settings: NDArray[np.void],
        weights: NDArray[np.float32],
        simulations: int,
    ) -> None:
        self._size, stream = search.simulate(
            self._nodes, self._size, root, tiles, settings, weights, self._stream, simulations
        )
        self._stream = np.uint64(stream)

    def add_up(self, visits: NDArray[np.int64], totals: NDArray[np.float64]) -> None:
        actions, counts = np.empty(ACTIONS, np.int64), np.empty(ACTIONS, np.int64)
        sums = np.empty((2, ACTIONS))
        number = search.children(self._nodes, 0, actions, counts, sums[0], sums[1])
        visits[actions[:number]] += counts[:number]
        totals[:, actions[:number]] += sums[:, :number]

    def line(self, first: int) -> list[int]:
        """Return an action and those along the most visited nodes below it."""
        line = []
        node = search.child_of(self._nodes, 0, first)
        while node != NONE:
            line.append(int(self._nodes["action"][node]))
            node = search.most_visited(self._nodes, node)
        return line


@functools.lru_cache(maxsize=4)
def load_weights(path: str | None) -> NDArray[np.float32]:
    """Read weights that ``training/fit_value.py`` wrote; None means the ones that ship.

    Raises
    ------
    ValueError
        If the file is damaged or belongs to other features.
    """
    source = resources.files("basilica_env") / "data" / "value.npz" if path is None else Path(path)
    try:
        with np.load(io.BytesIO(source.read_bytes()), allow_pickle=False) as file:
            weights = file["weights"]
            facts = json.loads(str(file["facts"]))
    except (zipfile.BadZipFile, KeyError, EOFError, ValueError) as error:
        raise ValueError(f"{source} holds no value network: {error}") from error
    if weights.shape != (value.WEIGHTS,) or facts.get("features") != list(FEATURE_NAMES):
        raise ValueError(f"{source} holds a value network of other features: fit it anew")
    return np.ascontiguousarray(weights, np.float32)
