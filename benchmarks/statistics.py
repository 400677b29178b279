"""What games look like: ``basilica bench statistics``.

The facts that a page about a game owes its readers: how long it is, how many choices it gives, who
wins, how it ends, and how often the end of the board (R4.6) is felt. Random games are played by
compiled code, millions of them; an agent may play, too.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from basilica_env.arena.statistics import wilson
from basilica_env.benchmarks.machine import cores, versions
from basilica_env.benchmarks.report import ReportError, fill
from basilica_env.cli.terminal import reason
from basilica_env.core.bitboard import EMPTY
from basilica_env.core.compile import kernel
from basilica_env.core.layout import (
    COLUMNS,
    GAME,
    MAIN,
    NONE,
    OVER,
    ROWS,
    SCAFFOLD,
    SCAFFOLD_ONE,
    SCAFFOLD_TWO,
    SPACES,
    VAULT,
)
from basilica_env.core.playout import KIND_FIRST, UNIFORM, count_legal, random_action, random_action_by_kind
from basilica_env.core.random import advance, mix, seed_state
from basilica_env.core.rules import apply, deal, vault_squares
from basilica_env.core.scoring import wild_squares
from basilica_env.core.tiles import TileSetError, tile_set
from basilica_env.files import replaceable, write_text

FORMAT = "basilica-statistics 1"
"""Marks a file of statistics; the number changes when a key changes its meaning."""

POLICIES = {"uniform": UNIFORM, "kind-first": KIND_FIRST}
"""Random players: uniform over legal actions, or the kind (vault, builder, order) first."""

BLOCK = "random_play"
"""The block of a page that ``--fill`` fills by default."""

COUNTS = np.dtype(
    [
        ("decisions", np.int64),
        ("turns", np.int64),
        ("choices", np.int64),  # legal actions, added up over the decisions
        ("scores", np.int64, (2,)),
        ("king", np.int64),  # where the king stood at the end: below 30 the tiles ran out (R7.2)
        ("bitten", np.int64),  # decisions from which R4.6 removed a choice
    ],
    align=True,
)
"""What is counted of one game."""

_ROW_12 = np.uint64(((1 << COLUMNS) - 1) << COLUMNS * (ROWS - 1))
_CHUNK = 10_000


@kernel
def limit_bites(game: Any, tiles: Any) -> bool:
    """Return whether a tile could be placed in row 13 now if R4.6 did not end the cathedral at row 12."""
    top = (vault_squares(game) | game.planes[SCAFFOLD]) & _ROW_12
    if top == EMPTY:
        return False
    if game.decision == SCAFFOLD_TWO or game.decision == SCAFFOLD_ONE:
        return True
    if game.decision != MAIN and game.decision != VAULT:
        return False
    for space in range(SPACES):
        tile = game.vaults[space]
        if tile != NONE and (not tiles[tile].wild or top & ~wild_squares(game) != EMPTY):  # R4.2
            return True
    return False


@kernel
def play_counted(tiles: Any, seed: Any, policy: int, games: Any, counts: Any, start: int) -> None:
    """Play random games number ``start`` onwards to the end, one for each entry of ``counts``.

    Game ``k`` has a generator of its own, so the result does not depend on how the work is split.
    ``games`` is a GAME array of one, to play on.
    """
    game = games[0]
    for i in range(len(counts)):
        tally = counts[i]
        state = mix(seed ^ mix(np.uint64(start + i)))
        game.random = mix(state)
        deal(game, tiles)
        turn = 1 - game.turn
        while game.decision != OVER:
            if game.turn != turn:
                turn = game.turn
                tally.turns += 1
            tally.decisions += 1
            tally.choices += count_legal(game)
            tally.bitten += limit_bites(game, tiles)
            state = advance(state)
            by_kind = policy == KIND_FIRST
            apply(game, tiles, random_action_by_kind(game, state) if by_kind else random_action(game, state))
        tally.scores[0] = game.scores[0]
        tally.scores[1] = game.scores[1]
        tally.king = game.king


def random_games(
    games: int, seed: int = 0, policy: str = "uniform", tiles: str = "standard", threads: int = 1
) -> Iterator[npt.NDArray[np.void]]:
    """Play random games and yield what was counted, a chunk of games at a time, in order.

    Parameters
    ----------
    games : int
        How many.
    seed : int
        Fixes every game, whatever the number of threads.
    policy : str
        A key of :data:`POLICIES`.
    tiles : str
        ``"standard"`` or the path of a tile set.
    threads : int
        Threads to play on.

    Yields
    ------
    ndarray of COUNTS, shape (up to 10,000,)

    Raises
    ------
    ValueError
        If a number is out of range, the policy unknown or the tile set faulty.
    """
    _check_positive("games", games)
    _check_positive("threads", threads)
    if policy not in POLICIES:
        raise ValueError(f"policy={policy!r}: expected one of {', '.join(POLICIES)}")
    array = tile_set(tiles).array
    state = seed_state(seed)

    def play(start: int) -> npt.NDArray[np.void]:
        counts = np.zeros(min(_CHUNK, games - start), COUNTS)
        play_counted(array, state, POLICIES[policy], np.zeros(1, GAME), counts, start)
        return counts

    play_counted(array, state, UNIFORM, np.zeros(1, GAME), np.zeros(0, COUNTS), 0)  # compile once
    with ThreadPoolExecutor(threads) as pool:
        try:
            yield from pool.map(play, range(0, games, _CHUNK))
        finally:
            pool.shutdown(cancel_futures=True)


def agent_games(
    games: int, spec: str, seed: int = 0, tiles: str = "standard"
) -> Iterator[npt.NDArray[np.void]]:
    """Let an agent play both sides of games and yield what was counted, a game at a time.

    Parameters
    ----------
    games : int
        How many.
    spec : str
        Names the agent: ``"greedy"``, ``"mcts:sims=100"``.
    seed, tiles
        As for :func:`random_games`.

    Yields
    ------
    ndarray of COUNTS, shape (1,)

    Raises
    ------
    ValueError
        If the number is out of range, the spec names no agent or the tile set is faulty.
    """
    from basilica_env.agents import make_agent
    from basilica_env.game import GameState

    _check_positive("games", games)
    agent = make_agent(spec, seed=seed)
    for number in range(games):
        game_seed = int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0])
        state = GameState.new(seed=game_seed, tiles=tiles)
        counts = np.zeros(1, COUNTS)
        turn = None
        while not state.is_over:
            counts["turns"] += state.turn != turn
            turn = state.turn
            counts["decisions"] += 1
            counts["choices"] += len(state.legal_actions())
            counts["bitten"] += limit_bites(state.to_array()[0], state.tiles.array)
            state.apply(agent.act(state))
        counts["scores"] = state.scores
        counts["king"] = state.king
        yield counts


def _check_positive(name: str, number: int) -> None:
    if number < 1:
        raise ValueError(f"{name}={number}: expected 1 or more")


# --- From counts to facts ------------------------------------------------------------------------


def _share(which: npt.NDArray[np.bool_]) -> dict[str, Any]:
    """Describe a share of the games with its 95 % interval."""
    share, low, high = wilson(float(which.mean()), len(which))
    return {"share": share, "low": low, "high": high}


def _spread(values: npt.NDArray[np.int64]) -> dict[str, float]:
    """Describe a distribution over the games."""
    points = np.percentile(values, [5, 50, 95])
    return {
        "mean": float(values.mean()),
        "least": int(values.min()),
        "low_5": float(points[0]),
        "median": float(points[1]),
        "high_5": float(points[2]),
        "most": int(values.max()),
    }


def _histogram(values: npt.NDArray[np.int64]) -> dict[str, int]:
    """Count the games for each value that occurs."""
    occurring, games = np.unique(values, return_counts=True)
    return {str(value): int(number) for value, number in zip(occurring, games, strict=True)}


def facts(counts: npt.NDArray[np.void]) -> dict[str, Any]:
    """Turn what was counted of many games into the facts of a page.

    Parameters
    ----------
    counts : ndarray of COUNTS, shape (games,)

    Returns
    -------
    dict
        ``games``; spreads (``mean``, ``least``, ``low_5``, ``median``, ``high_5``, ``most``) of
        ``decisions``, ``turns`` and the score of each player; ``branching``, the legal actions a
        decision; shares (``share`` with the 95 % interval ``low`` to ``high``) of the games that
        ``player_0`` or ``player_1`` ``_wins``, that are a ``tie``, that end by ``exhaustion``
        (R7.2) and in which the ``limit`` of R4.6 removed a choice; histograms of scores and length.
    """
    scores = counts["scores"]
    return {
        "games": len(counts),
        "decisions": _spread(counts["decisions"]),
        "turns": _spread(counts["turns"]),
        "branching": float(counts["choices"].sum() / counts["decisions"].sum()),
        "player_0_score": _spread(scores[:, 0]),
        "player_1_score": _spread(scores[:, 1]),
        "player_0_wins": _share(scores[:, 0] > scores[:, 1]),
        "player_1_wins": _share(scores[:, 0] < scores[:, 1]),
        "tie": _share(scores[:, 0] == scores[:, 1]),
        "exhaustion": _share(counts["king"] < 30),
        "limit": _share(counts["bitten"] > 0),
        "player_0_score_histogram": _histogram(scores[:, 0]),
        "player_1_score_histogram": _histogram(scores[:, 1]),
        "decisions_histogram": _histogram(counts["decisions"]),
    }


# --- Facts as text -------------------------------------------------------------------------------


def _spread_text(spread: dict[str, float]) -> str:
    return f"{spread['mean']:.1f} ({spread['low_5']:.0f} – {spread['high_5']:.0f})"


def _share_text(share: dict[str, float]) -> str:
    return f"{share['share']:.2%} ({share['low']:.2%} – {share['high']:.2%})"


def _one_in_text(share: dict[str, float]) -> str:
    if not share["share"]:
        return "never"
    return f"{share['share']:.3%}, one game in {1 / share['share']:.0f}"


def _score_rows(found: dict[str, dict[str, Any]], width: int = 5, bins: int = 9) -> Iterator[tuple[str, ...]]:
    """Yield the histogram of final scores in bins: the bin, then the share of each policy and player."""
    for low in range(0, width * bins, width):
        last = low == width * (bins - 1)
        shares = []
        for facts in found.values():
            for player in range(2):
                histogram = facts[f"player_{player}_score_histogram"]
                inside = sum(
                    n
                    for score, n in histogram.items()
                    if low <= int(score) and (last or int(score) < low + width)
                )
                shares.append(f"{inside / facts['games']:.2%}")
        yield f"{low} or more" if last else f"{low} – {low + width - 1}", *shares


def _line(parts: tuple[str, ...]) -> str:
    return "| " + " | ".join(parts) + " |"


def markdown(found: dict[str, dict[str, Any]], command: str) -> str:
    """Write the facts of each player as a section of a page."""
    players = tuple(found)
    lines = ["```console", f"$ {command}", "```", ""]
    lines += [_line(("both sides", *players)), _line(("---",) + ("---:",) * len(players))]
    for label, key, text in (
        ("games", "games", lambda games: f"{games:,}"),
        ("decisions a game", "decisions", _spread_text),
        ("turns a game", "turns", _spread_text),
        ("legal actions a decision", "branching", lambda mean: f"{mean:.1f}"),
        ("score of player 0", "player_0_score", _spread_text),
        ("score of player 1", "player_1_score", _spread_text),
        ("player 0 wins", "player_0_wins", _share_text),
        ("player 1 wins", "player_1_wins", _share_text),
        ("tie", "tie", _share_text),
        ("ended by exhaustion (R7.2)", "exhaustion", _share_text),
        ("R4.6 removed a choice", "limit", _one_in_text),
    ):
        lines.append(_line((label, *(text(facts[key]) for facts in found.values()))))
    lines += [
        "",
        "Means with the range of the middle 90 % of games; shares with their 95 % Wilson interval.",
        "",
        _line(("final score", *(f"{player}, side {side}" for player in players for side in range(2)))),
        _line(("---",) + ("---:",) * 2 * len(players)),
    ]
    lines += [_line(row) for row in _score_rows(found)]
    return "\n".join(lines)


# --- The command ---------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="basilica bench statistics", description="Count what games look like, random ones by default."
    )
    add = parser.add_argument
    add(
        "--players",
        nargs="+",
        default=list(POLICIES),
        metavar="PLAYER",
        help=f"{', '.join(POLICIES)} or an agent",
    )
    add("--games", type=int, default=1_000_000, help="games a player (default: %(default)s)")
    add("--seed", type=int, default=0, help="fixes every game (default: %(default)s)")
    add("--tiles", default="standard", help="'standard' or the path of a tile set")
    add("--threads", type=int, default=cores(), help="for random games (default: every core, %(default)s)")
    add("--json", type=Path, metavar="FILE", help="write the facts to this file")
    add("--fill", type=Path, metavar="PAGE", help="put the table into a block of a page")
    add("--block", default=BLOCK, metavar="NAME", help="the block that --fill fills (default: %(default)s)")
    return parser


def main(argv: list[str]) -> int:
    """Run ``basilica bench statistics``; return the exit status.

    0: done; 1: a file cannot be read or written; 2: wrong use; 130: interrupted.
    """
    options = _parser().parse_args(argv)
    command = shlex.join(["basilica", "bench", "statistics", *argv])
    try:
        for path in filter(None, (options.json, options.fill)):
            replaceable(path)  # before the counting, not after it
        found = _count(options)
        text = markdown(found, command)
        print(text)
        if options.json:
            tiles = tile_set(options.tiles)
            told = {
                "format": FORMAT,
                "command": command,
                "seed": options.seed,
                "tiles": {"name": tiles.name, "digest": tiles.digest},
                "versions": versions(),
                "players": found,
            }
            write_text(options.json, json.dumps(told, indent=1) + "\n")
        if options.fill:
            fill(options.fill, options.block, text)
    except KeyboardInterrupt:
        print("basilica bench statistics: interrupted, nothing written", file=sys.stderr)
        return 130
    except OSError as error:
        print(f"basilica bench statistics: {reason(error)}", file=sys.stderr)
        return 1
    except ValueError as error:
        print(f"basilica bench statistics: {error}", file=sys.stderr)
        return 1 if isinstance(error, (ReportError, TileSetError)) else 2
    return 0


def _count(options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    from rich.console import Console
    from rich.progress import Progress

    found = {}
    with Progress(console=Console(stderr=True), transient=True) as progress:
        for player in options.players:
            task = progress.add_task(player, total=options.games)
            if player in POLICIES:
                games = random_games(options.games, options.seed, player, options.tiles, options.threads)
            else:
                games = agent_games(options.games, player, options.seed, options.tiles)
            parts = []
            for counts in games:
                parts.append(counts)
                progress.advance(task, len(counts))
            found[player] = facts(np.concatenate(parts))
    return found
