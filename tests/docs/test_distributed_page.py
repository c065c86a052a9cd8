"""docs/distributed.md: a finished model scores files, in one process and in Spark's."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from support.distributed_page import TAXONOMY, files, run, scored
from support.requirements import require_program


def test_a_file_one_process(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    _, expected = files(tmp_path)
    run("One process", tmp_path)
    found = scored(tmp_path / "scored.parquet")
    assert list(found.columns) == list(TAXONOMY.nodes[1:])
    assert found.equals(expected)


@pytest.mark.slow
def test_spark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark", reason="pyspark is missing; it is no extra, at 450 MB")
    require_program("java")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    _, expected = files(tmp_path)
    spark = run("Spark", tmp_path)["spark"]
    try:
        assert scored(tmp_path / "scored_by_spark").equals(expected)
    finally:
        spark.stop()
