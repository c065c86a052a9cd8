"""Files outlive a version: what releases saved opens, gives the same answers, and learns."""

import lzma
import pickle

import pytest

import river_hier
from river_hier._core.pickles import VERSION, restore
from support.makers import TABLE
from support.old_files import FILES, KEPT, ROWS, TEXTS, answers

SAVED = {
    (path.name.removesuffix(".pickle.xz"), name): entry
    for path in sorted(FILES.glob("*.xz"))
    for name, entry in pickle.loads(lzma.decompress(path.read_bytes())).items()
}


def flat(value):
    """The numbers and other leaves of an answer, with their places."""
    if not isinstance(value, dict | list | tuple):
        return {(): value}
    items = value.items() if isinstance(value, dict) else enumerate(value)
    return {(key, *rest): leaf for key, part in items for rest, leaf in flat(part).items()}


@pytest.mark.parametrize(("release", "name"), SAVED)
def test_answers_of_files(release, name):
    data, asked, before = SAVED[release, name]
    opened = pickle.loads(data)
    now = [opened.get()] if name == "metric" else answers(opened, asked)
    # Processors differ in the last bits of a logarithm.
    now, before = flat(now), flat(before)
    assert now.keys() == before.keys()
    for place, value in before.items():
        close = pytest.approx(value, rel=1e-9, abs=1e-9) if isinstance(value, float) else value
        assert now[place] == close, place
    if name != "metric":
        x, row = (ROWS[0], TABLE[name]) if name in TABLE else (TEXTS[0], None)
        opened.learn_one(x, row.y("b") if row else "a/b")
        assert pickle.dumps(opened) != data, "the test would not notice a change"


@pytest.mark.parametrize("name", ["words", "views"])
def test_old_models_keep_their_words(name):
    opened = pickle.loads(SAVED["0.1.0", name][0])
    reader = next(iter(opened.steps.values()))
    for bag in (reader, reader.clone()):
        bag.learn_one("a Wolf, 今天天")
        assert {"wolf", "今天天"} <= bag.dfs.keys()
        assert not {"a", "今", "天"} & bag.dfs.keys()


def test_the_newest_file_has_every_model():
    """`python tests/support/old_files.py` writes it."""
    newest = {name for release, name in SAVED if release == river_hier.__version__}
    assert newest >= KEPT


def test_a_file_of_another_format_is_refused_with_a_sentence():
    with pytest.raises(ValueError, match=f"format 99, .* reads format {VERSION}; open it with"):
        restore("PathSoftmax", 99)
