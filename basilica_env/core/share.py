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

_LINE = 8
"""Words of a line of the cache. What different threads write lies in different lines, or they would wait
for each other."""
_ROWS, _CHUNK, _PARTS = range(3)
_DONE, _BEGUN, _MAY_LEAVE = range(_LINE, _LINE + 3)
_FIRST_PART = 2 * _LINE
_CLAIMED, _OWN_DONE = range(2)
_FROM_THE_END = 1 << 32
"""Counts a chunk that is claimed from the end of a part; its chunks from the front count 1."""
_WATCHING = 0

_SHORT_PATIENCE = 20_000
"""Looks that are worth less than the time a sleeping thread needs to wake."""


def new_board() -> NDArray[np.int64]:
    """Return a board that nobody watches."""
    return np.zeros(1, np.int64)


def new_share(parts: int) -> NDArray[np.int64]:
    """Return a share without rows, for a number of threads that each have a part of their own.

    A thread works on its own part from the front, so that what it wrote there last time is still in its
    cache. Then it helps the others from the end of theirs, for the same reason: as long as they are equally
    slow, the same chunks go to the same threads in each share.
    """
    share = np.zeros(_FIRST_PART + _LINE * parts, np.int64)
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


@intrinsic
def borrowed(typing_context: Any, *arrays: Any) -> Any:
    """Return arrays whose references nobody counts; to be used only while the caller keeps the arrays.

    Numba counts references in each function that takes an array, by atomic acts on a word that belongs to it.
    Threads that work on different rows of one array would all wait for that word.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        views = []
        for number, kind in enumerate(arrays):
            array = builder.extract_value(arguments[0], number)
            view = context.make_array(kind)(context, builder, array)
            view.meminfo = view.meminfo.type(None)
            view.parent = view.parent.type(None)
            views.append(view._getvalue())
        return context.make_tuple(builder, signature.return_type, views)

    kinds = types.Tuple(arrays)
    return kinds(types.StarArgTuple(arrays)), generate


@kernel
def fill(share: Any, rows: int, chunk: int, may_leave: bool) -> None:
    """Put rows in a share that has none; a thread claims up to ``chunk`` of them at a time.

    Unless they ``may_leave``, threads with nothing left to claim stay for a while until :func:`wait`.
    """
    share[_ROWS] = rows
    share[_CHUNK] = chunk
    share[_MAY_LEAVE] = may_leave


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
    own = _FIRST_PART + _LINE * part
    if done:
        share[own + _OWN_DONE] += done
    else:
        begin(share)
    start, stop = _claim(share, part, 1)
    for other in range(part + 1, part + share[_PARTS]):
        if start < stop:
            break
        start, stop = _claim(share, other % share[_PARTS], _FROM_THE_END)
    if start == stop:
        _add(share, _DONE, share[own + _OWN_DONE])
        share[own + _OWN_DONE] = 0
        if part:
            _stay(share)
    return start, stop


@kernel
def _claim(share: Any, part: int, side: int) -> tuple[int, int]:
    """Claim a chunk of a part, ``side`` being 1 or _FROM_THE_END; return its rows, or none.

    One word counts the chunks claimed from both sides, so none is claimed twice.
    """
    first = part * share[_ROWS] // share[_PARTS]
    end = (part + 1) * share[_ROWS] // share[_PARTS]
    claimed = _add(share, _FIRST_PART + _LINE * part + _CLAIMED, side)
    from_front = claimed % _FROM_THE_END
    from_end = claimed // _FROM_THE_END
    if (from_front + from_end) * share[_CHUNK] >= end - first:
        return 0, 0
    if side == 1:
        start = first + from_front * share[_CHUNK]
        return start, min(start + share[_CHUNK], end - from_end * share[_CHUNK])
    stop = end - from_end * share[_CHUNK]
    return max(stop - share[_CHUNK], first + from_front * share[_CHUNK]), stop


@kernel
def _stay(share: Any) -> None:
    """Stay until the calling thread waits, for only then the GIL is free.

    A thread that finds the GIL taken goes to sleep for it, and wakes too late for the next share.
    """
    patience = _SHORT_PATIENCE
    while patience > 0 and _read(share, _MAY_LEAVE) == 0:
        patience -= 1


@kernel
def await_others(share: Any) -> None:
    """Wait until every row is done. To be called by who has nothing left to claim."""
    while _read(share, _DONE) < share[_ROWS]:
        pass


@kernel
def withdraw(share: Any) -> None:
    """Leave nothing to claim."""
    for part in range(share[_PARTS]):
        _add(share, _FIRST_PART + _LINE * part + _CLAIMED, share[_ROWS])


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
