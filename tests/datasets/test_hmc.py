"""HMC from small collections in Clus's format, and from its publishers' own files."""

import gzip
import io
import math

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from scipy.io import arff

from river_hier import Taxonomy, datasets
from support.corpora import by_depth, never_skipped, on, real_data, refused
from support.hmc_corpus import DAG_HEADER, HEADER, ROWS, TRAINVALID, XS, YS, text, write_parts
from support.hypothesis_settings import n_examples


def read(stream):
    """Features of all examples, and the labels that are on."""
    examples = list(stream)
    return [x for x, _ in examples], [on(y) for _, y in examples]


@pytest.fixture
def folder(tmp_path):
    return write_parts(tmp_path / "yeast")


def test_examples(folder):
    assert read(datasets.HMC(folder)) == TRAINVALID


def test_taxonomy(folder, tmp_path):
    edges = ("root", "01"), ("root", "02"), ("01", "01/01"), ("01/01", "01/01/03")
    assert datasets.HMC(folder).taxonomy.edges == edges
    # Only pairs from the root make a DAG.
    (tmp_path / "plants.arff").write_text("@attribute c hierarchical roots,roots/a/b\n@data\n")
    plants = datasets.HMC(tmp_path / "plants.arff")
    assert list(plants.taxonomy)[1:] == ["roots", "roots/a", "roots/a/b"]
    # Where the classes leave out what is above them it is there all the same.
    (tmp_path / "few.arff").write_text("@attribute c hierarchical 1/2/3,4\n@data\n1/2/3\n")
    few = datasets.HMC(tmp_path / "few.arff")
    assert list(few.taxonomy) == ["root", "1", "4", "1/2", "1/2/3"]
    assert read(few) == ([{}], [{"1", "1/2", "1/2/3"}])


def test_dags(tmp_path):
    (tmp_path / "go.arff").write_text(text(["1,G3", "2,G4@G1", "3,G2", "4,root"], DAG_HEADER))
    stream = datasets.HMC(tmp_path / "go.arff")
    pairs = [("root", "G1"), ("root", "G2"), ("G1", "G3"), ("G2", "G3"), ("G3", "G4")]
    assert stream.taxonomy == Taxonomy(pairs)
    assert not stream.taxonomy._arrays.is_tree
    every = {"G1", "G2", "G3", "G4"}
    assert [on(y) for _, y in stream] == [every - {"G4"}, every, {"G2"}, set()]


@pytest.mark.parametrize("separator", [".", "_", "-"])
@pytest.mark.parametrize("suffix", [".arff", ".ARFF.gz"])
def test_names_of_files(tmp_path, separator, suffix):
    write_parts(tmp_path, "a.b_c", separator, suffix)
    write_parts(tmp_path, "a.b", separator, suffix)
    assert read(datasets.HMC(tmp_path, "a.b")) == read(datasets.HMC(tmp_path, "a.b_c"))


@pytest.mark.parametrize("pack", [lambda data: data, gzip.compress], ids=["plain", "gz"])
def test_a_single_file_is_read_whatever_it_is_called(tmp_path, pack):
    for name in ("mine.arff", "mine.test.arff"):
        path = tmp_path / (name + ".gz" * (pack is gzip.compress))
        path.write_bytes(pack(text(ROWS["train"]).encode()))
        assert read(datasets.HMC(path)) == (XS["train"], YS["train"])
    assert read(datasets.HMC(path, subsets=("test",))) == (XS["train"], YS["train"])
    with pytest.raises(FileNotFoundError, match=r"mine\.test.* lacks mine\.train\.arff; get them"):
        list(datasets.HMC(path, subsets=("train",)))
    with pytest.raises(FileNotFoundError, match=r" lacks yeast\.train\.arff; get them"):
        list(datasets.HMC(path, dataset="yeast"))


def test_parts(folder):
    def parts(*names):
        return read(datasets.HMC(folder, subsets=names))

    def expected(*names):
        return [x for n in names for x in XS[n]], [y for n in names for y in YS[n]]

    assert parts("train") == expected("train")
    assert parts("test", "train") == parts("train", "test") == expected("train", "test")
    assert parts("trainvalid", "train", "test") == expected("train", "valid", "test")
    (folder / "yeast_FUN.valid.arff").unlink()
    assert parts("trainvalid", "test") == expected("train", "test")
    (folder / "yeast_FUN.trainvalid.arff").write_text(text(ROWS["valid"]))
    assert parts("trainvalid") == expected("valid")  # where there is such a file


