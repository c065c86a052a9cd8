"""The papers' scripts on data that the recorded results were not made from."""

from __future__ import annotations

import random
import re
import runpy
import shutil
from pathlib import Path

import pytest

from river_hier import Taxonomy, datasets, induction
from support.paper_scripts import PAPERS, Script, assert_judged, assert_protocol, needs, verdicts
from support.paths import DATA


@pytest.mark.slow
def test_cesa_bianchi_2006_on_official_files(script: Script, tmp_path: Path) -> None:
    """The training file and the four test files, whose ids are chronological."""
    folder = tmp_path / "rcv1"
    folder.mkdir()
    write_official(folder)
    printed, _ = script(
        "cesa_bianchi_2006", "--data", tmp_path, "--parts", "train", "test", "--documents", "200"
    )
    # The first 200 of 240 documents: 40 a group, and 150 in the second split.
    assert printed.startswith("200 documents, 6 topics; five groups in a ring\n")
    assert "\n150 training and 50 test documents\n" in printed
    assert_judged(printed, script.claims * 2)
    assert_protocol(printed)
    same = printed[printed.index("As in the paper: ") :]
    assert "order (by date)" in same
    assert "shuffling (none)" in same
    assert "| data size | groups of 20,000 documents | groups of 40 |" in printed


def write_official(folder: Path) -> None:
    """240 documents of six topics; groups of words belong to topics, and drift with time."""
    paths = ["C", "C.1", "C.1.1", "C.1.1.1", "M", "M.1"]
    hierarchy = ["parent: None     child: Root     child-description: Root"]
    for topic in paths:
        parent = topic.rpartition(".")[0] or "Root"
        hierarchy.append(f"parent: {parent}     child: {topic}     child-description: {topic}")
    (folder / "rcv1.topics.hier.orig").write_text("".join(f"{line}\n" for line in hierarchy))
    rng = random.Random(0)
    topics, vectors = [], []
    for i in range(240):
        topic = rng.choice(paths)
        document = 2286 + 3 * i
        about = topic if rng.random() < 0.8 else rng.choice(paths)  # noise
        words = sorted({10 * paths.index(about) + rng.randrange(9) + 1 + i // 120 for _ in "abcd"})
        vectors.append(f"{document}  " + " ".join(f"{w}:{len(words) ** -0.5:.6f}" for w in words))
        topics += [f"{path} {document} 1" for path in paths if f"{topic}.".startswith(f"{path}.")]
    (folder / "rcv1-v2.topics.qrels").write_text("".join(f"{line}\n" for line in topics))
    names = ["train", *(f"test_pt{part}" for part in range(4))]
    for part, name in enumerate(names):
        lines = "".join(f"{line}\n" for line in vectors[48 * part : 48 * part + 48])
        (folder / f"lyrl2004_vectors_{name}.dat").write_text(lines)


@pytest.mark.slow
@needs("timit")
def test_dekel_2005_with_all_frames(script: Script, tmp_path: Path) -> None:
    """Two speakers, one of them to test on."""
    speakers = sorted(path for path in (DATA / "timit").iterdir() if path.is_dir())[:2]
    for path in speakers:
        shutil.copytree(path, tmp_path / "timit" / path.name)
    printed, documented = script("dekel_2005", "--data", tmp_path, "--quick", "--frames", "0")
    names = [path.name.partition("-")[2] for path in speakers]
    stream = datasets.TIMIT(DATA / "timit", speakers=names, sentences=("si",))
    counted = re.search(r"^([\d,]+) training and ([\d,]+) test frames", printed)
    assert counted
    assert sum(int(n.replace(",", "")) for n in counted.groups()) == sum(1 for _ in stream)
    assert re.search(r"^all +\d\.\d\d ", printed, re.MULTILINE)
    assert "caps (" not in printed
    assert "| caps | equal numbers of frames of each phoneme | none |" in printed
    assert [claim.partition(": ")[0] for _, claim in verdicts(printed)] == [
        claim.partition(": ")[0] for _, claim in verdicts(documented)
    ]


@pytest.mark.parametrize("n_classes", [2, 3, 12])
def test_agglomerated(monkeypatch: pytest.MonkeyPatch, n_classes: int) -> None:
    """With power 1 the trees of JensenShannonTree; with power 0 each merge adds a single class."""
    monkeypatch.syspath_prepend(str(PAPERS))
    agglomerated = runpy.run_path(str(PAPERS / "agglomerated.py"))["agglomerated"]
    builder = induction.JensenShannonTree()
    rng = random.Random(n_classes)
    for label in range(n_classes):
        for _ in range(3):
            builder.learn_one({word: rng.random() ** 4 for word in range(20)}, label)
    counts = builder.class_counts, builder.feature_counts
    assert splits(agglomerated(*counts, 1.0)) == splits(builder.taxonomy())
    assert agglomerated(*counts, 0.0).height == n_classes - 1


def splits(tree: Taxonomy) -> set[frozenset[object]]:
    """The classes below each inner node."""
    return {frozenset(set(tree.subtree(node)) & set(tree.leaves)) for node in tree.inner}
