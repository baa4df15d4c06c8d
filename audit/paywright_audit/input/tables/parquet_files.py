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
from importlib.util import find_spec
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from paywright_audit.input.addresses import check_address, is_address, is_there
from paywright_audit.input.errors import AuditSetupError
from paywright_audit.input.records import Exchange, Unreadable
from paywright_audit.input.tables.table_schema import Columns, NoTable

if TYPE_CHECKING:
    import pyarrow as pa

MAGIC: Final = b"PAR1"
"""The first and last bytes of a Parquet file."""
_MEMORY: Final = 400 << 20
"""The most bytes that the process may take beside what it begins with."""
_ROWS: Final = (1024, 32, 1)
"""Rows to read at a time: at first, and after the process has ended once and twice."""
_PART: Final = 1 << 24  # the bytes of rows that are handed on together
_ROW: Final = 1 << 25  # the most bytes of a row
_BUFFER: Final = 1 << 20
_PROGRAM: Final = "from paywright_audit.input.tables.parquet_files import serve; serve()"
_EXTRA: Final = "it is a table, which needs an extra: pip install 'paywright[parquet]'"
_NO_FILE: Final = "it is damaged: it is not a Parquet file, or only a part of one"
_TOO_MUCH: Final = (
    f"the process that reads it ended: it takes more than {_MEMORY >> 20} MB, or is damaged; write it with smaller pages "
    "(docs/audit.md, Tables)"
)
_LAST: Final = (1 << 48) - 1  # reported after everything that could be read


def is_table(name: str) -> bool:
    """Return whether an input is read as a table: a directory, or a file with Parquet's suffix or first bytes."""
    if name == "-" or not os.path.isfile(name):  # to open a pipe would be to wait
        return name != "-" and os.path.isdir(name)
    try:
        with open(name, "rb") as file:
            return name.lower().endswith(".parquet") or file.read(4) == MAGIC
    except OSError:
        return False


def expanded(names: Sequence[str]) -> tuple[str, ...]:
    """Return the inputs with directories replaced by the files in them, in order.

    One that cannot be listed stays, and reading it reports why. Raises `AuditSetupError` for an empty name, and for an address, which
    may have credentials.
    """
    for name in names:
        if name != "-" and not is_there(name):
            check_address(name)
            if is_address(name):
                raise AuditSetupError(
                    "an input is an address, which Spark reads (docs/audit-at-scale.md): copy it here"
                )
    found: list[str] = []
    for name in names:
        if not name:
            raise AuditSetupError("an input has no name: an argument is empty, perhaps because a variable is not set")
        try:
            found.extend(_listed(name))
        except (NoTable, OSError, ValueError):
            found.append(name)
    return tuple(found)


def read_table(name: str, columns: Columns) -> Iterator[Exchange | Unreadable]:
    """Yield the exchange of every row of a Parquet file. It does not raise, whatever the file contains."""
    number, binding = 1, None
    try:
        _listed(name)  # raises for one that `expanded` could not list
        for batch in _batches(name, columns):
            from paywright_audit.input.tables.table_reader import bind

            if batch is None:
                yield Unreadable("row", "it has more than 32 MB", number)
                number += 1
                continue
            binding = binding or bind(batch.schema, columns)
            yield from binding.rows(batch, number)
            number += batch.num_rows
    except NoTable as why:
        yield Unreadable("", str(why), _LAST)
    except OSError as error:
        yield Unreadable("", error.strerror or _NO_FILE, _LAST)


def _listed(name: str) -> list[str]:
    """Return the files of a directory, or the one file itself, in order."""
    if find_spec("pyarrow") is None and is_table(name):
        raise NoTable(_EXTRA)
    if name == "-" or not os.path.isdir(name):
        return [name]
    # Links to folders are not followed: they may form a circle.
    found = [os.path.join(above, one) for above, _, names in os.walk(name) for one in names]
    inside = {one: one[len(name) :].strip(os.sep).split(os.sep) for one in found if os.path.isfile(one)}
    for kind, has in (
        ("a Delta", any("_delta_log" in parts for parts in inside.values())),
        ("an Iceberg", any(one[0] == "metadata" and one[-1].endswith(".metadata.json") for one in inside.values())),
    ):
        if has:
            words = "whose folder also has files that were deleted: read it with Spark (docs/audit-at-scale.md)"
            raise NoTable(f"it is {kind} table, {words}")
    # As in every dataset, names that begin so are no data: _SUCCESS, .crc
    paths = sorted(one for one, parts in inside.items() if not any(part.startswith(("_", ".")) for part in parts))
    if not paths:
        raise NoTable("there is no file in it")
    return paths


def _batches(name: str, columns: Columns) -> Iterator[pa.RecordBatch | None]:
    """Yield the rows of a file in batches of about 16 MB, and None in place of a row that is too large.

    Raises `NoTable` after the last row that can be read.
    """
    import pyarrow as pa

    done = 0
    for rows in _ROWS:
        process = next((one for one in _idle if one.owner == os.getpid()), None) or _Process()
        _idle.clear()
        words: str | None = None
        try:
            for said, content in process.ask([os.fsencode(name).hex(), dict(columns), done, rows]):
                words = said.get("end")
                if words is None:
                    batch = pa.ipc.open_stream(content).read_next_batch() if content else None
                    done += 1 if batch is None else batch.num_rows
                    yield batch
        finally:
            if words is None:
                process.end()
            else:
                _idle.append(process)
        if words is not None:
            if words:
                raise NoTable(f"after row {done}, {'it is damaged' if words == _NO_FILE else words}" if done else words)
            return
    raise NoTable(f"after row {done}, {_TOO_MUCH}" if done else _TOO_MUCH)


