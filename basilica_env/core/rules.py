"""The rules R2-R7: dealing, legal actions, and what an action does.

Every function works on one game record (see :mod:`basilica_env.core.layout`). ``tiles`` is the TILE
array of the tile set. An action given to :func:`apply` must be legal: ask :func:`is_legal` first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from basilica_env.core.bitboard import (
    EMPTY,
    EVERY_SQUARE,
    ONE,
    ROW_1,
    ROWS_1_AND_2,
    Board,
    bit,
    count,
    first,
    lowest,
    neighbours,
    signed,
    steps_down,
    steps_left,
    steps_right,
    steps_up,
)
from basilica_env.core.compile import kernel
from basilica_env.core.layout import (
    ACTIONS,
    ACTIONS_A_TURN,
    BUILDER,
    BUILDERS,
    BUILDERS_EACH,
    CHOOSE_CONFUSE,
    CHOOSE_DISASTER,
    CHOOSE_GLASS,
    CHOOSE_MOVE,
    CHOOSE_PROMOTE,
    CHOOSE_RECRUIT,
    CHOOSE_REMOVE,
    COINS_EACH,
    COLOUR,
    COLUMNS,
    EVERY_TILE,
    EXECUTE,
    GLASS,
    LAST_SPACE,
    MAIN,
    MASK_WORDS,
    MOVE,
    NONE,
    OFFER,
    ORDER_CONFUSE,
    ORDER_DISASTER,
    ORDER_GLASS,
    ORDER_MOVE,
    ORDER_PROMOTE,
    ORDER_RECRUIT,
    ORDER_SCAFFOLD,
    OVER,
    PAID_CONFUSE,
    PAID_PROMOTE,
    PAID_RECRUIT,
    PASS,
    PATTERN_PLANES,
    PAY,
    PLANES,
    PROMOTE,
    RANK,
    RANKS,
    REDRAW,
    SCAFFOLD,
    SCAFFOLD_ONE,
    SCAFFOLD_TWO,
    SCORING_EVERY,
    SPACES,
    SQUARE,
    SQUARES,
    STEP_SHIFT,
    STEPS,
    TILE_ID,
    TILE_ID_BITS,
    TILES,
    TOKENS_EACH,
    VAULT,
)
from basilica_env.core.random import shuffle
from basilica_env.core.scoring import points_now, wild_squares

_EVERY_RANK = np.uint64((1 << RANKS) - 1)

# The choice that executing an order begins with, by the number of the order.
_CHOICE = (
    CHOOSE_PROMOTE,
    CHOOSE_MOVE,
    CHOOSE_RECRUIT,
    CHOOSE_REMOVE,
    CHOOSE_GLASS,
    SCAFFOLD_TWO,
    CHOOSE_DISASTER,
)


# --- What stands where ---------------------------------------------------------------------------


@kernel
def vault_squares(game: Any) -> Board:
    """Return the squares with a vault."""
    planes = game.planes
    return planes[COLOUR] | planes[COLOUR + 1] | planes[COLOUR + 2] | planes[COLOUR + 3]


@kernel
def free_vaults(game: Any) -> Board:
    """Return the vaults without a builder (R5.2)."""
    return vault_squares(game) & ~(game.planes[BUILDERS] | game.planes[BUILDERS + 1])


@kernel
def ranked_squares(game: Any) -> Board:
    """Return the squares with a promoted builder of either player."""
    return game.planes[RANK] | game.planes[RANK + 1] | game.planes[RANK + 2]


@kernel
def builders_left(game: Any, player: int) -> int:
    """Return the number of builders in a player's supply (R1.2)."""
    return BUILDERS_EACH - count(game.planes[BUILDERS + player])


@kernel
def tokens_left(game: Any, player: int) -> int:
    """Return the number of promotion tokens in a player's supply (R1.2)."""
    return TOKENS_EACH - count(game.planes[BUILDERS + player] & ranked_squares(game))


@kernel
def open_squares(occupied: Board) -> Board:
    """Return the empty squares in row 1 or adjacent to a tile, up to row 12 (R4.1, R4.6)."""
    return ~occupied & (ROW_1 | neighbours(occupied)) & EVERY_SQUARE


