"""Replays recorded games in compiled code and notes what happened: the rows of a data set.

What a scoring counts is asked of the core, area by area; no rule stands here a second time.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from basilica_env.arena.schema import AREA, COURSE, DECISION, TURN, row_type
from basilica_env.core import rules
from basilica_env.core.bitboard import EMPTY, Board, count
from basilica_env.core.compile import kernel
from basilica_env.core.layout import (
    ACTIONS_A_TURN,
    ARCHITECT,
    BUILDER,
    BUILDERS,
    EXECUTE,
    LAST_SPACE,
    MAIN,
    MASK_WORDS,
    MOVE,
    NONE,
    OVER,
    PLAYERS,
    PROMOTE,
    RANK,
    RANKS,
    REDRAW,
    SCAFFOLD,
    SCORING_EVERY,
    SPACES,
    SQUARE,
    SQUARES,
    STEP_SHIFT,
    STEPS,
    TILES,
)
from basilica_env.core.scoring import AREA as COUNTED_AREA
from basilica_env.core.scoring import MOST_AREAS, list_areas, majority_points, points_now
from basilica_env.core.single import counted_areas
from basilica_env.notation import action_number
from basilica_env.records import GameRecord

COURSE_ROW, TURN_ROW, DECISION_ROW, AREA_ROW = map(row_type, (COURSE, TURN, DECISION, AREA))

MOST_AREA_ROWS = 4 * (MOST_AREAS + 1)
"""Of a game: three scorings by the king, or two and that of the exhausted stack, and one to be safe."""

_BY_THE_KING, _BY_EXHAUSTION = range(2)


class Survey:
    """Gathers the rows of many games.

    Attributes
    ----------
    courses, turns, decisions, areas : Rows
        What the games were, by the columns of :mod:`basilica_env.arena.schema`.
    agents, tiles : Labels
        What the numbers of agents and tiles in the rows stand for.
    """

    def __init__(self) -> None:
        self.courses, self.turns = Rows(COURSE_ROW), Rows(TURN_ROW)
        self.decisions, self.areas = Rows(DECISION_ROW), Rows(AREA_ROW)
        self.agents, self.tiles = Labels(), Labels()
        self._counted = np.zeros(MOST_AREAS, COUNTED_AREA)

    def add(self, record: GameRecord, game: int) -> None:
        """Add a game that was read or recorded, under a number."""
        moves = record.moves
        actions = np.array([action_number(move.move) for move in moves], np.int16)
        seconds = np.array([np.nan if move.clock is None else move.clock for move in moves], np.float32)
        number, pile = _reshuffle(record)
        turns, areas = _replay(
            record.initial().to_array(),
            record.tiles.array,
            self.agents.numbers(record.players),
            self.tiles.numbers(record.tiles.codes),
            actions,
            seconds,
            number,
            pile,
            game,
            self.courses.room(1),
            self.turns.room(len(moves) + 1),
            self.decisions.room(len(moves)),
            self.areas.room(MOST_AREA_ROWS),
            self._counted,
        )
        self.courses.used += 1
        self.turns.used += turns
        self.decisions.used += len(moves)
        self.areas.used += areas


class Labels:
    """Numbers for texts, in the order in which they come."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts, by their numbers."""
        return tuple(self._numbers)

    def numbers(self, texts: Iterable[str]) -> npt.NDArray[np.int16]:
        """Return the numbers of texts, new ones for new texts."""
        numbers = [self._numbers.setdefault(text, len(self._numbers)) for text in texts]
        return np.array(numbers, np.int16)


class Rows:
    """An array of rows that grows.

    Parameters
    ----------
    kind : numpy.dtype
        Of a row.
    """

    def __init__(self, kind: np.dtype[np.void]) -> None:
        self._array = np.zeros(1024, kind)
        self.used = 0

    @property
    def rows(self) -> npt.NDArray[np.void]:
        """The rows that are used."""
        return self._array[: self.used]

    def room(self, number: int) -> npt.NDArray[np.void]:
        """Return so many rows behind the used ones, all zero where nothing was written."""
        while len(self._array) < self.used + number:
            self._array = np.concatenate([self._array, np.zeros_like(self._array)])
        return self._array[self.used : self.used + number]


def _reshuffle(record: GameRecord) -> tuple[int, npt.NDArray[np.int64]]:
    """Return the number of the move that reshuffles, -1 for none, and the pile, top first (R7.1)."""
    for number, move in enumerate(record.moves):
        if move.reshuffled:
            return number, np.array([record.tiles.numbers[code] for code in move.reshuffled], np.int64)
    return NONE, np.empty(0, np.int64)


# --- The replay -----------------------------------------------------------------------------------


