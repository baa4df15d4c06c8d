"""`paywright audit`: judge captured traffic of any integration, in whatever language it was written."""

from __future__ import annotations

import argparse
import os
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from paywright_tools.terminal import HelpFormatter, Usage, complain, say

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

    from paywright_tools.audit.partial import Settings
    from paywright_tools.audit.report.model import Report
    from paywright_tools.audit.settle import Terms

    Groups = argparse._SubParsersAction[argparse.ArgumentParser]

# What judges is imported when the command runs: the rest of the command line must not wait for it.

__all__ = ["register"]

CLEAN, FINDINGS, UNREADABLE, NOTHING = 0, 1, 3, 4

_WORDS: Final = """\
FILE holds capture records (JSON lines, as `paywright sandbox log` writes them), HAR 1.2 or flows of mitmproxy; plain, gzip
or zstd; - is standard input. Exchanges that are none of the contract's are counted and passed over. No value of a message
is printed unless --values or --reveal asks for it.

examples:
  paywright audit session.jsonl --merchant-key merchant.pub --gateway-key gateway.pub
  paywright sandbox log | paywright audit - --merchant-key shop/keys/merchant.pub --gateway-key shop/keys/gateway.pub
  paywright audit traffic.har --path cases.inquire=/api/cases --format json
  paywright audit monday.jsonl.gz tuesday.jsonl.gz --jobs 2 --config audit.toml --write audit.json

--format json prints JSON lines. Each has a `type`:
  finding     file, place (such as "line 7"), operation, part (request, response, notification, answer), pointer
              (@header/NAME for a header, @status for the HTTP status), code, message, severity, contract, at, new
  note        the same, of what is good to know and no finding, such as a field that the contract does not have
  unreadable  file, place, message
  summary     the last line: v, judged (bodies, signatures, times, each with how many of how many; nothing), exchanges,
              matched, unmatched, unreadable, unanswered, unjudged, copies, findings, signatures (valid, invalid,
              unverifiable, absent), unverifiable (by reason), operations (exchanges of each), errors, warnings, notes,
              suppressed, known, failing, rules (code, severity, count), groups (id, severity, count, known, shown)
Of many findings of one kind in one place, --evidence says how many are shown; counts are always exact.
Codes are those of `paywright validate`, and the rules of the audit's own: see docs/audit.md.

A signature is unverifiable, which is a note, where the capture lost the bytes that were signed, or no key was given.

exit codes: 0 no finding that fails (see --fail-on), 1 findings, 2 usage, 3 some of the input could not be read (what could
be was judged; where a process of --jobs died or the disk was full, nothing is reported), 4 nothing was proven: no exchange
of the contract, or no body, no signature or no time in it that could be judged (see --require)
"""

_FULL: Final = (
    "the temporary database of the rules across exchanges could not be written ({}). Nothing is reported, because nothing can be "
    "said of the whole. Make room, or name another folder in TMPDIR, and run it again."
)
_DIED: Final = (
    "a process that judged a part of the input has ended: it was killed, or had no memory left. Nothing is reported, because "
    "nothing can be said of the whole. Run it again with fewer --jobs."
)


def register(groups: Groups) -> None:
    """Add `audit` to the command line."""
    parser = groups.add_parser(
        "audit",
        help="judge captured traffic against the contract, signatures included",
        description="Judge captured traffic against the contract, signatures included.",
        epilog=_WORDS,
        formatter_class=HelpFormatter,
    )
    add = parser.add_argument
    add("files", metavar="FILE", nargs="+", help="a capture; - is standard input")
    for side, whose in (
        ("merchant", "the merchant, who signs requests"),
        ("gateway", "the gateway, which signs the rest"),
    ):
        words = f"a public key of {whose}; NAME binds it to an appId, merchantNo or partner; may be given several times"
        add(f"--{side}-key", metavar="[NAME=]FILE", action="append", default=[], help=words)
    words = "the address of an operation, where the specification does not show it or yours differs"
    add("--path", metavar="OPERATION=PATH", action="append", default=[], help=words)
    add("--format", choices=("text", "json"), default="text", help="what is printed: text (default) or json")
    words = "also write the whole report to a file: .json, .html or .sarif; may be given several times"
    add("--write", metavar="FILE", type=Path, action="append", default=[], help=words)
    add("--config", metavar="FILE", type=Path, help="severities and suppressions, in TOML")
    add("--baseline", metavar="FILE", type=Path, help="findings that are known: only others fail")
    add("--write-baseline", metavar="FILE", type=Path, help="write the findings of this run as a baseline")
    words = "the least severity that fails (default warning)"
    add("--fail-on", choices=("error", "warning", "note"), default="warning", help=words)
    words = "what must have been judged, else the exit code is 4: some of exchanges,bodies,signatures,times, or none (default: all)"
    add("--require", metavar="WHAT", default=None, help=words)
    words = "how many seconds the times of the capture may be wrong, in rules across exchanges (default 10)"
    add("--clock-slack", metavar="SECONDS", type=float, default=None, help=words)
    add("--evidence", metavar="N", type=int, default=10, help="findings shown of one kind in one place (default 10)")
    add("--seed", default="", metavar="TEXT", help="which of many are shown; the same seed shows the same")
    add("--today", metavar="DATE", help="the day that suppressions are held against (default: today in UTC)")
    add("--jobs", metavar="N", type=int, default=1, help="processes to share the work; 0 is one a core (default 1)")
    words = "show values, but none that the contract classes as secret or personal, and no card number"
    add("--values", action="store_true", help=words)
    add("--reveal", action="store_true", help="show persons' data and unknown members too; never secrets or cards")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    from paywright_tools.audit.baseline import write_baseline
    from paywright_tools.audit.progress import watched
    from paywright_tools.audit.report.writers import check_writable, write_report, writer_of
    from paywright_tools.audit.running import DiskFull, Given, WorkerDied, audit
    from paywright_tools.audit.settle import settle

    if args.files.count("-") > 1:
        raise Usage("standard input can be read once")
    for file in args.write:
        writer_of(file)
        check_writable(file)
    if args.write_baseline is not None:
        check_writable(args.write_baseline)
    settings = _settings(args)
    terms = _terms(args)
    given = Given.of(settings, _keys(args.merchant_key), _keys(args.gateway_key), _paths(args.path))
    try:
        with watched(_bytes(args.files)) as progress:
            partial = audit(given, args.jobs or os.cpu_count() or 1, progress)
    except WorkerDied:
        complain(_DIED)
        return UNREADABLE
    except DiskFull as full:
        complain(_FULL.format(full))
        return UNREADABLE
    report = settle(partial, settings, terms)
    _print(report, args.format)
    for file in args.write:
        write_report(file, report)
    if args.write_baseline is not None:
        found = {group.id: group.count for group in report.groups if group.suppressed is None}
        write_baseline(args.write_baseline, found)
    return _exit_code(report)