@kernel
def tile_at(game: Any, square: int) -> int:
    """Return the number of the tile on a square that has a vault."""
    tile = 0
    for k in range(TILE_ID_BITS):
        tile |= signed(game.planes[TILE_ID + k] >> np.uint64(square) & ONE) << k
    return tile


@kernel
def deck_tile(game: Any, place: int) -> int:
    """Return the number of the tile at a place of the deck."""
    number: Any = np.int64(game.deck[place])
    return number


@kernel
def decider(game: Any) -> int:
    """Return the player who decides now; when the game is over, the player whose turn it was."""
    if OFFER <= game.decision <= PAID_CONFUSE:
        return 1 - game.turn
    return game.turn


# --- Legal actions -------------------------------------------------------------------------------


@kernel
def is_legal(game: Any, action: int) -> bool:
    """Return whether an action, any integer, is legal now."""
    if action < 0 or action >= ACTIONS:
        return False
    return (game.legal[action >> 6] >> np.uint64(action & 63)) & ONE != EMPTY


@kernel
def _add_actions(game: Any, action: int, bits: Any, width: int) -> None:
    """Add the actions ``action + k`` for each bit k of up to 60 bits to the legal set."""
    word = action >> 6
    shift = action & 63
    game.legal[word] |= bits << np.uint64(shift)
    if shift + width > 64:
        game.legal[word + 1] |= bits >> np.uint64(64 - shift)


@kernel
def executable_orders(game: Any) -> Any:
    """Return the set of orders whose main part can be carried out in full (R6.1), one bit each."""
    player = game.turn
    mine = game.planes[BUILDERS + player]
    theirs = game.planes[BUILDERS + 1 - player]
    vaults = vault_squares(game)
    occupied = vaults | game.planes[SCAFFOLD]
    free = vaults & ~(mine | theirs)
    room = open_squares(occupied)
    glass = mine & ~game.planes[GLASS]
    # R6.7: one removed builder leaves its own square free.
    can_confuse = mine != EMPTY and neighbours(theirs) & (free | mine) != EMPTY
    # R6.8: both scaffolding tiles must fit; the second may lean on the first.
    can_scaffold = room & ~first(room) != EMPTY or (room != EMPTY and open_squares(occupied | room) != EMPTY)
    can_promote = mine != EMPTY and tokens_left(game, player) > 0
    can_recruit = free != EMPTY and builders_left(game, player) > 0
    return (
        np.uint64(can_promote) << np.uint64(ORDER_PROMOTE)
        | np.uint64(neighbours(mine) & free != EMPTY) << np.uint64(ORDER_MOVE)
        | np.uint64(can_recruit) << np.uint64(ORDER_RECRUIT)
        | np.uint64(can_confuse) << np.uint64(ORDER_CONFUSE)
        | np.uint64(glass != EMPTY) << np.uint64(ORDER_GLASS)
        | np.uint64(can_scaffold) << np.uint64(ORDER_SCAFFOLD)
        | np.uint64(free != EMPTY) << np.uint64(ORDER_DISASTER)
    )


@kernel
def _list_main(game: Any, tiles: Any) -> None:
    """List the actions of a turn (R3.1), or the placements that must follow a redraw (R4.5)."""
    room = open_squares(vault_squares(game) | game.planes[SCAFFOLD])
    wild_room = room & ~neighbours(wild_squares(game))  # R4.2
    first_room = wild_room if tiles[game.vaults[0]].wild else room
    second_room = wild_room if tiles[game.vaults[1]].wild else room
    third_room = wild_room if tiles[game.vaults[2]].wild else room
    others = EMPTY
    if first_room | second_room | third_room == EMPTY:
        others |= ONE << np.uint64(REDRAW - BUILDER)
    if game.decision == MAIN:
        if game.square != NONE and builders_left(game, game.turn) > 0:
            others |= ONE
        executable = executable_orders(game)
        for space in range(SPACES):
            order = np.uint64(tiles[game.orders[space]].order)
            others |= ((executable >> order) & ONE) << np.uint64(EXECUTE - BUILDER + space)
    # The three boards and the other actions lie one after the other from action 0.
    game.legal[0] = first_room | second_room << np.uint64(60)
    game.legal[1] = second_room >> np.uint64(4) | third_room << np.uint64(56)
    game.legal[2] = third_room >> np.uint64(8) | others << np.uint64(BUILDER - 128)


