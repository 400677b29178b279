"""The rules of Basilica in plain Python, to be read beside the rules: the oracle of the tests.

Nothing here is made for speed. The game lies on the table as a player sees it:

``cathedral``
    a dictionary from squares (``"c3"``) to tile codes (``"RB2"``) or ``"#"`` for scaffolding
``glass``
    the squares whose vault carries a stained-glass token
``builders``, ``ranks``
    dictionaries from squares to the player whose builder stands there, and to the letter of its
    promotion token: ``"A"`` Architect, ``"M"`` Master Mason, ``"S"`` Strongman
``orders``, ``vaults``
    dictionaries from the spaces 1, 2, 3 to the tile there, or None for an empty space
``stack``, ``discard``
    lists of codes, the stack with its top first, the discard pile in the order discarded

Supplies are what is not in the cathedral. A function names the clauses of the rules that it carries
out. ``fired`` counts how often each clause had an effect, or took a choice away, so that a test can
tell which rules its games have met; :data:`CLAUSES` lists all keys.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from basilica_env.core import layout
from basilica_env.core.tiles import TileSet

COLUMNS = layout.COLUMN_LETTERS
COLOURS = layout.COLOUR_LETTERS
SQUARES = tuple(f"{column}{row}" for row in range(1, 13) for column in COLUMNS)
ROW_1 = SQUARES[:5]
ROWS_1_AND_2 = SQUARES[:10]
ROW_12 = SQUARES[-5:]
SPACES = (1, 2, 3)
SCAFFOLDING = "#"
ARCHITECT, MASTER_MASON, STRONGMAN = RANKS = tuple(layout.RANK_LETTERS)
SCORING_SPACES = (10, 20, 30)
LAST_SPACE = 30

FIRST_CHOICE = {
    "promote": "promote",
    "move": "move",
    "recruit": "recruit",
    "confuse": "remove",
    "glass": "glass",
    "scaffold": "scaffold",
    "disaster": "disaster",
}
"""The decision that begins each order (R6.4-R6.8)."""

PAID_CHOICE = {"promote": "paid-promote", "recruit": "paid-recruit", "confuse": "paid-confuse"}
"""The opponent's decision in each paid order (R6.9)."""

OFFERS = ("offered", "paid", "passed", "no coin")
"""What may become of a paid order (R6.9)."""

REFILLS = ("after a vault", "after an order", "after a scoring", "in a redraw")
"""When a space is filled from the stack (R7.1)."""

CLAUSES = (
    "R3.2 next turn",
    "R4.1 vault placed",
    "R4.2 wild beside wild refused",
    "R4.3 king moves",
    "R4.4 vault space refilled",
    "R4.5 redraw",
    "R4.5 redraw again",
    "R4.6 vault beyond row 12 refused",
    "R4.6 scaffolding beyond row 12 refused",
    "R5.1 builder placed",
    "R5.1 no builder in supply",
    "R5.1 order ends the chance",
    "R5.1 redraw ends the chance",
    "R5.1 turn ends the chance",
    "R5.2 vault with a builder refused",
    *(f"R6.1 {order} refused" for order in FIRST_CHOICE),
    "R6.2 order done",
    "R6.3 scaffolding refused",
    "R6.4 promoted",
    "R6.4 promoted again",
    "R6.4 same rank again",
    "R6.4 last token swapped",
    "R6.4 no token in supply",
    "R6.5 moved",
    "R6.5 token moves too",
    "R6.6 recruited",
    "R6.6 no builder in supply",
    "R6.7 removed",
    "R6.7 token removed too",
    "R6.7 removal refused",
    "R6.7 vacated square frees a move",
    "R6.7 moved",
    "R6.8 glass",
    "R6.8 glass on glass refused",
    "R6.8 scaffolding",
    "R6.8 scaffolding leans on the first",
    "R6.8 disaster",
    "R6.8 disaster spares a builder",
    "R6.8 disaster takes glass",
    "R6.8 disaster leaves a tile alone",
    *(f"R6.9 {order} {outcome}" for order in PAID_CHOICE for outcome in OFFERS),
    "R6.9 promote impossible",
    "R6.9 recruit impossible",
    "R6.9 rank refused",
    *(f"R7.1 reshuffle {when}" for when in REFILLS),
    *(f"R7.2 exhausted {when}" for when in REFILLS),
    "R8.1 scoring",
    "R8.1 actions lost",
    "R8.2 wild joins two areas",
    "R8.2 lone wild",
    "R8.2 lone single colour",
    "R8.3 majority",
    "R8.3 Master Mason decides",
    "R8.3 Strongmen decide",
    "R8.3 Strongmen cancel",
    "R8.3 tie",
    "R8.3 builder counts in two areas",
    "R8.4 Architect doubles",
    "R8.4 opponent's Architect doubles",
    "R8.4 Architects double once",
    "R8.4 glass",
    "R8.4 minority",
    "R8.4 minority Master Mason is one",
    "R8.4 minority on Strongmen",
    "R8.5 builders return",
    "R8.5 tokens return",
    "R8.5 scaffolding removed",
    "R8.5 vaults discarded",
    "R8.5 glass discarded",
    "R8.5 glass stays",
    "R8.5 slide",
    "R8.5 slide by more than two rows",
    "R8.5 nothing left",
    "R8.6 third scoring",
    "R9.1 win",
    "R9.1 tie",
)
"""Every key of ``ReferenceGame.fired``; the first word is the number of the clause."""

SELDOM = (
    "R6.1 scaffold refused",
    "R7.2 exhausted after a scoring",
    "R7.2 exhausted in a redraw",
    "R8.5 nothing left",
)
"""Keys of :data:`CLAUSES` that thousands of random games may not meet: they need positions of their own."""


