"""What text features take, from raw strings, beside finding and counting words alone.

    python tests/bench/text.py --data FOLDER

The texts are titles and bodies of Reuters-21578. All rows get the same documents, in blocks of
500, by turns. The first 1,000 documents are not counted. The output has the medians of processor
time over the blocks, and their ratios to `collections.Counter` over a compiled regular expression.
In the rows of batches, a block is one batch.
"""

import argparse
import collections
import itertools
import re
import statistics
import time
from pathlib import Path

import pandas as pd
from river import feature_extraction as river_features
from river import preprocessing
from tqdm import tqdm

from river_hier import datasets, feature_extraction, linear_model

BLOCK, DISCARDED = 500, 1_000
COUNTING = "Counter of words"


def main(folder, n, n_words):
    stream = datasets.Reuters21578(None if folder is None else Path(folder) / "reuters21578")
    examples = [(f"{x['title']} {x['body']}", y) for x, y in itertools.islice(stream, n)]
    examples = [(" ".join(text.split()[:n_words]) if n_words else text, y) for text, y in examples]
    words = re.compile(r"\w\w+").findall

    def bag(**options):
        return feature_extraction.LogTFIDF(min_count=1, **options)

    def model():
        return linear_model.HAROW(stream.taxonomy)

    alone, tfidf, both = bag(), river_features.TFIDF(), bag()
    other, own = bag(), bag(tokenizer_pattern="[a-z]+")
    pairs, hashed = bag(ngram_range=(1, 2)), bag(n_features=2**18)
    short, long = bag() | model(), bag() | preprocessing.Normalizer() | model()
    batched, framed, last = bag() | model(), bag() | model(), model()
    features = {}

    def learn_and_transform(transformer):
        def step(text, _):
            transformer.learn_one(text)
            transformer.transform_one(text)

        return step

    def transform(text, _):
        features[text] = alone.transform_one(text)

    not_ascii = learn_and_transform(other)
    rows = {
        COUNTING: lambda text, _: collections.Counter(words(text.lower())),
        "LogTFIDF.learn_one": lambda text, _: alone.learn_one(text),
        "LogTFIDF.transform_one": transform,
        "LogTFIDF, both of each text": learn_and_transform(both),
        "the same with n_features": learn_and_transform(hashed),
        "the same with words and pairs": learn_and_transform(pairs),
        "the same with tokenizer_pattern": learn_and_transform(own),
        "the same, not ASCII": lambda text, y: not_ascii(f"{text} é", y),
        "River's TFIDF, both": learn_and_transform(tfidf),
        "HAROW.learn_one alone": lambda text, y: last.learn_one(features[text], y),
        "LogTFIDF | HAROW, learn_one": short.learn_one,
        "LogTFIDF | HAROW, predict_one": lambda text, _: short.predict_one(text),
        "LogTFIDF | Normalizer | HAROW, learn_one": long.learn_one,
    }
    batches = {
        "transform_many of a list": lambda texts, _: alone.transform_many(texts),
        "transform_many of a pandas.Series": lambda texts, _: alone.transform_many(
            pd.Series(texts)
        ),
        "LogTFIDF | HAROW, learn_many of a list": batched.learn_many,
        "the same of a pandas.Series": lambda texts, ys: framed.learn_many(pd.Series(texts), ys),
    }
    taken = collections.defaultdict(list)
    for first in tqdm(range(0, n - BLOCK + 1, BLOCK), unit_scale=BLOCK, unit="doc"):
        block = examples[first : first + BLOCK]
        texts, ys = [text for text, _ in block], [y for _, y in block]
        for row, call in rows.items():
            begun = time.process_time_ns()
            for text, y in block:
                call(text, y)
            taken[row].append((time.process_time_ns() - begun) / BLOCK / 1_000)
        for row, learn in batches.items():
            begun = time.process_time_ns()
            learn(texts, ys)
            taken[row].append((time.process_time_ns() - begun) / BLOCK / 1_000)
        features.clear()
    found = {row: statistics.median(times[DISCARDED // BLOCK :]) for row, times in taken.items()}
    print(f"\n{statistics.mean(len(words(text)) for text, _ in examples):.0f} words a document")
    for row, microseconds in found.items():
        print(f"{row:42}{microseconds:8.1f} us {microseconds / found[COUNTING]:6.1f}x")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--data", help="folder with the files of Reuters-21578; downloaded by default"
    )
    parser.add_argument("--documents", type=int, default=6_000, help="how many to read")
    parser.add_argument("--words", type=int, help="how many words of each text to keep")
    arguments = parser.parse_args()
    main(arguments.data, arguments.documents, arguments.words)
