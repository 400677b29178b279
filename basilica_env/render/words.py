"""Decisions, moves and their rules in words."""

from __future__ import annotations

import re
from textwrap import fill
from typing import TYPE_CHECKING

from basilica_env.core.layout import ACTIONS_A_TURN, RANK_LETTERS
from basilica_env.render.style import WIDTH

if TYPE_CHECKING:
    from basilica_env.game import GameState, PositionView

RANK_NAMES = ("Architect", "Master Mason", "Strongman")
COLOUR_NAMES = {"R": "red", "Y": "yellow", "B": "blue", "G": "green"}
ORDER_TITLES = {
    "promote": "Promote",
    "move": "Move Builder",
    "recruit": "Recruit",
    "confuse": "Confuse",
    "glass": "Stained Glass",
    "scaffold": "Scaffolding",
    "disaster": "Disaster",
}

_SQUARE = re.compile(r"[a-e][1-9][0-9]?")

_QUESTIONS = {
    "main": "choose an action",
    "vault": "place a vault, after the redraw",
    "promote": "Promote: choose a builder of yours and its rank",
    "move": "Move Builder: choose a builder of yours and where it goes",
    "recruit": "Recruit: choose a vault for a builder from your supply",
    "remove": "Confuse: choose the builder of yours that leaves the cathedral",
    "confuse": "Confuse: choose a builder of the opponent and where it goes",
    "glass": "Stained Glass: choose a tile with a builder of yours",
    "disaster": "Disaster: choose a vault without a builder to discard",
    "scaffold": "Scaffolding: choose a square for {left} scaffolding tile",
    "offer": "{order}: give your coin for the paid order, or pass",
    "paid-promote": "paid Promote: choose a builder of yours and its rank, not {rank}",
    "paid-recruit": "paid Recruit: choose a vault next to a builder of yours",
    "paid-confuse": "paid Confuse: choose which builder of yours moves, and where",
}

_RULES = {
    "main": """\
A turn is three actions in any mix, and there is no passing (R3.1).

V2c3  Place Vault: the tile of vault space 2 goes on c3. The square must be empty and in row 1 or
next to a tile (R4.1). Two wild tiles never touch (R4.2). A crown moves the king, and on 10, 20 and
30 there is a scoring that ends the turn (R4.3, R8.1). The tile on the order space above then
becomes the next vault (R4.4).

B  Place Builder: only directly after Place Vault, on that very tile (R5.1).

O1  Execute Order: the order on space 1. It is offered only if it can be carried out in full (R6.1).
Its choices follow; afterwards the tile is discarded and replaced from the stack (R6.2).

redraw  New vault tiles, only if none of the three fits anywhere (R4.5).""",
    "vault": """\
You have drawn new vault tiles because none of the old ones fitted; now one of them must be placed,
or drawn anew if again none fits (R4.5). The usual rules of placing hold (R4.1, R4.2).""",
    "promote": """\
c3=A makes the builder on c3 an Architect, M a Master Mason, S a Strongman. It takes a token from
your supply; a token the builder had goes back to it. The same rank again is allowed (R6.4).

A Master Mason has strength 2; Strongmen break ties (R8.3); an Architect doubles the tiles of the
area for whoever holds it (R8.4).""",
    "move": """\
c3-c4 moves your builder from c3 to c4, its token with it. The vault must be adjacent and without a
builder (R6.5).""",
    "recruit": """\
A builder from your supply goes on any vault without a builder (R6.6).""",
    "remove": """\
First half of Confuse: one of your own builders returns to your supply, its token too. It must leave
the opponent a builder that can move; the vault just left counts as free (R6.7).""",
    "confuse": """\
Second half of Confuse: move one of the opponent's builders, its token with it, to an adjacent vault
without a builder (R6.7).""",
    "glass": """\
The stained glass goes on a tile that carries a builder of yours and no glass yet (R6.8). In a
scoring it is worth 2 points to whoever holds the area (R8.4).""",
    "disaster": """\
A vault without a builder is discarded, its glass with it. The other tiles stay where they are, even
if they now touch nothing (R6.8).""",
    "scaffold": """\
Two scaffolding tiles are placed one after the other, each on an empty square in row 1 or next to a
tile; the second may lean on the first (R6.8, R4.1). Scaffolding never carries a builder (R6.3) and
leaves after the next scoring (R8.5).""",
    "offer": """\
The order has a coin icon and you have a coin, so you may carry out its paid form{paid}: pay gives
the coin to the other player, pass declines. It costs you no action (R6.9).""",
    "paid-promote": """\
You paid: one of your builders gets a rank other than {given}; a token in supply is
needed, and the one the builder had goes back (R6.9, R6.4).""",
    "paid-recruit": """\
You paid: a builder from your supply goes on a vault without a builder, next to a builder of yours
(R6.9).""",
    "paid-confuse": """\
You paid: you pick which of your builders moves and where; one of them must (R6.9, R6.7).""",
    "over": """\
The game ends with the third scoring (R8.6), or when a tile is needed and the stack is empty after
the one reshuffle (R7.2). More points win (R9.1).""",
}

DECISION_KINDS = tuple(_RULES)


