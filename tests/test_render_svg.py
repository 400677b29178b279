"""The drawing of a position as SVG, by what is in it and where, not by its bytes."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import basilica_env.render
from basilica_env.core.layout import DECISION_NAMES, ORDER_NAMES
from basilica_env.game import GameState
from basilica_env.render import draw_svg, shapes
from basilica_env.render.cathedral import BASE, CELL, LEFT, TOP
from basilica_env.render.shapes import text_width
from basilica_env.render.svg import HEIGHT, WIDTH, drawing_parts
from basilica_env.render.theme import DARK, LIGHT, SYMBOLIC, Theme
from basilica_env.render.words import decision_kind
from tests.positions import position

BOARD = """
    .    .       YB1    G1+1S .
    .    .       Y9*+0A .     #
    R3   RB2*+1M B7+0   .     .
"""
ORDERS, VAULTS = "R1 R5 G7", "R6 YG2 B9"
TALL = """
    .    .    R9    .    .
    .    .    R8    .    .
    .    .    R7*   .    .
    .    #    RG0   .    .
    .    .    G1+0A .    .
    .    .    G2+1S BG0  .
    .    .    G3    B2   .
    .    .    YG0*  .    .
    .    Y1   Y2+1M .    .
    .    Y3   RY0   .    .
    .    R0   R1+0  B3+0 .
    RB1  R2   B1    B0   B4
