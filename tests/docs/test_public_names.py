"""Every public name is in README's list of contents and in the changelog."""

from __future__ import annotations

import re
from collections.abc import Iterator

from support.paths import ROOT, TESTS
from support.public_api import public

NAMES = [name for name, _ in public() if not name.startswith("_")]


def test_names_are_in_the_contents_of_the_readme() -> None:
    """A list of packages, each with its names; an entry may have several lines."""
    contents = (ROOT / "README.md").read_text("utf-8").partition("\n## Contents\n")[2]
    entries = re.findall(r"^\* (`.+?`) – (.+(?:\n  .+)*)", contents.partition("\n## ")[0], re.M)
    packages = {first.strip("`"): text for first, text in entries}
    top = " ".join(first + text for first, text in entries)
    missing = []
    for name in NAMES:
        package, _, rest = name.partition(".")
        quoted = re.findall(r"`([\w.]+)`", packages.get(package, "") if rest else top)
        if not {name, rest or name} & {*quoted}:
            missing.append(name)
    assert not missing, f"README.md: add under Contents, in the entry of the package: {missing}"

    for package, text in packages.items():
        for name in re.findall(r"`([\w.]+)`", text):
            there = f"{package}.{name}" in NAMES or name in NAMES
            assert there, f"README.md: the entry of {package} has {name}, which is not public"


def test_losses_and_metrics_are_in_tests() -> None:
    files = [*TESTS.glob("losses/*.py"), *TESTS.glob("metrics/*.py")]
    files.append(TESTS / "linear_model" / "test_hminover.py")  # rankings
    words = set(re.findall(r"\w+", "".join(file.read_text("utf-8") for file in files)))
    for package in ("losses", "metrics"):
        names = {name for name in NAMES if name.startswith(f"{package}.")}
        missing = names - {f"{package}.{word}" for word in words}
        assert not missing, f"tests/{package}: compare with an oracle: {missing}"


def changelog_names() -> Iterator[str]:
    """The names between backquotes; one without a package belongs to the package before it."""
    for entry in re.split(r"^- ", (ROOT / "CHANGELOG.md").read_text("utf-8"), flags=re.M):
        package = ""
        for name in re.findall(r"`([\w.]+)`", entry):
            yield name
            if name in NAMES:
                package = name.rpartition(".")[0]
            yield f"{package}.{name}"


def test_names_are_in_the_changelog() -> None:
    missing = sorted(set(NAMES) - set(changelog_names()))
    assert not missing, (
        "CHANGELOG.md: name what is new, between backquotes, as `package.name`; the names that "
        f"follow in the same entry need no package: {missing}"
    )
