"""A training run from first to last: checkpoints, logs, evaluations, and going on after a stop."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict
from types import FrameType, TracebackType
from typing import Any, Protocol

import numpy as np
import torch

from basilica_env.agents.ppo import PpoAgent
from basilica_env.training.evaluation import Evaluation, evaluate
from basilica_env.training.folder import (
    BEST,
    EVALUATIONS,
    LAST,
    OWN,
    RunError,
    RunFolder,
    evaluation_row,
    git_revision,
    versions,
)
from basilica_env.training.ppo import PAST, Clock, Ends, Trainer, weights_of
from basilica_env.training.settings import Settings

EVALUATION_SEED = 1_000_000
"""Added to the seed of the run: all its evaluations play the same stacks."""


class Watch(Protocol):
    """Whoever looks on."""

    def tell(self, text: str) -> None:
        """Take a message."""

    def updated(self, trainer: Trainer, row: dict[str, Any]) -> None:
        """Take the row of the log after an update."""

    def evaluated(self, trainer: Trainer, evaluation: Evaluation) -> None:
        """Take an evaluation."""


class Silence:
    """A watch that says nothing."""

    def tell(self, text: str) -> None:
        """Say nothing."""

    def updated(self, trainer: Trainer, row: dict[str, Any]) -> None:
        """Say nothing."""

    def evaluated(self, trainer: Trainer, evaluation: Evaluation) -> None:
        """Say nothing."""


def train(
    run: RunFolder,
    settings: Settings | None = None,
    *,
    preset: str = "",
    resume: bool = False,
    watch: Watch | None = None,
) -> Trainer:
    """Train until the steps are done, or until Ctrl-C, after which the run can go on.

    Parameters
    ----------
    run : its folder
    settings : of a new run; a run that goes on has its own
    preset : where the settings come from, for the record
    resume : whether to go on from the newest whole checkpoint
    watch : told what happens

    Raises
    ------
    RunError
        If the folder holds a run already, or none to go on with, or another process is at it.
    ValueError
        If the network to start with does not fit.
    OSError
        If something cannot be written. The checkpoints before are as they were.
    KeyboardInterrupt
        After Ctrl-C: the update was finished and a checkpoint written.
    """
    if resume:
        chosen = run.settings()
        if run.facts().get("trainer", OWN) != OWN:
            raise RunError(f"{run.path} was trained by sb3: expected a run of the trainer ppo to go on with")
    else:
        chosen = settings or Settings()
        run.check_new()
    session = _Session(run, chosen, watch or Silence())
    if not resume:
        session.trainer.begin()
        run.create(chosen, preset)
        run.keep_start(chosen)
    with run.held():
        if resume:
            session.go_on()
        else:
            session.save()
        return session.work()


class _Session:
    """One process that works on a run."""

    def __init__(self, run: RunFolder, settings: Settings, watch: Watch) -> None:
        torch.set_num_threads(settings.threads)
        self.run = run
        self.settings = settings
        self.watch = watch
        self.trainer = Trainer(settings)
        self.seconds = 0.0
        self.best = -1.0
        self.saved = -1

    def go_on(self) -> None:
        """Put the run in the state of its newest whole checkpoint."""
        facts = self.run.load(self.trainer.restore, self.watch.tell)
        if facts.get("versions") != versions():
            self.watch.tell(
                "the checkpoint comes from other versions: numbers may differ from an unbroken run"
            )
        self.seconds, self.best = facts["seconds"], facts["best"]
        self.saved = self.trainer.updates
        self.run.forget_after(self.trainer.updates)
        if self.trainer.steps >= self.settings.steps:
            self.watch.tell(
                f"the run has ended, after {self.trainer.steps:,} steps: a new one can begin with its "
                f"network by --start {self.run.path / LAST}"
            )
        else:
            self.watch.tell(f"going on from update {self.trainer.updates} ({self.trainer.steps:,} steps)")

    def work(self) -> Trainer:
        """Repeat updates until the run is done or stopped."""
        trainer, settings = self.trainer, self.settings
        with _Stop(self.watch) as stop, _Board(self.run, trainer.steps) as board:
            if trainer.updates == 0 and not self.run.rows(EVALUATIONS):
                self._evaluate(board)  # where it begins
            while trainer.steps < settings.steps and not stop.asked:
                row = self._update()
                self.run.log(row)
                board.log(row)
                self.watch.updated(trainer, row)
                done = trainer.steps >= settings.steps
                if done or trainer.updates % settings.evaluate_every == 0:
                    self._evaluate(board)
                if trainer.updates % settings.checkpoint_every == 0:
                    self.save()
            if self.saved != trainer.updates:
                self.save()
        if stop.asked:
            raise KeyboardInterrupt
        return trainer

    def save(self) -> None:
        """Write a checkpoint and the network as it is."""
        facts = {
            "settings": asdict(self.settings),
            "seconds": self.seconds,
            "best": self.best,
            "versions": versions(),
        }
        self.run.save(self.trainer.updates, self.trainer.state(), facts)
        self._save_network(LAST)
        self.saved = self.trainer.updates

    def _save_network(self, name: str) -> None:
        facts = {
            "settings": asdict(self.settings),
            "steps": self.trainer.steps,
            "seconds": round(self.seconds, 1),
            "git": git_revision(),
            "versions": versions(),
        }
        self.run.save_network(name, weights_of(self.trainer.agent.network), facts)

    def _update(self) -> dict[str, Any]:
        trainer, learner = self.trainer, self.trainer.agent
        learner.clock = Clock()
        started, steps = time.perf_counter(), trainer.steps
        try:
            report = trainer.update()
        except FloatingPointError as error:
            raise self._diverged(str(error)) from error
        self._check_finite(report)
        seconds = time.perf_counter() - started
        self.seconds += seconds
        parts = {f"seconds_{part}": round(spent, 3) for part, spent in learner.clock.seconds.items()}
        return {
            "update": trainer.updates,
            "steps": trainer.steps,
            "seconds": round(self.seconds, 2),
            "steps_per_second": round((trainer.steps - steps) / seconds),
            **{name: round(value, 6) for name, value in report.items()},
            **_of_ends(learner.ends.take()),
            **parts,
        }

    def _check_finite(self, report: dict[str, float]) -> None:
        """Check that the network can go on; what diverges is neither logged nor kept."""
        weights = weights_of(self.trainer.agent.network)
        faults = [name for name, value in report.items() if not np.isfinite(value)]
        faults += [name for name, array in weights.items() if not np.isfinite(array).all()]
        if faults:
            raise self._diverged(faults[0])

    def _diverged(self, what: str) -> RunError:
        return RunError(
            f"learning has diverged by update {self.trainer.updates}, no finite {what}: expected a smaller "
            f"rate than {self.settings.rate:g}"
        )

    def _evaluate(self, board: _Board) -> None:
        """Play against the anchors; keep the network if it does better than any before."""
        agent = PpoAgent.of(weights_of(self.trainer.agent.network), self.settings.beam)
        scores: list[float] = []
        for anchor, games in self.settings.opponents().items():
            found = evaluate(
                agent, anchor, games, self.settings.seed + EVALUATION_SEED, self.settings.threads
            )
            scores.append(found.score.value)
            row = {
                "update": self.trainer.updates,
                "steps": self.trainer.steps,
                "seconds": round(self.seconds, 2),
            }
            row |= evaluation_row(found)
            self.run.log_evaluation(row)
            board.log_evaluation(row)
            self.watch.evaluated(self.trainer, found)
        if scores and np.mean(scores) >= self.best:
            self.best = float(np.mean(scores))
            self._save_network(BEST)


def _of_ends(ends: Ends) -> dict[str, Any]:
    """Return what the games that ended add to the row of the log."""
    past = ends.scores.get(PAST, [])
    others = [score for kind, scores in ends.scores.items() if kind != PAST for score in scores]
    means: dict[str, Sequence[float]] = {
        "length": ends.lengths,
        "margin": ends.margins,
        "score_past": past,
        "score_heuristics": others,
    }
    row: dict[str, Any] = {"games": len(ends.lengths)}
    return row | {name: round(float(np.mean(values)), 3) for name, values in means.items() if values}


class _Stop:
    """Ctrl-C asks the run to stop after the update; a second one stops it at once."""

    def __init__(self, watch: Watch) -> None:
        self.asked = False
        self._watch = watch
        self._before: Any = None

    def __enter__(self) -> _Stop:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._ask)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _ask(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
        self._watch.tell("stopping after this update; Ctrl-C again stops at once")


class _Board:
    """The numbers for TensorBoard; without it, nothing."""

    def __init__(self, run: RunFolder, steps: int) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            self._writer = None
        else:
            self._writer = SummaryWriter(str(run.path / "tensorboard"), purge_step=steps or None)

    def __enter__(self) -> _Board:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._writer is not None:
            self._writer.close()

    def log(self, row: dict[str, Any]) -> None:
        """Add the row of an update, by the names of its columns."""
        for name, value in row.items():
            if name not in ("update", "steps"):
                self._add(f"train/{name}", value, row["steps"])

    def log_evaluation(self, row: dict[str, Any]) -> None:
        """Add the row of an evaluation."""
        for name in ("score", "low", "high", "lead"):
            self._add(f"evaluation/{row['anchor']}/{name}", row[name], row["steps"])

    def _add(self, name: str, value: float, steps: int) -> None:
        if self._writer is not None:
            self._writer.add_scalar(name, value, steps)