@kernel
def _replay(
    games: Any,
    tiles: Any,
    agents: Any,
    codes: Any,
    actions: Any,
    seconds: Any,
    reshuffle: int,
    pile: Any,
    number: int,
    courses: Any,
    turns: Any,
    decisions: Any,
    areas: Any,
    counted: Any,
) -> tuple[int, int]:
    """Play a game and write its rows; return the number of turns and of area rows.

    Parameters
    ----------
    games : GAME array, shape (1,), the position that it begins with; becomes that of the end
    tiles : TILE array
    agents, codes : the numbers of the agents by seat, and of the tiles' codes
    actions, seconds : int16 and float32 arrays, one entry a decision
    reshuffle, pile : which decision reshuffled, or -1, and the pile, top first
    number : of the game
    courses, turns, decisions, areas : rows to write, as many as there can be
    counted : AREA array of the core, shape (MOST_AREAS,), to work with
    """
    game = games[0]
    blank = np.zeros(1, games.dtype)
    before = games.copy()
    course = courses[0]
    course.dealt = _is_dealt(game)
    turn = 0
    area_rows = 0
    scorings = 0
    for k in range(len(actions)):
        if k == 0 or game.turn != before[0].turn:
            _begin_turn(turns[turn], game, number, turn + 1)
            turns[turn].agent = agents[game.turn]
            turn += 1
        before[0] = game
        row = decisions[k]
        row.game = number
        row.turn = turn
        row.decision = k + 1
        row.seconds = seconds[k]
        _describe(row, game, tiles, actions[k])
        row.agent = agents[row.player]
        if row.tile != NONE:
            row.tile = codes[row.tile]
        count_of_areas = counted_areas(games, tiles, actions[k], counted)
        _play(games, tiles, actions[k], k == reshuffle, pile)
        _add_decision(turns[turn - 1], row, actions[k])
        by_the_king = game.king != before[0].king and game.king % SCORING_EVERY == 0
        if game.king == LAST_SPACE:
            row.denied = NONE  # no refill follows (R8.6)
        row.scoring = NONE
        if count_of_areas != NONE:
            scorings += 1
            row.scoring = turns[turn - 1].scoring = scorings
            cause = _BY_THE_KING if by_the_king else _BY_EXHAUSTION
            builders = before if actions[k] < BUILDER else games
            first = area_rows
            area_rows += _write_areas(counted, count_of_areas, builders[0], blank, areas[first:])
            _write_scoring(areas[first:area_rows], row, before[0], scorings, cause)
        if by_the_king and game.decision == OVER and game.king != LAST_SPACE:  # R7.2 after R8.5
            scorings += 1
            first = area_rows
            area_rows += _write_areas(counted, list_areas(games, counted), game, blank, areas[first:])
            _write_scoring(areas[first:area_rows], row, game, scorings, _BY_EXHAUSTION)
    course.turns = turn
    course.decisions = len(actions)
    course.scorings = scorings
    _write_end(course, game)
    return turn, area_rows


@kernel
def _is_dealt(game: Any) -> bool:
    """Return whether nothing has happened since the deal (R2)."""
    return bool(
        game.top == 2 * SPACES
        and game.discards == 0
        and rules.vault_squares(game) | game.planes[SCAFFOLD] == EMPTY
        and game.actions == ACTIONS_A_TURN
        and game.turn == 0
    )


@kernel
def _play(games: Any, tiles: Any, action: int, reshuffles: bool, pile: Any) -> None:
    """Play an action; if it reshuffles, put the pile into the order that the record tells."""
    left = TILES - games[0].top
    rules.apply(games[0], tiles, action)
    if reshuffles:
        draws = SPACES if action == REDRAW else 1
        rules.arrange_reshuffled(games, tiles, pile, draws - left)


@kernel
def _begin_turn(row: Any, game: Any, number: int, turn: int) -> None:
    row.game = number
    row.turn = turn
    row.player = game.turn
    row.king = game.king
    row.score_0, row.score_1 = game.scores[0], game.scores[1]
    row.now_0, row.now_1 = points_now(game)
    row.scoring = NONE


@kernel
def _add_decision(turn: Any, row: Any, action: int) -> None:
    """Count a decision in its turn."""
    turn.decisions += 1
    if row.player == turn.player:
        turn.seconds += row.seconds
    if action < BUILDER:
        turn.vaults += 1
    elif action == BUILDER:
        turn.builders += 1
    elif action < REDRAW:
        turn.orders += 1
    elif action == REDRAW:
        turn.redraws += 1


@kernel
def _write_end(course: Any, game: Any) -> None:
    course.finished = game.decision == OVER
    course.score_0, course.score_1 = game.scores[0], game.scores[1]
    course.winner = NONE
    if course.finished and game.scores[0] != game.scores[1]:
        course.winner = 0 if game.scores[0] > game.scores[1] else 1
    course.king = game.king
    course.reshuffled = game.reshuffled != 0


# --- Decisions ------------------------------------------------------------------------------------


