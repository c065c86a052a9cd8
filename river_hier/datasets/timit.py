"""TIMIT, a frame an example."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

import numpy as np

from .speech import OF_A_FRAME, SENTENCES, Floats, Speech
from .utterances import PARTS

__all__ = ["TIMIT"]

_AROUND = range(-2, 3)


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

    NAMES = [f"{name}_{place}" for place in _AROUND for name in OF_A_FRAME]  # noqa: RUF012

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
        t = np.arange(first, last)[:, np.newaxis] + np.array(_AROUND)
        rows: Floats = c[t.clip(0, len(c) - 1)].reshape(-1, len(self.NAMES))
        return rows
