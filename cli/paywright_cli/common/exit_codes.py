"""Exit codes of all commands, and the decision how a call or an audit ends."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paywright_audit.report.model import Report


class Exit(IntEnum):
    """Exit codes of every command. `paywright call` and `paywright audit` have their own: see below."""

    OK = 0
    NO = 1
    """The answer is no: violations, a key that does not fit, a stale output, a request refused before sending."""
    USAGE = 2
    """The command line, a file or a setting is wrong."""
    UNJUDGED = 3
    """Something could not be judged or read: an open item of `follow`, an endpoint that accepts nothing."""
    INTERNAL = 70
    INTERRUPTED = 130


class CallExit(IntEnum):
    """Exit codes of `paywright call`, explained in its help. A signal that ends anything but a write: 128 + number."""

    OK = 0
    REFUSED_HERE = 1
    NOT_SENT = 3
    NO_ANSWER = 4
    UNKNOWN = 5
    REFUSED = 6
    UNREADABLE = 7
    OUTPUT_LOST = 8


def signal_exit(number: int) -> int:
    """Return the code of a program that a signal ended."""
    return 128 + number


class AuditExit(IntEnum):
    """Exit codes of `paywright audit` beside 2, explained in its help."""

    CLEAN = 0
    FINDINGS = 1
    UNREADABLE = 3
    NOTHING_PROVEN = 4


def call_exit(error: Exception) -> CallExit | None:
    """Return the code of a call that ended with an error; None for an error that no call raises."""
    from paywright_runtime import errors  # not for --help

    codes = {
        errors.ContractViolation: CallExit.REFUSED_HERE,
        errors.NotSent: CallExit.NOT_SENT,
        errors.NoAnswer: CallExit.NO_ANSWER,
        errors.UnreadableAnswer: CallExit.UNREADABLE,
        errors.OutcomeUnknown: CallExit.UNKNOWN,
        errors.GatewayError: CallExit.REFUSED,
    }
    return next((code for kind, code in codes.items() if isinstance(error, kind)), None)  # the first that fits


def audit_exit(report: Report) -> AuditExit:
    """Return the code of a report."""
    if report.totals.unreadable:
        return AuditExit.UNREADABLE
    if not report.totals.matched and "exchanges" in report.judged.required:
        return AuditExit.NOTHING_PROVEN
    if report.totals.failing:
        return AuditExit.FINDINGS
    return AuditExit.NOTHING_PROVEN if report.judged.required else AuditExit.CLEAN
