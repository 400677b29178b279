r"""Game records: whole games as text, thousands of them in one file.

A record is headers, the moves turn by turn, and the result::

    [Format "basilica 1"]
    [Tiles "standard"]
    [TilesDigest "e0c898a4336c4652..."]
    [Player0 "mcts:sims=800"]
    [Player1 "greedy"]
    [Seed "7"]
    [Date "2025-01-31"]
    [Result "1-0"]
    [Score "34:31"]
    [Termination "exhaustion"]
    [Position "- R1,G4,YB0 B7,RG2,Y9 Y3,...,G0 - 0 0:0 1:1 0:3 main 0"]

    1.0 V2c3 @0.532 B @0.020 O1 d1 {an early Recruit} pass
    2.1 V1c4 V1d4 V3d3
    ...
    31.0 O2 c3 <R3,YB1,...,G7> B8 V1a5
    1-0 34:31

Grammar
-------
::

    file      = { blank } { record { blank } }
    record    = header { header } { blank } { move-line } end-line
    header    = '[' name ' "' text '"]'             name: a letter, then letters and digits
    move-line = item { ' ' item }
    item      = turn | move [ clock ] [ pile ] [ comment ]
    turn      = number '.' player                   the moves of this turn follow, across lines if need be
    move      = move text of the notation
    clock     = '@' seconds with three decimals     how long the decision took
    pile      = '<' code { ',' code } '>'           the pile that this move reshuffled, top first (R7.1)
    comment   = '{' text '}'
    end-line  = result ' ' points ':' points        the points of player 0 come first
    result    = '1-0' | '0-1' | '1/2-1/2' | '*'     player 0 won, player 1 won, a tie, no result

Turns count from 1 at the position the record begins with; a turn bears the number of the player whose
turn it is, also when the opponent answers an offer in it. Clock, pile and comment come in this order.

In ``text`` a backslash begins an escape: ``\\``, ``\"``, ``\{``, ``\}``, ``\n``, ``\r``, ``\t``, and a
character by its number as in ``\u{a0}``. Written like this are those characters, all other controls of
the output, and lone surrogates; everything else stands as it is. The file is UTF-8.

Headers
-------
``Format``, ``Tiles``, ``TilesDigest``, ``Player0``, ``Player1``, ``Seed``, ``Date``, ``Result``, ``Score``,
``Termination`` and ``Position`` come first and in this order; others may follow. ``Seed`` and ``Date`` (year,
month and day) may be ``?``. ``Termination`` is ``scoring`` (the king on 30, R8.6) or ``exhaustion`` (R7.2) if
the game ended by the rules, and anything else if it did not: ``unfinished`` without a result, or why there
is one nevertheless, such as ``time``.
"""

from __future__ import annotations

import datetime
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Any

from basilica_env import notation
from basilica_env.core.layout import LAST_SPACE, SPACES, TILES
from basilica_env.core.tiles import TileSet, shown
from basilica_env.files import named, regular_file, replacing
from basilica_env.game import GameState
from basilica_env.notation import PositionError

FORMAT = "basilica 1"
UNKNOWN = "?"
UNFINISHED = "unfinished"
BY_THE_RULES = ("scoring", "exhaustion")
"""The terminations of a game that ended by the rules."""

RESULTS = {(1, -1): "1-0", (-1, 1): "0-1", (0, 0): "1/2-1/2"}
NO_RESULT = "*"

