"""Can a handful of yes-no questions do the work of all pairs of classes?

To distinguish twelve topics with binary classifiers, one can train a classifier for each pair of
topics, 66 in all, and let them vote. Or one can arrange the topics as the leaves of a binary tree,
put a classifier at each of its 11 inner nodes, and follow their decisions to a leaf. This tree is
grown from the words that the topics use (El-Yaniv and Etzion-Rosenberg, 2002).
"""

# %%
# Short texts as bags of words. Half of the words are noise, a quarter indicate the section, and a
# quarter the topic itself, so some topics are harder to distinguish than others.
import random
from collections import Counter
from itertools import pairwise

from river import evaluate, multiclass, optim
from river import linear_model as river_linear_model
from river import metrics as river_metrics

from river_hier import induction

sections = {
    "sport": ["football", "tennis", "rowing", "chess"],
    "culture": ["opera", "jazz", "ballet", "film"],
    "politics": ["elections", "courts", "treaties", "budget"],
}
section_of = {topic: section for section, topics in sections.items() for topic in topics}


def texts(n, seed):
    rng = random.Random(seed)
    for _ in range(n):
        topic = rng.choice(list(section_of))
        kinds = rng.choices(["word", section_of[topic], topic], weights=[2, 1, 1], k=12)
        yield dict(Counter(f"{kind} {rng.randrange(30)}" for kind in kinds)), topic


stream: list = list(texts(2000, seed=42))
print(stream[0])

# %%
# Learning an example only updates counts. To grow a tree, the builder merges two topics at a time,
# always those whose words are most alike. Here the sections, which it was not given, reappear.
builder = induction.JensenShannonTree()
for x, topic in stream[:400]:
    builder.learn_one(x, topic)
tree = builder.taxonomy()
print(f"\n{tree}")
for node in sorted(tree, key=tree.path):
    print("  " * tree.depth(node) + node)
lower, _ = induction.bayes_error_bounds(builder.class_counts, builder.feature_counts)
print(f"From one word alone, no classifier errs less than {lower:.0%}; a text has twelve.")

# %%
# The same classifier in every decomposition. One tree adds each topic as a sibling of all earlier
# ones. Another starts like this and switches to a grown tree after 400 texts, which resets the
# classifiers that no longer fit. Soft decoding multiplies the probabilities along all paths.
binary = river_linear_model.LogisticRegression(optim.AdaGrad(0.3))
models: dict = {
    "tree, as they come": induction.BinaryDecomposition(binary),
    "tree, grown": induction.BinaryDecomposition(binary, builder, grace_period=400),
    "tree, grown, soft": induction.SoftBinaryDecomposition(binary, builder, grace_period=400),
    "all pairs": multiclass.OneVsOneClassifier(binary),
    "one versus rest": multiclass.OneVsRestClassifier(binary),
}
k, window = len(section_of), 200
curves = {}
for name, model in models.items():
    accuracy = river_metrics.Accuracy()
    states = evaluate.iter_progressive_val_score(stream, model, accuracy, step=window)
    correct = [0.0, *(state["Accuracy"].get() * state["Step"] for state in states)]
    curves[name] = [(b - a) / window for a, b in pairwise(correct)]

# %%
# The accuracies, the number of classifiers, and how many of them a prediction uses. A few of them
# are almost as accurate as all pairs. One versus rest is more accurate here, but it trains all
# its classifiers with every text; the trees train only those on one path.
paths = [sum(map(t.depth, t.leaves)) / k for t in (models["tree, as they come"].taxonomy_, tree)]
pairs = k * (k - 1) // 2
asked = [(k - 1, paths[0]), (k - 1, paths[1]), (k - 1, k - 1), (pairs, pairs), (k, k)]
print(f"\n{'':<20}{'first 400':>11}{'last 400':>10}{'classifiers':>13}{'asked':>7}")
for (name, curve), (have, ask) in zip(curves.items(), asked, strict=True):
    first, last = sum(curve[:2]) / 2, sum(curve[-2:]) / 2
    print(f"{name:<20}{first:>11.1%}{last:>10.1%}{have:>13}{ask:>7.1f}")

# %%
# The tree that is rebuilt resets some classifiers, which takes about a thousand texts to recover.
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("\nInstall matplotlib to see this as a picture.")
else:
    figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
    ends = range(window, len(stream) + 1, window)
    for (name, curve), line in zip(curves.items(), ["-", "-", "-", "--", "--"], strict=True):
        ax.plot(ends, curve, line, label=name)
    ax.axvline(400, color="black", linestyle=":", label="the tree is rebuilt")
    ax.set(xlabel="texts seen", ylabel=f"accuracy on the last {window}", ylim=(0, 1))
    ax.legend(frameon=False)
    plt.show()
