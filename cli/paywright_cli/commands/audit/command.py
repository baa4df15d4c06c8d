"""`paywright audit`: check captured traffic of any integration, in any language, against the contract."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from paywright_cli.commands.audit.options import add_options, reports_and_findings, settings_of, write_baseline_of
from paywright_cli.common.exit_codes import AuditExit, audit_exit
from paywright_cli.common.parser import HelpFormatter
from paywright_cli.common.terminal import Usage, complain, paint, say, say_json

if TYPE_CHECKING:
    from paywright_audit.report.model import Report

    Groups = argparse._SubParsersAction[argparse.ArgumentParser]

# Of the audit, only its options are imported before the command runs, so that other commands start faster.

__all__ = ["print_report", "register"]

_WORDS: Final = """\
FILE holds capture records (JSON lines, as `paywright sandbox log` writes them), or HAR 1.2; plain, gzip
or zstd; - is standard input. Or it is a table in Parquet, a directory of them, or an address such as s3://bucket/prefix
(which needs pip install 'paywright[parquet]'); --schema prints its columns. Exchanges outside the contract are counted and skipped. No value of a message
is printed unless --values or --reveal asks for it.

examples:
  paywright audit session.jsonl --merchant-key merchant.pub --gateway-key gateway.pub
  paywright sandbox log | paywright audit - --merchant-key shop/keys/merchant.pub --gateway-key shop/keys/gateway.pub
  paywright audit traffic.har --path cases.inquire=/api/cases --format json
  paywright audit s3://bucket/traffic/ --column at=captured_at --column request_body=req.raw
  paywright audit monday.jsonl.gz tuesday.jsonl.gz --jobs 2 --config audit.toml --write audit.json

--format json prints JSON lines. Each has a `type`:
  finding     file, place (such as "line 7"), operation, part (request, response, notification, answer), pointer
              (@header/NAME for a header, @status for the HTTP status), code, message, severity, contract, at, new,
              by (merchant, gateway or ""), value if asked for, and of a finding across exchanges other (file, place, at)
  note        the same, for information: no finding, such as a field that the contract does not have
  unreadable  file, place, message
  summary     the last line: v, judged (bodies, signatures, times, each with how many of how many; nothing, apart, blind),
              exchanges, matched, unmatched, unreadable, unanswered, unjudged, copies, findings, signatures (valid,
              invalid, unverifiable, absent), unverifiable (by reason), operations (exchanges of each), errors, warnings,
              notes, suppressed, known, failing, rules (code, severity, by, count, known, operations), groups (id,
              severity, count, known, shown)
While v is 1, members may be added, and none changes.
--evidence limits how many findings of one kind in one place are shown; counts are always exact.
Codes are those of `paywright validate`, and the audit's own rules: see docs/audit.md.

A signature is unverifiable, which is a note, if the capture lost the bytes that were signed, or no key was given.

exit codes: 0 no finding that fails (see --fail-on), 1 findings, 2 usage, 3 some of the input could not be read (the rest
was judged; nothing is reported if processes of --jobs kept dying or temporary files had no room), 4 nothing
was proven: no exchange of the contract, or no body, no signature or no time in it that could be judged (see --require)
"""

_FULL: Final = (
    "the temporary files of the rules across exchanges could not be written ({}). Nothing is reported, because the result "
    "would be incomplete. Make room, name another folder with --temp-dir or TMPDIR, or raise --temp-limit, and run it again."
)
_DIED: Final = (
    "a process that judged a part of the input has ended: it was killed, or had no memory left. Nothing is reported, because "
    "the result would be incomplete. Run it again with fewer --jobs."
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
    add_options(parser)
    add("--schema", action=_PrintSchema, help="print the columns of a table of captured traffic, and exit")
    add("--jobs", metavar="N", type=int, default=1, help="number of processes; 0 is one per core (default 1)")
    add("--temp-dir", metavar="DIR", type=Path, help="the folder of temporary files (default: the system's)")
    words = "limit of temporary files, such as 500M or 20G; the audit ends above it"
    add("--temp-limit", metavar="SIZE", help=words)
    parser.set_defaults(run=_run)


class _PrintSchema(argparse.Action):
    """Prints the columns, and exits as --help does."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, dest=argparse.SUPPRESS, default=argparse.SUPPRESS, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from paywright_audit.input.tables.table_schema import schema_lines

        for line in schema_lines():
            say(line)
        parser.exit()


def _run(args: argparse.Namespace) -> int:
    from paywright_audit.input.errors import AuditSetupError, DiskFull, WorkerDied

    try:
        return audit_exit(_audit(args))
    except AuditSetupError as error:
        raise Usage(str(error)) from None
    except WorkerDied:
        complain(_DIED)
    except DiskFull as full:
        complain(_FULL.format(full))
    return AuditExit.UNREADABLE


def _audit(args: argparse.Namespace) -> Report:
    from paywright_audit import audit_files, write_report
    from paywright_cli.commands.audit.progress import watched

    reports, findings = reports_and_findings(args)
    settings = settings_of(args)
    disk: list[int] = []
    with watched(_bytes(args.files)) as progress:
        report = audit_files(
            args.files,
            settings,
            jobs=args.jobs or min(os.cpu_count() or 1, 256),
            progress=progress,
            temp_dir=args.temp_dir,
            temp_limit=None if args.temp_limit is None else _size(args.temp_limit),
            on_disk=disk.append,
            findings=findings,
        )
    if args.temp_dir or args.temp_limit:
        complain(f"temporary files took up to {max(1, disk[0] // 1_000_000)} MB")
    print_report(report, args.format)
    for file in reports:
        write_report(file, report)
    write_baseline_of(args, report)
    return report


def print_report(report: Report, form: str) -> None:
    """Print a report as `--format` asks for it."""
    from paywright_audit.report.lines import json_lines
    from paywright_audit.report.text import text_lines

    if form == "json":
        for line in json_lines(report):
            say_json(line)
    else:
        say(*text_lines(report, paint))


def _size(given: str) -> int:
    """Return a number of bytes, which may be written with K, M, G or T for powers of a thousand."""
    unit = _UNITS.get(given[-1:].upper())
    digits = given if unit is None else given[:-1]
    if not (digits.isascii() and digits.isdigit() and len(digits) < 16):
        raise Usage("--temp-limit is a number of bytes, such as 500M or 20G")
    return int(digits) * (unit or 1)


_UNITS: Final = {"K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def _bytes(files: list[str]) -> int:
    try:
        return sum(Path(file).stat().st_size for file in files)
    except (OSError, ValueError):
        return 0
