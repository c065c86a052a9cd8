r"""Label ranking with a known taxonomy

Tables 1 and 2 and Figures 1 to 3 of Cai and Hofmann, "Exploiting known taxonomies in learning
overlapping concepts" (IJCAI 2007): hierarchical and flat support vector machines (SVM) and minover
perceptrons, trained on all documents and on a few per category. Run it with

    python examples/papers/cai_hofmann_2007.py --data FOLDER

where FOLDER holds `products`, `products.csv` of a shop, `rcv1`, the LYRL2004 files of RCV1-v2, and
`hmc`, the Enron and ImCLEF07D files of the Clus collection. Only the claims can be compared: the
paper's collection, WIPO-alpha, is licensed, and the digits are missing from the available text of
the paper. WIPO-alpha has hundreds of categories, all of one depth. The claims are therefore tested
on the titles of products, whose categories are cut at depth 3: 144 leaves of one depth. The tables
on few documents have three other collections: news with topics of different depths (RCV1), e-mails
(Enron) and X-ray images with 26 leaves (ImCLEF07D). Where examples end at inner nodes, these get an
extra leaf, as the paper suggests (`taxonomy.MiscLeaves`).

A gain is the difference between the hierarchical and the flat learner, positive if the hierarchical
one is better, with its standard error over the documents, or over 24 draws of a few training
documents a category (three draws of the other collections). A relative gain is the gain divided by
the measure of the flat learner.

**Attributes.** The paper's attributes $t_v = 1 / \sqrt{depth}$ give all labels norm 1 where all
leaves have the same depth. The SVM has `unit_norm=True`, which gives norm 1 everywhere. The
perceptron keeps the constant, since it has no C that depends on the norm.

**Minover** stops when all margins are reached, or after 10,000 steps. It cannot converge if no
perceptron separates the examples: some e-mails have the same words but different labels, and the
images have only 80 features. For the claims on convergence and sparsity, minover, which updates for
the worst pair of all examples, is compared with updates for each example in turn until all margins
are reached. A solution is sparser if fewer pairs of labels of an example have a coefficient.
"""

# %%
from __future__ import annotations

import argparse
import statistics
from collections.abc import Sequence
from pathlib import Path

import claims
import ranking_figures
from ranking_claims import CLAIMS, ON_DOCUMENTS, ON_DRAWS, ON_FOLDS, ON_ORDERS, ON_SIZES
from ranking_data import Section, enron, imclef, products, rcv1
from ranking_rows import Table, show
from ranking_runs import FOLDS, MAX_PASSES, MAX_STEPS, SEEDS, compared, orders
from tqdm import tqdm

KINDS = ("SVM", "perceptron")
FEW = 3  # documents a category, as in Table 2
SIZES = (1, 2, 4, 8)  # as in Figure 2
N_PRODUCTS = 3000
N_DOCUMENTS = 2000  # of RCV1
N_IMAGES = 1500

PROTOCOL: dict[str, claims.Aspect] = {
    "data": (
        "patents: the eight sections of WIPO-alpha",
        "titles of products; on few documents also news, e-mails and X-ray images",
        "WIPO-alpha is licensed",
    ),
    "data size": (
        "lost with the digits of the text",
        f"{N_PRODUCTS:,} titles; {N_DOCUMENTS:,} documents of RCV1, {N_IMAGES:,} images",
        "training takes minutes at this size",
    ),
    "splits": (
        "cross-validation with an unknown number of folds",
        f"{FOLDS} folds; few documents: as in the paper, tests on all documents not in the sample",
        "the number is lost with the digits",
    ),
    "order": "irrelevant: both learners are batch learners",
    "shuffling": "folds and samples are random",
    "epochs": (
        "until convergence, with an unknown tolerance",
        "SVM: until the duality gap is 5 %; minover: until all margins are 1",
        "the paper states no tolerance",
    ),
    "normalisation": "every x has norm 1",
    "averaging": "the mean over folds or samples",
    "caps": (
        'minover: a "maximal number of iterations", unknown',
        f"minover: {MAX_STEPS:,} steps; SVM: {MAX_PASSES} passes",
        "minover does not converge on examples that are not separable",
    ),
    "hyper-parameters": "C = 1, a linear kernel, half of the symmetric difference",
    "significance": (
        "paired permutation test in section E after cross-validation",
        "two standard errors, over documents or draws",
        "one criterion for all claims",
    ),
}