@given(
    rows=st.lists(
        st.tuples(
            st.none() | st.floats(allow_nan=False, allow_infinity=False),
            st.none() | st.sampled_from(["left", "right"]),
            st.none() | st.integers(-9, 9),
        ),
        min_size=1,
        max_size=9,
    )
)
@n_examples(30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_scipy_reads_the_same_features(tmp_path, rows):
    attributes = ["@relation r", "@attribute a numeric", "@attribute 'b c' {left,right}"]
    attributes += ["@attribute d integer"]
    cells = [["?" if value is None else f"{value}" for value in row] for row in rows]
    plain = "\n".join([*attributes, "@data", *map(",".join, cells)])
    theirs, meta = arff.loadarff(io.StringIO(plain))
    header = [*attributes, "@attribute class hierarchical 1", "@data"]
    path = tmp_path / "mine.arff"
    path.write_text(text((f"{','.join(row)},1" for row in cells), header))
    for (x, _), values in zip(datasets.HMC(path), theirs, strict=True):
        for name, value in zip(meta.names(), values, strict=True):
            if name == "b c":
                assert x.get(name, "?") == value.decode()
            elif math.isnan(value):
                assert name not in x
            else:
                assert x[name] == value


# The data themselves


@pytest.fixture(scope="module")
def real():
    return real_data("hmc")


COUNTS = {  # examples, labels that are on; of what is there to learn from and of the test part
    "Enron_corr": ((988, 5_053), (660, 3_682)),
    "ImCLEF07D": ((10_000, 30_000), (1_006, 3_018)),
    "cellcycle_FUN": ((2_476, 21_482), (1_281, 11_421)),
    "cellcycle_GO": ((2_473, 84_943), (1_278, 46_003)),
    "gasch1_GO": ((2_477, 85_000), (1_281, 46_080)),
}
DEPTHS = {  # the numbers of labels at the depths 0, 1, ...
    "Enron_corr": [1, 3, 40, 13],
    "ImCLEF07D": [1, 4, 16, 26],
    "cellcycle_FUN": [1, 18, 80, 178, 142, 77, 4],
    "cellcycle_GO": [1, 3, 33, 155, 394, 597, 929, 779, 631, 335, 171, 63, 21, 5, 9],
    "gasch1_GO": [1, 3, 33, 155, 394, 597, 929, 779, 631, 335, 171, 63, 21, 5, 9],
}


@pytest.mark.slow(but=1)
@pytest.mark.filterwarnings("ignore:gasch1_GO")
@pytest.mark.parametrize("dataset", DEPTHS)
def test_the_real_collections(real, dataset):
    t = datasets.HMC(real, dataset).taxonomy
    assert by_depth(t) == DEPTHS[dataset]
    assert t._arrays.is_tree == (not dataset.endswith("GO"))
    for parts, counts in zip((None, ("test",)), COUNTS[dataset], strict=True):
        stream = datasets.HMC(real, dataset, parts)
        examples = labels = 0
        for x, y in stream:
            assert len(x) <= stream.n_features
            examples += 1
            labels += sum(y.values())
        assert (examples, labels) == counts


def test_attributes_of_one_name(tmp_path):
    """The second one gets another name, none that the file has itself; said once."""
    names = ["a", "b", "a", "a.1", "a", "a.1"]
    lines = [f"@attribute {name} numeric" for name in names]
    header = ["@relation r", *lines, "@attribute class hierarchical 1,2", "@data"]
    for part in ("train", "valid"):
        path = tmp_path / f"x.{part}.arff"
        path.write_text("\n".join([*header, "1,2,3,4,5,6,1", "{3 7, 7 2}"]))
    message = r"x.train.arff names attribute 3, 'a', as an earlier one; .* 'a.2' here, and 2 more"
    with pytest.warns(UserWarning, match=message) as caught:
        examples = list(datasets.HMC(tmp_path))
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert examples[0][0] == {"a": 1, "b": 2, "a.2": 3, "a.1": 4, "a.3": 5, "a.1.1": 6}
    assert examples[3][0] == {"a.2": 7}


def test_headers_are_compared(folder):
    path = folder / "yeast_FUN.valid.arff"
    for changed in (
        [line.replace("01,", "01,03,") for line in HEADER],
        [line.replace("note", "memo") for line in HEADER],
    ):
        path.write_text(text(ROWS["valid"], changed))
        with pytest.raises(ValueError, match=r"^yeast_FUN.valid.arff: its attributes or classes"):
            list(datasets.HMC(folder))


ROW = ROWS["train"][0]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("0.15,left,7,x,01,02", "expected 5 values, got 6"),
        ("0.15,left,7", "expected 5 values, got 3"),
        ("<p>", "expected 5 values, got 1"),
        ("0.1.5,left,7,x,01", "feature 'alpha 14' is '0.1.5'"),
        ("nan,left,7,x,01", "feature 'alpha 14' is nan"),
        ("1,left,-inf,x,01", 'feature "50% o\'clock" is -inf'),
        (",left,7,x,01", "feature 'alpha 14' is ''"),
        ("1,up,7,x,01", "feature 'strand' is 'up', expected one of ('left', 'a, b', 'right')"),
        ("1,'left,7,x,01", 'a quote is not closed in "\'left,7,x,01"'),
        ("1,left,7,x,?", "expected labels joined by @, got none"),
        ("1,left,7,x,", "label '' is not in the taxonomy (5 nodes)"),
        ("1,left,7,x,01@01/02", "label '01/02' is not in the taxonomy (5 nodes); did you mean"),
        ("{1 0.5}", "expected labels joined by @, got none"),
        ("{}", "expected labels joined by @, got none"),
        ("{1 0.5, 5 01", "expected } at the end"),
        ("{0 0.5, 5 01}", "there is no attribute 0, expected 1 to 5"),
        ("{6 0.5, 5 01}", "there is no attribute 6, expected 1 to 5"),
        ("{1 0.5, 1 0.5, 5 01}", "attribute 1 comes twice"),
        ("{1 0.5, 2, 5 01}", "expected `number value`, got '2'"),
        ("{1 0.5,, 5 01}", "expected `number value`, got ''"),
        ("{-1 0.5, 5 01}", "expected `number value`, got '-1 0.5'"),
        ("{1 x, 5 01}", "feature 'alpha 14' is 'x'"),
        ("{2 up, 5 01}", "feature 'strand' is 'up', expected one of ('left', 'a, b', 'right')"),
    ],
)
def test_broken_rows(tmp_path, row, message):
    path = tmp_path / "mine.arff"
    path.write_text(text([ROW, row, ROW]))
    message = f"mine.arff, line 11: {message}"
    assert len(refused(lambda e: datasets.HMC(path, on_error=e), message)) == 2


