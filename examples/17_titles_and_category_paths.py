"""How do titles get their category?

Products of a shop: a column of titles and one of category paths, as they were scraped. The paths
have one to eight levels, the last name is often that of the product itself, and many categories
have a single product. From the file to a saved model it takes ten statements. The data are not
part of the package: this page shows the recorded output of a run with 12,000 products of
[Flipkart](https://www.kaggle.com/datasets/PromptCloudHQ/flipkart-products), which needs an account.
"""

# %%
# A path looks like `["Clothing >> Men's Clothing >> T-Shirts"]`. Titles that repeat are left out,
# because a model would meet them again in the validation part. A product belongs to its most
# specific category with at least ten products. Equal names occur in different branches, so labels
# are whole paths.
import os
import pickle
from collections import Counter
from pathlib import Path

import pandas as pd

from river_hier import Taxonomy, feature_extraction, inspection, linear_model, metrics

file = Path(os.environ["RIVER_HIER_DATA"], "products", "products.csv.gz")
df = pd.read_csv(file).drop_duplicates("product_name").sample(frac=1, random_state=0)
paths = df.product_category_tree.str.strip('["]')
tree = Taxonomy.from_paths(paths, separator=" >> ", labels="path", min_count=10)
df["category"] = paths.map(tree.nearest).replace(tree.root, None)
df = df.dropna()
print(f"{len(df):,} titles in {df.category.nunique()} categories\n{tree}")

# %%
# The tree: its largest branches, with their numbers of products.
sizes = Counter(path for category in df.category for path in tree.path(category))
for top in sorted(tree.children(tree.root), key=lambda path: -sizes[path])[:4]:
    print(f"\n{top} ({sizes[top]:,})")
    for child in sorted(tree.children(top), key=lambda path: -sizes[path])[:3]:
        below = len(tree.descendants(child))
        print(f"    {child.rpartition(' >> ')[2]} ({sizes[child]:,}), categories below: {below}")

# %%
# One pass over four fifths of the titles. `PathSoftmax` is the recommended model for one label on
# text; it takes x of norm 1 and has probabilities. The model is saved and loaded again.
train, valid = df[len(df) // 5 :], df[: len(df) // 5]
words = feature_extraction.LogTFIDF(min_count=1)
model = words | linear_model.PathSoftmax(tree)
for title, category in zip(train.product_name, train.category, strict=True):
    model.learn_one(title, category)
saved = pickle.dumps(model)
print(f"{len(saved) / 1e6:.1f} MB")
model = pickle.loads(saved)

# %%
# The validation part, branch by branch: the share of right categories, and the mean number of edges
# between the predicted and the true one.
tops = [path.partition(" >> ")[0] for path in valid.category]
answers = [model.predict_one(title) for title in valid.product_name]
errors = {top: metrics.TreeInducedError(tree) for top in ["all", *sorted(set(tops))]}
right = Counter[str]()
for top, y, answer in zip(tops, valid.category, answers, strict=True):
    for branch in ("all", top):
        errors[branch].update(y, answer)
        right[branch] += y == answer
n = Counter({"all": len(valid)}) + Counter(tops)
print(f"{'':<30}{'titles':>8}{'right':>8}{'distance':>10}")
for branch, total in n.most_common(10):
    shown = f"{total:>8,}{right[branch] / total:>8.1%}{errors[branch].get():>10.3f}"
    print(f"{branch:<30}{shown}")

# %%
# Answers that stop early, for two titles with wrong answers. A category above the true one is true,
# too: the higher the threshold, the more answers are true, and the less specific they are.
pairs = [*zip(valid.product_name, valid.category, strict=True)]
wrong = [pair for pair, answer in zip(pairs, answers, strict=True) if pair[1] != answer]
for title, y in wrong[:2]:
    print(f"\n{title}\n   true: {y}")
    for path, p in inspection.top_one(model, title, k=2, leaves=True):
        print(f" {p:>6.1%}: {path[-1]}")
    print(f" at 0.9: {model.predict_one(title, threshold=0.9)}")
print(f"\n{'threshold':<12}{'true':>8}{'depth':>8}{'distance':>10}")
for threshold in (0.3, 0.5, 0.7, 0.9, 0.99):
    early = [model.predict_one(title, threshold=threshold) for title, _ in pairs]
    error, true, depth = metrics.TreeInducedError(tree), 0, 0
    for (_, y), answer in zip(pairs, early, strict=True):
        error.update(y, answer)
        true += answer in tree.path(y)
        depth += tree.depth(answer)
    print(f"{threshold:<12}{true / n['all']:>8.1%}{depth / n['all']:>8.2f}{error.get():>10.3f}")

# %%
# Where are the mistakes? On the same split, with the same kind of features:
#
# | | right | distance | learning |
# |---|---|---|---|
# | this model | 87.3 % | 0.474 | 0.25 s |
# | scikit-learn's `LinearSVC` | 87.2 % | 0.529 | 0.81 s |
# | HiClass, a `LinearSVC` for each parent | 87.1 % | 0.490 | 2.14 s |
#
# [Your own dataframe](../../your_dataframe.md) has the three programs side by side.
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("\nInstall matplotlib to see this as a picture.")
else:
    figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
    largest = [branch for branch, _ in n.most_common(13)][:0:-1]
    ax.barh(largest, [errors[branch].get() for branch in largest], color="#0072B2")
    ax.axvline(errors["all"].get(), color="#D55E00", label="all branches")
    ax.set(xlabel="mean distance to the true category, in edges", ylabel="largest branches")
    ax.legend()
    plt.show()
