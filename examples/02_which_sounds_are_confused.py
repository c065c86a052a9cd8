"""Which sounds are taken for one another?

Hieron classifies frames of speech in a tree of phonemes (Dekel, Keshet and Singer, 2005), where an
n and an m are close. Which confusions are left, and do they stay within a branch? Recorded with the
free sample of TIMIT; see `datasets.TIMIT`.
"""

# %%
# At most 15 frames of each phoneme and speaker. Three of the twelve speakers are tested.
import os
import random
from collections import Counter
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.patches import Arc
from river import preprocessing

from river_hier import datasets, kernel, linear_model, plot

folder = Path(os.environ["RIVER_HIER_DATA"], "timit")
speakers = sorted({one.speaker for one in datasets.TIMIT(folder).utterances})
t, rng = datasets.TIMIT(folder).taxonomy, random.Random(0)
parts: tuple[list, list] = [], []
for i, speaker in enumerate(speakers):
    frames = list(datasets.TIMIT(folder, speakers=[speaker], sentences=["si"]))
    seen = Counter[str]()
    for x, y in rng.sample(frames, len(frames)):
        seen[y] += 1
        if seen[y] <= 15:
            parts[i % 4 == 0].append((x, y))
rng.shuffle(parts[0])

# %%
# One pass with an RBF kernel, whose width is the paper's, and the average of all hypotheses.
rbf = kernel.RBF(0.5 * len(parts[0][0][0]) ** 0.5)
for name, taxonomy in {"flat": t.flatten(), "tree": t}.items():
    model = preprocessing.StandardScaler() | linear_model.Averaged(kernel.Hieron(taxonomy, rbf))
    for x, y in parts[0]:
        model.learn_one(x, y)
    answers = [(y, model.predict_one(x)) for x, y in parts[1]]
    far = Counter(t.distance(*pair) for pair in answers)
    edges = sum(d * n for d, n in far.items()) / len(answers)
    print(f"{name}: {far[0] / len(answers):.1%} right, {edges:.2f} edges from the truth on average")

# %%
# The 30 most frequent confusions of phonemes, by the learner with the tree. No arc joins a sonorant
# and an obstruent. Hollow phonemes have not been tested.
total, wrong = Counter(y for y, _ in answers), Counter(y for y, answer in answers if y != answer)
figure, ax = plt.subplots(figsize=(6, 9.5), layout="constrained")
plot.taxonomy(t, {v: 100 * wrong[v] / total[v] for v in total}, "wrong answers (%)", ax)
at = {text.get_text(): text.get_position() for text in ax.texts}
right, spoken = at["iy"][0] + 5, set(t.leaves) - {"silence"}
pairs = Counter(tuple(sorted(p)) for p in answers if p[0] != p[1] and spoken.issuperset(p))
for (a, b), n in pairs.most_common(30):
    middle, size = (at[a][1] + at[b][1]) / 2, abs(at[a][1] - at[b][1])
    arc = Arc((right, middle), 2 * size, size, theta1=-90, theta2=90, color="C1", lw=n / 5)
    ax.add_patch(arc)
ax.set(xlabel="coarse → fine", ylabel="phonemes", xlim=(None, right + 20))
plt.show()
