"""What does a gene do?

The Gene Ontology says it in a DAG: a term may have several parents, and a gene has dozens of terms.
How much of it do the activities of a yeast gene under stress tell, which are 173 numbers, and how
deep in the DAG? Recorded with `gasch1_GO` of Vens et al. (2008), reduced to the 238 terms that have
at least 50 genes; see `datasets.HMC`.
"""

# %%
# Least squares need x of norm 1. A term is on only if all its parents are.
import os
from collections import Counter
from pathlib import Path

import matplotlib.pyplot as plt
from river import preprocessing

from river_hier import datasets, decision, evaluate, linear_model, metrics

stream = datasets.HMC(Path(os.environ["RIVER_HIER_DATA"], "hmc"), "gasch1_GO")
parts = [list(stream), list(datasets.HMC(stream.path, "gasch1_GO", ["test"]))]
counts = Counter(term for _, y in parts[0] for term in y if y[term])
genes = {term: n / len(parts[0]) for term, n in counts.items() if n >= 50}
t = stream.taxonomy.subset(["root", *genes])
scaler = preprocessing.StandardScaler()
for x, _ in parts[0]:
    scaler.learn_one(x)
for part in parts:
    for i, (x, y) in enumerate(part):
        z = scaler.transform_one(x) | {"constant": 1.0}
        norm = sum(value**2 for value in z.values()) ** 0.5
        part[i] = {name: value / norm for name, value in z.items()}, {v: y[v] for v in genes}

# %%
# H-RLS learns in one pass. Its rival knows only how many genes have a term. The area under the
# precision-recall curve is 1 if all true terms of a depth are ranked above the others.
model = decision.Calibrated(linear_model.HRLS(t))
for x, y in parts[0]:
    model.learn_one(x, y)
layers = [[term for term in genes if t.depth(term) == 1 + d] for d in range(t.height)]
names = "frequencies", "H-RLS"
areas = {name: [metrics.PooledAUPRC(t, candidates=layer) for layer in layers] for name in names}
for x, y in parts[1]:
    scores = genes, evaluate.Probabilities(model).predict_one(x)
    for name, some in zip(names, scores, strict=True):
        for area in areas[name]:
            area.update(y, some)
found = {name: [area.get() for area in each] for name, each in areas.items()}
for name, each in found.items():
    print(f"{name:<14}", *(f"{area:.3f}" for area in each))

# %%
# The frequencies know the general terms. The deeper a term is, the more the activities add.
figure, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
for (name, each), shift, color in zip(found.items(), (0.8, 1.2), ("#a0a0a0", "C0"), strict=True):
    ax.bar([d + shift for d in range(len(each))], each, 0.38, color=color, label=name)
ax.set(xlabel="depth of the terms", ylabel="area under the curve", xticks=range(1, t.height + 1))
ax.legend()
plt.show()