@dataclass(frozen=True)
class Tile:
    """One tile (R1.1, R1.4): colours and crown of its vault, order and coin icon of its other side."""

    code: str
    colours: str
    order: str
    crown: bool
    coin: bool

    @property
    def is_wild(self) -> bool:
        """Whether the vault has two colours (R1.1)."""
        return len(self.colours) == 2


class Decision(NamedTuple):
    """What is to be decided now, as in the table of decisions of the notation.

    ``space`` is the order space in use, ``square`` that of the vault just placed, ``rank`` the one just
    given, ``left`` the scaffolding tiles still to place.
    """

    kind: str
    space: int = 0
    square: str = ""
    rank: str = ""
    left: int = 0

    @classmethod
    def from_text(cls, text: str) -> Decision:
        """Read field 10 of a position."""
        if "@" in text:
            return cls("main", square=text.partition("@")[2])
        kind, *details = text.split(":")
        space = int(details[0]) if details else 0
        detail = details[1] if len(details) > 1 else ""
        if kind == "scaffold":
            return cls(kind, space, left=int(detail))
        return cls(kind, space, rank=detail)

    def to_text(self) -> str:
        """Write field 10 of a position."""
        if self.square:
            return f"{self.kind}@{self.square}"
        details = (self.space or "", self.rank, self.left or "")
        return ":".join([self.kind, *(str(detail) for detail in details if detail)])


@dataclass(frozen=True)
class AreaScore:
    """How one area scores (R8.2-R8.4). Pairs belong to players 0 and 1."""

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


class _StackExhaustedError(Exception):
    """A tile is needed and there is none (R7.2)."""


def _neighbours(square: str) -> tuple[str, ...]:
    """List the squares adjacent to a square: up, right, down, left."""
    column, row = COLUMNS.index(square[0]), int(square[1:])
    places = ((column, row + 1), (column + 1, row), (column, row - 1), (column - 1, row))
    return tuple(f"{COLUMNS[c]}{r}" for c, r in places if 0 <= c < len(COLUMNS) and 1 <= r <= 12)


NEIGHBOURS = {square: _neighbours(square) for square in SQUARES}


def _number_actions() -> dict[str, int]:
    """Give each move text its number by the table in ``core/layout.py``."""
    numbers = {
        "B": layout.BUILDER,
        "redraw": layout.REDRAW,
        "pay": layout.PAY,
        "pass": layout.PASS,
    }
    for space in SPACES:
        numbers[f"O{space}"] = layout.EXECUTE + space - 1
    for index, square in enumerate(SQUARES):
        for space in SPACES:
            numbers[f"V{space}{square}"] = layout.PLACE + 60 * (space - 1) + index
        for rank_index, rank in enumerate(RANKS):
            numbers[f"{square}={rank}"] = layout.PROMOTE + 3 * index + rank_index
        for target in NEIGHBOURS[square]:
            step = layout.STEP_SHIFT.index(SQUARES.index(target) - index)
            numbers[f"{square}-{target}"] = layout.MOVE + 4 * index + step
        numbers[square] = layout.SQUARE + index
    return numbers


ACTION_NUMBERS = _number_actions()


@lru_cache
def _tiles_by_code(tiles: TileSet) -> dict[str, Tile]:
    columns = (tiles.codes, tiles.colours, tiles.orders, map(bool, tiles.crowns), map(bool, tiles.coins))
    return {row[0]: Tile(*row) for row in zip(*columns, strict=True)}


def _first_random_state(seed: int) -> int:
    return int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])


