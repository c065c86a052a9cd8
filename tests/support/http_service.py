"""`python -m river_hier.serve` in a process, and requests to it."""

import contextlib
import http.client
import json
import os
import pickle
import pkgutil
import signal
import sys
from pathlib import Path

from support.processes import PATIENCE, free_port, start_program, until


class Client:
    """One connection, which is opened again when the server has closed it."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)

    def send(self, path, body=None, kind="application/json", **headers):
        """Status and body of an answer; a body that is not bytes is sent as JSON."""
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        method = "GET" if data is None else "POST"
        try:
            self.connection.request(method, path, data, {"Content-Type": kind, **headers})
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
        self.arguments = [self.model, "--port", self.port, *arguments]
        self.process = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.kill()

    def start(self, *prepare, ready=True):
        """Serve in another process, in which a function may be called first."""
        log = self.folder / "log"
        self.process = start_program("river_hier.serve", self.arguments, log, *prepare)
        if ready:
            until(self._answers, self.said)

    def _answers(self):
        with contextlib.suppress(OSError, http.client.HTTPException):
            Client(self.port).json("/health")
            return True
        assert self.process.is_alive(), self.said()
        return False

    def said(self):
        return (self.folder / "log").read_text()

    def kill(self, whole=True):
        """kill -9 all processes, or the first: one that saves may outlive it."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                if whole:
                    os.killpg(self.process.pid, signal.SIGKILL)
            self.process.kill()
            self.process.join()

    def stop(self):
        """Stop it as an administrator would; return its exit status."""
        self.process.terminate()
        return self.ended()

    def ended(self):
        self.process.join(PATIENCE)
        return self.process.exitcode


def killed_at(call, when):
    """This process is killed before or after it calls a function."""
    *owner, name = call.rsplit(".", 1)
    owner = pkgutil.resolve_name(*owner)
    function = getattr(owner, name)

    def killed(*args):
        if when == "after":
            function(*args)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(owner, name, killed)


def without_forks():
    """This process cannot start others while there is a file "no forks"."""
    fork = os.fork

    def checked():
        if Path(sys.argv[1]).with_name("no forks").exists():
            raise BlockingIOError("no more processes")
        return fork()

    os.fork = checked


def with_ignored_signals():
    """This process is told of no process that ends."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
