"""Hand-made features of a position, the input of the value network.

They are seen by one player ("mine", "theirs"), made of what is open only (R1.5), and scaled so that
most lie between -1 and 1. :data:`FEATURE_NAMES` lists them in order.
"""

from __future__ import annotations

from typing import Any

from basilica_env.core.bitboard import count, fill, first, neighbours
from basilica_env.core.compile import kernel
from basilica_env.core.layout import (
    ARCHITECT,
    BUILDERS,
    COLOUR,
    COLOURS,
    GLASS,
    LAST_SPACE,
    MAIN,
    MASTER,
    NONE,
    OFFER,
    ORDER_NAMES,
    ORDERS,
    PAID_CONFUSE,
    RANK,
    SCAFFOLD,
    SCORING_EVERY,
    SPACES,
    STRONGMAN,
    TILES,
    VAULT,
)
from basilica_env.core.rules import (
    builders_left,
    decider,
    free_vaults,
    open_squares,
    tokens_left,
    vault_squares,
)
from basilica_env.core.scoring import majority, majority_points, minority_points, strength, wild_squares

_SIDED = (
    "points_now",
    "minority",  # points as the weaker player
    "safe",  # points of areas led by two or more
    "narrow",  # points of areas led by one
    "by_strongmen",  # points of areas led on Strongmen only
    "room",  # open squares at areas led
    "areas",  # areas led
    "largest",  # points of the best area led
    "in_hand",
    "tokens",
    "architects",
    "masters",
    "strongmen",
    "glass",
    "coins",
    "free_beside",  # free vaults next to a builder
)

FEATURE_NAMES: tuple[str, ...] = (
    "score_lead",
    "my_score",
    "their_score",
    "my_turn",
    "my_decision",
    "my_actions",
    "their_actions",
    *(f"stage_{stage}" for stage in range(3)),
    "king_steps",  # to the next scoring
    "next_crown_scores",
    "king_steps_mine",  # the same while it is my turn
    "tiles_left",
    "few_tiles_left",
    "stack_empty_last",  # the next draw needs the reshuffle, or ends the game
    "reshuffled",
    "crowned_vaults",
    "crowned_orders",
    "lead_now",
    "lead_now_near",  # weighted by how near the scoring is
    "lead_after",  # if this scoring ended the game
    *(f"my_{name}" for name in _SIDED),
    *(f"their_{name}" for name in _SIDED),
    "tied",
    "open_squares",
    "vaults",
    "free_vaults",
    "wilds",
    *(f"order_{name}" for name in ORDER_NAMES),
    "may_build",  # a builder may follow
    "choosing",  # in the middle of an order
    "paid",  # an answer is open
)
"""The features, in order."""

FEATURES = len(FEATURE_NAMES)

_SIDES_FROM = FEATURE_NAMES.index("my_points_now")
_AFTER_SIDES = FEATURE_NAMES.index("tied")
_SIDE = len(_SIDED)


@kernel
def _write_areas(game: Any, me: int, out: Any) -> Any:
    """Write what the areas with builders give; return my points and theirs if scored now."""
    wilds = wild_squares(game)
    occupied = vault_squares(game) | game.planes[SCAFFOLD]
    room = open_squares(occupied)
    builders = game.planes[BUILDERS] | game.planes[BUILDERS + 1]
    mine = 0
    theirs = 0
    for colour in range(COLOURS):
        board = game.planes[COLOUR + colour]
        seeds = builders & board
        while seeds:
            area = fill(first(seeds), board)
            seeds &= ~area
            if not area & ~wilds:
                continue
            holder = majority(game, area)
            points = majority_points(game, area)
            if holder == NONE:
                out[_AFTER_SIDES] += points / 20
                continue
            lesser = minority_points(game, 1 - holder, area)
            if holder == me:
                mine += points
                theirs += lesser
            else:
                theirs += points
                mine += lesser
            at = _SIDES_FROM if holder == me else _SIDES_FROM + _SIDE
            other = _SIDES_FROM + _SIDES_FROM + _SIDE - at
            lead = strength(game, holder, area) - strength(game, 1 - holder, area)
            out[other + 1] += lesser / 5
            out[at + (2 if lead > 1 else 3 if lead == 1 else 4)] += points / 20
            out[at + 5] += count(neighbours(area) & room) / 10
            out[at + 6] += 0.25
            out[at + 7] = max(out[at + 7], points / 20)
    out[_SIDES_FROM] = mine / 20
    out[_SIDES_FROM + _SIDE] = theirs / 20
    return mine, theirs


