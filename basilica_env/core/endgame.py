"""Exact play to the end of the game, once few tiles are left to be drawn (R7.2).

Expectimax with alpha-beta pruning: players take the best of their expectation, and chance is averaged over
what an action can show (:mod:`basilica_env.core.reveal`). Each result of an action is searched with the
window that the others leave for it (Star1, Ballard 1983). Actions that cut most off are tried first, and of
choices that come to the same thing one is enough.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from basilica_env.core.bitboard import EMPTY, EVERY_SQUARE, ONE, Board, bit, fill, first, lowest, neighbours
from basilica_env.core.compile import kernel
from basilica_env.core.layout import (
    ACTIONS,
    BUILDERS,
    CHOOSE_DISASTER,
    COLOUR,
    COLOURS,
    MAIN,
    MASK_WORDS,
    NONE,
    OVER,
    PLAYERS,
    REDRAW,
    SCAFFOLD_ONE,
    SCAFFOLD_TWO,
    SPACES,
    SQUARE,
    SQUARES,
    TILES,
    VAULT,
)
from basilica_env.core.reveal import (
    MOST_OUTCOMES,
    OUTCOME,
    chance_is_over,
    is_near_end,
    list_outcomes,
    play_outcome,
)
from basilica_env.core.rules import apply, decider
from basilica_env.core.tiles import MOST_POINTS
from basilica_env.core.value import LEAD_UNIT

MOST_LEAD = 3 * MOST_POINTS
"""No game ends with a larger lead."""

EVERY_COLOUR = (1 << COLOURS) - 1

_DEEPEST = 64
"""More decisions than a game can have with so small a stack: five an action, and a builder after it."""

_FRAME = np.dtype(
    [
        ("low", np.float64),  # what player 0 can have, here or elsewhere
        ("high", np.float64),  # what player 1 can hold her to, here or elsewhere
        ("rest", np.uint64, (MASK_WORDS,)),  # the actions that are still to be tried
        ("certain", np.bool_),
        # How the position came about: an action, of whose results this is one.
        ("action", np.int64),
        ("outcomes", np.int64),
        ("outcome", np.int64),
        ("chance", np.float64),
        ("sum", np.float64),  # of the results before, each times its chance
        ("seen", np.float64),  # sum of their chances
        ("from_low", np.float64),  # the window that this result was searched with
        ("from_high", np.float64),
    ],
    align=True,
)
"""One level of the search."""


def points_worth() -> NDArray[np.float64]:
    """Return what each final lead of player 0, from -MOST_LEAD to MOST_LEAD, is worth: its points."""
    return np.arange(-MOST_LEAD, MOST_LEAD + 1, dtype=np.float64)


def worth(margin_share: float) -> NDArray[np.float64]:
    """Return what each final lead of player 0, from -MOST_LEAD to MOST_LEAD, is worth.

    Parameters
    ----------
    margin_share : 0 the result, 1 the squashed lead, or between, as in
        :data:`basilica_env.core.search.SETTINGS`
    """
    leads = points_worth()
    win, margin = np.sign(leads), np.tanh(leads / LEAD_UNIT)
    shared: NDArray[np.float64] = win + margin_share * (margin - win)
    return shared


@kernel
def best_action(games: Any, tiles: Any, worths: Any, most: int, favourite: int) -> tuple[int, float, int]:
    """Return a best action in ``games[0]``, what it is worth to player 0, and the positions visited.

    The action is NONE if the search was given up: if more than ``most`` positions follow, if the end is not
    near, or if tiles that nobody knows can be drawn for all the vaults (R4.5).

    Parameters
    ----------
    games : GAME array, shape (1,); the game is not over
    worths : float64 array, shape (2 * MOST_LEAD + 1,): what each final lead is worth, never falling
    favourite : the action to try first, which is returned if it is as good as any; or NONE
    """
    if not is_near_end(games[0]):
        return NONE, 0.0, 0
    line = np.empty(_DEEPEST, games.dtype)
    frames = np.empty(_DEEPEST, _FRAME)
    outcomes = np.empty((_DEEPEST, MOST_OUTCOMES), OUTCOME)
    cuts = np.zeros((PLAYERS, ACTIONS), np.int64)  # how often an action made others needless
    if favourite != NONE:
        cuts[decider(games[0]), favourite] = 1
    least = worths[0]
    highest = worths[-1]
    best = NONE
    line[0] = games[0]
    frames[0].low = least - 1
    frames[0].high = highest + 1
    frames[0].certain = chance_is_over(line[0], tiles)
    _list_actions(line[0], line[0], frames[0], tiles)
    visited = 1
    level = 0
    while True:
        game = line[level]
        frame = frames[level]
        player = decider(game)
        if game.decision == OVER:
            value = worths[MOST_LEAD + game.scores[0] - game.scores[1]]
        else:
            action = _take(frame, cuts, player) if frame.low < frame.high else NONE
            if action != NONE:
                if visited >= most or (action == REDRAW and not frame.certain):
                    return NONE, 0.0, visited
                visited += 1
                level += 1
                line[level] = game
                _expect(frames[level], action)
                apply(line[level], tiles, action)
                if not frame.certain:
                    frames[level].outcomes = list_outcomes(game, tiles, action, line[level], outcomes[level])
                    frames[level].chance = outcomes[level, 0].chance
                    line[level] = game
                    play_outcome(line[level], tiles, action, outcomes[level, 0])
                _begin(game, line[level], frame, frames[level], tiles, least, highest)
                continue
            value = frame.low if player == 0 else frame.high
        if level == 0:
            return best, value, visited
        above = frames[level - 1]
        frame.sum += frame.chance * value
        frame.seen += frame.chance
        frame.outcome += 1
        if value <= frame.from_low:
            value = above.low
        elif value >= frame.from_high:
            value = above.high
        elif frame.outcome == frame.outcomes:
            value = frame.sum
        else:
            frame.chance = outcomes[level, frame.outcome].chance
            line[level] = line[level - 1]
            play_outcome(line[level], tiles, frame.action, outcomes[level, frame.outcome])
            _begin(line[level - 1], line[level], above, frame, tiles, least, highest)
            visited += 1
            continue
        level -= 1
        player = decider(line[level])
        if _improves(above, player, value) and level == 0:
            best = frame.action
        if above.low >= above.high:
            cuts[player, frame.action] += 1


@kernel
def _expect(frame: Any, action: int) -> None:
    """Make a level ready for the results of an action, of which there is one unless more are listed."""
    frame.action = action
    frame.outcomes = 1
    frame.outcome = 0
    frame.chance = 1
    frame.sum = 0
    frame.seen = 0


@kernel
def _improves(frame: Any, player: int, value: float) -> bool:
    """Take note of what an action is worth; return whether it is the best so far for the player."""
    if player == 0 and value > frame.low:
        frame.low = value
        return True
    if player == 1 and value < frame.high:
        frame.high = value
        return True
    return False


@kernel
def _begin(before: Any, game: Any, above: Any, frame: Any, tiles: Any, least: float, highest: float) -> None:
    """Begin the search of a result of an action with the window that the others leave for it.

    Those that are still to come can be worth ``least`` or ``highest``.
    """
    later = 1 - frame.seen - frame.chance if frame.outcome + 1 < frame.outcomes else 0.0
    frame.low = (above.low - frame.sum - later * highest) / frame.chance
    frame.high = (above.high - frame.sum - later * least) / frame.chance
    frame.from_low = frame.low
    frame.from_high = frame.high
    frame.certain = above.certain or chance_is_over(game, tiles)
    _list_actions(before, game, frame, tiles)


@kernel
def _take(frame: Any, cuts: Any, player: int) -> int:
    """Take the action that cut most off from those still to be tried, and return it; NONE if none is left."""
    best = NONE
    most = -1
    for word in range(MASK_WORDS):
        left = frame.rest[word]
        while left:
            action = 64 * word + lowest(left)
            left &= left - ONE
            if cuts[player, action] > most:
                most = cuts[player, action]
                best = action
    if best != NONE:
        frame.rest[best >> 6] &= ~bit(best & 63)
    return best


# --- Choices that come to the same thing ----------------------------------------------------------


@kernel
def _list_actions(before: Any, game: Any, frame: Any, tiles: Any) -> None:
    """Write the actions to try: one of those that come to the same thing."""
    for word in range(MASK_WORDS):
        frame.rest[word] = game.legal[word]
    if game.decision == SCAFFOLD_ONE and before.decision == SCAFFOLD_TWO:
        _drop_second_order(before, frame.rest, frame.action)
    if game.top == TILES:
        _drop_idle(game, frame.rest, tiles)


@kernel
def _drop_second_order(before: Any, rest: Any, first: int) -> None:
    """Let two scaffolding tiles that could go down in either order do so in one: lower square first."""
    earlier = bit(first - SQUARE) - ONE
    _drop(rest, SQUARE, _choices(before.legal, SQUARE) & earlier)


@kernel
def _drop_idle(game: Any, rest: Any, tiles: Any) -> None:
    """Keep one of the choices that change no points when the next draw ends the game (R7.2)."""
    decision = game.decision
    if decision == MAIN or decision == VAULT:
        kept = False
        for space in range(SPACES):
            colours = tiles[game.vaults[space]].colours
            idle = _choices(rest, SQUARES * space) & ~neighbours(_held_areas(game, colours))
            _drop(rest, SQUARES * space, idle if kept else idle & ~first(idle))
            kept |= idle != EMPTY
    elif decision == CHOOSE_DISASTER:
        idle = _choices(rest, SQUARE) & ~_held_areas(game, EVERY_COLOUR)
        _drop(rest, SQUARE, idle & ~first(idle))
    elif decision == SCAFFOLD_TWO or decision == SCAFFOLD_ONE:
        idle = _choices(rest, SQUARE)
        _drop(rest, SQUARE, idle & ~first(idle))


@kernel
def _held_areas(game: Any, colours: int) -> Board:
    """Return the squares of all areas of some colours with builders (R8.2)."""
    builders = game.planes[BUILDERS] | game.planes[BUILDERS + 1]
    areas = EMPTY
    for colour in range(COLOURS):
        if colours >> colour & 1:
            areas |= fill(builders, game.planes[COLOUR + colour])
    return areas


@kernel
def _choices(actions: Any, start: int) -> Board:
    """Return the squares of a set's actions ``start + square``."""
    shift = np.uint64(start & 63)
    board = actions[start >> 6] >> shift
    if shift:
        board |= actions[(start >> 6) + 1] << (np.uint64(64) - shift)
    return board & EVERY_SQUARE


@kernel
def _drop(actions: Any, start: int, squares: Board) -> None:
    """Take the actions ``start + square`` of some squares out of a set."""
    shift = np.uint64(start & 63)
    actions[start >> 6] &= ~(squares << shift)
    if shift:
        actions[(start >> 6) + 1] &= ~(squares >> (np.uint64(64) - shift))
