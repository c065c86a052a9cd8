"""The pages in docs: links lead somewhere, and what is said to be in the code is there."""

import contextlib
import doctest
import importlib
import inspect
import operator
import pkgutil
import re
import runpy

import pytest

import river_hier
from support.corpora import real_data
from support.layers import LAYERS
from support.paths import ROOT
from support.public_api import estimators, public

DOCS = ROOT / "docs"
# Pages that nobody writes.
MADE = {"api", "benchmarks", "gallery", "results", "contributing.md", "changelog.md"}
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(p for p in DOCS.rglob("*.md") if p.relative_to(DOCS).parts[0] not in MADE),
]
TEXTS = {page: page.read_text("utf-8") for page in PAGES}


def prose(page):
    """The page without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", TEXTS[page], flags=re.MULTILINE | re.DOTALL)


# Links


def anchors(page):
    """Those of the headings, where the ways in which anchors are commonly made agree."""
    found = set()
    for title in re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE):
        kept = re.sub(r"[^\w\s-]", "", title).strip().lower()
        if "--" not in (anchor := re.sub(r"\s", "-", kept)):
            found.add(anchor)
    return found


def test_links_lead_somewhere():
    links = [(p, link) for p in PAGES for link in re.findall(r"\]\(\s*([^)\s]+)\)", prose(p))]
    assert len(links) > 100
    for page, target in links:
        if re.match(r"https?:", target):
            continue
        file, _, anchor = target.partition("#")
        there = (page.parent / file).resolve() if file else page
        if there.is_relative_to(DOCS) and there.relative_to(DOCS).parts[0] in MADE:
            continue
        assert there.exists(), f"{page.name} links to {target}: there is no such file"
        if anchor:
            assert anchor in anchors(there), f"{page.name} links to {target}: no such heading"


# Names in the code


def test_files_that_are_named_exist():
    pattern = r"`((?:tests|examples|docs|river_hier|_core)/[\w./]+)`"
    for page in PAGES:
        for name in re.findall(pattern, prose(page)):
            inside = ROOT / "river_hier" if name.startswith("_core") else ROOT
            assert (inside / name).exists(), f"{page.name}: there is no {name}"


def test_what_contributing_names_exists():
    """A name of the code is a word of some file; a file may be in any folder."""
    paths = [path for top in ("river_hier", "tests", "docs") for path in (ROOT / top).rglob("*")]
    known = {path.name for path in [*ROOT.iterdir(), *paths]}
    for path in paths:
        if path.suffix in (".py", ".hpp", ".cpp"):
            known.update(re.findall(r"\w+", path.read_text("utf-8")))
    text = TEXTS[ROOT / "CONTRIBUTING.md"]
    missing = set(re.findall(r"`(\w+(?:\.\wpp|\.py)?)(?:\([^`]*)?`", text)) - {"pyright", *known}
    assert not missing, f"CONTRIBUTING.md: there is no {missing}"


def test_public_names_exist():
    """`package.Name`, or `package.Name.method`, is ours or River's, if it has that package, too."""
    found = (name for name in river_hier.__all__ if inspect.ismodule(getattr(river_hier, name)))
    pattern = rf"`(?:river_hier\.)?({'|'.join(found)})\.(\w+(?:\.\w+)*)"
    names = [(p, m) for p in PAGES for m in re.findall(pattern, prose(p))]
    assert len(names) > 150
    for page, (package, name) in names:
        if name in ("md", "py"):
            continue
        modules = [importlib.import_module(f"river_hier.{package}")]
        with contextlib.suppress(ImportError):
            modules.append(importlib.import_module(f"river.{package}"))
        assert any(has(module, name) for module in modules), f"{page.name}: no {package}.{name}"


def has(module, name):
    try:
        operator.attrgetter(name)(module)
    except AttributeError:
        return False
    return True


def test_a_page_of_models_has_every_model():
    others = ("evaluate", "feature_extraction", "stream")
    text = "".join(
        TEXTS[page] for page in PAGES if "models" in page.parts[-2:] or page.stem == "models"
    )
    for package, _, name in (estimator.rpartition(".") for estimator in estimators()):
        there = package in others or f"{name}`" in text
        assert there, f"docs/models: add {package}.{name} to the page of its family"