@kernel
def _write_side(game: Any, player: int, at: int, out: Any) -> None:
    """Write what one player has; ``at`` is where the features of the side begin."""
    builders = game.planes[BUILDERS + player]
    out[at + 8] = builders_left(game, player) / 5
    out[at + 9] = tokens_left(game, player) / 4
    out[at + 10] = count(builders & game.planes[RANK + ARCHITECT]) / 2
    out[at + 11] = count(builders & game.planes[RANK + MASTER]) / 4
    out[at + 12] = count(builders & game.planes[RANK + STRONGMAN]) / 2
    out[at + 13] = count(builders & game.planes[GLASS]) / 3
    out[at + 14] = game.coins[player] / 2
    out[at + 15] = count(neighbours(builders) & free_vaults(game)) / 10


@kernel
def write_features(game: Any, tiles: Any, me: int, out: Any) -> None:
    """Write the features that a player sees to ``out``, float32 of shape (FEATURES,)."""
    for k in range(FEATURES):
        out[k] = 0
    they = 1 - me
    mine, theirs = _write_areas(game, me, out)
    _write_side(game, me, _SIDES_FROM, out)
    _write_side(game, they, _SIDES_FROM + _SIDE, out)
    lead = game.scores[me] - game.scores[they]
    steps = SCORING_EVERY - game.king % SCORING_EVERY
    my_turn = game.turn == me
    left = TILES - game.top + (0 if game.reshuffled else game.discards)
    near = 1 / steps
    out[0] = lead / 30
    out[1] = game.scores[me] / 50
    out[2] = game.scores[they] / 50
    out[3] = 1 if my_turn else -1
    out[4] = 1 if decider(game) == me else -1
    out[5] = game.actions / 3 if my_turn else 0
    out[6] = 0 if my_turn else game.actions / 3
    out[7 + min(game.king, LAST_SPACE - 1) // SCORING_EVERY] = 1
    out[10] = steps / 10
    out[11] = 1 if steps == 1 else 0
    out[12] = steps / 10 if my_turn else 0
    out[13] = left / 50
    out[14] = 1 / (1 + left)
    out[15] = 1 if left == 0 else 0
    out[16] = game.reshuffled
    for space in range(SPACES):
        if game.vaults[space] != NONE:
            out[17] += tiles[game.vaults[space]].crown / 3
        if game.orders[space] != NONE:
            tile = tiles[game.orders[space]]
            out[18] += count(game.hidden & tile.crowned) / count(game.hidden & tile.alike) / 3
            out[_AFTER_SIDES + 5 + tile.order] += 0.5
    out[19] = (mine - theirs) / 20
    out[20] = (mine - theirs) * near / 20
    out[21] = (lead + mine - theirs) / 30
    vaults = vault_squares(game)
    out[_AFTER_SIDES + 1] = count(open_squares(vaults | game.planes[SCAFFOLD])) / 20
    out[_AFTER_SIDES + 2] = count(vaults) / 20
    out[_AFTER_SIDES + 3] = count(free_vaults(game)) / 20
    out[_AFTER_SIDES + 4] = count(wild_squares(game)) / 5
    last = _AFTER_SIDES + 5 + ORDERS
    out[last] = 1 if game.decision == MAIN and game.square != NONE else 0
    out[last + 1] = 1 if VAULT < game.decision < OFFER else 0
    out[last + 2] = 1 if OFFER <= game.decision <= PAID_CONFUSE else 0
