"""One game of Basilica for people: text in, moves, text out."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from numpy.typing import DTypeLike, NDArray

from basilica_env import notation
from basilica_env.core import layout, rules, scoring, single
from basilica_env.core.layout import (
    ACTIONS,
    COLOUR_LETTERS,
    GAME,
    NONE,
    OVER,
    RANK_LETTERS,
    REDRAW,
    SPACES,
    SQUARES,
    TILES,
)
from basilica_env.core.observation import OBSERVATION_SIZE
from basilica_env.core.random import seed_state
from basilica_env.core.tiles import TileSet, tile_set

if TYPE_CHECKING:
    from basilica_env.chance import Outcome

Tiles = str | Path | TileSet
"""A tile set, the path of one, or ``"standard"``."""

MOST_KEPT = 10_000
"""Positions that the turn planner can keep."""

NOTEBOOK_WIDTH = 720
"""Pixels of the drawing in a notebook."""

Record = NDArray[np.void] | bytes | bytearray
"""A GAME array of shape (1,), or its bytes."""


class IllegalMoveError(ValueError):
    """A move that the rules do not allow now. The game is unchanged."""


@dataclass(frozen=True)
class Square:
    """What lies and stands on one square of the cathedral."""

    code: str | None
    """The tile's code; None for scaffolding."""
    colours: str
    crown: bool
    order: str | None
    coin: bool
    glass: bool
    builder: int | None
    """The player whose builder stands here."""
    rank: str | None
    """``A``, ``M`` or ``S`` of a promoted builder."""


@dataclass(frozen=True)
class PositionView:
    """A whole position in plain words, the order of the stack included (a referee's view)."""

    cathedral: dict[str, Square]
    """What is on each square that is not empty, from a1 up."""
    orders: tuple[str | None, ...]
    vaults: tuple[str | None, ...]
    stack: tuple[str, ...]
    discard: tuple[str, ...]
    king: int
    scores: tuple[int, int]
    coins: tuple[int, int]
    builders: tuple[int, int]
    """Builders in each supply."""
    tokens: tuple[int, int]
    """Promotion tokens in each supply."""
    turn: int
    actions: int
    decision: str
    player: int
    reshuffled: bool


@dataclass(frozen=True)
class Area:
    """One area of the cathedral and what it scores (R8.2-R8.4)."""

    colour: str
    squares: tuple[str, ...]
    size: int
    builders: tuple[int, int]
    strength: tuple[int, int]
    strongmen: tuple[int, int]
    architect: bool
    glass: int
    majority: int | None
    points: tuple[int, int]


