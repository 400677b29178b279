"""Both engines behind one small interface, so that every test of the rules asks both the same."""

from __future__ import annotations

from typing import Any, Protocol, Self

from basilica_env.core.tiles import TileSet


class Engine(Protocol):
    """One game of either engine."""

    @classmethod
    def new(cls, seed: int) -> Self:
        """Begin a game."""

    @classmethod
    def from_text(cls, text: str, seed: int = 0, tiles: TileSet | None = None) -> Self:
        """Begin at a position."""

    def copy(self) -> Self:
        """Give another game in the same position, which will be reshuffled in the same way."""

    def to_text(self) -> str:
        """Give the position."""

    def legal_moves(self) -> list[str]:
        """Give the legal moves."""

    def play(self, move: str) -> None:
        """Play a move."""

    @property
    def scores(self) -> tuple[int, int]:
        """The points of both players."""

    @property
    def player(self) -> int | None:
        """Who decides; without meaning once the game has ended."""

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""

    def returns(self) -> tuple[int, int]:
        """Give 1, -1 or 0 for both players once the game has ended."""


class _Adapter:
    """What both adapters share: hand everything on to the game they hold."""

    def __init__(self, game: Any) -> None:
        self.game = game

    def copy(self) -> Self:
        return type(self)(self.game.copy())

    def to_text(self) -> str:
        return str(self.game.to_text())

    def legal_moves(self) -> list[str]:
        return [str(move) for move in self.game.legal_moves()]

    def play(self, move: str) -> None:
        self.game.play(move)

    @property
    def scores(self) -> tuple[int, int]:
        first, second = self.game.scores
        return int(first), int(second)

    @property
    def player(self) -> int | None:
        return None if self.game.is_over else int(self.game.player)

    @property
    def is_over(self) -> bool:
        return bool(self.game.is_over)

    def returns(self) -> tuple[int, int]:
        first, second = self.game.returns()
        return int(first), int(second)


class Compiled(_Adapter):
    """The compiled engine."""

    @classmethod
    def new(cls, seed: int) -> Compiled:
        from basilica_env import GameState

        return cls(GameState.new(seed=seed))

    @classmethod
    def from_text(cls, text: str, seed: int = 0, tiles: TileSet | None = None) -> Compiled:
        from basilica_env import GameState

        return cls(GameState.from_text(text, seed=seed, tiles=tiles or "standard"))


class Reference(_Adapter):
    """The reference engine."""

    @classmethod
    def new(cls, seed: int) -> Reference:
        from basilica_env.reference import ReferenceGame

        return cls(ReferenceGame.new(seed=seed))

    @classmethod
    def from_text(cls, text: str, seed: int = 0, tiles: TileSet | None = None) -> Reference:
        from basilica_env.reference import ReferenceGame

        return cls(ReferenceGame.from_text(text, seed=seed, tiles=tiles))


ENGINES: dict[str, type[Compiled] | type[Reference]] = {"compiled": Compiled, "reference": Reference}
