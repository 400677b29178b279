"""A recorded game as a row of positions to show, with what is to be said about each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from basilica_env.render.style import Players
from basilica_env.render.words import marks, move_words, result, scoring_title

if TYPE_CHECKING:
    from basilica_env.game import Area, GameState
    from basilica_env.records import GameRecord, RecordedMove


@dataclass(frozen=True)
class Scoring:
    """A scoring that a move caused: its title, the areas as they were counted, the scores after it."""

    title: str
    areas: tuple[Area, ...]
    scores: tuple[int, int]

    @property
    def points(self) -> tuple[int, int]:
        """What the players got."""
        first, second = (sum(area.points[player] for area in self.areas) for player in range(2))
        return first, second


@dataclass(frozen=True)
class Frame:
    """A position of a recorded game and the move that led to it."""

    state: GameState
    """Valid until the next frame is made."""
    player: int | None
    """Who made the move; None before the first one."""
    move: str
    words: str
    """What the move did, what was scored, how the game ended; before the first move, who plays whom."""
    marks: str
    scoring: Scoring | None
    comment: str


def frames(record: GameRecord) -> Iterator[Frame]:
    """Go through a recorded game, from its first position to the one after its last move."""
    names = Players.called(record.players).names
    state = record.initial()
    yield Frame(state, None, "", f"{names[0]} against {names[1]}", "", None, "")
    for recorded in record.moves:
        yield advance(state, recorded, names)


def advance(state: GameState, recorded: RecordedMove, names: tuple[str, str]) -> Frame:
    """Play a recorded move in `state`, and say what it did.

    Raises
    ------
    ValueError
        If the move is not legal; nothing has changed then.
    """
    move, player, king = recorded.move, state.player, state.king
    areas = state.scoring_of(move)
    words, marked = move_words(state, move), marks(state, move)
    state.play(move, recorded.reshuffled or None)
    scoring = None
    if areas is not None:
        scoring = Scoring(scoring_title(state, king), tuple(areas), state.scores)
        words += f"; scoring {scoring.points[0]}:{scoring.points[1]}"
    if state.is_over:
        words += f"; {result(state.scores, names)}"
    return Frame(state, player, move, words, marked, scoring, recorded.comment)


def caption(frame: Frame, number: int, names: tuple[str, str]) -> str:
    """Say in a line what has just happened."""
    if frame.player is None:
        return frame.words
    return f"{number}. {names[frame.player]} {frame.words}"
