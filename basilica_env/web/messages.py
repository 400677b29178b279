"""What is said over HTTP, as types: they read and check requests, write responses and describe both.

A pair is of player 0 and player 1. ``docs/web-api.md`` explains every field.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

LONGEST_DELAY = 10.0
"""Seconds."""
MOST_SEED = 2**53 - 1
"""The largest whole number that JavaScript can hold."""
LONGEST_NAME = 40
LONGEST_SPEC = 100
LONGEST_POSITION = 4000
"""Characters; the text of a position takes a few hundred."""
MOST_MOVES = 1000
"""More than the longest game has."""

Pair = tuple[int, int]
Seed = Annotated[int, Meta(ge=0, le=MOST_SEED)]
Delay = Annotated[float, Meta(ge=0, le=LONGEST_DELAY)]
Spec = Annotated[str, Meta(min_length=1, max_length=LONGEST_SPEC)]
MoveText = Annotated[str, Meta(min_length=1, max_length=20)]
PositionText = Annotated[str, Meta(max_length=LONGEST_POSITION)]
MoveTexts = Annotated[tuple[MoveText, ...], Meta(max_length=MOST_MOVES)]


class Request(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of a request."""


class Response(msgspec.Struct, frozen=True, kw_only=True):
    """The body of a response."""


# --- Requests -------------------------------------------------------------------------------------


class Person(Request, frozen=True, tag_field="kind", tag="person"):
    """A person at the page."""

    name: Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)] = "person"


class AgentSeat(Request, frozen=True, tag_field="kind", tag="agent"):
    """An agent, by its spec."""

    agent: Spec

    @property
    def name(self) -> str:
        """What to call it."""
        return self.agent


Seat = Person | AgentSeat


class NewGame(Request, frozen=True):
    """A game to begin."""

    players: tuple[Seat, Seat] = (Person(), AgentSeat(agent="easy"))
    seed: Seed | None = None
    position: PositionText = ""
    paused: bool = False
    delay: Delay = 0.0


class Nothing(Request, frozen=True):
    """A request that says all by its path."""


class Choice(Request, frozen=True):
    """A move to make."""

    move: MoveText
    version: int | None = None


class Pace(Request, frozen=True):
    """How agents are to play on."""

    paused: bool | None = None
    delay: Delay | None = None


class Question(Request, frozen=True):
    """Whom to ask for a hint."""

    agent: Spec = "mcts:sims=2000"


class PositionSetUp(Request, frozen=True):
    """A position, and moves to play in it."""

    position: Annotated[str, Meta(min_length=1, max_length=LONGEST_POSITION)]
    moves: MoveTexts = ()


class PositionQuestion(PositionSetUp, frozen=True):
    """A position to analyse."""

    agent: Spec = "mcts:ms=2000"


class RecordText(Request, frozen=True):
    """A file of records, and which game of it."""

    text: Annotated[str, Meta(min_length=1)]
    number: Annotated[int, Meta(ge=1, le=1_000_000)] = 1


class Evaluator(Request, frozen=True):
    """Who is to evaluate a replay."""

    agent: Spec = "mcts:sims=400"


# --- Responses ------------------------------------------------------------------------------------


class Failure(Response, frozen=True):
    """Why a request was refused."""

    error: str


class Area(Response, frozen=True):
    """An area and what it scores (R8.2-R8.4)."""

    colour: str
    name: str
    squares: tuple[str, ...]
    size: int
    builders: Pair
    strength: Pair
    strongmen: Pair
    architect: bool
    glass: int
    majority: int | None
    points: Pair


class Scoring(Response, frozen=True):
    """A scoring, area by area."""

    title: str
    areas: tuple[Area, ...]
    points: Pair
    scores: Pair


class Move(Response, frozen=True):
    """A move that was made."""

    number: int
    player: int
    move: str
    words: str
    comment: str
    seconds: float | None
    scoring: Scoring | None
    scores: Pair
    king: int
    left: int


class Square(Response, frozen=True):
    """What is on a square; scaffolding has no code."""

    code: str | None
    colours: str
    crown: bool
    glass: bool
    builder: int | None
    rank: str | None


