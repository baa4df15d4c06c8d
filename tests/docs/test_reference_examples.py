"""The programs of the reference: each runs in a fresh interpreter with the required packages alone, and prints what its page says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs.building.programs import HANDLERS, PROGRAMS, SEEN, program
from docs.building.running import run_examples
from paywright_sandbox.resources import RESOURCES
from tests.support.contract import TOP, contract
from tests.support.packages import PACKAGES

_BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What only an extra brings: a program that imports it fails.
_EXTRAS = ("anyio", "black", "httptools", "jinja2", "jsonschema", "markdown_it", "msgspec", "pyarrow", "rich", "segno", "starlette", "uvicorn", "yaml", "zstandard")  # fmt: skip


def page(operation: str) -> str:
    folder = "operations" if operation in PROGRAMS else "notifications"
    return (TOP / "docs" / "reference" / folder / f"{operation}.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("operation", [*PROGRAMS, *HANDLERS, *SEEN])
def test_a_pages_program_prints_what_the_page_says(operation: str, tmp_path: Path) -> None:
    blocks = dict(_BLOCK.findall(page(operation)))
    script = tmp_path / "example.py"
    script.write_text(
        f"import sys\nsys.modules.update(dict.fromkeys({_EXTRAS!r}))\n{blocks['python']}", encoding="utf-8"
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PAYWRIGHT_", "PYTHON"))}
    done = subprocess.run(
        [sys.executable, script],
        env={**kept, "PYTHONPATH": PACKAGES},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == blocks["text"]


def test_every_operation_that_the_sandbox_implements_has_a_program() -> None:
    implemented = {name for resource in RESOURCES for name in resource.handlers}
    assert implemented <= PROGRAMS.keys(), implemented - PROGRAMS.keys()
    assert contract().seen.keys() <= SEEN.keys()


def test_a_program_prints_the_same_again() -> None:
    first, second = (run_examples(["refunds.create", "notifications.receive"]) for _ in range(2))
    assert first == second
    assert first["refunds.create"].python == program("refunds.create").rstrip("\n")
    assert '"refundAmount": 4.25' in first["refunds.create"].request
