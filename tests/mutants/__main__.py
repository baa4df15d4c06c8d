"""Measure how many changed programs the tests notice: `python -m tests.mutants`, or `make mutants`.

Draws mutants of the hand-written packages by a seed, puts each in a copy of the checkout, and runs there the tests of its package
that run the changed line, until one fails. Prints what survived and the score of each package; exit code 1 below the least score.

Which test runs which line is recorded first, an hour of the tests' own time, and kept in .cache/mutants: a file of tests is
recorded again when it changes.

--count 300       mutants in all, shared out by the size of the packages
--package audit   of one package alone; several times for several
--module resolv*  of its modules with such a name alone; several times for several
--money           of the modules alone that decide whether money moves, or how much
--seed mutants    what the choice is drawn from
--workers 2       copies that run side by side
--least 95        the least score, in percent, of each package; known equivalent mutants do not count. Of money it is 100.
--most 120        seconds of tests for one mutant, by what they took when they were recorded; a survivor that more tests could
                  have met says so
--minutes 40      begin with no other mutant after so long; which ones come first is drawn, over all packages
--resume          leave out what an earlier run has noticed
--quick           record nothing, and run no more than the six files of tests whose names are most like the module's, those
                  that were not recorded whole: a survivor is to be looked at again
"""

from __future__ import annotations

import argparse
import compileall
import json
import math
import shutil
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tests.mutants.coverage_map import FEW, CoverageMap, record
from tests.mutants.forks import Chosen, Fork, preload, run_all, run_tests
from tests.mutants.sites import Mutant, drawn

TOP = Path(__file__).resolve().parents[2]
_KEPT = TOP / ".cache" / "mutants"
_SLOWEST = 900  # seconds of a file of tests that is recorded
_ENDLESS = 60  # seconds above what its tests take, by five: a mutant that never comes to an end is noticed
_NOTHING_RAN = 5  # pytest's exit code

