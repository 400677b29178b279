"""Self-play with MaskablePPO of sb3-contrib on the native vector environment (``--trainer sb3``).

The learner has one seat of each game. Who has the other is drawn before each rollout, for all games: a past
self (``past_share``), one of the ``heuristics`` by their shares, or else the learner as it is now.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

try:
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.logger import configure
except ImportError as error:
    raise ImportError('the trainer sb3 needs sb3-contrib: pip install "basilica-env[train]"') from error

from basilica_env.envs.opponents import Opponent
from basilica_env.envs.sb3 import BasilicaVecEnv, evaluate
from basilica_env.training.folder import SB3, RunFolder
from basilica_env.training.settings import Settings

MODEL = "model.zip"
USED = frozenset(
    (
        *(
            "seed",
            "steps",
            "games",
            "horizon",
            "past_share",
            "heuristics",
            "pool",
            "pool_every",
            "trunk",
            "rate",
        ),
        *("rate_last", "epochs", "minibatch", "discount", "smoothing", "clip", "value_weight", "entropy"),
        *("gradient", "threads", "evaluate_every", "anchors"),
    )
)
"""The settings that apply here."""


Weights = dict[str, torch.Tensor]


class SelfPlay(BaseCallback):
    """Draws the rival of each rollout and keeps past selves.

    Parameters
    ----------
    settings : of the run: ``past_share``, ``heuristics``, ``pool``, ``pool_every``, ``evaluate_every``,
        ``anchors``
    evaluated : told of each evaluation: anchor, score, steps
    """

    def __init__(self, settings: Settings, evaluated: Callable[[str, float, int], None]) -> None:
        super().__init__()
        self._settings = settings
        self._evaluated = evaluated
        self._rng = np.random.default_rng(settings.seed)
        self._pool: list[Weights] = []
        self._rollouts = 0
        self._rival: Any = None

    def _on_training_start(self) -> None:
        self._rival = copy.deepcopy(self.model.policy)
        self._rival.set_training_mode(False)

    def _on_rollout_start(self) -> None:
        settings = self._settings
        if self._rollouts % settings.pool_every == 0:
            if len(self._pool) == settings.pool:
                del self._pool[int(self._rng.integers(settings.pool))]
            self._pool.append(copy.deepcopy(self.model.policy.state_dict()))
        if self._rollouts and self._rollouts % settings.evaluate_every == 0:
            self.evaluate()
        self.training_env.set_attr("opponent", self._drawn())
        self._rollouts += 1

    def _on_step(self) -> bool:
        return True

    def _drawn(self) -> Opponent:
        """Return who plays the other seat in the next rollout."""
        shares = {"past": self._settings.past_share, **self._settings.heuristic_shares()}
        place = self._rng.random()
        weights = self.model.policy.state_dict()
        for kind, share in shares.items():
            place -= share
            if place < 0 and kind != "past":
                return kind
            if place < 0:
                weights = self._pool[int(self._rng.integers(len(self._pool)))]
                break
        self._rival.load_state_dict(weights)
        return self._answer

    def _answer(self, observation: Any, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        actions, _ = self._rival.predict(observation, action_masks=mask, deterministic=False)
        return actions  # type: ignore[no-any-return]

    def evaluate(self) -> None:
        """Play against the anchors."""
        for anchor, games in self._settings.opponents().items():
            seats = evaluate(self.model, anchor, games, self._settings.seed)
            score = float(np.mean([seat.score for seat in seats]))
            self.logger.record(f"evaluation/{anchor}/score", score)
            self._evaluated(anchor, score, self.num_timesteps)


def new_model(settings: Settings, verbose: int = 0) -> MaskablePPO:
    """Return a model that has learned nothing, with its environments."""
    torch.set_num_threads(settings.threads)
    envs = BasilicaVecEnv(
        settings.games, "random", "random", reward="margin", threads=settings.threads, seed=settings.seed
    )
    return MaskablePPO(
        "MlpPolicy",
        envs,
        learning_rate=lambda left: settings.rate_last + left * (settings.rate - settings.rate_last),
        n_steps=settings.horizon,
        batch_size=settings.minibatch,
        n_epochs=settings.epochs,
        gamma=settings.discount,
        gae_lambda=settings.smoothing,
        clip_range=settings.clip,
        ent_coef=settings.entropy,
        vf_coef=settings.value_weight,
        max_grad_norm=settings.gradient,
        policy_kwargs={"net_arch": [2 * settings.trunk, settings.trunk]},
        seed=settings.seed,
        verbose=verbose,
    )


def train(run: RunFolder, settings: Settings, *, preset: str, tell: Callable[[str], None]) -> MaskablePPO:
    """Train and keep the model as ``model.zip``, also after Ctrl-C.

    Raises
    ------
    RunError
        If there is a run in the folder already.
    """
    run.create(settings, preset, SB3)
    model = new_model(settings)
    model.set_logger(configure(str(run.path), ["csv", "tensorboard"]))
    started = time.perf_counter()

    def evaluated(anchor: str, score: float, steps: int) -> None:
        tell(
            f"{steps:>11,} steps, {steps / (time.perf_counter() - started):,.0f} a second: "
            f"{100 * score:.1f} % against {anchor}"
        )

    callback = SelfPlay(settings, evaluated)
    try:
        model.learn(settings.steps, callback=callback)
        callback.evaluate()
    finally:
        model.save(run.path / MODEL)
    return model
