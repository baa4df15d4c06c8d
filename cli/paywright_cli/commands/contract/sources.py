"""Find a contract to compare: in a folder, a git revision, a wheel, or the installation."""

from __future__ import annotations

import re
import subprocess
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from paywright_cli.commands.contract.reading import installed_spec
from paywright_cli.common.terminal import Usage

__all__ = ["INSTALLED", "source", "tags"]

INSTALLED = "installed"
_IN_WHEEL: Final = "paywright_codegen/spec/"
_MOST: Final = 10_000_000
"""The most bytes of a contract that is unpacked: whoever sends a wheel would decide how much memory it takes."""
_NAME: Final = re.compile(r"[A-Za-z0-9_-]+\.yaml", re.ASCII).fullmatch
_ID: Final = re.compile(rb"[0-9a-f]{40,64}\n").fullmatch


@contextmanager
def source(named: str, top: Path | None) -> Iterator[Path]:
    """Give the folder of the contract that a word names. Revisions are those of the repository around `top`.

    Raises `Usage` if there is no contract.
    """
    path = Path(named)
    if named == INSTALLED:
        yield installed_spec()
    elif named and path.is_dir():
        with suppress(_NoGit):
            if path.name == named and _commit(named, top) is not None:
                raise Usage(
                    f"{named} is a folder and a revision: write ./{named}, or refs/heads/{named} for the branch"
                )
        spec = next((one for one in (path, path / "spec") if any(one.glob("*.yaml"))), None)
        if spec is None:
            raise Usage(f"{named}: there is no contract, a folder of *.yaml files or one that contains spec/")
        yield spec
    else:
        texts = _of_wheel(path) if path.is_file() or path.suffix == ".whl" else _of_revision(named, top)
        with TemporaryDirectory() as folder:
            spec = Path(folder) / "spec"
            spec.mkdir()
            for name, raw in texts.items():
                if not _NAME(name):
                    raise Usage(f"{named}: {name!r} is no name of a contract's file")
                (spec / name).write_bytes(raw)
            yield spec


def _of_wheel(path: Path) -> Mapping[str, bytes]:
    found: dict[str, bytes] = {}
    try:
        if path.exists() and not path.is_file():  # opening a pipe would wait for its writer
            raise zipfile.BadZipFile
        with zipfile.ZipFile(path) as wheel:
            for member in wheel.infolist():
                name = member.filename.removeprefix(_IN_WHEEL)
                if name == member.filename or "/" in name or not name.endswith(".yaml"):
                    continue
                if member.compress_type not in (
                    zipfile.ZIP_STORED,
                    zipfile.ZIP_DEFLATED,
                ):  # others are not read in parts
                    raise zipfile.BadZipFile
                with wheel.open(member) as packed:
                    found[name] = packed.read(_MOST + 1)
                _check_size(str(path), sum(map(len, found.values())))
    except OSError as error:
        raise Usage(f"{path}: {error.strerror or error}") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError):
        raise Usage(f"{path}: it is neither a folder nor a wheel") from None
    if not found:
        raise Usage(f"{path}: there is no contract in this wheel, no {_IN_WHEEL}*.yaml")
    return found


def _check_size(named: str, size: int) -> None:
    if size > _MOST:
        raise Usage(f"{named}: its contract has more than {_MOST} bytes")


def _of_revision(named: str, top: Path | None) -> Mapping[str, bytes]:
    """Return the files of a revision, byte for byte: `git archive` would let attributes and filters change them."""
    where = top if top is not None else Path.cwd()
    commit = _commit(named, top)
    if commit is None:
        raise Usage(f"{named}: there is no such folder or wheel, and no such revision in the repository around {where}")
    listed = _git(where, "ls-tree", "-l", "-z", f"{commit}:./spec")
    if listed is None:
        raise Usage(f"{named}: this revision has no folder spec/ in {where}")
    entries = [entry.split(b"\t", 1) for entry in listed.split(b"\0") if entry.endswith(b".yaml")]
    files = {name.decode("utf-8", "backslashreplace"): about.split() for about, name in entries}
    files = {name: about for name, about in files.items() if about[0].startswith(b"100")}  # neither links nor folders
    _check_size(named, sum(int(size) for _, _, _, size in files.values()))
    if not files:
        raise Usage(f"{named}: spec/ of this revision has no *.yaml files")
    return {name: _git(where, "cat-file", "blob", about[2].decode()) or b"" for name, about in files.items()}


def _commit(named: str, top: Path | None) -> str | None:
    """Return the id of a revision's commit; None if there is no such revision."""
    if not named or named[0] in "-^":
        return None
    found = _git(top if top is not None else Path.cwd(), "rev-parse", "--verify", "--quiet", f"{named}^{{commit}}")
    return found.decode().strip() if found is not None and _ID(found) else None


def tags(top: Path) -> list[str]:
    """Return the tags of the repository around a folder; none if there is no repository or no git."""
    with suppress(_NoGit):
        return (_git(top, "tag", "--list") or b"").decode(errors="replace").split()
    return []


class _NoGit(Usage):
    """Raised where git is not installed."""


def _git(where: Path, *arguments: str) -> bytes | None:
    """Return what git prints, of objects as they are, not of what replaces them; None if it says no."""
    command = ["git", "--no-replace-objects", "-C", str(where), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except FileNotFoundError:
        raise _NoGit("a revision needs git, which is not installed; name a folder or a wheel") from None
    return done.stdout if done.returncode == 0 else None
