"""Which agents may be named from the network, and how much they may be asked.

A spec can name any module and any file, and so must not come from a stranger. Only what is listed here does,
with parameters within bounds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from basilica_env.agents import Agent, make_agent
from basilica_env.agents.registry import LEVELS
from basilica_env.core.tiles import shown
from basilica_env.web.messages import Agent as AgentTold
from basilica_env.web.messages import Parameter

ADMITTED: Mapping[str, AgentTold] = {
    agent.name: agent
    for agent in (
        AgentTold(name="random", words="plays anything legal", tells=False, parameters=()),
        AgentTold(name="greedy", words="takes what would score most now", tells=False, parameters=()),
        AgentTold(
            name="planner",
            words="plans its turn, without the answer to it",
            tells=False,
            parameters=(Parameter(name="width", least=1, most=1000),),
        ),
        AgentTold(name="ppo", words="a network trained in self-play", tells=False, parameters=()),
        AgentTold(
            name="mcts",
            words="a tree search with a value network",
            tells=True,
            parameters=(
                Parameter(name="sims", least=1, most=100_000),
                Parameter(name="ms", least=1, most=600_000),
                Parameter(name="aim", choices=("win", "margin", "both")),
            ),
        ),
    )
}

_SPEC = re.compile(r"([a-z]+)(?::(.+))?", re.ASCII)
_NUMBER = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)


class NotAdmittedError(ValueError):
    """A spec that is not taken from the network."""


def check_spec(spec: str) -> str:
    """Return the spec that a spec from the network stands for: itself, or that of a level.

    Raises
    ------
    NotAdmittedError
        If it names no listed agent, or one of its parameters is not listed or out of bounds.
    """
    meant = LEVELS.get(spec, spec)
    match = _SPEC.fullmatch(meant)
    if match is None or match[1] not in ADMITTED:
        raise NotAdmittedError(f"agent {shown(spec)}: expected one of {', '.join((*LEVELS, *ADMITTED))}")
    given: set[str] = set()
    for part in (match[2] or "").split(",") if match[2] else ():
        name = _check_parameter(spec, ADMITTED[match[1]], part)
        if name in given:
            raise NotAdmittedError(f"parameter {name} of agent {shown(spec)} is given twice: expected once")
        given.add(name)
    if {"sims", "ms"} <= given:
        raise NotAdmittedError(f"agent {shown(spec)} has both sims and ms: expected one of them")
    return meant


def _check_parameter(spec: str, agent: AgentTold, part: str) -> str:
    """Check one ``name=value``; return the name."""
    name, _, value = part.partition("=")
    parameter = next((entry for entry in agent.parameters if entry.name == name), None)
    if parameter is None:
        names = ", ".join(entry.name for entry in agent.parameters) or "no parameters"
        raise NotAdmittedError(f"parameter {shown(part)} of agent {shown(spec)}: {agent.name} has {names}")
    if parameter.choices:
        if value not in parameter.choices:
            raise NotAdmittedError(
                f"{name} of agent {shown(spec)} is {shown(value)}: "
                f"expected one of {', '.join(parameter.choices)}"
            )
    elif not (_NUMBER.fullmatch(value) and parameter.allows(int(value))):
        raise NotAdmittedError(
            f"{name} of agent {shown(spec)} is {shown(value)}: "
            f"expected a whole number from {parameter.least} to {parameter.most}"
        )
    return name


def can_tell(spec: str) -> bool:
    """Return whether the agent of a spec that was checked can say what moves are worth."""
    return ADMITTED[spec.partition(":")[0]].tells


def opponent(spec: str, seed: int) -> Agent:
    """Make the agent that a spec names; the spec is checked here, where nothing can pass it by."""
    return make_agent(check_spec(spec), seed)
