"""What becomes of a model when its taxonomy grows?

A shop opens new departments. A model that is trained again from scratch has to relearn everything.
A model that adopts the larger taxonomy keeps what it has learned about the existing nodes, and only
has to learn the new ones. And if labels are paths, the taxonomy need not be known in advance: it
grows as the paths arrive.
"""

# %%
# Articles are described by words that depend on their shelf. Three shelves are new at step 2,000,
# two of which are in a department that is new as well; `taxonomy_at` returns the taxonomy at a
# given step.
from river_hier import OpenTaxonomy, Taxonomy, linear_model, metrics
from river_hier.datasets import synth

shop = Taxonomy.from_nested(
    {
        "clothes": {"shoes": ["boots", "sandals"], "coats": ["parkas", "capes"]},
        "kitchen": {"pots": ["pans", "woks"], "cups": []},
        "garden": {"tools": ["spades", "rakes"], "plants": ["roses", "ferns"]},
    },
    root="shop",
)
n, opening = 4_000, 2_000
articles = synth.PrototypePaths(shop, noise=0.09, seed=42)
late = {"woks": opening, "plants": opening, "tools": opening}
stream = list(synth.Appearing(articles, late).take(n))
first = shop.subset([label for label in shop if not set(shop.path(label)) & set(late)])

# %%
# Three models learn from the same stream: the first adopts the larger taxonomy when it appears,
# the second is then replaced by an untrained one, and the third knows the final taxonomy from the
# start. Until it has been trained, a new node is on whenever its parent is.
adopting, untrained = linear_model.HAROW(first), linear_model.HAROW(first)
foreseen = linear_model.HAROW(shop)
curves: dict = {"adopts": [], "starts again": [], "knew from the start": []}
for step, (x, y) in enumerate(stream):
    if step == opening:
        adopting.adopt(shop)
        untrained = linear_model.HAROW(shop)
    if step % 100 == 0:
        ends = {name: metrics.HLoss(shop) for name in curves}
    for name, model in zip(curves, (adopting, untrained, foreseen), strict=True):
        ends[name].update(y, model.predict_one(x))
        model.learn_one(x, y)
    if step % 100 == 99:
        for name, loss in ends.items():
            curves[name].append(loss.get())

first_window = opening // 100
print("H-loss, per 100 examples:     before   first 100   second 100     the end")
for name, curve in curves.items():
    before = sum(curve[first_window - 10 : first_window]) / 10
    end = sum(curve[-10:]) / 10
    moments = (before, *curve[first_window : first_window + 2], end)
    print(f"{name:<24}" + "".join(f"{value:>12.3f}" for value in moments))

# %%
# A model with an open taxonomy learns from paths, and adopts new nodes by itself; its metric grows
# with it.
paths = OpenTaxonomy(separator="/")
model, loss = linear_model.HAROW(paths), metrics.HLoss(paths)
for step, (x, y) in enumerate(stream):
    y = ["/".join(shop.path(label)[1:]) for label in y if y[label]]
    if step >= n - 1000:
        loss.update(y, model.predict_one(x))
    model.learn_one(x, y)
example = "clothes/shoes/boots"
assert example in model.taxonomy_
print(f"given paths, such as {example!r}, at the end: {loss.get():.3f}")

# %%
# The model that adopts the new taxonomy is soon as good as the one that has known it all along.
# Training a new model takes several hundred examples more.
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("\nInstall matplotlib to see this as a picture.")
else:
    figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
    for (name, curve), line in zip(curves.items(), ("-", "--", ":"), strict=True):
        ax.plot(range(100, n + 1, 100), curve, line, label=name)
    ax.axvline(opening, color="black", linewidth=0.8, label="three shelves are new")
    ax.set(xlabel="examples seen", ylabel="H-loss on the last 100", ylim=(0, 1))
    ax.legend()
    plt.show()
