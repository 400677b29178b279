"""``GameState``: one game for people. What it tells, what it refuses, its copies and its chance."""

from __future__ import annotations

import copy
import inspect
import itertools
import math
import pickle
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from basilica_env import GameState, IllegalMoveError
from basilica_env.core.layout import ACTIONS, BUILDERS_EACH, DECISION_NAMES, GAME, MOVE, TOKENS_EACH
from basilica_env.core.observation import OBSERVATION_SIZE
from basilica_env.core.tiles import TileSet, TileSetError
from basilica_env.game import PositionView
from basilica_env.notation import PositionError
from basilica_env.reference import ReferenceGame, score_areas
from tests.positions import NO_FIT, STANDARD, codes, position, split

NO_NUMBERS: tuple[Any, ...] = (
    None,
    "0",
    b"0",
    0.0,
    1.5,
    math.nan,
    np.float32(1),
    True,
    np.bool_(True),
    1j,
    [],
    [0],
    {},
    object,
    np.array([0, 1]),
    np.datetime64(0, "s"),
)
NO_ACTIONS = (-1, ACTIONS, 2**31, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**63), -(2**63) - 1, 10**100)
NO_MOVES: tuple[Any, ...] = (
    "",
    " ",
    "V1A1",
    "v1a1",
    "V0a1",
    "V1a13",
    "a1-a3",
    "a1=X",
    "V1a1 ",
    "0",
    "é" * 99,
)


def play_by_kind(state: GameState, rng: np.random.Generator) -> None:
    """Play a random move, its kind first, so that orders come as often as vaults."""
    moves = state.legal_moves()
    kinds = sorted({move[0] for move in moves})
    kind = kinds[rng.integers(len(kinds))]
    state.play(str(rng.choice([move for move in moves if move[0] == kind])))


def states_of_games(seeds: int, tiles: TileSet = STANDARD) -> Iterator[GameState]:
    """Give every state of random games, the finished one of each last; they are played on."""
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        state = GameState.new(seed=seed, tiles=tiles)
        yield state
        while not state.is_over:
            play_by_kind(state, rng)
            yield state


@pytest.fixture(scope="module")
def every_decision() -> dict[str, GameState]:
    """Give one state for each kind of decision but the end, ``main`` with and without a vault just placed."""
    redrawn = GameState.from_text(position(NO_FIT, orders="R1 Y1 B1", vaults="RY1 RY2 YB1"))
    redrawn.play("redraw")
    found = {"vault": redrawn}
    for state in states_of_games(20):
        kind = DECISION_NAMES[state.to_array()["decision"][0]] + "@" * ("@" in state.decision)
        if kind not in found:
            found[kind] = state.copy()
    del found["over"]
    assert len(found) == len(DECISION_NAMES)
    return found


def finished(seed: int = 0) -> GameState:
    state = GameState.new(seed=seed)
    while not state.is_over:
        state.apply(state.sample_action())
    return state


def whole(state: GameState) -> bytes:
    """Give all bytes of a state: its record and its generators."""
    return pickle.dumps(state)


# --- The names that others rely on ---------------------------------------------------------------


def test_the_stable_names() -> None:
    state = GameState.new(seed=7)
    again = GameState.from_text(state.to_text(), seed=0)
    assert again == state
    assert again.copy() == state
    moves, actions = state.legal_moves(), state.legal_actions()
    assert isinstance(moves, list)
    assert all(isinstance(move, str) for move in moves)
    assert actions.dtype == np.int64
    assert [state.action_of(move) for move in moves] == actions.tolist()
    assert [state.move_of(action) for action in actions] == moves
    state.play(moves[0])
    state.apply(int(state.legal_actions()[0]))
    assert isinstance(state.player, int)
    assert isinstance(state.turn, int)
    assert isinstance(state.is_over, bool)
    assert isinstance(state.scores, tuple)
    assert isinstance(state.king, int)
    assert state.returns() == (0, 0)
    state.resample_hidden(np.random.default_rng(0))
    assert issubclass(IllegalMoveError, ValueError)


def test_every_part_has_a_docstring() -> None:
    members = inspect.getmembers(GameState, lambda member: callable(member) or isinstance(member, property))
    assert all(member.__doc__ for name, member in members if not name.startswith("_"))


