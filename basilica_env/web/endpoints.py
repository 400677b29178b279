"""What an endpoint is: a path and a method, what is asked and answered there, and how a request is read."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from basilica_env.core.tiles import shown
from basilica_env.web import messages
from basilica_env.web.refusals import (
    NotFoundError,
    TooLargeError,
    TooSlowError,
    UnreadableError,
    WrongError,
    WrongTypeError,
)
from basilica_env.web.settings import BODY_SECONDS, MOST_BODY

JSON = "application/json"
TEXT = "text/plain; charset=utf-8"
EVENTS = "text/event-stream"
NUMBER = "number"
"""The part of a path that is a number."""

LONGEST_VALUE = 40
"""Characters of a wrong value that an answer repeats."""
LONGEST_FAULT = 200

Handler = Callable[[Any, Request, Any], Awaitable[Response]]
"""Takes the interface, the request and its body as a message."""


@dataclass(frozen=True)
class Endpoint:
    """One path and method.

    Attributes
    ----------
    method, path : str
        The path as Starlette writes it: ``/api/games/{game}/positions/{number}``. Every part is a text;
        one that is called ``number`` is read by :func:`number_in`.
    handler : callable
        A method of the interface.
    summary : str
        What it does, in a line.
    answer : type of messages.Response, or media type
        None for no content.
    status : HTTPStatus
        Of the answer.
    body : type of messages.Request or None
    flags : tuple of str
        Names in the query that may be ``true`` or ``false``.
    refusals : tuple of HTTPStatus
        Why it may refuse, besides what its body and its path bring with them.
    most_bytes : int
        Of the body.
    events : mapping of str to type of messages.Response
        What a stream tells, by the names of the events.
    """

    method: str
    path: str
    handler: Handler
    summary: str
    answer: type[messages.Response] | str | None
    status: HTTPStatus = HTTPStatus.OK
    body: type[messages.Request] | None = None
    flags: tuple[str, ...] = ()
    refusals: tuple[HTTPStatus, ...] = ()
    most_bytes: int = MOST_BODY
    events: Mapping[str, type[messages.Response]] = field(default_factory=dict)

    @property
    def parameters(self) -> list[tuple[str, bool]]:
        """The names in the path, and whether each is a number."""
        return [(name, name == NUMBER) for name in re.findall(r"{(\w+)}", self.path)]

    async def answer_to(self, interface: object, request: Request) -> Response:
        """Read a request and answer it."""
        _check_query(request, self.flags)
        body = None if self.body is None else await read_body(request, self.body, self.most_bytes)
        return await self.handler(interface, request, body)


def flag(request: Request, name: str, usual: bool) -> bool:
    """Return a flag of the query."""
    return {"true": True, "false": False}.get(request.query_params.get(name, ""), usual)


def number_in(request: Request) -> int:
    """Return the number in the path.

    Raises
    ------
    NotFoundError
        If it is none, or longer than any that could lead somewhere.
    """
    text: str = request.path_params[NUMBER]
    if not re.fullmatch("[0-9]{1,9}", text, re.ASCII):
        raise NotFoundError(f"{NUMBER} {shown(text)} in the path: expected 0 to {messages.MOST_MOVES}")
    return int(text)


def visitor(request: Request) -> str:
    """Return the address that a request comes from."""
    return "" if request.client is None else request.client.host


def _check_query(request: Request, flags: tuple[str, ...]) -> None:
    for name, value in request.query_params.multi_items():
        if name not in flags:
            known = ", ".join(flags) or "none"
            raise UnreadableError(f"parameter {shown(name)} in the query: expected {known}")
        if value not in ("true", "false"):
            raise UnreadableError(f"parameter {name} in the query is {shown(value)}: expected true or false")


async def read_body(request: Request, kind: type[messages.Request], most: int) -> messages.Request:
    """Read the body of a request as a message.

    Raises
    ------
    Refusal
        If it is no JSON, too large, too slow or not such a message.
    """
    media = request.headers.get("content-type", "")
    if media.partition(";")[0].strip().lower() != JSON:
        raise WrongTypeError(f"Content-Type is {shown(media)}: expected {JSON}")
    try:
        async with asyncio.timeout(BODY_SECONDS):
            raw = await _receive(request, most)
    except TimeoutError:
        raise TooSlowError(f"the body: expected all of it within {BODY_SECONDS:g} seconds") from None
    return _message(raw, kind)


async def _receive(request: Request, most: int) -> bytes:
    fault = TooLargeError(f"the body is too large: expected at most {most} bytes")
    announced = request.headers.get("content-length", "0")
    if announced.isascii() and announced.isdigit() and int(announced[:20]) > most:
        raise fault
    raw = bytearray()
    try:
        async for chunk in request.stream():
            raw += chunk
            if len(raw) > most:
                raise fault
    except ClientDisconnect:
        raise UnreadableError("the body: expected all of it, the connection ended") from None
    return bytes(raw)


def _message(raw: bytes, kind: type[messages.Request]) -> messages.Request:
    try:
        plain = msgspec.json.decode(raw)
        json.loads(raw, object_pairs_hook=_check_fields, parse_int=str)
    except RecursionError:
        raise UnreadableError("the body is nested too deeply: expected a JSON object") from None
    except (ValueError, msgspec.MsgspecError) as error:
        raise UnreadableError(f"the body: expected a JSON object, {error}") from None
    try:
        return msgspec.convert(plain, kind)
    except msgspec.ValidationError as error:
        raise WrongError(_explained(str(error), plain, kind)) from None


def _check_fields(pairs: list[tuple[str, Any]]) -> None:
    """Refuse an object with a field given twice, of which msgspec would silently take the last."""
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            raise WrongError(f"field {shown(name)} is given twice: expected once")
        seen.add(name)


_AT = re.compile(r"(?P<right>.*) - at `\$(?P<path>(?:\.\w+|\[[0-9]{1,6}\])+)`", re.DOTALL | re.ASCII)
_STEP = re.compile(r"\.(?P<name>\w+)|\[(?P<number>[0-9]+)\]", re.ASCII)


def _explained(fault: str, plain: Any, kind: type[messages.Request]) -> str:
    """Put the place and the value before what was expected."""
    match = _AT.fullmatch(fault)
    if match is not None:
        with contextlib.suppress(LookupError, TypeError):  # a field can be named like a place
            value = msgspec.json.encode(_value_at(match["path"], plain)).decode()
            place = match["path"].removeprefix(".")
            return f"{place} is {_cut(value, LONGEST_VALUE)}: {_lowered(match['right'])}"
    fields = ", ".join(field.name for field in msgspec.structs.fields(kind)) or "none"
    return f"the body: {_lowered(_cut(fault, LONGEST_FAULT))}; its fields are {fields}"


def _value_at(path: str, plain: Any) -> Any:
    value = plain
    for step in _STEP.finditer(path):
        value = value[int(step["number"])] if step["name"] is None else value[step["name"]]
    return value


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}..."


def _lowered(text: str) -> str:
    return text[0].lower() + text[1:]
