"""The component of spaCy, and the backend of Label Studio."""

import contextlib
import pickle
import re
import sys

import pytest

from river_hier import OpenTaxonomy, Taxonomy, checkpoint, feature_extraction, fit, linear_model
from river_hier.predict import labelled
from support.http_service import Client
from support.paths import DOCS, EXAMPLES
from support.processes import free_port, start_program, until
from support.requirements import require_module

sys.path.insert(0, str(EXAMPLES / "integrations"))
TEXTS = {
    "a red wool hat": ("clothes", "hat"),
    "a silk shirt": ("clothes", "shirt"),
    "the rubber boots": ("shoes",),
}
SEVERAL = {
    "a red wool hat": [("clothes", "hat"), ("red",)],
    "a silk shirt": [("clothes", "shirt")],
    "the red boots": [("shoes",), ("red",)],
}


def trained(separator, several=False):
    """A model as `fit` makes it, whose labels are paths as strings or as tuples."""
    model = fit.model_for([], several, separator is None, separator)
    for _ in range(9):
        for text, label in (SEVERAL if several else TEXTS).items():
            model.learn_one(text, label)
    return model


def closed():
    t = Taxonomy([("shop", "clothes"), ("shop", "shoes"), ("clothes", "hat"), ("clothes", "shirt")])
    model = feature_extraction.TextViews() | linear_model.PathSoftmax(t, margin=1)
    for _ in range(9):
        for text, label in TEXTS.items():
            model.learn_one(text, label)
    return model


MODELS = {
    "strings": (lambda: trained(" > "), TEXTS),
    "tuples": (lambda: trained(None), TEXTS),
    "closed": (closed, TEXTS),
    "several": (lambda: trained(" > ", several=True), SEVERAL),
}


class TestSpacy:
    @pytest.fixture(autouse=True)
    def module(self):
        self.spacy = require_module("spacy", "spacy")
        import spacy_component  # noqa: F401

    def pipeline(self, folder, model):
        file = folder / "shop.model"
        checkpoint.save({"model": model, "text": None}, file)
        nlp = self.spacy.blank("en")
        nlp.add_pipe("taxonomy", config={"model": str(file)})
        return nlp

    @pytest.mark.parametrize("name", MODELS)
    def test_documents_have_paths_and_probabilities(self, tmp_path, name):
        """Those that `predict` writes."""
        make, truth = MODELS[name]
        model = make()
        nlp = self.pipeline(tmp_path, model)
        rows = {}
        for _, text, _, path, p in [*labelled(model, ((0, text, None) for text in truth), None)][
            1:
        ]:
            rows.setdefault(text, {})[path] = p
        for text, doc in zip(truth, nlp.pipe(truth), strict=True):
            paths = doc._.path if name == "several" else [doc._.path]
            expected = truth[text] if name == "several" else [truth[text]]
            assert sorted(paths) == sorted(map(list, expected))
            ends = {" > ".join(path): f"{_cat(doc, path):.4f}" for path in paths}
            assert ends.items() <= rows[text].items()
            assert len(doc.cats) == len({tuple(path[:k]) for path in paths for k in (1, len(path))})
            for path in paths:
                assert 1.0 >= _cat(doc, path[:1]) >= _cat(doc, path) > 0.3

    def test_the_program_of_the_page(self, tmp_path, monkeypatch, capsys):
        self.pipeline(tmp_path, trained(" > "))
        (tmp_path / "shop.model").rename(tmp_path / "titles.model")
        monkeypatch.chdir(tmp_path)
        page = (DOCS / "files.md").read_text("utf-8")
        (program,) = re.findall(r"^```python\n(import spacy\n.*?)^```$", page, re.M | re.S)
        exec(program, {})
        assert capsys.readouterr().out.startswith("['clothes', 'hat'] {'clothes': 0.")

    def test_a_pipeline_is_saved_and_read(self, tmp_path):
        nlp = self.pipeline(tmp_path, trained(" > "))
        before = nlp("a red wool hat")
        nlp.to_disk(tmp_path / "pipeline")
        assert nlp.config["components"]["taxonomy"]["model"] == str(tmp_path / "shop.model")
        for again in (
            self.spacy.load(tmp_path / "pipeline"),
            self.spacy.blank("en").from_config(nlp.config).from_bytes(nlp.to_bytes()),
        ):
            after = again("a red wool hat")
            assert (after._.path, after.cats) == (before._.path, before.cats)

    def test_it_goes_on_learning(self, tmp_path):
        nlp = self.pipeline(tmp_path, linear_model_of_nothing())
        assert nlp("green tea")._.path is None
        assert nlp("green tea").cats == {}
        model = nlp.get_pipe("taxonomy").model
        model.learn_one("green tea", "food/tea")
        assert nlp("green tea")._.path == ["food", "tea"]
        file = tmp_path / "list.pkl"
        file.write_bytes(pickle.dumps([]))
        with pytest.raises(ValueError, match="no model in a taxonomy"):
            self.spacy.blank("en").add_pipe("taxonomy", config={"model": str(file)})


