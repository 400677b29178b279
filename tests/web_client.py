"""Talks to the server's application inside the process of the tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from basilica_env.web.api import Interface
from basilica_env.web.app import build
from basilica_env.web.settings import Settings

Json = dict[str, Any]

PERSON: Json = {"kind": "person"}
TWO_PEOPLE: Json = {"players": [PERSON, PERSON], "seed": 7}


def agent(spec: str) -> Json:
    return {"kind": "agent", "agent": spec}


class Client:
    """One visitor; `talks` is the HTTP client."""

    def __init__(self, talks: TestClient) -> None:
        self.talks = talks

    def get(self, path: str, status: int = 200) -> Any:
        return self._checked(self.talks.get(path), status)

    def post(self, path: str, body: Json | None = None, status: int = 200) -> Any:
        return self._checked(self.talks.post(path, json=body or {}), status)

    def put(self, path: str, body: Json, status: int = 200) -> Any:
        return self._checked(self.talks.put(path, json=body), status)

    def delete(self, path: str, status: int = 204) -> Any:
        return self._checked(self.talks.delete(path), status)

    def begin(self, **wanted: Any) -> Json:
        game: Json = self.post("/api/games?svg=false", wanted, 201)
        return game

    def play(self, game: Json, move: str) -> Json:
        after: Json = self.post(f"/api/games/{game['id']}/moves?svg=false", {"move": move})
        return after

    def settled(self, game: Json) -> Json:
        """Give the game when no agent has to move any more."""
        after: Json = self.get(f"/api/games/{game['id']}?svg=false&wait=true")
        return after

    def _checked(self, response: Any, status: int) -> Any:
        assert response.status_code == status, response.text
        if response.headers.get("content-type") != "application/json":
            return response.text
        return response.json()


@contextmanager
def visiting(folder: Path, **settings: Any) -> Iterator[Client]:
    """Open a server on a folder for a while."""
    app = build(Interface(Settings(folder, threads=2, **settings)))
    with TestClient(app, base_url="http://localhost") as talks:
        yield Client(talks)


def first_legal(game: Json) -> str:
    move: str = game["position"]["legal"][0]["move"]
    return move
