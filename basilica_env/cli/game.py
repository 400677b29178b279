"""What the verbs that play share: seeds, agents, the start of a game and its record."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from basilica_env.cli.terminal import Failure, Misuse, failing
from basilica_env.core.tiles import shown
from basilica_env.files import replaceable
from basilica_env.render.style import printable

if TYPE_CHECKING:
    from basilica_env.agents import Agent
    from basilica_env.game import GameState


def derived(seed: int, number: int) -> int:
    """Give a seed of its own to each who needs one in a game."""
    return int(np.random.SeedSequence((seed, number)).generate_state(1)[0])


def agent_of(spec: str, seed: int) -> Agent:
    """Make the agent that a spec names; ``module:Class`` may lie in the working directory.

    Raises
    ------
    Misuse
        There is no such agent.
    """
    from basilica_env.agents import make_agent

    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        return make_agent(spec, seed)
    except ValueError as error:
        raise Misuse(error) from error


def agent_move(agent: Agent, state: GameState) -> str:
    """Ask an agent for its move; it gets a copy of the state.

    Raises
    ------
    Failure
        The agent breaks, or wants something that is not legal.
    """
    with blaming(agent):
        answer: object = agent.act(state.copy())
        chosen = printable(shown(str(answer)))
    if not isinstance(answer, int | np.integer) or answer not in state.legal_actions():
        raise Failure(
            f"agent {printable(agent.name)} chose action {chosen}, which is not legal in {state.to_text()!r}"
        )
    return state.move_of(int(answer))


@contextmanager
def blaming(agent: Agent) -> Iterator[None]:
    """Turn whatever goes wrong in the code of an agent, which may be anybody's, into a :class:`Failure`."""
    try:
        yield
    except (Exception, SystemExit) as error:
        reason = printable(" ".join(str(error).split()))
        raise Failure(f"agent {printable(agent.name)} failed: {type(error).__name__}: {reason}") from error


def new_game(seed: int, tiles: str, position: str | None = None) -> GameState:
    """Deal a game, or set up a position.

    Raises
    ------
    Failure
        The tile set has a fault.
    Misuse
        The position has one.
    """
    from basilica_env.core.tiles import tile_set
    from basilica_env.game import GameState

    with failing():
        chosen = tile_set(tiles)
    if position is None:
        return GameState.new(seed, chosen)
    try:
        return GameState.from_text(position, seed, chosen)
    except ValueError as error:
        raise Misuse(f"--position: {error}") from error


def check_writable(path: Path) -> None:
    """Find out before a game, not after it, that its record cannot be written.

    Raises
    ------
    Failure
        It is no place for a file, or not for this user.
    """
    try:
        replaceable(path)
    except OSError as error:
        raise _unwritten(path, error) from error


def write_game(
    path: Path, first: GameState, moves: Iterable[str], names: tuple[str, str], seed: int | None
) -> None:
    """Write the record of a game, finished or not.

    Parameters
    ----------
    path : Path
        A file of this name is replaced.
    first : GameState
        The game before its first move.
    moves : iterable of str
        Move texts.
    names : pair of str
        The players.
    seed : int or None
        What the game was dealt from, if it was dealt.

    Raises
    ------
    Failure
        The file cannot be written; one of this name is as it was.
    """
    from basilica_env.records import Recorder, write_records

    recorder = Recorder(first.copy(), names, seed, datetime.date.today().isoformat())
    for move in moves:
        recorder.play(move)
    try:
        write_records(path, [recorder.record()])
    except OSError as error:
        raise _unwritten(path, error) from error


def _unwritten(path: Path, error: OSError) -> Failure:
    return Failure(f"cannot write {printable(str(path))}: {error.strerror or error}")
