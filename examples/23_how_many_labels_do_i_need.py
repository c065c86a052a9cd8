"""How many labels do I need?

Whoever labels titles of products pays for each label. A sampler says which ones are worth it: how
far does a part of the labels get, if they are chosen, and if they are drawn at random? Recorded
with [Flipkart](https://www.kaggle.com/datasets/PromptCloudHQ/flipkart-products).
"""

# %%
# Titles as in [the page on them](../17_titles_and_category_paths/). Their words need no labels.
import os
import random
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from river_hier import Taxonomy, active, feature_extraction, linear_model

file = Path(os.environ["RIVER_HIER_DATA"], "products", "products.csv.gz")
df = pd.read_csv(file).drop_duplicates("product_name").sample(frac=1, random_state=0)
paths = df.product_category_tree.str.strip('["]')
t = Taxonomy.from_paths(paths, separator=" >> ", labels="path", min_count=10)
df["category"] = paths.map(t.nearest).replace(t.root, None)
df = df.dropna()
words, rows = feature_extraction.LogTFIDF(), []
for text, y in zip(df.product_name, df.category, strict=True):
    words.learn_one(text)
    rows.append((words.transform_one(text), y))
train, test = rows[len(rows) // 10 :], rows[: len(rows) // 10]
print(f"{len(train):,} titles to learn, {len(test):,} to test, {len(t):,} categories")

# %%
# `MarginSampler` asks where the two likeliest labels are close, for a given share of the titles.
# From where `question_one` says, an answer takes fewer clicks than from the root of the tree.
shares, found = [0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0], []
for share in shares:
    sampler, asked = active.MarginSampler(linear_model.PathSoftmax(t), share), 0
    chance, rng, clicks, whole = linear_model.PathSoftmax(t), random.Random(0), 0, 0
    for x, y in train:
        start = sampler.question_one(x)
        if sampler.predict_one(x)[1]:
            sampler.learn_one(x, y)
            asked, whole = asked + 1, whole + t.depth(y)
            clicks += t.depth(y) - t.depth(start) if start in t.path(y) else t.depth(y) + 1
        if rng.random() < share:
            chance.learn_one(x, y)
    wrong = [sum(m.predict_one(x) != y for x, y in test) for m in (sampler.classifier, chance)]
    found.append((asked / len(train), *(n / len(test) for n in wrong), clicks / whole))
    print("asked {:.2f}: wrong {:.3f}, at random {:.3f}; clicks {:.2f}".format(*found[-1]))

# %%
# Half of the labels, if they are chosen, are nearly as good as all: [labels](../../labels.md).
figure, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
parts, chosen, drawn, saved = zip(*found, strict=True)
ax.plot(shares, drawn, "o-", color="#A0A0A0", label="labels at random")
ax.plot(parts, chosen, "o-", color="#0072B2", label="labels that are asked for")
ax.plot(parts, saved, ":", color="#D55E00", label="clicks, as a share of those from the root")
ax.set(xlabel="share of the labels", ylabel="share of wrong answers", ylim=(0, 1), xlim=(0, 1))
ax.legend()
plt.show()