def test_legal_moves_actions_and_mask_say_the_same() -> None:
    for state in states_of_games(5):
        actions = state.legal_actions()
        assert (np.diff(actions) > 0).all()
        assert len(actions) > 0 or state.is_over
        assert [state.move_of(action) for action in actions] == state.legal_moves()
        mask = state.legal_mask()
        assert mask.shape == (ACTIONS,)
        assert mask.dtype == np.uint8
        assert np.flatnonzero(mask).tolist() == actions.tolist()
        assert mask.max(initial=0) <= 1
        assert all(state.is_legal(action) == bool(mask[action]) for action in range(ACTIONS))


def test_play_and_apply_do_the_same() -> None:
    by_text = GameState.new(seed=3)
    by_number = by_text.copy()
    while not by_text.is_over:
        action = by_text.sample_action()
        by_text.play(by_text.move_of(action))
        by_number.sample_action()
        by_number.apply(action)
        assert whole(by_text) == whole(by_number)


def test_every_text_number_and_moves_text_of_every_action() -> None:
    state = GameState.new(seed=0)
    unnamed = 0
    for action in range(ACTIONS):
        if action in over_the_border():
            with pytest.raises(ValueError, match="leaves the cathedral"):
                state.move_of(action)
            unnamed += 1
        else:
            assert state.action_of(state.move_of(action)) == action
    assert unnamed == 12 + 12 + 5 + 5


def over_the_border() -> set[int]:
    """Give the actions that would move a builder out of the cathedral."""
    border = {0: range(55, 60), 1: range(4, 60, 5), 2: range(5), 3: range(0, 60, 5)}
    return {MOVE + 4 * square + step for step, squares in border.items() for square in squares}


# --- Illegal moves -------------------------------------------------------------------------------


def test_an_illegal_move_of_any_kind_changes_nothing(every_decision: dict[str, GameState]) -> None:
    for state in [*every_decision.values(), finished()]:
        before = whole(state)
        for action in set(range(ACTIONS)) - set(state.legal_actions().tolist()):
            with pytest.raises(IllegalMoveError):
                state.apply(action)
        assert whole(state) == before


def test_an_illegal_move_is_told_with_what_is_legal(every_decision: dict[str, GameState]) -> None:
    for state in every_decision.values():
        illegal = next(action for action in range(ACTIONS) if not state.is_legal(action))
        move = state.move_of(illegal)
        for refused in (lambda s=state, m=move: s.play(m), lambda s=state, a=illegal: s.apply(a)):
            with pytest.raises(IllegalMoveError) as info:
                refused()
            message = str(info.value)
            assert f"illegal move {move!r}" in message
            assert f"player {state.player} decides {state.decision!r}" in message
            moves = state.legal_moves()
            assert "may play " + ", ".join(moves[:8]) in message
            assert (f"({len(moves)} in all)" in message) == (len(moves) > 8)


def test_the_message_after_the_end_says_so() -> None:
    state = finished()
    for refused in (lambda: state.play("V1a1"), lambda: state.apply(0), lambda: state.scoring_of("V1a1")):
        with pytest.raises(IllegalMoveError, match="illegal move 'V1a1'; the game is over"):
            refused()
    for refused in (state.sample_action, state.greedy_action):
        with pytest.raises(IllegalMoveError, match="the game is over"):
            refused()
    assert state.legal_moves() == []
    assert state.legal_actions().tolist() == []
    assert not state.legal_mask().any()


@pytest.mark.parametrize("move", NO_MOVES)
def test_a_text_that_is_no_move(move: str) -> None:
    state = GameState.new(seed=1)
    before = whole(state)
    with pytest.raises(IllegalMoveError, match=r"unknown move .*expected a move such as .*may play"):
        state.play(move)
    for refused in (state.action_of, state.scoring_of, state.outcomes):
        with pytest.raises(ValueError, match="unknown move"):
            refused(move)
    assert whole(state) == before


# --- Garbage -------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", NO_NUMBERS, ids=repr)
def test_what_is_no_number_is_no_action(value: Any) -> None:
    state = GameState.new(seed=1)
    before = whole(state)
    for refused in (state.apply, state.is_legal, state.move_of):
        with pytest.raises(TypeError, match="expected an integer from 0 to 666"):
            refused(value)
    if not isinstance(value, str):
        with pytest.raises(TypeError, match="expected an integer from 0 to 666"):
            state.outcomes(value)
    with pytest.raises(TypeError, match="expected an integer from 0 to 666"):
        state.apply(value, reshuffled=["R1"])
    assert whole(state) == before


