"""Log tf-idf: against a loop over all documents, scikit-learn, and River's checks."""

import gc
import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import base, checks, compose
from scipy import sparse

from oracles import log_tfidf as oracle
from river_hier import Taxonomy, linear_model
from river_hier.feature_extraction import STOP_WORDS, LogTFIDF, TextViews
from support.hypothesis_settings import n_examples

TEXTS = ["The wolf, the wolf!", "An owl saw THE wolf; Äpfel 10%", "", "a b c", "the owl flies_2"]

tokens = st.sampled_from(["wolf", "Wolf", "owl", "Über", "a", "x_1", "42", "the", "-", "!"])
letters = (
    "aB_1 ,ẞé\0\ud800İΣ“中٣😀𝒜々のラーレｶﾞ한국ᄒ\u3000Ｆﬁ²हिन्दीไทยကျခ្មែ\u0301\u200d\ufe0f🏽ㄅꀀᦀ"
)
odd = st.text(letters, max_size=20) | st.text(max_size=9)
texts = st.lists(st.lists(tokens, max_size=8).map(" ".join) | st.text("ab ẞé-2", max_size=9) | odd)


@given(
    texts,
    st.sets(st.sampled_from(["wolf", "the"])),
    st.integers(1, 4),
    st.sampled_from(["word", "char_wb"]),
    st.sampled_from([(1, 1), (1, 2), (2, 2), (2, 4), (3, 9)]),
    st.sampled_from([None, 2, 8, 2**18]),
    st.booleans(),
)
def test_the_formula_over_all_documents_so_far(
    documents, stop_words, min_count, analyzer, ngram_range, n_features, normalize
):
    bag = LogTFIDF(
        stop_words=stop_words,
        min_count=min_count,
        analyzer=analyzer,
        ngram_range=ngram_range,
        n_features=n_features,
        normalize=normalize,
    )
    options = list(stop_words), min_count, analyzer, ngram_range, n_features, normalize
    for n, document in enumerate(documents):
        if n == 2:
            bag = pickle.loads(pickle.dumps(bag))
        expected = oracle.weights(document, documents[:n], *options)
        found = bag.transform_one(document)
        assert list(found) == list(expected)  # in the order of the text
        assert found == pytest.approx(expected)
        bag.learn_one(document)
        if n % 2:
            bag = pickle.loads(pickle.dumps(bag))
        assert bag.transform_one(document) == found  # exactly, as a pipeline learns it
        expected = oracle.weights(document, documents[: n + 1], *options)
        assert bag.transform_one(document) == pytest.approx(expected)
    assert bag.n == len(documents)


@given(
    texts,
    st.sets(st.sampled_from(["wolf", "the"])),
    st.integers(1, 3),
    st.sampled_from([(1, 1), (1, 2), (2, 3)]),
    st.sampled_from([(1, 2), (3, 5)]),
    st.sampled_from([2, 10**6]),
    st.sampled_from([0.5, 2.0]),
)
def test_views_are_the_union_of_words_and_characters(
    documents, stop_words, min_count, words, characters, max_rare, least_idf
):
    options = {"stop_words": stop_words, "min_count": min_count}
    options["least_idf"] = least_idf
    views = TextViews(**options, ngram_range=words, char_ngram_range=characters)
    few = TextViews(**options, max_rare=max_rare)
    for n, document in enumerate(documents):
        expected = {}
        for analyzer, lengths in (("word", words), ("char_wb", characters)):
            expected |= oracle.weights(
                *(document, documents[:n], list(stop_words), min_count, analyzer, lengths),
                normalize=True,
                least_idf=least_idf,
            )
        found = views.transform_one(document)
        assert list(found) == list(expected)  # words before characters
        assert found == pytest.approx(expected)
        for bag in (views, few):
            bag.learn_one(document)
        again = pickle.loads(pickle.dumps(few))
        again._learned = few._learned = None
        assert again.transform_one(document) == few.transform_one(document)
        views = pickle.loads(pickle.dumps(views))
        views._learned = None  # else an equal text that comes next would be the one just counted


