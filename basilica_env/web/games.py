"""The games of a server: played, taken back, watched, and kept as records that outlive it.

The file of a game is its record, written anew after every move. Besides the usual headers it has:

==================  ==================================================================================
``Seat0, Seat1``    ``person`` or ``agent``; the spec of an agent is its name
``Chance``          the seed of what is still to be drawn and decided
``Paused, Delay``   whether agents wait, and the seconds that their moves take at least
==================  ==================================================================================
"""

from __future__ import annotations

import asyncio
import datetime
import itertools
import logging
import secrets
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec

from basilica_env.core.tiles import shown
from basilica_env.files import remove_drafts, write_text
from basilica_env.game import GameState
from basilica_env.records import GameRecord, read_records
from basilica_env.web import messages
from basilica_env.web.courses import Course
from basilica_env.web.feeds import Feed
from basilica_env.web.ids import is_id, new_id
from basilica_env.web.messages import AgentSeat, Person, Seat
from basilica_env.web.opponents import check_spec
from basilica_env.web.refusals import FullError, NotFoundError, NotNowError, Refusal, WrongError
from basilica_env.web.scenes import Scene
from basilica_env.web.settings import Settings
from basilica_env.web.thinking import Thinkers, Thought, choose, seed_of

SUFFIX = ".basilica"
SEED_BITS = 32

_LOG = logging.getLogger(__name__)
_TOLD = "the output of the server says why"
"""Instead of the reason, which may tell visitors how the server is set up."""

