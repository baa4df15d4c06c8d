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

from paywright_cli.commands import contract_diff
from paywright_cli.commands.contract_reading import (
    checkout,
    list_problems,
    problem_count,
    read_contract,
    sound_contract,
    spec_folder,
)
from paywright_cli.common.parser import Parser
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


def fill(parser: Parser) -> None:
    """Add what `contract` takes."""
    parser.description = (
        "Work with the contract in spec/. `generate` and `check` need a checkout; without one, the others read "
        "the contract of the installation. All but `export` need the extra `codegen`."
    )
    parser.epilog = _EXAMPLES
    says = "the checkout, a folder that contains spec/ (default: this folder or the nearest above)"
    parser.takes("--dir DIR", says, type=Path)
    add = parser.group("command", required=True)
    start = add("init", "write a commented start of a contract for another gateway", _init)
    start.description = (
        "Write a small contract with comments into a folder, which is made if it is missing and must be empty. It is sound: "
        "lint it, generate from it, then change it line by line."
    )
    start.takes("DIR", "folder for the contract", dest="folder", type=Path)
    generating = add("generate", "write changed files and remove obsolete ones", _generate)
    generating.description = (
        "Bring generated/ up to date with spec/; or generate the SDK of another gateway from --spec into --out."
    )
    generating.takes("--out DIR", "folder for the package of --spec", type=Path)
    generating.takes("--package NAME", "the package's name, such as acmepay")
    add("check", "print a diff and exit 1 if generated/ is not up to date with spec/", _check)
    linting = add("lint", "list the problems of the contract; exit 1 if there are any", _lint)
    layout = add("fmt", "write the files of the contract in their canonical layout", _fmt)
    layout.takes("--check", "change nothing; exit 1 and name the files that would change")
    says = "exit 1 if no line of the contract, question or test covers a statement of the specification"
    coverage = add("coverage", says, _coverage)
    coverage.description = (
        "Check spec/coverage.yaml: it covers every statement of the specification, and all that it names exists. With an "
        "edition of the specification, or a release note, also list statements that are new, changed, moved or gone, what of the contract "
        "they contradict, and what of it has changed since they were compared."
    )
    coverage.takes("SPECIFICATION", "a file in Markdown", type=Path, nargs="?")
    says = (
        "update spec/coverage.yaml to the document: new statements become `unclaimed`, those of another text `changed`"
    )
    coverage.takes("--write", says)
    contract_diff.fill(
        add("diff", "what changed between two contracts, who can break by it, and a message that shows it")
    )
    add("schema", "the JSON Schema of a contract file, for editors", _schema).description = (
        "Print the JSON Schema by which editors complete and explain the keys of a contract file. Save it, and name it "
        "in the first line of the file: `# yaml-language-server: $schema=PATH`."
    )
    questions = add("questions", "the open questions as a letter", _questions)
    show = add("show", "one operation in readable text", _show)
    show.takes("OPERATION", "such as refunds.create")
    for command in (generating, linting, layout, questions, show):
        command.takes("--spec DIR", "the contract of another gateway: a folder of *.yaml files", type=Path)
    export = add("export", "OpenAPI, JSON Schemas or examples, for tools of other languages", _export)
    export.add_argument("document", choices=("openapi", "schemas", "examples"), help="what to print as JSON")
    export.takes("--out FILE", "the file to write (default: standard output)", type=Path)


def _init(args: argparse.Namespace) -> None:
    need("codegen")
    from importlib.resources import files

    from paywright_codegen.generation.writing import write_files

    folder: Path = args.folder
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise Usage(f"{folder}: it is not an empty folder, and nothing was written. Name a new one")
        start = files("paywright_codegen") / "start"
        names = ("payments.yaml", "service.yaml")
        texts = {folder / name: (start / name).read_text(encoding="utf-8") for name in names}
        write_files(texts)
    except OSError as error:
        raise Usage(f"{error.filename or folder}: {error.strerror}; nothing more was written") from None
    for path in texts:
        say(f"+ {path}")
    say(f"Change it, look with `paywright contract lint --spec {folder}`, then")
    say(f"`paywright contract generate --spec {folder} --out DIR --package NAME`.")


