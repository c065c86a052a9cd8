"""The documentation: what is public stands in it once, and every block of code in it is run."""

import importlib.util
import re
import runpy
import tomllib
from collections import Counter
from pathlib import Path

import pytest

import river_hier
from river_hier import decision, linear_model, local
from support.paths import ROOT
from support.public_api import public as public_names
from support.requirements import require_module

DOCS = ROOT / "docs"
PAGES = [*sorted(DOCS.rglob("*.md")), *sorted(ROOT.glob("*.md"))]

# Pages of the navigation that programs write, and what they write them from.
WRITTEN = {
    "api/": "site/pages.py",
    "gallery/": "examples/gallery/make.py",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
    **{
        f"results/{page.name}": "examples/papers/all.py" for page in DOCS.glob("papers/*_[0-9]*.md")
    },
    "benchmarks/collections.md": "examples/benchmarks/all.py",
}
# Commands in blocks, and who runs them.
RUN_BY = {
    r"pip install .+|pytest.*|ruff check \.|ruff format --check \.|mypy": ".ci/run",
    r"git clone .+|cd \w+|python3 -m venv .+|\. .+/activate": ".ci/run",  # in a clone of its own
    r"python examples/\d\d_\w+\.py": "tests/examples/test_examples.py",
    r"python examples/papers/all\.py --data FOLDER --fresh": "tests/docs/test_results_page.py",
    r"python examples/papers/(?!all)\w+\.py( --data FOLDER)?": "tests/examples/test_papers.py",
    r"python examples/benchmarks/rcv1\.py --data FOLDER": "tests/decision/test_decision.py",
    r"python examples/benchmarks/all\.py --data FOLDER": "tests/examples/test_benchmarks.py",
    r"python examples/benchmarks/drift\.py": "tests/drift/test_branch_reset.py",
    r"python -m river_hier\.label texts\.csv": "tests/test_label.py",
    r"python -m river_hier\.(fit|predict) .+": "tests/test_fit.py",
    r"python -m river_hier\.serve titles\.model": "tests/examples/test_http_service.py",
    r"python tests/bench/\w+\.py( --data FOLDER)?": "tests/docs/test_site.py",  # that it starts
    r"python examples/streaming/merge_\w+\.py .+": "tests/examples/test_merging.py",
    r"python examples/benchmarks/(selective|moving)\.py .+": "tests/docs/test_site.py",
    r"python examples/benchmarks/(dated|drift_kinds|labels)\.py .+": "tests/docs/test_site.py",
}
BENCH = re.compile(r"python (?:tests/bench|examples/benchmarks)/[^`#]*")
# Pages whose blocks are taken from the page, and run, by a test of their own.
TAKEN_BY = {
    "docs/streaming.md": "tests/examples/test_streaming.py",
    "docs/files.md": "tests/test_fit.py",
    "docs/serving.md": "tests/examples/test_http_service_restarts.py",
    "docs/your_dataframe.md": "tests/docs/test_your_dataframe_page.py",
}


def module(name):
    """A program of the folder `site`; Python has a module of that name itself."""
    spec = importlib.util.spec_from_file_location(f"site_{name}", ROOT / "site" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


pages = module("pages")


def blocks(path):
    """Line, language and text of every fenced block."""
    text = path.read_text("utf-8")
    for found in re.finditer(r"^( *)(`{3,})(.*)\n((?:.*\n)*?)\1\2 *$", text, re.MULTILINE):
        yield text.count("\n", 0, found.start()) + 1, found[3].strip(), found[4]


def commands(path):
    """What a person is told to type into a shell."""
    for _, language, text in blocks(path):
        for line in text.splitlines() if language in ("sh", "console") else []:
            if language == "sh" or line.startswith("$ "):
                yield from line.removeprefix("$ ").split("#")[0].strip().split(" && ")


def leaves(navigation):
    for entry in navigation:
        for below in entry.values() if isinstance(entry, dict) else [entry]:
            yield from leaves(below) if isinstance(below, list) else [below]


def test_every_public_name_has_one_page():
    public = {name for name, _ in public_names()}
    assert sorted(pages.NAMES) == sorted(public)


def test_pages_of_names_differ_where_capitals_do_not():
    paths = Counter(name.lower() for name in pages.NAMES)
    assert max(paths.values()) == 1


def test_the_index_says_what_each_name_is():
    index = dict(pages.api_pages())["index.md"]
    for name in pages.NAMES:
        (row,) = re.findall(
            rf"^\| \[`{re.escape(name)}`\]\((.+)\) \| (.+) \|$", index, re.MULTILINE
        )
        assert row[0] == pages.path(name)
        assert row[1].endswith((".", "`", ".)")), f"{name}: its docstring starts with no sentence"


def test_the_navigation_has_every_page():
    listed = list(
        leaves(tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]["nav"])
    )
    assert len(listed) == len(set(listed))
    for written, source in WRITTEN.items():
        assert written in listed
        assert (ROOT / source).exists(), f"zensical.toml: {written} is written from {source}"
    there = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")}
    absent = sorted(set(listed) - there - set(WRITTEN))
    assert not absent, f"zensical.toml: the navigation has pages that are not in docs: {absent}"
    unlisted = sorted(there - set(listed))
    assert not unlisted, f"zensical.toml: add to the navigation: {unlisted}"