@pytest.mark.parametrize("action", NO_ACTIONS)
def test_a_number_that_is_no_action(action: int) -> None:
    state = GameState.new(seed=1)
    before = whole(state)
    for reshuffled in (None, ["R1"]):
        with pytest.raises(
            IllegalMoveError, match=r"action -?\d+: expected 0 to 666; player 0 decides 'main'"
        ):
            state.apply(action, reshuffled)
    assert state.is_legal(action) is False
    with pytest.raises(IllegalMoveError):
        list(state.outcomes(action))
    with pytest.raises(ValueError, match="expected 0 to 666"):
        state.move_of(action)
    assert whole(state) == before


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "int32", "int64", "uint64", "intp"])
def test_integers_of_numpy_are_actions(kind: str) -> None:
    state = GameState.new(seed=1)
    action = np.dtype(kind).type(state.legal_actions()[0])
    assert state.is_legal(action)
    assert state.move_of(action) == state.legal_moves()[0]
    expected = state.copy()
    expected.apply(int(action))
    state.apply(action)
    assert state == expected


@pytest.mark.parametrize("value", [value for value in NO_NUMBERS if not isinstance(value, str)], ids=repr)
def test_what_is_no_text_is_no_move(value: Any) -> None:
    state = GameState.new(seed=1)
    before = whole(state)
    for refused in (state.play, state.action_of, state.scoring_of):
        with pytest.raises((TypeError, ValueError), match=r"unknown move|unhashable"):
            refused(value)
    assert whole(state) == before


@pytest.mark.parametrize(
    "player", [-1, 2, 2**64, "0", b"0", 0.5, math.nan, [], [0], {}, object, np.arange(2)]
)
def test_an_unknown_player_sees_nothing(player: Any) -> None:
    with pytest.raises(ValueError, match=r"unknown player|ambiguous"):
        GameState.new(seed=1).observe(player)


@pytest.mark.parametrize("dtype", ["int8", "float64", ">f4", "S99999999", object, bool, None, [("a", "u1")]])
def test_an_observation_of_another_dtype(dtype: Any) -> None:
    with pytest.raises(ValueError, match=r"unknown dtype .* of an observation: expected uint8 or float32"):
        GameState.new(seed=1).observe(dtype=dtype)


@pytest.mark.parametrize("player", [0, 1, np.int8(1), np.uint64(0)])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32, "u1", "f4"])
def test_observations(player: int, dtype: Any) -> None:
    seen = GameState.new(seed=1).observe(player, dtype)
    assert seen.shape == (OBSERVATION_SIZE,)
    assert seen.dtype == np.dtype(dtype)
    assert np.isfinite(seen).all()
    if player == 0:
        assert (seen == GameState.new(seed=1).observe(dtype=dtype)).all()


@pytest.mark.parametrize("seed", [-1, -(2**64), 1.0, math.nan, "7", b"7", "", object, {}, 1j, [-1], [1.5]])
def test_no_seed(seed: Any) -> None:
    for make in (GameState.new, lambda seed: GameState.from_text(GameState.new(0).to_text(), seed)):
        with pytest.raises(
            (TypeError, ValueError), match=r"seed is .*: expected a non-negative integer, or None"
        ):
            make(seed)


@pytest.mark.parametrize("seed", [0, 1, 2**32, 2**64, 2**128 + 1, 10**100, np.uint64(2**64 - 1), np.int8(3)])
def test_seeds_of_any_size(seed: int) -> None:
    assert GameState.new(seed=seed) == GameState.new(seed=int(seed))


@pytest.mark.parametrize("tiles", [None, 5, 1.5, b"x", [], object, "", "no/such.csv", "a\0b", "."])
def test_no_tiles(tiles: Any) -> None:
    for make in (
        lambda: GameState.new(0, tiles),
        lambda: GameState.from_text(GameState.new(0).to_text(), 0, tiles),
    ):
        with pytest.raises((TypeError, ValueError, OSError)):
            make()


def test_a_file_that_is_no_tile_set(tmp_path: Path) -> None:
    file = tmp_path / "tiles.csv"
    file.write_text("code\n")
    with pytest.raises(TileSetError, match=r"tiles\.csv, line 1"):
        GameState.new(seed=1, tiles=file)


