"""``basilica train``: an agent that learns by playing against itself."""

from __future__ import annotations

import argparse
import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from basilica_env.cli.game import agent_of
from basilica_env.cli.terminal import Failure, Misuse, add_verb, failing
from basilica_env.training.settings import PRESETS, Settings

if TYPE_CHECKING:
    from rich.progress import Progress

    from basilica_env.training.evaluation import Evaluation
    from basilica_env.training.folder import RunFolder
    from basilica_env.training.ppo import Trainer

TRAINERS = ("ppo", "sb3")


def add(verbs: Any) -> None:
    """Add the verb, with an option for each setting."""
    parser = add_verb(
        verbs,
        "train",
        "train an agent in self-play",
        "A network learns by proximal policy optimisation from games against itself, past selves and other "
        "agents. The run is kept in a folder: settings, logs, checkpoints, and the networks best.npz and "
        "last.npz for the agent ppo. Ctrl-C stops it after the update that is going on; --resume goes on.",
        (
            ("basilica train --preset smoke --out smoke", "two minutes, to see that it learns"),
            ("basilica train --out run", "about an hour (the preset laptop)"),
            ("basilica train --out run --resume", "go on with it"),
            (
                "basilica train --preset strong --start run/last.npz --out stronger",
                "the second stage of the agent that ships, another hour",
            ),
            ("basilica train --reproduce run --out again", "the same run once more"),
            ("basilica match ppo:path=run/best.npz greedy", "how strong it has become"),
        ),
    )
    parser.usage = "%(prog)s --out FOLDER [--preset NAME] [--resume] [--reproduce RUN] [settings]"
    parser.add_argument("--out", type=_folder, metavar="FOLDER", required=True, help="folder of the run")
    parser.add_argument("--preset", choices=sorted(PRESETS), help="settings to begin with (default: laptop)")
    parser.add_argument("--resume", action="store_true", help="go on with the run in the folder")
    parser.add_argument("--reproduce", type=Path, metavar="RUN", help="take all settings from another run")
    parser.add_argument(
        "--trainer",
        choices=TRAINERS,
        default="ppo",
        help="ppo: this project's own; sb3: MaskablePPO of sb3-contrib (default: %(default)s)",
    )
    group = parser.add_argument_group("settings", "each overrides the preset")
    laptop = Settings(**PRESETS["laptop"])
    for setting in fields(Settings):
        group.add_argument(
            f"--{setting.name.replace('_', '-')}",
            dest=f"set_{setting.name}",
            type=type(setting.default),
            metavar="X",
            help=f"{setting.metadata['help']} (default: {getattr(laptop, setting.name)})".replace("%", "%%"),
        )
    parser.set_defaults(run=run)


def _folder(text: str) -> Path:
    if not text:
        raise argparse.ArgumentTypeError("expected the name of a folder, got nothing")
    return Path(text)


def run(options: argparse.Namespace) -> int:
    """Train.

    Raises
    ------
    Misuse
        The settings or options do not fit together.
    Failure
        The folder cannot be written, or holds no run to go on with; or an extra is missing.
    """
    given = {
        setting.name: getattr(options, f"set_{setting.name}")
        for setting in fields(Settings)
        if getattr(options, f"set_{setting.name}") is not None
    }
    _check(options, given)
    try:
        import torch  # noqa: F401
    except ImportError as error:
        raise Failure('training needs PyTorch: pip install "basilica-env[train]"') from error
    from basilica_env.training.folder import RunFolder

    folder = RunFolder(options.out)
    with failing():
        settings, preset = _settings(options, given)
        if not options.resume:  # a run that goes on has settings of its own
            for spec in {**settings.opponents(), **settings.heuristic_shares()}:
                agent_of(spec, 0)
        if options.trainer == "sb3":
            _sb3(folder, settings, preset)
        else:
            _own(folder, settings, preset, options.resume)
    return 0


def _check(options: argparse.Namespace, given: dict[str, Any]) -> None:
    if options.resume and (options.reproduce or options.preset or given):
        raise Misuse("--resume: a run goes on with its own settings: expected no others")
    if options.reproduce and (options.preset or given):
        raise Misuse("--reproduce: the settings are those of the other run: expected no others")
    if options.resume and options.trainer == "sb3":
        raise Misuse("--resume: only runs of the trainer ppo can go on")
    if options.trainer == "sb3" and given:
        from basilica_env.training.sb3 import USED

        unused = sorted(set(given) - USED)
        if unused:
            raise Misuse(f"--trainer sb3 has no use for {unused[0]!r}: expected {', '.join(sorted(USED))}")


def _settings(options: argparse.Namespace, given: dict[str, Any]) -> tuple[Settings, str]:
    from basilica_env.training.folder import RunFolder

    if options.reproduce:
        other = RunFolder(options.reproduce)
        return other.settings_again(), str(other.facts().get("preset", ""))
    preset = options.preset or "laptop"
    try:
        return replace(Settings(**PRESETS[preset]), **given), preset
    except ValueError as error:
        raise Misuse(str(error)) from error


def _own(folder: RunFolder, settings: Settings, preset: str, resume: bool) -> None:
    from basilica_env.training.train import train

    with _Watch(folder) as watch:
        if preset == "strong" and not settings.start and not resume:
            watch.tell("strong is meant to begin with a network of the preset laptop: --start RUN/last.npz")
        try:
            train(folder, settings, preset=preset, resume=resume, watch=watch)
        except OSError as error:
            kept = folder.checkpoints()
            if kept:
                watch.tell(f"the run can go on from {kept[0]} with --resume")
            raise error
        except KeyboardInterrupt:
            if folder.checkpoints():
                watch.tell(f"stopped; basilica train --out {folder.path} --resume goes on")
            else:
                watch.tell("stopped before the run began")
            raise


def _sb3(folder: RunFolder, settings: Settings, preset: str) -> None:
    from basilica_env.training.sb3 import train

    with _Watch(folder) as watch:
        train(folder, settings, preset=preset, tell=watch.tell)


class _Watch:
    """Shows a run: a bar with rate and time left, and a line for each evaluation."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self._progress: Progress | None = None
        self._task: Any = None

    def __enter__(self) -> _Watch:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

            self._progress = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.completed:,.0f}/{task.total:,.0f} steps"),
                TextColumn("{task.fields[rate]} steps/s"),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(),
                console=Console(file=sys.stderr, highlight=False),
                speed_estimate_period=120,
            )
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.stop()

    def tell(self, text: str) -> None:
        """Write a line."""
        if self._progress is not None:
            self._progress.console.print(text, markup=False)
        else:
            print(text, file=sys.stderr, flush=True)

    def updated(self, trainer: Trainer, row: dict[str, Any]) -> None:
        """Move the bar on."""
        if self._progress is None:
            return
        if self._task is None:
            done = trainer.steps - trainer.agent.rollout.actions.numel()
            self._task = self._progress.add_task("", total=trainer.settings.steps, completed=done, rate="")
        self._progress.update(
            self._task,
            description=f"update {trainer.updates}, entropy {row['entropy']:.2f}",
            completed=trainer.steps,
            rate=f"{row['steps_per_second']:,}",
        )

    def evaluated(self, trainer: Trainer, evaluation: Evaluation) -> None:
        """Write a line with the score."""
        score = evaluation.score
        self.tell(
            f"{trainer.steps:>11,} steps: {100 * score.value:5.1f} % against {evaluation.anchor} "
            f"(95 %: {100 * score.low:.1f} to {100 * score.high:.1f}; {evaluation.games} games, "
            f"lead {evaluation.lead:+.1f})"
        )
