"""What of speech the ear hears: mel-frequency cepstra of short frames, and how they change."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .recordings import RATE

__all__ = ["N_CEPSTRA", "centres", "cepstra", "with_changes"]

Floats = NDArray[np.float64]

N_CEPSTRA = 13
FRAME, STEP = 400, 160  # samples: 25 ms, every 10 ms
REACH = 2  # frames to either side that a derivative is estimated from


def cepstra(samples: NDArray[np.int16]) -> Floats:
    """The mel-frequency cepstral coefficients of all whole frames, an array of (frames, 13).

    Pre-emphasis, Hamming windows, 23 triangular filters on the mel scale from 64 Hz upwards and
    the cosine transform of the logarithms, as in ETSI ES 201 108.
    """
    kaldi = _kaldi()
    options = kaldi.MfccOptions()
    options.frame_opts.samp_freq = RATE
    options.frame_opts.frame_length_ms = 1000 * FRAME / RATE
    options.frame_opts.frame_shift_ms = 1000 * STEP / RATE
    options.frame_opts.window_type = "hamming"
    options.frame_opts.dither = 0.0  # which is random noise
    options.mel_opts.num_bins = 23
    options.mel_opts.low_freq = 64.0
    options.num_ceps = N_CEPSTRA
    options.use_energy = False  # the first one is the cepstrum's own
    options.cepstral_lifter = 0.0
    extractor = kaldi.OnlineMfcc(options)
    extractor.accept_waveform(RATE, samples.astype(np.float32))
    frames = [extractor.get_frame(t) for t in range(extractor.num_frames_ready)]
    return np.array(frames, dtype=np.float64).reshape(-1, N_CEPSTRA)


def centres(n: int) -> NDArray[np.intp]:
    """The samples in the middle of the first n frames."""
    return FRAME // 2 + STEP * np.arange(n)


def with_changes(c: Floats) -> Floats:
    """Each row with its first and second derivatives, an array of (frames, 3 * 13).

    The slope of the line of least squares through the frames from two before to two after. Beyond
    its ends the recording goes on as it is there.
    """
    first = _slopes(c)
    return np.hstack([c, first, _slopes(first)])


def _slopes(c: Floats) -> Floats:
    n = len(c)
    t, offsets = np.arange(n), range(1, REACH + 1)
    rises = (k * (c[np.minimum(t + k, n - 1)] - c[np.maximum(t - k, 0)]) for k in offsets)
    slopes: Floats = sum(rises, np.zeros_like(c)) / (2 * sum(k * k for k in offsets))
    return slopes


def _kaldi() -> Any:
    try:
        return importlib.import_module("kaldi_native_fbank")
    except ImportError:
        raise ImportError(
            "speech needs kaldi-native-fbank: pip install 'river-hier[audio]'"
        ) from None