def linear_model_of_nothing():
    words = feature_extraction.TextViews()
    return words | linear_model.PathSoftmax(OpenTaxonomy("/"), margin=1)


def _cat(doc, path):
    """The probability of a node, whose name is its path in open taxonomies."""
    return doc.cats.get(" > ".join(path), doc.cats.get(path[-1]))


TAXONOMY = """<View><Header value="Where does it belong?"/><Text name="title" value="$title"/>
<Taxonomy name="category" toName="title"><Choice value="clothes"><Choice value="hat"/>
<Choice value="shirt"/></Choice><Choice value="shoes"/></Taxonomy></View><!-- {"data": {}} -->"""
CHOICES = """<View><Text name="title" value="$title"/><Choices name="category" toName="title"
choice="multiple"><Choice value="hat"/><Choice value="top" alias="shirt"/><Choice value="shoes"/>
<Choice value="red"/></Choices></View>"""


class LabelStudio:
    """The requests of Label Studio to a backend that is started anew by each `with`."""

    def __init__(self, file, config):
        self.config, self.port, self.file = config, free_port(), file
        self.kind = "taxonomy" if config is TAXONOMY else "choices"

    def __enter__(self):
        script = EXAMPLES / "integrations" / "label_studio_backend.py"
        printed = self.file.with_name("printed")
        self.process = start_program(script, [self.file, "--port", self.port], printed)
        self.client = Client(self.port)
        until(self.is_up)
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.join()

    def is_up(self):
        with contextlib.suppress(OSError):
            return self.client.json("/health")["status"] == "UP"
        assert self.process.is_alive(), self.file.with_name("printed").read_text()
        return False

    def setup(self, status=200):
        message = {"project": "7.1755000000", "schema": self.config, "extra_params": None}
        message |= {"hostname": "http://localhost:8080", "access_token": "abc"}
        return self.client.json("/setup", message, status)

    def predict(self, *titles, status=200):
        tasks = [
            {"id": i, "data": {"title": title, "price": 3}, "predictions": [], "project": 7}
            for i, title in enumerate(titles, 1)
        ]
        message = {"tasks": tasks, "project": "7.1755000000", "label_config": self.config}
        params = {"login": None, "password": None, "context": None}
        message |= {"model_version": "shop 0", "params": params}
        return self.client.json("/predict", message, status).get("results")

    def annotate(self, action, number, title, values, status=200, **changes):
        result = {"id": "WArqkkifYE", "from_name": "category", "to_name": "title"}
        result |= {"type": self.kind, "origin": "manual", "value": {self.kind: values}}
        annotation = {"id": number, "result": [result], "was_cancelled": False, "lead_time": 3.7}
        annotation |= {"ground_truth": False, "completed_by": 1, "task": 19, "prediction": {}}
        message = {"action": f"ANNOTATION_{action}", "annotation": annotation | changes}
        message["task"] = {"id": 19, "data": {"title": title}, "project": 7}
        if action == "DELETED":
            message = {"action": "ANNOTATIONS_DELETED", "annotations": [{"id": number}]}
        message["project"] = {"id": 7, "title": "Shop", "label_config": self.config}
        return self.client.json("/webhook", message, status)


