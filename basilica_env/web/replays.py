"""Recorded games that visitors have sent to look at, and what an agent thinks of every position in them."""

from __future__ import annotations

import asyncio
import io
from collections import OrderedDict
from contextlib import ExitStack

from basilica_env.core.tiles import shown
from basilica_env.records import GameRecord, RecordError, scan_records
from basilica_env.render.style import printable
from basilica_env.web import messages
from basilica_env.web.courses import Course
from basilica_env.web.feeds import Feed
from basilica_env.web.ids import new_id
from basilica_env.web.opponents import can_tell, check_spec
from basilica_env.web.refusals import NotFoundError, WrongError
from basilica_env.web.scenes import Scene
from basilica_env.web.settings import MOST_REPLAYS, Settings
from basilica_env.web.thinking import Thinkers, Thought, evaluate, seed_of


class Replay:
    """A recorded game.

    Parameters
    ----------
    record : GameRecord
    number, games : int
        Which game it was in its file, of how many.

    Attributes
    ----------
    course : Course
    feed : Feed
        Tells when the evaluation grows.
    values : list of messages.Prospect
        What is known of the evaluation.
    run : int
        Which evaluation it is, from 0 for none.
    """

    def __init__(self, record: GameRecord, number: int, games: int) -> None:
        self.id = new_id()
        self.course = Course.along(record, record.initial())
        self.feed = Feed()
        self.values: list[messages.Prospect] = []
        self.run = 0
        self._record = record
        self._number = number
        self._games = games
        self._status: messages.EvaluationStatus = "none"
        self._agent = ""
        self._failure = ""
        self._thought: Thought | None = None
        self._task: asyncio.Task[None] | None = None

    @classmethod
    def read(cls, text: str, number: int) -> Replay:
        """Read a game of a file of records.

        Raises
        ------
        WrongError
            If there are not so many games, or this one is damaged.
        """
        found: GameRecord | RecordError | None = None
        games = 0
        for games, entry in enumerate(scan_records(io.StringIO(text)), 1):
            if games == number:
                found = entry
        if found is None:
            right = f"expected 1 to {games}" if games else "there is no game in the text"
            raise WrongError(f"number is {number}: {right}")
        if isinstance(found, RecordError):
            raise WrongError(str(found))
        return cls(found, number, games)

    def message(self) -> messages.Replay:
        """Say what the record tells."""
        record = self._record
        first, second = record.players
        return messages.Replay(
            id=self.id,
            number=self._number,
            games=self._games,
            players=(printable(first), printable(second)),
            result=record.result,
            scores=record.scores,
            termination=printable(record.termination),
            date=record.date,
            seed=None if record.seed is None else str(record.seed),
            headers=tuple((name, printable(value)) for name, value in record.headers.items()),
            moves=self.course.moves,
            evaluation=self.evaluation(),
        )

    def scene(self, number: int) -> Scene:
        """Return the position after so many moves.

        Raises
        ------
        NotFoundError
            If there are not so many.
        """
        return self.course.scene(number, with_moves=True, with_text=True)

    def evaluation(self, known: int = 0) -> messages.Evaluation:
        """Say how far the evaluation is, with the values after the first `known`."""
        return messages.Evaluation(
            status=self._status,
            agent=self._agent,
            done=len(self.values),
            total=len(self.course.frames),
            failure=self._failure,
            values=tuple(self.values[known:]),
        )

    def begin_evaluation(self, spec: str, visitor: str, thinkers: Thinkers, limit: float) -> None:
        """Have an agent look at every position, instead of whoever does so now.

        Raises
        ------
        WrongError
            If the agent may not be named, or cannot say what it thinks.
        BusyError
            If the visitor, or all together, have enough under way; whoever looks goes on then.
        """
        try:
            agent = check_spec(spec)
        except ValueError as error:
            raise WrongError(str(error)) from None
        if not can_tell(agent):
            raise WrongError(
                f"agent {shown(spec)}: expected one that tells what moves are worth, such as mcts"
            )
        place = ExitStack()
        place.enter_context(thinkers.place(visitor))
        self.end_evaluation()
        self.values = []
        self.run += 1
        self._status, self._agent, self._failure = "running", agent, ""
        self._thought = thought = Thought(limit)
        self._task = asyncio.create_task(self._evaluate(thinkers, thought))
        self._task.add_done_callback(lambda _: place.close())
        self.feed.wake()

    def end_evaluation(self) -> None:
        """Have nobody look any more; what is known stays."""
        if self._task is None or self._task.done():
            return
        assert self._thought is not None, "there is one as long as there is a task"
        self._thought.end()
        self._task.cancel()
        self._status = "ended"
        self.feed.wake()

    async def _evaluate(self, thinkers: Thinkers, thought: Thought) -> None:
        for number, frame in enumerate(self.course.frames):
            seed = seed_of(0, number)
            try:
                value = await thinkers.look(evaluate, self._agent, frame.state, number, seed, thought)
            except Exception as error:
                self._status, self._failure = "failed", str(error)
                break
            self.values.append(value)
            self.feed.wake()
        else:
            self._status = "done"
        self.feed.wake()

    def close(self) -> None:
        """Let nobody look or watch any more."""
        self.end_evaluation()
        self.feed.close()


class Replays:
    """The last replays that were sent."""

    def __init__(self, settings: Settings, thinkers: Thinkers) -> None:
        self._limit = settings.seconds
        self._thinkers = thinkers
        self._replays: OrderedDict[str, Replay] = OrderedDict()

    async def read(self, wanted: messages.RecordText, visitor: str) -> Replay:
        """Read a record and keep it; the replay that was not asked for the longest may go.

        Raises
        ------
        WrongError
            If there is no such game in the text, or it is damaged.
        BusyError
            If the visitor, or all together, have enough under way.
        """
        with self._thinkers.place(visitor):
            replay = await self._thinkers.look(Replay.read, wanted.text, wanted.number)
        self._replays[replay.id] = replay
        if len(self._replays) > MOST_REPLAYS:
            _, oldest = self._replays.popitem(last=False)
            oldest.close()
        return replay

    def find(self, name: str) -> Replay:
        """Return the replay of an id.

        Raises
        ------
        NotFoundError
            If there is none any more.
        """
        if name not in self._replays:
            raise NotFoundError(
                f"replay {shown(name)}: expected the id of one of the last {MOST_REPLAYS}; "
                "send its record again"
            )
        self._replays.move_to_end(name)
        return self._replays[name]

    def evaluate(self, replay: Replay, spec: str, visitor: str) -> None:
        """Begin to evaluate a replay for a visitor; see :meth:`Replay.begin_evaluation`."""
        replay.begin_evaluation(spec, visitor, self._thinkers, self._limit)

    def close(self) -> None:
        """Let nobody look or watch any more."""
        for replay in self._replays.values():
            replay.close()
