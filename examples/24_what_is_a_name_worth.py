"""What is a name worth?

A category has a name before it has an example. How many labels does a model save that learns the
names first, and how many with an encoder, which knows what words mean? Recorded with
[CLINC150](https://github.com/clinc/oos-eval) and the encoder of the package `wordllama`.
"""

# %%
# Queries of 150 intents, such as "report_lost_card", in random order.
import gzip
import json
import os
import random
from pathlib import Path

import matplotlib.pyplot as plt

from river_hier import Taxonomy, ensemble
from river_hier.stream import learn_names

data = Path(os.environ["RIVER_HIER_DATA"], "clinc150")
t = Taxonomy.from_nested({"oos": json.loads((data / "domains.json").read_text())})
with gzip.open(data / "data_full.json.gz", "rt") as file:
    parts = json.load(file)
train = random.Random(0).sample(parts["train"], 3_000)
test = random.Random(0).sample(parts["val"], 1_000)
print(t.names()[60:63])

# %%
# A model of words, or a pool of words and the rows of the encoder; each with names and without.
sizes, curves = [0, 30, 100, 300, 1_000, 3_000], {}
for views in ("words", "words and encoder"):
    for named in (False, True):
        model, seen, wrong = ensemble.make_views(t, [None], encoder="and" in views), 0, []
        if named:
            learn_names(model)
        for n in sizes:
            for x, y in train[seen:n]:
                model.learn_one(x, y)
            seen = n
            wrong.append(sum(model.predict_one(x) != y for x, y in test) / len(test))
        curves[views, named] = wrong
        print(f"{views + ', names' * named:26}", *(f"{share:.2f}" for share in wrong))

# %%
# Before any label, half of the answers are right. Later the names cost nothing.
figure, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
for (views, named), wrong in curves.items():
    color = "#0072B2" if "and" in views else "#D55E00"
    ax.plot(sizes, wrong, "o-" if named else "o:", color=color, label=views + ", names" * named)
ax.set_xscale("symlog", linthresh=30)
ax.set_xticks(sizes, [f"{n:,}" for n in sizes])
ax.set(xlabel="labels", ylabel="share of wrong answers", ylim=(0, 1.02))
ax.legend()
plt.show()
