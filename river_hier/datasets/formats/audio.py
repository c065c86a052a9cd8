"""Speech: recordings (NIST SPHERE, RIFF) and their mel-frequency cepstral coefficients."""

from __future__ import annotations

import importlib
import io
import wave
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..io.files import Files, damage

Floats = NDArray[np.float64]

N_CEPSTRA = 13
FRAME, STEP = 400, 160  # samples: 25 ms, every 10 ms
REACH = 2  # frames on either side used to estimate a derivative

RATE = 16_000  # samples a second
_FORMAT = (1, 2, RATE)  # channels, bytes a sample
_SPHERE = ("channel_count", "sample_n_bytes", "sample_rate")
_ORDER = {"01": "<i2", "10": ">i2"}


def samples(files: Files, name: str) -> NDArray[np.int16]:
    """The samples of a mono recording of 16 bits at 16 kHz.

    Anything else raises, since nothing of a recording is left once its one record is skipped.
    """
    with files.open(name) as raw:
        data = raw.read()
    if data.startswith(b"NIST_1A"):
        sound, n, order = _sphere(name, data)
    elif data.startswith(b"RIFF"):
        sound, n, order = _riff(name, data)
    else:
        raise ValueError(f"{name} is no recording, expected NIST SPHERE or RIFF")
    if len(sound) < 2 * n:
        raise damage(name, None, EOFError())
    return np.frombuffer(sound[: 2 * n], order).astype(np.int16)


def _riff(name: str, data: bytes) -> tuple[bytes, int, str]:
    try:
        with wave.open(io.BytesIO(data)) as wav:
            _check(name, (wav.getnchannels(), wav.getsampwidth(), wav.getframerate()))
            n = wav.getnframes()
            return wav.readframes(n), n, "<i2"
    except (wave.Error, EOFError) as error:
        raise damage(name, None, error) from error
    except RuntimeError as error:  # without a message
        raise damage(name, None, wave.Error("a chunk is larger than the file")) from error


def _sphere(name: str, data: bytes) -> tuple[bytes, int, str]:
    """A header of `name -type value` lines, with its size in the second one, then the samples."""
    try:
        size = int(data[8:16])
        lines = (line.split(maxsplit=2) for line in data[:size].decode("latin-1").splitlines())
        header = {line[0]: line[2] for line in lines if len(line) == 3}
        n = int(header["sample_count"])
        format_ = tuple(int(header[field]) for field in _SPHERE)
        order = _ORDER[header["sample_byte_format"]]
        if not 0 < size <= len(data) or n < 0:
            raise ValueError(f"{n} samples after {size} bytes")
    except (KeyError, ValueError) as error:
        raise ValueError(f"{name} has no whole SPHERE header: {error}") from error
    coding = header.get("sample_coding", "pcm")
    if coding != "pcm":
        raise ValueError(f"{name} is coded as {coding!r}, expected 'pcm'; sph2pipe unpacks it")
    _check(name, format_)
    return data[size:], n, order


def _check(name: str, format_: tuple[int, ...]) -> None:
    if format_ != _FORMAT:
        channels, width, rate = format_
        raise ValueError(
            f"{name} has {channels} channels of {8 * width} bits at {rate:,} Hz, expected 1 of 16 "
            f"at {RATE:,}"
        )


def cepstra(samples: NDArray[np.int16]) -> Floats:
    """The mel-frequency cepstral coefficients of all complete frames, an array of (frames, 13).

    Pre-emphasis, Hamming windows, 23 triangular filters on the mel scale from 64 Hz upwards and
    the cosine transform of the logarithms, as in ETSI ES 201 108.
    """
    kaldi = _kaldi()
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


def centres(n: int) -> NDArray[np.intp]:
    """The index of the sample in the middle of each of the first n frames."""
    return FRAME // 2 + STEP * np.arange(n)


def with_derivatives(c: Floats) -> Floats:
    """Each row with its first and second derivatives, an array of (frames, 3 * 13).

    A derivative is the slope of the least-squares line through the five frames around a frame. At
    both ends of the recording its first or last frame is repeated.
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
