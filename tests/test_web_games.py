"""Games over HTTP: play, watch, take back, hints, records, and a restart (issue LOOK, point 3)."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from basilica_env import GameState
from basilica_env.agents import GreedyAgent
from basilica_env.records import read_records
from basilica_env.render.svg import draw_svg
from basilica_env.render.theme import LIGHT
from tests.web_client import PERSON, TWO_PEOPLE, Client, agent, first_legal, visiting


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with visiting(tmp_path) as client:
        yield client


# --- Playing --------------------------------------------------------------------------------------


def test_a_game_is_dealt_from_its_seed(client: Client) -> None:
    game = client.begin(**TWO_PEOPLE)

    assert game["seed"] == 7
    assert game["status"] == "person"
    assert [entry["move"] for entry in game["position"]["legal"]] == GameState.new(seed=7).legal_moves()


def test_a_game_begins_at_a_position(client: Client) -> None:
    state = GameState.new(seed=3)
    state.play("V1a1")

    game = client.begin(players=[PERSON, PERSON], position=state.to_text())

    assert list(game["position"]["cathedral"]) == ["a1"]
    assert game["position"]["decision"] == "main@a1"


def test_two_friends_play_a_whole_game_to_its_end(client: Client) -> None:
    game = client.begin(**TWO_PEOPLE)
    state = GameState.new(seed=7)

    while game["status"] == "person":
        assert game["position"]["player"] == state.player
        move = state.move_of(state.greedy_action())
        state.play(move)
        game = client.play(game, move)

    assert state.is_over
    assert game["status"] == "over"
    assert tuple(game["position"]["scores"]) == state.scores
    assert game["position"]["legal"] == []
    assert game["position"]["player"] is None
    assert f"{max(state.scores)}:{min(state.scores)}" in game["position"]["result"]
    scorings = [move["scoring"] for move in game["moves"] if move["scoring"]]
    totals = [sum(scoring["points"][player] for scoring in scorings) for player in (0, 1)]
    assert tuple(totals) == state.scores


def test_an_agent_answers(client: Client) -> None:
    game = client.begin(players=[agent("mcts:sims=20"), PERSON], seed=1)
    game = client.settled(game)

    assert game["status"] == "person"
    assert game["position"]["player"] == 1
    assert {move["player"] for move in game["moves"]} == {0}


def test_agents_get_the_same_game_from_the_same_seed(client: Client) -> None:
    wanted = {"players": [agent("mcts:sims=8"), agent("greedy")], "seed": 5}
    first, second = (client.settled(client.begin(**wanted)) for _ in range(2))

    assert first["status"] == second["status"] == "over"
    assert [move["move"] for move in first["moves"]] == [move["move"] for move in second["moves"]]


def test_the_drawing_is_that_of_every_other_face(client: Client) -> None:
    game = client.post("/api/games", TWO_PEOPLE, 201)
    svg = game["position"]["svg"]
    for name, colour in LIGHT._asdict().items():
        svg = svg.replace(f"@{name}@", colour)

    assert svg == draw_svg(GameState.new(seed=7), areas=True, names=("person", "person"))


def test_a_legal_move_says_where_it_is(client: Client) -> None:
    game = client.begin(**TWO_PEOPLE)
    (entry,) = (entry for entry in game["position"]["legal"] if entry["move"] == "V2c1")
    assert (entry["squares"], entry["space"]) == (["c1"], "vault-2")

    game = client.play(game, "V2c1")
    assert set(game["position"]["last"]) == {"c1", "vault-2"}
    (entry,) = (entry for entry in game["position"]["legal"] if entry["move"] == "B")
    assert (entry["squares"], entry["space"]) == (["c1"], None)


def test_what_is_hidden_is_not_told(client: Client) -> None:
    """R1.5: neither the order of the stack, nor the crown or the code of a tile that lies order side up."""
    game = client.post("/api/games", TWO_PEOPLE, 201)
    view = GameState.new(seed=7).view()
    text = json.dumps(game)

    for code in (*view.orders, *view.stack):
        assert f'"{code}"' not in text
    assert game["position"]["text"] == ""
    assert set(game["position"]["orders"][0]) == {"order", "title", "coin", "colours"}


def test_a_move_made_twice_counts_once(client: Client) -> None:
    game = client.begin(**TWO_PEOPLE)
    choice = {"move": "V2c1", "version": game["version"]}
    path = f"/api/games/{game['id']}/moves"

    after = client.post(path, choice)
    refused = client.post(path, choice, 409)

    assert f"version {game['version']}: expected {after['version']}" in refused["error"]
    assert client.get(f"/api/games/{game['id']}")["number"] == 1


def test_an_illegal_move_changes_nothing(client: Client) -> None:
    game = client.begin(**TWO_PEOPLE)

    refused = client.post(f"/api/games/{game['id']}/moves", {"move": "B"}, 409)

    assert "illegal move 'B'" in refused["error"]
    assert client.get(f"/api/games/{game['id']}?svg=false") == game


def test_nobody_plays_for_an_agent(client: Client) -> None:
    game = client.begin(players=[agent("random"), PERSON], paused=True)

    refused = client.post(f"/api/games/{game['id']}/moves", {"move": "V1a1"}, 409)

    assert "paused" in refused["error"]


# --- Taking back, looking back --------------------------------------------------------------------


def test_undo_goes_back_to_the_last_decision_of_a_person(client: Client) -> None:
    game = client.begin(players=[PERSON, agent("greedy")], seed=2)
    before = [game]
    while game["position"]["turn"] == 0:
        game = client.settled(client.play(game, first_legal(game)))
        before.append(game)
        if len({move["player"] for move in game["moves"]}) == 2:
            break

    undone = client.post(f"/api/games/{game['id']}/undo?svg=false")

    assert undone["position"] == before[-2]["position"]
    assert undone["moves"] == before[-2]["moves"]


def test_undo_interrupts_an_agent_that_thinks(client: Client) -> None:
    game = client.begin(players=[PERSON, agent("mcts:ms=600000")], seed=2)
    while game["status"] == "person":
        game = client.play(game, first_legal(game))
    assert game["status"] == "thinking"

    undone = client.post(f"/api/games/{game['id']}/undo?svg=false")

    assert undone["status"] == "person"
    assert undone["number"] == game["number"] - 1


def test_there_is_nothing_to_undo_at_the_start(client: Client) -> None:
    game = client.begin(**TWO_PEOPLE)
    assert not game["undo"]

    assert "there is none" in client.post(f"/api/games/{game['id']}/undo", status=409)["error"]


def test_earlier_positions_can_be_seen(client: Client) -> None:
    game = client.begin(**TWO_PEOPLE)
    first = game["position"]
    game = client.play(game, "V2c1")

    seen = client.get(f"/api/games/{game['id']}/positions/0?svg=false")

    assert {**seen, "legal": first["legal"]} == first
    assert seen["legal"] == []
    assert "expected 0 to 1" in client.get(f"/api/games/{game['id']}/positions/2", 404)["error"]


# --- Watching -------------------------------------------------------------------------------------


def test_a_watched_game_is_stepped_through(client: Client) -> None:
    game = client.begin(players=[agent("greedy"), agent("random")], paused=True, seed=4)
    assert (game["status"], game["number"]) == ("paused", 0)

    for number in (1, 2):
        game = client.post(f"/api/games/{game['id']}/step?svg=false")
        assert (game["status"], game["number"]) == ("paused", number)

    client.put(f"/api/games/{game['id']}/pace?svg=false", {"paused": False, "delay": 0})
    assert client.settled(game)["status"] == "over"


def test_agents_play_each_other_only_while_somebody_watches(client: Client) -> None:
    game = client.begin(players=[agent("random"), agent("random")], seed=4)
    assert (game["status"], game["number"]) == ("thinking", 0)

    assert client.get(f"/api/games/{game['id']}")["number"] == 0
    assert client.settled(game)["status"] == "over"


def test_a_pause_stops_an_agent_that_thinks(client: Client) -> None:
    game = client.begin(players=[agent("mcts:ms=600000"), PERSON])
    assert game["status"] == "thinking"

    game = client.put(f"/api/games/{game['id']}/pace", {"paused": True})

    assert (game["status"], game["number"]) == ("paused", 0)


def test_there_is_no_step_for_people(client: Client) -> None:
    game = client.begin(**TWO_PEOPLE)

    assert "waiting for a person" in client.post(f"/api/games/{game['id']}/step", status=409)["error"]


def test_an_agent_stops_at_the_limit(tmp_path: Path) -> None:
    with visiting(tmp_path, seconds=0.01) as client:
        game = client.begin(players=[agent("mcts:ms=600000"), PERSON], paused=True)

        game = client.post(f"/api/games/{game['id']}/step")

    assert game["number"] == 1


def test_an_agent_that_fails_is_told_and_tries_again(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    game = client.begin(players=[agent("greedy"), PERSON], paused=True)
    with monkeypatch.context() as patch:
        patch.setattr(GreedyAgent, "act", lambda *_: 1 / 0)
        failed = client.post(f"/api/games/{game['id']}/step?svg=false")

    assert (failed["status"], failed["number"]) == ("failed", 0)
    assert failed["failure"] == "agent 'greedy' failed; the output of the server says why"
    assert "ZeroDivisionError" in caplog.text
    assert client.post(f"/api/games/{game['id']}/step?svg=false")["number"] == 1


# --- Advice ---------------------------------------------------------------------------------------


def test_a_hint_tells_what_moves_are_worth(client: Client) -> None:
    game = client.begin(**TWO_PEOPLE)

    hint = client.post(f"/api/games/{game['id']}/hint", {"agent": "mcts:sims=100"})

    assert {entry["move"] for entry in hint["moves"]} == set(GameState.new(seed=7).legal_moves())
    best = hint["moves"][0]
    assert best["visits"] == max(entry["visits"] for entry in hint["moves"]) > 0
    assert 0 <= best["win_chance"] <= 1
    assert hint["line"][0] == best["move"]
    assert hint["simulations"] == 100


def test_an_agent_that_only_acts_gives_its_move(client: Client) -> None:
    game = client.begin(**TWO_PEOPLE)

    hint = client.post(f"/api/games/{game['id']}/hint", {"agent": "greedy"})

    (only,) = hint["moves"]
    assert GameState.new(seed=7).is_legal(GameState.new(seed=7).action_of(only["move"]))
    assert only["value"] is None


def test_a_hint_is_for_people(client: Client) -> None:
    game = client.begin(players=[agent("random"), PERSON], paused=True)

    assert "'paused'" in client.post(f"/api/games/{game['id']}/hint", status=409)["error"]


def test_a_position_is_analysed(client: Client) -> None:
    state = GameState.new(seed=7)
    wanted = {"position": state.to_text(), "moves": ["V2c1"], "agent": "mcts:sims=50"}
    state.play("V2c1")

    analysis = client.post("/api/analyses", wanted)

    assert analysis["decision"] == "main@c1"
    assert {entry["move"] for entry in analysis["moves"]} == set(state.legal_moves())


def test_a_position_is_set_up(client: Client) -> None:
    state = GameState.new(seed=7)
    wanted = {"position": state.to_text(), "moves": ["V2c1", "B"]}
    for move in wanted["moves"]:
        state.play(move)

    position = client.post("/api/positions?svg=false", wanted)

    assert position["text"] == state.to_text()
    assert [entry["move"] for entry in position["legal"]] == state.legal_moves()


def test_a_faulty_position_is_named(client: Client) -> None:
    text = GameState.new(seed=7).to_text().replace(" 0:3 ", " 0:9 ")
    good = GameState.new(seed=7).to_text()

    assert "turn" in client.post("/api/positions", {"position": text}, 422)["error"]
    refused = client.post("/api/positions", {"position": good, "moves": ["V2c1", "pay"]}, 422)
    assert refused["error"].startswith("moves[1]: illegal move 'pay'")


# --- What is kept ---------------------------------------------------------------------------------


def test_the_record_can_be_had(client: Client) -> None:
    game = client.play(client.begin(**TWO_PEOPLE), "V2c1")

    text = client.get(f"/api/games/{game['id']}/record")

    (record,) = read_records(io.StringIO(text))
    assert [move.move for move in record.moves] == ["V2c1"]
    assert record.seed == 7


def test_a_restart_keeps_games_as_they_were(tmp_path: Path) -> None:
    players = [{"kind": "person", "name": 'Ann "the <b>" \\ {x}'}, agent("greedy")]
    with visiting(tmp_path) as client:
        game = client.begin(players=players, seed=2, delay=0.0)
        while not any(move["player"] == 1 for move in game["moves"]):
            game = client.settled(client.play(game, first_legal(game)))

    with visiting(tmp_path) as client:
        again = client.get(f"/api/games/{game['id']}?svg=false")
        assert again["version"] > game["version"]
        assert {**again, "version": 0} == {**game, "version": 0}
        assert client.post(f"/api/games/{game['id']}/undo?svg=false")["number"] < game["number"]


def test_chance_goes_on_after_a_restart_as_it_would_have(tmp_path: Path) -> None:
    """The reshuffle (R7.1) still to come and the seeds of agents follow from the seed of the game."""
    wanted = {"players": [agent("greedy"), agent("mcts:sims=4")], "seed": 11}
    with visiting(tmp_path) as client:
        through = client.settled(client.begin(**wanted))
        game = client.begin(**wanted, paused=True)
        for _ in range(10):
            game = client.post(f"/api/games/{game['id']}/step?svg=false")

    with visiting(tmp_path) as client:
        client.put(f"/api/games/{game['id']}/pace?svg=false", {"paused": False})
        game = client.settled(game)

    assert through["position"]["reshuffled"]
    assert [move["move"] for move in game["moves"]] == [move["move"] for move in through["moves"]]
    assert game["position"] == through["position"]


def test_a_deleted_game_is_gone(tmp_path: Path) -> None:
    with visiting(tmp_path) as client:
        game = client.begin(**TWO_PEOPLE)
        client.delete(f"/api/games/{game['id']}")

        assert list(tmp_path.iterdir()) == []
        assert game["id"] in client.get(f"/api/games/{game['id']}", 404)["error"]


def test_what_a_killed_server_was_writing_is_removed(tmp_path: Path) -> None:
    (tmp_path / ".0123456789abcdef.draft").write_text("[Format")
    (tmp_path / "notes.txt").write_text("mine")

    with visiting(tmp_path):
        assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_damaged_record_is_told_and_left_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with visiting(tmp_path) as client:
        game = client.begin(**TWO_PEOPLE)
    (file,) = tmp_path.iterdir()
    file.write_text("[Format")

    with visiting(tmp_path) as client:
        assert "is damaged" in client.get(f"/api/games/{game['id']}", 404)["error"]
    assert "line 1, game 1" in caplog.text
    assert file.read_text() == "[Format"


def test_a_change_that_cannot_be_saved_is_not_made(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "games", tmp_path / "elsewhere"
    folder.mkdir()
    with visiting(folder) as client:
        game = client.play(client.begin(**TWO_PEOPLE), "V2c1")
        folder.rename(elsewhere)
        refusals = [
            client.post(f"/api/games/{game['id']}/moves", {"move": "B"}, 503),
            client.post(f"/api/games/{game['id']}/undo", status=503),
            client.post("/api/games", TWO_PEOPLE, 503),
        ]
        elsewhere.rename(folder)

        assert all("cannot be saved" in refused["error"] for refused in refusals)
        assert client.get(f"/api/games/{game['id']}?svg=false") == game


def test_an_agent_whose_move_cannot_be_saved_tries_again(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "games", tmp_path / "elsewhere"
    folder.mkdir()
    with visiting(folder) as client:
        game = client.begin(players=[agent("greedy"), PERSON], paused=True)
        folder.rename(elsewhere)
        failed = client.post(f"/api/games/{game['id']}/step?svg=false")
        elsewhere.rename(folder)

        assert (failed["status"], failed["number"]) == ("failed", 0)
        assert "cannot be saved" in failed["failure"]
        game = client.post(f"/api/games/{game['id']}/step?svg=false")
        assert (game["status"], game["number"], game["failure"]) == ("paused", 1, "")


def test_a_full_server_says_so(tmp_path: Path) -> None:
    with visiting(tmp_path, most_games=1) as client:
        game = client.begin(**TWO_PEOPLE)
        assert "keeps 1 games" in client.post("/api/games", TWO_PEOPLE, 503)["error"]

        client.delete(f"/api/games/{game['id']}")
        client.begin(**TWO_PEOPLE)