@pytest.mark.parametrize(
    ("line", "wrong", "message"),
    [
        (3, "@attribute x", "expected `@attribute name type`, got '@attribute x'"),
        (3, "@attribute x date", "attribute 'x' has type 'date', expected numeric, string, {value"),
        (3, "@attribute x numeric 3", "attribute 'x' has type 'numeric 3', expected numeric, "),
        (3, "@attribute x hierarchical", "attribute 'x' has type 'hierarchical', expected numeric"),
        (3, "@attribute x {a,'b}", 'a quote is not closed in "\'b"'),
        (3, "0.5,left", "expected @relation, @attribute or @data, got '0.5,left'"),
        (7, "@attribute c hierarchical 1,,2", "class '': expected a path such as `a/b`"),
        (7, "@attribute c hierarchical 1,1//2", "class '1//2': expected a path such as `a/b`"),
        (7, "@attribute c hierarchical root/1,2", "class '2': expected `parent/child`"),
        (7, "@attribute c hierarchical root/1,1/2/3", "class '1/2/3': expected `parent/child`"),
        (7, "@attribute c hierarchical root/1,1/1", "edge 1 makes node '1' its own parent"),
        (7, "@attribute c hierarchical root/1,1/2,2/1", "the edges hold a cycle: '"),
    ],
)
def test_broken_headers(tmp_path, line, wrong, message):
    header = [*HEADER]
    header[line] = wrong
    (tmp_path / "mine.arff").write_text(text([ROW], header))
    path = tmp_path / "mine.arff"
    message = f"mine.arff, line {line + 1}: {message}"
    never_skipped(lambda e: datasets.HMC(path, on_error=e), message)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (text([], HEADER[:-1]), "ends before @data"),
        (text([], HEADER[:-2] + HEADER[-1:]), "has 0 hierarchical attributes, expected one"),
        (text([], [*HEADER[:-1], "@attribute d hierarchical 1", "@data"]), "has 2 hierarchical"),
        ("PK\3\4", "is cut off"),
    ],
)
def test_files_that_are_no_arff(tmp_path, data, message):
    path = tmp_path / "mine.arff"
    path.write_text(data)
    never_skipped(lambda e: datasets.HMC(path, on_error=e), f"mine.arff {message}")


def test_missing_files(tmp_path, monkeypatch):
    monkeypatch.setenv("RIVER_DATA", str(tmp_path / "home"))
    stream = datasets.HMC(dataset="cellcycle_FUN")  # says nothing yet
    folder = write_parts(tmp_path / "home" / "HMC")
    assert repr(stream)
    with pytest.raises(FileNotFoundError, match=r"HMC' lacks cellcycle_FUN\.train\.arff; get"):
        list(stream)
    assert read(datasets.HMC(dataset="yeast_FUN", subsets=("test",))) == (XS["test"], YS["test"])
    (folder / "yeast_FUN.valid.arff").unlink()
    with pytest.raises(FileNotFoundError, match=r"lacks yeast_FUN\.valid\.arff; get"):
        list(datasets.HMC(dataset="yeast_FUN", subsets=("valid",)))
    (folder / "yeast_FUN.train.arff").unlink()
    (folder / "yeast_FUN.test.arff").unlink()
    with pytest.raises(FileNotFoundError, match=r"lacks NAME\.train\.arff; get"):
        list(datasets.HMC())


def test_several_collections(tmp_path):
    write_parts(tmp_path, "b")
    write_parts(tmp_path, "a")
    with pytest.raises(ValueError, match="`dataset` must be one of 'a', 'b', got None"):
        datasets.HMC(tmp_path)
    write_parts(tmp_path, "a", "_")
    with pytest.raises(ValueError, match=r"a\.test\.arff and a_test\.arff are the same subset of"):
        datasets.HMC(tmp_path, "a")
