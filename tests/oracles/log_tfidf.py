"""log(1 + tf) log(n / df), from a text and all the documents before it, kept as they came."""

import math
import unicodedata
import zlib

# One character of the scripts where it is a word, and of those where runs are shorter, beside the
# first words of the names of all others.
ALONE = {"CJK", "IDEOGRAPHIC", "HIRAGANA", "YI", "TANGUT", "NUSHU", "BOPOMOFO"}
ALONE |= {"THAI", "LAO", "KHMER", "MYANMAR", "TAI", "NEW"}
SHORT = {"CJK", "IDEOGRAPHIC", "HIRAGANA", "YI", "TANGUT", "NUSHU", "BOPOMOFO", "HANGUL"}


def prepared(text):
    """Compatible forms of a character are one, in lower case, without what cannot be seen."""
    text = unicodedata.normalize("NFKC", text).lower()
    return "".join(c for c in text if unicodedata.category(c) != "Cf" and name(c) != "VARIATION")


def name(character):
    """The first word of its name."""
    first, *others = unicodedata.name(character, "?").split(" ")
    return first if first != "NEW" or others[0] == "TAI" else "?"


def is_letter(character):
    """Or a digit or an underscore."""
    return unicodedata.category(character)[0] in "LN" or character == "_"


def is_mark(character):
    """Of the character before it."""
    return unicodedata.category(character)[0] == "M"


def words(text):
    """Runs of letters and digits with their marks, and characters that are words alone."""
    found, run = [], ""
    for character in prepared(text) + " ":
        alone = unicodedata.category(character) == "So" or (
            is_letter(character) and name(character) in ALONE
        )
        last = [c for c in run if not is_mark(c)][-1:]
        after = bool(last) and (name(last[0]) in ALONE or not is_letter(last[0]))
        joins = is_mark(character) or (is_letter(character) and not alone and not after and last)
        if not joins:
            found += [run] * bool(run)
            run = ""
        if joins or alone or is_letter(character):
            run += character
    return found


def between_blanks(text):
    """What stands between blanks, with whether its runs are shorter, on which it is divided."""
    found, short = [], False
    for part in prepared(text).split():
        now, run = False, ""
        for character in part:
            short = now
            if is_letter(character) or unicodedata.category(character) == "So":
                short = is_letter(character) and name(character) in SHORT
            if short != now and run:
                found.append((run, now))
                run = ""
            now = short
            run += character
        found.append((run, now))
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
    left = [word for word in words(text) if word not in stop_words]
    if characters:
        found = [
            piece
            for word, short in between_blanks(text)
            if word not in stop_words
            for piece in pieces(word, *(max(n - short, 1) for n in ngram_range))
        ]
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
