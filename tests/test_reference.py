"""The reference engine against the rules: random games, symmetries, positions counted by hand."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from statistics import mean

import numpy as np
import pytest

from basilica_env.core import layout
from basilica_env.core.tiles import TileSet
from basilica_env.reference import (
    ACTION_NUMBERS,
    CLAUSES,
    NEIGHBOURS,
    SELDOM,
    SQUARES,
    ReferenceGame,
    score_areas,
)

STANDARD = TileSet.standard()
WILDS = {code for code, colours in zip(STANDARD.codes, STANDARD.colours, strict=True) if len(colours) == 2}
TILE = re.compile(r"[RYBG]+\d+")

Policy = Callable[[ReferenceGame, random.Random], str]


def uniform(game: ReferenceGame, chance: random.Random) -> str:
    return chance.choice(game.legal_moves())


def by_kind(game: ReferenceGame, chance: random.Random) -> str:
    """Choose among vault, builder and order first, then among the moves of that kind."""
    moves = game.legal_moves()
    if game.decision.kind != "main":
        return chance.choice(moves)
    kinds: dict[str, list[str]] = {}
    for move in moves:
        kinds.setdefault("V" if move == "redraw" else move[0], []).append(move)
    return chance.choice(chance.choice(list(kinds.values())))


def position(
    cathedral: str = "-",
    *,
    orders: str = "",
    vaults: str = "",
    stack: str = "",
    king: int = 0,
    scores: str = "0:0",
    coins: str = "1:1",
    turn: str = "0:3",
    decision: str = "main",
    reshuffled: int = 0,
) -> str:
    """Write a position. Spaces left out hold tiles not named; those left are the stack, or else discarded."""
    named = TILE.findall(",".join((cathedral, orders, vaults, stack)))
    rest = [code for code in STANDARD.codes if code not in named]
    if not orders:
        orders, rest = ",".join(rest[:3]), rest[3:]
    if not vaults:
        vaults, rest = ",".join(rest[:3]), rest[3:]
    others = ",".join(rest) or "-"
    piles = f"{stack} {others}" if stack else f"{others} -"
    return f"{cathedral} {orders} {vaults} {piles} {king} {scores} {coins} {turn} {decision} {reshuffled}"


def play(text: str, moves: str, tiles: TileSet | None = None) -> ReferenceGame:
    game = ReferenceGame.from_text(text, tiles=tiles)
    for move in moves.split():
        game.play(move)
    return game


def check_facts(game: ReferenceGame) -> None:
    """Check the facts at the end of the rules on the text of the position."""
    text = game.to_text()
    assert sorted(TILE.findall(text)) == sorted(STANDARD.codes)
    cathedral, *_, coins, _turn, _decision, _reshuffled = text.split(" ")
    assert sum(map(int, coins.split(":"))) == 2
    assert "#*" not in cathedral
    assert "#+" not in cathedral
    for player in "01":
        builders = cathedral.count("+" + player)
        tokens = sum(cathedral.count(f"+{player}{rank}") for rank in "AMS")
        assert 0 <= builders == 5 - game.builders_in_supply(int(player)) <= 5
        assert 0 <= tokens == 4 - game.tokens_in_supply(int(player)) <= 4
    rows = [row.split(",") for row in cathedral.split("/")] if cathedral != "-" else []
    assert len(rows) <= 12
    wild = {
        (column, row)
        for row, squares in enumerate(rows)
        for column, content in enumerate(squares)
        if TILE.match(content) and content.partition("*")[0].partition("+")[0] in WILDS
    }
    assert not any((column + 1, row) in wild or (column, row + 1) in wild for column, row in wild)
    assert bool(game.legal_moves()) != game.is_over


@pytest.mark.parametrize("policy", [uniform, by_kind])
def test_facts_and_text_hold_after_every_move(policy: Policy) -> None:
    for seed in range(100):
        chance = random.Random(seed)
        game = ReferenceGame.new(seed)
        while True:
            check_facts(game)
            actions = game.legal_actions()
            assert actions == sorted(set(actions))
            again = ReferenceGame.from_text(game.to_text())
            assert again.to_text() == game.to_text()
            assert again.legal_moves() == game.legal_moves()
            assert again.player == game.player
            if game.is_over:
                break
            game.play(policy(game, chance))
        assert game.player is None
        assert game.actions == 0
        assert game.king == 30 or None in game.orders.values() or None in game.vaults.values()


@pytest.mark.parametrize(
    ("policy", "decisions", "turns", "branching", "exhausted", "score"),
    [(uniform, 59, 18.8, 20.6, 0.0, 3.6), (by_kind, 155, 32.7, 18.7, 0.47, 16.7)],
)
def test_random_games_have_the_published_statistics(
    policy: Policy, decisions: float, turns: float, branching: float, exhausted: float, score: float
) -> None:
    games = 300
    lengths: list[int] = []
    choices: list[int] = []
    fired: Counter[str] = Counter()
    ended_by_exhaustion = 0
    points: list[int] = []
    for seed in range(games):
        chance = random.Random(seed)
        game = ReferenceGame.new(seed)
        length = 0
        while not game.is_over:
            choices.append(len(game.legal_moves()))
            game.play(policy(game, chance))
            length += 1
        lengths.append(length)
        fired += game.fired
        ended_by_exhaustion += any(clause.startswith("R7.2") for clause in game.fired)
        points.extend(game.scores)
    assert set(fired) <= set(CLAUSES)
    assert mean(lengths) == pytest.approx(decisions, rel=0.06)
    assert fired["R3.2 next turn"] / games + 1 == pytest.approx(turns, rel=0.06)
    assert mean(choices) == pytest.approx(branching, rel=0.04)
    assert ended_by_exhaustion / games == pytest.approx(exhausted, abs=0.1)
    assert mean(points) == pytest.approx(score, rel=0.15)


def test_clauses_are_named_once_and_by_number() -> None:
    assert len(set(CLAUSES)) == len(CLAUSES)
    assert all(re.fullmatch(r"R\d\.\d .+", clause) for clause in CLAUSES)
    assert set(SELDOM) <= set(CLAUSES)


NO_MOVE_BUT_REDRAW = "/".join(["#,#,#,#,#"] * 12)
TWO_ROWS = "R0,Y0,B0,G0,R2/.,.,.,.,Y2"

SELDOM_POSITIONS = {
    "R6.1 scaffold refused": (position(NO_MOVE_BUT_REDRAW, orders="R5,R6,R7"), "redraw"),
    "R7.2 exhausted after a scoring": (
        position(TWO_ROWS, vaults="R1,R3,R4", stack="-", king=9, reshuffled=1),
        "V1a2",
    ),
    "R7.2 exhausted in a redraw": (position(NO_MOVE_BUT_REDRAW, stack="-", reshuffled=1), "redraw"),
    "R8.5 nothing left": (position(TWO_ROWS, vaults="R1,R3,R4", king=9), "V1a2"),
}
"""A position for each clause of SELDOM, and the move there that meets it."""


@pytest.mark.parametrize("clause", SELDOM)
def test_seldom_clauses_fire_in_their_positions(clause: str) -> None:
    text, move = SELDOM_POSITIONS[clause]
    assert play(text, move).fired[clause] == 1


def test_actions_are_numbered_by_the_layout() -> None:
    beyond_the_edge = 4 * len(SQUARES) - sum(map(len, NEIGHBOURS.values()))
    assert len(set(ACTION_NUMBERS.values())) == len(ACTION_NUMBERS) == layout.ACTIONS - beyond_the_edge
    numbers = {
        "V1a1": 0,
        "V2c3": 72,
        "V3e12": 179,
        "B": 180,
        "O1": 181,
        "O3": 183,
        "redraw": 184,
        "pay": 185,
        "pass": 186,
        "a1=A": 187,
        "e12=S": 366,
        "a1-a2": 367,
        "a1-b1": 368,
        "e12-e11": 605,
        "e12-d12": 606,
        "a1": 607,
        "e12": 666,
    }
    assert {move: ACTION_NUMBERS[move] for move in numbers} == numbers


def shuffled(codes: Sequence[str], seed: int) -> list[str]:
    """Shuffle as the games do: splitmix64 and Fisher-Yates from the end."""
    state = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
    pile = list(codes)
    with np.errstate(over="ignore"):
        for last in range(len(pile) - 1, 0, -1):
            state += np.uint64(0x9E3779B97F4A7C15)
            z = (state ^ state >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
            z ^= z >> np.uint64(31)
            other = int(z) // 2**32 * (last + 1) // 2**32
            pile[last], pile[other] = pile[other], pile[last]
    return pile


def test_the_generator_is_splitmix64() -> None:
    game = ReferenceGame.new(0)
    game.random_state = 0
    assert game._below(1 << 32) == 0xE220A839
    assert game._below(1 << 32) == 0x6E789E6A


def test_a_new_game_follows_its_seed() -> None:
    pile = shuffled(STANDARD.codes, seed=7)
    orders, vaults, stack = (",".join(codes) for codes in (pile[:3], pile[3:6], pile[6:]))
    assert ReferenceGame.new(7).to_text() == f"- {orders} {vaults} {stack} - 0 0:0 1:1 0:3 main 0"


def test_the_discard_pile_becomes_the_stack_once() -> None:
    text = position("R0+0,.,.,.,.", orders="R8,Y1,RG0", vaults="R2,R3,R4", stack="-", king=1)
    game = ReferenceGame.from_text(text, seed=11)
    discarded = game.discard.copy()
    for move in ("O2", "a1"):
        game.play(move)
    drawn, *stack = shuffled([*discarded, "Y1"], seed=11)
    assert (game.orders[2], game.stack, game.discard, game.reshuffled) == (drawn, stack, [], True)
    assert not play(position("R0+0,.,.,.,.", orders="R8,Y1,RG0", stack="-", king=1), "V1b1").is_over
    assert play(
        position("R0+0,.,.,.,.", orders="R8,Y1,RG0", stack="-", king=1, reshuffled=1), "O2 a1"
    ).is_over


def test_glass_needs_an_own_builder_and_no_glass_yet() -> None:
    game = play(position("R0*+0,R1+0,R2+1,R4*,.", orders="Y1,G0,RY2", king=9), "O1")
    assert game.legal_moves() == ["b1"]
    game.play("b1")
    assert game.to_text().split(" ")[0] == "R0*+0,R1*+0,R2+1,R4*,."


def test_an_illegal_move_leaves_the_game_unchanged() -> None:
    game = ReferenceGame.new(1)
    before = game.to_text()
    with pytest.raises(ValueError, match="illegal move 'B' in decision 'main': expected one of V1a1, "):
        game.play("B")
    assert game.to_text() == before


def test_a_copy_is_a_game_of_its_own() -> None:
    chance = random.Random(3)
    game = ReferenceGame.new(3)
    while not game.is_over:
        before = game.to_text(), game.legal_moves(), game.fired.copy()
        other = game.copy()
        other.play(by_kind(other, chance))
        assert (game.to_text(), game.legal_moves(), game.fired) == before
        game = other


def mirrored(text: str) -> str:
    """Exchange the columns a and e, b and d in a position or a move."""
    text = re.sub(r"[a-e](?=\d)", lambda match: "edcba"["abcde".index(match[0])], text)
    cathedral, space, others = text.partition(" ")
    rows = [",".join(reversed(row.split(","))) for row in cathedral.split("/")]
    return "/".join(rows) + space + others if space else text


def with_players_swapped(text: str) -> str:
    if " " not in text:
        return text
    fields = text.split(" ")
    fields[0] = re.sub(r"\+[01]", lambda match: "+1" if match[0] == "+0" else "+0", fields[0])
    for field in (6, 7):
        fields[field] = ":".join(reversed(fields[field].split(":")))
    fields[8] = str(1 - int(fields[8][0])) + fields[8][1:]
    return " ".join(fields)


def recoloured(text: str) -> str:
    """Put yellow for red, blue for yellow, green for blue and red for green."""

    def code(match: re.Match[str]) -> str:
        letters = {"YBGR"["RYBG".index(letter)] for letter in match[0] if letter in "RYBG"}
        return "".join(sorted(letters, key="RYBG".index)) + match[0].lstrip("RYBG")

    return TILE.sub(code, text)


RECOLOURED_SET = replace(
    STANDARD,
    name="recoloured",
    codes=tuple(recoloured(code) for code in STANDARD.codes),
    colours=tuple(recoloured(f"{colours}0")[:-1] for colours in STANDARD.colours),
)


def comparable(game_text: str, just_reshuffled: bool) -> list[str]:
    """Give what does not depend on the order of the discard pile (the mirror changes that of R8.5)."""
    fields = game_text.split(" ")
    fields[4] = ",".join(sorted(fields[4].split(",")))
    return [fields[0], *fields[5:]] if just_reshuffled else fields


@pytest.mark.parametrize(
    ("transform", "tiles"),
    [(mirrored, STANDARD), (with_players_swapped, STANDARD), (recoloured, RECOLOURED_SET)],
)
def test_symmetries_keep_the_game(transform: Callable[[str], str], tiles: TileSet) -> None:
    for seed in range(15):
        chance = random.Random(seed)
        game = ReferenceGame.new(seed)
        while not game.is_over:
            other = ReferenceGame.from_text(transform(game.to_text()), tiles=tiles)
            other.random_state = game.random_state
            was_reshuffled = game.reshuffled
            move = by_kind(game, chance)
            assert set(other.legal_moves()) == {transform(legal) for legal in game.legal_moves()}
            game.play(move)
            other.play(transform(move))
            expected = transform(game.to_text())
            if transform is mirrored:
                just_reshuffled = game.reshuffled != was_reshuffled
                assert comparable(other.to_text(), just_reshuffled) == comparable(expected, just_reshuffled)
            else:
                assert other.to_text() == expected


@pytest.mark.parametrize(
    ("cathedral", "points"),
    [
        ("R0+0,R1+0,R2+1,.,.", [("R", 3, 1)]),  # majority and minority
        ("R0+0,.,.,.,.", [("R", 1, 0)]),  # a single colour alone is an area
        ("RY1+0,.,.,.,.", []),  # a wild alone is none
        ("R0,RY1+0,Y0,.,.", [("R", 2, 0), ("Y", 2, 0)]),  # a builder on a wild counts twice
        ("R0+0,#,R1+1,.,.", [("R", 1, 0), ("R", 0, 1)]),  # scaffolding belongs to no area
        ("R0+0,.,.,.,./.,R1+1,.,.,.", [("R", 1, 0), ("R", 0, 1)]),  # diagonal is not adjacent
        ("R0+0,R1+1,R2,.,.", [("R", 0, 0)]),  # still equal: nobody
        ("R0*,R1*,.,.,.", [("R", 0, 0)]),  # nobody there
        ("R0+0M,R1+1,.,.,.", [("R", 2, 1)]),  # a Master Mason counts 2
        ("R0+1M,R1+0,R2+0,R3+0,.", [("R", 4, 1)]),  # a Master Mason in the minority is one
        ("R0+0S,R1+1,.,.,.", [("R", 2, 1)]),  # lost on Strongmen alone
        ("R0+0S,R1+1S,.,.,.", [("R", 0, 0)]),  # Strongmen cancel
        ("R0+0S,R1+1S,R2+0S,R3+1,.", [("R", 4, 2)]),  # one for one
        ("R0+0S,R1+1M,.,.,.", [("R", 1, 2)]),  # Strongmen matter only on equal strength
        ("R0+1A,R1+0,R2+0,.,.", [("R", 6, 1)]),  # any Architect doubles
        ("R0*+0A,R1*+0A,R2*+1A,.,.", [("R", 12, 1)]),  # once, and the glass comes after
        ("R0*+0,R1+1,.,.,.", [("R", 0, 0)]),  # glass needs a majority
    ],
)
def test_areas_score_as_counted_by_hand(cathedral: str, points: list[tuple[str, int, int]]) -> None:
    areas = score_areas(ReferenceGame.from_text(position(cathedral, king=9)))
    assert [(area.colour, *area.points) for area in areas] == points


def test_the_breakdown_of_an_area_is_complete() -> None:
    game = ReferenceGame.from_text(position("R0*+0S,R1+1M,RY1+1A,.,./R2,.,.,.,.", king=9))
    (area,) = score_areas(game)
    assert area.squares == ("a1", "b1", "c1", "a2")
    assert (area.size, area.builders, area.strength, area.strongmen) == (4, (1, 2), (1, 3), (1, 0))
    assert (area.architect, area.glass, area.majority, area.points) == (True, 1, 1, (1, 10))


def test_after_a_scoring_the_cathedral_slides() -> None:
    cathedral = "R0+0,#,.,.,./Y0,.,.,.,./#,.,.,.,./B0*,.,.,.,./G0+1A,.,.,.,."
    game = play(position(cathedral, vaults="R1,R2,R3", orders="Y1,Y2,Y3", stack="Y4", king=9), "V1b2")
    text = game.to_text().split(" ")
    assert text[:4] == ["B0*,.,.,.,./G0,.,.,.,.", "Y4,Y2,Y3", "Y1,R2,R3", "-"]
    assert text[4].endswith(",R0,Y0,R1")
    assert text[5:] == ["10", "1:2", "1:1", "1:3", "main", "0"]


def test_the_third_scoring_ends_the_game_without_refill() -> None:
    text = position("R0+0,.,.,.,.", vaults="R1,R2,R3", orders="Y1,Y2,Y3", stack="Y4", king=29, scores="3:7")
    game = play(text, "V1b1")
    fields = game.to_text().split(" ")
    assert fields[:4] == ["R0+0,R1,.,.,.", "Y1,Y2,Y3", "_,R2,R3", "Y4"]
    assert fields[5:] == ["30", "5:7", "1:1", "0:0", "over", "0"]
    assert game.returns() == (-1, 1)
    assert game.legal_moves() == []


def test_exhaustion_ends_the_game_with_a_scoring() -> None:
    text = position("R0+1,.,.,.,.", vaults="Y2,R2,R3", orders="Y1,Y3,Y4", stack="-", king=1, reshuffled=1)
    fields = play(text, "V1b1").to_text().split(" ")
    assert fields[:4] == ["R0+1,Y2,.,.,.", "_,Y3,Y4", "Y1,R2,R3", "-"]
    assert fields[5:] == ["1", "0:1", "1:1", "0:0", "over", "1"]


def test_an_empty_discard_pile_ends_the_game_too() -> None:
    crownless = replace(STANDARD, name="crownless", crowns=(0,) * 58)
    wilds = sorted(WILDS)
    singles = [code for code in STANDARD.codes if code not in WILDS]
    tiles = [wilds.pop() if square % 2 and wilds else singles.pop() for square in range(52)] + 3 * ["."]
    cathedral = "/".join(",".join(tiles[row : row + 5]) for row in range(0, 55, 5))
    game = ReferenceGame.from_text(position(cathedral, stack="-"), tiles=crownless)
    assert (game.stack, game.discard, game.reshuffled) == ([], [], False)
    game.play("V1c11")
    assert (game.is_over, game.reshuffled, game.orders[1]) == (True, False, None)


def test_a_redraw_is_offered_only_when_no_vault_fits() -> None:
    cathedral = ".,RY0,.,RB0+0,."
    game = ReferenceGame.from_text(
        position(cathedral, vaults="RG0,YB0,YG0", orders="R1,R6,R5", stack="YB1,YB2,YG1,R0,Y0,Y1", king=1)
    )
    assert game.legal_moves() == ["O2", "O3", "redraw"]
    game.play("redraw")
    assert game.legal_moves() == ["redraw"]
    assert game.decision.to_text() == "vault"
    game.play("redraw")
    assert game.legal_moves()[0] == "V1a1"
    assert not {"O1", "O2", "O3", "redraw"} & set(game.legal_moves())
    assert game.actions == 3
    assert game.discard[-6:] == ["RG0", "YB0", "YG0", "YB1", "YB2", "YG1"]


def test_no_tile_is_placed_beyond_row_12() -> None:
    one_square_free = "/".join(["#,#,#,#,#"] * 11 + ["#,#,#,#,."])
    game = ReferenceGame.from_text(position(one_square_free, orders="R5,Y2,Y9", vaults="R0,R1,R2"))
    assert game.legal_moves() == ["V1e12", "V2e12", "V3e12"]
    two_squares_free = "/".join(["#,#,#,#,#"] * 11 + ["#,#,#,.,."])
    game = play(position(two_squares_free, orders="R5,Y2,Y9"), "O1")
    assert game.legal_moves() == ["d12", "e12"]
    game.play("d12")
    assert (game.legal_moves(), game.decision.to_text()) == (["e12"], "scaffold:1:1")


def test_a_builder_follows_only_its_vault() -> None:
    text = position(orders="R5,Y2,Y9", vaults="R1,R2,R3")
    game = play(text, "V3c1")
    assert "B" in game.legal_moves()
    assert "B" not in play(game.to_text(), "O1 a1 b1").legal_moves()
    assert "B" not in play(game.to_text(), "B").legal_moves()
    game.play("V1d1")
    assert game.decision.to_text() == "main@d1"
    game.play("V1e1")
    assert (game.decision.to_text(), game.turn) == ("main", 1)


def test_promotion_swaps_tokens_and_the_paid_one_takes_another_rank() -> None:
    cathedral = "R0+0A,R2+0M,R3+0S,R4+0{},R6+1"
    full = ReferenceGame.from_text(position(cathedral.format("A"), orders="Y4,G0,RY2", king=9))
    assert not any(move.startswith("O1") for move in full.legal_moves())
    game = play(position(cathedral.format(""), orders="Y4,G0,RY2", king=9), "O1 a1=A")
    assert (game.decision.to_text(), game.player) == ("offer:1:A", 1)
    game.play("pay")
    assert game.legal_moves() == ["e1=M", "e1=S"]
    game.play("e1=S")
    assert game.to_text().split(" ")[0] == "R0+0A,R2+0M,R3+0S,R4+0,R6+1S"
    assert (game.coins, game.turn, game.actions, game.discard[-1]) == ((2, 0), 0, 2, "Y4")


def test_confuse_may_use_the_vacated_square() -> None:
    text = position("R0+0M,R2+1S,.,R1+0,.", orders="R3,G0,RY2", king=9)
    game = play(text, "O1")
    assert game.legal_moves() == ["a1"]  # without d1 the opponent could not move
    game.play("a1")
    assert (game.decision.to_text(), game.tokens_in_supply(0)) == ("offer:1", 4)
    passed = play(game.to_text(), "pass")
    assert (passed.decision.to_text(), passed.player, passed.legal_moves()) == ("confuse:1", 0, ["b1-a1"])
    game.play("pay")
    assert (game.decision.to_text(), game.player, game.legal_moves()) == ("paid-confuse:1", 1, ["b1-a1"])
    game.play("b1-a1")
    assert game.to_text().split(" ")[0] == "R0+1S,R2,.,R1+0,."


def test_paid_recruit_needs_a_vault_beside_an_own_builder() -> None:
    game = play(position("R0,R1,Y0+1,.,R4", orders="R2,G0,RY2", king=9), "O1 a1")
    assert game.decision.to_text() == "offer:1"
    game.play("pay")
    assert game.legal_moves() == ["b1"]
    not_asked = play(position("R0,R1,Y0+1,.,R4", orders="R2,G0,RY2", king=9), "O1 b1")
    assert (not_asked.decision.to_text(), not_asked.actions) == ("main", 2)
    poor = play(position("R0,R1,Y0+1,.,R4", orders="R2,G0,RY2", king=9, coins="2:0"), "O1 a1")
    assert poor.fired["R6.9 recruit no coin"] == 1


def test_disaster_discards_the_vault_before_the_order_tile() -> None:
    game = play(position("R0*,R1+1,.,.,./.,R2,.,.,.", orders="R6,G0,RY2", stack="R5", king=9), "O1")
    assert game.legal_moves() == ["a1", "b2"]
    game.play("a1")
    assert game.to_text().split(" ")[0] == ".,R1+1,.,.,./.,R2,.,.,."
    assert game.discard[-2:] == ["R0", "R6"]
    assert game.orders[1] == "R5"


ONE_SIDE_MANY_CROWNS = replace(
    STANDARD,
    name="one side, many crowns",
    orders=("move",) * 58,
    crowns=tuple(int(number % 3 == 0) for number in range(58)),
    coins=(0,) * 58,
)


@pytest.mark.parametrize(
    ("orders", "stack"),
    [("R0,R1,Y0", "R2,Y1,R3"), ("R0,Y0,RY0", "RY1,R3,RY2"), ("B1,G2,R9", "-")],
)
def test_crown_probabilities_are_those_of_all_arrangements(orders: str, stack: str) -> None:
    game = ReferenceGame.from_text(position(orders=orders, stack=stack), tiles=ONE_SIDE_MANY_CROWNS)
    hidden = [*orders.split(","), *TILE.findall(stack)]
    places = min(4, len(hidden))
    sides = [game.tiles[code].colours for code in hidden]
    fitting = [
        deal
        for deal in permutations(hidden)
        if all(game.tiles[code].colours == side for code, side in zip(deal[:places], sides, strict=False))
    ]
    expected = [
        Fraction(sum(game.tiles[deal[place]].crown for deal in fitting), len(fitting))
        for place in range(places)
    ]
    information = game.open_information()
    in_view = [*information["orders"].values(), information["top"]][:places]
    assert [side["crown_probability"] for side in in_view] == expected
    assert (information["top"] is None) == (places == 3)


def test_open_information_does_not_depend_on_what_is_hidden() -> None:
    chance = random.Random(5)
    colours = dict(zip(STANDARD.codes, STANDARD.colours, strict=True))
    for seed in range(10):
        game = ReferenceGame.new(seed, ONE_SIDE_MANY_CROWNS)
        for _ in range(40):
            if game.is_over:
                break
            other = game.copy()
            shown, below = other.orders[1], other.stack[1:]
            assert shown is not None
            chance.shuffle(below)
            twins = [place for place, code in enumerate(below) if colours[code] == colours[shown]]
            if twins:
                other.orders[1], below[twins[0]] = below[twins[0]], shown
            other.stack[1:] = below
            assert other.open_information() == game.open_information()
            game.play(by_kind(game, chance))


def test_open_information_shows_the_table() -> None:
    text = position("R0*+1M,#,.,.,.", vaults="Y0,RY2,B2", orders="G0,G1,G2", king=3, turn="1:2", scores="4:5")
    information = ReferenceGame.from_text(text).open_information()
    assert information["squares"]["a1"] == {
        "tile": "R0",
        "colours": "R",
        "crown": True,
        "order": "promote",
        "coin": True,
        "glass": True,
        "builder": 1,
        "rank": "M",
        "scaffold": False,
    }
    assert information["squares"]["b1"]["scaffold"]
    assert not information["squares"]["c1"]["colours"]
    assert information["orders"][3] == {
        "colours": "G",
        "order": "glass",
        "coin": False,
        "crown_probability": Fraction(1, 2),
    }
    assert (information["builders"], information["tokens"]) == ((5, 4), (4, 3))
    assert (information["turn"], information["actions"], information["decider"]) == (1, 2, 1)
