"""What the package never does, such as running data as code, and tests of all other promises."""

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import river_hier
from river_hier import datasets
from river_hier.datasets.file_dataset import FileDataset
from support.paths import ROOT
from support.processes import environment

PACKAGE = Path(river_hier.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))

# The last names of calls that make code or commands of data, or files that others may guess.
CODE = {"eval", "exec", "compile", "__import__", "loads", "load", "system", "popen", "mktemp"}
CODE |= {"Popen", "run", "check_call", "check_output", "unpack_archive", "extract", "extractall"}
MODULES = {"pickle", "marshal", "shelve", "yaml", "subprocess", "ctypes", "xml.etree", "xml.sax"}
MODULES |= {"xml.dom", "xml.parsers", "lxml", "ssl"}  # nobody changes what TLS checks
ALLOWED = {
    # A checkpoint is a pickle, read once its checksum is right; docs/trust.md says whose to read.
    ("checkpoint.py", "loads"),
    ("checkpoint.py", "pickle"),
    ("serve/journal.py", "loads"),  # JSON, as below
    ("serve/messages.py", "loads"),
    # The model to serve, and its checkpoint; docs/serving.md says whose to open.
    ("programs.py", "pickle"),
    ("programs.py", "loads"),
    ("serve/service.py", "loads"),
    ("serve/service.py", "load"),
    ("serve/service.py", "run"),  # of asyncio
    ("feature_extraction/embedding.py", "load"),  # weights in safetensors, of a package of PyPI
    ("label/taxonomies.py", "load"),  # JSON
    ("tables.py", "load"),
    ("tables.py", "loads"),
    ("label/desk.py", "loads"),  # JSON, and the checkpoint that it has made itself
    ("label/desk.py", "run"),  # of uvicorn
}
# The kernels' own pattern of words is a regular expression.
PURE = {"re.compile"}


def test_each_promise_has_its_tests() -> None:
    table = (ROOT / "docs" / "trust.md").read_text("utf-8").partition("Not promised")[0]
    for line in table.splitlines()[6:]:
        if line:
            tests = re.findall(r"`(tests/[\w/]+\.py)`", line)
            assert tests, line
            for name in tests:
                assert (ROOT / name).is_file(), name


def suspicious(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called.rpartition(".")[2] in CODE and called not in PURE:
                yield called.rpartition(".")[2], node.lineno
            if any(word.arg == "shell" for word in node.keywords):
                yield "shell", node.lineno
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names]
            if isinstance(node, ast.ImportFrom):
                names = [f"{node.module}.{name}" for name in names] if not node.level else []
            for name in names:
                yield from ((m, node.lineno) for m in MODULES if f"{name}.".startswith(f"{m}."))


def test_data_is_never_code() -> None:
    for path in FILES:
        name = path.relative_to(PACKAGE).as_posix()
        found = [(what, at) for what, at in suspicious(path) if (name, what) not in ALLOWED]
        assert found == [], f"{name}: call and line"


def test_what_is_looked_for_would_be_found(tmp_path: Path) -> None:
    bad = "import pickle, os\nfrom xml import sax\npickle.loads(b)\nos.system(c)\nf(shell=True)"
    (tmp_path / "bad.py").write_text(f"{bad}\neval(x)\nfrom yaml import load\nload(y)\n")
    found = sorted({what for what, _ in suspicious(tmp_path / "bad.py")})
    assert found == ["eval", "load", "loads", "pickle", "shell", "system", "xml.sax", "yaml"]


def test_asserts_only_narrow_types() -> None:
    """`python -O` leaves them out, so no check of a user's input may be an assert."""
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Assert):
                test = ast.unparse(node.test)
                narrows = test.startswith("isinstance(") or test.endswith(" is not None")
                assert narrows, f"{path}:{node.lineno}: {test}"
                assert node.msg is None, f"{path}:{node.lineno}"


def test_what_is_downloaded_is_verified() -> None:
    """By its SHA-256; over TLS, where there is none, and then the docstring says so."""
    n = 0
    for name in datasets.__all__:
        cls = getattr(datasets, name)
        if inspect.isclass(cls) and issubclass(cls, FileDataset):
            for source in cls()._sources().values():
                n += 1
                if source.sha256 is None:
                    assert all(url.startswith("https://") for url in source.urls)
                    assert "without a checksum" in " ".join((cls.__doc__ or "").split())
                else:
                    assert len(bytes.fromhex(source.sha256)) == 32
                    assert source.urls[0].startswith("https://"), "then come older addresses"
    assert n > 5


def test_without_docstrings_and_with_warnings_as_errors() -> None:
    program = (
        "import river_hier\n"
        "model = river_hier.linear_model.HAROW()\n"
        "model.learn_one({'a': 1.0}, {'b'})\n"
        "print(model.predict_one({'a': 1.0}))\n"
    )
    command = [sys.executable, "-OO", "-Werror", "-c", program]
    found = subprocess.run(command, env=environment(), capture_output=True, text=True)
    assert (found.stdout, found.stderr) == ("{'b': True}\n", "")
