"""`python -m river_hier.serve` as a process, and requests to it."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

from river_hier import checkpoint
from support.processes import PATIENCE, environment, free_port, until

# Starts the service for each line that it reads, as the command would, and without its imports.
FORKS = """
import os, signal, sys
from river_hier.serve.__main__ import main
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for line in sys.stdin:
    pid = os.fork()
    if not pid:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        main()
        break
    print(pid, flush=True)
"""


class Client:
    """One connection, which is opened again when the server has closed it."""

    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)

    def send(
        self, path: str, body: Any = None, kind: str = "application/json"
    ) -> tuple[int, bytes]:
        """Status and body of an answer; a body that is not bytes is sent as JSON."""
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        method = "GET" if data is None else "POST"
        try:
            self.connection.request(method, path, data, {"Content-Type": kind})
            answer = self.connection.getresponse()
            return answer.status, answer.read()
        except BaseException:
            self.connection.close()
            raise

    def json(self, path: str, body: Any = None, status: int = 200) -> Any:
        """The same, with an answer in JSON that must have this status."""
        found, data = self.send(path, body)
        assert found == status, data
        return json.loads(data)


class Service:
    """A service of a model; `with` kills what is left of it."""

    def __init__(self, folder: Path, model: Any, *arguments: Any, forks: bool = False) -> None:
        self.folder, self.port, self.pid = folder, free_port(), 0
        checkpoint.save(model, folder / "model")
        given = [folder / "model", "--folder", folder / "served", "--port", self.port, *arguments]
        self.log = (folder / "log").open("ab")
        command = ["-c", FORKS] if forks else ["-m", "river_hier.serve"]
        self.command = [sys.executable, *command, *map(str, given)]
        self.process: Any = None
        self.forks = forks

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.log.close()

    def start(self, ready: bool = True) -> None:
        if self.process is None or not self.forks:
            self.process = subprocess.Popen(
                self.command, env=environment(), stderr=self.log, start_new_session=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
        self.pid = self.process.pid
        if self.forks:
            self.process.stdin.write("start\n")
            self.process.stdin.flush()
            self.pid = int(self.process.stdout.readline())
        if ready:
            until(self.answers, self.said)

    def answers(self) -> bool:
        with contextlib.suppress(OSError, http.client.HTTPException):
            return Client(self.port).send("/health")[0] > 0
        assert self.process.poll() is None, self.said()
        return False

    def said(self) -> str:
        return (self.folder / "log").read_text()

    def kill(self) -> None:
        """kill -9."""
        os.kill(self.pid, signal.SIGKILL)

    def stop(self) -> Any:
        """Stop it as an administrator would; return its exit status, if it is no fork."""
        os.kill(self.pid, signal.SIGTERM)
        if not self.forks:
            return self.process.wait(PATIENCE)
        until(lambda: not Path(f"/proc/{self.pid}").exists(), self.said)
        return 0

    @property
    def state(self) -> Any:
        """That of the checkpoint."""
        return checkpoint.load(self.folder / "served" / "checkpoint")
