"""The JSON files of CLINC150: intents by domain, and pairs of a query and an intent by split."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Collection, Iterator
from typing import Any

from ..io.errors import ErrorHandler
from ..io.files import Files, lines

_decode = json.JSONDecoder().raw_decode


def domains(files: Files, name: str) -> dict[str, list[str]]:
    """The intents of each domain."""
    text = _text(files, name)
    try:
        found: Any = json.JSONDecoder().decode(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{name} is not JSON: {error}") from error
    if not isinstance(found, dict) or not found:
        raise ValueError(f"{name}: expected domains with intents, got {reprlib.repr(found)}")
    for domain, intents in found.items():
        if not isinstance(intents, list) or not all(isinstance(i, str) for i in intents):
            got = reprlib.repr(intents)
            raise ValueError(f"{name}: domain {domain!r}: expected a list of intents, got {got}")
    return found


def queries(
    files: Files, name: str, splits: Collection[str], report: ErrorHandler
) -> Iterator[tuple[int, str, str]]:
    """Line number, text and intent of each `[text, intent]` of the splits, in the file's order.

    The file is one JSON object of lists. It is parsed pair by pair, so that errors have a line.
    """
    scanner = _Scanner(name, _text(files, name))
    missing = dict.fromkeys(splits)
    for split in scanner.items("{", "}"):
        if not isinstance(split, str):
            scanner.fail("the name of a split")
        scanner.expect(":")
        missing.pop(split, None)
        for pair in scanner.items("[", "]"):
            if split not in splits:
                continue
            match pair:
                case [str(text), str(intent)] if text.strip():
                    yield scanner.line, text, intent
                case _:
                    report(
                        name,
                        scanner.line,
                        f"expected a query and its intent, got {reprlib.repr(pair)}",
                    )
    scanner.expect("")
    if missing:
        raise ValueError(f"{name} lacks the split {', '.join(missing)}")


def check_queries(files: Files, name: str) -> None:
    """Raise a ValueError unless the file is complete."""
    for _ in queries(files, name, (), ErrorHandler()):
        pass


class _Scanner:
    """Reads the values of a JSON text one by one."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.line = 1
        self._text = text
        self._at = 0

    def items(self, first: str, last: str) -> Iterator[Any]:
        """The values between two brackets, after each of which the caller may read on."""
        self.expect(first)
        if self._next() == last:
            self.expect(last)
            return
        while True:
            self._next()
            try:
                value, self._at = _decode(self._text, self._at)
            except (ValueError, RecursionError):
                self.fail("a value")
            yield value
            if self._next() == last:
                break
            self.expect(",")
        self.expect(last)

    def expect(self, character: str) -> None:
        """Read this character, or the end if it is empty."""
        if self._next() != character:
            self.fail(repr(character) if character else "the end")
        self._at += len(character)

    def fail(self, expected: str) -> None:
        rest = self._text[self._at : self._at + 20]
        got = repr(rest) if rest else "the end"
        raise ValueError(f"{self.name}, line {self.line:,}: expected {expected}, got {got}")

    def _next(self) -> str:
        """The next character that is not whitespace; the line number is that of its line."""
        start = self._at
        while (character := self._text[self._at : self._at + 1]) and character in " \t\r\n":
            self._at += 1
        self.line += self._text.count("\n", start, self._at)
        return character


def _text(files: Files, name: str) -> str:
    return "\n".join(line for _, line in lines(files, name))