def test_letters():
    text = "Äpfel ÄPFEL äpfel apfel"
    bag = LogTFIDF(min_count=1)
    for options, expected in (
        ({}, {"äpfel": 1, "apfel": 1}),
        ({"strip_accents": True}, {"apfel": 1}),
        ({"lowercase": False}, {"Äpfel": 1, "ÄPFEL": 1, "äpfel": 1, "apfel": 1}),
        ({"lowercase": False, "strip_accents": True}, {"Apfel": 1, "APFEL": 1, "apfel": 1}),
        ({"tokenizer_pattern": r"(\w)pf"}, {"ä": 1, "a": 1}),
        ({"tokenizer_pattern": r"\b\w"}, {"ä": 1, "a": 1}),
        ({"tokenizer_pattern": r"\w+ \w+"}, {"äpfel äpfel": 1, "äpfel apfel": 1}),
        ({"lowercase": False, "ngram_range": (4, 9)}, {text: 1}),
    ):
        bag = LogTFIDF(min_count=1, **options)
        bag.learn_one(text)
        assert bag.dfs == expected
    for text, expected in (("Wolf wolf", {"Wolf", "wolf"}), ("The\0end x", {"The", "end", "x"})):
        bag = LogTFIDF(min_count=1, lowercase=False)
        bag.learn_one(text)
        assert set(bag.dfs) == expected


def test_several_features_are_put_together():
    bag = LogTFIDF(on=("title", "body"), min_count=1)
    other = LogTFIDF(min_count=1)
    for title, body in itertools.product(TEXTS, repeat=2):
        x = {"title": title, "body": body, "year": 1974}
        assert bag.transform_one(x) == other.transform_one(f"{title} {body}")
        bag.learn_one(x)
        other.learn_one(f"{title} {body}")
        assert x == {"title": title, "body": body, "year": 1974}
    assert LogTFIDF(on="title").transform_one({"title": "wolf"}) == {}
    assert LogTFIDF(on=[0]).transform_one({0: "wolf"}) == {}
    # The last word of one feature and the first of the next stay two.
    bag.learn_one({"title": "snow", "body": "owl"})
    assert "snow" in bag.dfs


def test_rare_words_do_not_fill_memory():
    bag = LogTFIDF(min_count=2, max_rare=10)
    for i in range(100):
        bag.learn_one(f"wolf word{i}")
        assert len(bag._vocabulary.saved()[-2][1]) <= 11
    assert bag.dfs == {"wolf": 100}
    bag = LogTFIDF(min_count=2, max_rare=2)
    for text in ["owl fox", "fox", "whale", "bee"]:  # with the bee there are three: forgotten
        bag.learn_one(text)
    assert bag.dfs == {"fox": 2}
    for text in ["owl", "whale", "owl"]:
        bag.learn_one(text)
    assert bag.dfs == {"fox": 2, "owl": 2}


def test_words_are_looked_up_again_once_rare_ones_are_forgotten():
    bag, text = LogTFIDF(min_count=2, max_rare=1), "owl owl fox bee"
    for one in ("rare", "fox fox", text):  # with the bee there are two: forgotten
        bag.learn_one(one)
    again = pickle.loads(pickle.dumps(bag))
    again._learned = bag._learned = None
    assert bag.transform_one(text) == again.transform_one(text)


@pytest.mark.parametrize("blank", "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f")
def test_characters_stand_between_the_blanks_of_python(blank):
    bag = LogTFIDF(analyzer="char_wb")
    bag.learn_one(f"wolf{blank}owl")
    assert bag.dfs == dict.fromkeys(["~ ", *("~" + letter for letter in "wolf")], 1)


def test_by_default_a_word_is_a_feature_from_its_first_occurrence_on():
    bag = LogTFIDF()
    for text in ["a wolf", "an owl"]:
        bag.learn_one(text)
    assert bag.dfs == {"a": 1, "wolf": 1, "an": 1, "owl": 1}


def test_a_rare_word_takes_at_most_150_bytes():
    bag, n = LogTFIDF(min_count=3), 20_000
    before = bag._raw_memory_usage
    for i in range(0, n, 100):
        bag.learn_one(" ".join(f"word{j:06}" for j in range(i, i + 100)))
    size = bag._raw_memory_usage - before
    assert 30 * n < size < 150 * n


