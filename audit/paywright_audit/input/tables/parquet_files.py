"""Read Parquet files, and directories of them, through pyarrow, in a process of its own with a memory limit.

pyarrow unpacks pages whole, however large they become. If the process ends, for want of memory or by a damage, another one goes on
with fewer rows at a time. It is kept for the next file.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from io import BufferedReader, BufferedWriter
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import TYPE_CHECKING, Final, cast

from paywright_audit.input.addresses import check_address, is_address, is_there
from paywright_audit.input.errors import AuditSetupError
from paywright_audit.input.records import REST, Exchange, Unreadable
from paywright_audit.input.tables.table_schema import Columns, NoTable, needed

if TYPE_CHECKING:
    import pyarrow as pa

MAGIC: Final = b"PAR1"
"""The first and last bytes of a Parquet file."""
_MEMORY: Final = 400 << 20
"""The most bytes that the process may take beside what it begins with."""
_ROWS: Final = (1024, 32, 1)
"""Rows to read at a time: at first, and after the process has ended once and twice."""
_BUFFER: Final = 1 << 20
_PROGRAM: Final = "from paywright_audit.input.tables.parquet_files import serve; serve()"
_NO_FILE: Final = "it is not a Parquet file, or damaged"
_TOO_MUCH: Final = (
    f"the process that reads it ended: it takes more than {_MEMORY >> 20} MB, or is damaged; write it with smaller pages "
    "(docs/audit.md, Tables)"
)


def is_table(name: str) -> bool:
    """Return whether an input is read as a table: a directory, or a file with Parquet's suffix or first bytes."""
    if name == "-" or not os.path.isfile(name):  # to open a pipe would be to wait
        return name != "-" and os.path.isdir(name)
    with suppress(OSError), open(name, "rb") as file:
        return name.lower().endswith(".parquet") or file.read(4) == MAGIC
    return False


def expanded(names: Sequence[str]) -> tuple[str, ...]:
    """Return the inputs with directories replaced by the files in them, in order.

    One that cannot be listed stays, and reading it reports why. Raises `AuditSetupError` for an empty name, and for an address, which
    may have credentials.
    """
    found: list[str] = []
    for name in names:
        if not name:
            raise AuditSetupError("an input has no name: an argument is empty, perhaps because a variable is not set")
        if name != "-" and not is_there(name):
            check_address(name)
            if is_address(name):
                raise AuditSetupError(
                    "an input is an address, which Spark reads (docs/audit-at-scale.md): copy it here"
                )
        try:
            found.extend(_listed(name))
        except NoTable:
            found.append(name)
    return tuple(found)


def _listed(name: str) -> list[str]:
    """Return the files of a directory, or the one file itself, in order."""
    if name == "-" or not os.path.isdir(name):
        return [name]
    # Links to folders are not followed: they may form a circle.
    inside = [one.relative_to(name) for one in Path(name).rglob("*") if one.is_file()]
    if any("_delta_log" in one.parts or one.match("metadata/*.metadata.json") for one in inside):
        words = "whose folder also has files that were deleted: read it with Spark (docs/audit-at-scale.md)"
        raise NoTable(f"it is a Delta or Iceberg table, {words}")
    # As in every dataset, names that begin so are no data: _SUCCESS, .crc
    data = [one for one in inside if not any(part.startswith(("_", ".")) for part in one.parts)]
    if not data:
        raise NoTable("there is no file in it")
    return sorted(os.path.join(name, one) for one in data)


def read_table(name: str, columns: Columns) -> Iterator[Exchange | Unreadable]:
    """Yield the exchange of every row of a Parquet file. It does not raise, whatever the file contains."""
    number = 1
    try:
        _listed(name)  # raises for one that `expanded` could not list
        from paywright_audit.input.tables.table_reader import exchanges

        for table in _tables(name, columns):
            yield from exchanges(table, number)
            number += table.num_rows
    except ModuleNotFoundError:
        yield Unreadable("", "it is a table, which needs an extra: pip install 'paywright[parquet]'", REST)
    except NoTable as why:
        yield Unreadable("", str(why), REST)


def _tables(name: str, columns: Columns) -> Iterator[pa.Table]:
    """Yield the rows of a file, in our columns. Raises `NoTable` after the last row that can be read."""
    import pyarrow as pa

    done, words = 0, None
    for rows in _ROWS:
        environment = {"PYTHONPATH": os.pathsep.join(sys.path), "ARROW_DEFAULT_MEMORY_POOL": "system"}
        process = _idle.pop(os.getpid(), None) or Popen(
            [sys.executable, "-c", _PROGRAM], env=os.environ | environment, stdin=PIPE, stdout=PIPE, stderr=DEVNULL
        )
        given, out = cast(BufferedWriter, process.stdin), cast(BufferedReader, process.stdout)
        try:
            with suppress(OSError, ValueError):  # the process ended
                given.write(json.dumps([name, dict(columns), done, rows]).encode() + b"\n")
                given.flush()
                while (words := json.loads(out.readline())) is None:
                    table = pa.ipc.open_stream(out).read_all()
                    done += table.num_rows
                    yield table
        finally:
            if words is None:
                process.kill()
                process.communicate()
        if words is not None:
            _idle[os.getpid()] = process
            break
    else:
        words = _TOO_MUCH
    if words:
        raise NoTable(f"after row {done}, {words}" if done else words)


_idle: Final[dict[int, Popen[bytes]]] = {}
"""The process that waits for the next file, by the id of the one that started it, with which it ends: that closes its input."""


def serve() -> None:
    """Answer requests until the input ends: what the process does that `_tables` starts.

    It writes a line with null before some rows, and in the end one with the reason why there are no more, or "".
    """
    import pyarrow as pa  # before the limit, which is for what is read

    given, out = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no message
    with suppress(ImportError, OSError, ValueError):
        import resource  # of no use in Windows, which has no such limit

        taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + _MEMORY, resource.RLIM_INFINITY))
    for line in given:
        words = ""
        try:
            for table in read_rows(*json.loads(line)):
                out.write(b"null\n")
                with pa.ipc.new_stream(out, table.schema) as stream:
                    stream.write_table(table)
                del table  # as above
        except MemoryError:
            os._exit(1)  # another process goes on, with less
        except NoTable as why:
            words = str(why)
        except NotImplementedError:
            words = "it has a type, a compression or an encoding that pyarrow does not have"
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            words = getattr(error, "strerror", None) or _NO_FILE
        out.write(json.dumps(words).encode() + b"\n")
        out.flush()


def read_rows(name: str, columns: Columns, first: int, rows: int) -> Iterator[pa.Table]:
    """Yield the rows of a file from that number on, so many at a time, in our columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from paywright_audit.input.tables.table_reader import chosen

    with open(name, "rb") as source:
        file = pq.ParquetFile(source, buffer_size=_BUFFER, pre_buffer=False)
        names, groups = needed(file.schema_arrow.names, columns), [*range(file.metadata.num_row_groups)]
        chosen(file.schema_arrow.empty_table().select(names), columns)  # raises for what has no rows, too
        while groups and file.metadata.row_group(groups[0]).num_rows <= first:
            first -= file.metadata.row_group(groups.pop(0)).num_rows
        batches = file.iter_batches(rows, row_groups=groups, columns=names, use_threads=False)
        for batch in batches if groups else ():  # old versions of pyarrow refuse an empty list
            if first < batch.num_rows:
                yield chosen(pa.Table.from_batches([batch.slice(first)]), columns)
            first = max(0, first - batch.num_rows)
            del batch  # or there would be two in memory
