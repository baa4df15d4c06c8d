"""The command `paywright audit`: check captured traffic of any integration, in any language, against the contract.

The program for Spark has the same options. A wrong option raises `AuditSetupError`; each program prints it.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from paywright_audit import audit_files, write_report
from paywright_audit.cross_exchange.rules.timing import SLACK
from paywright_audit.input.addresses import check_address, is_address
from paywright_audit.input.errors import AuditSetupError, DiskFull, WorkerDied
from paywright_audit.input.tables.table_schema import schema_lines
from paywright_audit.judging.findings import Severity
from paywright_audit.judging.values import Showing
from paywright_audit.report.lines import json_lines
from paywright_audit.report.model import Report
from paywright_audit.report.text import text_lines
from paywright_audit.report.writers import writer_of
from paywright_audit.settings.audit_settings import REQUIRED, AuditSettings
from paywright_audit.settings.config import load_baseline, load_config, write_baseline
from paywright_audit.settings.whole_files import check_writable
from paywright_cli.commands.key_reading import named_public_key
from paywright_cli.common.exit_codes import AuditExit, audit_exit
from paywright_cli.common.options import add_format
from paywright_cli.common.parser import Parser
from paywright_cli.common.terminal import Usage, complain, paint, say, say_json


def add_options(parser: Parser) -> None:
    """Add the options to a command line."""
    takes, several = parser.takes, {"action": "append", "default": []}
    for side, whose in (("merchant", ", who signs requests"), ("gateway", ", which signs answers and notifications")):
        words = f"a public key of the {side}{whose}; NAME binds it to an appId, merchantNo or partner; may be given several times"
        takes(f"--{side}-key [NAME=]FILE", words, **several)
    words = "the path of an operation, if the specification does not show it or yours differs"
    takes("--path OPERATION=PATH", words, type=_path, **several)
    words = "name of a column in your tables (a.b for a path into structs); nothing after = if they have no such column"
    takes("--column NAME=COLUMN", words, type=_column, **several)
    add_format(parser, "what is printed: text (default) or json")
    words = "also write the whole report to a file: .json or .html; or every finding as JSON lines: .jsonl; may be given several times"
    takes("--write FILE", words, **several)
    takes("--config FILE", "severities of rules, in TOML", type=Path)
    takes("--baseline FILE", "known findings: only others fail", type=Path)
    takes("--write-baseline FILE", "write the findings of this run as a baseline", type=Path)
    words = "the least severity that makes the audit fail (default warning)"
    takes("--fail-on", words, choices=("error", "warning", "note"), default="warning")
    words = "parts that must have been judged, else the exit code is 4: some of exchanges,bodies,signatures,times, or none (default: all)"
    takes("--require WHAT", words, type=_required, default=REQUIRED)
    words = "seconds by which the times of the capture may be wrong, for rules across exchanges (default 10)"
    takes("--clock-slack SECONDS", words, type=float, default=SLACK)
    takes("--complete", "the capture is complete: an exchange that it lacks, such as an inquiry, did not happen")
    takes(
        "--evidence N", "findings shown of one kind in one place, the first by time (default 10)", type=int, default=10
    )
    takes("--values", "show values, except those that the contract classes as secret or personal, and card numbers")
    takes("--reveal", "also show personal data and unknown members; never secrets or card numbers")


def settings_of(args: argparse.Namespace) -> AuditSettings:
    """Return the settings of the options; read the keys and files that they name. Raises `AuditSetupError` and `ConfigurationError`."""
    return AuditSettings(
        merchant_keys=_keys(args.merchant_key),
        gateway_keys=_keys(args.gateway_key),
        paths=dict(args.path),
        columns=dict(args.column),
        config={} if args.config is None else load_config(args.config),
        baseline=None if args.baseline is None else load_baseline(args.baseline),
        fail_on=Severity(args.fail_on),
        require=args.require,
        clock_slack=args.clock_slack,
        complete=args.complete,
        evidence=args.evidence,
        showing=Showing.REVEALED if args.reveal else Showing.REDACTED if args.values else Showing.NOTHING,
    )


def reports_and_findings(args: argparse.Namespace) -> tuple[list[Path], Path | None]:
    """Return the files of `--write` for reports, and the one for all findings.

    Raises `AuditSetupError` if one cannot be written, before the audit takes its time.
    """
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


def publish(args: argparse.Namespace, report: Report, files: list[Path]) -> None:
    """Print a report as `--format` asks for it, and write it to files, and a baseline if it is asked for. Raises `AuditSetupError`."""
    try:
        if args.format == "json":
            for line in json_lines(report):
                say_json(line)
        else:
            say(*text_lines(report, paint), flush=True)
    finally:
        for file in files:
            write_report(file, report)
        if args.write_baseline is not None:
            write_baseline(args.write_baseline, {group.id: group.count for group in report.groups})


def _required(text: str) -> tuple[str, ...]:
    names = tuple(name for name in text.split(",") if name != "none")
    if not set(names) <= set(REQUIRED) or (names and "none" in text.split(",")):
        raise argparse.ArgumentTypeError(f"none, or some of {','.join(REQUIRED)}")
    return names


def _column(text: str) -> tuple[str, str | None]:
    name, equals, column = text.partition("=")
    if not equals or not name:
        words = "NAME=COLUMN, such as at=captured_at, or NAME= for a column that the tables do not have"
        raise argparse.ArgumentTypeError(words)
    return name, column or None


def _path(text: str) -> tuple[str, str]:
    name, equals, path = text.partition("=")
    if not equals or not path.startswith("/"):
        raise argparse.ArgumentTypeError("OPERATION=PATH, such as cases.inquire=/api/cases")
    return name, path


def _keys(given: list[str]) -> list[tuple[str, RSAPublicKey]]:
    """Load keys, each with the name of the merchant it is for, "" for all.

    An argument that is a file's name has no merchant.
    """
    found = []
    for text in given:
        name, equals, file = text.partition("=")
        if not equals or os.path.exists(text):
            name, file = "", text
        found.append((name, named_public_key(file)))
    return found


_WORDS: Final = """\
FILE holds capture records (JSON lines, as `paywright sandbox log` writes them), or HAR 1.2; plain, gzip
or zstd; - is standard input. Or it is a table in Parquet, or a directory of them (which needs pip install 'paywright[parquet]'); --schema
prints its columns, which flat JSON lines may have too. Exchanges outside the contract are counted and skipped. No value of a message is
printed unless --values or --reveal asks for it.

