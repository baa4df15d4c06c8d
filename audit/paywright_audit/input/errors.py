"""Errors of the audit.

Their messages contain names of files and our own words, but nothing of the judged messages.
"""

from __future__ import annotations


class AuditError(Exception):
    """Base of the audit's errors, after which there is no report."""


class AuditSetupError(AuditError):
    """A configuration, a baseline, an output file or an extra is wrong. The message says which and why."""


class WorkerDied(AuditError):
    """A process that judged a part of the input was killed or ran out of memory. There is no result."""


class DiskFull(AuditError):
    """The temporary database of the rules across exchanges cannot be written. The message is SQLite's."""


class OtherVersion(AuditError):
    """A pickled partial result is from another release. The message names both releases."""
