"""`python -m paywright_cli.spark_submit`: the audit of a table on Spark, with the options and exit codes of `paywright audit`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from paywright_audit.input.addresses import check_address
from paywright_audit.input.errors import AuditError, AuditSetupError
from paywright_cli.commands.audit import add_options, publish, reports_and_findings, settings_of
from paywright_cli.common.exit_codes import AuditExit, Exit, audit_exit
from paywright_cli.common.parser import Parser
from paywright_cli.common.terminal import complain
from paywright_runtime.errors import ConfigurationError, InvalidArgument

if TYPE_CHECKING:

    from paywright_audit.spark.frames import Frame

_WORDS = """\
TABLE is a table of the catalog (`payments.traffic`), a path or an address of Parquet files (`s3a://bucket/traffic/`), or a
format with a path as Spark SQL writes it (delta.`s3a://bucket/traffic`). The session is that of spark-submit. Reports are
written where this program runs.

exit codes: 0 no finding that fails (see --fail-on), 1 findings, 2 usage, 3 some of the rows could not be read (what could be
was judged; if the engine ended the work, nothing is reported), 4 nothing was proven (see --require)
"""


class _Session(Protocol):
    @property
    def read(self) -> _SparkReader: ...

    def table(self, tableName: str) -> Frame: ...


class _SparkReader(Protocol):
    def parquet(self, *paths: str) -> Frame: ...


def build_parser() -> Parser:
    """Return the command line."""
    about = "Check captured traffic in a table of Spark against the contract."
    parser = Parser(prog="python -m paywright_cli.spark_submit", description=about, epilog=_WORDS)
    parser.takes("TABLE", "the table, as below")
    parser.takes("--where SQL", "which rows: a condition such as \"day = '2026-06-01'\"")
    add_options(parser)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code. No error of Spark reaches the terminal as a traceback."""
    args = build_parser().parse_args(arguments)
    try:
        return _submit(args)
    except (AuditSetupError, ConfigurationError, InvalidArgument) as error:
        complain(str(error))
        return Exit.USAGE
    except AuditError as error:
        complain(str(error))
        return AuditExit.UNREADABLE


def _submit(args: argparse.Namespace) -> int:
    check_address(args.table)  # before Spark, whose log has it
    reports, findings = reports_and_findings(args)
    if findings is not None:
        raise AuditSetupError(
            "on Spark every finding is in a DataFrame: audit_dataframe(...).findings (docs/audit-at-scale.md)"
        )
    settings = settings_of(args)
    try:
        # Imported here, so that --help and a wrong option need neither.
        from paywright_audit.spark.dataframe import audit_dataframe
        from paywright_audit.spark.frames import guarded

        builder = import_module("pyspark.sql").SparkSession.builder
    except ImportError:
        raise AuditSetupError("this needs an extra of the installation: pip install 'paywright[spark]'") from None
    with guarded():
        session = cast(_Session, builder.getOrCreate())
        place = "/" in args.table and "`" not in args.table
        frame = session.read.parquet(args.table) if place else session.table(args.table)
        if args.where:
            frame = frame.filter(args.where)
    audited = audit_dataframe(frame, settings, files=[args.table])
    report = audited.report
    publish(args, report, reports)
    with guarded("The report is complete"):
        audited.release()
    return audit_exit(report)


if __name__ == "__main__":
    sys.exit(main())
