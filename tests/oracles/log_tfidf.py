"""log(1 + tf) log(n / df), from all the documents seen so far, kept as they came."""

from __future__ import annotations

import math


def words(text: str) -> list[str]:
    """Runs of letters, digits and underscores, in lower case; a letter alone is no word."""
    found, run = [], ""
    for character in text.lower() + " ":
        if character.isalnum() or character == "_":
            run += character
        else:
            if len(run) >= 2:
                found.append(run)
            run = ""
    return found


def weights(
    text: str, documents: list[str], stop_words: list[str], min_count: int
) -> dict[str, float]:
    """The weights of the words of a text that have come often enough."""
    n = len(documents)
    found = {}
    for word in words(text):
        occurrences = sum(words(document).count(word) for document in documents)
        if word in stop_words or occurrences < min_count:
            continue
        df = sum(word in words(document) for document in documents)
        weight = math.log(1 + words(text).count(word)) * math.log(n / df)
        if weight > 0:
            found[word] = weight
    return found