"""

Node = ElementTree.Element


def state_of(board: str = BOARD, **fields: str | int) -> GameState:
    given = {"orders": ORDERS, "vaults": VAULTS, "stack": "BG1", "discard": "G9", **fields}
    return GameState.from_text(position(board, **given))  # type: ignore[arg-type]


def tall(**fields: str | int) -> GameState:
    """A cathedral of 12 rows, late in the game."""
    given = {"orders": "G7 R5 G8", "stack": "Y8 Y9", "discard": "", "rest": "discard", "scores": "37:128"}
    return state_of(TALL, **{**given, "king": 29, "reshuffled": 1, "turn": "1:1", **fields})


def kind_of(move: str) -> str:
    return move[0] if move[0] in "VO" else move


def every_kind_of_decision() -> list[GameState]:
    """Play a game that meets every kind of decision; keep the last position of each kind."""
    chance, state = random.Random(86), GameState.new(seed=86)
    kept: dict[str, GameState] = {}
    while not state.is_over:
        kept[decision_kind(state.decision)] = state.copy()
        kinds = [list(moves) for _, moves in groupby(state.legal_moves(), kind_of)]
        state.play(chance.choice(chance.choice(kinds)))
    kept["over"] = state
    assert set(kept) == {decision_kind(name) for name in DECISION_NAMES}
    return list(kept.values())


STATES = every_kind_of_decision()


def root_of(svg: str) -> Node:
    return ElementTree.fromstring(svg)


def drawn(state: GameState, **options: object) -> Node:
    return root_of(draw_svg(state, **options))  # type: ignore[arg-type]


def name_of(node: Node) -> str:
    return node.tag.removeprefix("{http://www.w3.org/2000/svg}")


def having(root: Node, attribute: str, value: str | None = None) -> list[Node]:
    return [
        node for node in root.iter() if attribute in node.attrib and value in (None, node.attrib[attribute])
    ]


def the(root: Node, attribute: str, value: str | None = None) -> Node:
    (node,) = having(root, attribute, value)
    return node


def words_of(node: Node) -> list[str]:
    return [inner.text or "" for inner in node.iter() if name_of(inner) == "text"]


def count_of(root: Node, name: str) -> str:
    return the(root, "data-count", name).text or ""


def source_of(node: Node) -> str:
    return ElementTree.tostring(node, encoding="unicode")


def place_of(node: Node) -> tuple[float, float]:
    match = re.match(r"translate\((\S+) (\S+)\)", node.attrib["transform"])
    assert match is not None
    return float(match[1]), float(match[2])


def square_at(node: Node) -> str:
    """Return the square on which a part is drawn, by where it is."""
    x, y = place_of(node)
    return "abcde"[int((x - LEFT) // CELL)] + str(int((BASE - y - 1) // CELL) + 1)


# --- The whole ---------------------------------------------------------------------------------------


def test_it_is_exported() -> None:
    assert basilica_env.render.draw_svg is draw_svg


@pytest.mark.parametrize("options", [{}, {"dark": True}, {"legal": True, "areas": True, "last_move": "V1c3"}])
def test_every_kind_of_position_is_drawn(options: dict[str, object]) -> None:
    for state in STATES:
        root = drawn(state, **options)
        assert name_of(root) == "svg"
        assert root.attrib["viewBox"] == f"0 0 {WIDTH} {HEIGHT}"


@pytest.mark.parametrize("options", [{}, {"legal": True, "areas": True}])
def test_a_drawing_stands_alone_and_beside_others(options: dict[str, object]) -> None:
    for state in STATES:
        root = drawn(state, **options)
        assert {name_of(node) for node in root.iter()} <= {"svg", "g", "rect", "path", "circle", "text"}
        assert not {"id", "style", "class", "href"} & {name for node in root.iter() for name in node.attrib}


def test_the_same_position_gives_the_same_drawing() -> None:
    state = state_of()
    assert draw_svg(state) == draw_svg(GameState.from_text(state.to_text(), seed=5))


def test_each_part_is_a_line() -> None:
    state = state_of()
    lines = draw_svg(state).splitlines()
    assert lines[1:-1] == drawing_parts(state, LIGHT)


def test_the_state_is_left_alone() -> None:
    state = state_of()
    before = state.to_array().tobytes()
    draw_svg(state, legal=True, areas=True)
    assert state.to_array().tobytes() == before


def test_a_notebook_shows_a_state() -> None:
    root = root_of(state_of()._repr_svg_())
    assert int(root.attrib["width"]) < WIDTH


@pytest.mark.parametrize(("size", "height"), [(960, 820), (480, 410), (1, 1)])
def test_size(size: int, height: int) -> None:
    root = drawn(state_of(), size=size)
    assert (root.attrib["width"], root.attrib["height"]) == (str(size), str(height))


@pytest.mark.parametrize("size", [0, -1])
def test_a_size_that_is_none(size: int) -> None:
    with pytest.raises(ValueError, match=f"size {size}: expected a width in pixels, from 1"):
        draw_svg(state_of(), size=size)


def test_it_says_what_it_shows() -> None:
    root = drawn(state_of(), names=("Ada", "Bo"))
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"] == "Basilica, 0:0, the king on 3. Ada (0) decides: Choose an action"


# --- What is open to both players (R1.5) ------------------------------------------------------------


def test_what_is_hidden_is_not_in_the_source() -> None:
    rng = np.random.default_rng(1)
    for state in STATES:
        svg = draw_svg(state, legal=True, areas=True)
        for _ in range(3):
            other = state.copy()
            other.resample_hidden(rng)
            assert draw_svg(other, legal=True, areas=True) == svg


def test_an_order_tile_shows_neither_code_nor_crown() -> None:
    root = drawn(state_of())
    crown = shapes.crown_sign(LIGHT)
    for space in ("order-1", "order-2", "order-3", "stack"):
        card = the(root, "data-space", space)
        assert not having(card, "data-tile")
        assert re.search(r"[RYBG]\d", " ".join(words_of(card))) is None
        assert 'd="M1 12H17' in crown
        assert 'd="M1 12H17' not in source_of(card)


# --- The cathedral -----------------------------------------------------------------------------------


def test_the_board_has_five_slots_below_row_1() -> None:
    root = drawn(GameState.new(seed=7))
    assert words_of(the(root, "data-part", "board")) == list("abcde")
    assert place_of(the(root, "data-square", "a1")) == (LEFT, BASE - CELL)
    assert place_of(the(root, "data-square", "e12")) == (LEFT + 4 * CELL, TOP)


def test_every_square_can_be_pointed_at() -> None:
    names = [node.attrib["data-square"] for node in having(drawn(state_of()), "data-square")]
    assert sorted(names) == sorted(f"{column}{row}" for column in "abcde" for row in range(1, 13))


@pytest.mark.parametrize("state", [*STATES, state_of(), tall()])
def test_each_tile_lies_on_its_square(state: GameState) -> None:
    root = drawn(state)
    tiles = {
        square_at(node): node.attrib["data-tile"] for node in having(root, "data-tile") if is_in_sky(node)
    }
    view = state.view()
    assert tiles == {name: square.code or "scaffolding" for name, square in view.cathedral.items()}


def is_in_sky(node: Node) -> bool:
    return (
        "transform" in node.attrib and LEFT < place_of(node)[0] < LEFT + 5 * CELL and place_of(node)[1] > TOP
    )


def pieces_on(root: Node, square: str) -> Node:
    """Return the part with the pieces on a square."""
    found = [
        node
        for node in root
        if "transform" in node.attrib
        and is_in_sky(node)
        and square_at(node) == square
        and "data-tile" not in node.attrib
        and words_of(node)
    ]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize("dark", [False, True])
def test_a_tile_bears_its_code_crown_glass_and_builder(dark: bool) -> None:
    root = drawn(state_of(), dark=dark)
    view = state_of().view()
    for name, square in view.cathedral.items():
        if square.code is None:
            continue
        pieces = pieces_on(root, name)
        assert words_of(pieces)[0] == square.code
        assert ('d="M1 12H17' in source_of(pieces)) == square.crown
        assert bool(having(pieces, "data-glass")) == square.glass
        builders = having(pieces, "data-builder")
        assert [node.attrib["data-builder"] for node in builders] == (
            [] if square.builder is None else [str(square.builder)]
        )
        if square.builder is not None:
            (builder,) = builders
            assert builder.attrib.get("data-rank") == square.rank
            assert words_of(builder) == [str(square.builder)] + ([square.rank] if square.rank else [])


def test_players_and_ranks_differ_by_form_or_sign() -> None:
    forms = {shapes.badge(LIGHT, rank) for rank in "AMS"}
    outlines = {re.findall(' d="([^"]+)"', form)[0] for form in forms}
    assert len(outlines) == 3


def test_colours_differ_by_pattern() -> None:
    patterns = {letter: pattern(40, 40) for letter, pattern in shapes.PATTERNS.items()}
    assert set(patterns) == set("RYBG")
    assert len(set(patterns.values())) == 4


@pytest.mark.parametrize("letter", "RYBG")
def test_a_pattern_stays_in_its_wall(letter: str) -> None:
    for width, height in ((28.0, 56.0), (56.0, 56.0), (72.0, 22.0)):
        d = shapes.PATTERNS[letter](width, height)
        for x, y in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", d):
            assert 0 <= float(x) <= width
            assert 0 <= float(y) <= height


def test_a_wild_tile_has_both_colours_side_by_side() -> None:
    wall = root_of(shapes.wall(LIGHT, "YB", 56, 56))
    left, right = list(wall)[:2]
    assert left[0].attrib["fill"] == LIGHT.yellow
    assert right[0].attrib["fill"] == LIGHT.blue
    assert (left[0].attrib["width"], place_of(right)[0]) == ("28", 28)
    assert left[1].attrib["d"] != right[1].attrib["d"]


# --- Spaces and piles --------------------------------------------------------------------------------


def test_order_spaces_show_order_coin_icon_and_back() -> None:
    root = drawn(state_of(orders="RG1 R9 BG0"))
    shown = []
    for space in (1, 2, 3):
        card = the(root, "data-space", f"order-{space}")
        back = the(card, "data-back")
        shown.append(
            (the(card, "data-order").attrib["data-order"], bool(having(card, "data-coin")), words_of(back))
        )
    assert shown == [
        ("scaffold", False, ["R", "G"]),
        ("recruit", True, ["R"]),
        ("disaster", False, ["B", "G"]),
    ]
    assert words_of(the(root, "data-space", "order-2"))[0] == "Recruit"


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_each_order_has_its_symbol(theme: Theme) -> None:
    symbols = {order: shapes.order_symbol(theme, order) for order in ORDER_NAMES}
    assert len(set(symbols.values())) == len(ORDER_NAMES)


def test_vault_spaces_show_the_vault() -> None:
    root = drawn(state_of())
    vaults = [the(root, "data-space", f"vault-{space}") for space in (1, 2, 3)]
    assert [words_of(vault) for vault in vaults] == [["R6"], ["YG2"], ["B9"]]
    assert ['d="M1 12H17' in source_of(vault) for vault in vaults] == [False, True, False]


def test_the_spaces_stand_in_their_order_above_each_other() -> None:
    root = drawn(state_of())
    orders = [place_of(the(root, "data-space", f"order-{space}")) for space in (1, 2, 3)]
    vaults = [place_of(the(root, "data-space", f"vault-{space}")) for space in (1, 2, 3)]
    assert [x for x, _ in orders] == sorted(x for x, _ in orders) == [x for x, _ in vaults]
    assert all(above < below for (_, above), (_, below) in zip(orders, vaults, strict=True))


def test_a_space_without_a_tile_says_so() -> None:
    state = tall(orders="G7 R5 _", stack="", turn="1:0", decision="over")
    root = drawn(state)
    assert words_of(the(root, "data-space", "order-3")) == ["empty"]
    assert words_of(the(root, "data-space", "stack")) == ["empty"]


def test_the_top_of_the_stack_is_open() -> None:
    card = the(drawn(state_of(stack="BG1")), "data-space", "stack")
    assert the(card, "data-order").attrib["data-order"] == "promote"
    assert words_of(the(card, "data-back")) == ["B", "G"]


@pytest.mark.parametrize(
    ("fields", "counts", "note"),
    [
        ({"stack": "BG1", "discard": "G9", "earlier": False}, ("45", "1", "46"), "and what is discarded"),
        (
            {"stack": "BG1 Y8", "rest": "discard", "reshuffled": 1},
            ("2", "44", "2"),
            "then the game ends",
        ),
    ],
)
def test_the_tiles_left_are_counted(fields: dict[str, str | int], counts: tuple[str, ...], note: str) -> None:
    root = drawn(state_of(**fields))
    assert tuple(count_of(root, name) for name in ("stack", "discard", "left")) == counts
    assert note in words_of(root)


# --- Track and players -------------------------------------------------------------------------------


def test_the_king_stands_on_his_space_and_crowns_on_the_scorings() -> None:
    root = drawn(state_of())
    track, king = the(root, "data-part", "track"), the(root, "data-king")
    spaces = list(track)
    assert len(spaces) == 31
    assert king.attrib["data-king"] == "3"
    assert place_of(king)[0] == place_of(spaces[3])[0]
    crowned = [number for number, space in enumerate(spaces) if 'd="M1 12H17' in source_of(space)]
    assert crowned == [10, 20, 30]
    assert "King on 3, next scoring on 10" in words_of(root)


@pytest.mark.parametrize(
    ("score", "space"), [(0, 0), (1, 1), (29, 29), (30, 30), (31, 1), (60, 30), (61, 1), (128, 8)]
)
def test_points_begin_a_new_lap_after_the_last_space(score: int, space: int) -> None:
    root = drawn(tall(scores=f"{score}:3"))
    cube = the(root, "data-score", f"0:{score}")
    spaces = list(the(root, "data-part", "track"))
    assert abs(place_of(cube)[0] - place_of(spaces[space])[0]) <= 4
    assert words_of(cube) == [str(score)]


def test_the_players_show_their_supplies() -> None:
    state = state_of(coins="2:0")
    view = state.view()
    root = drawn(state, names=("Ada", "Bo"))
    for player, name in enumerate(("Ada", "Bo")):
        shown = the(root, "data-player", str(player))
        assert name in words_of(shown)
        assert count_of(shown, "builders") == str(view.builders[player])
        assert count_of(shown, "tokens") == str(view.tokens[player])
        assert count_of(shown, "coins") == str(view.coins[player])
        assert count_of(shown, "score") == "0"
        pale = Counter(node.attrib["opacity"] for node in having(shown, "opacity"))
        assert pale == {"0.16": (5 - view.builders[player]) + (4 - view.tokens[player])}


def test_who_decides_and_whose_turn_it_is() -> None:
    state = next(state for state in STATES if decision_kind(state.decision) == "offer")
    root = drawn(state, names=("Ada", "Bo"))
    assert words_of(the(root, "data-part", "decision"))[-2:][0].startswith(("Ada", "Bo")[state.player])
    turn = the(root, "data-turn")
    assert turn.attrib == {"data-turn": str(state.turn), "data-action": str(4 - state.actions)}
    frames = [the(root, "data-player", str(player))[0].attrib["stroke"] for player in (0, 1)]
    assert frames[state.player] == LIGHT.legal
    assert frames[1 - state.player] != LIGHT.legal


def test_a_finished_game_shows_its_result() -> None:
    state = next(state for state in STATES if state.is_over)
    root = drawn(state, names=("Ada", "Bo"))
    words = words_of(the(root, "data-part", "decision"))
    first, second = state.scores
    assert words[0] == "The game is over"
    assert f"{max(first, second)}:{min(first, second)}" in words[1]
    assert count_of(root, "left") == "0"
    assert not having(root, "data-turn")


# --- Marks -------------------------------------------------------------------------------------------


def marked_squares(root: Node) -> list[str]:
    return [square_at_corner(node) for node in root if "M0 14.4V0" in source_of(node) and is_corner(node)]


def is_corner(node: Node) -> bool:
    return "transform" in node.attrib and "data-square" not in node.attrib


def square_at_corner(node: Node) -> str:
    x, y = place_of(node)
    return f"{'abcde'[int((x - LEFT) / CELL)]}{int((BASE - y) / CELL)}"


@pytest.mark.parametrize(
    ("move", "squares", "space"),
    [
        ("V2c3", ["c3"], "vault-2"),
        ("O1", [], "order-1"),
        ("c3-c4", ["c3", "c4"], None),
        ("c3=A", ["c3"], None),
        ("B c3", ["c3"], None),
        ("pass", [], None),
        (None, [], None),
    ],
)
def test_the_last_move_is_marked(move: str | None, squares: list[str], space: str | None) -> None:
    root = drawn(state_of(), last_move=move)
    assert marked_squares(root) == squares
    framed = [
        node.attrib["data-space"]
        for node in having(root, "data-space")
        if any(inner.attrib.get("stroke") == LIGHT.last for inner in node)
    ]
    assert framed == ([space] if space else [])


def test_legal_moves_are_marked_on_request() -> None:
    for state in STATES:
        root = drawn(state, legal=True)
        marked = [move for node in having(root, "data-legal") for move in node.attrib["data-legal"].split()]
        assert set(marked) == set(state.legal_moves())
        assert not having(drawn(state), "data-legal")


def test_a_mark_names_spaces_and_ranks() -> None:
    root = drawn(GameState.new(seed=7), legal=True)
    assert words_of(the(root, "data-square", "c1")) == ["1", "2", "3"]
    promoting = next(state for state in STATES if decision_kind(state.decision) == "promote")
    root = drawn(promoting, legal=True)
    square = promoting.legal_moves()[0].split("=")[0]
    assert words_of(the(root, "data-square", square)) == ["A", "M", "S"]


def test_the_answers_to_an_offer_are_shown() -> None:
    state = next(state for state in STATES if decision_kind(state.decision) == "offer")
    root = drawn(state, legal=True)
    assert {node.attrib["data-legal"] for node in having(root, "data-legal")} == {"pay", "pass"}


# --- Areas -------------------------------------------------------------------------------------------


def test_areas_are_outlined_on_request() -> None:
    for state in (*STATES, state_of()):
        root = drawn(state, areas=True)
        outlined = [
            (node.attrib["data-area"], node.attrib["data-squares"]) for node in having(root, "data-area")
        ]
        assert outlined == [(area.colour, " ".join(area.squares)) for area in state.areas()]
        assert not having(drawn(state), "data-area")


def test_an_area_with_builders_shows_strength_and_points() -> None:
    state = state_of()
    root = drawn(state, areas=True)
    contested = [area for area in state.areas() if any(area.builders)]
    assert contested
    shown = having(root, "data-figures")
    assert len(shown) == len(contested)
    for node, area in zip(shown, contested, strict=True):
        strength, points = (f"{first}:{second}" for first, second in (area.strength, area.points))
        assert words_of(node) == [strength, points]
        assert node.attrib["data-figures"] in area.squares
    places = [node.attrib["data-figures"] for node in shown]
    assert len(places) == len(set(places))


def test_the_points_of_all_areas_are_summed() -> None:
    state = state_of()
    root = drawn(state, areas=True)
    for player in (0, 1):
        points = sum(area.points[player] for area in state.areas())
        assert count_of(the(root, "data-player", str(player)), "now") == f"+{points} if scored now"


def segments(d: str) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    for x, y, u, v in re.findall(r"M(\S+?) (\S+?)L(\S+?) ([\d.]+)", d):
        yield (x, y), (u, v)


def test_an_outline_is_closed() -> None:
    state = state_of("Y1 . Y2 . . / Y3 Y4 Y5 . . / . Y6 . Y7 Y8".replace(" / ", "\n"), rest="stack")
    (yellow,) = [node for node in having(drawn(state, areas=True), "data-area") if len(squares(node)) == 6]
    (d,) = {inner.attrib["d"] for inner in yellow.iter() if "d" in inner.attrib}
    ends = Counter(end for segment in segments(d) for end in segment)
    assert len(ends) >= 12
    assert set(ends.values()) == {2}


def squares(node: Node) -> list[str]:
    return node.attrib["data-squares"].split()


def test_the_outlines_of_a_wild_tile_do_not_cover_each_other() -> None:
    state = state_of("Y1 YB1 B1 . .")
    yellow, blue = having(drawn(state, areas=True), "data-area")
    heights = [
        {
            end[1]
            for inner in node.iter()
            if "d" in inner.attrib
            for segment in segments(inner.attrib["d"])
            for end in segment
        }
        for node in (yellow, blue)
    ]
    assert not heights[0] & heights[1]


# --- Themes ------------------------------------------------------------------------------------------


def test_light_and_dark_differ_in_colours_alone() -> None:
    state = state_of()
    light, dark = (draw_svg(state, dark=dark, areas=True, legal=True) for dark in (False, True))
    assert light != dark
    assert re.sub("#[0-9a-f]{6}", "", light) == re.sub("#[0-9a-f]{6}", "", dark)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_theme_has_a_colour_for_everything(theme: Theme) -> None:
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in theme)
    state = state_of()
    used = set(re.findall("#[0-9a-f]{6}", "".join(drawing_parts(state, theme, areas=True, legal=True))))
    assert used <= set(theme)


def test_a_drawing_can_be_painted_later() -> None:
    state = state_of()
    symbolic = "\n".join(drawing_parts(state, SYMBOLIC, areas=True))
    painted = re.sub('="@([a-z_]+)@"', lambda match: f'="{getattr(DARK, match[1])}"', symbolic)
    assert painted == "\n".join(drawing_parts(state, DARK, areas=True))


def luminance(colour: str) -> float:
    parts = [part / 255 for part in bytes.fromhex(colour[1:])]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize(
    ("ink", "ground"),
    [
        ("ink", "paper"),
        ("ink", "panel"),
        ("ink", "sky"),
        ("ink", "stone"),
        ("quiet", "paper"),
        ("quiet", "panel"),
        ("quiet", "sky"),
        ("plate_ink", "plate"),
        ("gold_ink", "gold"),
        ("legal_ink", "legal"),
        ("first_line", "first"),
        ("second_line", "second"),
    ],
)
def test_text_can_be_read(theme: Theme, ink: str, ground: str) -> None:
    assert contrast(getattr(theme, ink), getattr(theme, ground)) >= 4.5


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("mark", ["last", "legal", "red_line", "yellow_line", "blue_line", "green_line"])
def test_marks_can_be_seen(theme: Theme, mark: str) -> None:
    assert contrast(getattr(theme, mark), theme.paper) >= 3


# --- Texts from outside ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "</text><script>alert(1)</script>",
        'a" onload="alert(1)',
        "a&b;&lt;",
        "null\x00bell\x07tab\tline\nend",
        "surrogate \ud800",
        "\u202eturned",
        "@ink@",
        "",
    ],
)
def test_a_name_is_only_text(name: str) -> None:
    root = drawn(state_of(), names=(name, "Bo"), caption=name)
    assert {name_of(node) for node in root.iter()} <= {"svg", "g", "rect", "path", "circle", "text"}
    assert not any(attribute.startswith("on") for node in root.iter() for attribute in node.attrib)


@pytest.mark.parametrize("name", ["W" * 40, "i" * 40, "漢" * 40, "player " * 20])
def test_a_long_name_fits(name: str) -> None:
    root = drawn(state_of(), names=(name, name))
    shown = [node for node in the(root, "data-player", "0").iter() if name_of(node) == "text"][1]
    assert shown.text is not None
    assert text_width(shown.text, float(shown.attrib["font-size"]), bold=True) <= 150
    assert float(shown.attrib["font-size"]) > 10


def test_two_names_are_needed() -> None:
    with pytest.raises(ValueError, match="expected two"):
        draw_svg(state_of(), names=("one",))


def test_a_caption_stands_at_the_foot() -> None:
    assert words_of(drawn(state_of(), caption="12. Ada places a builder"))[-1] == "12. Ada places a builder"
    assert len(words_of(drawn(state_of(), caption=""))) == len(words_of(drawn(state_of())))


@pytest.mark.parametrize("code", ["R3", "RB1", "YG12345678"])
def test_a_code_leaves_room_for_the_crown(code: str) -> None:
    plate, written, crown = root_of(shapes.bay_signs(LIGHT, code, crown=True))
    right = float(plate.attrib["x"]) + float(plate.attrib["width"])
    assert right <= place_of(crown)[0]
    assert written.text is not None
    size = float(written.attrib["font-size"])
    assert float(written.attrib["x"]) + text_width(written.text, size, bold=True) <= right


# --- The documentation -------------------------------------------------------------------------------


def test_the_pictures_of_the_documentation_are_up_to_date() -> None:
    script = Path(__file__).parent.parent / "docs" / "pictures.py"
    result = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, "")
