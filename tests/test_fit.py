"""A file in, a file out: what is read, learned, written and refused, and what is left if killed."""

import csv
import gzip
import io
import json
import pickle
import random
import re
import signal
import subprocess
import sys
import time
import zipfile

import pytest

from river_hier import (
    OpenTaxonomy,
    Taxonomy,
    checkpoint,
    decision,
    feature_extraction,
    fit,
    inspection,
    linear_model,
    predict,
    programs,
    tables,
)
from river_hier._core import learned_before
from support.processes import PATIENCE, environment, run_commands_of, until

WORDS = {"pets > cats": "purr fur milk", "pets > dogs": "bark fur bone", "cars": "wheel motor road"}
ROWS = [("été; fur", "pets > cats"), ('a "big" bark', "pets > dogs"), ("two\nlines", None)]


def pairs(n, seed=0):
    """Texts, and their labels."""
    rng = random.Random(seed)
    labels = [rng.choice([*WORDS]) for _ in range(n)]
    return [
        (f"{i} {' '.join(rng.choices(WORDS[v].split(), k=4))}", v) for i, v in enumerate(labels)
    ]


def table(rows, header=("text", "label"), delimiter=","):
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter).writerows([header, *rows])
    return text.getvalue()


def run(program, *arguments):
    """Run a program here, as from the command line."""
    before, sys.argv = sys.argv, [program.__name__, *map(str, arguments)]
    try:
        program.main()
    finally:
        sys.argv = before


@pytest.mark.parametrize(("risk", "window"), [(0.05, 1000), (0.0003, 3334)])
def test_a_small_risk_has_a_window_in_which_it_can_be_kept(risk, window):
    model = linear_model.PathSoftmax(Taxonomy.flat("ab"))
    assert programs.with_risk({"model": model}, risk).window == window


# Files


def parquet(rows):
    pyarrow, file = pytest.importorskip("pyarrow"), io.BytesIO()
    pytest.importorskip("pyarrow.parquet")
    columns = {
        "more": [15] * len(rows),
        "text": [x for x, _ in rows],
        "label": [y for _, y in rows],
    }
    pyarrow.parquet.write_table(pyarrow.table(columns), file)
    return file.getvalue()


TABLE = table(ROWS)
LINES = "".join(json.dumps({"text": x, "label": y}) + "\n" for x, y in ROWS)
FILES = {
    "a.csv": TABLE.encode(),
    "bom.csv": TABLE.encode("utf-8-sig"),
    "semicolons.csv": table(ROWS, delimiter=";").encode(),
    "tabs.tsv": table(ROWS, delimiter="\t").encode("utf-16"),
    "bars.csv": table(ROWS, delimiter="|").encode(),
    "latin.csv": TABLE.encode("latin-1"),
    "a.csv.gz": gzip.compress(TABLE.encode()),
    "a.jsonl": LINES.encode(),
    "lines.json": LINES.replace("}\n", "}\r\n\n").encode(),
    "list.json": json.dumps([{"text": x, "label": y} for x, y in ROWS]).encode(),
}


@pytest.mark.parametrize("name", FILES)
def test_a_table_is_read_however_it_is_written(tmp_path, capsys, name):
    (tmp_path / name).write_bytes(FILES[name])
    found = list(tables.rows(tmp_path / name))
    assert found == [(number, *row) for number, row in enumerate(ROWS, 1)]
    assert ("is read as Latin-1" in capsys.readouterr().err) == name.startswith("latin")


def test_parquet(tmp_path):
    file = tmp_path / "a.parquet"
    file.write_bytes(parquet(ROWS))
    assert [row[1:] for row in tables.rows(file)] == ROWS
    assert next(tables.rows(file, ["label"], ["more"])) == (1, "pets > cats", "15")


def studio(kind, value):
    result = {"from_name": "x", "to_name": "text", "type": kind, "value": {kind: value}}
    return {"id": 1, "data": {"text": "red"}, "annotations": [{"result": [result]}, {"result": []}]}


