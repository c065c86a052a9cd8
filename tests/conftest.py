"""Fast runs and whole ones.

`pytest` leaves the tests marked `slow` out and tries few of hypothesis's examples; `pytest --slow`
runs everything. A run of the whole suite uses all processors, one of named files does not: starting
workers takes longer than most files.
"""

import gc
import os
from collections import Counter
from typing import Any

import pytest
from hypothesis import is_hypothesis_test, settings

from support.hypothesis_settings import register_profiles

# No tests, and no doctests: `--doctest-modules` would import them all.
collect_ignore = ["bench", "oracles", "support"]

# Where CI is set in the environment, the same code meets the same examples: a change is judged by
# what it does.
register_profiles(derandomize="CI" in os.environ)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run all tests, with all examples")
    parser.addoption(
        "--only-slow", action="store_true", help="run what a plain run leaves out: see --slow"
    )


def pytest_configure(config: pytest.Config) -> None:
    # Matrices are small here, and workers share the processors; numpy reads it when it is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    settings.load_profile("usual" if config.option.slow or config.option.only_slow else "few")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """`-n auto`: no workers for named files and folders, xdist's number for the whole suite."""
    return 0 if config.args_source is pytest.Config.ArgsSource.ARGS else None


def pytest_collection(session: pytest.Session) -> None:
    gc.disable()  # what is imported and collected stays to the end


def pytest_collection_finish(session: pytest.Session) -> None:
    gc.freeze()
    gc.enable()


LEFT_OUT = pytest.StashKey[int]()


def slow_ones(items: list[pytest.Item]) -> set[str]:
    """The ids of the slow tests; `@pytest.mark.slow(but=3)` excepts 3 cases, evenly spread."""
    cases: dict[str, list[str]] = {}
    for item in items:
        cases.setdefault(item.nodeid.split("[")[0], []).append(item.nodeid)
    slow = set()
    for item in items:
        if mark := item.get_closest_marker("slow"):
            mine = cases[item.nodeid.split("[")[0]]
            steps = max(mark.kwargs.get("but", 0) - 1, 1)
            spread = {mine[k * (len(mine) - 1) // steps] for k in range(mark.kwargs.get("but", 0))}
            slow |= {item.nodeid} - spread
    return slow


def has_more_examples(item: pytest.Item) -> bool:
    """Whether hypothesis tries more examples in a slow run."""
    return is_hypothesis_test(getattr(item, "obj", None))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave slow tests out unless they are asked for: by an option, a mark or their names."""
    if config.option.only_slow:
        kept = [v for v in items if v.get_closest_marker("slow") or has_more_examples(v)]
    elif config.option.slow or config.option.markexpr or any("::" in arg for arg in config.args):
        return
    else:
        slow = slow_ones(items)
        kept = [item for item in items if item.nodeid not in slow]
        config.stash[LEFT_OUT] = len(slow)
        if hasattr(config, "workeroutput"):  # every worker of xdist collects all tests
            config.workeroutput["left_out"] = len(slow)
    config.hook.pytest_deselected(items=list(set(items) - set(kept)))
    items[:] = kept


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    if "left_out" in (output := getattr(node, "workeroutput", {})):
        node.config.stash[LEFT_OUT] = output["left_out"]


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """What has not run, and why."""
    if left_out := config.stash.get(LEFT_OUT, 0):
        line = f"{left_out} slow tests left out, and most of hypothesis's examples: pytest --slow"
        terminalreporter.write_line(line)
    skipped = {report.nodeid: report for report in terminalreporter.stats.get("skipped", [])}
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped.values())
    if reasons:
        found = "; ".join(f"{reason} ({n})" for reason, n in reasons.most_common())
        terminalreporter.write_line(f"{len(skipped)} skipped: {found}")
