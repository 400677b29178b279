"""The HTTP interface: what each path does."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, aclosing, contextmanager
from http import HTTPStatus
from typing import Any, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from basilica_env import __version__
from basilica_env.agents.registry import LEVELS
from basilica_env.game import GameState
from basilica_env.render.words import DECISION_KINDS, paragraphs
from basilica_env.web import messages
from basilica_env.web.endpoints import EVENTS, JSON, TEXT, Endpoint, flag, number_in, visitor
from basilica_env.web.games import Game, Games
from basilica_env.web.opponents import ADMITTED, check_spec
from basilica_env.web.refusals import BusyError, NotNowError, WrongError
from basilica_env.web.replays import Replay, Replays
from basilica_env.web.scenes import Scene
from basilica_env.web.settings import MOST_BODY, MOST_RECORD, MOST_STREAMS, Settings
from basilica_env.web.thinking import Thinkers, Thought, seed_of, study

LONGEST_WAIT = 30.0
"""Seconds after which a request that waits for an agent is answered anyhow."""
GONE_LOOK = 0.25
"""Seconds between two looks whether whoever asked is still there."""

PLAYERS = ("player", "player")
"""What the players of a position are called that nobody plays."""

_T = TypeVar("_T")


class Interface:
    """What stands behind the paths.

    Parameters
    ----------
    settings : Settings
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._thinkers = Thinkers(settings.threads)
        self.games = Games(settings, self._thinkers)
        self.replays = Replays(settings, self._thinkers)
        self._watchers = 0

    def send_away(self) -> None:
        """End all streams and all thinking, so that the server can close."""
        self.games.close()
        self.replays.close()

    def close(self) -> None:
        """End everything."""
        self.send_away()
        self._thinkers.close()

    # --- The server -------------------------------------------------------------------------------

    async def about(self, _request: Request, _body: None) -> Response:
        """Say what the server is and can do."""
        limits = messages.LimitsTold(
            seconds=self._settings.seconds,
            body=MOST_BODY,
            record=MOST_RECORD,
            games=self._settings.most_games,
            streams=MOST_STREAMS,
            delay=messages.LONGEST_DELAY,
        )
        return _json(
            messages.About(
                version=__version__,
                tiles="standard",
                agents=tuple(ADMITTED.values()),
                levels=LEVELS,
                limits=limits,
                rules={kind: tuple(paragraphs(kind)) for kind in DECISION_KINDS},
            )
        )

    # --- Games ------------------------------------------------------------------------------------

    async def begin_game(self, request: Request, body: messages.NewGame) -> Response:
        """Begin a game."""
        return _game(self.games.begin(body), request, HTTPStatus.CREATED)

    async def show_game(self, request: Request, _body: None) -> Response:
        """Show a game, at once or when no agent has to move any more."""
        game = self._game(request)
        if flag(request, "wait", False):
            await self._wait_for_agents(game)
        return _game(game, request)

    async def delete_game(self, request: Request, _body: None) -> Response:
        """Delete a game."""
        self.games.delete(request.path_params["game"])
        return Response(status_code=HTTPStatus.NO_CONTENT)

    async def choose(self, request: Request, body: messages.Choice) -> Response:
        """Play a move."""
        game = self._game(request)
        game.choose(body.move, body.version)
        return _game(game, request)

    async def undo(self, request: Request, _body: messages.Nothing) -> Response:
        """Take back the last decision of a person."""
        game = self._game(request)
        game.undo()
        return _game(game, request)

    async def hint(self, request: Request, body: messages.Question) -> Response:
        """Ask an agent what it would do."""
        game = self._game(request)
        if game.status != "person":
            raise NotNowError(f"hint: expected a person to be deciding, the status is {game.status!r}")
        seed = seed_of(game.origin.seed, len(game.course.moves))
        return await self._study(request, body.agent, game.state, seed)

    async def step(self, request: Request, _body: messages.Nothing) -> Response:
        """Have the agent that waits make its move."""
        game = self._game(request)
        await game.step()
        return _game(game, request)

    async def set_pace(self, request: Request, body: messages.Pace) -> Response:
        """Pause the agents, or say how fast they are to play."""
        game = self._game(request)
        game.set_pace(body.paused, body.delay)
        return _game(game, request)

    async def show_game_position(self, request: Request, _body: None) -> Response:
        """Show an earlier position of a game."""
        return _position(self._game(request).scene(number_in(request)), request)

    async def give_record(self, request: Request, _body: None) -> Response:
        """Give the record of a game as a file."""
        text = self._game(request).record().to_text()
        headers = {"Content-Disposition": 'attachment; filename="game.basilica"'}
        return Response(text, media_type=TEXT, headers=headers)

    async def watch_game(self, request: Request, _body: None) -> Response:
        """Tell of every change of a game."""
        return self._stream(_game_events(self._game(request), _drawn(request)))

    # --- Positions --------------------------------------------------------------------------------

    async def set_up(self, request: Request, body: messages.PositionSetUp) -> Response:
        """Read a position, and play moves in it."""
        return _position(Scene(_set_up(body), PLAYERS, with_moves=True, with_text=True), request)

    async def analyse(self, request: Request, body: messages.PositionQuestion) -> Response:
        """Ask an agent what it thinks of a position."""
        state = _set_up(body)
        if state.is_over:
            raise WrongError("position: expected one with a decision, the game is over")
        return await self._study(request, body.agent, state, seed=0)

    async def _study(self, request: Request, spec: str, state: GameState, seed: int) -> Response:
        try:
            agent = check_spec(spec)
        except ValueError as error:
            raise WrongError(str(error)) from None
        thought = Thought(self._settings.seconds)
        with self._thinkers.place(visitor(request)):
            looking = self._thinkers.look(study, agent, state.copy(), seed, thought)
            return _json(await _while_connected(request, looking, thought.end))

    # --- Replays ----------------------------------------------------------------------------------

    async def begin_replay(self, request: Request, body: messages.RecordText) -> Response:
        """Read a record to look at."""
        replay = await self.replays.read(body, visitor(request))
        return _json(replay.message(), HTTPStatus.CREATED)

    async def show_replay(self, request: Request, _body: None) -> Response:
        """Show a recorded game."""
        return _json(self._replay(request).message())

    async def show_replay_position(self, request: Request, _body: None) -> Response:
        """Show a position of a recorded game."""
        return _position(self._replay(request).scene(number_in(request)), request)

    async def evaluate(self, request: Request, body: messages.Evaluator) -> Response:
        """Have an agent look at every position of a recorded game."""
        replay = self._replay(request)
        self.replays.evaluate(replay, body.agent, visitor(request))
        return _json(replay.evaluation(), HTTPStatus.ACCEPTED)

    async def end_evaluation(self, request: Request, _body: None) -> Response:
        """Have nobody look any more."""
        self._replay(request).end_evaluation()
        return Response(status_code=HTTPStatus.NO_CONTENT)

    async def watch_replay(self, request: Request, _body: None) -> Response:
        """Tell how the evaluation of a recorded game grows."""
        return self._stream(_replay_events(self._replay(request)))

    # --- What they share --------------------------------------------------------------------------

    def _game(self, request: Request) -> Game:
        return self.games.find(request.path_params["game"])

    def _replay(self, request: Request) -> Replay:
        return self.replays.find(request.path_params["replay"])

    async def _wait_for_agents(self, game: Game) -> None:
        with self._watching(), contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_WAIT), aclosing(game.feed.watch()) as changes:
                async for _ in changes:
                    if game.status != "thinking":
                        return

    def _stream(self, events: AsyncIterator[bytes]) -> Response:
        return _Stream(events, self._watching())

    @contextmanager
    def _watching(self) -> Iterator[None]:
        """Count somebody who watches, for as long as that lasts."""
        if self._watchers >= MOST_STREAMS:
            raise BusyError(f"{self._watchers} streams are open, the most there may be: expected fewer")
        self._watchers += 1
        try:
            yield
        finally:
            self._watchers -= 1


