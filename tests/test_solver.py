"""The exact solver."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from basilica_env import GameState
from basilica_env.agents.solver import MOST_DRAWS, Solver, TooLargeError, public_key, solve
from basilica_env.core import endgame, reveal
from basilica_env.core.layout import NONE
from basilica_env.training.endgames import read_endgames
from tests.exact import values_by_brute_force
from tests.positions import STANDARD, join, position, split

TOY = position(
    """
    YB0+0  .  YB1+0 .   YB2+0
    R3*+0 R4*+0 R5  R7   R8
    """,
    orders="G2 R6 RG2",
    vaults="G1 G5 G8",
    stack="Y3 G9",
    rest="discard",
    king=29,
    turn="0:2",
    reshuffled=1,
)
"""A stack of two tiles. Order space 1 shows the order side that G2 and G9 share, the crown on G9 alone.

Player 0 has two actions left and no builder in supply, so each of them draws a tile; player 1 then has one
action, and the end (R7.2). If a crown is placed before, the king reaches 30 and that is the end (R8.6).

Red is worth 5 tiles + 4 for the glass = 9 to player 0; nothing else scores, for the wild tiles lie alone and
no blue or yellow vault is left. With her action player 1 destroys c1 (R6, RG2 and Y3 are all Disasters, and
player 0 cannot use up all three), which leaves 2 + 4 = 6. Player 0 may

- place vault 1: the tile behind it is G9 or G2, each with 1/2. G9 can be placed at once, and that ends the
  game at 9; after G2 player 1 cuts to 6. Worth 15/2.
- place vault 2: R6 comes, which fits b2 and leaves a1, b1 and b2 after the cut, 3 + 4 = 7. It must not be
  b2 itself that she takes first; then the cut leaves 6.
