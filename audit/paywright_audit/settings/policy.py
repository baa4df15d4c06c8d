"""The policy of a report: severities, suppressions, the baseline, and the parts that must be judged."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import NamedTuple

from paywright_audit.judging.findings import Severity
from paywright_audit.settings.config import Config

REQUIRED = ("exchanges", "bodies", "signatures", "times")
"""The parts that must be judged, unless a setting requires less."""


class ReportPolicy(NamedTuple):
    """Policy by which findings are judged.

    `known` is the baseline (None: there is none), `today` the day that decides which suppressions have expired, and
    `required` the parts that must be judged: some of `exchanges`, `bodies`, `signatures` and `times`. `unheld` are the parties no
    signature of which holds, once all is judged.
    """

    config: Config
    known: Mapping[str, int] | None
    fail_on: Severity
    today: date
    required: tuple[str, ...] = REQUIRED
    unheld: tuple[str, ...] = ()
