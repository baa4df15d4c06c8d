"""Generate the package: read, lint, render, format, and write only what changed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import unified_diff
from importlib.metadata import version
from pathlib import Path
from tempfile import NamedTemporaryFile

from paywright_codegen.generation.manifest import MANIFEST, manifest_of, refuse_foreign, united
from paywright_codegen.model.cited import Place
from paywright_codegen.model.contract import Contract
from paywright_codegen.problems import ContractProblems, Problem

__all__ = ["Outcome", "Project", "check", "generate"]

LINE_LENGTH = 120


@dataclass(frozen=True, slots=True)
class Project:
    """The settings of a generation: the contract's folder, the output, the package's name, and what it exports by hand.

    `cache` is a folder for formatted files, which may be deleted at any time, or None. `patterns` are the regular
    expressions of the runtime's format checks, for JSON Schema. `client_arguments` are docstring lines for the
    arguments of the clients. With `manifest` the package names what was written, and nothing else in its folder is touched.
    """

    spec: Path
    out: Path
    package: str
    public: Mapping[str, str]
    patterns: Mapping[str, str]
    cache: Path | None = None
    client_arguments: tuple[str, ...] = ()
    manifest: bool = False

    @property
    def root(self) -> Path:
        """The folder of the package."""
        return self.out.joinpath(*self.package.split("."))


@dataclass(frozen=True, slots=True)
class Outcome:
    """The files that were written and removed, relative to the output folder, and the number of all files."""

    written: tuple[str, ...]
    removed: tuple[str, ...]
    total: int


def render(project: Project, contract: Contract) -> dict[str, str]:
    """Return every file of the package by its path, unformatted."""
    from paywright_codegen.documents.files import render_documents
    from paywright_codegen.render.renderer import render_python

    _refuse_shadows(project, contract)
    files = {
        one.path: one.text for one in render_python(contract, project.package, project.public, project.client_arguments)
    }
    files.update(render_documents(contract, project.package, project.patterns))
    return dict(sorted(files.items()))


def _refuse_shadows(project: Project, contract: Contract) -> None:
    """Raise ContractProblems if a type has the same name as a hand-written export."""
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
    """Format the files with black. A file whose unformatted text is in the cache is not formatted again."""
    out: dict[str, str] = {}
    made_by = f"{version('black')} {LINE_LENGTH}\n"
    for path, text in files.items():
        if not path.endswith(".py"):
            out[path] = text
            continue
        remembered = None if cache is None else cache / hashlib.sha256(f"{made_by}{text}".encode()).hexdigest()
        known = _remembered(remembered)
        if known is None:
            known = _black(text)
            _remember(remembered, known)
        out[path] = known
    return out


def _black(text: str) -> str:
    import black
    import black.mode

    mode = black.Mode(target_versions={black.mode.TargetVersion.PY311}, line_length=LINE_LENGTH)
    return black.format_str(text, mode=mode)


def _remembered(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _remember(path: Path | None, formatted: str) -> None:
    if path is not None:
        _write(path, formatted)


def _write(path: Path, text: str) -> None:
    """Write a file atomically: a reader sees the old text or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile("w", encoding="utf-8", newline="\n", dir=path.parent, delete=False, suffix=".part") as part:
        try:
            part.write(text)
            part.close()
            os.chmod(part.name, 0o644)
            os.replace(part.name, path)
        except BaseException:
            part.close()
            os.unlink(part.name)
            raise


def _existing(project: Project) -> dict[str, Path]:
    return {
        path.relative_to(project.out).as_posix(): path
        for path in sorted(project.root.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def generate(project: Project, contract: Contract) -> Outcome:
    """Bring the package up to date. Nothing is written before everything is rendered and formatted.

    Raises `ForeignFile` if the package has a manifest, and something in its folder was not generated.
    """
    files = _formatted(render(project, contract), project.cache)
    with _alone(project):
        if project.manifest:
            refuse_foreign(project.out, project.package)
        return _bring_up_to_date(project, files)


def _compile(files: Mapping[str, str]) -> None:
    """Raise SyntaxError if a file is not valid Python, before anything is written."""
    for path, text in files.items():
        if path.endswith(".py"):
            compile(text, path, "exec", dont_inherit=True)


@contextmanager
def _alone(project: Project) -> Iterator[None]:
    """Wait until no other process generates the same package. Raises ContractProblems if the folder is not writable."""
    try:
        import fcntl
    except ImportError:  # Windows cannot lock a folder: there two runs at a time are not told apart
        fcntl = None  # type: ignore[assignment]
    folder = -1
    try:
        project.out.mkdir(parents=True, exist_ok=True)
        if fcntl is not None:
            folder = os.open(project.out, os.O_RDONLY)
            fcntl.flock(folder, fcntl.LOCK_EX)  # released when the folder is closed, also by a crash
        yield
    except OSError as error:
        what = f"{error.filename or project.out} cannot be written: {error.strerror}"
        raise ContractProblems(
            [Problem(Place(str(project.out), 1), what, "correct the folder, then generate again")]
        ) from error
    finally:
        if folder >= 0:
            os.close(folder)


def _bring_up_to_date(project: Project, files: Mapping[str, str]) -> Outcome:
    existing = _existing(project)
    manifest, listed = project.root / MANIFEST, ""
    if project.manifest:
        listed = manifest_of({(project.out / path).relative_to(project.root).as_posix(): files[path] for path in files})
        files = {**files, manifest.relative_to(project.out).as_posix(): listed}
    changed = {
        path: text
        for path, text in files.items()
        if path not in existing or existing[path].read_bytes() != text.encode()
    }
    removed = [path for path in existing if path not in files]
    _compile(changed)
    if project.manifest and (changed or removed):
        _write(manifest, united(project.root, listed))  # so that the next run knows what a run wrote that was killed
    for path in removed:
        (project.out / path).unlink()
    for path, text in changed.items():  # the manifest is the last
        _write(project.out / path, text)
    return Outcome(tuple(changed), tuple(removed), len(files))


def check(project: Project, contract: Contract) -> str:
    """Return the unified diff between the package on disk and the contract; "" if they agree. The cache is not used."""
    files = _formatted(render(project, contract), None)
    existing = _existing(project)
    diff: list[str] = []
    for path in sorted({*files, *existing}):
        # Compare bytes, so that different line endings show.
        old = existing[path].read_bytes().decode(errors="replace").replace("\r", "\\r") if path in existing else ""
        new = files.get(path, "")
        diff += unified_diff(old.splitlines(True), new.splitlines(True), f"{path} (committed)", f"{path} (contract)")
    return "".join(line if line.endswith("\n") else line + "\n" for line in diff)
