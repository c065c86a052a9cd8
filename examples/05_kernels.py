"""What if no straight line separates the labels?

A linear learner only distinguishes the two sides of a hyperplane, but some classes are on both: a
plant may grow in three valleys, with another one in between. A kernel measures the similarity of
two examples. The same learners, with a kernel instead of weights, compare a new example with those
that they have stored. What does this gain, and what does it cost?
"""

# %%
# A map with nine plants of three families. Each plant grows in four places, which are unrelated
# to its family: the tree determines which mistakes are cheap, not where a plant grows.
import numpy as np
from river import compose, evaluate
from river import feature_extraction as river_feature_extraction

from river_hier import Taxonomy, kernel, linear_model, metrics

plants = Taxonomy.from_nested(
    {
        "grasses": ["fescue", "rye", "reed"],
        "roses": ["rowan", "bramble", "lady's mantle"],
        "daisies": ["arnica", "thistle", "yarrow"],
    },
    root="plants",
)
rng = np.random.default_rng(42)
places = rng.uniform(0, 10, size=(9, 4, 2))
kinds, which = rng.integers(9, size=4000), rng.integers(4, size=4000)
points = places[kinds, which] + 0.25 * rng.normal(size=(4000, 2))
stream: list = [
    ({"east": east, "north": north}, plants.leaves[kind])
    for (east, north), kind in zip(points.tolist(), kinds, strict=True)
]

# %%
# The kernel is 1 for examples at the same place and almost 0 at a distance of three `sigma`.
# River's `RBFSampler` approximates such a kernel without storing examples, by random features in
# front of a linear learner. But it draws them for one feature at a time, so it represents how far
# east and how far north a place is, but not both together. The features of `fourier` are drawn
# for the whole example, which requires knowing its features in advance.
sigma, n_random = 0.5, 300
w, b = rng.normal(size=(n_random, 2)) / sigma, rng.uniform(0, 2 * np.pi, n_random)


def fourier(x):
    waves = np.cos(w @ [x["east"], x["north"]] + b) * np.sqrt(2 / n_random)
    return dict(enumerate(waves.tolist()))


rbf = kernel.RBF(sigma)
sampler = river_feature_extraction.RBFSampler(gamma=1 / (2 * sigma**2), n_components=100, seed=1)
learners: dict = {
    "linear": linear_model.Hieron(plants),
    "RBFSampler": sampler | linear_model.Hieron(plants),
    "fourier": compose.FuncTransformer(fourier) | linear_model.Hieron(plants),
    "kernel": kernel.Hieron(plants, rbf),
    "kernel, budget 200": kernel.Hieron(plants, rbf, budget=200),
    "kernel, budget 50": kernel.Hieron(plants, rbf, budget=50),
}

# %%
# The kernel learner stores the examples with a mistake. A budget bounds their number: beyond it,
# the examples that the others can best replace are removed.
curves, stored = {}, {}
print(f"{'Hieron':<20}{'tree-induced error':>20}{'examples stored':>18}")
for name, learner in learners.items():
    metric = metrics.TreeInducedError(plants)
    states = evaluate.iter_progressive_val_score(stream, learner, metric, step=200)
    curves[name] = [(state["Step"], state["TreeInducedError"].get()) for state in states]
    stored[name] = getattr(learner, "n_stored", 0)
    print(f"{name:<20}{curves[name][-1][1]:>20.3f}{stored[name]:>18}")

# %%
# On the left, the error along the stream; a budget of 200 does not increase it. On the right, the
# map as predicted by the kernel learner.
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("\nInstall matplotlib to see this as a picture.")
else:
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    for name, curve in curves.items():
        style = {"linestyle": "--" if "budget" in name else "-", "lw": 4 if name == "kernel" else 2}
        axes[0].plot(*zip(*curve, strict=True), **style, label=name)
    axes[0].set(xlabel="examples seen", ylabel="tree-induced error so far (edges)", ylim=(0, None))
    axes[0].grid(alpha=0.3)
    axes[0].legend(frameon=False, fontsize="small", loc="upper right", bbox_to_anchor=(1, 0.92))
    answers = [plants.parent(learners["kernel"].predict_one(x)) for x, _ in stream]
    for family in plants.children("plants"):
        grown = np.array([answer == family for answer in answers])
        axes[1].scatter(*points[grown].T, s=2, label=family)
    axes[1].set(xlabel="east", ylabel="north", title="Families, by the kernel", ylim=(-2.5, None))
    axes[1].legend(frameon=False, fontsize="small", markerscale=4, ncols=3, loc="lower center")
    plt.show()
