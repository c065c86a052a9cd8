"""Processes that answer by the checkpoints of the one that learns, and the page of requests."""

import csv
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from river_hier import checkpoint, decision
from support.http_service import Client, Service
from support.processes import PATIENCE, environment, free_port, until
from support.requirements import require_module
from support.shop_labels import MODELS, message

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it forks")
require_module("starlette", "serving")
require_module("uvicorn", "serving")
require_module("prometheus_client", "serving")


class Follower:
    """A process that follows; `with` kills it."""

    def __init__(self, folder: Path, port: int) -> None:
        command = [sys.executable, "-m", "river_hier.serve", "--follow", str(folder)]
        self.process = subprocess.Popen(
            [*command, "--port", str(port)], env=environment(),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        self.port = port
        assert self.process.stdout is not None
        self.said = self.process.stdout.readline()

    def __enter__(self) -> "Follower":
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.mark.slow
def test_followers_answer_as_the_one_that_learns_whoever_is_killed(tmp_path: Path) -> None:
    port, xs = free_port(), [message(key, kind="text")["x"] for key in range(200, 230)]
    with Service(tmp_path, MODELS["text"](), "--save", 0.2) as service, ExitStack() as opened:
        service.start()
        for key in range(50):
            Client(service.port).json("/learn", message(key, kind="text"))
        followers = [opened.enter_context(Follower(service.served, port)) for _ in range(2)]
        for follower in followers:
            assert f"at http://127.0.0.1:{port}; its files are in {service.served}" in follower.said

        def follows(n: int) -> bool:
            """Whether the one that a new connection leads to has learned all labels."""
            found = Client(port).json("/health")
            assert found["status"] == "ok"
            assert found["learned"] + found["behind"] == n
            return bool(found["learned"] == n)

        until(lambda: all(follows(50) for _ in range(20)))
        for x in xs:
            expected = Client(service.port).json("/predict", {"x": x, "threshold": 0.4})
            assert Client(port).json("/predict", {"x": x, "threshold": 0.4}) == expected
            assert Client(port).json("/top", {"x": x}) == Client(service.port).json(
                "/top", {"x": x}
            )
        answer = Client(port).json("/learn", message(50, kind="text"), status=404)
        assert answer == {"error": "Not Found"}
        Client(port).json("/predict", {"x": xs[0], "key": "for feedback"}, status=422)
        assert b"river_hier_labels_learned_total 50" in Client(port).send("/metrics")[1]
        Client(service.port).json("/learn", message(50, kind="text"))
        until(lambda: all(follows(51) for _ in range(20)))

        service.kill()
        assert follows(51)  # without the one that learns
        followers[0].process.kill()
        followers[0].process.wait()
        assert follows(51)
        service.start()
        for key in range(51, 80):
            Client(service.port).json("/learn", message(key, kind="text"))
        opened.enter_context(Follower(service.served, port))
        until(lambda: all(follows(80) for _ in range(20)))
        for x in xs:
            assert Client(port).json("/predict", {"x": x}) == Client(service.port).json(
                "/predict", {"x": x}
            )

        (service.served / "checkpoint").write_bytes(b"damaged")
        until(lambda: Client(port).send("/health")[0] == 503)
        assert Client(port).json("/predict", {"x": xs[0]})  # by the one before
        followers[1].process.send_signal(signal.SIGTERM)
        assert followers[1].process.wait(PATIENCE) == 0


@pytest.mark.slow(but=1)
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ([], "name the file of a model, or the folder of another process: --follow"),
        (["--follow", "nowhere"], "nowhere cannot be followed: [Errno 2]"),
        (["--follow", "nowhere", "--risk", "0.1"], "--follow takes --host and --port alone"),
        (["shop.pkl", "--follow", "nowhere"], "--follow takes --host and --port alone"),
        (["shop.pkl", "--risks", "0.1"], "unrecognized arguments: --risks"),
    ],
)
def test_mistakes_at_the_command_line(tmp_path: Path, line: list[str], said: str) -> None:
    command = [sys.executable, "-m", "river_hier.serve", *line]
    ended = subprocess.run(command, env=environment(), cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode in (1, 2)
    assert said in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_requests_are_described(tmp_path: Path) -> None:
    with Service(tmp_path, MODELS["text"]()) as service:
        service.start()
        client = Client(service.port)
        page: dict[str, Any] = client.json("/openapi.json")
        assert page["openapi"].startswith("3.1")
        assert {"/predict", "/learn", "/health", "/edit"} <= page["paths"].keys()
        for path, kinds in page["paths"].items():
            ((method, described),) = kinds.items()
            assert described["summary"].endswith(".")
            if method == "get":
                assert client.send(path)[0] == 200
                continue
            schema = described["requestBody"]["content"]["application/json"]["schema"]
            fields = {name: {} for name in schema["required"]}
            assert fields.keys() <= schema["properties"].keys()
            assert "expected a JSON object" in client.json(path, {}, status=422)["error"]
            sent = {**fields, "more": 1}
            assert "expected a JSON object" in client.json(path, sent, status=422)["error"]
            said = client.send(path, fields)
            assert said[0] == 200 or b"expected a JSON object" not in said[1]
        schema = page["paths"]["/top"]["post"]["requestBody"]["content"]["application/json"][
            "schema"
        ]
        assert schema["properties"]["k"] == {"type": ["integer"], "default": 5}
        predict = page["paths"]["/predict"]["post"]["requestBody"]["content"]["application/json"]
        threshold = predict["schema"]["properties"]["threshold"]
        assert threshold == {"type": ["number", "null"], "default": None}


@pytest.mark.slow
def test_a_file_of_fit_is_served_with_its_risk(tmp_path: Path) -> None:
    """Calibrated by the rows that were held out, so that it is not silent at first."""
    rows = [(f"a {word} {i}", label) for i in range(150) for word, label in WORDS]
    with (tmp_path / "a.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *rows])
    fit = [sys.executable, "-m", "river_hier.fit", str(tmp_path / "a.csv")]
    subprocess.run(fit, env=environment(), check=True, stdout=subprocess.DEVNULL)
    state = checkpoint.load(tmp_path / "a.model")
    careful = decision.Selective(state["model"], 0.1)
    careful.calibrate(state["held_out"])
    with Service(tmp_path, MODELS["text"](), "--risk", 0.1) as service:
        service.model.write_bytes((tmp_path / "a.model").read_bytes())
        service.start()
        for x in ("a rake", "red boots", "a tulip"):
            y = Client(service.port).json("/predict", {"x": x})["y"]
            assert y == careful.predict_one(x)
        assert Client(service.port).json("/predict", {"x": "a rake"})["y"] == "garden/rakes"


WORDS = [("rake", "garden/rakes"), ("rose", "garden/roses"), ("boots", "shoes/boots")]
