"""The results of the papers: one command writes the pages and resumes after an interruption."""

import math
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from support.paths import ROOT

PAPERS = ROOT / "examples" / "papers"
MODULES = ("section", "claims", "decided", "package_key")
SCRIPT = '''"""Does {name} hold?

A claim. Run it with

    python examples/papers/{name}.py --data FOLDER

and read.
"""
import argparse
import time
from pathlib import Path
import words

def learned():
    from river_hier import learner

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path)
    parser.add_argument("--figures", type=Path)
    arguments = parser.parse_args()
    with open(Path(__file__).with_name("log"), "a") as log:
        print("{name}", file=log)
    {body}
    arguments.figures.mkdir()
    (arguments.figures / "figure_1.png").write_bytes(b"{name}")
    if list(arguments.data.glob("rcv1")):
        print(words.YES + "      {name}, " + str(4 / 2))
    else:
        print("not testable    {name}: no data")
'''


class Folder:
    """A project of its own: three scripts that take no time, and the program that runs them."""

    def __init__(self, root, capfd):
        self.capfd = capfd
        self.scripts = root / "examples" / "papers"
        self.scripts.mkdir(parents=True)
        (root / "docs").mkdir()
        for name in ("all", *MODULES):
            shutil.copy(PAPERS / f"{name}.py", self.scripts)
        (self.scripts / "words.py").write_text('YES = "reproduced"\n')
        self.package = root / "river_hier"
        self.package.mkdir()
        (self.package / "learner.py").write_text("from .rates import rate\n")
        (self.package / "rates.py").write_text("def rate():\n    return 1\n")
        (self.package / "other.py").write_text("")
        (self.package / "store.hpp").write_text("int rate = 1;\n")
        for name in ("bee_2001", "ant_2003", "cat_2001"):
            self.write(name)
        self.overview = root / "docs" / "results.md"
        self.recorded = self.scripts / "recorded"
        self.site = root / "site"
        self.log = self.scripts / "log"
        self.data = ("--data", str(root / "data"))
        (root / "data" / "rcv1").mkdir(parents=True)

    def write(self, name, body="pass"):
        (self.scripts / f"{name}.py").write_text(SCRIPT.format(name=name, body=body))

    def start(self, *arguments):
        command = [sys.executable, str(self.scripts / "all.py"), *arguments]
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        return subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, env=environment, preexec_fn=heed_interrupts
        )

    def run(self, *arguments, code=0):
        """The same in this process."""
        program = self.scripts / "all.py"
        self.capfd.readouterr()
        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(str(self.scripts))
            patch.setattr(sys, "argv", [str(program), *arguments])
            for name in MODULES:  # imported from this folder, and what was there put back
                patch.setitem(sys.modules, name, None)
                del sys.modules[name]
            with pytest.raises(SystemExit) as ended:
                runpy.run_path(str(program), run_name="__main__")
        said = self.capfd.readouterr().err
        assert (ended.value.code or 0) == code, said
        return said

    def text(self, paper="*"):
        """The sections of all pages of the site, or of those of a paper."""
        shutil.rmtree(self.site, ignore_errors=True)
        self.run("--pages", str(self.site))
        return "\n".join(page.read_text() for page in sorted(self.site.glob(f"results/{paper}.md")))

    def ran(self):
        """The scripts that have run since the last time."""
        names = self.log.read_text().split() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return names


def heed_interrupts():
    """As at a terminal, even where the tests were started in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def folder(tmp_path, capfd):
    return Folder(tmp_path, capfd)


Run = Callable[[str], dict[str, Any]]


@pytest.fixture
def run(monkeypatch):
    """The names of one of the papers' programs, which import one another."""
    monkeypatch.syspath_prepend(str(PAPERS))
    return lambda name: runpy.run_path(str(PAPERS / name))


