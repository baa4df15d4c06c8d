"""Read a Parquet file in a process of its own, whose memory is limited: pyarrow unpacks pages whole, however large they become.

`read_rows` asks the process for the rows, batch by batch. If it ends, for want of memory or by a damage, another one goes on with
fewer rows at a time. The process is kept for the next file.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import TYPE_CHECKING, BinaryIO, Final, cast

from paywright_audit.input.addresses import is_remote, with_retry_limit
from paywright_audit.input.tables.table_schema import Columns

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.fs import FileSystem

MAGIC: Final = b"PAR1"
"""The first and last bytes of a Parquet file."""
_MEMORY: Final = 400 << 20
"""The most bytes that the process may take beside what it begins with."""
_ROWS: Final = (1024, 32, 1)
"""Rows to read at a time: at first, and after the process has ended once and twice."""
_PART: Final = 1 << 24  # the bytes of rows that are handed on together
_ROW: Final = 1 << 25  # the most bytes of a row
_BUFFER: Final = 1 << 20
_BATCH, _LARGE, _READ, _END = b"brpe"
_PROGRAM: Final = "from paywright_audit.input.tables.parquet_process import serve; serve()"
_NO_FILE: Final = "it is damaged: it is not a Parquet file, or only a part of one"
_TOO_MUCH: Final = (
    f"the process that reads it ended: it takes more than {_MEMORY >> 20} MB, or is damaged; write it with smaller pages "
    "(docs/audit.md, Tables)"
)


class Refused(Exception):
    """Raised for an input that is not a readable table, with the reason."""


def located(name: str) -> tuple[FileSystem, str]:
    """Return the file system of an input, and its path there."""
    from pyarrow import ArrowException
    from pyarrow.fs import FileSystem, LocalFileSystem

    if not is_remote(name):
        return LocalFileSystem(), str(Path(name).absolute())
    try:
        return FileSystem.from_uri(with_retry_limit(name))
    except (ArrowException, ValueError, NotImplementedError):
        raise Refused("this kind of address is not supported: s3://, gs://, abfs://, hdfs:// and file:// are") from None


def os_words(name: str, error: OSError) -> str:
    """Return the words for an error of a file system."""
    # Messages of pyarrow's file systems may contain addresses and identities, so they are not repeated.
    if is_remote(name):
        return "the object store cannot be read: check the address, the region, the credentials of this process, and the network"
    return error.strerror or _NO_FILE


def read_rows(name: str, columns: Columns, progress: Callable[[int], None] | None) -> Iterator[pa.RecordBatch | None]:
    """Yield the rows of a file in batches of about 16 MB, and None in place of a row that is too large.

    `progress` is called with the number of bytes read since its last call. Raises `Refused` after the last row that can be read.
    """
    import pyarrow as pa

    done = reported = 0
    for rows in _ROWS:
        process = _begun()
        words: str | None = None
        try:
            for kind, content in process.ask([os.fsencode(name).hex(), dict(columns), done, rows]):
                if kind == _BATCH:
                    batch = pa.ipc.open_stream(content).read_next_batch()
                    done += batch.num_rows
                    yield batch
                elif kind == _LARGE:
                    done += 1
                    yield None
                elif kind == _END:
                    words = content.decode()
                elif progress is not None and int(content) > reported:
                    progress(int(content) - reported)
                    reported = int(content)
        finally:
            if words is None:
                process.end()
            else:
                _idle.append(process)
        if words is not None:
            if words:
                raise Refused(f"after row {done}, {'it is damaged' if words == _NO_FILE else words}" if done else words)
            return
    raise Refused(f"after row {done}, {_TOO_MUCH}" if done else _TOO_MUCH)


class _Process:
    """A process that answers requests for the rows of files, each with messages and a last one of kind `_END`."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        environment = {"PYTHONPATH": os.pathsep.join(sys.path), "ARROW_DEFAULT_MEMORY_POOL": "system"}
        self._process = Popen(
            [sys.executable, "-c", _PROGRAM], env=os.environ | environment, stdin=PIPE, stdout=PIPE, stderr=DEVNULL
        )

    def ask(self, request: object) -> Iterator[tuple[int, bytes]]:
        """Yield the messages to a request; without a last one if the process ends."""
        given, out = cast(BinaryIO, self._process.stdin), cast(BinaryIO, self._process.stdout)
        with suppress(BrokenPipeError):
            given.write(json.dumps(request).encode() + b"\n")
            given.flush()
        while len(head := out.read(9)) == 9:
            content = out.read(int.from_bytes(head[1:], "big"))
            yield head[0], content
            if head[0] == _END:
                return

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


