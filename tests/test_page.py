"""The page on the environment: its tables are those of the code, its numbers are true."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from basilica_env import GameState, basilica_v0
from basilica_env.core.observation import OBSERVATION_SIZE, PLANES_SIZE

DOCS = Path(__file__).parent.parent / "docs"


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def page() -> str:
    return (DOCS / "basilica.md").read_text(encoding="utf-8")


def test_the_page_is_up_to_date(generate: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert generate.main(["--check"]) == 0, capsys.readouterr().err


def test_a_page_out_of_date_is_found_and_rewritten(
    generate: ModuleType, page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "basilica.md"
    old.write_text(page.replace("| 16 | `mine` |", "| 16 | `yours` |"), encoding="utf-8")
    monkeypatch.setattr(generate, "PAGE", old)
    assert generate.main(["--check"]) == 1
    assert generate.main([]) == 0
    assert old.read_text(encoding="utf-8") == page


def test_a_missing_block_is_an_error(generate: ModuleType, page: str) -> None:
    with pytest.raises(ValueError, match="scalars"):
        generate.filled(page.replace("<!-- generated: scalars -->", ""))


def test_the_worked_examples_are_right(page: str) -> None:
    state = GameState.new(seed=0)
    examples = re.findall(r"`([^`]+)` (?:places|promotes|moves)[^=]*?[\d ·+]+ = (\d+)", page)
    assert [move for move, _ in examples] == ["V2c3", "c3=M", "c3-b3"]
    for move, action in examples:
        assert state.action_of(move) == int(action)


def test_every_action_is_in_the_row_of_its_move_text(page: str) -> None:
    rows = re.findall(r"^\| (\d+)(?: – (\d+))? \| [^|]* \| (\d+) \| `([^`]+)` \|", page, re.MULTILINE)
    assert sum(int(count) for _, _, count, _ in rows) == 667
    state = GameState.new(seed=0)
    for first, last, count, move in rows:
        actions = range(int(first), int(last or first) + 1)
        assert len(actions) == int(count)
        assert state.action_of(move) in actions
        outlines = {outline(state.move_of(action)) for action in actions if has_text(state, action)}
        assert outlines == {outline(move)}


def outline(move: str) -> str:
    """Return a move text without its spaces, squares and ranks."""
    return re.sub(r"\d|[a-e](?=\d)|(?<==)[AMS]", "", move)


def has_text(state: GameState, action: int) -> bool:
    """Return whether an action has a text; a step off the board has none."""
    try:
        state.move_of(action)
    except ValueError:
        return False
    return True


def test_shapes_and_offsets_are_right(page: str) -> None:
    env = basilica_v0.env(observation="dict")
    env.reset(seed=0)
    seen = env.observe("player_0")["observation"]
    for name, array in seen.items():
        assert f"| `{name}` | `{array.shape}` |" in page
    assert f"| vector | `({OBSERVATION_SIZE},)` |" in page
    assert f"from entry {PLANES_SIZE} on" in page
    planes = re.findall(r"^\| (\d+) \| `(\w+)` \| [^|]+ \|$", page, re.MULTILINE)
    assert [int(number) for number, _ in planes] == list(range(24))
    crown = {name: int(number) for number, name in planes}["mine"]
    rng = np.random.default_rng(0)
    while env.game.view().builders == (5, 5):
        env.step(int(rng.choice(env.game.legal_actions())))
    builders = [env.observe(agent)["observation"]["planes"][crown].sum() for agent in env.agents]
    assert sorted(builders) == [0, 1]
