"""The description of the HTTP interface tells the truth (issue LOOK: OpenAPI, Schemathesis)."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from basilica_env import GameState
from basilica_env.records import Recorder
from basilica_env.web.api import ENDPOINTS, Interface
from basilica_env.web.app import build
from basilica_env.web.openapi import describe
from basilica_env.web.server import warm_up
from basilica_env.web.settings import Settings

CONTRACT = Path(__file__).parent.parent / "docs" / "web-api.md"
DESCRIPTION = describe(ENDPOINTS)


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in DESCRIPTION["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def test_every_endpoint_is_described_and_written_down() -> None:
    """``docs/web-api.md`` names the game and the replay in a path by ``id``."""
    written = {
        (method, path.partition("?")[0])
        for method, path in re.findall(r"`(GET|POST|PUT|DELETE) (/api/[^` ]*)`", CONTRACT.read_text("utf-8"))
    }
    described = {(method, re.sub("{(game|replay)}", "{id}", path)) for method, path, _ in operations()}

    assert described == written
    assert len(list(operations())) == len(ENDPOINTS)


def test_the_application_has_the_described_paths_and_no_others(tmp_path: Path) -> None:
    with TestClient(build(Interface(Settings(tmp_path))), base_url="http://localhost") as client:
        assert client.get("/openapi.json").json() == json.loads(json.dumps(DESCRIPTION))
        for path, methods in DESCRIPTION["paths"].items():
            allowed = client.request("PATCH", path.replace("{number}", "0"))
            assert allowed.status_code == 405
            assert set(allowed.headers["allow"].split(", ")) - {"HEAD"} == {name.upper() for name in methods}


def test_operations_have_names_of_their_own() -> None:
    names = [operation["operationId"] for _, _, operation in operations()]

    assert len(set(names)) == len(names)


def test_every_field_of_every_answer_is_written_down() -> None:
    text = CONTRACT.read_text("utf-8")
    words = set(re.findall("[a-z_]+", " ".join(re.findall("`[^`]*`|```json.*?```", text, re.DOTALL))))
    fields = {
        name for schema in DESCRIPTION["components"]["schemas"].values() for name in schema["properties"]
    }

    assert fields - words == set()


# --- Schemathesis: whatever is sent, what is answered is what is described --------------------------

FOLDER = tempfile.TemporaryDirectory()
SERVER = build(Interface(Settings(Path(FOLDER.name), seconds=0.05, threads=2)), frozenset({"testserver"}))


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Be the server, but stay open: Schemathesis would close it after each test."""
    assert scope["type"] == "http"
    await SERVER(scope, receive, send)


CONFIG = schemathesis.Config.from_dict(
    {"max-stream-events": 1, "checks": {"negative_data_rejection": {"expected-statuses": ["4xx"]}}}
)
SCHEMA = schemathesis.openapi.from_asgi("/openapi.json", application, config=CONFIG)
EXAMPLES = settings(max_examples=8, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
VISITOR = TestClient(application)


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    warm_up()  # no request waits for a compiler


def record_text() -> str:
    recorder = Recorder(GameState.new(1))
    recorder.play(recorder.state.legal_moves()[0])
    return recorder.record().to_text()


def new_ids() -> dict[str, str]:
    """Begin a game and send a record."""
    game = VISITOR.post("/api/games", json={"players": [{"kind": "person"}, {"kind": "person"}]}).json()
    replay = VISITOR.post("/api/replays", json={"text": record_text()}).json()
    return {"game": game["id"], "replay": replay["id"]}


@SCHEMA.parametrize()
@EXAMPLES
def test_what_is_answered_is_what_is_described(case: schemathesis.Case) -> None:
    case.call_and_validate(excluded_checks=[positive_data_acceptance])


@SCHEMA.include(path_regex="{(game|replay)}").parametrize()
@EXAMPLES
def test_what_is_answered_about_a_game_that_is_there_is_what_is_described(case: schemathesis.Case) -> None:
    known = {name: value for name, value in new_ids().items() if name in case.path_parameters}
    case.path_parameters = {**case.path_parameters, **known}

    response = case.call()

    case.validate_response(response, excluded_checks=[negative_data_rejection, positive_data_acceptance])
