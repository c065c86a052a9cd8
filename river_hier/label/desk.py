"""The desk: which text is asked about, what the answers teach, and the page that asks."""

import csv
import fcntl
import json
import os
import random
import signal
import sys
from contextlib import suppress
from operator import itemgetter
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from .. import checkpoint, inspection, stream, tables
from ..base.answer import answer_of, taxonomy_of
from ..base.classifiers import last_step
from ..fit import model_for
from ..programs import Parser
from ..serve import messages
from ..serve.connections import guarded, server
from ..serve.journal import Journal
from ..taxonomy import OpenTaxonomy
from .taxonomies import paths

CANDIDATES = 300  # texts of which the most doubtful one is shown
RANDOM = 4  # every fourth text is a random one, by which accuracy is measured
LATEST = 50  # answers of either kind that accuracy is about, or that are listed
KEPT = 1000  # answers after which the model is kept, so that undoing learns fewer once more
GUESSES = 5
READ = 100_000  # texts whose words are counted before the first question
SHOWN = 10_000  # characters of a text on the page
LONGEST = 500  # bytes of a path


class Desk:
    """The texts, the answers, and the model that has learned from them.

    An answer is on the disk before it is learned: the state is that of the labels in the file, and
    of the journal, in this order. In a review, the texts are those with labels, of which the one
    that is most likely wrong comes first; `given` has what is known of each. With `several`, which
    stands between the labels of a text in tables, a label in an answer is a list of them.
    """

    def __init__(
        self, file: Path, text: str | None, label: str | None, separator: str | None = None,
        review: bool = False, categories: Path | None = None, export: Path | None = None,
        several: str | None = None,
    ) -> None:  # fmt: skip
        self.file: Path = file
        self.several: str | None = several
        self.export: Path | None = export
        self.lock: int = os.open(file, os.O_RDONLY)
        fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        rows = tables.rows(file, [text] if text else None, [label] if label else None, several)
        known = [(text, y or "") for _, text, y in rows]
        names = (name for _, y in known for name in (y if isinstance(y, list) else [y]))
        separator = separator or tables.separator(names) or "/"
        self.separator: str = separator
        self.texts: list[str] = [text for text, _ in known]
        self.blank: set[int] = {row for row, (text, y) in enumerate(known) if y or not text.strip()}
        model = model_for([], bool(several), False, separator)
        for text in self.texts[:READ]:
            model["TextViews"].learn_one(text)
        if categories is not None:
            labels = map(self._label, paths(categories, separator))
            t = taxonomy_of(model)
            stream.learn_names(model, OpenTaxonomy(separator).with_labels(t, labels))
        for number, (text, y) in enumerate(known, 1):
            try:
                if isinstance(y, list) and not several:
                    raise ValueError(f"one label was expected, got {y}; see --several")
                if y:
                    model.learn_one(text, y)
            except (TypeError, ValueError) as error:
                raise ValueError(f"row {number}: {error}") from error
        self.start: tuple[int, bytes] = 0, checkpoint.dumps(model)
        self.kept: tuple[int, bytes] = self.start  # the model after so many answers
        self.edits: int = 0  # of categories, or back to earlier ones
        self.given: dict[int, Any] = {}
        if review:
            rows_of = [row for row, (_, y) in enumerate(known) if y]
            order = inspection.suspects(model.clone(), [known[row] for row in rows_of])
            self.given = {rows_of[suspect.row]: suspect for suspect in order}
            if not self.given:
                raise ValueError("no row has a label to review; use --label")
        earlier = file.with_suffix(".journal")  # the name that files of one stem shared
        kept = self._beside("review" if review else "journal")
        self.journal: Journal = Journal(earlier if earlier.exists() and not review else kept)
        self._replay()

    def _beside(self, kind: str) -> Path:
        return self.file.with_name(f"{self.file.name}.{kind}")

    def _replay(self) -> None:
        """Make the state that the answers in the journal lead to."""
        self.answers: list[dict[str, Any]] = []
        self.asked: dict[str, Any] = {}
        for _, entry in self.journal.after(0):
            if entry is None:
                self.answers.pop()
            elif isinstance(entry.get("label"), str if self.several else list):
                known = "one label" if self.several else "several labels, see --several"
                raise ValueError(f"its texts were labelled with {known}")
            elif "changes" in entry or self.texts[(r := entry["row"]) : r + 1] == [entry["text"]]:
                self.answers.append(entry)
            else:
                raise ValueError(f"another text was in row {entry['row'] + 1} when it was labelled")
        self._restore()
        for label in taxonomy_of(self.model).nodes if self.several else ():
            self._label(label)  # or else it would be several in the table of labels
        done = self._answered().keys() | (set() if self.given else self.blank)
        rows = self.given or range(len(self.texts))
        self.left: list[int] = [row for row in rows if row not in done]

    def _restore(self) -> None:
        """Make the model that has learned the answers, from one that has learned most of them."""
        if self.kept[0] > len(self.answers):
            self.kept = self.start
        n, model = self.kept
        self.model: Any = checkpoint.loads(model)
        self.edits += 1
        for entry in self.answers[n:]:
            self._learn(entry)

    def _answered(self) -> dict[int, dict[str, Any]]:
        """The last answer to each text, by row."""
        return {entry["row"]: entry for entry in self.answers if "row" in entry}

    def _learn(self, entry: dict[str, Any]) -> None:
        if "changes" in entry:
            last_step(self.model).adopt(taxonomy_of(self.model).edit(entry["changes"]))
            self.edits += 1
            return
        given = self.given.get(entry["row"])
        if entry["label"] is not None and (given is None or self._now(given.y) != entry["label"]):
            self.model.learn_one(entry["text"], entry["label"])

    def _write(self, entry: Any) -> None:
        self.journal.add([(str(self.journal.end() + 1), entry)], lambda *_: None)

    def _label(self, label: Any) -> Any:
        label = OpenTaxonomy(self.separator).path(label)[-1]
        if self.several and self.several in label:
            raise ValueError(f"{self.several!r} stands between categories, got {label!r:.50}")
        return label

    def _now(self, label: Any) -> Any:
        """What a label of the file has become."""
        t = taxonomy_of(self.model)
        return t.nodes[t.index(self._label(label))]

    def _lowest(self, labels: list[str]) -> list[str]:
        """The labels of a text, without those that others imply."""
        nodes = sorted({*labels})
        return [v for v in nodes if v and not any(w.startswith(v + self.separator) for w in nodes)]

    def _ask(self, row: int, by_chance: bool | None) -> dict[str, Any]:
        answer = answer_of(self.model, self.texts[row])
        paths = answer.top(GUESSES + 1, bool(self.several), None)
        guesses = [(path[-1], p) for path, p in paths if len(path) > 1][:GUESSES]
        if suspect := self.given.get(row):
            labels = {self._now(suspect.y): 1.0 - suspect.wrong}
            labels.setdefault(self._now(suspect.proposed), suspect.probability)
            others = [(label, p) for label, p in guesses if label not in labels]
            guesses = [*labels.items(), *others][:GUESSES]
        (guess, p), (_, q), *_ = *guesses, (None, 0.0), (None, 0.0)
        asked = {"row": row, "random": by_chance, "guesses": guesses, "guess": guess}
        if self.several:
            on = [answer.labels.taxonomy.nodes[v] for v in answer.nodes()]
            margin = min((abs(p - 0.5) for _, p in guesses), default=0.0)
            return {**asked, "guess": self._lowest(on), "margin": margin}
        return {**asked, "given": guess} if suspect else {**asked, "margin": p - q}

    def categories(self) -> dict[str, Any]:
        """All categories, which the page needs again if there is another edition of them."""
        paths = sorted(v.split(self.separator) for v in taxonomy_of(self.model).nodes[1:])
        return {"categories": list(map(self.separator.join, paths))}

    def question(self) -> dict[str, Any]:
        """What the page shows: the most doubtful text of some, or a random one."""
        if not self.asked and self.left and self.given:
            self.asked = self._ask(self.left[0], None)
        elif not self.asked and self.left:
            by_chance = len(self.answers) % RANDOM == RANDOM - 1
            n = min(1 if by_chance else CANDIDATES, len(self.left))
            questions = [self._ask(row, by_chance) for row in random.sample(self.left, n)]
            self.asked = min(questions, key=itemgetter("margin"))
        labels = [entry for entry in self._answered().values() if entry["label"] is not None]
        right = [[e["guess"] == e["label"] for e in labels if e["random"] == k] for k in (1, 0)]
        last: Any = self.answers[-1] if self.answers else {}
        return {
            **(self.asked or {"row": None, "random": False, "guesses": []}),
            "text": self.texts[self.asked["row"]][:SHOWN] if self.asked else "",
            "left": len(self.left),
            "labelled": len(labels),
            "right": [[sum(some[-LATEST:]), len(some[-LATEST:])] for some in right],
            "separator": self.separator,
            "edition": [self.edits, len(taxonomy_of(self.model))],
            "last": bool(last)
            and (last.get("label") or ("skipped" if "row" in last else "an edit")),
        }

    def again(self, row: Any) -> dict[str, Any]:
        """Ask about a text that has an answer, which the next one replaces."""
        if (entry := self._answered().get(row)) is None:
            raise HTTPException(409, "this text has no answer")
        asked = self._ask(row, None)
        self.asked = {**asked, "guess": entry["label"] or asked["guess"]}
        return self.question()

    def latest(self) -> dict[str, Any]:
        """The latest answers, the last one first."""
        shown = [(e["row"], e["text"][:200], e["label"]) for e in self._answered().values()]
        return {"answers": shown[: -LATEST - 1 : -1]}

    def answer(self, row: Any, label: Any) -> dict[str, Any]:
        """Write an answer to the journal, and learn it; `None` skips the text."""
        if not self.asked or row != self.asked["row"]:
            raise HTTPException(409, "this text is not asked about any more")
        if label is not None:
            if self.several and not (isinstance(label, list) and label):
                raise ValueError(f"a text has a list of categories, got {label!r:.50}")
            labels = [self._label(name) for name in (label if self.several else [label])]
            for name in labels:
                if not 1 <= len(name.encode()) <= LONGEST:
                    raise ValueError(f"a category has 1 to {LONGEST} bytes, got {len(name):,}")
            label = self._lowest(labels) if self.several else labels[0]
        entry = {"row": row, "text": self.texts[row], "label": label}
        entry |= {"guess": self.asked["guess"], "random": self.asked["random"]}
        self._write(entry)
        try:
            self._learn(entry)
        except Exception:  # it is refused: the journal has no such answer
            self._write(None)
            self._restore()
            raise
        self.answers.append(entry)
        if len(self.answers) % KEPT == 0:
            self.kept = len(self.answers), checkpoint.dumps(self.model)
        with suppress(ValueError):  # it is not asked about for the first time
            self.left.remove(row)
        self.asked = {}
        return self.question()

    def edit(self, category: Any, to: Any) -> dict[str, Any]:
        """Give a category another path, merge it with the one there, or retire it if there is none.

        Labels that were given before are those of what it has become.
        """
        t, category, to = taxonomy_of(self.model), self._label(category), self._label(to)
        changes: list[Any] = [{"merge": [category], "to": to}]
        if not to:
            changes = [{"retire": category}]
        elif to not in t.nodes:
            above = OpenTaxonomy(self.separator).path(to)[-2]
            if above and above not in t.nodes:
                raise ValueError(f"there is no category {above!r} yet: give a text one below it")
            *parent, last = category.split(self.separator)
            moved = self.separator.join(filter(None, [above, last]))
            renamed = self.separator.join([*parent, to.split(self.separator)[-1]])
            changes = [{"move": category, "to": above}, {"rename": moved, "to": to}]
            if moved != category and moved in t.nodes:  # another one has its name there
                changes = [{"rename": category, "to": renamed}, {"move": renamed, "to": above}]
        entry = {"changes": changes}
        t.edit(changes)  # an error if it is impossible
        self._write(entry)
        self._learn(entry)
        self.answers.append(entry)
        if self.asked:
            self.asked = self._ask(self.asked["row"], self.asked["random"])
        return self.question()

    def undo(self) -> dict[str, Any]:
        """Take the last answer or edit back; a text is asked about again."""
        if not self.answers:
            raise HTTPException(409, "there is no answer to take back")
        self._write(None)
        last = self.answers.pop()
        self._restore()
        self.asked = {}
        if "row" in last:
            if last["row"] not in self._answered():
                self.left.insert(0, last["row"])
            self.asked = self._ask(last["row"], last["random"])
        return self.question()

    def save(self) -> None:
        """Write the labels and the model."""
        t, rows = taxonomy_of(self.model), []
        for row, entry in sorted(self._answered().items()):
            if label := entry["label"]:
                now = [t.nodes[t.index(v)] for v in (label if self.several else [label])]
                rows.append((row + 1, entry["text"], self._lowest(now)))
        kind = "reviewed.csv" if self.given else "labels.csv"
        with self._beside(kind).open("w", encoding="utf-8", newline="") as table:
            lines = [(row, text, (self.several or "").join(labels)) for row, text, labels in rows]
            csv.writer(table).writerows([("row", "text", "label"), *lines])
        if self.export:
            tasks = [_task(text, [v.split(self.separator) for v in y]) for _, text, y in rows]
            self.export.write_text(json.dumps(tasks, indent=1), "utf-8")
        checkpoint.save(self.model, self._beside("model"))


