"""RCV1 from small corpora in the publisher's format, and as it is."""

import collections
import functools
import math

import pytest

from river_hier import Taxonomy, datasets
from support.corpora import by_depth, never_skipped, on, real_data
from support.rcv1_corpus import HIERARCHY, PARENTS, QRELS, VECTORS, XS, YS, write, write_corpus


@pytest.fixture
def folder(tmp_path):
    return write_corpus(tmp_path)


def test_examples(folder):
    stream = datasets.RCV1(folder)
    assert [(x, on(y)) for x, y in stream] == list(zip(XS, YS, strict=True))
    assert stream.taxonomy == Taxonomy.from_parents(PARENTS)


def test_without_the_two_rare_topics(folder):
    stream = datasets.RCV1(folder, topics=101)
    kept = [topic for topic in PARENTS if topic not in {"GMIL", "M143"}]
    assert stream.taxonomy == Taxonomy.from_parents({t: PARENTS[t] for t in kept})
    assert [list(y) for _, y in stream] == [kept] * 3
    assert [on(y) for _, y in stream] == [{"CCAT", "C15", "MCAT", "M14"}, {"MCAT"}, {"GCAT"}]


def test_missing_ancestors_are_filled_in(folder):
    write(folder / "rcv1-v2.topics.qrels", ["C151 2286 1", "M143 2287 1", "GMIL 2290 1"])
    assert [on(y) for _, y in datasets.RCV1(folder)] == [
        {"CCAT", "C15", "C151"},
        {"MCAT", "M14", "M143"},
        {"GCAT", "GMIL"},
    ]
    assert [on(y) for _, y in datasets.RCV1(folder, topics=101)][1:] == [{"MCAT", "M14"}, {"GCAT"}]


def test_a_document_without_features(folder):
    write(folder / "lyrl2004_vectors_train.dat", ["2286", "2290  4:1"])
    assert [x for x, _ in datasets.RCV1(folder)] == [{}, {"4": 1.0}]


def test_topics_of_other_documents_are_passed_over(folder):
    others = ["C15 2200 1", "C15 2201 1", *QRELS[:6], "CCAT 2288 1", *QRELS[6:], "CCAT 2300 1"]
    write(folder / "rcv1-v2.topics.qrels", others)
    assert [on(y) for _, y in datasets.RCV1(folder)] == YS
    write(folder / "lyrl2004_vectors_train.dat", VECTORS[1:2])
    assert [on(y) for _, y in datasets.RCV1(folder)] == YS[1:2]


def test_parts(folder):
    vectors = [f"{i}  1:1" for i in range(3000, 3008)]
    for i in range(4):
        pack = i % 2 == 0
        name = f"lyrl2004_vectors_test_pt{i}.dat" + ".gz" * pack
        write(folder / name, vectors[2 * i : 2 * i + 2], pack)
    topics = (f"{'CCAT' if i % 2 else 'MCAT'} {i} 1" for i in range(3000, 3008))
    write(folder / "rcv1-v2.topics.qrels", [*QRELS, *topics])

    of_test = [{"MCAT"}, {"CCAT"}] * 4
    read = functools.partial(datasets.RCV1, folder)
    assert [on(y) for _, y in read()] == YS
    assert [on(y) for _, y in read(subsets=("test",))] == of_test
    assert [on(y) for _, y in read(subsets=("train", "test"))] == YS + of_test
    assert list(read(subsets=["test", "train"])) == list(read(subsets=("train", "test")))


# The data themselves


@pytest.fixture(scope="module")
def real():
    return real_data("rcv1")


def test_the_real_taxonomy(real):
    t = datasets.RCV1(real).taxonomy
    assert by_depth(t) == [1, 4, 55, 43, 1]
    assert t.children("Root") == ("CCAT", "ECAT", "GCAT", "MCAT")
    assert t.path("C1511") == ("Root", "CCAT", "C15", "C151", "C1511")
    # Section 8 of the H-RLS paper: {0.04, 0.53, 0.42, 0.01} of 101 topics
    papers = by_depth(datasets.RCV1(real, topics=101).taxonomy)[1:]
    assert papers == [4, 54, 42, 1]
    assert [round(n / 101, 2) for n in papers] == [0.04, 0.53, 0.42, 0.01]


def test_the_real_documents(real):
    stream = datasets.RCV1(real)
    t = stream.taxonomy
    parents = {topic: t.parent(topic) for topic in t.nodes[1:]}
    documents = features = topics = 0
    seen = collections.Counter()
    for x, y in stream:
        assert len(y) == 103
        labels = on(y)
        assert labels
        assert all(parents[topic] in labels or parents[topic] == "Root" for topic in labels)
        assert math.isclose(sum(w * w for w in x.values()), 1.0, abs_tol=1e-5)
        documents += 1
        features += len(x)
        topics += len(labels)
        seen.update(labels)
    assert (documents, topics) == (15_926, 51_010)  # as many as lines: no ancestor was missing
    assert round(features / documents) == 78
    assert set(t.nodes[1:]) - set(seen) == {"M143"}