@pytest.mark.slow
def test_what_is_finished_is_kept_until_the_code_changes(folder):
    folder.run(*folder.data)
    page = folder.text()
    folder.ran()
    folder.run(*folder.data)
    assert not folder.ran()
    assert folder.text() == page

    elsewhere = "arguments.figures = arguments.figures.with_name('elsewhere')"
    folder.write("cat_2001", body=f"print('more\\n'); {elsewhere}")
    folder.run(*folder.data)
    assert folder.ran() == ["cat_2001"]
    assert "more\n```" in folder.text()
    assert "cat_2001/figure" not in folder.text()  # it draws nothing any more

    script = folder.scripts / "bee_2001.py"
    script.write_text(script.read_text().replace("A claim.", "Another claim."))
    folder.run(*folder.data)
    assert not folder.ran()  # prose is not code
    assert "Another claim. Run it" in folder.text()

    (folder.scripts / "words.py").write_text('YES = "not reproduced"\n')
    folder.run(*folder.data, "--only", "ant_2003")
    assert folder.ran() == ["ant_2003"]
    folder.run(*folder.data)
    assert folder.ran() == ["bee_2001", "cat_2001"]
    folder.run(*folder.data, "--fresh")
    assert len(folder.ran()) == 3


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGKILL], ids=lambda by: by.name)
@pytest.mark.parametrize("options", [[], ["--fresh"]], ids=["first", "fresh"])
def test_an_interrupted_run_goes_on(folder, by, options):
    if options:
        folder.run(*folder.data)
        folder.ran()
    waiting = folder.scripts / "waiting"
    body = f"waiting = Path({str(waiting)!r}); waiting.touch()"
    folder.write("cat_2001", body=f"{body}\n    while waiting.exists(): time.sleep(0.05)")
    process = folder.start(*folder.data, *options)
    for _ in range(15000):
        if waiting.exists():
            break
        time.sleep(0.02)
    process.send_signal(by)
    process.wait(timeout=300)
    waiting.unlink()  # who was left behind may go
    _, said = process.communicate(timeout=300)
    assert process.returncode == (130 if by == signal.SIGINT else -signal.SIGKILL)
    assert ("continues from here" in said) == (by == signal.SIGINT)
    assert folder.ran() == ["bee_2001", "cat_2001"]
    assert "| bee_2001, 2.0 | reproduced |" in folder.text()  # what is finished is there

    folder.write("cat_2001", body="pass")
    folder.run(*folder.data)
    assert folder.ran() == ["cat_2001", "ant_2003"]
    assert folder.text().count(", 2.0 | reproduced |") == 3
    assert not list(folder.recorded.glob("*.part"))


def test_a_script_that_fails_leaves_the_old_section(folder):
    folder.run(*folder.data)
    page = folder.text()
    folder.ran()
    folder.write("cat_2001", body="print('reproduced      half'); raise ValueError('no wolves')")
    said = folder.run(*folder.data, "--fresh", code=1)
    assert "no wolves" in said
    assert said.splitlines()[-1] == "failed, their old sections stay: cat_2001"
    assert "cat_2001: made before the script changed" in said
    assert folder.ran() == ["bee_2001", "cat_2001", "ant_2003"]  # the others are made all the same
    assert folder.text() == page
    folder.run(*folder.data, code=1)
    assert folder.ran() == ["cat_2001"]  # and it is tried again


@pytest.mark.slow
def test_without_data(folder):
    folder.run("--only", "bee_2001")
    assert "| bee_2001 | not&nbsp;testable | no data |" in folder.text()
    folder.run(*folder.data, "--only", "bee_2001")  # as soon as they are there
    page = folder.text()
    assert "| bee_2001, 2.0 | reproduced |" in page
    folder.ran()
    said = folder.run("--only", "bee_2001")
    assert "bee_2001: not run again, as its code has not changed; see --fresh" in said
    assert not folder.ran()
    folder.write("bee_2001", body="print('more')")
    said = folder.run("--only", "bee_2001")
    assert "bee_2001: its data are missing; its old section stays" in said
    assert folder.text() == page


@pytest.mark.slow(but=1)
def test_sections_of_another_package_are_listed_and_stay(folder):
    folder.run(*folder.data)
    page = folder.text()
    folder.ran()
    # Comments, docstrings and annotations are not what runs, nor what no script imports.
    (folder.package / "learner.py").write_text('"""A\n\nlearner."""\n\nfrom .rates import rate')
    (folder.package / "rates.py").write_text("# Eq. 2\ndef rate() -> int:\n    return 1\n")
    (folder.package / "other.py").write_text("RATE = 2\n")
    (folder.package / "store.hpp").write_text("// Eq. 2\n\nint rate = 1;\n")
    assert not folder.run("--stale")
    changes = {"learner.py": "", "rates.py": "rate = 2\n", "store.hpp": "int rate = 2;\n"}
    for name, code in changes.items():
        old = (folder.package / name).read_text()
        (folder.package / name).write_text(code)
        assert folder.run("--stale").count("before river_hier changed") == 3
        (folder.package / name).write_text(old)
        assert not folder.run("--stale")
    (folder.package / "rates.py").write_text("rate = 2\n")
    folder.write("cat_2001", body="pass;")
    bee, ant = (
        f"{n}: made before river_hier changed; see --fresh" for n in ("bee_2001", "ant_2003")
    )
    assert folder.run("--stale").splitlines() == [
        bee,
        "cat_2001: made before the script changed; see --fresh",
        ant,
    ]
    stale = "**Stale**, as the script or the package has changed since: "
    links = [f"[Does {n} hold?](results/{n}.md#does-{n}-hold)" for n in ("bee_2001", "cat_2001")]
    assert f"\n{stale}{', '.join(links)}, [Does ant" in folder.overview.read_text()
    assert folder.run(*folder.data).splitlines()[-2:] == [bee, ant]
    assert f"\n{stale}{links[0]}, [Does ant" in folder.overview.read_text()
    assert folder.ran() == ["cat_2001"]
    assert folder.text() == page
    assert folder.run(*folder.data, "--fresh", "--only", "bee_2001").splitlines()[-1] == ant


