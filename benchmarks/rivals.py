"""What the other systems do in the same run. Each function imports its system itself."""

from __future__ import annotations

import importlib
import random
from collections.abc import Iterator
from typing import Any

from basilica_env.benchmarks.loops import aec_turns
from basilica_env.benchmarks.timing import Effort, Sample, pieces, rate


def pettingzoo_aec(effort: Effort, module: str, wrapped: bool) -> Sample:
    """Measure random play through a PettingZoo environment, turns a second."""
    game = importlib.import_module(f"pettingzoo.classic.{module}")
    env = game.env() if wrapped else game.raw_env()
    return rate(pieces(aec_turns(env, seed=0), 10), effort)


def _open_spiel_random_steps(game: Any, observe: bool) -> Iterator[None]:
    """Play random games for ever; yield after each decision of a player (chance is not counted)."""
    generator = random.Random(0)
    while True:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(generator.choices(outcomes, chances)[0])
                continue
            if observe:
                state.observation_tensor()
            legal = state.legal_actions()
            state.apply_action(legal[int(generator.random() * len(legal))])
            yield


def open_spiel_steps(effort: Effort, game: str, observe: bool) -> Sample:
    """Measure a C++ game of OpenSpiel driven from Python, decisions a second."""
    import pyspiel

    return rate(pieces(_open_spiel_random_steps(pyspiel.load_game(game), observe), 100), effort)


def open_spiel_playouts(effort: Effort, game: str) -> Sample:
    """Measure random playouts inside OpenSpiel's C++, games a second.

    Its evaluator is not open to Python, but its tree search is: one simulation whose leaf is
    judged by many playouts.
    """
    import pyspiel

    playouts = 200
    loaded = pyspiel.load_game(game)
    state = loaded.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=playouts, seed=0)
    search = pyspiel.MCTSBot(
        loaded, evaluator, uct_c=2.0, max_simulations=1, max_memory_mb=100, solve=False, seed=0, verbose=False
    )

    def work() -> int:
        search.step(state)
        return playouts

    return rate(work, effort)


def pgx_batch(effort: Effort, game: str, games: int, length: int, threads: int) -> Sample:  # noqa: ARG001
    """Measure pgx on the CPU with games that reset themselves, steps a second.

    The whole loop is one compiled scan of ``length`` steps, the form that suits pgx best. XLA takes
    every core it finds; ``threads`` only states how many those are.
    """
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    jax.config.update("jax_platforms", "cpu")
    env = pgx.make(game)
    init = jax.vmap(env.init)
    step = jax.vmap(auto_reset(env.step, env.init))

    def random_step(carry: Any, _: None) -> tuple[Any, None]:
        state, key = carry
        key, action_key, step_key = jax.random.split(key, 3)
        preferences = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        action = jax.random.categorical(action_key, preferences, axis=-1)
        return (step(state, action, jax.random.split(step_key, games)), key), None

    random_steps = jax.jit(lambda carry: jax.lax.scan(random_step, carry, None, length=length)[0])
    carry = (jax.jit(init)(jax.random.split(jax.random.PRNGKey(0), games)), jax.random.PRNGKey(1))

    def work() -> int:
        nonlocal carry
        carry = jax.block_until_ready(random_steps(carry))
        return games * length

    return rate(work, effort)
