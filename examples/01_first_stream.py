"""How does a model learn the categories of products from their titles?

A shop has a tree of categories, and titles arrive one at a time. The model predicts the category,
is told the right one, and learns. The titles are made up here, and the gallery has real ones, too.
All of it takes two seconds.
"""

# %%
# A title has a brand and a word of each category on its path. Some words belong to several.
import random
from contextlib import suppress
from typing import Any

from river import evaluate

from river_hier import Taxonomy, feature_extraction, inspection, linear_model, metrics
from river_hier.evaluate import report

words = {
    "clothes": "cotton wool slim women's men's linen striped winter vintage",
    "clothes/shirts": "shirt polo blouse tee top henley tunic jersey overshirt kurta",
    "clothes/shoes": "leather suede lace-up waterproof canvas",
    "clothes/shoes/trainers": "trainers sneakers runners plimsolls shoes high-tops",
    "clothes/shoes/boots": "boots wellingtons chelseas brogues shoes mules",
    "kitchen": "steel non-stick ceramic classic oven-safe oak",
    "kitchen/pans": "pan wok skillet casserole griddle dish saucepan tagine",
    "kitchen/tableware": "plate bowl mug dish jug saucer platter tureen",
    "garden": "outdoor steel ceramic organic large hanging oak",
    "garden/pots": "planter pot trough bowl saucer basket urn",
}
shop = Taxonomy.from_paths([path.split("/") for path in words], root="shop")


def titles(n, rng):
    for label in rng.choices(shop.leaves, k=n):
        path, brand = shop.path(label)[1:], rng.choice(["Arden", "Corvo", "Elstow"])
        kinds = [words["/".join(path[:depth])].split() for depth in range(1, len(path) + 1)]
        yield " ".join([brand, *map(rng.choice, kinds)]), label


# %%
# The recommended model for texts. The tree error is the mean number of edges from answer to truth;
# the report of 500 more titles, which a notebook shows as tables, says where they are wrong.
model: Any = feature_extraction.LogTFIDF() | linear_model.PathSoftmax(shop)
error = metrics.TreeInducedError(shop)
evaluate.progressive_val_score(titles(3000, random.Random(4)), model, error, print_every=1000)
print(report(model, titles(500, random.Random(5))))

# %%
# The best path of new titles, and the answer at a threshold of 80%. The picture is of the last one.
for title in ("Striped wool shirt", "Corvo non-stick pan", "Arden bowl", "Suede shoes for him"):
    paths, chances = zip(*inspection.top_one(model, title, 3, leaves=True), strict=True)
    best, sure = " > ".join(paths[0][1:]), model.predict_one(title, threshold=0.8)
    print(f"{title:20} {best:26} {chances[0]:4.0%}   at 80%: {sure}")
with suppress(ImportError):  # of matplotlib
    import matplotlib.pyplot as plt

    plt.barh([path[-1] for path in paths], chances)
    plt.gca().set(xlabel="probability", ylabel="category", title=title)
    plt.show()
