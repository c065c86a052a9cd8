"""TIMIT frame by frame and segment by segment: its phonetic tree, transcriptions and recordings."""

import abc
import contextlib
import importlib
import io
import os
import re
import reprlib
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from river.datasets.base import MULTI_CLF

from ..taxonomy import Taxonomy
from .base import data_home
from .file_dataset import FileDataset, Source, checked_subset
from .files import ErrorHandler, Files, damage, lines

Floats = NDArray[np.float64]

SUBSETS = ("train", "test")

PHONETIC_TREE = Taxonomy.from_nested(
    {
        "phonemes": {
            "sonorants": {
                "nasals": ["n", "m", "ng"],
                "liquids": ["l", "r", "w", "y"],
                "vowels": {
                    "front": ["iy", "ih", "ey", "eh", "ae"],
                    "central": ["aa", "ao", "er", "aw", "ay", "ah"],
                    "back": ["oy", "ow", "uh", "uw"],
                },
            },
            "obstruents": {
                "affricates": ["jh", "ch"],
                "plosives": ["b", "d", "g", "p", "t", "k", "dx"],
                "fricatives": ["f", "v", "s", "z", "sh", "zh", "th", "dh", "hh"],
            },
            "silence": None,
        }
    }
)

_VARIANTS = {  # codes that are mapped to another phoneme
    "n": ("nx", "en"),
    "m": ("em",),
    "ng": ("eng",),
    "l": ("el",),
    "ih": ("ix",),
    "er": ("axr",),
    "ah": ("ax", "ax-h"),
    "uw": ("ux",),
    "hh": ("hv",),
    "silence": ("h#", "pau", "epi", "bcl", "dcl", "gcl", "pcl", "tcl", "kcl"),
}

#: The phoneme of each of the 61 codes; None for the glottal stop.
PHONEMES: dict[str, str | None] = {
    **{str(leaf): str(leaf) for leaf in PHONETIC_TREE.leaves if leaf != "silence"},
    **{code: phoneme for phoneme, codes in _VARIANTS.items() for code in codes},
    "q": None,
}

N_CEPSTRA = 13
FRAME, STEP = 400, 160  # samples: 25 ms, every 10 ms
REACH = 2  # frames on either side used to estimate a derivative

RATE = 16_000  # samples a second
_FORMAT = (1, "PCM_16", RATE)
_HEADER, _COUNT = 1_024, re.compile(rb"\nsample_count -i (\d+)\s")  # of NIST SPHERE
FRAME_FEATURES = [f"{what}_{i}" for what in ("mfcc", "delta", "delta2") for i in range(N_CEPSTRA)]

SENTENCES = ("sa", "si", "sx")
_ADDRESS = "https://raw.githubusercontent.com/nltk/nltk_data/gh-pages/packages/corpora/timit.zip"
_SAMPLE = "timit.zip"
_CONTEXT = range(-2, 3)


class Utterance(NamedTuple):
    """An utterance, in lower case, and its files."""

    subset: str
    speaker: str  # "falr0": sex, initials, a digit
    sentence: str  # "sx425": kind and number
    transcription: str
    recording: str