HEADERS = (
    *("Format", "Tiles", "TilesDigest", "Player0", "Player1", "Seed", "Date"),
    *("Result", "Score", "Termination", "Position"),
)
LONGEST_LINE = 1 << 20
"""Bytes; the longest line of a game without comments takes some hundred."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*", re.ASCII)
_HEADER = re.compile(r'\[([A-Za-z][A-Za-z0-9]*) "((?:[^"\\]|\\.)*)"\]', re.ASCII)
_SEED = re.compile(r"\?|0|[1-9][0-9]{0,99}", re.ASCII)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_ITEM = re.compile(
    r"""(?P<turn>[1-9][0-9]*\.[01])
      | (?P<move>[^\s@<>{}]+)
        (?:[ ]+@(?P<clock>(?:0|[1-9][0-9]{0,8})\.[0-9]{3}))?
        (?:[ ]+<(?P<pile>[^<>\s]+)>)?
        (?:[ ]+\{(?P<comment>(?:[^{}\\]|\\u\{[0-9a-f]+\}|\\.)*)\})?""",
    re.ASCII | re.VERBOSE,
)
_END = re.compile(r"(1-0|0-1|1/2-1/2|\*) +(0|[1-9][0-9]{0,4}):(0|[1-9][0-9]{0,4})", re.ASCII)
_MUST_ESCAPE = re.compile(
    # the marks of the grammar; controls, line ends; marks that turn the writing direction; surrogates
    '[\\\\"{}\x00-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]'
)
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-f]{1,6})\}|(.))", re.DOTALL)
_SHORT = {"\n": "n", "\r": "r", "\t": "t", **{mark: mark for mark in '\\"{}'}}
_LONG = {letter: character for character, letter in _SHORT.items()}


class RecordError(ValueError):
    """A text that is no record, or a record that does not fit the rules.

    Attributes
    ----------
    file : str
        The name of the file.
    line : int
        The line with the fault, from 1.
    game : int
        The number of the game in the file, from 1.
    move : int or None
        The number of the move in the game, from 1; None if the fault is not at a move.
    reason : str
        What is wrong and what would be right.
    """

    def __init__(self, file: str, line: int, game: int, move: int | None, reason: str) -> None:
        super().__init__(file, line, game, move, reason)
        self.file, self.line, self.game, self.move, self.reason = file, line, game, move, reason

    def __str__(self) -> str:
        move = "" if self.move is None else f", move {self.move}"
        return f"{self.file}, line {self.line}, game {self.game}{move}: {self.reason}"


@dataclass(frozen=True)
class RecordedMove:
    """One move of a record.

    Attributes
    ----------
    move : str
        The move text.
    clock : float or None
        How long the decision took, in seconds, to the millisecond.
    comment : str
        Free text; empty for none.
    reshuffled : tuple of str
        The pile that this move reshuffled, top first (R7.1); empty if it reshuffled none.
    """

    move: str
    clock: float | None = None
    comment: str = ""
    reshuffled: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.clock is not None:
            if not (math.isfinite(self.clock) and 0 <= self.clock < 1e9):
                raise ValueError(
                    f"clock {self.clock!r} of move {self.move!r}: expected seconds from 0 to 1e9"
                )
            object.__setattr__(self, "clock", round(float(self.clock), 3))

    def to_text(self) -> str:
        """Return the move with clock, pile and comment as they stand in a record."""
        parts = [self.move]
        if self.clock is not None:
            parts.append(f"@{self.clock:.3f}")
        if self.reshuffled:
            parts.append(f"<{','.join(self.reshuffled)}>")
        if self.comment:
            parts.append(f"{{{_escape(self.comment)}}}")
        return " ".join(parts)


@dataclass(frozen=True)
class GameRecord:
    """One game, from a position to its end or to where it was left.

    Make one with a :class:`Recorder`, or read one with :func:`read_records`.

    Attributes
    ----------
    position : str
        The position the record begins with.
    moves : tuple of RecordedMove
    result : str
        ``1-0``, ``0-1``, ``1/2-1/2`` or ``*``.
    scores : tuple of two int
        The points of both players after the last move.
    termination : str
        ``scoring``, ``exhaustion``, ``unfinished``, or another reason for a result.
    players : tuple of two str
        The names of the players, such as the specs of agents.
    seed : int or None
        The seed of the game, if it was dealt from one.
    date : str
        Year, month and day, such as ``2025-01-31``, or ``?``.
    headers : mapping of str to str
        The other headers, in the order written.
    tiles : TileSet
    """

    position: str
    moves: tuple[RecordedMove, ...]
    result: str
    scores: tuple[int, int]
    termination: str
    players: tuple[str, str] = (UNKNOWN, UNKNOWN)
    seed: int | None = None
    date: str = UNKNOWN
    headers: Mapping[str, str] = field(default_factory=dict, hash=False)
    tiles: TileSet = field(default_factory=TileSet.standard)

    def __post_init__(self) -> None:
        for name in self.headers:
            if not _NAME.fullmatch(name) or name in HEADERS:
                raise ValueError(
                    f"header {shown(name)}: expected a letter, then letters and digits, and none of "
                    f"{', '.join(HEADERS)}"
                )
        if self.seed is not None and not _SEED.fullmatch(str(self.seed)):
            raise ValueError(f"seed {self.seed!r}: expected an integer from 0")
        if not _is_date(self.date):
            raise ValueError(f"date {shown(self.date)}: expected one such as 2025-01-31, or ?")

    def initial(self) -> GameState:
        """Return the state the record begins with."""
        return GameState.from_text(self.position, tiles=self.tiles)

    def replay(self) -> Iterator[GameState]:
        """Yield the state after each move, each a state of its own.

        Raises
        ------
        ValueError
            If a move does not fit the rules. A record that was read or recorded has none.
        """
        course = _Course(self.initial())
        for move in self.moves:
            course.play(move)
            yield course.state.copy()

    def to_text(self) -> str:
        """Return the record as text; it ends with a line end.

        Raises
        ------
        ValueError
            If the moves, the result or the points do not fit the rules, or a line would be too long.
        """
        course = _Course(self.initial())
        turns: list[list[str]] = []
        for move in self.moves:
            if course.turn > len(turns):
                turns.append([course.mark])
            course.play(move)
            turns[-1].append(move.to_text())
        _check_end(course.state, self.result, self.scores, self.termination)
        headers = [f'[{name} "{_escape(value)}"]' for name, value in self._all_headers().items()]
        lines = [*headers, "", *map(" ".join, turns), f"{self.result} {_score_text(self.scores)}", ""]
        for line in lines:
            if len(line.encode()) + 1 >= LONGEST_LINE:
                raise ValueError(f"line {shown(line)} of a record: expected less than {LONGEST_LINE} bytes")
        return "\n".join(lines)

    def _all_headers(self) -> dict[str, str]:
        values = (
            *(FORMAT, self.tiles.name, self.tiles.digest, *self.players),
            *(UNKNOWN if self.seed is None else str(self.seed), self.date),
            *(self.result, _score_text(self.scores), self.termination, self.position),
        )
        return {**dict(zip(HEADERS, values, strict=True)), **self.headers}


class Recorder:
    """Plays a game and keeps its record.

    Parameters
    ----------
    state : GameState
        The game, anywhere in its course; :meth:`play` plays on it.
    players, seed, date, headers
        As in :class:`GameRecord`.

    Examples
    --------
    >>> recorder = Recorder(GameState.new(seed=7), players=("random", "greedy"), seed=7)
    >>> recorder.play(recorder.state.legal_moves()[0], clock=0.5, comment="a first try")
    >>> recorder.record().result
    '*'
    """

    def __init__(
        self,
        state: GameState,
        players: tuple[str, str] = (UNKNOWN, UNKNOWN),
        seed: int | None = None,
        date: str = UNKNOWN,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.state = state
        self.players = players
        self.seed = seed
        self.date = date
        self.headers = dict(headers or {})
        self.position = state.to_text()
        self.moves: list[RecordedMove] = []

    def play(self, move: str | int, clock: float | None = None, comment: str = "") -> None:
        """Play a move, by its text or its action number, and record it.

        Raises
        ------
        IllegalMoveError
            If the move is not legal now; neither the game nor the record has changed.
        """
        text = move if isinstance(move, str) else notation.action_words(move)
        recorded = RecordedMove(text, clock, comment)
        before = self.state.to_array()
        self.state.play(text)
        pile = _reshuffled_pile(before, self.state, text)
        self.moves.append(RecordedMove(text, recorded.clock, comment, pile) if pile else recorded)

    def record(self, termination: str | None = None, result: str | None = None) -> GameRecord:
        """Return the record so far.

        Parameters
        ----------
        termination, result : str, optional
            Why a game that is not over by the rules has ended, and how: ``"time"``, ``"0-1"``.

        Raises
        ------
        ValueError
            If they do not fit the game.
        """
        state = self.state
        if result is None:
            result = RESULTS[state.returns()] if state.is_over else NO_RESULT
        if termination is None:
            termination = _termination(state)
        _check_end(state, result, state.scores, termination)
        return GameRecord(
            position=self.position,
            moves=tuple(self.moves),
            result=result,
            scores=state.scores,
            termination=termination,
            players=self.players,
            seed=self.seed,
            date=self.date,
            headers=dict(self.headers),
            tiles=state.tiles,
        )


def read_records(
    source: str | os.PathLike[str] | IO[str] | IO[bytes], tiles: Iterable[TileSet] = ()
) -> Iterator[GameRecord]:
    """Read the records of a file one after the other, each checked against the rules.

    Parameters
    ----------
    source : path or file
        A file open for reading, as text or as bytes.
    tiles : iterable of TileSet
        The tile sets that the records may use besides the standard one; told apart by their digests.

    Yields
    ------
    GameRecord

    Raises
    ------
    RecordError
        If the text is no record or a move, the result or the points do not fit the rules.
    OSError
        If the file cannot be read.
    """
    for record in scan_records(source, tiles):
        if isinstance(record, RecordError):
            raise record
        yield record


def scan_records(
    source: str | os.PathLike[str] | IO[str] | IO[bytes], tiles: Iterable[TileSet] = ()
) -> Iterator[GameRecord | RecordError]:
    """Read the records of a file like :func:`read_records`, and go on behind a damaged one.

    A damaged record, such as one that a crash cut off, ends where the next one says its format.

    Yields
    ------
    GameRecord or RecordError
        Each game of the file, or what is wrong with it.

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    known = {tile_set.digest: tile_set for tile_set in (*tiles, TileSet.standard())}
    if isinstance(source, str | os.PathLike):
        with named(source).open("rb") as file:
            yield from _RecordReader(file, known)
    else:
        yield from _RecordReader(source, known)