class _Stream(StreamingResponse):
    """Sends events within a context, which may refuse before anything is sent."""

    def __init__(self, events: AsyncIterator[bytes], within: AbstractContextManager[None]) -> None:
        super().__init__(events, media_type=EVENTS)
        self._within = within

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._within:
            await super().__call__(scope, receive, send)


def _set_up(body: messages.PositionSetUp) -> GameState:
    try:
        state = GameState.from_text(body.position)
    except ValueError as error:
        raise WrongError(f"position: {error}") from None
    for number, move in enumerate(body.moves):
        try:
            state.play(move)
        except ValueError as error:
            raise WrongError(f"moves[{number}]: {error}") from None
    return state


async def _while_connected(request: Request, work: Coroutine[Any, Any, _T], end: Callable[[], None]) -> _T:
    """Wait for some work; have it end if whoever asked for it hangs up."""
    task = asyncio.create_task(work)
    try:
        while not task.done():
            await asyncio.wait({task}, timeout=GONE_LOOK)
            if not task.done() and await request.is_disconnected():
                end()
        return task.result()
    finally:
        end()


# --- Answers --------------------------------------------------------------------------------------


def _drawn(request: Request) -> bool:
    return flag(request, "svg", True)


def _json(message: messages.Response, status: int = HTTPStatus.OK) -> Response:
    return Response(msgspec.json.encode(message), status, media_type=JSON)


