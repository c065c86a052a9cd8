"""Three documents in the formats of RCV1's publisher."""

import gzip

PARENTS = {
    "CCAT": "Root",
    "GCAT": "Root",
    "MCAT": "Root",
    "C15": "CCAT",
    "GMIL": "GCAT",
    "M14": "MCAT",
    "C151": "C15",
    "M143": "M14",
}
HIERARCHY = ["parent: None     child: Root     child-description: Root"] + [
    f"parent: {parent}     child: {child}     child-description: OF {child}"
    for child, parent in PARENTS.items()
]
VECTORS = ["2286  7:0.6 9:0.8", "2287  9:1.0", "2290  4:0.8 7:0.6"]
QRELS = [
    *("C15 2286 1", "CCAT 2286 1", "M14 2286 1", "M143 2286 1", "MCAT 2286 1"),
    "MCAT 2287 1",
    *("GCAT 2290 1", "GMIL 2290 1"),
]
XS = [{"7": 0.6, "9": 0.8}, {"9": 1.0}, {"4": 0.8, "7": 0.6}]
YS = [{"CCAT", "C15", "MCAT", "M14", "M143"}, {"MCAT"}, {"GCAT", "GMIL"}]

TRAIN = "lyrl2004_vectors_train.dat.gz"


def write(path, lines, pack=False):
    data = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(data) if pack else data)


def write_corpus(folder):
    """Three documents of the train part, not packed."""
    write(folder / "rcv1.topics.hier.orig", HIERARCHY)
    write(folder / "rcv1-v2.topics.qrels", QRELS)
    write(folder / "lyrl2004_vectors_train.dat", VECTORS)
    return folder