def write_records(path: str | os.PathLike[str], records: Iterable[GameRecord]) -> None:
    """Write a file of records. A file of this name is replaced once all of them are written.

    Raises
    ------
    ValueError
        If a record does not fit the rules; the file is as it was.
    OSError
        If the file cannot be written.
    """
    with replacing(path) as draft, draft.open("x", encoding="utf-8", newline="\n") as file:
        for number, record in enumerate(records):
            file.write("\n" * (number > 0) + record.to_text())


def append_record(path: str | os.PathLike[str], record: GameRecord) -> None:
    """Add a record to a file, or begin the file.

    The record is one single write at the end of the file, so records that several processes add do not mix.
    A record that a crash cut off there stays apart from the new one.

    Raises
    ------
    ValueError
        If the record does not fit the rules; the file is as it was.
    OSError
        If the file cannot be written.
    """
    text = record.to_text()
    with regular_file(path).open("ab+", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 1))
        last = file.read(1)
        gap = {b"": "", b"\n": "\n"}.get(last, "\n\n")
        data = (gap + text).encode()
        written = file.write(data)
        if written != len(data):
            raise OSError(
                f"only {written} of {len(data)} bytes of a record were written to {os.fspath(path)!r}"
            )


# --- Playing a record ----------------------------------------------------------------------------


