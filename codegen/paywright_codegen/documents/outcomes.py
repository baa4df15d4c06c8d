"""Say for the OpenAPI document what decides about money: the key of a call, what its codes prove, and how it is settled.

Each fact is there twice: as an `x-` key for programs, and as a sentence, because viewers show descriptions alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from paywright_codegen.documents.json_schema import Schema
from paywright_codegen.lookup import payload_member
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import Operation


def facts(contract: Contract, operation: Operation) -> Schema:
    """Return the `x-` keys of an operation, without what the contract does not state."""
    found: Schema = {
        "x-sections": list(operation.sections),
        "x-version": operation.version,
        "x-key": _key(contract, operation),
        "x-resolved-by": _resolved_by(contract, operation),
        "x-codes": _codes(operation),
        "x-same-in-answer": list(operation.echoes),
        "x-acts-on": operation.acts_on,
        "x-once-per": [".".join(path) for path in operation.once_per],
    }
    return {name: value for name, value in found.items() if value}


def sentences(contract: Contract, operation: Operation) -> Iterator[str]:
    """Yield the paragraphs of an operation's description, as far as they are about money."""
    key = _key(contract, operation)
    if key is not None:
        case = ", whose case does not count" if key["ignores-case"] else ""
        yield f"**Key:** `{key['member']}`{case}. The same call keeps its key; with another key it is another call."
        yield f"**If no verified answer came,** money may have moved. {_settled(contract, operation)}"
    if operation.once_per:
        by = ", ".join(f"`{'.'.join(path)}`" for path in operation.once_per)
        yield f"It may come more than once: each combination of {by} has one effect."
    codes = list(_code_words(operation))
    if codes:
        yield f"**Codes,** in `{operation.code}` of a verified answer: {'; '.join(codes)}."


def _key(contract: Contract, operation: Operation) -> Schema | None:
    if operation.key is None:
        return None
    member = payload_member(contract, operation.asks, (operation.key,))[0]
    return {"member": member, "ignores-case": operation.key_ignores_case}


def _resolved_by(contract: Contract, operation: Operation) -> Schema | None:
    resolution = operation.resolution
    if resolution is None:
        return None
    if resolution.operation is None:
        return {"operation": None}
    query = contract.operations[resolution.operation]
    limit = contract.limits.get(resolution.placed_again_after or "")
    found: Schema = {
        "operation": query.name,
        "by": payload_member(contract, query.asks, (resolution.by or "",))[0],
        "done-when": None if resolution.done is None else {resolution.done[0]: list(resolution.done[1])},
        "placed-again-after-seconds": None if limit is None else limit.seconds,
    }
    return {name: value for name, value in found.items() if value is not None}


def _settled(contract: Contract, operation: Operation) -> str:
    resolution = operation.resolution
    assert resolution is not None  # the linter requires it of what has a key
    if resolution.operation is None:
        return "No query tells what became of it: ask the gateway's people, and do not take another key."
    said = f"Ask `{resolution.operation}` by the same key"
    if resolution.done is not None:
        said += (
            f": it took effect where `{resolution.done[0]}` is {' or '.join(f'`{one}`' for one in resolution.done[1])}"
        )
    limit = contract.limits.get(resolution.placed_again_after or "")
    if limit is None:
        return f"{said}, and do not take another key."
    return (
        f"{said} until it is shown. Where that says twice, at least {limit.seconds} seconds apart, that there is none, the same "
        "call may be made again with the same key."
    )


def _codes(operation: Operation) -> Schema | None:
    if operation.inbound or operation.code is None:
        return None
    refused = [code for code in operation.refuses if code not in operation.stale]
    found: Schema = {
        "member": "/" + operation.code.replace(".", "/"),
        "accepted": [operation.succeeds[1]] if operation.succeeds is not None else [],
        "nothing-happened" if operation.write else "refused": refused,
        "clock": [code for code in operation.refuses if code in operation.stale],
        "placed-before": list(operation.repeats),
        "absent": list(operation.absent),
    }
    return {name: value for name, value in found.items() if value}


def _code_words(operation: Operation) -> Iterator[str]:
    said = {
        "accepted": "accepted, which says nothing of the state: read it in the answer",
        "nothing-happened": "this call did nothing",
        "refused": "the query was refused",
        "clock": "it did nothing, because its time was too old or too new",
        "placed-before": "the key was used before, so money may have moved: settle the earlier call, and take no other key",
        "absent": "there is no such key now, which does not prove that a lost call did nothing",
    }
    for name, values in (_codes(operation) or {}).items():
        if name in said and isinstance(values, list):
            yield f"{', '.join(f'`{code}`' for code in values)}: {said[name]}"
    if operation.write and operation.code is not None:
        yield "any other: unknown, and money may have moved"
