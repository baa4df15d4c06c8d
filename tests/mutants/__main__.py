"""Change programs as people would by mistake, and see whether the tests notice: `make mutants`, or `python -m tests.mutants`.

Prints which test noticed each drawn change, and what survived; exit code 1 if fewer were noticed than `--least` percent. All are
built into one copy of the checkout as switches; judge.py says how they are judged there.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import marshal
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

from tests.mutants.changes import Change, changes, switched

TOP: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = ("audit", "cli", "codegen", "examples", "generated", "receiver", "runtime", "sandbox")
GROUPS: Final = {
    "money": "sandbox: engine resources",
    "sandbox": "sandbox: delivery faults control http testing",
    "receiver": "receiver: webhooks",
    "items": "receiver: items following",
    "ledgers": "receiver: ledgers",
    "signing": "runtime: signing",
    "settling": "runtime: settling client",
    "transport": "runtime: transport",
    "contract": "runtime: contract strict_json",
    "audit": "audit: cross_exchange input judging recording report result running settings",
}
SLOW: Final = frozenset({"receiver", "items", "ledgers", "signing", "settling"})
"""The groups whose changes may be left to slow tests."""
TESTS: Final = {
    "runtime": "runtime outcomes generated receiver codegen sandbox world cli",
    "receiver": "receiver codegen world sandbox cli",
    "sandbox": "sandbox world cli",
    "audit": "audit world cli",
}
"""The folders of tests that speak for each package."""

STAGES: Final = {
    "near": ("not slow and not full", 1, range(2, 99)),
    "fast": ("not slow and not full", 1, range(2)),
    "slow": ("slow and not full", 6, range(99)),
}
"""For what is left of the changes: which tests, times the budget, and how near their files are."""


def drawn(top: Path, group: str, seed: str, count: int) -> list[Change]:
    """So many different changes: first a kind is drawn, then a place, as there are far more comparisons than guards."""
    package, names = GROUPS[group].split(": ")
    kinds, random = dict[str, list[Change]](), Random(f"{seed}:{group}")
    for name in names.split():
        for path in sorted((top / package / f"paywright_{package}" / name).rglob("*.py")):
            for change in changes(path.relative_to(top).as_posix(), path.read_text(encoding="utf-8"))[1]:
                kinds.setdefault(change.kind, []).append(change)
    found = list[Change]()
    while kinds and len(found) < count:
        kind = random.choice(list(kinds))
        found.append(kinds[kind].pop(random.randrange(len(kinds[kind]))))
        kinds = {kind: rest for kind, rest in kinds.items() if rest}
    return found


def build(copy: Path, numbered: dict[int, Change]) -> None:
    """Compile the changes into the modules of a copy: the sources, which tests read and tracebacks show, stay as they are."""
    shutil.copy(Path(__file__).with_name("switch.py"), copy / "runtime" / "mutant_switch.py")
    for path in {change.path for change in numbered.values()}:
        tree, found = changes(path, (copy / path).read_text(encoding="utf-8"))
        named = {change.name: change for change in found}
        here = {number: named[change.name] for number, change in numbered.items() if change.path == path}
        cached = Path(importlib.util.cache_from_source(str(copy / path)))
        cached.parent.mkdir(exist_ok=True)
        never_compared = importlib.util.MAGIC_NUMBER + b"\1\0\0\0" + bytes(8)
        cached.write_bytes(never_compared + marshal.dumps(switched(tree, here, str(copy / path))))


def files_of(top: Path, path: str) -> dict[str, int]:
    """The files of tests that may speak for a module, and how near they are: words in common, and an import."""
    module = path.removesuffix(".py").replace("/", ".").partition(".")[2]
    package, _, name = module.rpartition(".")
    imports = re.compile(rf"\b({module}\b|{package} import .*\b{name}\b)")
    words = re.compile("[a-z0-9]+")
    own = set(words.findall(path.removesuffix(".py")))
    return {
        file.relative_to(top).as_posix(): len(own & set(words.findall(str(file.relative_to(top)))))
        + (imports.search(file.read_text(encoding="utf-8")) is not None)
        for folder in TESTS[path.partition("/")[0]].split()
        for file in sorted((top / "tests" / folder).rglob("test_*.py"))
    }


def judged(copy: Path, plan: dict[str, Any]) -> Iterator[tuple[int, str, int]]:
    """What judge.py says: which change, what noticed it, how many tests asked for it."""
    file = copy.parent / "plan.json"
    file.write_text(json.dumps(plan))
    path = os.pathsep.join(str(copy / name) for name in (".", *PACKAGES))
    command = [sys.executable, str(Path(__file__).with_name("judge.py")), str(file)]
    environment = {**os.environ, "PYTHONPATH": path, "TMPDIR": str(copy.parent)}
    with subprocess.Popen(command, cwd=copy, env=environment, stdout=subprocess.PIPE, text=True) as judge:
        yield from map(json.loads, judge.stdout or ())
    if judge.returncode not in (0, 1, 5):  # passed, a file that cannot be read, no tests
        raise SystemExit("Nothing was judged: the copy's tests cannot be run; see above.")


def main() -> int:
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=200, help="changes in all")
    parser.add_argument("--group", action="append", choices=GROUPS, help="of one group alone; may be repeated")
    parser.add_argument("--seed", default="mutants", help="what the choice is drawn from")
    parser.add_argument("--only", action="append", metavar="NAME", help="this very change, named as a run prints it")
    parser.add_argument("--list", action="store_true", help="print what is drawn, and judge nothing")
    parser.add_argument("--least", type=float, default=90, help="the least share to be noticed, in percent")
    parser.add_argument("--stage", action="append", choices=STAGES, help="with these tests alone; may be repeated")
    parser.add_argument("--budget", type=float, default=10, help="CPU seconds of tests for each change")
    parser.add_argument("--sample", type=int, default=3, help="parameters of each test that show what it runs")
    parser.add_argument("--workers", type=int, default=2, help="processes that run side by side")
    given = parser.parse_args()
    groups = given.group or list(GROUPS)
    share = 10**9 if given.only else -(-given.count // len(groups))
    chosen = [(group, change) for group in groups for change in drawn(TOP, group, given.seed, share)]
    chosen = [(group, change) for group, change in chosen if not given.only or change.name in given.only]
    if given.list:
        print(*(f"{change.name} ({group})\n{change.shown}" for group, change in chosen), sep="\n")
        return 0
    counts, tests = Counter[str](), Counter[int]()
    with TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as folder:
        copy, todo = Path(folder, "copy"), dict(enumerate(chosen))
        shutil.copytree(TOP, copy, ignore=shutil.ignore_patterns("__pycache__", ".*", "dist", "*.egg-info"))
        build(copy, {number: change for number, (_, change) in todo.items()})
        near = {change.path: files_of(copy, change.path) for _, change in chosen}
        for stage in given.stage or STAGES:
            marked, times, which = STAGES[stage]
            plans: dict[int, Any] = {
                number: {"early": change.early, "files": {at: n for at, n in near[change.path].items() if n in which}}
                for number, (group, change) in todo.items()
                if stage != "slow" or group in SLOW
            }
            plan = {**vars(given), "marked": marked, "budget": times * given.budget, "changes": plans}
            plan["files"] = sorted({file for one in plans.values() for file in one["files"]})
            for number, noticed, asking in judged(copy, plan) if plan["files"] else ():
                tests[number] += asking
                if noticed:
                    group, change = todo.pop(number)
                    counts[stage] += 1
                    print(
                        f"noticed ({stage}): {noticed}\n  {change.name} ({group})", change.shown, sep="\n", flush=True
                    )
    for number, (group, change) in todo.items():
        print(f"SURVIVED: {tests[number]} tests run it\n  {change.name} ({group})", change.shown, sep="\n")
    share = 100 * counts.total() / max(1, len(chosen))
    print(f"{share:.1f} % of {len(chosen)} noticed: {', '.join(f'{count} {stage}' for stage, count in counts.items())}")
    return int(share < given.least)


if __name__ == "__main__":
    sys.exit(main())