@kernel
def _describe(row: Any, game: Any, tiles: Any, action: int) -> None:
    """Write what is to be decided, and what an action would do; `denied` as if the space were refilled."""
    row.player = rules.decider(game)
    row.kind = game.decision
    row.legal = 0
    for word in range(MASK_WORDS):
        row.legal += count(game.legal[word])
    row.action = row.move = action
    row.king = game.king
    row.executable = _executable(game, tiles) if game.decision == MAIN else 0
    row.space = row.square = row.target = row.rank = row.tile = row.order_name = row.denied = NONE
    if game.space != NONE:
        _name_order(row, game, tiles, game.space)
    if action < BUILDER:
        space = action // SQUARES
        row.space = space + 1
        row.square = action % SQUARES
        row.tile = game.vaults[space]
        row.denied = tiles[game.orders[space]].order
    elif action == BUILDER:
        row.square = game.square
    elif action < REDRAW:
        _name_order(row, game, tiles, action - EXECUTE)
    elif action < PROMOTE:
        pass
    elif action < MOVE:
        row.square = (action - PROMOTE) // RANKS
        row.rank = (action - PROMOTE) % RANKS
    elif action < SQUARE:
        row.square = (action - MOVE) // STEPS
        row.target = row.square + STEP_SHIFT[(action - MOVE) % STEPS]
    else:
        row.square = action - SQUARE


@kernel
def _name_order(row: Any, game: Any, tiles: Any, space: int) -> None:
    row.space = space + 1
    row.tile = game.orders[space]
    row.order_name = tiles[row.tile].order


@kernel
def _executable(game: Any, tiles: Any) -> int:
    """Return the set of orders that lie on a space and can be executed (R6.1), one bit each."""
    offered = 0
    for space in range(SPACES):
        offered |= 1 << tiles[game.orders[space]].order
    return offered & int(rules.executable_orders(game))


# --- Scorings -------------------------------------------------------------------------------------


@kernel
def _write_scoring(rows: Any, decision: Any, before: Any, scoring: int, cause: int) -> None:
    """Write what the areas of a scoring have in common; `before` is the game before its points."""
    for k in range(len(rows)):
        rows[k].game = decision.game
        rows[k].scoring = scoring
        rows[k].turn = decision.turn
        rows[k].decision = decision.decision
        rows[k].cause = cause
        rows[k].player = before.turn
        rows[k].score_0, rows[k].score_1 = before.scores[0], before.scores[1]


@kernel
def _write_areas(areas: Any, number: int, game: Any, blank: Any, rows: Any) -> int:
    """Write the areas of a scoring and the builders outside all of them; return the number of rows.

    Parameters
    ----------
    areas, number : what the core has counted
    game : where the builders stand
    blank : GAME array with one empty cathedral, to work with
    rows : rows to write
    """
    for k in range(number):
        _write_area(rows[k], areas[k])
        _split_points(rows[k], areas[k], blank)
    outside = EMPTY
    for player in range(PLAYERS):
        outside |= _count_wasted(areas, number, game.planes[BUILDERS + player], player, rows)
    if outside == EMPTY:
        return number
    row = rows[number]
    row.colour = row.majority = NONE
    row.squares = outside
    row.size = count(outside)
    row.builders_0 = row.wasted_0 = count(outside & game.planes[BUILDERS])
    row.builders_1 = row.wasted_1 = count(outside & game.planes[BUILDERS + 1])
    return number + 1


@kernel
def _write_area(row: Any, area: Any) -> None:
    row.colour = area.colour
    row.squares = area.board
    row.size = count(area.board)
    row.builders_0, row.builders_1 = area.builders[0], area.builders[1]
    row.strength_0, row.strength_1 = area.strength[0], area.strength[1]
    row.strongmen_0, row.strongmen_1 = area.strongmen[0], area.strongmen[1]
    row.architect = area.architect != 0
    row.glass = area.glass
    row.majority = area.majority
    row.by_strongmen = area.majority != NONE and area.strength[0] == area.strength[1]
    row.points_0, row.points_1 = area.points[0], area.points[1]


@kernel
def _split_points(row: Any, area: Any, blank: Any) -> None:
    """Say what the points of an area are for, by what the core gives for it without glass and Architect."""
    if area.majority == NONE:
        return
    plain = majority_points(blank[0], area.board)
    doubled = plain
    if area.architect:
        blank[0].planes[RANK + ARCHITECT] = area.board
        doubled = majority_points(blank[0], area.board)
        blank[0].planes[RANK + ARCHITECT] = EMPTY
    row.tile_points = plain
    row.architect_points = doubled - plain
    row.glass_points = area.points[area.majority] - doubled
    row.minority_points = area.points[1 - area.majority]


@kernel
def _count_wasted(areas: Any, number: int, builders: Board, player: int, rows: Any) -> Board:
    """Count a player's builders that gain nothing in any area; return those that stand in none."""
    idle = builders
    for k in range(number):
        if areas[k].points[player] > 0:
            idle &= ~areas[k].board
    for k in range(number):
        wasted = count(idle & areas[k].board)
        idle &= ~areas[k].board
        if player == 0:
            rows[k].wasted_0 = wasted
        else:
            rows[k].wasted_1 = wasted
    return idle
