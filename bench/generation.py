"""What generating costs: 477 operations beside 48, and a run after nothing or one line of another gateway's contract has changed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from shutil import copytree
from statistics import median
from tempfile import TemporaryDirectory

from bench.figures import Figure, cpu
from paywright_cli.commands.contract_package import another_project
from paywright_codegen.generation.generator import render
from paywright_codegen.lint.linter import lint
from paywright_codegen.reader.loader import load
from tests.support.large_contract import contract_of


def without_black(folder: Path) -> None:
    """Read, lint and render a contract."""
    contract = load(folder)
    assert not lint(contract), lint(contract)[:3]
    render(another_project(folder, folder.parent / "out", "acmepay"), contract)


def _command(folder: Path) -> float:
    """Return the seconds of CPU of `paywright contract generate`."""
    before = sum(getrusage(RUSAGE_CHILDREN)[:2])
    given = ["--spec", str(folder / "spec"), "--out", str(folder / "out"), "--package", "acmepay"]
    subprocess.run(
        [sys.executable, "-m", "paywright_cli", "contract", "generate", *given],
        env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache")},
        stdout=subprocess.DEVNULL,
        check=True,
        timeout=300,
    )
    return sum(getrusage(RUSAGE_CHILDREN)[:2]) - before


def figures(*, quick: bool = False) -> list[Figure]:
    """Return the lines of the table."""
    with TemporaryDirectory(prefix="paywright-bench-") as made:
        folder = Path(made)
        small, large = contract_of(folder / "small", 16), contract_of(folder / "large", 32 if quick else 159)
        without_black(small)
        grown = []
        for _ in range(1 if quick else 3):
            few = cpu(lambda: without_black(small))
            grown.append(cpu(lambda: without_black(large)) / few)
        file = copytree(Path(__file__).parents[1] / "spec", folder / "spec") / "refunds.yaml"
        first, nothing, line = _command(folder), [], []
        for length in (63, 62) if quick else range(59, 64):
            nothing.append(_command(folder))
            file.write_text(re.sub(r"string max \d+", f"string max {length}", file.read_text(), count=1))
            line.append(_command(folder))
    return [
        Figure(f"{96 if quick else 477} operations, without formatting", "48", median(grown), None if quick else 11.0),
        Figure("again, where nothing changed", "a second of CPU", median(nothing), 0.3, f"at first {first:.1f} s"),
        Figure("again, where a line changed", "a second of CPU", median(line), 1.5),
    ]
