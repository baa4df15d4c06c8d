"""What the demo says, and how it ends where something is not as it should be."""

from __future__ import annotations

import sys
from typing import NoReturn

__all__ = ["expect", "fail", "step", "title"]


def title(text: str) -> None:
    """Print the title of a part."""
    print(f"\n{text}")


def step(text: str) -> None:
    """Print one step."""
    print(f"  {text}", flush=True)


def expect(holds: bool, what: str) -> None:
    """Fail unless it holds."""
    if not holds:
        fail(f"expected: {what}")


def fail(what: str) -> NoReturn:
    """End the tour with what went wrong."""
    print(f"  NOT AS IT SHOULD BE: {what}", file=sys.stderr)
    sys.exit(1)