def is_run(page, language, text):
    """By pytest, as a doctest; by a test of the page's own; or it is output."""
    if language == "python" and text.lstrip().startswith(">>> "):
        return True
    if page in TAKEN_BY:
        return Path(page).name in (ROOT / TAKEN_BY[page]).read_text("utf-8")
    if page == "README.md" and "RCV1(" in text:  # the only such block: tests/docs/test_pages.py
        return True
    return language in ("text", "sh", "console")


def test_every_block_of_code_is_run():
    for path in PAGES:
        page = str(path.relative_to(ROOT))
        for line, language, text in blocks(path):
            assert is_run(page, language, text), (
                f"{page}:{line}: nothing runs this block of {language}. Python must be a "
                "doctest, and output is `text`; for other kinds name a test in TAKEN_BY"
            )
        for command in commands(path) if page not in TAKEN_BY else []:
            known = [test for pattern, test in RUN_BY.items() if re.fullmatch(pattern, command)]
            assert known, f"{page}: nothing runs {command!r}: add it to RUN_BY, with its test"
            for file in [*known, *re.findall(r"\S+\.py", command)]:
                assert (ROOT / file).exists(), f"{page}: {command!r} needs {file}"


def test_benchmarks_start(monkeypatch, capsys):
    """They take long; here they must know the options that the page names."""
    asked = {}
    for path in PAGES:
        for command in BENCH.findall(path.read_text(encoding="utf-8")):
            script, *words = command.split()[1:]
            asked.setdefault(script, set()).update(w for w in words if w.startswith("--"))
    assert len(asked) > 10
    for script, options in asked.items():
        if not options:
            assert (ROOT / script).exists(), script
            continue
        with monkeypatch.context() as patch:
            patch.syspath_prepend(str((ROOT / script).parent))
            patch.setattr("sys.argv", [script, "--help"])
            with pytest.raises(SystemExit, match="0"):
                runpy.run_path(str(ROOT / script), run_name="__main__")
        printed = capsys.readouterr().out
        assert all(option in printed for option in options), (script, options)


def test_pages_from_the_top_have_links_of_the_site():
    text = "[a](docs/design.md) [b](LICENSE) [c](https://d.e) [f](CHANGELOG.md#x) [g](#h)"
    expected = "[a](design.md) b [c](https://d.e) [f](changelog.md#x) [g](#h)"
    assert pages.from_the_top(text) == expected
    assert pages.to_the_top("[a](../CHANGELOG.md) [b](../../LICENSE)").startswith(
        "[a](changelog.md"
    )


def test_docstrings_are_told_to_the_parser():
    require_module("griffe", "docs")
    dialect = module("dialect")
    docstring = (
        "One [^1].\n\nReturns\n-------\nA label,\nor none.\n\nReferences\n----------\n[^1]: B."
    )
    (start, _), (returns, words), (references, paper) = map(tuple, dialect.sections(docstring))
    assert (start, returns, references) == ("", "Returns", "References")
    assert dialect.typed_by_signature(words) == ":\n    A label,\n    or none.\n"
    assert dialect.with_references(paper, "x") == '1. <a id="x-1"></a>B.'
    assert dialect.with_references("One [^1].", "x") == 'One<sup><a href="#x-1">[1]</a></sup>.'


@pytest.fixture(scope="module")
def loaded():
    """The package as the site sees it."""
    griffe = require_module("griffe", "docs")
    extensions = griffe.load_extensions(module("dialect").Dialect())
    return griffe.load(
        "river_hier",
        search_paths=[Path(river_hier.__file__).parents[1]],
        extensions=extensions,
        docstring_parser="numpy",
        allow_inspection=False,
    )


def test_the_site_shows_an_example_before_the_parameters(loaded):
    titles = re.findall(r"^(\w+)\n-+$", loaded["linear_model.HAROW"].docstring.value, re.MULTILINE)
    assert titles[:2] == ["Examples", "Parameters"]


def test_the_site_shows_the_parameters_of_truncated_predictions(loaded):
    for model in (linear_model.HAROW, linear_model.Hieron, local.PerNode, decision.Calibrated):
        file = model.predict_one.__module__.removeprefix("river_hier.")
        method = loaded[file][model.predict_one.__qualname__]
        shown = [parameter.name for parameter in method.parameters]
        assert shown[:4] == ["self", "x", "threshold", "max_depth"], model
        assert "`None` for no limit" in method.docstring.value, model
    for name in ("HAROW.learn_one", "AveragedHieron.rule"):  # inherited, and assigned
        members = loaded[f"linear_model.{name.split('.')[0]}"].all_members
        found = members[name.split(".")[1]]
        found = found.final_target if found.is_alias else found
        assert found.is_function, name
        assert found.docstring, name