# Each package, and the tests that speak for it. A folder within that of another package is its own package alone.
PACKAGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "runtime": (
        "runtime/paywright_runtime",
        ("tests/runtime", "tests/generated", "tests/receiver", "tests/outcomes"),
    ),
    "receiver": ("receiver/paywright_receiver", ("tests/receiver",)),
    "codegen": ("codegen/paywright_codegen", ("tests/codegen", "tests/generated")),
    "sandbox": ("sandbox/paywright_sandbox", ("tests/sandbox",)),
    "audit": ("audit/paywright_audit", ("tests/audit",)),
    "audit-rules": ("audit/paywright_audit/cross_exchange", ("tests/audit",)),
    "cli": (
        "cli/paywright_cli",
        ("tests/cli", "tests/receiver/followers", "tests/sandbox", "tests/audit", "tests/codegen", "tests/docs"),
    ),
}
# Where the tests that `make test` leaves out count too: those of a PostgreSQL server.
_LONG = "tests/receiver/ledgers/"
_ALL = ("-m", "full or not full")
# The modules that decide whether money moves, or how much: no mutant of theirs may survive.
MONEY = (
    "runtime/paywright_runtime/client/call.py",
    "runtime/paywright_runtime/client/placing.py",
    "runtime/paywright_runtime/contract/request_content.py",
    "runtime/paywright_runtime/following/resolution.py",
    "runtime/paywright_runtime/following/shown_item.py",
    "runtime/paywright_runtime/following/state.py",
    "runtime/paywright_runtime/client/resolver.py",
    "runtime/paywright_runtime/client/retrying.py",
    "runtime/paywright_runtime/contract/guards.py",
    "runtime/paywright_runtime/contract/state_order.py",
    "runtime/paywright_runtime/webhooks/items.py",
    "runtime/paywright_runtime/webhooks/ledger.py",
    "runtime/paywright_runtime/webhooks/result.py",
    "runtime/paywright_runtime/webhooks/results.py",
    "receiver/paywright_receiver/ledgers/claim_rules.py",
    "sandbox/paywright_sandbox/engine/merchant_money.py",
    "sandbox/paywright_sandbox/engine/money.py",
    "sandbox/paywright_sandbox/resources/balances.py",
    "sandbox/paywright_sandbox/resources/orders/remainder.py",
    "sandbox/paywright_sandbox/resources/refunds.py",
    "audit/paywright_audit/cross_exchange/amounts.py",
    "audit/paywright_audit/cross_exchange/duplicate_keys.py",
    "audit/paywright_audit/cross_exchange/refund_totals.py",
    "audit/paywright_audit/cross_exchange/retry_keys.py",
)
_FOLDERS = (
    "audit",
    "cli",
    "codegen",
    "generated",
    "receiver",
    "runtime",
    "sandbox",
    "tests",
    "spec",
    "examples",
    "docs",
    "bench",
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="mutants", description="Measure how many changed programs the tests notice.")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--package", action="append", choices=PACKAGES)
    parser.add_argument("--module", action="append", metavar="PATTERN")
    parser.add_argument("--money", action="store_true")
    parser.add_argument("--seed", default="mutants")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--least", type=float, default=95.0)
    parser.add_argument("--most", type=float, default=120.0)
    parser.add_argument("--minutes", type=float, default=math.inf)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    chosen = given.package or list(PACKAGES)
    mutants = list(_shared_out(chosen, given.module or ["*"], given.money, given.count, given.seed))
    print(f"{len(mutants)} mutants of {', '.join(chosen)}", flush=True)
    preload()
    started = time.monotonic()
    killed, alive, same = Counter[str](), Counter[str](), Counter[str]()
    with TemporaryDirectory(prefix="mutants-") as folder:
        copies = [_copy(Path(folder) / str(number)) for number in range(given.workers)]
        maps = {
            package: _recorded(PACKAGES[package][1], [] if given.quick else copies)
            for package in {package for package, _ in mutants}
        }
        known, earlier = _known(), _noticed_before() if given.resume else set[str]()
        left: list[tuple[str, Mutant]] = []
        for package, mutant in mutants:
            if _key(mutant) in earlier:
                killed.update(_rows(package, mutant))
            elif (reason := known.get((_name(mutant), mutant.before.strip(), mutant.after.strip()))) is not None:
                same.update(_rows(package, mutant))
                print(f"equivalent ({reason}): {_told(mutant)}", flush=True)
            else:
                left.append((package, mutant))

        Random(given.seed).shuffle(left)

        def in_time() -> Iterator[tuple[str, Mutant]]:
            for job in left:
                if time.monotonic() - started > 60 * given.minutes:
                    return
                yield job

        def start(job: tuple[str, Mutant], copy: Path) -> Fork:
            package, mutant = job
            (copy / _name(mutant)).write_text(mutant.text, encoding="utf-8")
            found = maps[package]
            if given.quick:
                tests = found.tests_of(mutant.path, mutant.line)
                files = found.alike(mutant.path, [*_files(tests), *found.unrecorded])[:FEW]
            else:
                tests, _ = _within(found, mutant, given.most)
                files = _files(tests)
            whole = [*found.unrecorded, *(files[:2] if given.quick else [])]
            chosen = Chosen(tests, whole, given.most if given.quick else math.inf)
            return Fork(lambda: run_tests(copy, TOP, ["-x", *_ALL, *files], chosen), copy)

        for (package, mutant), copy, code in run_all(in_time(), start, copies, _ENDLESS + 5 * given.most):
            shutil.copy2(mutant.path, copy / _name(mutant))
            if code in (0, _NOTHING_RAN):
                alive.update(_rows(package, mutant))
                tests, more = _within(maps[package], mutant, given.most)
                partly = "some" if given.quick else f"{len(tests)} of {len(tests) + more}" if more else f"{len(tests)}"
                print(f"survived {partly} tests: {_told(mutant)}", flush=True)
            else:
                killed.update(_rows(package, mutant))
                with (_KEPT / "noticed.txt").open("a") as file:
                    file.write(f"{_key(mutant)}\n")
    return _report([*chosen, "money"], killed, alive, same, given.least, time.monotonic() - started)


def _shared_out(
    chosen: list[str], names: list[str], money: bool, count: int, seed: str
) -> Iterator[tuple[str, Mutant]]:
    """Mutants of each package's modules whose names fit one of these patterns, by their size in bytes."""
    every = {
        package: [
            path
            for path in modules(package)
            if any(path.match(f"{name}.py") for name in names) and (not money or _decides_about_money(path))
        ]
        for package in chosen
    }
    sizes = {package: sum(path.stat().st_size for path in paths) for package, paths in every.items()}
    for package, paths in every.items():
        if not paths:
            continue
        share = max(1, round(count * sizes[package] / sum(sizes.values())))
        yield from ((package, mutant) for mutant in drawn(paths, share, f"{seed}:{package}"))


