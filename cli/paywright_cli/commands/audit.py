"""The command `paywright audit`: check captured traffic of any integration, in any language, against the contract.

The program for Spark has the same options. A wrong option raises `AuditSetupError`; each program prints it.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from paywright_audit.input.addresses import check_address, is_address
from paywright_audit.input.errors import AuditSetupError
from paywright_cli.common.exit_codes import AuditExit, audit_exit
from paywright_cli.common.parser import HelpFormatter
from paywright_cli.common.terminal import Usage, complain, paint, say, say_json

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

    from paywright_audit.report.model import Report
    from paywright_audit.settings.audit_settings import AuditSettings

# All else is imported when a program runs, so that `paywright --help` starts fast.


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options to a command line."""
    add = parser.add_argument
    for side, whose in (
        ("merchant", "the merchant, who signs requests"),
        ("gateway", "the gateway, which signs answers and notifications"),
    ):
        words = f"a public key of {whose}; NAME binds it to an appId, merchantNo or partner; may be given several times"
        add(f"--{side}-key", metavar="[NAME=]FILE", action="append", default=[], help=words)
    words = "the path of an operation, if the specification does not show it or yours differs"
    add("--path", metavar="OPERATION=PATH", action="append", default=[], help=words)
    words = "name of a column in your tables (a.b for a path into structs); nothing after = if they have no such column"
    add("--column", metavar="NAME=COLUMN", action="append", default=[], help=words)
    add("--format", choices=("text", "json"), default="text", help="what is printed: text (default) or json")
    words = "also write the whole report to a file: .json, .html or .sarif; or every finding as JSON lines: .jsonl; may be given several times"
    add("--write", metavar="FILE", action="append", default=[], help=words)
    add("--config", metavar="FILE", type=Path, help="severities and suppressions, in TOML")
    add("--baseline", metavar="FILE", type=Path, help="known findings: only others fail")
    add("--write-baseline", metavar="FILE", type=Path, help="write the findings of this run as a baseline")
    words = "the least severity that makes the audit fail (default warning)"
    add("--fail-on", choices=("error", "warning", "note"), default="warning", help=words)
    words = "parts that must have been judged, else the exit code is 4: some of exchanges,bodies,signatures,times, or none (default: all)"
    add("--require", metavar="WHAT", default=None, help=words)
    words = "seconds by which the times of the capture may be wrong, for rules across exchanges (default 10)"
    add("--clock-slack", metavar="SECONDS", type=float, default=None, help=words)
    words = "the capture is complete: an exchange that it lacks, such as an inquiry, did not happen"
    add("--complete", action="store_true", help=words)
    add("--evidence", metavar="N", type=int, default=10, help="findings shown of one kind in one place (default 10)")
    words = "chooses which findings are shown if there are more; the same seed shows the same ones"
    add("--seed", default="", metavar="TEXT", help=words)
    add("--today", metavar="DATE", help="the day that decides which suppressions have expired (default: today in UTC)")
    words = "show values, except those that the contract classes as secret or personal, and card numbers"
    add("--values", action="store_true", help=words)
    words = "also show personal data and unknown members; never secrets or card numbers"
    add("--reveal", action="store_true", help=words)


def settings_of(args: argparse.Namespace) -> AuditSettings:
    """Return the settings of the options; read the keys and files that they name. Raises `AuditSetupError` and `ConfigurationError`."""
    from paywright_audit.cross_exchange.rules.timing import SLACK
    from paywright_audit.judging.findings import Severity
    from paywright_audit.judging.values import Showing
    from paywright_audit.settings.audit_settings import AuditSettings
    from paywright_audit.settings.baseline import load_baseline
    from paywright_audit.settings.config import Config, load_config
    from paywright_audit.settings.policy import REQUIRED

    return AuditSettings(
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
        complete=args.complete,
        evidence=args.evidence,
        seed=args.seed,
        showing=Showing.REVEALED if args.reveal else Showing.REDACTED if args.values else Showing.NOTHING,
    )


def reports_and_findings(args: argparse.Namespace) -> tuple[list[Path], Path | None]:
    """Return the files of `--write` for reports, and the one for all findings.

    Raises `AuditSetupError` if one cannot be written, before the audit takes its time.
    """
    from paywright_audit.report.writers import check_writable, writer_of

    for file in args.write:
        if is_address(file):
            check_address(file)
    files = [Path(file) for file in args.write]
    findings = [file for file in files if file.suffix.lower() == ".jsonl"]
    reports = [file for file in files if file not in findings]
    if len(findings) > 1:
        raise AuditSetupError("--write takes one file that ends in .jsonl")
    for file in reports:
        writer_of(file)
    for file in files:
        check_writable(file)
    if args.write_baseline is not None:
        check_writable(args.write_baseline)
    return reports, findings[0] if findings else None


def write_baseline_of(args: argparse.Namespace, report: Report) -> None:
    """Write the baseline if `--write-baseline` asks for it. Raises `AuditSetupError`."""
    from paywright_audit.settings.baseline import write_baseline

    if args.write_baseline is not None:
        found = {group.id: group.count for group in report.groups if group.suppressed is None}
        write_baseline(args.write_baseline, found)


def _required(given: str | None, every: tuple[str, ...]) -> tuple[str, ...]:
    if given is None:
        return every
    names = tuple(name for name in given.split(",") if name != "none")
    if not set(names) <= set(every) or (names and "none" in given.split(",")):
        raise AuditSetupError(f"--require is none, or some of {','.join(every)}")
    return names


def _today(given: str | None) -> date | None:
    if given is None:
        return None
    try:
        return date.fromisoformat(given)
    except ValueError:
        raise AuditSetupError("--today is a day such as 2026-12-31") from None


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
            words = "--column is NAME=COLUMN, such as at=captured_at, or NAME= for a column that the tables do not have"
            raise AuditSetupError(words)
        columns[name] = column or None
    return columns


def _paths(given: list[str]) -> dict[str, str]:
    paths = {}
    for text in given:
        name, equals, path = text.partition("=")
        if not equals or not path.startswith("/"):
            raise AuditSetupError("--path is OPERATION=PATH, such as cases.inquire=/api/cases")
        paths[name] = path
    return paths


@contextmanager
def watched(total: int) -> Iterator[Callable[[int], None] | None]:
    """Yield a function that takes the number of bytes read since its last call; None without a progress bar.

    `total` is the number of bytes, 0 if unknown.
    """
    if not sys.stderr.isatty() or find_spec("rich") is None:
        yield None
        return
    console = import_module("rich.console").Console(stderr=True)
    bars = import_module("rich.progress")
    columns = (
        bars.TextColumn("audit"),
        bars.BarColumn(),
        bars.DownloadColumn(),
        bars.TransferSpeedColumn(),
        bars.TimeRemainingColumn(),
    )
    with bars.Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("audit", total=total or None)
        yield lambda count: bar.update(task, advance=count)


if TYPE_CHECKING:
    from paywright_audit.report.model import Report

    Groups = argparse._SubParsersAction[argparse.ArgumentParser]

# Of the audit, only its options are imported before the command runs, so that other commands start faster.


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
