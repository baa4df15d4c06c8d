"""Blocks and spans of code and rows of tables, in Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

_LONGEST_PATTERN = 60


def fenced(text: str, language: str) -> Iterator[str]:
    """Lines of a code block."""
    yield f"```{language}"
    yield from text.rstrip("\n").split("\n")
    yield "```"


def code(text: str) -> str:
    """Text as code within a line."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def row(*cells: str) -> str:
    """Row of a table."""
    return f"| {' | '.join(cell.replace('|', chr(92) + '|').replace(chr(10), ' ') for cell in cells)} |"


def table(columns: Sequence[str], rows: Iterable[str]) -> Iterator[str]:
    """Lines of a table, with its head."""
    yield from (row(*columns), row(*("---" for _ in columns)), *rows)


def compact_json(value: object) -> str:
    """JSON on one line, with `...` in place of long patterns."""

    def shorter(one: object) -> object:
        if isinstance(one, dict):
            return {
                key: "..." if key == "pattern" and len(str(each)) > _LONGEST_PATTERN else shorter(each)
                for key, each in one.items()
            }
        return [shorter(each) for each in one] if isinstance(one, list) else one

    return json.dumps(shorter(value), ensure_ascii=False)
