"""Chance made explicit: the public results of an action with their exact probabilities.

An action can show hidden things: the crown of the order tile that it flips or discards, the tiles it
draws, and the order side of the new top of the stack. All arrangements of the hidden tiles that fit
what is open are equally likely (R1.5), so counting tiles gives each result's probability. Tiles with
the same colours, order, coin icon and crown are the same to the players.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from basilica_env.core import single
from basilica_env.core.layout import BUILDER, NONE, REDRAW, SPACES, SQUARES, TILES
from basilica_env.game import GameState


class Outcome(NamedTuple):
    """One public result of an action."""

    probability: Fraction
    state: GameState
    """The game after it. What stays hidden is drawn anew and tells nothing of the true stack."""


@dataclass(frozen=True)
class _Reveal:
    """Something hidden that the action shows, in the order in which it is shown."""

    source: str
    """``order``, ``stack`` or ``pile`` (the discard pile just reshuffled)."""
    index: int
    """The order space, or the depth in the stack or pile."""
    whole: bool
    """Whether the whole tile is shown, or only its order side."""


@dataclass(frozen=True)
class _Shown:
    """A reveal with its result: the tile, or one with the order side shown."""

    reveal: _Reveal
    tile: int


def outcomes(state: GameState, action: int) -> Iterator[Outcome]:
    """Iterate over the distinct public results of a legal action.

    An action has one result if it shows nothing, some tens if it draws a tile. A redraw (R4.5) has up to
    some hundred thousand; they come one by one.

    Raises
    ------
    IllegalMoveError
        If the action is not legal.
    """
    probe = state.copy()
    probe.apply(action)
    return _outcomes(state, action, probe)


def _outcomes(state: GameState, action: int, probe: GameState) -> Iterator[Outcome]:
    chance = _Chance(state, action, probe)
    for number, (probability, shown) in enumerate(chance.public_results()):
        after = chance.play(shown)
        single.resample_hidden(after._games, after.tiles.array, np.array([number + 1], np.uint64))
        yield Outcome(probability, after)


class _Chance:
    """What one action of one state can show."""

    def __init__(self, state: GameState, action: int, probe: GameState) -> None:
        self._state = state
        self._action = action
        self._tiles = state.tiles
        self._before = state.to_array()[0]
        self._after = probe.to_array()[0]
        self._stack = TILES - int(self._before["top"])
        self._flipped = self._flipped_space()
        reshuffles = bool(self._after["reshuffled"]) and not self._before["reshuffled"]
        draws = SPACES if action == REDRAW else 1 if self._flipped != NONE else 0
        self._from_stack = min(draws, self._stack)
        self._from_pile = draws - self._from_stack if reshuffles else 0
        self._pile = self._reshuffled_pile() if reshuffles else []
        self._hidden = [n for n in range(TILES) if int(self._before["hidden"]) >> n & 1]

    def _flipped_space(self) -> int:
        """Return the order space whose tile is flipped or discarded, or NONE."""
        if self._action < BUILDER:
            space = self._action // SQUARES
            return space if self._after["vaults"][space] != NONE else NONE  # R8.6: no refill
        if self._before["space"] != NONE and self._after["space"] == NONE:
            return int(self._before["space"])
        return NONE

    def _reshuffled_pile(self) -> list[int]:
        start = int(self._after["top"]) - self._from_pile
        return [int(tile) for tile in self._after["deck"][start:TILES]]

    def _reveals(self) -> Iterator[_Reveal]:
        if self._flipped != NONE:
            yield _Reveal("order", self._flipped, whole=True)
        whole = self._action == REDRAW
        # The top of the stack shows its order side already: a drawn one is news only if flipped.
        for depth in range(self._from_stack):
            if whole:
                yield _Reveal("stack", depth, whole)
        for depth in range(self._from_pile):
            yield _Reveal("pile", depth, whole)
        drawn = self._from_stack + self._from_pile
        if self._pile:
            if self._from_pile < len(self._pile):
                yield _Reveal("pile", self._from_pile, whole=False)
        elif drawn and self._from_stack < self._stack:
            yield _Reveal("stack", self._from_stack, whole=False)

    def results(self) -> Iterator[tuple[Fraction, list[_Shown]]]:
        """Iterate over everything that the action can show, with probabilities."""
        sides: Counter[Any] = Counter(self._side(tile) for tile in self._order_tiles().values())
        if self._stack:
            sides[self._side(self._top())] += 1
        yield from self._show(list(self._reveals()), Fraction(1), [], self._hidden, sides)

    def public_results(self) -> Iterator[tuple[Fraction, list[_Shown]]]:
        """Iterate over the results that differ to the players.

        The crown of an executed order tile that a reshuffle takes into the new stack is not shown for good:
        results that differ in it alone are one.
        """
        if not self._pile or self._action < BUILDER or self._flipped == NONE:
            yield from self.results()
            return
        merged: dict[Any, tuple[Fraction, list[_Shown]]] = {}
        for probability, shown in self.results():
            public = tuple(
                (done.reveal, self._side(done.tile)) for done in shown if done.reveal.source != "order"
            )
            before, first = merged.get(public, (Fraction(0), shown))
            merged[public] = before + probability, first
        yield from merged.values()

    def _show(
        self,
        reveals: list[_Reveal],
        probability: Fraction,
        shown: list[_Shown],
        pool: list[int],
        sides: Counter[Any],
    ) -> Iterator[tuple[Fraction, list[_Shown]]]:
        """Show the first of the reveals in every way, then the others.

        ``pool`` holds the tiles that may lie at hidden places, ``sides`` counts those places of which
        the order side is open.
        """
        if not reveals:
            yield probability, shown
            return
        reveal, *others = reveals
        if reveal.source == "pile" and not any(done.reveal.source == "pile" for done in shown):
            pool, sides = self._pile_pool(shown), Counter()
        for share, tile in self._ways(reveal, pool, sides):
            rest, open_sides = list(pool), Counter(sides)
            if reveal.whole:
                rest.remove(tile)
                if self._is_open(reveal):
                    open_sides[self._side(tile)] -= 1
            else:
                open_sides[self._side(tile)] += 1
            yield from self._show(
                others, probability * share, [*shown, _Shown(reveal, tile)], rest, open_sides
            )

    def _ways(self, reveal: _Reveal, pool: list[int], sides: Counter[Any]) -> Iterator[tuple[Fraction, int]]:
        """Iterate over the tiles that a reveal can show, one of each kind, with probabilities."""
        groups: dict[Any, list[int]] = {}
        for tile in pool:
            groups.setdefault(self._side(tile), []).append(tile)
        if self._is_open(reveal):
            side = self._side(self._tile_now(reveal))
            chances = {side: Fraction(1)}
        else:
            places = len(pool) - sum(sides.values())
            chances = {side: Fraction(len(group) - sides[side], places) for side, group in groups.items()}
        for side, chance in chances.items():
            if chance == 0:
                continue
            if not reveal.whole:
                yield chance, groups[side][0]
                continue
            crowns: dict[int, list[int]] = {}
            for tile in groups[side]:
                crowns.setdefault(self._tiles.crowns[tile], []).append(tile)
            for alike in crowns.values():
                yield chance * Fraction(len(alike), len(groups[side])), alike[0]

    def play(self, shown: list[_Shown]) -> GameState:
        """Return the state after the action, if it shows this."""
        orders = self._order_tiles()
        stack = {0: self._top()} if self._stack else {}
        known: dict[tuple[str, int], int] = {}
        pool = list(self._hidden)
        for source, index, tile in self._hidden_places(shown, orders, stack):
            known[source, index] = tile
        exact = {(s.reveal.source, s.reveal.index) for s in shown if s.reveal.whole}
        placed: dict[tuple[str, int], int] = {}
        for place in sorted(known, key=lambda place: place not in exact):
            wanted = known[place]
            tile = wanted if place in exact else self._fitting(wanted, pool)
            pool.remove(tile)
            placed[place] = tile
        state = self._state.copy()
        game = state._games[0]
        for (source, index), tile in placed.items():
            if source == "order":
                game["orders"][index] = tile
            else:
                game["deck"][int(game["top"]) + index] = tile
        for depth in range(self._stack):
            if ("stack", depth) not in placed:
                game["deck"][int(game["top"]) + depth] = pool.pop()
        state.apply(self._action, self._pile_codes(shown))
        return state

    def _hidden_places(
        self, shown: list[_Shown], orders: dict[int, int], stack: dict[int, int]
    ) -> Iterator[tuple[str, int, int]]:
        """Iterate over the hidden places that something is known of, what is shown last."""
        for space, tile in orders.items():
            yield "order", space, tile
        for depth, tile in stack.items():
            yield "stack", depth, tile
        for done in shown:
            if done.reveal.source != "pile":
                yield done.reveal.source, done.reveal.index, done.tile

    def _pile_pool(self, shown: list[_Shown]) -> list[int]:
        """Return the reshuffled tiles, given what the executed order tile turned out to be."""
        executed = int(self._before["orders"][self._flipped]) if self._flipped != NONE else NONE
        found = next((done.tile for done in shown if done.reveal.source == "order"), NONE)
        return [found if tile == executed else tile for tile in self._pile]

    def _pile_codes(self, shown: list[_Shown]) -> list[str] | None:
        if not self._pile:
            return None
        pool = self._pile_pool(shown)
        first = [done for done in shown if done.reveal.source == "pile"]
        order = {}
        for done in sorted(first, key=lambda done: not done.reveal.whole):
            tile = done.tile if done.reveal.whole else self._fitting(done.tile, pool)
            pool.remove(tile)
            order[done.reveal.index] = tile
        return [self._tiles.codes[tile] for tile in [*(order[k] for k in sorted(order)), *pool]]

    # --- Small questions ---

    def _side(self, tile: int) -> tuple[str, str, int]:
        return self._tiles.colours[tile], self._tiles.orders[tile], int(self._tiles.coins[tile])

    def _fitting(self, like: int, pool: list[int]) -> int:
        return next(tile for tile in pool if self._side(tile) == self._side(like))

    def _order_tiles(self) -> dict[int, int]:
        return {space: int(tile) for space, tile in enumerate(self._before["orders"]) if tile != NONE}

    def _top(self) -> int:
        return int(self._before["deck"][int(self._before["top"])])

    def _is_open(self, reveal: _Reveal) -> bool:
        """Return whether the order side of the place is open before the action."""
        return reveal.source == "order" or (reveal.source == "stack" and reveal.index == 0)

    def _tile_now(self, reveal: _Reveal) -> int:
        return self._order_tiles()[reveal.index] if reveal.source == "order" else self._top()
