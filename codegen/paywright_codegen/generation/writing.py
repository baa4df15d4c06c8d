"""Write generated files: only what changed, each atomically, one process at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

from paywright_codegen.generation.manifest import MANIFEST, manifest_of, united
from paywright_codegen.generation.project import Project
from paywright_codegen.model.cited import SourcePlace
from paywright_codegen.problems import ContractProblems, Problem


@dataclass(frozen=True, slots=True)
class WrittenFiles:
    """The files that were written and removed, relative to the output folder, and the number of all files."""

    written: tuple[str, ...]
    removed: tuple[str, ...]
    total: int


def write_file(path: Path, text: str) -> None:
    """Write a file atomically: a reader sees the old text or the new one. An OSError names the file."""
    try:
        _replace(path, text)
    except OSError as error:
        error.filename, error.filename2 = str(path), None
        raise


def _replace(path: Path, text: str) -> None:
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


def write_files(texts: Mapping[Path, str]) -> None:
    """Replace files, each atomically."""
    for path, text in texts.items():
        write_file(path, text)


def existing_files(project: Project) -> dict[str, Path]:
    """Return the files in the package's folder, by their path in the output folder."""
    return {
        path.relative_to(project.out).as_posix(): path
        for path in sorted(project.root.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def _compile(files: Mapping[str, str]) -> None:
    """Raise SyntaxError if a file is not valid Python, before anything is written."""
    for path, text in files.items():
        if path.endswith(".py"):
            compile(text, path, "exec", dont_inherit=True)


@contextmanager
def alone(project: Project) -> Iterator[None]:
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
            [Problem(SourcePlace(str(project.out), 1), what, "correct the folder, then generate again")]
        ) from error
    finally:
        if folder >= 0:
            os.close(folder)


def bring_up_to_date(project: Project, files: Mapping[str, str]) -> WrittenFiles:
    """Write the files that changed, and remove those that are no longer generated."""
    existing = existing_files(project)
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
        write_file(
            manifest, united(project.root, listed)
        )  # so that the next run knows what a run wrote that was killed
    for path in removed:
        (project.out / path).unlink()
    for path, text in changed.items():  # the manifest is the last
        write_file(project.out / path, text)
    return WrittenFiles(tuple(changed), tuple(removed), len(files))
