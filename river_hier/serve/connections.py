"""Connections: the names by which they are made, and the time that a request may take to arrive."""

import socket
import sys
from collections.abc import Collection
from contextlib import suppress
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

import h11
import uvicorn
from starlette.requests import Request
from uvicorn.protocols.http.h11_impl import H11Protocol

from .messages import answered

CONNECTIONS = 1000  # maximum number of connections
GRACE = 5  # seconds for connections without requests, and for the last ones at the end
SLOW = 10  # seconds in which a request must be complete; at most twice as many pass


def guarded(app: Any, names: Collection[str]) -> Any:
    """The application for these hosts and IP addresses alone, and for no page of another site.

    A page that the user opens could otherwise ask and answer: any name may lead to this machine.
    """

    async def guard(scope: Any, receive: Any, send: Any) -> None:
        headers = Request(scope).headers
        host, (_, _, origin) = headers.get("host", ""), headers.get("origin", "").partition("://")
        ours = headers.get("sec-fetch-site") in (None, "none", "same-origin")  # in a frame, too
        ours &= "origin" not in headers or origin == host
        answer = None
        if not _is_known(host, names):
            known = ", ".join([*names, "IP addresses"])
            answer = answered({"error": f"the host must be one of {known}, got {host!r:.50}"}, 403)
        elif not ours:
            answer = answered({"error": "pages of another site may not send requests"}, 403)
        await (answer or app)(scope, receive, send)

    return guard


def _is_known(host: str, names: Collection[str]) -> bool:
    with suppress(ValueError):
        name = urlsplit(f"//{host}").hostname or ""
        return name in names or bool(ip_address(name))
    return False


class Requests(H11Protocol):
    """The requests of a connection, which is closed if one takes too long to arrive."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.loop.call_later(SLOW, self.close_if_slow, None)

    def close_if_slow(self, before: Any) -> None:
        """Close it if it waits for the same request as before; otherwise, look again later."""
        if self.cycle is before and self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self.transport.abort()
        elif self in self.connections:
            self.loop.call_later(SLOW, self.close_if_slow, self.cycle)


def server(
    app: Any, host: str, port: int, shared: bool = False
) -> tuple[uvicorn.Server, socket.socket]:
    """A server of the application, and the socket at which it listens, perhaps beside others."""
    try:
        listening = socket.create_server((host, port), backlog=1024, reuse_port=shared)
    except (OSError, OverflowError) as error:
        sys.exit(f"cannot listen at {host}, port {port}: {error}; name another --port or --host")
    # Answers are written in two parts; asyncio does not see that this is a TCP socket.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    config = uvicorn.Config(
        app, http=Requests, ws="none", lifespan="off", log_level="warning", access_log=False,
        limit_concurrency=CONNECTIONS, timeout_keep_alive=GRACE, timeout_graceful_shutdown=GRACE,
    )  # fmt: skip
    return uvicorn.Server(config), listening
