"""Which queries belong nowhere?

Users ask an assistant to pay a bill or to book a flight: 150 intents in 10 domains. Others ask what
no intent covers. A sure answer is handled, an answer that stops at the domain can be met with a
question, and the root means "none of these". How many queries are handled at each threshold, and
how many of those that are out of scope? Recorded with CLINC150, of https://github.com/clinc/oos-eval.
"""

# %%
# The root of the taxonomy is called `oos`, the publisher's label of queries that are out of scope.
# Queries are sorted by intent, so they are shuffled. No query out of scope is learned from.
import gzip
import json
import os
import random
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from river_hier import Taxonomy, feature_extraction, linear_model

folder = Path(os.environ["RIVER_HIER_DATA"], "clinc150")
with gzip.open(folder / "data_full.json.gz", "rt", encoding="utf-8") as file:
    splits = json.load(file)
train, valid, outside = (splits[name] for name in ("train", "val", "oos_val"))
t = Taxonomy.from_nested({"oos": json.loads((folder / "domains.json").read_text())})
random.Random(0).shuffle(train)
model = feature_extraction.LogTFIDF(min_count=1) | linear_model.PathSoftmax(t)
for x, y in train:
    model.learn_one(x, y)
print(f"{len(train):,} queries to learn, {len(valid):,} and {len(outside)} to validate\n{t}")

# %%
# For an intent or a domain, the answer is the most specific node that is likely enough; if no
# domain is, it is the root.
thresholds = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999]
kinds = ["the root", "a domain", "a wrong intent", "the right intent"]
shares = np.zeros((2, len(thresholds), len(kinds)))
for i, threshold in enumerate(thresholds):
    for of, queries in zip(shares, (valid, outside), strict=True):
        for x, y in queries:
            answer = model.predict_one(x, threshold=threshold)
            of[i, t.depth(answer) + (y == answer != t.root)] += 1 / len(queries)
print(f"{'in scope; out of scope':<24}" + "".join(f"{kind:>18}" for kind in kinds))
for threshold, inside, out in zip(thresholds, *shares, strict=True):
    cells = (f"{100 * a:.1f} %; {100 * b:.0f} %" for a, b in zip(inside, out, strict=True))
    print(f"threshold {threshold:<14}" + "".join(f"{cell:>18}" for cell in cells))

# %%
# Left, queries that belong to an intent; right, those that do not. [Your own
# dataframe](../../your_dataframe.md) compares the model with scikit-learn's and with HiClass.
figure, both = plt.subplots(1, 2, figsize=(6.4, 4), sharey=True, layout="constrained")
colors = ["#A0A0A0", "#E69F00", "#D55E00", "#0072B2"]
for ax, title, of in zip(both, ("in scope", "out of scope"), shares, strict=True):
    ax.stackplot(range(len(thresholds)), *of.T, labels=kinds, colors=colors)
    ax.set_xticks(range(len(thresholds)), thresholds, rotation=90)
    ax.set(xlabel="threshold", title=title, ylabel="share of the queries", ylim=(0, 1))
both[0].legend(reverse=True, loc="center")
plt.show()