_idle: list[_Process] = []
"""Processes that wait for the next file. They end with this one, which closes their input."""


def _begun() -> _Process:
    try:
        process = _idle.pop()
    except IndexError:
        return _Process()
    return process if process.owner == os.getpid() else _Process()


def serve() -> None:
    """Answer requests until the input ends: what the process does that `read_rows` starts."""
    import pyarrow  # noqa: F401  # before the limit, which is for what is read

    given, out = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no message
    with suppress(ImportError, OSError, ValueError):
        import resource  # of no use in Windows, which has no such limit

        taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + _MEMORY, resource.RLIM_INFINITY))
    for line in given:
        name, columns, first, rows = json.loads(line)
        try:
            for kind, content in _messages(os.fsdecode(bytes.fromhex(name)), columns, first, rows):
                out.write(bytes([kind]) + len(content).to_bytes(8, "big"))
                out.write(content)
            out.flush()
        except MemoryError:
            os._exit(1)  # another process goes on, with less


def _messages(name: str, columns: Columns, first: int, rows: int) -> Iterator[tuple[int, bytes | memoryview]]:
    """Yield the messages about a file, from the row of this number on, so many rows at a time."""
    from pyarrow import ArrowException

    from paywright_audit.input.tables.table_reader import NoTable

    words = ""
    try:
        yield from _read(name, columns, first, rows)
    except MemoryError:
        raise
    except (Refused, NoTable) as why:
        words = str(why)
    except OSError as error:
        words = os_words(name, error)
    except (ArrowException, NotImplementedError, UnicodeDecodeError):
        words = _NO_FILE
    yield _END, words.encode()


def _read(name: str, columns: Columns, first: int, rows: int) -> Iterator[tuple[int, bytes | memoryview]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from paywright_audit.input.tables.table_reader import bind

    files, path = located(name)
    with files.open_input_file(path) as source:
        if source.size() < 12 or source.read(4) != MAGIC:
            raise Refused("it is not a Parquet file")
        source.seek(0)
        file = pq.ParquetFile(source, buffer_size=_BUFFER, pre_buffer=False)
        try:
            schema = file.schema_arrow
        except NotImplementedError:
            raise Refused("it has a column of a type that pyarrow does not have") from None
        names, done, total = bind(schema, columns).names, 0, file.metadata.num_rows
        for group in range(file.metadata.num_row_groups if total else 0):
            if done + file.metadata.row_group(group).num_rows <= first:
                done += file.metadata.row_group(group).num_rows
                continue
            for batch in file.iter_batches(rows, row_groups=[group], columns=names, use_threads=False):
                for part in _parts(batch.slice(max(0, first - done))):
                    if part.num_rows == 1 and _size(part) > _ROW:
                        yield _LARGE, b""
                        continue
                    sink = pa.BufferOutputStream()
                    with pa.ipc.new_stream(sink, part.schema) as stream:
                        stream.write_batch(part)
                    yield _BATCH, memoryview(sink.getvalue())
                done += batch.num_rows
                yield _READ, b"%d" % (source.size() * done // total)


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


def _bytes(array: pa.Array[pa.Scalar[pa.DataType]]) -> int:
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
        return array.nbytes
    lengths = pc.binary_length(array.dictionary)
    return int(pc.sum(lengths.take(array.indices)).as_py() or 0)
