"""A component of a spaCy pipeline that says where in a taxonomy a text belongs.

    nlp = spacy.blank("en")
    nlp.add_pipe("taxonomy", config={"model": "titles.model"})
    doc = nlp("a red wool hat")
    doc._.path, doc.cats

The model is a file that `python -m river_hier.fit` has written, or another one that
`python -m river_hier.serve` takes: opening it may run code in it, so only open your own.
`doc._.path` has the names on the path of the label; of several labels, it is a list of paths.
`doc.cats` has the probability of each node on them. The config of the pipeline keeps the name of
the file, and not what is in it. The component's model goes on learning:

    nlp.get_pipe("taxonomy").model.learn_one("a red wool hat", "clothes > hat")
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from river_hier.base.answer import answer_of
from river_hier.predict import BETWEEN
from river_hier.programs import opened, path, probability

Doc.set_extension("path", default=None, force=True)


@Language.factory("taxonomy")
class Component:
    def __init__(self, nlp: Language, name: str, model: str) -> None:
        self.model: Any = opened(Path(model).read_bytes())["model"]

    def __call__(self, doc: Doc) -> Doc:
        answer = answer_of(self.model, doc.text)
        t, y = answer.labels.taxonomy, answer.prediction()
        if answer.several:
            nodes = [v for v, on in y.items() if on]
        else:
            nodes = [] if y is None else [*t.path(y)[1:]]
        for v in nodes:
            name = BETWEEN.join(map(str, v)) if isinstance(v, tuple) else str(v)
            if (p := probability(answer, v)) is not None:
                doc.cats[name] = p
        ends = [v for v in nodes if {*t.children(v)}.isdisjoint(nodes)]
        paths = [[str(name) for name in path(t, v) if name != t.root] for v in ends]
        doc._.path = paths if answer.several else paths[0] if paths else None
        return doc
