"""The facts for testing an implementation, from the end of the rules, as properties of drawn games.

A drawn game is a seed, a policy and a row of bytes: each byte picks one of the legal moves, and the game
stops when the bytes are used up. The symmetries are carried out on the texts of positions and moves alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from basilica_env.core.tiles import TileSet
from tests.engines import ENGINES, Engine
from tests.positions import COLUMNS, STANDARD, codes, join, split, tile_of

EXAMPLES = {"compiled": 40, "reference": 20}
DECISIONS = {"min_size": 150, "max_size": 400}
"""Most games end before their choices are used up, and hardly any is longer than the longest row of them."""

TILE = re.compile(r"([RYBG]+)(\d+)")
SQUARE = re.compile(r"[a-e](?=\d)")
BUILDER = re.compile(r"\+([01])")
CONTENT = re.compile(r"\.|#|[RYBG]{1,2}\d+\*?(\+[01][AMS]?)?")
PILES = ("orders", "vaults", "stack", "discard")

Drawn = tuple[int, bool, bytes]
Fields = dict[str, str | list[str]]
DRAWN: st.SearchStrategy[Drawn] = st.tuples(st.integers(0, 2**32 - 1), st.booleans(), st.binary(**DECISIONS))
COLOURS = st.sampled_from(["".join(colours) for colours in permutations("RYBG")])

both_engines = pytest.mark.parametrize("engine", ENGINES)


def pick(moves: list[str], by_kind: bool, choice: int) -> str:
    """Pick a move: any, or first the kind of action, so that orders come as often as vaults."""
    if by_kind:
        kinds = sorted({move[0] for move in moves})
        choice, kind = divmod(choice, len(kinds))
        moves = [move for move in moves if move[0] == kinds[kind]]
    return moves[choice % len(moves)]


def begin(engine: str, drawn: Drawn, change: Callable[[str], str] = str, tiles: TileSet = STANDARD) -> Engine:
    """Begin a drawn game, from the position that a change makes of its start."""
    start = ENGINES[engine].new(drawn[0]).to_text()
    return ENGINES[engine].from_text(change(start), seed=drawn[0], tiles=tiles)


def playout(game: Engine, drawn: Drawn) -> Iterator[str | None]:
    """Play a drawn game; give each move before it is played, and None at the end."""
    _, by_kind, choices = drawn
    for choice in choices:
        if game.is_over:
            break
        move = pick(sorted(game.legal_moves()), by_kind, choice)
        yield move
        game.play(move)
    yield None


def holds(engine: str, *more: st.SearchStrategy[str]) -> Callable[[Callable[..., None]], None]:
    """Check a property for many drawn games, fewer on the slow engine."""

    def check(of_game: Callable[..., None]) -> None:
        settings(max_examples=EXAMPLES[engine], deadline=None, derandomize=True)(
            given(DRAWN, *more)(of_game)
        )()

    return check


def rows_of(text: str) -> list[list[str]]:
    """Give the squares of the cathedral, row 1 first."""
    cathedral = split(text)["cathedral"]
    return [] if cathedral == "-" else [row.split(",") for row in cathedral.split("/")]


def squares_of(text: str) -> list[str]:
    """Give what lies on each square up to the highest tile."""
    return [square for row in rows_of(text) for square in row]


@both_engines
def test_tiles_are_conserved(engine: str) -> None:
    @holds(engine)
    def _(drawn: Drawn) -> None:
        game = begin(engine, drawn)
        for _ in playout(game, drawn):
            assert sorted(codes(game.to_text())) == sorted(STANDARD.codes)


@both_engines
def test_builders_tokens_and_coins_are_conserved(engine: str) -> None:
    # The text holds no supply, but what can be done shows it: with n builders in the cathedral 5 - n are left
    # to place and to recruit, with n tokens 4 - n are left to promote.
    @holds(engine)
    def _(drawn: Drawn) -> None:
        game = begin(engine, drawn)
        for _ in playout(game, drawn):
            text = game.to_text()
            fields, squares = split(text), squares_of(text)
            builders = [sum(f"+{player}" in square for square in squares) for player in (0, 1)]
            tokens = [len(re.findall(rf"\+{player}[AMS]", text)) for player in (0, 1)]
            assert max(builders) <= 5
            assert max(tokens) <= 4
            assert sum(map(int, fields["coins"].split(":"))) == 2
            assert min(map(int, fields["coins"].split(":"))) >= 0
            if not fields["decision"].startswith("main"):
                continue
            moves, player = game.legal_moves(), game.player
            assert player is not None
            assert ("B" in moves) == ("@" in fields["decision"] and builders[player] < 5)
            free = any(tile_of(square) and "+" not in square for square in squares)
            for space, code in enumerate(codes(fields["orders"]), 1):
                order = STANDARD.orders[STANDARD.numbers[code]]
                if order == "promote":
                    assert (f"O{space}" in moves) == (builders[player] > 0 and tokens[player] < 4)
                if order == "recruit":
                    assert (f"O{space}" in moves) == (builders[player] < 5 and free)


@both_engines
def test_wild_tiles_are_never_adjacent(engine: str) -> None:
    @holds(engine)
    def _(drawn: Drawn) -> None:
        game = begin(engine, drawn)
        for _ in playout(game, drawn):
            wild = [
                [len(TILE.sub(r"\1", tile_of(square) or "")) == 2 for square in row]
                for row in rows_of(game.to_text())
            ]
            assert not any(left and right for row in wild for left, right in pairwise(row))
            assert not any(
                low and high for column in zip(*wild, strict=True) for low, high in pairwise(column)
            )


@both_engines
def test_scaffolding_never_carries_anything(engine: str) -> None:
    @holds(engine)
    def _(drawn: Drawn) -> None:
        game = begin(engine, drawn)
        for _ in playout(game, drawn):
            assert all(CONTENT.fullmatch(square) for square in squares_of(game.to_text()))


@both_engines
def test_there_is_a_legal_move_until_the_game_is_over(engine: str) -> None:
    @holds(engine)
    def _(drawn: Drawn) -> None:
        game = begin(engine, drawn)
        for _ in playout(game, drawn):
            moves = game.legal_moves()
            assert len(moves) == len(set(moves))
            assert bool(moves) is not game.is_over
            assert game.is_over is (split(game.to_text())["decision"] == "over")


@both_engines
def test_every_position_is_written_and_read_back(engine: str) -> None:
    @holds(engine)
    def _(drawn: Drawn) -> None:
        game = begin(engine, drawn)
        for _ in playout(game, drawn):
            again = ENGINES[engine].from_text(game.to_text())
            assert again.to_text() == game.to_text()
            assert again.legal_moves() == game.legal_moves()


def mirrored(text: str) -> str:
    """Exchange the columns a and e, b and d, in a position or a move."""
    text = SQUARE.sub(lambda square: COLUMNS[4 - COLUMNS.index(square[0])], text)
    if " " not in text:
        return text
    fields = split(text)
    if fields["cathedral"] != "-":
        rows = [",".join(reversed(row)) for row in rows_of(text)]
        fields["cathedral"] = "/".join(rows)
    return join(fields)


def recoloured(text: str, colours: str) -> str:
    """Exchange the colours R, Y, B, G for those given; the letters of a code keep their order."""

    def code(match: re.Match[str]) -> str:
        letters = {colours["RYBG".index(letter)] for letter in match[1]}
        return "".join(letter for letter in "RYBG" if letter in letters) + match[2]

    return TILE.sub(code, text)


def recoloured_set(colours: str) -> TileSet:
    """Give the standard tile set with its colours exchanged, each tile in its place."""
    return replace(
        STANDARD,
        name="recoloured",
        codes=tuple(recoloured(code, colours) for code in STANDARD.codes),
        colours=tuple(recoloured(f"{pair}0", colours)[:-1] for pair in STANDARD.colours),
    )


def with_players_swapped(text: str) -> str:
    """Exchange the players in a position."""
    fields = split(text)
    fields["cathedral"] = BUILDER.sub(lambda builder: f"+{1 - int(builder[1])}", fields["cathedral"])
    for field in ("scores", "coins"):
        fields[field] = ":".join(reversed(fields[field].split(":")))
    fields["turn"] = f"{1 - int(fields['turn'][0])}{fields['turn'][1:]}"
    return join(fields)


def without_order(text: str, reshuffled: bool) -> Fields:
    """Give a position without what the mirror need not keep.

    A scoring discards row by row from column a (R8.5), so the mirror changes the order of the discard pile,
    and a reshuffle of that pile then draws other tiles.
    """
    fields = split(text)
    if reshuffled:
        tiles = sorted(codes(",".join(fields[pile] for pile in PILES)))
        return {**{field: fields[field] for field in fields if field not in PILES}, "tiles": tiles}
    return {**fields, "discard": sorted(codes(fields["discard"]))}


@both_engines
def test_mirror(engine: str) -> None:
    @holds(engine)
    def _(drawn: Drawn) -> None:
        game, image = begin(engine, drawn), begin(engine, drawn, mirrored)
        before = game.to_text()
        moved = ""
        for move in playout(game, drawn):
            text = game.to_text()
            if moved:
                image.play(mirrored(moved))
            reshuffled = split(before)["reshuffled"] != split(text)["reshuffled"]
            assert without_order(image.to_text(), reshuffled) == without_order(mirrored(text), reshuffled)
            image = ENGINES[engine].from_text(mirrored(text))
            assert sorted(image.legal_moves()) == sorted(map(mirrored, game.legal_moves()))
            assert image.scores == game.scores
            before, moved = text, move or ""


@both_engines
def test_colours(engine: str) -> None:
    # The tile set is recoloured tile by tile in its place, so the whole game, reshuffle and all, is the same.
    @holds(engine, COLOURS)
    def _(drawn: Drawn, colours: str) -> None:
        game = begin(engine, drawn)
        image = begin(engine, drawn, lambda text: recoloured(text, colours), recoloured_set(colours))
        for move in playout(game, drawn):
            assert image.to_text() == recoloured(game.to_text(), colours)
            assert image.legal_moves() == game.legal_moves()
            assert image.scores == game.scores
            if move is not None:
                image.play(move)


@both_engines
def test_players(engine: str) -> None:
    @holds(engine)
    def _(drawn: Drawn) -> None:
        game, image = begin(engine, drawn), begin(engine, drawn, with_players_swapped)
        for move in playout(game, drawn):
            assert image.to_text() == with_players_swapped(game.to_text())
            assert image.legal_moves() == game.legal_moves()
            assert image.scores == game.scores[::-1]
            if move is not None:
                assert image.player != game.player
                image.play(move)
        if game.is_over:
            assert image.returns() == game.returns()[::-1]
