"""A range of rows that several threads work on, without a word to Python.

A thread that asks Python for work waits for the GIL, and one that sleeps until there is some needs 50
microseconds to wake, as long as a few hundred games take. So a thread that has nothing to do watches in
compiled code (:func:`serve`) for a kernel that has rows to share out (:func:`share_out`), and takes part.

What the threads of a crew agree on are words of one small array, their *board* (:func:`new_board`).
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from basilica_env.core.compile import kernel

_LINE = 16
"""Words of two lines of the cache, which processors like to fetch together. What different threads write
lies so far apart, or they would wait for each other."""
_STATE = 0
"""Counts threads that take part, the one that shares out left aside; _OPEN is added while others may
join, and _SHARE with each range that is shared out."""
_OPEN = 1 << 16
_SHARE = 1 << 17
_FUNCTION, _ARGUMENTS, _ROWS, _CHUNK, _FAILED = range(_LINE, _LINE + 5)
_PARTS, _CALLED = range(2 * _LINE, 2 * _LINE + 2)
_FIRST_PART = 3 * _LINE
"""A line for each part."""
_CLAIMED, _THERE = range(2)
"""The chunks claimed of a part, and whether the thread whose part it is watches or works."""
_FROM_THE_END = 1 << 32
"""Counts a chunk that is claimed from the end of a part; one from the front counts 1."""

_CHUNKS_A_PART = 16
"""So many that who is late or slow leaves enough to the others."""
_GRACE, _LOOK = 100, 50
"""Looks at a part before a thread helps, and looks elsewhere between two of them: some 5 microseconds."""
_PATIENCE = 200_000
"""Looks at a word, about a nanosecond each, before a thread that waits leaves its core to others."""
_NAP = 20
"""Microseconds."""


def new_board(parts: int) -> NDArray[np.int64]:
    """Return a board for a number of threads, the one that shares out included.

    A thread works on its own part of the rows first, so that what it wrote there last time is still in its
    cache. Then it helps the others from the end of theirs, for the same reason: as long as they are equally
    slow, the same chunks go to the same threads each time.
    """
    board = np.zeros(_FIRST_PART + _LINE * parts, np.int64)
    board[_PARTS] = parts
    return board


# --- What one thread does at a time ----------------------------------------------------------------


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
def lower(typing_context: Any, words: Any, number: Any) -> Any:
    """Make the first word of an array the smaller of itself and a number in one atomic act."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        builder.atomic_rmw("min", array.data, arguments[1], "seq_cst")
        return context.get_dummy_value()

    return types.none(words, types.int64), generate


if os.name == "posix":
    _usleep = types.ExternalFunction("usleep", types.int32(types.uint32))

    @kernel
    def _nap() -> None:
        """Leave the core to other threads for a moment."""
        _usleep(_NAP)

else:

    @kernel
    def _nap() -> None:
        """Look again."""


# --- The work of one thread ------------------------------------------------------------------------

_WORK = ir.FunctionType(ir.IntType(64), [ir.IntType(64)] * 4)
"""Works on ``range(start, stop, step)`` with the arguments at an address; returns whether it failed."""


