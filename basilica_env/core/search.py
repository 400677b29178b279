"""Monte-Carlo tree search over what players can know.

The search is open-loop: a node stands for a sequence of actions, and every simulation first redraws
what is hidden (R1.5), so no statistic depends on the true order of the stack. A simulation may meet
other legal actions at a node than an earlier one did; children are added when first met, and only
legal ones are chosen from. The mover is read from the game, so answers out of turn and turns of
several decisions keep their signs.

A sequence of actions alone cannot answer to what is drawn. So once few tiles are left, a draw has a
child for each result that the players can tell apart, and what follows is a node of its own after each.

Selection is PUCT (Rosin 2011; Silver et al. 2017)::

    mean + exploration * prior * sqrt(visits of the node) / (1 + visits of the child)

With value leaves, a node that is visited a second time values all its children once; these estimates
stand for the mean of an unvisited child and make the priors, softmax(estimate / temperature). A share of
the priors is the same for all, so that no estimate is bad enough to hide a move for ever. With rollout
leaves, priors are equal and an unvisited child counts as its node does.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from basilica_env.core.bitboard import ONE, bit, lowest
from basilica_env.core.compile import kernel
from basilica_env.core.layout import ACTIONS, MASK_WORDS, NONE, OVER, TILES
from basilica_env.core.playout import count_legal, play_out, resample_hidden
from basilica_env.core.reveal import chance_is_over, sight
from basilica_env.core.rules import apply, decider, is_legal
from basilica_env.core.share import borrowed
from basilica_env.core.value import SCRATCH, result, value

NODE = np.dtype(
    [
        ("action", np.int64),  # or what a draw showed, see sight()
        ("visits", np.int32),
        ("total", np.float64),  # of what player 0 may expect, by the aim
        ("margin", np.float64),  # total of the squashed leads that she may expect
        ("estimate", np.float32),  # of the same, before the first visit
        ("prior", np.float32),
        ("first", np.int32),  # its first child, or NONE
        ("next", np.int32),  # its parent's next child, or NONE
    ],
    align=True,
)
"""One node of a tree; a tree is an array of them with the root first."""

DEEPEST = 256
"""Nodes of the longest line that a simulation follows in the tree."""

LEAF_ROLLOUT, LEAF_VALUE = range(2)

SETTINGS = np.dtype(
    [
        ("leaf", np.int64),  # LEAF_ROLLOUT or LEAF_VALUE
        ("margin_share", np.float64),  # the aim: 0 the result, 1 the squashed lead, or between
        ("policy", np.int64),  # of rollouts: UNIFORM or KIND_FIRST
        ("exploration", np.float64),
        ("temperature", np.float64),
        ("even_share", np.float64),  # of the priors, the same for every move
        ("told_apart", np.int64),  # tiles in the stack, from which on results of a draw are told apart
    ],
    align=True,
)
"""How to search; an array of one record."""


@kernel
def plant(tree: Any) -> int:
    """Make a tree of the root alone; return the number of its nodes."""
    _clear(tree[0], NONE)
    return 1


@kernel
def _clear(node: Any, action: int) -> None:
    """Make a node that was never visited."""
    node.action = action
    node.visits = 0
    node.total = 0
    node.margin = 0
    node.estimate = 0
    node.prior = 1
    node.first = NONE
    node.next = NONE


@kernel
def _add_children(
    tree: Any,
    size: int,
    node: int,
    game: Any,
    tiles: Any,
    settings: Any,
    weights: Any,
    scratch: Any,
    work: Any,
) -> int:
    """Add a child for each legal action that has none yet; return the new size of the tree.

    If the pool has no room for all of them, none is added: a choice among some would be a wrong one.
    """
    last = NONE
    for word in range(MASK_WORDS):
        work[0].legal[word] = game.legal[word]
    child = tree[node].first
    while child != NONE:
        action = tree[child].action
        if action < ACTIONS:
            work[0].legal[action >> 6] &= ~bit(action & 63)
        last = child
        child = tree[child].next
    if size + count_legal(work[0]) > len(tree):
        return size
    for word in range(MASK_WORDS):
        rest = work[0].legal[word]
        while rest:
            action = 64 * word + lowest(rest)
            rest &= rest - ONE
            new = tree[size]
            _clear(new, action)
            if settings.leaf == LEAF_VALUE:
                work[1] = game
                apply(work[1], tiles, action)
                win, margin = value(work[1], tiles, weights, scratch)
                new.estimate = win + settings.margin_share * (margin - win)
            if last == NONE:
                tree[node].first = size
            else:
                tree[last].next = size
            last = size
            size += 1
    return size


@kernel
def _set_priors(tree: Any, node: int, sign: float, game: Any, settings: Any) -> None:
    """Set the priors of the legal children of a node; ``sign`` is 1 if player 0 moves."""
    best = -2.0
    total = 0.0
    even = settings.even_share / count_legal(game)
    child = tree[node].first
    while child != NONE:
        if is_legal(game, tree[child].action):
            best = max(best, sign * tree[child].estimate)
        child = tree[child].next
    child = tree[node].first
    while child != NONE:
        if is_legal(game, tree[child].action):
            tree[child].prior = np.exp((sign * tree[child].estimate - best) / settings.temperature)
            total += tree[child].prior
        child = tree[child].next
    child = tree[node].first
    while child != NONE:
        if is_legal(game, tree[child].action):
            tree[child].prior = even + (1 - settings.even_share) * tree[child].prior / total
        child = tree[child].next


@kernel
def _is_missing_children(tree: Any, node: int, game: Any) -> bool:
    """Return whether a legal action has no child yet."""
    listed = 0
    child = tree[node].first
    while child != NONE:
        if is_legal(game, tree[child].action):
            listed += 1
        child = tree[child].next
    return listed < count_legal(game)


@kernel
def _select(tree: Any, node: int, game: Any, settings: Any) -> int:
    """Return the legal child with the highest score, or NONE if the pool left no room for one."""
    parent = tree[node]
    sign = 1.0 if decider(game) == 0 else -1.0
    breadth = settings.exploration * np.sqrt(float(parent.visits))
    unvisited = sign * parent.total / max(parent.visits, 1)
    best = NONE
    best_score = -np.inf
    child = parent.first
    while child != NONE:
        entry = tree[child]
        if is_legal(game, entry.action):
            if entry.visits > 0:
                mean = sign * entry.total / entry.visits
            elif settings.leaf == LEAF_VALUE:
                mean = sign * entry.estimate
            else:
                mean = unvisited
            score = mean + breadth * entry.prior / (1 + entry.visits)
            if score > best_score:
                best_score = score
                best = child
        child = entry.next
    return best


@kernel
def _result(tree: Any, size: int, node: int, shown: int) -> tuple[int, int]:
    """Return the child of a node for what a draw showed, and the new size of the tree.

    The child is NONE if the pool left no room for one.
    """
    last = NONE
    child = tree[node].first
    while child != NONE:
        if tree[child].action == shown:
            return child, size
        last = child
        child = tree[child].next
    if size == len(tree):
        return NONE, size
    _clear(tree[size], shown)
    if last == NONE:
        tree[node].first = size
    else:
        tree[last].next = size
    return size, size + 1


@kernel
def simulate(
    tree: Any,
    size: int,
    root: Any,
    tiles: Any,
    settings: Any,
    weights: Any,
    state: Any,
    simulations: int,
) -> Any:
    """Run simulations from ``root[0]``.

    Parameters
    ----------
    tree : NODE array; its first ``size`` nodes are in use. When it is full, simulations go on
        without new nodes.
    root : GAME array, shape (1,)
    settings : SETTINGS array, shape (1,)
    weights : float32 array of the value network; not read with rollout leaves
    state : uint64, state of the generator

    Returns
    -------
    The new size of the tree and the generator state afterwards.
    """
    root, tree, tiles, settings, weights = borrowed(root, tree, tiles, settings, weights)
    work = np.empty(3, root.dtype)
    scratch = np.empty(SCRATCH, np.float32)
    line = np.empty(DEEPEST, np.int64)
    how = settings[0]
    game = work[2]
    for _ in range(simulations):
        work[2] = root[0]
        state = resample_hidden(game, tiles, state)
        node = 0
        depth = 1
        line[0] = 0
        while game.decision != OVER and depth < DEEPEST - 1:
            if tree[node].visits == 0 and node != 0:
                break
            if _is_missing_children(tree, node, game):
                size = _add_children(tree, size, node, game, tiles, how, weights, scratch, work)
                _set_priors(tree, node, 1.0 if decider(game) == 0 else -1.0, game, how)
            child = _select(tree, node, game, how)
            if child == NONE:
                break
            stack = TILES - game.top
            tells = game.reshuffled == 1 and stack <= how.told_apart and not chance_is_over(game, tiles)
            apply(game, tiles, tree[child].action)
            node = child
            line[depth] = node
            depth += 1
            if tells and TILES - game.top != stack:
                node, size = _result(tree, size, node, sight(game, tiles))
                if node == NONE:
                    break
                line[depth] = node
                depth += 1
        if how.leaf == LEAF_VALUE:
            win, margin = value(game, tiles, weights, scratch)
        else:
            state = play_out(game, tiles, how.policy, state)
            win, margin = result(game)
        for k in range(depth):
            tree[line[k]].visits += 1
            tree[line[k]].total += win + how.margin_share * (margin - win)
            tree[line[k]].margin += margin
    return size, state


@kernel
def children(tree: Any, node: int, actions: Any, visits: Any, totals: Any, margins: Any) -> int:
    """Write action, visits and both totals for player 0 of each child of a node; return their number."""
    number = 0
    child = tree[node].first
    while child != NONE:
        entry = tree[child]
        actions[number] = entry.action
        visits[number] = entry.visits
        totals[number] = entry.total
        margins[number] = entry.margin
        number += 1
        child = entry.next
    return number


@kernel
def most_visited(tree: Any, node: int) -> int:
    """Return the child of a node that was visited most, or NONE if none was."""
    best = NONE
    most = 0
    child = tree[node].first
    while child != NONE:
        if tree[child].visits > most:
            best, most = child, tree[child].visits
        child = tree[child].next
    return best


@kernel
def child_of(tree: Any, node: int, action: int) -> int:
    """Return the child of a node for an action, or NONE."""
    child = tree[node].first
    while child != NONE and tree[child].action != action:
        child = tree[child].next
    return child


@kernel
def node_after(tree: Any, action: int, games: Any, tiles: Any) -> int:
    """Return the child of the root after an action that led to ``games[0]``, or NONE."""
    child: Any = np.int64(child_of(tree, 0, action))
    if child == NONE or tree[child].first == NONE or tree[tree[child].first].action < ACTIONS:
        return child
    return child_of(tree, child, sight(games[0], tiles))


@kernel
def transplant(old: Any, node: int, new: Any) -> int:
    """Copy the tree below a node, which becomes the root of another pool; return its size.

    The children of a node stay together. The queue of nodes whose children are still to be copied is
    the new tree itself.
    """
    new[0] = old[node]
    new[0].next = NONE
    size = 1
    place = 0
    while place < size:
        child = new[place].first  # still a place in the old tree
        last = NONE
        while child != NONE:
            new[size] = old[child]
            if last == NONE:
                new[place].first = size
            else:
                new[last].next = size
            last = size
            child = new[size].next
            new[size].next = NONE
            size += 1
        place += 1
    return size
