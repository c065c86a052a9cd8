"""The gallery: scripts are run cell by cell, and their output and plots are put on pages."""

import ast
import importlib
import json
import re
import shutil
import sys

import pytest

from support.paths import EXAMPLES, ROOT
from support.requirements import require_module

require_module("matplotlib", "plot")

MODULES = ("script", "pictures", "record", "run", "pages", "make", "package_key")
SCRIPT = '''"""Who barks?

Dogs do. Cats [do] not, and this
is said in two lines.
"""

# %%
# Two dogs, who have a *name* each.
#
# One is small.
import sys
from pathlib import Path

dogs = ["Rex", "Fido"]  # no prose
class Dog:
    pass

# %%
# They bark.
print("\\n  woof", *dogs)

assert sys.modules[Dog.__module__].Dog is Dog
with open(Path(__file__).parent / "log", "a") as log:
    print(Path(__file__).stem, file=log)

# %%
# As a picture.
import matplotlib.pyplot as plt
figure, ax = plt.subplots(figsize=(2, 1.5))
ax.plot([1, 2], [3, 1], color="black", label="Rex")
ax.plot([1, 2], [1, 3], color="#D55E00", label="[Fido]")
ax.set(xlabel="days", ylabel="barks\\na day", title="Two dogs")
plt.show()
'''
START = """# Who barks?

Dogs do. Cats [do] not, and this
is said in two lines.

Two dogs, who have a *name* each.

One is small.

```python
import sys
from pathlib import Path

dogs = ["Rex", "Fido"]  # no prose
class Dog:
    pass
```

They bark.

```python
print("\\n  woof", *dogs)

assert sys.modules[Dog.__module__].Dog is Dog
with open(Path(__file__).parent / "log", "a") as log:
    print(Path(__file__).stem, file=log)
```

"""
ALT = r"Two dogs: barks a day against days: Rex, \[Fido\]"


