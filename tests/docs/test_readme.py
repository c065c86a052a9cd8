"""What the README says about real data."""

import re

import pytest

from support.corpora import real_data
from support.paths import ROOT


@pytest.mark.slow
def test_the_losses_on_rcv1(capsys):
    text = (ROOT / "README.md").read_text("utf-8")
    (block,) = [b for b in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "RCV1" in b]
    exec(block.replace("RCV1(", f"RCV1({str(real_data('rcv1'))!r}, "), {})
    (row,) = re.findall(r"^\| H-loss of one pass over 15,926 of its.*", text, re.MULTILINE)
    said = [float(number) for number in re.findall(r"\d?\.\d{3}", row)]
    found = [float(number) for number in re.findall(r"HLoss: (\S+)", capsys.readouterr().out)]
    assert [round(number, 3) for number in found] == said
