"""A small corpus of every dataset that reads files."""

import contextlib
import itertools
import re
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from river_hier import datasets
from river_hier.taxonomy import closure_mask
from support import hmc_corpus, ohsumed_corpus, rcv1_corpus, reuters_corpus, timit_corpus
from support.paths import DATA

MANY = 1_000  # examples; the corpora hold a handful


def timit(folder):
    timit_corpus.write(folder, timit_corpus.LICENSED[:1], timit_corpus.sphere)


# Every dataset that reads files: what writes its corpus, and what else it needs to be told.
FORMATS = {
    "HMC": (hmc_corpus.write_parts, {}),
    "OHSUMED": (ohsumed_corpus.write_folder, {"root": "C08"}),
    "RCV1": (rcv1_corpus.write_corpus, {}),
    "Reuters21578": (reuters_corpus.write_corpus, {}),
    "TIMIT": (timit, {}),
    "TIMITSegments": (timit_corpus.write_sample, {}),
}


def stream_of(name, path, **params):
    return getattr(datasets, name)(path, **FORMATS[name][1] | params)


@contextlib.contextmanager
def corpus(name):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "corpus")
        path.mkdir()
        FORMATS[name][0](path)
        yield path


def read(name, path, on_error):
    """How many examples there are, unless it is said what is wrong."""
    try:
        stream = stream_of(name, path, on_error=on_error)
        assert len(stream.taxonomy) > 0
        n = 0
        for x, y in itertools.islice(stream, MANY):
            assert x is not None
            closure_mask(stream.taxonomy, y)  # its labels are known
            n += 1
        return n
    except UnicodeError:  # which names no file
        raise
    except (ValueError, OSError):
        return 0


def on(y):
    return {label for label, value in y.items() if value}


def refused(make, message):
    """The examples that are left if the one broken record, of which this is said, is skipped."""
    with pytest.raises(ValueError, match="line") as error:
        list(make("raise"))
    assert str(error.value).startswith(message)
    stream = make("skip")
    left = list(stream)
    assert (stream.n_skipped, stream.skipped) == (1, (str(error.value),))
    assert len(list(stream)) == len(left)
    assert stream.n_skipped == 1  # anew, each time
    return left


def never_skipped(make, message):
    """Whatever `on_error` is: nothing can be read without what is broken here."""
    for on_error in ("raise", "skip"):
        with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
            list(make(on_error))


def by_depth(taxonomy):
    """The numbers of nodes at the depths 0, 1, ..."""
    counts = Counter(map(taxonomy.depth, taxonomy))
    return [counts[depth] for depth in range(taxonomy.height + 1)]


def real_data(folder):
    """A folder of the real data; without it, the test is skipped."""
    if not (DATA / folder).is_dir():
        pytest.skip(f"no {folder} at {DATA}: set RIVER_HIER_DATA")
    return DATA / folder