class _Process:
    """A process that answers requests for the rows of files."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        environment = {"PYTHONPATH": os.pathsep.join(sys.path), "ARROW_DEFAULT_MEMORY_POOL": "system"}
        self._process = Popen(
            [sys.executable, "-c", _PROGRAM], env=os.environ | environment, stdin=PIPE, stdout=PIPE, stderr=DEVNULL
        )

    def ask(self, request: object) -> Iterator[tuple[dict[str, Any], bytes]]:
        """Yield the messages of `serve` to a request; without a last one if the process ends."""
        given, out = cast(BinaryIO, self._process.stdin), cast(BinaryIO, self._process.stdout)
        with suppress(BrokenPipeError):
            given.write(json.dumps(request).encode() + b"\n")
            given.flush()
        while (head := out.readline()).endswith(b"\n"):
            said = json.loads(head)
            yield said, out.read(said["size"])
            if "end" in said:
                return

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


_idle: list[_Process] = []
"""The process that waits for the next file. It ends with this one, which closes its input."""


def serve() -> None:
    """Answer requests until the input ends: what the process does that `_batches` starts.

    A message is a line of JSON and `size` bytes, a batch of rows; none stands for a row that is too large. The last one has `end`, why
    there are no more rows, or "".
    """
    import pyarrow as pa  # before the limit, which is for what is read

    given, out = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no message
    with suppress(ImportError, OSError, ValueError):
        import resource  # of no use in Windows, which has no such limit

        taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + _MEMORY, resource.RLIM_INFINITY))
    for line in given:
        name, columns, first, rows = json.loads(line)
        name, words = os.fsdecode(bytes.fromhex(name)), ""
        try:
            for content in read_rows(name, columns, first, rows):
                out.write(json.dumps({"size": len(content)}).encode() + b"\n")
                out.write(content)
        except MemoryError:
            os._exit(1)  # another process goes on, with less
        except NoTable as why:
            words = str(why)
        except OSError as error:
            words = error.strerror or _NO_FILE
        except (pa.ArrowException, NotImplementedError, UnicodeDecodeError):
            words = _NO_FILE
        out.write(json.dumps({"end": words, "size": 0}).encode() + b"\n")
        out.flush()


def read_rows(name: str, columns: Columns, first: int, rows: int) -> Iterator[memoryview]:
    """Yield the rows of a file from that number on, so many at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from paywright_audit.input.tables.table_reader import bind

    with open(name, "rb") as source:
        if source.read(4) != MAGIC or source.seek(0, os.SEEK_END) < 12:
            raise NoTable("it is not a Parquet file")
        source.seek(0)
        file = pq.ParquetFile(source, buffer_size=_BUFFER, pre_buffer=False)
        try:
            schema = file.schema_arrow
        except NotImplementedError:
            raise NoTable("it has a column of a type that pyarrow does not have") from None
        names, done = bind(schema, columns).names, 0
        for group in range(file.metadata.num_row_groups):
            if done + file.metadata.row_group(group).num_rows <= first:
                done += file.metadata.row_group(group).num_rows
                continue
            for batch in file.iter_batches(rows, row_groups=[group], columns=names, use_threads=False):
                before, done = done, done + batch.num_rows
                for part in _parts(batch.slice(max(0, first - before))):
                    sink = pa.BufferOutputStream()
                    if part.num_rows > 1 or _size(part) <= _ROW:
                        with pa.ipc.new_stream(sink, part.schema) as stream:
                            stream.write_batch(part)
                    yield memoryview(sink.getvalue())


def _parts(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a batch in parts of about 16 MB; a larger row is a part of its own."""
    if batch.num_rows < 2 or _size(batch) <= _PART:
        if batch.num_rows:
            yield batch
        return
    half = batch.num_rows // 2
    yield from _parts(batch.slice(0, half))
    yield from _parts(batch.slice(half))


def _size(batch: pa.RecordBatch) -> int:
    return sum(map(_bytes, batch.columns))


def _bytes(array: Any) -> int:
    """Return the bytes of an array, with each value of a dictionary as often as it occurs."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(array, pa.MapArray):
        offsets = cast("list[int]", array.offsets.to_pylist())
        start, length = offsets[0], offsets[-1] - offsets[0]
        return _bytes(array.keys.slice(start, length)) + _bytes(array.items.slice(start, length))
    if isinstance(array, (pa.ListArray, pa.LargeListArray)):
        return _bytes(array.flatten())
    if isinstance(array, pa.StructArray):
        return sum(map(_bytes, array.flatten()))
    if not isinstance(array, pa.DictionaryArray) or not isinstance(array.dictionary, (pa.StringArray, pa.BinaryArray)):
        size: int = array.nbytes
        return size
    lengths = pc.binary_length(array.dictionary)
    return int(pc.sum(lengths.take(array.indices)).as_py() or 0)
