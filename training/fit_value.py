"""Fit the value network of the tree search on games of the search against itself.

    python -m basilica_env.training.fit_value --out value.npz

Each round plays games with the network of the round before (the first with rollouts as leaves), then
fits a new network on the positions of the last rounds. Weights, settings and the loss on games that
were held out go into the file. The same seed gives the same weights on every machine and thread count,
as far as the machine's floating-point sums do.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from basilica_env.core import search, selfplay, value
from basilica_env.core.features import FEATURE_NAMES, FEATURES
from basilica_env.core.layout import GAME
from basilica_env.core.playout import KIND_FIRST
from basilica_env.core.tiles import TileSet
from basilica_env.envs.threads import Crew
from basilica_env.files import replacing


@dataclass(frozen=True)
class Settings:
    """How to fit."""

    seed: int = 0
    """Seed of games, first weights and batches."""
    rounds: int = 6
    """Rounds of playing and fitting."""
    games: int = 2000
    """Games a round."""
    simulations: int = 48
    """Simulations a decision."""
    loose: int = 25
    """Percentage of decisions sampled by visits."""
    stray: int = 3
    """Percentage of random decisions."""
    memory: int = 2
    """Rounds whose games are fitted."""
    epochs: int = 12
    """Passes over the positions, each round."""
    batch: int = 2048
    """Positions a step of the optimiser."""
    rate: float = 2e-3
    """First learning rate; it falls to 0 along a cosine."""
    decay: float = 1e-5
    """Weight decay."""
    threads: int = 2
    """Threads that play."""


@dataclass
class _Data:
    """Positions of one round: features, targets and whether they are held out."""

    features: NDArray[np.float32]
    targets: NDArray[np.float32]
    held_out: NDArray[np.bool_]


def play_round(settings: Settings, number: int, weights: NDArray[np.float32], progress: Progress) -> _Data:
    """Play the games of a round and return their positions."""
    features = np.zeros((settings.games, selfplay.LONGEST, FEATURES), np.float32)
    targets = np.zeros((settings.games, selfplay.LONGEST, value.HEADS), np.float32)
    lengths = np.zeros(settings.games, np.int64)
    how = np.zeros(1, search.SETTINGS)
    how["leaf"] = search.LEAF_VALUE if number else search.LEAF_ROLLOUT
    how["margin_share"] = 0.5
    how["policy"] = KIND_FIRST
    how["exploration"] = 1.0
    how["temperature"] = 0.1
    tiles = TileSet.standard().array
    seed = np.random.SeedSequence([settings.seed, number]).generate_state(1, np.uint64)[0]
    task = progress.add_task(f"round {number + 1}: play", total=settings.games)
    crew = Crew(settings.threads)

    def work(start: int, stop: int) -> None:
        for game in range(start, stop):
            selfplay.self_play(
                np.zeros(1, GAME),
                tiles,
                how,
                weights,
                settings.simulations,
                settings.loose,
                settings.stray,
                seed,
                features,
                targets,
                lengths,
                game,
                game + 1,
            )
            progress.advance(task)

    try:
        crew.run(work, settings.games, chunk=1)
    finally:
        crew.close()
    kept = np.arange(selfplay.LONGEST) < lengths[:, None]
    held_out = np.repeat(np.arange(settings.games) % 10 == 0, lengths)
    return _Data(features[kept], targets[kept], held_out)


def _forward(
    weights: NDArray[np.float32], x: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the hidden layer and both estimates."""
    w1, b1, w2, b2 = _parts(weights)
    hidden = np.maximum(x @ w1 + b1, 0)
    return hidden, np.tanh(hidden @ w2.T + b2)


def _parts(weights: NDArray[np.float32]) -> tuple[NDArray[np.float32], ...]:
    """Return W1, b1, W2 and b2 as views of the flat weights (see ``core/value.py``)."""
    cuts = np.cumsum([FEATURES * value.HIDDEN, value.HIDDEN, value.HEADS * value.HIDDEN])
    w1, b1, w2, b2 = np.split(weights, cuts)
    return w1.reshape(FEATURES, value.HIDDEN), b1, w2.reshape(value.HEADS, value.HIDDEN), b2


