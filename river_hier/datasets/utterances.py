"""TIMIT's utterances: a recording, a transcription beside it, and in their names who says what."""

from __future__ import annotations

import reprlib
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from .complaints import Complaints
from .files import Files, lines
from .phonemes import PHONEMES

__all__ = ["PARTS", "Segment", "Utterance", "segments", "utterances"]

PARTS = ("train", "test")


class Utterance(NamedTuple):
    """Names in lower case, whichever the files have."""

    part: str
    speaker: str  # "falr0": sex, initials, a digit
    sentence: str  # "sx425": kind and number
    transcription: str
    recording: str


class Segment(NamedTuple):
    """The samples from `start` to before `end`, in which there is a phoneme or a glottal stop."""

    start: int
    end: int
    phoneme: str | None


def utterances(files: Files) -> list[Utterance]:
    """All that is transcribed, the training part first.

    The licensed corpus has `TRAIN/DR4/FALR0/SX425.PHN`, the free sample `dr4-falr0/sx425.phn`: of
    training speakers, all of them.
    """
    recordings = {name.lower(): name for name in files.matching("*.wav")}
    found = []
    for name in files.matching("*.phn"):
        path = PurePosixPath(name.lower())
        beside = str(path.with_suffix(".wav"))
        if beside not in recordings:
            raise FileNotFoundError(f"{str(files.path)!r} lacks {beside}")
        folders = [files.path.name.lower(), *path.parent.parts]
        part = next((folder for folder in reversed(folders) if folder in PARTS), PARTS[0])
        speaker = folders[-1].rpartition("-")[2]
        found.append(Utterance(part, speaker, path.stem, name, recordings[beside]))
    if not found:
        raise FileNotFoundError(f"{str(files.path)!r} lacks *.phn")
    return sorted(found, key=lambda utterance: PARTS.index(utterance.part))


def segments(files: Files, name: str, n_samples: int, complain: Complaints) -> Iterator[Segment]:
    """The segments of `start end code` lines, in samples, in the order of time."""
    at = 0
    for line, text in lines(files, name, "ascii"):
        try:
            first, last, code = text.split()
            start, end = int(first), int(last)
        except ValueError:
            complain(name, line, f"expected `start end code`, got {reprlib.repr(text)}")
            continue
        if code not in PHONEMES:
            complain(name, line, f"{reprlib.repr(code)} is none of TIMIT's {len(PHONEMES)} codes")
        elif end <= start:
            complain(name, line, f"a segment from {start:,} to {end:,} has no samples")
        elif start < at:
            complain(name, line, f"the segment starts at {start:,}, the one before ends at {at:,}")
        elif start >= n_samples:
            complain(
                name,
                line,
                f"the segment starts at {start:,}, the recording has {n_samples:,} samples",
            )
        else:
            at = end
            yield Segment(start, end, PHONEMES[code])
