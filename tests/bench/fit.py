"""`river_hier.fit` and `predict` beside the loop in Python: seconds of processor time.

    RIVER_HIER_DATA=FOLDER PYTHONPATH=tests python tests/bench/fit.py --rows 100000

The rows are titles of products, again and again, each with its category of at least ten products.
"""

import argparse
import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd

from river_hier import Taxonomy
from support.corpora import real_data

LEARN = """
import csv, pickle, random
from contextlib import nullcontext
from river_hier import OpenTaxonomy, feature_extraction, linear_model
from river_hier._core import learned_before
rows = [(row["title"], row["category"]) for row in csv.DictReader(open("titles.csv"))]
model = feature_extraction.TextViews() | linear_model.PathSoftmax(OpenTaxonomy(" >> "), margin=1)
for k in range(3):
    random.shuffle(rows)
    with learned_before if k else nullcontext():
        for title, category in rows:
            model.learn_one(title, category)
pickle.dump(model, open("loop.model", "wb"))
"""
PREDICT = """
import csv, pickle
model = pickle.load(open("loop.model", "rb"))
titles = [row["title"] for row in csv.DictReader(open("titles.csv"))]
with open("loop.csv", "w") as file:
    for i in range(0, len(titles), 1000):
        file.writelines(f"{label}\\n" for label in model.predict_many(titles[i : i + 1000]))
"""


LIKELY = """
import csv, pickle
model = pickle.load(open("loop.model", "rb"))
titles = [row["title"] for row in csv.DictReader(open("titles.csv"))]
with open("loop.csv", "w") as file:
    for title in titles:
        label = model.predict_one(title)
        t = model["PathSoftmax"].taxonomy_
        p = model.predict_proba_one(title)
        file.write(f"{label},{sum(p[v] for v in [label, *t.descendants(label)]):.4f}\\n")
"""


def seconds(folder: str, *arguments: str) -> float:
    """The processor time of a program in Python."""
    before = os.times()
    command = [sys.executable, *arguments]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return (
        after.children_user + after.children_system - before.children_user - before.children_system
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=100_000)
    n = parser.parse_args().rows
    (file,) = Path(real_data("products")).glob("*.csv*")
    df = pd.read_csv(file)
    paths = df.product_category_tree.str.strip('["]')
    tree = Taxonomy.from_paths(paths, separator=" >> ", labels="path", min_count=10)
    rows = [*zip(df.product_name, paths.map(tree.nearest), strict=True)]
    with tempfile.TemporaryDirectory() as folder:
        with (Path(folder) / "titles.csv").open("w", newline="") as table:
            write = csv.writer(table).writerow
            write(["title", "category"])
            for i in range(n):
                title, category = rows[i % len(rows)]
                write([f"{title} {i // len(rows)}", category])
        learning = "titles.csv", "--text", "title", "--label", "category"
        loop, fit = seconds(folder, "-c", LEARN), seconds(folder, "-m", "river_hier.fit", *learning)
        print(f"learning: loop {loop:.1f} s, fit {fit:.1f} s, ratio {fit / loop:.2f}")
        many, likely = seconds(folder, "-c", PREDICT), seconds(folder, "-c", LIKELY)
        answering = "titles.model", "titles.csv", "--output", "labels.csv"
        labels = seconds(folder, "-m", "river_hier.predict", *answering)
        print(f"predictions: predict_many {many:.1f} s, predict {labels:.1f} s, ", end="")
        print(f"ratio {labels / many:.2f}; a loop that writes probabilities {likely:.1f} s")


if __name__ == "__main__":
    main()
