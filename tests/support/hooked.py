"""Names and values that run code of ours when they are hashed, compared or read."""

import numbers


class Hooked:
    """A name; equal to others of the same text."""

    def __init__(self, text):
        self.text = text
        self.which, self.run = "", _nothing

    def hook(self, which, run):
        """From now on, `run` comes before each "hash", "eq" or "float"; it does not nest."""
        self.which, self.run = which, run

    def unhook(self):
        self.which, self.run = "", _nothing

    def _ran(self, which):
        if which == self.which:
            run, self.which = self.run, ""
            try:
                run()
            finally:
                self.which = which

    def __hash__(self):
        self._ran("hash")
        return hash(self.text)

    def __eq__(self, other):
        self._ran("eq")
        if isinstance(other, Hooked):
            other._ran("eq")
            return self.text == other.text
        return NotImplemented

    def __reduce__(self):
        return Hooked, (self.text,)

    def __repr__(self):
        return f"Hooked({self.text!r})"


class Number(Hooked):
    """A value; a real number in the eyes of `numbers`."""

    def __init__(self, value):
        super().__init__(str(value))

    def __float__(self):
        self._ran("float")
        return float(self.text)


numbers.Real.register(Number)


def _nothing():
    pass
