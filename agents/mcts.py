"""The tree search as an agent."""

from __future__ import annotations

import functools
import inspect
import math
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from basilica_env.agents.analysis import Analysis, Listener, MoveAnalysis
from basilica_env.agents.value_network import load_weights
from basilica_env.core import endgame, search, value
from basilica_env.core.layout import ACTIONS, NONE, TILES
from basilica_env.core.playout import KIND_FIRST, UNIFORM
from basilica_env.envs.threads import Crew, whole_number
from basilica_env.game import GameState

_LEAVES = {"rollout": search.LEAF_ROLLOUT, "value": search.LEAF_VALUE}
_POLICIES = {"uniform": UNIFORM, "kind-first": KIND_FIRST}
_NODES_A_SIMULATION = 64
"""More children than a simulation adds on average."""
_MOST_NODES = 1 << 21
_MOST_NODES_OF_ALL_TREES = 1 << 25
_MOST_SIMULATIONS = 10**12
_MOST_MILLISECONDS = 10**9
_CHUNK = 256
"""Most simulations between two looks at the clock."""
_LEAST_CHUNK = 16
_CHUNKS_A_LIMIT = 20
"""Looks at the clock within a time limit, about: a search overruns it by no more than a part."""
_POSITIONS_A_SIMULATION = 64
"""Positions that exact play visits in the time of a simulation, about."""
_SIMULATIONS_A_MILLISECOND = 100
"""About as many."""
_EXACT_SHARE = 0.75
"""Share of the budget that exact play may take before it is given up."""
_MOST_POSITIONS = 4_000_000
"""Positions that exact play may visit, however large the budget: less than a second."""
_BRANCHING = 15
"""By how much the positions to visit grow with each tile left to draw, where few follow."""
_EVEN_SHARE = 0.1
"""Share of the priors that is the same for every move."""
_TOLD_APART = 6
"""Tiles in the stack, after the reshuffle, from which on the results of a draw have nodes of their own."""


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
        if sims is not None and ms is not None:
            raise ValueError("both sims and ms are given: expected one")
        if ms is None:
            sims = whole_number("sims", 800 if sims is None else sims, least=1, most=_MOST_SIMULATIONS)
        else:
            _check_number("ms", ms, more_than=0, most=_MOST_MILLISECONDS)
        _check_number("temperature", temperature, more_than=0)
        _check_number("exploration", exploration)
        whole_number("reuse", reuse, most=1)
        shares = {"win": 0.0, "margin": 1.0, "both": 0.5}
        for name, choice, choices in (
            ("leaf", leaf, _LEAVES),
            ("rollout", rollout, _POLICIES),
            ("aim", aim, shares),
        ):
            if choice not in choices:
                raise ValueError(f"{name} is {choice!r}: expected one of {', '.join(choices)}")
        given = {
            "sims": sims, "ms": ms, "threads": threads, "leaf": leaf, "rollout": rollout, "aim": aim,
            "exploration": exploration, "temperature": temperature, "weights": weights, "reuse": reuse,
        }  # fmt: skip
        self.name = f"mcts:{','.join(f'{key}={value}' for key, value in _unusual(given).items())}"
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
        self._settings["even_share"] = _EVEN_SHARE
        self._settings["told_apart"] = _TOLD_APART
        self._crew = Crew(threads)
        most_nodes = min(_MOST_NODES, _MOST_NODES_OF_ALL_TREES // threads)
        nodes = most_nodes if sims is None else min(_NODES_A_SIMULATION * (sims + 1), most_nodes)
        self._weights = load_weights(weights)
        self._trees = [_Tree(nodes) for _ in range(threads)]
        self._reuse = bool(reuse)
        budget = _SIMULATIONS_A_MILLISECOND * (ms or 0) if sims is None else sims
        self._most_positions = int(min(_EXACT_SHARE * budget * _POSITIONS_A_SIMULATION, _MOST_POSITIONS))
        self._next: tuple[int, bytes] | None = None  # the action played, and what follows for sure
        self._rng = np.random.default_rng(seed)

    def act(self, state: GameState) -> int:
        """Search and return the best action that exact play finds, or else the one that was visited most."""
        action = self._search(state, None, patient=False).moves[0].action
        if self._reuse:
            after = state.copy()
            after.apply(action)
            self._next = action, _open_part(after.to_array())
        return action

    def analyse(self, state: GameState, progress: Listener | None = None) -> Analysis:
        """Search with the whole budget and return what was found out.

        Parameters
        ----------
        progress : asked between two chunks of simulations whether to end the search
        """
        return self._search(state, progress, patient=True)

    def _search(self, state: GameState, progress: Listener | None, patient: bool) -> Analysis:
        if state.is_over:
            raise ValueError("the game is over: there is nothing to decide")
        _get_ready()
        effort = _Effort(self._sims, self._seconds, len(self._trees), progress)
        root = state.to_array()
        self._start_trees(root, state)
        best = NONE
        draws = TILES - int(root["top"][0]) + 1  # the last of them ends the game (R7.2)
        if root["reshuffled"][0] and _BRANCHING**draws <= self._most_positions:
            self._grow(root, state, effort, 1 - _EXACT_SHARE)
            best = self._play_out(root, state, effort)
        if best == NONE or patient:
            self._grow(root, state, effort, 1)
        self.analysis = self._read(state, best, effort)
        return self.analysis

    def _start_trees(self, root: NDArray[np.void], state: GameState) -> None:
        follows = self._next is not None and self._next[1] == _open_part(root)
        played = self._next[0] if self._next is not None and follows else NONE
        self._next = None
        streams = self._rng.integers(2**64, size=len(self._trees), dtype=np.uint64)
        for tree, stream in zip(self._trees, streams, strict=True):
            tree.start(stream, played, root, state.tiles.array)

    def _grow(self, root: NDArray[np.void], state: GameState, effort: _Effort, share: float) -> None:
        """Let the trees grow until a share of the budget is used up."""

        def work(start: int, stop: int) -> None:
            for tree in self._trees[start:stop]:
                tree.grow(root, state.tiles.array, self._settings, self._weights, simulations)

        while simulations := effort.next_chunk(share):
            if len(self._trees) == 1:
                work(0, 1)
            else:
                self._crew.run(work, len(self._trees), chunk=1)
            effort.add(simulations)

    def _play_out(self, root: NDArray[np.void], state: GameState, effort: _Effort) -> int:
        """Return a best action by exact play, or NONE if that takes too long."""
        worths = endgame.worth(float(self._settings["margin_share"][0]))
        favourite = self._trees[0].favourite()
        best, _, positions = endgame.best_action(
            root, state.tiles.array, worths, self._most_positions, favourite
        )
        effort.spared = positions // _POSITIONS_A_SIMULATION
        return int(best)

    def _worth_exactly(self, state: GameState, best: int) -> tuple[float, float]:
        """Return what a position is worth to player 0 by best play, by the aim and as a squashed lead."""
        aim, lead = (
            endgame.best_action(
                state.to_array(), state.tiles.array, endgame.worth(share), _MOST_POSITIONS, best
            )[1]
            for share in (float(self._settings["margin_share"][0]), 1.0)
        )
        return aim, lead

    def _read(self, state: GameState, best: int, effort: _Effort) -> Analysis:
        visits = np.zeros(ACTIONS, np.int64)
        totals = np.zeros((2, ACTIONS))
        for tree in self._trees:
            tree.add_up(visits, totals)
        if best != NONE and not visits[best]:  # then exact play counts as the one visit
            visits[best] = 1
            totals[:, best] = self._worth_exactly(state, best)
        sign = 1 if state.player == 0 else -1
        share = float(self._settings["margin_share"][0])
        legal = [int(action) for action in state.legal_actions()]
        gains = sign * totals[0]
        ranked = sorted(legal, key=lambda action: (action != best, -visits[action], -gains[action]))
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
        return Analysis(tuple(moves), line, effort.simulations, effort.seconds, best != NONE)


@functools.cache
def _get_ready() -> None:
    """Compile or load all that a search may need, so that the first budget is not spent on it."""
    agent = MctsAgent(sims=1, leaf="rollout")
    state = GameState.new(seed=0)
    root = state.to_array()
    effort = _Effort(1, None, 1, None)
    agent._start_trees(root, state)
    agent._grow(root, state, effort, 1)
    agent._read(state, agent._play_out(root, state, effort), effort)


def _unusual(given: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of an agent that are not as they are by default."""
    usual = inspect.signature(MctsAgent).parameters
    return {name: choice for name, choice in given.items() if choice != usual[name].default}


def _check_number(name: str, value: float, more_than: float | None = None, most: float = math.inf) -> None:
    """Check that a parameter is a finite number from 0, or above a bound, to another."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} {value!r} has type {type(value).__name__}: expected a number")
    if not math.isfinite(value) or value > most or (value < 0 if more_than is None else value <= more_than):
        span = "0 or more" if more_than is None else f"more than {more_than:g}"
        raise ValueError(
            f"{name} is {value}: expected {span}" + (f", at most {most:g}" if most < math.inf else "")
        )


class _Effort:
    """What a search may take, and what it has taken."""

    def __init__(self, sims: int | None, limit: float | None, trees: int, progress: Listener | None) -> None:
        self.spared = 0
        """Simulations of each tree that exact play took the time of."""
        self._sims = sims
        self._limit = limit
        self._trees = trees
        self._progress = progress
        expected = 1000 * (limit or 0) * _SIMULATIONS_A_MILLISECOND
        self._timed_chunk = int(min(max(expected / _CHUNKS_A_LIMIT, _LEAST_CHUNK), _CHUNK))
        self._done = 0
        self._interrupted = False
        self._started = time.perf_counter()

    @property
    def simulations(self) -> int:
        """Simulations of all trees."""
        return self._done * self._trees

    @property
    def seconds(self) -> float:
        """Time since the beginning."""
        return time.perf_counter() - self._started

    def next_chunk(self, share: float) -> int:
        """Return how many simulations may follow at once, 0 if a share of the budget is used up."""
        if self._interrupted:
            return 0
        if self._sims is None:
            return self._timed_chunk if self._done == 0 or self.seconds < share * (self._limit or 0) else 0
        return max(0, min(_CHUNK, math.ceil(share * self._sims) - self._done - self.spared))

    def add(self, simulations: int) -> None:
        """Take note of simulations of each tree."""
        self._done += simulations
        if self._progress is not None and self._progress(self.simulations, self.seconds):
            self._interrupted = True


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

    def start(self, stream: Any, played: int, root: NDArray[np.void], tiles: NDArray[np.void]) -> None:
        """Begin with what is below the root for the action played, or afresh where there is nothing."""
        known = self._size and played != NONE
        child = search.node_after(self._nodes, played, root, tiles) if known else NONE
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

    def favourite(self) -> int:
        """Return the action visited most, or NONE if there is none."""
        node = search.most_visited(self._nodes, 0)
        return int(self._nodes["action"][node]) if node != NONE else NONE

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
            action = int(self._nodes["action"][node])
            if action < ACTIONS:  # else what a draw showed
                line.append(action)
            node = search.most_visited(self._nodes, node)
        return line
