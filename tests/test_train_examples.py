"""The examples and the trainer sb3 learn: what they come to has a floor."""

from __future__ import annotations

import runpy
import shlex
import sys
from pathlib import Path

import pytest

pytest.importorskip("sb3_contrib", minversion="2.8")
pytest.importorskip("tensorboard")

import torch

from basilica_env.cli import main
from basilica_env.training.folder import RunFolder

EXAMPLES = Path(__file__).parents[1] / "examples"
FLOORS = {"selfplay_sb3": 0.7, "selfplay_torch": 0.93}
"""Above what the network scores before it has learned anything: 0.58 and 0.91 in 400 games."""


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)  # the tests share their machine


@pytest.mark.slow
@pytest.mark.parametrize(("name", "steps"), [("selfplay_sb3", 40_000), ("selfplay_torch", 40_000)])
def test_an_example_learns_to_beat_random(name: str, steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In 400 games, half of them from each seat, the whole 95 % interval lies above the floor."""
    monkeypatch.setattr(sys, "argv", [name, "--steps", str(steps)])
    assert runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"]() > FLOORS[name]


def test_the_example_of_maskable_ppo_is_short() -> None:
    assert len((EXAMPLES / "selfplay_sb3.py").read_text(encoding="utf-8").splitlines()) <= 60


def test_the_trainer_sb3_plays_all_its_rivals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["train", "--trainer", "sb3", "--out", str(tmp_path / "run")]
    words += shlex.split("--games 32 --horizon 16 --minibatch 128 --steps 3072 --past-share 0.4 --pool 2")
    words += shlex.split("--heuristics greedy=0.3 --pool-every 1 --trunk 32 --evaluate-every 4")
    words += shlex.split("--anchors random=20")
    assert main(words) == 0
    assert capsys.readouterr().err.count("% against random") == 2
    run = RunFolder(tmp_path / "run")
    assert run.settings().games == 32
    assert (run.path / "model.zip").is_file()
    assert (run.path / "progress.csv").is_file()
    assert main(words) == 1
    assert "holds a run already" in capsys.readouterr().err
