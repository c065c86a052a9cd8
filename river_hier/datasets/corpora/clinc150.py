"""Queries to an assistant, and queries that are out of its scope."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator, Sequence
from typing import ClassVar

from river.datasets.base import MULTI_CLF

from ...taxonomy import Taxonomy
from ...taxonomy.errors import UnknownLabelError
from ..formats import clinc
from ..io.errors import ErrorHandler
from ..io.file_dataset import FileDataset, Source, check_subset

_ADDRESS = "https://raw.githubusercontent.com/clinc/oos-eval/master/data"
_QUERIES = "data_full.json"
_DOMAINS = "domains.json"
# Of the file at https://github.com/clinc/oos-eval, from which the taxonomy is made.
_SHA256 = "b947b579d3b8e74b06f93b01083d8efaff2888b43a3e362533bd88a6e1211b3a"
_SPLITS = {
    "train": 15_000,
    "val": 3_000,
    "test": 4_500,
    "oos_train": 100,
    "oos_val": 100,
    "oos_test": 1_000,
}
_ROOT = "oos"  # the label of queries that are out of scope


class CLINC150(FileDataset):
    r"""CLINC150: queries to an assistant, of 150 intents in 10 domains, and queries out of scope.

    Short texts by crowd workers [^1]: 100 training, 20 validation and 30 test queries of each
    intent, and 1,200 queries that belong to none. `x` is `{"text": ...}`, and `y` is the intent,
    such as `"pay_bill"`. The taxonomy has the domains, such as `"banking"`, below its root, and the
    intents below their domains. The root is called `"oos"`, which is the publisher's label of
    queries that are out of scope: for a single-label model, the root means "none of these".

    Queries are in the order of the file, sorted by intent, which is a bad order for online
    learning. Shuffle a list of them, or use `river.stream.shuffle`.

    The publisher's files are read as they are (the `full` version of the data). Without `path` they
    are downloaded into River's data home (2 MB) in the first iteration: the queries over TLS but
    without a checksum, since the publisher provides none; of the domains, which must not change,
    the SHA-256 is verified. The licence is
    [CC BY 3.0](https://creativecommons.org/licenses/by/3.0/).

    Parameters
    ----------
    path
        The folder or archive with `data_full.json` and `domains.json`, compressed with gzip or not.
        By default the folder `CLINC150` of River's data home, to which both are downloaded.
    splits
        The splits to read: some of `"train"`, `"val"`, `"test"`, and of `"oos_train"`, `"oos_val"`,
        `"oos_test"`, which are out of scope.
    on_error
        What to do with a broken query: `"raise"` a `ValueError` that names file and line, or
        `"skip"` it and count it in `n_skipped`.

    Raises
    ------
    FileNotFoundError
        `path` lacks a file.
    ValueError
        A file is damaged or has an unexpected content, a split is missing, or an intent is in no
        domain.
    ConnectionError
        A download failed. Iterate again, or call `download`, to resume it.

    Examples
    --------

    Four queries in the publisher's format, one of them out of scope:

    >>> import json, pathlib, tempfile
    >>> from river_hier import datasets

    >>> folder = tempfile.TemporaryDirectory()
    >>> domains = {"banking": ["pay_bill", "routing"], "travel": ["book_flight"]}
    >>> queries = {
    ...     "train": [
    ...         ["pay my phone bill", "pay_bill"],
    ...         ["the routing number of my bank", "routing"],
    ...         ["a flight to oslo", "book_flight"],
    ...     ],
    ...     "oos_val": [["how tall is everest", "oos"]],
    ... }
    >>> for name, content in {"domains": domains, "data_full": queries}.items():
    ...     _ = pathlib.Path(folder.name, f"{name}.json").write_text(json.dumps(content))

    >>> stream = datasets.CLINC150(folder.name, splits=["train", "oos_val"])
    >>> stream.taxonomy
    Taxonomy(root='oos', 6 nodes, 3 leaves, height 2)
    >>> for x, y in stream:
    ...     print(x["text"], stream.taxonomy.path(y))
    pay my phone bill ('oos', 'banking', 'pay_bill')
    the routing number of my bank ('oos', 'banking', 'routing')
    a flight to oslo ('oos', 'travel', 'book_flight')
    how tall is everest ('oos',)

    >>> from river import evaluate
    >>> from river_hier import feature_extraction, linear_model, metrics

    >>> bag = feature_extraction.LogTFIDF(on="text")
    >>> model = bag | linear_model.AveragedHieron(stream.taxonomy)
    >>> metric = metrics.TreeInducedError(stream.taxonomy)
    >>> evaluate.progressive_val_score(stream, model, metric)
    TreeInducedError: 1.5
    >>> folder.cleanup()

    References
    ----------
    [^1]: [Larson, S., Mahendran, A., Peper, J.J., Clarke, C., Lee, A., Hill, P., Kummerfeld, J.K., Leach, K., Laurenzano, M.A., Tang, L. and Mars, J., 2019. An evaluation dataset for intent classification and out-of-scope prediction. EMNLP-IJCNLP, pp.1311-1316.](https://aclanthology.org/D19-1131)

    """  # noqa: E501

    HELP: ClassVar[str] = f"call `download()` or get {_QUERIES} and {_DOMAINS} from {_ADDRESS}"

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        splits: Sequence[str] = ("train",),
        on_error: str = "raise",
    ) -> None:
        check_subset("splits", splits, _SPLITS)
        self.splits: tuple[str, ...] = tuple(splits)
        super().__init__(
            path,
            on_error,
            task=MULTI_CLF,
            n_features=1,
            # Files of your own may hold any number of queries.
            n_samples=sum(_SPLITS[split] for split in set(splits)) if path is None else None,
            n_classes=151,
        )

    @functools.cached_property
    def taxonomy(self) -> Taxonomy:
        """The domains and their intents, below the root `"oos"`."""
        with self._files(_DOMAINS) as files:
            name = files.one(_DOMAINS)
            found = clinc.domains(files, name)
        try:
            return Taxonomy.from_nested({_ROOT: dict(found)})
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error

    def _examples(self, report: ErrorHandler) -> Iterator[tuple[dict[str, str], str]]:
        taxonomy = self.taxonomy
        with self._files(_QUERIES) as files:
            name = files.one(_QUERIES)
            for line, text, intent in clinc.queries(files, name, self.splits, report):
                if intent in taxonomy:
                    yield {"text": text}, intent
                else:
                    report(name, line, str(UnknownLabelError(intent, taxonomy)))

    def _sources(self) -> dict[str, Source]:
        return {
            _QUERIES: Source([f"{_ADDRESS}/{_QUERIES}"], None, clinc.check_queries),
            _DOMAINS: Source([f"{_ADDRESS}/{_DOMAINS}"], _SHA256),
        }
