"""R9: the end."""

from __future__ import annotations

import pytest

from tests.engines import Engine
from tests.positions import position


@pytest.mark.parametrize(
    ("scores", "final", "returns"),
    [
        # R2 scores 1 for player 1 in the third scoring.
        ("5:3", (5, 4), (1, -1)),
        ("5:4", (5, 5), (0, 0)),
        ("5:5", (5, 6), (-1, 1)),
    ],
)
@pytest.mark.parametrize("turn", ["0:3", "1:1"])
def test_r9_1_more_points_win(
    engine: type[Engine], scores: str, final: tuple[int, int], returns: tuple[int, int], turn: str
) -> None:
    game = engine.from_text(
        position(
            "R2+1 . . . .",
            orders="R0 R1 R3",
            vaults="G9 Y1 B0",
            king=29,
            reshuffled=1,
            scores=scores,
            turn=turn,
        )
    )
    game.play("V1e1")
    assert game.is_over
    assert game.scores == final
    assert game.returns() == returns


def test_r9_1_nobody_scored_is_a_tie(engine: type[Engine]) -> None:
    game = engine.from_text(position(orders="R0 R1 R3", vaults="G9 Y1 B0", king=29, reshuffled=1))
    game.play("V1e1")
    assert (game.scores, game.returns()) == ((0, 0), (0, 0))


def test_r9_1_no_move_after_the_end(engine: type[Engine]) -> None:
    game = engine.from_text(position(orders="R0 R1 R3", vaults="G9 Y1 B0", king=29, reshuffled=1))
    game.play("V1e1")
    ended = game.to_text()
    assert game.legal_moves() == []
    with pytest.raises(ValueError, match="V2a1"):
        game.play("V2a1")
    assert game.to_text() == ended


@pytest.mark.parametrize(("scores", "returns"), [("5:3", (1, -1)), ("3:3", (0, 0)), ("2:3", (-1, 1))])
def test_r9_1_also_after_exhaustion(engine: type[Engine], scores: str, returns: tuple[int, int]) -> None:
    # The last scoring of an empty cathedral but for R6 without a builder adds nothing.
    game = engine.from_text(
        position(
            orders="R0 R1 R3",
            vaults="R6 Y1 B0",
            rest="discard",
            king=12,
            scores=scores,
            reshuffled=1,
        )
    )
    game.play("V1a1")
    assert game.is_over
    assert game.returns() == returns
