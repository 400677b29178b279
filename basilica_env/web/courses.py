"""A game as far as it has come: every position of it, and every move in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from basilica_env.game import GameState
from basilica_env.records import GameRecord, RecordedMove, Recorder
from basilica_env.render.frames import Frame, advance
from basilica_env.render.style import Players
from basilica_env.web import messages, scenes
from basilica_env.web.refusals import NotFoundError
from basilica_env.web.scenes import Scene


@dataclass(frozen=True)
class Course:
    """The course of a game; a move leads to another course, so one can be tried before it counts.

    Attributes
    ----------
    players : tuple of two str
        What the players are called.
    frames : tuple of Frame
        The first position, and the one after each move.
    recorded : tuple of RecordedMove
    moves : tuple of messages.Move
    """

    players: tuple[str, str]
    frames: tuple[Frame, ...]
    recorded: tuple[RecordedMove, ...] = ()
    moves: tuple[messages.Move, ...] = ()

    @classmethod
    def begin(cls, first: GameState, players: tuple[str, str]) -> Course:
        """Begin a game at a position."""
        return cls(players, (Frame(first.copy(), None, "", "", "", None, ""),))

    @classmethod
    def along(cls, record: GameRecord, first: GameState) -> Course:
        """Follow a record, whose first position is given."""
        course = cls.begin(first, record.players)
        for recorded in record.moves:
            course = course._with(recorded)
        return course

    @property
    def state(self) -> GameState:
        """The position now."""
        return self.frames[-1].state

    def played(self, move: str, seconds: float) -> Course:
        """Return the course after one more move.

        Raises
        ------
        ValueError
            If the move is not legal.
        """
        recorder = Recorder(self.state.copy())
        recorder.play(move, seconds)
        return self._with(recorder.moves[0])

    def _with(self, recorded: RecordedMove) -> Course:
        frame = advance(self.state.copy(), recorded, Players.called(self.players).names)
        told = scenes.move(frame, recorded, len(self.moves) + 1)
        return replace(
            self,
            frames=(*self.frames, frame),
            recorded=(*self.recorded, recorded),
            moves=(*self.moves, told),
        )

    def until(self, number: int) -> Course:
        """Return the course after the first moves."""
        return replace(
            self,
            frames=self.frames[: number + 1],
            recorded=self.recorded[:number],
            moves=self.moves[:number],
        )

    def scene(self, number: int, with_moves: bool, with_text: bool) -> Scene:
        """Return the position after so many moves, to be shown.

        Raises
        ------
        NotFoundError
            If there are not so many.
        """
        if not 0 <= number < len(self.frames):
            raise NotFoundError(f"position {number}: expected 0 to {len(self.moves)}, the moves made")
        frame = self.frames[number]
        return Scene(frame.state, self.players, frame.marks, with_moves, with_text)

    def record(self, seed: int | None, date: str, headers: Mapping[str, str]) -> GameRecord:
        """Return the record."""
        recorder = Recorder(self.frames[0].state, self.players, seed, date, headers)
        recorder.state = self.state
        recorder.moves = list(self.recorded)
        return recorder.record()
