"""Self-play with plain MaskablePPO: the opponent is a copy of the learner, renewed before every rollout.

    python examples/selfplay_sb3.py --steps 100000

In the end the model plays 400 games against the random player, half of them from each seat.
"""

import argparse
import copy
from typing import Any

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from basilica_env.arena.statistics import wilson
from basilica_env.envs.sb3 import BasilicaVecEnv, evaluate


class RenewOpponent(BaseCallback):
    """Puts a copy of the learner's policy in the other seat."""

    def _on_training_start(self) -> None:
        self.rival = copy.deepcopy(self.model.policy)
        self.training_env.set_attr("opponent", self._answer)

    def _on_rollout_start(self) -> None:
        self.rival.load_state_dict(self.model.policy.state_dict())

    def _answer(self, observation: Any, mask: Any) -> Any:
        return self.rival.predict(observation, action_masks=mask)[0]

    def _on_step(self) -> bool:
        return True


def main() -> float:
    """Train and evaluate; return the lower end of the 95 % interval of the score."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.set_num_threads(1)  # more would only fight the engine for the cores
    envs = BasilicaVecEnv(256, "random", "random", reward="score", seed=options.seed)
    settings = {"n_steps": 32, "batch_size": 1024, "n_epochs": 4, "learning_rate": 1e-3, "gamma": 1.0}
    model = MaskablePPO("MlpPolicy", envs, seed=options.seed, **settings)
    model.learn(options.steps, callback=RenewOpponent())
    first, second = evaluate(model, "random", games=400, seed=1)
    score = wilson((first.score + second.score) / 2, 400)
    print(f"seats {first.score:.3f} and {second.score:.3f}, together {score.low:.3f} to {score.high:.3f}")
    return score.low


if __name__ == "__main__":
    raise SystemExit(int(main() < 0.7))