@kernel
def _list_squares(game: Any, board: Board) -> None:
    _add_actions(game, SQUARE, board, SQUARES)


@kernel
def _list_promotions(game: Any, player: int, ranks: Any) -> None:
    """List the builders of a player with each rank of a set of ranks (R6.4)."""
    rest = game.planes[BUILDERS + player]
    while rest:
        _add_actions(game, PROMOTE + RANKS * lowest(rest), ranks, RANKS)
        rest &= rest - ONE


@kernel
def _list_moves(game: Any, player: int) -> None:
    """List the steps of a player's builders to an adjacent vault without a builder (R6.5)."""
    builders = game.planes[BUILDERS + player]
    free = free_vaults(game)
    up = steps_up(builders, free)
    right = steps_right(builders, free)
    down = steps_down(builders, free)
    left = steps_left(builders, free)
    rest = up | right | down | left
    while rest:
        square = lowest(rest)
        shift = np.uint64(square)
        steps = (
            (up >> shift & ONE)
            | (right >> shift & ONE) << np.uint64(1)
            | (down >> shift & ONE) << np.uint64(2)
            | (left >> shift & ONE) << np.uint64(3)
        )
        _add_actions(game, MOVE + STEPS * square, steps, STEPS)
        rest &= rest - ONE


@kernel
def _removable(game: Any) -> Board:
    """Return the own builders that Confuse may remove: an opposing builder must be able to move (R6.7)."""
    mine = game.planes[BUILDERS + game.turn]
    reach = neighbours(game.planes[BUILDERS + 1 - game.turn])
    if reach & free_vaults(game):
        return mine
    return mine & reach


@kernel
def _recruitable_beside(game: Any, player: int) -> Board:
    """Return the vaults without a builder that are adjacent to a builder of the player (R6.9)."""
    return free_vaults(game) & neighbours(game.planes[BUILDERS + player])


@kernel
def list_legal(game: Any, tiles: Any) -> None:
    """Write the legal actions of the decision to ``game.legal``."""
    for word in range(MASK_WORDS):
        game.legal[word] = EMPTY
    decision = game.decision
    if decision == MAIN or decision == VAULT:
        _list_main(game, tiles)
    elif decision == OFFER:
        _add_actions(game, PAY, np.uint64(3), 2)
    elif decision == CHOOSE_PROMOTE:
        _list_promotions(game, game.turn, _EVERY_RANK)
    elif decision == CHOOSE_MOVE:
        _list_moves(game, game.turn)
    elif decision == CHOOSE_RECRUIT or decision == CHOOSE_DISASTER:
        _list_squares(game, free_vaults(game))
    elif decision == CHOOSE_REMOVE:
        _list_squares(game, _removable(game))
    elif decision == CHOOSE_CONFUSE or decision == PAID_CONFUSE:
        _list_moves(game, 1 - game.turn)
    elif decision == CHOOSE_GLASS:
        _list_squares(game, game.planes[BUILDERS + game.turn] & ~game.planes[GLASS])
    elif decision == SCAFFOLD_TWO or decision == SCAFFOLD_ONE:
        _list_squares(game, open_squares(vault_squares(game) | game.planes[SCAFFOLD]))
    elif decision == PAID_PROMOTE:
        _list_promotions(game, 1 - game.turn, _EVERY_RANK ^ (ONE << np.uint64(game.rank)))
    elif decision == PAID_RECRUIT:
        _list_squares(game, _recruitable_beside(game, 1 - game.turn))


# --- The stack (R7) ------------------------------------------------------------------------------


@kernel
def _discard(game: Any, tile: int) -> None:
    game.deck[game.discards] = tile
    game.discards += 1
    game.discarded |= bit(tile)


@kernel
def _reshuffle(game: Any) -> None:
    """Shuffle the discard pile into a new stack (R7.1)."""
    size = game.discards
    game.top = TILES - size
    for k in range(size - 1, -1, -1):  # downwards, because the two ends may overlap
        game.deck[game.top + k] = game.deck[k]
    game.random = shuffle(game.deck, game.top, TILES, game.random)
    game.discards = 0
    game.hidden |= game.discarded
    game.discarded = EMPTY
    game.reshuffled = 1


