"""What people get wrong and Cosmic Ray has no operator for: something left out, two things swapped, a change within SQL."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

from cosmic_ray.operators.operator import Example, Operator

__all__ = ["CORE", "OWN"]

CORE: Final = re.compile(
    r"AddNot|ReplaceAndWithOr|ReplaceOrWithAnd|ReplaceTrueWithFalse|ReplaceFalseWithTrue|ReplaceBreakWithContinue"
    r"|ReplaceComparisonOperator_(Lt_LtE|LtE_Lt|Gt_GtE|GtE_Gt|Lt_Gt|Gt_Lt|Eq_NotEq|NotEq_Eq)"
    r"|ReplaceBinaryOperator_(Add_Sub|Sub_Add)"
)
"""Those of Cosmic Ray's operators that change what a person may mistype."""

_Position = tuple[tuple[int, int], tuple[int, int]]
_LEAVES: Final = ("raise_stmt", "return_stmt")
_NAMES: Final = {"min": "max", "max": "min", "any": "all", "all": "any"}
_SQL_WORDS: Final = re.compile(r"\b(SELECT|UPDATE|DELETE|AND|OVER)\b")
_SWAPS: Final = {
    " > ": " >= ", " < ": " <= ", " >= ": " > ", " <= ": " < ", " = ": " <> ", " <> ": " = ", " AND ": " OR ", " OR ": " AND ",
    "min(": "max(", "max(": "min(", " DESC": "", " IS NULL": " IS NOT NULL", " IS NOT NULL": " IS NULL", " NOT ": " ",
}  # fmt: skip
_SWAPPED: Final = re.compile(
    f"(?:{'|'.join(re.escape(old) for old in sorted(_SWAPS, key=len, reverse=True))})(?!IGNORE)"  # of INSERT OR IGNORE
)


class _AtNodes(Operator):
    """An operator that changes a whole node, or does not."""

    def mutation_positions(self, node: Any) -> Iterator[_Position]:
        if self.fits(node):
            yield node.start_pos, node.end_pos

    def fits(self, node: Any) -> bool:
        raise NotImplementedError


def _passes(node: Any) -> Any:
    """The node with `pass` in place of its code: its first leaf keeps what stands before it."""
    first = node.get_first_leaf()
    prefix = first.prefix
    rest = "\n" if node.type == "if_stmt" else ""
    first.value, first.prefix = f"pass{rest}", prefix
    leaf = first
    while leaf is not node.get_last_leaf():
        leaf = leaf.get_next_leaf()
        leaf.value = leaf.prefix = ""
    return node


class DropStatement(_AtNodes):
    """Leave out a call, an assignment or a `del` of a function."""

    def fits(self, node: Any) -> bool:
        return (
            node.parent is not None
            and node.parent.type == "simple_stmt"
            and node.type in ("expr_stmt", "atom_expr", "await_expr", "del_stmt", "atom", "power")
            and node.search_ancestor("funcdef") is not None
            and not (
                node.type == "expr_stmt"
                and node.children[1].type == "annassign"
                and len(node.children[1].children) == 2
            )
        )

    def mutate(self, node: Any, index: int) -> Any:
        return _passes(node)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        return (Example("def f():\n    a()\n    b = 1\n", "def f():\n    pass\n    b = 1\n"),)


class DropGuard(_AtNodes):
    """Leave out an `if` that does nothing but leave."""

    def fits(self, node: Any) -> bool:
        if node.type != "if_stmt" or len(node.children) != 4:
            return False
        suite = node.children[3]
        first = suite.children[1] if suite.type == "suite" else suite
        left = first.children[0] if first.type == "simple_stmt" else first
        alone = suite.type != "suite" or len(suite.children) == 2
        return alone and (left.type in _LEAVES or left.get_code().strip() in ("continue", "break", "return", "raise"))

    def mutate(self, node: Any, index: int) -> Any:
        return _passes(node)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        return (Example("if a:\n    raise B\nc()\n", "pass\nc()\n"),)


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


class SwapArguments(Operator):
    """Swap two positional arguments that stand side by side."""

    def mutation_positions(self, node: Any) -> Iterator[_Position]:
        for left, right in _neighbours(node):
            yield left.start_pos, right.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        left, right = _neighbours(node)[index]
        one, other = node.children.index(left), node.children.index(right)
        prefixes = left.get_first_leaf().prefix, right.get_first_leaf().prefix
        right.get_first_leaf().prefix, left.get_first_leaf().prefix = prefixes
        node.children[one], node.children[other] = right, left
        return node

    @classmethod
    def examples(cls) -> Sequence[Example]:
        return (Example("f(a, b)", "f(b, a)"), Example("f(a, b, c)", "f(a, c, b)", occurrence=1))


def _neighbours(node: Any) -> list[tuple[Any, Any]]:
    if node.type != "arglist" or node.parent.type != "trailer":
        return []
    plain = [child for child in node.children if child.type != "operator"]
    return [
        (left, right)
        for left, right in pairwise(plain)
        if "argument" not in (left.type, right.type) and left.get_code().strip() != right.get_code().strip()
    ]


class SwapName(_AtNodes):
    """`min` for `max`, `any` for `all`, and the other way round."""

    def fits(self, node: Any) -> bool:
        following = node.get_next_leaf() if node.type == "name" and node.value in _NAMES else None
        return following is not None and following.value == "("

    def mutate(self, node: Any, index: int) -> Any:
        node.value = _NAMES[node.value]
        return node

    @classmethod
    def examples(cls) -> Sequence[Example]:
        return (Example("min(a, b)", "max(a, b)"),)


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


OWN: Final[dict[str, type[Operator]]] = {
    kind.__name__: kind for kind in (DropStatement, DropGuard, DropOperand, SwapArguments, SwapName, ChangeSql)
}
"""By the names that mutants are listed under."""
