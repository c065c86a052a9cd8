"""A few records in the format of the publisher of WIPO-alpha."""

from __future__ import annotations

from pathlib import Path

RECORD = """\
<?xml version="1.0" encoding="iso-8859-1"?>
<!DOCTYPE record SYSTEM "../../../../../ipctraining.dtd">
<record cy="WO" an="US9900001" pn="WO990001" dnum="{number}" kind="A1">
<ipcs ed="7" mc="{mc}">{ics}</ipcs>
<ins><in>X, Y</in></ins><pas><pa>Z LTD.</pa></pas>
{texts}
</record>
"""
TEXTS = """\
<tis><ti xml:lang="FR">Charrue</ti><ti xml:lang="EN">A {title}</ti></tis>
<abs><ab xml:lang="EN">The {title} &amp; more,<p>at 5 &deg;C, caf\xe9.</p></ab></abs>
<cls><cl xml:lang="EN">1. A {title}.</cl>

<cl>2. Another.</cl></cls>
<txts><txt xml:lang="EN"><![CDATA[A <{title}>]]> is known.</txt></txts>
<cited><ipcs mc="none"><ipc ic="none"/></ipcs></cited>"""


def record(number: str, mc: str, *ics: str, texts: str = TEXTS, title: str = "plough") -> bytes:
    secondary = "".join(f'<ipc ic="{ic}"/>' for ic in ics)
    filled = texts.format(title=title)
    return RECORD.format(number=number, mc=mc, ics=secondary, texts=filled).encode("latin-1")


RECORDS = {
    "wipo-alpha/alphatrain/A/01/B/003/0007.xml": record("7", "A01B00310", "A01B01500", "D01G00100"),
    "wipo-alpha/alphatrain/D/21/H/019/0003.xml": record("3", "D21H01904", title="paper"),
    "wipo-alpha/alphatrain/A/01/B/015/0005.xml": record("5", "A01B01500", texts=""),
    "wipo-alpha/alphatest/D/01/G/015/0001.xml": record("1", "D01G01546", "A01B00100", "D21H01900"),
    "wipo-alpha/alphatest/H/04/L/000/0002.XML": record("2", "H04L00900"),
}
GROUPS = {
    "A": {"A01": {"A01B": ["A01B 1/00", "A01B 3/00", "A01B 15/00"]}},
    "D": {"D01": {"D01G": ["D01G 1/00", "D01G 15/00"]}, "D21": {"D21H": ["D21H 19/00"]}},
    "H": {"H04": {"H04L": ["H04L 9/00"]}},
}
A01B, D01G, D21H, H04L = (
    {symbol[0], symbol[:3], symbol} for symbol in ("A01B", "D01G", "D21H", "H04L")
)
YS = {  # by the numbers of the records
    3: D21H | {"D21H 19/00"},
    5: A01B | {"A01B 15/00"},
    7: A01B | D01G | {"A01B 3/00", "A01B 15/00", "D01G 1/00"},
    1: D01G | D21H | A01B | {"D01G 15/00", "A01B 1/00", "D21H 19/00"},
    2: H04L | {"H04L 9/00"},
}
BOTH = ("train", "test")


def write_corpus(path: Path) -> Path:
    for name, data in {**RECORDS, "readme.txt": b"no record"}.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data)
    return path