@kernel
def _draw(game: Any) -> int:
    """Return the tile drawn from the stack, or NONE if there is none left (R7.1, R7.2)."""
    if game.top == TILES:
        if game.reshuffled or game.discards == 0:
            return NONE
        _reshuffle(game)
    tile = deck_tile(game, game.top)
    game.top += 1
    return tile


@kernel
def _refill_order(game: Any, space: int) -> bool:
    """Refill an order space from the stack; return False if the game ends by that (R7.2)."""
    game.orders[space] = _draw(game)
    return game.orders[space] != NONE


@kernel
def _refill_vault(game: Any, space: int) -> bool:
    """Flip the order tile above onto a vault space and refill its space (R4.4)."""
    tile = game.orders[space]
    game.vaults[space] = tile
    game.hidden &= ~bit(tile)
    return _refill_order(game, space)


# --- Turns and the end ---------------------------------------------------------------------------


@kernel
def _decide(game: Any, decision: int, space: int, square: int, rank: int) -> None:
    game.decision = decision
    game.space = space
    game.square = square
    game.rank = rank


@kernel
def _next_turn(game: Any) -> None:
    game.turn = 1 - game.turn
    game.actions = ACTIONS_A_TURN
    _decide(game, MAIN, NONE, NONE, NONE)


@kernel
def _end_action(game: Any, square: int) -> None:
    """End an action (R3); ``square`` is the vault just placed, on which a builder may follow (R5.1)."""
    game.actions -= 1
    if game.actions == 0:
        _next_turn(game)
    else:
        _decide(game, MAIN, NONE, square, NONE)


@kernel
def _end_game(game: Any) -> None:
    game.actions = 0
    _decide(game, OVER, NONE, NONE, NONE)


@kernel
def _score(game: Any) -> None:
    points_0, points_1 = points_now(game)
    game.scores[0] += points_0
    game.scores[1] += points_1


@kernel
def _exhaust(game: Any) -> None:
    """End the game because a tile is needed and there is none: one last scoring (R7.2)."""
    _score(game)
    _end_game(game)


@kernel
def _clear_after_scoring(game: Any) -> None:
    """Take builders and scaffolding off, discard rows 1 and 2 and let the rest slide (R8.5)."""
    planes = game.planes
    rest = vault_squares(game) & ROWS_1_AND_2
    while rest:
        _discard(game, tile_at(game, lowest(rest)))
        rest &= rest - ONE
    kept = vault_squares(game) & ~ROWS_1_AND_2
    rows = lowest(kept) // COLUMNS if kept else 0
    shift = np.uint64(COLUMNS * rows)
    for plane in range(PLANES):
        if plane < PATTERN_PLANES or plane == GLASS:
            planes[plane] = (planes[plane] & kept) >> shift
        else:
            planes[plane] = EMPTY


# --- Actions -------------------------------------------------------------------------------------


@kernel
def put_tile(game: Any, tiles: Any, tile: int, square: int) -> None:
    """Put a tile on a square: its pattern into the planes."""
    pattern = tiles[tile].pattern
    for plane in range(PATTERN_PLANES):
        game.planes[plane] |= (pattern >> np.uint64(plane) & ONE) << np.uint64(square)


@kernel
def _place_vault(game: Any, tiles: Any, space: int, square: int) -> None:
    """Place Vault (R4), with the scoring that a crown may cause (R4.3) and the refill (R4.4)."""
    tile = game.vaults[space]
    put_tile(game, tiles, tile, square)
    game.vaults[space] = NONE
    scored = False
    if tiles[tile].crown:
        game.king += 1
        scored = game.king % SCORING_EVERY == 0
        if scored:
            _score(game)
            if game.king == LAST_SPACE:  # R8.6
                _end_game(game)
                return
            _clear_after_scoring(game)
    if not _refill_vault(game, space):
        _exhaust(game)
    elif scored:
        _next_turn(game)  # R8.1
    else:
        _end_action(game, square)


