"""`paywright audit`: check captured traffic of any integration, in any language, against the contract."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final

from paywright_cli.common.terminal import HelpFormatter, Usage, complain, need, paint, say

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

    from paywright_audit.report.model import Report

    Groups = argparse._SubParsersAction[argparse.ArgumentParser]

# The audit is imported when the command runs, so that other commands start faster.

__all__ = ["register"]

CLEAN, FINDINGS, UNREADABLE, NOTHING = 0, 1, 3, 4

_WORDS: Final = """\
FILE holds capture records (JSON lines, as `paywright sandbox log` writes them), HAR 1.2 or flows of mitmproxy; plain, gzip
or zstd; - is standard input. Or it is a table in Parquet, a directory of them, or an address such as s3://bucket/prefix
(which needs pip install 'paywright[parquet]'); --schema prints its columns. Exchanges that are not of the contract are counted and skipped. No value of a message
is printed unless --values or --reveal asks for it.

examples:
  paywright audit session.jsonl --merchant-key merchant.pub --gateway-key gateway.pub
  paywright sandbox log | paywright audit - --merchant-key shop/keys/merchant.pub --gateway-key shop/keys/gateway.pub
  paywright audit traffic.har --path cases.inquire=/api/cases --format json
  paywright audit s3://bucket/traffic/ --column at=captured_at --column request_body=req.raw
  paywright audit monday.jsonl.gz tuesday.jsonl.gz --jobs 2 --config audit.toml --write audit.json

--format json prints JSON lines. Each has a `type`:
  finding     file, place (such as "line 7"), operation, part (request, response, notification, answer), pointer
              (@header/NAME for a header, @status for the HTTP status), code, message, severity, contract, at, new
  note        the same, for information: no finding, such as a field that the contract does not have
  unreadable  file, place, message
  summary     the last line: v, judged (bodies, signatures, times, each with how many of how many; nothing), exchanges,
              matched, unmatched, unreadable, unanswered, unjudged, copies, findings, signatures (valid, invalid,
              unverifiable, absent), unverifiable (by reason), operations (exchanges of each), errors, warnings, notes,
              suppressed, known, failing, rules (code, severity, count), groups (id, severity, count, known, shown)
--evidence limits how many findings of one kind in one place are shown; counts are always exact.
Codes are those of `paywright validate`, and the audit's own rules: see docs/audit.md.

A signature is unverifiable, which is a note, if the capture lost the bytes that were signed, or no key was given.

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
        help="check captured traffic against the contract, signatures included",
        description="Check captured traffic against the contract, signatures included.",
        epilog=_WORDS,
        formatter_class=HelpFormatter,
    )
    add = parser.add_argument
    add("files", metavar="FILE", nargs="+", help="a capture file; - is standard input")
    for side, whose in (
        ("merchant", "the merchant, who signs requests"),
        ("gateway", "the gateway, which signs answers and notifications"),
    ):
        words = f"a public key of {whose}; NAME binds it to an appId, merchantNo or partner; may be given several times"
        add(f"--{side}-key", metavar="[NAME=]FILE", action="append", default=[], help=words)
    words = "the path of an operation, if the specification does not show it or yours differs"
    add("--path", metavar="OPERATION=PATH", action="append", default=[], help=words)
    words = "what a column of ours is called in the tables (a path into structs is a.b); nothing after = says that they have none"
    add("--column", metavar="NAME=COLUMN", action="append", default=[], help=words)
    add("--schema", action=_PrintSchema, help="print the columns of a table of captured traffic, and exit")
    add("--format", choices=("text", "json"), default="text", help="what is printed: text (default) or json")
    words = "also write the whole report to a file: .json, .html or .sarif; or every finding to a table: .parquet; may be given several times"
    add("--write", metavar="FILE", type=Path, action="append", default=[], help=words)
    add("--config", metavar="FILE", type=Path, help="severities and suppressions, in TOML")
    add("--baseline", metavar="FILE", type=Path, help="known findings: only others fail")
    add("--write-baseline", metavar="FILE", type=Path, help="write the findings of this run as a baseline")
    words = "the least severity that makes the audit fail (default warning)"
    add("--fail-on", choices=("error", "warning", "note"), default="warning", help=words)
    words = "what must have been judged, else the exit code is 4: some of exchanges,bodies,signatures,times, or none (default: all)"
    add("--require", metavar="WHAT", default=None, help=words)
    words = "seconds by which the times of the capture may be wrong, for rules across exchanges (default 10)"
    add("--clock-slack", metavar="SECONDS", type=float, default=None, help=words)
    add("--evidence", metavar="N", type=int, default=10, help="findings shown of one kind in one place (default 10)")
    add(
        "--seed",
        default="",
        metavar="TEXT",
        help="chooses which findings are shown if there are more; the same seed shows the same ones",
    )
    add("--today", metavar="DATE", help="the day that decides which suppressions have expired (default: today in UTC)")
    add("--jobs", metavar="N", type=int, default=1, help="number of processes; 0 is one per core (default 1)")
    words = "show values, except those that the contract classes as secret or personal, and card numbers"
    add("--values", action="store_true", help=words)
    add(
        "--reveal",
        action="store_true",
        help="also show personal data and unknown members; never secrets or card numbers",
    )
    parser.set_defaults(run=_run)