class _Course:
    """A game on its way through its record: the state, the moves so far and the number of the turn."""

    def __init__(self, state: GameState) -> None:
        self.state = state
        self.moves: list[RecordedMove] = []
        self.turn = 1
        self.is_turn_begun = False
        self.is_turn_played = False

    @property
    def mark(self) -> str:
        """The mark before the first move of the turn."""
        return f"{self.turn}.{self.state.turn}"

    @property
    def next_move(self) -> int:
        """The number of the move to come, from 1."""
        return len(self.moves) + 1

    def play(self, move: RecordedMove) -> None:
        player, was_reshuffled = self.state.turn, self.state.was_reshuffled
        self.state.play(move.move, reshuffled=move.reshuffled or None)
        if self.state.was_reshuffled != was_reshuffled and not move.reshuffled:
            raise ValueError(f"move {move.move!r} reshuffles: expected the pile after it, as in <R3,YB1>")
        self.moves.append(move)
        self.is_turn_played = self.state.turn == player
        if not self.is_turn_played:
            self.turn += 1
            self.is_turn_begun = False


def _reshuffled_pile(before: Any, state: GameState, move: str) -> tuple[str, ...]:
    """Return the pile that a move reshuffled, top first, or nothing."""
    after = state.to_array()
    if before["reshuffled"][0] or not after["reshuffled"][0]:
        return ()
    # The tiles drawn from the new stack still lie before its top.
    draws = SPACES if move == "redraw" else 1
    drawn = draws - (TILES - int(before["top"][0]))
    return tuple(state.tiles.codes[tile] for tile in after["deck"][0, int(after["top"][0]) - drawn : TILES])


def _termination(state: GameState) -> str:
    if not state.is_over:
        return UNFINISHED
    return BY_THE_RULES[0] if state.king == LAST_SPACE else BY_THE_RULES[1]


