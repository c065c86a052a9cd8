"""TIMIT, one frame an example, and what it shares with `TIMITSegments`."""

from __future__ import annotations

import abc
import contextlib
import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from river.datasets.base import MULTI_CLF

from ...taxonomy import Taxonomy
from ..base import data_home
from ..formats.audio import N_CEPSTRA, centres, cepstra, samples, with_derivatives
from ..formats.timit import PARTS, PHONETIC_TREE, Utterance, segments, utterances
from ..io.errors import ErrorHandler
from ..io.file_dataset import FileDataset, Source, check_subset
from ..io.files import Files

__all__ = ["TIMIT"]

Floats = NDArray[np.float64]

FRAME_FEATURES = [f"{what}_{i}" for what in ("mfcc", "delta", "delta2") for i in range(N_CEPSTRA)]

SENTENCES = ("sa", "si", "sx")
_ADDRESS = "https://raw.githubusercontent.com/nltk/nltk_data/gh-pages/packages/corpora/timit.zip"
_SAMPLE = "timit.zip"
_CONTEXT = range(-2, 3)


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
        check_subset("parts", parts, PARTS)
        check_subset("sentences", sentences, SENTENCES)
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

    def _examples(self, report: ErrorHandler) -> Iterator[tuple[dict[str, float], str]]:
        with self._corpus() as files:
            for utterance in self._chosen(files):
                sound = samples(files, utterance.recording)
                c = with_derivatives(cepstra(sound))
                middles = centres(len(c))
                spoken = segments(files, utterance.transcription, len(sound), report)
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


