"""Boards: sets of squares as 64-bit words, bit 5 * (row - 1) + column for each square."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from basilica_env.core.compile import kernel
from basilica_env.core.layout import COLUMNS, ROWS, SQUARES

Board = np.uint64

EMPTY = np.uint64(0)
ONE = np.uint64(1)
EVERY_SQUARE = np.uint64((1 << SQUARES) - 1)
ROW_1 = np.uint64((1 << COLUMNS) - 1)
ROWS_1_AND_2 = np.uint64((1 << 2 * COLUMNS) - 1)
COLUMN_A = np.uint64(sum(1 << COLUMNS * row for row in range(ROWS)))
COLUMN_E = np.uint64(sum(1 << COLUMNS * row + COLUMNS - 1 for row in range(ROWS)))
_ROW = np.uint64(COLUMNS)


@intrinsic
def count(typing_context: Any, board: Any) -> Any:
    """Return the number of squares in a board."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@intrinsic
def lowest(typing_context: Any, board: Any) -> Any:
    """Return the first square of a board that is not empty."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


def _store(context: Any, builder: Any, signature: Any, arguments: Any, number: Any) -> Any:
    """Store a number or a vector at a byte of an array of uint8."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    target = builder.gep(array.data, [arguments[1]])
    builder.store(number, builder.bitcast(target, number.type.as_pointer()), align=1)
    return context.get_dummy_value()


@intrinsic
def store_bits(typing_context: Any, out: Any, at: Any, bits: Any) -> Any:
    """Write the 64 bits of a word as 64 bytes, 0 or 1, from byte ``at`` of an array of uint8.

    Numba writes byte by byte; one vector store is some twenty times faster.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        flags = builder.bitcast(arguments[2], ir.VectorType(ir.IntType(1), 64))
        numbers = builder.zext(flags, ir.VectorType(ir.IntType(8), 64))
        return _store(context, builder, signature, arguments, numbers)

    return types.void(out, types.intp, types.uint64), generate


@intrinsic
def store_bits_as_floats(typing_context: Any, out: Any, at: Any, bits: Any) -> Any:
    """Write the 64 bits of a word as 64 numbers of ``float32`` from byte ``at`` of an array of uint8."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        flags = builder.bitcast(arguments[2], ir.VectorType(ir.IntType(1), 64))
        numbers = builder.uitofp(flags, ir.VectorType(ir.FloatType(), 64))
        return _store(context, builder, signature, arguments, numbers)

    return types.void(out, types.intp, types.uint64), generate


@intrinsic
def store_float(typing_context: Any, out: Any, at: Any, number: Any) -> Any:
    """Write a number as ``float32`` from byte ``at`` of an array of uint8."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _store(context, builder, signature, arguments, arguments[2])

    return types.void(out, types.intp, types.float32), generate


@kernel
def signed(word: Board) -> int:
    """Return a small word as a signed number; Numba makes a float of a mix of both kinds."""
    number: Any = np.int64(word)
    return number


@kernel
def bit(square: int) -> Board:
    """Return the board with one square."""
    return ONE << np.uint64(square)


@kernel
def first(board: Board) -> Board:
    """Return the board with the first square of a board, or an empty one."""
    return board & (~board + ONE)


@kernel
def neighbours(board: Board) -> Board:
    """Return the squares adjacent to a square of the board (never diagonal)."""
    vertical = (board << _ROW) | (board >> _ROW)
    horizontal = ((board & ~COLUMN_E) << ONE) | ((board & ~COLUMN_A) >> ONE)
    return (vertical | horizontal) & EVERY_SQUARE


@kernel
def fill(seed: Board, within: Board) -> Board:
    """Return the squares of ``within`` that are connected to the seed, all directions at once."""
    area = seed & within
    while True:
        grown = (area | neighbours(area)) & within
        if grown == area:
            return area
        area = grown


@kernel
def select(board: Board, index: int) -> int:
    """Return the square at an index (from 0) among the squares of a board, in ascending order."""
    rest = board
    square = 0
    width = 32
    while width:
        low = rest & ((ONE << np.uint64(width)) - ONE)
        inside = count(low)
        if index >= inside:
            index -= inside
            rest >>= np.uint64(width)
            square += width
        else:
            rest = low
        width >>= 1
    return square


@kernel
def steps_up(board: Board, free: Board) -> Board:
    """Return the squares of the board from which the step up leads to a free square."""
    return board & (free >> _ROW)


@kernel
def steps_right(board: Board, free: Board) -> Board:
    """Return the squares of the board from which the step right leads to a free square."""
    return board & ~COLUMN_E & (free >> ONE)


@kernel
def steps_down(board: Board, free: Board) -> Board:
    """Return the squares of the board from which the step down leads to a free square."""
    return board & (free << _ROW)


@kernel
def steps_left(board: Board, free: Board) -> Board:
    """Return the squares of the board from which the step left leads to a free square."""
    return board & ~COLUMN_A & (free << ONE)