def first_weights(seed: int) -> NDArray[np.float32]:
    """Return random weights (He et al. 2015)."""
    rng = np.random.default_rng([seed, 1])
    weights = np.zeros(value.WEIGHTS, np.float32)
    w1, _, w2, _ = _parts(weights)
    w1[:] = rng.normal(0, np.sqrt(2 / FEATURES), w1.shape)
    w2[:] = rng.normal(0, np.sqrt(1 / value.HIDDEN), w2.shape)
    return weights


def fit(settings: Settings, number: int, data: Sequence[_Data], progress: Progress) -> NDArray[np.float32]:
    """Fit new weights by Adam (Kingma and Ba 2015) on squared errors."""
    x = np.concatenate([part.features[~part.held_out] for part in data])
    y = np.concatenate([part.targets[~part.held_out] for part in data])
    rng = np.random.default_rng([settings.seed, 2, number])
    weights = first_weights(settings.seed)
    gradient = np.zeros_like(weights)
    g1, gb1, g2, gb2 = _parts(gradient)
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    steps = settings.epochs * (len(x) // settings.batch)
    task = progress.add_task(f"round {number + 1}: fit", total=steps)
    for step in range(steps):
        place = step % (len(x) // settings.batch)
        if place == 0:
            order = rng.permutation(len(x))
        rows = order[place * settings.batch : (place + 1) * settings.batch]
        inputs = x[rows]
        hidden, out = _forward(weights, inputs)
        slope = 2 * (out - y[rows]) * (1 - out * out) / len(rows)
        g2[:] = slope.T @ hidden
        gb2[:] = slope.sum(0)
        back = (slope @ _parts(weights)[2]) * (hidden > 0)
        g1[:] = inputs.T @ back
        gb1[:] = back.sum(0)
        mean += 0.1 * (gradient - mean)
        square += 0.001 * (gradient * gradient - square)
        rate = settings.rate * 0.5 * (1 + np.cos(np.pi * step / steps))
        corrected = (mean / (1 - 0.9 ** (step + 1))) / (np.sqrt(square / (1 - 0.999 ** (step + 1))) + 1e-8)
        weights -= (rate * (corrected + settings.decay * weights)).astype(np.float32)
        progress.advance(task)
    return weights


def losses(weights: NDArray[np.float32], data: _Data) -> dict[str, float]:
    """Return the mean squared errors on the held-out games, and those of always guessing the mean."""
    x, y = data.features[data.held_out], data.targets[data.held_out]
    _, out = _forward(weights, x)
    names = ("win", "margin")
    errors = ((out - y) ** 2).mean(0)
    return {f"{name}_error": round(float(error), 4) for name, error in zip(names, errors, strict=True)} | {
        f"{name}_variance": round(float(spread), 4) for name, spread in zip(names, y.var(0), strict=True)
    }


def run(settings: Settings, out: Path) -> None:
    """Fit and write the file; after each round it holds the weights so far."""
    weights = first_weights(settings.seed)
    history: list[dict[str, float]] = []
    rounds: list[_Data] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    started = time.perf_counter()
    with Progress(*columns) as progress:
        for number in range(settings.rounds):
            rounds = [*rounds, play_round(settings, number, weights, progress)][-settings.memory :]
            weights = fit(settings, number, rounds, progress)
            history.append(losses(weights, rounds[-1]) | {"positions": sum(len(r.features) for r in rounds)})
            history[-1]["seconds"] = round(time.perf_counter() - started, 1)
            progress.console.print(f"round {number + 1}: {history[-1]}")
            write(out, weights, settings, history)


def write(
    out: Path, weights: NDArray[np.float32], settings: Settings, history: list[dict[str, float]]
) -> None:
    """Write weights and how they were made, whole or not at all."""
    facts = {"features": list(FEATURE_NAMES), "settings": asdict(settings), "rounds": history}
    with replacing(out) as draft, draft.open("wb") as file:
        np.savez(file, weights=weights, facts=np.array(json.dumps(facts)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="fit_value", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="the file to write (.npz)")
    defaults = Settings()
    for name, default in asdict(defaults).items():
        parser.add_argument(f"--{name}", type=type(default), default=default, help=f"default {default}")
    given = vars(parser.parse_args(arguments))
    out = given.pop("out")
    try:
        run(Settings(**given), out)
    except KeyboardInterrupt:
        print(f"interrupted; {out} holds the last round that was finished")
        return 130
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
