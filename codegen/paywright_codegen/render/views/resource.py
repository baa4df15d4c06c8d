"""Views of `resource.py.jinja`: a resource with its methods, and the one that follows an item to its last state."""

from __future__ import annotations

from paywright_codegen import naming
from paywright_codegen.lookup import field_at, payload_struct, write_of
from paywright_codegen.model.contract import Contract, Following
from paywright_codegen.model.rules import Path
from paywright_codegen.render.views.doc_text import see_sections, wrapped
from paywright_codegen.render.views.methods import MethodView, ResolverView, required_texts, writes_settled_alike


def open_for(contract: Contract, following: Following) -> int | None:
    """Return the most seconds that an item can stay open, by its limit: a span, or the end of a range; None without a limit."""
    limit = contract.limits.get(following.open_for or "")
    if limit is None or limit.facet is None:
        return None if limit is None else limit.seconds
    return int(limit.facet.rpartition("..")[2])


def follow_view(contract: Contract, resource: str, resolvers: list[ResolverView]) -> FollowView | None:
    """Return the view of the resource's method; None if nothing of it is followed."""
    following = contract.follows.get(resource)
    if following is None:
        return None
    write = write_of(contract, following)
    same = (each for each in resolvers if write is not None and write.name in each.writes)
    return FollowView(contract, following, next(same, None))


class FollowView:
    """The method of a resource that follows an item; with the resolver's arguments where a write makes it."""

    verb = "follow"

    def __init__(self, contract: Contract, following: Following, resolver: ResolverView | None) -> None:
        self._contract = contract
        self._following = following
        self._resolver = resolver
        self.kind = following.kind
        self.query = following.operation
        operation = contract.operations[following.operation]
        self._told = operation.inbound
        self._tells = payload_struct(contract, operation.asks if operation.inbound else operation.answers)[1]
        self.result = self._tells.name if operation.inbound else operation.answers.result or "None"
        self.key_name = naming.variable(following.by)
        self._asks = [] if operation.inbound else required_texts(contract, operation, following.by)
        self.summary = (
            f"Describe the {self.result} with this key for `Follower.open`, which follows it to its last state."
        )

    @property
    def arguments(self) -> str:
        """Return the parameters: the key, the query's other required members, and the content of the write."""
        unknown = ["unknown: bool = False", "after: PaywrightError | None = None"] if self._resolver else []
        content = [f"{name}: {type_} = None" for name, _, type_ in self._content]
        asks = [f"{name}: str" for name, _ in self._asks]
        return ", ".join(
            [f"{self.key_name}: str", "*", *asks, *content, "expires_at: datetime | None = None", *unknown]
        )

    @property
    def given(self) -> str:
        """Return the arguments that are passed on."""
        asks = ", ".join(f"{wire!a}: {name}" for name, wire in self._asks)
        content = ", ".join(f"{wire!a}: {name}" for name, wire, _ in self._content)
        unknown = ", unknown, after" if self._resolver else ""
        return f"{self.key_name}, {{{asks}}}, {{{content}}}, expires_at{unknown}"

    @property
    def doc(self) -> list[str]:
        """Return the docstring of the method."""
        args = [f"{self.key_name}: the key, as it was sent."]
        args += [f"{name}: required by {self.query} beside the key." for name, _ in self._asks]
        args += [
            f"{name}: the call's {wire}; if {self.query} shows another, the key belongs to another call."
            for name, wire, _ in self._content
        ]
        args.append(f"expires_at: {self._until()}")
        if self._resolver is not None:
            args.append(
                "unknown: True before the call is made, or if its outcome is unknown: then the outcome is resolved first, as by resolve."
            )
            args.append("after: the error that the call ended with, if it left the outcome unknown.")
        lines = [*wrapped(self.summary, 8), "", *wrapped(self._rule(), 8), "", "Args:"]
        lines += [f"    {line}" for text in args for line in wrapped(text, 12, 4)]
        operation = self._contract.operations[self.query]
        return [*lines, "", see_sections((*self._following.sections, *operation.sections))]

    @property
    def _content(self) -> list[tuple[str, str, str]]:
        return self._resolver.content if self._resolver is not None else []

    def _rule(self) -> str:
        if self._told:
            return (
                f"Only {self.query} reports it; the contract has no query. A receiver with the follower's ledger records these "
                "notifications; the item's step says when the next one is overdue."
            )
        each = f" and every {'.'.join(self._following.each)} is settled" if self._following.each else ""
        states = " or ".join(self._last_states())
        return (
            f"The follower asks {self.query} soon after a hint, then at growing intervals, and once more when it must be closed. It "
            f"is settled when {'.'.join(self._following.state)} is {states}{each}."
        )

    def _last_states(self) -> list[str]:
        field = field_at(self._contract, self._tells, self._following.state, lists=True)
        assert field is not None  # the linter has seen it
        return [value.wire for value in self._contract.sets[field.type.name].values if value.ends]

    def _until(self) -> str:
        if self._told:
            return "the aware time when the first notification is due; each one names the end of its period."
        return f"the aware time until which it can stay open; {self._usual_end(self._following.open_until)}."

    def _usual_end(self, until: Path) -> str:
        if until:
            return f"by default the {'.'.join(until)} that {self.query} shows"
        seconds = open_for(self._contract, self._following)
        return (
            "by default no end is known" if seconds is None else f"by default {seconds} seconds from now, the longest"
        )


class ResourceView:
    """A resource: the operations that a client calls under one name. `awaited` has its methods with what makes them awaited."""

    def __init__(self, contract: Contract, resource: str, operations: list[MethodView]) -> None:
        self.name = resource
        self.class_name = naming.resource_class(resource)
        self.operations = operations
        self.resolvers = [ResolverView(contract, writes) for writes in writes_settled_alike(contract, resource)]
        self.follow = follow_view(contract, resource, self.resolvers)
        self.slots = ("_call", "_resolve") if self.resolvers else ("_call",)
        forms: list[tuple[str, MethodView | ResolverView | FollowView]] = []
        forms += (("_awaited", each) for each in operations)
        forms += (("_awaited_resolver", each) for each in self.resolvers)
        forms += [] if self.follow is None else [("_shared", self.follow)]
        self.awaited = forms
        cited = dict.fromkeys(section for view in operations for section in view.operation.sections[:1])
        self.doc = f"{self.class_name}: {', '.join(view.verb for view in operations)} [{', '.join(cited)}]."