def _check_end(state: GameState, result: str, scores: tuple[int, int], termination: str) -> None:
    """Check what a record says about its end against the state after its last move."""
    if result not in (*RESULTS.values(), NO_RESULT):
        raise ValueError(
            f"result {shown(result)}: expected one of {', '.join(RESULTS.values())}, {NO_RESULT}"
        )
    if scores != state.scores:
        raise ValueError(f"score {_score_text(scores)}: expected {_score_text(state.scores)}")
    right = _termination(state)
    if state.is_over:
        if termination != right:
            raise ValueError(f"termination {shown(termination)}: expected {right!r}")
        if result != RESULTS[state.returns()]:
            raise ValueError(
                f"result {result!r}: expected {RESULTS[state.returns()]!r}, by {_score_text(scores)}"
            )
    elif termination in BY_THE_RULES or not termination:
        raise ValueError(f"termination {termination!r} of a game that is not over: expected another reason")
    elif termination == UNFINISHED and result != NO_RESULT:
        raise ValueError(f"result {result!r} of an unfinished game: expected {NO_RESULT!r} or a termination")


def _score_text(scores: tuple[int, int]) -> str:
    return f"{scores[0]}:{scores[1]}"


def _is_date(text: str) -> bool:
    if text == UNKNOWN:
        return True
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return _DATE.fullmatch(text) is not None


# --- Escapes -------------------------------------------------------------------------------------


def _escape(text: str) -> str:
    def escaped(match: re.Match[str]) -> str:
        character = match[0]
        return "\\" + (_SHORT[character] if character in _SHORT else f"u{{{ord(character):x}}}")

    return _MUST_ESCAPE.sub(escaped, text)


