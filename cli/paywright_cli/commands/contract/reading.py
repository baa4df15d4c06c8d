"""Find and read the contract of a command, and list all its problems."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from paywright_cli.common.terminal import Failed, Usage, complain, need

if TYPE_CHECKING:
    import argparse

    from paywright_codegen.model.contract import Contract
    from paywright_codegen.problems import Problem

__all__ = [
    "checkout",
    "installed_spec",
    "list_problems",
    "nearest",
    "problem_count",
    "read_contract",
    "sound_contract",
    "spec_folder",
]


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
