"""TIMIT's codes of sounds, the phonemes they stand for, and the phonetic tree."""

from __future__ import annotations

from ..taxonomy import Taxonomy

__all__ = ["PHONEMES", "PHONETIC_TREE"]

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

_VARIANTS = {  # codes that are folded into a phoneme
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

#: Each of the 61 codes and its phoneme; the glottal stop is none.
PHONEMES: dict[str, str | None] = {
    **{str(leaf): str(leaf) for leaf in PHONETIC_TREE.leaves if leaf != "silence"},
    **{code: phoneme for phoneme, codes in _VARIANTS.items() for code in codes},
    "q": None,
}
