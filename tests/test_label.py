"""The desk to label at: what it asks, what it keeps, what it refuses, and its page in a browser."""

import csv
import http.client
import json
import os
import random
import re
import signal
import sys
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from river_hier import OpenTaxonomy, checkpoint, feature_extraction, fit, linear_model, tables
from support.http_service import Client
from support.processes import free_port, start_program, until
from support.requirements import require_module, require_program

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it locks the file")
require_module("starlette", "serving")
require_module("uvicorn", "serving")
from starlette.exceptions import HTTPException  # noqa: E402

from river_hier.label import desk as desks  # noqa: E402

HOSTILE = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"
ODD = HOSTILE, "\ud800", "x" * 50_000, " ", "red"
WORDS = {"pets/cats": "purr fur milk", "pets/dogs": "bark fur bone", "cars": "wheel motor road"}


def texts(n, seed=0):
    """Texts and their labels."""
    rng, found = random.Random(seed), []
    for i in range(n):
        label = rng.choice([*WORDS])
        found.append((f"{i}: {' '.join(rng.choices(WORDS[label].split(), k=4))}", label))
    return found


def written(path, pairs, header=("text", "label")):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *pairs])
    return path


def desk_of(path, **given):
    return desks.Desk(path, **{"text": None, "label": None, **given})


class Process:
    """A desk that is open, on the same port after each start."""

    def __init__(self, file, *options):
        self.file, self.port, self.process = file, free_port(), None
        self.options = options

    def __enter__(self):
        printed = self.file.with_name("printed")
        printed.write_text("")
        arguments = [self.file, "--port", self.port, *self.options]
        self.process = start_program("river_hier.label", arguments, printed)
        until(lambda: "until Ctrl-C" in printed.read_text(), printed.read_text)
        self.port = int(re.search(r":(\d+)/ until Ctrl-C", printed.read_text())[1])
        until(self.answers)
        return Client(self.port)

    def __exit__(self, *error):
        self.end(signal.SIGKILL)

    def answers(self):
        try:
            return Client(self.port).json("/question")
        except OSError:
            assert self.process.is_alive()
            return False

    def end(self, how):
        if self.process.is_alive():
            os.kill(self.process.pid, how)
        self.process.join()


def test_a_review_begins_with_the_label_that_is_most_likely_wrong(tmp_path):
    pairs = texts(400)
    wrong = {7: "cars" if pairs[7][1] != "cars" else "pets/cats"}
    known = [(text, wrong.get(row, label)) for row, (text, label) in enumerate(pairs)]
    file = written(tmp_path / "pets.csv", [*known, ("a text without a label", "")])
    desk = desk_of(file, review=True)
    question = desk.question()
    assert question["row"] == 7
    assert question["left"] == 400
    assert question["given"] == question["guesses"][0][0] == wrong[7]
    assert question["guesses"][1][0] == pairs[7][1]  # the one that is proposed
    after = desk.answer(7, pairs[7][1])
    kept = after["row"]
    assert after["right"] == [[0, 0], [0, 0]]  # the first guess is no guess
    before = desk.model.predict_proba_one(pairs[kept][0])
    desk.answer(kept, known[kept][1])
    assert desk.model.predict_proba_one(pairs[kept][0]) == before  # it was learned at the start
    assert desk.undo()["row"] == kept
    assert desk.question()["left"] == 399
    desk.save()
    with (tmp_path / "pets.csv.reviewed.csv").open(newline="") as rows:
        assert list(csv.reader(rows))[1:] == [["8", pairs[7][0], pairs[7][1]]]
    os.close(desk.lock)
    again = desk_of(file, review=True)
    assert [entry["row"] for entry in again.answers] == [7]
    os.close(again.lock)
    with pytest.raises(ValueError, match="no row has a label to review"):
        desk_of(written(tmp_path / "none.csv", [("red", "")]), review=True)


TREE = {"all": {"pets": ["cat food", "dog_toys"], "cars": {"spareWheels": None}}}
EDGES = [("all", "pets"), ("all", "cars"), ("cars", "spareWheels")]
EDGES += [("pets", "cat food"), ("pets", "dog_toys")]
CATEGORIES = ["cars", "cars/spareWheels", "pets", "pets/cat food", "pets/dog_toys"]