@pytest.mark.parametrize(
    "words", ["GridSearchCV", "hyperparameter", "REST service", "feature importance"]
)
def test_what_people_search_for_is_said(words):
    assert any(words.lower() in text.lower() for text in TEXTS.values())


# Pictures


def test_the_layers_are_those_of_the_package():
    text = TEXTS[DOCS / "design.md"]
    drawn = re.findall(r"^ (\d)   (.+)$", text, re.MULTILINE)
    found = [set(modules.split()) for _, modules in reversed(drawn)]
    assert found == LAYERS, "docs/design.md draws other layers than tests/support/layers.py"


def test_the_pictures_are_those_that_their_script_draws():
    drawn = runpy.run_path(str(DOCS / "pictures" / "trees.py"))["pictures"]()
    assert len(drawn) == 2
    for name, text in drawn.items():
        assert (DOCS / "pictures" / name).read_text("utf-8") == text


# Numbers


DOCTESTED = [*ROOT.glob("*.md"), *(p for p in DOCS.rglob("*.md") if "gallery" not in p.parts)]
NO_DIGITS = re.compile(r"\d\.(?![\w.])")  # `1.` of a number; `1.0`, `0.123...` and `1.a` are fine


def examples():
    finder, parser = doctest.DocTestFinder(exclude_empty=True), doctest.DocTestParser()
    tests = [
        test
        for module in pkgutil.walk_packages(river_hier.__path__, "river_hier.")
        if not module.name.rpartition(".")[2].startswith("_native")
        and not module.name.startswith(("river_hier.serve.", "river_hier.label."))  # an extra
        for test in finder.find(importlib.import_module(module.name))
    ]
    tests += [
        parser.get_doctest(page.read_text("utf-8"), {}, str(page), str(page), 0)
        for page in DOCTESTED
    ]
    return [(test.name, example) for test in tests for example in test.examples]


def test_expected_numbers_have_digits():
    found = examples()
    assert len(found) > 1000
    for where, example in found:
        bad = [line for line in example.want.splitlines() if NO_DIGITS.search(line)]
        assert not bad, (
            f"{where}, line {example.lineno + 1}: the doctest compares as many digits as the "
            f"expected output has, and {bad} has none: choose numbers that make it a fraction"
        )


# Docstrings


PARAMETERS = re.compile(r"^( *)Parameters\n *-+\n(.*?)(?:\n *\n|\Z)", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(("name", "thing"), [*public()], ids=[name for name, _ in public()])
def test_a_docstring_needs_no_other(name, thing):
    """Parameters one by one, in sentences; an example; and the paper that it speaks of."""
    said = inspect.getdoc(thing) or ""
    methods = inspect.getmembers_static(thing, inspect.isfunction) if inspect.isclass(thing) else []
    for text in (said, *(inspect.getdoc(method) or "" for _, method in methods)):
        for _, entries in PARAMETERS.findall(text):
            assert not re.search(r"^ +As in|^\w+, ", entries, re.MULTILINE), entries
    if inspect.isclass(thing):
        assert ">>> " in said, f"{name} has no example"
        assert "the paper" not in said or "[^1]:" in said, f"{name} has no reference"
    elif name.startswith("losses."):
        assert ">>> " in said, f"{name} has no example"
        explainer = re.search(r"`((?:metrics|linear_model)\.\w+)`", said)[1]
        explained = {*inspect.signature(operator.attrgetter(explainer)(river_hier)).parameters}
        explained |= {"y_true", "y_pred", "probabilities"}  # in the docstring of `losses`
        assert explained >= {*inspect.signature(thing).parameters}, name


@pytest.mark.slow
def test_the_losses_of_the_readme_on_rcv1(capsys):
    text = (ROOT / "README.md").read_text("utf-8")
    (block,) = [b for b in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "RCV1" in b]
    exec(block.replace("RCV1(", f"RCV1({str(real_data('rcv1'))!r}, "), {})
    (row,) = re.findall(r"^\| H-loss of one pass over .*", text, re.MULTILINE)
    said = [float(number) for number in re.findall(r"\d?\.\d{3}", row)]
    found = [float(number) for number in re.findall(r"HLoss: (\S+)", capsys.readouterr().out)]
    assert [round(number, 3) for number in found] == said
