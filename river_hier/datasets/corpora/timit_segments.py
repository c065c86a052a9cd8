"""TIMIT, a segment an example."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

from ..formats.timit import PARTS
from .timit import FRAME_FEATURES, SENTENCES, Floats, Speech

__all__ = ["TIMITSegments"]


class TIMITSegments(Speech):
    """TIMIT: American English, phoneme by phoneme.

    The corpus, its taxonomy and its labels are those of `TIMIT`, which says where it is to be had;
    but an example is a whole segment, i.e. what was spoken between two marks of a transcription.
    `x` is the mean over its frames of the 13 mel-frequency cepstral coefficients and of their first
    and second derivatives: 39 features, `"mfcc_0"` to `"delta2_12"`. The frames are those whose
    middles lie in the segment; one that is too short for that takes the frames on both sides of it.

    An utterance has some forty segments, against three hundred frames. It is an easier task: the
    classifier is told where phonemes begin and end.

    Parameters
    ----------
    path
        The folder or archive; see `TIMIT`, whose place in River's data home this one shares, and
        whose sample is downloaded, over TLS but without a checksum.
    parts
        Which parts of the official split to read: `"train"`, `"test"` or both.
    speakers
        Only these speakers. None: all.
    sentences
        Which kinds of sentences to read: `"sa"`, `"si"` and `"sx"`.

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

    NAMES = FRAME_FEATURES

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
        if first == last:
            first, last = max(first - 1, 0), first + 1
        mean: Floats = c[first:last].mean(axis=0, keepdims=True)
        return mean
