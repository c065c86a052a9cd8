"""log(1 + tf) log(n / df), from a text and all the documents before it, kept as they came."""

import math
import zlib


def words(text):
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


def pieces(word, low, high):
    """All runs of n characters of a word between blanks; once itself if there are too few."""
    padded = f" {word} "
    lengths = range(low, min(high, len(padded)) + 1)
    runs = [padded[i : i + n] for n in lengths for i in range(len(padded) + 1 - n)]
    return runs if low <= len(padded) else [padded]


def grams(text, stop_words, analyzer, ngram_range, n_features):
    """All runs of n words that are left without stop words, or of n of their characters, or their
    hashes."""
    low, high = ngram_range
    characters = analyzer == "char_wb"
    every = text.lower().split() if characters else words(text)
    left = [word for word in every if word not in stop_words]
    if characters:
        found = [piece for word in left for piece in pieces(word, low, high)]
    else:
        found = [
            " ".join(left[i : i + n])
            for n in range(low, high + 1)
            for i in range(len(left))
            if i + n <= len(left)
        ]
    if n_features is None:
        return [f"~{one}" if characters else one for one in found]
    hashes = [zlib.crc32(one.encode("utf-8", "surrogatepass")) % n_features for one in found]
    return [n_features + row if characters else row for row in hashes]


def weights(
    text,
    documents,
    stop_words,
    min_count,
    analyzer="word",
    ngram_range=(1, 1),
    n_features=None,
    normalize=False,
    least_idf=0,
):
    """The weights of the words of a text that come often enough in it and the ones before."""
    documents = [*documents, text]
    n = len(documents)
    bags = [
        grams(document, stop_words, analyzer, ngram_range, n_features) for document in documents
    ]
    found = {}
    bag = grams(text, stop_words, analyzer, ngram_range, n_features)
    for word in bag:
        occurrences = sum(one.count(word) for one in bags)
        if occurrences < min_count:
            continue
        df = sum(word in one for one in bags)
        weight = math.log(1 + bag.count(word)) * (least_idf + math.log(n / df))
        if weight > 0:
            found[word] = weight
    norm = math.hypot(*found.values()) if normalize else 1.0
    return {word: weight / norm for word, weight in found.items()}