def _unescape(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        number, letter = match.groups()
        if number is not None and int(number, 16) <= 0x10FFFF:
            return chr(int(number, 16))
        if letter not in _LONG:
            raise ValueError(f"unknown escape {shown(match[0])}: expected one such as \\n or \\u{{a0}}")
        return _LONG[letter]

    return _ESCAPE.sub(character, text)


# --- Reading -------------------------------------------------------------------------------------


class _RecordReader:
    """Reads one file line by line and plays every game along."""

    def __init__(self, file: IO[str] | IO[bytes], tiles: Mapping[str, TileSet]) -> None:
        self.file = file
        self.name = str(getattr(file, "name", "record"))
        self.tiles = tiles
        self.line = 0
        self.text = ""
        self.game = 0

    def __iter__(self) -> Iterator[GameRecord | RecordError]:
        line: str | None = ""
        found: GameRecord | RecordError
        while True:
            self.game += 1
            start = self.line + 1
            try:
                while line == "":
                    line = self.next_line()
                if line is None:
                    return
                start = self.line
                found = self.read_record(line)
                line = ""
            except RecordError as error:
                found = error
                line = self.next_start(start)
            yield found

    def next_start(self, start: int) -> str | None:
        """Return the first line of the record after a damaged one, which begins in line `start`."""
        line: str | None = self.text if self.line > start else ""
        while line is not None and not line.startswith("[Format "):
            try:
                line = self.next_line()
            except RecordError:
                continue
        return line

    def fault(self, reason: object, move: int | None = None) -> RecordError:
        return RecordError(self.name, self.line, self.game, move, str(reason))

    # Lines

    def next_line(self) -> str | None:
        """Return the next line without the blanks around it; None at the end of the file."""
        self.line += 1
        self.text = ""
        raw = self.file.readline(LONGEST_LINE)
        if len(raw) == LONGEST_LINE:
            while raw and raw[-1:] not in ("\n", b"\n"):
                raw = self.file.readline(LONGEST_LINE)
            raise self.fault(f"a line of {LONGEST_LINE} bytes or more: expected a shorter one")
        if isinstance(raw, bytes):
            try:
                raw = raw.decode()
            except UnicodeDecodeError as error:
                raise self.fault(f"not UTF-8: byte {error.object[error.start]:#04x}") from None
        if not raw:
            return None
        if self.line == 1:
            raw = raw.removeprefix("\ufeff")
        self.text = raw.strip(" \t\r\n")
        return self.text

    def next_line_of_record(self) -> str:
        line = self.next_line()
        if line is None:
            raise self.fault("the file ends within a record: expected its result and score")
        return line

    # Headers

    def read_record(self, line: str) -> GameRecord:
        headers: dict[str, str] = {}
        while line.startswith("["):
            name, value = self.read_header(line)
            if name in headers:
                raise self.fault(f"second header {name!r}: expected each once")
            headers[name] = value
            line = self.next_line_of_record()
        self.check_headers(headers)
        return self.read_game(line, headers)

    def read_header(self, line: str) -> tuple[str, str]:
        match = _HEADER.fullmatch(line)
        if match is None:
            raise self.fault(f'malformed header {shown(line)}: expected [Name "value"]')
        try:
            return match[1], _unescape(match[2])
        except ValueError as error:
            raise self.fault(f"header {match[1]!r}: {error}") from None

    def check_headers(self, headers: Mapping[str, str]) -> None:
        for name in HEADERS:
            if name not in headers:
                raise self.fault(f"missing header {name!r}: expected a record of format {FORMAT!r}")
        if headers["Format"] != FORMAT:
            raise self.fault(f"format {shown(headers['Format'])}: expected {FORMAT!r}")
        if headers["TilesDigest"] not in self.tiles:
            raise self.fault(
                f"unknown tile set {shown(headers['Tiles'])} with digest {shown(headers['TilesDigest'])}: "
                "expected the standard one or one given for reading"
            )
        if not _SEED.fullmatch(headers["Seed"]):
            raise self.fault(f"seed {shown(headers['Seed'])}: expected an integer from 0, or ?")
        if not _is_date(headers["Date"]):
            raise self.fault(f"date {shown(headers['Date'])}: expected one such as 2025-01-31, or ?")

    # Moves

    def read_game(self, line: str, headers: Mapping[str, str]) -> GameRecord:
        tiles = self.tiles[headers["TilesDigest"]]
        try:
            game = _Course(GameState.from_text(headers["Position"], tiles=tiles))
        except PositionError as error:
            raise self.fault(f"header 'Position': {error}") from None
        while (end := _END.fullmatch(line)) is None:
            if line.startswith("["):
                raise self.fault("the record before this line is cut off: expected its result and score")
            for item in self.items(line, game):
                if item["turn"] is None:
                    self.play(item, game)
                else:
                    self.begin_turn(item["turn"], game)
            line = self.next_line_of_record()
        if game.is_turn_begun and not game.is_turn_played:
            raise self.fault(f"turn {game.mark} without a move: expected none after the last move")
        return self.finish(end, headers, game)

    def items(self, line: str, game: _Course) -> Iterator[re.Match[str]]:
        """Yield the turns and the moves in a line."""
        place = 0
        while place < len(line):
            match = _ITEM.match(line, place)
            if match is None or line[match.end() : match.end() + 1] not in ("", " ", "\t"):
                raise self.fault(
                    f"malformed {shown(line[place:])}: expected a turn or a move with clock, pile, comment",
                    game.next_move,
                )
            yield match
            place = match.end()
            while place < len(line) and line[place] in " \t":
                place += 1

    def begin_turn(self, mark: str, game: _Course) -> None:
        if game.is_turn_begun or mark != game.mark:
            right = f"a move of turn {game.mark}" if game.is_turn_begun else game.mark
            raise self.fault(f"turn {mark}: expected {right}", game.next_move)
        game.is_turn_begun = True

    def play(self, item: re.Match[str], game: _Course) -> None:
        if not game.is_turn_begun:
            raise self.fault(
                f"move {shown(item['move'])} without turn: expected {game.mark} before it", game.next_move
            )
        clock, pile = item["clock"], item["pile"]
        try:
            comment = _unescape(item["comment"] or "")
            move = RecordedMove(
                item["move"],
                None if clock is None else float(clock),
                comment,
                tuple(pile.split(",")) if pile else (),
            )
            game.play(move)
        except ValueError as error:
            raise self.fault(error, game.next_move) from None

    def finish(self, end: re.Match[str], headers: Mapping[str, str], game: _Course) -> GameRecord:
        result, scores = end[1], (int(end[2]), int(end[3]))
        for name, value in (("Result", result), ("Score", _score_text(scores))):
            if headers[name] != value:
                raise self.fault(
                    f"{name.lower()} {value}: expected {shown(headers[name])}, as header {name!r} says"
                )
        try:
            _check_end(game.state, result, scores, headers["Termination"])
        except ValueError as error:
            raise self.fault(error) from None
        seed = headers["Seed"]
        return GameRecord(
            position=headers["Position"],
            moves=tuple(game.moves),
            result=result,
            scores=scores,
            termination=headers["Termination"],
            players=(headers["Player0"], headers["Player1"]),
            seed=None if seed == UNKNOWN else int(seed),
            date=headers["Date"],
            headers={name: value for name, value in headers.items() if name not in HEADERS},
            tiles=game.state.tiles,
        )
