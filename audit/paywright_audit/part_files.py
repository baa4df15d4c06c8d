"""Keep what parts of the input came to in files, for the process that merges them.

A part has two files, its rows and its partial result. The second is renamed when it is whole, so that a part is finished or
not, whenever a process was killed.
"""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import NamedTuple

from paywright_audit.partial_result import PartialResult
from paywright_audit.tasks import Task

__all__ = ["PartFiles"]


class PartFiles(NamedTuple):
    """The folder of parts. The files of a checkpoint are `kept`; others are deleted when they were merged."""

    folder: Path
    kept: bool = False

    def unfinished(self, task: Task) -> Path:
        """Return the file in which a part's rows are written. There is none yet."""
        file = self.folder / f"{task.number:07}.unfinished"
        file.unlink(missing_ok=True)
        return file

    def rows(self, task: Task) -> Path:
        """Return the file of a finished part's rows."""
        return self.folder / f"{task.number:07}.rows"

    def finish(self, task: Task, partial: PartialResult) -> None:
        """Finish a part, whose rows were written."""
        rows = self.folder / f"{task.number:07}.unfinished"
        writing = self.folder / f"{task.number:07}.writing"
        with writing.open("wb") as out:
            pickle.dump((task.identity(), partial), out)
        if self.kept:
            for file in (rows, writing):
                with file.open("rb+") as written:
                    os.fsync(written.fileno())
        os.replace(rows, self.rows(task))
        os.replace(writing, self._partial(task))

    def finished(self, task: Task) -> PartialResult | None:
        """Return the partial result of a part; None if it is not finished."""
        try:
            with self._partial(task).open("rb") as file:
                identity, partial = pickle.load(file)  # our own, of a folder that nobody else may write to
        except FileNotFoundError:
            return None
        return partial if identity == task.identity() and isinstance(partial, PartialResult) else None

    def merged(self, task: Task) -> None:
        """Delete the files of a part that was merged, unless they are kept."""
        if not self.kept:
            self.rows(task).unlink()
            self._partial(task).unlink()

    def size(self, task: Task) -> int:
        """Return how many bytes the files of a finished part take."""
        return self.rows(task).stat().st_size + self._partial(task).stat().st_size

    def _partial(self, task: Task) -> Path:
        return self.folder / f"{task.number:07}.partial"
