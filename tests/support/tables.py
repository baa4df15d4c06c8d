"""Long tables of plain data: YAML files beside the tests that read them."""

from __future__ import annotations

from typing import Any

import yaml

from tests.support.packages import TOP

__all__ = ["table"]


def table(name: str) -> Any:
    """What a file below `tests` says."""
    with (TOP / "tests" / name).open(encoding="utf-8") as file:
        return yaml.load(file, getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506  # both are safe