def skipped():
    """A task of which the first annotator has cancelled, and the second drawn a relation."""
    first, second = studio("choices", ["x"]), studio("choices", ["y"])["annotations"][0]
    first["annotations"][0]["was_cancelled"] = True
    second["result"].append({"type": "relation", "from_id": "a", "to_id": "b"})
    return first | {"annotations": [first["annotations"][0], second]}


@pytest.mark.parametrize(
    ("name", "content", "options", "expected"),
    [
        ("a.txt", "red fur\n\nblue\n", {}, [("red fur", None), ("", None), ("blue", None)]),
        (
            "train",
            "__label__cats red fur\n__label__cats __label__dogs fur\n\nbone\n",
            {},
            [("red fur", "cats"), ("fur", [("cats",), ("dogs",)]), ("bone", None)],
        ),
        (
            "levels.csv",
            "text,a,b,c\nred,x,y,\nblue,x,,\ngrey,,,\n",
            {"labels": ["a", "b", "c"]},
            [("red", ("x", "y")), ("blue", ("x",)), ("grey", None)],
        ),
        ("two.csv", "a,b,label\nred,fur,x\n", {"texts": ["b", "a"]}, [("fur\nred", "x")]),
        ("one.csv", "title\nred\n", {}, [("red", None)]),
        ("bars.csv", "text,label,a|b|c|d\nred,x,1\n", {}, [("red", "x")]),
        ("several.csv", "text,label\na,x; y ;\n", {"several": ";"}, [("a", ["x", "y"])]),
        ("path.jsonl", '{"text": "red", "label": ["x", "y"]}', {}, [("red", ("x", "y"))]),
        ("some.jsonl", '{"text": "a", "label": ["x", "y"]}', {"several": ","}, [("a", ["x", "y"])]),
        ("int.jsonl", '{"text": null, "label": 7}', {}, [("", "7")]),
        ("half.jsonl", '{"text": "a\\ud800", "label": ["\\ud800", "y"]}', {}, [("a?", ("?", "y"))]),
        ("studio.json", json.dumps([studio("taxonomy", [["x", "y"]])]), {}, [("red", ("x", "y"))]),
        ("more.json", json.dumps([studio("choices", ["x", "y"])]), {}, [("red", [("x",), ("y",)])]),
        ("studio.jsonl", json.dumps({"data": {"text": "red"}}), {}, [("red", None)]),
        ("skipped.json", json.dumps([skipped()]), {}, [("red", ("y",))]),
    ],
)  # fmt: skip
def test_labels_and_texts_of_other_files(tmp_path, name, content, options, expected):
    (tmp_path / name).write_text(content)
    assert [row[1:] for row in tables.rows(tmp_path / name, **options)] == expected


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["pets > cats", "pets > dogs", "cars"], " > "),
        (["pets/cats", "pets/dogs/x"], "/"),
        (["a >> b", "a>>c"], ">>"),
        (["I/O", "n/a", "x", "y"], None),
        (["cats", "dogs", ("pets",)], None),
        (["a|b", "c|d"], None),  # no name is shared
        ([], None),
    ],
)
def test_what_stands_between_names(labels, expected):
    assert tables.separator(labels) == expected


# What is learned, and answered


