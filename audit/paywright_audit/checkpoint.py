"""The folder of a run that can be stopped: which run it is of, so that no part of another one is ever merged."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final

from paywright_audit.input.errors import AuditSetupError
from paywright_audit.input.table_files import is_remote
from paywright_audit.setup import AuditInput
from paywright_audit.tasks import Plan, plan_of
from paywright_runtime.version import VERSION

__all__ = ["checkpoint"]

_MANIFEST: Final = "checkpoint.json"
_LOCK: Final = "checkpoint.lock"
_FORM: Final = 1
_ENDS: Final = 1 << 16  # bytes of the beginning and of the end of an input that tell it from others
_WORDS: Final = {
    "release": "it was begun by another release of paywright",
    "options": "it was begun with other options or keys",
    "inputs": "its inputs are others, or have changed since",
}


@contextmanager
def checkpoint(folder: Path, given: AuditInput, jobs: int) -> Iterator[Plan]:
    """Open a folder, and yield how the run in it cuts its inputs: the first time for `jobs` processes, later as the first time.

    Raises `AuditSetupError` if it is of another run, in use, or open to others.
    """
    if "-" in given.settings.names:
        raise AuditSetupError("standard input cannot be read again: a checkpoint needs files")
    with closing(_locked(folder)):
        try:
            plan = _plan(folder, given, jobs)
        except OSError as error:
            raise AuditSetupError(f"{error.filename or folder}: {error.strerror or 'it cannot be used'}") from None
        yield plan


def _locked(folder: Path) -> sqlite3.Connection:
    """Hold the folder, as long as this process lives: SQLite's lock works everywhere and outlives nobody."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = sqlite3.connect(folder / _LOCK, timeout=0, isolation_level=None)
        lock.execute("BEGIN EXCLUSIVE")
    except OSError as error:
        raise AuditSetupError(f"{error.filename or folder}: {error.strerror or 'it cannot be used'}") from None
    except sqlite3.OperationalError as error:
        words = "another run is using this checkpoint" if "locked" in str(error) else f"it cannot be used: {error}"
        raise AuditSetupError(f"{folder}: {words}") from None
    return lock


def _plan(folder: Path, given: AuditInput, jobs: int) -> Plan:
    """Return the plan of the run that the folder is of."""
    state = folder.stat()
    if os.name == "posix" and (state.st_uid != os.geteuid() or state.st_mode & 0o022):
        raise AuditSetupError(
            f"{folder}: others can write to it, and what stands in a checkpoint is trusted: chmod 700"
        )
    if any(map(is_remote, given.settings.names)):
        raise AuditSetupError(
            "a checkpoint is for files: nothing says whether what stands at an address is still the same"
        )
    ours = _description(given)
    manifest = folder / _MANIFEST
    try:
        found = json.loads(manifest.read_bytes())
        plan, theirs = Plan(*found["plan"]), {name: found[name] for name in ours}
    except FileNotFoundError:
        if any(file.name != _LOCK and not file.name.startswith(f"{_LOCK}-") for file in folder.iterdir()):
            raise AuditSetupError(f"{folder}: it is not empty, and no checkpoint") from None
        plan = plan_of(given.settings.names, jobs)
        writing = folder / f"{_MANIFEST}.writing"
        writing.write_text(json.dumps({**ours, "plan": plan}), encoding="utf-8")
        os.replace(writing, manifest)
        return plan
    except (ValueError, KeyError, TypeError):
        raise AuditSetupError(f"{folder}: its {_MANIFEST} is damaged: delete the folder, or name another") from None
    for name, words in _WORDS.items():
        if theirs[name] != ours[name]:
            raise AuditSetupError(
                f"{folder}: it is the checkpoint of another run: {words}. Name another folder, or delete it."
            )
    return plan


def _description(given: AuditInput) -> Mapping[str, object]:
    """Return what a run is known by. Options of the report alone, such as a baseline, are no part of it."""
    settings = given.settings
    options = repr(
        (settings._replace(names=()), given.merchant, given.gateway, given.paths, given.columns, given.findings)
    )
    return {
        "release": f"{VERSION} ({_FORM})",
        "options": sha256(options.encode(errors="surrogatepass")).hexdigest(),
        "inputs": [[name.encode(errors="surrogateescape").hex(), *_state(name)] for name in settings.names],
    }


def _state(name: str) -> list[object]:
    """Return size, time and ends of an input; nothing for one that cannot be read."""
    try:
        with open(name, "rb") as file:
            state = os.fstat(file.fileno())
            ends = sha256(file.read(_ENDS))
            file.seek(max(0, state.st_size - _ENDS))
            ends.update(file.read(_ENDS))
    except (OSError, ValueError):
        return []
    return [state.st_size, state.st_mtime_ns, ends.hexdigest()]
