"""The service of examples/streaming/http_service.py as a process, and requests to it."""

import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from support.paths import EXAMPLES
from support.processes import PATIENCE, environment_of_scripts, free_port, until

STREAMING = EXAMPLES / "streaming"
# How often each program is killed: RIVER_HIER_KILLS=100 pytest --slow tests/examples -k killed
KILLS = int(os.environ.get("RIVER_HIER_KILLS", "3"))
SHOP = {
    "clothes": {"shoes": ["boots", "sandals"], "coats": ["parkas", "capes"]},
    "garden": {"tools": ["spades", "rakes"], "plants": ["roses", "ferns"]},
}


class Client:
    """One connection, which is opened again when the server has closed it."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)

    def send(self, path, body=None, kind="application/json"):
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

    def json(self, path, body=None, status=200):
        """The same, with an answer in JSON that must have this status."""
        found, data = self.send(path, body)
        assert found == status, data
        return json.loads(data)


class Service:
    """The processes; `with` kills those that are left."""

    def __init__(self, folder, *arguments, workers=2, taxonomy=None):
        self.folder, self.port = folder, free_port()
        path = folder / "taxonomy.json"
        path.write_text(json.dumps(taxonomy or {"shop": SHOP}))
        self.command = [sys.executable, str(STREAMING / "http_service.py")]
        given = ["--taxonomy", path, "--folder", folder / "shop", "--port", self.port]
        self.command += map(str, [*given, "--workers", workers, *arguments])
        self.process = None
        self.env = environment_of_scripts()
        self.log = (folder / "log").open("ab")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.kill(whole=True)
        self.log.close()

    def start(self, ready=True):
        self.process = subprocess.Popen(
            self.command, env=self.env, stderr=self.log, start_new_session=True
        )
        if ready:
            self.until_ready()

    def until_ready(self):
        def answers():
            with contextlib.suppress(OSError, http.client.HTTPException):
                Client(self.port).json("/health")
                if self.workers():  # or else those of a process that was killed have answered
                    return True
            assert self.process is None or self.process.poll() is None, self.said()
            return False

        until(answers, self.said)

    def said(self):
        return (self.folder / "log").read_text()

    def workers(self):
        """The process ids of the workers; Linux only."""
        assert self.process is not None
        pid = self.process.pid
        return [int(n) for n in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    def kill(self, whole=False):
        """kill -9 the first process, or all."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                if whole:
                    os.killpg(self.process.pid, signal.SIGKILL)
                else:
                    self.process.kill()
            self.process.wait()

    def stop(self):
        """Stop it as an administrator would; return its exit status."""
        assert self.process is not None
        self.process.terminate()
        return self.process.wait(PATIENCE)
