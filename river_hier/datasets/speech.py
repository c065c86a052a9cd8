"""What the two streams of TIMIT share."""

from __future__ import annotations

import abc
import contextlib
import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from river.datasets.base import MULTI_CLF

from ..taxonomy import Taxonomy
from .base import data_home
from .cepstra import N_CEPSTRA, centres, cepstra, with_changes
from .complaints import Complaints
from .file_dataset import FileDataset, Source
from .files import Files
from .phonemes import PHONETIC_TREE
from .recordings import samples
from .utterances import PARTS, Utterance, segments, utterances

__all__ = ["OF_A_FRAME", "Speech"]

Floats = NDArray[np.float64]

OF_A_FRAME = [f"{what}_{i}" for what in ("mfcc", "delta", "delta2") for i in range(N_CEPSTRA)]

SENTENCES = ("sa", "si", "sx")
_ADDRESS = "https://raw.githubusercontent.com/nltk/nltk_data/gh-pages/packages/corpora/timit.zip"
_SAMPLE = "timit.zip"


class Speech(FileDataset):
    """Base class: a subclass says what the features of some frames are and how they are named."""

    NAMES: ClassVar[Sequence[str]]  # of the features

    #: The speakers of the core test set, by which results on TIMIT are usually reported.
    CORE_TEST: ClassVar[tuple[str, ...]] = (
        *("mdab0", "mwbt0", "felc0", "mtas1", "mwew0", "fpas0", "mjmp0", "mlnt0", "fpkt0"),
        *("mlll0", "mtls0", "fjlm0", "mbpm0", "mklt0", "fnlp0", "mcmj0", "mjdh0", "fmgd0"),
        *("mgrt0", "mnjm0", "fdhc0", "mjln0", "mpam0", "fmld0"),
    )

    HELP = (
        "put the folders TRAIN and TEST of the licensed corpus (LDC93S1) there, with their *.WAV "
        f"and *.PHN, or the free sample of some speakers, {_ADDRESS}"
    )

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        parts: Sequence[str],
        speakers: Collection[str] | None,
        sentences: Sequence[str],
        on_error: str,
    ) -> None:
        _check_some("parts", parts, PARTS)
        _check_some("sentences", sentences, SENTENCES)
        names = () if speakers is None or isinstance(speakers, str) else tuple(speakers)
        if speakers is not None and not (names and all(isinstance(name, str) for name in names)):
            raise ValueError(f"`speakers` must be a list or tuple of names, got {speakers!r}")
        n_features, n_classes = len(self.NAMES), len(PHONETIC_TREE.leaves)
        super().__init__(path, on_error, MULTI_CLF, n_features, n_classes=n_classes)
        self.parts = tuple(parts)
        self.speakers = names or None
        self.sentences = tuple(sentences)

    @property
    def taxonomy(self) -> Taxonomy:
        """The phonetic tree; it needs no files."""
        return PHONETIC_TREE

    @property
    def location(self) -> Path:
        """Where the files are, or will be."""
        return data_home() / "TIMIT" if self.path is None else Path(self.path)

    @property
    def utterances(self) -> list[Utterance]:
        """The utterances of the stream, in its order: `part`, `speaker`, `sentence` and files."""
        with self._corpus() as files:
            return self._chosen(files)

    def _examples(self, complain: Complaints) -> Iterator[tuple[dict[str, float], str]]:
        with self._corpus() as files:
            for utterance in self._chosen(files):
                sound = samples(files, utterance.recording)
                c = with_changes(cepstra(sound))
                middles = centres(len(c))
                spoken = segments(files, utterance.transcription, len(sound), complain)
                for start, end, phoneme in spoken:
                    first, last = np.searchsorted(middles, (start, end)).tolist()
                    if phoneme is not None and len(c):
                        for row in self._rows(c, first, last).tolist():
                            yield dict(zip(self.NAMES, row, strict=True)), phoneme

    def _chosen(self, files: Files) -> list[Utterance]:
        found = [u for u in utterances(files) if u.part in self.parts]
        if self.speakers is not None:
            wanted = {speaker.lower() for speaker in self.speakers}
            there = {u.speaker for u in found}
            if missing := sorted(wanted - there):
                raise ValueError(
                    f"speaker {missing[0]!r} is none of the {len(there)} of {self.parts} in "
                    f"{str(self.location)!r}"
                )
            found = [u for u in found if u.speaker in wanted]
        return [u for u in found if u.sentence.startswith(self.sentences)]

    @contextlib.contextmanager
    def _corpus(self) -> Iterator[Files]:
        """The files of the licensed corpus or, where there are none, those of the free sample."""
        licensed = any(path.is_dir() for path in self.location.glob("*"))
        if self.path is None and not licensed:
            self.download()
        sample = self.location / _SAMPLE
        with self._files() if licensed or not sample.is_file() else Files(sample) as files:
            yield files

    def _sources(self) -> dict[str, Source]:
        # The SHA-256 is not known: its publisher gives none.
        return {_SAMPLE: Source((_ADDRESS,), None)}

    @abc.abstractmethod
    def _rows(self, c: Floats, first: int, last: int) -> Floats:
        """The features of what was spoken from frame `first` to before `last`, row by row."""


def _check_some(name: str, value: Any, known: tuple[str, ...]) -> None:
    if isinstance(value, str) or not value or not set(value) <= set(known):
        raise ValueError(f"`{name}` must be a list or tuple of some of {known}, got {value!r}")
