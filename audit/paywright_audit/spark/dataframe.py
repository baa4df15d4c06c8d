"""Audit a DataFrame: judge its rows on the executors, relate the rows of each key after a shuffle, and merge the results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Generic, cast

import pyarrow as pa

from paywright_audit.cross_exchange.history.related_rows import Round
from paywright_audit.cross_exchange.run_rules import rounds
from paywright_audit.input.records import Unreadable
from paywright_audit.input.tables.table_reader import chosen
from paywright_audit.input.tables.table_schema import Columns, NoTable, needed
from paywright_audit.report.build_report import FindingView, build_report
from paywright_audit.report.model import Report
from paywright_audit.result.partial_result import PartialResult
from paywright_audit.settings.audit_settings import DEFAULT, AuditSettings
from paywright_audit.spark.frames import Frame, FrameT, guarded, shared
from paywright_audit.spark.stages import (
    FINDING,
    FINDING_SCHEMA,
    PARTIAL,
    STAGE_SCHEMA,
    finding_stage,
    judge_stage,
    merge_stage,
    merged,
    relate_stage,
)

_ROWS: Final = 50_000
"""Rows that a task relates on average."""
_MOST_TASKS: Final = 20_000
_MERGING: Final = 16  # tasks that merge partial results before the driver does


class Audited(Generic[FrameT]):
    """The report, and all findings as a DataFrame.

    `findings` has a row for every finding, with the columns of docs/audit.md, "Every finding"; `at` and `other_at` are timestamps.
    It is computed when it is used, from the judged rows, which the engine keeps until `release`.
    """

    def __init__(self, report: Report, findings: FrameT, kept: FrameT) -> None:
        self.report = report
        self.findings = findings
        self._kept = kept

    def release(self) -> None:
        """Drop the judged rows from the engine. `findings` then judges them again if it is used."""
        self._kept.unpersist()


def audit_dataframe(df: FrameT, settings: AuditSettings = DEFAULT, *, files: Sequence[str] = ()) -> Audited[FrameT]:
    """Judge the captured traffic in a DataFrame against the contract, on the executors of its session.

    The report is that of `audit_files` over the same rows, byte for byte. This call computes it, in two jobs; only partial
    results reach the driver. Keys are sent to the executors as a broadcast, and are in no plan and no log.

    Args:
        df: rows with the columns that `paywright audit --schema` prints. Without the columns `file` and `place`, findings have
            no place, but a key by which the merchant finds the row.
        settings: keys, names, limits, and how findings are judged.
        files: the inputs that the report lists, beside the files that the rows name.

    Raises:
        EngineFailed: the engine ended the work. There is no report.
    """
    with guarded():
        why = _problem(df, settings.columns)
        frame = df.limit(0) if why else _chosen(df, needed(df.columns, settings.columns))
        judged = frame.mapInArrow(judge_stage(shared(df, settings)), STAGE_SCHEMA).persist()
        total = _collected(judged, settings.evidence)
        if why:
            total.break_off("", Unreadable("", why))
        related = _related(judged, total, settings)
        total.merge(_collected(related, settings.evidence), settings.evidence)
        found = judged.filter(f"round = {FINDING}").union(related.filter(f"round = {FINDING}"))
        shown = FindingView(total, settings)
        findings = found.mapInArrow(finding_stage(shown), FINDING_SCHEMA)
    return Audited(build_report(total, settings, files, shown), findings, judged)


def _problem(df: Frame, columns: Columns) -> str:
    """Return why a DataFrame cannot be read as captured traffic; "" if it can."""
    try:
        # Of the needed columns only, because the engine may not convert the types of others to Arrow.
        names = needed(df.columns, columns)
        chosen(_chosen(df, names).limit(0).toArrow() if names else pa.table({}), columns)
    except NoTable as why:
        return str(why)
    return ""


def _chosen(df: FrameT, names: Sequence[str]) -> FrameT:
    return df.select(*(f"`{name.replace('`', '``')}`" for name in names))


def _related(judged: FrameT, total: PartialResult, settings: AuditSettings) -> FrameT:
    """Relate rows in all rounds; return the partial results and findings."""
    whole = total.whole(settings)
    relating = shared(judged, (whole, settings))
    tasks = min(_MOST_TASKS, total.rows // _ROWS + 1)

    def related(frame: FrameT, round_: Round) -> FrameT:
        return frame.repartition(tasks, "bucket").mapInArrow(relate_stage(relating, round_), STAGE_SCHEMA)

    frame = judged.filter(f"round = {int(Round.SUBJECT)}")
    for round_ in rounds(whole.wanted):
        if round_ is Round.ALIAS:  # few rows, so that the others need no shuffle more
            frame = frame.union(related(judged.filter(f"round = {int(round_)}"), round_))
        else:
            frame = related(frame, round_)
    return frame


def _collected(frame: Frame, kept: int) -> PartialResult:
    """Merge the partial results of a frame, first on the executors."""
    partials = frame.filter(f"round = {PARTIAL}").repartition(_MERGING)
    rows = partials.mapInArrow(merge_stage(kept), STAGE_SCHEMA).select("payload").collect()
    return merged((bytes(cast("bytes", row[0])) for row in rows), kept)
