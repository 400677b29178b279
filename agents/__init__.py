"""Players of Basilica, and how to name one.

A *spec* names an agent: ``random``, ``greedy``, ``planner``, ``mcts``, ``ppo``, or ``module:Class`` for your
own, with parameters after a colon: ``mcts:sims=800,aim=win``. :func:`make_agent` makes the agent. Any
object with ``name`` and ``act(state)`` is one.

Examples
--------
>>> from basilica_env import GameState
>>> from basilica_env.agents import make_agent
>>> state = GameState.new(seed=7)
>>> agent = make_agent("greedy", seed=1)
>>> state.is_legal(agent.act(state))
True
"""

from basilica_env.agents.analysis import Analysis, Analyst, MoveAnalysis
from basilica_env.agents.base import Agent, AgentSpecError, BatchAgent
from basilica_env.agents.greedy import GreedyAgent
from basilica_env.agents.mcts import MctsAgent
from basilica_env.agents.planner import PlannerAgent
from basilica_env.agents.ppo import PpoAgent
from basilica_env.agents.random import RandomAgent
from basilica_env.agents.registry import agent_names, make_agent

__all__ = [
    "Agent",
    "AgentSpecError",
    "Analysis",
    "Analyst",
    "BatchAgent",
    "GreedyAgent",
    "MctsAgent",
    "MoveAnalysis",
    "PlannerAgent",
    "PpoAgent",
    "RandomAgent",
    "agent_names",
    "make_agent",
]
