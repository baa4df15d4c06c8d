"""`paywright contract`: check the contract and generate the SDK. The only commands that use the generator.

All but `export` work even if `generated/` is missing or broken, because they do not import `paywright`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from paywright_cli.commands.contract.diffing import register_diff
from paywright_cli.commands.contract.reading import (
    checkout,
    list_problems,
    problem_count,
    read_contract,
    sound_contract,
    spec_folder,
)
from paywright_cli.common.exit_codes import Exit
from paywright_cli.common.parser import HelpFormatter
from paywright_cli.common.terminal import Failed, Usage, need, paint, say, say_json

if TYPE_CHECKING:
    from paywright_codegen.generation.writing import Project, WrittenFiles
    from paywright_codegen.model.contract import Contract

_EXAMPLES = """\
examples:
  paywright contract generate                      bring generated/ up to date with spec/
  paywright contract check                         exit 1 with a diff if generated/ is stale
  paywright contract lint                          all problems of the contract, by file and line
  paywright contract fmt --check                   exit 1 if a file of the contract is not in its canonical layout
  paywright contract coverage                      exit 1 if a statement of the specification is not covered
  paywright contract coverage specification.md     statements of an edition that are new, changed or gone
  paywright contract diff v0.1.0                   who can break by what changed since a revision, and what shows it
  paywright contract schema                        the JSON Schema of a contract file, for completion in editors
  paywright contract questions                     what the specification does not show, as a letter to the gateway's operators
  paywright contract show refunds.create           an operation: address, fields, rules, codes, questions
  paywright contract export openapi                what generators of clients, mocks and proxies in other languages read
  paywright contract init DIR                      write a commented start of a contract for another gateway
  paywright contract generate --spec DIR --out DIR --package NAME    generate the SDK of another gateway

