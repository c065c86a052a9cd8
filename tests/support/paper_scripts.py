"""Run the papers' scripts and compare what they print with what is recorded."""

import re
import runpy
import sys

import pytest

from .paths import DATA, ROOT

PAPERS = ROOT / "examples" / "papers"
RECORDED = PAPERS / "recorded"


sys.path.insert(0, str(PAPERS))
read_claims = runpy.run_path(str(PAPERS / "section.py"))["read_claims"]
sys.path.remove(str(PAPERS))


def needs(*folders):
    lacking = [str(DATA / name) for name in folders if not (DATA / name).is_dir()]
    return pytest.mark.skipif(bool(lacking), reason=f"no {' and no '.join(lacking)}")


class Script:
    """Runs a script in this process; what it printed, and what is recorded."""

    def __init__(self, patch, printed):
        self._patch = patch
        self._printed = printed
        patch.syspath_prepend(str(PAPERS))

    def __call__(self, name, *arguments):
        path = PAPERS / f"{name}.py"
        self._patch.setattr("sys.argv", [str(path), *map(str, arguments)])
        runpy.run_path(str(path), run_name="__main__")
        recorded = (RECORDED / f"{name}.txt").read_text(encoding="utf-8").partition("\n\n")[2]
        return self._printed.readouterr().out, recorded


def assert_same(printed, documented, tolerance):
    """The same words, and the same numbers as far as another machine's arithmetic allows.

    Whole numbers may differ by one.
    """
    number = re.compile(r"-?\d+(?:[.,]\d+)*")
    # A number a digit shorter moves its column, so white space does not count.
    words = [number.sub("#", text).split() for text in (printed, documented)]
    assert words[0] == words[1]
    pairs = zip(number.findall(printed), number.findall(documented), strict=True)
    for ours, theirs in pairs:
        ours_, theirs_ = (float(n.replace(",", "")) for n in (ours, theirs))
        slack = tolerance * max(1.0, abs(theirs_)) if "." in ours else 1.0
        assert abs(ours_ - theirs_) <= slack, (ours, theirs)


def sentences(text):
    """The claims and laws, each once."""
    return [claim.sentence for claim in read_claims(text)]


def assert_protocol(printed):
    """The table of what differs from the paper is there, each row with a reason."""
    table = re.search(r"^Differs from the paper\n\n((?:\|.*\n)+)", printed, re.MULTILINE)
    assert table
    head, _, *rows = table[1].splitlines()
    assert head == "| | paper | here | why |"
    assert rows
    for row in rows:
        assert all(cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]), row