# %% Tables and claims
def tables(sections: dict[str, Section], sizes: Sequence[int]) -> tuple[dict[str, Table], Table]:
    """All tables, each printed as soon as it is complete."""
    found: dict[str, Table] = {}
    for kind in KINDS:
        for which, n in (("all", None), ("few", FEW)):
            chosen = sections if n else {"products": sections["products"]}
            found[f"{kind}, {which}"] = {
                name: compared(kind, one, n, SEEDS if name == "products" else SEEDS[:3])
                for name, one in tqdm(chosen.items(), desc=f"{kind}, {which}")
            }
            title = "all documents" if n is None else f"{n} a category"
            show(f"hierarchical {kind}, {title}, and its gain", found[f"{kind}, {which}"])
    by_size = {n: compared("SVM", sections["products"], n) for n in tqdm(sizes, desc="SVM, sizes")}
    rows = {f"{n} a category": row for n, row in by_size.items()}
    show("hierarchical SVM, products, and its gain", rows)
    print("\n* the SVM's duality gap is above 5 %, or minover has not reached all margins")
    return found, rows


def main(data: Path | None, quick: bool, figures: Path | None) -> None:
    if lacking := claims.missing(data, "products", "rcv1", "hmc"):
        claims.untestable(CLAIMS, lacking)
        return
    assert data
    sections = {"products": products(data / "products", 300 if quick else N_PRODUCTS)}
    if not quick:
        sections["RCV1"] = rcv1(data / "rcv1", N_DOCUMENTS)
        sections["Enron"] = enron(data / "hmc")
        sections["ImCLEF07D"] = imclef(data / "hmc", N_IMAGES)
    for name, (t, examples) in sections.items():
        share = sum(len(y) for _, y in examples) / len(examples)
        counts = f"{len(examples):,} documents, {len(t.leaves)} leaves, height {t.height}"
        print(f"{name:12}{counts}, {share:.2f} leaves a document")
    found, sizes = tables(sections, SIZES[:2] if quick else SIZES)
    rows = {name: table["products"] for name, table in found.items()}
    solutions = orders(sections["products"], 1 if quick else FEW)
    print("\nperceptron, products: seconds on all documents; updates and pairs on few\n")
    for kind in KINDS:
        print(f"{kind:12}{statistics.mean(rows[f'{kind}, all'].seconds):8.1f} seconds")
    for name, some in solutions.items():
        updates, pairs = (statistics.mean(values) for values in zip(*some, strict=True))
        print(f"{name:12}{updates:8.0f} updates{pairs:8.0f} pairs")
    documents = f"{len(sections['products'][1]):,} documents"
    draws = f"{len(SEEDS)} draws"
    print()
    claims.judge(ON_DOCUMENTS, rows, documents)
    claims.judge(ON_FOLDS, rows, f"{FOLDS} folds")
    claims.judge(ON_DRAWS, rows, draws)
    claims.judge(ON_SIZES, sizes, draws)
    claims.judge(ON_ORDERS, solutions, draws)
    claims.differs(PROTOCOL)
    if figures:
        ranking_figures.by_size(sizes, figures)
        ranking_figures.flat_against_hierarchical(found["perceptron, few"], figures)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, help="folder with products, rcv1 and hmc")
    parser.add_argument("--quick", action="store_true", help="300 products only")
    parser.add_argument("--figures", type=Path, help="folder to draw the figures into")
    arguments = parser.parse_args()
    main(arguments.data, arguments.quick, arguments.figures)
