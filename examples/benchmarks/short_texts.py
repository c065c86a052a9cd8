"""Two collections of short texts that are not part of the library, and how they are read.

* Queries (CLINC150): texts by crowd workers, of 150 intents in 10 domains, and texts out of scope.
  Put `data_full.json` and `domains.json` of https://github.com/clinc/oos-eval into a folder
  `clinc150`. The licence is CC BY 3.0. (Larson, S. et al., 2019. An evaluation dataset for intent
  classification and out-of-scope prediction. EMNLP-IJCNLP, pp.1311-1316.)
* Products (Flipkart): titles of products of a shop, scraped with their category paths by
  PromptCloud. Put https://www.kaggle.com/datasets/PromptCloudHQ/flipkart-products as `products.csv`
  into a folder `products`. The licence is CC BY-SA 4.0.

Both may be compressed with gzip.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pandas as pd

from river_hier import Taxonomy


def _json(folder: Path, name: str) -> Any:
    packed = folder / f"{name}.gz"
    data = gzip.decompress(packed.read_bytes()) if packed.exists() else (folder / name).read_bytes()
    return json.loads(data)


def intents(folder: Path) -> Taxonomy:
    """The domains and their intents; the root is the label of the texts that are out of scope."""
    return Taxonomy.from_nested({"oos": _json(folder, "domains.json")})


def queries(folder: Path, split: str) -> list[tuple[str, str]]:
    """Text and intent of each query, sorted by intent: shuffle them before a single pass.

    The splits are train, val, test, oos_train, oos_val and oos_test.
    """
    return [(text, intent) for text, intent in _json(folder, "data_full.json")[split]]


def products(folder: Path, min_size: int = 10) -> pd.DataFrame:
    """A column `product_name` of distinct titles, and a column `category` of paths.

    The last name of many paths is that of the product itself, so a product belongs to its most
    specific category of at least `min_size` titles, or to None. The names on a path are joined by
    ` >> `.
    """
    file = next(folder.glob("products.csv*"))
    df = pd.read_csv(file).drop_duplicates("product_name")
    paths = df.product_category_tree.str.strip('["]')
    tree = Taxonomy.from_paths(paths, separator=" >> ", labels="path", min_count=min_size)
    df["category"] = [None if (y := tree.nearest(p)) == tree.root else y for p in paths]
    return df
