"""The rows of the table: what is measured, in which order, against whom."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

GROUPS = {
    "start": "Import and compilation",
    "batch": "Many games in one call",
    "threads": "Two threads against one, and what the machine gives to two processes",
    "busy": "Two threads against one while another process holds a core",
    "single": "One game from Python",
    "aec": "PettingZoo AEC loop",
    "gym": "Gymnasium and Stable-Baselines3",
    "playouts": "Random playouts from the opening",
    "clone": "Copying a game",
    "memory": "Memory",
    "growth": "Growth",
}
"""Groups of rows, in the order of the table: the first part of a row's name, and its title."""

OWN = "Basilica"
"""The system of our own rows."""

_MEASURES = "basilica_env.benchmarks.measures"
_RIVALS = "basilica_env.benchmarks.rivals"

SIZES = (1, 64, 1024, 4096)
OUTPUTS = {
    "rules": "rules only",
    "mask": "+ mask",
    "observation": "+ mask + observation",
}
GROWTH_SIZES = (1, 4, 16, 64, 256, 1024, 4096, 16384)
THREADS_SIZES = (1024, 4096, 16384)
BUSY_SIZES = (1024, 4096)
GROWTH_DECISIONS = tuple(range(0, 81, 10))


@dataclass(frozen=True)
class Row:
    """One measurement.

    Attributes
    ----------
    name : str
        Unique; its first part is the group: ``batch/mask/1024x1``.
    what : str
        What is measured, for people.
    unit : str
        ``"steps/s"`` and other rates, ``"times"`` as fast (more is better), ``"s"``, ``"µs"`` or ``"bytes"``
        (less is better).
    measure : str
        The function that measures, as ``module:function``. It is called with an
        :class:`~basilica_env.benchmarks.timing.Effort` and the arguments, and returns a
        :class:`~basilica_env.benchmarks.timing.Sample`.
    arguments : mapping
        Keyword arguments of the function, as JSON can hold them; ``games`` and ``threads`` are shown.
    system : str
        Whose environment it is.
    needs : tuple of str
        Modules that must be installed.
    limit : float
        Seconds after which the row is given up.
    """

    name: str
    what: str
    unit: str
    measure: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    system: str = OWN
    needs: tuple[str, ...] = ()
    limit: float = 300.0

    @property
    def group(self) -> str:
        """The first part of the name."""
        return self.name.partition("/")[0]


def more_is_better(unit: str) -> bool:
    """Tell whether a larger number in this unit is the better one."""
    return unit.endswith("/s") or unit == "times"


def _own(
    name: str, what: str, unit: str, function: str, needs: tuple[str, ...] = (), **arguments: Any
) -> Row:
    return Row(name, what, unit, f"{_MEASURES}:{function}", arguments, needs=needs)


def _start() -> Iterator[Row]:
    for name, what, function in (
        ("import", "import basilica_env", "importing"),
        ("cold", "first step of BatchEnv, nothing compiled yet", "cold_start"),
        ("warm", "first step of BatchEnv, compiled code on disk", "warm_start"),
    ):
        # Five compilations of up to a minute on a busy machine.
        yield Row(f"start/{name}", what, "s", f"{_MEASURES}:{function}", limit=900.0)


def _batch(prefix: str, outputs: str, games: int, threads: int) -> Row:
    name = f"{prefix}/{outputs}/{games}x{threads}"
    return _own(name, OUTPUTS[outputs], "steps/s", "batch", outputs=outputs, games=games, threads=threads)


def _batches() -> Iterator[Row]:
    for threads in (1, 2):
        for outputs in OUTPUTS:
            for games in SIZES:
                yield _batch("batch", outputs, games, threads)
    for game, label, games, length in (
        ("connect_four", "connect four", 1024, 100),
        ("go_9x9", "go 9×9", 1024, 10),
        ("chess", "chess", 32, 10),
    ):
        yield Row(
            f"batch/pgx-{game}",
            f"{label}, + mask + observation, one fused loop",
            "steps/s",
            f"{_RIVALS}:pgx_batch",
            {"game": game, "games": games, "length": length, "threads": os.cpu_count()},
            "pgx (CPU)",
            ("pgx", "jax"),
        )


def _threads(group: str, sizes: tuple[int, ...], **arguments: Any) -> Iterator[Row]:
    for outputs in ("mask", "observation"):
        for games in sizes:
            yield _own(
                f"{group}/{outputs}/{games}",
                OUTPUTS[outputs],
                "times",
                "threads_gain",
                outputs=outputs,
                games=games,
                threads=2,
                **arguments,
            )


def _processes() -> Iterator[Row]:
    for outputs in ("mask", "observation"):
        for games in THREADS_SIZES:
            yield _own(
                f"threads/processes/{outputs}/{games}",
                f"{OUTPUTS[outputs]}, two processes instead",
                "times",
                "processes_gain",
                outputs=outputs,
                games=games,
            )


_OPEN_SPIEL = (
    ("connect_four", "connect four"),
    ("go(board_size=9)", "go 9×9"),
    ("backgammon", "backgammon"),
)