def modules(package: str) -> list[Path]:
    """The modules of a package but for those of the packages within it."""
    folder = TOP / PACKAGES[package][0]
    others = [
        TOP / other for other, _ in PACKAGES.values() if (TOP / other).is_relative_to(folder) and TOP / other != folder
    ]
    return sorted(path for path in folder.rglob("*.py") if not any(map(path.is_relative_to, others)))


def _decides_about_money(path: Path) -> bool:
    return path.relative_to(TOP).as_posix() in MONEY


def _copy(to: Path) -> Path:
    """A copy of the checkout, compiled: the time of a changed module says that it is to be compiled again."""
    to.mkdir()
    for name in _FOLDERS:
        shutil.copytree(TOP / name, to / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "Makefile"):
        shutil.copy(TOP / name, to / name)
    for name in _FOLDERS:
        compileall.compile_dir(to / name, quiet=2)
    return to


def _recorded(folders: tuple[str, ...], copies: list[Path]) -> CoverageMap:
    """What the tests of these folders run, recorded where it is not yet known."""
    found = CoverageMap(TOP)
    files = sorted(path for folder in folders for path in (TOP / folder).rglob("test_*.py"))
    kept = {path: _KEPT / "coverage" / f"{sha256(path.read_bytes()).hexdigest()}.json" for path in files}
    missing = [path for path in files if not kept[path].exists()] if copies else []
    (_KEPT / "coverage").mkdir(parents=True, exist_ok=True)

    def start(path: Path, copy: Path) -> Fork:
        name = path.relative_to(TOP).as_posix()
        return Fork(lambda: record(copy, TOP, name, kept[path], _ALL if name.startswith(_LONG) else ()), copy)

    for path, _, code in run_all(missing, start, copies, _SLOWEST):
        if code or not kept[path].exists():
            print(f"not recorded, left out: {path.relative_to(TOP)} (exit code {code})", flush=True)
    for path in files:
        if kept[path].exists():
            found.add(json.loads(kept[path].read_bytes()))
        elif not copies:
            found.unrecorded.append(path.relative_to(TOP).as_posix())
    if found.failed:
        print(f"failed without a mutant, left out: {', '.join(found.failed)}", flush=True)
    return found


def _files(tests: list[str]) -> list[str]:
    return list(dict.fromkeys(test.partition("::")[0] for test in tests))


def _within(found: CoverageMap, mutant: Mutant, most: float) -> tuple[list[str], int]:
    """The tests for a mutant that take so many seconds together, at least one; and how many are left out."""
    tests = found.tests_of(mutant.path, mutant.line)
    spent = 0.0
    for number, test in enumerate(tests):
        spent += found.seconds[test]
        if spent > most and number:
            return tests[:number], len(tests) - number
    return tests, 0


def _noticed_before() -> set[str]:
    path = _KEPT / "noticed.txt"
    return set(path.read_text().split()) if path.exists() else set()


def _key(mutant: Mutant) -> str:
    return sha256(f"{_name(mutant)}\n{mutant.text}".encode()).hexdigest()


def _known() -> dict[tuple[str, str, str], str]:
    """The mutants that were found to be equivalent, each with its reason."""
    rows = tomllib.loads((Path(__file__).parent / "equivalent.toml").read_text(encoding="utf-8"))
    return {(row["file"], row["before"], row["after"]): row["reason"] for row in rows.get("mutant", [])}


def _name(mutant: Mutant) -> str:
    return mutant.path.relative_to(TOP).as_posix()


def _told(mutant: Mutant) -> str:
    return f"{_name(mutant)}:{mutant.line}\n  - {mutant.before}\n  + {mutant.after}"


def _rows(package: str, mutant: Mutant) -> list[str]:
    """The lines of the report that a mutant counts in."""
    return [package, *(["money"] if _decides_about_money(mutant.path) else [])]


def _report(
    rows: list[str], killed: Counter[str], alive: Counter[str], same: Counter[str], least: float, seconds: float
) -> int:
    poor = False
    for row in rows:
        judged = killed[row] + alive[row]
        score = 100 * killed[row] / judged if judged else 100.0
        poor = poor or score < (100.0 if row == "money" else least)
        print(f"{row:<11} {killed[row]:>4} of {judged:>4} noticed, {score:5.1f} %; {same[row]} equivalent")
    packages = [row for row in rows if row != "money"]
    print(
        f"{sum(killed[row] for row in packages)} passed, {sum(alive[row] for row in packages)} failed ({seconds:.0f} s)"
    )
    return int(poor)


if __name__ == "__main__":
    sys.exit(main())
