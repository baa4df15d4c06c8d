"""Write generated files: only what changed, each atomically, one process at a time, and nothing that was not generated.

Packages of other gateways have a manifest of their files, because their folders belong to their users. Its format is that of `sha256sum`.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

from paywright_codegen.model.cited import SourcePlace
from paywright_codegen.problems import ContractProblems, Problem


@dataclass(frozen=True, slots=True)
class Project:
    """The settings of a generation: the contract's folder, the output, and the package's name.

    `cache` is a folder for formatted files, which may be deleted at any time, or None. With `manifest` the package lists its files, and no other file in its folder is touched.
    """

    spec: Path
    out: Path
    package: str
    cache: Path | None = None
    manifest: bool = False

    @property
    def root(self) -> Path:
        """The folder of the package."""
        return self.out.joinpath(*self.package.split("."))


MANIFEST = "generated.sha256"
_LINE = re.compile("[0-9a-f]{64}  .+\n").fullmatch


class ForeignFile(Exception):
    """Raised when something in the folder of a package was not generated. The message names it."""


def manifest_of(files: Mapping[str, str]) -> str:
    """Return the manifest of files, by their paths in the package."""
    return "".join(_line(text.encode(), path) for path, text in sorted(files.items()))


def united(root: Path, manifest: str) -> str:
    """Return the lines of a manifest and of the one in the folder: both hold while files are replaced."""
    return "".join(sorted({*_lines(root), *manifest.splitlines(True)}))


def refuse_foreign(out: Path, package: str) -> None:
    """Raise `ForeignFile` if the folder of a package, or one above it, is a link, or if it holds a file that was not generated."""
    root = out
    for part in package.split("."):
        root /= part
        if root.is_symlink():
            raise ForeignFile(f"{root}{_LINK}")
    if root.exists() and not root.is_dir():
        raise ForeignFile(f"{root}{_FOREIGN}")
    known = _lines(root)
    listed = {line.rstrip("\n").partition("  ")[2] for line in known} | ({MANIFEST} if known else set())
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        if "__pycache__" in relative.parts:
            continue
        if path.is_symlink():
            raise ForeignFile(f"{path}{_LINK}")
        name = relative.as_posix()
        if path.is_dir() or (name in listed and (name == MANIFEST or _line(path.read_bytes(), name) in known)):
            continue
        raise ForeignFile(f"{path}{_CHANGED if name in listed else _FOREIGN}")


def _lines(root: Path) -> set[str]:
    """Return the lines of the manifest in a folder; none if it has no valid one."""
    try:
        lines = (root / MANIFEST).read_text(encoding="utf-8").splitlines(True)
    except (OSError, UnicodeDecodeError):
        return set()
    return set(lines) if all(map(_LINE, lines)) else set()


def _line(content: bytes, name: str) -> str:
    digest = hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest()  # as git may write lines
    return f"{digest}  {name}\n"


_LINK = " is a link, and files would be written where it leads: generate into a folder of its own"
_FOREIGN = " was not generated, and would be removed or replaced: generate into a folder of its own, or remove it"
_CHANGED = " was changed since it was generated, and would be replaced: keep the change elsewhere, and remove the file"


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
        # So that the next run knows what a run wrote that was killed.
        write_file(manifest, united(project.root, listed))
    for path in removed:
        (project.out / path).unlink()
    for path, text in changed.items():  # the manifest is the last
        write_file(project.out / path, text)
    return WrittenFiles(tuple(changed), tuple(removed), len(files))
