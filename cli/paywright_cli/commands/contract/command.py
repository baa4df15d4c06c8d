"""`paywright contract`: from the contract to the SDK. The only commands that use the generator.

They work when `generated/` is missing or broken, because nothing here imports `paywright`.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from paywright_tools.terminal import Exit, Failed, HelpFormatter, Usage, complain, need, paint, say

if TYPE_CHECKING:
    from paywright_codegen.model import Contract
    from paywright_codegen.problems import Problem

__all__ = ["register"]

_EXAMPLES = """\
examples:
  paywright contract generate                      bring generated/ up to date with spec/
  paywright contract check                         exit 1 with a diff if generated/ is stale
  paywright contract lint                          everything that is wrong with the contract, by file and line
  paywright contract coverage specification.md     which headings of a specification the contract cites
  paywright contract questions                     what the specification does not show, as a letter to the service
  paywright contract show refunds.create           an operation: address, fields, rules, codes, questions
"""

_Groups = argparse._SubParsersAction  # the only name argparse has for it


def register(groups: _Groups[argparse.ArgumentParser]) -> None:
    """Add `contract` to the command line."""
    parser = groups.add_parser(
        "contract",
        help="generate the SDK from the contract; lint, read and question the contract",
        description="Work on the contract in spec/. `generate` and `check` run in a checkout; the others read the contract "
        "that came with the installation when there is none. Needs the extra `codegen`.",
        epilog=_EXAMPLES,
        formatter_class=HelpFormatter,
    )
    parser.add_argument(
        "--dir", type=Path, metavar="DIR", help="the checkout, a folder with spec/ in it (default: found)"
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    commands.add_parser("generate", help="write what changed, remove what is no longer made").set_defaults(
        run=_generate
    )
    commands.add_parser("check", help="exit 1 and print a diff if generated/ is not what spec/ says").set_defaults(
        run=_check
    )
    commands.add_parser("lint", help="exit 1 and list what is wrong with the contract").set_defaults(run=_lint)
    coverage = commands.add_parser(
        "coverage", help="list the headings of a specification with the lines that cite them, and those nothing cites"
    )
    coverage.add_argument("specification", type=Path, metavar="SPECIFICATION", help="a file in Markdown")
    coverage.set_defaults(run=_coverage)
    commands.add_parser("questions", help="the open questions as a letter").set_defaults(run=_questions)
    show = commands.add_parser("show", help="one operation in readable text")
    show.add_argument("operation", metavar="OPERATION", help="such as refunds.create")
    show.set_defaults(run=_show)


def _generate(args: argparse.Namespace) -> int:
    from paywright_codegen.stamp import is_fresh, remember

    top = _checkout(args.dir)
    stamp, roots, words = top / ".cache" / "contract.stamp", _roots(top), _words()
    if is_fresh(stamp, roots, words):
        say("generated/ is up to date")
        return Exit.OK
    contract = _sound(top)
    from paywright_codegen.generating import generate
    from paywright_tools.project import project

    outcome = generate(project(top), contract)
    for sign, paths in (("+", outcome.written), ("-", outcome.removed)):
        for path in paths:
            say(f"{sign} generated/{path}")
    count = len(outcome.written) + len(outcome.removed)
    say(f"generated/ is up to date: {outcome.total} files, {count} of them changed now")
    remember(stamp, roots, words)
    return Exit.OK


def _check(args: argparse.Namespace) -> int:
    top = _checkout(args.dir)
    contract = _sound(top)
    from paywright_codegen.generating import check
    from paywright_tools.project import project

    diff = check(project(top), contract)
    if not diff:
        say("generated/ is what spec/ says")
        return Exit.OK
    for line in diff.splitlines():
        colour = {"+": "green", "-": "red"}.get(line[:1])
        say(paint(line, colour) if colour else line)
    raise Failed("generated/ is not what spec/ says. Run `make generate`, and commit what it writes.")


def _lint(args: argparse.Namespace) -> int:
    need("codegen")
    folder = _spec(args.dir)
    from paywright_codegen.lint import check

    problems = check(folder)
    _list(problems)
    if problems:
        raise Failed(_count(problems))
    say(f"{folder.name}/ has no problems")
    return Exit.OK


def _coverage(args: argparse.Namespace) -> int:
    need("codegen")
    from paywright_codegen.coverage import coverage

    try:
        text = args.specification.read_text(encoding="utf-8")
    except OSError as error:
        raise Usage(f"{args.specification}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Usage(f"{args.specification}: it is not UTF-8") from None
    found = coverage(_read(args), text)
    if not found.headings:
        raise Usage(f"{args.specification}: it has no numbered headings such as `### 4.13 Refund`")
    say(found.text().rstrip("\n"))
    if found.problems:
        raise Failed("the contract cites sections that this specification does not have")
    return Exit.OK


def _questions(args: argparse.Namespace) -> int:
    need("codegen")
    from paywright_codegen.questions import letter

    say(letter(_read(args)).rstrip("\n"))
    return Exit.OK


def _show(args: argparse.Namespace) -> int:
    need("codegen")
    from paywright_codegen.show import show

    try:
        text = show(_read(args), args.operation)
    except KeyError as error:
        raise Usage(str(error.args[0])) from None
    say(text.rstrip("\n"))
    return Exit.OK


def _read(args: argparse.Namespace) -> Contract:
    """The contract, whether or not it makes sense. Raises `Failed` if it cannot be read."""
    from paywright_codegen.parsing import load
    from paywright_codegen.problems import ContractProblems

    try:
        return load(_spec(args.dir))
    except ContractProblems as error:
        problems = error.problems
    _list(problems)
    raise Failed(_count(problems))


def _sound(top: Path) -> Contract:
    """The contract of a checkout, read and linted. Raises `Failed` after listing all that is wrong; nothing is written."""
    need("codegen")
    from paywright_codegen.lint import check, lint
    from paywright_codegen.parsing import load
    from paywright_codegen.problems import ContractProblems

    try:
        contract = load(top / "spec")
        problems = lint(contract)
    except ContractProblems:
        problems = check(top / "spec")
    else:
        if not problems:
            return contract
    _list(problems)
    raise Failed(f"{_count(problems)}; generated/ was left as it is")


def _list(problems: tuple[Problem, ...]) -> None:
    for problem in problems:
        complain(f"{problem.place}: {problem.what}; {problem.do}")


def _count(problems: tuple[Problem, ...]) -> str:
    return f"the contract has {len(problems)} problem{'s' if len(problems) > 1 else ''}"


def _checkout(given: Path | None) -> Path:
    """The folder that holds spec/ and generated/."""
    top = given if given is not None else _nearest()
    if top is None or not (top / "spec").is_dir():
        raise Usage(
            "this runs in a checkout of paywright: there is no folder spec/ " + ("in DIR" if given else "here or above")
        )
    return top


def _spec(given: Path | None) -> Path:
    """The folder of the contract: a checkout's, else the one that came with the installation."""
    if given is None and _nearest() is None:
        import paywright_codegen

        package = Path(paywright_codegen.__path__[0])
        # In a wheel it is part of the package; installed for editing, it stands where it stands in the checkout.
        return next(
            (spec for spec in (package / "spec", package.parents[1] / "spec") if spec.is_dir()), package / "spec"
        )
    return _checkout(given) / "spec"


def _nearest() -> Path | None:
    here = Path.cwd()
    return next((top for top in (here, *here.parents) if (top / "spec" / "service.yaml").is_file()), None)


def _roots(top: Path) -> list[Path]:
    """All that the generated package depends on, and the package."""
    import paywright_codegen
    import paywright_runtime

    packages = [Path(package.__path__[0]) for package in (paywright_codegen, paywright_runtime)]
    return [top / "spec", top / "generated" / "paywright", *packages, Path(__file__).parents[1] / "project.py"]


def _words() -> list[str]:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return [version("black")]
    except PackageNotFoundError:
        return []
