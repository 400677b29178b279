"""The folder of a training run.

============================  ==========================================================================
``run.json``                  settings, preset, versions, git revision, the command
``log.csv``                   a row an update (:data:`LOG_COLUMNS`)
``evaluations.csv``           a row for each anchor of each evaluation (:data:`EVALUATION_COLUMNS`)
``tensorboard/``              the same numbers for TensorBoard
``checkpoints/00000120.npz``  everything that the run goes on from, the newest two
``start.npz``                 the network that it began with, if it is that of another run
``last.npz``, ``best.npz``    the network for the agent ``ppo``
============================  ==========================================================================
"""

from __future__ import annotations

import csv
import io
import json
import os
import platform
import shutil
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from basilica_env import __version__
from basilica_env.agents.ppo import PREFIX, Weights
from basilica_env.core.compile import source_digest
from basilica_env.files import named, replacing, write_text
from basilica_env.training.evaluation import Evaluation
from basilica_env.training.settings import Settings

try:
    import fcntl
except ImportError:  # no such locks on Windows
    fcntl = None  # type: ignore[assignment]

RUN, LOG, EVALUATIONS = "run.json", "log.csv", "evaluations.csv"
CHECKPOINTS, START, BEST, LAST = "checkpoints", "start.npz", "best.npz", "last.npz"
OWN, SB3 = "ppo", "sb3"
"""Trainers."""
EDITABLE = ("steps", "threads", "checkpoint_every", "evaluate_every", "anchors")
"""Settings that may be edited before a run goes on."""
KEPT = 2
"""Checkpoints that stay."""

LOG_COLUMNS = (
    "update",
    "steps",
    "seconds",
    "steps_per_second",
    "policy_loss",
    "value_loss",
    "entropy",
    "divergence",
    "clipped",
    "explained",
    "first_ratio_deviation",
    "rate",
    "entropy_weight",
    "win_share",
    "games",
    "length",
    "margin",
    "score_past",
    "score_heuristics",
    "seconds_engine",
    "seconds_network",
    "seconds_rivals",
    "seconds_learning",
)
EVALUATION_COLUMNS = (
    "update",
    "steps",
    "seconds",
    "anchor",
    "games",
    "score",
    "low",
    "high",
    "score_seat_0",
    "score_seat_1",
    "lead",
)

Arrays = dict[str, NDArray[Any]]


class RunError(ValueError):
    """A folder that is no run, or a run that cannot go on."""


def versions() -> dict[str, str]:
    """Return the versions that numbers may depend on, the sources of the engine by their digest."""
    found = {"basilica-env": __version__, "engine": source_digest(), "python": platform.python_version()}
    for package in ("numpy", "numba", "torch"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "none"
    return found


def git_revision() -> str | None:
    """Return the revision of the sources, with ``+`` if they were changed since; None outside a clone."""
    here = Path(__file__).parent
    try:
        head = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=here, capture_output=True, text=True, check=True, timeout=10
        ).stdout.strip()
        changed = subprocess.run(
            ["git", "status", "--porcelain", "--untracked-files=no"],
            cwd=here, capture_output=True, text=True, check=True, timeout=10,
        ).stdout.strip()  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    return head + ("+" if changed else "")


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any]) -> None:
    """Write arrays and facts about them as ``.npz``, the whole file or nothing.

    Raises
    ------
    OSError
        If it cannot be written, for want of space for one; a file of this name is as it was.
    """
    with replacing(path) as draft, draft.open("wb") as file:
        np.savez(file, **{**arrays, "facts": np.array(json.dumps(facts))})  # type: ignore[arg-type]
        file.flush()
        os.fsync(file.fileno())


