"""Commands in this process."""

from __future__ import annotations

from paywright_cli.main import main

__all__ = ["sandbox"]


def sandbox(arguments: list[str]) -> int:
    """Run `paywright sandbox`."""
    return main(["sandbox", *arguments])
