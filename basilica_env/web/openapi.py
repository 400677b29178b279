"""The description of the interface (OpenAPI 3.1), made from its endpoints."""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

import msgspec

from basilica_env import __version__
from basilica_env.web import messages
from basilica_env.web.endpoints import JSON, Endpoint
from basilica_env.web.ids import PATTERN

_REF = "#/components/schemas/{name}"
_ID = {"type": "string", "pattern": PATTERN}
_NUMBER = {"type": "integer", "minimum": 0, "maximum": messages.MOST_MOVES}
_FLAG = {"type": "boolean"}
_WITH_A_BODY = (
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    HTTPStatus.UNPROCESSABLE_ENTITY,
)


def describe(endpoints: Iterable[Endpoint]) -> dict[str, Any]:
    """Describe the interface."""
    listed = list(endpoints)
    kinds: set[type[msgspec.Struct]] = {messages.Failure}
    kinds |= {entry.body for entry in listed if entry.body is not None}
    kinds |= {entry.answer for entry in listed if isinstance(entry.answer, type)}
    kinds |= {kind for entry in listed for kind in entry.events.values()}
    _, schemas = msgspec.json.schema_components(
        sorted(kinds, key=lambda kind: kind.__name__), ref_template=_REF
    )
    paths: dict[str, dict[str, Any]] = {}
    for entry in listed:
        paths.setdefault(entry.path, {})[entry.method.lower()] = _operation(entry)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Basilica",
            "version": __version__,
            "summary": "Play, watch, replay and analyse the board game Basilica",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": paths,
        "components": {"schemas": schemas},
    }


def _operation(entry: Endpoint) -> dict[str, Any]:
    refusals = {HTTPStatus.BAD_REQUEST, HTTPStatus.MISDIRECTED_REQUEST, *entry.refusals}
    if entry.parameters:
        refusals.add(HTTPStatus.NOT_FOUND)
    operation: dict[str, Any] = {
        "operationId": entry.handler.__name__,
        "summary": entry.summary,
        "parameters": [
            *(_parameter(name, "path", _NUMBER if counts else _ID) for name, counts in entry.parameters),
            *(_parameter(name, "query", _FLAG) for name in entry.flags),
        ],
        "responses": {str(int(entry.status)): _answer(entry)},
    }
    if entry.body is not None:
        refusals.update(_WITH_A_BODY)
        operation["requestBody"] = {"required": True, "content": _content(entry.body)}
    for status in sorted(refusals):
        operation["responses"][str(int(status))] = {
            "description": status.phrase,
            "content": _content(messages.Failure),
        }
    return operation


def _parameter(name: str, place: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": place, "required": place == "path", "schema": schema}


def _answer(entry: Endpoint) -> dict[str, Any]:
    answer: dict[str, Any] = {"description": entry.status.phrase}
    if entry.events:
        answer["description"] = "A stream of events, each as described"
        events = [_event(name, kind) for name, kind in entry.events.items()]
        answer["content"] = {entry.answer: {"schema": {"oneOf": events}}}
    elif isinstance(entry.answer, str):
        answer["content"] = {entry.answer: {"schema": {"type": "string"}}}
    elif entry.answer is not None:
        answer["content"] = _content(entry.answer)
    return answer


def _event(name: str, kind: type[msgspec.Struct]) -> dict[str, Any]:
    data = {"type": "string", "contentMediaType": JSON, "contentSchema": _reference(kind)}
    return {
        "type": "object",
        "properties": {"event": {"const": name}, "data": data},
        "required": ["event", "data"],
    }


def _content(kind: type[msgspec.Struct]) -> dict[str, Any]:
    return {JSON: {"schema": _reference(kind)}}


def _reference(kind: type[msgspec.Struct]) -> dict[str, str]:
    return {"$ref": _REF.format(name=kind.__name__)}