- place vault 3: RG2 comes, a wild tile that fits no square beside a1 or b1: 6.
- execute an order: 6. Glass on a lone wild tile counts for nothing.
"""


def values(state: GameState, aim: str = "margin") -> dict[str, Fraction]:
    return {entry.move: entry.value for entry in solve(state, aim).moves}


@pytest.mark.parametrize("arrangement", [("G2", "G9"), ("G9", "G2")])
def test_a_toy_stack_worked_out_by_hand(arrangement: tuple[str, str]) -> None:
    shown, below = arrangement
    state = GameState.from_text(TOY.replace("G2,R6", f"{shown},R6").replace("Y3,G9", f"Y3,{below}"))
    by_hand = {
        move: Fraction(15, 2) if move.startswith("V1") else 7 if move.startswith("V2") else 6
        for move in state.legal_moves()
    } | {"V2b2": 6}

    solution = solve(state)

    assert values(state) == by_hand
    assert solution.value == Fraction(15, 2)
    assert solution.best == tuple(move for move in state.legal_moves() if move.startswith("V1"))
    assert len(solution.best) == 5


@pytest.mark.parametrize(
    ("scores", "gamble", "safe"),
    [("0:6", "1/2", 1), ("0:7", 0, 0), ("0:8", 0, -1), ("0:9", "-1/2", -1)],
)
def test_the_result_as_the_aim(scores: str, gamble: str | int, safe: int) -> None:
    """The toy again: the gamble ends with 9 or 6 points, the safe way with 7."""
    text = TOY.replace(" 29 0:0 ", f" 29 {scores} ")
    found = values(GameState.from_text(text), "win")

    assert (found["V1a3"], found["V2a3"]) == (Fraction(gamble), safe)


def test_the_brute_force_finds_the_same_in_the_toy() -> None:
    assert values_by_brute_force(TOY) == values(GameState.from_text(TOY))


# --- Chance ------------------------------------------------------------------------------------------


def nearly_full_cathedral() -> str:
    """Give a position before the reshuffle whose discard pile is one tile.

    Player 0 promotes her builder by R0; the pile of R4 and R0 is reshuffled, and either is drawn. All other
    tiles but those on the spaces fill the cathedral, wild ones on every other square. The king is on 29 and
    every vault has a crown.
    """
    orders, vaults, discard = "R1 Y1 R0", "RY1 RB0 RG0", "R4"
    others = [code for code in STANDARD.codes if code not in f"{orders} {vaults} {discard}".split()]
    wild = [code for code in others if len(STANDARD.colours[STANDARD.numbers[code]]) == 2]
    plain = [code for code in others if code not in wild]
    squares = [(wild if square % 2 == 0 and wild else plain).pop() for square in range(len(others))]
    squares[4] += "+1"
    squares[46] += "+0"
    rows = [squares[start : start + 5] for start in range(0, 55, 5)]
    rows[-1] += ["."] * (5 - len(rows[-1]))
    return position(
        "\n".join(" ".join(row) for row in reversed(rows)),
        orders=orders,
        vaults=vaults,
        discard=discard,
        king=29,
        scores="10:12",
        turn="0:1",
        decision="promote:3",
    )


def test_a_reshuffle_to_come_is_averaged_over() -> None:
    text = nearly_full_cathedral()
    found = values(GameState.from_text(text))

    assert found == values_by_brute_force(text)
    assert len(set(found.values())) > 1


def chance_positions() -> list[str]:
    """Give positions in which something hidden can still be shown."""
    small = [entry for entry in read_endgames() if entry.chance and entry.positions < 40_000]
    return [TOY, *(entry.position for entry in small)]


def test_the_hidden_order_of_the_stack_changes_nothing() -> None:
    rng = np.random.default_rng(3)
    arranged_anew = 0
    for text in chance_positions():
        state = GameState.from_text(text)
        solution = solve(state)
        for _ in range(4):
            other = state.copy()
            other.resample_hidden(rng)
            arranged_anew += other != state
            assert solve(other) == solution
    assert arranged_anew > 10


def test_the_state_is_left_as_it_is() -> None:
    state = GameState.from_text(TOY)
    solve(state)
    assert state.to_text() == TOY


@pytest.mark.parametrize(
    ("changes", "certain"),
    [
        ({}, False),  # a crown may end the game, and G2 looks like G9
        ({"king": "10", "scores": "0:0"}, True),  # three vaults at most: no crown reaches 20
        ({"king": "17", "scores": "0:0"}, False),
        ({"king": "16", "scores": "0:0"}, True),
        ({"orders": "G3,R6,RG2", "stack": "Y3,G9", "discard": "G2"}, True),
        ({"king": "10", "stack": "Y3,G9,B5", "discard": ""}, False),  # G9 or B5 comes second
        ({"king": "10", "reshuffled": "0"}, False),
    ],
)
def test_when_chance_has_ended(changes: dict[str, str], certain: bool) -> None:
    fields = split(TOY)
    named = set(fields["stack"].split(",")) | set(fields["orders"].split(","))
    for name, value in changes.items():
        fields[name] = value if name != "discard" else fields["discard"]
    now = set(fields["stack"].split(",")) | set(fields["orders"].split(","))
    pile = [code for code in fields["discard"].split(",") if code not in now] + sorted(named - now)
    fields["discard"] = ",".join(pile)
    state = GameState.from_text(join(fields))

    assert reveal.is_certain(state.to_array(), state.tiles.array) is certain


# --- Compiled exact play -----------------------------------------------------------------------------


@pytest.mark.parametrize("aim", ["margin", "win"])
def test_compiled_play_finds_the_same_values_with_chance_and_without(aim: str) -> None:
    worths = endgame.points_worth() if aim == "margin" else endgame.worth(margin_share=0)
    for text in [TOY, *(entry.position for entry in read_endgames()[::3])]:
        state = GameState.from_text(text)
        action, value, _ = endgame.best_action(state.to_array(), state.tiles.array, worths, 10**7, NONE)
        solution = solve(state, aim)
        assert state.move_of(action) in solution.best
        assert value * (1 if state.player == 0 else -1) == pytest.approx(float(solution.value))


def test_compiled_play_takes_the_favourite_among_equals() -> None:
    state = GameState.from_text(TOY)
    best = [state.action_of(move) for move in solve(state).best]
    assert len(best) > 1
    for favourite in best:
        assert play_out(state, favourite=favourite)[0] == favourite
    assert play_out(state, favourite=state.action_of("V2b2"))[0] in best


def test_compiled_play_sees_nothing_hidden() -> None:
    rng = np.random.default_rng(0)
    for text in chance_positions():
        state = GameState.from_text(text)
        found = play_out(state)
        for _ in range(3):
            state.resample_hidden(rng)
            assert play_out(state)[:2] == (found[0], pytest.approx(found[1]))


def test_compiled_play_is_given_up_where_it_cannot_end() -> None:
    state = GameState.from_text(TOY)
    action, _, positions = play_out(state)
    assert action != NONE
    assert play_out(state, most=positions)[0] == action
    assert play_out(state, most=positions - 1) == (NONE, 0, positions - 1)
    assert play_out(GameState.new(seed=7)) == (NONE, 0, 0)


def play_out(state: GameState, most: int = 10**7, favourite: int = NONE) -> tuple[int, float, int]:
    found: tuple[int, float, int] = endgame.best_action(
        state.to_array(), state.tiles.array, endgame.points_worth(), most, favourite
    )
    return found


def test_the_worth_of_a_lead() -> None:
    win, margin, both = (endgame.worth(share) for share in (0, 1, 0.5))
    even = endgame.MOST_LEAD
    assert win[[0, even - 1, even, even + 1]].tolist() == [-1, -1, 0, 1]
    assert margin[even + 25] == pytest.approx(np.tanh(1))
    assert both == pytest.approx((win + margin) / 2)
    assert endgame.points_worth()[[0, -1]].tolist() == [-endgame.MOST_LEAD, endgame.MOST_LEAD]
    for worths in (win, margin, both):
        assert (np.diff(worths) >= 0).all()


# --- What is remembered ------------------------------------------------------------------------------


def test_the_key_tells_what_is_open_and_nothing_else() -> None:
    state = GameState.from_text(TOY)
    keys = {public_key(state)}
    rng = np.random.default_rng(0)
    for _ in range(5):
        state.resample_hidden(rng)
        keys.add(public_key(state))
    assert len(keys) == 1
    fields = split(TOY)
    for name, value in (
        ("scores", "1:0"),
        ("coins", "2:0"),
        ("king", "28"),
        ("turn", "0:3"),
        ("turn", "1:2"),
        ("vaults", "G5,G1,G8"),
        ("orders", "G2,RG2,R6"),
        ("stack", "R6,G9"),
        ("decision", "disaster:2"),
        ("decision", "disaster:3"),
        ("cathedral", fields["cathedral"].replace("R4*+0", "R4*+0S")),
    ):
        changed = fields | {name: value}
        if name == "stack":
            changed["orders"] = "G2,Y3,RG2"
        keys.add(public_key(GameState.from_text(join(changed))))
    assert len(keys) == 12


def test_a_solver_remembers() -> None:
    solver = Solver()
    first = solver.solve(GameState.from_text(TOY))
    again = solver.solve(GameState.from_text(TOY))

    assert again.moves == first.moves
    assert again.positions < 1.5 * first.positions


# --- Solutions and limits ----------------------------------------------------------------------------


def test_moves_come_best_first_and_equal_ones_in_order() -> None:
    moves = solve(GameState.from_text(TOY)).moves
    assert list(moves) == sorted(moves, key=lambda entry: (-entry.value, entry.action))


def test_values_are_those_of_the_player_who_decides() -> None:
    """With the seats swapped everything has the same value."""
    fields = split(TOY)
    swapped = fields | {"cathedral": fields["cathedral"].replace("+0", "+1"), "turn": "1:2"}

    assert values(GameState.from_text(join(swapped))) == values(GameState.from_text(TOY))


def test_a_search_that_grows_too_large_is_given_up() -> None:
    state = GameState.from_text(TOY)
    enough = solve(state).positions

    assert solve(state, most_positions=enough).positions == enough
    with pytest.raises(TooLargeError, match=rf"more than {enough - 1:,} positions follow: expected"):
        solve(state, most_positions=enough - 1)
    with pytest.raises(TooLargeError, match="more than 1 positions"):
        solve(state, most_positions=1)


def test_a_game_that_has_far_to_go_is_refused_at_once() -> None:
    with pytest.raises(TooLargeError, match=f"52 tiles can still be drawn: expected .* {MOST_DRAWS} at most"):
        solve(GameState.new(seed=7))


def test_wrong_arguments() -> None:
    state = GameState.from_text(TOY)
    with pytest.raises(ValueError, match="aim is 'both': expected one of margin, win"):
        solve(state, "both")
    with pytest.raises(ValueError, match="most_positions is 0: expected 1 or more"):
        solve(state, most_positions=0)
    while not state.is_over:
        state.apply(int(state.legal_actions()[0]))
    with pytest.raises(ValueError, match="the game is over"):
        solve(state)
