"""Proximal policy optimisation in self-play in one file: PyTorch, NumPy and `BatchEnv`, nothing else.

    python examples/selfplay_torch.py --steps 300000

Both seats of every game learn with one network. A game is reckoned in the eyes of player 0: the game is
zero-sum, so what a decision is worth to player 1 is the same with the other sign. In the end the network
plays 400 games against the random player, half of them from each seat.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, fields

import numpy as np
import torch
from torch import nn

from basilica_env import BatchEnv
from basilica_env.arena.statistics import wilson

ACTIONS, WORDS, SIZE = 667, 11, 1684


@dataclass
class Settings:
    """What can be set on the command line."""

    steps: int = 300_000
    seed: int = 0
    games: int = 256
    horizon: int = 32
    minibatch: int = 1024
    epochs: int = 3
    rate: float = 1e-3
    smoothing: float = 0.95
    clip: float = 0.2
    entropy: float = 0.01
    hidden: int = 256


class Network(nn.Module):
    """Policy and value of flat observations."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(SIZE, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.policy = nn.Linear(hidden, ACTIONS)
        self.value = nn.Linear(hidden, 1)
        with torch.no_grad():
            self.policy.weight.mul_(0.01)

    def forward(
        self, observation: torch.Tensor, mask: torch.Tensor
    ) -> tuple[torch.distributions.Categorical, torch.Tensor]:
        """Return the distribution over legal actions, and the value for the player who decides."""
        h = self.body(observation)
        logits = torch.where(mask, self.policy(h), -1e9)
        return torch.distributions.Categorical(logits=logits, validate_args=False), self.value(h)[:, 0]


def unpack(words: np.ndarray) -> torch.Tensor:
    """Return masks, bool of shape (n, 667), of bit-packed ones."""
    octets = np.ascontiguousarray(words).view(np.uint8)
    return torch.from_numpy(np.unpackbits(octets, axis=1, count=ACTIONS, bitorder="little").view(np.bool_))


def train(settings: Settings) -> Network:
    """Train a network."""
    torch.manual_seed(settings.seed)
    torch.set_num_threads(1)  # more would only fight the engine for the cores
    network = Network(settings.hidden)
    optimizer = torch.optim.Adam(network.parameters(), settings.rate, eps=1e-5)
    env = BatchEnv(settings.games, seed=settings.seed, dtype=np.float32, reward="score", mask="bits")
    shape = (settings.horizon, settings.games)
    observations = torch.zeros((*shape, SIZE))
    masks = np.zeros((*shape, WORDS), np.uint64)
    actions = torch.zeros(shape, dtype=torch.int64)
    log_p, values, rewards, signs, goes_on = (torch.zeros(shape) for _ in range(5))
    now = env.reset()
    started = time.perf_counter()
    updates = -(-settings.steps // actions.numel())
    for update in range(updates):
        optimizer.param_groups[0]["lr"] = settings.rate * (1 - update / updates)

        # Play. Rewards, values and signs are those of player 0.
        with torch.no_grad():
            for t in range(settings.horizon):
                observations[t], masks[t] = torch.from_numpy(now.observation), now.mask
                policy, value = network(observations[t], unpack(masks[t]))
                actions[t] = policy.sample()
                log_p[t] = policy.log_prob(actions[t])
                signs[t] = torch.from_numpy(1.0 - 2 * now.player)
                values[t] = signs[t] * value
                now = env.step(actions[t].numpy())
                rewards[t] = torch.from_numpy(now.reward[:, 0])
                goes_on[t] = torch.from_numpy(~now.terminated)
            _, value = network(torch.from_numpy(now.observation), unpack(now.mask))
            following = torch.from_numpy(1.0 - 2 * now.player).float() * value

        # Generalised advantages along the decisions of both players.
        advantages = torch.zeros(shape)
        advantage = torch.zeros(settings.games)
        for t in reversed(range(settings.horizon)):
            surprise = rewards[t] + goes_on[t] * following - values[t]
            advantages[t] = advantage = surprise + settings.smoothing * goes_on[t] * advantage
            following = values[t]
        targets = signs * (advantages + values)
        gains = signs * advantages
        gains = (gains - gains.mean()) / (gains.std() + 1e-8)

        # Learn.
        rows = [part.flatten(0, 1) for part in (observations, actions, log_p, targets, gains)]
        packed = masks.reshape(-1, WORDS)
        for _ in range(settings.epochs):
            order = torch.randperm(len(packed))
            for chosen in order.split(settings.minibatch):
                seen, action, before, target, gain = (part[chosen] for part in rows)
                policy, value = network(seen, unpack(packed[chosen.numpy()]))
                ratio = (policy.log_prob(action) - before).exp()
                bounded = ratio.clamp(1 - settings.clip, 1 + settings.clip)
                policy_loss = -torch.minimum(ratio * gain, bounded * gain).mean()
                value_loss = ((value - target) ** 2).mean()
                loss = policy_loss + value_loss - settings.entropy * policy.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(network.parameters(), 0.5)
                optimizer.step()
        steps = (update + 1) * actions.numel()
        rate = steps / (time.perf_counter() - started)
        print(f"{steps:>9,} steps, {rate:,.0f} a second, entropy {policy.entropy().mean():.2f}", flush=True)
    return network


@torch.no_grad()
def evaluate(network: Network, games: int = 400, seed: int = 1) -> tuple[float, float]:
    """Play against the random player; return the scores from seat 0 and from seat 1."""
    seats = np.arange(games) % 2
    env = BatchEnv(games, seed=seed, dtype=np.float32, reward="win", mask="bits")
    now = env.reset()
    results = np.full(games, np.nan)
    while np.isnan(results).any():
        policy, _ = network(torch.from_numpy(now.observation), unpack(now.mask))
        best = policy.logits.argmax(1).numpy()
        now = env.step(np.where(now.player == seats, best, env.sample_actions()))
        ended = now.terminated & np.isnan(results)
        results[ended] = (1 + now.reward[np.arange(games), seats][ended]) / 2
    return results[seats == 0].mean(), results[seats == 1].mean()


def main() -> float:
    """Train and evaluate; return the lower end of the 95 % interval of the score."""
    parser = argparse.ArgumentParser()
    for field in fields(Settings):
        parser.add_argument(f"--{field.name}", type=type(field.default), default=field.default)
    first, second = evaluate(train(Settings(**vars(parser.parse_args()))))
    score = wilson((first + second) / 2, 400)
    print(f"seats {first:.3f} and {second:.3f}; {score.value:.3f} ({score.low:.3f} to {score.high:.3f})")
    return score.low


if __name__ == "__main__":
    raise SystemExit(int(main() < 0.7))
