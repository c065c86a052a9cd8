"""The gallery: every script runs, offline, with and without the extras, and finds what it says."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import io
import json
import re
import runpy
import socket
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

from support.paths import DATA, ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
EXTRAS = ["matplotlib", "networkx", "sklearn", "tqdm"]  # `pip install .` brings none of them
HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None

each_example = pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)


def refuse(*args: Any) -> None:
    raise AssertionError("an example went online")


def needs_data(path: Path) -> bool:
    return "RIVER_HIER_DATA" in path.read_text(encoding="utf-8")


def run(path: Path, patch: pytest.MonkeyPatch) -> str:
    """What the script prints; it may neither connect, nor leave anything behind, nor take long."""
    if needs_data(path):
        if not (DATA / "products").exists() or not (DATA / "clinc150").exists():
            pytest.skip(f"no products and queries at {DATA}: set RIVER_HIER_DATA")
        patch.setenv("RIVER_HIER_DATA", str(DATA))
    patch.setattr(socket.socket, "connect", refuse)
    patch.setenv("MPLBACKEND", "Agg")
    printed = io.StringIO()
    start = time.process_time()  # whatever else the machine is doing
    with tempfile.TemporaryDirectory() as folder:
        with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
            runpy.run_path(str(path), run_name="__main__")
        assert not list(Path(folder).iterdir())
    assert time.process_time() - start < 30
    return printed.getvalue()


@functools.cache
def plainly(path: Path) -> str:
    """What it prints where only the core dependencies are installed; run once."""
    with pytest.MonkeyPatch.context() as patch:
        for name in EXTRAS:
            patch.setitem(sys.modules, name, None)
        return run(path, patch)


def numbers(name: str, line_starts_with: str) -> list[float]:
    """The numbers in the one line of that example that starts so."""
    (path,) = (path for path in EXAMPLES if path.stem == name)
    lines = [s for s in plainly(path).splitlines() if s.strip().startswith(line_starts_with)]
    assert len(lines) == 1, lines
    rest = lines[0].strip().removeprefix(line_starts_with).replace(",", "")
    return [float(s) for s in re.findall(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?", rest)]


@each_example
def test_form(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    title, blank, *paragraph = text.split('"""')[1].splitlines()
    assert title.endswith("?") != needs_data(path)  # real data: what they are
    assert not blank
    assert len(paragraph) >= 3
    assert len(text.splitlines()) <= (120 if needs_data(path) else 100)
    cells = text.split("\n# %%\n")
    assert len(cells) >= 4
    assert all(cell.startswith("# ") for cell in cells[1:]), "a cell without prose"