def _task(text: str, paths: list[list[str]]) -> dict[str, Any]:
    """A task of Label Studio, with its answer."""
    result = {"from_name": "label", "to_name": "text", "type": "taxonomy"}
    value = {"value": {"taxonomy": paths}}
    return {"data": {"text": text}, "annotations": [{"result": [result | value]}]}


def site(desk: Desk) -> Any:
    """The desk over HTTP, for a browser on this machine."""
    page = Mount("/", StaticFiles(directory=Path(__file__).with_name("page"), html=True))
    get: Any = desk.question, desk.categories, desk.latest
    post: Any = desk.answer, desk.again, desk.edit, desk.undo
    return guarded(messages.site(get, post, page), ["localhost"])


def main() -> None:
    """Read the command line, and open the desk until SIGTERM or Ctrl-C."""
    parser = Parser("label", "Label texts in a browser, while a model learns.")
    add = parser.add_argument
    add("file", type=Path, help="CSV, JSON lines, Parquet, Label Studio's JSON, or a text a line")
    add("--text", help="the column of the texts; text by default")
    add("--label", help="the column of labels that are known; label, if there is one, by default")
    add("--separator", help="between the names of a path; what known labels have, or /, by default")
    add("--several", metavar="COMMA", help="what stands between several labels of a text")
    add("--review", action="store_true", help="the labels that are most likely wrong, first")
    add("--taxonomy", type=Path, help="nested JSON, edges, or paths in the first column of a CSV")
    add("--export", type=Path, help="also write the labels as Label Studio's JSON")
    add("--port", type=int, default=8081)
    given = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit())
    if given.export and not given.export.parent.is_dir():
        parser.error(f"{given.export} cannot be written: there is no such folder")
    with parser.refusing(given.file):
        try:
            names = given.text, given.label, given.separator, given.review
            desk = Desk(given.file, *names, given.taxonomy, given.export, given.several)
        except BlockingIOError:
            parser.error(f"{given.file} is open at another desk")
    running, listening = server(site(desk), "127.0.0.1", given.port)
    print(f"http://127.0.0.1:{listening.getsockname()[1]}/ until Ctrl-C")
    print(
        f"{desk.separator!r} is between the names of a category; or name a --separator", flush=True
    )
    try:
        running.run([listening])
    finally:
        desk.save()
