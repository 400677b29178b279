"""Hostile and malformed input is answered with 4xx and a message, and touches nothing (issue LOOK)."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from basilica_env import GameState
from basilica_env.agents.registry import LEVELS, make_agent
from basilica_env.records import read_records
from basilica_env.web import messages
from basilica_env.web.api import ENDPOINTS, Interface
from basilica_env.web.app import build
from basilica_env.web.guard import SAFE_HEADERS
from basilica_env.web.opponents import ADMITTED, check_spec
from basilica_env.web.settings import MOST_BODY, MOST_RECORD, Settings
from tests.web_client import PERSON, TWO_PEOPLE, Client, Json, agent, visiting

JSON_TYPE = {"content-type": "application/json"}
MARKUP = "<img src=x onerror=alert(1)>\"'&"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with visiting(tmp_path) as client:
        yield client


def refusal(client: Client, body: bytes | str, status: int, path: str = "/api/games") -> str:
    response = client.talks.post(path, content=body, headers=JSON_TYPE)
    assert response.status_code == status, response.text
    reason: str = response.json()["error"]
    return reason


# --- Bodies ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    ["", "{", "nonsense", '{"seed": NaN}', '{"seed": 1e999}', b"\xff\xfe", '"\\ud800"', "[" * 30_000, "{}{}"],
)
def test_what_is_no_json_is_refused(client: Client, body: bytes | str) -> None:
    assert "expected a JSON object" in refusal(client, body, 400)


def test_deep_json_is_refused(client: Client) -> None:
    assert "nested too deeply" in refusal(client, "[" * 30_000 + "]" * 30_000, 400)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ([], "the body: expected `object`, got `array`"),
        ({"seed": -3}, "seed is -3: expected `int` >= 0"),
        ({"seed": "7"}, 'seed is "7": expected `int | null`, got `str`'),
        ({"seed": True}, "seed is true: expected `int | null`, got `bool`"),
        ({"seed": 2**53}, "seed is 9007199254740992: expected `int` <= 9007199254740991"),
        ({"seed": 2**70}, "seed is 1180591620717411303424: "),
        ({"delay": 11}, "delay is 11: expected `float` <= 10.0"),
        ({"colour": 1}, "unknown field `colour`; its fields are players, seed, position, paused, delay"),
        ({"x` - at `$.players[5].a": 1}, "the body: object contains unknown field `x` - at `$.players[5].a`"),
        ({f"x` - at `$[{'9' * 6000}]": 1}, "the body: object contains unknown field"),
        ({"x" * 60_000: 1}, "xxx...; its fields are players"),
        ({"<b>\0": 1}, "unknown field `<b>\0`"),
        ({"players": [PERSON]}, "expected `array` of length 2, got 1"),
        ({"players": [PERSON, {"kind": "cat"}]}, "players[1].kind is \"cat\": invalid value 'cat'"),
        ({"players": [PERSON, {}]}, "players[1] is {}: object missing required field `kind`"),
        ({"players": [PERSON, {"kind": "person", "name": ""}]}, "players[1].name"),
        ({"players": [PERSON, {"kind": "person", "name": "x" * 41}]}, "length <= 40"),
        ({"players": [PERSON, {"kind": "person", "name": "a\nb"}]}, r"players[1].name is 'a\nb'"),
        ({"players": [PERSON, {"kind": "person", "name": "\u202e"}]}, r"players[1].name is '\u202e'"),
        ({"players": [PERSON, {"kind": "person", "name": " "}]}, "players[1].name is ' '"),
        ({"position": "- - -"}, "position: 3 fields in the position: expected 11"),
        ({"position": "x" * 4001}, "length <= 4000"),
    ],
)
def test_a_wrong_field_is_named_with_its_value(client: Client, body: Any, reason: str) -> None:
    assert reason in refusal(client, json.dumps(body), 422)


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ('{"seed": 1, "seed": 2}', "seed"),
        ('{"seed": 1, "delay": 0, "se\\u0065d": 1}', "seed"),
        ('{"players": [{"kind": "person", "kind": "agent", "agent": "easy"}, {"kind": "person"}]}', "kind"),
        ('{"players": [{"kind": "person"}, {"kind": "person", "name": "a", "name": "b"}]}', "name"),
    ],
)
def test_a_field_given_twice_is_refused(client: Client, body: str, name: str) -> None:
    assert refusal(client, body, 422) == f"field '{name}' is given twice: expected once"


@pytest.mark.parametrize(
    "media", ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]
)
def test_what_a_foreign_form_can_send_is_refused(client: Client, media: str) -> None:
    """A page elsewhere can post these three without asking; JSON it cannot."""
    response = client.talks.post("/api/games", content="{}", headers={"content-type": media})

    assert response.status_code == 415
    assert response.json()["error"] == f"Content-Type is {media!r}: expected application/json"


@pytest.mark.parametrize(("path", "most"), [("/api/games", MOST_BODY), ("/api/replays", MOST_RECORD)])
def test_a_huge_body_is_refused(client: Client, path: str, most: int) -> None:
    assert f"at most {most} bytes" in refusal(client, b" " * (most + 1), 413, path)


def test_a_body_that_does_not_announce_its_size_is_cut_off(tmp_path: Path) -> None:
    sent = 0

    async def receive() -> Json:
        nonlocal sent
        sent += 1
        return {"type": "http.request", "body": b" " * 10_000, "more_body": True}

    assert talk(tmp_path, receive) == 413
    assert sent <= MOST_BODY // 10_000 + 2


def test_a_body_that_does_not_arrive_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("basilica_env.web.endpoints.BODY_SECONDS", 0.01)

    async def receive() -> Json:
        await asyncio.Event().wait()
        raise AssertionError("nothing comes")

    assert talk(tmp_path, receive) == 408


def talk(folder: Path, receive: Any) -> int:
    """Post to ``/api/games``; return the status."""
    statuses = []

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/games",
        "query_string": b"",
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
    }
    asyncio.run(build(Interface(Settings(folder)))(scope, receive, send))  # type: ignore[arg-type]
    (status,) = statuses
    return int(status)


# --- Paths, queries and hosts ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "/api/games/AAAAAAAAAAAAAAAAAAAAAA",
        "/api/games/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/api/games/..%5c..%5cwindows",
        "/api/games/x%00y",
        "/api/replays/AAAAAAAAAAAAAAAAAAAAAA",
        "/static/..%2f..%2fpyproject.toml",
        "/static/%2e%2e%2fgames.py",
        "/static/",
        "/nowhere",
        "/" + "x" * 5000,
    ],
)
def test_what_is_not_there_is_not_found(client: Client, path: str) -> None:
    assert "expected" in client.get(path, 404)["error"]


def test_another_visitor_cannot_guess_a_game(client: Client) -> None:
    ids = {client.begin(**TWO_PEOPLE)["id"] for _ in range(20)}

    assert len(ids) == 20
    assert all(re.fullmatch("[A-Za-z0-9_-]{22}", name) for name in ids)
    game = next(iter(ids))
    for foreign in (game.swapcase(), game[:-1], game + "A", game[::-1]):
        for method, path in (("POST", "moves"), ("POST", "undo"), ("PUT", "pace"), ("GET", "events")):
            response = client.talks.request(method, f"/api/games/{foreign}/{path}", json={"move": "B"})
            assert response.status_code in (404, 422)
        client.delete(f"/api/games/{foreign}", 404)


HUGE = "9" * 5000
"""More digits than Python reads as a number (4300)."""


@pytest.mark.parametrize("number", [HUGE, "0" * 5000, "9" * 10, "-1", "1.0", "x", "%20", "\uff11", "\u0663"])
def test_a_number_in_a_path_that_leads_nowhere_is_not_found(client: Client, number: str) -> None:
    game = client.begin(**TWO_PEOPLE)
    replay = client.post("/api/replays", {"text": client.get(f"/api/games/{game['id']}/record")}, 201)

    for base in (f"games/{game['id']}", f"replays/{replay['id']}"):
        reason = client.get(f"/api/{base}/positions/{number}", 404)["error"]
        assert re.fullmatch("(number|position) .*: expected 0 to .*", reason), reason
        assert len(reason) < 120
    for base in ("games/xx", "replays/xx"):
        assert "'xx': expected the id" in client.get(f"/api/{base}/positions/{number}", 404)["error"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/games", f'{{"seed": {HUGE}}}'),
        ("/api/games", f'{{"delay": {HUGE}}}'),
        ("/api/games", json.dumps({"players": [PERSON, agent(f"mcts:sims={HUGE[:3000]}")]})),
        ("/api/games", json.dumps({"position": GameState.new(seed=1).to_text() + HUGE[:3000]})),
        ("/api/positions", json.dumps({"position": "- - " + HUGE[:3900]})),
        ("/api/replays", json.dumps({"text": f'[Seed "{HUGE}"]\n\n{HUGE}. B\n'})),
        ("/api/replays", f'{{"text": "", "number": {HUGE}}}'),
    ],
)
def test_a_huge_number_in_a_body_is_refused(client: Client, path: str, body: str) -> None:
    response = client.talks.post(path, content=body, headers=JSON_TYPE)

    assert response.status_code in (400, 422), response.text
    assert "expected" in response.json()["error"]


@pytest.mark.parametrize("query", ["svg=maybe", "svg=", "colour=red", "svg=true&svg=1"])
def test_a_strange_query_is_refused(client: Client, query: str) -> None:
    game = client.begin(**TWO_PEOPLE)

    assert "in the query" in client.get(f"/api/games/{game['id']}?{query}", 400)["error"]


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", "a b"]
)
def test_another_name_of_this_machine_is_refused(client: Client, host: str) -> None:
    """A foreign page whose name was led here (DNS rebinding) must not read what is answered."""
    response = client.talks.get("/api/about", headers={"host": host})

    assert response.status_code == 421
    assert response.json()["error"] == f"host {host!r}: expected an address or one of localhost"


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8000", "127.0.0.1:1", "[::1]:8000", "10.1.2.3", "ok.example"]
)
def test_an_address_or_a_name_that_was_told_is_ours(tmp_path: Path, host: str) -> None:
    app = build(Interface(Settings(tmp_path)), frozenset({"ok.example"}))

    assert TestClient(app).get("/api/about", headers={"host": host}).status_code == 200


# --- Agents and files -----------------------------------------------------------------------------

SPECS = [
    "os:system",
    "module:Class",
    "tests.arena_agents:Crasher",
    "basilica_env.agents:RandomAgent",
    "ppo:path=/etc/passwd",
    "ppo:sample=1",
    "mcts:weights=/etc/passwd",
    "mcts:threads=1024",
    "mcts:sims=100001",
    "mcts:sims=0",
    "mcts:sims=-1",
    "mcts:sims=1e3",
    "mcts:sims=\uff11\uff10",
    "mcts:sims=5,sims=6",
    "mcts:sims=5,ms=5",
    "mcts:ms=600001",
    "mcts:aim=glory",
    "mcts:",
    "mcts:sims",
    "planner:width=1001",
    "random:seed=1",
    "greedy:sims=1",
    "easy:sims=1",
    "Random",
    " random",
    "random\n",
    "\x00",
    MARKUP,
]


@pytest.mark.parametrize("spec", SPECS)
def test_a_spec_that_is_not_admitted_is_refused_everywhere(client: Client, spec: str) -> None:
    game = client.begin(**TWO_PEOPLE)
    position = {"position": GameState.new(seed=1).to_text(), "agent": spec}

    for path, body in (
        ("/api/games", {"players": [PERSON, agent(spec)]}),
        (f"/api/games/{game['id']}/hint", {"agent": spec}),
        ("/api/analyses", position),
    ):
        assert "agent" in client.post(path, body, 422)["error"]


def test_what_is_admitted_exists() -> None:
    """Each agent and parameter on the list is one of the registry, within its bounds."""
    for spec in LEVELS:
        assert make_agent(check_spec(spec), 0)
    for name, told in ADMITTED.items():
        known = inspect.signature(type(make_agent(name, 0))).parameters
        for parameter in told.parameters:
            assert parameter.name in known
            values = parameter.choices or (parameter.least, parameter.most)
            for value in values:
                assert make_agent(check_spec(f"{name}:{parameter.name}={value}"), 0)


OPENED: list[str] = []
WATCHED = "secret-of-the-test"


def note(event: str, arguments: tuple[Any, ...]) -> None:
    if event in ("open", "import", "os.listdir", "os.scandir") and WATCHED in str(arguments[0]):
        OPENED.append(f"{event} {arguments[0]}")


def test_no_path_from_a_visitor_is_ever_opened(client: Client, tmp_path: Path) -> None:
    """Every operation is called with the path of a file in every place that takes a text."""
    sys.addaudithook(note)
    secret = tmp_path / WATCHED
    secret.write_text("code,colours\n")
    assert OPENED, "the hook hears what is opened"
    game = client.begin(**TWO_PEOPLE)
    record = client.get(f"/api/games/{game['id']}/record")
    replay = client.post("/api/replays", {"text": record}, 201)
    OPENED.clear()

    texts = (
        str(secret),
        f"{secret}:Class",
        f"mcts:weights={secret}",
        f"ppo:path={secret}",
        f"{WATCHED}:Class",
    )
    for text in texts:
        for entry in ENDPOINTS:
            for game_id, replay_id in ((game["id"], replay["id"]), (text.replace("/", "%2f"),) * 2):
                path = entry.path.format(game=game_id, replay=replay_id, number=0)
                body = {
                    "players": [PERSON, agent(text)],
                    "agent": text,
                    "move": text,
                    "position": text,
                    "moves": [text],
                    "text": record.replace('Tiles "standard"', f'Tiles "{text}"').replace("e0c898", "000000"),
                }
                fields = entry.body.__struct_fields__ if entry.body else ()
                if entry.method != "DELETE" and not entry.path.endswith("events"):
                    wanted = {name: body[name] for name in fields if name in body}
                    client.talks.request(entry.method, path, json=wanted)
        client.talks.get(f"/static/{text.replace('/', '%2f')}")

    assert OPENED == []


# --- Markup ---------------------------------------------------------------------------------------


def test_markup_in_a_name_stays_a_text(client: Client) -> None:
    named = {"kind": "person", "name": MARKUP}
    response = client.talks.post("/api/games", json={"players": [named, PERSON], "seed": 1})
    game = response.json()

    assert response.headers["content-type"] == "application/json"
    assert response.headers["x-content-type-options"] == "nosniff"
    assert game["players"][0]["name"] == MARKUP
    assert "<img" not in game["position"]["svg"]
    assert "&lt;img" in game["position"]["svg"]
    text = client.talks.get(f"/api/games/{game['id']}/record")
    assert text.headers["content-disposition"].startswith("attachment")
    assert text.headers["content-type"].startswith("text/plain")


def test_markup_in_a_record_stays_a_text(client: Client, tmp_path: Path) -> None:
    game = client.begin(**TWO_PEOPLE)
    text = client.get(f"/api/games/{game['id']}/record").replace('Player0 "person"', 'Player0 "<script>"')

    replay = client.post("/api/replays", {"text": text}, 201)
    drawn = client.get(f"/api/replays/{replay['id']}/positions/0")["svg"]

    assert replay["players"][0] == "<script>"
    assert "<script" not in drawn
    assert all(next(read_records(path)).players == ("person", "person") for path in tmp_path.iterdir())


def test_every_answer_has_the_safe_headers(client: Client) -> None:
    game = client.begin(**TWO_PEOPLE)
    answers = [
        client.talks.get("/"),
        client.talks.get("/theme.css"),
        client.talks.get("/openapi.json"),
        client.talks.get(f"/api/games/{game['id']}"),
        client.talks.get("/nowhere"),
        client.talks.post("/api/games", content="x"),
        client.talks.get("/", headers={"host": "evil.example"}),
    ]

    for answer in answers:
        assert SAFE_HEADERS.items() <= {name: answer.headers.get(name) for name in SAFE_HEADERS}.items()
        assert "access-control-allow-origin" not in answer.headers
    policy = SAFE_HEADERS["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy


def test_a_fault_of_the_server_tells_nothing_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr(GameState, "new", broken)
    app = build(Interface(Settings(tmp_path)))
    visitor = TestClient(app, base_url="http://localhost", raise_server_exceptions=False)

    answer = visitor.post("/api/games", json={})

    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert "the server has a fault" in answer.json()["error"]
    assert answer.headers["content-security-policy"] == SAFE_HEADERS["Content-Security-Policy"]


# --- Too much at once -----------------------------------------------------------------------------


def test_streams_are_limited(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("basilica_env.web.api.MOST_STREAMS", 0)
    game = client.begin(**TWO_PEOPLE)

    for path in ("/events", "?wait=true"):
        answer = client.talks.get(f"/api/games/{game['id']}{path}")
        assert answer.status_code == 429
        assert answer.headers["retry-after"] == "5"


def test_streams_that_open_at_the_same_time_are_limited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of five that are asked for at once two are let in, and when they have gone two others are."""
    monkeypatch.setattr("basilica_env.web.api.MOST_STREAMS", 2)
    interface = Interface(Settings(tmp_path))
    game = interface.games.begin(messages.NewGame())
    app: Any = build(interface)
    scope = {
        "type": "http",
        "method": "GET",
        "path": f"/api/games/{game.id}/events",
        "query_string": b"svg=false",
        "headers": [(b"host", b"localhost")],
    }

    async def open_five() -> list[int]:
        statuses: list[int] = []
        all_answered = asyncio.Event()

        async def receive() -> Json:
            await all_answered.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])
            if len(statuses) == 5:
                all_answered.set()

        visitors = asyncio.gather(*(app(dict(scope), receive, send) for _ in range(5)))
        await asyncio.wait_for(visitors, timeout=120)
        return sorted(statuses)

    async def open_five_twice() -> list[list[int]]:
        return [await open_five(), await open_five()]

    assert asyncio.run(open_five_twice()) == [[200, 200, 429, 429, 429]] * 2


