"""Names of labels, character by character."""


def words_of(name):
    """The words of a name of ASCII characters."""
    if not isinstance(name, str):
        return ""
    words = name.split()
    first = words[0].rstrip(".:)") if words else ""
    letters = len(first) - len(first.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    code, ends = first[letters:], len(words[0]) - len(first) if words else 0
    is_code = len(code) > 1 and code[0].isdigit() and code[-1].isdigit() and letters <= 3
    is_code = is_code and all(c.isdigit() or c.isupper() or c in ".:/-" for c in code)
    if ends <= 1 and (is_code or (len(first) == 1 and first.isdigit())):
        words = words[1:]
    text, previous = "", ""
    for c in " ".join(words):
        two = previous[-2:]
        if c.isupper() and len(two) == 2 and two.islower() and two.isalpha():
            text += " "
        text += " " if c in "_/\\|>:;,.()[]{}&-" else c
        previous += c
    text = " ".join(text.split())
    return text if any(c.isalpha() for c in text) else ""