def _game(game: Game, request: Request, status: int = HTTPStatus.OK) -> Response:
    return Response(game.encoded(_drawn(request)), status, media_type=JSON)


def _position(scene: Scene, request: Request) -> Response:
    return _json(scene.message(_drawn(request)))


# --- Events ---------------------------------------------------------------------------------------


async def _game_events(game: Game, drawn: bool) -> AsyncIterator[bytes]:
    told, thought_told = 0, None
    async for _ in game.feed.watch():
        progress = _progress(game)
        if game.version != told:
            told = game.version
            yield _event("game", game.encoded(drawn))
        elif progress is not None and progress != thought_told:
            thought_told = progress
            yield _event("thinking", msgspec.json.encode(progress))
        else:
            yield _STILL_THERE
    if game.is_deleted:
        yield _event("gone", msgspec.json.encode(messages.Gone()))


def _progress(game: Game) -> messages.Progress | None:
    thought = game.thought
    if thought is None:
        return None
    return messages.Progress(
        player=game.state.player, simulations=thought.simulations, seconds=thought.seconds
    )


async def _replay_events(replay: Replay) -> AsyncIterator[bytes]:
    told: tuple[int, int, str] | None = None
    async for _ in replay.feed.watch():
        known = told[1] if told is not None and told[0] == replay.run else 0
        evaluation = replay.evaluation(known)
        now = replay.run, evaluation.done, evaluation.status
        if now != told:
            told = now
            yield _event("evaluation", msgspec.json.encode(evaluation))
        else:
            yield _STILL_THERE


_STILL_THERE = b":\n\n"
"""A comment, which keeps a silent stream open."""


def _event(name: str, data: bytes) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), data)


# --- The paths ------------------------------------------------------------------------------------

_CONFLICT, _WRONG = HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY
_BUSY, _FULL = HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE
_GAME, _REPLAY = "/api/games/{game}", "/api/replays/{replay}"
_SVG = ("svg",)