# Bad input


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ({}, r"^x must have the features 'title', 'body', got \{\}$"),
        ({"title": ""}, r"^x must have the features 'title', 'body', got \{'title': ''\}$"),
        ("wolf", "^x must have the features 'title', 'body', got 'wolf'$"),
        (None, "^x must have the features 'title', 'body', got None$"),
        ({"title": "", "body": float("nan")}, "^expected text, got nan; leave out .*"),
        ({"title": None, "body": ""}, "^expected text, got None; leave out .*"),
        ({"title": b"wolf", "body": ""}, "^expected text, got b'wolf'$"),
        ({"title": ["wolf"], "body": ""}, r"^expected text, got \['wolf'\]$"),
    ],
)
def test_what_is_not_text_is_refused(x, message):
    bag = LogTFIDF(on=("title", "body"), min_count=1)
    bag.learn_one({"title": "wolf", "body": "owl"})
    before = pickle.dumps(bag)
    for method in (bag.learn_one, bag.transform_one):
        with pytest.raises(ValueError, match=message):
            method(x)
    assert pickle.dumps(bag) == before


@pytest.mark.parametrize("x", [None, 1.5, {"text": "wolf"}, ["wolf"], b"wolf"])
def test_a_text_must_be_text(x):
    help_ = ".*`on` names the features" * isinstance(x, dict)
    with pytest.raises(ValueError, match=rf"^expected text, got {help_}"):
        LogTFIDF().learn_one(x)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"on": []}, "^`on` must name a feature, got none; `on=None` takes texts$"),
        ({"on": ()}, "^`on` must name a feature, got none; `on=None` takes texts$"),
        ({"stop_words": "the"}, "^`stop_words` must be a list of words, got 'the'$"),
        ({"min_count": 0}, "^`min_count` must be a positive integer, got 0$"),
        ({"min_count": 1.5}, "^`min_count` must be a positive integer, got 1.5$"),
        ({"max_rare": -1}, "^`max_rare` must be a positive integer, got -1$"),
        ({"max_rare": None}, "^`max_rare` must be a positive integer, got None$"),
        ({"ngram_range": (2, 1)}, r"^`ngram_range` must be two integers, .* got \(2, 1\)$"),
        ({"ngram_range": (0, 1)}, "^`ngram_range` must be two integers"),
        ({"ngram_range": (1, 1.5)}, "^`ngram_range` must be two integers"),
        ({"ngram_range": 2}, "^`ngram_range` must be two integers, .* got 2$"),
        ({"ngram_range": (1, 2, 3)}, "^`ngram_range` must be two integers"),
        ({"analyzer": "char"}, '^`analyzer` must be "word" or "char_wb", got \'char\'$'),
        ({"n_features": 3}, "^`n_features` must be a power of 2"),
        ({"tokenizer_pattern": "("}, r"^`tokenizer_pattern` must be a regular .* got '\('"),
        ({"tokenizer_pattern": 1}, "^`tokenizer_pattern` must be a regular .* got 1"),
        ({"tokenizer_pattern": "(a)(b)"}, "^`tokenizer_pattern` must have at most one group"),
    ],
)
def test_wrong_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        LogTFIDF(**parameters)


@pytest.mark.parametrize("value", [-1.0, float("inf"), float("nan"), "1"])
def test_a_weight_of_common_words_is_a_number(value):
    with pytest.raises(ValueError, match=r"^`least_idf` must be finite and at least 0, got "):
        TextViews(least_idf=value)


SENTENCES = {
    # text, words, and two runs of characters
    "今天天气很好": ("今 天 天 气 很 好", ["~ 今天", "~天气很"]),
    "私はタワーを見ました。": ("私 は タワー を 見 ま し た", ["~タワー ", "~ました"]),
    "오늘은 날씨가 좋다": ("오늘은 날씨가 좋다", ["~오늘은", "~ 좋다"]),
    "आज मौसम अच्छा है": ("आज मौसम अच्छा है", ["~मौसम", "~अच्छ"]),
    "วันนี้ดี": ("วั น นี้ ดี", ["~ วัน", "~นี้ด"]),
    "买了iPhone手机": ("买 了 iphone 手 机", ["~ 买了", "~ iph"]),
    "ＦＵＬＬ caf\u00e9 cafe\u0301 ﾀﾜｰ": ("full café café タワー", ["~café", "~ ful"]),
    "I love it ❤️👍🏽 :)": ("i love it ❤ 👍", ["~love", "~ :) "]),
    "co\u00adoperate, don’t": ("cooperate don t", ["~coop", "~on’t"]),
}


