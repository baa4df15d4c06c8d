"""The audit of tables: Parquet compared with capture records, its memory, and what the tasks of Spark cost in Python."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import TYPE_CHECKING, Any

from bench.figures import Figure, cpu, most_memory
from bench.traffic import records
from paywright_audit import AuditSettings, Report, audit_files
from paywright_runtime.signing.keys import load_private_key, load_public_key
from paywright_runtime.signing.rsa import RsaSigner
from paywright_sandbox.init import make_folder

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

_MEMORY_GOAL = 1.15
_TASKS_GOAL = 1.25

# Types of PySpark are not there when types are checked.
Session = Any


def figures(*, quick: bool = False) -> Sequence[Figure]:
    """Return all three; instead of one that cannot be measured here, why."""
    memory = "most memory over Parquet", "over a tenth of it"
    rate = "audit of Parquet, rate on one core", "of capture records, the same traffic"
    tasks = "CPU of the tasks of Spark, in Python", "the audit of the same Parquet in one process"
    if find_spec("pyarrow") is None:
        why = "skipped: there is no pyarrow, which the extra `parquet` has"
        return Figure(*memory, None, note=why), Figure(*rate, None, note=why), Figure(*tasks, None, note=why)
    with TemporaryDirectory(prefix="paywright-bench-") as made:
        folder = Path(made)
        make_folder(folder)
        keys = folder / "keys"
        merchant, gateway = (RsaSigner(load_private_key(keys / f"{side}.key")) for side in ("merchant", "gateway"))
        public = load_public_key(keys / "merchant.pub"), load_public_key(keys / "gateway.pub")
        lines, table = folder / "traffic.jsonl", folder / "traffic.parquet"
        lines.write_bytes(b"".join(records(2_000 if quick else 24_000, merchant, gateway)))
        return (
            _memory(*memory, _written(lines, table), folder, 50_000_000 if quick else 2_000_000_000),
            _rate(*rate, lines, table, public, rounds=3 if quick else 7),
            _tasks(*tasks, table, public, folder, rounds=1 if quick else 5),
        )


def _written(lines: Path, table: Path) -> Path:
    from paywright_audit import write_table

    assert write_table(table, [str(lines)]).unreadable == 0
    return table


def _memory(what: str, against: str, table: Path, folder: Path, size: int) -> Figure:
    """Measure one process over a large file and a tenth of it, of row groups that are all alike."""
    size = min(size, shutil.disk_usage(folder).free // 4)
    peaks = []
    for most in (size // 10, size):
        file = folder / "large.parquet"
        groups = _enlarged(table, file, most)
        peaks.append(most_memory(["audit", str(file), "--format", "json"]))
        real = file.stat().st_size
        file.unlink()
    note = f"{peaks[1]:.0f} MB over {real / 1e9:.1f} GB in {groups} row groups"
    return Figure(what, against, peaks[1] / peaks[0], _MEMORY_GOAL, note)


def _enlarged(table: Path, file: Path, size: int) -> int:
    """Write the rows of a table over and over, until a file has a size. Returns the number of its row groups."""
    from pyarrow import parquet

    rows = parquet.read_table(table)
    groups = 0
    with file.open("wb") as out, parquet.ParquetWriter(out, rows.schema, compression="none") as writer:
        while out.tell() < size:
            writer.write_table(rows)
            groups += 1
    return groups


def _rate(
    what: str, against: str, lines: Path, table: Path, keys: tuple[RSAPublicKey, RSAPublicKey], *, rounds: int
) -> Figure:
    spent: dict[Path, list[float]] = {lines: [], table: []}
    count = 0
    for _ in range(rounds + 1):
        for file, times in spent.items():
            count, seconds = _audited(file, keys)
            times.append(seconds)
    ratio = median(one / other for one, other in list(zip(spent[lines], spent[table], strict=True))[1:])
    note = f"{median(spent[table][1:]) / count * 1e6:.0f} us an exchange"
    return Figure(what, against, ratio, None, note, more_is_better=True)


def _settings(keys: tuple[RSAPublicKey, RSAPublicKey]) -> AuditSettings:
    return AuditSettings(merchant_keys=[keys[0]], gateway_keys=[keys[1]])


def _audited(file: Path, keys: tuple[RSAPublicKey, RSAPublicKey]) -> tuple[int, float]:
    """Audit a file in this process. Returns the number of exchanges, and the seconds of CPU time."""
    found: list[Report] = []
    seconds = cpu(lambda: found.append(audit_files([file], _settings(keys))))
    return _checked(found[0]), seconds


def _checked(report: Report) -> int:
    totals = report.totals
    assert (totals.findings, totals.unreadable, report.signatures["valid"]) == (0, 0, 2 * totals.exchanges)
    return totals.exchanges


def _tasks(
    what: str, against: str, table: Path, keys: tuple[RSAPublicKey, RSAPublicKey], folder: Path, *, rounds: int
) -> Figure:
    """Measure the Python of all tasks on a session of one core; what the JVM does is in the note."""
    if find_spec("pyspark") is None:
        why = "skipped: there is no PySpark, which `make .venv/with-full` brings"
        return Figure(what, against, None, _TASKS_GOAL, why)
    if shutil.which("java") is None:
        why = "skipped: there is no Java for Spark: on Debian it is the package default-jre-headless"
        return Figure(what, against, None, _TASKS_GOAL, why)
    from paywright_audit.spark import audit_dataframe

    spent = folder / "spent"
    spent.mkdir()
    ratios, besides = [], []
    with _session(folder) as session, _measured(spent):
        virtual_machine = int(session.sparkContext._gateway.proc.pid)
        frame = session.read.parquet(str(table))
        for round_ in range(rounds + 1):
            count, local = _audited(table, keys)
            before = _cpu_of(virtual_machine)
            audited = audit_dataframe(frame, _settings(keys))
            audited.release()
            assert _checked(audited.report) == count
            tasks = sum(float(line) for file in spent.iterdir() for line in file.read_text().split())
            for file in spent.iterdir():
                file.unlink()
            if round_:  # the first starts the engine's processes
                ratios.append(tasks / local)
                besides.append((_cpu_of(virtual_machine) - before) / count * 1e6)
    note = f"of {count} exchanges; the JVM takes {median(besides):.0f} us an exchange besides"
    return Figure(what, against, median(ratios), _TASKS_GOAL, note)


@contextmanager
def _session(folder: Path) -> Iterator[Session]:
    from pyspark.sql import SparkSession  # type: ignore[import-not-found,unused-ignore]  # of the extra `engines`

    # Its processes of Python import what this one does.
    os.environ |= {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYSPARK_PYTHON": sys.executable}
    os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_DIRS": str(folder)}
    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false").config("spark.log.level", "ERROR")
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()


@contextmanager
def _measured(folder: Path) -> Iterator[None]:
    """Let every stage write the CPU time of each of its tasks into a file of its process, in a folder."""
    from paywright_audit.spark import dataframe

    names = [name for name in vars(dataframe) if name.endswith("_stage")]
    before = {name: getattr(dataframe, name) for name in names}
    try:
        for name, make in before.items():
            setattr(dataframe, name, _timed(make, str(folder)))
        yield
    finally:
        for name, make in before.items():
            setattr(dataframe, name, make)


def _timed(make: Callable[..., Any], folder: str) -> Callable[..., Any]:
    @wraps(make)
    def made(*given: object) -> Callable[[Iterator[object]], Iterator[object]]:
        stage = make(*given)

        def run(batches: Iterator[object]) -> Iterator[object]:
            # Between two batches is what PySpark does to take one over and to hand one on.
            start = process_time()
            yield from stage(batches)
            with open(f"{folder}/{os.getpid()}", "a") as out:
                out.write(f"{process_time() - start}\n")

        return run

    return made


def _cpu_of(process: int) -> float:
    """Return the seconds of CPU time of another process; 0 where the system does not say."""
    try:
        user, system = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    except OSError:
        return 0.0
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