@pytest.mark.parametrize(
    ("name", "written_as"),
    {
        "tree.json": json.dumps(TREE),
        "top.json": json.dumps(TREE["all"]),
        "edges.json": json.dumps(EDGES),
        "edges.csv": "parent,child\nall,pets\nall,cars\npets,cat food\npets,dog_toys\n"
        "cars,spareWheels\n",
        "paths.csv": "path,n\npets/cat food,2\npets / dog_toys,1\n\ncars/spareWheels,7\n",
    }.items(),
)
def test_a_desk_that_has_a_taxonomy_guesses_before_the_first_answer(tmp_path, name, written_as):
    tree = tmp_path / name
    tree.write_text(written_as)
    rows = [("food for my cat", ""), ("toys for dogs", ""), ("a spare wheel", "")]
    desk = desk_of(written(tmp_path / "pets.csv", rows), categories=tree)
    assert desk.categories()["categories"] == CATEGORIES
    expected = ["pets/cat food", "pets/dog_toys", "cars/spareWheels"]
    guesses = [[label for label, _ in desk._ask(row, False)["guesses"]] for row in range(3)]
    assert [first for first, *_ in guesses] == expected
    assert all(len(five) == 5 for five in guesses)
    row = desk.question()["row"]
    desk.answer(row, "boats/sails")
    assert "boats/sails" in desk.categories()["categories"]
    desk.undo()
    assert desk.categories()["categories"] == CATEGORIES


@pytest.mark.parametrize(
    ("name", "written_as", "message"),
    [
        ("tree.json", "{", "Expecting property name"),
        ("tree.json", '{"a/b": {"c": null}, "d": null}', "not a name without '/'"),
        ("tree.json", '["a"]', "not enough values"),
        ("tree.csv", "", "list index out of range"),
        ("tree.csv", "parent,child\na,c\nb,c\nr,a\nr,b\n", "parents"),
    ],
)
def test_a_taxonomy_that_cannot_be_read(tmp_path, name, written_as, message):
    (tmp_path / name).write_text(written_as)
    file = written(tmp_path / "pets.csv", [("a", "")])
    with pytest.raises(ValueError, match=message):
        desk_of(file, categories=tmp_path / name)


@pytest.mark.slow(but=1)
def test_answers_are_kept_whatever_is_killed(tmp_path):
    """Against a list of answers, and a pipeline that has learned from them."""
    pairs = texts(60)
    known = [(text, label if i < 5 else "") for i, (text, label) in enumerate(pairs)]
    process, rng = Process(written(tmp_path / "pets.csv", known)), random.Random(1)
    answers, undone = [], 0
    for _ in range(3):
        with process as client:
            for _ in range(12):
                question = client.json("/question")
                assert question["labelled"] == sum(label is not None for _, label in answers)
                assert question["left"] == 55 - len(answers)
                row = question["row"]
                assert row >= 5
                assert row not in {row for row, _ in answers}
                if rng.random() < 0.25 and answers:
                    assert client.json("/undo", {})["row"] == answers.pop()[0]
                    undone += 1
                else:
                    label = rng.choice([None, pairs[row][1], pairs[row][1], f"pets/new {row % 3}"])
                    client.json("/answer", {"row": row, "label": label})
                    answers.append((row, label))
    assert undone > 3
    with process:
        process.end(signal.SIGTERM)
    with (tmp_path / "pets.csv.labels.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["row", "text", "label"]
    kept = [(row, label) for row, label in answers if label is not None]
    assert rows == [[str(row + 1), pairs[row][0], label] for row, label in sorted(kept)]
    words = feature_extraction.TextViews()
    for text, _ in pairs:
        words.learn_one(text)
    model = words | linear_model.PathSoftmax(OpenTaxonomy("/"), margin=1.0)
    for text, label in [*pairs[:5], *((pairs[row][0], label) for row, label in kept)]:
        model.learn_one(text, label)
    found = checkpoint.load(tmp_path / "pets.csv.model")
    for text, _ in pairs:
        assert found.predict_proba_one(text) == model.predict_proba_one(text)


def test_it_asks_where_it_doubts_and_measures_itself_at_random(tmp_path):
    pairs = texts(200)
    desk = desk_of(written(tmp_path / "pets.csv", [(text, "") for text, _ in pairs]))
    right = {True: [], False: []}
    for i in range(80):
        asked = desk.question()
        assert asked["random"] == (i % 4 == 3)
        names = [name for name, _ in asked["guesses"]]
        if not asked["random"] and i:
            least = min(desk._ask(row, False)["margin"] for row in desk.left)
            assert asked["margin"] == pytest.approx(least)
        latest = [right[kind][-50:] for kind in (True, False)]
        assert asked["right"] == [[sum(some), len(some)] for some in latest]
        label = pairs[asked["row"]][1]
        right[asked["random"]].append(names[:1] == [label])
        desk.answer(asked["row"], label)
    assert sum(right[True][-10:]) >= 8


@pytest.mark.slow
def test_a_million_texts(tmp_path):
    n = 1_000_000
    desk = desk_of(written(tmp_path / "many.csv", [(f"text {i}", "") for i in range(n)]))
    start = time.process_time()
    for label in ("a", "b", "c"):
        desk.answer(desk.question()["row"], label)
    desk.undo()
    assert time.process_time() - start < 5.0
    assert desk.question()["left"] == n - 2


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", b"a,b\nred,7\n", "there is no column 'text', only a, b; use --text"),
        ("a.csv", b"text,label\nred,a//b\n", "row 1: .*has no name at level 2"),
        ("a.csv", b"text\n\xff\xff\xff\n", "in none of UTF-8, UTF-16 and Latin-1"),
        ("a.jsonl", b'{"text": 3}\n', "row 1 has no text"),
        ("a.jsonl", b'{"text": "red", "label": {"a": "b"}}\n', "row 1: {'a': 'b'} is no label"),
        ("a.jsonl", b'{"text": "red", "label": [["a"], ["b"]]}\n', "row 1: one label was expected"),
        ("a.jsonl", b"[]\n", "row 1 has no text"),
        ("a.jsonl", b"red\n", "Expecting value"),
    ],
)
def test_files_that_are_refused(tmp_path, name, content, said):
    (tmp_path / name).write_bytes(content)
    with pytest.raises((TypeError, ValueError), match=said):
        desk_of(tmp_path / name)