@pytest.mark.parametrize("text", ["", " ", "x", "\0", "main " * 11, "-" * 10**5])
def test_a_text_that_is_no_position(text: str) -> None:
    with pytest.raises(PositionError):
        GameState.from_text(text)


@pytest.mark.parametrize("text", [None, 5, b"- 0", [], ...], ids=repr)
def test_a_position_that_is_no_text(text: Any) -> None:
    with pytest.raises(TypeError, match=r"position .* has type .*: expected a text"):
        GameState.from_text(text)


@pytest.mark.parametrize("rng", [5, "x", np.random.RandomState(1), np.random.default_rng])
def test_a_source_of_chance_of_another_type(rng: Any) -> None:
    state = GameState.new(seed=1)
    before = whole(state)
    for refused in (state.sample_action, state.greedy_action, state.resample_hidden):
        with pytest.raises(TypeError, match=r"rng has type .*: expected a numpy.random.Generator"):
            refused(rng)
    assert whole(state) == before


# --- Seeds ---------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_game() -> None:
    first, second = finished(seed=5), finished(seed=5)
    assert whole(first) == whole(second)
    assert GameState.new(seed=5) != GameState.new(seed=6)


def test_without_a_seed_every_game_is_another() -> None:
    assert len({GameState.new().to_text() for _ in range(20)}) == 20


def test_a_new_game_does_not_touch_numpys_global_generator() -> None:
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    finished()
    GameState.new()
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_interleaved_games_do_not_disturb_each_other() -> None:
    alone = [whole(finished(seed)) for seed in range(3)]
    together = [GameState.new(seed=seed) for seed in range(3)]
    while not all(state.is_over for state in together):
        for state in together:
            if not state.is_over:
                state.apply(state.sample_action())
    assert [whole(state) for state in together] == alone


# --- Copies, equality, text ----------------------------------------------------------------------

COPIES: dict[str, Callable[[GameState], GameState]] = {
    "copy": GameState.copy,
    "copy.copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{
        f"pickle {k}": lambda s, k=k: pickle.loads(pickle.dumps(s, k))
        for k in range(pickle.HIGHEST_PROTOCOL + 1)
    },
}


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_has_the_same_future_and_a_life_of_its_own(name: str) -> None:
    """The future includes the reshuffle and the random actions of its own stream."""
    copied, reshuffles = 0, 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        state = GameState.new(seed=seed)
        while not state.is_over:
            if rng.integers(25) == 0:
                copied += 1
                other = COPIES[name](state)
                assert other == state
                assert whole(other) == whole(state)
                before, mine = whole(other), rng.spawn(1)[0]
                line = copy.deepcopy(mine)
                future = state.copy()
                while not future.is_over:
                    play_by_kind(future, line)
                    assert other.is_over is False
                assert whole(other) == before
                reshuffles += future.was_reshuffled and not state.was_reshuffled
                while not other.is_over:
                    play_by_kind(other, mine)
                    other.is_over or other.sample_action()
                assert other == future
            play_by_kind(state, rng)
        assert COPIES[name](state) == state
        assert COPIES[name](state).is_over
    assert copied > 20
    assert reshuffles > 3


def test_states_in_containers_are_copied_deeply() -> None:
    state = GameState.new(seed=1)
    copied = copy.deepcopy({"state": state})["state"]
    copied.play(copied.legal_moves()[0])
    assert state == GameState.new(seed=1)
    assert copied.tiles is state.tiles


def test_a_pickled_tile_set_stays_read_only() -> None:
    """A tile array that could be written to would be another type, for which everything compiles anew."""
    for tiles in (pickle.loads(pickle.dumps(STANDARD)), copy.deepcopy(STANDARD), copy.copy(STANDARD)):
        assert tiles == STANDARD
        assert tiles.digest == STANDARD.digest
        assert not tiles.array.flags.writeable
    state = GameState.new(seed=1)
    assert not pickle.loads(pickle.dumps(state)).tiles.array.flags.writeable


def test_equality_is_that_of_position_and_tiles() -> None:
    state = GameState.new(seed=1)
    other_future = GameState.from_text(state.to_text(), seed=2)
    assert state == other_future
    assert hash(state) == hash(other_future)
    assert len({state, other_future, state.copy()}) == 1
    other_tiles = replace(STANDARD, crowns=STANDARD.crowns[::-1])
    assert GameState.from_text(state.to_text(), tiles=other_tiles) != state
    same_tiles = replace(STANDARD, name="other", assumed=())
    assert GameState.from_text(state.to_text(), tiles=same_tiles) == state
    after = state.copy()
    after.play(after.legal_moves()[0])
    assert after != state
    assert state != state.to_text()
    assert state != 5
    assert state is not None


