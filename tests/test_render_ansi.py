"""The drawing of a position, the table of a scoring, and both in words."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

import pytest

from basilica_env.core.layout import DECISION_NAMES
from basilica_env.core.tiles import TileSet
from basilica_env.game import GameState
from basilica_env.render import areas_table, draw, legend
from basilica_env.render.style import ASCII, UNICODE, WIDTH, plain
from basilica_env.render.words import (
    decision_kind,
    explanation,
    move_words,
    paragraphs,
    question,
    result,
    squares_of,
)
from tests.positions import NO_FIT, STANDARD, position

BOARD = """
    .    .       YB1    G1+1 .
    .    .       Y9*+0A .    #
    R3   RB2*+1M B7+0   .    .
"""
VAULTS = "R6 YG2 B9"
ORDERS = "R1 R5 G3"


def state_of(board: str = BOARD, orders: str = ORDERS, tiles: TileSet = STANDARD, **fields: str) -> GameState:
    fields = {"vaults": VAULTS, "stack": "BG1", "discard": "G9"} | fields
    text = position(board, orders=orders, tiles=tiles, earlier=False, **fields)  # type: ignore[arg-type]
    return GameState.from_text(text, tiles=tiles)


def kind_of(move: str) -> str:
    return move[0] if move[0] in "VO" else move


def moves_of(seed: int) -> Iterator[tuple[GameState, str]]:
    """Play a game in which each kind of move is as likely as any other; give each position and its move."""
    chance = random.Random(seed)
    state = GameState.new(seed=seed)
    while not state.is_over:
        kinds = [list(moves) for _, moves in groupby(state.legal_moves(), kind_of)]
        move = chance.choice(chance.choice(kinds))
        yield state, move
        state.play(move)


def finished(seed: int) -> GameState:
    """Play a game to its end."""
    *_, (state, _) = moves_of(seed)
    assert state.is_over
    return state


# --- The drawing -------------------------------------------------------------------------------------


def test_drawing() -> None:
    drawing = draw(state_of(decision="main@c3", turn="0:2"), names=("human", "greedy"), last_move="V1c3")
    assert drawing.replace("\n" + " " * 42, "\n@ ").splitlines() == [
        " " * 42 + "Space 1          2          3",
        "@ Order Move       Scaffold   Scaffold",
        "@  back R          R          G",
        "@ Vault R6         YG2 ^      B9",
        "",
        "   +------+------+------+------+------+   Stack   45, on top Promote $, back BG",
        " 4 |      |      |      |      |      |   Discard  1",
        "   |      |      |      |      |      |   Left    46 to draw, and new discards",
        "   +------+------+------+------+------+",
        " 3 |      |      |>YB1 ^| G1   |      |   King     3, next scoring on 10",
        "   |      |      |      | +1   |      |   ===.......|..........|..........|",
        "   +------+------+------+------+------+",
        " 2 |      |      | Y9   |      |######|            +0 human       +1 greedy",
        "   |      |      | +0A* |      |######|   Score     0              0",
        "   +------+------+------+------+------+   Builders  3              3",
        " 1 | R3   | RB2 ^| B7  ^|      |      |   Tokens    3              3",
        "   |      | +1M* | +0   |      |      |   Coins     1              1",
        "   +======+======+======+======+======+",
        "      a      b      c      d      e       Turn: human (0), action 2 of 3",
        "",
        "human (0) decides: choose an action; a vault was just placed on c3",
    ]


def test_empty_cathedral_is_one_row() -> None:
    drawing = draw(state_of(""))
    assert " 1 |" in drawing
    assert " 2 |" not in drawing


def test_full_cathedral_is_twelve_rows() -> None:
    column = [f"{colour}{number}" for number in range(3) for colour in "RYBG"]
    state = state_of("\n".join(f"{code} . . . ." for code in column), orders="R7 R8 G9", discard="G8")
    lines = draw(state).splitlines()
    assert lines[1].startswith("12 | R0  ^|")


@pytest.mark.parametrize("unicode", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_drawing_fits_and_color_only_paints(seed: int, unicode: bool) -> None:
    for state, move in moves_of(seed):
        bare = draw(state, unicode=unicode, last_move=move)
        painted = draw(state, color=True, unicode=unicode, last_move=move)
        assert max(map(len, bare.splitlines())) <= WIDTH
        assert bare.isascii() is not unicode
        assert "\x1b" not in bare
        assert painted != bare
        assert [line.rstrip() for line in plain(painted).splitlines()] == bare.splitlines()
        table = areas_table(state.areas(), unicode=unicode)
        assert max(map(len, table.splitlines())) <= WIDTH
        assert plain(areas_table(state.areas(), color=True, unicode=unicode)) == table


def test_wild_tile_has_two_colours() -> None:
    red, blue = "\x1b[38;5;16;48;5;166m", "\x1b[38;5;231;48;5;25m"
    assert f"|{red} RB\x1b[0m{blue}2 ^\x1b[0m|" in draw(state_of(), color=True)


def test_marks_are_on_the_squares_of_the_last_move() -> None:
    drawing = draw(state_of(), last_move="e2-d1")
    assert ">#####" in drawing
    assert drawing.count(ASCII.mark) == 2
    assert draw(state_of()).count(ASCII.mark) == 0


@pytest.mark.parametrize("place", ["order space", "top of the stack"])
def test_order_side_hides_the_crown(place: str) -> None:
    """R1.5: R0 and R7 have the same order side, but in this tile set only R7 has a crown."""
    tiles = replace(STANDARD, crowns=(0, *STANDARD.crowns[1:]))
    drawings = set()
    for seen, hidden in (("R0", "R7"), ("R7", "R0")):
        if place == "order space":
            state = state_of("", f"{seen} R5 G3", tiles, stack=f"G1 {hidden}")
        else:
            state = state_of("", tiles=tiles, stack=f"{seen} G1 {hidden}")
        drawings.add(draw(state, color=True, unicode=True))
    assert len(drawings) == 1


def test_stack_below_its_top_is_hidden() -> None:
    one, other = state_of(stack="BG1 G2 B2"), state_of(stack="BG1 B2 G2")
    assert one != other
    assert draw(one) == draw(other)


@pytest.mark.parametrize(
    ("fields", "left"),
    [
        ({}, "46 to draw, and new discards"),
        (
            {"reshuffled": "1", "rest": "discard", "stack": "BG1 G2", "discard": ""},
            " 2 to draw, then the end",
        ),
    ],
)
def test_tiles_left_before_the_end(fields: dict[str, str], left: str) -> None:
    text = position(BOARD, orders=ORDERS, **{"vaults": VAULTS, "stack": "BG1", "discard": "G9"} | fields)  # type: ignore[arg-type]
    assert f"Left    {left}" in draw(GameState.from_text(text))


def test_end_of_the_game() -> None:
    state = finished(5)
    drawing = draw(state, names=("a", "b"))
    assert "Left     0 to draw, the game is over" in drawing
    assert "next scoring" not in drawing
    assert "action" not in drawing
    assert drawing.splitlines()[-1] == f"The game is over: {result(state.scores, ('a (0)', 'b (1)'))}"


def test_king_between_scorings() -> None:
    drawing = draw(state_of(rest="discard", stack="BG1 G2", discard="", king="12"), unicode=True)
    assert "King    12, next scoring on 20" in drawing
    assert "━━━━━━━━━━│━━········│··········│" in drawing


def test_long_codes_and_names_are_cut() -> None:
    number = STANDARD.numbers["R6"]
    codes = (*STANDARD.codes[:number], "R123456", *STANDARD.codes[number + 1 :])
    state = state_of("", tiles=replace(STANDARD, codes=codes), vaults="R123456 YG2 B9")
    drawing = draw(state, names=("x" * 200, "mcts:sims=800"))
    assert max(map(len, drawing.splitlines())) <= WIDTH
    assert "Vault R12~ " in drawing
    assert "+1 mcts:sims=~" in drawing


def test_names_cannot_steer_the_terminal() -> None:
    assert "\x1b" not in draw(state_of(), names=("\x1b[2J", "b"))


@pytest.mark.parametrize("names", [(), ("one",), ("one", "two", "three")])
def test_two_names_are_expected(names: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="expected two"):
        draw(state_of(), names=names)


@pytest.mark.parametrize("unicode", [False, True])
def test_legend_explains_every_sign(unicode: bool) -> None:
    text = legend(unicode=unicode)
    signs = UNICODE if unicode else ASCII
    for explained in (
        f"{signs.crown} crown",
        f"{signs.glass} stained glass",
        f"{signs.scaffold * 3} scaffolding",
        f"{signs.coin} coin icon",
        f"{signs.mark} last move",
        f"{signs.builders[0]}0 and {signs.builders[1]}1 builders",
        "A Architect, M Master Mason, S Strongman",
    ):
        assert explained in text
    assert max(map(len, text.splitlines())) <= WIDTH


# --- The table of a scoring --------------------------------------------------------------------------


def test_areas_table() -> None:
    """R8: an Architect doubles yellow, a Master Mason wins blue, the wild tile on c3 is no blue area."""
    assert areas_table(state_of().areas(), names=("human", "greedy")).splitlines() == [
        "  Area     Tiles  Strength  Strongmen  Architect  Glass  Held by  Points",
        "  R  red      2     0:2                              1      1      0:4",
        "           a1 b1",
        "  Y  yellow   2     1:0                 doubles      1      0      6:0",
        "           c2 c3",
        "  B  blue     2     1:2                              1      1      1:4",
        "           b1 c1",
        "  G  green    1     0:1                                     1      0:1",
        "           d3",
        "  Points 7:9, for human (0) and greedy (1)",
    ]


def test_areas_table_of_a_tie_and_of_no_builder() -> None:
    """R8.3: equal strength and equal Strongmen, so nobody scores."""
    areas = state_of("R3+0S R2+1S B7 . .").areas()
    assert areas_table(areas).splitlines()[1:] == [
        "  R  red      2     1:1        1:1                       nobody",
        "           a1 b1",
        "  1 area without a builder: nobody scores",
        "  Points 0:0, for player 0 and player 1",
    ]


def test_squares_of_a_large_area_are_wrapped() -> None:
    squares = tuple(f"{column}{row}" for row in range(1, 13) for column in "abcde")
    area = replace(state_of().areas()[0], squares=squares)
    lines = areas_table([area]).splitlines()
    assert " ".join(lines[2:-1]).split() == list(squares)
    assert max(map(len, lines)) <= WIDTH


# --- Words -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("decision", DECISION_NAMES)
def test_each_decision_is_explained_by_clause(decision: str) -> None:
    text = explanation(decision)
    assert re.search(r"R[3-9]\.[1-9]", text)
    assert max(map(len, text.splitlines())) <= WIDTH


def test_each_decision_and_move_of_games_is_in_words() -> None:
    met = set()
    for seed in range(6):
        for state, move in moves_of(seed):
            met.add(decision_kind(state.decision))
            assert "{" not in question(state) + move_words(state, move)
            assert re.match(r"\w+s\b", move_words(state, move)), "the page says it in the second person, too"
            for square in squares_of(state, move):
                assert square in move_words(state, move)
    assert met == {decision_kind(name) for name in DECISION_NAMES} - {"over", "vault"}


@pytest.mark.parametrize(
    ("board", "order", "moves", "words"),
    [
        ("", "R1", "V2a1", "places vault YG2 on a1, with a crown"),
        ("", "R1", "V1a1 B", "places a builder on a1"),
        ("R2+0 Y2 . . .", "R1", "O1", "executes Move Builder"),
        ("R2+0 Y2 . . .", "R1", "O1 a1-b1", "moves a builder from a1 to b1"),
        ("R2+0 Y2 . . .", "R0", "O1 a1=A", "makes the builder on a1 an Architect"),
        ("R2+0 Y2 . . .", "R0", "O1 a1=M", "makes the builder on a1 a Master Mason"),
        ("R2+0 Y2 . . .", "R9", "O1 b1", "recruits a builder onto b1"),
        ("R2+0 Y2+1 B5 . .", "R3", "O1 a1", "takes back the builder on a1"),
        ("R2+0 Y2+1 B5 . .", "R3", "O1 a1 pass", "does not pay"),
        ("R2+0 Y2+1 B5 . .", "R3", "O1 a1 pay", "pays for the paid order"),
        ("R2+0 Y2+1 B5 . .", "R3", "O1 a1 pass b1-c1", "moves the opponent's builder from b1 to c1"),
        ("R2+0 Y2+1 B5 . .", "R3", "O1 a1 pay b1-c1", "moves a builder from b1 to c1"),
        ("R2+0 Y2 . . .", "R4", "O1 a1", "puts stained glass on a1"),
        ("R2+0 Y2 . . .", "R5", "O1 c1", "puts scaffolding on c1"),
        ("R2+0 Y2 . . .", "R6", "O1 b1", "destroys the vault on b1"),
    ],
)
def test_move_in_words(board: str, order: str, moves: str, words: str) -> None:
    state = state_of(board, f"{order} R8 G3", vaults="B9 YG2 R7")
    *before, last = moves.split()
    for move in before:
        state.play(move)
    assert move_words(state, last) == words


def test_redraw_in_words() -> None:
    state = state_of(NO_FIT, vaults="RG0 RG1 BG0")
    assert state.legal_moves()[-1] == "redraw"
    assert move_words(state, "redraw") == "draws three new vault tiles, since none fits"
    state.play("redraw")
    assert question(state) == "place a vault, after the redraw"


@pytest.mark.parametrize(
    ("scores", "text"), [((3, 5), "two wins 5:3"), ((5, 3), "one wins 5:3"), ((4, 4), "a tie at 4:4")]
)
def test_result_in_words(scores: tuple[int, int], text: str) -> None:
    assert result(scores, ("one", "two")) == text


@pytest.mark.parametrize(("letter", "rank"), [("A", "Architect"), ("M", "Master Mason"), ("S", "Strongman")])
def test_rules_of_paid_promote_name_the_rank_it_cannot_give(letter: str, rank: str) -> None:
    """Before and after the coin is given (R6.9)."""
    for decision in (f"offer:2:{letter}", f"paid-promote:2:{letter}"):
        assert f"a rank other than {rank}, the one just given" in " ".join(paragraphs(decision))


def test_rules_of_other_offers_name_no_rank() -> None:
    assert "so you may carry out its paid form: pay gives" in paragraphs("offer:2")[0]
    assert "a rank other than the one just given" in paragraphs("paid-promote")[0]
