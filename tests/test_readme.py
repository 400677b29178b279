"""The README and the documentation: every Python snippet runs, every promise is kept."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from basilica_env.cli import main

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]


def snippets(page: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the source of every Python block of a page."""
    text = page.read_text(encoding="utf-8")
    for block in re.finditer(r"^```python[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield text.count("\n", 0, block.start(1)) + 1, block[1]


def all_snippets() -> Iterator[object]:
    for page in PAGES:
        for line, source in snippets(page):
            name = page.relative_to(ROOT).as_posix()
            yield pytest.param(name, line, source, id=f"{name}:{line}")


def section(heading: str) -> str:
    """Return the text under a second-level heading of the README."""
    text = README.read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found is not None, f"the README has no section '{heading}'"
    return found[1]


@pytest.mark.parametrize(("page", "line", "source"), list(all_snippets()))
def test_a_snippet_runs(
    page: str, line: int, source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code = compile("\n" * (line - 1) + source, page, "exec")

    exec(code, {"__name__": "__main__"})


@pytest.mark.parametrize(("heading", "last"), [("Quick start", "basilica demo"), ("Tests", "pytest -n 2")])
def test_a_newcomer_needs_one_command(heading: str, last: str) -> None:
    block = re.search(r"^```bash\n(.*?)^```$", section(heading), re.MULTILINE | re.DOTALL)

    assert block is not None
    assert block[1].count("\n") == 1
    steps = block[1].strip().split(" && ")
    assert steps[0] == "python3 -m venv .venv"
    assert steps[-1] == last


def test_links_lead_to_files() -> None:
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", README.read_text(encoding="utf-8"))

    assert targets
    assert [target for target in targets if not (ROOT / target).is_file()] == []


def test_the_verbs_exist(capsys: pytest.CaptureFixture[str]) -> None:
    verbs = re.findall(r"^\| `basilica (\w+)", section("Command line"), re.MULTILINE)

    assert verbs
    for verb in verbs:
        with pytest.raises(SystemExit) as stop:
            main([verb, "--help"])
        assert stop.value.code == 0
        assert f"basilica {verb}" in capsys.readouterr().out


def test_the_quick_start_needs_no_torch() -> None:
    assert "torch" not in section("Quick start")
    assert sys.version_info >= (3, 11)
