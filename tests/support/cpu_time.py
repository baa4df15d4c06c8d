"""A pytest plugin that lists what is slow and not marked so: CPU time, child processes included, shared fixtures left out."""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import Any, Final

import pytest

LISTED: Final = 2.0
"""Seconds of CPU from which a run names a test that is not marked: far above the third of a second of the marker, as machines differ."""
_KEY: Final = "cpu seconds"
_BEGAN: Final = pytest.StashKey[float]()
_shared = pytest.StashKey[float]()


def _used() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    stash = request.config.stash
    began, before = _used(), stash.get(_shared, 0.0)
    try:
        return (yield)
    finally:
        if fixturedef.scope != "function":
            stash[_shared] = before + _used() - began  # not added to what the fixtures have set that this one asked for


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    item.config.stash[_shared] = 0.0
    item.stash[_BEGAN] = _used()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    marked = any(item.iter_markers("slow")) or any(item.iter_markers("full"))
    if report.when == "call" and not marked:
        report.user_properties.append((_KEY, round(_used() - item.stash[_BEGAN] - item.config.stash[_shared], 3)))
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    seconds = [
        (float(str(value)), report.nodeid)
        for report in terminalreporter.getreports("passed")
        for name, value in report.user_properties
        if name == _KEY
    ]
    if listed := sorted(((used, name) for used, name in seconds if used > LISTED), reverse=True):
        terminalreporter.section(f"more than {LISTED} s of CPU and not marked slow")
        for used, name in listed:
            terminalreporter.write_line(f"{used:6.1f} s  {name}")
