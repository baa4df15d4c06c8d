"""Check that the fields guards name exist and can be compared."""

from __future__ import annotations

from collections.abc import Iterator

from paywright_codegen.lookup import is_decimal, member
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import GuardDemand, Operation
from paywright_codegen.problems import Problem, meant

__all__ = ["lint_guards"]


def lint_guards(contract: Contract) -> Iterator[Problem]:
    """Yield a problem for each guard whose field does not exist or cannot be compared as it says."""
    for operation in contract.operations.values():
        rules = {rule.id for rule in (operation.asks.data or operation.asks.root).rules}
        for guard in operation.guards:
            if guard.id in rules:
                what = f"guard `{guard.id}` has the name of a rule of `{operation.name}`"
                yield Problem(guard.place, what, "give it a name of its own: names are error codes")
            for demand in guard.demands:
                for what, do in _complaints(contract, operation, demand):
                    yield Problem(guard.place, f"guard `{guard.id}`: {what}", do)


def _complaints(contract: Contract, operation: Operation, demand: GuardDemand) -> Iterator[tuple[str, str]]:
    said, field = ".".join(demand.path), member(contract, operation.asks, demand.path)
    if field is None:
        known = (operation.asks.data or operation.asks.root).fields
        do = f"{meant(said, (one.wire for one in known))}name a field that stands in no array"
        yield f"`{said}` is not a field of the request", do
    elif field.type.array or not is_decimal(contract, field):
        yield f"`{said}` is neither a number nor an amount", "name one that is"