def test_a_model_is_that_of_the_loop(tmp_path, capsys):
    """In three shuffled passes over the rows that are not held out; and it is saved with these."""
    rows = pairs(300)
    file = tmp_path / "titles.csv"
    file.write_text(table([*rows, ("no label", "")], ("title", "category"), ";"))
    run(fit, file, "--text", "title", "--label", "category")
    said = capsys.readouterr().out
    assert "301 rows, 1 of them without a label; 3 labels, which are paths with ' > '" in said
    assert "PathSoftmax learns 270 rows in random order, passes: 3; 30 are held" in said
    assert re.search(r"held out, 30 examples: (9\d|100)\.\d% right", said)
    state = checkpoint.load(tmp_path / "titles.model")
    rng, examples = random.Random(0), [*rows]
    rng.shuffle(examples)
    assert state["held_out"] == examples[:30]
    t = OpenTaxonomy(" > ")
    model = feature_extraction.TextViews() | linear_model.PathSoftmax(t, margin=1.0)
    for k in range(3):
        for x, y in rng.sample(examples[30:], 270):
            if k:
                with learned_before:
                    model.learn_one(x, y)
            else:
                model.learn_one(x, y)
    for x, _ in pairs(20, seed=1):
        assert state["model"].predict_proba_one(x) == model.predict_proba_one(x)

    new = tmp_path / "new.csv"
    new.write_text(table([(x,) for x, _ in pairs(40, seed=2)], ["title"]))
    run(predict, tmp_path / "titles.model", new)
    header, *lines = csv.reader(io.StringIO(capsys.readouterr().out))
    assert header == ["row", "text", "label", "path", "probability"]
    for i, ((x, _), line) in enumerate(zip(pairs(40, seed=2), lines, strict=True), 1):
        ((path, p),) = inspection.top_one(model, x, k=1)
        assert line[:4] == [str(i), x, path[-1], path[-1]]
        assert float(line[4]) >= round(p, 4)
    output = tmp_path / "labels.csv"
    run(predict, tmp_path / "titles.model", new, "--threshold", 0.9, "--output", output)
    with output.open(newline="") as found:
        labels = [row["label"] for row in csv.DictReader(found)]
    assert labels == [model.predict_one(x, threshold=0.9) for x, _ in pairs(40, seed=2)]
    run(predict, tmp_path / "titles.model", new, "--risk", 0.1, "--output", output)
    careful = decision.Selective(model, 0.1)
    careful.calibrate(examples[:30])
    with output.open(newline="") as found:
        labels = [row["label"] for row in csv.DictReader(found)]
    assert labels == [careful.predict_one(x) for x, _ in pairs(40, seed=2)]
    assert set(labels) - {""}
    assert [*tmp_path.glob("*.part")] == []


def test_a_label_of_held_out_rows_that_was_not_learned_is_its_ancestor(tmp_path):
    rows = [(f"fur {i}", f"pets > {i}") for i in range(20)]
    (tmp_path / "a.csv").write_text(table(rows))
    run(fit, tmp_path / "a.csv")
    run(
        predict, tmp_path / "a.model", tmp_path / "a.csv", "--risk", 0.4, "--output", tmp_path / "b"
    )
    held_out = checkpoint.load(tmp_path / "a.model")["held_out"]
    assert [y for _, y in held_out] == ["pets", "pets"]


@pytest.mark.parametrize(
    ("content", "options", "expected", "line"),
    [
        (
            [(x, y.partition(" > ")[2] or y) for x, y in pairs(60)],
            [],
            "names\nPathSoftmax",
            ["cats", "cats"],
        ),
        ([(x, y) for x, y in pairs(60)], ["--separator", ""], "names\n", ["pets > cats"] * 2),
        ([(x, y.replace(" > ", ";")) for x, y in pairs(60)], ["--several", ";"],
         "names\nHLossBayes", ["pets", "pets"]),
        ([(x, *y.split(" > ")) for x, y in pairs(60)], ["--label", "label", "more"],
         "levels\nPathSoftmax", ["pets > cats"] * 2),
    ],
    ids=["flat", "no separator", "several", "levels"],
)  # fmt: skip
def test_kinds_of_labels(tmp_path, capsys, content, options, expected, line):
    file = tmp_path / "a.csv"
    file.write_text(table(content, ("text", "label", "more")))
    run(fit, file, *options)
    said = capsys.readouterr().out
    assert expected in said
    file.write_text(table([("purr milk fur",)], ("text",)))
    run(predict, tmp_path / "a.model", file)
    _, first, *_ = csv.reader(io.StringIO(capsys.readouterr().out))
    assert first[2:4] == line
    assert 0.3 < float(first[4]) <= 1.0


