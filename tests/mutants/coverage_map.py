"""Which test runs which line: recorded once with coverage.py, a file of tests at a time, and kept until the file changes."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.mutants.forks import CODE, run_tests

__all__ = ["FEW", "CoverageMap", "record"]

FEW = 6
"""Files of tests whose names are like a module's."""

_IMPORTED = -1  # in place of a test: while the file of tests was collected


@dataclass
class CoverageMap:
    """The tests of some files: how long each takes, and which lines of which modules it runs.

    Tests that failed while they were recorded are left out: they would fail with any mutant.
    """

    top: Path
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    failed: list[str] = field(default_factory=list[str])
    unrecorded: list[str] = field(default_factory=list[str])
    _files: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def add(self, kept: dict[str, Any]) -> None:
        self._files.append(kept)
        self.seconds.update(kept["seconds"])
        self.failed += kept["failed"]

    def tests_of(self, path: Path, line: int) -> list[str]:
        """The tests that run the statement of a line, those of the fastest files first.

        What ran while a file of tests was collected may concern any of its tests: they come behind. What is run when the
        module is imported, or once and kept, concerns all that run any line of the module: they come last. Where none is
        known to run it, a test may run it in a process of its own: those of the files whose names are most like the module's
        come first, and all tests come where none is known at all. What is in a module that was not there when a file of tests
        was recorded may have come from one that is gone or has changed since: the tests that ran such a one in the same package
        come last too.
        """
        lines, shared = _statement(path, line)
        name = path.relative_to(self.top).as_posix()
        digest = _digest(path)
        direct: set[str] = set()
        behind: set[str] = set()
        others: set[str] = set()
        for kept in self._files:
            module = kept["modules"].get(name)
            names = list(kept["seconds"])
            if module is None:
                others |= {names[test] for test in self._run_before(kept, path) if test != _IMPORTED}
                continue
            for number, tests in module["lines"].items():
                ran = {names[test] for test in tests if test != _IMPORTED}
                others |= ran
                if int(number) in lines or module["digest"] != digest:
                    direct |= ran
                    if _IMPORTED in tests:
                        behind.update(names)
        chosen = self._ordered(direct)
        chosen += self._ordered(behind - direct)
        if shared or not direct:
            chosen += self._ordered(others - direct - behind)
        if not direct:
            likely = self.alike(path, list(dict.fromkeys(map(_file, self.seconds))))[:FEW]
            first = [test for file in likely for test in self.seconds if _file(test) == file]
            chosen = list(dict.fromkeys([*first, *(chosen or self._ordered(set(self.seconds)))]))
        return chosen

    def _run_before(self, kept: dict[str, Any], path: Path) -> set[int]:
        """The tests that ran a module of the same package as this one, which has changed or gone since they were recorded."""
        package = path.relative_to(self.top).parts[:2]
        return {
            test
            for name, module in kept["modules"].items()
            if Path(name).parts[:2] == package and module["digest"] != _digest(self.top / name)
            for tests in module["lines"].values()
            for test in tests
        }

    def alike(self, path: Path, files: list[str]) -> list[str]:
        """Files of tests, those first whose names have the most words of the module's, above all of its own and its folder's."""
        module = path.relative_to(self.top).with_suffix("").as_posix()
        imported = ".".join(module.split("/")[1:])

        def likeness(file: str) -> int:
            text = (self.top / file).read_text(encoding="utf-8")
            own = _words("/".join(module.split("/")[-2:])) & _words(Path(file).name)
            return len(_words(module) & _words(file)) + 2 * len(own) + 2 * (imported in text)

        return sorted(files, key=likeness, reverse=True)

    def _ordered(self, tests: set[str]) -> list[str]:
        known = [test for test in self.seconds if test in tests]
        sums: dict[str, float] = {}
        for test in known:
            sums[_file(test)] = sums.get(_file(test), 0.0) + self.seconds[test]
        return sorted(known, key=lambda test: (sums[_file(test)], _file(test)))


def _words(name: str) -> set[str]:
    return {word.rstrip("s") for word in re.split(r"[/_.]", name)}


def _file(test: str) -> str:
    return test.partition("::")[0]


@cache
def _digest(path: Path) -> str | None:
    """The hash of a file as it was when this was first asked; None if there is none."""
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else None


@cache
def _statement(path: Path, line: int) -> tuple[range, bool]:
    """The lines of the innermost statement (of its head, where it has a body), and whether it is run once for all tests."""
    lines, within, kept = range(line, line + 1), False, False
    shortest: int | None = None
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.stmt):
            continue
        body = getattr(node, "body", None)
        last = node.end_lineno or node.lineno
        head = range(node.lineno, max(node.lineno, body[0].lineno - 1) + 1 if body else last + 1)
        if line in head and (shortest is None or len(head) < shortest):
            lines, shortest = head, len(head)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.body[0].lineno <= line <= last:
            within = True
            kept = kept or any("cache" in ast.unparse(each) for each in node.decorator_list)
    return lines, kept or not within


def record(copy: Path, top: Path, tests: str, into: Path, marked: Sequence[str] = ()) -> int:
    """Run a file of tests, in a fork, with these options of pytest, and write what is to be kept of it."""
    from coverage import Coverage

    coverage = Coverage(data_file=None, config_file=False, source=[str(copy / name) for name in CODE])
    coverage.set_option("run:core", "ctrace")
    noted = _Noted(coverage)
    coverage.start()
    run_tests(copy, top, [tests, *marked], noted)
    coverage.stop()
    data = coverage.get_data()
    number = {test: place for place, test in enumerate(noted.seconds)}
    modules = {
        Path(path)
        .relative_to(copy)
        .as_posix(): {
            "digest": _digest(Path(path)),
            "lines": {
                line: sorted(number.get(test, _IMPORTED) for test in tests if test in number or not test)
                for line, tests in data.contexts_by_lineno(path).items()
            },
        }
        for path in data.measured_files()
    }
    into.write_text(json.dumps({"seconds": noted.seconds, "failed": sorted(noted.failed), "modules": modules}))
    return 0


class _Noted:
    """A plugin of pytest that names the test that runs to coverage.py, and notes what becomes of it."""

    def __init__(self, coverage: Any) -> None:
        self._coverage = coverage
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._coverage.switch_context(item.nodeid)
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)
            self.seconds.pop(report.nodeid, None)
        elif report.nodeid not in self.failed and not report.skipped:
            self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
