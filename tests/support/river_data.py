"""Taxonomies over the labels of River's datasets."""

from river import datasets

from river_hier import Taxonomy

# Phishing's labels (bool, np.bool_) and ImageSegments' seven names in one tree.
SEGMENTS = sorted({y for _, y in datasets.ImageSegments()})
TREE = Taxonomy.from_nested({"any": {"answer": [True, False], "picture": list(SEGMENTS)}})
# Yeast's labels in groups of four.
GENES = sorted(next(iter(datasets.Yeast()))[1])
GENE_TREE = Taxonomy.from_nested({f"g{i // 4}": GENES[i : i + 4] for i in range(0, 14, 4)})