@intrinsic
def _call(typing_context: Any, function: Any, block: Any, start: Any, stop: Any, step: Any) -> Any:
    """Call the function of type _WORK at an address."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function, *given = arguments
        return builder.call(builder.inttoptr(function, _WORK.as_pointer()), given)

    return types.int64(*(types.int64,) * 5), generate


@kernel
def _line(part: int) -> int:
    """Return where the line of a part begins on a board."""
    return _FIRST_PART + _LINE * part


@kernel
def _left_of(board: Any, part: int, claimed: int) -> int:
    """Return the rows of a part that are left, or less than 1, when a number of chunks is claimed."""
    first = part * board[_ROWS] // board[_PARTS]
    end = (part + 1) * board[_ROWS] // board[_PARTS]
    return end - first - (claimed % _FROM_THE_END + claimed // _FROM_THE_END) * board[_CHUNK]


@kernel
def _claim_of(board: Any, part: int, side: int) -> tuple[int, int, int]:
    """Claim a chunk of a part, ``side`` being 1 or _FROM_THE_END; return its rows: start, stop and step.

    Nothing is left where start and stop are the same. One word counts the chunks claimed from both sides, so
    none is claimed twice. Every other part is worked on downwards: two neighbours begin where they meet and
    part, so that what a core fetches ahead at the end of its part is nothing that the other one works on.
    """
    claimed = _add(board, _line(part) + _CLAIMED, side)
    left = _left_of(board, part, claimed)
    if left <= 0:
        return 0, 0, 1
    size = min(left, board[_CHUNK])
    first = part * board[_ROWS] // board[_PARTS]
    end = (part + 1) * board[_ROWS] // board[_PARTS]
    if side == 1:
        done = claimed % _FROM_THE_END * board[_CHUNK]
    else:
        done = end - first - claimed // _FROM_THE_END * board[_CHUNK] - size
    if part % 2:
        return first + done, first + done + size, 1
    return end - 1 - done, end - 1 - done - size, -1


@kernel
def _leave_to_owner(board: Any, part: int) -> None:
    """Wait for a moment while the thread whose part it is makes its way to the end, if it is there.

    What it has in its cache would cost both threads more than it saves one of them. The thread looks now
    and then only, because each look takes from the owner the line that it claims from.
    """
    for _ in range(_GRACE):
        claimed = _read(board, _line(part) + _CLAIMED)
        if _left_of(board, part, claimed) <= 0 or not _read(board, _line(part) + _THERE):
            return
        for _ in range(_LOOK):
            _read(board, _STATE)


@kernel
def _work_on(board: Any, part: int, side: int) -> None:
    """Work on a part from one side until nothing is left to claim of it."""
    start, stop, step = _claim_of(board, part, side)
    while start != stop:
        if _call(board[_FUNCTION], board[_ARGUMENTS], start, stop, step):
            _add(board, _FAILED, 1)
            for other in range(board[_PARTS]):  # nothing is left to claim
                _add(board, _line(other) + _CLAIMED, board[_ROWS])
        start, stop, step = _claim_of(board, part, side)


@kernel
def _work(board: Any, part: int) -> None:
    """Work on the own part, then help the others, until nothing is left to claim."""
    _work_on(board, part, 1)
    for other in range(part + 1, part + board[_PARTS]):
        _leave_to_owner(board, other % board[_PARTS])
        _work_on(board, other % board[_PARTS], _FROM_THE_END)


@kernel
def _lead(board: Any, rows: int, chunk: int, function: int, block: int) -> int:
    """Let those who watch take part, work, and return when nobody is at it any more: how often it failed."""
    parts = board[_PARTS]
    if parts == 1:
        return _call(function, block, 0, rows, 1)
    board[_FUNCTION] = function
    board[_ARGUMENTS] = block
    board[_ROWS] = rows
    board[_CHUNK] = max(1, min(chunk, rows // (parts * _CHUNKS_A_PART)))
    board[_FAILED] = 0
    for part in range(parts):
        board[_line(part) + _CLAIMED] = 0
    board[_line(0) + _THERE] = 1
    _add(board, _STATE, _SHARE + _OPEN)
    _work(board, 0)
    _add(board, _STATE, -_OPEN)
    patience = _PATIENCE
    while _read(board, _STATE) % _OPEN:
        patience -= 1
        if patience < 0:
            _nap()
    return board[_FAILED]


@kernel
def serve(board: Any, part: int, patience: int) -> None:
    """Take part in all that is shared out, until called or nothing has come for a while."""
    last = -1
    left = patience
    _add(board, _line(part) + _THERE, 1)
    while left > 0 and _read(board, _CALLED) == 0:
        state = _read(board, _STATE)
        left -= 1
        if state & _OPEN and state // _SHARE != last:
            state = _add(board, _STATE, 1)
            if state & _OPEN:  # who shares out waits from now on until this thread leaves
                last = state // _SHARE
                _work(board, part)
            _add(board, _STATE, -1)
            left = patience
    _add(board, _line(part) + _THERE, -1)


@kernel
def call(board: Any, away: bool) -> None:
    """Call those who watch away from a board, or let them watch it again."""
    board[_CALLED] = away


# --- Sharing out -----------------------------------------------------------------------------------


def _borrow(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Return an array whose references nobody counts, and anything else as it is."""
    if not isinstance(kind, types.Array):
        return value
    view = context.make_array(kind)(context, builder, value)
    view.meminfo = view.meminfo.type(None)
    view.parent = view.parent.type(None)
    return view._getvalue()


