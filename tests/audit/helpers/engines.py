"""Runs programs that need an engine, in processes of their own; and skips with words what is not there."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.audit.helpers.planted_capture import Capture
from tests.support.packages import PACKAGES, TOP

__all__ = ["Pair", "need_spark", "start"]

Pair = tuple[Capture, Path]
"""A capture and the table that was written from it."""


def need_spark() -> None:
    if find_spec("pyspark") is None:
        pytest.skip("there is no PySpark: it comes with `make .venv/with-full`")
    if shutil.which("java") is None:
        pytest.skip("there is no Java for Spark: on Debian it is the package default-jre-headless")


def start(folder: Path, *command: str, **variables: str) -> tuple[int, str, str]:
    """Run a program in a process group of its own, which ends with it, servers included."""
    path = os.pathsep.join([str(TOP), PACKAGES])
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_"))}
    environment = {
        **clean, "PYTHONPATH": path, "PYSPARK_PYTHON": sys.executable, "PYTHONWARNINGS": "ignore",
        "SPARK_LOCAL_DIRS": str(folder),
        "SPARK_LOCAL_IP": "127.0.0.1", **variables,
    }  # fmt: skip
    with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
        process = subprocess.Popen(command, env=environment, cwd=folder, stdout=out, stderr=err, start_new_session=True)
        try:
            code = process.wait(7200)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    return code, (folder / "out").read_text(errors="replace"), (folder / "err").read_text(errors="replace")