ENDPOINTS = (
    Endpoint("GET", "/api/about", Interface.about, "What the server is and can do", messages.About),
    Endpoint(
        "POST",
        "/api/games",
        Interface.begin_game,
        "Begin a game",
        messages.Game,
        status=HTTPStatus.CREATED,
        body=messages.NewGame,
        flags=_SVG,
        refusals=(_FULL,),
    ),
    Endpoint(
        "GET",
        _GAME,
        Interface.show_game,
        "A game now, or when no agent has to move any more",
        messages.Game,
        flags=("svg", "wait"),
        refusals=(_BUSY,),
    ),
    Endpoint(
        "DELETE",
        _GAME,
        Interface.delete_game,
        "Delete a game and its record",
        None,
        status=HTTPStatus.NO_CONTENT,
        refusals=(_FULL,),
    ),
    Endpoint(
        "POST",
        f"{_GAME}/moves",
        Interface.choose,
        "Play a move",
        messages.Game,
        body=messages.Choice,
        flags=_SVG,
        refusals=(_CONFLICT, _FULL),
    ),
    Endpoint(
        "POST",
        f"{_GAME}/undo",
        Interface.undo,
        "Take back the last decision of a person",
        messages.Game,
        body=messages.Nothing,
        flags=_SVG,
        refusals=(_CONFLICT, _FULL),
    ),
    Endpoint(
        "POST",
        f"{_GAME}/hint",
        Interface.hint,
        "What an agent would do",
        messages.Analysis,
        body=messages.Question,
        refusals=(_CONFLICT, _BUSY),
    ),
    Endpoint(
        "POST",
        f"{_GAME}/step",
        Interface.step,
        "Have the agent that waits make its move",
        messages.Game,
        body=messages.Nothing,
        flags=_SVG,
        refusals=(_CONFLICT,),
    ),
    Endpoint(
        "PUT",
        f"{_GAME}/pace",
        Interface.set_pace,
        "Pause the agents, or say how fast they play",
        messages.Game,
        body=messages.Pace,
        flags=_SVG,
        refusals=(_FULL,),
    ),
    Endpoint(
        "GET",
        f"{_GAME}/positions/{{number}}",
        Interface.show_game_position,
        "The position after so many moves",
        messages.Position,
        flags=_SVG,
    ),
    Endpoint("GET", f"{_GAME}/record", Interface.give_record, "The record so far, as a file", TEXT),
    Endpoint(
        "GET",
        f"{_GAME}/events",
        Interface.watch_game,
        "Every change of a game",
        EVENTS,
        flags=_SVG,
        refusals=(_BUSY,),
        events={"game": messages.Game, "thinking": messages.Progress, "gone": messages.Gone},
    ),
    Endpoint(
        "POST",
        "/api/positions",
        Interface.set_up,
        "Read a position, and play moves in it",
        messages.Position,
        body=messages.PositionSetUp,
        flags=_SVG,
    ),
    Endpoint(
        "POST",
        "/api/analyses",
        Interface.analyse,
        "What an agent thinks of a position",
        messages.Analysis,
        body=messages.PositionQuestion,
        refusals=(_BUSY,),
    ),
    Endpoint(
        "POST",
        "/api/replays",
        Interface.begin_replay,
        "Read a record to look at",
        messages.Replay,
        status=HTTPStatus.CREATED,
        body=messages.RecordText,
        refusals=(_BUSY,),
        most_bytes=MOST_RECORD,
    ),
    Endpoint("GET", _REPLAY, Interface.show_replay, "A recorded game", messages.Replay),
    Endpoint(
        "GET",
        f"{_REPLAY}/positions/{{number}}",
        Interface.show_replay_position,
        "The position after so many moves",
        messages.Position,
        flags=_SVG,
    ),
    Endpoint(
        "PUT",
        f"{_REPLAY}/evaluation",
        Interface.evaluate,
        "Have an agent look at every position",
        messages.Evaluation,
        status=HTTPStatus.ACCEPTED,
        body=messages.Evaluator,
        refusals=(_BUSY,),
    ),
    Endpoint(
        "DELETE",
        f"{_REPLAY}/evaluation",
        Interface.end_evaluation,
        "Have nobody look any more",
        None,
        status=HTTPStatus.NO_CONTENT,
    ),
    Endpoint(
        "GET",
        f"{_REPLAY}/events",
        Interface.watch_replay,
        "How the evaluation grows",
        EVENTS,
        refusals=(_BUSY,),
        events={"evaluation": messages.Evaluation},
    ),
)