class GameState:
    """One game: its position, and the generator that will reshuffle its discard pile.

    Make one with :meth:`new` or :meth:`from_text`. Two states are equal if their positions and
    their tile sets are.

    Examples
    --------
    >>> state = GameState.new(seed=7)
    >>> state.play(state.legal_moves()[0])
    >>> state.player
    0
    """

    __slots__ = ("_games", "_record", "_sampler", "_tiles")

    def __init__(self, record: Record, tiles: TileSet, sampler: NDArray[np.uint64]) -> None:
        """Copy a game record and check it, since the compiled rules check nothing.

        Parameters
        ----------
        record : GAME array of shape (1,), or its bytes; its legal actions are listed anew
        tiles : the tile set of the record
        sampler : uint64 array of shape (1,), a stream for sampling

        Raises
        ------
        TypeError
            If an argument has another type.
        ValueError
            If the record is no game of the tile set.
        """
        if not isinstance(tiles, TileSet):
            raise TypeError(f"tiles have type {type(tiles).__name__}: expected a TileSet")
        self._copy(_record_bytes(record), tiles, _one_stream(sampler))
        if not single.admit(self._games, tiles.array):
            raise ValueError(f"the record is no game of tile set {tiles.name!r}: it is damaged")

    @classmethod
    def _trusted(cls, record: Record, tiles: TileSet, sampler: NDArray[np.uint64]) -> GameState:
        """Make a state of a record that the rules themselves have led to: as fast as a copy can be."""
        state = object.__new__(cls)
        state._copy(record, tiles, sampler)
        return state

    def _copy(self, record: Record, tiles: TileSet, sampler: NDArray[np.uint64]) -> None:
        self._record = bytearray(record)  # copied far faster than a structured array
        self._games = np.frombuffer(self._record, GAME)
        self._tiles = tiles
        self._sampler = sampler.copy()

    @classmethod
    def new(cls, seed: int | None = None, tiles: Tiles = "standard") -> GameState:
        """Deal a new game (R2).

        Parameters
        ----------
        seed : non-negative int; the same seed deals the same game everywhere. None draws one.
        tiles : a tile set, the path of one as CSV, or ``"standard"``

        Raises
        ------
        TileSetError
            If the file is no tile set.
        """
        chosen = tile_set(tiles)
        games = np.zeros(1, GAME)
        games["random"] = seed_state(seed)
        sampler = _sampler_of(games)
        single.deal(games, chosen.array)
        return cls._trusted(games, chosen, sampler)

    @classmethod
    def from_text(cls, text: str, seed: int | None = 0, tiles: Tiles = "standard") -> GameState:
        """Read a position.

        Parameters
        ----------
        seed : seed of the generator that a reshuffle to come will draw on

        Raises
        ------
        PositionError
            A ValueError that names the field, the value and what would be right.
        """
        chosen = tile_set(tiles)
        games = notation.read_position(text, chosen, seed)
        return cls._trusted(games, chosen, _sampler_of(games))

    # --- The position -----------------------------------------------------------------------------

    def to_text(self) -> str:
        """Return the position as text, the order of the stack included."""
        return notation.write_position(self._games[0], self._tiles)

    @property
    def tiles(self) -> TileSet:
        """The tile set."""
        return self._tiles

    @property
    def player(self) -> int:
        """The player who decides now, 0 or 1; when the game is over, the player whose turn it was."""
        return int(single.decider(self._games))

    @property
    def turn(self) -> int:
        """The player whose turn it is, 0 or 1."""
        return int(self._games["turn"][0])

    @property
    def actions(self) -> int:
        """Actions left in the turn, the current one included."""
        return int(self._games["actions"][0])

    @property
    def decision(self) -> str:
        """What is to be decided now, as in field 10 of a position."""
        return notation.decision_text(self._games[0])

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._games["decision"][0] == OVER)

    @property
    def was_reshuffled(self) -> bool:
        """Whether the discard pile has become the stack (R7.1)."""
        return bool(self._games["reshuffled"][0])

    @property
    def scores(self) -> tuple[int, int]:
        """The points of both players."""
        return _pair(self._games["scores"][0])

    @property
    def king(self) -> int:
        """The king's space, 0 to 30."""
        return int(self._games["king"][0])

    @property
    def orders(self) -> tuple[str | None, ...]:
        """The codes of the tiles on the order spaces; None for a space that could not be refilled."""
        return self._codes("orders")

    @property
    def vaults(self) -> tuple[str | None, ...]:
        """The codes of the tiles on the vault spaces; None for an empty one."""
        return self._codes("vaults")

    def _codes(self, spaces: str) -> tuple[str | None, ...]:
        codes = self._tiles.codes
        return tuple(None if tile == NONE else codes[tile] for tile in self._games[spaces][0])

    def returns(self) -> tuple[int, int]:
        """Return +1, -1 or 0 for each player by the result (R9.1); zeros until the game is over."""
        first, second = self.scores
        if not self.is_over or first == second:
            return 0, 0
        return (1, -1) if first > second else (-1, 1)

    def view(self) -> PositionView:
        """Return the whole position in plain words."""
        game = self._games[0]
        codes = self._tiles.codes
        top, discards = int(game["top"]), int(game["discards"])
        supplies = np.empty((2, 2), np.int64)
        single.supplies(self._games, supplies)
        return PositionView(
            cathedral=self._cathedral(),
            orders=self.orders,
            vaults=self.vaults,
            stack=tuple(codes[tile] for tile in game["deck"][top:TILES]),
            discard=tuple(codes[tile] for tile in game["deck"][:discards]),
            king=self.king,
            scores=self.scores,
            coins=_pair(game["coins"]),
            builders=_pair(supplies[0]),
            tokens=_pair(supplies[1]),
            turn=self.turn,
            actions=self.actions,
            decision=self.decision,
            player=self.player,
            reshuffled=self.was_reshuffled,
        )

    def _cathedral(self) -> dict[str, Square]:
        planes = [int(plane) for plane in self._games[0]["planes"]]
        scaffold, glass = planes[layout.SCAFFOLD], planes[layout.GLASS]
        builders = planes[layout.BUILDERS : layout.RANK]
        ranks = planes[layout.RANK :]
        vaults = planes[0] | planes[1] | planes[2] | planes[3]
        cathedral = {}
        for square in range(SQUARES):
            here = 1 << square
            if scaffold & here:
                cathedral[notation.square_name(square)] = _SCAFFOLDING
            if vaults & here:
                bits = planes[layout.TILE_ID : layout.TILE_ID + layout.TILE_ID_BITS]
                tile = sum(1 << k for k, plane in enumerate(bits) if plane & here)
                cathedral[notation.square_name(square)] = Square(
                    code=self._tiles.codes[tile],
                    colours=self._tiles.colours[tile],
                    crown=bool(self._tiles.crowns[tile]),
                    order=self._tiles.orders[tile],
                    coin=bool(self._tiles.coins[tile]),
                    glass=bool(glass & here),
                    builder=next((p for p in (0, 1) if builders[p] & here), None),
                    rank=next((RANK_LETTERS[r] for r in range(layout.RANKS) if ranks[r] & here), None),
                )
        return cathedral

    # --- Moves ------------------------------------------------------------------------------------

    def legal_actions(self) -> NDArray[np.int64]:
        """Return the numbers of the legal actions, ascending."""
        actions = np.empty(ACTIONS, np.int64)
        return actions[: single.legal_actions(self._games, actions)]

    def legal_moves(self) -> list[str]:
        """Return the texts of the legal moves, in the order of their actions."""
        return [notation.move_text(int(action)) for action in self.legal_actions()]

    def legal_mask(self) -> NDArray[np.uint8]:
        """Return 1 for each legal action and 0 for every other, shape (667,)."""
        words = self._games["legal"].view(np.uint8)
        return np.unpackbits(words[0], count=ACTIONS, bitorder="little")

    def is_legal(self, action: SupportsIndex) -> bool:
        """Return whether an action is legal now."""
        return bool(single.is_legal(self._games, _number(action)))

    def action_of(self, move: str) -> int:
        """Return the number of a move text; it need not be legal now."""
        return notation.action_number(move)

    def move_of(self, action: SupportsIndex) -> str:
        """Return the text of an action number; it need not be legal now."""
        return notation.move_text(action)

    def apply(self, action: SupportsIndex, reshuffled: Sequence[str] | None = None) -> None:
        """Play an action by its number, in place; see :meth:`play`."""
        number = _number(action)
        if reshuffled is not None:
            self._apply_arranged(number, list(reshuffled))
        elif not single.play(self._games, self._tiles.array, number):
            self._refuse(action)

    def play(self, move: str, reshuffled: Sequence[str] | None = None) -> None:
        """Play a move by its text, in place.

        Parameters
        ----------
        move : such as ``"V2c3"``
        reshuffled : the codes of the pile, top first, if this move causes the reshuffle (R7.1) and
            its order is to be this one instead of a random one

        Raises
        ------
        IllegalMoveError
            If the move is not legal now; the state is unchanged.
        ValueError
            If ``reshuffled`` does not hold the tiles that this move reshuffles.
        """
        try:
            action = notation.action_number(move)
        except ValueError as error:
            raise IllegalMoveError(f"{error}; {self._choices()}") from None
        self.apply(action, reshuffled)

    def _apply_arranged(self, action: int, codes: list[str]) -> None:
        unknown = [code for code in codes if code not in self._tiles.numbers]
        if unknown:
            raise ValueError(f"unknown tile {unknown[0]!r} in the reshuffled pile")
        after = self.copy()
        after.apply(action)
        if self.was_reshuffled or not after.was_reshuffled:
            raise ValueError(f"move {self.move_of(action)!r} reshuffles nothing, but a pile was given")
        draws = SPACES if action == REDRAW else 1
        pile = np.array([self._tiles.numbers[code] for code in codes], np.int64)
        drawn = draws - (TILES - int(self._games["top"][0]))
        if not rules.arrange_reshuffled(after._games, self._tiles.array, pile, drawn):
            raise ValueError(
                f"the reshuffled pile {','.join(codes)!r} does not hold, each once, the tiles that "
                f"{self.move_of(action)!r} reshuffles"
            )
        self._record, self._games = after._record, after._games

    def _refuse(self, action: SupportsIndex) -> None:
        try:
            text = f"illegal move {notation.move_text(action)!r}"
        except ValueError as error:
            text = str(error)
        raise IllegalMoveError(f"{text}; {self._choices()}")

    def _choices(self) -> str:
        if self.is_over:
            return "the game is over"
        moves = self.legal_moves()
        shown = ", ".join(moves[:8]) + (f", ... ({len(moves)} in all)" if len(moves) > 8 else "")
        return f"player {self.player} decides {self.decision!r} and may play {shown}"

    # --- Chance -----------------------------------------------------------------------------------

    def sample_action(self, rng: np.random.Generator | None = None) -> int:
        """Return a random legal action, each equally likely.

        Parameters
        ----------
        rng : source of chance; None uses a stream of the state's own, which its seed fixes
        """
        return self._chosen(single.sample(self._games, self._sampler if rng is None else _stream(rng)))

    def greedy_action(self, rng: np.random.Generator | None = None) -> int:
        """Return what is best for (my points - theirs) if scored now; see :mod:`basilica_env.core.greedy`.

        Parameters
        ----------
        rng : picks among equally good actions; None uses a stream of the state's own
        """
        sampler = self._sampler if rng is None else _stream(rng)
        return self._chosen(single.greedy(self._games, self._tiles.array, sampler))

    def _chosen(self, action: int) -> int:
        if action == NONE:
            raise IllegalMoveError("the game is over: no action is legal")
        return action

    def planned_action(self, width: int, rng: np.random.Generator | None = None) -> int:
        """Return the action of the turn planner; see :mod:`basilica_env.core.planner`.

        Parameters
        ----------
        width : positions kept after each action of the turn, 1 to 10,000
        rng : redraws what is hidden before; None uses a stream of the state's own
        """
        beam = _whole("width", width)
        sampler = self._sampler if rng is None else _stream(rng)
        return self._chosen(single.planned(self._games, self._tiles.array, beam, sampler))

    def resample_hidden(self, rng: np.random.Generator) -> None:
        """Redraw what the decider cannot know, uniformly over what fits R1.5, in place."""
        single.resample_hidden(self._games, self._tiles.array, _stream(rng))

    def outcomes(self, action: SupportsIndex | str) -> Iterator[Outcome]:
        """Iterate over the distinct public results of a legal action, with exact probabilities.

        See :func:`basilica_env.chance.outcomes`.
        """
        from basilica_env.chance import outcomes

        return outcomes(
            self, self.action_of(action) if isinstance(action, str) else notation.action_index(action)
        )

    # --- What players see, and points -------------------------------------------------------------

    def observe(self, player: int | None = None, dtype: DTypeLike = np.uint8) -> NDArray[Any]:
        """Return what a player sees as one flat row, shape (OBSERVATION_SIZE,).

        See :mod:`basilica_env.core.observation` for the entries, and ``split`` there for planes and
        scalars.

        Parameters
        ----------
        player : 0 or 1; None is the player who decides
        dtype : ``uint8`` or ``float32``
        """
        kind = np.dtype(dtype)
        if kind not in (np.uint8, np.float32):
            raise ValueError(f"unknown dtype {kind} of an observation: expected uint8 or float32")
        looker = self.player if player is None else player
        if isinstance(looker, bool) or looker not in (0, 1):
            raise ValueError(f"unknown player {player!r}: expected 0 or 1")
        seen = np.empty(OBSERVATION_SIZE, kind)
        single.observe(self._games, self._tiles.array, int(looker), kind == np.uint8, seen.view(np.uint8))
        return seen

    def areas(self) -> list[Area]:
        """Return every area, by colour and first square, with what it would score now (R8)."""
        found = np.zeros(scoring.MOST_AREAS, scoring.AREA)
        return [_area(entry) for entry in found[: scoring.list_areas(self._games, found)]]

    def scoring_of(self, move: str) -> list[Area] | None:
        """Return the areas as the scoring caused by a legal move counts them; None if it causes none."""
        action = self.action_of(move)
        if not self.is_legal(action):
            self._refuse(action)
        found = np.zeros(scoring.MOST_AREAS, scoring.AREA)
        number = single.counted_areas(self._games, self._tiles.array, action, found)
        return None if number == NONE else [_area(entry) for entry in found[:number]]

    # --- Copies -----------------------------------------------------------------------------------

    def copy(self) -> GameState:
        """Return an independent copy, its generators included."""
        return GameState._trusted(self._record, self._tiles, self._sampler)

    def to_array(self) -> NDArray[np.void]:
        """Return a copy of the game record, GAME array of shape (1,), for batches and kernels."""
        return np.frombuffer(bytearray(self._record), GAME)

    def __copy__(self) -> GameState:
        """Copy."""
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> GameState:
        """Copy; the tile set never changes and is shared."""
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the live game with its generators; it is checked when it is read back."""
        return GameState, (bytes(self._record), self._tiles, self._sampler)

    def __eq__(self, other: object) -> bool:
        """Return whether the positions and the tile sets are the same."""
        if not isinstance(other, GameState):
            return NotImplemented
        return self.to_text() == other.to_text() and self._tiles.digest == other._tiles.digest

    def __hash__(self) -> int:
        """Hash the position; a state that is played on must not be a key."""
        return hash((self.to_text(), self._tiles.digest))

    def __str__(self) -> str:
        """Return the position as text."""
        return self.to_text()

    def __repr__(self) -> str:
        """Name the decision and the position."""
        tiles = "" if self._tiles.name == "standard" else f", tiles={self._tiles.name!r}"
        return f"<GameState player {self.player} decides {self.decision!r}: {self.to_text()!r}{tiles}>"

    def _repr_svg_(self) -> str:
        """Draw the position where a notebook shows the state; what is hidden from players is not in it."""
        # The only import upwards, named in the contract of the layers: a notebook asks the object itself.
        from basilica_env.render.svg import draw_svg

        return draw_svg(self, size=NOTEBOOK_WIDTH)


_SCAFFOLDING = Square(
    code=None, colours="", crown=False, order=None, coin=False, glass=False, builder=None, rank=None
)


def _record_bytes(record: Record) -> Record:
    """Return a record as something that :class:`bytearray` copies; refuse what is none by its size."""
    if isinstance(record, np.ndarray):
        if record.dtype != GAME or record.shape != (1,):
            raise ValueError(
                f"the record has dtype {record.dtype} and shape {record.shape}: expected one GAME record, "
                f"shape (1,)"
            )
        return record.tobytes()
    if not isinstance(record, (bytes, bytearray)):
        raise TypeError(f"the record has type {type(record).__name__}: expected a GAME array or its bytes")
    if len(record) != GAME.itemsize:
        raise ValueError(f"the record has {len(record)} bytes: expected {GAME.itemsize}")
    return record


def _one_stream(sampler: Any) -> NDArray[np.uint64]:
    if not isinstance(sampler, np.ndarray) or sampler.dtype != np.uint64 or sampler.shape != (1,):
        raise TypeError(f"sampler {sampler!r}: expected a uint64 array of shape (1,)")
    return np.ascontiguousarray(sampler)


def _sampler_of(games: NDArray[np.void]) -> NDArray[np.uint64]:
    """Return a stream for sampling, apart from the game's own generator."""
    return ~games["random"]


