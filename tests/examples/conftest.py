"""Fixtures of the tests of scripts."""

import pytest

from support.paper_scripts import Script


@pytest.fixture
def script(monkeypatch, capsys):
    return Script(monkeypatch, capsys)
