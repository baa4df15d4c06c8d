"""Where a module can be mutated, and the mutants that differ from it: Cosmic Ray's operators and ours, applied in memory."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import cosmic_ray.plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator

from tests.mutants.operators import OPERATORS

__all__ = ["Mutant", "Site", "drawn", "sites"]

_FAMILY = re.compile(r"^[^/]+/([A-Za-z]+)")
# Operators that are exchanged among each other: any other exchange ends in a TypeError, which every test notices.
_ALIKE = (
    frozenset({"Eq", "NotEq", "Lt", "LtE", "Gt", "GtE"}), frozenset({"Is", "IsNot"}), frozenset({"In", "NotIn"}),
    frozenset({"Add", "Sub", "Mul", "FloorDiv", "Div"}), frozenset({"BitAnd", "BitOr", "BitXor"}),
)  # fmt: skip


@dataclass(frozen=True)
class Site:
    """One place of a module that operators of one family can change; `choices` are operators and their occurrences."""

    path: Path
    line: int
    column: int
    family: str
    choices: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Mutant:
    """A module with one change. `before` and `after` are the changed lines, stripped."""

    path: Path
    line: int
    operator: str
    text: str
    before: str
    after: str


def sites(path: Path) -> list[Site]:
    """All sites of a module, in order: a site counts once, however many operators fit it."""
    tree = get_ast(path.read_text(encoding="utf-8"))
    found: dict[tuple[int, int, str], list[tuple[str, int]]] = {}
    nodes = list(ast_nodes(tree))
    for name in sorted((*cosmic_ray.plugins.operator_names(), *OPERATORS)):
        match = _FAMILY.match(name)
        family = match[1] if match else name
        kind = _operator(name)
        if kind.arguments() or not _alike(name):
            continue
        operator = kind()
        starts = (start for node in nodes for start, _ in operator.mutation_positions(node))
        for occurrence, (line, column) in enumerate(starts):
            found.setdefault((line, column, family), []).append((name, occurrence))
    return [Site(path, *where, tuple(choices)) for where, choices in sorted(found.items())]


def _operator(name: str) -> type[Operator]:
    return OPERATORS.get(name) or cosmic_ray.plugins.get_operator(name)


def _alike(name: str) -> bool:
    """Whether an operator that exchanges one for another stays among those that are alike; True for all other kinds."""
    match = re.search(r"Replace(?:Binary|Comparison)Operator_([A-Za-z]+)_([A-Za-z]+)$", name)
    return match is None or any(set(match.groups()) <= group for group in _ALIKE)


def drawn(paths: list[Path], count: int, seed: str) -> Iterator[Mutant]:
    """So many mutants of these modules, drawn by the seed; fewer where there are not as many."""
    random = Random(seed)
    every = [site for path in paths for site in sites(path)]
    random.shuffle(every)
    for site in every:
        if count == 0:
            return
        mutant = _mutant(site, random)
        if mutant is not None:
            count -= 1
            yield mutant


def _mutant(site: Site, random: Random) -> Mutant | None:
    """A mutant of the site that compiles and says something else, or None."""
    text = site.path.read_text(encoding="utf-8")
    plain = _meaning(text)
    choices = list(site.choices)
    random.shuffle(choices)
    for name, occurrence in choices:
        changed = mutate_code(text, _operator(name)(), occurrence)
        if changed is None:
            continue
        try:
            meaning = _meaning(changed)
        except SyntaxError:
            continue
        if meaning != plain:
            before, after = _difference(text, changed)
            return Mutant(site.path, site.line, name, changed, before, after)
    return None


def _meaning(text: str) -> str:
    """The module without what is never run: annotations, docstrings, blocks under TYPE_CHECKING, functions of `...` alone."""
    return ast.dump(_Bare().visit(ast.parse(text)))


class _Bare(ast.NodeTransformer):
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if isinstance(node.body[-1], ast.Expr) and ast.unparse(node.body[-1]) == "...":  # of an overload or a protocol
            return ast.Pass()
        node.returns = None
        return self.generic_visit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = ast.Constant(None)
        return self.generic_visit(node)

    def visit_If(self, node: ast.If) -> ast.AST:
        # The opposite as well: what is imported for types alone does nothing when it is imported.
        if any(isinstance(name, ast.Name) and name.id == "TYPE_CHECKING" for name in ast.walk(node.test)):
            return ast.Pass()
        return self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        return ast.Pass() if isinstance(node.value, ast.Constant) else self.generic_visit(node)


def _difference(old: str, new: str) -> tuple[str, str]:
    """The lines that differ, as one line each."""
    before, after = old.splitlines(), new.splitlines()
    first = next(i for i, (one, other) in enumerate(zip(before, after, strict=False)) if one != other)
    back = 0
    while back < min(len(before), len(after)) - first - 1 and before[-1 - back] == after[-1 - back]:
        back += 1

    def part(lines: list[str]) -> str:
        return " ".join(line.strip() for line in lines[first : len(lines) - back])

    return part(before), part(after)
