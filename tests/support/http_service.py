"""`python -m river_hier.serve` as a process, and requests to it."""

import contextlib
import http.client
import json
import os
import pickle
import signal
import subprocess
import sys

from support.processes import PATIENCE, environment, free_port, until


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
    """The processes that serve a model; `with` kills those that are left."""

    def __init__(self, folder, model, *arguments):
        self.folder, self.port = folder, free_port()
        self.model, self.served = folder / "shop.pkl", folder / "shop.served"
        self.model.write_bytes(pickle.dumps(model))
        self.command = [sys.executable, "-m", "river_hier.serve", str(self.model)]
        self.command += ["--port", str(self.port), *map(str, arguments)]
        self.process = None
        self.log = (folder / "log").open("ab")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.kill()
        self.log.close()

    def start(self, ready=True):
        self.process = subprocess.Popen(
            self.command, env=environment(), stderr=self.log, start_new_session=True
        )
        if ready:
            until(self._answers, self.said)

    def _answers(self):
        with contextlib.suppress(OSError, http.client.HTTPException):
            Client(self.port).json("/health")
            return True
        assert self.process.poll() is None, self.said()
        return False

    def said(self):
        return (self.folder / "log").read_text()

    def kill(self, whole=True):
        """kill -9 all processes, or the first: one that saves may outlive it."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                if whole:
                    os.killpg(self.process.pid, signal.SIGKILL)
                else:
                    self.process.kill()
            self.process.wait()

    def stop(self):
        """Stop it as an administrator would; return its exit status."""
        self.process.terminate()
        return self.process.wait(PATIENCE)