def test_another_model(tmp_path, capsys):
    t = Taxonomy.from_nested({"all": {"pets": ["cats", "dogs"], "cars": None}})
    model = feature_extraction.LogTFIDF() | linear_model.HierarchicalSoftmax(t)
    (tmp_path / "new.pkl").write_bytes(pickle.dumps(model))
    rows = [(x, y.rpartition(" > ")[2]) for x, y in pairs(100)]
    (tmp_path / "a.csv").write_text(table(rows))
    run(fit, tmp_path / "a.csv", "--model", tmp_path / "new.pkl", "--passes", 1)
    assert (
        "HierarchicalSoftmax learns 90 rows in random order, passes: 1;" in capsys.readouterr().out
    )
    (tmp_path / "b.txt").write_text("purr milk\n")
    run(predict, tmp_path / "a.model", tmp_path / "b.txt")
    assert "1,purr milk,cats,pets > cats,1.0000" in capsys.readouterr().out
    run(predict, tmp_path / "new.pkl", tmp_path / "b.txt")  # no file of `fit`


# Ends


class Slow:
    """A pipeline that learns as slowly as a large file."""

    def __init__(self, folder, seconds):
        self.file, self.output = folder / "a.csv", folder / "a.model"
        model = feature_extraction.LogTFIDF() | linear_model.PathSoftmax()
        (folder / "slow.py").write_text(
            "import time\nfrom river_hier import feature_extraction\n"
            "class Slowly(feature_extraction.LogTFIDF):\n"
            f"    def learn_one(self, x):\n        time.sleep({seconds})\n"
            "        super().learn_one(x)\n"
        )
        sys.path.insert(0, str(folder))
        try:
            import slow

            model = slow.Slowly() | linear_model.PathSoftmax()
            (folder / "slow.pkl").write_bytes(pickle.dumps(model))
        finally:
            del sys.path[0], sys.modules["slow"]
        self.file.write_text(table(pairs(200)))
        self.command = [sys.executable, "-m", "river_hier.fit", str(self.file)]
        self.command += ["--model", str(folder / "slow.pkl"), "--separator", ""]
        self.environment = environment()
        self.environment["PYTHONPATH"] += f":{folder}"

    def start(self, *more):
        return subprocess.Popen(
            [*self.command, *more], env=self.environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip


def begun(process):
    assert "200 rows" in process.stdout.readline()
    assert "learns 180 rows" in process.stdout.readline()
    time.sleep(0.3)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of Linux and macOS")
def test_what_was_learned_is_kept_at_ctrl_c_and_nothing_after_a_kill(tmp_path):
    slow = Slow(tmp_path, 0.01)
    process = slow.start()
    begun(process)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    assert not slow.output.exists()
    process = slow.start()
    begun(process)
    process.send_signal(signal.SIGINT)
    said, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    assert "examples:" in said
    (learned,) = re.findall(r"learned in (0\.\d) passes", said)
    sys.path.insert(0, str(tmp_path))
    try:
        model = checkpoint.load(slow.output)["model"]
    finally:
        del sys.path[0], sys.modules["slow"]
    assert model["Slowly"].n == pytest.approx(180 * float(learned), abs=9.1)
    before = slow.output.read_bytes()
    process = slow.start()
    begun(process)
    process.kill()
    process.wait()
    assert slow.output.read_bytes() == before


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of Linux and macOS")
def test_predictions_that_are_killed_or_cut_off_leave_no_half_file(tmp_path):
    (tmp_path / "a.csv").write_text(table(pairs(100)))
    run(fit, tmp_path / "a.csv")
    many = tmp_path / "many.csv"
    many.write_text(table(pairs(30_000)))
    command = [sys.executable, "-m", "river_hier.predict", str(tmp_path / "a.model"), str(many)]
    output = tmp_path / "labels.csv"
    for how, status in ((signal.SIGKILL, -9), (signal.SIGINT, 130)):
        process = subprocess.Popen(
            [*command, "--output", output], env=environment(), stderr=subprocess.PIPE, text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # as at a terminal
        )  # fmt: skip
        until(lambda: [*tmp_path.glob(".labels.csv.*.part")])
        process.send_signal(how)
        _, errors = process.communicate(timeout=PATIENCE)
        assert (process.returncode, output.exists()) == (status, False), errors
        assert "Traceback" not in errors
        parts = [*tmp_path.glob(".labels.csv.*.part")]
        assert len(parts) == (how == signal.SIGKILL)
        for part in parts:
            part.unlink()
    process = subprocess.run(
        f"{' '.join(command)} | head -n 2", shell=True, env=environment(), capture_output=True,
        text=True,
    )  # fmt: skip
    assert len(process.stdout.splitlines()) == 2
    assert process.stderr == ""
    assert subprocess.run([*command, "--output", output], env=environment()).returncode == 0
    assert len(output.read_text().splitlines()) == 30_001


@pytest.mark.slow
def test_a_bar_while_it_learns(tmp_path):
    pytest.importorskip("tqdm")
    _, errors = Slow(tmp_path, 0.02).start("--passes", "1").communicate(timeout=PATIENCE)
    assert re.search(r"pass 1 of 1: +\d\d%", errors)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="it has no sh")