def test_another_desk_and_another_text_are_refused(tmp_path):
    file = written(tmp_path / "pets.csv", texts(3), header=("text", "was"))
    with Process(file) as client:
        client.json("/answer", {"row": client.json("/question")["row"], "label": "cars"})
        with pytest.raises(BlockingIOError):
            desk_of(file)
    written(file, [("changed", "")] * 3)
    with pytest.raises(ValueError, match="another text was in row"):
        desk_of(file)


def labelled(file):
    """How many texts are labelled, after a further answer."""
    desk = desk_of(file)
    desk.answer(desk.question()["row"], "cars")
    desk.save()
    desk.journal._db.close()
    os.close(desk.lock)
    return len(desk.answers)


def test_files_of_one_stem_have_journals_of_their_own(tmp_path):
    table = written(tmp_path / "pets.csv", [(text, "") for text, _ in texts(3)])
    lines = tmp_path / "pets.jsonl"
    lines.write_text('{"text": "red"}\n{"text": "blue"}\n{"text": "bus", "label": ["cars", "big"]}')
    assert [labelled(file) for file in (table, lines, table, lines)] == [1, 1, 2, 2]
    assert len([*tmp_path.glob("pets.*.model"), *tmp_path.glob("pets.*.labels.csv")]) == 4
    (tmp_path / "pets.csv.journal").rename(tmp_path / "pets.journal")  # as it was called before
    assert labelled(table) == 3


def test_a_free_port_is_printed(tmp_path):
    process = Process(written(tmp_path / "pets.csv", [("red", "")]))
    process.port = 0
    with process as client:
        assert client.json("/question")["left"] == 1


def test_any_text_can_be_shown(tmp_path):
    file = tmp_path / "texts.jsonl"
    file.write_text("".join(json.dumps({"text": text}) + "\n" for text in ODD))
    desk, shown = desk_of(file), []
    while (question := desk.question())["left"]:
        shown.append(json.dumps(question, ensure_ascii=False).encode())
        desk.answer(question["row"], None)
    assert len(shown) == 4
    assert question["row"] is None
    with pytest.raises(HTTPException):
        desk.answer(None, "cars")


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    file = tmp_path_factory.mktemp("desk") / "texts.jsonl"
    file.write_text("".join(json.dumps({"text": text}) + "\n" for text in ODD))
    process = Process(file)
    with process as client:
        client.process = process
        yield client


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1.evil.example"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
@pytest.mark.parametrize("path", ["/", "/question", "/answer"])
def test_other_sites_are_refused(client, headers, path):
    connection = http.client.HTTPConnection("127.0.0.1", client.process.port)
    connection.request("GET", path, headers=headers)
    assert connection.getresponse().status == 403