@kernel
def _redraw(game: Any) -> None:
    """Discard the three vault tiles and draw three new ones (R4.5)."""
    for space in range(SPACES):
        _discard(game, game.vaults[space])
        game.vaults[space] = NONE
    for space in range(SPACES):
        tile = _draw(game)
        if tile == NONE:
            _exhaust(game)
            return
        game.vaults[space] = tile
        game.hidden &= ~bit(tile)
    _decide(game, VAULT, NONE, NONE, NONE)


@kernel
def _finish_order(game: Any) -> None:
    """Discard the order tile, refill its space and end the action (R6.2)."""
    space = game.space
    tile = game.orders[space]
    game.hidden &= ~bit(tile)
    _discard(game, tile)
    if _refill_order(game, space):
        _end_action(game, NONE)
    else:
        _exhaust(game)


@kernel
def paid_order_possible(game: Any, order: int) -> bool:
    """Return whether the opponent could carry out the paid order (R6.9)."""
    opponent = 1 - game.turn
    if order == ORDER_PROMOTE:
        return game.planes[BUILDERS + opponent] != EMPTY and tokens_left(game, opponent) > 0
    if order == ORDER_RECRUIT:
        return builders_left(game, opponent) > 0 and _recruitable_beside(game, opponent) != EMPTY
    return True  # R6.7: the removal left a builder that can move


@kernel
def _offer(game: Any, tiles: Any, rank: int) -> bool:
    """Ask the opponent for a paid order, if there is one to ask for (R6.9); return whether asked."""
    tile = tiles[game.orders[game.space]]
    if tile.coin == 0 or game.coins[1 - game.turn] == 0 or not paid_order_possible(game, tile.order):
        return False
    _decide(game, OFFER, game.space, NONE, rank)
    return True


@kernel
def _answer(game: Any, tiles: Any, pays: bool) -> None:
    """Carry out the answer to the offer of a paid order (R6.9)."""
    order = tiles[game.orders[game.space]].order
    if pays:
        game.coins[1 - game.turn] -= 1
        game.coins[game.turn] += 1
        if order == ORDER_PROMOTE:
            game.decision = PAID_PROMOTE
        elif order == ORDER_RECRUIT:
            game.decision = PAID_RECRUIT
        else:
            game.decision = PAID_CONFUSE
    elif order == ORDER_CONFUSE:
        game.decision = CHOOSE_CONFUSE
    else:
        _finish_order(game)


@kernel
def _promote(game: Any, tiles: Any, square: int, rank: int) -> None:
    """Give a builder a rank, as the order or as the paid order (R6.4, R6.9)."""
    for other in range(RANKS):
        game.planes[RANK + other] &= ~bit(square)
    game.planes[RANK + rank] |= bit(square)
    if game.decision == PAID_PROMOTE or not _offer(game, tiles, rank):
        _finish_order(game)


@kernel
def _move_builder(game: Any, square: int, step: int) -> None:
    """Move a builder with its token to an adjacent vault (R6.5, R6.7)."""
    start = bit(square)
    both = start | bit(square + STEP_SHIFT[step])
    for plane in range(BUILDERS, PLANES):
        if game.planes[plane] & start:
            game.planes[plane] ^= both
    _finish_order(game)


@kernel
def _remove_builder(game: Any, tiles: Any, square: int) -> None:
    """Remove an own builder with its token, the first half of Confuse (R6.7)."""
    for plane in range(BUILDERS, PLANES):
        game.planes[plane] &= ~bit(square)
    if not _offer(game, tiles, NONE):
        game.decision = CHOOSE_CONFUSE


@kernel
def _demolish(game: Any, square: int) -> None:
    """Discard a vault, its glass with it (R6.8)."""
    tile = tile_at(game, square)
    for plane in range(PLANES):
        game.planes[plane] &= ~bit(square)
    _discard(game, tile)


