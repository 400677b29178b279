"""``basilica serve`` as a process: events, Ctrl-C, kill -9 and restart (issue LOOK, point 3)."""

from __future__ import annotations

import json
import re
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from basilica_env.cli import main
from basilica_env.records import read_records
from tests.serving import Serving
from tests.test_web_replays import played
from tests.web_client import PERSON, TWO_PEOPLE, agent, first_legal

QUICK = "mcts:sims=8"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with Serving(tmp_path_factory.mktemp("games"), "--think", "600") as server:
        yield server


class Events:
    """What a stream of events tells, one after the other."""

    def __init__(self, lines: Iterator[str]) -> None:
        self.lines = lines

    def next(self, name: str) -> Any:
        """Give the data of the next event of a name; others are passed over."""
        for line in self.lines:
            if line == f"event: {name}":
                return json.loads(next(self.lines).removeprefix("data: "))
        raise AssertionError(f"the stream ended without {name!r}")


# --- Events ---------------------------------------------------------------------------------------


def test_a_stream_begins_with_the_game_and_tells_every_change(server: Serving) -> None:
    game = server.begin(**TWO_PEOPLE)
    with server.talks.stream("GET", f"/api/games/{game['id']}/events?svg=false") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        events = Events(stream.iter_lines())
        assert events.next("game") == game

        after = server.play(game, "V2c1")
        assert events.next("game") == after

        server.talks.delete(f"/api/games/{game['id']}").raise_for_status()
        assert events.next("gone") == {}
        assert [line for line in events.lines if line] == []


def test_a_stream_tells_how_far_an_agent_has_thought(server: Serving) -> None:
    game = server.begin(players=[agent("mcts:ms=600000"), PERSON])
    with server.talks.stream("GET", f"/api/games/{game['id']}/events?svg=false") as stream:
        events = Events(stream.iter_lines())
        assert events.next("game")["status"] == "thinking"
        first, second = events.next("thinking"), events.next("thinking")

        paused = server.talks.put(f"/api/games/{game['id']}/pace?svg=false", json={"paused": True}).json()
        assert events.next("game") == paused

    assert first["player"] == second["player"] == 0
    assert 0 < first["simulations"] < second["simulations"]
    assert paused["status"] == "paused"


def test_an_agent_that_thinks_does_not_keep_others_waiting(server: Serving) -> None:
    """There are more agents that think for ten minutes than threads, and people still play."""
    thinking = [server.begin(players=[agent("mcts:ms=600000"), PERSON])["id"] for _ in range(8)]
    game = server.begin(**TWO_PEOPLE)

    for _ in range(3):
        game = server.play(game, first_legal(game))
    hint = server.talks.post(f"/api/games/{game['id']}/hint", json={"agent": QUICK}).raise_for_status()

    assert game["number"] == 3
    assert hint.json()["simulations"] == 8
    for name in thinking:
        server.talks.delete(f"/api/games/{name}").raise_for_status()


def test_a_stream_tells_how_an_evaluation_grows(server: Serving) -> None:
    replay = server.talks.post("/api/replays", json={"text": played(3).to_text()}).raise_for_status().json()
    path = f"/api/replays/{replay['id']}"
    values: list[Any] = []
    with server.talks.stream("GET", f"{path}/events") as stream:
        events = Events(stream.iter_lines())
        assert events.next("evaluation")["status"] == "none"
        server.talks.put(f"{path}/evaluation", json={"agent": QUICK}).raise_for_status()
        while True:
            evaluation = events.next("evaluation")
            values += evaluation["values"]
            if evaluation["status"] == "done":
                break

    assert [value["number"] for value in values] == list(range(len(replay["moves"]) + 1))
    assert values == server.talks.get(path).json()["evaluation"]["values"]


def test_only_this_machine_can_reach_it_unless_told_otherwise(server: Serving) -> None:
    assert re.fullmatch(r"http://127\.0\.0\.1:[0-9]+/", server.address)


def test_the_page_is_there(server: Serving) -> None:
    page = server.talks.get("/").raise_for_status()

    assert page.headers["content-type"].startswith("text/html")
    assert page.headers["cache-control"] == "no-cache"
    assert "--red: #" in server.talks.get("/theme.css").text


