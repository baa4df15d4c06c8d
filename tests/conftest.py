"""What all tests share: the flags of the run, and the counts it prints at its end."""

from __future__ import annotations

import gc
from collections import Counter

import pytest

from tests.support.examples import register_profiles

gc.disable()  # until the tests are collected: nothing of it is garbage
register_profiles()

# The first watches every test for secrets in logs, warnings and errors.
pytest_plugins = ["tests.outcomes.canary_plugin", "tests.support.cpu_time", "tests.support.fixtures"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew instead of comparing")


def pytest_collection_finish() -> None:
    """Leaves what was collected out of each collection of garbage, of which tests ask for many."""
    gc.enable()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Sums what tests noted with `record_property("count: WHAT", number)`, also over several processes."""
    counts: Counter[str] = Counter()
    notes: list[str] = []
    for outcome in ("passed", "failed"):
        for report in terminalreporter.getreports(outcome):
            if report.when == "call":
                for name, value in report.user_properties:
                    if name.startswith("count: "):
                        counts[name.removeprefix("count: ")] += int(str(value))
                    elif name.startswith("note: "):
                        notes.append(f"{name.removeprefix('note: ')}: {value}")
    if counts or notes:
        terminalreporter.section("counts")
        for what, number in sorted(counts.items()):
            terminalreporter.write_line(f"{number:>8,}  {what}")
        for note in notes:
            terminalreporter.write_line(note)
