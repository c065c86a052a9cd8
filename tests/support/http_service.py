"""`python -m river_hier.serve` as a process, and requests to it."""

import contextlib
import http.client
import json
import os
import pickle
import pkgutil
import signal
import subprocess
import sys
from multiprocessing import get_context
from pathlib import Path

from support.processes import PATIENCE, environment, free_port, until


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

    def start_until(self, call, when, *arguments):
        """Start it as a process that is killed before or after it calls this function."""
        arguments = [*self.command[2:], *map(str, arguments)]
        process = FORKS.Process(target=serve_until, args=(call, when, arguments))
        process.start()
        return process

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


FORKS = get_context("forkserver")  # of a process in which everything is imported
FORKS.set_forkserver_preload(["river_hier.serve.service", __name__])


def serve_until(call, when, arguments):
    """Serve in this process until it is killed before or after a call of a function."""
    from river_hier.serve.__main__ import main

    *owner, name = call.rsplit(".", 1)
    owner = pkgutil.resolve_name(*owner)
    function = getattr(owner, name)

    def killed(*args):
        if when == "after":
            function(*args)
        os.kill(os.getpid(), signal.SIGKILL)

    if when:
        setattr(owner, name, killed)
    sys.argv = arguments
    main()


def serve_without_forks():
    """Serve in this process, which cannot start others while there is a file "no forks"."""
    from river_hier.serve.__main__ import main

    fork = os.fork

    def checked():
        if Path(sys.argv[1]).with_name("no forks").exists():
            raise BlockingIOError("no more processes")
        return fork()

    os.fork = checked
    main()


def serve_with_ignored_signals():
    """Serve in this process, which is told of no process that ends."""
    from river_hier.serve.__main__ import main

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    main()