class OrderSide(Response, frozen=True):
    """What the order side of a tile shows (R1.5)."""

    order: str
    title: str
    coin: bool
    colours: str


class VaultSide(Response, frozen=True):
    """What the vault side of a tile shows."""

    code: str
    colours: str
    crown: bool


class LegalMove(Response, frozen=True):
    """A move that can be made."""

    move: str
    words: str
    squares: tuple[str, ...]
    space: str | None


class Position(Response, frozen=True):
    """What is open in a position (R1.5), drawn and in words."""

    svg: str
    text: str
    description: str
    decision: str
    question: str
    explanation: tuple[str, ...]
    player: int | None
    turn: int
    actions: int
    scores: Pair
    king: int
    coins: Pair
    builders: Pair
    tokens: Pair
    stack: int
    discard: int
    left: int
    reshuffled: bool
    over: bool
    result: str | None
    cathedral: dict[str, Square]
    orders: tuple[OrderSide | None, ...]
    top: OrderSide | None
    vaults: tuple[VaultSide | None, ...]
    legal: tuple[LegalMove, ...]
    areas: tuple[Area, ...]
    last: tuple[str, ...]


class Player(Response, frozen=True):
    """Who sits at a game."""

    kind: Literal["person", "agent"]
    name: str
    agent: str | None


GameStatus = Literal["person", "thinking", "paused", "over", "failed"]


class Game(Response, frozen=True):
    """A game now."""

    id: str
    version: int
    players: tuple[Player, Player]
    seed: int | None
    status: GameStatus
    failure: str
    paused: bool
    delay: float
    number: int
    moves: tuple[Move, ...]
    undo: bool
    position: Position


class MoveFigures(Response, frozen=True):
    """What an agent thinks of a move, for the player who decides."""

    move: str
    words: str
    squares: tuple[str, ...]
    space: str | None
    value: float | None
    win_chance: float | None
    margin: float | None
    visits: int


class Analysis(Response, frozen=True):
    """What an agent thinks of a position."""

    agent: str
    player: int
    decision: str
    moves: tuple[MoveFigures, ...]
    line: tuple[str, ...]
    simulations: int
    seconds: float


class Prospect(Response, frozen=True):
    """What player 0 may expect after so many moves."""

    number: int
    win_chance: float | None
    margin: float | None


EvaluationStatus = Literal["none", "running", "done", "ended", "failed"]


class Evaluation(Response, frozen=True):
    """What an agent thinks of every position of a game."""

    status: EvaluationStatus
    agent: str
    done: int
    total: int
    failure: str
    values: tuple[Prospect, ...]


class Replay(Response, frozen=True):
    """A recorded game."""

    id: str
    number: int
    games: int
    players: tuple[str, str]
    result: str
    scores: Pair
    termination: str
    date: str
    seed: str | None
    headers: tuple[tuple[str, str], ...]
    moves: tuple[Move, ...]
    evaluation: Evaluation


class Progress(Response, frozen=True):
    """How far an agent has thought."""

    player: int
    simulations: int
    seconds: float


class Gone(Response, frozen=True):
    """That a game was deleted."""


class Parameter(Response, frozen=True):
    """A parameter of an agent: a whole number within bounds, or one of some words."""

    name: str
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()

    def allows(self, number: int) -> bool:
        """Return whether a number is within bounds."""
        return (self.least is None or number >= self.least) and (self.most is None or number <= self.most)


class Agent(Response, frozen=True):
    """An agent that may be asked."""

    name: str
    words: str
    tells: bool
    parameters: tuple[Parameter, ...]


class LimitsTold(Response, frozen=True):
    """What the server allows."""

    seconds: float
    body: int
    record: int
    games: int
    streams: int
    delay: float


class About(Response, frozen=True):
    """What the server is and can do."""

    version: str
    tiles: str
    agents: tuple[Agent, ...]
    levels: dict[str, str]
    limits: LimitsTold
    rules: dict[str, tuple[str, ...]]