def _settings(args: argparse.Namespace) -> Settings:
    from paywright_tools.audit.across.ledger import MOST_FILES
    from paywright_tools.audit.across.timing import SLACK
    from paywright_tools.audit.partial import Settings
    from paywright_tools.audit.values import Showing

    if not 0 <= args.evidence <= 1000:
        raise Usage("--evidence is a number from 0 to 1000")
    slack = SLACK if args.clock_slack is None else args.clock_slack
    if not 0 <= slack <= 86400:
        raise Usage("--clock-slack is a number of seconds from 0 to 86400")
    if len(args.files) > MOST_FILES:
        raise Usage(f"at most {MOST_FILES} files can be audited at once: put some together")
    if not 0 <= args.jobs <= 256:
        raise Usage("--jobs is a number from 0 to 256")
    showing = Showing.REVEALED if args.reveal else Showing.REDACTED if args.values else Showing.NOTHING
    return Settings(tuple(args.files), args.evidence, args.seed, showing, slack)


def _print(report: Report, form: str) -> None:
    from paywright_tools.audit.report.lines import json_lines
    from paywright_tools.audit.report.text import text_lines

    for line in json_lines(report) if form == "json" else text_lines(report):
        say(line)


def _exit_code(report: Report) -> int:
    if report.totals.unreadable:
        return UNREADABLE
    if not report.totals.matched and "exchanges" in report.judged.required:
        return NOTHING
    if report.totals.failing:
        return FINDINGS
    return NOTHING if report.judged.required else CLEAN


def _terms(args: argparse.Namespace) -> Terms:
    from paywright_tools.audit.baseline import load_baseline
    from paywright_tools.audit.config import Config, load_config
    from paywright_tools.audit.findings import Severity
    from paywright_tools.audit.settle import REQUIRED, Terms

    config = Config() if args.config is None else load_config(args.config)
    known = None if args.baseline is None else load_baseline(args.baseline)
    return Terms(config, known, Severity(args.fail_on), _today(args.today), _required(args.require, REQUIRED))


def _required(given: str | None, every: tuple[str, ...]) -> tuple[str, ...]:
    if given is None:
        return every
    names = tuple(name for name in given.split(",") if name != "none")
    if not set(names) <= set(every) or (names and "none" in given.split(",")):
        raise Usage(f"--require is none, or some of {','.join(every)}")
    return names


def _today(given: str | None) -> date:
    if given is None:
        return datetime.now(UTC).date()
    try:
        return date.fromisoformat(given)
    except ValueError:
        raise Usage("--today is a day such as 2026-12-31") from None


def _bytes(files: list[str]) -> int:
    try:
        return sum(Path(file).stat().st_size for file in files)
    except (OSError, ValueError):
        return 0


def _keys(given: list[str]) -> list[tuple[str, RSAPublicKey]]:
    """Each key with the name of the merchant it holds for, "" for all. A file of that very name has no other."""
    from paywright_runtime.keys import load_public_key

    found = []
    for text in given:
        name, equals, file = text.partition("=")
        if not equals or Path(text).exists():
            name, file = "", text
        found.append((name, load_public_key(Path(file))))
    return found


def _paths(given: list[str]) -> dict[str, str]:
    from paywright.contract import CONTRACT

    paths = {}
    for text in given:
        name, equals, path = text.partition("=")
        if not equals or not path.startswith("/"):
            raise Usage("--path is OPERATION=PATH, such as cases.inquire=/api/cases")
        CONTRACT.operation(name)  # raises InvalidArgument, with the nearest names
        paths[name] = path
    return paths
