"""Mutations that Cosmic Ray has none of: an operand left out of a condition, and a comparison within SQL."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from cosmic_ray.operators.operator import Example, Operator

__all__ = ["OPERATORS"]

_Position = tuple[tuple[int, int], tuple[int, int]]
_SQL_WORDS: Final = re.compile(r"\b(SELECT|UPDATE|DELETE|AND|OVER)\b")
_SWAPS: Final = {
    " > ": " >= ", " < ": " <= ", " >= ": " > ", " <= ": " < ", " = ": " <> ", " <> ": " = ", " AND ": " OR ", " OR ": " AND ",
    "min(": "max(", "max(": "min(", " DESC": "", " IS NULL": " IS NOT NULL", " IS NOT NULL": " IS NULL", " NOT ": " ",
}  # fmt: skip
_SWAPPED: Final = re.compile(
    f"(?:{'|'.join(re.escape(old) for old in sorted(_SWAPS, key=len, reverse=True))})(?!IGNORE)"  # of INSERT OR IGNORE
)


class DropOperand(Operator):
    """Leave one operand out of `and` or `or`."""

    def mutation_positions(self, node: Any) -> Iterator[_Position]:
        if node.type in ("and_test", "or_test"):
            for operand in node.children[::2]:
                yield operand.start_pos, operand.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        prefix = node.get_first_leaf().prefix
        del node.children[max(0, 2 * index - 1) : max(0, 2 * index - 1) + 2]
        node.get_first_leaf().prefix = prefix
        return node

    @classmethod
    def examples(cls) -> Sequence[Example]:
        return (Example("a = b and c", "a = c"), Example("a = b and c", "a = b", occurrence=1))


class ChangeSql(Operator):
    """Change one comparison, conjunction or aggregate of a string that holds SQL."""

    def mutation_positions(self, node: Any) -> Iterator[_Position]:
        for match in _swaps(node):
            line, column = node.start_pos
            before = node.value[: match.start()]
            if "\n" in before:
                line, column = line + before.count("\n"), -before.rfind("\n") - 1
            column += match.start()
            yield (line, column), (line, column + len(match[0]))

    def mutate(self, node: Any, index: int) -> Any:
        match = _swaps(node)[index]
        node.value = node.value[: match.start()] + _SWAPS[match[0]] + node.value[match.end() :]
        return node

    @classmethod
    def examples(cls) -> Sequence[Example]:
        text = 'a = "SELECT b WHERE c > d"'
        return (Example(text, text.replace(">", ">=")),)


def _swaps(node: Any) -> list[re.Match[str]]:
    if node.type not in ("string", "fstring_string"):
        return []
    whole = node
    while whole.parent is not None and whole.parent.type in ("fstring", "strings"):
        whole = whole.parent
    return list(_SWAPPED.finditer(node.value)) if _SQL_WORDS.search(whole.get_code()) else []


OPERATORS: Final[dict[str, type[Operator]]] = {"own/DropOperand": DropOperand, "own/ChangeSql": ChangeSql}
"""By the names that mutants are listed under."""
