"""Recorded games over HTTP: upload, scrub, scorings, evaluation over time (issue LOOK, point 3)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from basilica_env import GameState
from basilica_env.agents import make_agent
from basilica_env.records import GameRecord, Recorder
from tests.web_client import Client, Json, visiting

EVALUATED = {"agent": "mcts:sims=4"}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with visiting(tmp_path) as client:
        yield client


def played(seed: int, moves: int = 1000) -> GameRecord:
    recorder = Recorder(
        GameState.new(seed), ("first", "<b>second</b>"), seed, "2026-11-30", {"Event": "a test"}
    )
    greedy = make_agent("greedy", seed)
    while not recorder.state.is_over and len(recorder.moves) < moves:
        recorder.play(greedy.act(recorder.state), clock=0.25, comment="<script>alert(1)</script>")
    return recorder.record()


def evaluated(client: Client, replay: Json) -> Json:
    """Give the evaluation once it is complete; it is told by a stream, which ends here with the task."""
    while True:
        evaluation: Json = client.get(f"/api/replays/{replay['id']}")["evaluation"]
        if evaluation["status"] != "running":
            return evaluation


def test_a_record_is_read(client: Client) -> None:
    record = played(3)

    replay = client.post("/api/replays", {"text": record.to_text()}, 201)

    assert replay["players"] == ["first", "<b>second</b>"]
    assert replay["headers"] == [["Event", "a test"]]
    assert (replay["result"], tuple(replay["scores"])) == (record.result, record.scores)
    assert (replay["seed"], replay["date"], replay["games"]) == ("3", "2026-11-30", 1)
    assert [move["move"] for move in replay["moves"]] == [move.move for move in record.moves]
    assert {move["seconds"] for move in replay["moves"]} == {0.25}
    assert replay == client.get(f"/api/replays/{replay['id']}")


def test_the_scorings_of_a_record_add_up(client: Client) -> None:
    record = played(3)
    replay = client.post("/api/replays", {"text": record.to_text()}, 201)
    scorings = [move for move in replay["moves"] if move["scoring"]]

    assert scorings[-1] is replay["moves"][-1]
    for player in (0, 1):
        assert sum(move["scoring"]["points"][player] for move in scorings) == record.scores[player]
        for move in scorings:
            areas = move["scoring"]["areas"]
            assert sum(area["points"][player] for area in areas) == move["scoring"]["points"][player]


def test_every_position_of_a_record_can_be_seen(client: Client) -> None:
    record = played(3)
    replay = client.post("/api/replays", {"text": record.to_text()}, 201)
    path = f"/api/replays/{replay['id']}/positions"

    for number, state in enumerate([record.initial(), *record.replay()]):
        assert client.get(f"{path}/{number}?svg=false")["text"] == state.to_text()
    refused = client.get(f"{path}/{len(record.moves) + 1}", 404)
    assert f"expected 0 to {len(record.moves)}" in refused["error"]


def test_one_game_of_several_is_chosen(client: Client) -> None:
    text = "\n".join(played(seed, moves=3).to_text() for seed in (1, 2))

    replay = client.post("/api/replays", {"text": text, "number": 2}, 201)

    assert (replay["seed"], replay["number"], replay["games"]) == ("2", 2, 2)
    refused = client.post("/api/replays", {"text": text, "number": 3}, 422)
    assert refused["error"] == "number is 3: expected 1 to 2"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("hello", "line 1, game 1: missing header 'Format'"),
        (" \n\n", "there is no game in the text"),
        (played(1, moves=3).to_text().replace("1.0 ", "1.0 B "), "move 1"),
        (played(1, moves=3).to_text().replace("[Tiles", "[TilesX"), "missing header 'Tiles'"),
    ],
)
def test_a_faulty_record_is_told_by_its_line(client: Client, text: str, reason: str) -> None:
    assert reason in client.post("/api/replays", {"text": text}, 422)["error"]


def test_a_game_is_evaluated_position_by_position(client: Client) -> None:
    record = played(3)
    replay = client.post("/api/replays", {"text": record.to_text()}, 201)
    assert replay["evaluation"]["status"] == "none"

    begun = client.put(f"/api/replays/{replay['id']}/evaluation", EVALUATED, 202)
    done = evaluated(client, replay)

    assert begun["status"] == "running"
    assert done["status"] == "done"
    assert done["done"] == done["total"] == len(record.moves) + 1
    assert [value["number"] for value in done["values"]] == list(range(done["total"]))
    first, second = record.scores
    assert done["values"][-1] == {
        "number": len(record.moves),
        "win_chance": {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}[record.result],
        "margin": first - second,
    }
    assert all(0 <= value["win_chance"] <= 1 for value in done["values"])


def test_an_evaluation_is_always_about_player_0(client: Client) -> None:
    """Near its end player 0 leads by far, whoever decides."""
    record = next(record for record in map(played, range(50)) if record.scores[0] >= record.scores[1] + 10)
    replay = client.post("/api/replays", {"text": record.to_text()}, 201)
    client.put(f"/api/replays/{replay['id']}/evaluation", {"agent": "mcts:sims=50"}, 202)

    states = [record.initial(), *record.replay()]
    last = [(states[value["number"]], value) for value in evaluated(client, replay)["values"][-6:-1]]

    assert {state.player for state, _ in last} <= {0, 1}
    assert all(value["win_chance"] > 0.5 and value["margin"] > 0 for _, value in last)


def test_an_evaluation_begins_anew_and_ends_on_request(client: Client) -> None:
    replay = client.post("/api/replays", {"text": played(3).to_text()}, 201)
    path = f"/api/replays/{replay['id']}/evaluation"

    client.put(path, {"agent": "mcts:ms=600000"}, 202)
    client.delete(path)
    ended = client.get(f"/api/replays/{replay['id']}")["evaluation"]
    client.put(path, EVALUATED, 202)

    assert (ended["status"], ended["values"]) == ("ended", [])
    assert evaluated(client, replay)["status"] == "done"


def test_only_an_agent_that_tells_can_evaluate(client: Client) -> None:
    replay = client.post("/api/replays", {"text": played(3, moves=2).to_text()}, 201)

    refused = client.put(f"/api/replays/{replay['id']}/evaluation", {"agent": "greedy"}, 422)

    assert "tells what moves are worth" in refused["error"]


def test_the_oldest_replay_goes(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("basilica_env.web.replays.MOST_REPLAYS", 2)
    text = {"text": played(3, moves=2).to_text()}
    first, second, third = (client.post("/api/replays", text, 201)["id"] for _ in range(3))

    assert "send its record again" in client.get(f"/api/replays/{first}", 404)["error"]
    assert client.get(f"/api/replays/{second}")["id"] == second
    assert client.get(f"/api/replays/{third}")["id"] == third


def test_a_game_of_the_server_is_a_record(client: Client) -> None:
    people: Any = [{"kind": "person", "name": "Ann"}, {"kind": "person", "name": "Bo"}]
    game = client.play(client.begin(players=people, seed=7), "V2c1")

    replay = client.post("/api/replays", {"text": client.get(f"/api/games/{game['id']}/record")}, 201)

    assert replay["players"] == ["Ann", "Bo"]
    assert [{**move, "seconds": None} for move in replay["moves"]] == [
        {**move, "seconds": None} for move in game["moves"]
    ]
