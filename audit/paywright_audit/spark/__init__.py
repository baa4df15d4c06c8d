"""Audit captured traffic in a DataFrame of Apache Spark, without moving it.

`audit_dataframe` needs pyarrow where it is called, and this package on every executor: see docs/audit-at-scale.md.
`python -m paywright_cli.spark_submit` is the same as a program for spark-submit. Only the names of this module are public.
"""

from __future__ import annotations

from paywright_audit.spark.dataframe import Audited, audit_dataframe
from paywright_audit.spark.frames import EngineFailed, Frame

__all__ = ["Audited", "EngineFailed", "Frame", "audit_dataframe"]
