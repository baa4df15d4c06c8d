"""Open tables of captured traffic: Parquet files, directories of them, and object stores, through pyarrow.

Files are read batch by batch in constant memory, whatever the size of row groups and the packing of values (`parquet_process`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from paywright_audit.input.addresses import check_address, is_remote, is_there
from paywright_audit.input.errors import AuditSetupError
from paywright_audit.input.records import Exchange, Unreadable
from paywright_audit.input.tables.parquet_process import MAGIC, Refused, located, os_words, read_rows
from paywright_audit.input.tables.table_schema import Columns

_EXTRA: Final = "it is a table, which needs an extra: pip install 'paywright[parquet]'"
_ROW_TOO_LARGE: Final = "it has more than 32 MB"
_LAST: Final = (1 << 48) - 1  # reported after everything that could be read


def is_table(name: str) -> bool:
    """Return whether an input is read as a table: a URI, a directory, or a file with Parquet's suffix or first bytes."""
    if name == "-" or is_remote(name):
        return name != "-"
    try:
        path = Path(name)
        if path.is_dir() or not path.is_file():  # to open a pipe would be to wait
            return path.is_dir()
        with path.open("rb") as file:
            return path.suffix.lower() == ".parquet" or file.read(4) == MAGIC
    except (OSError, ValueError):
        return False


def expanded(names: Sequence[str]) -> tuple[str, ...]:
    """Return the inputs with directories and URIs replaced by the files in them, in order.

    One that cannot be listed stays, and reading it reports why. Raises `AuditSetupError` for an empty name, and for a possible
    address with credentials (`check_address`).
    """
    for name in names:
        if name != "-" and not is_there(name):
            check_address(name)
    found: list[str] = []
    for name in names:
        if not name:
            raise AuditSetupError("an input has no name: an argument is empty, perhaps because a variable is not set")
        if not is_remote(name) and not (name != "-" and _is_folder(name)):
            found.append(name)
            continue
        try:
            found.extend(_listed(name))
        except (Refused, OSError, ValueError, ImportError):
            found.append(name)
    return tuple(found)


def read_table(
    name: str, columns: Columns, progress: Callable[[int], None] | None = None
) -> Iterator[Exchange | Unreadable]:
    """Yield the exchange of every row of a Parquet file, local or remote. It does not raise, whatever the file contains.

    `progress` is called with the number of bytes read since its last call.
    """
    try:
        if find_spec("pyarrow") is None:
            raise Refused(_EXTRA)
        if is_remote(name) or _is_folder(name):
            _listed(name)  # raises for one that `expanded` could not list
        yield from _read(name, columns, progress)
    except Refused as why:
        yield Unreadable("", str(why), _LAST)
    except OSError as error:
        yield Unreadable("", os_words(name, error), _LAST)


def _is_folder(name: str) -> bool:
    try:
        return Path(name).is_dir()
    except (OSError, ValueError):
        return False


def _listed(name: str) -> list[str]:
    """Return the files of a directory or prefix, or the one file itself, in order."""
    if find_spec("pyarrow") is None:
        raise Refused(_EXTRA)
    from pyarrow.fs import FileSelector, FileType

    files, path = located(name)
    try:
        there = files.get_file_info(path)
    except UnicodeEncodeError:
        raise Refused("it does not exist, or is a table or a folder whose name is not UTF-8") from None
    if there.type is FileType.NotFound:
        raise Refused("it does not exist")
    if there.type is FileType.File:
        return [name]
    if is_remote(name):
        found = [
            (one.path, one.type is FileType.File) for one in files.get_file_info(FileSelector(path, recursive=True))
        ]
    else:
        found = list(_walked(Path(path)))
    inside = {one: one[len(path) :].strip("/").split("/") for one, _ in found}
    if any("_delta_log" in parts for parts in inside.values()):
        raise Refused(
            "it is a Delta table, whose folder also has files that were deleted: read it with Spark (docs/audit-at-scale.md)"
        )
    if any(parts[0] == "metadata" and parts[-1].endswith(".metadata.json") for parts in inside.values()):
        raise Refused(
            "it is an Iceberg table, whose folder also has files that were deleted: read it with Spark (docs/audit-at-scale.md)"
        )
    paths = sorted(
        one
        for one, is_file in found
        # As in every dataset, names that begin so are no data: _SUCCESS, .crc
        if is_file and not any(part.startswith(("_", ".")) for part in inside[one])
    )
    if not paths:
        raise Refused("there is no file in it")
    address, question, parameters = name.partition("?") if is_remote(name) else (name, "", "")
    return [f"{address.rstrip('/')}/{'/'.join(inside[one])}{question}{parameters}" for one in paths]


def _walked(folder: Path) -> Iterator[tuple[str, bool]]:
    """Yield the paths in a folder, each with whether it is a file. Links to folders are not followed: they may form a circle."""
    for above, folders, names in os.walk(folder):
        yield from ((os.path.join(above, name), False) for name in folders)
        yield from ((file, os.path.isfile(file)) for file in (os.path.join(above, name) for name in names))


def _read(name: str, columns: Columns, progress: Callable[[int], None] | None) -> Iterator[Exchange | Unreadable]:
    from paywright_audit.input.tables.table_reader import Binding, bind

    number = 1
    binding: Binding | None = None
    for batch in read_rows(name, columns, progress):
        if batch is None:
            yield Unreadable("row", _ROW_TOO_LARGE, number)
            number += 1
            continue
        binding = binding or bind(batch.schema, columns)
        yield from binding.rows(batch, number)
        number += batch.num_rows
