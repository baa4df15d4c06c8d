"""`paywright contract diff`: what changed between two contracts, and who can break by it."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from paywright_cli.commands.contract_reading import checkout, nearest, sound_contract, source, tags
from paywright_cli.common.exit_codes import Exit
from paywright_cli.common.parser import Parser
from paywright_cli.common.terminal import Failed, Usage, complain, need, say, say_json

if TYPE_CHECKING:
    from paywright_codegen.diff.report import DiffReport
    from paywright_codegen.model.contract import Contract

_LEVELS = ("patch", "minor", "major", "never")
_ABOUT = """\
Compare two contracts. OLD and NEW are each a folder, a git revision, a wheel, or the word `installed`; without NEW
it is the contract of the checkout. Each change has three verdicts: on the wire, in Python, in outcome.

exit codes: 0 the verdict is below --fail-on; 1 it is not; 2 there is no such contract; 3 a contract has problems
"""


def fill(parser: Parser) -> None:
    """Add what `contract diff` takes."""
    parser.description = _ABOUT
    parser.takes("OLD", "folder, git revision, wheel, or `installed`", nargs="?")
    parser.takes("NEW", "the same (default: the contract of the checkout)", nargs="?")
    parser.takes("--format", "default: text", choices=("text", "json", "markdown"), default="text")
    parser.takes("--fail-on", "exit 1 from this verdict on (default: major)", choices=_LEVELS, default="major")
    says = "exit 1 if version and CHANGELOG.md say less than what changed since OLD, by default the newest tag such as v0.1.0"
    parser.takes("--released", says)
    parser.set_defaults(run=_diff)


def _diff(args: argparse.Namespace) -> int:
    need("codegen")
    if args.released:
        if args.new is not None:
            raise Usage("--released compares the contract of the checkout: give no NEW")
        if (args.format, args.fail_on) != ("text", "major"):
            raise Usage("--released takes neither --format nor --fail-on")
        return _released(checkout(args.dir), args.old)
    if args.old is None:
        raise Usage("name the contract to compare with: a folder, a git revision, a wheel, or `installed`")
    from paywright_codegen.diff.report import as_json, as_markdown, as_text, verdict_of
    from paywright_codegen.diff.table import Level

    top = args.dir if args.dir is not None else nearest()
    named = args.old, args.new or "spec/"
    with ExitStack() as stack:
        old = stack.enter_context(source(args.old, top))
        new = stack.enter_context(source(args.new, top)) if args.new is not None else checkout(args.dir) / "spec"
        try:
            report = _report(_read(named[0], old), _read(named[1], new))
        except Failed as error:
            complain(str(error))
            return Exit.UNJUDGED
    if args.format == "json":
        say_json(as_json(report, named))
    else:
        say(*(as_markdown(report) if args.format == "markdown" else as_text(report, named)))
    fails = args.fail_on != "never" and verdict_of(report) >= Level[args.fail_on.upper()]
    return Exit.NO if fails else Exit.OK


def _read(named: str, spec: Path) -> Contract:
    return sound_contract(spec, f"{named} cannot be compared")


def _report(old: Contract, new: Contract) -> DiffReport:
    from paywright_cli.commands.contract_package import judge_of
    from paywright_codegen.diff.report import compared
    from paywright_codegen.diff.search import Party

    return compared(Party(old, judge_of(old)), Party(new, judge_of(new)))


def _released(top: Path, named: str | None) -> int:
    """Compare version and changelog with what changed since a release: a tag or a wheel."""
    from paywright_codegen.diff.report import newest, too_little, version_in
    from paywright_runtime.version import VERSION

    named = newest(tags(top)) if named is None else named
    if named is None:
        say("no tag such as v0.1.0 is in this repository: there is no release to compare version and CHANGELOG.md with")
        return Exit.OK
    name = Path(named).name
    try:
        version = ".".join(map(str, version_in(name)))
        changelog = (top / "CHANGELOG.md").read_text(encoding="utf-8")
    except OSError as error:
        raise Usage(f"{error.filename}: {error.strerror}") from None
    except ValueError as error:
        raise Usage(str(error)) from None
    with source(named, top) as folder:
        report = _report(_read(named, folder), _read("spec/", top / "spec"))
    missing = too_little(report, version, VERSION, changelog)
    for one in missing:
        complain(one)
    if missing:
        raise Failed(f"version or changelog say less than what changed since {version}: see `paywright contract diff`")
    say(f"version {VERSION} and CHANGELOG.md say what changed since {version}")
    return Exit.OK
