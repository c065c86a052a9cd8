"""Fixtures of the tests of scripts."""

from __future__ import annotations

import pytest

from support.paper_scripts import Script


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Script:
    return Script(monkeypatch, capsys)
