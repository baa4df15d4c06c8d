"""Runs `python -m paywright_cli.spark_submit` and kills a process of the engine with -9 while a stage runs:

`python -m tests.audit.helpers.killed_submit WHO STAGE TIMES MARKER ...`. WHO is `worker` (the Python process of a task),
`executor` (its JVM in a cluster), `engine` (the JVM that is driver and executor in local mode) or `driver` (this process); STAGE is
`judge_stage` or `relate_stage`, TIMES `once` or `always`. The file MARKER says that it was done.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any

from paywright_audit.spark import dataframe as internals
from paywright_cli.spark_submit import main

__all__ = ["WHO", "killing"]

WHO = {"worker": b"", "executor": b"CoarseGrainedExecutorBackend", "engine": b"java", "driver": b"killed_submit"}
"""What stands in the command line of the process; "" for that of the task itself."""


def killing(make: Callable[..., Any], who: str, once: bool, marker: str) -> Callable[..., Any]:
    """The function that makes a stage, whose tasks kill a process when their first batch is there."""

    @wraps(make)
    def made(*given: object) -> Any:
        stage = make(*given)

        def run(batches: Iterator[Any]) -> Iterator[Any]:
            for batch in stage(batches):
                yield batch
                try:
                    os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
                except FileExistsError:
                    if once:
                        continue
                os.kill(_found(WHO[who]), signal.SIGKILL)

        return run

    return made


def _found(words: bytes) -> int:
    """The nearest process, from this one upwards, whose command line has some words."""
    process = os.getpid()
    while words not in Path(f"/proc/{process}/cmdline").read_bytes():
        status = Path(f"/proc/{process}/status").read_text()
        process = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("PPid:"))
    return process


if __name__ == "__main__":
    who, stage, times, marker, *arguments = sys.argv[1:]
    internals._ROWS = 500  # so that rows are related by several tasks
    setattr(internals, stage, killing(getattr(internals, stage), who, times == "once", marker))
    sys.exit(main(arguments))
