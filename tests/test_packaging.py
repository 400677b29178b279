"""What is installed: version, typing marker, data, packages, command."""

import subprocess
import sys
import tomllib
from importlib import metadata, resources
from pathlib import Path

import pytest

import basilica_env

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUPTOOLS = PROJECT["tool"]["setuptools"]
FOLDERS: dict[str, str] = SETUPTOOLS["package-dir"]


def found_packages() -> set[str]:
    """Return the name of every package in the folders that are installed."""
    return {
        ".".join([name, *init.parent.relative_to(ROOT / folder).parts])
        for name, folder in FOLDERS.items()
        for init in (ROOT / folder).rglob("__init__.py")
    }


def test_one_version() -> None:
    version = PROJECT["project"]["version"]

    assert basilica_env.__version__ == version
    assert metadata.version("basilica-env") == version
    assert f"\n## {version}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_every_package_is_installed() -> None:
    assert set(SETUPTOOLS["packages"]) == found_packages()


@pytest.mark.parametrize("package", [name for name in FOLDERS if name != "basilica_env"])
def test_a_top_level_folder_has_one_home(package: str) -> None:
    shadow = ROOT.joinpath(*package.split("."))

    assert not shadow.exists(), f"{shadow} would hide the folder {FOLDERS[package]}"


def test_data_files_are_in_the_package() -> None:
    package = resources.files("basilica_env")

    assert package.joinpath("py.typed").is_file()
    assert package.joinpath("data", "standard.csv").is_file()


def test_every_data_file_is_declared() -> None:
    declared = {
        path
        for package, patterns in SETUPTOOLS["package-data"].items()
        for pattern in patterns
        for path in (ROOT / FOLDERS[package]).glob(pattern)
    }
    data = {
        path
        for folder in FOLDERS.values()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix != ".py" and "__pycache__" not in path.parts
    }

    assert data == declared


def test_the_command_is_installed() -> None:
    (command,) = metadata.entry_points(group="console_scripts", name="basilica")

    assert callable(command.load())


def test_the_command_is_the_module_that_hears_ctrl_c_first() -> None:
    module, _, function = PROJECT["project"]["scripts"]["basilica"].partition(":")

    assert module in SETUPTOOLS["py-modules"]
    assert (ROOT / f"{module}.py").is_file()
    assert function == "main"


def test_the_command_says_its_version() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "basilica_env.cli", "--version"], capture_output=True, text=True, check=True
    )

    assert basilica_env.__version__ in result.stdout
