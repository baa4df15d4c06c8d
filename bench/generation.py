"""Generating: everything against black alone on the same text; one file changed and nothing changed as a user waits for them.

The ratio to black is taken in one process, whose imports are done. The seconds are those of `paywright contract generate`
from its start to its end, in a copy of the contract.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from bench.figures import Figure
from paywright_cli.commands.contract.generated_package import project
from paywright_codegen.generation import Project, _black, generate, render
from paywright_codegen.reader.loader import load

TOP = Path(__file__).resolve().parents[1]
_COMMAND = "import sys; from paywright_cli.main import main; sys.exit(main(sys.argv[1:]))"
_PROSE = "# unique per refund"


def _timed(call: Callable[[], object]) -> float:
    start = perf_counter()
    call()
    return perf_counter() - start


def in_process(*, quick: bool = False) -> dict[str, list[float]]:
    """Seconds, per round, of black on all unformatted modules, and of reading, rendering, formatting and writing them."""
    found: dict[str, list[float]] = {"black": [], "everything": []}
    texts = [text for path, text in render(project(TOP), load(TOP / "spec")).items() if path.endswith(".py")]
    for _ in range(2 if quick else 7):
        with TemporaryDirectory() as folder:
            chosen = replace(project(TOP), out=Path(folder) / "out", cache=Path(folder) / "cache")
            found["black"].append(_timed(lambda: [_black(text) for text in texts]))
            found["everything"].append(_timed(lambda chosen=chosen: _everything(chosen)))  # type: ignore[misc]  # called at once
    return found


def _everything(chosen: Project) -> None:
    outcome = generate(chosen, load(chosen.spec))
    assert len(outcome.written) == outcome.total


def as_command(*, quick: bool = False) -> dict[str, list[float]]:
    """Seconds, per round, of the command: from nothing, with the prose of one field changed, and with nothing changed."""
    found: dict[str, list[float]] = {"everything": [], "one file": [], "nothing": []}
    with TemporaryDirectory() as folder:
        environment = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = str(Path(folder) / "bytecode")
        for number in range(-1, 2 if quick else 7):
            top = Path(folder) / f"round{number}"
            shutil.copytree(TOP / "spec", top / "spec")
            (top / "generated").mkdir()
            spent = {"everything": _timed(lambda top=top: _run(top, environment))}  # type: ignore[misc]  # called at once
            prose = top / "spec" / "refunds.yaml"
            text = prose.read_text(encoding="utf-8")
            assert text.count(_PROSE) == 1
            prose.write_text(text.replace(_PROSE, "# of its own for every refund"), encoding="utf-8")
            spent["one file"] = _timed(lambda top=top: _run(top, environment))  # type: ignore[misc]  # called at once
            spent["nothing"] = _timed(lambda top=top: _run(top, environment))  # type: ignore[misc]  # called at once
            for name, seconds in spent.items() if number >= 0 else ():
                found[name].append(seconds)
    return found


def _run(top: Path, environment: Mapping[str, str]) -> None:
    command = [sys.executable, "-c", _COMMAND, "contract", "--dir", str(top), "generate"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        raise RuntimeError((done.stderr.strip().splitlines() or ["contract generate failed"])[-1])


def figures(*, quick: bool = False) -> list[Figure]:
    """Return the lines of the table. What a user waits for is compared with the longest wait that is good: 1 s and 0.3 s."""
    inside, outside = in_process(quick=quick), as_command(quick=quick)
    whole = median(mine / black for mine, black in zip(inside["everything"], inside["black"], strict=True))
    return [
        Figure("generating everything", "black alone on the same text", whole, 1.3),
        Figure("the command, one file changed", "one second", median(outside["one file"]), 1.0),
        Figure("the command, nothing changed", "0.3 seconds", median(outside["nothing"]) / 0.3, 1.0),
    ]