def test_the_commands_of_the_page(tmp_path):
    (tmp_path / "titles.csv").write_text(table(pairs(60), ("title", "category")))
    (tmp_path / "new.csv").write_text(table([("purr milk fur",)], ("title",)))
    _, printed, _ = run_commands_of("files.md", "8080", tmp_path)
    assert "60 rows, 0 of them without a label; 3 labels" in printed[0]
    assert "1,purr milk fur,pets > cats,pets > cats,1.0000" in (tmp_path / "labels.csv").read_text()


# Mistakes


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    written = {
        "good.csv": table(pairs(40)),
        "empty.csv": "",
        "blank.csv": "\n\n",
        "header.csv": "text,label\n",
        "one.csv": table([("red", "a")] * 30),
        "none.csv": table([("red", "")] * 30),
        "title.csv": table(pairs(40), ("title", "category")),
        "long.csv": "text,label\nred, blue,a\n",
        "twice.csv": "text,label,text\nred,a,b\n",
        "open.csv": 'text,label\nred,a\n"blue,b\ngreen,c\n',
        "gap.csv": table([("red", "a > b"), ("blue", "a > > c"), ("green", "a > d")]),
        "bad.jsonl": '{"text": "red", "label": "a"}\n{"text": "blue"\n',
        "list.jsonl": '["red", "a"]\n',
        "number.jsonl": '{"text": 3, "label": "a"}\n',
        "object.jsonl": '{"text": "red", "label": {"a": 1}}\n',
        "bad.json": "[1, 2",
        "several.csv": table([("red", "a;b"), ("blue", "c")]),
        "page.html": "<!doctype html>\n<html><p>red</html>\n",
        "cyrillic.csv": table([("красный", "да"), ("синий", "нет")]).encode("cp1251"),
        "image.csv": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\xff\xfe\x01\x02",
        "bare.csv": table(pairs(40)).encode("utf-16-le"),
        "cut.csv.gz": gzip.compress(table(pairs(400)).encode())[:900],
        "cut.parquet": b"PAR1 and no more",
        "sheet.xlsx": b"",
        "not.pkl": "text,label\n",
        "dict.pkl": pickle.dumps({"a": 1}),
        "plain.pkl": pickle.dumps(linear_model.PathSoftmax()),
        "missing.pkl": b"cnowhere\nThing\n.",
        "trained.pkl": pickle.dumps(
            feature_extraction.LogTFIDF() | linear_model.PathSoftmax(Taxonomy([("r", "a")]))
        ),
    }
    for name, content in written.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with zipfile.ZipFile(folder / "sheet.xlsx", "w") as archive:
        archive.writestr("xl/sheet1.xml", "<x/>")
        archive.writestr("xl/styles.xml", "<x/>")
    run(fit, folder / "good.csv", "--output", folder / "good.model")
    (folder / "cut.model").write_bytes((folder / "good.model").read_bytes()[:-9])
    return folder


