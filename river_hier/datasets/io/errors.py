"""What happens to broken records: they raise, or they are skipped and counted."""

from __future__ import annotations

KEPT = 10  # messages; a broken file of several gigabytes must not fill memory with them


class ErrorHandler:
    """Called by a reader for each broken record, with the file, the line and a message.

    With `on_error="raise"` the call raises a `ValueError`. With `on_error="skip"` it counts the
    error and returns; the reader then continues with the next record.

    Parameters
    ----------
    on_error
        `"raise"` or `"skip"`.

    Attributes
    ----------
    n
        The number of errors.
    first
        The first ten messages.

    Examples
    --------

    >>> from river_hier.datasets.io.errors import ErrorHandler

    >>> report = ErrorHandler(on_error="skip")
    >>> report("mail.arff", 7, "expected a number, got 'x'")
    >>> report.first
    ["mail.arff, line 7: expected a number, got 'x'"]
    >>> report.n
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
