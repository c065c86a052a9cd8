"""Products of a shop, under the category paths that were scraped with them."""

from __future__ import annotations

import functools
import os
from collections import Counter
from collections.abc import Iterator
from typing import ClassVar

from river.datasets.base import MULTI_CLF

from ...base.checks import check_integer
from ...taxonomy import Taxonomy
from ..formats import flipkart
from ..io.errors import ErrorHandler
from ..io.file_dataset import FileDataset

_FILES = ("flipkart_com-ecommerce_sample.csv", "products.csv", "*.csv")
_ROOT = "root"


class FlipkartProducts(FileDataset):
    r"""Flipkart: titles of products of an Indian shop, each with a category path.

    A sample of 20,000 products, scraped in 2015 and 2016 and published by PromptCloud [^1]. `x` is
    `{"title": ...}`; `y` is a single label, the path of the product's category as a string, such as
    `"Jewellery >> Earrings"`, and so a node at any depth from 1 to 8. The taxonomy has all
    categories that occur, below a root `"root"`; labels are whole paths, because the same name
    occurs in different branches.

    The paths are untidy. The last name of many paths is the name of the product itself, a few paths
    consist of it alone, and so more than half of the categories have a single product. `min_size`
    shortens paths: with `min_size=10`, `y` is the most specific category with at least ten
    products, or the root if there is none.

    **Files.** Get `flipkart_com-ecommerce_sample.csv` from Kaggle, which requires an account, so
    nothing is downloaded here. Of its columns, `product_name` and `product_category_tree` are read,
    and any other table with these two columns can be read as well. The licence is
    [CC BY-SA 4.0](https://creativecommons.org/licenses/by-sa/4.0/).

    **Passes.** The file is read in one pass, one product at a time, and once more for the taxonomy.

    Parameters
    ----------
    path
        The CSV file, compressed with gzip or not, or a folder or archive that holds it. By default
        the folder `FlipkartProducts` of River's data home.
    min_size
        The number of products, descendants included, from which a category is in the taxonomy.
    on_error
        What to do with a broken product: `"raise"` a `ValueError` that names file and line, or
        `"skip"` it and count it in `n_skipped`.

    Raises
    ------
    FileNotFoundError
        There is no such file.
    ValueError
        The file is damaged or has an unexpected content; the message names file and line.

    Examples
    --------

    Four products; the column of paths is a JSON list of one string, as in the publisher's file:

    >>> import pathlib, tempfile
    >>> from river_hier import datasets

    >>> table = '''product_name,product_category_tree
    ... Oak Table,"[""Furniture >> Tables""]"
    ... Pine Table,"[""Furniture >> Tables >> Pine Table""]"
    ... Silk Shirt,"[""Clothing >> Shirts""]"
    ... Denim Shirt,"[""Clothing >> Shirts""]"
    ... '''
    >>> folder = tempfile.TemporaryDirectory()
    >>> _ = pathlib.Path(folder.name, "products.csv").write_text(table)

    >>> stream = datasets.FlipkartProducts(folder.name, min_size=2)
    >>> stream.taxonomy
    Taxonomy(root='root', 5 nodes, 2 leaves, height 2)
    >>> for x, y in stream:
    ...     print(x["title"], "|", y)
    Oak Table | Furniture >> Tables
    Pine Table | Furniture >> Tables
    Silk Shirt | Clothing >> Shirts
    Denim Shirt | Clothing >> Shirts

    >>> from river import evaluate
    >>> from river_hier import feature_extraction, linear_model, metrics

    >>> bag = feature_extraction.LogTFIDF(on="title")
    >>> model = bag | linear_model.AveragedHieron(stream.taxonomy)
    >>> metric = metrics.TreeInducedError(stream.taxonomy)
    >>> evaluate.progressive_val_score(stream, model, metric)
    TreeInducedError: 1.5
    >>> folder.cleanup()

    References
    ----------
    [^1]: [PromptCloud, 2017. Flipkart products, Kaggle.](https://www.kaggle.com/datasets/PromptCloudHQ/flipkart-products)

    """

    HELP: ClassVar[str] = (
        "get flipkart_com-ecommerce_sample.csv from "
        "https://www.kaggle.com/datasets/PromptCloudHQ/flipkart-products and put it there"
    )

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        min_size: int = 1,
        on_error: str = "raise",
    ) -> None:
        check_integer("min_size", min_size, at_least=1)
        self.min_size = min_size
        # The numbers of products and categories are unknown until the file has been read.
        super().__init__(path, on_error, task=MULTI_CLF, n_features=1)

    @functools.cached_property
    def taxonomy(self) -> Taxonomy:
        """The categories with at least `min_size` products."""
        sizes = Counter[tuple[str, ...]]()
        report = ErrorHandler(self.on_error)
        with self._files() as files:
            name = files.one(*_FILES)
            for _, path in flipkart.products(files, name, report):
                sizes.update(path[:depth] for depth in range(1, len(path) + 1))
        parents = {
            _label(path): _label(path[:-1]) for path in sizes if sizes[path] >= self.min_size
        }
        try:
            return Taxonomy.from_parents({_ROOT: None, **parents})
        except ValueError as error:  # a category is called like the root
            raise ValueError(f"{name}: {error}") from error

    def _examples(self, report: ErrorHandler) -> Iterator[tuple[dict[str, str], str]]:
        taxonomy = self.taxonomy
        with self._files() as files:
            for title, path in flipkart.products(files, files.one(*_FILES), report):
                while (label := _label(path)) not in taxonomy:
                    path = path[:-1]
                yield {"title": title}, label


def _label(path: tuple[str, ...]) -> str:
    return flipkart.SEPARATOR.join(path) or _ROOT
