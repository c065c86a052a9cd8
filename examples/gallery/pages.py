"""Markdown: a page for each script, and the index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pictures import SMALL
from record import Picture, Record
from script import Script

INTRODUCTION = """\
# Gallery

Each page is generated from a script: its text, its code, its output and its plots. The scripts run
offline in a few seconds, on synthetic data or on datasets that are included in River. The pages
about real data show recorded runs.
"""


def page(script: Script, record: Record) -> str:
    """The script as a page: its text and code, and after each cell its output and plots."""
    parts = [f"# {script.title}", script.prose]
    for cell, output in zip(script.cells, record.outputs, strict=True):
        parts += [cell.prose, _fenced("python", cell.code)]
        if output.printed.strip():
            parts.append(_fenced('text title="Output"', output.printed.strip("\n")))
        parts += [_shown(picture) for picture in output.pictures]
    parts.append("---")
    file = script.path.name
    of = "" if script.recorded is None else ", recorded with data that are not in the package"
    parts.append(f"{record.seconds:.1f} seconds of computing time{of}. Script: [{file}]({file})")
    return "\n\n".join(parts) + "\n"


def index(themes: Mapping[str, Sequence[tuple[Script, Record]]]) -> str:
    """All scripts by theme, each with a small version of its last plot."""
    parts = [INTRODUCTION.strip()]
    for theme, examples in themes.items():
        parts += [f"## {theme}", '<div class="grid cards" markdown>']
        parts += [_card(script, record) for script, record in examples]
        parts.append("</div>")
    return "\n\n".join(parts) + "\n"


def side_bar(themes: Mapping[str, Sequence[Script]]) -> str:
    """The titles of all scripts by theme, instead of the names of their files."""
    lines = ["* [Gallery](index.md)"]
    for theme, scripts in themes.items():
        lines += [f"* {theme}", *(f"    * [{s.title}]({s.name}/index.md)" for s in scripts)]
    return "\n".join(lines) + "\n"


def _card(script: Script, record: Record) -> str:
    link = f"{script.name}/index.md"
    lines = [f"**[{script.title}]({link})**", "", f"{script.teaser} ({record.seconds:.1f} s)"]
    for picture in record.pictures[-1:]:
        small = picture._replace(name=f"{script.name}/{picture.name}-small", width=SMALL[0] // 2)
        lines = [f"[{_shown(small)}]({link})", "", *lines]
    return "-   " + "\n".join(f"    {line}" if line else "" for line in lines).lstrip()


def _shown(picture: Picture) -> str:
    """Both versions; the site shows the one that matches its colour scheme."""
    alt = picture.alt.replace("[", r"\[").replace("]", r"\]")
    versions = (f"{picture.name}.png#only-light", f"{picture.name}-dark.png#only-dark")
    return " ".join(f"![{alt}]({path}){{ width={picture.width} }}" for path in versions)


def _fenced(language: str, text: str) -> str:
    """A block of code, with a fence that does not occur in it."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"
