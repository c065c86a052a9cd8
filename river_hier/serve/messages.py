"""Requests in JSON: how they are read, checked and answered."""

import inspect
import json
import sqlite3
from collections.abc import Callable, Iterable
from typing import Any, get_args

import numpy as np
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from .. import __version__

BYTES = 2**20  # maximum length of a request
FEATURES = 10_000  # maximum number of features
LABELS = 1000  # maximum number of labels that are learned or listed
KEY = 200  # maximum length of a key
NAMES: dict[Any, str] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
}
REFUSED = (ArithmeticError, LookupError, RecursionError, TypeError, ValueError, sqlite3.Error)


def site(
    get: Iterable[Callable[..., Any]], post: Iterable[Callable[..., Any]], *more: BaseRoute
) -> Starlette:
    """The application that answers requests at `/name` by the method of this name."""
    methods = [(f, "GET") for f in get] + [(f, "POST") for f in post]
    routes = [Route(f"/{f.__name__}", _handler(f), methods=[method]) for f, method in methods]
    paths = {f"/{f.__name__}": {method.lower(): _described(f)} for f, method in methods}
    page = {"openapi": "3.1.0", "info": {"title": "river_hier", "version": __version__}}
    routes.append(Route("/openapi.json", lambda request: answered(page | {"paths": paths})))
    return Starlette(routes=[*routes, *more], exception_handlers={HTTPException: _refused})


def answered(content: Any, status: int = 200, headers: Any = None) -> Response:
    """The response with this as JSON."""
    text = json.dumps(content, default=str)
    return Response(text, status, headers, media_type="application/json")


def _described(call: Any) -> dict[str, Any]:
    """What OpenAPI says of the requests with the arguments of a method."""
    fields = inspect.signature(call).parameters.values()
    refused = {"description": 'what is wrong, as {"error": "..."}'}
    said: Any = {"summary": (inspect.getdoc(call) or "").partition("\n")[0]}
    said["responses"] = {"200": {"description": "the answer"}, "4XX": refused}
    if fields:
        schema: Any = {"type": "object", "properties": {p.name: _schema(p) for p in fields}}
        schema["required"] = [p.name for p in fields if p.default is p.empty]
        said["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": schema}},
        }
    return said


def _schema(field: inspect.Parameter) -> dict[str, Any]:
    kinds = get_args(field.annotation) or (field.annotation,)
    names = [NAMES[kind] for kind in kinds if kind in NAMES]
    default = {} if field.default is field.empty else {"default": field.default}
    return ({"type": names} if names else {}) | default


def _handler(call: Any) -> Any:
    """The handler of requests with the arguments of this method."""
    given = inspect.signature(call).parameters.values()
    optional = {p.name: p.default for p in given if p.default is not p.empty}
    required = [p.name for p in given if p.default is p.empty]

    async def handle(request: Request) -> Response:
        posted = request.method == "POST"
        message = await _read(request, *required, **optional) if posted else {}
        try:
            answer = call(**message)
            answer = await answer if inspect.isawaitable(answer) else answer
        except REFUSED as error:
            status = 503 if isinstance(error, sqlite3.Error) else 422
            raise HTTPException(status, str(error)[:500]) from error
        return answer if isinstance(answer, Response) else answered(answer)

    return handle


def _refused(request: Request, error: Any) -> Response:
    return answered({"error": error.detail}, error.status_code, error.headers)


async def _read(request: Request, *required: str, **optional: Any) -> dict[str, Any]:
    """The JSON object in a request, with the default values of missing fields."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(415, f"the content type must be application/json, got {kind!r:.50}")
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > BYTES:
                raise HTTPException(413, f"a request has at most {BYTES:,} bytes")
    except ClientDisconnect as error:
        raise HTTPException(400, "the request was cut off") from error
    try:
        message = json.loads(body.decode(), parse_constant=_no_number)
    except (RecursionError, ValueError) as error:
        raise HTTPException(400, f"the request is not JSON: {error}") from error
    if not isinstance(message, dict) or not {*required} <= message.keys() <= {*required, *optional}:
        named = ", ".join(json.dumps(name) for name in required)
        more = "".join(f", and possibly {json.dumps(name)}" for name in optional)
        raise HTTPException(422, f"expected a JSON object with {named}{more}")
    return {**optional, **message}


def features(x: Any) -> Any:
    """The features in a message as models take them: a text, a dictionary, or an array."""
    if not isinstance(x, dict | list | str):
        raise ValueError(f'"x" must be a text, an object or a list of numbers, got {x!r:.50}')
    if not isinstance(x, str) and len(x) > FEATURES:
        raise ValueError(f'"x" has {len(x):,} features, at most {FEATURES:,} are allowed')
    if isinstance(x, list) and not all(type(value) in (int, float) for value in x):
        raise ValueError(f'"x" must be a list of numbers, got {x!r:.50}')
    return np.array(x, dtype=np.float64) if isinstance(x, list) else x


def labels(y: Any, several: bool) -> Any:
    """The label or labels in a message, in which a list is a path if it stands for one label."""
    if several:
        y = y if isinstance(y, list) else [y]
        if len(y) > LABELS:
            raise ValueError(f'"y" has {len(y):,} labels, at most {LABELS:,} are allowed')
        return {labels(label, several=False) for label in y}
    if y is None or isinstance(y, dict):
        raise ValueError(f'"y" must be a label, a path, or a list of labels, got {y!r:.50}')
    return tuple(labels(name, several=False) for name in y) if isinstance(y, list) else y


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is not a number in JSON")