@kernel
def _choose_square(game: Any, tiles: Any, square: int) -> None:
    """Carry out the choice of a square, whatever the order needs it for (R6.6-R6.9)."""
    decision = game.decision
    if decision == CHOOSE_REMOVE:
        _remove_builder(game, tiles, square)
        return
    if decision == SCAFFOLD_TWO:
        game.planes[SCAFFOLD] |= bit(square)
        game.decision = SCAFFOLD_ONE
        return
    if decision == CHOOSE_RECRUIT:
        game.planes[BUILDERS + game.turn] |= bit(square)
        if _offer(game, tiles, NONE):
            return
    elif decision == PAID_RECRUIT:
        game.planes[BUILDERS + 1 - game.turn] |= bit(square)
    elif decision == CHOOSE_GLASS:
        game.planes[GLASS] |= bit(square)
    elif decision == SCAFFOLD_ONE:
        game.planes[SCAFFOLD] |= bit(square)
    else:
        _demolish(game, square)
    _finish_order(game)


@kernel
def apply(game: Any, tiles: Any, action: int) -> None:
    """Play a legal action and list the legal actions of the next decision."""
    if action < BUILDER:
        _place_vault(game, tiles, action // SQUARES, action % SQUARES)
    elif action == BUILDER:
        game.planes[BUILDERS + game.turn] |= bit(game.square)
        _end_action(game, NONE)
    elif action < REDRAW:
        space = action - EXECUTE
        _decide(game, _CHOICE[tiles[game.orders[space]].order], space, NONE, NONE)
    elif action == REDRAW:
        _redraw(game)
    elif action <= PASS:
        _answer(game, tiles, action == PAY)
    elif action < MOVE:
        _promote(game, tiles, (action - PROMOTE) // RANKS, (action - PROMOTE) % RANKS)
    elif action < SQUARE:
        _move_builder(game, (action - MOVE) // STEPS, (action - MOVE) % STEPS)
    else:
        _choose_square(game, tiles, action - SQUARE)
    list_legal(game, tiles)


@kernel
def arrange_reshuffled(games: Any, tiles: Any, pile: Any, drawn: int) -> bool:
    """Put the pile that the last action reshuffled into a given order, as a record tells it (R7.1).

    Parameters
    ----------
    pile : int64 array of the tile numbers, top first
    drawn : how many tiles the last action drew from it

    Returns
    -------
    False, and nothing changed, if these are not the tiles that were reshuffled.
    """
    game = games[0]
    start = game.top - drawn
    if len(pile) != TILES - start:
        return False
    given = EMPTY
    actual = EMPTY
    for k in range(len(pile)):
        given |= bit(pile[k])
        actual |= bit(deck_tile(game, start + k))
    if given != actual:
        return False
    # The last tiles drawn fill the last spaces: vault spaces after a redraw, else one order space.
    for space in range(SPACES):
        for k in range(drawn):
            old = deck_tile(game, start + k)
            if game.orders[space] == old:
                game.orders[space] = pile[k]
                break
            if game.vaults[space] == old:
                game.vaults[space] = pile[k]
                break
    for k in range(len(pile)):
        game.deck[start + k] = pile[k]
    game.hidden |= given
    for space in range(SPACES):
        if game.vaults[space] != NONE:
            game.hidden &= ~bit(game.vaults[space])
    list_legal(game, tiles)
    return True


# --- Set-up (R2) and what is hidden (R1.5) -------------------------------------------------------


@kernel
def deal(game: Any, tiles: Any) -> None:
    """Set up a new game with the generator of the record (R2)."""
    for plane in range(PLANES):
        game.planes[plane] = EMPTY
    for tile in range(TILES):
        game.deck[tile] = tile
    game.random = shuffle(game.deck, 0, TILES, game.random)
    game.hidden = EVERY_TILE
    game.discarded = EMPTY
    game.discards = 0
    game.reshuffled = 0
    game.top = 0
    for space in range(SPACES):
        game.orders[space] = _draw(game)
    for space in range(SPACES):
        game.vaults[space] = _draw(game)
        game.hidden &= ~bit(game.vaults[space])
    for player in range(2):
        game.scores[player] = 0
        game.coins[player] = COINS_EACH
    game.king = 0
    game.turn = 0
    game.actions = ACTIONS_A_TURN
    _decide(game, MAIN, NONE, NONE, NONE)
    list_legal(game, tiles)


@kernel
def refresh_legal(games: Any, tiles: Any) -> None:
    """List the legal actions of every game of an array anew."""
    for i in range(len(games)):
        list_legal(games[i], tiles)
