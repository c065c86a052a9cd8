"""What is wrong in a file: raised, or counted."""

from __future__ import annotations

__all__ = ["Complaints"]

KEPT = 10  # messages; a broken file of gigabytes must not fill memory with them


class Complaints:
    """What a reader calls where it cannot go on, with the file, the line and what is wrong there.

    With `on_error="raise"` the call raises a `ValueError` that says so. With `on_error="skip"` it
    returns, the reader passes over what it complained about, and the complaint is counted.

    Parameters
    ----------
    on_error
        `"raise"` or `"skip"`.

    Attributes
    ----------
    n
        The number of complaints.
    first
        The first ten of them.

    Examples
    --------

    >>> from river_hier.datasets.complaints import Complaints

    >>> complain = Complaints(on_error="skip")
    >>> complain("mail.arff", 7, "expected a number, got 'x'")
    >>> complain.first
    ["mail.arff, line 7: expected a number, got 'x'"]
    >>> complain.n
    1

    """

    def __init__(self, on_error: str = "raise") -> None:
        if on_error not in ("raise", "skip"):
            raise ValueError(f"`on_error` must be 'raise' or 'skip', got {on_error!r}")
        self.on_error = on_error
        self.n: int = 0
        self.first: list[str] = []

    def __call__(self, file: str, line: int, message: str) -> None:
        text = f"{file}, line {line:,}: {message}"
        if self.on_error == "raise":
            raise ValueError(text)
        self.n += 1
        if len(self.first) < KEPT:
            self.first.append(text)
