"""Reading and checking of the JSON requests of http_service.py."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import delayed
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

BYTES = 2**20  # maximum length of a request
FEATURES = 10_000  # maximum number of features
LABELS = 1000  # maximum number of labels that are learned or listed
KEY = 200  # maximum length of a key


async def read(request: Request, *required: str, **optional: Any) -> dict[str, Any]:
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
        message = json.loads(body.decode(), parse_constant=no_number)
    except (RecursionError, ValueError) as error:
        raise HTTPException(400, f"the request is not JSON: {error}") from error
    names = {*required, *optional}
    if not isinstance(message, dict) or not {*required} <= message.keys() <= names:
        named = ", ".join(json.dumps(name) for name in required)
        more = "".join(f", and possibly {json.dumps(name)}" for name in optional)
        raise HTTPException(422, f"expected a JSON object with {named}{more}")
    return {**optional, **message}


def no_number(name: str) -> Any:
    raise ValueError(f"{name} is not a number in JSON")


def read_x(message: dict[str, Any]) -> dict[str, Any]:
    """The features of the example in a message."""
    x = message["x"]
    if not isinstance(x, dict | str):
        raise HTTPException(422, f'"x" must be an object or a text, got {x!r:.50}')
    if len(x := delayed.features(x)) > FEATURES:
        raise HTTPException(422, f'"x" has {len(x):,} features, at most {FEATURES:,} are allowed')
    return x


def checked(call: Callable[[], Any]) -> Any:
    """The result of a call of the model, which refuses invalid examples with an error."""
    try:
        return call()
    except delayed.REFUSED as error:
        raise HTTPException(422, str(error)[:500]) from error


def answer(found: dict[str, Any], status: int = 200, headers: Any = None) -> Response:
    return Response(json.dumps(found), status, headers, media_type="application/json")


def refused(request: Request, error: Any) -> Response:
    return answer({"error": error.detail}, error.status_code, error.headers)
