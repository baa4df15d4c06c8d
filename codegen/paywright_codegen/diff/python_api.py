"""Compare two generated packages as Python: what no longer exists, has another type, or is new."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import griffe

from paywright_codegen.diff.changes import Break
from paywright_codegen.diff.claims import Level
from paywright_codegen.directions import Directions
from paywright_codegen.generation.writing import write_files
from paywright_codegen.model.contract import Contract

__all__ = ["breaks"]

_INNER = re.compile(
    r"/(?:validators|contract|aio)/"
)  # no names that merchants write; what is awaited has the same ones


def breaks(
    old: Mapping[str, str], new: Mapping[str, str], package: str, contracts: tuple[Contract, Contract]
) -> tuple[Break, ...]:
    """Return what differs between two packages, given as texts by path."""
    sides = [{path: text for path, text in files.items() if not _INNER.search(path)} for files in (old, new)]
    with TemporaryDirectory() as folder:
        before, after = (
            _loaded(side, Path(folder) / name, package) for side, name in zip(sides, ("old", "new"), strict=True)
        )
        whole = Directions(contracts[0]), Directions(contracts[1])
        read, written = (set.union(*(getattr(one, name) for one in whole)) for name in ("read", "written"))
        found = [
            Break(one.obj.path, _words(one), Level.MAJOR)
            for one in griffe.find_breaking_changes(before, after)
            if _counts(one, written)
        ]
        return tuple(dict.fromkeys((*found, *_types(before, after, read, written), *_new(before, after))))


def _loaded(files: Mapping[str, str], folder: Path, package: str) -> griffe.Object:
    write_files({folder / path: text for path, text in files.items() if path.endswith(".py")})
    made = griffe.load(package, search_paths=[folder], allow_inspection=False, try_relative_path=False)
    assert isinstance(made, griffe.Object)
    return made


def _words(one: griffe.Breakage) -> str:
    parts = [one.kind.value.lower()]
    parameter = getattr(one.old_value, "name", None) or getattr(one.new_value, "name", None)
    if parameter is not None and isinstance(one.old_value or one.new_value, griffe.Parameter):
        parts.append(f"`{parameter}`")
    return " ".join(parts)


def _counts(one: griffe.Breakage, written: set[str]) -> bool:
    """Return whether merchants meet a difference: they make no messages that they only read."""
    owner, _, name = one.obj.path.rpartition(".")
    return name != "__all__" and (name != "__init__" or owner.rpartition(".")[2] in written)


def _members(one: griffe.Object) -> Iterator[tuple[str, griffe.Object]]:
    for name, member in one.members.items():
        if isinstance(member, griffe.Object) and not (name.startswith("_") and name != "__init__"):
            yield member.path, member
            yield from _members(member)


def _types(old: griffe.Object, new: griffe.Object, read: set[str], written: set[str]) -> Iterator[Break]:
    """Yield other types of attributes that are read, and of arguments that are written."""
    after = dict(_members(new))
    for path, one in _members(old):
        other, owner = after.get(path), path.split(".")[-2]
        if isinstance(one, griffe.Attribute) and isinstance(other, griffe.Attribute) and owner in read:
            yield from _type(path, f"{one.annotation}", f"{other.annotation}", True)
        if isinstance(one, griffe.Function) and isinstance(other, griffe.Function):
            for parameter in one.parameters if one.name != "__init__" or owner in written else ():
                if parameter.name in other.parameters:
                    pair = parameter.annotation, other.parameters[parameter.name].annotation
                    yield from _type(f"{path}({parameter.name})", f"{pair[0]}", f"{pair[1]}", False)


def _type(path: str, old: str, new: str, read: bool) -> Iterator[Break]:
    """Yield another type. A reader breaks by more than there was, a writer by less; a value list may grow."""
    before, after = _alternatives(old), _alternatives(new)
    if before != after:
        fits = after <= before if read else before <= after
        words = f"type was changed: {old} -> {new}"
        yield Break(path, words, Level.MINOR if fits else Level.MAJOR)


def _alternatives(annotation: str) -> frozenset[str]:
    literals = re.findall(r"Literal\[([^\]]*)\]", annotation)
    rest = re.sub(r"Literal\[[^\]]*\]", "", annotation)
    return frozenset(
        part.strip()
        for text in (*literals, rest)
        for part in re.split(r"[|,]" if text in literals else r"\|", text)
        if part.strip()
    )


def _new(old: griffe.Object, new: griffe.Object) -> Iterator[Break]:
    """Yield new objects and new arguments that may be left out."""
    before = dict(_members(old))
    for path, one in _members(new):
        known = before.get(path)
        if known is None and path.rpartition(".")[0] in {old.path, *before}:
            yield Break(path, "new", Level.MINOR)
        elif isinstance(one, griffe.Function) and isinstance(known, griffe.Function) and one.name != "__init__":
            for parameter in one.parameters:
                if parameter.name not in known.parameters and not parameter.required:
                    yield Break(path, f"parameter was added as optional `{parameter.name}`", Level.MINOR)
