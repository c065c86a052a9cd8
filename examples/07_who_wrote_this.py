"""Who wrote this?

Ten reporters have a byline on many stories of Reuters-21578. El-Yaniv and Etzion-Rosenberg (2002)
put authors at the leaves of a tree that is grown from their words, with a classifier at each of its
9 inner nodes; all pairs need 45. Is the tree as good? Recorded: see `datasets.Reuters21578`.
"""

# %%
# As in the paper, texts are chunks, here of 150 tokens. Every third story is set apart.
import os
import random
import re
import tarfile
from collections import Counter

from river import linear_model, multiclass, optim

from river_hier import feature_extraction, induction, plot

stories: dict[str, list] = {}
with tarfile.open(os.environ["RIVER_HIER_DATA"] + "/reuters21578/reuters21578.tar.gz") as files:
    for name in sorted(files.getnames()):
        if file := files.extractfile(name):
            for story in file.read().decode("latin-1").split("</REUTERS>"):
                if by := re.search(r"<AUTHOR>\s*By (.*?), Reuters.*<BODY>(.*)</B", story, re.S):
                    tokens = re.findall(r"\w+|[^\w\s]", by[2].lower())
                    stories.setdefault(by[1], []).append(tokens)
parts: tuple[list, list] = [], []  # to learn and to test
for author in sorted(stories, key=lambda author: -len(stories[author]))[:10]:
    for i, tokens in enumerate(stories[author]):
        chunks = [" ".join(tokens[k : k + 150]) for k in range(0, len(tokens) - 149, 150)]
        parts[i % 3 == 2].extend((chunk, author) for chunk in chunks)
random.Random(0).shuffle(parts[0])

# %%
# Two passes. Soft decoding multiplies the probabilities along each path.
builder = induction.JensenShannonTree()
for chunk, author in parts[0]:
    builder.learn_one(Counter(chunk.split()), author)
tree = builder.taxonomy()
binary = linear_model.LogisticRegression(optim.SGD(10.0), intercept_lr=0.1)
for name, decomposition in {
    "all pairs": multiclass.OneVsOneClassifier(binary),
    "tree, hard": induction.BinaryDecomposition(binary, tree),
    "tree, soft": induction.SoftBinaryDecomposition(binary, tree),
}.items():
    model = feature_extraction.LogTFIDF(tokenizer_pattern=r"\S+") | decomposition
    for chunk, author in 2 * parts[0]:
        model.learn_one(chunk, author)
    answers = [(author, model.predict_one(chunk)) for chunk, author in parts[1]]
    print(f"{name:<12}{sum(y == answer for y, answer in answers) / len(answers):.1%} right")

# %%
# How many of the chunks by the reporters below a node are taken for one of them.
right = {}
for v, branch in ((v, {v, *tree.descendants(v)}) for v in tree):
    below = [answer in branch for y, answer in answers if y in branch]
    right[v] = 100 * sum(below) / len(below)
ax = plot.taxonomy(tree, right, label="right so far (%)")
ax.set(xlabel="coarse → fine", ylabel="reporters")
