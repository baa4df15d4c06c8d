"""The whole contract, and its parts other than types and operations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from paywright_codegen.model.cited import Cited, SourcePlace
from paywright_codegen.model.operations import Operation, SeenNotification
from paywright_codegen.model.rules import Path
from paywright_codegen.model.types import Format, Set, Struct

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Limit(Cited):
    """A limit beyond one field: a span of time in seconds, or the largest number of decimals that the client sends."""

    name: str = ""
    seconds: int | None = None
    decimals: int | None = None


@dataclass(frozen=True, slots=True)
class Move(Cited):
    """A transition that the specification shows: from a state, `none` or `any`, to one of several states."""

    set: str = ""
    before: str = ""
    after: tuple[str, ...] = ()
    trigger: str = ""


@dataclass(frozen=True, slots=True)
class Following(Cited):
    """Follow of a resource's items to their last state: by a query, or by notifications alone.

    Paths are of the query's answer (`by`: of its request), or of the notification's payload.
    """

    kind: str = ""  # the resource
    operation: str = ""
    by: str = ""
    state: Path = ()
    each: Path = ()  # the state of what belongs to the item, such as the transactions of a link
    amount: Path = ()
    currency: Path = ()
    open_for: str | None = None  # the name of a limit: how long an item can stay open
    open_until: Path = ()  # the time until which it can stay open


@dataclass(frozen=True, slots=True)
class Question(Cited):
    """An open question: the specification's words, our choice meanwhile, and what was publicly seen."""

    name: str = ""
    says: str = ""
    does: str = ""
    seen: str | None = None


@dataclass(frozen=True, slots=True)
class Number(Cited):
    """A number by which the gateway knows a merchant: an `id`, another `text`, or the `signer` of the merchant's choice."""

    name: str = ""
    required: bool = False
    kind: Literal["id", "text", "signer"] = "id"


@dataclass(frozen=True, slots=True)
class Signature(Cited):
    """A signature: the text that it `covers`, and how its header is `written`.

    `chosen_by` is the merchant's signer that may take this form; such a form may send a header beside it.
    """

    name: str = ""
    covers: str = ""
    written: str = ""
    chosen_by: str | None = None
    sends: str | None = None

    @property
    def algorithm(self) -> str:
        """Return the algorithm, such as RSA-SHA256."""
        return self.written.rpartition(" of ")[2].partition("}")[0]


@dataclass(frozen=True, slots=True)
class Contract:
    """The whole contract. Parts are in the order they are written, files in alphabetical order."""

    formats: dict[str, Format]
    sets: dict[str, Set]
    structs: dict[str, Struct]  # the named ones
    operations: dict[str, Operation]
    limits: dict[str, Limit]
    moves: tuple[Move, ...]
    follows: dict[str, Following]  # by resource
    questions: dict[str, Question]
    seen: dict[str, SeenNotification]
    citations: tuple[tuple[str, SourcePlace], ...]  # every [n] of keys and prose
    numbers: dict[str, Number] = field(default_factory=dict)
    signatures: dict[str, Signature] = field(default_factory=dict)
    _made: dict[object, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def once(self, make: Callable[[Contract], T]) -> T:
        """Return what a function makes of the contract. It is called once."""
        if make not in self._made:
            self._made[make] = make(self)
        made: T = self._made[make]
        return made

    def struct_named(self, name: str) -> Struct:
        """Return a named struct, or the root or the data of a message. Raises KeyError if there is none."""
        return self.once(_structs)[name]

    def reached_from(self, *structs: Struct) -> dict[str, Struct]:
        """Return these structs and all that stand in them, by name, in the order of reading."""
        found: dict[str, Struct] = {}

        def reach(struct: Struct) -> None:
            if struct.name not in found:
                found[struct.name] = struct
                for field in struct.fields:
                    if field.type.kind == "struct":
                        reach(self.struct_named(field.type.name))

        for struct in structs:
            reach(struct)
        return found

    def all_structs(self) -> Iterator[Struct]:
        """Yield named structs, then the roots and data of all messages."""
        yield from self.structs.values()
        for operation in self.operations.values():
            for message in operation.messages:
                if message.root.name not in self.structs:
                    yield message.root
                if message.data is not None and message.data.name not in self.structs:
                    yield message.data


def _structs(contract: Contract) -> dict[str, Struct]:
    return {struct.name: struct for struct in reversed([*contract.all_structs()])}
