"""The programs of the reference: each runs in a fresh interpreter with the required packages alone, and prints what its page says."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.building.programs import HANDLERS, PROGRAMS, SEEN, program
from docs.building.running import run_examples
from paywright_sandbox.resources import RESOURCES
from tests.docs.pages import Page, environment, python
from tests.support.contract import contract

# What only an extra brings: a program that imports it fails.
_EXTRAS = ("anyio", "black", "httptools", "jinja2", "jsonschema", "markdown_it", "msgspec", "pyarrow", "segno", "starlette", "uvicorn", "yaml", "zstandard")  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("operation", [*PROGRAMS, *HANDLERS, *SEEN])
def test_a_pages_program_prints_what_the_page_says(operation: str, tmp_path: Path) -> None:
    page = Page(f"reference/{'operations' if operation in PROGRAMS else 'notifications'}/{operation}")
    script = f"import sys\nsys.modules.update(dict.fromkeys({_EXTRAS!r}))\n{page.block('python')}"
    (tmp_path / "example.py").write_text(script, encoding="utf-8")
    assert python(tmp_path, "example.py", env=environment()) == page.block("text")


def test_every_operation_that_the_sandbox_implements_has_a_program() -> None:
    implemented = {name for resource in RESOURCES for name in resource.handlers}
    assert implemented <= PROGRAMS.keys(), implemented - PROGRAMS.keys()
    assert contract().seen.keys() <= SEEN.keys()


def test_a_program_prints_the_same_again() -> None:
    first, second = (run_examples(["refunds.create", "notifications.receive"]) for _ in range(2))
    assert first == second
    assert first["refunds.create"].python == program("refunds.create").rstrip("\n")
    assert '"refundAmount": 4.25' in first["refunds.create"].request
