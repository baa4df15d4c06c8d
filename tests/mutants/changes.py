"""What people get wrong in a module, each as another syntax tree; and a module that holds several of them, as switches."""

from __future__ import annotations

import ast
import copy
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from types import CodeType
from typing import Any, Final

_OPERATORS: Final[dict[type, Any]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Add: ast.Sub, ast.Sub: ast.Add,
    ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
_NAMES: Final = {"min": "max", "max": "min", "any": "all", "all": "any"}
_SQL: Final = {
    " > ": " >= ", " < ": " <= ", " >= ": " > ", " <= ": " < ", " = ": " <> ", " <> ": " = ", " AND ": " OR ", " OR ": " AND ",
    "min(": "max(", "max(": "min(", " DESC": "", " IS NULL": " IS NOT NULL", " IS NOT NULL": " IS NULL", " NOT ": " ",
}  # fmt: skip
_SQL_TEXT: Final = re.compile(r"\b(SELECT|UPDATE|DELETE|INSERT|WHERE|OVER)\b")
_SQL_WORD: Final = re.compile("|".join(re.escape(word) for word in sorted(_SQL, key=len, reverse=True)))
_ORDERED: Final = re.compile("(is(instance|subclass)|(get|set|has)attr|min|max)")  # swapped: the same, or a crash
_SAYS: Final = re.compile("_*(log|logger|warnings)_*", re.IGNORECASE).fullmatch
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True)
class Change:
    """A node and what stands there instead; None leaves a statement out. `early` is what the import of the module does."""

    path: str
    kind: str
    name: str
    node: Any
    instead: Any
    early: bool
    around: tuple[bytes, bytes, bytes]

    @property
    def shown(self) -> str:
        """The old line and the new one, cut to what is near the difference."""
        before, all_, after = (part.decode() for part in self.around)
        lines = all_, f"{before}{ast.unparse(self.instead or ast.Pass())}{after}".strip()
        start, end = _same(*lines) - 60, _same(*(line[::-1] for line in lines)) - 60
        return "\n".join(
            f"  {sign} {line[max(0, start) : len(line) - max(0, end)]}" for sign, line in zip("-+", lines, strict=True)
        )


def changes(path: str, source: str) -> tuple[ast.Module, list[Change]]:
    """A module and all that can be drawn in it."""
    tree, lines, found, count = ast.parse(source), source.encode().splitlines(), list[Change](), Counter[str]()
    within = {
        one: node
        for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)
        for part in (node.body if isinstance(node.body, list) else [node.body]) for one in ast.walk(part)
    }  # fmt: skip
    left_out = {one for node in ast.walk(tree) for part in _left_out(node) for one in ast.walk(part)}
    for node in ast.walk(tree):
        for kind, at, instead in _mistakes(node, within.get(node)) if node not in left_out else ():
            name = f"{path}:{at.lineno}:{kind}"
            count[name] += 1
            old = lines[at.lineno - 1 : at.end_lineno]
            around = old[0][: at.col_offset], b" ".join(map(bytes.strip, old)), old[-1][at.end_col_offset :]
            found.append(Change(path, kind, f"{name}:{count[name]}", at, instead, node not in within, around))
    return tree, found


def _same(one: str, other: str) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)


def _left_out(node: Any) -> Iterator[ast.AST]:
    """Types, decorators, what no switch can stand in, and texts: of errors and of logs."""
    for field in ("annotation", "returns", "pattern", "decorator_list", "bases"):
        part = getattr(node, field, None) or ()
        yield from part if isinstance(part, list) else [part] if isinstance(part, ast.AST) else ()
    match node:
        case ast.FunctionDef(name="__repr__") | ast.If(ast.Name("TYPE_CHECKING")):
            yield node
        case ast.Assign([ast.Name("__slots__" | "__all__")]) | ast.Call(ast.Name("cast" | "TypeVar" | "NewType")):
            yield node
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(name)))) if _SAYS(name):
            yield node
        case ast.Raise(ast.Call(args=args)):
            yield from (one for one in args if isinstance(one, ast.JoinedStr))
        case ast.JoinedStr(parts):
            yield from (one for one in parts if isinstance(one, ast.Constant))


