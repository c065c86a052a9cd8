"""TIMIT segment by segment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from .timit import FRAME_FEATURES, Floats, Speech


class TIMITSegments(Speech):
    """TIMIT: phonemes of American English, segment by segment.

    The corpus, its taxonomy and its labels are those of `TIMIT`, but an example is a whole segment
    of the transcription. `x` is the mean over its frames of the 13 mel-frequency cepstral
    coefficients and of their first and second derivatives: 39 features, `"mfcc_0"` to
    `"delta2_12"`. The frames of a segment are those whose middle lies in it; if there are none, the
    frames on both sides of it are used.

    An utterance has about forty segments, compared with three hundred frames. The task is easier,
    since the boundaries of the phonemes are given.

    Parameters
    ----------
    path
        The folder or archive, by default the same as that of `TIMIT`, with the same sample, which
        is downloaded over TLS but without a checksum.
    subsets
        The subsets of the official split to read: `"train"`, `"test"` or both.
    speakers
        The speakers to read; `None` for all.
    sentences
        The kinds of sentences to read: `"sa"`, `"si"` and `"sx"`.

    Attributes
    ----------
    utterances
        The utterances in the order of the stream, as tuples with `subset`, `speaker`, `sentence`,
        `transcription` and `recording`.

    Raises
    ------
    FileNotFoundError
        There are no transcriptions, or a recording is missing.
    ValueError
        A recording is damaged, compressed or not mono with 16 bits at 16 kHz, a line of a
        transcription is broken, or a speaker does not exist.
    ImportError
        kaldi-native-fbank is not installed.

    Examples
    --------

    A hum and silence, in the format of the free sample:

    >>> import pathlib, tempfile, wave
    >>> import numpy as np
    >>> from river import evaluate, preprocessing
    >>> from river_hier import datasets, linear_model, metrics

    >>> t = np.arange(32_000)
    >>> sound = 3_000 * np.sin(0.1 * t) * (t % 8_000 < 4_000) + t % 7
    >>> marks = [
    ...     f"{4_000 * i} {4_000 * (i + 1)} {'h#' if i % 2 else 'm'}\\n" for i in range(8)
    ... ]

    >>> folder = tempfile.TemporaryDirectory()
    >>> speaker = pathlib.Path(folder.name, "dr4-falr0")
    >>> speaker.mkdir()
    >>> with wave.open(str(speaker / "sx425.wav"), "wb") as wav:
    ...     wav.setparams((1, 2, 16_000, len(t), "NONE", ""))
    ...     wav.writeframes(sound.astype("<i2").tobytes())
    >>> _ = (speaker / "sx425.phn").write_text("".join(marks))

    >>> stream = datasets.TIMITSegments(folder.name)
    >>> [y for x, y in stream][:3]
    ['m', 'silence', 'm']

    >>> model = preprocessing.StandardScaler() | linear_model.Hieron(stream.taxonomy)
    >>> metric = metrics.TreeInducedError(stream.taxonomy)
    >>> evaluate.progressive_val_score(stream, model, metric)
    TreeInducedError: 0.875
    >>> folder.cleanup()

    """

    NAMES: ClassVar[Sequence[str]] = FRAME_FEATURES

    def _rows(self, c: Floats, first: int, last: int) -> Floats:
        if first == last:
            first, last = max(first - 1, 0), first + 1
        mean: Floats = c[first:last].mean(axis=0, keepdims=True)
        return mean