exit codes: 0 nothing to say, or done, 1 no: problems, stale output, a statement that nothing covers, 2 usage
"""

_LEFT = "generated/ was left as it is"
_Groups = argparse._SubParsersAction  # the only name argparse has for it


def register(groups: _Groups[argparse.ArgumentParser]) -> None:
    """Add `contract` to the command line."""
    parser = groups.add_parser(
        "contract",
        help="generate the SDK from the contract; lint, format and describe the contract",
        description="Work with the contract in spec/. `generate` and `check` need a checkout; without one, the others read "
        "the contract of the installation. All but `export` need the extra `codegen`.",
        epilog=_EXAMPLES,
        formatter_class=HelpFormatter,
    )
    parser.add_argument(
        "--dir",
        type=Path,
        metavar="DIR",
        help="the checkout, a folder that contains spec/ (default: this folder or the nearest above)",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    another = argparse.ArgumentParser(add_help=False)
    another.add_argument(
        "--spec", type=Path, metavar="DIR", help="the contract of another gateway: a folder of *.yaml files"
    )
    start = commands.add_parser(
        "init",
        help="write a commented start of a contract for another gateway",
        description="Write a small contract with comments into a folder, which is made if it is missing and must be empty. It is sound: "
        "lint it, generate from it, then change it line by line.",
    )
    start.add_argument("folder", type=Path, metavar="DIR", help="folder for the contract")
    start.set_defaults(run=_init)
    generating = commands.add_parser(
        "generate",
        parents=[another],
        help="write changed files and remove obsolete ones",
        description="Bring generated/ up to date with spec/; or generate the SDK of another gateway from --spec into --out.",
    )
    generating.add_argument("--out", type=Path, metavar="DIR", help="folder for the package of --spec")
    generating.add_argument("--package", metavar="NAME", help="the package's name, such as acmepay")
    generating.set_defaults(run=_generate)
    commands.add_parser(
        "check", help="print a diff and exit 1 if generated/ is not up to date with spec/"
    ).set_defaults(run=_check)
    commands.add_parser(
        "lint", parents=[another], help="list the problems of the contract; exit 1 if there are any"
    ).set_defaults(run=_lint)
    layout = commands.add_parser(
        "fmt", parents=[another], help="write the files of the contract in their canonical layout"
    )
    layout.add_argument(
        "--check", action="store_true", help="change nothing; exit 1 and name the files that would change"
    )
    layout.set_defaults(run=_fmt)
    coverage = commands.add_parser(
        "coverage",
        help="exit 1 if no line of the contract, question or test covers a statement of the specification",
        description="Check spec/coverage.yaml: it covers every statement of the specification, and all that it names exists. With an "
        "edition of the specification, or a release note, also list statements that are new, changed, moved or gone, what of the contract "
        "they contradict, and what of it has changed since they were compared.",
    )
    coverage.add_argument("specification", type=Path, nargs="?", metavar="SPECIFICATION", help="a file in Markdown")
    coverage.add_argument(
        "--write",
        action="store_true",
        help="update spec/coverage.yaml to the document: new statements become `unclaimed`, those of another text `changed`",
    )
    coverage.set_defaults(run=_coverage)
    register_diff(commands)
    commands.add_parser(
        "schema",
        help="the JSON Schema of a contract file, for editors",
        description="Print the JSON Schema by which editors complete and explain the keys of a contract file. Save it, and name it "
        "in the first line of the file: `# yaml-language-server: $schema=PATH`.",
    ).set_defaults(run=_schema)
    commands.add_parser("questions", parents=[another], help="the open questions as a letter").set_defaults(
        run=_questions
    )
    show = commands.add_parser("show", parents=[another], help="one operation in readable text")
    show.add_argument("operation", metavar="OPERATION", help="such as refunds.create")
    show.set_defaults(run=_show)
    export = commands.add_parser("export", help="OpenAPI, JSON Schemas or examples, for tools of other languages")
    export.add_argument("document", choices=("openapi", "schemas", "examples"), help="what to print as JSON")
    export.add_argument("--out", type=Path, metavar="FILE", help="the file to write (default: standard output)")
    export.set_defaults(run=_export)


def _init(args: argparse.Namespace) -> int:
    need("codegen")
    from importlib.resources import files

    from paywright_codegen.generation.writing import write_files

    folder: Path = args.folder
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise Usage(f"{folder}: it is not an empty folder, and nothing was written. Name a new one")
        start = files("paywright_codegen") / "start"
        texts = {
            folder / name: (start / name).read_text(encoding="utf-8") for name in ("payments.yaml", "service.yaml")
        }
        write_files(texts)
    except OSError as error:
        raise Usage(f"{error.filename or folder}: {error.strerror}; nothing more was written") from None
    for path in texts:
        say(f"+ {path}")
    say(f"Change it, look with `paywright contract lint --spec {folder}`, then")
    say(f"`paywright contract generate --spec {folder} --out DIR --package NAME`.")
    return Exit.OK


def _generate(args: argparse.Namespace) -> int:
    """Generate our package, or that of another gateway."""
    ours = (args.spec, args.out, args.package) == (None, None, None)
    spec, out, package, cache = _ours(args) if ours else _another(args)
    from paywright_codegen.generation.freshness import fingerprint, is_fresh, remember

    name, shown, left = (
        ("generated/", Path("generated"), _LEFT) if ours else (package, out, f"nothing was written to {out}")
    )
    root = out.joinpath(*package.split("."))
    inputs, words = _inputs(spec), _words()
    of = hashlib.sha256(os.fsencode(root.resolve())).hexdigest()
    stamp = None if cache is None else cache / ("contract.stamp" if ours else f"{of}.stamp")
    if stamp is not None and is_fresh(stamp, [*inputs, root], words):
        say(f"{name} is up to date")
        return Exit.OK
    before = fingerprint(inputs, words)
    from paywright_cli.commands.contract.generated_package import another, project, refusal

    if not ours and (why := refusal(package)) is not None:
        raise Usage(f"{why}. Nothing was written")
    contract = sound_contract(spec, left)
    outcome = _written(project(out.parent) if ours else another(spec, out, package, cache), contract, left)
    for sign, paths in (("+", outcome.written), ("-", outcome.removed)):
        for path in paths:
            say(f"{sign} {shown / path}")
    count = len(outcome.written) + len(outcome.removed)
    say(f"{name} is up to date: {outcome.total} files, {count} of them changed now")
    after = fingerprint([*inputs, root], words)
    # If something was saved meanwhile, the next run reads it.
    if stamp is not None and fingerprint(inputs, words) == before:
        remember(stamp, after)
    return Exit.OK


def _ours(args: argparse.Namespace) -> tuple[Path, Path, str, Path | None]:
    """Return the contract's folder, that of the output, the package's name, and the folder of what may be deleted."""
    top = checkout(args.dir)
    return top / "spec", top / "generated", "paywright", top / ".cache"


def _another(args: argparse.Namespace) -> tuple[Path, Path, str, Path | None]:
    """Return the same of another gateway's package, whose cache is in that of the user, if there is one."""
    need("codegen")
    if args.dir is not None or None in (args.spec, args.out, args.package):
        raise Usage("another gateway's package needs --spec DIR, --out DIR and --package NAME, without --dir")
    kept = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "paywright"
    return spec_folder(args), args.out, args.package, kept if kept.is_absolute() else None


def _written(project: Project, contract: Contract, left: str) -> WrittenFiles:
    """Generate, or say what stands in the way; `left` says in which state the package then is."""
    from paywright_codegen.generation.generator import generate
    from paywright_codegen.generation.writing import ForeignFile
    from paywright_codegen.problems import ContractProblems

    try:
        return generate(project, contract)
    except ForeignFile as error:
        raise Usage(f"{error}. Nothing was written") from None
    except ContractProblems as error:
        list_problems(error.problems)
        raise Failed(f"nothing could be generated; {left}") from None


def _check(args: argparse.Namespace) -> int:
    top = checkout(args.dir)
    contract = sound_contract(top / "spec", _LEFT)
    from paywright_cli.commands.contract.generated_package import project
    from paywright_codegen.generation.generator import check

    diff = check(project(top), contract)
    if not diff:
        say("generated/ is up to date with spec/")
        return Exit.OK
    for line in diff.splitlines():
        colour = {"+": "green", "-": "red"}.get(line[:1])
        say(paint(line, colour) if colour else line)
    raise Failed("generated/ is not up to date with spec/. Run `make generate`, and commit what it writes.")