@pytest.fixture
def studio(tmp_path):
    require_module("starlette", "serving")
    require_module("uvicorn", "serving")

    def made(model, config):
        file = tmp_path / "shop.model"
        checkpoint.save({"model": model, "text": None}, file)
        return LabelStudio(file, config)

    return made


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("config", [TAXONOMY, CHOICES])
@pytest.mark.parametrize("name", MODELS)
def test_label_studio_is_told_labels(studio, name, config):
    make, truth = MODELS[name]
    rows = {text: {} for text in truth}
    for _, text, _, path, p in [*labelled(make(), ((0, text, None) for text in truth), None)][1:]:
        rows[text][tuple(path.split(" > "))] = float(p)
    with studio(make(), config) as backend:
        version = backend.setup()
        assert version == {"model_version": "shop 0"}
        for text, one in zip(truth, backend.predict(*truth), strict=True):
            paths = truth[text] if name == "several" else [truth[text]]
            assert one["score"] == pytest.approx(min(rows[text][y] for y in paths), abs=1e-4)
            assert one["model_version"] == "shop 0"
            (result,) = one["result"]
            value = result.pop("value")
            assert result == {"from_name": "category", "to_name": "title", "type": backend.kind}
            expected = [list(y) if config is TAXONOMY else y[-1] for y in paths]
            assert value.keys() == {backend.kind}
            assert sorted(value[backend.kind]) == sorted(expected)


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("config", [TAXONOMY, CHOICES])
@pytest.mark.parametrize("name", MODELS)
def test_label_studio_teaches_each_annotation_once(studio, name, config):
    """Against a model that learns them in the same order, also after the backend is killed."""
    make, _ = MODELS[name]
    model, several = make(), name == "several"
    hat, shirt = [["clothes", "hat"]], [["clothes", "shirt"]]
    backend = studio(make(), config)
    given = [
        ("CREATED", 1, "a felt hat", hat, "learned"),
        ("CREATED", 1, "a felt hat", hat, "known"),
        ("UPDATED", 1, "a felt hat", hat, "known"),
        ("CREATED", 2, "a felt hat", hat, "learned"),
        ("CREATED", 3, "a cotton top", hat, "learned"),
        ("UPDATED", 3, "a cotton top", shirt, "learned"),
        ("UPDATED", 3, "a cotton top", [], "ignored"),
        ("DELETED", 3, "a cotton top", shirt, "ignored"),
        ("CREATED", 5, "a clog", [["shoes"]], "learned"),
    ]
    if several:
        given.append(("CREATED", 4, "a red felt hat", [*hat, ["red"]], "learned"))
    for again in (False, True):
        with backend:
            for action, number, title, paths, status in given:
                values = paths if config is TAXONOMY else [path[-1] for path in paths]
                answer = backend.annotate(action, number, title, values)
                if again:  # all of them are known
                    status = "known" if status == "learned" else status
                elif status == "learned":
                    labels = [tuple(path) for path in sorted(paths)]
                    model.learn_one(title, labels if several else labels[0])
                assert answer["status"] == status
            skipped = backend.annotate("CREATED", 9, "a hat", hat, was_cancelled=True)
            assert skipped["status"] == "ignored"
            n = sum(status == "learned" for *_, status in given)
            for title in ("a cotton top", "a felt hat", "a clog"):
                (one,) = backend.predict(title)
                assert one["model_version"] == f"shop {n}"
                rows = [*labelled(model, [(0, title, None)], None)][1:]
                p = [float(p) for *_, path, p in rows if path not in ("clothes", "")]
                assert one["score"] == pytest.approx(min(p, default=0.0), abs=1e-4)


def test_regions_relations_and_other_controls_of_an_annotation(studio):
    from label_studio_backend import Control

    hat = {"from_name": "category", "value": {"start": 2, "taxonomy": [["clothes", "hat"]]}}
    other = {"from_name": "colour", "value": {"taxonomy": [["red"]]}}
    relation = {"type": "relation", "from_id": "a", "to_id": "b", "direction": "right"}
    assert Control(TAXONOMY).labels([hat, relation, other, hat]) == [["clothes", "hat"]]


@pytest.mark.slow
def test_label_studio_is_told_what_is_wrong(studio):
    with studio(trained(" > "), "<View><Text name='a' value='$a'/></View>") as backend:
        assert "one Taxonomy or Choices" in backend.setup(422)["error"]
        backend.config = TAXONOMY.replace('toName="title"', "")
        assert "toName must be the name of the text, got None" in backend.setup(422)["error"]
        backend.config = "<View>"
        assert "no element found" in backend.setup(422)["error"]
        backend.config, backend.kind = TAXONOMY, "taxonomy"
        before = backend.predict("a hat with a silk lining")
        values = [["shoes"], ["clothes", "hat"]]
        answer = backend.annotate("CREATED", 1, "both", values, status=422)
        assert "one label" in answer["error"]
        backend.annotate("CREATED", 2, "neither", [["clothes", "", "hat"]], status=422)
        backend.annotate("CREATED", 3, "no text", [["clothes", "\ud800"]], status=422)
        assert backend.predict("a hat with a silk lining") == before
        assert backend.setup() == {"model_version": "shop 0"}
        assert backend.predict("a silk shirt")[0]["result"][0]["value"] == {
            "taxonomy": [["clothes", "shirt"]]
        }
        assert backend.client.send("/predict", b"{")[0] == 422