# --- The end, and after it ------------------------------------------------------------------------


def test_ctrl_c_ends_in_good_order_while_somebody_watches_and_an_agent_thinks(tmp_path: Path) -> None:
    with Serving(tmp_path, "--think", "600") as server:
        game = server.begin(players=[agent("mcts:ms=600000"), PERSON])
        with server.talks.stream("GET", f"/api/games/{game['id']}/events?svg=false") as stream:
            events = Events(stream.iter_lines())
            events.next("thinking")

            status, written, complained = server.interrupt()

            assert [line for line in events.lines if line.startswith("event: gone")] == []
    assert (status, written, complained) == (0, "Closed.\n", "")


def test_a_killed_server_has_kept_every_move(tmp_path: Path) -> None:
    """Every move that was answered is there after kill -9, in games that are over and in those that go on."""
    with Serving(tmp_path) as server:
        over = server.game(server.begin(players=[agent("greedy"), agent("random")], seed=1)["id"])
        game = server.begin(players=[PERSON, agent(QUICK)], seed=2)
        for _ in range(4):
            game = server.play(server.game(game["id"]), first_legal(server.game(game["id"])))
        game = server.game(game["id"])
        server.kill()

    kept = sorted(path.name for path in tmp_path.iterdir())
    assert kept == sorted([".lock", f"{over['id']}.basilica", f"{game['id']}.basilica"])
    assert all(len(list(read_records(path))) == 1 for path in tmp_path.glob("*.basilica"))
    with Serving(tmp_path) as server:
        for before in (over, game):
            assert {**server.game(before["id"]), "version": 0} == {**before, "version": 0}
        assert server.play(game, first_legal(game))["number"] == game["number"] + 1


def test_an_agent_goes_on_thinking_after_a_restart(tmp_path: Path) -> None:
    with Serving(tmp_path, "--think", "600") as server:
        game = server.begin(players=[agent("mcts:ms=600000"), PERSON], seed=1)
        server.kill()

    with Serving(tmp_path, "--think", "0.05") as server:
        assert server.game(game["id"])["status"] == "person"


# --- Wrong use ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--port", "65536"], "'65536': expected an integer from 0 to 65535"),
        (["--port", "-1"], "'-1': expected an integer from 0 to 65535"),
        (["--think", "0"], "'0': expected seconds above 0, up to 600"),
        (["--think", "nan"], "'nan': expected seconds above 0, up to 600"),
        (["--threads", "0"], "'0': expected an integer from 1 to 256"),
        (["--most-games", "x"], "'x': expected an integer from 1 to 1000000"),
        (["--allow-host", "a/b"], "'a/b': expected the name of a host"),
    ],
)
def test_a_wrong_option_is_named(
    arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["serve", *arguments])

    assert reason in capsys.readouterr().err


def test_a_port_that_is_taken_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]

        assert main(["serve", "--games", str(tmp_path), "--port", str(port)]) == 1

    assert f"--host 127.0.0.1 --port {port}: Address already in use" in capsys.readouterr().err


def test_a_second_server_on_a_folder_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Until the first one ends, be it by force."""
    with Serving(tmp_path) as server:
        game = server.begin(**TWO_PEOPLE)

        assert main(["serve", "--games", str(tmp_path), "--port", "0"]) == 1
        assert f"--games {tmp_path}: another server uses the folder" in capsys.readouterr().err
        assert server.play(game, first_legal(game))["number"] == 1
        server.kill()

    with Serving(tmp_path) as server:
        assert server.game(game["id"])["number"] == 1


def test_a_host_that_is_not_here_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--games", str(tmp_path), "--host", "192.0.2.1"]) == 1

    assert "--host 192.0.2.1" in capsys.readouterr().err


def test_a_folder_that_cannot_be_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "file"
    file.touch()

    assert main(["serve", "--games", str(file)]) == 1
    assert f"{file}: File exists" in capsys.readouterr().err


def test_a_missing_extra_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.startswith("basilica_env.web")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)

    assert main(["serve", "--games", str(tmp_path)]) == 1
    assert "pip install 'basilica-env[web]'" in capsys.readouterr().err
