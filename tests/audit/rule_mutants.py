"""Changes the rules across exchanges in one place at a time, and says which changes no test notices.

    PYTHONPATH=tests:tests/audit python tests/audit/rule_mutants.py --count 150 --seed 1

Each mutant is a process of its own, in which one module of `paywright_tools.audit.across` is another than the one on disk: first what
it says of drawn histories is compared with the reference, then the tests are run that ask something of the rules. The mutants of a seed are the same ones on every machine. `EQUIVALENT` lists those that change nothing that can be observed, each with why.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from copy import deepcopy
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_loader
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from histories import Trusting, draw, exchange_of
from reference import Found, expected

from paywright_tools.audit.records import Exchange

TOP: Final = Path(__file__).parents[2]
PACKAGE: Final = "paywright_tools.audit.across"
FOLDER: Final = TOP / "tools" / "paywright_tools" / "audit" / "across"
TESTS: Final = ("tables", "across", "accusations", "silences")
SLOW: Final = "not more_files and not before_the_cut"  # which ask nothing of the rules
SECONDS: Final = 300
SAME: Final = 3
_SQL: Final = (
    (" > ", " >= "), (" < ", " <= "), (" >= ", " > "), (" <= ", " < "), (" = ", " <> "), (" AND ", " OR "), ("min(", "max("),
    ("max(", "min("), (" DESC", ""), (" IS NULL", " IS NOT NULL"), (" <> ", " = "),
)  # fmt: skip

EQUIVALENT: Final[dict[str, str]] = {
    '_INTERVAL: Final = CONTRACT.limits()["not-exist-interval"].seconds or 0: without operand 2 of 2': "the limit is in the contract",
    '_SHORT: Final = CONTRACT.limits()["not-exist-interval"].seconds or 0: without operand 2 of 2': "the limit is in the contract",
    '_WINDOW: Final = CONTRACT.limits()["refund-window"].seconds or 0: without operand 2 of 2': "the limit is in the contract",
    "self._absent = [*self._absent[:1], row]: 1 is 2": "only the first and the last are looked at",
    "self._count = 0: 0 is 1": "rows are written one sooner",
    "_BATCH: Final = 2000: 2000 is 2001": "rows are written one later",
    """return f"{column} > '{family}' AND {column} < '{family}{chr(1)}'": 1 is 2""": "what follows a family's name is always \\0",
    "_MOST_AHEAD = 1000: 1000 is 1001": "a bound of memory",
    "while len(ahead) > 1 and (ahead[-1].at > ahead[0].at + slack or len(ahead) > _MOST_AHEAD):: without operand 2 of 2": (
        "a bound of memory"
    ),
    "status = answer.status or 0: 0 is 1": "an answer has a status",
    "status = answer.status or 0: without operand 2 of 2": "an answer has a status",
    "_MOST_OWNERS: Final = 100_000: 100000 is 100001": "a bound of memory",
    "_MOST: Final = 10_000: 10000 is 10001": "a bound of memory",
    "_LONGEST: Final = 128: 128 is 129": "a bound of memory: the longest key of the contract has 64 characters",
}
"""By line and change: why nobody can tell."""


class Mutant(NamedTuple):
    """A module and its changed source; `name` is `module: the line: what was changed`."""

    name: str
    module: str
    source: str


def mutants() -> Iterator[Mutant]:
    """Every one, in the order of the files."""
    for file in sorted(FOLDER.glob("*.py")):
        text = file.read_text(encoding="utf-8")
        tree, lines = ast.parse(text), text.splitlines()
        nodes = [node for node in ast.walk(tree) if _counts(tree, node)]
        for place, node in enumerate(nodes):
            for what, change in _changes(node):
                changed = deepcopy(tree)
                # The copy is walked in the same order.
                target = [one for one in ast.walk(changed) if _counts(changed, one)][place]
                change(target)
                name = f"{file.stem}: {lines[node.lineno - 1].strip()}: {what}"  # type: ignore[attr-defined]
                yield Mutant(name, file.stem, ast.unparse(ast.fix_missing_locations(changed)))


def _counts(tree: ast.AST, node: ast.AST) -> bool:
    return isinstance(
        node, (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Constant, ast.IfExp, ast.Continue)
    ) and not (isinstance(node, ast.Constant) and not _is_rule(node))


def _is_rule(node: ast.Constant) -> bool:
    """Whether a constant decides something: a number, a truth, or a piece of SQL."""
    if isinstance(node.value, str):
        return (
            bool(re.search(r"\b(SELECT|WHERE|GROUP BY|HAVING|PARTITION)\b", node.value)) and "\n" in node.value
        ) or (node.value.startswith(("SELECT", " SELECT", " AND", " WHERE")))
    return isinstance(node.value, (bool, int)) and node.value is not None


def _changes(node: ast.AST):  # type: ignore[no-untyped-def]  # pairs of words and functions
    swaps = {
        ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
        ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.Add: ast.Sub, ast.Sub: ast.Add,
    }  # fmt: skip
    if isinstance(node, ast.Compare):
        for number, operator in enumerate(node.ops):
            other = swaps[type(operator)]
            yield f"{type(operator).__name__} is {other.__name__}", _setter("ops", other, number)
    elif isinstance(node, ast.BoolOp):
        other = ast.Or if isinstance(node.op, ast.And) else ast.And
        yield f"{type(node.op).__name__} is {other.__name__}", _setter("op", other)
        for number in range(len(node.values)):
            yield f"without operand {number + 1} of {len(node.values)}", _without(number)
    elif isinstance(node, ast.BinOp) and type(node.op) in swaps:
        yield f"{type(node.op).__name__} is the other", _setter("op", swaps[type(node.op)])
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "without not", _setter("op", ast.UAdd)
    elif isinstance(node, ast.IfExp):
        yield "the other branch", _swap
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield f"{node.value} is {not node.value}", _value(not node.value)
        elif isinstance(node.value, int):
            yield f"{node.value} is {node.value + 1}", _value(node.value + 1)
        elif isinstance(node.value, str):
            for old, new in _SQL:
                for found in re.finditer(re.escape(old), node.value):
                    text = node.value[: found.start()] + new + node.value[found.end() :]
                    yield f"SQL {old.strip()} at {found.start()} is {new.strip()}", _value(text)


def _setter(field: str, other: type[ast.AST], number: int | None = None):  # type: ignore[no-untyped-def]
    def change(node: ast.AST) -> None:
        if number is None:
            setattr(node, field, other())
        else:
            getattr(node, field)[number] = other()

    return change


def _without(number: int):  # type: ignore[no-untyped-def]
    return lambda node: node.values.pop(number)


def _swap(node: ast.IfExp) -> None:
    node.body, node.orelse = node.orelse, node.body


def _value(value: object):  # type: ignore[no-untyped-def]
    return lambda node: setattr(node, "value", value)


class _Finder:
    """Finds one module with another source."""

    def __init__(self, name: str, source: str) -> None:
        self._name = name
        self._source = source

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name != self._name:
            return None
        loader = _Loader(name, str(FOLDER / f"{name.rpartition('.')[2]}.py"), self._source)
        return spec_from_loader(name, loader, origin=loader.path)


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, source: str) -> None:
        super().__init__(name, path)
        self._source = source

    def get_code(self, fullname: str):  # type: ignore[no-untyped-def, override]
        return compile(self._source, self.path, "exec")


def judge(mutant: Mutant) -> int:
    """In a process of its own: 0 if some test notices."""
    import pytest

    sys.meta_path.insert(0, _Finder(f"{PACKAGE}.{mutant.module}", mutant.source))  # type: ignore[arg-type]
    files = [str(TOP / "tests" / "audit" / f"test_audit_{name}.py") for name in TESTS]
    return (
        0
        if pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-header", "-k", SLOW, *files])
        else 1
    )


class Drawn:
    """Histories with what the reference says of them, made once for all mutants."""

    def __init__(self, count: int, seed: int) -> None:
        random = Random(seed)
        self.exchanges: list[list[Exchange]] = [[], []]
        self.due: set[Found] = set()
        first = 0
        for number in range(count):
            events = draw(random, number, first)
            first = events[-1].id + 1
            self.due |= expected(events)
            for event in events:
                self.exchanges[event.file].append(exchange_of(event))

    def notices(self, mutant: Mutant) -> bool:
        """Whether the mutant says something else of them, in a child of this process, which has loaded no rule yet."""
        child = os.fork()
        if child:
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != SAME
        code = 1
        try:
            signal.alarm(SECONDS)
            sys.meta_path.insert(0, _Finder(f"{PACKAGE}.{mutant.module}", mutant.source))  # type: ignore[arg-type]
            code = SAME if self._said() == self.due else 1
        finally:
            os._exit(code)

    def _said(self) -> set[Found]:
        from paywright_tools.audit.across.ledger import OFFSET_BITS, Ledger
        from paywright_tools.audit.across.run_rules import run_rules
        from paywright_tools.audit.auditor import Auditor
        from paywright_tools.audit.matching import Matcher
        from paywright_tools.audit.partial import Settings

        ledger = Ledger()
        auditor = Auditor(Matcher(), Trusting(), Settings(("one", "two"), kept=0), ledger)
        for file, exchanges in enumerate(self.exchanges):
            auditor.begin(file)
            auditor.take_all(exchanges)
        ledger.settle()
        mask = (1 << OFFSET_BITS) - 1
        return {(row.spot & mask, one.part, one.pointer, one.code) for row, one in run_rules(ledger)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="of modules whose name begins so")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    every = [mutant for mutant in mutants() if mutant.module.startswith(given.only)]
    if given.one is not None:
        return judge(every[given.one])
    few, many = Drawn(250, 11), Drawn(2500, 12)
    chosen = sorted(Random(given.seed).sample(range(len(every)), min(given.count, len(every))))
    chosen = [number for number in chosen if every[number].name.partition(": ")[2] not in EQUIVALENT]
    start, killed = time.monotonic(), 0
    for number in chosen:
        if few.notices(every[number]) or many.notices(every[number]) or not _survives(number, given.only):
            killed += 1
        else:
            print(f"survived: {every[number].name}", flush=True)
    share = killed / max(1, len(chosen))
    print(
        f"{killed} of {len(chosen)} noticed ({share:.1%}), of {len(every)} there are; {time.monotonic() - start:.0f} s"
    )
    return 0 if share >= 0.97 else 1


def _survives(number: int, only: str) -> bool:
    command = [sys.executable, __file__, "--one", str(number), "--only", only]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(command, cwd=TOP, capture_output=True, timeout=SECONDS, env=environment)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode != 0


if __name__ == "__main__":
    sys.exit(main())
