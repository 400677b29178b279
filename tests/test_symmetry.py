"""The 48 symmetries: transforming and then playing gives the same as playing and then transforming."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from basilica_env import notation
from basilica_env.core.layout import ACTIONS, COLUMNS, EXECUTE, MOVE, REDRAW, SQUARE, STEPS
from basilica_env.core.observation import (
    OBSERVATION_SIZE,
    PLANE_ENTRIES,
    PLANES_SIZE,
    SCALAR_ENTRIES,
    SCALARS_SIZE,
    split,
)
from basilica_env.core.tiles import TileSet
from basilica_env.envs.batch import BatchEnv
from basilica_env.envs.symmetry import EXACT, IDENTITY, Symmetry, symmetries
from basilica_env.game import GameState
from tests.chance import Generator
from tests.positions import STANDARD, position
from tests.test_facts import mirrored, recoloured

ALL = symmetries()
Line = list[tuple[GameState, int]]
both_dtypes = pytest.mark.parametrize("dtype", [np.uint8, np.float32])


def name(symmetry: Symmetry) -> str:
    return f"{'mirrored' if symmetry.mirror else 'plain'}-{symmetry.colours}"


def random_game(seed: int) -> Iterator[tuple[GameState, int]]:
    """Play a game, an order first every other time; give each position with the action played there."""
    chance = Generator(seed)
    state = GameState.new(seed)
    while not state.is_over:
        actions = state.legal_actions()
        orders = actions[(actions >= EXECUTE) & (actions < REDRAW)]
        chosen = orders if len(orders) and chance.below(2) else actions
        action = int(chosen[chance.below(len(chosen))])
        yield state.copy(), action
        state.apply(action)


@pytest.fixture(scope="module")
def line() -> Line:
    """Every position of some games, with the action played there."""
    return [step for seed in range(4) for step in random_game(seed)]


def text_of(symmetry: Symmetry, text: str) -> str:
    """Transform a position or move text."""
    text = recoloured(text, symmetry.colours)
    return mirrored(text) if symmetry.mirror else text


# --- The group -----------------------------------------------------------------------------------


def test_there_are_48_and_the_first_two_are_exact() -> None:
    assert len(ALL) == len(set(ALL)) == 48
    assert ALL[0] == IDENTITY == Symmetry()
    assert tuple(ALL[:2]) == EXACT
    assert [symmetry for symmetry in ALL if symmetry.tiles(STANDARD) == STANDARD] == list(EXACT)


def test_they_form_a_group() -> None:
    for symmetry in ALL:
        assert symmetry @ symmetry.inverse() == symmetry.inverse() @ symmetry == IDENTITY
        assert symmetry @ IDENTITY == IDENTITY @ symmetry == symmetry
    for first, second in product(ALL, ALL):
        assert second @ first in ALL
        assert (second @ first).inverse() == first.inverse() @ second.inverse()


def test_two_colour_symmetries_follow_each_other() -> None:
    # R turns into Y by the first, and Y into B by the second.
    first, second = Symmetry(colours="YRBG"), Symmetry(colours="RBYG")
    assert (second @ first).colours == "BRYG"
    assert (first @ second).colours == "YBRG"
    assert Symmetry(colours="YBGR").inverse().colours == "GRYB"


@pytest.mark.parametrize("colours", ["", "RYB", "RYBB", "RYBGG", "rybg"])
def test_colours_are_checked(colours: str) -> None:
    with pytest.raises(ValueError, match=f"colours '{colours}': expected the letters R, Y, B, G"):
        Symmetry(colours=colours)


# --- Playing and transforming --------------------------------------------------------------------


Arrays = dict[str, NDArray[Any]]


def play(states: Sequence[GameState], actions: ArrayLike, dtype: Any) -> Arrays:
    """Play an action in each of some games of one tile set; give all that there is to see."""
    env = BatchEnv(len(states), 0, tiles=states[0].tiles, dtype=dtype, autoreset="disabled", reward="score")
    for index, state in enumerate(states):
        env.set_game(index, state)
    before = env.view()
    after = env.step(actions)
    assert before.mask is not None
    assert after.mask is not None
    return {
        "observation before": before.observation,
        "mask before": before.mask,
        "observation": after.observation,
        "observation of player 0": env.observe(0),
        "observation of player 1": env.observe(1),
        "mask": after.mask,
        "reward": after.reward,
        "player": after.player,
        "terminated": after.terminated,
        "scores": after.scores,
    }


def transformed(symmetry: Symmetry, arrays: Arrays) -> Arrays:
    """Transform what has to be transformed."""
    ways = {"observation": symmetry.observation, "mask": symmetry.mask}
    return {name: ways.get(name.split()[0], np.copy)(array) for name, array in arrays.items()}


@pytest.fixture(scope="module", params=[np.uint8, np.float32])
def played(request: pytest.FixtureRequest, line: Line) -> Arrays:
    states, actions = zip(*line, strict=True)
    return play(states, actions, request.param)


def reshuffles_a_scored_row(state: GameState, action: int) -> bool:
    """Return whether the action discards vaults in a scoring and reshuffles them at once.

    These lie in another order in the mirror (R8.5), so that other tiles are drawn then.
    """
    after = state.copy()
    after.apply(action)
    scored = after.king > state.king and after.king % 10 == 0
    return scored and after.was_reshuffled and not state.was_reshuffled


@pytest.mark.parametrize("symmetry", ALL, ids=name)
def test_transforming_and_playing_commute(symmetry: Symmetry, line: Line, played: Arrays) -> None:
    states, actions = zip(*line, strict=True)
    images = [symmetry.game(state) for state in states]
    image = play(images, symmetry.action(actions), played["observation"].dtype)
    alike = [not (symmetry.mirror and reshuffles_a_scored_row(*step)) for step in line]
    for name, expected in transformed(symmetry, played).items():
        np.testing.assert_array_equal(image[name][alike], expected[alike], name)
        assert image[name].dtype == expected.dtype


@pytest.mark.parametrize("symmetry", ALL, ids=name)
def test_games_are_transformed_as_their_texts(symmetry: Symmetry, line: Line) -> None:
    tiles = symmetry.tiles(STANDARD)
    for state, action in line[::7]:
        image = symmetry.game(state)
        assert image.to_text() == text_of(symmetry, state.to_text())
        assert image == GameState.from_text(text_of(symmetry, state.to_text()), tiles=tiles)
        assert image.move_of(symmetry.action(action).item()) == text_of(symmetry, state.move_of(action))
        assert symmetry.inverse().game(image).to_text() == state.to_text()


@pytest.mark.parametrize("symmetry", ALL, ids=name)
def test_whole_games_go_alike(symmetry: Symmetry) -> None:
    # With the generator that goes on: only the mirror of the discard pile draws other tiles.
    state = GameState.new(seed=100)
    image = symmetry.game(state)
    chance = Generator(100)
    while not state.is_over and not (symmetry.mirror and state.was_reshuffled):
        assert (image.player, image.scores, image.king) == (state.player, state.scores, state.king)
        actions = state.legal_actions()
        action = int(actions[chance.below(len(actions))])
        state.apply(action)
        image.apply(symmetry.action(action).item())
    assert symmetry.mirror or image.to_text() == text_of(symmetry, state.to_text())


def test_the_tile_set_keeps_all_but_colours_and_codes() -> None:
    tiles = Symmetry(colours="GYBR").tiles(STANDARD)
    assert tiles.codes[0] == "G0"
    assert tiles.codes[STANDARD.numbers["RY1"]] == "YG1"
    assert tiles.colours[STANDARD.numbers["RB2"]] == "BG"
    assert (tiles.orders, tiles.crowns, tiles.coins) == (STANDARD.orders, STANDARD.crowns, STANDARD.coins)
    assert TileSet.parse(tiles.to_csv().encode(), tiles.name) == tiles


# --- Arrays --------------------------------------------------------------------------------------


@both_dtypes
def test_flat_and_dict_observations_are_transformed_alike(dtype: Any) -> None:
    flat = np.arange(6 * OBSERVATION_SIZE).reshape(2, 3, OBSERVATION_SIZE).astype(dtype)
    planes, scalars = split(flat)
    mask = np.arange(6 * ACTIONS).reshape(2, 3, ACTIONS).astype(np.int8)
    for symmetry in ALL:
        image = symmetry.observation(flat)
        parts = symmetry.observation(
            {"planes": planes, "scalars": scalars, "observation": flat, "action_mask": mask}
        )
        for part, whole in zip((parts["planes"], parts["scalars"]), split(image), strict=True):
            np.testing.assert_array_equal(part, whole)
            assert part.dtype == dtype
        np.testing.assert_array_equal(parts["observation"], image)
        np.testing.assert_array_equal(parts["action_mask"], symmetry.mask(mask))
        np.testing.assert_array_equal(image[1, 2], symmetry.observation(flat[1, 2]))


def test_transforming_twice_is_the_product() -> None:
    flat = np.random.default_rng(0).random(OBSERVATION_SIZE)
    logits = np.random.default_rng(1).normal(size=(4, ACTIONS))
    for first, second in product(ALL[::5], ALL[::7]):
        both = second @ first
        twice = second.observation(first.observation(flat))
        np.testing.assert_array_equal(both.observation(flat), twice)
        np.testing.assert_array_equal(both.policy(logits), second.policy(first.policy(logits)))
    for symmetry in ALL:
        back = symmetry.inverse()
        np.testing.assert_array_equal(back.observation(symmetry.observation(flat)), flat)
        np.testing.assert_array_equal(back.policy(symmetry.policy(logits)), logits)


def test_a_policy_follows_its_actions() -> None:
    actions = np.arange(ACTIONS)
    for symmetry in ALL:
        one_hot = symmetry.policy(np.eye(ACTIONS))
        np.testing.assert_array_equal(one_hot.argmax(axis=-1), symmetry.action(actions))
        np.testing.assert_array_equal(symmetry.mask(np.eye(ACTIONS, dtype=np.bool_)), one_hot == 1)
        assert symmetry.mask(np.ones(ACTIONS, np.bool_)).dtype == np.bool_


def test_every_move_is_mirrored() -> None:
    mirror = Symmetry(mirror=True)
    for action in range(ACTIONS):
        image = mirror.action(action).item()
        if leaves_the_cathedral(action):
            assert leaves_the_cathedral(image)
        else:
            assert notation.move_text(image) == mirrored(notation.move_text(action))


def leaves_the_cathedral(action: int) -> bool:
    """Return whether an action is a step over the edge, which has no text."""
    if not MOVE <= action < SQUARE:
        return False
    square, step = divmod(action - MOVE, STEPS)
    row, column = divmod(square, COLUMNS)
    return (row, column)[step % 2] == ((11, 4, 0, 0)[step])


def test_entries_change_places_with_their_colours() -> None:
    names = [*(entry.name for entry in PLANE_ENTRIES), *(entry.name for entry in SCALAR_ENTRIES)]
    symmetry = Symmetry(colours="YBGR")
    planes = symmetry.observation({"planes": np.arange(PLANES_SIZE).reshape(-1, 12, 5)})["planes"]
    scalars = symmetry.observation({"scalars": np.arange(SCALARS_SIZE)})["scalars"]
    sources = [*(planes[:, 0, 0] // 60), *(scalars + len(PLANE_ENTRIES))]
    for turned, source in zip(names, sources, strict=True):
        original = names[source]
        if "colour_" in original:
            letter = original[-1]
            assert turned == original[:-1] + "YBGR"["RYBG".index(letter)]
        else:
            assert turned == original


def test_a_seen_position_in_the_mirror() -> None:
    text = position("R2+0 YB0 . . #", orders="R0 R1 R3", vaults="R4 Y1 B0", turn="0:2", decision="main@b1")
    flat = Symmetry(mirror=True, colours="GYBR").observation(GameState.from_text(text).observe(0))
    planes, scalars = split(flat)
    plane = {entry.name: planes[number] for number, entry in enumerate(PLANE_ENTRIES)}
    scalar = {entry.name: scalars[number] for number, entry in enumerate(SCALAR_ENTRIES)}
    assert plane["colour_G"][0].tolist() == [0, 0, 0, 0, 1]
    assert not plane["colour_R"].any()
    assert plane["colour_Y"][0].tolist() == plane["colour_B"][0].tolist() == [0, 0, 0, 1, 0]
    assert plane["mine"][0].tolist() == [0, 0, 0, 0, 1]
    assert plane["placed"][0].tolist() == [0, 0, 0, 1, 0]
    assert plane["scaffold"][0].tolist() == [1, 0, 0, 0, 0]
    assert scalar["vault_1_colour_G"] == scalar["vault_2_colour_Y"] == scalar["order_space_3_colour_G"] == 1
    assert scalar["discarded_0"] == 0
    assert scalar["hidden_0"] == 1


@pytest.mark.parametrize("action", [-1, ACTIONS, [0, ACTIONS], 1.0, [0.5]])
def test_actions_are_checked(action: Any) -> None:
    with pytest.raises(ValueError, match="expected whole numbers from 0 to 666"):
        EXACT[1].action(action)


def test_shapes_and_parts_are_checked() -> None:
    mirror = EXACT[1]
    with pytest.raises(ValueError, match=r"mask has shape \(11,\): expected \(..., 667\)"):
        mirror.mask(np.zeros(11, np.uint64))
    with pytest.raises(ValueError, match=r"policy has shape \(\): expected \(..., 667\)"):
        mirror.policy(1.0)
    with pytest.raises(
        ValueError, match=rf"observation has shape \(7,\): expected \(..., {OBSERVATION_SIZE}\)"
    ):
        mirror.observation(np.zeros(7))
    with pytest.raises(ValueError, match=r"planes have shape \(12, 5\): expected \(..., 24, 12, 5\)"):
        mirror.observation({"planes": np.zeros((12, 5))})
    with pytest.raises(
        ValueError, match="unknown part 'board' of an observation: expected planes, scalars, "
    ):
        mirror.observation({"board": np.zeros(60)})