class ReferenceGame:
    """One game of Basilica by the plain reading of the rules.

    Begin one with :meth:`new` or :meth:`from_text`. A text given is trusted to be a valid position.

    Attributes
    ----------
    tiles : dict of str to Tile
        The tile set.
    cathedral, glass, builders, ranks, orders, vaults, stack, discard
        What lies where; see the head of this module.
    king : int
        The king's space, 0-30.
    scores, coins : tuple of int
        Player 0 first.
    turn : int
        The player whose turn it is.
    actions : int
        The actions she has left, the current one included.
    decision : Decision
        What is to be decided now.
    reshuffled : bool
        Whether the discard pile has become the stack (R7.1).
    random_state : int
        The state of the game's generator, 64 bits.
    fired : Counter of str
        How often each clause of :data:`CLAUSES` had an effect or took a choice away. One list of moves
        may count a clause more than once.
    """

    def __init__(self, tiles: TileSet | None, seed: int) -> None:
        self.tiles = _tiles_by_code(TileSet.standard() if tiles is None else tiles)
        self.cathedral: dict[str, str] = {}
        self.glass: set[str] = set()
        self.builders: dict[str, int] = {}
        self.ranks: dict[str, str] = {}
        self.orders: dict[int, str | None] = dict.fromkeys(SPACES)
        self.vaults: dict[int, str | None] = dict.fromkeys(SPACES)
        self.stack: list[str] = []
        self.discard: list[str] = []
        self.king = 0
        self.scores = (0, 0)
        self.coins = (layout.COINS_EACH, layout.COINS_EACH)
        self.turn = 0
        self.actions = layout.ACTIONS_A_TURN
        self.decision = Decision("main")
        self.reshuffled = False
        self.random_state = _first_random_state(seed)
        self.fired: Counter[str] = Counter()
        self._legal: list[str] | None = None

    # ------------------------------------------------------------------ beginning, text, copying

    @classmethod
    def new(cls, seed: int, tiles: TileSet | None = None) -> ReferenceGame:
        """Set up a game (R2.1, R2.2).

        Parameters
        ----------
        seed : int
            Seed of the shuffles; the same seed gives the same game.
        tiles : TileSet, optional
            The tile set; ``standard`` if left out.
        """
        game = cls(tiles, seed)
        game.stack = list(game.tiles)
        game._shuffle(game.stack)
        for spaces in (game.orders, game.vaults):
            for space in SPACES:
                spaces[space] = game.stack.pop(0)
        return game

    @classmethod
    def from_text(cls, text: str, seed: int = 0, tiles: TileSet | None = None) -> ReferenceGame:
        """Read a position by the notation; the text must be valid.

        Parameters
        ----------
        text : str
            Eleven fields.
        seed : int
            Seed of the reshuffle.
        tiles : TileSet, optional
            The tile set; ``standard`` if left out.
        """
        fields = text.split(" ")
        cathedral, orders, vaults, stack, discard, king, scores, coins, turn, decision, reshuffled = fields
        game = cls(tiles, seed)
        if cathedral != "-":
            for row, squares in enumerate(cathedral.split("/"), 1):
                for column, content in zip(COLUMNS, squares.split(","), strict=True):
                    game._put(f"{column}{row}", content)
        for spaces, codes in ((game.orders, orders), (game.vaults, vaults)):
            for space, code in zip(SPACES, codes.split(","), strict=True):
                spaces[space] = None if code == "_" else code
        game.stack = [] if stack == "-" else stack.split(",")
        game.discard = [] if discard == "-" else discard.split(",")
        game.king = int(king)
        game.scores = _pair(scores)
        game.coins = _pair(coins)
        game.turn, game.actions = _pair(turn)
        game.decision = Decision.from_text(decision)
        game.reshuffled = reshuffled == "1"
        return game

    def _put(self, square: str, content: str) -> None:
        """Put what a square's text says on the square."""
        if content == ".":
            return
        tile, _, builder = content.partition("+")
        self.cathedral[square] = tile.rstrip("*")
        if tile.endswith("*"):
            self.glass.add(square)
        if builder:
            self.builders[square] = int(builder[0])
            if builder[1:]:
                self.ranks[square] = builder[1:]

    def to_text(self) -> str:
        """Write the position by the notation."""
        fields = (
            self._cathedral_text(),
            ",".join(code or "_" for code in self.orders.values()),
            ",".join(code or "_" for code in self.vaults.values()),
            ",".join(self.stack) or "-",
            ",".join(self.discard) or "-",
            str(self.king),
            f"{self.scores[0]}:{self.scores[1]}",
            f"{self.coins[0]}:{self.coins[1]}",
            f"{self.turn}:{self.actions}",
            self.decision.to_text(),
            "1" if self.reshuffled else "0",
        )
        return " ".join(fields)

    def _cathedral_text(self) -> str:
        highest = max((_row(square) for square in self.cathedral), default=0)
        rows = (SQUARES[5 * row : 5 * row + 5] for row in range(highest))
        return "/".join(",".join(self._square_text(square) for square in row) for row in rows) or "-"

    def _square_text(self, square: str) -> str:
        if square not in self.cathedral:
            return "."
        text = self.cathedral[square]
        if square in self.glass:
            text += "*"
        if square in self.builders:
            text += f"+{self.builders[square]}{self.ranks.get(square, '')}"
        return text

    def copy(self) -> ReferenceGame:
        """Give a game of its own in the same position."""
        other = object.__new__(ReferenceGame)
        for name, value in vars(self).items():
            setattr(other, name, value.copy() if isinstance(value, (dict, list, set)) else value)
        return other

    # ------------------------------------------------------------------ what there is to know

    @property
    def opponent(self) -> int:
        """The player whose turn it is not."""
        return 1 - self.turn

    @property
    def player(self) -> int | None:
        """The player who decides now; None after the end."""
        if self.is_over:
            return None
        asked = self.decision.kind == "offer" or self.decision.kind in PAID_CHOICE.values()
        return self.opponent if asked else self.turn

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.decision.kind == "over"

    def returns(self) -> tuple[int, int]:
        """Give +1 to the winner and -1 to the loser; 0 to both in a tie and before the end (R9.1)."""
        margin = self.scores[0] - self.scores[1] if self.is_over else 0
        sign = (margin > 0) - (margin < 0)
        return sign, -sign

    def builders_in_supply(self, player: int) -> int:
        """Count the builders a player has to place (R1.2)."""
        return layout.BUILDERS_EACH - sum(owner == player for owner in self.builders.values())

    def tokens_in_supply(self, player: int) -> int:
        """Count the promotion tokens a player has to give (R1.2)."""
        return layout.TOKENS_EACH - sum(self.builders[square] == player for square in self.ranks)

    def open_information(self) -> dict[str, Any]:
        """Give all that both players know, and nothing else (R1.5).

        Returns
        -------
        dict
            ``squares``: for each square a dictionary of ``tile``, ``colours``, ``crown``, ``order``,
            ``coin``, ``glass``, ``builder`` (player or None), ``rank`` and ``scaffold``; ``vaults``: for
            each space the Tile or None; ``orders``: for each space, and ``top`` of the stack: a dictionary
            of ``colours``, ``order``, ``coin`` and ``crown_probability`` (Fraction), or None if no tile
            lies there; ``discard``: the set of codes; ``stack``: the number of tiles; ``builders`` and
            ``tokens`` in supply, ``scores``, ``coins`` (pairs); ``king``, ``turn``, ``actions``,
            ``decision`` (text), ``decider`` and ``reshuffled``.
        """
        *orders, top = self._order_sides()
        return {
            "squares": {square: self._open_square(square) for square in SQUARES},
            "vaults": {space: self.tiles[code] if code else None for space, code in self.vaults.items()},
            "orders": dict(zip(SPACES, orders, strict=True)),
            "top": top,
            "discard": set(self.discard),
            "stack": len(self.stack),
            "builders": (self.builders_in_supply(0), self.builders_in_supply(1)),
            "tokens": (self.tokens_in_supply(0), self.tokens_in_supply(1)),
            "scores": self.scores,
            "coins": self.coins,
            "king": self.king,
            "turn": self.turn,
            "actions": self.actions,
            "decision": self.decision.to_text(),
            "decider": self.player,
            "reshuffled": self.reshuffled,
        }

    def _open_square(self, square: str) -> dict[str, Any]:
        """Describe a square; a tile in the cathedral is fully known (R1.5)."""
        tile = self._vault(square)
        return {
            "tile": tile.code if tile else "",
            "colours": tile.colours if tile else "",
            "crown": tile.crown if tile else False,
            "order": tile.order if tile else "",
            "coin": tile.coin if tile else False,
            "glass": square in self.glass,
            "builder": self.builders.get(square),
            "rank": self.ranks.get(square, ""),
            "scaffold": self.cathedral.get(square) == SCAFFOLDING,
        }

    def _order_sides(self) -> list[dict[str, Any] | None]:
        """Describe what shows on the three order spaces and the top of the stack (R1.5)."""
        places = [*self.orders.values(), self.stack[0] if self.stack else None]
        shown = [self._order_side(code) if code else None for code in places]
        sides: list[dict[str, Any] | None] = []
        for place, side in enumerate(shown):
            if side is None:
                sides.append(None)
                continue
            colours, order, coin = side
            crown = self._crown_probability(shown, place)
            sides.append({"colours": colours, "order": order, "coin": coin, "crown_probability": crown})
        return sides

    def _order_side(self, code: str) -> tuple[str, str, bool]:
        """Give what the order side of a tile shows: colours, order, coin icon (R1.5)."""
        tile = self.tiles[code]
        return tile.colours, tile.order, tile.coin

    def _crown_probability(self, shown: list[tuple[str, str, bool] | None], place: int) -> Fraction:
        """Give the probability that the tile on a place in view has a crown (R1.5).

        The hidden tiles are those in the stack and on the order spaces. Every way to deal them to the
        places that fits the order sides shown is equally likely. Tiles with one order side change places
        only among the places that show it and the hidden rest of the stack, so all their deals are tried
        here; each leaves equally many deals of the other tiles.
        """
        hidden = [code for code in self.orders.values() if code] + self.stack
        fitting = [code for code in hidden if self._order_side(code) == shown[place]]
        alike = [other for other, side in enumerate(shown) if side == shown[place]]
        dealt = [deal[alike.index(place)] for deal in permutations(fitting, len(alike))]
        return Fraction(sum(self.tiles[code].crown for code in dealt), len(dealt))

    def _vault(self, square: str) -> Tile | None:
        """Give the vault on a square; None for an empty square or scaffolding."""
        return self.tiles.get(self.cathedral.get(square, ""))

    def _tile(self, spaces: dict[int, str | None], space: int) -> Tile:
        """Give the tile on an order or vault space; before the end of the game there is one."""
        code = spaces[space]
        assert code is not None
        return self.tiles[code]

    def _builders_of(self, player: int) -> list[str]:
        return [square for square, owner in self.builders.items() if owner == player]

    # ------------------------------------------------------------------ legal moves

    def legal_moves(self) -> list[str]:
        """List the legal moves as text, in the order of the action numbers."""
        if self._legal is None:
            self._legal = sorted(self._moves(), key=ACTION_NUMBERS.__getitem__)
        return list(self._legal)

    def legal_actions(self) -> list[int]:
        """List the numbers of the legal moves, ascending."""
        return [ACTION_NUMBERS[move] for move in self.legal_moves()]

    def _moves(self) -> list[str]:
        """List the legal moves of the decision (R3.1, R4.5, R6.9)."""
        match self.decision.kind:
            case "over":
                return []
            case "main":
                return self._vault_moves() + self._builder_moves() + self._order_moves()
            case "vault":
                return self._vault_moves()
            case "offer":
                return ["pay", "pass"]
            case _:
                return self._choices(self.decision)

    def _vault_moves(self) -> list[str]:
        """Place Vault, or the redraw if no vault can be placed (R4.1, R4.2, R4.5)."""
        squares = self._free_squares()
        wilds = [square for square in self.cathedral if self._is_wild(square)]
        beside_wild = {neighbour for square in wilds for neighbour in NEIGHBOURS[square]}
        moves = []
        for space in SPACES:
            is_wild = self._tile(self.vaults, space).is_wild
            if any(square in self.cathedral and not (is_wild and square in wilds) for square in ROW_12):
                self.fired["R4.6 vault beyond row 12 refused"] += 1
            for square in squares:
                if is_wild and square in beside_wild:
                    self.fired["R4.2 wild beside wild refused"] += 1
                else:
                    moves.append(f"V{space}{square}")
        return moves or ["redraw"]

    def _free_squares(self) -> set[str]:
        """Give the empty squares in row 1 or adjacent to a tile, none beyond row 12 (R4.1, R4.6)."""
        squares = set(ROW_1)
        for square in self.cathedral:
            squares.update(NEIGHBOURS[square])
        return squares - self.cathedral.keys()

    def _is_wild(self, square: str) -> bool:
        vault = self._vault(square)
        return vault is not None and vault.is_wild

    def _builder_moves(self) -> list[str]:
        """Place Builder (R5.1)."""
        if not self.decision.square:
            return []
        if not self.builders_in_supply(self.turn):
            self.fired["R5.1 no builder in supply"] += 1
            return []
        return ["B"]

    def _order_moves(self) -> list[str]:
        """Execute Order: the orders whose main part can be carried out in full (R6.1)."""
        moves = []
        for space in SPACES:
            if self._choices(self._first_choice(space)):
                moves.append(f"O{space}")
            else:
                self.fired[f"R6.1 {self._tile(self.orders, space).order} refused"] += 1
        return moves

    def _first_choice(self, space: int) -> Decision:
        """Give the decision that begins the order on a space (R6.4-R6.8)."""
        order = self._tile(self.orders, space).order
        return Decision(FIRST_CHOICE[order], space, left=2 if order == "scaffold" else 0)

    def _choices(self, decision: Decision) -> list[str]:
        """List the moves that carry out one decision of an order (R6.4-R6.9)."""
        match decision.kind:
            case "promote":
                return self._promotions(self.turn)
            case "paid-promote":
                return self._promotions(self.opponent, refused=decision.rank)
            case "move":
                return self._steps(self.turn)
            case "confuse" | "paid-confuse":
                return self._steps(self.opponent)
            case "recruit":
                return self._recruits(self.turn)
            case "paid-recruit":
                near = {near for square in self._builders_of(self.opponent) for near in NEIGHBOURS[square]}
                return [square for square in self._recruits(self.opponent) if square in near]
            case "remove":
                return self._removals()
            case "glass":
                return self._glass_squares()
            case "scaffold":
                return self._scaffolding_squares(decision.left)
            case "disaster":
                return self._disaster_squares()
            case _:
                raise AssertionError(f"no choices in {decision}")

    def _promotions(self, player: int, refused: str = "") -> list[str]:
        """Promote, and paid Promote with the rank that it may not give (R6.4, R6.9)."""
        if not self.tokens_in_supply(player):
            self.fired["R6.4 no token in supply"] += 1
            return []
        if refused:
            self.fired["R6.9 rank refused"] += 1
        ranks = [rank for rank in RANKS if rank != refused]
        return [f"{square}={rank}" for square in self._builders_of(player) for rank in ranks]

    def _steps(self, player: int, vacated: str = "") -> list[str]:
        """Move one of a player's builders to an adjacent vault without a builder (R6.5, R6.7, R6.9)."""
        return [
            f"{square}-{target}"
            for square in self._builders_of(player)
            for target in NEIGHBOURS[square]
            if target == vacated or self._may_enter(target)
        ]

    def _may_enter(self, square: str) -> bool:
        """Whether there is a vault without a builder (R5.2, R6.3)."""
        if square in self.builders:
            self.fired["R5.2 vault with a builder refused"] += 1
            return False
        if self.cathedral.get(square) == SCAFFOLDING:
            self.fired["R6.3 scaffolding refused"] += 1
            return False
        return square in self.cathedral

    def _recruits(self, player: int) -> list[str]:
        """Put a builder from the supply onto any vault without a builder (R6.6)."""
        if not self.builders_in_supply(player):
            self.fired["R6.6 no builder in supply"] += 1
            return []
        return [square for square in self.cathedral if self._may_enter(square)]

    def _removals(self) -> list[str]:
        """Remove an own builder such that the opponent has a builder that can move (R6.7)."""
        removals = []
        for square in self._builders_of(self.turn):
            if self._steps(self.opponent):
                removals.append(square)
            elif self._steps(self.opponent, vacated=square):
                self.fired["R6.7 vacated square frees a move"] += 1
                removals.append(square)
            else:
                self.fired["R6.7 removal refused"] += 1
        return removals

    def _glass_squares(self) -> list[str]:
        """Stained Glass: tiles that carry an own builder and no glass yet (R6.8)."""
        squares = self._builders_of(self.turn)
        if self.glass.intersection(squares):
            self.fired["R6.8 glass on glass refused"] += 1
        return [square for square in squares if square not in self.glass]

    def _scaffolding_squares(self, left: int) -> list[str]:
        """Scaffolding is placed by R4.1; a first square that leaves no second is not legal (R6.8, R4.6)."""
        squares = self._free_squares()
        if any(square in self.cathedral for square in ROW_12):
            self.fired["R4.6 scaffolding beyond row 12 refused"] += 1
        if left == 1:
            return list(squares)
        return [first for first in squares if squares - {first} or self._free_neighbours(first)]

    def _free_neighbours(self, square: str) -> list[str]:
        return [neighbour for neighbour in NEIGHBOURS[square] if neighbour not in self.cathedral]

    def _disaster_squares(self) -> list[str]:
        """Disaster: the vaults without a builder (R6.8)."""
        if self.builders:
            self.fired["R6.8 disaster spares a builder"] += 1
        return [square for square in self.cathedral if self._vault(square) and square not in self.builders]

    # ------------------------------------------------------------------ playing

    def play(self, move: str) -> None:
        """Make a move.

        Parameters
        ----------
        move : str
            A move text of :meth:`legal_moves`.

        Raises
        ------
        ValueError
            The move is not legal; the game is unchanged.
        """
        if move not in self.legal_moves():
            decision = self.decision.to_text()
            legal = ", ".join(self.legal_moves()) or "none"
            raise ValueError(f"illegal move {move!r} in decision {decision!r}: expected one of {legal}")
        self._legal = None
        try:
            self._carry_out(move)
        except _StackExhaustedError:
            self._count_scoring()
            self._end()

    def _carry_out(self, move: str) -> None:
        """Carry out a legal move (R3.1, R6.1)."""
        decision = self.decision
        match decision.kind:
            case "main" | "vault":
                self._act(move)
            case "promote":
                square, rank = move.split("=")
                self._promote(square, rank)
                self._main_part_done(rank)
            case "move":
                self._move_builder(move)
                self.fired["R6.5 moved"] += 1
                self._main_part_done()
            case "recruit":
                self._recruit(move, self.turn)
                self._main_part_done()
            case "remove":
                self._remove_builder(move)
                if not self._ask():
                    self.decision = Decision("confuse", decision.space)
            case "confuse":
                self._move_builder(move)
                self.fired["R6.7 moved"] += 1
                self._order_done()
            case "glass":
                self.glass.add(move)
                self.fired["R6.8 glass"] += 1
                self._main_part_done()
            case "scaffold":
                self._scaffold(move)
            case "disaster":
                self._disaster(move)
                self._main_part_done()
            case "offer":
                self._answer(move)
            case "paid-promote":
                square, rank = move.split("=")
                self._promote(square, rank)
                self._order_done()
            case "paid-recruit":
                self._recruit(move, self.opponent)
                self._order_done()
            case "paid-confuse":
                self._move_builder(move)
                self.fired["R6.7 moved"] += 1
                self._order_done()

    def _act(self, move: str) -> None:
        """Begin one of the three actions (R3.1, R5.1)."""
        may_place_builder = bool(self.decision.square)
        if move == "B":
            self._place_builder(self.decision.square)
        elif move == "redraw":
            if may_place_builder:
                self.fired["R5.1 redraw ends the chance"] += 1
            self._redraw()
        elif move.startswith("O"):
            if may_place_builder:
                self.fired["R5.1 order ends the chance"] += 1
            self.decision = self._first_choice(int(move[1]))
        else:
            self._place_vault(int(move[1]), move[2:])

    def _place_vault(self, space: int, square: str) -> None:
        """Place Vault: the tile, the king, a scoring, the refill (R4.1, R4.3, R4.4, R8.1, R8.5, R8.6)."""
        vault = self._tile(self.vaults, space)
        self.vaults[space] = None
        self.cathedral[square] = vault.code
        self.fired["R4.1 vault placed"] += 1
        if vault.crown:
            self.king += 1
            self.fired["R4.3 king moves"] += 1
            if self.king in SCORING_SPACES:
                self._scoring(space)
                return
        self._refill_vault(space, "after a vault")
        self._action_done(placed=square)

    def _scoring(self, space: int) -> None:
        """Score, and end the turn or the game (R8.1, R8.5, R8.6)."""
        self.fired["R8.1 scoring"] += 1
        if self.actions > 1:
            self.fired["R8.1 actions lost"] += 1
        self._count_scoring()
        if self.king == LAST_SPACE:
            self.fired["R8.6 third scoring"] += 1
            self._end()
            return
        self._clear_cathedral()
        self._refill_vault(space, "after a scoring")
        self._next_turn()

    def _refill_vault(self, space: int, when: str) -> None:
        """Flip the order above onto the vault space and refill the order space (R4.4)."""
        self.vaults[space] = self.orders[space]
        self.fired["R4.4 vault space refilled"] += 1
        self._refill(self.orders, space, when)

    def _redraw(self) -> None:
        """Discard the three vault tiles and draw three; one of them must be placed (R4.5)."""
        self.fired["R4.5 redraw again" if self.decision.kind == "vault" else "R4.5 redraw"] += 1
        for space in SPACES:
            self.discard.append(self._tile(self.vaults, space).code)
            self.vaults[space] = None
        for space in SPACES:
            self._refill(self.vaults, space, "in a redraw")
        self.decision = Decision("vault")

    def _place_builder(self, square: str) -> None:
        """Place Builder onto the vault just placed (R5.1)."""
        self.builders[square] = self.turn
        self.fired["R5.1 builder placed"] += 1
        self._action_done()

    def _action_done(self, placed: str = "") -> None:
        """Go on with the next action, or with the other player's turn after the third (R3.1, R3.2, R5.1)."""
        self.actions -= 1
        if self.actions:
            self.decision = Decision("main", square=placed)
            return
        if placed:
            self.fired["R5.1 turn ends the chance"] += 1
        self._next_turn()

    def _next_turn(self) -> None:
        """Begin the other player's turn (R3.2, R8.5)."""
        self.turn = self.opponent
        self.actions = layout.ACTIONS_A_TURN
        self.decision = Decision("main")
        self.fired["R3.2 next turn"] += 1

    def _end(self) -> None:
        """End the game (R7.2, R8.6, R9.1)."""
        self.actions = 0
        self.decision = Decision("over")
        self.fired["R9.1 tie" if self.scores[0] == self.scores[1] else "R9.1 win"] += 1

    # ------------------------------------------------------------------ orders

    def _promote(self, square: str, rank: str) -> None:
        """Give a token to a builder; one it had returns to the supply (R6.4)."""
        self.fired["R6.4 promoted"] += 1
        if square in self.ranks:
            self.fired["R6.4 promoted again"] += 1
            if self.ranks[square] == rank:
                self.fired["R6.4 same rank again"] += 1
            if self.tokens_in_supply(self.builders[square]) == 1:
                self.fired["R6.4 last token swapped"] += 1
        self.ranks[square] = rank

    def _move_builder(self, move: str) -> None:
        """Move a builder and its token (R6.5, R6.7)."""
        square, target = move.split("-")
        self.builders[target] = self.builders.pop(square)
        if square in self.ranks:
            self.ranks[target] = self.ranks.pop(square)
            self.fired["R6.5 token moves too"] += 1

    def _recruit(self, square: str, player: int) -> None:
        """Put a builder from the supply onto a vault (R6.6, R6.9)."""
        self.builders[square] = player
        self.fired["R6.6 recruited"] += 1

    def _remove_builder(self, square: str) -> None:
        """Take an own builder and its token back into the supply (R6.7)."""
        del self.builders[square]
        self.fired["R6.7 removed"] += 1
        if self.ranks.pop(square, ""):
            self.fired["R6.7 token removed too"] += 1

    def _scaffold(self, square: str) -> None:
        """Place one scaffolding tile of two (R6.8)."""
        squares_before = self._free_squares()
        self.cathedral[square] = SCAFFOLDING
        self.fired["R6.8 scaffolding"] += 1
        if self.decision.left == 1:
            self._main_part_done()
            return
        if self._free_squares() - squares_before:
            self.fired["R6.8 scaffolding leans on the first"] += 1
        self.decision = self.decision._replace(left=1)

    def _disaster(self, square: str) -> None:
        """Discard a vault and its glass; the other tiles stay where they are (R6.8)."""
        self.discard.append(self.cathedral.pop(square))
        self.fired["R6.8 disaster"] += 1
        if square in self.glass:
            self.glass.remove(square)
            self.fired["R6.8 disaster takes glass"] += 1
        for left in NEIGHBOURS[square]:
            if left in self.cathedral and not any(near in self.cathedral for near in NEIGHBOURS[left]):
                self.fired["R6.8 disaster leaves a tile alone"] += 1

    def _main_part_done(self, rank: str = "") -> None:
        """Go on with the paid order, if there is one, or finish the order (R6.2)."""
        if not self._ask(rank):
            self._order_done()

    def _ask(self, rank: str = "") -> bool:
        """Offer the paid order, if the icon, the coin and the cathedral allow it (R6.9)."""
        space = self.decision.space
        tile = self._tile(self.orders, space)
        if not tile.coin or tile.order not in PAID_CHOICE:
            return False
        if not self.coins[self.opponent]:
            self.fired[f"R6.9 {tile.order} no coin"] += 1
            return False
        if not self._choices(Decision(PAID_CHOICE[tile.order], space, rank=rank)):
            self.fired[f"R6.9 {tile.order} impossible"] += 1
            return False
        self.fired[f"R6.9 {tile.order} offered"] += 1
        self.decision = Decision("offer", space, rank=rank)
        return True

    def _answer(self, answer: str) -> None:
        """Let the opponent pay for the paid order or pass (R6.9)."""
        space = self.decision.space
        order = self._tile(self.orders, space).order
        if answer == "pay":
            self.fired[f"R6.9 {order} paid"] += 1
            gain = 1 if self.turn == 0 else -1
            self.coins = self.coins[0] + gain, self.coins[1] - gain
            self.decision = Decision(PAID_CHOICE[order], space, rank=self.decision.rank)
            return
        self.fired[f"R6.9 {order} passed"] += 1
        if order == "confuse":
            self.decision = Decision("confuse", space)
        else:
            self._order_done()

    def _order_done(self) -> None:
        """Discard the order tile and refill its space; then the action is over (R6.2)."""
        space = self.decision.space
        self.discard.append(self._tile(self.orders, space).code)
        self.fired["R6.2 order done"] += 1
        self._refill(self.orders, space, "after an order")
        self._action_done()

    # ------------------------------------------------------------------ the stack

    def _refill(self, spaces: dict[int, str | None], space: int, when: str) -> None:
        """Fill a space from the stack; the discard pile becomes the stack once (R7.1, R7.2)."""
        spaces[space] = None
        if not self.stack and not self.reshuffled and self.discard:
            self.fired[f"R7.1 reshuffle {when}"] += 1
            self.stack, self.discard = self.discard, []
            self._shuffle(self.stack)
            self.reshuffled = True
        if not self.stack:
            self.fired[f"R7.2 exhausted {when}"] += 1
            raise _StackExhaustedError
        spaces[space] = self.stack.pop(0)

    def _shuffle(self, codes: list[str]) -> None:
        """Shuffle in place (R2.1, R7.1)."""
        for last in range(len(codes) - 1, 0, -1):
            other = self._below(last + 1)
            codes[last], codes[other] = codes[other], codes[last]

    def _below(self, n: int) -> int:
        """Draw a number from 0 to ``n - 1`` from the game's generator, splitmix64."""
        largest = 2**64 - 1
        self.random_state = (self.random_state + 0x9E3779B97F4A7C15) & largest
        z = self.random_state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & largest
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & largest
        z ^= z >> 31
        return ((z >> 32) * n) >> 32

    # ------------------------------------------------------------------ scoring

    def _count_scoring(self) -> None:
        """Add the points of every area to the scores (R8.2-R8.4)."""
        areas = score_areas(self)
        self._note_scoring(areas)
        for area in areas:
            self.scores = self.scores[0] + area.points[0], self.scores[1] + area.points[1]

    def _clear_cathedral(self) -> None:
        """Return builders and tokens, clear scaffolding and two rows, and slide the rest (R8.5)."""
        if self.builders:
            self.fired["R8.5 builders return"] += 1
        if self.ranks:
            self.fired["R8.5 tokens return"] += 1
        self.builders.clear()
        self.ranks.clear()
        for square in [square for square in self.cathedral if self.cathedral[square] == SCAFFOLDING]:
            del self.cathedral[square]
            self.fired["R8.5 scaffolding removed"] += 1
        for square in ROWS_1_AND_2:
            if square in self.cathedral:
                self.discard.append(self.cathedral.pop(square))
                self.fired["R8.5 vaults discarded"] += 1
            if square in self.glass:
                self.glass.remove(square)
                self.fired["R8.5 glass discarded"] += 1
        self._slide()

    def _slide(self) -> None:
        """Move what is left toward the board until its lowest tile is in row 1 (R8.5)."""
        if not self.cathedral:
            self.fired["R8.5 nothing left"] += 1
            return
        rows = min(_row(square) for square in self.cathedral) - 1
        self.cathedral = {_down(square, rows): code for square, code in self.cathedral.items()}
        self.glass = {_down(square, rows) for square in self.glass}
        self.fired["R8.5 slide"] += 1
        if rows > 2:
            self.fired["R8.5 slide by more than two rows"] += 1
        if self.glass:
            self.fired["R8.5 glass stays"] += 1

    def _note_scoring(self, areas: list[AreaScore]) -> None:
        """Count the clauses that this scoring meets (R8.2-R8.4); the points do not depend on it."""
        in_areas = Counter(square for area in areas for square in area.squares)
        if 2 in in_areas.values():
            self.fired["R8.2 wild joins two areas"] += 1
        for square in self.builders:
            if in_areas[square] == 2:
                self.fired["R8.3 builder counts in two areas"] += 1
            if not in_areas[square]:
                self.fired["R8.2 lone wild"] += 1
        for area in areas:
            self.fired.update(clause for clause, met in self._clauses_met(area).items() if met)

    def _clauses_met(self, area: AreaScore) -> dict[str, bool]:
        """Tell which clauses matter to the points of an area (R8.2-R8.4)."""
        equal = area.strength[0] == area.strength[1]
        cancel = equal and all(area.strongmen)
        if area.majority is None:
            return {"R8.3 tie": any(area.builders), "R8.3 Strongmen cancel": cancel}
        winner, loser = area.majority, 1 - area.majority
        architects = [self.builders[square] for square in area.squares if self.ranks.get(square) == ARCHITECT]
        return {
            "R8.2 lone single colour": area.size == 1,
            "R8.3 majority": True,
            "R8.3 Master Mason decides": not equal and area.builders[winner] <= area.builders[loser],
            "R8.3 Strongmen decide": equal,
            "R8.3 Strongmen cancel": cancel,
            "R8.4 Architect doubles": area.architect,
            "R8.4 opponent's Architect doubles": area.architect and winner not in architects,
            "R8.4 Architects double once": len(architects) > 1,
            "R8.4 glass": area.glass > 0,
            "R8.4 minority": area.points[loser] > 0,
            "R8.4 minority Master Mason is one": area.strength[loser] > area.builders[loser],
            "R8.4 minority on Strongmen": equal,
        }


