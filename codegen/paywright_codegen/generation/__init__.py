"""From a folder of YAML to a folder of Python: read, lint, render, format, and write only what changed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from tempfile import NamedTemporaryFile

from paywright_codegen.model import Contract
from paywright_codegen.problems import ContractProblems, Problem

__all__ = ["Outcome", "Project", "check", "generate"]

LINE_LENGTH = 120


@dataclass(frozen=True, slots=True)
class Project:
    """What is generated from what: the contract's folder, where the package goes, its name, and what it exports by hand.

    `cache` is a folder for remembered formatting, which may be deleted at any time; None for none. `patterns` are the
    texts of the runtime's format checks, for JSON Schema.
    """

    spec: Path
    out: Path
    package: str
    public: Mapping[str, str]
    patterns: Mapping[str, str]
    cache: Path | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """Which files were written and removed, relative to the output folder, and how many there are in all."""

    written: tuple[str, ...]
    removed: tuple[str, ...]
    total: int


def render(project: Project, contract: Contract) -> dict[str, str]:
    """Every file of the package by its path, unformatted."""
    from paywright_codegen.documents import render_documents
    from paywright_codegen.rendering import render_python

    _refuse_shadows(project, contract)
    files = {one.path: one.text for one in render_python(contract, project.package, project.public)}
    files.update(render_documents(contract, project.package, project.patterns))
    return dict(sorted(files.items()))


def _refuse_shadows(project: Project, contract: Contract) -> None:
    """What the package exports by hand would hide a type of the same name, or be hidden by it."""
    types = [(each.name, each.place) for each in contract.structs.values()]
    types += [(each.name, each.place) for each in contract.sets.values()]
    problems = [
        Problem(place, f"`{name}` is also what {project.public[name]} gives to users", "rename the type")
        for name, place in types
        if name in project.public
    ]
    if problems:
        raise ContractProblems(problems)


def _formatted(files: Mapping[str, str], cache: Path | None) -> dict[str, str]:
    """The files as black leaves them. A file whose unformatted text is remembered is not formatted again."""
    out: dict[str, str] = {}
    for path, text in files.items():
        if not path.endswith(".py"):
            out[path] = text
            continue
        known = _remembered(cache, text)
        if known is None:
            known = _black(text)
            _remember(cache, text, known)
        out[path] = known
    return out


def _black(text: str) -> str:
    import black
    import black.mode

    mode = black.Mode(target_versions={black.mode.TargetVersion.PY311}, line_length=LINE_LENGTH)
    return black.format_str(text, mode=mode)


def _key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _remembered(cache: Path | None, text: str) -> str | None:
    if cache is None:
        return None
    try:
        return (cache / _key(text)).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _remember(cache: Path | None, text: str, formatted: str) -> None:
    if cache is not None:
        cache.mkdir(parents=True, exist_ok=True)
        _write(cache / _key(text), formatted)


def _write(path: Path, text: str) -> None:
    """Write a file so that a reader sees the old text or the new one, never half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile("w", encoding="utf-8", newline="\n", dir=path.parent, delete=False, suffix=".part") as part:
        part.write(text)
    os.chmod(part.name, 0o644)
    os.replace(part.name, path)


def _existing(project: Project) -> dict[str, Path]:
    root = project.out / project.package.replace(".", "/")
    return {
        path.relative_to(project.out).as_posix(): path
        for path in sorted(root.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def generate(project: Project, contract: Contract) -> Outcome:
    """Bring the package up to date. Nothing is touched before everything is rendered and formatted."""
    files = _formatted(render(project, contract), project.cache)
    existing = _existing(project)
    written = []
    for path, text in files.items():
        target = project.out / path
        if path not in existing or target.read_bytes() != text.encode():
            _write(target, text)
            written.append(path)
    removed = [path for path in existing if path not in files]
    for path in removed:
        (project.out / path).unlink()
    return Outcome(tuple(written), tuple(removed), len(files))


def check(project: Project, contract: Contract) -> str:
    """The unified diff between what stands there and what the contract says; empty if they agree. The cache is not trusted."""
    files = _formatted(render(project, contract), None)
    existing = _existing(project)
    diff: list[str] = []
    for path in sorted({*files, *existing}):
        # As bytes, so that other ends of lines count, and are seen.
        old = existing[path].read_bytes().decode(errors="replace").replace("\r", "\\r") if path in existing else ""
        new = files.get(path, "")
        diff += unified_diff(old.splitlines(True), new.splitlines(True), f"{path} (committed)", f"{path} (contract)")
    return "".join(line if line.endswith("\n") else line + "\n" for line in diff)
