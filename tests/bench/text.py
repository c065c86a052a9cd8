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

    tfidf, both, pairs = river_features.TFIDF(), bag(), bag(ngram_range=(1, 2))
    online, batched, framed = bag() | model(), bag() | model(), bag() | model()

    def learn_and_transform(transformer):
        def step(text, _):
            transformer.learn_one(text)
            transformer.transform_one(text)

        return step

    rows = {
        COUNTING: lambda text, _: collections.Counter(words(text.lower())),
        "LogTFIDF, both of each text": learn_and_transform(both),
        "the same with words and pairs": learn_and_transform(pairs),
        "River's TFIDF, both": learn_and_transform(tfidf),
        "LogTFIDF | HAROW, learn_one": online.learn_one,
        "LogTFIDF | HAROW, predict_one": lambda text, _: online.predict_one(text),
    }
    batches = {
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