def score_areas(game: ReferenceGame) -> list[AreaScore]:
    """List the areas of the cathedral and what each would score now (R8.2-R8.4).

    Parameters
    ----------
    game : ReferenceGame
        The game; it is not changed.

    Returns
    -------
    list of AreaScore
        By colour R, Y, B, G, then by the first square; areas without builders included.
    """
    return [_score_area(game, colour, squares) for colour in COLOURS for squares in _areas(game, colour)]


def _areas(game: ReferenceGame, colour: str) -> list[tuple[str, ...]]:
    """Find the areas of one colour: groups of adjacent tiles that have it, but no lone wild tile (R8.2)."""
    vaults = {square: game.tiles[code] for square, code in game.cathedral.items() if code != SCAFFOLDING}
    unseen = {square for square, vault in vaults.items() if colour in vault.colours}
    areas = []
    for first in SQUARES:
        if first not in unseen:
            continue
        unseen.remove(first)
        area = [first]
        for square in area:
            for neighbour in NEIGHBOURS[square]:
                if neighbour in unseen:
                    unseen.remove(neighbour)
                    area.append(neighbour)
        if len(area) > 1 or not vaults[first].is_wild:
            areas.append(tuple(sorted(area, key=SQUARES.index)))
    return areas


def _score_area(game: ReferenceGame, colour: str, squares: tuple[str, ...]) -> AreaScore:
    """Count strength, majority and points in one area (R8.3, R8.4)."""
    builders, strength, strongmen = [0, 0], [0, 0], [0, 0]
    for square in squares:
        if square in game.builders:
            player, rank = game.builders[square], game.ranks.get(square)
            builders[player] += 1
            strength[player] += 2 if rank == MASTER_MASON else 1
            strongmen[player] += rank == STRONGMAN
    architect = any(game.ranks.get(square) == ARCHITECT for square in squares)
    glass = len(game.glass.intersection(squares))
    majority = _majority(strength, strongmen)
    points = [0, 0]
    if majority is not None:
        points[majority] = len(squares) * (2 if architect else 1) + 2 * glass
        points[1 - majority] = builders[1 - majority]
    return AreaScore(
        colour,
        squares,
        size=len(squares),
        builders=(builders[0], builders[1]),
        strength=(strength[0], strength[1]),
        strongmen=(strongmen[0], strongmen[1]),
        architect=architect,
        glass=glass,
        majority=majority,
        points=(points[0], points[1]),
    )


def _majority(strength: list[int], strongmen: list[int]) -> int | None:
    """Give the player with more strength, or on equal strength with more Strongmen; else None (R8.3)."""
    for count in (strength, strongmen):
        if count[0] != count[1]:
            return 0 if count[0] > count[1] else 1
    return None


def _row(square: str) -> int:
    return int(square[1:])


def _down(square: str, rows: int) -> str:
    """Give the square so many rows nearer to the board."""
    return f"{square[0]}{_row(square) - rows}"


def _pair(text: str) -> tuple[int, int]:
    first, second = text.split(":")
    return int(first), int(second)