def broken(folder, name, lines, message):
    write(folder / name, lines)
    with pytest.raises(ValueError, match="line") as error:
        list(datasets.RCV1(folder))
    assert str(error.value) == f"{name}, {message}"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("2287  9:", "expected `term:weight`, got '9:'"),
        ("2287  9:0.5 4:nan", "feature '4' is nan"),
        ("2287  9:1e308 4:1e308", "the weights are too large to add up"),
        ("2287  9:0.5 4:1 9:0.5", "feature '9' comes twice"),
        ("22x7  9:0.5", "expected a document id, got '22x7'"),
        ("<p>", "expected a document id, got '<p>'"),
        ("", "expected a document id, got ''"),
        ("2286  9:0.5", "document 2286 comes twice"),
        ("2285  9:0.5", "document 2285 comes after 2286; the lines must be sorted by document"),
        ("2288  9:0.5", "document 2288 has no topic in rcv1-v2.topics.qrels"),
        ("2299  9:0.5", "document 2299 has no topic in rcv1-v2.topics.qrels"),
    ],
)
def test_broken_vectors(folder, line, message):
    lines = [VECTORS[0], line]
    broken(folder, "lyrl2004_vectors_train.dat", lines, f"line 2: {message}")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("MCAT 2287", "expected `topic document 1`, got 'MCAT 2287'"),
        ("MCAT 2287 0", "expected `topic document 1`, got 'MCAT 2287 0'"),
        ("MCAT 2287 1 1", "expected `topic document 1`, got 'MCAT 2287 1 1'"),
        ("2287 MCAT 1", "expected `topic document 1`, got '2287 MCAT 1'"),
        ("", "expected `topic document 1`, got ''"),
        ("MCAP 2287 1", "label 'MCAP' is not in the taxonomy (9 nodes); did you mean 'MCAT'?"),
        ("MCAT 2285 1", "document 2285 comes after 2286; the lines must be sorted by document"),
    ],
)
def test_broken_topics(folder, line, message):
    lines = [*QRELS[:5], line, *QRELS[6:]]
    broken(folder, "rcv1-v2.topics.qrels", lines, f"line 6: {message}")


def test_parts_that_do_not_follow_each_other(folder):
    for i in range(4):
        write(folder / f"lyrl2004_vectors_test_pt{i}.dat", ["2287  1:1"])
    with pytest.raises(ValueError, match=r"test_pt0.dat, line 1: document 2287 comes after 2290;"):
        list(datasets.RCV1(folder, subsets=("train", "test")))
    with pytest.raises(ValueError, match=r"test_pt1.dat, line 1: document 2287 comes twice"):
        list(datasets.RCV1(folder, subsets=("test",)))


def test_broken_hierarchy(folder):
    expected = "`parent: ... child: ... child-description: ...`"
    name = "rcv1.topics.hier.orig"
    for line in ("", "parent: Root", "CCAT C15"):
        write(folder / name, [*HIERARCHY[:2], line])
        message = f"{name}, line 3: expected {expected}, got {line!r}"
        never_skipped(lambda e: datasets.RCV1(folder, on_error=e), message)
    write(folder / name, [*HIERARCHY, "parent: C15     child: CCAT     child-description: LOOP"])
    with pytest.raises(ValueError, match=r"^rcv1.topics.hier.orig: .*CCAT"):
        _ = datasets.RCV1(folder).taxonomy


def test_missing_files(folder):
    (folder / "rcv1-v2.topics.qrels").unlink()
    stream = datasets.RCV1(folder, subsets=("train", "test"))
    with pytest.raises(FileNotFoundError) as error:
        next(iter(stream))
    message = str(error.value)
    assert str(folder) in message
    assert "lacks rcv1-v2.topics.qrels.gz, lyrl2004_vectors_test_pt0.dat.gz, " in message
    assert "lyrl2004_vectors_train" not in message  # it is there, without .gz
    assert len(stream.taxonomy) == 9  # this file is there


def test_a_file_for_a_folder(folder):
    with pytest.raises(FileNotFoundError, match=r"qrels' lacks rcv1.topics.hier.orig, lyrl2004"):
        list(datasets.RCV1(folder / "rcv1-v2.topics.qrels"))


def test_what_is_skipped_is_counted(folder):
    write(folder / "lyrl2004_vectors_train.dat", [*VECTORS[:2], "2288 7:x", "2289 1:1", VECTORS[2]])
    write(folder / "rcv1-v2.topics.qrels", [*QRELS[:6], "MCAP 2287 1", "?", *QRELS[6:]])
    stream = datasets.RCV1(folder, on_error="skip")
    assert stream.n_skipped == 0
    assert [(x, on(y)) for x, y in stream] == list(zip(XS, YS, strict=True))
    assert stream.n_skipped == 4
    assert stream.skipped == (
        "rcv1-v2.topics.qrels, line 7: label 'MCAP' is not in the taxonomy (9 nodes); "
        "did you mean 'MCAT'?",
        "rcv1-v2.topics.qrels, line 8: expected `topic document 1`, got '?'",
        "lyrl2004_vectors_train.dat, line 3: expected `term:weight`, got '7:x'",
        "lyrl2004_vectors_train.dat, line 4: document 2289 has no topic in rcv1-v2.topics.qrels",
    )


def test_a_document_without_a_sound_topic_is_skipped(folder):
    lines = [line.replace("MCAT 2287", "MCAP 2287") for line in QRELS]
    write(folder / "rcv1-v2.topics.qrels", lines)
    stream = datasets.RCV1(folder, on_error="skip")
    assert [x for x, _ in stream] == [XS[0], XS[2]]
    assert stream.n_skipped == 2
    assert stream.skipped[1].endswith("document 2287 has no topic in rcv1-v2.topics.qrels")


def test_files_of_which_nothing_is_left(folder):
    write(folder / "lyrl2004_vectors_train.dat", ["2286 7;0.6", "2287 9;1.0"])
    stream = datasets.RCV1(folder, on_error="skip")
    with pytest.raises(ValueError, match=r"^every record had to be skipped \(2\): lyrl2004_vec"):
        list(stream)
    assert list(stream.take(0)) == []


@pytest.mark.parametrize("topics", [102, [103], None])
def test_wrong_topics(topics):
    with pytest.raises(ValueError, match=r"`topics` must be 103 or 101, got "):
        datasets.RCV1(topics=topics)
