"""The settings of a training run, and presets. Light to import: the command line reads it for its help."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any

NETWORKS = ("squares", "mlp")
GAINS = ("none", "lead", "outlook", "turn")
SYMMETRIES = ("none", "mirror", "all")


def _setting(default: Any, meaning: str) -> Any:
    return field(default=default, metadata={"help": meaning})


@dataclass(frozen=True)
class Settings:
    """How to train. Each field has its meaning as ``metadata["help"]``.

    Raises
    ------
    ValueError
        If a value is out of its range.
    """

    seed: int = _setting(0, "of games, first weights and batches")
    steps: int = _setting(20_000_000, "decisions to play, those of rivals included, in whole updates")
    # Games.
    games: int = _setting(512, "games played side by side")
    horizon: int = _setting(64, "decisions of each game between two updates")
    past_share: float = _setting(0.1, "share of the games against past selves")
    heuristics: str = _setting(
        "greedy=0.05 planner:width=32=0.08", "other rivals and their shares of the games"
    )
    exploiter_share: float = _setting(
        0.0, "further games, as a share, in which an exploiter learns to beat the agent"
    )
    pool: int = _setting(20, "past selves kept")
    pool_every: int = _setting(10, "updates between two past selves")
    pool_keep: int = _setting(4, "updates for which a past self stays the rival of its games")
    symmetry: str = _setting("none", f"through which symmetries games are seen: {', '.join(SYMMETRIES)}")
    win_share_first: float = _setting(
        0.0, "share of the result in the reward at first; the rest is the lead / 50"
    )
    win_share_last: float = _setting(0.5, "the same at the end of the run")
    # Network.
    network: str = _setting("squares", f"kind of the network: {', '.join(NETWORKS)}")
    width: int = _setting(32, "channels of a square (squares), a quarter of the first hidden layer (mlp)")
    blocks: int = _setting(1, "residual blocks (squares)")
    trunk: int = _setting(128, "units of the layers that see the whole position")
    gains: str = _setting("outlook", f"what the network is told each action gains: {', '.join(GAINS)}")
    beam: int = _setting(8, "positions kept after each action in the search for the gains of a turn")
    start: str = _setting("", "file of a network to begin with, such as best.npz of another run")
    # Learning.
    rate: float = _setting(1e-3, "learning rate at first")
    rate_last: float = _setting(1e-4, "learning rate at the end; it falls in a line")
    epochs: int = _setting(1, "passes over the decisions of an update")
    minibatch: int = _setting(512, "decisions of a step of the optimiser")
    chunk: int = _setting(256, "decisions the network sees at once; it fits the cache of a core")
    discount: float = _setting(1.0, "of the reward, a decision")
    smoothing: float = _setting(0.95, "lambda of the advantages")
    clip: float = _setting(0.2, "largest change of a probability ratio that pays")
    value_weight: float = _setting(1.0, "weight of the value's error in the loss")
    entropy: float = _setting(0.005, "weight of the entropy in the loss at first")
    entropy_last: float = _setting(0.001, "the same at the end; it falls in a line")
    gradient: float = _setting(1.0, "largest norm of the gradient")
    threads: int = _setting(1, "threads of the network and of the engine")
    # The run.
    checkpoint_every: int = _setting(20, "updates between two checkpoints")
    evaluate_every: int = _setting(100, "updates between two evaluations")
    anchors: str = _setting(
        "random=200 greedy=200", "agents to evaluate against and games, half from each seat"
    )

    def __post_init__(self) -> None:
        self._check_types()
        for name, least in _LEAST.items():
            if not least <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} is {getattr(self, name)}: expected a number from {least}")
        for name in _SHARES:
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is {getattr(self, name)}: expected a number from 0 to 1")
        for name in ("clip", "gradient"):
            if getattr(self, name) == 0:
                raise ValueError(f"{name} is 0: expected a number above, or nothing is learned")
        shares = self.past_share + sum(self.heuristic_shares().values())
        if shares > 1:
            raise ValueError(
                f"past_share ({self.past_share:g}) and the shares in heuristics ({self.heuristics}) come to "
                f"{shares:g}: expected 1 or less together"
            )
        for name, choices in (("network", NETWORKS), ("symmetry", SYMMETRIES), ("gains", GAINS)):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} is {getattr(self, name)!r}: expected one of {', '.join(choices)}")
        decisions = self.games * self.horizon
        if self.minibatch > decisions:
            raise ValueError(f"minibatch is {self.minibatch}: expected games x horizon ({decisions}) or less")
        self.opponents()

    def _check_types(self) -> None:
        for setting in fields(self):
            given, kind = getattr(self, setting.name), type(setting.default)
            fits = isinstance(given, (int, float) if kind is float else kind) and not isinstance(given, bool)
            if not fits:
                expected = {int: "a whole number", float: "a number", str: "text"}[kind]
                raise ValueError(f"{setting.name} is {given!r}: expected {expected}")

    def opponents(self) -> dict[str, int]:
        """Return the anchors and the games against each."""
        found = {}
        for word in self.anchors.split():
            spec, equals, games = word.rpartition("=")
            if not equals or not games.isdigit() or int(games) < 2 or int(games) % 2:
                raise ValueError(
                    f"anchors has {word!r}: expected agent=games, an even number, as in random=200"
                )
            found[spec] = int(games)
        return found

    def heuristic_shares(self) -> dict[str, float]:
        """Return the agents that are rivals, and their shares of the games."""
        found = {}
        for word in self.heuristics.split():
            spec, equals, share = word.rpartition("=")
            if not equals or not share.replace(".", "", 1).isdigit() or float(share) > 1:
                raise ValueError(f"heuristics has {word!r}: expected agent=share, a number from 0 to 1")
            found[spec] = float(share)
        return found

    @property
    def decisions(self) -> int:
        """Decisions of an update, without those of the exploiter."""
        return self.games * self.horizon


_SHARES = (
    "past_share", "exploiter_share", "win_share_first", "win_share_last",
    "discount", "smoothing", "rate", "rate_last",
)  # fmt: skip
_LEAST = {
    "seed": 0, "steps": 1, "games": 2, "horizon": 1, "pool": 1, "pool_every": 1, "pool_keep": 1, "width": 1,
    "beam": 1, "blocks": 0, "trunk": 1, "epochs": 1, "minibatch": 1, "chunk": 1, "clip": 0,
    "value_weight": 0, "entropy": 0, "entropy_last": 0, "gradient": 0, "threads": 1, "checkpoint_every": 1,
    "evaluate_every": 1,
}  # fmt: skip

PRESETS: dict[str, dict[str, Any]] = {
    "smoke": {
        "steps": 300_000,
        "games": 256,
        "horizon": 32,
        "minibatch": 512,
        "pool_every": 5,
        "checkpoint_every": 4,
        "evaluate_every": 8,
        "anchors": "random=200 greedy=100",
    },
    "laptop": {
        "steps": 20_000_000,
        "anchors": "random=200 greedy=200 planner=40",
    },
    "strong": {
        "steps": 8_000_000,
        "gains": "turn",
        "heuristics": "greedy=0.02 planner:width=32=0.06 mcts:sims=100=0.06",
        "rate": 6e-4,
        "rate_last": 5e-5,
        "entropy": 0.003,
        "entropy_last": 0.0005,
        "win_share_first": 0.5,
        "win_share_last": 1.0,
        "evaluate_every": 60,
        "anchors": "greedy=200 planner=200 mcts:sims=200=200",
    },
}
"""Settings that differ from the defaults, by the name of the preset."""
