"""A range of rows that several threads work on, each taking the next few without a word to Python.

A thread that asks Python for every piece waits for the GIL, and a thread that sleeps until there is
work needs some 50 microseconds to wake, as long as a few hundred games take. So rows are claimed in
compiled code, and a thread that has just worked watches in compiled code for the next share to begin.
What the threads agree on are words of two small arrays, each read and written in one atomic act:

- a *share* of rows (:func:`new_share`), one for each range of work;
- a *board* (:func:`new_board`), one for each crew of threads, with the number of threads that watch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from basilica_env.core.compile import kernel

_ROWS, _CHUNK, _PARTS, _DONE, _BEGUN, _MAY_LEAVE, _FIRST_NEXT = range(7)
_WATCHING = 0

_SHORT_PATIENCE = 20_000
"""Looks that are worth less than the time a sleeping thread needs to wake."""


def new_board() -> NDArray[np.int64]:
    """Return a board that nobody watches."""
    return np.zeros(1, np.int64)


def new_share(parts: int) -> NDArray[np.int64]:
    """Return a share without rows, for a number of threads that each have a part of their own.

    A thread works on its own part, so that what it wrote there last time is still in its cache. Then it
    looks after the others: it helps where nothing moves, because a thread has not begun or lost its core.
    """
    share = np.zeros(_FIRST_NEXT + 2 * parts, np.int64)
    share[_PARTS] = parts
    return share


def _word(context: Any, builder: Any, array_type: Any, arguments: Any) -> Any:
    array = context.make_array(array_type)(context, builder, arguments[0])
    return builder.gep(array.data, [arguments[1]])


@intrinsic
def _add(typing_context: Any, words: Any, at: Any, number: Any) -> Any:
    """Add to a word of an array in one atomic act; return what it was."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = _word(context, builder, signature.args[0], arguments)
        return builder.atomic_rmw("add", word, arguments[2], "seq_cst")

    return types.int64(words, types.intp, types.int64), generate


@intrinsic
def _read(typing_context: Any, words: Any, at: Any) -> Any:
    """Return a word of an array as it stands now, whoever wrote it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = _word(context, builder, signature.args[0], arguments)
        return builder.load_atomic(word, "seq_cst", 8)

    return types.int64(words, types.intp), generate


@kernel
def fill(share: Any, rows: int, chunk: int, may_leave: bool) -> None:
    """Put rows in a share that has none; a thread claims up to ``chunk`` of them at a time.

    Unless they ``may_leave``, threads with nothing left to claim stay for a while until :func:`wait`.
    """
    share[_ROWS] = rows
    share[_CHUNK] = chunk
    share[_MAY_LEAVE] = may_leave
    for part in range(share[_PARTS]):
        share[_FIRST_NEXT + part] = part * rows // share[_PARTS]


@kernel
def begin(share: Any) -> None:
    """Let those who watch take part; the first claim does so too."""
    _add(share, _BEGUN, 1)


@kernel
def claim(share: Any, part: int, done: int) -> tuple[int, int]:
    """Hand in ``done`` rows and take the next ones; return where they start and stop.

    Nothing is left where both are the same. So a kernel works on its part like this::

        start, stop = claim(share, part, 0)
        while start < stop:
            for k in range(start, stop):
                ...
            start, stop = claim(share, part, stop - start)
    """
    if done:
        _add(share, _DONE, done)
    else:
        begin(share)
    end = _end(share, part)
    start = _add(share, _FIRST_NEXT + part, share[_CHUNK])
    if start < end:
        return start, min(start + share[_CHUNK], end)
    for other in range(part + 1, part + share[_PARTS]):
        start, stop = _help(share, other % share[_PARTS])
        if start < stop:
            return start, stop
    if part:
        _stay(share)
    return 0, 0


@kernel
def _stay(share: Any) -> None:
    """Stay until the calling thread waits, for only then the GIL is free.

    A thread that finds the GIL taken goes to sleep for it, and wakes too late for the next share.
    """
    patience = _SHORT_PATIENCE
    while patience > 0 and _read(share, _MAY_LEAVE) == 0:
        patience -= 1


@kernel
def _end(share: Any, part: int) -> int:
    return (part + 1) * share[_ROWS] // share[_PARTS]


@kernel
def _help(share: Any, part: int) -> tuple[int, int]:
    """Claim rows of another thread's part if it does not move; else wait until it is all claimed."""
    end = _end(share, part)
    helped = _FIRST_NEXT + share[_PARTS] + part  # the word with the row after the last one of a helper
    seen = _read(share, _FIRST_NEXT + part)
    patience = _SHORT_PATIENCE
    while seen < end:
        if patience == 0 or seen == _read(share, helped):
            start = _add(share, _FIRST_NEXT + part, share[_CHUNK])
            share[helped] = start + share[_CHUNK]
            return start, min(start + share[_CHUNK], end)
        patience -= 1
        now = _read(share, _FIRST_NEXT + part)
        if now != seen:
            seen = now
            patience = _SHORT_PATIENCE
    return end, end


@kernel
def await_others(share: Any) -> None:
    """Wait until every row is done. To be called by who has nothing left to claim."""
    while _read(share, _DONE) < share[_ROWS]:
        pass


@kernel
def withdraw(share: Any) -> None:
    """Leave nothing to claim."""
    for part in range(share[_PARTS]):
        _add(share, _FIRST_NEXT + part, share[_ROWS])


@kernel
def watch(board: Any, share: Any, patience: int) -> None:
    """Watch for a while until somebody begins with a share."""
    _add(board, _WATCHING, 1)
    while patience > 0 and _read(share, _BEGUN) == 0:
        patience -= 1
    _add(board, _WATCHING, -1)


@kernel
def wait(board: Any, share: Any, threads: int, patience: int) -> bool:
    """Wait for a while until all rows are done and all threads watch; return whether the rows are done.

    A thread that is done must pass through Python, where the caller would be in its way.
    """
    _add(share, _MAY_LEAVE, 1)
    while patience > 0 and _read(share, _DONE) < share[_ROWS]:
        patience -= 1
    patience = min(patience, _SHORT_PATIENCE)
    while patience > 0 and _read(board, _WATCHING) < threads:
        patience -= 1
    return _read(share, _DONE) == share[_ROWS]
