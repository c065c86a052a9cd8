"""A few utterances in the formats of TIMIT's publisher: noise, and marks in it."""

import io
import wave
import zlib

import numpy as np

# In 3,000 samples; no frame's middle is in the shortest one, and one is where the last one starts.
MARKS = [
    *((0, 700, "h#"), (700, 760, "ix"), (760, 1_200, "q"), (1_200, 1_216, "dcl")),
    *((1_216, 1_960, "d"), (1_960, 2_900, "ax-h")),
]
PHONEMES = {"h#": "silence", "ix": "ih", "q": None, "dcl": "silence", "d": "d", "ax-h": "ah"}
FOLDED = [(start, end, PHONEMES[code]) for start, end, code in MARKS]
PHN = [f"{start} {end} {code}" for start, end, code in MARKS]
LICENSED = ("TRAIN/DR4/FALR0/SA1", "TRAIN/DR4/FALR0/SX65", "TRAIN/DR7/MGRT1/SI9")
TESTED = ("TEST/DR1/FELC0/SX36", "TEST/DR8/MAJC0/SX115")
SAMPLE = ("dr4-falr0/sa1", "dr4-falr0/sx65", "dr7-mgrt1/si9")


def sound(utterance, n=3_000):
    """The same sound whatever the layout."""
    name = utterance.lower().replace("-", "/").split("/")[-2:]
    rng = np.random.default_rng(zlib.crc32("/".join(name).encode()))
    return (rng.normal(0.0, 2_000.0, n) * np.sin(np.arange(n) / 300.0)).astype(np.int16)


def riff(samples, channels=1, rate=16_000):
    written = io.BytesIO()
    with wave.open(written, "wb") as wav:
        wav.setparams((channels, samples.itemsize, rate, 0, "NONE", ""))
        wav.writeframes(samples.tobytes())
    return written.getvalue()


def sphere(samples, order="01", **fields):
    header = {
        "channel_count": "-i 1",
        "sample_count": f"-i {len(samples)}",
        "sample_rate": "-i 16000",
        "sample_n_bytes": "-i 2",
        "sample_byte_format": f"-s2 {order}",
        "sample_sig_bits": "-i 16",
        **fields,
    }
    lines = [f"{name} {value}" for name, value in header.items() if value]
    text = "\n".join(["NIST_1A", "   1024", *lines, "end_head", ""])
    body = samples.astype("<i2" if order == "01" else ">i2").tobytes()
    return text.encode().ljust(1_024, b"\0") + body


def write(folder, utterances, recorded, suffixes=(".WAV", ".PHN")):
    """Recordings and their transcriptions; `recorded` makes a file of samples."""
    wav, phn = suffixes
    for name in utterances:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_name(path.name + wav).write_bytes(recorded(sound(name)))
        path.with_name(path.name + phn).write_text("".join(f"{line}\n" for line in PHN))
    return folder


def write_sample(folder):
    return write(folder, SAMPLE, riff, (".wav", ".phn"))


def write_licensed(folder):
    return write(folder, LICENSED + TESTED, sphere)