_versions = itertools.count(time.time_ns() // 1_000_000)
"""Beginning with the time, so that the versions of a server that was started again are higher."""


class Game:
    """One game.

    Parameters
    ----------
    path : Path
        Where its record is kept.
    seats : pair of Person or AgentSeat
    course : Course
        The game as far as it has come.
    origin : Origin
    thinkers : Thinkers
    limit : float
        Seconds that an agent may think about a move.

    Attributes
    ----------
    version : int
        Grows with every change.
    thought : Thought or None
        Of the agent that thinks.
    feed : Feed
        Tells of changes.
    is_deleted : bool
    """

    def __init__(
        self,
        path: Path,
        seats: tuple[Seat, Seat],
        course: Course,
        origin: Origin,
        thinkers: Thinkers,
        limit: float,
    ) -> None:
        self.id = path.name.removesuffix(SUFFIX)
        self.seats = seats
        self.course = course
        self.origin = origin
        self.paused = False
        self.delay = 0.0
        self.failure = ""
        self.version = next(_versions)
        self.thought: Thought | None = None
        self.feed = Feed(self.go_on)
        self.is_deleted = False
        self._path = path
        self._thinkers = thinkers
        self._limit = limit
        self._task: asyncio.Task[None] | None = None
        self._asked_at = time.monotonic()
        self._encoded: dict[bool, bytes] = {}

    # --- What it is like now ----------------------------------------------------------------------

    @property
    def state(self) -> GameState:
        """The position now."""
        return self.course.state

    @property
    def seat(self) -> Seat:
        """Who decides now."""
        return self.seats[self.state.player]

    @property
    def status(self) -> messages.GameStatus:
        """What the game waits for."""
        if self.state.is_over:
            return "over"
        if self.failure:
            return "failed"
        if isinstance(self.seat, Person):
            return "person"
        return "paused" if self.paused and not self.is_at_work else "thinking"

    @property
    def is_at_work(self) -> bool:
        """Whether an agent thinks or is about to play."""
        return self._task is not None and not self._task.done()

    def encoded(self, drawn: bool) -> bytes:
        """Give all that may be known of the game as JSON, made once for all who watch."""
        if drawn not in self._encoded:
            self._encoded[drawn] = msgspec.json.encode(self.message(drawn))
        return self._encoded[drawn]

    def message(self, drawn: bool) -> messages.Game:
        """Say all that may be known of the game."""
        number = len(self.course.moves)
        return messages.Game(
            id=self.id,
            version=self.version,
            players=(_player(self.seats[0]), _player(self.seats[1])),
            seed=self.origin.seed,
            status=self.status,
            failure=self.failure,
            paused=self.paused,
            delay=self.delay,
            number=number,
            moves=self.course.moves,
            undo=self._last_decision() is not None,
            position=self.scene(number).message(drawn),
        )

    def scene(self, number: int) -> Scene:
        """Return the position after so many moves; its text would tell the order of the stack.

        Raises
        ------
        NotFoundError
            If there are not so many.
        """
        is_asked = number == len(self.course.moves) and self.status == "person"
        return self.course.scene(number, with_moves=is_asked, with_text=False)

    def record(self) -> GameRecord:
        """Return the record so far."""
        return self._record(self.course)

    def _record(self, course: Course) -> GameRecord:
        headers = {
            "Seat0": _kind(self.seats[0]),
            "Seat1": _kind(self.seats[1]),
            "Chance": str(self.origin.seed),
            "Paused": "yes" if self.paused else "no",
            "Delay": repr(self.delay),
        }
        return course.record(self.origin.seed if self.origin.is_dealt else None, self.origin.date, headers)

    # --- What people do ---------------------------------------------------------------------------

    def choose(self, move: str, version: int | None = None) -> None:
        """Play the move of a person.

        Raises
        ------
        NotNowError
            If no person is to decide, the move is illegal, or the game has changed since `version`.
        FullError
            If it cannot be saved; the move is not made then.
        """
        if version is not None and version != self.version:
            raise NotNowError(f"version {version}: expected {self.version}, the game has changed")
        if self.status != "person":
            raise NotNowError(f"move {shown(move)}: expected none, the game is {self._waiting()}")
        self._play(move, time.monotonic() - self._asked_at)
        self.go_on()

    def undo(self) -> None:
        """Go back to before the last decision of a person.

        Raises
        ------
        NotNowError
            If no person has decided anything.
        FullError
            If it cannot be saved; nothing is taken back then.
        """
        number = self._last_decision()
        if number is None:
            raise NotNowError("undo: expected a decision of a person to take back, there is none")
        self._stop()
        self.failure = ""
        try:
            self._become(self.course.until(number))
        finally:
            self.go_on()

    def set_pace(self, paused: bool | None, delay: float | None) -> None:
        """Pause the agents or let them play on, and say how long their moves are to take at least.

        Raises
        ------
        FullError
            If it cannot be saved.
        """
        self.paused = self.paused if paused is None else paused
        self.delay = self.delay if delay is None else delay
        if self.paused:
            self._stop()
        try:
            self.save()
        finally:
            self._changed()
            self.go_on()

    async def step(self) -> None:
        """Let the agent that is to decide make its move, although the game is paused or it has failed.

        Raises
        ------
        NotNowError
            If no agent is to decide, or it thinks already.
        """
        if self.is_at_work or not self._is_agent_asked():
            raise NotNowError(f"step: expected an agent that waits, the game is {self._waiting()}")
        self.failure = ""
        self._task = task = asyncio.create_task(self._move())
        self._changed()
        await asyncio.wait({task})
        self._changed()
        self.go_on()

    def _waiting(self) -> str:
        words = {"person": "waiting for a person", "thinking": "waiting for an agent that thinks"}
        return words.get(self.status, self.status)

    def _last_decision(self) -> int | None:
        """Return how many moves there were before the last decision of a person."""
        moves = self.course.moves
        by_people = (
            k for k in reversed(range(len(moves))) if isinstance(self.seats[moves[k].player], Person)
        )
        return next(by_people, None)

    # --- What agents do ---------------------------------------------------------------------------

    def go_on(self) -> None:
        """Have agents play until a person is to decide, unless they are to wait."""
        if not self.is_at_work and self.status == "thinking" and self._is_followed():
            self._task = asyncio.create_task(self._play_on())

    async def _play_on(self) -> None:
        while self._is_agent_asked() and not self.failure and self._is_followed():
            await self._move()

    def _is_agent_asked(self) -> bool:
        return not self.state.is_over and isinstance(self.seat, AgentSeat)

    def _is_followed(self) -> bool:
        """Return whether it matters: not in a deleted game, nor in one of agents that nobody watches."""
        has_person = any(isinstance(seat, Person) for seat in self.seats)
        return not self.feed.is_closed and (has_person or self.feed.is_watched)

    async def _move(self) -> None:
        """Let an agent make its move; what goes wrong becomes the failure of the game."""
        seat, begun = self.seat, time.monotonic()
        assert isinstance(seat, AgentSeat), "an agent is to decide"
        loop = asyncio.get_running_loop()
        wake = partial(loop.call_soon_threadsafe, self.feed.wake)
        self.thought = thought = Thought(self._limit, wake)
        seed = seed_of(self.origin.seed, len(self.course.moves))
        try:
            move = await self._thinkers.play(choose, seat.agent, self.state, seed, thought)
            taken = time.monotonic() - begun
            self.thought = None
            await asyncio.sleep(max(0.0, self.delay - taken))
            self._play(move, taken)
        except Refusal as refusal:
            self._fail(str(refusal))
        except Exception:
            _LOG.exception("agent %s failed in %s", seat.agent, self._path)
            self._fail(f"agent {shown(seat.agent)} failed; {_TOLD}")
        finally:
            thought.end()
            if self.thought is thought:
                self.thought = None

    def _fail(self, reason: str) -> None:
        self.failure = reason
        self._changed()

    def _stop(self) -> None:
        """Interrupt the agent that thinks."""
        if self.thought is not None:
            self.thought.end()
        if self._task is not None:
            self._task.cancel()
            self._task = None

    # --- Changes ----------------------------------------------------------------------------------

    def _play(self, move: str, seconds: float) -> None:
        try:
            after = self.course.played(move, seconds)
        except ValueError as error:
            raise NotNowError(str(error)) from None
        self._become(after)

    def _become(self, course: Course) -> None:
        """Save another course, then take it."""
        self._write(course)
        self.course = course
        self._asked_at = time.monotonic()
        self._changed()

    def save(self) -> None:
        """Write the record.

        Raises
        ------
        FullError
            If it cannot be written.
        """
        self._write(self.course)

    def _write(self, course: Course) -> None:
        try:
            write_text(self._path, self._record(course).to_text())
        except OSError as error:
            _LOG.error("cannot save a game: %s", error)
            raise FullError(f"the game cannot be saved; {_TOLD}") from error

    def _changed(self) -> None:
        self.version = next(_versions)
        self._encoded.clear()
        self.feed.wake()

    def close(self) -> None:
        """Let nobody think or watch any more."""
        self._stop()
        self.feed.close()

    @classmethod
    def read(cls, path: Path, thinkers: Thinkers, limit: float) -> Game:
        """Read a game that a server has kept, and stand where it was left.

        Raises
        ------
        ValueError, KeyError, OSError
            If the file is damaged, or not of a server.
        """
        (record,) = read_records(path)
        origin = Origin(int(record.headers["Chance"]), record.seed is not None, record.date)
        first = origin.first_position("" if origin.is_dealt else record.position)
        if first.to_text() != record.position:
            raise ValueError(f"seed {origin.seed} deals another game than the record has")
        seats = _seat(record, 0), _seat(record, 1)
        game = cls(path, seats, Course.along(record, first), origin, thinkers, limit)
        game.paused = record.headers["Paused"] == "yes"
        game.delay = float(record.headers["Delay"])
        return game


@dataclass(frozen=True)
class Origin:
    """Where a game comes from: the seed of all chance in it, whether it was dealt, and the day."""

    seed: int
    is_dealt: bool
    date: str

    def first_position(self, position: str) -> GameState:
        """Deal the game, or set the position up."""
        return GameState.new(self.seed) if self.is_dealt else GameState.from_text(position, self.seed)


def _kind(seat: Seat) -> str:
    return "person" if isinstance(seat, Person) else "agent"


def _seat(record: GameRecord, player: int) -> Seat:
    name = record.players[player]
    return Person(name=name) if record.headers[f"Seat{player}"] == "person" else AgentSeat(agent=name)


def _player(seat: Seat) -> messages.Player:
    agent = seat.agent if isinstance(seat, AgentSeat) else None
    return messages.Player(kind="person" if agent is None else "agent", name=seat.name, agent=agent)


class Games:
    """All games of a server, by their ids; those in the folder are read when somebody asks for them.

    Parameters
    ----------
    settings : Settings
    thinkers : Thinkers
    """

    def __init__(self, settings: Settings, thinkers: Thinkers) -> None:
        self._settings = settings
        self._thinkers = thinkers
        remove_drafts(settings.folder)
        self._paths = {
            path.name.removesuffix(SUFFIX): path
            for path in settings.folder.glob(f"*{SUFFIX}")
            if is_id(path.name.removesuffix(SUFFIX))
        }
        self._open: dict[str, Game] = {}

    def __len__(self) -> int:
        """Return how many games there are."""
        return len(self._paths)

    def begin(self, wanted: messages.NewGame) -> Game:
        """Begin a game.

        Raises
        ------
        WrongError
            If a name, a spec or the position is wrong.
        FullError
            If there are too many games, or it cannot be saved.
        """
        if len(self) >= self._settings.most_games:
            raise FullError(
                f"this server keeps {len(self)} games, the most it may: delete one, "
                "or start it with a larger --most-games"
            )
        seats = _checked(wanted.players[0], 0), _checked(wanted.players[1], 1)
        origin = Origin(
            seed=secrets.randbits(SEED_BITS) if wanted.seed is None else wanted.seed,
            is_dealt=not wanted.position,
            date=datetime.date.today().isoformat(),
        )
        try:
            first = origin.first_position(wanted.position)
        except ValueError as error:
            raise WrongError(f"position: {error}") from None
        course = Course.begin(first, (seats[0].name, seats[1].name))
        path = self._settings.folder / f"{new_id()}{SUFFIX}"
        game = Game(path, seats, course, origin, self._thinkers, self._settings.seconds)
        game.paused, game.delay = wanted.paused, wanted.delay
        game.save()
        self._paths[game.id] = path
        self._open[game.id] = game
        game.go_on()
        return game

    def find(self, name: str) -> Game:
        """Return the game of an id.

        Raises
        ------
        NotFoundError
            If there is none, or its record cannot be read any more.
        """
        if name in self._open:
            return self._open[name]
        if name not in self._paths:
            raise NotFoundError(f"game {shown(name)}: expected the id of a game of this server")
        try:
            game = Game.read(self._paths[name], self._thinkers, self._settings.seconds)
        except (OSError, ValueError, KeyError) as error:
            _LOG.error("cannot read game %s: %s", self._paths[name], error)
            raise NotFoundError(f"game {shown(name)}: its record is damaged; {_TOLD}") from error
        self._open[name] = game
        game.go_on()
        return game

    def delete(self, name: str) -> None:
        """Delete a game and its record.

        Raises
        ------
        NotFoundError
            If there is none.
        FullError
            If the file cannot be deleted.
        """
        if name not in self._paths:
            raise NotFoundError(f"game {shown(name)}: expected the id of a game of this server")
        try:
            self._paths[name].unlink(missing_ok=True)
        except OSError as error:
            _LOG.error("cannot delete a game: %s", error)
            raise FullError(f"the game cannot be deleted; {_TOLD}") from error
        del self._paths[name]
        game = self._open.pop(name, None)
        if game is not None:
            game.is_deleted = True
            game.close()

    def close(self) -> None:
        """Let nobody think or watch any more."""
        for game in self._open.values():
            game.close()


def _checked(seat: Seat, player: int) -> Seat:
    """Return the seat as it may be taken; an agent by the spec that its level stands for."""
    if isinstance(seat, Person):
        if not seat.name.isprintable() or not seat.name.strip():
            raise WrongError(
                f"players[{player}].name is {shown(seat.name)}: expected a name without control characters"
            )
        return seat
    try:
        return AgentSeat(agent=check_spec(seat.agent))
    except ValueError as error:
        raise WrongError(f"players[{player}].agent: {error}") from None
