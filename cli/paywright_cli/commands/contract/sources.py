"""Find a contract to compare: in a folder, a git revision, a wheel, or the installation."""

from __future__ import annotations

import io
import subprocess
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from paywright_cli.commands.contract.reading import installed_spec
from paywright_cli.common.terminal import Usage

__all__ = ["INSTALLED", "source", "tags"]

INSTALLED = "installed"
_IN_WHEEL = "paywright_codegen/spec/"


@contextmanager
def source(named: str, top: Path | None) -> Iterator[Path]:
    """Give the folder of the contract that a word names. Revisions are those of the repository around `top`.

    Raises `Usage` if there is no contract.
    """
    path = Path(named)
    if named == INSTALLED:
        yield installed_spec()
    elif named and path.is_dir():
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
                (spec / name).write_bytes(raw)
            yield spec


def _of_wheel(path: Path) -> Mapping[str, bytes]:
    try:
        with zipfile.ZipFile(path) as wheel:
            names = [name for name in wheel.namelist() if name.startswith(_IN_WHEEL) and _is_contract(name, _IN_WHEEL)]
            found = {PurePosixPath(name).name: wheel.read(name) for name in names}
    except OSError as error:
        raise Usage(f"{path}: {error.strerror or error}") from None
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError):
        raise Usage(f"{path}: it is neither a folder nor a wheel") from None
    if not found:
        raise Usage(f"{path}: there is no contract in this wheel, no {_IN_WHEEL}*.yaml")
    return found


def _is_contract(name: str, folder: str = "") -> bool:
    rest = name.removeprefix(folder)
    return "/" not in rest and rest.endswith(".yaml")


def _of_revision(named: str, top: Path | None) -> Mapping[str, bytes]:
    where = top if top is not None else Path.cwd()
    if (
        not named
        or named.startswith("-")
        or _git(where, "rev-parse", "--verify", "--quiet", f"{named}^{{commit}}") is None
    ):
        raise Usage(f"{named}: there is no such folder or wheel, and no such revision in the repository around {where}")
    tree = _git(where, "rev-parse", "--verify", "--quiet", f"{named}:./spec")
    if tree is None:
        raise Usage(f"{named}: this revision has no folder spec/ in {where}")
    packed = _git(where, "archive", "--format=tar", tree.decode().strip())
    found: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(packed or b"")) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isfile() and _is_contract(member.name) else None
            if file is not None:
                found[member.name] = file.read()
    if not found:
        raise Usage(f"{named}: spec/ of this revision has no *.yaml files")
    return found


def tags(top: Path) -> list[str]:
    """Return the tags of the repository around a folder; none if there is no repository or no git."""
    try:
        return (_git(top, "tag", "--list") or b"").decode(errors="replace").split()
    except Usage:
        return []


def _git(where: Path, *arguments: str) -> bytes | None:
    """Return what git prints; None if it says no."""
    try:
        done = subprocess.run(["git", "-C", str(where), *arguments], capture_output=True, check=False)
    except FileNotFoundError:
        raise Usage("a revision needs git, which is not installed; name a folder or a wheel") from None
    return done.stdout if done.returncode == 0 else None