def test_text_is_str_and_repr_names_the_decision_and_the_position(
    every_decision: dict[str, GameState],
) -> None:
    for state in every_decision.values():
        assert str(state) == state.to_text()
        assert repr(state) == (
            f"<GameState player {state.player} decides {state.decision!r}: {state.to_text()!r}>"
        )
    over = finished()
    assert "'over'" in repr(over)
    own = GameState.new(seed=1, tiles=replace(STANDARD, name="own"))
    assert repr(own).endswith(", tiles='own'>")


def test_reading_the_text_gives_the_same_record() -> None:
    """Everything in the record but the generator and what lies under the discard pile is in the text."""
    for state in states_of_games(15):
        mine, read = (s.to_array()[0] for s in (state, GameState.from_text(state.to_text())))
        for name in set(GAME.names or ()) - {"random", "deck"}:
            assert np.array_equal(mine[name], read[name]), name


def test_an_array_of_the_record_is_a_copy() -> None:
    state = GameState.new(seed=1)
    record = state.to_array()
    assert record.dtype == GAME
    assert record.shape == (1,)
    before = whole(state)
    record["king"] = 7
    record["planes"] = 0
    assert whole(state) == before


# --- The view ------------------------------------------------------------------------------------


def text_of(view: PositionView) -> str:
    """Write a position from its view."""
    rows = []
    for row in range(1, 13):
        squares = [view.cathedral.get(f"{column}{row}") for column in "abcde"]
        if any(squares):
            rows += [["."] * 5] * (row - 1 - len(rows))
            rows.append([square_text(square) for square in squares])
    spaces = [",".join(code or "_" for code in part) for part in (view.orders, view.vaults)]
    piles = [",".join(pile) or "-" for pile in (view.stack, view.discard)]
    return " ".join(
        [
            "/".join(map(",".join, rows)) or "-",
            *spaces,
            *piles,
            str(view.king),
            "{}:{}".format(*view.scores),
            "{}:{}".format(*view.coins),
            f"{view.turn}:{view.actions}",
            view.decision,
            str(int(view.reshuffled)),
        ]
    )


def square_text(square: Any) -> str:
    if square is None:
        return "."
    if square.code is None:
        return "#"
    glass = "*" if square.glass else ""
    builder = "" if square.builder is None else f"+{square.builder}{square.rank or ''}"
    return f"{square.code}{glass}{builder}"


def test_the_view_says_what_the_text_says() -> None:
    for state in states_of_games(8):
        view = state.view()
        assert text_of(view) == state.to_text()
        assert view.player == state.player
        assert (view.king, view.scores, view.turn) == (state.king, state.scores, state.turn)
        assert (view.actions, view.decision, view.reshuffled) == (
            state.actions,
            state.decision,
            state.was_reshuffled,
        )
        squares = view.cathedral.values()
        for player in range(2):
            mine = [square for square in squares if square.builder == player]
            assert view.builders[player] == BUILDERS_EACH - len(mine)
            assert view.tokens[player] == TOKENS_EACH - sum(square.rank is not None for square in mine)
        for square in squares:
            if square.code is None:
                assert (square.colours, square.crown, square.order, square.coin, square.glass) == (
                    "",
                    0,
                    None,
                    0,
                    0,
                )
                continue
            number = STANDARD.numbers[square.code]
            assert square.colours == STANDARD.colours[number]
            assert square.crown == STANDARD.crowns[number]
            assert square.order == STANDARD.orders[number]
            assert square.coin == STANDARD.coins[number]


def test_the_view_cannot_be_changed() -> None:
    view = GameState.new(seed=1).view()
    with pytest.raises(AttributeError):
        view.king = 3  # type: ignore[misc]
    assert {field.name for field in fields(view)} >= {"cathedral", "stack", "builders", "tokens", "player"}


def test_player_and_turn_differ_in_the_opponents_decisions(every_decision: dict[str, GameState]) -> None:
    for kind, state in every_decision.items():
        opponents = kind.startswith(("offer", "paid"))
        assert (state.player != state.turn) == opponents