@pytest.mark.parametrize(
    ("message", "status"),
    [
        ({"row": 10**9, "label": "a"}, 409),
        ({"row": None, "label": "a"}, 409),
        ({"row": 0}, 422),
        ({"label": ""}, 422),
        ({"label": "/"}, 422),
        ({"label": "a//b"}, 422),
        ({"label": 7}, 422),
        ({"label": {"a": 1}}, 422),
        ({"label": ["a", "b/c"]}, 422),
        ({"label": "\ud800"}, 422),
        ({"label": "x" * 501}, 422),
        ({"label": "x" * 2**20}, 413),
    ],
)
def test_answers_that_are_refused_change_nothing(client, message, status):
    before = client.json("/question")
    given = message if "row" in message else {"row": before["row"], **message}
    assert client.send("/answer", given)[0] == status
    assert client.send("/answer", b"row=0&label=a", "application/x-www-form-urlencoded")[0] == 415
    assert client.json("/question") == before
    assert len(before["text"]) <= 10_000
    assert before["left"] == 4


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        """Not into the tests' output."""


def correct(window, answer):
    """Click an answer, and wait until its text is shown: a key before would be lost."""
    shown = window.locator("#text").text_content()
    window.locator("#answers button", has_text=answer).first.click()
    changed = "before => document.querySelector('#text').textContent !== before"
    window.wait_for_function(changed, arg=shown)


@pytest.mark.slow
def test_in_a_browser(tmp_path):
    playwright = require_module("playwright.sync_api", "docs")
    chromium = require_program("chromium", "chromium-browser", "google-chrome")
    pairs = [(f"{HOSTILE} {text}", "") for text, _ in texts(30)]
    process, wrong = Process(written(tmp_path / "pets.csv", pairs)), []
    with playwright.sync_playwright() as started:
        chrome = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        window = chrome.new_page(viewport={"width": 390, "height": 844})
        window.on("pageerror", lambda error: wrong.append(str(error)))
        window.on("console", lambda message: wrong.append(message.text))
        address = f"http://127.0.0.1:{process.port}/"
        window.on("request", lambda one: one.url.startswith(address) or wrong.append(one.url))

        def counts(labelled, left):
            said = f"{labelled} labelled, {left} left"
            window.get_by_text(said).wait_for()
            assert window.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert window.evaluate("window.hacked === undefined")

        with process:
            window.goto(address)
            counts(0, 30)
            assert HOSTILE in window.locator("#text").text_content()
            window.keyboard.type("pets/<b>cats")
            window.keyboard.press("Enter")  # a new category
            counts(1, 29)
            assert window.locator("#tree button").all_text_contents() == ["pets", "<b>cats"]
            window.keyboard.type("cars")
            window.keyboard.press("Enter")
            counts(2, 28)
            window.keyboard.press("1")
            counts(3, 27)
            window.locator("#tree button", has_text="cars").click()
            counts(4, 26)
            window.get_by_text("Last answer: cars").wait_for()
            window.keyboard.type("CAT")  # finds pets/<b>cats; the new category is above it
            assert window.locator("#tree .at").text_content() == "pets/<b>cats"
            window.keyboard.press("ArrowUp")
            assert window.locator("#tree .at").text_content() == "New: CAT"
            window.keyboard.press("Escape")  # what was typed
            window.keyboard.press("Escape")  # the text
            counts(4, 25)
            window.get_by_text("Last answer: skipped").wait_for()
            window.keyboard.press("Control+z")
            counts(4, 26)
            shown = window.locator("#text").text_content()
            window.keyboard.press("Control+z")
            counts(3, 27)
            assert window.locator("#text").text_content() != shown
        window.keyboard.press("1")
        window.get_by_text("The desk is closed").wait_for()
        wrong.clear()  # the connection was refused
        with process:
            window.reload()
            counts(3, 27)
            window.locator("#guesses button").first.click()
            counts(4, 26)
            window.get_by_text("Answers to correct").click()
            correct(window, "pets/<b>cats")
            window.keyboard.type("boats")
            window.keyboard.press("Enter")
            window.get_by_text("Last answer: boats").wait_for()
            window.locator("#answers button", has_text="boats").wait_for()
            window.locator("#tree button", has_text="boats").wait_for()
            counts(4, 26)
            (tmp_path / "index.html").write_text(f"<iframe src='{address}'></iframe>")
            handler = partial(Quiet, directory=tmp_path)
            with ThreadingHTTPServer(("127.0.0.1", 0), handler) as other:
                Thread(target=other.serve_forever, daemon=True).start()
                site = chrome.new_page()
                site.goto(f"http://localhost:{other.server_port}/")
                assert site.frames[1].content().count("another site") == 1
                other.shutdown()
            window.set_viewport_size({"width": 1300, "height": 900})
            counts(4, 26)
        chrome.close()
    assert not wrong