def _mistakes(node: Any, function: Any) -> Iterator[tuple[str, Any, Any]]:
    match node:
        case ast.Expr(ast.Call() | ast.Await(ast.Call())) | ast.AugAssign() | ast.Delete() if function:
            yield "statement", node, None
        case ast.Assign([ast.Attribute() | ast.Subscript()]) if function and function.name != "__init__":
            yield "statement", node, None
        case ast.Assign([ast.Name(name)]) if function and any(
            getattr(one, "id", getattr(one, "arg", None)) == name and one.lineno < node.lineno
            for one in ast.walk(function)
        ):
            yield "statement", node, None
        case ast.If(test) | ast.While(test) | ast.IfExp(test) | ast.comprehension(ifs=[test]):
            yield "flip", test, ast.UnaryOp(ast.Not(), test)
        case ast.BoolOp(op, values):
            yield "and-or", node, ast.BoolOp(_OPERATORS[type(op)](), values)
            for left in values:
                rest = [one for one in values if one is not left]
                yield "operand", node, ast.BoolOp(op, rest) if rest[1:] else rest[0]
        case ast.Compare(left, [op], right):
            yield "comparison", node, ast.Compare(left, [_OPERATORS[type(op)]()], right)
        case ast.BinOp(left, ast.Add() | ast.Sub() as op, right) if not _is_text(left) and not _is_text(right):
            yield "sum", node, ast.BinOp(left, _OPERATORS[type(op)](), right)
        case ast.Constant(bool(value)):
            yield "constant", node, ast.Constant(not value)
        case ast.Constant(int(value)) if value < 1000:
            yield "constant", node, ast.Constant(value + 1)
        case ast.Constant(str(value)) if _SQL_TEXT.search(value):
            yield from (("sql", node, ast.Constant(text)) for text in _other_sql(value))
        case ast.JoinedStr(parts) if _SQL_TEXT.search(ast.unparse(node)):
            for at, part in enumerate(parts):
                for text in _other_sql(part.value) if isinstance(part, ast.Constant) else ():
                    yield "sql", node, ast.JoinedStr([*parts[:at], ast.Constant(text), *parts[at + 1 :]])
        case ast.Call(ast.Name(name), args, named) if name in _NAMES:
            yield "name", node, ast.Call(ast.Name(_NAMES[name], ast.Load()), args, named)
    match node:
        case ast.If(test, [ast.Raise() | ast.Return() | ast.Continue() | ast.Break()], []):
            yield "guard", test, ast.Constant(False)
        case ast.comprehension(ifs=[test]):
            yield "guard", test, ast.Constant(True)
        case ast.Subscript(slice=ast.Constant(0) as index):
            yield "constant", index, ast.Constant(-1)
        case ast.Call(func, args, named) if not _ORDERED.fullmatch(getattr(func, "id", "")):
            for at, (one, other) in enumerate(pairwise(args)):
                if type(one) is type(other) is not ast.Starred and ast.dump(one) != ast.dump(other):
                    yield "swap", node, ast.Call(func, [*args[:at], other, one, *args[at + 2 :]], named)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))


def _other_sql(text: str) -> Iterator[str]:
    for word in _SQL_WORD.finditer(text):
        yield text[: word.start()] + _SQL[word[0]] + text[word.end() :]


class _Switches(ast.NodeTransformer):
    def __init__(self, numbered: dict[int, Change]) -> None:
        self.at: dict[ast.AST, list[tuple[int, Any]]] = {}
        for number, change in numbered.items():  # copied before any node is changed
            self.at.setdefault(change.node, []).append((number, copy.deepcopy(change.instead)))

    def visit(self, node: Any) -> Any:
        self.generic_visit(node)
        for number, instead in self.at.get(node, ()):
            asked = ast.Call(ast.Name("_mutant_", ast.Load()), [ast.Constant(number)], [])
            new = ast.If(asked, [ast.Pass()], [node]) if instead is None else ast.IfExp(asked, instead, node)
            node = ast.copy_location(new, node)
        return node


def switched(tree: ast.Module, numbered: dict[int, Change], file: str) -> CodeType:
    """The module with changes, each done while `mutant_switch.on` says so of its number."""
    tree = _Switches(numbered).visit(tree)
    after = max((at + 1 for at, one in enumerate(tree.body) if getattr(one, "module", "") == "__future__"), default=0)
    tree.body.insert(after, ast.ImportFrom("mutant_switch", [ast.alias("on", "_mutant_")], 0))
    return compile(ast.fix_missing_locations(tree), file, "exec")