def read_arrays(path: Path) -> tuple[Arrays, dict[str, Any]]:
    """Read what :func:`write_arrays` wrote; every byte is checked against its sum.

    Raises
    ------
    RunError
        If the file is damaged.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        return arrays, json.loads(str(arrays.pop("facts")))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        reason = error if zipfile.is_zipfile(path) else "it is no .npz file"
        raise RunError(f"{path} is damaged: {reason}") from error


class RunFolder:
    """The folder of one run; one process at a time writes to it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = named(path)

    # --- The run ----------------------------------------------------------------------------------

    def check_new(self) -> None:
        """Check that nothing is in the way of a new run.

        Raises
        ------
        RunError
            If the folder holds a run already, or anything else, or is none.
        """
        if (self.path / RUN).exists():
            raise RunError(f"{self.path} holds a run already: expected a new folder, or --resume")
        if self.path.exists() and not self.path.is_dir():
            raise RunError(f"{self.path} is a file: expected a new folder")
        if self.path.exists() and any(self.path.iterdir()):
            raise RunError(f"{self.path} holds files of something else: expected a new folder")

    def create(self, settings: Settings, preset: str, trainer: str = OWN) -> None:
        """Make the folder of a new run.

        Raises
        ------
        RunError
            See :meth:`check_new`.
        """
        self.check_new()
        self.path.mkdir(parents=True, exist_ok=True)
        if trainer == OWN:
            (self.path / CHECKPOINTS).mkdir()
        facts = {
            "trainer": trainer,
            "preset": preset,
            "settings": asdict(settings),
            "versions": versions(),
            "git": git_revision(),
            "command": sys.argv,
            "system": platform.platform(),
            "processors": os.cpu_count(),
        }
        write_text(self.path / RUN, json.dumps(facts, indent=2) + "\n")

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other processes from working on the run. The system lets go of it if this one is killed.

        Raises
        ------
        RunError
            If another one is at it.
        """
        with (self.path / RUN).open("rb") as file:
            if fcntl is not None:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    raise RunError(f"another process is working on the run in {self.path}") from None
            yield

    def facts(self) -> dict[str, Any]:
        """Return what ``run.json`` says.

        Raises
        ------
        RunError
            If it says nothing of a run.
        """
        try:
            facts = json.loads((self.path / RUN).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise RunError(f"{self.path} holds no run: there is no {RUN}") from None
        except NotADirectoryError:
            raise RunError(f"{self.path} is a file: expected the folder of a run") from None
        except (OSError, ValueError) as error:
            raise RunError(f"{self.path / RUN} is damaged: {error}") from error
        if not isinstance(facts, dict) or not isinstance(facts.get("settings"), dict):
            raise RunError(f"{self.path / RUN} names no settings")
        return facts

    def keep_start(self, settings: Settings) -> None:
        """Keep the network that the run begins with, for the file may change before the run is reproduced."""
        if settings.start:
            with replacing(self.path / START) as draft:
                shutil.copyfile(settings.start, draft)

    def settings_again(self) -> Settings:
        """Return the settings of the same run once more.

        Raises
        ------
        RunError
            See :meth:`settings`.
        """
        settings = self.settings()
        return replace(settings, start=str(self.path / START)) if settings.start else settings

    def settings(self) -> Settings:
        """Return the settings of the run.

        Raises
        ------
        RunError
            If there are none, or some that this version does not know.
        """
        given = self.facts()["settings"]
        known = {entry.name for entry in fields(Settings)}
        unknown = sorted(set(given) - known)
        if unknown:
            raise RunError(f"{self.path / RUN} has the setting {unknown[0]!r}, unknown to this version")
        try:
            return Settings(**given)
        except (TypeError, ValueError) as error:
            raise RunError(f"{self.path / RUN}: {error}") from error

    # --- Checkpoints ------------------------------------------------------------------------------

    def checkpoints(self) -> list[Path]:
        """Return the checkpoints, the newest first."""
        return sorted((self.path / CHECKPOINTS).glob("[0-9]*.npz"), reverse=True)

    def save(self, update: int, arrays: Arrays, facts: Mapping[str, Any]) -> None:
        """Write a checkpoint, then let go of all but the newest.

        Raises
        ------
        OSError
            If it cannot be written; those before it are as they were.
        """
        write_arrays(self.path / CHECKPOINTS / f"{update:08}.npz", arrays, facts)
        for old in self.checkpoints()[KEPT:]:
            old.unlink(missing_ok=True)

    def load(self, restore: Callable[[Arrays], None], warn: Callable[[str], None]) -> dict[str, Any]:
        """Go on from the newest checkpoint that is whole; return the facts in it.

        Parameters
        ----------
        restore : puts the arrays in place
        warn : told of each checkpoint that is damaged

        Raises
        ------
        RunError
            If none is whole, or ``run.json`` has other settings than it.
        """
        for path in self.checkpoints():
            try:
                arrays, facts = read_arrays(path)
            except RunError as error:
                warn(f"{error}; trying the one before")
                continue
            self._check_unedited(facts.get("settings", {}))
            try:
                restore(arrays)
            except (KeyError, ValueError, RuntimeError) as error:
                warn(f"{path} does not fit the run: {error}; trying the one before")
                continue
            return facts
        raise RunError(f"{self.path} has no whole checkpoint to go on from")

    def _check_unedited(self, settings: Mapping[str, Any]) -> None:
        """Name a setting that was another one when a checkpoint was written."""
        for name, now in asdict(self.settings()).items():
            before = settings.get(name, now)
            if before != now and name not in EDITABLE:
                raise RunError(
                    f"{self.path / RUN} was edited: {name} is {now}, and its checkpoints "
                    f"were made with {before}"
                )

    def save_network(self, name: str, weights: Weights, facts: Mapping[str, Any]) -> None:
        """Write a network for the agent ``ppo``."""
        write_arrays(self.path / name, {PREFIX + key: array for key, array in weights.items()}, facts)

    # --- Logs -------------------------------------------------------------------------------------

    def log(self, row: Mapping[str, Any]) -> None:
        """Add a row to the log."""
        _add_row(self.path / LOG, LOG_COLUMNS, row)

    def log_evaluation(self, row: Mapping[str, Any]) -> None:
        """Add a row to the evaluations."""
        _add_row(self.path / EVALUATIONS, EVALUATION_COLUMNS, row)

    def rows(self, name: str) -> list[dict[str, str]]:
        """Return the rows of a log; none if there is no such file."""
        try:
            text = (self.path / name).read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        return list(csv.DictReader(io.StringIO(text)))

    def forget_after(self, update: int) -> None:
        """Take out of the logs what came after an update, which is to be done again."""
        for name, columns in ((LOG, LOG_COLUMNS), (EVALUATIONS, EVALUATION_COLUMNS)):
            rows = [
                row
                for row in self.rows(name)
                if (row["update"] or "").isdigit() and int(row["update"]) <= update
            ]
            if (self.path / name).exists():
                with (
                    replacing(self.path / name) as draft,
                    draft.open("w", encoding="utf-8", newline="") as file,
                ):
                    writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
                    writer.writeheader()
                    writer.writerows(rows)


def evaluation_row(evaluation: Evaluation) -> dict[str, Any]:
    """Return what an evaluation adds to its row of the log."""
    seats = [(wins + draws / 2) / max(1, wins + draws + losses) for wins, draws, losses in evaluation.seats]
    score = evaluation.score
    return {
        "anchor": evaluation.anchor,
        "games": evaluation.games,
        "score": round(score.value, 4),
        "low": round(score.low, 4),
        "high": round(score.high, 4),
        "score_seat_0": round(seats[0], 4),
        "score_seat_1": round(seats[1], 4),
        "lead": round(evaluation.lead, 2),
    }


def _add_row(path: Path, columns: Sequence[str], row: Mapping[str, Any]) -> None:
    is_new = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow(row)
