"""Does it pay to keep learning?

A model is trained on the past and put to work on the news of the next months. Should it go on
learning? The training set of `datasets.Reuters21578` ends on April 7, 1987, and the test set goes
to October; stories are in chronological order. Recorded with these stories.
"""

# %%
# Raw text becomes features as it comes: `LogTFIDF` learns which words are rare.
import os
from copy import deepcopy
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from river_hier import batch, datasets, feature_extraction, linear_model, losses

folder = Path(os.environ["RIVER_HIER_DATA"], "reuters21578")
stream = datasets.Reuters21578(folder, subsets=["train", "test"])
t, words, examples, dates = stream.taxonomy, feature_extraction.LogTFIDF(), [], []
for story, y in stream:
    text = f"{story['title']} {story['body']}"
    words.learn_one(text)
    examples.append((words.transform_one(text), y))
    dates.append(f"{story['date']:%m-%d}")
end = sum(date <= "04-07" for date in dates)

# %%
# Progressive validation: each story is filed, the answer is scored, and the story learned. A copy
# of the model no longer learns after April 7; H-SVM is trained in batch on the stories until then.
model, others = linear_model.HAROW(t), {}
found: dict = {"keeps learning": [], "stops": [], "H-SVM": []}
for i, (x, y) in enumerate(examples):
    if i == end:
        others = {"stops": deepcopy(model), "H-SVM": batch.HSVM(t).fit(examples[:end])}
    for name, one in {"keeps learning": model, **others}.items():
        found[name].append(losses.h_loss(t, y, one.predict_one(x)))
    model.learn_one(x, y)
print(f"{end:,} stories until April 7, {len(dates) - end:,} later; H-loss of the later ones:")
for name, each in found.items():
    print(f"  {name:<15}{np.mean(each[end - len(dates) :]):.3f}")

# %%
# Above, the model that keeps learning; below, what the others lose beyond it. In April they
# nearly keep up. In June and October, after weeks without stories, they fall behind.
figure, (top, bottom) = plt.subplots(2, 1, figsize=(6.4, 6.6), layout="constrained")
each, window = np.array(found["keeps learning"]), 400
top.plot(range(window, len(each) + 1), np.convolve(each, np.ones(window) / window, "valid"), lw=1)
top.set(ylabel=f"H-loss of the last {window}", xlabel="stories", ylim=(0, 1))
for color, name in {"C1": "stops", "C2": "H-SVM"}.items():
    bottom.plot(range(end, len(each)), np.cumsum(found[name] - each[end:]), color, label=name)
bottom.set(xlabel="stories", ylabel="sum of H-loss beyond")
bottom.legend(loc="upper left", bbox_to_anchor=(0.05, 1))
for month, name in {"04-08": "April 8", "06": "June", "10": "Oct."}.items():
    first = sum(date < month for date in dates)
    for ax in (top, bottom):
        ax.axvline(first, color="black", linestyle=":", linewidth=1)
        ax.text(first, 1.01, name, ha="center", transform=ax.get_xaxis_transform())
plt.show()