def _stream(rng: np.random.Generator) -> NDArray[np.uint64]:
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng has type {type(rng).__name__}: expected a numpy.random.Generator")
    return rng.integers(2**64, size=1, dtype=np.uint64)


def _whole(name: str, value: SupportsIndex) -> int:
    """Return a number that the core makes room for as an int."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} {value!r} has type {type(value).__name__}: expected an integer") from None
    if isinstance(value, bool) or not 1 <= number <= MOST_KEPT:
        raise ValueError(f"{name} is {value!r}: expected 1 to {MOST_KEPT}")
    return number


def _number(action: SupportsIndex) -> int:
    """Return an action as an int that the core can take; NONE for every number that is no action."""
    number = notation.action_index(action)
    return number if 0 <= number < ACTIONS else NONE


def _pair(numbers: Any) -> tuple[int, int]:
    return int(numbers[0]), int(numbers[1])


def _area(entry: Any) -> Area:
    board = int(entry["board"])
    squares = tuple(notation.square_name(square) for square in range(SQUARES) if board >> square & 1)
    return Area(
        colour=COLOUR_LETTERS[entry["colour"]],
        squares=squares,
        size=len(squares),
        builders=_pair(entry["builders"]),
        strength=_pair(entry["strength"]),
        strongmen=_pair(entry["strongmen"]),
        architect=bool(entry["architect"]),
        glass=int(entry["glass"]),
        majority=None if entry["majority"] == NONE else int(entry["majority"]),
        points=_pair(entry["points"]),
    )