def _lint(args: argparse.Namespace) -> int:
    need("codegen")
    folder = spec_folder(args)
    from paywright_codegen.lint.linter import check

    problems = check(folder)
    list_problems(problems)
    if problems:
        raise Failed(problem_count(problems))
    say(f"{folder.name}/ has no problems")
    return Exit.OK


def _fmt(args: argparse.Namespace) -> int:
    need("codegen")
    from paywright_codegen.generation.generator import laid_out
    from paywright_codegen.generation.writing import write_files
    from paywright_codegen.problems import ContractProblems

    folder = spec_folder(args) if args.spec is not None else checkout(args.dir) / "spec"
    try:
        texts = laid_out(folder)
    except ContractProblems as error:
        list_problems(error.problems)
        raise Failed(f"{problem_count(error.problems)}; nothing was changed") from None
    stale = {path: text for path, text in texts.items() if path.read_bytes() != text.encode()}
    for path in stale:
        say(f"~ {folder.name}/{path.name}")
    if stale and args.check:
        count = f"{len(stale)} file{'s' if len(stale) > 1 else ''}"
        raise Failed(f"{count} of {folder.name}/ would change. Run `paywright contract fmt`.")
    write_files(stale)
    say(f"{folder.name}/ is in its canonical layout: {len(texts)} files, {len(stale)} of them changed now")
    return Exit.OK


def _coverage(args: argparse.Namespace) -> int:
    need("codegen")
    from paywright_codegen.documents.claims import read_claims, summary
    from paywright_codegen.documents.coverage import check_entries, claims_text, compare
    from paywright_codegen.generation.writing import write_files
    from paywright_codegen.problems import in_order

    folder, contract = spec_folder(args), read_contract(args)
    claims, found_problems = read_claims(folder, contract)
    problems = in_order(found_problems)
    if args.specification is None:
        if args.write:
            raise Usage("--write needs the document: an edition of the specification, or a release note")
        list_problems(problems)
        if problems:
            raise Failed(problem_count(problems))
        say(summary(claims))
        return Exit.OK
    path: Path = args.specification
    found = compare(contract, claims, _specification(path), path.stem)
    if claims and found.is_another:
        raise Usage(f"{path}: none of its statements is in spec/coverage.yaml: it is another document")
    refused, uncompared = check_entries(folder, found, str(path))
    list_problems(in_order(refused) if args.write else in_order((*(problems if claims else ()), *refused, *uncompared)))
    say(*found.text(str(path)).rstrip("\n").split("\n"))
    if args.write and refused:
        raise Failed("the contract contradicts this document; nothing was written")
    if args.write:
        write_files({folder / "coverage.yaml": claims_text(folder, found)})
    if found.problems:
        raise Failed("the contract cites sections that this specification does not have")
    if not args.write and (problems or refused or uncompared or found.differs):
        raise Failed(
            "spec/ does not match this document. Update spec/coverage.yaml with --write, and claim the new statements."
        )
    return Exit.OK


def _specification(path: Path) -> str:
    """Read the text of a specification or a release note. Raises `Usage` if it is none."""
    from paywright_codegen.documents.statements import read_specification

    if path.suffix.lower() not in (".md", ".markdown"):  # its sentences are shown: a file of keys must not be
        raise Usage(f"{path} is not named as a document in Markdown: NAME.md")
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise Usage(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Usage(f"{path}: it is not UTF-8") from None
    if not read_specification(text)[1]:
        raise Usage(f"{path}: it says nothing")
    return text


def _schema(args: argparse.Namespace) -> int:
    need("codegen")
    from paywright_codegen.reader.schema_check import editor_schema

    say_json(json.dumps(editor_schema(), indent=1))
    return Exit.OK


def _questions(args: argparse.Namespace) -> int:
    need("codegen")
    from paywright_codegen.documents.questions import letter

    say(*letter(read_contract(args)).rstrip("\n").split("\n"))
    return Exit.OK


def _show(args: argparse.Namespace) -> int:
    need("codegen")
    from paywright_codegen.documents.show import show

    try:
        text = show(read_contract(args), args.operation)
    except KeyError as error:
        raise Usage(str(error.args[0])) from None
    say(*text.rstrip("\n").split("\n"))
    return Exit.OK


def _export(args: argparse.Namespace) -> int:
    from paywright.contract import CONTRACT

    text, out = json.dumps(CONTRACT.document(args.document), indent=1, ensure_ascii=False), args.out
    if out is None:
        say_json(text)
        return Exit.OK
    try:
        out.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise Usage(f"{out}: {error.strerror}; nothing was written") from None
    say(f"+ {out}")
    return Exit.OK


def _inputs(spec: Path) -> list[Path]:
    """Return all that a generation reads."""
    import paywright_codegen
    import paywright_runtime

    packages = [Path(package.__path__[0]) for package in (paywright_codegen, paywright_runtime)]
    return [spec, *packages, Path(__file__).with_name("generated_package.py")]


def _words() -> list[str]:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return [version("black")]
    except PackageNotFoundError:
        return []
