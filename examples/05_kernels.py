"""What if no straight line separates the labels?

A linear learner only distinguishes the two sides of a hyperplane, but a plant may grow in three
valleys, with another one in between. The same learners with a kernel compare an example with those
that they have stored. What does this gain, and what does it cost?
"""

# %%
# A map with nine plants of three families. Each grows in four places, whatever its family: the tree
# determines which mistakes are cheap, not where a plant grows.
import matplotlib.pyplot as plt
import numpy as np
from river import evaluate

from river_hier import Taxonomy, feature_extraction, kernel, linear_model, metrics

families = {
    "grasses": ["fescue", "rye", "reed"],
    "roses": ["rowan", "bramble", "lady's mantle"],
    "daisies": ["arnica", "thistle", "yarrow"],
}
plants = Taxonomy.from_nested(families, root="plants")
rng = np.random.default_rng(42)
places = rng.uniform(0, 10, size=(9, 4, 2))
kinds, which = rng.integers(9, size=4000), rng.integers(4, size=4000)
points = places[kinds, which] + 0.25 * rng.normal(size=(4000, 2))
stream: list = [
    ({"east": east, "north": north}, plants.leaves[kind])
    for (east, north), kind in zip(points.tolist(), kinds, strict=True)
]

# %%
# The kernel is 1 for examples at the same place and almost 0 at a distance of three `sigma`. The
# learner stores the examples with a mistake; beyond a budget, it removes those that the others can
# best replace. Random Fourier features approximate the kernel in a linear learner.
fourier = feature_extraction.RandomFourierFeatures(sigma=0.5, n_components=300, seed=1)
learners: dict = {
    "linear": linear_model.Hieron(plants),
    "Fourier, linear": fourier | linear_model.Hieron(plants),
    "kernel": kernel.Hieron(plants, kernel.RBF(0.5)),
    "kernel, budget 200": kernel.Hieron(plants, kernel.RBF(0.5), budget=200),
    "kernel, budget 50": kernel.Hieron(plants, kernel.RBF(0.5), budget=50),
}
curves: dict = {}
print(f"{'Hieron':<20}{'tree-induced error':>20}{'examples stored':>18}")
for name, learner in learners.items():
    metric = metrics.TreeInducedError(plants)
    states = evaluate.iter_progressive_val_score(stream, learner, metric, step=200)
    curves[name] = [(state["Step"], metric.get()) for state in states]
    stored = getattr(learner, "n_stored", 0)
    print(f"{name:<20}{metric.get():>20.3f}{stored:>18}")

# %%
# The error along the stream: a budget of 200 does not increase it.
figure, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
for name, curve in curves.items():
    ax.plot(*zip(*curve, strict=True), "--" if "budget" in name else "-", label=name)
ax.set(xlabel="examples seen", ylabel="tree-induced error so far (edges)", ylim=(0, None))
ax.legend(ncols=2)
plt.show()