def test_categories_are_edited_and_the_edit_is_taken_back(tmp_path):
    file = written(tmp_path / "texts.csv", [(text, "") for text, _ in texts(40)])
    desk = desk_of(file)
    truth = dict(texts(40))
    for _ in range(20):
        question = desk.question()
        desk.answer(question["row"], truth[desk.texts[question["row"]]])
    before, categories = desk.question(), desk.categories()["categories"]
    assert {"pets/cats", "pets/dogs", "cars"} <= {*categories}
    asked = desk.asked["row"]
    for category, to, now in (
        ("pets/cats", "pets/felines", ["cars", "pets", "pets/dogs", "pets/felines"]),
        ("pets/dogs", "animals/dogs", None),
        ("pets/dogs", "dogs", ["cars", "dogs", "pets", "pets/felines"]),
        ("cars", "dogs", ["dogs", "pets", "pets/felines"]),
        ("pets/felines", "", ["dogs", "pets"]),
    ):
        if now is None:
            with pytest.raises((LookupError, ValueError), match="animals"):
                desk.edit(category, to)
            continue
        desk.edit(category, to)
        assert desk.categories()["categories"] == now
        assert desk.asked["row"] == asked
    again = desk_of_another_process(desk, file)
    assert again.categories()["categories"] == ["dogs", "pets"]
    again.save()
    with again._beside("labels.csv").open() as lines:
        assert {row["label"] for row in csv.DictReader(lines)} == {"dogs", "pets"}
    for _ in range(4):
        last = again.undo()
    assert again.categories()["categories"] == categories
    assert last["labelled"] == before["labelled"]


def test_an_answer_is_corrected_and_the_correction_is_taken_back(tmp_path, monkeypatch):
    """With a model that is kept after every third answer, against one that learns all of them."""
    monkeypatch.setattr(desks, "KEPT", 3)
    pairs, file = texts(40), tmp_path / "texts.csv"
    desk = desk_of(written(file, [(text, "") for text, _ in pairs]))
    with pytest.raises(HTTPException, match="has no answer"):
        desk.again(5)
    for _ in range(7):
        row = desk.question()["row"]
        desk.answer(row, pairs[row][1])
    first, labels = desk.answers[0]["row"], [entry["label"] for entry in desk.answers]
    assert [row for row, _, _ in desk.latest()["answers"]][-1] == first
    question = desk.again(first)
    assert (question["row"], question["left"], question["random"]) == (first, 33, None)
    after = desk.answer(first, "boats")
    assert (after["labelled"], after["left"]) == (7, 33)
    assert desk.latest()["answers"][-1] == (first, pairs[first][0], "boats")
    desk.save()
    with desk._beside("labels.csv").open() as lines:
        kept = {int(line["row"]) - 1: line["label"] for line in csv.DictReader(lines)}
    assert kept == {e["row"]: e["label"] for e in desk.answers[1:7]} | {first: "boats"}
    for n in range(7, 1, -1):
        taken = desk.undo()
        assert taken["left"] == 40 - n
        assert [entry["label"] for entry in desk.answers] == labels[:n]
        model = checkpoint.loads(desk.start[1])
        for entry in desk.answers:
            model.learn_one(entry["text"], entry["label"])
        for text, _ in pairs:
            assert desk.model.predict_proba_one(text) == model.predict_proba_one(text)
    again = desk_of_another_process(desk, file)
    assert [entry["label"] for entry in again.answers] == labels[:2]


