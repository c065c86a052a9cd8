"""Do parts of words help?

A model may read the words of a text, or its words, pairs of words and runs of characters side by
side: views of one text. How many labels does each get wrong, before it learns them? Recorded with
the collections of `examples/benchmarks/views.py`.
"""

# %%
# Queries, questions, diagnoses, titles of products, and news: a taxonomy, and pairs of a text and
# its label.
import gzip
import json
import os
import random
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from river_hier import Taxonomy, datasets, ensemble, feature_extraction, linear_model

data = Path(os.environ["RIVER_HIER_DATA"])
found = {}
with gzip.open(data / "clinc150" / "data_full.json.gz", "rt") as file:
    t = Taxonomy.from_nested({"oos": json.loads((data / "clinc150" / "domains.json").read_text())})
    found["queries"] = t, json.load(file)["train"]
for name, title in (("trec", "questions"), ("icd", "diagnoses")):
    with gzip.open(data / name / f"{name}.jsonl.gz", "rt") as file:
        (_, edges), *rows = map(json.loads, file)
    t = Taxonomy([(str(a), str(b)) for a, b in edges])
    found[title] = t, [(text, str(y)) for part, text, y in rows if part == "train"]
df = pd.read_csv(data / "products" / "products.csv.gz").drop_duplicates("product_name")
paths = df.product_category_tree.str.strip('["]')
t = Taxonomy.from_paths(paths, separator=" >> ", labels="path", min_count=10)
titles = zip(df.product_name, map(t.nearest, paths), strict=True)
found["titles"] = t, [(text, y) for text, y in titles if y != t.root]
news = datasets.Reuters21578(data / "reuters21578")
topics = ((x["title"] + x["body"], [v for v in news.taxonomy.leaves if y[v]]) for x, y in news)
found["news"] = news.taxonomy, [(text, on[0]) for text, on in topics if len(on) == 1]

# %%
# At most 6,000 of each, in random order. The third model, a pool, learns the weights of its views.
table = pd.DataFrame(0.0, list(found), ["words", "views, joined", "views, pooled"])
for name, (t, pairs) in found.items():
    tfidf, softmax = feature_extraction.LogTFIDF, linear_model.PathSoftmax
    parts = tfidf(), tfidf(ngram_range=(2, 2)), tfidf(analyzer="char_wb", ngram_range=(4, 4))
    pool = ensemble.LogarithmicPool([part | softmax(t) for part in parts])
    models = tfidf() | softmax(t), feature_extraction.TextViews() | softmax(t, margin=1), pool
    n = min(len(pairs), 6_000)
    for x, y in random.Random(0).sample(pairs, n):
        table.loc[name] += [(model.predict_one(x) != y) / n for model in models]
        for model in models:
            model.learn_one(x, y)
print(table.round(3))

# %%
# Views gain most where texts are short. Of these the news are the longest, by far.
table.plot.barh(color=["#A0A0A0", "#56B4E9", "#0072B2"], xlabel="wrong", ylabel="collection")
plt.tight_layout()
plt.show()