examples:
  paywright audit session.jsonl --merchant-key merchant.pub --gateway-key gateway.pub
  paywright sandbox log | paywright audit - --merchant-key shop/keys/merchant.pub --gateway-key shop/keys/gateway.pub
  paywright audit traffic.har --path cases.inquire=/api/cases --format json
  paywright audit traffic/ --column at=captured_at --column request_body=req.raw
  paywright audit monday.jsonl.gz tuesday.jsonl.gz --jobs 2 --config audit.toml --write audit.json

--format json prints JSON lines. Each has a `type`:
  finding     file, place (such as "line 7"), operation, part (request, response, notification, answer), pointer
              (@header/NAME for a header, @status for the HTTP status), code, message, severity, contract, at, new,
              by (merchant, gateway or ""), value if asked for, and of a finding across exchanges other (file, place, at)
  note        the same, for information: no finding, such as a field that the contract does not have
  unreadable  file, place, message
  summary     the last line: v, judged (bodies of bodies_of, signatures, times; nothing, apart, blind),
              exchanges, matched, unmatched, unreadable, unanswered, unjudged, copies, findings, signatures (valid,
              invalid, unverifiable, absent), unverifiable (by reason), operations (exchanges of each), errors, warnings,
              notes, known, failing, rules (code, severity, by, count, known, operations), groups (id,
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
    "would be incomplete. Make room, or name another folder with TMPDIR, and run it again."
)
_DIED: Final = (
    "a process that judged a part of the input has ended: it was killed, or had no memory left. Nothing is reported, because "
    "the result would be incomplete. Run it again with fewer --jobs."
)


def fill(parser: Parser) -> None:
    """Add what `audit` takes."""
    parser.epilog = _WORDS
    parser.takes("FILE", "a capture file; - is standard input", dest="files", nargs="+")
    add_options(parser)
    parser.prints("--schema", "print the columns of a table of captured traffic, and exit", schema_lines)
    parser.takes("--jobs N", "number of processes; 0 is one per core (default 1)", type=int, default=1)
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
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
    reports, findings = reports_and_findings(args)
    jobs = args.jobs or min(os.cpu_count() or 1, 256)
    report = audit_files(args.files, settings_of(args), jobs=jobs, findings=findings)
    publish(args, report, reports)
    return report