def test_only_the_head_of_a_stream_is_no_stream(client: Client) -> None:
    game = client.begin(**TWO_PEOPLE)

    answer = client.talks.head(f"/api/games/{game['id']}/events")

    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-type"].startswith("text/event-stream")


def test_studies_are_limited(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("basilica_env.web.thinking.MOST_STUDIES", 0)
    game = client.begin(**TWO_PEOPLE)

    assert "are under way or wait" in client.post(f"/api/games/{game['id']}/hint", status=429)["error"]


def test_studies_of_one_address_are_limited(tmp_path: Path) -> None:
    """Whoever has four under way waits for one to end; others do not wait for them."""
    app = build(Interface(Settings(tmp_path, seconds=600, threads=2)))
    answers: dict[str, int] = {}
    is_over = asyncio.Event()

    async def ask(path: str, body: Json, address: str, name: str) -> None:
        parts = [{"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}]

        async def receive() -> Json:
            if not parts:
                await is_over.wait()
            return parts.pop() if parts else {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                answers[name] = message["status"]

        scope = {
            "type": "http",
            "method": "POST",
            "path": path,
            "query_string": b"",
            "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
            "client": (address, 1),
        }
        await app(scope, receive, send)  # type: ignore[arg-type]

    async def visit() -> None:
        long = {"position": GameState.new(seed=1).to_text(), "agent": "mcts:ms=600000"}
        short = {**long, "agent": "greedy"}
        under_way = [
            asyncio.create_task(ask("/api/analyses", long, "192.0.2.1", f"long {k}")) for k in range(4)
        ]
        await asyncio.sleep(0)  # each begins
        await ask("/api/analyses", short, "192.0.2.1", "analysis")
        await ask("/api/replays", {"text": "x"}, "192.0.2.1", "upload")
        another = asyncio.create_task(ask("/api/analyses", short, "192.0.2.2", "another"))
        is_over.set()
        await asyncio.wait_for(asyncio.gather(*under_way, another), timeout=120)
        await ask("/api/analyses", short, "192.0.2.1", "afterwards")

    asyncio.run(visit())
    longs = {f"long {k}": 200 for k in range(4)}
    assert answers == {"analysis": 429, "upload": 429, "another": 200, "afterwards": 200, **longs}


def test_evaluations_of_one_address_are_limited(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("basilica_env.web.thinking.MOST_STUDIES_EACH", 1)
    game = client.begin(**TWO_PEOPLE)
    text = client.get(f"/api/games/{game['id']}/record")
    first, second = (client.post("/api/replays", {"text": text}, 201)["id"] for _ in range(2))
    path = f"/api/replays/{first}/evaluation"
    client.talks.put(path, json={"agent": "mcts:ms=600000"})

    refused = client.talks.put(f"/api/replays/{second}/evaluation", json={"agent": "mcts:sims=8"})

    assert refused.status_code == 429
    assert "1 hints, analyses, evaluations and uploads of yours" in refused.json()["error"]
    client.delete(path)
    assert client.talks.put(f"/api/replays/{second}/evaluation", json={}).status_code == 202


def test_a_visitor_who_hangs_up_is_not_thought_for(tmp_path: Path) -> None:
    """The analysis ends when the connection does, long before its own limit."""
    body = {"position": GameState.new(seed=1).to_text(), "agent": "mcts:ms=600000"}
    parts = [{"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}]

    async def receive() -> Json:
        return parts.pop() if parts else {"type": "http.disconnect"}

    async def send(_: Any) -> None:
        pass

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/analyses",
        "query_string": b"",
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
    }
    app = build(Interface(Settings(tmp_path, seconds=600)))

    async def within_limits() -> None:
        await asyncio.wait_for(app(scope, receive, send), timeout=120)  # type: ignore[arg-type]

    asyncio.run(within_limits())