def test_categories_are_sent_when_there_are_others(tmp_path):
    desk = desk_of(written(tmp_path / "texts.csv", [(text, "") for text, _ in texts(9)]))
    known = {}
    for label in ("cars", "cars", "cars/vans", None, "cars"):
        question = desk.answer(desk.question()["row"], label)
        assert "categories" not in question
        categories = desk.categories()["categories"]
        assert known.setdefault(tuple(question["edition"]), categories) == categories
    assert len(known) == 2
    for change in (lambda: desk.edit("cars/vans", "vans"), desk.undo, desk.undo):
        question = desk.question()
        before, after = question["edition"], change()["edition"]
        assert before != after


def test_label_studio_gives_tasks_and_takes_answers(tmp_path):
    result = {"from_name": "c", "to_name": "text", "type": "taxonomy"}
    result["value"] = {"taxonomy": [["pets", "cats"]]}
    tasks = [{"data": {"text": "red fur"}, "annotations": [{"result": [result]}]}]
    tasks += [{"data": {"text": "blue"}, "annotations": []}]
    file, export = tmp_path / "tasks.json", tmp_path / "answers.json"
    file.write_text(json.dumps(tasks))
    desk = desk_of(file, export=export)
    assert desk.categories()["categories"] == ["pets", "pets/cats"]
    assert desk.question()["left"] == 1
    desk.answer(1, "pets/dogs")
    desk.save()
    (task,) = json.loads(export.read_text())
    assert task["data"] == {"text": "blue"}
    assert task["annotations"][0]["result"][0]["value"] == {"taxonomy": [["pets", "dogs"]]}
    assert [row[1:] for row in tables.rows(export)] == [("blue", ("pets", "dogs"))]


SETS = (
    ["pets/cats"],
    ["cars", "pets/dogs"],
    ["cars", "pets/cats", "pets/dogs"],
    ["boats/sails", "boats"],
)


def of_words(labels):
    return " ".join(word for label in labels for word in WORDS.get(label, "wind").split())


def leaves(model, text):
    """The probabilities of the leaves."""
    proba = model.predict_proba_one(text)
    return {v: p[True] for v, p in proba.items() if not any(w.startswith(f"{v}/") for w in proba)}


def doubt(leaves):
    """How near the probability of one of the five likeliest is to a half."""
    return min((abs(p - 0.5) for p in sorted(leaves.values())[:-6:-1]), default=0.0)


def test_texts_with_several_labels(tmp_path, monkeypatch):
    """Answers, corrections, undoing and other processes, against a list and a model of it."""
    monkeypatch.setattr(desks, "KEPT", 7)
    rng = random.Random(2)
    pairs = [(f"{row} {of_words(y)}", y) for row, y in enumerate(rng.choices(SETS[:3], k=60))]
    known = [(text, "; ".join(y) if row < 5 else "") for row, (text, y) in enumerate(pairs)]
    given = {"several": ";", "export": tmp_path / "tasks.json"}
    desk = desk_of(written(tmp_path / "texts.csv", known), **given)
    answers = []  # row, labels, whether it was by chance, whether the guess was right
    is_new = True
    for step in range(60):
        if step % 20 == 19:
            os.close(desk.lock)
            desk = desk_of(tmp_path / "texts.csv", **given)
        question = desk.question()
        latest = {row: answer for row, *answer in answers}
        labelled = [answer for answer in latest.values() if answer[0]]
        assert (question["labelled"], question["left"]) == (len(labelled), 55 - len(latest))
        for random_ones, (right, n) in zip((True, False), question["right"], strict=True):
            guesses = [right for _, by_chance, right in labelled if by_chance is random_ones]
            assert (right, n) == (sum(guesses), len(guesses))
        text = desk.texts[question["row"]]
        likeliest = leaves(desk.model, text)
        assert dict(question["guesses"]).items() <= likeliest.items()
        assert [p for _, p in question["guesses"]] == sorted(likeliest.values())[:-6:-1]
        if question["random"] is False and is_new:
            doubts = [doubt(leaves(desk.model, desk.texts[row])) for row in desk.left]
            assert doubt(likeliest) == min(doubts)
        on = {v for v, is_on in desk.model.predict_one(text).items() if is_on}
        assert question["guess"] == sorted(v for v in on if not any(f"{v}/" in w for w in on))
        kind = rng.random()
        is_new = kind >= 0.2
        if kind < 0.2 and answers:
            assert desk.undo()["row"] == answers.pop()[0]
            continue
        if kind < 0.35 and answers:
            question = desk.again(rng.choice(answers)[0])
            assert question["guess"] == latest[question["row"]][0] or not latest[question["row"]][0]
        row = question["row"]
        labels = rng.choice([None, SETS[3], *[pairs[row][1]] * 6])
        desk.answer(row, labels and rng.sample(labels, len(labels)))
        labels = labels and [v for v in labels if v != "boats"]  # which its subcategory implies
        answers.append((row, labels, question["random"], question["guess"] == labels))
    assert any(right for *_, right in answers)
    model = fit.model_for([], True, False, "/")
    for text, _ in pairs:
        model["TextViews"].learn_one(text)
    for row, labels in [*enumerate(y for _, y in pairs[:5]), *(answer[:2] for answer in answers)]:
        if labels:
            model.learn_one(pairs[row][0], labels)
    desk.save()
    saved = checkpoint.load(tmp_path / "texts.csv.model")
    for text, _ in pairs:
        assert saved.predict_proba_one(text) == model.predict_proba_one(text)
    kept = {row: labels for row, labels, *_ in answers}
    kept = [(pairs[row][0], labels) for row, labels in sorted(kept.items()) if labels]
    table = tables.rows(tmp_path / "texts.csv.labels.csv", several=";")
    assert [row[1:] for row in table] == kept
    tasks = [(text, [tuple(y.split("/")) for y in labels]) for text, labels in kept]
    assert [row[1:] for row in tables.rows(given["export"], several=";")] == tasks