class TIMIT(Speech):
    r"""TIMIT: American English, frame by frame, and the phonemes that are spoken.

    630 speakers read ten sentences each, five hours in all, and experts wrote down where which
    phoneme is heard. An example is a frame of 25 ms, of which there is one every 10 ms: `y` is the
    phoneme in whose segment its middle lies, `x` the 13 mel-frequency cepstral coefficients of it
    and of two frames before and after it, with their first and second derivatives: 195 features,
    `"mfcc_0_-2"` to `"delta2_12_2"`, by kind, coefficient and place. Frames come in the order of
    time, utterance by utterance; memory holds one of these. See `TIMITSegments` for an example a
    segment.

    The taxonomy is the phonetic tree of the paper [^1]. Labels are its leaves: 40 phonemes and
    `"silence"`; predictions may be any node. TIMIT's 61 codes are folded into them as in [^2]:
    closures and pauses are silence, `ax`, `ix`, `axr`, `ux` and the like are the vowel they are
    a variant of, `em`, `en`, `nx`, `eng`, `el` and `hv` are the consonant. Glottal stops (`q`) are
    left out, though neighbouring frames see them. Unlike there, `ao` is not folded into `aa`, nor
    `zh` into `sh`, since the tree has them all.

    The corpus is licensed by the Linguistic Data Consortium (LDC93S1, some 600 MB). Without
    `path` the folder `TIMIT` of River's data home is read; if it holds no folders, a sample of some
    speakers is downloaded into it, over TLS but without a checksum, since there is none to be had; it
    is free for non-commercial use (CC BY-NC-SA). Features are as they come out: put
    `preprocessing.StandardScaler` before a learner. They need an extra:
    `pip install "river-hier[audio]"`.

    Parameters
    ----------
    path
        The folder or archive. Of each utterance there must be a recording, `*.wav` in NIST SPHERE
        or RIFF, and beside it the transcription, `*.phn`, in upper or lower case; other files are
        not read. A speaker is a folder, `FALR0` or `dr4-falr0`.
    parts
        Which parts of the official split to read: `"train"` (462 speakers), `"test"` (168) or both,
        by the name of a folder above. What is in neither, as all of the sample, is for training.
        Train comes before test, whatever the order given.
    speakers
        Only these speakers. `TIMIT.CORE_TEST` are the 24 of the core test set. None: all.
    sentences
        Which kinds: `"sx"` (five a speaker, each read by seven), `"si"` (three a speaker, read by
        nobody else), `"sa"` (two, read by everybody, and so often left out).

    Attributes
    ----------
    utterances
        What is read, in this order, as tuples with `part`, `speaker`, `sentence`, `transcription`
        and `recording`.

    Raises
    ------
    FileNotFoundError
        There are no transcriptions, or one without its recording.
    ValueError
        A recording is damaged, compressed or not of one channel of 16 bits at 16 kHz, a line of a
        transcription is wrong, or a speaker is not there.
    ImportError
        kaldi-native-fbank is not installed.

    Notes
    -----
    The papers [^1] say "MFCC with first and second derivatives, based on the ETSI standard, from 5
    adjacent vectors", no more. From that standard [^3] are frames and steps, pre-emphasis (0.97),
    Hamming windows, and 23 mel filters from 64 Hz upwards; unlike there, the mean of each frame is
    taken off, filters see the power of the spectrum instead of its root, and the first of the 13
    coefficients is the cepstrum's own, not the energy. Derivatives are slopes of least squares over
    five frames. At both ends of a recording its first or last frame is repeated.

    Examples
    --------

    A hum and silence, in the publisher's format:

    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> from river import evaluate, preprocessing
    >>> from river_hier import datasets, linear_model, metrics

    >>> t = np.arange(32_000)
    >>> sound = 3_000 * np.sin(0.1 * t) * (t % 8_000 < 4_000) + t % 7
    >>> header = (
    ...     "NIST_1A\n   1024\nchannel_count -i 1\nsample_count -i 32000\nsample_rate -i 16000\n"
    ...     "sample_n_bytes -i 2\nsample_byte_format -s2 01\nend_head\n"
    ... )
    >>> marks = [
    ...     f"{4_000 * i} {4_000 * (i + 1)} {'h#' if i % 2 else 'm'}\n" for i in range(8)
    ... ]

    >>> folder = tempfile.TemporaryDirectory()
    >>> speaker = pathlib.Path(folder.name, "TRAIN", "DR4", "FALR0")
    >>> speaker.mkdir(parents=True)
    >>> wav = header.encode().ljust(1024) + sound.astype("<i2").tobytes()
    >>> _ = (speaker / "SX425.WAV").write_bytes(wav)
    >>> _ = (speaker / "SX425.PHN").write_text("".join(marks))

    >>> stream = datasets.TIMIT(folder.name)
    >>> x, y = next(iter(stream))
    >>> y, len(x), x["mfcc_0_0"]
    ('m', 195, 53.931)

    >>> model = preprocessing.StandardScaler() | linear_model.Hieron(stream.taxonomy)
    >>> metric = metrics.TreeInducedError(stream.taxonomy)
    >>> evaluate.progressive_val_score(stream, model, metric)
    TreeInducedError: 0.283
    >>> folder.cleanup()

    References
    ----------
    [^1]: Dekel, O., Keshet, J. and Singer, Y., 2005. An online algorithm for hierarchical phoneme classification. In Machine Learning for Multimodal Interaction, pp.146-158.
    [^2]: Lee, K.F. and Hon, H.W., 1989. Speaker-independent phone recognition using hidden Markov models. IEEE Transactions on Acoustics, Speech and Signal Processing, 37(11), pp.1641-1648.
    [^3]: ETSI ES 201 108, 2000. Distributed speech recognition; front-end feature extraction algorithm.

    """  # noqa: E501

    NAMES = [f"{name}_{place}" for place in _CONTEXT for name in FRAME_FEATURES]  # noqa: RUF012

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        parts: Sequence[str] = PARTS,
        speakers: Collection[str] | None = None,
        sentences: Sequence[str] = SENTENCES,
        on_error: str = "raise",
    ) -> None:
        super().__init__(path, parts, speakers, sentences, on_error)

    def _rows(self, c: Floats, first: int, last: int) -> Floats:
        t = np.arange(first, last)[:, np.newaxis] + np.array(_CONTEXT)
        rows: Floats = c[t.clip(0, len(c) - 1)].reshape(-1, len(self.NAMES))
        return rows
