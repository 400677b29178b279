"""Agents by their specs."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import EntryPoints, entry_points
from typing import Any

from basilica_env.agents.base import Agent, AgentSpecError
from basilica_env.agents.greedy import GreedyAgent
from basilica_env.agents.mcts import MctsAgent
from basilica_env.agents.planner import PlannerAgent
from basilica_env.agents.ppo import PpoAgent
from basilica_env.agents.random import RandomAgent

ENTRY_POINTS = "basilica_env.agents"
"""Group of entry points by which other packages add agents: ``name = "module:Class"``."""

_BUILT_IN: dict[str, Callable[..., Agent]] = {
    "random": RandomAgent,
    "greedy": GreedyAgent,
    "planner": PlannerAgent,
    "mcts": MctsAgent,
    "ppo": PpoAgent,
}

LEVELS = {"easy": "greedy", "medium": "planner", "hard": "mcts:sims=400"}
"""Opponents by how strong they are, and the specs that they stand for."""


def agent_names() -> list[str]:
    """Return the names that a spec may begin with."""
    return sorted({*_BUILT_IN, *LEVELS, *_announced().names})


@cache
def _announced() -> EntryPoints:
    """Return the agents of other packages; looked up once, for it reads what every package says of itself."""
    return entry_points(group=ENTRY_POINTS)


def make_agent(spec: str, seed: int | None = None) -> Agent:
    """Make the agent that a spec names.

    Parameters
    ----------
    spec : ``name``, ``module:Class``, each with parameters if wanted: ``name:key=value,key=value``
    seed : given to the agent if it takes one

    Raises
    ------
    AgentSpecError
        If there is no such agent or parameter, the message lists what there is; or it cannot be made.
    TypeError
        If the spec is no text.
    """
    if not isinstance(spec, str):
        raise TypeError(f"agent {spec!r} has type {type(spec).__name__}: expected a spec as text")
    head, parameters = _read(LEVELS.get(spec, spec))
    if head in LEVELS:
        raise AgentSpecError(
            f"agent {spec!r}: {head!r} takes no parameters, use {LEVELS[head]!r} with others"
        )
    factory = _factory(spec, head)
    with _naming(spec, "made"):
        known = inspect.signature(factory).parameters
    for name in parameters:
        if name not in known or name == "seed":
            others = ", ".join(key for key in known if key != "seed") or "none"
            raise AgentSpecError(f"unknown parameter {name!r} in agent {spec!r}: {head!r} has {others}")
    if "seed" in known:
        parameters["seed"] = seed
    with _naming(spec, "made"):
        agent: Any = factory(**parameters)
        if isinstance(agent, Agent) and _is_usable(agent.name, agent.act):
            return agent
    raise AgentSpecError(f"agent {spec!r} is a {type(agent).__name__} without 'name' and 'act(state)'")


def _is_usable(name: object, act: object) -> bool:
    return isinstance(name, str) and callable(act)


@contextmanager
def _naming(spec: str, what: str) -> Iterator[None]:
    """Name the agent in whatever goes wrong in code that may be anybody's."""
    try:
        yield
    except (Exception, SystemExit) as error:
        plain = isinstance(error, (ImportError, AttributeError, TypeError, ValueError, OSError))
        kind = "" if plain else f"{type(error).__name__}: "
        text = str(error)
        if isinstance(error, OSError) and error.filename is not None:
            text = f"{error.filename}: {error.strerror}"
        reason = " ".join(text.split())
        raise AgentSpecError(f"agent {spec!r} cannot be {what}: {kind}{reason}") from error


def _read(spec: str) -> tuple[str, dict[str, Any]]:
    """Split a spec into its head and its parameters."""
    before, equals, _ = spec.partition("=")
    head = before.rpartition(":")[0]  # a value may hold colons of its own
    if not equals or not head:
        return spec, {}
    parameters: dict[str, Any] = {}
    for part in spec[len(head) + 1 :].split(","):
        name, equals, value = part.partition("=")
        if not equals or not name or name in parameters:
            raise AgentSpecError(f"unreadable parameter {part!r} in agent {spec!r}: expected key=value, once")
        parameters[name] = _value(value)
    return head, parameters


def _value(text: str) -> Any:
    """Read a whole number, a number, or leave the text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _factory(spec: str, head: str) -> Callable[..., Agent]:
    if head in _BUILT_IN:
        return _BUILT_IN[head]
    module, colon, name = head.partition(":")
    with _naming(spec, "loaded"):
        for entry in _announced().select(name=head):
            return entry.load()  # type: ignore[no-any-return]
        if colon and module not in agent_names():
            return getattr(importlib.import_module(module), name)  # type: ignore[no-any-return]
    if colon:
        raise AgentSpecError(f"unreadable parameter {name!r} in agent {spec!r}: expected key=value")
    names = ", ".join(agent_names())
    raise AgentSpecError(f"unknown agent {spec!r}: expected one of {names}, or module:Class")