MISTAKES = [
    ("fit", "", "the following arguments are required: file"),
    ("fit", "nowhere.csv", "nowhere.csv: No such file"),
    ("fit", ".", "is a folder, not a file"),
    ("fit", "empty.csv", "empty.csv is empty"),
    ("fit", "blank.csv", "blank.csv is empty"),
    ("fit", "header.csv", "its rows, 0, have no label"),
    ("fit", "one.csv", "its rows, 30, have only the label 'a'"),
    ("fit", "none.csv", "its rows, 30, have no label; name their column by --label"),
    ("fit", "title.csv", "there is no column 'text', only title, category; use --text"),
    ("fit", "title.csv --text title", "its rows, 40, have no label; name their column by --label"),
    ("fit", "title.csv --text title --label labels", "there is no column 'labels', only title"),
    ("fit", "title.csv --text titel", "use --text; did you mean 'title'?"),
    ("fit", "header.csv --label label", "header.csv: there are no rows, only a header"),
    ("fit", "long.csv", "row 1 has more than 2 fields"),
    ("fit", "twice.csv", "there are several columns 'text': rename"),
    ("fit", "open.csv", "row 2 has no 'label', but several lines: close its quote"),
    ("fit", "gap.csv", "row 2: "),
    ("fit", "bad.jsonl", "row 2 is not JSON: Expecting"),
    ("fit", "list.jsonl", "row 1 has no text: ['red', 'a']"),
    ("fit", "number.jsonl", "row 1 has no text 'text'"),
    ("fit", "object.jsonl", "row 1: {'a': 1} is no label"),
    ("fit", "bad.json", "bad.json: Expecting"),
    ("fit", "page.html", "its rows, 1, have no label"),
    ("fit", "cyrillic.csv", "is in none of UTF-8, UTF-16 and Latin-1"),
    ("fit", "good.csv --encoding utf-99", "unknown encoding: utf-99"),
    ("fit", "image.csv", "is a binary file"),
    ("fit", "bare.csv", "is a binary file; save a spreadsheet as CSV, name the --encoding"),
    ("fit", "cut.csv.gz", "cut.csv.gz: Compressed file ended"),
    ("fit", "cut.parquet", "cut.parquet: "),
    ("fit", "sheet.xlsx", "is a binary file; save a spreadsheet as CSV"),
    ("fit", "good.csv --passes 0", "--passes must be at least 1"),
    ("fit", "good.csv --passes x", "argument --passes: invalid int value"),
    ("fit", "good.csv --several ;; --label a b", "--several is what stands between labels"),
    ("fit", "good.csv --separator a", "`separator` must stand between"),
    ("fit", "good.csv --separator /", "'/' is in no label, e.g. 'pets > dogs'; --separator ''?"),
    ("fit", "good.csv --lable x", "unrecognized arguments: --lable x"),
    ("fit", "good.csv --output nowhere/a.model", "cannot be written"),
    ("fit", "good.csv --output .", "cannot be written"),
    ("fit", "good.csv --output good.csv", "would be replaced"),
    ("fit", "good.csv --model nowhere.pkl", "No such file"),
    ("fit", "good.csv --model not.pkl", "this is neither a file of `fit` nor a pickle"),
    ("fit", "good.csv --model dict.pkl", "this is no model in a taxonomy"),
    ("fit", "good.csv --model missing.pkl", "this is no model in a taxonomy: No module named"),
    ("fit", "good.csv --model plain.pkl", "row 1: "),
    ("fit", "good.csv --model trained.pkl", "row 1: "),
    ("fit", "several.csv --several ; --model trained.pkl", "row 1 has several labels, and Path"),
    ("predict", "good.model", "the following arguments are required: file"),
    ("predict", "nowhere.model good.csv", "No such file"),
    ("predict", "good.csv good.model", "good.csv: this is neither a file of `fit` nor a"),
    ("predict", "cut.model good.csv", "cut short or damaged"),
    ("predict", "plain.pkl good.csv", "good.csv: x must be"),
    ("predict", "good.model title.csv", "there is no column 'text'"),
    ("predict", "good.model title.csv --text words", "there is no column 'words'"),
    ("predict", "good.model empty.csv", "empty.csv is empty"),
    ("predict", "good.model good.csv --threshold 2", "expected a number between 0 and 1"),
    ("predict", "good.model good.csv --risk 0", "expected a number between 0 and 1, got '0'"),
    ("predict", "good.model good.csv --risk 0.01", "4 held-out rows are too few for a risk"),
    ("predict", "good.model good.csv --risk 0.3 --threshold 0.3", "name one of both"),
    ("predict", "good.model good.csv --output good.csv", "would be replaced"),
    ("predict", "good.model good.csv --output nowhere/x", "cannot be written"),
    ("label", "nowhere.csv", "No such file"),
    ("label", "good.csv --label category", "there is no column 'category', only text, label"),
    ("label", "several.csv --text words", "there is no column 'words'"),
    ("label", "title.csv --text title --taxonomy nowhere.json", "No such file"),
    ("label", "good.csv --export nowhere/x.json", "there is no such folder"),
    ("label", "good.csv --port x", "argument --port: invalid int value"),
]  # fmt: skip


