"""Many games at once from Python: one compiled call steps all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from basilica_env.core import batch, greedy, planner, playout, random
from basilica_env.core.layout import ACTIONS, MASK_WORDS, NONE
from basilica_env.core.observation import OBSERVATION_SIZE, split
from basilica_env.core.tiles import TileSet, tile_set
from basilica_env.envs.threads import Crew, whole_number
from basilica_env.game import MOST_KEPT, GameState, IllegalMoveError, Tiles

if TYPE_CHECKING:
    from types import TracebackType

ObservationKind = Literal["dict", "flat"]
MaskKind = Literal["bytes", "bits"]
RewardKind = Literal["win", "margin", "score"]
AutoresetKind = Literal["same-step", "next-step", "disabled", "SameStep", "NextStep", "Disabled"]

REWARDS = {"win": batch.REWARD_WIN, "margin": batch.REWARD_MARGIN, "score": batch.REWARD_SCORE}
AUTORESETS = {
    "same-step": batch.RESET_SAME_STEP,
    "next-step": batch.RESET_NEXT_STEP,
    "disabled": batch.RESET_DISABLED,
}
# Gymnasium's spellings of the same.
_AUTORESET_KINDS = {"SameStep": "same-step", "NextStep": "next-step", "Disabled": "disabled"}

_PLAYOUTS_A_CALL = 2048
"""Playouts between two looks at whether the caller has interrupted: well below a second of them."""

Observation = Any
"""An array (``flat``), a dict of ``planes`` and ``scalars`` (``dict``), or None."""


class BatchStep(NamedTuple):
    """What a reset or a step gives. Row k belongs to game k, or to ``indices[k]`` where given."""

    observation: Observation
    """What the player who decides sees: ``flat`` has shape (n, OBSERVATION_SIZE)."""
    mask: NDArray[Any] | None
    """Legal actions of that player: uint8 (n, 667), or uint64 (n, 11), bit a % 64 of word a // 64.
    All zero for a finished game."""
    reward: NDArray[np.float32]
    """Rewards of player 0 and player 1, shape (n, 2)."""
    player: NDArray[np.int64]
    """Who decides, shape (n,)."""
    terminated: NDArray[np.bool_]
    """Whether the step ended the game, shape (n,). No game is ever truncated."""
    scores: NDArray[np.int64]
    """Points of player 0 and player 1 after the step and before a reset, shape (n, 2)."""
    length: NDArray[np.int64]
    """Decisions played in the game after the step and before a reset, shape (n,)."""
    finished: NDArray[np.int64]
    """The rows k of the games that the step ended, shape (m,)."""
    final_observation: Observation
    """With ``same-step`` autoreset, what player 0 and player 1 saw at the end of those games: ``flat``
    has shape (m, 2, OBSERVATION_SIZE). Else None."""


class IllegalActionError(ValueError):
    """An action of a batch that the rules do not allow. No game has changed."""


class BatchEnv:
    """Many independent games, stepped by one compiled call.

    Whoever decides in a game plays its next action, so each game is self-play; ``player`` says who
    decides. Game i of a seed is the same whatever ``num_envs`` and ``threads`` are.

    Parameters
    ----------
    num_envs : number of games
    seed : non-negative int, or None for a fresh one
    threads : threads that share the work, the calling one included; started once. A process that is forked
        has the calling one alone
    observation : ``"flat"``, ``"dict"`` (views of the flat array: ``planes`` (n, 24, 12, 5) and
        ``scalars``) or None
    dtype : of the observation: ``uint8`` (whole numbers) or ``float32`` (in units)
    reward : ``"win"`` (+1, 0, -1 at the end), ``"margin"`` (final lead / 50) or ``"score"`` (points as
        they come, the opponent's subtracted, / 50); zero-sum
    tiles : a tile set, the path of one, or ``"standard"``
    autoreset : when a finished game is dealt anew, as in Gymnasium's ``AutoresetMode``:
        ``"same-step"``; ``"next-step"``, whose action is ignored; ``"disabled"``: never. Gymnasium's
        own names and members are the same
    mask : ``"bytes"``, ``"bits"`` or None
    copy : True gives arrays of the caller's own. **False is zero-copy: the arrays of a
        :class:`BatchStep` are overwritten by the next one.**

    Raises
    ------
    ValueError
        If an argument is not one of these.

    Examples
    --------
    >>> env = BatchEnv(256, seed=0)
    >>> now = env.reset()
    >>> for _ in range(100):
    ...     now = env.step(env.sample_actions())
    >>> now.reward.shape
    (256, 2)
    """

    def __init__(
        self,
        num_envs: int,
        seed: int | None = None,
        threads: int = 1,
        observation: ObservationKind | None = "flat",
        dtype: DTypeLike = np.uint8,
        reward: RewardKind = "win",
        tiles: Tiles = "standard",
        autoreset: AutoresetKind = "same-step",
        mask: MaskKind | None = "bytes",
        copy: bool = True,
    ) -> None:
        size = whole_number("num_envs", num_envs, least=1)
        _check_choice("observation", observation, ("flat", "dict", None))
        _check_choice("mask", mask, ("bytes", "bits", None))
        _check_choice("reward", reward, tuple(REWARDS))
        kind = _AUTORESET_KINDS.get(getattr(autoreset, "value", autoreset), autoreset)
        _check_choice("autoreset", kind, tuple(AUTORESETS))
        self._dtype = np.dtype(dtype)
        _check_choice("dtype", self._dtype, (np.dtype(np.uint8), np.dtype(np.float32)))
        self._observation_kind = observation
        self._mask_kind = mask
        self._is_whole = self._dtype == np.uint8
        self._reward = REWARDS[reward]
        self._autoreset = AUTORESETS[kind]
        self._tiles = tile_set(tiles)
        self._copy = copy
        self._crew = Crew(threads)
        self._states = np.zeros(size, batch.BATCH_STATE)
        self._everyone = np.arange(size)
        keeps_final = observation is not None and self._autoreset == batch.RESET_SAME_STEP
        self._final = self._new_observations(2 * size) if keeps_final else _NO_BYTES
        self._kept = None if copy else self._new_outputs(size)
        self.reset(seed=seed)

    @property
    def num_envs(self) -> int:
        """Number of games."""
        return len(self._states)

    @property
    def tiles(self) -> TileSet:
        """The tile set of all games."""
        return self._tiles

    @property
    def player(self) -> NDArray[np.int64]:
        """Who decides in each game, shape (n,)."""
        return self._deciders(self._everyone)

    # --- Play -------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, indices: ArrayLike | None = None) -> BatchStep:
        """Deal new games.

        Parameters
        ----------
        seed : None lets each game go on with its own generator; a number seeds it afresh
        indices : the games to deal; None means all
        """
        chosen = self._choose(indices)
        if seed is not None or not self._states["game"]["random"].any():
            streams = random.seed_states(seed, self.num_envs)[chosen]
            self._states["game"]["random"][chosen] = streams
            self._states["sampler"][chosen] = ~streams
        self._crew.run_kernel(batch.deal, len(chosen), self._states, self._tiles.array, chosen)
        return self._view(chosen)

    def step(self, actions: ArrayLike, indices: ArrayLike | None = None) -> BatchStep:
        """Play one action in each game.

        Parameters
        ----------
        actions : integers, shape (n,)
        indices : the games to play in, each at most once; None means all

        Raises
        ------
        IllegalActionError
            If an action is not legal. No game has changed then.
        """
        chosen = self._choose(indices)
        given = np.asarray(actions)
        if given.shape != chosen.shape or (given.dtype.kind not in "iu" and given.size):
            raise ValueError(
                f"actions have shape {given.shape} and dtype {given.dtype}: expected integers of shape "
                f"{chosen.shape}"
            )
        ready = given.dtype == _INT64 and given.flags.carray
        out = self._outputs(len(chosen))
        first_wrong = self._crew.run_kernel(
            batch.step,
            len(chosen),
            self._states,
            self._tiles.array,
            chosen,
            given if ready else given.astype(np.int64),
            self._reward,
            self._autoreset,
            self._is_whole,
            *out,
            self._final,
        )
        if first_wrong < len(chosen):
            self._refuse(int(chosen[first_wrong]), int(given[first_wrong]))
        return self._give(out, out.terminated.nonzero()[0])

    def sample_actions(self, indices: ArrayLike | None = None) -> NDArray[np.int64]:
        """Return a random legal action for each game, each equally likely; 0 for a finished game."""
        chosen = self._choose(indices)
        actions = np.empty(len(chosen), np.int64)
        self._crew.run_kernel(batch.sample, len(chosen), self._states, chosen, actions)
        return actions

    def greedy_actions(self, indices: ArrayLike | None = None) -> NDArray[np.int64]:
        """Return the greedy action for each game (:mod:`basilica_env.core.greedy`); 0 for a finished game."""
        chosen = self._choose(indices)
        actions = np.empty(len(chosen), np.int64)
        self._crew.run_kernel(
            greedy.greedy_actions, len(chosen), self._states, self._tiles.array, chosen, actions
        )
        return actions

    def planned_actions(self, width: int, indices: ArrayLike | None = None) -> NDArray[np.int64]:
        """Return the planned action for each game (:mod:`basilica_env.core.planner`); 0 for a finished game.

        Parameters
        ----------
        width : positions kept after each action of the turn, 1 to 10,000
        indices : the games; None means all
        """
        beam = whole_number("width", width, least=1, most=MOST_KEPT)
        chosen = self._choose(indices)
        actions = np.empty(len(chosen), np.int64)
        self._crew.run_kernel(
            planner.planned_actions,
            len(chosen),
            self._states,
            self._tiles.array,
            chosen,
            beam,
            actions,
        )
        return actions

    def view(self, indices: ArrayLike | None = None) -> BatchStep:
        """Return what a step would give if the games stayed as they are: no reward, nothing finished."""
        return self._view(self._choose(indices))

    def observe(self, player: ArrayLike | None = None, indices: ArrayLike | None = None) -> Observation:
        """Return what players see.

        Parameters
        ----------
        player : 0 or 1, one for all or one a game; None means who decides
        indices : the games; None means all
        """
        chosen = self._choose(indices)
        seen = self._new_observations(len(chosen))
        lookers = self._deciders(chosen) if player is None else np.asarray(player)
        if lookers.dtype.kind not in "iu" or not np.isin(lookers, (0, 1)).all():
            raise ValueError(f"unknown player {player!r}: expected 0 or 1")
        if lookers.shape not in ((), chosen.shape):
            raise ValueError(
                f"player has shape {lookers.shape}: expected one player, or shape {chosen.shape}"
            )
        lookers = np.broadcast_to(lookers, chosen.shape).astype(np.int64)
        self._crew.run_kernel(
            batch.observe,
            len(chosen),
            self._states,
            self._tiles.array,
            chosen,
            lookers,
            self._is_whole,
            seen,
        )
        return self._as_observations(seen)

    # --- States -----------------------------------------------------------------------------------

    def get_state(self, indices: ArrayLike | None = None) -> NDArray[np.void]:
        """Return copies of games with their generators, BATCH_STATE array of shape (n,).

        ``get_state().tobytes()`` is a fine way to store them.
        """
        return self._states[self._choose(indices)]

    def set_state(self, states: NDArray[np.void] | bytes, indices: ArrayLike | None = None) -> BatchStep:
        """Put games that :meth:`get_state` returned, or their bytes, in place of games.

        Raises
        ------
        ValueError
            If they do not fit or are no games. No game has changed then.
        """
        chosen = self._choose(indices)
        given = _as_states(states)
        if given.shape != chosen.shape:
            raise ValueError(f"{len(given)} states given for {len(chosen)} games: expected as many")
        self._check_sound(given)
        self._states[chosen] = given
        return self._view(chosen)

    def set_game(self, index: int, state: GameState) -> None:
        """Put a copy of a single game in place of game ``index``."""
        if not isinstance(state, GameState):
            raise TypeError(f"state {state!r} has type {type(state).__name__}: expected a GameState")
        if state.tiles.digest != self._tiles.digest:
            raise ValueError(f"the game has tile set {state.tiles.name!r}: expected {self._tiles.name!r}")
        place = self._choose([index])[0]
        self._states["game"][place] = state.to_array()[0]
        self._states["length"][place] = 0

    def game(self, index: int) -> GameState:
        """Return a copy of one game as a :class:`GameState`, its generators included."""
        place = self._choose([index])[0]
        state = self._states[place : place + 1]
        return GameState._trusted(state["game"].tobytes(), self._tiles, state["sampler"])

    def to_text(self, index: int) -> str:
        """Return the position of one game as text."""
        return self.game(index).to_text()

    def render(self, index: int) -> str:
        """Return a drawing of one game for the terminal."""
        from basilica_env.render.ansi import draw

        return draw(self.game(index), color=False, unicode=True)

    def close(self) -> None:
        """End the threads. The games stay readable."""
        self._crew.close()

    def __enter__(self) -> BatchEnv:
        """Return the environment."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Copy or unpickle; the games are checked.

        Raises
        ------
        ValueError
            If one is no game.
        """
        self.__dict__.update(state)
        self._states = _as_states(self._states)
        self._check_sound(self._states)

    # --- Inside -----------------------------------------------------------------------------------

    def _check_sound(self, states: NDArray[np.void]) -> None:
        unsound = batch.first_unsound(states, self._tiles.array)
        if unsound != NONE:
            raise ValueError(f"state {unsound} is no game of tile set {self._tiles.name!r}: it is damaged")

    def _choose(self, indices: ArrayLike | None) -> NDArray[np.int64]:
        if indices is None:
            return self._everyone
        chosen = np.atleast_1d(np.asarray(indices))
        if chosen.size == 0:
            return np.empty(0, np.int64)
        if chosen.ndim != 1 or chosen.dtype.kind not in "iu":
            raise ValueError(
                f"indices have shape {chosen.shape}, dtype {chosen.dtype}: expected a row of ints"
            )
        if chosen.min() < 0 or chosen.max() >= self.num_envs:
            span = f"{chosen.min()} to {chosen.max()}"
            raise ValueError(f"indices go from {span}: expected 0 to {self.num_envs - 1}")
        ascending = bool((chosen[1:] > chosen[:-1]).all())  # as they mostly do, and cheap to see
        if not ascending and len(np.unique(chosen)) < len(chosen):
            raise ValueError("indices name a game twice: expected each at most once")
        return chosen.astype(np.int64)

    def _refuse(self, index: int, action: int) -> None:
        try:
            self.game(index).apply(action)
        except IllegalMoveError as error:
            reason = f"illegal action {action} in game {index}: {error}; no game was changed"
            raise IllegalActionError(reason) from None

    def _new_observations(self, number: int) -> NDArray[np.uint8]:
        return np.empty(number * OBSERVATION_SIZE * self._dtype.itemsize, _UINT8)

    def _new_outputs(self, size: int) -> _Outputs:
        return _Outputs(
            mask=np.empty(size * ACTIONS, _UINT8) if self._mask_kind == "bytes" else _NO_BYTES,
            bits=np.empty((size, MASK_WORDS), np.uint64) if self._mask_kind == "bits" else _NO_WORDS,
            observation=self._new_observations(size) if self._observation_kind else _NO_BYTES,
            player=np.empty(size, _INT64),
            reward=np.empty((size, 2), _FLOAT32),
            terminated=np.empty(size, _BOOL),
            scores=np.empty((size, 2), _INT64),
            length=np.empty(size, _INT64),
        )

    def _outputs(self, size: int) -> _Outputs:
        if self._kept is None:
            return self._new_outputs(size)
        if size == self.num_envs:
            return self._kept
        return _Outputs._make(array[: len(array) // self.num_envs * size] for array in self._kept)

    def _view(self, chosen: NDArray[np.int64]) -> BatchStep:
        out = self._outputs(len(chosen))
        out.reward[:] = 0
        out.terminated[:] = False
        out.scores[:] = self._states["game"]["scores"][chosen]
        out.length[:] = self._states["length"][chosen]
        self._crew.run_kernel(
            batch.view,
            len(chosen),
            self._states,
            self._tiles.array,
            chosen,
            self._is_whole,
            out.mask,
            out.bits,
            out.observation,
            out.player,
        )
        return self._give(out, np.empty(0, np.int64))

    def _deciders(self, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        players = np.empty(len(chosen), np.int64)
        self._crew.run_kernel(
            batch.view,
            len(chosen),
            self._states,
            self._tiles.array,
            chosen,
            self._is_whole,
            _NO_BYTES,
            _NO_WORDS,
            _NO_BYTES,
            players,
        )
        return players

    def _give(self, out: _Outputs, finished: NDArray[np.int64]) -> BatchStep:
        final_observation = None
        if len(self._final):
            rows = self._final.reshape(self.num_envs, -1)[finished]
            final_observation = self._as_observations(rows, (-1, 2, OBSERVATION_SIZE))
        mask: NDArray[Any] | None = None
        if self._mask_kind:
            mask = out.mask.reshape(-1, ACTIONS) if self._mask_kind == "bytes" else out.bits
        return BatchStep(
            observation=self._as_observations(out.observation),
            mask=mask,
            reward=out.reward,
            player=out.player,
            terminated=out.terminated,
            scores=out.scores,
            length=out.length,
            finished=finished,
            final_observation=final_observation,
        )

    def _as_observations(
        self, data: NDArray[np.uint8], shape: tuple[int, ...] = (-1, OBSERVATION_SIZE)
    ) -> Observation:
        """Return bytes as observations in the form wanted."""
        if self._observation_kind is None:
            return None
        flat = data.view(self._dtype).reshape(shape)
        if self._observation_kind == "flat":
            return flat
        planes, scalars = split(flat)
        return {"planes": planes, "scalars": scalars}


# Numpy takes a dtype faster than a type.
_UINT8, _INT64, _FLOAT32, _BOOL = map(np.dtype, (np.uint8, np.int64, np.float32, np.bool_))
_NO_BYTES = np.empty(0, np.uint8)
_NO_WORDS = np.empty((0, MASK_WORDS), np.uint64)


class _Outputs(NamedTuple):
    """What a step writes to, in the order in which the kernel takes it."""

    mask: NDArray[np.uint8]
    """A row of bytes, as is the observation."""
    bits: NDArray[np.uint64]
    observation: NDArray[np.uint8]
    player: NDArray[np.int64]
    reward: NDArray[np.float32]
    terminated: NDArray[np.bool_]
    scores: NDArray[np.int64]
    length: NDArray[np.int64]


def random_playouts(
    states: GameState | Sequence[GameState],
    n: int,
    seed: int | None = None,
    threads: int = 1,
    policy: Literal["uniform", "kind-first"] = "uniform",
    resample: bool = True,
) -> NDArray[np.int64]:
    """Play random games to the end and return their final scores.

    Parameters
    ----------
    states : one game or several of the same tile set
    n : playouts from each
    seed : the same seed gives the same scores for any number of threads
    policy : ``"uniform"`` over legal actions, or ``"kind-first"``: vault, builder or order first
    resample : whether what is hidden is redrawn first (R1.5); False plays on the true stack

    Returns
    -------
    Points of player 0 and player 1, shape (states, n, 2).
    """
    _check_choice("policy", policy, ("uniform", "kind-first"))
    games, tiles = _stack(states)
    scores = np.empty((len(games), whole_number("n", n), 2), np.int64)
    stream = random.seed_state(seed)
    kind = playout.UNIFORM if policy == "uniform" else playout.KIND_FIRST

    def work(start: int, stop: int) -> None:
        playout.playouts(games, tiles.array, stream, kind, bool(resample), scores, start, stop)

    crew = Crew(threads)
    try:
        crew.run(work, scores.size // 2, _PLAYOUTS_A_CALL)
    finally:
        crew.close()
    return scores


def perft(state: GameState, depth: int) -> int:
    """Return the number of lines of play of a depth from a position, on its true stack.

    The draws are those of the position's stack, and of its generator after a reshuffle. A line that
    ends earlier does not count.
    """
    if not isinstance(state, GameState):
        raise TypeError(f"state {state!r} has type {type(state).__name__}: expected a GameState")
    return int(playout.perft(state.to_array(), state.tiles.array, whole_number("depth", depth)))


def _stack(states: GameState | Sequence[GameState]) -> tuple[NDArray[np.void], TileSet]:
    chosen: list[Any]
    try:
        chosen = [states] if isinstance(states, GameState) else list(states)
    except TypeError:
        chosen = [states]
    for state in chosen:
        if not isinstance(state, GameState):
            raise TypeError(f"state {state!r} has type {type(state).__name__}: expected a GameState")
    if not chosen:
        raise ValueError("no state given: expected one or more")
    if len({state.tiles.digest for state in chosen}) > 1:
        raise ValueError("the states have different tile sets: expected one")
    return np.concatenate([state.to_array() for state in chosen]), chosen[0].tiles


def _check_choice(name: str, value: Any, choices: Iterable[Any]) -> None:
    if value not in choices:
        expected = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} is {value!r}: expected one of {expected}")


def _as_states(states: NDArray[np.void] | bytes) -> NDArray[np.void]:
    if isinstance(states, (bytes, bytearray, memoryview)):
        data, size = bytes(states), batch.BATCH_STATE.itemsize
        if len(data) % size:
            raise ValueError(f"{len(data)} bytes of states: expected a multiple of {size}")
        return np.frombuffer(data, batch.BATCH_STATE).copy()
    array = np.asarray(states)
    if array.dtype != batch.BATCH_STATE:
        raise ValueError(f"states have dtype {array.dtype}: expected that of get_state()")
    return np.atleast_1d(array).astype(batch.BATCH_STATE)