def _generate(args: argparse.Namespace) -> None:
    """Generate our package, or that of another gateway."""
    ours = (args.spec, args.out, args.package) == (None, None, None)
    spec, out, package, cache = _ours(args) if ours else _another(args)
    from paywright_codegen.generation.freshness import fingerprint, is_fresh, remember

    another = package, out, f"nothing was written to {out}"
    name, shown, left = ("generated/", Path("generated"), _LEFT) if ours else another
    root = out.joinpath(*package.split("."))
    inputs, words = _inputs(spec), _words()
    of = hashlib.sha256(os.fsencode(root.resolve())).hexdigest()
    stamp = None if cache is None else cache / ("contract.stamp" if ours else f"{of}.stamp")
    if stamp is not None and is_fresh(stamp, [*inputs, root], words):
        say(f"{name} is up to date")
        return
    before = fingerprint(inputs, words)
    from paywright_cli.commands.contract_package import another_project, project, refusal

    if not ours and (why := refusal(package)) is not None:
        raise Usage(f"{why}. Nothing was written")
    contract = sound_contract(spec, left)
    outcome = _written(project(out.parent) if ours else another_project(spec, out, package, cache), contract, left)
    for sign, paths in (("+", outcome.written), ("-", outcome.removed)):
        for path in paths:
            say(f"{sign} {shown / path}")
    count = len(outcome.written) + len(outcome.removed)
    say(f"{name} is up to date: {outcome.total} files, {count} of them changed now")
    after = fingerprint([*inputs, root], words)
    # If something was saved meanwhile, the next run reads it.
    if stamp is not None and fingerprint(inputs, words) == before:
        remember(stamp, after)


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


def _check(args: argparse.Namespace) -> None:
    top = checkout(args.dir)
    contract = sound_contract(top / "spec", _LEFT)
    from paywright_cli.commands.contract_package import project
    from paywright_codegen.generation.generator import check

    diff = check(project(top), contract)
    if not diff:
        say("generated/ is up to date with spec/")
        return
    for line in diff.splitlines():
        colour = {"+": "green", "-": "red"}.get(line[:1])
        say(paint(line, colour) if colour else line)
    raise Failed("generated/ is not up to date with spec/. Run `make generate`, and commit what it writes.")


def _lint(args: argparse.Namespace) -> None:
    need("codegen")
    folder = spec_folder(args)
    from paywright_codegen.lint.linter import check

    problems = check(folder)
    list_problems(problems)
    if problems:
        raise Failed(problem_count(problems))
    say(f"{folder.name}/ has no problems")


def _fmt(args: argparse.Namespace) -> None:
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


def _coverage(args: argparse.Namespace) -> None:
    need("codegen")
    from paywright_codegen.documents.coverage import check_entries, claims_text, compare, read_claims, summary
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
        return
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


def _schema(args: argparse.Namespace) -> None:
    need("codegen")
    from paywright_codegen.reader.schema_check import editor_schema

    say_json(editor_schema(), indent=1)


def _questions(args: argparse.Namespace) -> None:
    need("codegen")
    from paywright_codegen.documents.questions import letter

    say(*letter(read_contract(args)).rstrip("\n").split("\n"))


def _show(args: argparse.Namespace) -> None:
    need("codegen")
    from paywright_codegen.documents.show import show

    try:
        text = show(read_contract(args), args.operation)
    except KeyError as error:
        raise Usage(str(error.args[0])) from None
    say(*text.rstrip("\n").split("\n"))


def _export(args: argparse.Namespace) -> None:
    from paywright.contract import CONTRACT

    text, out = json.dumps(CONTRACT.document(args.document), indent=1, ensure_ascii=False), args.out
    if out is None:
        say_json(text)
        return
    try:
        out.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise Usage(f"{out}: {error.strerror}; nothing was written") from None
    say(f"+ {out}")


def _inputs(spec: Path) -> list[Path]:
    """Return all that a generation reads."""
    import paywright_codegen
    import paywright_runtime

    packages = [Path(package.__path__[0]) for package in (paywright_codegen, paywright_runtime)]
    return [spec, *packages, Path(__file__).with_name("contract_package.py")]


def _words() -> list[str]:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return [version("black")]
    except PackageNotFoundError:
        return []