class Speech(FileDataset):
    """Base class of the two streams; a subclass defines the features of a segment in `_rows`."""

    NAMES: ClassVar[Sequence[str]]  # of the features

    #: The speakers of the core test set, on which results are usually reported.
    CORE_TEST: ClassVar[tuple[str, ...]] = (
        *("mdab0", "mwbt0", "felc0", "mtas1", "mwew0", "fpas0", "mjmp0", "mlnt0", "fpkt0"),
        *("mlll0", "mtls0", "fjlm0", "mbpm0", "mklt0", "fnlp0", "mcmj0", "mjdh0", "fmgd0"),
        *("mgrt0", "mnjm0", "fdhc0", "mjln0", "mpam0", "fmld0"),
    )

    HELP: ClassVar[str] = (
        "put the folders TRAIN and TEST of the licensed corpus (LDC93S1) there, with their *.WAV "
        f"and *.PHN, or the free sample of some speakers, {_ADDRESS}"
    )

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        subsets: Sequence[str] = SUBSETS,
        speakers: Collection[str] | None = None,
        sentences: Sequence[str] = SENTENCES,
        on_error: str = "raise",
    ) -> None:
        self.subsets: tuple[str, ...] = checked_subset("subsets", subsets, SUBSETS)
        self.sentences: tuple[str, ...] = checked_subset("sentences", sentences, SENTENCES)
        names = () if speakers is None or isinstance(speakers, str) else tuple(speakers)
        if speakers is not None and not (names and all(isinstance(name, str) for name in names)):
            raise ValueError(f"`speakers` must be a list or tuple of names, got {speakers!r}")
        n_features, n_classes = len(self.NAMES), len(PHONETIC_TREE.leaves)
        super().__init__(path, on_error, MULTI_CLF, n_features, n_classes=n_classes)
        self.speakers: tuple[str, ...] | None = names or None

    @property
    def taxonomy(self) -> Taxonomy:
        """The phonetic tree; no files are needed."""
        return PHONETIC_TREE

    @property
    def location(self) -> Path:
        return data_home() / "TIMIT" if self.path is None else Path(self.path)

    @property
    def utterances(self) -> list[Utterance]:
        """The utterances in the order of the stream: `subset`, `speaker`, `sentence` and files."""
        with self._corpus() as files:
            return self._chosen(files)

    def _examples(self, report: ErrorHandler) -> Iterator[tuple[dict[str, float], str]]:
        with self._corpus() as files:
            for utterance in self._chosen(files):
                sound = samples(files, utterance.recording)
                c = cepstra(sound)
                first = _slopes(c)
                c = np.hstack([c, first, _slopes(first)])
                middles = FRAME // 2 + STEP * np.arange(len(c))  # of the frames, in samples
                spoken = segments(files, utterance.transcription, len(sound), report)
                for start, end, phoneme in spoken:
                    first, last = np.searchsorted(middles, (start, end)).tolist()
                    if phoneme is not None and len(c):
                        for row in self._rows(c, first, last).tolist():
                            yield dict(zip(self.NAMES, row, strict=True)), phoneme

    def _chosen(self, files: Files) -> list[Utterance]:
        chosen = [u for u in utterances(files) if u.subset in self.subsets]
        if self.speakers is not None:
            wanted = {speaker.lower() for speaker in self.speakers}
            there = {u.speaker for u in chosen}
            if missing := sorted(wanted - there):
                raise ValueError(
                    f"speaker {missing[0]!r} is none of the {len(there)} of {self.subsets} in "
                    f"{str(self.location)!r}"
                )
            chosen = [u for u in chosen if u.speaker in wanted]
        return [u for u in chosen if u.sentence.startswith(self.sentences)]

    @contextlib.contextmanager
    def _corpus(self) -> Iterator[Files]:
        """The files of the licensed corpus or, if it is missing, those of the free sample."""
        licensed = any(path.is_dir() for path in self.location.glob("*"))
        if self.path is None and not licensed:
            self.download()
        sample = self.location / _SAMPLE
        with self._files() if licensed or not sample.is_file() else Files(sample) as files:
            yield files

    def _sources(self) -> dict[str, Source]:
        # The publisher provides no SHA-256.
        return {_SAMPLE: Source((_ADDRESS,), None)}

    @abc.abstractmethod
    def _rows(self, c: Floats, first: int, last: int) -> Floats:
        """The features of a segment of frames, from `first` up to but not including `last`."""


