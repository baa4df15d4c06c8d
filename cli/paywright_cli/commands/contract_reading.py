"""Find and read contracts: of a command, with all its problems, or to compare, in a folder, a git revision, a wheel or the installation."""

from __future__ import annotations

import re
import subprocess
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from paywright_cli.common.terminal import Failed, Usage, complain, need

if TYPE_CHECKING:
    import argparse

    from paywright_codegen.model.contract import Contract
    from paywright_codegen.problems import Problem


def read_contract(args: argparse.Namespace) -> Contract:
    """Load the contract without linting it. Raises `Failed` if it cannot be read."""
    from paywright_codegen.problems import ContractProblems
    from paywright_codegen.reader.loader import load

    try:
        return load(spec_folder(args))
    except ContractProblems as error:
        problems = error.problems
    list_problems(problems)
    raise Failed(problem_count(problems))


def sound_contract(spec: Path, left: str) -> Contract:
    """Load and lint a contract. Raises `Failed` after listing all problems; `left` says in which state the package then is."""
    need("codegen")
    from paywright_codegen.lint.linter import check, lint
    from paywright_codegen.problems import ContractProblems
    from paywright_codegen.reader.loader import load

    try:
        contract = load(spec)
        problems = lint(contract)
    except ContractProblems:
        problems = check(spec)
    else:
        if not problems:
            return contract
    list_problems(problems)
    raise Failed(f"{problem_count(problems)}; {left}")


def list_problems(problems: tuple[Problem, ...]) -> None:
    """Print problems with their places, one a line."""
    for problem in problems:
        complain(f"{problem.place}: {problem.what}; {problem.do}")


def problem_count(problems: tuple[Problem, ...]) -> str:
    """Return the number of problems in words."""
    return f"the contract has {len(problems)} problem{'s' if len(problems) > 1 else ''}"


def checkout(given: Path | None) -> Path:
    """Return the folder that contains spec/ and generated/. Raises `Usage` if there is none."""
    top = given if given is not None else nearest()
    if top is None or not (top / "spec").is_dir():
        raise Usage(
            "this runs in a checkout of paywright: there is no folder spec/ " + ("in DIR" if given else "here or above")
        )
    return top


def spec_folder(args: argparse.Namespace) -> Path:
    """Return the folder of the contract: the one of another gateway, the checkout's, or the one of the installation."""
    another: Path | None = getattr(args, "spec", None)
    given: Path | None = args.dir
    if another is not None:
        if given is not None:
            raise Usage("--dir names a checkout, and --spec the contract of another gateway: give one of them")
        if not another.is_dir() or not any(another.glob("*.yaml")):
            raise Usage(
                f"{another}: there is no contract, a folder of *.yaml files. `paywright contract init DIR` writes one"
            )
        return another
    if given is None and nearest() is None:
        return installed_spec()
    return checkout(given) / "spec"


def installed_spec() -> Path:
    """Return the folder of the contract that the installation has."""
    import paywright_codegen

    package = Path(paywright_codegen.__path__[0])
    # In a wheel it is part of the package; in an editable installation it is in the checkout.
    return next((spec for spec in (package / "spec", package.parents[1] / "spec") if spec.is_dir()), package / "spec")


def nearest() -> Path | None:
    """Return the checkout that contains the current folder, if there is one."""
    here = Path.cwd()
    return next((top for top in (here, *here.parents) if (top / "spec" / "service.yaml").is_file()), None)


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
                if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise zipfile.BadZipFile  # others are not read in parts
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
