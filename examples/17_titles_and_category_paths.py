"""How do titles get their category?

Products of a shop: a column of titles and one of category paths, as they were scraped. The paths
have one to eight levels, the last name is often that of the product itself, and many categories
have a single product. Recorded with 12,000 products of
[Flipkart](https://www.kaggle.com/datasets/PromptCloudHQ/flipkart-products), which needs an account.
"""

# %%
# A path looks like `["Clothing >> Men's Clothing >> T-Shirts"]`. Titles that repeat are left out. A
# product belongs to its most specific category with at least ten products. Equal names occur in
# different branches, so labels are whole paths.
import os
from collections import Counter
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from river_hier import Taxonomy, feature_extraction, linear_model, metrics

file = Path(os.environ["RIVER_HIER_DATA"], "products", "products.csv.gz")
df = pd.read_csv(file).drop_duplicates("product_name").sample(frac=1, random_state=0)
paths = df.product_category_tree.str.strip('["]')
tree = Taxonomy.from_paths(paths, separator=" >> ", labels="path", min_count=10)
df["category"] = paths.map(tree.nearest).replace(tree.root, None)
df = df.dropna()
print(f"{len(df):,} titles in {df.category.nunique()} categories\n{tree}")

# %%
# One pass over four fifths of the titles, and the share of right answers for the others.
train, valid = df[len(df) // 5 :], df[: len(df) // 5]
model = feature_extraction.LogTFIDF(min_count=1) | linear_model.PathSoftmax(tree)
for title, category in zip(train.product_name, train.category, strict=True):
    model.learn_one(title, category)
pairs = [*zip(valid.product_name, valid.category, strict=True)]
right = Counter(y.partition(" >> ")[0] for title, y in pairs if model.predict_one(title) == y)
n = Counter(y.partition(" >> ")[0] for _, y in pairs)
print(f"right: {right.total() / n.total():.1%}")

# %%
# A category above the true one is true, too: the higher the threshold, the more answers are true,
# and the less specific they are.
for threshold in (0.3, 0.5, 0.7, 0.9, 0.99):
    error, true, depth = metrics.TreeInducedError(tree), 0, 0
    for title, y in pairs:
        answer = model.predict_one(title, threshold=threshold)
        error.update(y, answer)
        true += answer in tree.path(y)
        depth += tree.depth(answer)
    shown = f"{true / len(pairs):.1%} true, mean depth {depth / len(pairs):.2f}"
    print(f"threshold {threshold:<5}{shown}, {error.get():.3f} edges from the truth")

# %%
# Where are the mistakes? [Another page](../../your_dataframe.md) has scikit-learn's and HiClass'.
figure, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
largest = [branch for branch, _ in n.most_common(12)][::-1]
ax.barh(largest, [100 - 100 * right[branch] / n[branch] for branch in largest])
ax.set(xlabel="wrong answers (%)", ylabel="largest branches")
plt.show()
