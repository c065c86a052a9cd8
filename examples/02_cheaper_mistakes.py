"""Are a tree's mistakes cheaper than a flat learner's?

Accuracy counts mistakes without weighting them. If you mistake a wolf for a fox, you still know
that it is a mammal; if you mistake it for a barn owl, you know nothing. This script compares a
learner that knows a tree of animals with the same learner without the tree, by the distance of
their mistakes. The plot corresponds to Figure 2 of the paper on Hieron (Dekel et al., 2004).
"""

# %%
# A taxonomy from nested dictionaries. Every node is a label, so "dog" is a valid prediction as
# well.
from river_hier import Taxonomy, datasets, linear_model, metrics

animals = Taxonomy.from_nested(
    {
        "mammal": {
            "dog": ["wolf", "fox", "jackal"],
            "whale": ["orca", "dolphin", "narwhal"],
            "ape": ["gorilla", "gibbon", "orangutan"],
        },
        "bird": {
            "owl": ["barn owl", "eagle owl", "snowy owl"],
            "duck": ["mallard", "teal", "eider"],
            "crow": ["raven", "rook", "jackdaw"],
        },
        "insect": {
            "bee": ["honeybee", "bumblebee", "mason bee"],
            "beetle": ["ladybird", "stag beetle", "firefly"],
            "butterfly": ["monarch", "swallowtail", "brimstone"],
        },
    },
    root="animal",
)
print(f"{animals}\n\nA wolf is taken for a ...   distance")
for guess in ["dog", "fox", "whale", "orca", "owl", "barn owl"]:
    print(f"  {guess:<24}{animals.distance('wolf', guess):>10}")

# %%
# A synthetic stream around a prototype for each node, where close nodes have close prototypes.
# Its tree has the same shape as ours, so we only have to rename the labels.
stream = datasets.synth.PrototypeTree(branching=3, depth=3, noise=0.16, seed=42)
names = dict(zip(stream.taxonomy, animals, strict=True))
examples = [(x, names[y]) for x, y in stream.take(5000)]


def follow(model):
    """How often each distance from the truth came, in percent, when predicting before learning."""
    histogram = metrics.DistanceHistogram(animals)
    for x, y in examples:
        histogram.update(y, model.predict_one(x))
        model.learn_one(x, y)
    return [100 * histogram.get().get(d, 0) / len(examples) for d in distances]


distances = range(2 * animals.height + 1)
tree = follow(linear_model.AveragedHieron(animals))
flat = follow(linear_model.AveragedHieron(animals.flatten()))
points = [t - f for t, f in zip(tree, flat, strict=True)]

# %%
# The last column is the difference in percentage points; it is positive where the tree predicts
# such a distance more often than the flat learner.
print(f"\n{'distance':<12}{'tree':>10}{'flat':>10}{'difference':>14}")
for d in distances:
    name = f"{d} (right)" if d == 0 else str(d)
    print(f"{name:<12}{tree[d]:>9.1f}%{flat[d]:>9.1f}%{points[d]:>+14.1f}")
print(f"\n{'':<12}{'wrong':>10}{'edges a mistake':>18}{'edges an answer':>18}")
for name, shares in {"tree": tree, "flat": flat}.items():
    wrong = 100 - shares[0]
    edges = sum(d * share for d, share in zip(distances, shares, strict=True))
    print(f"{name:<12}{wrong:>9.1f}%{edges / wrong:>18.2f}{edges / 100:>18.2f}")

# %%
# With the tree, there are more mistakes by one edge, a parent or a child of the true label, and
# fewer at all larger distances.
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("\nInstall matplotlib to see this as a picture.")
else:
    figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
    colors = ["#999999", *("#D55E00" if p > 0 else "#0072B2" for p in points[1:])]
    ax.bar_label(ax.bar(distances, points, color=colors), fmt="%+.1f", padding=2)
    ax.axhline(0, color="black", linewidth=0.8)
    ax.margins(y=0.12)
    ax.set_xticks(distances, ["0\n(right)", *map(str, distances[1:])])
    ax.set(xlabel="distance from the truth (edges)", ylabel="tree minus flat (percentage points)")
    ax.set_title("How much more often the tree lands at each distance")
    plt.show()
