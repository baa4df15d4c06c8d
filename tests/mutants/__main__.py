"""Change programs as people would by mistake, and see whether the tests notice: `make mutants`, or `python -m tests.mutants`.

Draws changes of the modules that mutants.toml lists, with Cosmic Ray's operators and those of operators.py. Each is put into a
copy of the checkout, where the tests of its group run until one fails: those that import the module, those that mirror it, the
other fast ones, the slow ones.
Prints what survived and which tests noticed the rest; exit code 1 if fewer were noticed than `--least` percent.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

import cosmic_ray.plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator

from tests.mutants.operators import CORE, OWN

TOP: Final = Path(__file__).resolve().parents[2]
GROUPS: Final = tomllib.loads((Path(__file__).parent / "mutants.toml").read_text(encoding="utf-8"))
_KEPT: Final = shutil.ignore_patterns("__pycache__", ".*", "dist", "*.egg-info")
_PACKAGES: Final = ("audit", "cli", "codegen", "examples", "generated", "receiver", "runtime", "sandbox")
_FAST: Final = "not slow and not full"
_STAGES: Final = (
    ("near", "near", _FAST),
    ("mirror", "mirror", _FAST),
    ("fast", "others", _FAST),
    ("slow", "all", "slow"),
)
_NOTHING_RAN: Final = 5  # pytest's exit status


@dataclass(frozen=True)
class Mutant:
    """A module with one change. `before` and `after` are the changed lines."""

    group: str
    path: Path
    line: int
    operator: str
    text: str

    def __str__(self) -> str:
        old, new = self.path.read_text(encoding="utf-8").splitlines(), self.text.splitlines()
        first = next(i for i, (one, other) in enumerate(zip(old, new, strict=False)) if one != other)
        rest = next((i for i, (a, b) in enumerate(zip(old[::-1], new[::-1], strict=False)) if a != b), 0)
        before, after = (" ".join(map(str.strip, lines[first : len(lines) - rest])) for lines in (old, new))
        return f"{self.path.relative_to(TOP)}:{first + 1} {self.operator}\n  - {before}\n  + {after}"


def _operators() -> dict[str, type[Operator]]:
    core = {name.partition("/")[2]: name for name in cosmic_ray.plugins.operator_names()}
    return {
        **OWN,
        **{name: cosmic_ray.plugins.get_operator(full) for name, full in core.items() if CORE.fullmatch(name)},
    }


def drawn(group: str, count: int, seed: str, paths: list[Path] | None = None) -> Iterator[Mutant]:
    """So many different programs of a group's modules, drawn by the seed; fewer where there are not as many."""
    modules = paths or [path for at in GROUPS[group]["modules"] for path in sorted((TOP / at).rglob("*.py"))]
    random, operators = Random(f"{seed}:{group}"), _operators()
    places = [
        (path, name, number, start[0])
        for path in modules
        for nodes in [list(ast_nodes(get_ast(path.read_text(encoding="utf-8"))))]
        for name, kind in operators.items()
        for number, (start, _) in enumerate(at for node in nodes for at in kind().mutation_positions(node))
    ]
    # First an operator, then a place: there are far more comparisons than dropped guards.
    by_kind = {
        name: random.sample(found, len(found)) for name in operators if (found := [p for p in places if p[1] == name])
    }
    while by_kind and count:
        name = random.choice(sorted(by_kind))
        path, _, number, line = by_kind[name].pop()
        if not by_kind[name]:
            del by_kind[name]
        text = path.read_text(encoding="utf-8")
        changed = mutate_code(text, operators[name](), number)
        if changed is not None and _meaning(changed) not in (None, _meaning(text)):
            count -= 1
            yield Mutant(group, path, line, name, changed)


def _meaning(text: str) -> str | None:
    """The program without annotations and docstrings; None if it is none."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
    return ast.dump(tree)


def noticed(mutant: Mutant, copy: Path, seconds: float) -> str | None:
    """The stage whose tests failed, or None. What runs longer than `seconds` hangs, and is noticed too."""
    changed = copy / mutant.path.relative_to(TOP)
    changed.write_text(mutant.text, encoding="utf-8")
    tests = GROUPS[mutant.group]
    folders = {"mirror": tests["mirror"], "others": tests["others"], "all": [*tests["mirror"], *tests["others"]]}
    folders["near"] = _near(mutant)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(str(copy / name) for name in (".", *_PACKAGES))}
    try:
        for stage, which, marked in _STAGES:
            if not folders[which]:
                continue
            command = ["-m", "pytest", "-x", "-q", "-n0", "--hypothesis-profile", "few", "-m", marked, *folders[which]]
            if stage == "fast":
                command += [f"--ignore={folder}" for folder in tests["mirror"]]
            try:
                done = subprocess.run(
                    [sys.executable, *command], cwd=copy, env=environment, capture_output=True, timeout=seconds
                )
            except subprocess.TimeoutExpired:
                return stage
            if done.returncode not in (0, _NOTHING_RAN):
                return stage
        return None
    finally:
        shutil.copy(mutant.path, changed)


def _near(mutant: Mutant) -> list[str]:
    """The files of tests that import the module."""
    package, _, name = ".".join(mutant.path.relative_to(TOP).with_suffix("").parts[1:]).rpartition(".")
    imports = re.compile(rf"from {re.escape(package)}(\.{name} import|\b import .*\b{name}\b)")
    files = sorted((TOP / "tests").rglob("test_*.py"))
    return [str(path.relative_to(TOP)) for path in files if imports.search(path.read_text(encoding="utf-8"))]


def main() -> int:
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=200, help="mutants in all")
    parser.add_argument("--group", action="append", choices=GROUPS, help="of one group alone; may be repeated")
    parser.add_argument("--seed", default="mutants", help="what the choice is drawn from")
    parser.add_argument("--workers", type=int, default=2, help="copies that run side by side")
    parser.add_argument("--least", type=float, default=92.5, help="the least share to be noticed, in percent")
    parser.add_argument("--minutes", type=float, default=600, help="begin no other mutant after so long")
    given = parser.parse_args()
    groups = given.group or list(GROUPS)
    share = -(-given.count // len(groups))
    mutants = [mutant for group in groups for mutant in drawn(group, share, given.seed)]
    Random(given.seed).shuffle(mutants)
    began, stages = time.monotonic(), Counter[str | None]()
    with TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(given.workers) as pool:
        copies = SimpleQueue[Path]()
        for number in range(given.workers):
            shutil.copytree(TOP, Path(folder, str(number)), ignore=_KEPT)
            copies.put(Path(folder, str(number)))

        def judge(mutant: Mutant) -> None:
            if time.monotonic() - began > 60 * given.minutes:
                return
            copy = copies.get()
            try:
                stage = noticed(mutant, copy, 900)
            finally:
                copies.put(copy)
            stages[stage] += 1
            print(f"{f'noticed by {stage}' if stage else 'SURVIVED'}: {mutant}", flush=True)

        list(pool.map(judge, mutants))
    found, judged = stages.total() - stages[None], stages.total()
    each = ", ".join(f"{stages[stage]} by {stage}" for stage, _, _ in _STAGES)
    print(f"{found} of {judged} noticed ({each}), {100 * found / max(1, judged):.1f} %")
    return int(100 * found < given.least * judged or not judged)


if __name__ == "__main__":
    sys.exit(main())
