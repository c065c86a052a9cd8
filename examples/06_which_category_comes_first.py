"""Which category comes first, from a few examples of each?

A shop has sorted a handful of products. For another title, the rankers of Cai and Hofmann (2007)
order the categories: minover, a perceptron, and the hierarchical multilabel SVM. How much does the
tree help? Recorded with Flipkart's paths cut at depth 3: in the paper all leaves are equally deep.
"""

# %%
# Titles as bags of words. As in the paper, labels have norm 1, and a mistake costs half its edges.
import os

import matplotlib.pyplot as plt
import pandas as pd

from river_hier import Taxonomy, batch, feature_extraction, metrics

file = os.environ["RIVER_HIER_DATA"] + "/products/products.csv.gz"
df = pd.read_csv(file).drop_duplicates("product_name").sample(frac=1, random_state=0)
paths = df.product_category_tree.str.strip('["]').str.split(" >> ")
df["category"] = paths[paths.str.len() >= 3].str[:3].str.join(" >> ")
df = df[df.groupby("category").category.transform("size") >= 10]
df["nth"] = df.iloc[1000:].groupby("category").cumcount()  # the first 1,000 are tested
t = Taxonomy.from_paths(df.category, separator=" >> ", labels="path")
words = feature_extraction.LogTFIDF(min_count=1)
for title in df.product_name:
    words.learn_one(title)
xs = map(words.transform_one, df.product_name)
examples = [*zip(xs, df.category, df.nth, strict=True)]
costs: dict = {"missed": 0.5, "spurious": 0.5, "tol": 0.05}
flat: dict = {"taxonomy": t.flatten(), "candidates": t.leaves}
rankers = {
    "minover, tree": batch.BatchHMinOver(t, t=t.height**-0.5),
    "minover, flat": batch.BatchHMinOver(**flat),
    "SVM, tree": batch.HierarchicalMultilabelSVM(t, **costs, unit_norm=True),
    "SVM, flat": batch.HierarchicalMultilabelSVM(**flat, **costs),
}

# %%
# How often the right one of 109 categories comes first, on 1,000 titles.
sizes, losses = (1, 2, 4, 8), dict[str, list]()
print(f"{'learned of each':<16}" + "".join(f"{n:>8}" for n in sizes))
for name, ranker in rankers.items():
    print(f"{name:<16}", end="")
    for n in sizes:
        found = metrics.OneAccuracy(t) + metrics.MaximalLoss(t)
        ranker.fit([(x, {y}) for x, y, nth in examples if nth < n])
        for x, y, _ in examples[:1000]:
            found.update({y}, ranker.score_one(x))
        print(f"{found[0].get():>8.1%}", end="\n" if n == sizes[-1] else "")
        losses.setdefault(name, []).append(found[1].get())

# %%
# The maximal loss is the distance from the right category to the farthest that is ranked above it.
figure, ax = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
for (name, each), style in zip(losses.items(), ("C1o-", "C1o--", "C0s-", "C0s--"), strict=True):
    ax.plot(sizes, each, style, label=name)
ax.set(xlabel="products learned of each category", ylabel="maximal loss (edges)", ylim=0)
ax.set_xticks(sizes)
ax.legend()
plt.show()