@intrinsic
def borrowed(typing_context: Any, *arrays: Any) -> Any:
    """Return arrays whose references nobody counts; to be used only while the caller keeps the arrays.

    Numba counts references in each function that takes an array, by atomic acts on a word that belongs to it.
    Threads that work on different rows of one array would all wait for that word.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        given = cgutils.unpack_tuple(builder, arguments[0])
        views = [_borrow(context, builder, *pair) for pair in zip(arrays, given, strict=True)]
        return context.make_tuple(builder, signature.return_type, views)

    kinds = types.Tuple(arrays)
    return kinds(types.StarArgTuple(arrays)), generate


@intrinsic
def share_out(typing_context: Any, board: Any, rows: Any, chunk: Any, work: Any, *arguments: Any) -> Any:
    """Call ``work(*arguments, start, stop, step)`` until ``range(rows)`` is done.

    Parameters
    ----------
    board : of the threads that may take part
    rows : number of rows
    chunk : the most rows claimed at a time: few, so that a thread whose core is taken leaves the rest to
        the others
    work : a kernel; step is 1 or -1
    arguments : its arrays must outlive the call, and it does not count references to them

    Raises
    ------
    MemoryError
        If ``work`` failed, which happens only where there was no memory for it.
    """
    kinds = tuple(types.unliteral(kind) for kind in arguments)
    call_of_work = work.get_call_type(typing_context, (*kinds, *(types.int64,) * 3), {})
    lead = typing_context.resolve_value_type(_lead)
    call_of_lead = lead.get_call_type(typing_context, (board, *(types.int64,) * 4), {})

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        board, rows, chunk, _, values = given
        pairs = zip(kinds, cgutils.unpack_tuple(builder, values), strict=True)
        views = [_borrow(context, builder, kind, value) for kind, value in pairs]
        block = _block(builder, views)
        function = _function_of(context, builder.module, work, call_of_work, block.allocated_type)
        addresses = [builder.ptrtoint(pointer, ir.IntType(64)) for pointer in (function, block)]
        call_lead = context.get_function(lead, call_of_lead)
        context.add_linking_libs(getattr(call_lead, "libs", ()))
        failures = call_lead(builder, (board, rows, chunk, *addresses))
        with cgutils.if_unlikely(builder, cgutils.is_not_null(builder, failures)):
            context.call_conv.return_user_exc(builder, MemoryError, ("no memory is left to work with",))
        return context.get_dummy_value()

    taken = (board, types.int64, types.int64, work, types.StarArgTuple(kinds))
    return types.none(*taken), generate


_APART = ir.ArrayType(ir.IntType(64), _LINE)


def _block(builder: Any, values: list[Any]) -> Any:
    """Return values on the stack, apart from what their thread writes there while others read them."""
    values = [ir.Constant(_APART, None), *values, ir.Constant(_APART, None)]
    block = cgutils.alloca_once_value(builder, cgutils.pack_struct(builder, values))
    block.align = 8 * _LINE
    return block


def _function_of(context: Any, module: Any, work: Any, signature: Any, block_type: Any) -> Any:
    """Return a function of type _WORK that takes the arguments of a kernel from a block of memory."""
    compiled = work.dispatcher.get_compile_result(signature)
    context.add_linking_libs([compiled.library])
    function = ir.Function(module, _WORK, module.get_unique_name("work"))
    function.linkage = "internal"
    builder = ir.IRBuilder(function.append_basic_block())
    block, *rows = function.args
    _, *views, _ = cgutils.unpack_tuple(
        builder, builder.load(builder.inttoptr(block, block_type.as_pointer()))
    )
    status, _ = context.call_internal_no_propagate(builder, compiled.fndesc, signature, (*views, *rows))
    builder.ret(builder.zext(status.is_error, ir.IntType(64)))
    return function
