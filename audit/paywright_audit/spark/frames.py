"""The used part of PySpark's DataFrame, as a type that does not need PySpark."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar, cast

from paywright_audit.input.errors import AuditError
from paywright_runtime.errors import InvalidArgument

if TYPE_CHECKING:
    from typing import Self

    from pyarrow import RecordBatch, Table

Stage: TypeAlias = "Callable[[Iterator[RecordBatch]], Iterator[RecordBatch]]"
"""A function that an executor calls with the batches of a partition."""

FAILED: str = "AuditOfPartitionFailed"
"""The name of the error that our stages raise on an executor."""

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")


class EngineFailed(AuditError):
    """The engine ended the work: an executor failed too often, or cannot import this package.

    `audit_dataframe` then makes no report. The message says what is left of the work.
    """


@contextmanager
def guarded(left: str = "Nothing is reported") -> Iterator[None]:
    """Turn errors of an engine into `EngineFailed`, which says what is left of the work.

    Errors of Python, Java and Arrow have no common base.
    """
    try:
        yield
    except (AuditError, InvalidArgument):
        raise
    except Exception as error:
        raise EngineFailed(_words(error, left)) from None


def _words(error: Exception, left: str) -> str:
    """Return the words for an error of the engine: its type, and the message of our own stages."""
    said = str(error)
    start = said.find(f"{FAILED}: ")
    own = said[start + len(FAILED) + 2 :].splitlines()[0].strip() if start >= 0 else ""
    if "No module named 'paywright" in said:
        own = 'the executors do not have this package: see docs/audit-at-scale.md, "Shipping the package"'
    return f"the engine ended the work ({type(error).__name__}){f': {own}' if own else ''}. {left}; the engine's log says more."


class Frame(Protocol):
    """A DataFrame of PySpark 4."""

    @property
    def columns(self) -> list[str]:
        """Return the names of the columns."""
        ...

    @property
    def sparkSession(self) -> object:
        """Return the session."""
        ...

    def select(self, *cols: str) -> Self:
        """Choose columns."""
        ...

    def filter(self, condition: str) -> Self:
        """Choose rows."""
        ...

    def limit(self, num: int) -> Self:
        """Choose the first rows."""
        ...

    def union(self, other: Self) -> Self:
        """Append rows."""
        ...

    def repartition(self, numPartitions: int, *cols: str) -> Self:
        """Shuffle rows so that those with equal values are together."""
        ...

    def mapInArrow(self, func: Stage, schema: str) -> Self:
        """Apply a function to the batches of each partition."""
        ...

    def persist(self) -> Self:
        """Keep the rows once they have been computed."""
        ...

    def unpersist(self) -> Self:
        """Drop the kept rows."""
        ...

    def collect(self) -> Sequence[Sequence[object]]:
        """Return all rows."""
        ...

    def toArrow(self) -> Table:
        """Return all rows as a table."""
        ...


FrameT = TypeVar("FrameT", bound=Frame)


class Shared(Protocol[T_co]):
    """A value that every executor has."""

    @property
    def value(self) -> T_co:
        """Return the value."""
        ...


class _SparkContext(Protocol):
    def broadcast(self, value: T, /) -> Shared[T]: ...


class _SparkSession(Protocol):
    @property
    def sparkContext(self) -> _SparkContext: ...


def shared(frame: Frame, value: T) -> Shared[T]:
    """Send a value to every executor once, as a broadcast."""
    return cast(_SparkSession, frame.sparkSession).sparkContext.broadcast(value)
