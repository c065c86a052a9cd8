"""Recordings of speech: NIST SPHERE, as TIMIT's publisher writes it, and RIFF, as all others do."""

from __future__ import annotations

import io
import wave

import numpy as np
from numpy.typing import NDArray

from .files import Files, damage

__all__ = ["RATE", "samples"]

RATE = 16_000  # samples a second
_FORMAT = (1, 2, RATE)  # channels, bytes a sample
_SPHERE = ("channel_count", "sample_n_bytes", "sample_rate")
_ORDER = {"01": "<i2", "10": ">i2"}


def samples(files: Files, name: str) -> NDArray[np.int16]:
    """The samples of a recording of one channel, of 16 bits each, 16,000 a second.

    A recording that is not what it says, or says that it is another kind, is an error: there is
    nothing in it to go on behind.
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
    except RuntimeError as error:  # without words
        raise damage(name, None, wave.Error("a chunk is larger than the file")) from error


def _sphere(name: str, data: bytes) -> tuple[bytes, int, str]:
    """A header of `name -type value` lines, whose size its second line tells; then the samples."""
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
