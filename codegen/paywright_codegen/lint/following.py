"""Check how the items of a resource are followed: the operation, its key, and the members that show the state."""

from __future__ import annotations

from collections.abc import Iterator

from paywright_codegen import naming
from paywright_codegen.lint.asking import asked_by
from paywright_codegen.lint.members import own, told
from paywright_codegen.lookup import field_at, is_state, write_of
from paywright_codegen.model.contract import Contract, Following
from paywright_codegen.problems import Problem, meant, problems_of

__all__ = ["lint_follows"]


def lint_follows(contract: Contract) -> Iterator[Problem]:
    """Yield a problem for each operation, member or limit of a follow that does not exist or does not fit."""
    resources = {operation.resource for operation in contract.operations.values() if not operation.inbound}
    for kind, following in contract.follows.items():
        if kind not in resources:
            do = f"{meant(kind, resources)}name a resource of the client"
            yield Problem(following.place, f"no resource is called `{kind}`", do)
        yield from _operation(contract, following)


def _operation(contract: Contract, following: Following) -> Iterator[Problem]:
    place = following.at("shown by")
    operation = contract.operations.get(following.operation)
    if operation is None:
        do = f"{meant(following.operation, contract.operations)}name a query, or a notification"
        yield Problem(place, f"no operation is called `{following.operation}`", do)
        return
    if operation.write:
        yield Problem(
            place, f"`{operation.name}` is a write", "name a query, or a notification: a write cannot be asked"
        )
    tells = operation.asks if operation.inbound else operation.answers
    asked = told(contract, tells) if operation.inbound else own(operation.asks)
    if asked.field(following.by) is None:
        yield Problem(
            place, f"`{following.by}` is not a member of `{operation.name}`", "name the member that is the key"
        )
    elif not operation.inbound:
        write = write_of(contract, following)
        shown = [naming.content_argument(one) for one in write.shows] if write is not None else []
        taken = ("unknown", "after") if write is not None else ()
        names = [naming.variable(following.by), "self", "expires_at", *taken]
        complaints = asked_by(contract, operation, following.by, "follow", [*names, *shown])
        yield from problems_of(following, f"`{following.kind}` ", complaints)
        for name in {*names} & {*shown}:
            do = "rename the member of the write's request, or of the query's"
            yield Problem(place, f"`{following.kind}` cannot be followed: `{name}` is an argument of `follow`", do)
    struct = told(contract, tells)
    for said, path in (("state", following.state), ("each", following.each)):
        field = field_at(contract, struct, path, lists=True) if path else None
        if path and (field is None or not is_state(contract, field)):
            do = "name a member whose type stands under `states:`"
            yield Problem(following.at(said), f"`{'.'.join(path)}` is not a state in `{operation.name}`", do)
    for said, path in (
        ("amount", following.amount),
        ("amount", following.currency),
        ("open until", following.open_until),
    ):
        if path and field_at(contract, struct, path, lists=True) is None:
            what = f"`{'.'.join(path)}` is not a member of what `{operation.name}` shows"
            yield Problem(following.at(said), what, "name a member that it shows")
    limit = contract.limits.get(following.open_for or "")
    if following.open_for is not None and (
        limit is None or (limit.seconds is None and ".." not in (limit.facet or ""))
    ):
        do = f"{meant(following.open_for, contract.limits)}name a limit that is a span, or a range of seconds"
        yield Problem(following.at("open for"), f"`{following.open_for}` limits no time", do)
