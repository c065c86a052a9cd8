"""When do the words of an abstract say more than habit?

Librarians file medical abstracts under headings of MeSH, a taxonomy. Whoever reads nothing can
still name the headings that most abstracts had so far. How many abstracts does it take until those
who read have made fewer mistakes? Recorded with 373 records in the format of OHSUMED, on which
Cesa-Bianchi, Gentile and Zaniboni (2006) tested `HPerceptron` and `SHRLS`.
"""

# %%
# The sample is about one disease, so its headings below "diseases" are nearly always the same.
# Those of anatomy differ. There are twelve random orders, and words are weighted as they come.
import os
import random
from collections import Counter
from pathlib import Path

import matplotlib.pyplot as plt
from river import base
from river.preprocessing import Normalizer

from river_hier import datasets, evaluate, linear_model, metrics, plot
from river_hier.feature_extraction import STOP_WORDS, LogTFIDF

corpus = datasets.OHSUMED(Path(os.environ["RIVER_HIER_DATA"], "ohsumed"), root="A")
t, records = corpus.taxonomy, list(corpus)


class Habit(base.MultiLabelClassifier):
    def __init__(self):
        self.seen: Counter = Counter()

    def learn_one(self, x, y):
        self.seen.update([t.root, *(heading for heading, on in y.items() if on)])

    def predict_one(self, x, **kwargs):
        return {heading: self.seen[heading] > self.seen[t.root] / 2 for heading in t.nodes[1:]}


runs = []
for seed in range(12):
    order, words = random.Random(seed).sample(records, len(records)), ("title", "body")
    ours = linear_model.HPerceptron(t), linear_model.SHRLS(t), linear_model.HAROW(t)
    models: dict = {type(m).__name__: LogTFIDF(words, STOP_WORDS) | Normalizer() | m for m in ours}
    models["habit"] = Habit()
    states = evaluate.iter_regret(order, models, models["habit"], metrics.HLoss(t), step=10)
    runs.append(list(states))
for name in models:
    print(f"{name:<12}H-loss {sum(run[-1]['Loss'][name] for run in runs) / 12 / len(order):.3f}")

# %%
# Words pay late. SHRLS gains from about 60 abstracts on, and is ahead in total after 310. HAROW
# loses less at first, and learns more slowly. HPerceptron, not drawn, follows single abstracts and
# never gains. Bands are 95% confidence intervals over the orders.
regret = {
    name: [[{**s, "Regret": s["Regret"][name]} for s in run] for run in runs]
    for name in ("SHRLS", "HAROW")
}
ax = plot.regret(regret, {"habit": 0.0}, plt.subplots(layout="constrained")[1])
ax.set(ylabel="H-loss so far, beyond that of habit")
plt.show()
