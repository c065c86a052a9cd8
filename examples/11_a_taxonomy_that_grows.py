"""What becomes of a model when its taxonomy grows?

A shop opens new departments. A model that is trained again from scratch has to relearn everything.
A model that adopts the larger taxonomy only has to learn the new nodes. And if labels are paths,
the taxonomy need not be known in advance: it grows as the paths arrive.
"""

# %%
# Articles are described by words that depend on their shelf. Three shelves are new at step 2,000,
# two of which are in a department that is new as well.
import matplotlib.pyplot as plt

from river_hier import OpenTaxonomy, Taxonomy, linear_model, losses
from river_hier.datasets import synth

clothes = {"shoes": ["boots", "sandals"], "coats": ["parkas", "capes"]}
garden = {"tools": ["spades", "rakes"], "plants": ["roses", "ferns"]}
kitchen = {"pots": ["pans", "woks"], "cups": []}
shop = Taxonomy.from_nested({"clothes": clothes, "kitchen": kitchen, "garden": garden}, root="shop")
n, opening = 4_000, 2_000
late = dict.fromkeys(["woks", "plants", "tools"], opening)
stream = list(synth.Appearing(synth.PrototypePaths(shop, noise=0.09, seed=42), late).take(n))
first = shop.subset([label for label in shop if not set(shop.path(label)) & set(late)])

# %%
# Four models learn from the same stream: the first adopts the larger taxonomy when it appears, the
# second is then replaced by an untrained one, the third knows the final taxonomy from the start,
# and the last one has an open taxonomy and is given paths.
models: dict = {
    "adopts": linear_model.HAROW(first),
    "starts again": linear_model.HAROW(first),
    "knew from the start": linear_model.HAROW(shop),
    "given paths": linear_model.HAROW(OpenTaxonomy(separator="/")),
}
curves: dict = {name: [0.0] * (n // 100) for name in models}
for step, (x, y) in enumerate(stream):
    if step == opening:
        models["adopts"].adopt(shop)
        models["starts again"] = linear_model.HAROW(shop)
    for name, model in models.items():
        known = {path.rpartition("/")[2]: on for path, on in model.predict_one(x).items()}
        curves[name][step // 100] += losses.h_loss(shop, y, known) / 100
        paths = ["/".join(shop.path(label)[1:]) for label in y if y[label]]
        model.learn_one(x, paths if name == "given paths" else y)
print("H-loss of 100 examples   before   first  second  at the end")
for name, curve in curves.items():
    middle = opening // 100
    moments = sum(curve[middle - 10 : middle]) / 10, *curve[middle:][:2], sum(curve[-10:]) / 10
    print(f"{name:<23}" + "".join(f"{loss:>8.3f}" for loss in moments))

# %%
# The models that grow are soon as good as the one that has known everything all along. Training a
# new model takes several hundred examples more.
figure, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
for (name, curve), line in zip(curves.items(), ("-", "--", ":", "-."), strict=True):
    ax.plot(range(100, n + 1, 100), curve, line, label=name)
ax.axvline(opening, color="black", linewidth=0.8, label="three shelves are new")
ax.set(xlabel="examples seen", ylabel="H-loss of the last 100", ylim=(0, 1))
ax.legend()
plt.show()
