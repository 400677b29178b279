"""Positions, moves and areas as messages; nothing hidden is in them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from basilica_env.agents.solver import tiles_to_draw
from basilica_env.core.tiles import TileSet
from basilica_env.game import Area, GameState, Square
from basilica_env.records import RecordedMove
from basilica_env.render.frames import Frame, Scoring
from basilica_env.render.scene import spaces_in, squares_in
from basilica_env.render.style import Players, printable
from basilica_env.render.svg import describe, drawing_parts, svg_element
from basilica_env.render.theme import SYMBOLIC
from basilica_env.render.words import (
    COLOUR_NAMES,
    ORDER_TITLES,
    move_words,
    paragraphs,
    question,
    result,
    squares_of,
)
from basilica_env.web import messages


@dataclass(frozen=True)
class Scene:
    """A position to be shown, and what is to be shown of it.

    Attributes
    ----------
    state : GameState
    names : tuple of two str
        What to call the players.
    marks : str
        What the last move was about; see :func:`basilica_env.render.words.marks`.
    with_moves : bool
        Somebody may choose a move: list the legal ones.
    with_text : bool
        It is no running game: the whole position may be told, the order of the stack included.
    """

    state: GameState
    names: tuple[str, str]
    marks: str = ""
    with_moves: bool = False
    with_text: bool = False

    def message(self, drawn: bool) -> messages.Position:
        """Say all that is open in the position; draw it on request."""
        state = self.state
        view, tiles = state.view(), state.tiles
        stack = view.stack[0] if view.stack else None
        return messages.Position(
            svg=self.svg() if drawn else "",
            text=state.to_text() if self.with_text else "",
            description=describe(state, self.names),
            decision=state.decision,
            question=_question(state, self.names),
            explanation=tuple(paragraphs(state.decision)),
            player=None if state.is_over else state.player,
            turn=view.turn,
            actions=view.actions,
            scores=view.scores,
            king=view.king,
            coins=view.coins,
            builders=view.builders,
            tokens=view.tokens,
            stack=len(view.stack),
            discard=len(view.discard),
            left=left_to_draw(state),
            reshuffled=view.reshuffled,
            over=state.is_over,
            result=_result(state, self.names) if state.is_over else None,
            cathedral={name: _square(square) for name, square in view.cathedral.items()},
            orders=tuple(_order_side(code, tiles) for code in view.orders),
            top=_order_side(stack, tiles),
            vaults=tuple(_vault_side(code, tiles) for code in view.vaults),
            legal=tuple(_legal(state)) if self.with_moves else (),
            areas=tuple(map(area, state.areas())),
            last=(*squares_in(self.marks), *spaces_in(self.marks)),
        )

    def svg(self) -> str:
        """Draw the position, each colour by its name."""
        parts = drawing_parts(self.state, SYMBOLIC, last_move=self.marks, areas=True, names=self.names)
        return svg_element(parts, describe(self.state, self.names))


def left_to_draw(state: GameState) -> int:
    """Return how many tiles can still be drawn before the game ends (R7)."""
    return 0 if state.is_over else tiles_to_draw(state)


def place_of(state: GameState, move: str) -> tuple[tuple[str, ...], str | None]:
    """Return the squares and the space, as in ``vault-2``, that a move to be made in `state` is about."""
    return squares_of(state, move), next(iter(spaces_in(move)), None)


def area(found: Area) -> messages.Area:
    """Say what an area scores."""
    return messages.Area(
        colour=found.colour,
        name=COLOUR_NAMES[found.colour],
        squares=found.squares,
        size=found.size,
        builders=found.builders,
        strength=found.strength,
        strongmen=found.strongmen,
        architect=found.architect,
        glass=found.glass,
        majority=found.majority,
        points=found.points,
    )


def move(frame: Frame, recorded: RecordedMove, number: int) -> messages.Move:
    """Say what a move has done."""
    assert frame.player is not None, "a move is made by a player"
    return messages.Move(
        number=number,
        player=frame.player,
        move=frame.move,
        words=frame.words,
        comment=printable(recorded.comment),
        seconds=recorded.clock,
        scoring=None if frame.scoring is None else _scoring(frame.scoring),
        scores=frame.state.scores,
        king=frame.state.king,
        left=left_to_draw(frame.state),
    )


def _scoring(scoring: Scoring) -> messages.Scoring:
    return messages.Scoring(
        title=scoring.title,
        areas=tuple(map(area, scoring.areas)),
        points=scoring.points,
        scores=scoring.scores,
    )


def _legal(state: GameState) -> Iterable[messages.LegalMove]:
    for text in state.legal_moves():
        squares, space = place_of(state, text)
        yield messages.LegalMove(move=text, words=move_words(state, text), squares=squares, space=space)


def _question(state: GameState, names: tuple[str, str]) -> str:
    return _result(state, names) if state.is_over else question(state)


def _result(state: GameState, names: tuple[str, str]) -> str:
    return result(state.scores, Players.called(names).names)


def _square(square: Square) -> messages.Square:
    return messages.Square(
        code=square.code,
        colours=square.colours,
        crown=square.crown,
        glass=square.glass,
        builder=square.builder,
        rank=square.rank,
    )


def _order_side(code: str | None, tiles: TileSet) -> messages.OrderSide | None:
    """Show the order side of a tile, which tells neither its code nor its crown (R1.5)."""
    if code is None:
        return None
    tile = tiles.numbers[code]
    return messages.OrderSide(
        order=tiles.orders[tile],
        title=ORDER_TITLES[tiles.orders[tile]],
        coin=bool(tiles.coins[tile]),
        colours=tiles.colours[tile],
    )


def _vault_side(code: str | None, tiles: TileSet) -> messages.VaultSide | None:
    if code is None:
        return None
    tile = tiles.numbers[code]
    return messages.VaultSide(code=code, colours=tiles.colours[tile], crown=bool(tiles.crowns[tile]))