# --- Points --------------------------------------------------------------------------------------


def test_areas_are_those_of_the_reference() -> None:
    compared = 0
    for number, state in enumerate(states_of_games(6)):
        if number % 3 == 0:
            reference = ReferenceGame.from_text(state.to_text())
            expected = [asdict(area) for area in score_areas(reference)]
            assert [asdict(area) for area in state.areas()] == expected
            compared += len(expected)
    assert compared > 1000


def test_the_scoring_of_a_move_is_what_the_move_scores() -> None:
    scorings = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        state = GameState.new(seed=seed)
        while not state.is_over:
            before = whole(state)
            for move in {*state.legal_moves()[:3], *state.legal_moves()[-3:]}:
                areas = state.scoring_of(move)
                after = state.copy()
                after.play(move)
                gained = tuple(np.subtract(after.scores, state.scores).tolist())
                if areas is None:
                    assert gained == (0, 0)
                    assert not after.is_over
                    continue
                scorings += 1
                assert gained == tuple(np.sum([area.points for area in areas] or [(0, 0)], axis=0).tolist())
                assert after.king % 10 == 0 or after.is_over
            assert whole(state) == before
            (play_by_kind if seed % 2 else lambda s, _: s.apply(s.greedy_action()))(state, rng)
    assert scorings > 300


def test_no_scoring_of_an_illegal_move() -> None:
    with pytest.raises(IllegalMoveError, match="illegal move 'V1a2'"):
        GameState.new(seed=1).scoring_of("V1a2")


def test_returns_are_the_signs_of_the_result() -> None:
    results = Counter()
    for seed in range(200):
        state = finished(seed)
        first, second = state.scores
        expected = (0, 0) if first == second else (1, -1) if first > second else (-1, 1)
        assert state.returns() == expected
        results[expected] += 1
    assert len(results) == 3  # ties came up, too


# --- Chance --------------------------------------------------------------------------------------


def test_random_actions_are_equally_likely() -> None:
    state = GameState.new(seed=1)
    rng = np.random.default_rng(0)
    for _ in range(6):
        state.apply(state.sample_action())
    legal = state.legal_actions().tolist()
    drawn = Counter(state.sample_action(rng) for _ in range(400 * len(legal)))
    assert set(drawn) == set(legal)
    assert sum((n - 400) ** 2 / 400 for n in drawn.values()) < len(legal) + 6 * math.sqrt(2 * len(legal))


def test_drawing_an_action_changes_nothing_but_the_stream() -> None:
    state = GameState.new(seed=1)
    record = state.to_array().tobytes()
    state.sample_action()
    state.greedy_action()
    rng = np.random.default_rng(0)
    state.sample_action(rng)
    assert state.to_array().tobytes() == record
    first = [state.copy().sample_action(np.random.default_rng(3)) for _ in range(2)]
    assert first[0] == first[1]


def test_the_stream_of_a_state_is_not_the_generator_of_its_reshuffle() -> None:
    plain, sampled = GameState.new(seed=2), GameState.new(seed=2)
    one, two = np.random.default_rng(1), np.random.default_rng(1)
    while not plain.is_over:
        sampled.sample_action()
        play_by_kind(plain, one)
        play_by_kind(sampled, two)
    assert plain.was_reshuffled
    assert plain == sampled


def test_what_is_open_stays_when_the_hidden_is_redrawn() -> None:
    rng = np.random.default_rng(0)
    changed = 0
    for number, state in enumerate(states_of_games(6)):
        if number % 2:
            continue
        other = state.copy()
        other.resample_hidden(rng)
        for player in range(2):
            assert np.array_equal(state.observe(player), other.observe(player))
        assert state.legal_moves() == other.legal_moves()
        mine, theirs = split(state.to_text()), split(other.to_text())
        for field in set(mine) - {"orders", "stack"}:
            assert mine[field] == theirs[field]
        hidden = [sorted(codes(fields["orders"]) + codes(fields["stack"])) for fields in (mine, theirs)]
        assert hidden[0] == hidden[1]
        GameState.from_text(other.to_text())
        changed += mine["stack"] != theirs["stack"]
    assert changed > 100


# --- The reshuffled pile -------------------------------------------------------------------------


