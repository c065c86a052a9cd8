"""A few rows in the formats of Clus's collections, a tree and a DAG."""

import gzip

CLASSES = "01,01/01,01/01/03,02"
HEADER = [
    "% a comment",
    "@RELATION 'yeast'",
    "",
    "@ATTRIBUTE 'alpha 14'   numeric",
    "@attribute strand {left, 'a, b', right}",
    '@Attribute "50% o\'clock" REAL',
    "@ATTRIBUTE note string",
    f"@ATTRIBUTE class  hierarchical {CLASSES}",
    "@DATA",
]
ROWS = {
    "train": ["0.15,left,7,x y,01/01/03@02", "% and another", "?,'a, b',-1e3,?,02"],
    "valid": ["", " {2 right, 3 0.5, 5 01} ", "{5 01/01@01/01@01}"],
    "test": ['1,?,2,"it\\\'s",  01 @ 01/01 '],
}
XS = {
    "train": [
        {"alpha 14": 0.15, "strand": "left", "50% o'clock": 7.0, "note": "x y"},
        {"strand": "a, b", "50% o'clock": -1000.0},
    ],
    "valid": [{"strand": "right", "50% o'clock": 0.5}, {"strand": "left"}],
    "test": [{"alpha 14": 1.0, "50% o'clock": 2.0, "note": "it's"}],
}
YS = {
    "train": [{"01", "01/01", "01/01/03", "02"}, {"02"}],
    "valid": [{"01"}, {"01", "01/01"}],
    "test": [{"01", "01/01"}],
}
TRAINVALID = XS["train"] + XS["valid"], YS["train"] + YS["valid"]
DAG_HEADER = [
    "@relation go",
    "@attribute a numeric",
    "@attribute class hierarchical root/G1,root/G2,G1/G3,G2/G3,G3/G4",
    "@data",
]


def text(rows, header=HEADER):
    return "".join(f"{line}\n" for line in [*header, *rows])


def write_parts(folder, name="yeast_FUN", separator=".", suffix=".arff"):
    """The parts in files of their own."""
    folder.mkdir(exist_ok=True)
    for part, rows in ROWS.items():
        data = text(rows).encode()
        path = folder / f"{name}{separator}{part}{suffix}"
        path.write_bytes(gzip.compress(data) if suffix.endswith(".gz") else data)
    return folder