@pytest.mark.slow(but=1)
@each_example
@pytest.mark.skipif(not HAS_MATPLOTLIB, reason="matplotlib is an extra")
def test_makes_one_figure_and_runs_without_extras(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import matplotlib.pyplot as plt

    plt.close("all")
    plt.switch_backend("Agg")  # another test may have chosen one
    try:
        printed = run(path, monkeypatch)
        assert len(plt.get_fignums()) == 1
        figure = plt.gcf()
        for ax in figure.axes:
            assert ax.get_xlabel()
            assert ax.has_data()
            for curve in ax.lines:  # all of it is to be seen
                (low, high), y = sorted(ax.get_ylim()), curve.get_ydata(orig=False)
                assert low <= min(y) <= max(y) <= high
        assert figure.axes[0].get_ylabel()
        figure.savefig(tmp_path / f"{path.stem}.png")  # to look at: pytest --basetemp=somewhere
    finally:
        plt.close("all")
    # The same findings, up to the last line about what is missing.
    assert plainly(path).startswith(printed.rstrip())
    assert "matplotlib" in plainly(path).splitlines()[-1]


@pytest.mark.slow
def test_the_tree_errs_less_than_the_flat_one() -> None:
    error, accuracy = numbers("01_first_stream", "with the tree")
    flat_error, flat_accuracy = numbers("01_first_stream", "flat")
    assert error < flat_error
    assert accuracy > flat_accuracy
    live = numbers("01_first_stream", "[6,000] TreeInducedError:")
    assert live == pytest.approx([error], abs=5e-4)
    wins, streams = numbers("01_first_stream", "The tree has less error on")
    assert wins == streams == 5


@pytest.mark.slow
def test_the_mistakes_of_the_tree_are_cheaper() -> None:
    example = "02_cheaper_mistakes"
    assert numbers(example, "barn owl") == [6]
    wrong, mistake, answer = numbers(example, "tree")
    flat_wrong, flat_mistake, flat_answer = numbers(example, "flat")
    assert mistake < flat_mistake
    assert answer < flat_answer
    rows = [numbers(example, "0 (right)"), *(numbers(example, f"{d}  ") for d in range(1, 7))]
    tree, flat, difference = zip(*rows, strict=True)
    assert sum(tree) == pytest.approx(100, abs=0.5)
    assert sum(flat) == pytest.approx(100, abs=0.5)
    assert 100 - tree[0] == pytest.approx(wrong)
    assert 100 - flat[0] == pytest.approx(flat_wrong)
    assert difference[1] > 0 > max(difference[2:])  # near misses take the place of far ones


@pytest.mark.slow
def test_a_threshold_trades_recall_for_precision() -> None:
    example = "03_stopping_early"
    rows = [numbers(example, f"p >= 0.{t}  ") for t in range(1, 10)]
    precision, recall, f1, depth = zip(*rows, strict=True)
    assert list(precision) == sorted(precision)
    assert list(recall) == sorted(recall, reverse=True)
    assert list(depth) == sorted(depth, reverse=True)
    assert 2 / (1 / precision[4] + 1 / recall[4]) == pytest.approx(f1[4], abs=0.1)


@pytest.mark.slow
def test_least_squares_stop_paying_until_the_drift() -> None:
    example = "04_regret"
    steady, drifting = numbers(example, "H-RLS, no drift"), numbers(example, "H-RLS, drift")
    perceptron = numbers(example, "H-PERC, no drift")
    assert steady[:2] == drifting[:2]  # the streams begin with the same examples
    assert abs(steady[-1]) < steady[0] / 5
    assert all(least < other for least, other in zip(steady, perceptron, strict=True))
    assert perceptron[-1] > perceptron[0] / 2  # a straight line
    assert drifting[2] > 10 * abs(steady[2])
    (regret,), (bound, *_) = numbers(example, "regret   "), numbers(example, "regret, at most")
    assert 0 < regret < bound


@pytest.mark.slow
def test_classifiers_that_know_no_taxonomy_learn_better_in_one() -> None:
    example = "08_any_river_model"
    names = ["naive Bayes", "Hoeffding tree", "logistic", "softmax", "passive-aggressive"]
    for name in names:
        alone, _, per_parent, _, per_level, _ = numbers(example, name)
        assert max(per_parent, per_level) < alone
    mixed, _ = numbers(example, "neighbours in building")
    assert mixed < min(numbers(example, name)[2] for name in names)
    rows = [numbers(example, f"0.{t}  ") for t in (0, 4, 5, 6, 7, 8)]
    precision, recall = zip(*rows, strict=True)
    assert list(precision) == sorted(precision)
    assert list(recall) == sorted(recall, reverse=True)


@pytest.mark.slow
def test_a_walk_down_the_tree_asks_few_and_errs_little_more() -> None:
    example = "07_grow_a_tree"
    names = ["tree, as they come", "tree, grown  ", "tree, grown, soft", "all pairs", "one versus"]
    rows = [numbers(example, name) for name in names]
    first, last, classifiers, asked = zip(*rows, strict=True)
    assert first[0] == first[1]  # they are one until the tree is rebuilt
    assert classifiers == (11, 11, 11, 66, 12)
    assert asked[1] < asked[0] < asked[2] == 11
    assert min(last) > 90
    assert last[0] < last[1] < last[2]
    assert abs(last[2] - last[3]) < 1


@pytest.mark.slow
def test_a_drift_is_found_in_its_branch_and_nowhere_else() -> None:
    example = "09_drift_in_one_branch"
    (change,) = numbers(example, "H-loss; the drift begins at step")
    ends = []
    for name in ("H-PERC", "H-RLS"):
        before, right_after, end, alarm = numbers(example, f"{name}, culture")
        assert right_after > 4 * before
        assert before < end < right_after
        assert change < alarm < change + 200
        ends.append(end)
        for elsewhere in ("sport", "politics"):
            before, right_after, end = numbers(example, f"{name}, {elsewhere}")  # and no alarm
            assert max(right_after, end) < before + 0.02
    assert ends[1] > 2 * ends[0]  # who remembers everything takes longer
    rows = [numbers(example, f"H-RLS{how}, culture") for how in ("", " forgets", " resets")]
    _, right_after, ends_at = zip(*(row[:3] for row in rows), strict=True)
    assert right_after[0] > 1.5 * right_after[1] > 3 * right_after[2]
    assert max(ends_at[1:]) < ends_at[0] / 4
    for elsewhere in ("sport", "politics"):
        alone, forgets, resets = (
            numbers(example, f"H-RLS{how}, {elsewhere}") for how in ("", " forgets", " resets")
        )
        assert resets == alone
        assert max(forgets) < max(alone) + 0.02


@pytest.mark.slow
def test_a_threshold_makes_single_labels_true_and_short() -> None:
    example = "10_answers"
    rows = [numbers(example, f"p >= 0.{t}  ") for t in range(5, 10)]
    true, depth, distance = zip(numbers(example, "own rule"), *rows, strict=True)
    assert list(true) == sorted(true)
    assert list(depth) == sorted(depth, reverse=True)
    assert depth[0] == 3  # all labels are leaves
    assert true[-1] > 95 > true[0]
    assert distance[-1] > distance[0]  # nobody is given more than he pays for


@pytest.mark.slow
def test_a_kernel_sees_what_no_line_separates() -> None:
    example = "05_kernels"
    linear, _ = numbers(example, "linear  ")
    sampler, _ = numbers(example, "RBFSampler  ")
    fourier, _ = numbers(example, "fourier  ")
    exact, stored = numbers(example, "kernel  ")
    assert linear > 2 * sampler > 3 * fourier
    assert exact == pytest.approx(fourier, abs=0.1)
    small, tiny = numbers(example, "kernel, budget 200"), numbers(example, "kernel, budget 50")
    assert small[0] == pytest.approx(exact, abs=0.05)
    assert exact < tiny[0] < sampler
    assert tiny[1] <= 50 < small[1] <= 200 < stored


@pytest.mark.slow
def test_a_taxonomy_helps_to_rank_while_examples_are_few() -> None:
    example = "06_rank_labels"
    for measure in ("maximal loss", "misordered pairs"):
        (path,) = (path for path in EXAMPLES if path.stem == example)
        lines = plainly(path).splitlines()
        first = next(i for i, line in enumerate(lines) if line.startswith(measure))
        tree, flat = (
            [float(value) for value in re.findall(r"\d+\.\d+", line)]
            for line in lines[first + 1 : first + 3]
        )
        assert len(tree) == len(flat) == 5
        assert all(a < b for a, b in zip(tree, flat, strict=True))
        assert tree == sorted(tree, reverse=True)
    (precision,) = numbers(example, "AveragePrecision:")
    assert precision > 60


@pytest.mark.slow
def test_deciding_for_the_loss_pays() -> None:
    example = "12_decide_for_the_loss"
    (plain,) = numbers(example, "as they come: CalibrationError:")
    (calibrated,) = numbers(example, "calibrated: CalibrationError:")
    assert calibrated < 0.4 * plain
    (path,) = (path for path in EXAMPLES if path.stem == example)
    lines = plainly(path).splitlines()
    for learner in ("H-PERC", "H-AROW"):
        first = next(i for i, line in enumerate(lines) if line.startswith(learner))
        table = [
            [float(v) for v in re.findall(r"\d\.\d+", line)] for line in lines[first : first + 4]
        ]
        for loss, best in enumerate((1, 2, 3)):
            assert table[best][loss] < 0.97 * table[0][loss]
            assert table[best][loss] < 1.05 * min(row[loss] for row in table)
    likeliest, nearest = (numbers(example, name) for name in ("the likeliest", "the nearest"))
    assert nearest[0] < likeliest[0]


@pytest.mark.slow
def test_small_steps_and_averages_withstand_wrong_labels() -> None:
    example = "13_noisy_labels"
    online, its_average, batch = (
        numbers(example, name) for name in ("Hieron  ", "its average", "AveragedHieron  ")
    )
    for row in (online, batch):  # clean, clean and capped, noisy, noisy and capped
        assert row[3] < 0.85 * row[2]
        assert row[0] < 0.4 * row[2]
    assert its_average[2] < 0.35 * online[2]
    assert batch[3] < 0.6 * its_average[3]
    noisy, clean = (numbers(example, f"AveragedHieron, {kind}") for kind in ("noisy", "clean"))
    assert min(noisy) < 0.6 * min(noisy[0], noisy[-1])  # neither the smallest C nor the largest
    assert min(clean) == pytest.approx(clean[-1], abs=0.005)
    assert len(set(numbers(example, "Hieron, noisy")[:3])) == 1  # all steps are cut


@pytest.mark.slow
def test_who_adopts_a_larger_taxonomy_keeps_what_was_learned() -> None:
    example = "11_a_taxonomy_that_grows"
    adopts, anew = numbers(example, "adopts"), numbers(example, "starts again")
    foreseen = numbers(example, "knew from the start")
    assert adopts[0] == anew[0]  # until then they are the same model
    assert adopts[1] < 0.7 * anew[1]
    assert adopts[2] < 0.9 * anew[2]
    assert foreseen[1] == pytest.approx(adopts[1], abs=0.1)
    assert max(adopts[-1], anew[-1], foreseen[-1]) < min(adopts[-1], anew[-1]) + 0.02
    (told,) = numbers(example, "given paths, such as 'clothes/shoes/boots', at the end:")
    assert told == pytest.approx(foreseen[-1], abs=0.02)


@pytest.mark.slow
def test_delay_is_paid_for_at_the_beginning_and_less_after_a_drift() -> None:
    example = "14_delayed_labels"
    for name in ("H-PERC", "H-AROW"):
        none, some, much = (numbers(example, f"{name}    {d:>3} late") for d in (0, 50, 200))
        assert none[0] < some[0] < much[0]
        assert max(some[1], much[1]) < none[1] + 0.02  # nobody remembers it
        assert none[2] < some[2] < much[2]  # right after the drift
        assert max(some[3], much[3]) < none[3] + 0.04
        for *_, begun, drifted in (some, much):
            assert 6 < begun < 8
            assert 0.3 < drifted < 0.7
    (waiting,) = numbers(example, "after 2,000 events")
    assert waiting == 200
    loss, again = numbers(example, "at the end HLoss:")
    assert loss == again
    (path,) = (path for path in EXAMPLES if path.stem == example)
    assert "same scores: True" in plainly(path)


@pytest.mark.slow
def test_pairs_of_words_tell_more_and_names_tell_nothing() -> None:
    example = "15_text_from_raw_strings"
    rows = {
        (bag, learner): numbers(example, f"{bag} | {learner}")
        for bag in ("LogTFIDF", "TFIDF", "TFIDF, with pairs")
        for learner in ("SHRLS", "HAROW")
    }
    for learner in ("SHRLS", "HAROW"):
        words, pairs = rows["TFIDF", learner], rows["TFIDF, with pairs", learner]
        assert pairs[0] < 0.8 * words[0]
        assert pairs[1] > words[1]
        assert rows["LogTFIDF", learner][2] < words[2] / 10
    assert rows["LogTFIDF", "HAROW"][0] == pytest.approx(rows["TFIDF", "HAROW"][0], abs=0.01)
    (path,) = (path for path in EXAMPLES if path.stem == example)
    (first, second) = plainly(path).split("I fell over a ")[-2:]
    scores = [dict(re.findall(r"(lamps|trees): (\d\.\d+) =", text)) for text in (first, second)]
    assert float(scores[0]["trees"]) > 2 * float(scores[0]["lamps"])
    assert float(scores[1]["lamps"]) > float(scores[1].get("trees", 0.0))


@pytest.mark.slow
def test_a_dag_never_contradicts_itself() -> None:
    example = "16_your_own_taxonomy"
    (path,) = (path for path in EXAMPLES if path.stem == example)
    printed = plainly(path)
    assert "three times: True" in printed
    assert "'instrument' -> 'strings' -> 'violin' -> 'instrument'" in printed
    assert "did you mean 'violin'?" in printed
    assert "Taxonomy(root='root'" in printed
    assert "'string' is a second root beside 'instrument'" in printed
    (wrong, contradictions), (fewer, none) = numbers(example, "tree  "), numbers(example, "DAG  ")
    assert fewer < wrong
    assert none == 0 < contradictions


@pytest.mark.slow
@pytest.mark.parametrize("path", [*filter(needs_data, EXAMPLES)], ids=lambda path: path.stem)
def test_recorded_output_is_what_the_script_prints(path: Path) -> None:
    recorded = ROOT / "examples" / "gallery" / "recorded" / path.stem / "run.json"
    run = json.loads(recorded.read_text(encoding="utf-8"))
    assert plainly(path).startswith("".join(printed for printed, _ in run["outputs"]))