@pytest.mark.parametrize("text", SENTENCES)
def test_words_of_any_script(text):
    words, runs = SENTENCES[text]
    bag = LogTFIDF()
    bag.learn_one(text)
    assert list(bag.dfs) == list(dict.fromkeys(words.split()))
    views = TextViews().transform_one(text)
    assert {*words.split(), *runs} <= views.keys()


def test_words_of_a_pattern_stay_as_they_were():
    """Those of models that version 0.1 has saved, whose pattern this was."""
    text, pattern = "Ünï. a 今天 ﬁn x_1", r"\w\w+"
    bag = LogTFIDF(tokenizer_pattern=pattern)
    bag.learn_one(text)
    assert list(bag.dfs) == ["ünï", "今天", "ﬁn", "x_1"]
    views = TextViews(tokenizer_pattern=pattern).transform_one(text)
    assert {"今天 ﬁn", "~ünï.", "~ 今天 ", "~ a "} <= views.keys()
    assert "~ xs " in TextViews(tokenizer_pattern=r"xs").transform_one("axsa")


def test_stop_words():
    assert len(STOP_WORDS) == len(set(STOP_WORDS)) > 100
    assert all(oracle.words(word) == [word] for word in STOP_WORDS if len(word) > 1)
    assert {"the", "of", "and", "is"} <= set(STOP_WORDS)


# In River

# Features that come and go: a text that is not there is refused, not taken for an empty one.
LEAVE_OUT = ("check_emerging_features", "check_disappearing_features")


@pytest.mark.parametrize("bag", [LogTFIDF(), LogTFIDF(["a", "b"], STOP_WORDS, 1)], ids=["x", "on"])
def test_rivers_checks(bag, monkeypatch):
    # River has no texts among what it checks transformers with.
    stream = [({"a": a, "b": b}, 1.0) for a, b in itertools.product(TEXTS, repeat=2)]
    monkeypatch.setattr(checks, "_yield_datasets", lambda model, scale=1: [stream * scale])
    done = 0
    for check in checks.yield_checks(bag):
        of_examples = hasattr(check, "keywords")
        if check.__name__.endswith(LEAVE_OUT) or "radically" in check.__name__:
            continue
        if not (of_examples and bag.on is None):
            check(bag.clone())
            done += 1
    assert done >= (11 if bag.on is None else 18)


def test_in_a_union():
    bag = LogTFIDF(on="text", min_count=1)
    assert base.tags.TEXT_INPUT in LogTFIDF()._tags
    assert base.tags.TEXT_INPUT not in bag._tags
    both = bag.clone() + compose.Select("year")
    assert both.transform_one({"text": "", "year": 1}) == {"year": 1}


@pytest.mark.parametrize("kind", ["series", "array", "list", "pyarrow", "frame", "polars"])
def test_batches_are_loops(kind):
    texts = ["a cat and a dog", "the dog", "", "the end, the very end", "cat, cat"] * 3
    on = "text" if kind in ("frame", "polars") else None
    one, many = LogTFIDF(on=on, min_count=1), LogTFIDF(on=on, min_count=1)
    series = pd.Series(texts, index=range(5, 20))
    X = {
        "series": lambda: series,
        "array": lambda: np.array(texts),
        "list": lambda: texts,
        "pyarrow": lambda: pytest.importorskip("pyarrow").array(texts),
        "frame": lambda: pd.DataFrame({"id": range(15), "text": texts}),
        "polars": lambda: pytest.importorskip("polars").DataFrame({"text": texts}),
    }[kind]()
    documents = [{"text": text} for text in texts] if on else texts
    learned = []
    for x in documents:
        one.learn_one(x)
        learned.append(one.transform_one(x))
    many.learn_many(X)
    assert (one.n, one.dfs) == (many.n, many.dfs)
    for expected in (learned, [one.transform_one(x) for x in documents]):
        table = many.transform_many(X)
        if kind in ("array", "list", "pyarrow", "polars"):
            assert isinstance(table, sparse.csr_array)
            cells = table.toarray()
        else:
            assert type(table) is pd.DataFrame
            cells = np.array(table, dtype=float)
        names = list(table.columns)
        for x, row in zip(expected, cells, strict=True):
            assert {k: v for k, v in zip(names, row.tolist(), strict=True) if v} == x
        if kind == "series":
            assert table.index.equals(series.index)


