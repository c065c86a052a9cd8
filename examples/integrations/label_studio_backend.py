"""A backend of Label Studio: a model proposes the labels of texts, and learns from annotations.

    python examples/integrations/label_studio_backend.py titles.model --port 9090

Connect http://localhost:9090 in the settings of a project that labels a text with a `Taxonomy` or
`Choices`. The model is a file that `python -m river_hier.fit` has written, or another one that
`python -m river_hier.serve` takes: opening it may run code in it, so only open your own.

An annotation is written to titles.annotations and then learned; the model learns what is in this
file when the program is started again. An annotation that is updated without a change of its labels
is not learned twice. Other labels are a further example, since what was learned is not unlearned,
and a deleted annotation stays. The version of the model counts what it has learned.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from river_hier.base.answer import answer_of, taxonomy_of
from river_hier.base.classifiers import is_multilabel, last_step
from river_hier.base.wrapper import check_one
from river_hier.programs import REFUSED, opened, path, probability
from river_hier.serve.journal import Journal

parser = argparse.ArgumentParser(description="A backend of Label Studio.")
parser.add_argument("model", type=Path)
parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0 if Label Studio is in a container")
parser.add_argument("--port", type=int, default=9090)


class Control:
    """The tag of a label config that has the labels, and the field of the text."""

    def __init__(self, config: str) -> None:
        root = ElementTree.fromstring(config)
        tags = [tag for tag in root.iter() if tag.tag in ("Taxonomy", "Choices")]
        if len(tags) != 1:
            raise ValueError(f"the labels must be one Taxonomy or Choices, got {len(tags)} tags")
        self.type: str = tags[0].tag.lower()
        self.ends: dict[str, Any] = {
            "from_name": tags[0].get("name"),
            "to_name": tags[0].get("toName"),
        }
        texts = [tag for tag in root.iter() if tag.get("name", "") == self.ends["to_name"]]
        if len(texts) != 1:
            raise ValueError(f"toName must be the name of the text, got {self.ends['to_name']!r}")
        self.field: str = texts[0].get("value", "").removeprefix("$")
        self.choices = {tag.get("alias", tag.get("value")) for tag in tags[0].iter("Choice")}

    def labels(self, results: list[dict[str, Any]]) -> list[Any]:
        """The labels of an annotation, each once, also if several regions have it."""
        own = [one for one in results if one.get("from_name") == self.ends["from_name"]]
        labels = sorted(itertools.chain(*(one["value"].get(self.type, []) for one in own)))
        json.dumps(labels, ensure_ascii=False).encode()  # what is no text could not be answered
        return [label for label, _ in itertools.groupby(labels)]

    def result(self, paths: list[list[str]]) -> list[dict[str, Any]]:
        """Labels in Label Studio's JSON; a choice is the deepest name on a path that is one."""
        value: list[Any] = paths
        if self.type == "choices":
            on = [[name for name in names if name in self.choices] for names in paths]
            value = [names[-1] for names in on if names]
        return [{**self.ends, "type": self.type, "value": {self.type: value}}] if value else []


class Backend:
    """The model, and the answers to Label Studio's requests."""

    def __init__(self, file: Path) -> None:
        self.name: str = file.stem
        self.model: Any = opened(file.read_bytes())["model"]
        self.several: bool = is_multilabel(last_step(self.model))
        self.journal: Journal = Journal(file.with_suffix(".annotations"))
        for position, example in self.journal.after(0):
            self.learn(position, example)

    def version(self) -> dict[str, str]:
        return {"model_version": f"{self.name} {self.journal.end()}"}

    def names(self, label: Any) -> list[str]:
        """The names on a path, without the root."""
        t = taxonomy_of(self.model)
        return [str(name) for name in path(t, label) if name != t.root]

    def label(self, value: Any) -> Any:
        """The label of a path in a taxonomy, or of a choice, which may be the end of a path."""
        t = taxonomy_of(self.model)
        if isinstance(value, str):
            paths = [names for names in map(self.names, t.nodes[1:]) if names[-1] == value]
            value = paths[0] if len(paths) == 1 else [value]
        return tuple(value) if len(value) > 1 or t.root == () else value[0]

    def learn(self, position: int, example: dict[str, Any]) -> None:
        labels = [self.label(value) for value in example["labels"]]
        if not self.several and len(labels) > 1:
            raise ValueError(f"the model has one label for each text, got {labels}")
        y = labels if self.several else labels[0]
        check_one(self.model, example["text"], y, 1.0)  # before a transformer learns
        self.model.learn_one(example["text"], y)

    def health(self, message: Any) -> Any:
        return {"status": "UP", **self.version()}

    def setup(self, message: Any) -> Any:
        Control(message["schema"])
        return self.version()

    def predict(self, message: Any) -> Any:
        control = Control(message["label_config"])
        return {"results": [self.predicted(control, task["data"]) for task in message["tasks"]]}

    def predicted(self, control: Control, data: Any) -> dict[str, Any]:
        answer = answer_of(self.model, data[control.field])
        t, y = answer.labels.taxonomy, answer.prediction()
        on = [v for v, is_on in y.items() if is_on] if self.several else [y]
        ends = [v for v in on if v not in (None, t.root) and {*t.children(v)}.isdisjoint(on)]
        score = min((probability(answer, v) or 0.0 for v in ends), default=0.0)
        return {
            "result": control.result([*map(self.names, ends)]),
            "score": score,
            **self.version(),
        }

    def webhook(self, message: Any) -> Any:
        """Learn an annotation that is created or updated, unless its labels are those of before."""
        if message["action"] not in ("ANNOTATION_CREATED", "ANNOTATION_UPDATED"):
            return {"status": "ignored"}
        control, annotation = Control(message["project"]["label_config"]), message["annotation"]
        labels = control.labels(annotation["result"])
        if annotation["was_cancelled"] or not labels:
            return {"status": "ignored"}
        example = {"text": message["task"]["data"][control.field], "labels": labels}
        (entry,) = self.journal.add([(json.dumps([annotation["id"], labels]), example)], self.learn)
        if entry.error is not None:
            raise entry.error
        return {"status": "learned" if entry.new else "known", **self.version()}


def handler(call: Callable[[Any], Any]) -> Any:
    """What answers a request in JSON by this method, or says what is wrong with it."""

    async def handle(request: Request) -> JSONResponse:
        try:
            return JSONResponse(call(await request.json() if request.method == "POST" else {}))
        except (*REFUSED, SyntaxError) as error:
            return JSONResponse({"error": f"{type(error).__name__}: {error}"}, 422)

    return handle


def main() -> None:
    asked = parser.parse_args()
    backend = Backend(asked.model)
    calls = backend.setup, backend.predict, backend.webhook
    routes = [Route(f"/{call.__name__}", handler(call), methods=["POST"]) for call in calls]
    app = Starlette(routes=[*routes, Route("/health", handler(backend.health))])
    uvicorn.run(app, host=asked.host, port=asked.port)


if __name__ == "__main__":
    main()
