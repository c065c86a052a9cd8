"""Processes of their own, which find the package and what tests share."""

import contextlib
import os
import re
import runpy
import shlex
import signal
import socket
import subprocess
import sys
import time
from multiprocessing import forkserver, get_context
from unittest.mock import patch

import river_hier
from support.paths import DOCS, EXAMPLES, TESTS

PATIENCE = 120.0  # seconds until a test gives up waiting
# How often each program is killed: RIVER_HIER_KILLS=100 pytest --slow tests/examples -k killed
KILLS = int(os.environ.get("RIVER_HIER_KILLS", "3"))


def environment():
    paths = [str(TESTS), os.path.dirname(os.path.dirname(river_hier.__file__))]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONSAFEPATH": "1"}


def environment_of_scripts():
    """A script finds what lies in its folder, unlike elsewhere, and must flush what it prints."""
    unwanted = ("PYTHONSAFEPATH", "PYTHONUNBUFFERED")
    return {name: value for name, value in environment().items() if name not in unwanted}


def until(fits, said=lambda: "it takes too long"):
    """Wait until this is true."""
    deadline = time.monotonic() + PATIENCE
    while not fits():
        assert time.monotonic() < deadline, said()
        time.sleep(0.005)


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


# What the process has imported from which programs are forked; there is none on Windows.
IMPORTED = [
    *("river_hier.serve.service", "river_hier.label.desk", "river_hier.ensemble"),
    *("river_hier.decision", "uvicorn.protocols.http.auto", "uvicorn.lifespan.on"),
]


def start_program(module, arguments, printed, prepare=None, *args):
    """`python -m module`, or a script, as a fork that prints to a file, after `prepare`."""
    forks = get_context("forkserver")
    forks.set_forkserver_preload(IMPORTED)
    with patch.dict(os.environ, PYTHONSAFEPATH="1"):  # it imports what is installed
        forkserver.ensure_running()
    arguments = [str(module), *map(str, arguments)]
    process = forks.Process(target=_run, args=(arguments, printed, prepare, args))
    process.start()
    return process


def _run(arguments, printed, prepare, args):
    os.setsid()
    with open(printed, "ab") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    if prepare:
        prepare(*args)
    sys.argv = arguments
    run = runpy.run_path if arguments[0].endswith(".py") else runpy.run_module
    run(arguments[0], run_name="__main__")


def run_commands_of(page, port, folder, **elsewhere):
    """Run the blocks of a page; return them, the lines that they print, and the errors.

    They are run as they stand there, but for the port, what is elsewhere, and which Python it is.
    """
    text = (DOCS / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    (folder / "examples").symlink_to(EXAMPLES)
    program = "".join(blocks).replace(port, str(free_port()))
    for named, address in elsewhere.items():
        program = program.replace(named, address)
    program = re.sub("^python ", f"{shlex.quote(sys.executable)} ", program, flags=re.MULTILINE)
    child = subprocess.Popen(
        ["sh", "-e", "-c", program], cwd=folder, env=environment_of_scripts(),
        start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        printed, errors = child.communicate(timeout=PATIENCE)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)  # the servers too
        child.wait()
    assert child.returncode == 0, errors
    return blocks, printed.splitlines(), errors
