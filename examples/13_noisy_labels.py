"""What if one label in five is wrong?

A passive-aggressive learner trusts every label: after a mistake it changes its weights until the
example is classified correctly, however large the change. A wrong label thus undoes the effect of
many correct ones. There are two remedies. A cap `C` on the step size limits the effect of a single
example, and the average of all hypotheses is less affected by steps that are later reversed. How
much do they help?
"""

# %%
# A stream of 40 labels in a tree, and the same stream where some labels are replaced by a
# sibling. Only the training labels are noisy; predictions are compared with the true labels.
from river_hier import datasets, linear_model, metrics

clean = datasets.synth.PrototypeTree(branching=3, depth=3, noise=0.04, seed=42)
noisy = datasets.synth.LabelNoise(clean, rate=0.2, seed=42)
tree = clean.taxonomy
n = 2500
xs, truth = zip(*clean.take(n), strict=True)
taught = {"clean": truth, "noisy": [y for _, y in noisy.take(n)]}
wrong = sum(y != z for y, z in zip(truth, taught["noisy"], strict=True))
print(f"{n:,} examples, {len(tree)} labels, {wrong / n:.0%} of them wrong in the noisy stream")


def follow(model, labels):
    """The tree-induced error against the truth, predicting before learning, of the second half."""
    error = metrics.TreeInducedError(tree)
    for i, (x, y, label) in enumerate(zip(xs, truth, labels, strict=True)):
        if i >= n / 2:
            error.update(y, model.predict_one(x))
        model.learn_one(x, label)
    return error.get()


# %%
# Step sizes are of the order of 1 / |x|^2, so half of that is a good first guess for the cap.
# Each learner is used with the step of the paper, which has no cap, and with a small cap.
scale = n / sum(sum(value**2 for value in x.values()) for x in xs)
learners: dict = {
    "Hieron": linear_model.Hieron,
    "its average": lambda t, **C: linear_model.Averaged(linear_model.Hieron(t, **C)),
    "AveragedHieron": linear_model.AveragedHieron,
}
print(f"\n{'tree-induced error':<18}{'clean labels':>24}{'noisy labels':>24}")
print(f"{'':<18}" + f"{'no cap':>12}{'small steps':>12}" * 2)
for name, learner in learners.items():
    found = [
        follow(learner(tree, **C), labels)
        for labels in taught.values()
        for C in ({}, {"C": 0.5 * scale})
    ]
    print(f"{name:<18}" + "".join(f"{error:>12.3f}" for error in found))

# %%
# How sensitive is the error to C? For Hieron, not very: once all steps are capped, a smaller C
# only scales the weights. AveragedHieron suffers from steps that are too small: it learns slowly,
# and its average contains the early hypotheses for a long time.
caps = [0.05, 0.1, 0.2, 0.5, 1.0, 2.0]
curves = {
    (name, kind): [follow(learners[name](tree, C=cap * scale), labels) for cap in caps]
    for name in ("Hieron", "AveragedHieron")
    for kind, labels in taught.items()
}
print(f"\n{'C in 1 / |x|^2':<24}" + "".join(f"{cap:>8}" for cap in caps))
for (name, kind), errors in curves.items():
    print(f"{name + ', ' + kind:<24}" + "".join(f"{error:>8.3f}" for error in errors))

# %%
# The same as a plot.
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("\nInstall matplotlib to see this as a picture.")
else:
    figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
    for (name, kind), errors in curves.items():
        color = "#D55E00" if name == "Hieron" else "#0072B2"
        style = "-" if kind == "noisy" else ":"
        ax.semilogx(caps, errors, style, color=color, marker="o", label=f"{name}, {kind} labels")
    ax.set_xticks(caps, map(str, caps))
    ax.set(xlabel="C, in units of 1 / |x|²", ylabel="tree-induced error", ylim=(0, None))
    ax.legend()
    ax.set_title("What a cap on the steps is worth")
    plt.show()