def decision_kind(decision: str) -> str:
    """Give the kind in a decision text: ``"scaffold:1:2"`` is of the kind ``"scaffold"``."""
    return re.split("[:@]", decision, maxsplit=1)[0]


def question(state: GameState) -> str:
    """Say what is to be decided now, without who decides it."""
    kind, *parts = state.decision.split(":")
    if kind.startswith("main@"):
        return f"choose an action; a vault was just placed on {kind[5:]}"
    order = order_title(state, int(parts[0]) - 1) if parts and kind == "offer" else ""
    left = {"2": "the first", "1": "the second"}.get(parts[-1] if parts else "", "")
    rank = rank_name(parts[1]) if kind == "paid-promote" else ""
    return _QUESTIONS[kind].format(order=order, left=left, rank=rank)


def explanation(decision: str) -> str:
    """Give the rules of a decision, by clause, in lines of a drawing's width."""
    return "\n".join(fill(text, WIDTH, subsequent_indent="  ") for text in paragraphs(decision))


def paragraphs(decision: str) -> list[str]:
    """Give the rules of a decision, by clause, a line each."""
    given, paid = "the one just given", ""
    rank = decision.rpartition(":")[2]
    if rank in RANK_LETTERS:  # the decision is about paid Promote, which gives another one (R6.9)
        given = f"{rank_name(rank)}, the one just given"
        paid = f", which gives one of your builders a rank other than {given}"
    rules = _RULES[decision_kind(decision)].format(given=given, paid=paid)
    return [" ".join(text.split("\n")) for text in rules.split("\n\n")]


def turn_line(view: PositionView, names: tuple[str, str]) -> str:
    """Say whose turn it is and which of its actions runs."""
    return f"Turn: {names[view.turn]}, action {ACTIONS_A_TURN + 1 - view.actions} of {ACTIONS_A_TURN}"


def decision_line(state: GameState, names: tuple[str, str]) -> str:
    """Say who decides what now; for a finished game, its result."""
    if state.is_over:
        return f"The game is over: {result(state.scores, names)}"
    return f"{names[state.player]} decides: {question(state)}"


def result(scores: tuple[int, int], names: tuple[str, str]) -> str:
    """Say who has won by how much (R9.1)."""
    first, second = scores
    if first == second:
        return f"a tie at {first}:{second}"
    return f"{names[0] if first > second else names[1]} wins {max(scores)}:{min(scores)}"


def order_title(state: GameState, space: int) -> str:
    """Give the name of the order on an order space, counted from 0."""
    code = state.orders[space]
    assert code is not None, "an order is carried out on a space that has a tile"
    return ORDER_TITLES[state.tiles.orders[state.tiles.numbers[code]]]


def rank_name(letter: str) -> str:
    """Give the name of a rank: ``"A"`` is an Architect."""
    return RANK_NAMES[RANK_LETTERS.index(letter)]


def squares_of(state: GameState, move: str) -> tuple[str, ...]:
    """Give the squares that a move, to be made in `state`, is about."""
    return tuple(_SQUARE.findall(state.decision if move == "B" else move))


def marks(state: GameState, move: str) -> str:
    """Name what a legal move, to be made in `state`, is about, to be marked in a drawing of what follows.

    After a scoring there is nothing to mark: the tiles have moved (R8.5).
    """
    return "" if state.scoring_of(move) is not None else " ".join((move, *squares_of(state, move)))


def scoring_title(state: GameState, king_before: int) -> str:
    """Say why there was a scoring, given the position after it and where the king stood before."""
    by_king = state.king != king_before
    return f"Scoring: the king is on {state.king}" if by_king else "Last scoring: the stack is empty"


def move_words(state: GameState, move: str) -> str:
    """Say what a legal move does in `state`, in a few words."""
    kind = decision_kind(state.decision)
    squares = squares_of(state, move)
    if move.startswith("V"):
        code = state.vaults[int(move[1]) - 1]
        assert code is not None, "a vault is placed from a space that has a tile"
        crown = ", with a crown" if state.tiles.crowns[state.tiles.numbers[code]] else ""
        return f"places vault {code} on {squares[0]}{crown}"
    if move.startswith("O"):
        return f"executes {order_title(state, int(move[1]) - 1)}"
    if "=" in move:
        return f"makes the builder on {squares[0]} {_an(rank_name(move[-1]))}"
    if "-" in move:
        whose = "the opponent's" if kind == "confuse" else "a"
        return f"moves {whose} builder from {squares[0]} to {squares[1]}"
    if move in _WORDS:
        return _WORDS[move].format(*squares)
    return _SQUARE_WORDS[kind].format(*squares)


_WORDS = {
    "B": "places a builder on {}",
    "redraw": "draws three new vault tiles, since none fits",
    "pay": "pays for the paid order",
    "pass": "does not pay",
}
_SQUARE_WORDS = {
    "recruit": "recruits a builder onto {}",
    "paid-recruit": "recruits a builder onto {}",
    "remove": "takes back the builder on {}",
    "glass": "puts stained glass on {}",
    "disaster": "destroys the vault on {}",
    "scaffold": "puts scaffolding on {}",
}


def _an(noun: str) -> str:
    return f"{'an' if noun[0] in 'AEIOU' else 'a'} {noun}"
