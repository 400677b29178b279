"""Both engines count the lines of play of the published positions (tests/perft)."""

from __future__ import annotations

import pytest

import basilica_env
from basilica_env import GameState
from tests.engines import Compiled, Engine, Reference
from tests.perft import DEPTH, PAGE, TABLE, Published, page_text, perft, read_table, table_text
from tests.positions import split

PUBLISHED = read_table()
REFERENCE_DEPTH = 3

DECISIONS = (
    "main",
    "main@",
    "vault",
    "promote",
    "move",
    "recruit",
    "remove",
    "confuse",
    "glass",
    "disaster",
    "scaffold 2",
    "scaffold 1",
    "offer",
    "paid-promote",
    "paid-recruit",
    "paid-confuse",
)


def kind(position: str) -> str:
    """Give the kind of decision of a position."""
    decision = split(position)["decision"]
    name = decision.split(":")[0]
    if name == "scaffold":
        return f"{name} {decision[-1]}"
    return "main@" if "@" in name else name


def test_every_kind_of_decision_is_published() -> None:
    assert {kind(row.position) for row in PUBLISHED} == set(DECISIONS)


@pytest.mark.parametrize("row", PUBLISHED, ids=lambda row: row.name)
def test_compiled_engine(row: Published) -> None:
    state = GameState.from_text(row.position, seed=0)
    assert tuple(basilica_env.perft(state, depth) for depth in range(1, DEPTH + 1)) == row.counts
    assert state.to_text() == row.position


@pytest.mark.parametrize("row", PUBLISHED, ids=lambda row: row.name)
@pytest.mark.parametrize("engine", [Compiled, Reference])
def test_move_by_move(engine: type[Engine], row: Published) -> None:
    depths = range(1, REFERENCE_DEPTH + 1)
    game = engine.from_text(row.position)
    assert tuple(perft(game, depth) for depth in depths) == row.counts[:REFERENCE_DEPTH]


def test_depth_0_is_one_line_and_a_finished_game_has_no_other() -> None:
    state = GameState.from_text(PUBLISHED[0].position, seed=0)
    assert basilica_env.perft(state, 0) == 1
    ending = next(row for row in PUBLISHED if row.name == "last-tile")
    game = Compiled.from_text(ending.position)
    while not game.is_over:
        game.play(game.legal_moves()[0])
    assert [perft(game, depth) for depth in (0, 1, 2)] == [1, 0, 0]
    assert [basilica_env.perft(game.game, depth) for depth in (0, 1, 2)] == [1, 0, 0]


def test_table_and_page_are_in_step() -> None:
    assert TABLE.read_text(encoding="utf-8") == table_text(PUBLISHED)
    assert PAGE.read_text(encoding="utf-8") == page_text(PUBLISHED)
