"""One seat of many games: the other seat is played inside. The vector faces stand on this."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from basilica_env.core.layout import PLAYERS
from basilica_env.envs.batch import BatchEnv, BatchStep, IllegalActionError, RewardKind
from basilica_env.envs.opponents import Opponent, Rival, in_form
from basilica_env.envs.spaces import FORMS, SEATS, check_choice, check_dtype
from basilica_env.game import Tiles

Games = NDArray[np.int64]


class SeatedGames:
    """Games in which the learner has one seat and an opponent, in batches, the other.

    After ``begin`` and every later call each game is over or waits for the learner. The arrays are new
    after every call, so whoever has been given them may keep them.

    Parameters
    ----------
    num_envs : number of games
    opponent : agent spec, agent or function of arrays; may be changed between calls
    seat : 0, 1, ``"random"`` (a draw each game) or ``"alternate"`` (game i begins with seat i % 2)
    reward, tiles, threads : as for :class:`basilica_env.BatchEnv`
    form, dtype : of the observations

    Attributes
    ----------
    seats : int64 array, shape (n,)
        The learner's seat in each game.
    rewards : float64 array, shape (n,)
        What the last call paid the learner.
    over : bool array, shape (n,)
        Whether the game has ended.
    scores : int64 array, shape (n, 2)
        Points of player 0 and player 1.
    returns, lengths : float64 and int64 arrays, shape (n,)
        What the learner has been paid and how often she has decided in the game.
    """

    def __init__(
        self,
        num_envs: int,
        opponent: Opponent,
        seat: str | int,
        reward: RewardKind,
        form: str,
        dtype: DTypeLike,
        tiles: Tiles,
        threads: int,
    ) -> None:
        check_choice("observation", form, FORMS)
        self._seat = check_seat(seat)
        self._form, self._dtype = form, check_dtype(dtype)
        self.batch = BatchEnv(
            num_envs,
            threads=threads,
            observation="flat",
            dtype=self._dtype,
            reward=reward,
            tiles=tiles,
            autoreset="disabled",
        )
        self._rows: NDArray[Any]
        self._masks: NDArray[Any]
        self._players: NDArray[np.int64]
        self.over: NDArray[np.bool_]
        self.scores: NDArray[np.int64]
        self._everyone = np.arange(num_envs)
        self._begun = np.zeros(num_envs, np.int64)
        self._rng = np.random.default_rng()
        self.opponent = opponent
        self.seats = np.zeros(num_envs, np.int64)
        self.rewards, self.returns = np.zeros(num_envs), np.zeros(num_envs)
        self.lengths = np.zeros(num_envs, np.int64)
        self._take(self._everyone, self.batch.view())

    @property
    def opponent(self) -> Opponent:
        """Who plays the other seat."""
        return self._opponent

    @opponent.setter
    def opponent(self, opponent: Opponent) -> None:
        self._rival = Rival(opponent, int(self._rng.integers(2**63)), self._form, self._dtype)
        self._opponent = opponent

    # --- Play -------------------------------------------------------------------------------------

    def begin(self, seed: int | None = None) -> None:
        """Begin all games anew; a seed fixes deals, seats and an opponent given by its spec."""
        if seed is not None:
            self._rng = np.random.default_rng([seed, 1])  # a stream apart from that of the deals
            self._begun[:] = 0
            self.opponent = self._opponent
        self.seats = np.zeros_like(self.seats)
        self._deal(self._everyone, self.batch.reset(seed))

    def restart(self, games: ArrayLike, seed: int | None = None) -> None:
        """Begin some games anew."""
        chosen = np.asarray(games, np.int64)
        self._own()
        self._deal(chosen, self.batch.reset(seed, chosen))

    def step(self, actions: ArrayLike, games: Games | None = None) -> None:
        """Play the learner's action in all games or in some, and the opponent's until she decides again.

        Raises
        ------
        IllegalActionError
            If an action of the learner is illegal; no game has changed then. If one of the opponent is.
        gymnasium.error.ResetNeeded
            If no game was begun.
        """
        if not self._begun.all():
            raise gymnasium.error.ResetNeeded("no game is in progress: call reset")
        now = self.batch.step(actions, games)
        if games is None:
            games = self._everyone
        else:
            self._own()
        self.rewards = np.zeros(len(self._everyone))
        self.lengths[games] += 1
        self._take(games, now)
        self._answer(games)
        self.returns += self.rewards

    # --- What the learner gets --------------------------------------------------------------------

    def observation(self, games: Games | None = None) -> Any:
        """Return what the learner sees, in the form of the environment."""
        return in_form(self._rows if games is None else self._rows[games], self._form)

    def mask(self) -> NDArray[Any]:
        """Return her legal actions, uint8 of shape (n, 667); zeros where the game is over."""
        return self._masks

    def close(self) -> None:
        """End the threads."""
        self.batch.close()

    # --- Inside -----------------------------------------------------------------------------------

    def _own(self) -> None:
        """Copy what may have been given away, before some rows of it change."""
        self._rows, self._masks = self._rows.copy(), self._masks.copy()
        self.scores, self.over, self.seats = self.scores.copy(), self.over.copy(), self.seats.copy()

    def _deal(self, games: Games, now: BatchStep) -> None:
        if len(games) == len(self._everyone):
            self.rewards, self.returns = np.zeros(len(games)), np.zeros(len(games))
            self.lengths = np.zeros(len(games), np.int64)
        self.returns[games] = 0
        self.lengths[games] = 0
        self.seats[games] = self._choose_seats(games)
        self._begun[games] += 1
        self._take(games, now)
        self._answer(games)

    def _choose_seats(self, games: Games) -> NDArray[np.int64]:
        if self._seat == "random":
            return self._rng.integers(PLAYERS, size=len(games))
        if self._seat == "alternate":
            return (games + self._begun[games]) % PLAYERS
        return np.full(len(games), int(self._seat))

    def _answer(self, games: Games) -> None:
        """Let the opponent decide until no game waits for her."""
        waiting = games
        while (
            waiting := waiting[~self.over[waiting] & (self._players[waiting] != self.seats[waiting])]
        ).size:
            rows, masks = self._rows[waiting], self._masks[waiting]
            actions = self._rival.act_batch(self.batch, waiting, rows, masks)
            try:
                now = self.batch.step(actions, waiting)
            except IllegalActionError as error:
                raise IllegalActionError(f"opponent {self._opponent!r}: {error}") from None
            self._take(waiting, now)
        ended = games[self.over[games]]
        if ended.size:
            self._rows[ended] = self.batch.observe(self.seats[ended], ended)

    def _take(self, games: Games, now: BatchStep) -> None:
        """Take over what a call of the engine gave for some games."""
        assert now.mask is not None  # the engine was asked for masks
        if len(games) == len(self._everyone):
            self._rows, self._masks, self._players = now.observation, now.mask, now.player
            self.over, self.scores = now.terminated, now.scores
        else:
            self._rows[games] = now.observation
            self._masks[games] = now.mask
            self._players[games] = now.player
            self.over[games] = now.terminated
            self.scores[games] = now.scores
        self.rewards[games] += now.reward[np.arange(len(games)), self.seats[games]]


def check_seat(seat: str | int) -> str | int:
    """Return a seat; the texts ``"0"`` and ``"1"`` stand for the numbers."""
    chosen = int(seat) if seat in ("0", "1") else seat
    if isinstance(seat, bool):
        raise TypeError(f"seat {seat!r} has type bool: expected one of {', '.join(map(repr, SEATS))}")
    check_choice("seat", chosen, SEATS)
    return chosen
