"""Imports go one way, and importing the package stays cheap."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = ROOT / "pyproject.toml"
SETUPTOOLS = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["tool"]["setuptools"]

HEAVY = (
    "jax",
    "llvmlite",
    "matplotlib",
    "msgspec",
    "numba",
    "pandas",
    "pgx",
    "pyarrow",
    "pygame",
    "pyspiel",
    "ray",
    "sb3_contrib",
    "scipy",
    "stable_baselines3",
    "starlette",
    "tensorboard",
    "torch",
    "uvicorn",
)


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder with the package as an ordinary install lays it out, `agents` and its like inside it."""
    for package, folder in sorted(SETUPTOOLS["package-dir"].items()):
        shutil.copytree(
            ROOT / folder,
            tmp_path.joinpath(*package.split(".")),
            ignore=shutil.ignore_patterns("__pycache__"),
            dirs_exist_ok=True,
        )
    return tmp_path


def check_layers(installed: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter with the contracts of the project on an installed package."""
    command = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    return subprocess.run(
        [sys.executable, "-c", command, "--no-cache", str(PROJECT)],
        cwd=installed,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
    )


def test_imports_go_one_way(installed: Path) -> None:
    result = check_layers(installed)

    assert result.returncode == 0, result.stdout + result.stderr
    assert "0 broken" in result.stdout


@pytest.mark.parametrize(
    ("module", "imported"),
    [
        ("core/layout.py", "basilica_env.game"),
        ("game.py", "basilica_env.agents"),
        ("agents/__init__.py", "basilica_env.cli"),
        ("reference.py", "basilica_env.core.rules"),
        ("envs/__init__.py", "basilica_env.reference"),
    ],
)
def test_an_import_upwards_is_found(installed: Path, module: str, imported: str) -> None:
    with (installed / "basilica_env" / module).open("a", encoding="utf-8") as file:
        file.write(f"\nimport {imported}\n")

    result = check_layers(installed)

    assert result.returncode == 1, result.stdout + result.stderr
    assert "BROKEN" in result.stdout
    assert imported in result.stdout


@pytest.mark.parametrize("module", ["basilica_env", "basilica_env.cli"])
def test_the_import_is_light(module: str) -> None:
    source = f"import sys, {module}; print(*(name for name in {HEAVY} if name in sys.modules))"

    result = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)

    assert result.stdout.split() == []
