"""What becomes of a model when its taxonomy grows?

A shop opens two new departments, then it moves one of the old ones and merges two shelves. A model
that starts anew each time pays for its whole education again. One that adopts the new taxonomy
keeps what it knows of the nodes that stay, and pays for the new ones only. And where labels are
paths, nobody need say what the taxonomy is: it grows as the paths arrive.
"""

# %%
# Articles are described in words that depend on their shelf. Three shelves are new at step 2,000,
# of which two are in a department that is new itself; `taxonomy_at` says what there is when.
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
# Three models read the same stream: one that adopts the larger taxonomy when there is one, one that
# is thrown away then, and one that has known from the start what would come. A node that is new is
# on where its parent is, until it has learned better.
adopting, anew = linear_model.HAROW(first), linear_model.HAROW(first)
foreseen = linear_model.HAROW(shop)
curves: dict = {"adopts": [], "starts anew": [], "has foreseen it": []}
for step, (x, y) in enumerate(stream):
    if step == opening:
        adopting.adopt(shop)
        anew = linear_model.HAROW(shop)
    if step % 100 == 0:
        ends = {name: metrics.HLoss(shop) for name in curves}
    for name, model in zip(curves, (adopting, anew, foreseen), strict=True):
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
# Then the pots move to the garden, the capes go to the parkas, and cups are called mugs. `renamed`
# says what becomes of labels that are gone; forgotten ones would be `None`. Scores stay what they
# were, and a merged node has the mean of the weights.
x, _ = stream[-1]
scores = adopting.score_one(x)
larger = shop.move("pots", "garden").merge(["capes"], "parkas").rename({"cups": "mugs"})
adopting.adopt(larger, renamed={"capes": "parkas", "cups": "mugs"})
moved = adopting.score_one(x)
scores["mugs"] = scores.pop("cups")
same = sum(abs(moved[label] - scores[label]) < 1e-9 for label in moved)
print(f"\nlabels that score as before: {same} of {len(moved)}")

# %%
# A model of an open taxonomy is told paths, and adopts what is new in them by itself.
model, loss = linear_model.HAROW(OpenTaxonomy(separator="/")), metrics.HLoss(shop)
for step, (x, y) in enumerate(stream):
    if step >= n - 1000:
        on = [label for label, yes in model.predict_one(x).items() if yes]
        loss.update(y, [path.rpartition("/")[2] for path in on])
    model.learn_one(x, ["/".join(shop.path(label)[1:]) for label in y if y[label]])
example = list(model.weights)[-1]
print(f"told paths, such as {example!r}, at the end: {loss.get():.3f}")

# %%
# Who adopts the new taxonomy is soon where it would have been had it known all along; starting anew
# costs for some hundreds of examples more.
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
