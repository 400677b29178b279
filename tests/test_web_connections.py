"""Whoever opens a connection and says nothing, or not enough, is hung up on (issue LOOK)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from basilica_env.web import connections

HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
ANSWER = b"HTTP/1.1 200 OK\r\n"
PATIENCE = 120.0


async def app(scope: Any, _receive: Any, send: Any) -> None:
    """Answer at once, without a look at the body; ``/slow`` long after a head would be late."""
    await asyncio.sleep(0.2 if scope["path"] == "/slow" else 0)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


async def heard(*parts: bytes) -> bytes:
    """Send each part after an answer to the last one; give all that comes until the server hangs up."""
    config = uvicorn.Config(app, lifespan="off", log_level="critical", timeout_keep_alive=1000)
    config.load()
    state = ServerState()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: connections.Connection(config, state, {}), "127.0.0.1", 0)
    async with server, asyncio.timeout(PATIENCE):
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        answers = b""
        for number, part in enumerate(parts):
            writer.write(part)
            if number < len(parts) - 1:
                answers += await reader.readuntil(b"ok")
        answers += await reader.read()
        writer.close()
        while state.connections:
            await asyncio.sleep(0)
    return answers


@pytest.mark.parametrize(
    ("parts", "answers"),
    [
        pytest.param([b""], 0, id="nothing"),
        pytest.param([b"G"], 0, id="a byte"),
        pytest.param([HEAD], 0, id="half a head"),
        pytest.param([HEAD + b"\r\n"], 1, id="nothing after an answer"),
        pytest.param([HEAD + b"\r\n", HEAD], 1, id="half a head after an answer"),
        pytest.param([HEAD + b"\r\n" + HEAD], 1, id="one and a half at once"),
        pytest.param([HEAD + b"\r\n" + HEAD + b"\r\n", HEAD], 2, id="two and a half"),
        pytest.param([HEAD + b"Content-Length: 9\r\n\r\n", b"x"], 1, id="a body that nobody wants"),
        pytest.param([HEAD.replace(b"/ ", b"/slow ") + b"\r\n"], 1, id="an answer that takes its time"),
    ],
)
def test_who_says_too_little_is_hung_up_on(
    parts: list[bytes], answers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.05)

    assert asyncio.run(heard(*parts)).count(ANSWER) == answers


def test_who_is_in_time_is_answered() -> None:
    closing = HEAD + b"Connection: close\r\n\r\n"

    assert asyncio.run(heard(HEAD + b"\r\n", HEAD + b"\r\n", closing)).count(ANSWER) == 3