def before_reshuffles(seeds: int) -> Iterator[tuple[GameState, str]]:
    """Give states and moves that reshuffle the discard pile."""
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        state = GameState.new(seed=seed)
        while not state.is_over and not state.was_reshuffled:
            before = state.copy()
            play_by_kind(state, rng)
            if state.was_reshuffled:
                for move in before.legal_moves():
                    after = before.copy()
                    after.play(move)
                    if after.was_reshuffled:
                        yield before.copy(), move


def test_the_order_of_the_reshuffled_pile_can_be_given() -> None:
    rng = np.random.default_rng(0)
    seen = 0
    for state, move in before_reshuffles(4):
        drawn = state.copy()
        drawn.play(move)
        space = next(i for i in range(3) if drawn.view().orders[i] != state.view().orders[i])
        pile = [drawn.view().orders[space], *drawn.view().stack]
        given = [str(code) for code in rng.permutation(pile)]
        exact = state.copy()
        exact.play(move, reshuffled=given)
        assert exact.view().orders[space] == given[0]
        assert list(exact.view().stack) == given[1:]
        assert exact.scores == drawn.scores
        read = GameState.from_text(exact.to_text()).to_array()
        for name in ("hidden", "discarded", "legal", "orders", "vaults"):
            assert np.array_equal(exact.to_array()[name], read[name])
        again = state.copy()
        again.apply(state.action_of(move), pile)
        assert again == drawn
        seen += 1
    assert seen > 20


@pytest.mark.parametrize("left", [0, 1, 2])
def test_the_pile_of_a_redraw_can_be_given(left: int) -> None:
    """A redraw (R4.5) draws what is left of the stack first, and the others from the pile."""
    text = position(
        NO_FIT,
        orders="R1 Y1 B1",
        vaults="RY1 RY2 YB1",
        stack=" ".join(["G1", "G2"][:left]),
        rest="discard",
        king=12,
    )
    state = GameState.from_text(text)
    random = state.copy()
    random.play("redraw")
    view = random.view()
    pile = [code for code in view.vaults if code not in ("G1", "G2")[:left]] + list(view.stack)
    given = pile[::-1]
    state.play("redraw", reshuffled=given)
    assert list(state.view().vaults) == [*("G1", "G2")[:left], *given[: 3 - left]]
    assert list(state.view().stack) == given[3 - left :]
    read = GameState.from_text(state.to_text()).to_array()
    for name in ("hidden", "discarded", "legal"):
        assert np.array_equal(state.to_array()[name], read[name])


def test_a_wrong_pile_is_refused() -> None:
    for state, move in itertools.islice(before_reshuffles(2), 8):
        drawn = state.copy()
        drawn.play(move)
        space = next(i for i in range(3) if drawn.view().orders[i] != state.view().orders[i])
        pile = [drawn.view().orders[space], *drawn.view().stack]
        before = whole(state)
        kept = next(code for code in STANDARD.codes if code not in pile)
        wrong: list[Any] = [
            [],
            pile[1:],
            [*pile, pile[0]],
            [pile[1], *pile[1:]],
            [*pile[1:], kept],
            [*pile[1:], "X1"],
            [*pile[1:], 3],
            [*pile[1:], None],
            ",".join(pile),
        ]
        for given in wrong:
            with pytest.raises(ValueError, match="reshuffled pile"):
                state.play(move, reshuffled=given)
        for garbage in (5, [[]], 1.5):
            with pytest.raises(TypeError):
                state.play(move, reshuffled=garbage)  # type: ignore[arg-type]
        assert whole(state) == before


def test_a_pile_for_a_move_that_reshuffles_nothing_is_refused() -> None:
    state = GameState.new(seed=1)
    before = whole(state)
    with pytest.raises(ValueError, match=r"move 'V1a1' reshuffles nothing, but a pile was given"):
        state.play("V1a1", reshuffled=list(STANDARD.codes))
    with pytest.raises(IllegalMoveError):
        state.play("V1a2", reshuffled=list(STANDARD.codes))
    with pytest.raises(IllegalMoveError):
        finished().play("V1a1", reshuffled=[])
    assert whole(state) == before


@pytest.mark.parametrize("width", [0, -1, 10**9, True, "x", None, 2.5])
def test_the_planner_keeps_a_number_of_positions(width: Any) -> None:
    """The core makes room for them; none at all once led it out of its arrays."""
    with pytest.raises((TypeError, ValueError), match=r"^width .*: expected "):
        GameState.new(seed=1).planned_action(width)