class Gallery:
    """A folder of scripts, and the pages generated from them."""

    def __init__(self, root, make):
        self.make = make
        self.scripts = root / "examples"
        self.scripts.mkdir()
        self.out = root / "docs" / "gallery"
        for name in ("01_dogs", "03_cats"):
            self.write(name)

    def write(self, name, text=SCRIPT):
        path = self.scripts / f"{name}.py"
        path.write_text(text, encoding="utf-8")
        return path

    def run(self, fresh=False):
        return self.make.main(self.out, self.scripts, fresh)

    def ran(self):
        """The scripts that have run since the last call."""
        log = self.scripts / "log"
        names = log.read_text().split() if log.exists() else []
        log.unlink(missing_ok=True)
        return names

    def page(self, name="01_dogs"):
        return (self.out / name / "index.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def make():
    """The gallery program, which imports the modules in its folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(EXAMPLES / "gallery"))
        yield importlib.import_module("make")
    for name in MODULES:
        sys.modules.pop(name, None)


@pytest.fixture
def gallery(tmp_path, make):
    return Gallery(tmp_path, make)


def test_a_page(gallery, capsys):
    assert gallery.run() == 0
    assert capsys.readouterr().out == ""
    page = gallery.page()
    start, *outputs = page.split('```text title="Output"\n')
    assert start == START
    (after,) = outputs  # the others have printed nothing
    assert after.startswith("  woof Rex Fido\n```\n\nAs a picture.\n\n```python\nimport")
    versions = [
        f"figure_1{end}){{ width=160 }}" for end in (".png#only-light", "-dark.png#only-dark")
    ]
    shown = " ".join(f"![{ALT}](cell_2_{version}" for version in versions)
    end = r"\d+\.\d seconds of computing time\. Script: \[01_dogs\.py\]\(01_dogs\.py\)\n"
    assert re.fullmatch(end, after.partition(f"plt.show()\n```\n\n{shown}\n\n---\n\n")[2])
    assert (gallery.out / "01_dogs" / "01_dogs.py").read_text(encoding="utf-8") == SCRIPT


def test_the_index(gallery):
    gallery.run()
    index = (gallery.out / "index.md").read_text(encoding="utf-8")
    themes = re.split(r"^## ", index, flags=re.MULTILINE)
    assert [theme.splitlines()[0] for theme in themes] == ["# Gallery", "Start here", "Predictions"]
    card = f"""<div class="grid cards" markdown>

-   [![{ALT}](01_dogs/cell_2_figure_1-small.png#only-light){{ width=320 }} \
![{ALT}](01_dogs/cell_2_figure_1-small-dark.png#only-dark){{ width=320 }}](01_dogs/index.md)

    **[Who barks?](01_dogs/index.md)**

    Dogs do. ("""
    assert card in themes[1]
    assert "(03_cats/index.md)" in themes[2]
    gallery.write("01_wolves")  # a number may come twice
    gallery.run()
    assert "(01_wolves/index.md)" in (gallery.out / "index.md").read_text(encoding="utf-8")
    gallery.write("99_owls")
    with pytest.raises(ValueError, match="THEMES must hold every script, but not 99_owls"):
        gallery.run()


def test_what_has_run_is_kept_until_the_script_changes(gallery, monkeypatch):
    gallery.run()
    assert gallery.ran() == ["01_dogs", "03_cats"]
    first = {path: path.read_bytes() for path in gallery.out.rglob("*") if path.is_file()}
    gallery.run()
    assert gallery.ran() == []
    assert all(path.read_bytes() == before for path, before in first.items())

    gallery.run(fresh=True)
    assert gallery.ran() == ["01_dogs", "03_cats"]
    for path, before in first.items():  # nothing but the time they take is another
        if path.suffix == ".png":
            assert path.read_bytes() == before

    gallery.write("03_cats", SCRIPT.replace("woof", "miaow"))
    gallery.run()
    assert gallery.ran() == ["03_cats"]
    assert "  miaow Rex Fido" in gallery.page("03_cats")

    record = gallery.out / "01_dogs" / "run.json"
    record.write_text(json.dumps({"key": "of another time", "seconds": [1]}))
    gallery.run()
    assert gallery.ran() == ["01_dogs"]

    monkeypatch.setattr("river_hier.__version__", "99.0")
    gallery.run()
    assert gallery.ran() == ["01_dogs", "03_cats"]


def test_a_script_that_is_gone_takes_its_page_along(gallery):
    gallery.run()
    other = gallery.out / "notes" / "index.md"
    other.parent.mkdir()
    other.touch()
    (gallery.scripts / "03_cats.py").unlink()
    gallery.run()
    assert other.exists()
    assert not (gallery.out / "03_cats").exists()
    assert "03_cats" not in (gallery.out / "index.md").read_text(encoding="utf-8")


def test_an_error_says_where(gallery, capsys):
    gallery.run()
    index, page = (gallery.out / "index.md").read_text(encoding="utf-8"), gallery.page()
    gallery.ran()
    # One fails within a function that another cell has defined, one between two figures.
    inside = SCRIPT.replace("    pass\n", "    pass\ndef bark():\n    return 1 / 0\n")
    broken = gallery.write("01_dogs", inside.replace('print("', 'bark()\nprint("'))
    at = broken.read_text().splitlines().index("    return 1 / 0") + 1
    late = gallery.write("03_cats", SCRIPT + "raise OSError('no cats')\n")
    other = gallery.write("04_owls")
    assert gallery.run() == 1
    said = capsys.readouterr().err.splitlines()
    assert said[-3:] == [
        "failed:",
        f"  {broken}, line {at}: ZeroDivisionError: division by zero",
        f"  {late}, line {len(late.read_text().splitlines())}: OSError: no cats",
    ]
    assert "    return 1 / 0" in said  # the source, too
    assert gallery.page() == page
    assert (gallery.out / "index.md").read_text(encoding="utf-8") == index
    assert "woof" in gallery.page(other.stem)  # which was made all the same
    assert gallery.page(other.stem).count("#only-light") == 1  # and has no figure of the others
    assert not list(gallery.out.glob("*.part"))
    gallery.write("01_dogs")
    gallery.write("03_cats")
    assert gallery.run() == 0
    assert "04_owls" in (gallery.out / "index.md").read_text(encoding="utf-8")


def test_what_is_printed_may_hold_a_fence(gallery):
    gallery.write("01_dogs", SCRIPT.replace("  woof", "```woof"))
    gallery.run()
    assert '````text title="Output"\n```woof Rex Fido\n````\n' in gallery.page()


def test_descriptions(make):
    import matplotlib.pyplot as plt
    from pictures import described

    figure, (left, right) = plt.subplots(1, 2)
    left.set(xlabel="steps", ylabel="loss")
    right.set(title="Without\nnames")
    assert described(figure) == "loss against steps. Without names"
    figure.suptitle("Two panels")
    right.plot([1], [2], label="a line")
    assert described(figure) == "Two panels. loss against steps. Without names: a line"
    plt.close(figure)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_the_examples_have_pages(path, make):
    """The scripts are not run here; other tests run them."""
    script = make.Script(path)
    assert script in [one for found in make.by_theme([script]).values() for one in found]
    assert re.fullmatch(r"[A-Z][^\n]{20,250}[.?!]", script.teaser)
    assert all(cell.prose for cell in script.cells)
    _, *statements = ast.parse(script.source).body
    code = ast.parse("\n".join(cell.code for cell in script.cells)).body
    assert [*map(ast.dump, code)] == [*map(ast.dump, statements)]  # nothing is left out
    lines = script.source.splitlines()
    assert all(cell.code.startswith(lines[cell.line - 1]) for cell in script.cells)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_recorded_runs_are_those_of_the_scripts(path, tmp_path, make):
    """After a change: RIVER_HIER_DATA=... python examples/gallery/make.py --record."""
    script = make.Script(path)
    if script.recorded is None:
        return
    record = make.made(script, tmp_path / script.name, fresh=True)
    page = (tmp_path / script.name / "index.md").read_text(encoding="utf-8")
    assert record.outputs[0].printed in page
    assert "recorded with data that are not in the package" in page
    for name, *_ in record.pictures:  # a source distribution has none of them
        shown = (tmp_path / script.name / f"{name}-dark.png").exists()
        assert shown == (ROOT / ".github").exists()
    path = tmp_path / "changed" / path.name
    path.parent.mkdir()
    path.write_text(script.source + "\n# changed\n", encoding="utf-8")
    changed = make.Script(path)
    assert changed.recorded == path.parent / "gallery" / "recorded" / script.name
    shutil.copytree(script.recorded, changed.recorded)
    with pytest.raises(make.ScriptError, match="the recorded run is missing or old; use --record"):
        make.made(changed, tmp_path / "again", fresh=False)


def test_recorded_runs_have_the_key_of_the_package(gallery, make, monkeypatch, capsys):
    gallery.write("03_cats", SCRIPT.replace("They bark.", "They bark in RIVER_HIER_DATA."))
    make.record_runs(gallery.scripts)
    assert gallery.ran() == ["03_cats"]  # the only one with data
    make.record_runs(gallery.scripts)
    assert gallery.ran() == []
    assert gallery.run() == 0
    assert "03_cats" not in capsys.readouterr().err
    for module in ("make", "run"):
        monkeypatch.setattr(sys.modules[module], "package_key", lambda script: "another")
    gallery.ran()
    assert gallery.run() == 0
    assert gallery.ran() == []
    said = "03_cats: recorded before river_hier changed; see --record"
    assert said in capsys.readouterr().err.splitlines()
    make.record_runs(gallery.scripts)
    assert gallery.ran() == ["03_cats"]
    assert gallery.run() == 0
    assert said not in capsys.readouterr().err