def test_several_labels_to_correct_are_those_that_were_given(tmp_path):
    desk = desk_of(written(tmp_path / "texts.csv", [("fur", "")] * 9), several=",")
    first = desk.question()["row"]
    desk.answer(first, ["cats"])
    for _ in range(7):
        question = desk.answer(desk.question()["row"], ["dogs"])
    assert question["guess"] == ["dogs"]
    assert desk.again(first)["guess"] == ["cats"]


def test_several_labels_are_edited(tmp_path):
    desk = desk_of(written(tmp_path / "texts.csv", [("fur", ""), ("road", "")]), several=",")
    desk.answer(desk.question()["row"], ["pets/cats", "pets/dogs", "cars"])
    desk.edit("pets/dogs", "pets/cats")
    for message, change in (
        ("',' stands between", lambda: desk.edit("cars", "cars, vans")),
        ("',' stands between", lambda: desk.answer(desk.asked["row"], ["cars, vans"])),
        ("list of categories", lambda: desk.answer(desk.asked["row"], "cars")),
        ("list of categories", lambda: desk.answer(desk.asked["row"], [])),
        ("1 to 500 bytes", lambda: desk.answer(desk.asked["row"], ["cars", ""])),
    ):
        with pytest.raises(ValueError, match=message):
            change()
    assert len(desk.answers) == 2
    desk.edit("cars", "")
    desk.save()
    with desk._beside("labels.csv").open() as lines:
        assert [row["label"] for row in csv.DictReader(lines)] == ["pets/cats"]
    os.close(desk.lock)
    with pytest.raises(ValueError, match="labelled with several labels, see --several"):
        desk_of(tmp_path / "texts.csv")
    other = desk_of(written(tmp_path / "other.csv", [("road", "")]), several=";")
    other.answer(other.question()["row"], ["cars, vans"])
    os.close(other.lock)
    with pytest.raises(ValueError, match="',' stands between categories, got 'cars, vans'"):
        desk_of(tmp_path / "other.csv", several=",")
    single = desk_of(written(tmp_path / "one.csv", [("fur", "")]))
    single.answer(single.question()["row"], "cats")
    os.close(single.lock)
    with pytest.raises(ValueError, match="labelled with one label"):
        desk_of(tmp_path / "one.csv", several=",")
    with pytest.raises(TypeError, match="must be a model of one label"):
        desk_of(written(tmp_path / "known.csv", [("fur", "cats")]), several=",", review=True)


