"""What does a taxonomy buy an online learner?

You know River: a stream yields examples one at a time, a model predicts, a metric scores, the
model learns. All of this is unchanged. There is one new concept, the taxonomy: a tree of labels. A
model that knows the tree knows that some labels are close and others far apart. Does it learn
better than the same model without the tree? We try both on a synthetic stream.
"""

# %%
# Five lines of River. The stream has a taxonomy, which is passed to the model and the metric.
from river import evaluate
from river import metrics as river_metrics

from river_hier import datasets, linear_model, metrics

stream = datasets.synth.PrototypeTree(noise=0.04, seed=42).take(6000)
model = linear_model.Hieron(stream.taxonomy)
metric = metrics.TreeInducedError(stream.taxonomy)
evaluate.progressive_val_score(stream, model, metric, print_every=1000)

# %%
# The tree-induced error is the mean number of edges between the predicted and the true label: 0
# for a correct prediction, 1 for a parent or a child, 2 for a sibling, up to 8 for a leaf at the
# other end of this tree. Labels are named by their path, and any node can be a label.
tree = stream.taxonomy
x, y = next(iter(stream))
print(f"\n{tree}\n")
print(f"the first label    {y}, whose path is {' > '.join(tree.path(y))}")
print(f"the model's guess  {model.predict_one(x)}, now that it has seen the whole stream")


# %%
# Now without the tree. `flatten()` makes all labels children of the root, so that no two of them
# are closer than others. The learner and the examples are the same. Both models are scored on the
# true taxonomy, and by River's accuracy, for which all mistakes are equal.
def follow(examples, model):
    """Steps, tree-induced errors and accuracies so far, every 250 examples."""
    both = metrics.TreeInducedError(examples.taxonomy) + river_metrics.Accuracy()
    states = evaluate.iter_progressive_val_score(examples, model, both, step=250)
    names = "TreeInducedError", "Accuracy"
    return [(s["Step"], *(s[name].get() for name in names)) for s in states]


curves = {
    "with the tree": follow(stream, linear_model.Hieron(tree)),
    "flat": follow(stream, linear_model.Hieron(tree.flatten())),
}

# %%
# One stream may be a coincidence, so we count on how many of five others the tree has a lower
# error.
wins, seeds = 0, range(5)
for seed in seeds:
    other = datasets.synth.PrototypeTree(noise=0.04, seed=seed).take(1000)
    with_tree = follow(other, linear_model.Hieron(other.taxonomy))
    flat = follow(other, linear_model.Hieron(other.taxonomy.flatten()))
    wins += with_tree[-1][1] < flat[-1][1]

print(f"\n{'Hieron':<15}{'tree-induced error':>20}{'accuracy':>12}")
for name, curve in curves.items():
    _, error, accuracy = curve[-1]
    print(f"{name:<15}{error:>20.3f}{accuracy:>12.1%}")
print(f"\nThe tree has less error on {wins} of {len(seeds)} other streams.")

# %%
# Along the stream: the flat learner has a higher error from the start and does not catch up.
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("\nInstall matplotlib to see this as a picture.")
else:
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    styles = {"with the tree": ("#0072B2", "-"), "flat": ("#D55E00", "--")}
    for name, curve in curves.items():
        steps, errors, accuracies = zip(*curve, strict=True)
        color, line = styles[name]
        axes[0].plot(steps, errors, line, color=color, label=name)
        axes[1].plot(steps, accuracies, line, color=color, label=name)
    axes[0].set(ylabel="tree-induced error so far (edges)", ylim=(0, None))
    axes[1].set(ylabel="accuracy so far", ylim=(0, 1))
    axes[1].yaxis.set_major_formatter("{x:.0%}")
    for ax in axes:
        ax.set_xlabel("examples seen")
        ax.grid(alpha=0.3)
    axes[0].legend(frameon=False)
    figure.suptitle(f"Hieron on a stream of {len(tree)} labels")
    plt.show()
