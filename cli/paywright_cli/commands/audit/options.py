"""Options that `paywright audit` and the program for Spark share.

A wrong option raises `AuditSetupError`; each program prints it.
"""

from __future__ import annotations

import argparse
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from paywright_audit.input.addresses import check_address, is_address
from paywright_audit.input.errors import AuditSetupError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

    from paywright_audit.report.model import Report
    from paywright_audit.settings.audit_settings import AuditSettings

# All else is imported when a program runs, so that `paywright --help` starts fast.

__all__ = ["add_options", "reports_and_findings", "settings_of", "write_baseline_of"]


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
