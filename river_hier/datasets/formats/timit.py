"""TIMIT: its phonetic tree, its codes of sounds, and the files of an utterance."""

from __future__ import annotations

import reprlib
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from ...taxonomy import Taxonomy
from ..io.errors import ErrorHandler
from ..io.files import Files, lines

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


class Utterance(NamedTuple):
    """An utterance and its files; names are in lower case, whatever case the files use."""

    subset: str
    speaker: str  # "falr0": sex, initials, a digit
    sentence: str  # "sx425": kind and number
    transcription: str
    recording: str


class Segment(NamedTuple):
    """A phoneme or glottal stop, from sample `start` up to but not including `end`."""

    start: int
    end: int
    phoneme: str | None


def utterances(files: Files) -> list[Utterance]:
    """All utterances with a transcription, the training set first.

    The licensed corpus has `TRAIN/DR4/FALR0/SX425.PHN`, the free sample `dr4-falr0/sx425.phn`,
    which belongs to the training set.
    """
    recordings = {name.lower(): name for name in files.matching("*.wav")}
    found = []
    for name in files.matching("*.phn"):
        path = PurePosixPath(name.lower())
        beside = str(path.with_suffix(".wav"))
        if beside not in recordings:
            raise FileNotFoundError(f"{str(files.path)!r} lacks {beside}")
        folders = [files.path.name.lower(), *path.parent.parts]
        subset = next((folder for folder in reversed(folders) if folder in SUBSETS), SUBSETS[0])
        speaker = folders[-1].rpartition("-")[2]
        found.append(Utterance(subset, speaker, path.stem, name, recordings[beside]))
    if not found:
        raise FileNotFoundError(f"{str(files.path)!r} lacks *.phn")
    return sorted(found, key=lambda utterance: SUBSETS.index(utterance.subset))


def segments(files: Files, name: str, n_samples: int, report: ErrorHandler) -> Iterator[Segment]:
    """The segments of `start end code` lines, given in samples, in chronological order."""
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
            report(
                name,
                line,
                f"the segment starts at {start:,}, the recording has {n_samples:,} samples",
            )
        else:
            at = end
            yield Segment(start, end, PHONEMES[code])