def test_unknown_scripts_and_folders_are_refused(folder):
    assert "'dog_2001'" in folder.run("--only", "dog_2001", code=2)
    assert "there is no folder 'nowhere'" in folder.run("--data", "nowhere", code=2)
    assert not folder.ran()


PRINTED = """
a table

with noise
differences in the paper's favour (standard errors over 5 nights)
undecided       Table 1: wolves howl: far +0.2 (0.1); near +0.3 (0.1)
undecided       Table 1: owls hoot: points +0.1 (0.1)
reproduced      Table 1: owls are late: hours +1.0 (0.1)
holds           Theorem 2: the howl is at most the bound

without noise
differences in the paper's favour (standard errors over 5 nights)
reproduced      Table 1: wolves howl: far +0.2 (0.1); near +0.3 (0.1)
not reproduced  Table 1: owls hoot: points -0.2 (0.1)
not reproduced  Table 1: owls are late: hours -1.0 (0.1)
holds           Theorem 2: the howl is at most the bound

differences in the paper's favour (standard errors over 3 days)
undecided       Table 2: foxes bark: points +0.1
                (inf)
not testable    Table 2: bears hum: there are
                no bears
"""


def test_a_claim_is_counted_once(folder):
    """Its verdict is that on the recorded differences, whatever word was printed."""
    decided = {"ant_2003": {"Table 1: owls are late": ("the paper", "it lacks the hour")}}
    (folder.scripts / "decided.py").write_text(f"DECIDED = {decided}\n")
    folder.write("ant_2003", body=f"print({PRINTED!r})")
    folder.run(*folder.data, "--only", "ant_2003")
    page = folder.text("ant_2003")
    expected = """
| claim |  | difference (standard error) |
| --- | --- | --- |
| Table 1: wolves howl | reproduced | *with noise*: far +0.2 (0.1); near +0.3 (0.1); \
*without noise*: far +0.2 (0.1); near +0.3 (0.1), over 5 nights |
| Table 1: owls hoot | not&nbsp;reproduced | *with noise*: points +0.1 (0.1); \
*without noise*: points -0.2 (0.1), over 5 nights |
| Table 1: owls are late | undecided | *with noise*: hours +1.0 (0.1); \
*without noise*: hours -1.0 (0.1), over 5 nights. **the paper**: it lacks the hour |
| Table 2: foxes bark | undecided | points +0.1 (inf), over 3 days |
| Table 2: bears hum | not&nbsp;testable | there are no bears |
| ant_2003, 2.0 | reproduced |  |

| theorem or bound |  |
| --- | --- |
| Theorem 2: the howl is at most the bound (*with noise; without noise*) | holds |
"""
    assert expected in page
    counts = "**2 of 6 claims are reproduced**; 1 not reproduced, 2 undecided, 1 not testable."
    assert f"{counts} 1 of 1 theorems, lemmas and bounds hold wherever they were tested." in page
    assert "owls are late](results/ant_2003.md#does-ant_2003-hold) | undecided | the paper |" in (
        folder.overview.read_text()
    )


def test_a_theorem_of_which_one_law_is_violated_is_false(folder):
    laws = ("holds           Theorem 2: far", "violated        Theorem 2: near: 1.2 of 1.0")
    folder.write(
        "ant_2003", body=f"print({chr(10).join((*laws, 'holds           Lemma 1: so'))!r})"
    )
    folder.run(*folder.data, "--only", "ant_2003")
    said = "1 of 2 theorems, lemmas and bounds hold wherever they were tested, and 1 are false: "
    assert f"{said}Theorem 2." in folder.text("ant_2003")


def test_the_criterion(run):
    claims = run("claims.py")
    verdict, measured = claims["verdict"], claims["measured"]
    assert verdict(0.2, 0.1) == "reproduced"
    assert verdict(-0.2, 0.1) == "not reproduced"
    assert verdict(0.19, 0.1) == verdict(0.0, 0.0) == verdict(1.0, math.inf) == "undecided"
    assert measured([1.0, 2.0, 4.0]) == (2.33, 0.88)
    assert measured([1.0]) == (1.0, math.inf)


