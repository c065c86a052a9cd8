"""Models as this version saves them, with their answers, which later versions must give, too.

    python tests/support/old_files.py

writes them to `tests/files`, in a file with the version of the package as its name; what is there
stays as it was written.
"""

import lzma
import pickle
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import river_hier
from river_hier import OpenTaxonomy, Taxonomy, feature_extraction, induction, linear_model, metrics
from support.makers import LOGISTIC, TABLE

FILES = Path(__file__).parents[1] / "files"
TREE = Taxonomy.from_nested({"r": {"a": ["b", "c"], "d": []}})
ROWS = [{"x": i % 3 - 1.0, "y": i % 5 / 2, f"z{i % 4}": 1.0} for i in range(24)]
TEXTS = [" ".join(f"{name} {int(value)}" for name, value in x.items()) for x in ROWS]
# A class of River that these hold takes 70 kB; their own classes are saved with others inside.
DECOMPOSITIONS = {
    "BinaryDecomposition": induction.BinaryDecomposition,
    "SoftBinaryDecomposition": induction.SoftBinaryDecomposition,
}
KEPT = TABLE.keys() - {"TreeBayes naive", "PerParent naive"}


def saved():
    """Names, trained objects, and what is asked."""
    for name in sorted(KEPT):
        row = TABLE[name]
        model = DECOMPOSITIONS[name](LOGISTIC.clone()) if name in DECOMPOSITIONS else row(TREE)
        for i, x in enumerate(ROWS):
            model.learn_one(x, row.y("bcd"[i % 3]))
        yield name, model, ROWS[:2]
    for name, reader in {
        "words": feature_extraction.LogTFIDF(min_count=1),
        "views": feature_extraction.TextViews(min_count=1),
    }.items():
        pipeline = reader | linear_model.PathSoftmax(OpenTaxonomy("/"))
        for i, text in enumerate(TEXTS):
            pipeline.learn_one(text, ("a/b", "a/c", "d")[i % 3])
        yield name, pipeline, TEXTS[:2]


def answers(model, questions):
    """Predictions, and probabilities unless the prediction is numbers."""
    return [
        (model.predict_one(x), getattr(model, "predict_proba_one", model.predict_one)(x))
        if getattr(model, "_predicts_labels", True)
        else (None, model.predict_one(x))
        for x in questions
    ]


def write():
    FILES.mkdir(exist_ok=True)
    kept = {n: (pickle.dumps(m), asked, answers(m, asked)) for n, m, asked in saved()}
    loss = metrics.HLoss(TREE)
    loss.update("b", "d")
    kept["metric"] = (pickle.dumps(loss), [], [loss.get()])
    path = FILES / f"{river_hier.__version__}.pickle.xz"
    if path.exists():
        kept |= pickle.loads(lzma.decompress(path.read_bytes()))
    path.write_bytes(lzma.compress(pickle.dumps(kept), preset=9 | lzma.PRESET_EXTREME))
    print(f"{path}: {len(kept)} objects, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    write()
