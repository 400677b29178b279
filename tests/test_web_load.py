"""Fifty games at once, every move answered (issue LOOK).

``pytest tests/test_web_load.py -s`` shows how long the answers took.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import pytest

from tests.serving import PATIENCE, Serving
from tests.web_client import PERSON, Json, agent, first_legal

GAMES = 50
OPPONENTS = ("greedy", "mcts:sims=50", "planner:width=20", "random")


class Visitor:
    """Somebody who plays one game by the first legal move and waits for each answer."""

    def __init__(self, talks: httpx2.AsyncClient, number: int) -> None:
        self.talks = talks
        self.number = number
        self.seconds: list[float] = []

    async def play(self, most: int) -> Json:
        """Play a number of moves or to the end; give the game."""
        opponent = agent(OPPONENTS[self.number % len(OPPONENTS)])
        players = [PERSON, opponent] if self.number % 2 else [opponent, PERSON]
        game = await self.ask("POST", "/api/games", {"players": players, "seed": self.number})
        while True:
            game = await self.ask("GET", f"/api/games/{game['id']}", wait="true")
            assert game["status"] in ("person", "over"), game["failure"]
            if game["status"] == "over" or len(self.seconds) == most:
                return game
            before, begun = game["number"], time.perf_counter()
            game = await self.ask("POST", f"/api/games/{game['id']}/moves", {"move": first_legal(game)})
            self.seconds.append(time.perf_counter() - begun)
            assert game["number"] > before

    async def ask(self, method: str, path: str, body: Json | None = None, **query: str) -> Any:
        answer = await self.talks.request(method, path, json=body, params={"svg": "false", **query})
        assert answer.is_success, answer.text
        return answer.json()


async def play_all(address: str, most: int) -> tuple[list[Visitor], list[Json]]:
    limits = httpx2.Limits(max_connections=GAMES)
    async with httpx2.AsyncClient(base_url=address, timeout=PATIENCE, limits=limits) as talks:
        visitors = [Visitor(talks, number) for number in range(GAMES)]
        games = await asyncio.gather(*(visitor.play(most) for visitor in visitors))
    return visitors, list(games)


@pytest.mark.parametrize("most", [6, pytest.param(10_000, marks=pytest.mark.slow)])
def test_fifty_games_at_once(tmp_path: Path, most: int) -> None:
    begun = time.perf_counter()
    with Serving(tmp_path, "--threads", "2") as server:
        visitors, games = asyncio.run(play_all(server.address, most))
        assert len({game["id"] for game in games}) == len(list(tmp_path.glob("*.basilica"))) == GAMES
        for game in games:
            assert server.game(game["id"])["moves"] == game["moves"]

    if most > 1000:
        assert all(game["status"] == "over" for game in games)
    answers = np.array([second for visitor in visitors for second in visitor.seconds])
    assert len(answers) >= GAMES
    middle, high = 1000 * np.quantile(answers, [0.5, 0.95])
    moves = sum(game["number"] for game in games)
    print(
        f"\n{GAMES} games at once, {moves:,} moves in {time.perf_counter() - begun:.0f} s; "
        f"{len(answers):,} answers, half within {middle:.0f} ms, 95 % within {high:.0f} ms"
    )
