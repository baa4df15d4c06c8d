"""An oracle for the verdict on the wire: thousands of documents of both contracts, judged by both."""

from __future__ import annotations

from random import Random

from paywright_cli.commands.contract_package import judge_of
from paywright_codegen.diff.report import Verdict, compared
from paywright_codegen.diff.witnesses import Effect, Party
from paywright_codegen.lookup import header_struct
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.types import Field, Struct
from tests.support.contract import inner
from tests.support.documents import settle, texts
from tests.support.mutations import of_struct

Json = dict[str, object]
# By the ids of contracts, which must not come again: the helpers remember contracts by them too.
_parties: dict[int, Party] = {}


def party(contract: Contract) -> Party:
    """A side of a comparison, with its validators, which are generated once."""
    if id(contract) not in _parties:
        _parties[id(contract)] = Party(contract, judge_of(contract))
    return _parties[id(contract)]


def judged(old: Party, new: Party) -> tuple[Verdict, ...]:
    """The verdicts of all changes between two sides."""
    return compared(old, new)[0]


def effects_of(found: tuple[Verdict, ...]) -> set[Effect]:
    """The effects that have a witness."""
    return {witness.effect for one in found for witness in one.witnesses}


def _roots(contract: Contract, name: str) -> list[Struct]:
    """The bodies of both messages of an operation, and their headers."""
    operation = contract.operations[name]
    return [message.root for message in operation.messages] + [
        Struct(operation.place, name=header_struct(contract, message) or "", fields=message.headers)
        for message in operation.messages
        if message.headers
    ]


class Oracle:
    """Draws documents of the messages of an operation, and judges them by both sides."""

    def __init__(self, random: Random, documents: int, mutated: int) -> None:
        self._random, self._documents, self._mutated = random, documents, mutated
        self.judged = 0

    def effects(self, old: Party, new: Party, name: str) -> dict[Effect, Json]:
        """The effects that a drawn document shows, each with that document."""
        found: dict[Effect, Json] = {}
        pairs: tuple[tuple[Effect, Party, Party], ...] = (("narrowed", old, new), ("widened", new, old))
        for effect, writer, reader in pairs:
            for root, reading in zip(_roots(writer.contract, name), _roots(reader.contract, name), strict=True):
                for document in self._drawn(writer.contract, root, reader.contract, reading):
                    self.judged += 1
                    if not writer.judge(root.name, document) and reader.judge(reading.name, document):
                        found.setdefault(effect, document)
        return found

    def _drawn(self, contract: Contract, root: Struct, other: Contract, reading: Struct) -> list[Json]:
        made: list[Json] = []
        for number in range(self._documents):
            body = settle(contract, root, self._object(contract, root, (0.1, 0.9)[number % 2]))
            made.append(body)
            both = (*of_struct(contract, root, body, ()), *of_struct(other, reading, body, ()))
            possible = [one for one in both if one.kind != "extra member"]
            chosen = self._random.sample(possible, min(len(possible), self._mutated))
            changed = [one for one in (one.apply(body) for one in chosen) if isinstance(one, dict)]
            made += [one for one in changed if _is_known(contract, root, one)]
        return made

    def _object(self, contract: Contract, struct: Struct, share: float) -> Json:
        return {
            (field.also if field.also and self._random.random() < 0.5 else field.wire): self._value(
                contract, field, share
            )
            for field in struct.fields
            if field.required or self._random.random() < share
        }

    def _value(self, contract: Contract, field: Field, share: float) -> object:
        one = self._one(contract, field, share)
        if not field.type.array:
            return one
        sizes = {field.min or 1, min(field.max if field.max is not None else 3, 50), 2 if (field.max or 3) >= 2 else 1}
        return [one] * self._random.choice([*sizes])

    def _one(self, contract: Contract, field: Field, share: float) -> object:
        kind = field.type.kind
        if kind == "struct":
            return self._object(contract, inner(contract, field), share * 0.6)
        if kind == "number":
            return self._random.choice((0, 1, 10.5))
        if kind == "boolean":
            return self._random.random() < 0.5
        if kind == "object":
            return {}
        return self._random.choice([*texts(contract, field)])


def _is_known(contract: Contract, struct: Struct, body: object) -> bool:
    """Whether an object has only members that its writer knows: nobody sends others."""
    if isinstance(body, list):
        return all(_is_known(contract, struct, one) for one in body)
    if not isinstance(body, dict):
        return True
    known = {name: field for field in struct.fields for name in (field.wire, field.also)}
    return all(
        name in known
        and (known[name].type.kind != "struct" or _is_known(contract, inner(contract, known[name]), value))
        for name, value in body.items()
    )