class _PrintSchema(argparse.Action):
    """Prints the columns, and exits as --help does."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, dest=argparse.SUPPRESS, default=argparse.SUPPRESS, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from paywright_audit.input.table_schema import schema_lines

        for line in schema_lines():
            say(line)
        parser.exit()


def _run(args: argparse.Namespace) -> int:
    from paywright_audit.input.errors import AuditSetupError, DiskFull, WorkerDied

    try:
        return _exit_code(_audit(args))
    except AuditSetupError as error:
        raise Usage(str(error)) from None
    except WorkerDied:
        complain(_DIED)
    except DiskFull as full:
        complain(_FULL.format(full))
    return UNREADABLE


def _audit(args: argparse.Namespace) -> Report:
    from paywright_audit import Config, Severity, Showing, audit_files, load_baseline, load_config, write_baseline
    from paywright_audit.build_report import REQUIRED
    from paywright_audit.cross_exchange.timing import SLACK
    from paywright_audit.report.writers import check_writable, write_report, writer_of
    from paywright_cli.commands.audit.progress import watched

    tables = [file for file in args.write if file.suffix.lower() == ".parquet"]
    reports = [file for file in args.write if file not in tables]
    if len(tables) > 1:
        raise Usage("--write takes one file that ends in .parquet")
    if tables:
        need("parquet")
    for file in args.write:
        if file in reports:
            writer_of(file)
        check_writable(file)
    if args.write_baseline is not None:
        check_writable(args.write_baseline)
    with watched(_bytes(args.files)) as progress:
        report = audit_files(
            args.files,
            merchant_keys=_keys(args.merchant_key),
            gateway_keys=_keys(args.gateway_key),
            paths=_paths(args.path),
            columns=_columns(args.column),
            config=Config() if args.config is None else load_config(args.config),
            baseline=None if args.baseline is None else load_baseline(args.baseline),
            fail_on=Severity(args.fail_on),
            require=_required(args.require, REQUIRED),
            today=_today(args.today),
            clock_slack=SLACK if args.clock_slack is None else args.clock_slack,
            evidence=args.evidence,
            seed=args.seed,
            showing=Showing.REVEALED if args.reveal else Showing.REDACTED if args.values else Showing.NOTHING,
            jobs=args.jobs or min(os.cpu_count() or 1, 256),
            progress=progress,
            findings=tables[0] if tables else None,
        )
    _print(report, args.format)
    for file in reports:
        write_report(file, report)
    if args.write_baseline is not None:
        found = {group.id: group.count for group in report.groups if group.suppressed is None}
        write_baseline(args.write_baseline, found)
    return report


def _print(report: Report, form: str) -> None:
    from paywright_audit.report.lines import json_lines
    from paywright_audit.report.text import text_lines

    for line in json_lines(report) if form == "json" else text_lines(report, paint):
        say(line)


def _exit_code(report: Report) -> int:
    if report.totals.unreadable:
        return UNREADABLE
    if not report.totals.matched and "exchanges" in report.judged.required:
        return NOTHING
    if report.totals.failing:
        return FINDINGS
    return NOTHING if report.judged.required else CLEAN


def _required(given: str | None, every: tuple[str, ...]) -> tuple[str, ...]:
    if given is None:
        return every
    names = tuple(name for name in given.split(",") if name != "none")
    if not set(names) <= set(every) or (names and "none" in given.split(",")):
        raise Usage(f"--require is none, or some of {','.join(every)}")
    return names


def _today(given: str | None) -> date | None:
    if given is None:
        return None
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
    """Load keys, each with the name of the merchant it is for, "" for all.

    An argument that is a file's name has no merchant.
    """
    from paywright_runtime.signing.keys import load_public_key

    found = []
    for text in given:
        name, equals, file = text.partition("=")
        if not equals or Path(text).exists():
            name, file = "", text
        found.append((name, load_public_key(Path(file))))
    return found


def _columns(given: list[str]) -> dict[str, str | None]:
    columns: dict[str, str | None] = {}
    for text in given:
        name, equals, column = text.partition("=")
        if not equals or not name:
            raise Usage(
                "--column is NAME=COLUMN, such as at=captured_at, or NAME= for a column that the tables do not have"
            )
        columns[name] = column or None
    return columns


def _paths(given: list[str]) -> dict[str, str]:
    paths = {}
    for text in given:
        name, equals, path = text.partition("=")
        if not equals or not path.startswith("/"):
            raise Usage("--path is OPERATION=PATH, such as cases.inquire=/api/cases")
        paths[name] = path
    return paths