@pytest.mark.parametrize(("program", "line", "said"), MISTAKES, ids=lambda text: text)
def test_a_mistake_at_the_command_line_is_answered_by_a_sentence(
    monkeypatch, capsys, folder, program, line, said
):
    before = {path: path.read_bytes() for path in folder.iterdir()}
    monkeypatch.chdir(folder)
    module = pytest.importorskip("river_hier." + program.replace("label", "label.desk"))
    with pytest.raises(SystemExit) as ended:
        run(module, *line.split())
    assert ended.value.code == 2
    out, err = capsys.readouterr()
    assert not out or program != "predict", "a file that it is redirected to has nothing new"
    *_, last = errors = err.splitlines()
    assert last.startswith(f"python -m river_hier.{program}: ")
    assert said in last
    assert len(errors) == 1
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_what_a_table_looks_like_is_said(tmp_path, capsys):
    """Rows without a text, and a column of numbers in place of labels."""
    rows = [f"{'' if i % 10 == 0 else 'red'},{i % 2},{i}" for i in range(40)]
    (tmp_path / "rows.csv").write_text("\n".join(["text,label,price", *rows]))
    run(fit, str(tmp_path / "rows.csv"))
    said, warned = capsys.readouterr()
    assert "40 rows, 0 of them without a label, 4 without a text; 2 labels" in said
    assert "labels for" not in warned
    run(fit, str(tmp_path / "rows.csv"), "--label", "price")
    assert "40 labels for 40 rows: are they in the column price?" in capsys.readouterr().err


def test_tasks_of_label_studio_without_answers(tmp_path, capsys):
    empty = [{"annotations": None}, {"annotations": [{}]}, {"annotations": [{"result": None}]}]
    tasks = [{"data": {"text": "red", "label": "a"}, **task} for task in empty]
    value = {"taxonomy": [["a"]]}
    tasks += [{"data": {"text": "x"}, "annotations": [{"result": [{"value": value}]}]}]
    tasks += [{"data": {"text": "x"}, "annotations": [{"result": [{"value": {"choices": ["b"]}}]}]}]
    (tmp_path / "tasks.json").write_text(json.dumps(tasks))
    run(fit, str(tmp_path / "tasks.json"))
    assert "5 rows, 3 of them without a label" in capsys.readouterr().out


def test_what_is_learned_is_written_though_nobody_reads_the_report(tmp_path):
    rows = [f"red {i},{'ab'[i % 2]}" for i in range(3000)]
    (tmp_path / "rows.csv").write_text("\n".join(["text,label", *rows]))
    program = [sys.executable, "-P", "-m", "river_hier.fit", str(tmp_path / "rows.csv")]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(60) == 0
    assert checkpoint.load(tmp_path / "rows.model")["model"].predict_one("red 1") in "ab"