def test_a_batch_is_a_sequence_of_texts():
    message = r"^X must be a series or a sequence of texts, got "
    for X in (iter(["a cat"]), "a cat", None):
        with pytest.raises(TypeError, match=message + type(X).__name__):
            LogTFIDF().learn_many(X)


@pytest.mark.parametrize("enabled", [True, False])
def test_garbage_collection_stays_as_it_is(enabled, request):
    request.addfinalizer(gc.enable)
    gc.enable() if enabled else gc.disable()
    LogTFIDF().transform_many(pd.Series(["a cat"]))
    assert gc.isenabled() == enabled


def test_a_batch_with_a_wrong_text_is_not_counted():
    model = LogTFIDF()
    for X in (["one", 2], pd.Series(["one", None])):
        with pytest.raises(ValueError, match="row 1: expected text"):
            model.learn_many(X)
    with pytest.raises(TypeError, match='`on="text"`'):
        model.learn_many(pd.DataFrame({"text": ["one"]}))
    with pytest.raises(TypeError, match="dataframe"):
        LogTFIDF(on="text").learn_many(["one"])
    with pytest.raises(ValueError, match="X must have the column 'text'"):
        LogTFIDF(on="text").learn_many(pd.DataFrame({"title": ["one"]}))
    assert model.n == 0


# What a model learns is what it would have predicted

T = Taxonomy([("animal", "mammal"), ("animal", "bird"), ("mammal", "wolf"), ("mammal", "fox")])
words = st.sampled_from(["wolf", "fox", "owl", "the", "a", "snow", "hunts", "sings"])
documents = st.lists(words, max_size=4).map(" ".join)
streams = st.lists(st.tuples(documents, st.sampled_from(T.nodes)), min_size=1, max_size=30)

TRANSFORMERS = {
    "words": LogTFIDF,
    "min_count": lambda: LogTFIDF(min_count=2, max_rare=3, normalize=False),
    "characters": lambda: LogTFIDF(analyzer="char_wb", ngram_range=(2, 3)),
    "hashed": lambda: LogTFIDF(n_features=4),
    "union": lambda: LogTFIDF() + LogTFIDF(analyzer="char_wb"),
}


@pytest.mark.parametrize("transformer", TRANSFORMERS)
@n_examples(10)
@given(st.lists(streams, max_size=3))
def test_what_is_learned_is_what_would_have_been_predicted(transformer, batches):
    """One by one, in batches, and where River's transformers learn from predictions."""
    one = TRANSFORMERS[transformer]() | linear_model.Hieron(T)
    many, early = one.clone(), one.clone()
    for batch in batches:
        texts, ys = map(list, zip(*batch, strict=True))
        for text, y in batch:
            one.learn_one(text, y)
            with compose.learn_during_predict():
                early.predict_one(text)
                early.learn_one(text, y)
        many.learn_many(texts, ys)
        xs = [one.transform_one(text) for text in texts]
        assert [many.transform_one(text) for text in texts] == xs
        for x in xs:
            scores = one[-1].score_one(x)
            assert early[-1].score_one(x) == scores
            assert many[-1].score_one(x) == pytest.approx(scores)
        p = np.array(many.predict_proba_many(np.array(texts, dtype=object)))
        expected = [list(one.predict_proba_one(text).values()) for text in texts]
        assert p == pytest.approx(np.array(expected))


@pytest.mark.parametrize("options", [{}, {"analyzer": "char_wb"}, {"n_features": 2**20}])
def test_predictions_store_no_names(options):
    model = LogTFIDF(**options) | linear_model.PathSoftmax()
    texts = [f"a text of {word}" for word in ("cats", "dogs", "owls")]
    model.learn_many(texts, texts)
    model.predict_many(texts)
    before = pickle.dumps(list(model.steps.values()))
    sizes = []
    for letter in "qz":  # with the first, buffers grow
        unseen = [f"{i}{letter}{i}" for i in range(1000, 2000)]
        model.predict_many(unseen)
        for text in unseen:
            model.predict_one(text)
        sizes.append(sum(step._raw_memory_usage for step in model.steps.values()))
    assert sizes[0] == sizes[1]
    assert pickle.dumps(list(model.steps.values())) == before