class TIMIT(Speech):
    r"""TIMIT: phonemes of American English, frame by frame.

    630 speakers read ten sentences each, five hours in total, and experts transcribed the
    phonemes. An example is a frame of 25 ms, one every 10 ms, and `y` the phoneme at its middle.
    `x` holds the 13 mel-frequency cepstral coefficients, and their first and second derivatives, of
    the frame and of the two frames before and after it: 195 features, `"mfcc_0_-2"` to
    `"delta2_12_2"`, named by kind, coefficient and offset. Frames are in chronological order,
    utterance by utterance; memory holds one utterance.

    The taxonomy is the phonetic tree of the paper [^1]. Labels are its leaves, 40 phonemes and
    `"silence"`; predictions may be any node. TIMIT's 61 codes are mapped to them as in [^2]:
    closures and pauses become silence, variants the phoneme; but `ao` and `zh`, which the tree has,
    are kept. Glottal stops (`q`) are left out, but remain in the context of neighbouring frames.

    The corpus is licensed by the Linguistic Data Consortium (LDC93S1, about 600 MB). Without `path`
    the folder `TIMIT` of River's data home is read. Without subfolders, a sample of a few speakers,
    free for non-commercial use (CC BY-NC-SA), is downloaded, over TLS but without a checksum, since
    none is published. Features need `pip install "river-hier[audio]"`, and are not scaled.

    Parameters
    ----------
    path
        The folder or archive. Each utterance needs a recording, `*.wav` in NIST SPHERE or RIFF, and
        a transcription, `*.phn`, in one folder named after the speaker, `FALR0` or `dr4-falr0`.
    subsets
        The subsets of the official split to read: `"train"` (462 speakers), `"test"` (168) or both,
        according to a parent folder; the sample is for training. Train comes before test.
    speakers
        The speakers to read; `None` for all. `TIMIT.CORE_TEST` are the 24 of the core test set.
    sentences
        The kinds of sentences to read: `"sx"` (five per speaker, each read by seven speakers),
        `"si"` (three, read by nobody else) and `"sa"` (two, read by all and often left out).

    Notes
    -----
    The paper [^1] only states "MFCC with first and second derivatives, based on the ETSI standard,
    from 5 adjacent vectors". Frames and steps, pre-emphasis (0.97), Hamming windows, and 23 mel
    filters from 64 Hz upwards follow that standard [^3]; but the mean of each frame is subtracted,
    filters are applied to the power spectrum, and the first coefficient is that of the cepstrum,
    not the energy. Derivatives are slopes of least-squares lines over five frames, of which the
    first and last of a recording are repeated. A recording that is damaged, compressed or not mono
    with 16 bits at 16 kHz raises a `ValueError`.

    Examples
    --------
    >>> from river_hier import datasets

    >>> stream = datasets.TIMIT(subsets=["test"], speakers=datasets.TIMIT.CORE_TEST)
    >>> stream.n_features, stream.n_classes
    (195, 41)

    References
    ----------
    [^1]: Dekel, O., Keshet, J. and Singer, Y., 2005. An online algorithm for hierarchical phoneme classification. In Machine Learning for Multimodal Interaction, pp.146-158.
    [^2]: Lee, K.F. and Hon, H.W., 1989. Speaker-independent phone recognition using hidden Markov models. IEEE Transactions on Acoustics, Speech and Signal Processing, 37(11), pp.1641-1648.
    [^3]: ETSI ES 201 108, 2000. Distributed speech recognition; front-end feature extraction algorithm.

    """  # noqa: E501

    NAMES: ClassVar[Sequence[str]] = [f"{f}_{place}" for place in _CONTEXT for f in FRAME_FEATURES]

    def _rows(self, c: Floats, first: int, last: int) -> Floats:
        t = np.arange(first, last)[:, np.newaxis] + np.array(_CONTEXT)
        return c[t.clip(0, len(c) - 1)].reshape(-1, len(self.NAMES))


class TIMITSegments(Speech):
    """TIMIT: phonemes of American English, segment by segment.

    The corpus, labels, errors and download, without a checksum, are those of `TIMIT`, but an
    example is a whole segment of the transcription. `x` is the mean over its frames of the 13
    mel-frequency cepstral coefficients and of their first and second derivatives: 39 features,
    `"mfcc_0"` to `"delta2_12"`. The frames of a segment are those whose middle lies in it or, if
    there are none, those on both sides of it.

    Parameters
    ----------
    path
        The folder or archive.
    subsets
        The subsets of the official split, `"train"` and `"test"`.
    speakers
        The speakers to read; `None` for all.
    sentences
        The kinds of sentences, of `"sx"`, `"si"` and `"sa"`.

    Examples
    --------
    >>> from river_hier import datasets

    >>> stream = datasets.TIMITSegments(speakers=["falr0"], sentences=["sx"])
    >>> stream.n_features, stream.n_classes
    (39, 41)
    """

    NAMES: ClassVar[Sequence[str]] = FRAME_FEATURES

    def _rows(self, c: Floats, first: int, last: int) -> Floats:
        if first == last:
            first, last = max(first - 1, 0), first + 1
        return c[first:last].mean(axis=0, keepdims=True)


def utterances(files: Files) -> list[Utterance]:
    """All utterances with a transcription, the training set first, to which the sample belongs."""
    recordings = {name.lower(): name for name in files.matching("*.wav")}
    transcribed = []
    for name in files.matching("*.phn"):
        path = PurePosixPath(name.lower())
        beside = str(path.with_suffix(".wav"))
        if beside not in recordings:
            raise FileNotFoundError(f"{str(files.path)!r} lacks {beside}")
        folders = [files.path.name.lower(), *path.parent.parts]
        subset = next((folder for folder in reversed(folders) if folder in SUBSETS), SUBSETS[0])
        speaker = folders[-1].rpartition("-")[2]
        transcribed.append(Utterance(subset, speaker, path.stem, name, recordings[beside]))
    if not transcribed:
        raise FileNotFoundError(f"{str(files.path)!r} lacks *.phn")
    return sorted(transcribed, key=lambda utterance: SUBSETS.index(utterance.subset))