def test_what_differs_from_the_paper(folder, run, capfd):
    claims = run("claims.py")
    protocol = dict.fromkeys(claims["ASPECTS"], "none") | {"epochs": "one"}
    differing = protocol | {"order": ("by date", "a | b", "shuffled"), "noise": "none"}
    claims["differs"](differing)
    printed = capfd.readouterr().out
    folder.write("ant_2003", body=f"print('a table'); print({printed!r})")
    folder.run(*folder.data, "--only", "ant_2003")
    page = folder.text("ant_2003")
    table = r"""```text
a table
```

| claim |  | difference (standard error) |
| --- | --- | --- |
| ant_2003, 2.0 | reproduced |  |

**Differs from the paper**

| | paper | here | why |
|---|---|---|---|
| order | by date | a \| b | shuffled |

As in the paper: data size (none), splits (none), shuffling (none), epochs (one), normalisation"""
    assert table in page
    del protocol["caps"]
    with pytest.raises(ValueError, match=r"does not mention caps$"):
        claims["differs"](protocol)


def test_the_verdicts_are_up_to_date(run, monkeypatch):
    """They must be written again after a change of a script or of the criterion, and not edited.

    It is known who decides a claim that is not reproduced or undecided, and no other.
    """
    program, decided = run("all.py"), run("decided.py")["DECIDED"]
    monkeypatch.setattr("section.package_key", lambda script: "")
    monkeypatch.setattr("section.Section.stale", "")  # which is no matter of the verdicts
    made = program["sections"]()
    for one in made:
        open_ = [c.sentence for c in one.claims() if c.verdict in ("not reproduced", "undecided")]
        assert open_ == list(decided.get(one.name, {}))
    papers = program["by_paper"](made)
    pages = {
        f"{name}.md": program["page"](name, of, program["CHECKOUT"]) for name, of in papers.items()
    }
    folder = ROOT / "docs" / "results"
    assert {path.name: path.read_text("utf-8") for path in folder.iterdir()} == pages
    found = (ROOT / "docs" / "results.md").read_text("utf-8"), program["overview"](made)
    ours, theirs = (re.sub(r"\*\*Stale.*\n\n", "", text) for text in found)
    assert ours == theirs


def test_links_to_and_from_the_results_lead_somewhere():
    """In the checkout, as in the site."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    links = [
        (page, *link)
        for page in pages
        for link in re.findall(r"\]\(\s*([^)#\s:]+)(?:#([^)\s]+))?\)", page.read_text("utf-8"))
        if "results" in (page.parent.name, *link[0].split("/"))
    ]
    assert len(links) > 50
    for page, target, anchor in links:
        there = page.parent / target
        assert there.exists(), f"{page.name} links to {target}: there is no such file"
        titles = re.findall(r"^#+ (.+)$", there.read_text("utf-8"), re.M) if anchor else []
        made = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
        assert not anchor or anchor in made, f"{page.name} links to {target}: no such heading"


LOADED = """
import runpy, sys
from pathlib import Path
import package_key, river_hier

script, package = Path(sys.argv[1]), Path(river_hier.__file__).parent
runpy.run_path(str(script))
files = [getattr(m, "__file__", None) for name, m in sys.modules.items() if "river_hier." in name]
loaded = {Path(file).relative_to(package) for file in files if file and file.endswith(".py")}
used = [p for p in package_key.sources(script) if p.is_relative_to(package_key.PACKAGE)]
print(len(loaded), loaded - {p.relative_to(package_key.PACKAGE) for p in used})
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cesa_bianchi_2006_regret", "dekel_2005", "cai_hofmann_2007"])
def test_the_key_has_every_module_that_a_script_imports(name):
    command = [sys.executable, "-P", "-c", LOADED, str(PAPERS / f"{name}.py")]
    environment = os.environ | {"PYTHONPATH": str(PAPERS)}
    done = subprocess.run(command, stdout=subprocess.PIPE, env=environment, text=True, check=True)
    number, left_out = done.stdout.split()
    assert int(number) > 50
    assert left_out == "set()"


@pytest.mark.parametrize(
    "text",
    [
        "import river_hier\nriver_hier.losses.h_loss",
        "if TYPE_CHECKING:\n    import typing\nelse:\n    from river_hier import losses",
    ],
)
def test_the_key_has_modules_that_are_imported_late_or_at_run_time_only(text, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(text)
    sources = runpy.run_path(str(PAPERS / "package_key.py"))["sources"]
    assert "losses.py" in [path.name for path in sources(script)]
