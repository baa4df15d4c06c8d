"""`paywright contract diff`: what changed between two contracts, and who can break by it."""

from __future__ import annotations

import argparse
from contextlib import nullcontext
from pathlib import Path

from paywright_cli.commands.contract_reading import checkout, nearest, sound_contract, source, tags
from paywright_cli.common.exit_codes import Exit
from paywright_cli.common.parser import Parser
from paywright_cli.common.terminal import Failed, Usage, complain, need, say

_ABOUT = """\
Compare two contracts. OLD and NEW are each a folder, a git revision, a wheel, or the word `installed`; without NEW
it is the contract of the checkout. Each change has two verdicts, on the wire and in outcome; what breaks in Python
stands behind them. The lines that begin with `- ` are for a changelog.

exit codes: 0 the verdict is below major; 1 it is major; 2 there is no such contract; 3 a contract has problems
"""


def fill(parser: Parser) -> None:
    """Add what `contract diff` takes."""
    parser.description = _ABOUT
    parser.takes("OLD", "folder, git revision, wheel, or `installed`", nargs="?")
    parser.takes("NEW", "the same (default: the contract of the checkout)", nargs="?")
    says = "exit 1 if version and CHANGELOG.md say less than what changed since OLD, by default the newest tag such as v0.1.0"
    parser.takes("--released", says)
    parser.set_defaults(run=_diff)


def _diff(args: argparse.Namespace) -> int:
    need("codegen")
    from paywright_cli.commands.contract_package import judge_of
    from paywright_codegen.diff.report import as_text, compared, newest, too_little, verdict_of, version_in
    from paywright_codegen.diff.table import Level
    from paywright_codegen.diff.witnesses import Party
    from paywright_runtime.version import VERSION

    if args.released and args.new is not None:
        raise Usage("--released compares the contract of the checkout: give no NEW")
    named = newest(tags(checkout(args.dir))) if args.released and args.old is None else args.old
    if named is None and args.released:
        say("no tag such as v0.1.0 is in this repository: there is no release to compare version and CHANGELOG.md with")
        return Exit.OK
    if named is None:
        raise Usage("name the contract to compare with: a folder, a git revision, a wheel, or `installed`")
    since = version_in(Path(named).name) if args.released else None
    if args.released and since is None:
        raise Usage(f"{Path(named).name!r} has no version in its name, such as v0.1.0")
    names, top = (named, args.new or "spec/"), args.dir if args.dir is not None else nearest()
    newer = source(args.new, top) if args.new is not None else nullcontext(checkout(args.dir) / "spec")
    with source(named, top) as old, newer as new:
        try:
            sides = [*map(sound_contract, (old, new), (f"{name} cannot be compared" for name in names))]
        except Failed as error:
            complain(str(error))
            return Exit.UNJUDGED
    report = compared(*(Party(side, judge_of(side)) for side in sides))
    if since is None:
        say(*as_text(report, names))
        return Exit.NO if verdict_of(report) is Level.MAJOR else Exit.OK
    changelog = (checkout(args.dir) / "CHANGELOG.md").read_text(encoding="utf-8")
    missing = too_little(report, since, VERSION, changelog)
    for one in missing:
        complain(one)
    if missing:
        raise Failed(f"version or changelog say less than what changed since {since}: see `paywright contract diff`")
    say(f"version {VERSION} and CHANGELOG.md say what changed since {since}")
    return Exit.OK
