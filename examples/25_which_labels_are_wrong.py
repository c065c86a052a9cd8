"""Which of my labels are wrong?

A shop files some of its products in the wrong category. A model that learns from all of them, and
how many labels are wrong at which depth, says which rows to look at first, and where in the tree
they lie. Recorded with 12,000 products of
[Flipkart](https://www.kaggle.com/datasets/PromptCloudHQ/flipkart-products), which needs an account.
"""

# %%
# Titles and the paths of their categories, as in the example on titles and category paths.
import os
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from river_hier import Taxonomy, inspection, linear_model
from river_hier.feature_extraction import TextViews

file = Path(os.environ["RIVER_HIER_DATA"], "products", "products.csv.gz")
df = pd.read_csv(file).drop_duplicates("product_name").sample(frac=1, random_state=0)
paths = df.product_category_tree.str.strip('["]')
tree = Taxonomy.from_paths(paths, separator=" >> ", labels="path", min_count=10)
df["category"] = paths.map(tree.nearest).replace(tree.root, None)
df = df.dropna(subset="category")
rows = [*zip(df.product_name, df.category, strict=True)]

# %%
# Each half of the rows is judged by a model that has learned the other one. The rows that are most
# likely wrong, with the label that is given and the one that is proposed:
found = inspection.suspects(TextViews() | linear_model.PathSoftmax(tree, margin=1), rows)
for suspect in found[:20]:
    print(f"{suspect.wrong:.2f} {suspect.x[:60]}\n     {suspect.y}\n  -> {suspect.proposed}")

# %%
# Where are they? The expected share of wrong labels, by branch.
wrong = pd.Series([s.wrong for s in found])
branch = pd.Series([s.y.split(" >> ")[0] for s in found])
shares = wrong.groupby(branch).agg(["mean", "size"]).query("size >= 50").sort_values("mean")
fig, ax = plt.subplots(figsize=(6.4, 6.4), layout="constrained")
ax.barh(shares.index, 100 * shares["mean"])
ax.set(xlabel="expected share of wrong labels, %", ylabel="branch")
plt.show()
