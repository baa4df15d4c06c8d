"""Measure how many changed programs the tests notice: `python -m mutants`, or `make mutants`.

Draws mutants of the hand-written packages by a seed, puts each in a copy of the checkout, and runs the tests of its package
there until one fails. Prints what survived and the score of each package; exit code 1 below the least score.

--count 300       mutants in all, shared out by the size of the packages
--package audit   of one package alone
--seed mutants    what the choice is drawn from
--workers 2       copies that run side by side
--least 95        the least score, in percent, of each package; known equivalent mutants do not count
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory

from mutants.sites import Mutant, drawn

TOP = Path(__file__).resolve().parents[2]
_SLOWEST = 900  # seconds; a mutant that never comes to an end is noticed

# Each package, and the tests that speak for it: those that fail fastest first.
PACKAGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "runtime": (
        "runtime/paywright_runtime",
        ("tests/client", "tests/runtime", "tests/aio", "tests/generated", "tests/receiver", "tests/outcomes"),
    ),
    "receiver": ("receiver/paywright_receiver", ("tests/receiver",)),
    "codegen": ("codegen/paywright_codegen", ("tests/codegen", "tests/generated")),
    "sandbox": ("tools/paywright_tools/sandbox", ("tests/sandbox",)),
    "audit": ("tools/paywright_tools/audit", ("tests/audit",)),
}
_FOLDERS = ("codegen", "generated", "receiver", "runtime", "tools", "tests", "spec", "examples", "docs", "bench")


def main() -> int:
    parser = argparse.ArgumentParser(prog="mutants", description="Measure how many changed programs the tests notice.")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--package", choices=PACKAGES)
    parser.add_argument("--seed", default="mutants")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--least", type=float, default=95.0)
    given = parser.parse_args()
    chosen = [given.package] if given.package else list(PACKAGES)
    mutants = list(_shared_out(chosen, given.count, given.seed))
    known = _known()
    print(f"{len(mutants)} mutants of {', '.join(chosen)}", flush=True)
    started, killed, alive = time.monotonic(), dict.fromkeys(chosen, 0), dict.fromkeys(chosen, 0)
    with TemporaryDirectory(prefix="paywright-mutants-") as folder:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(given.workers):
            copies.put(_copy(Path(folder) / str(number)))

        def judge(job: tuple[str, Mutant]) -> bool:
            copy = copies.get()
            try:
                return _noticed(copy, *job)
            finally:
                copies.put(copy)

        with ThreadPoolExecutor(given.workers) as pool:
            for (package, mutant), noticed in zip(mutants, pool.map(judge, mutants), strict=True):
                if noticed:
                    killed[package] += 1
                    continue
                reason = known.get((_name(mutant), mutant.before, mutant.after))
                alive[package] += reason is None
                print(f"{'survived' if reason is None else f'equivalent ({reason})'}: {_told(mutant)}", flush=True)
    return _report(chosen, killed, alive, given.least, time.monotonic() - started)


def _shared_out(chosen: list[str], count: int, seed: str) -> Iterator[tuple[str, Mutant]]:
    """Mutants of each package, by its size in bytes."""
    modules = {package: sorted((TOP / PACKAGES[package][0]).rglob("*.py")) for package in chosen}
    sizes = {package: sum(path.stat().st_size for path in paths) for package, paths in modules.items()}
    for package, paths in modules.items():
        share = max(1, round(count * sizes[package] / sum(sizes.values())))
        yield from ((package, mutant) for mutant in drawn(paths, share, f"{seed}:{package}"))


def _copy(to: Path) -> Path:
    to.mkdir()
    for name in _FOLDERS:
        shutil.copytree(TOP / name, to / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "Makefile"):
        shutil.copy(TOP / name, to / name)
    return to


def _noticed(copy: Path, package: str, mutant: Mutant) -> bool:
    """True if a test of the package fails with the mutant in place of its module."""
    target = copy / mutant.path.relative_to(TOP)
    target.write_text(mutant.text, encoding="utf-8")
    code = [str(copy / name) for name in ("codegen", "generated", "receiver", "runtime", "tools")]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(code), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-n0"]
    try:
        done = subprocess.run(
            [*command, *PACKAGES[package][1]], cwd=copy, env=env, capture_output=True, timeout=_SLOWEST, check=False
        )
        return done.returncode != 0
    except subprocess.TimeoutExpired:
        return True
    finally:
        shutil.copy(mutant.path, target)


def _known() -> dict[tuple[str, str, str], str]:
    """The mutants that were found to be equivalent, each with its reason."""
    rows = tomllib.loads((Path(__file__).parent / "equivalent.toml").read_text(encoding="utf-8"))
    return {(row["file"], row["before"], row["after"]): row["reason"] for row in rows.get("mutant", [])}


def _name(mutant: Mutant) -> str:
    return mutant.path.relative_to(TOP).as_posix()


def _told(mutant: Mutant) -> str:
    return f"{_name(mutant)}:{mutant.line}\n  - {mutant.before}\n  + {mutant.after}"


def _report(chosen: list[str], killed: dict[str, int], alive: dict[str, int], least: float, seconds: float) -> int:
    poor = False
    for package in chosen:
        judged = killed[package] + alive[package]
        score = 100 * killed[package] / judged if judged else 100.0
        poor = poor or score < least
        print(f"{package:<10} {killed[package]:>4} of {judged:>4} noticed, {score:5.1f} %")
    print(f"{sum(killed.values())} passed, {sum(alive.values())} failed ({seconds:.0f} s)")
    return int(poor)


if __name__ == "__main__":
    sys.exit(main())