def segments(
    files: Files, name: str, n_samples: int, report: ErrorHandler
) -> Iterator[tuple[int, int, str | None]]:
    """First sample, end and phoneme (None for a glottal stop) of each `start end code` line."""
    at = 0
    for line, text in lines(files, name, "ascii"):
        try:
            first, last, code = text.split()
            start, end = int(first), int(last)
        except ValueError:
            report(name, line, f"expected `start end code`, got {reprlib.repr(text)}")
            continue
        if code not in PHONEMES:
            report(name, line, f"{reprlib.repr(code)} is none of TIMIT's {len(PHONEMES)} codes")
        elif end <= start:
            report(name, line, f"a segment from {start:,} to {end:,} has no samples")
        elif start < at:
            report(name, line, f"the segment starts at {start:,}, the one before ends at {at:,}")
        elif start >= n_samples:
            there = f"the recording has {n_samples:,} samples"
            report(name, line, f"the segment starts at {start:,}, {there}")
        else:
            at = end
            yield start, end, PHONEMES[code]


def samples(files: Files, name: str) -> NDArray[np.int16]:
    """The samples of a mono recording of 16 bits at 16 kHz; anything else raises."""
    soundfile = _library("soundfile")
    with files.open(name) as raw:
        data = raw.read()
    if not data.startswith((b"NIST_1A", b"RIFF")):
        raise ValueError(f"{name} is no recording, expected NIST SPHERE or RIFF")
    try:
        with soundfile.SoundFile(io.BytesIO(data)) as recording:
            format_ = (recording.channels, recording.subtype, recording.samplerate)
            sound = recording.read(dtype="int16")
    except soundfile.LibsndfileError as error:
        raise ValueError(
            f"{name} cannot be read: {error.error_string} If it is compressed, sph2pipe unpacks it"
        ) from error
    if format_ != _FORMAT:
        channels, subtype, rate = format_
        raise ValueError(
            f"{name} has {channels} channels of {subtype} at {rate:,} Hz, expected 1 of PCM_16 at "
            f"{RATE:,}"
        )
    # libsndfile ignores how long a recording should be.
    if data.startswith(b"RIFF"):
        cut_off, n = len(data) < 8 + int.from_bytes(data[4:8], "little"), len(sound)
    elif count := _COUNT.search(data[:_HEADER]):
        n = int(count[1])
        cut_off = len(sound) < n
    else:
        raise ValueError(f"{name} has no whole SPHERE header: no sample_count")
    if cut_off:
        raise damage(name, None, EOFError())
    return sound[:n]


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name.replace("-", "_"))
    except ImportError:
        raise ImportError(f"speech needs {name}: pip install 'river-hier[audio]'") from None


def cepstra(samples: NDArray[np.int16]) -> Floats:
    """The mel-frequency cepstral coefficients of all complete frames, an array of (frames, 13)."""
    kaldi = _library("kaldi-native-fbank")
    options = kaldi.MfccOptions()
    options.frame_opts.samp_freq = RATE
    options.frame_opts.frame_length_ms = 1000 * FRAME / RATE
    options.frame_opts.frame_shift_ms = 1000 * STEP / RATE
    options.frame_opts.window_type = "hamming"
    options.frame_opts.dither = 0.0  # no random noise
    options.mel_opts.num_bins = 23
    options.mel_opts.low_freq = 64.0
    options.num_ceps = N_CEPSTRA
    options.use_energy = False  # the first coefficient is that of the cepstrum
    options.cepstral_lifter = 0.0
    extractor = kaldi.OnlineMfcc(options)
    extractor.accept_waveform(RATE, samples.astype(np.float32))
    frames = [extractor.get_frame(t) for t in range(extractor.num_frames_ready)]
    return np.array(frames, dtype=np.float64).reshape(-1, N_CEPSTRA)


def _slopes(c: Floats) -> Floats:
    """The derivative of each column."""
    n = len(c)
    t, offsets = np.arange(n), range(1, REACH + 1)
    rises = (k * (c[np.minimum(t + k, n - 1)] - c[np.maximum(t - k, 0)]) for k in offsets)
    return sum(rises, np.zeros_like(c)) / (2 * sum(k * k for k in offsets))