def _open_spiel(name: str, what: str, unit: str, function: str, **arguments: Any) -> Iterator[Row]:
    for game, label in _OPEN_SPIEL:
        short = game.partition("(")[0]
        yield Row(
            f"{name}-{short}",
            f"{label}, {what}",
            unit,
            f"{_RIVALS}:{function}",
            {"game": game, **arguments},
            "OpenSpiel",
            ("pyspiel",),
        )


def _single() -> Iterator[Row]:
    yield _own("single/game-state", "GameState, sample, apply, legal actions", "steps/s", "game_state")
    yield from _open_spiel(
        "single/openspiel", "sample, apply, legal actions", "steps/s", "open_spiel_steps", observe=False
    )
    yield from _open_spiel(
        "single/openspiel-observed",
        "sample, apply, legal actions, observation",
        "steps/s",
        "open_spiel_steps",
        observe=True,
    )


def _aec() -> Iterator[Row]:
    yield _own("aec/raw", "raw_env()", "turns/s", "aec", wrapped=False)
    yield _own("aec/wrapped", "env()", "turns/s", "aec", wrapped=True)
    for module, label in (("connect_four_v3", "connect four"), ("chess_v6", "chess")):
        for wrapped in (False, True):
            yield Row(
                f"aec/pettingzoo-{module.rpartition('_')[0]}-{'wrapped' if wrapped else 'raw'}",
                f"{label}, {'env()' if wrapped else 'raw_env()'}",
                "turns/s",
                f"{_RIVALS}:pettingzoo_aec",
                {"module": module, "wrapped": wrapped},
                "PettingZoo",
                ("pygame", "chess") if module == "chess_v6" else ("pygame",),
            )


def _gym() -> Iterator[Row]:
    yield _own("gym/env", "Gymnasium environment, random opponent inside", "steps/s", "gymnasium_env")
    yield _own(
        "gym/vector", "VectorEnv, random opponent inside", "steps/s", "vector_env", games=1024, threads=1
    )
    yield _own(
        "gym/sb3",
        "Stable-Baselines3 VecEnv, random opponent inside",
        "steps/s",
        "sb3_vec_env",
        ("stable_baselines3",),
        games=1024,
        threads=1,
    )


def _playouts() -> Iterator[Row]:
    for threads in (1, 2):
        yield _own(f"playouts/basilica-x{threads}", "compiled", "games/s", "playouts", threads=threads)
    yield from _open_spiel("playouts/openspiel", "in C++", "games/s", "open_spiel_playouts")


def _clone() -> Iterator[Row]:
    yield _own("clone/core", "one game of a batch, in the core", "µs", "clone_core")
    yield _own("clone/game-state", "GameState.copy() from Python", "µs", "clone_game_state")


def _memory() -> Iterator[Row]:
    yield _own("memory/record", "the record of one game", "bytes", "memory_record")
    for outputs in OUTPUTS:
        yield _own(
            f"memory/{outputs}",
            f"BatchEnv, a game: {OUTPUTS[outputs]}",
            "bytes",
            "memory_batch",
            outputs=outputs,
            games=4096,
        )


def _growth() -> Iterator[Row]:
    for outputs in OUTPUTS:
        for games in GROWTH_SIZES:
            yield _batch("growth/games", outputs, games, 1)
    for outputs in OUTPUTS:
        for threads in range(1, (os.cpu_count() or 1) + 1):
            yield _batch("growth/threads", outputs, 4096, threads)
    for outputs in OUTPUTS:
        for decision in GROWTH_DECISIONS:
            yield _own(
                f"growth/decision/{outputs}/{decision}",
                f"{OUTPUTS[outputs]}, decision {decision}",
                "steps/s",
                "batch_at",
                outputs=outputs,
                decision=decision,
                games=1024,
            )


def rows(busy: bool = False, growth: bool = False) -> list[Row]:
    """Return the rows of a run, in the order of the table.

    Parameters
    ----------
    busy : bool
        With the rows measured while another process holds a core.
    growth : bool
        With the rows that the charts are drawn from.
    """
    chosen = [*_start(), *_batches(), *_threads("threads", THREADS_SIZES), *_processes()]
    chosen += _threads("busy", BUSY_SIZES, busy=True) if busy else ()
    chosen += [*_single(), *_aec(), *_gym(), *_playouts(), *_clone(), *_memory()]
    chosen += _growth() if growth else ()
    return chosen


def select(available: list[Row], patterns: list[str]) -> list[Row]:
    """Return the rows whose names begin with one of the patterns or match it (``*`` and ``?``).

    Raises
    ------
    ValueError
        If a pattern fits no row.
    """
    for pattern in patterns:
        if not any(_fits(row, pattern) for row in available):
            names = ", ".join(row.name for row in available)
            raise ValueError(
                f"no row fits {pattern!r}: expected the beginning of a name, or a pattern, of {names}"
            )
    return [row for row in available if not patterns or any(_fits(row, pattern) for pattern in patterns)]


def _fits(row: Row, pattern: str) -> bool:
    return row.name.startswith(pattern) or fnmatchcase(row.name, pattern)