@pytest.mark.slow
def test_several_labels_in_a_browser(tmp_path):
    playwright = require_module("playwright.sync_api", "docs")
    chromium = require_program("chromium", "chromium-browser", "google-chrome")
    file = written(tmp_path / "texts.csv", [("fur", ""), ("fur road", ""), ("road", "")])
    process, wrong = Process(file, "--several", ";"), []
    with playwright.sync_playwright() as started, process:
        chrome = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        window = chrome.new_page()
        window.on("pageerror", lambda error: wrong.append(str(error)))
        window.goto(f"http://127.0.0.1:{process.port}/")

        def ticked(*expected):
            shown = window.locator("#guesses button", has_text="✓").locator("b")
            assert sorted(shown.all_text_contents()) == sorted(expected)

        window.get_by_text("0 labelled, 3 left").wait_for()
        window.keyboard.press("Enter")
        window.get_by_text("a text has a list of categories").wait_for()
        for name in ("pets/cats", "cars", "boats"):
            window.keyboard.type(name)
            window.keyboard.press("Enter")
        ticked("cats", "cars", "boats")
        window.keyboard.press("3")
        ticked("cats", "cars")
        window.keyboard.press("Enter")
        window.get_by_text("Last answer: cars, pets/cats.").wait_for()
        window.get_by_text("1 labelled, 2 left").wait_for()
        for button in window.locator("#guesses button", has_text="✓").all()[::-1]:
            button.click()
        ticked()
        window.locator("#tree button", has_text="cars").click()
        ticked("cars")
        window.get_by_role("button", name="Done").click()
        window.get_by_text("2 labelled, 1 left").wait_for()
        window.get_by_text("Answers to correct").click()
        correct(window, "cars, pets/cats")
        ticked("cats", "cars")
        window.locator("#guesses button", has_text="cars").click()
        window.keyboard.press("Enter")
        window.get_by_text("Last answer: pets/cats.").wait_for()
        window.keyboard.press("Control+z")
        window.get_by_text("Last answer: cars.").wait_for()
        chrome.close()
    assert not wrong


def test_the_separator_is_that_of_known_labels(tmp_path):
    known = [("a", "pets > cats"), ("b", "pets > dogs"), ("c", "")]
    desk = desk_of(written(tmp_path / "texts.csv", known))
    assert desk.question()["separator"] == " > "
    assert desk.categories()["categories"] == ["pets", "pets > cats", "pets > dogs"]
    os.close(desk.lock)
    desk = desk_of(tmp_path / "texts.csv", separator="/")
    assert desk.categories()["categories"] == ["pets > cats", "pets > dogs"]


def desk_of_another_process(desk, file):
    os.close(desk.lock)
    return desk_of(file)


def test_what_the_model_refuses_is_not_in_the_journal(tmp_path):
    """And a category that was retired is none again by being typed."""
    rows = [("a1", "x"), ("a2", "y"), ("a3", "z"), ("q", ""), ("q2", "")]
    desk = desk_of(written(tmp_path / "texts.csv", rows))
    desk.answer(desk.question()["row"], "junk")
    desk.edit("junk", "")
    for label in ("junk", "junk/new"):
        with pytest.raises(ValueError, match="label 'junk' was retired"):
            desk.answer(desk.question()["row"], label)
    desk.answer(desk.question()["row"], "y")
    again = desk_of_another_process(desk, tmp_path / "texts.csv")
    assert [label for _, _, label in again.latest()["answers"]] == ["y", "junk"]


def test_a_category_goes_where_another_one_has_its_name(tmp_path):
    rows = [("a1", "x/a"), ("a2", "y/a"), ("a3", "z"), ("q", "")]
    desk = desk_of(written(tmp_path / "texts.csv", rows))
    desk.edit("x/a", "y/b")
    assert desk.categories()["categories"] == ["x", "y", "y/a", "y/b", "z"]
    desk.edit("y/b", "z/a")
    assert desk.categories()["categories"] == ["x", "y", "y/a", "z", "z/a"]
    desk.edit("x", "w")
    desk.edit("w", "x")
    with pytest.raises(ValueError, match="there is no category 'new' yet"):
        desk.edit("z/a", "new/a")


def test_a_review_shows_what_categories_have_become(tmp_path):
    rows = [("red hat", "hats"), ("blue hat", "hats"), ("green hat", "boots")]
    rows += [("brown boot", "boots"), ("black boot", "boots"), ("red boot", "hats")]
    desk = desk_of(written(tmp_path / "texts.csv", rows * 3), label="label", review=True)
    desk.question()
    desk.edit("hats", "caps")
    assert {label for label, _ in desk.question()["guesses"]} == {"boots", "caps"}
