"""The policy by which findings become a report: severities, suppressions, the baseline, and what must have been judged."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import NamedTuple

from paywright_audit.judging.findings import Severity
from paywright_audit.settings.config import Config

__all__ = ["REQUIRED", "ReportPolicy"]

REQUIRED = ("exchanges", "bodies", "signatures", "times")
"""What must have been judged at all, unless a setting says less."""


class ReportPolicy(NamedTuple):
    """How findings are judged.

    `known` is the baseline (None: there is none), `today` the day that decides which suppressions have expired, and
    `required` what must have been judged: some of `exchanges`, `bodies`, `signatures` and `times`.
    """

    config: Config
    known: Mapping[str, int] | None
    fail_on: Severity
    today: date
    required: tuple[str, ...] = REQUIRED
