"""Views of `resource.py.jinja`: a resource, its operations as methods, and those that resolve unknown outcomes or follow an item."""

from __future__ import annotations

from paywright_codegen import naming
from paywright_codegen.lookup import all_filled, by_resource, field_at, member, payload_struct, query_of, write_of
from paywright_codegen.model.contract import Contract, Following
from paywright_codegen.model.operations import Operation
from paywright_codegen.model.types import Field
from paywright_codegen.python_types import argument_type, parameter_type
from paywright_codegen.render.views.doc_text import (
    argument_description,
    listed,
    python_guard,
    python_rule,
    see_sections,
    wrapped,
)


class MethodView:
    """An operation as a method of its resource."""

    def __init__(self, contract: Contract, operation: Operation) -> None:
        self.operation = operation
        self.name = operation.name
        self.verb = naming.variable(operation.verb)
        self.constant = naming.constant(operation.name)
        self.result = operation.answers.result or ""
        self.summary = operation.prose.summary
        self.placed_again = operation.resolution is not None and operation.resolution.placed_again_after is not None
        self._contract = contract

    @property
    def reference_class(self) -> str:
        """Return the class of the operation's constant."""
        return "WriteRef" if self.operation.resolution is not None else "OperationRef"

    @property
    def reference(self) -> str:
        """Return the type of the operation's constant: its result, and for a write that of the query that settles it."""
        is_write = self.operation.resolution is not None
        settled = f", {_settled_result(self._contract, self.operation)}" if is_write else ""
        return f"{self.reference_class}[{self.result}{settled}]"

    @property
    def arguments(self) -> list[tuple[str, str, str]]:
        """Return (Python name, type with default, wire name) of every argument, required ones first."""
        ordered = sorted(self._fields(), key=lambda field: not field.required)
        return [(naming.variable(one.wire), parameter_type(self._contract, one), one.wire) for one in ordered]

    @property
    def parameters(self) -> list[str]:
        """Return the parameters: the arguments, members newer than the contract, and a permission where it may be placed again."""
        again = ["again: Permission | None = None"] if self.placed_again else []
        arguments = (f"{name}: {type_}" for name, type_, _ in self.arguments)
        return ["*", *arguments, "extra: Mapping[str, object] | None = None", *again]

    def _fields(self) -> list[Field]:
        ask = self.operation.asks
        fields = (ask.data or ask.root).fields
        return [field for field in fields if not field.filled and not all_filled(self._contract, field)]

    @property
    def doc(self) -> list[str]:
        """Return the docstring of the method."""
        operation = self.operation
        lines = wrapped(self.summary, 8)
        if operation.prose.more:
            lines += ["", *wrapped(" ".join(operation.prose.more), 8)]
        by_wire = {field.wire: field for field in self._fields()}
        described = (
            (name, wire, argument_description(self._contract, by_wire[wire])) for name, _, wire in self.arguments
        )
        # A blank key is never sent, whatever the settings say.
        args = [f"{name}: {'not blank; ' if wire == operation.key else ''}{words}" for name, wire, words in described]
        args.append("extra: members newer than the contract, by wire name.")
        if self.placed_again:
            args.append("again: the permission to place it again under its key, as a resolver or a follower gives it.")
        rules = (
            f"{rule.id}: {python_rule(rule)}{'' if rule.checked else ' (documented; no field tells, so it is not checked)'}."
            for rule in (operation.asks.data or operation.asks.root).rules
        )
        guards = (f"{guard.id}: {python_guard(guard)}." for guard in operation.guards)
        returned = f"{self.result}: {self._contract.structs[self.result].prose.summary}"
        for title, texts in (("Args", args), ("Rules", rules), ("Not sent unless", guards), ("Returns", [returned])):
            lines += listed(title, texts, 12)
        return [*lines, *listed("Raises", self._raises(), 12), "", see_sections(operation.sections)]

    def _raises(self) -> list[str]:
        operation = self.operation
        raised = [
            "ContractViolation: an argument breaks the contract; all violations at once, nothing was sent.",
            "NotSent: no byte of the body left; safe to repeat with the same key, unless an earlier call with it is unknown.",
        ]
        if not operation.write:
            raised[-1] = "NotSent: no byte of the body left; safe to repeat."
            raised.append("NoAnswer: no verified answer came; safe to repeat.")
        else:
            how = "the contract has no query for it"
            if query_of(self._contract, operation) is not None:
                how = f"settle it with {resolver_name(self._contract, operation)}"
            raised.append(f"OutcomeUnknown: it left and no verified answer came, so money may have moved; {how}.")
            if self.placed_again:
                raised.append("TooEarly: the permission in `again` is over or used; nothing was sent.")
            if operation.repeats:
                raised.append(f"AlreadyPlaced: the gateway has this {naming.variable(operation.key or '')} already.")
        proves = "; it proves nothing about an earlier call with this key" if operation.write else ""
        raised.append(f"GatewayError: a verified refusal{proves}.")
        raised.append("UnreadableAnswer: a verified success that lacks a required member.")
        return raised


def _settled_result(contract: Contract, write: Operation) -> str:
    """Return the type of what the query that settles a write shows; `None` without a query."""
    query = query_of(contract, write)
    return (query.answers.result if query is not None else None) or "None"


def query_arguments(contract: Contract, write: Operation) -> list[tuple[str, str]]:
    """Return the required texts of a write's query beside the key: Python name and wire name."""
    resolution = write.resolution
    query = query_of(contract, write)
    return required_texts(contract, query, resolution.by) if query is not None and resolution is not None else []


def required_texts(contract: Contract, query: Operation, by: str | None) -> list[tuple[str, str]]:
    """Return the required texts of a query beside its member `by`: Python name and wire name."""
    arguments = MethodView(contract, query).arguments
    return [(name, wire) for name, type_, wire in arguments if type_ == "str" and wire != by]


def writes_settled_alike(contract: Contract, resource: str) -> list[list[Operation]]:
    """Return the writes of a resource, grouped by the method that resolves them, in the order of the methods.

    A method takes the content of its first write; what another one shows is the same, or a part of it.
    """
    alike: list[list[Operation]] = []
    for operation in contract.once(by_resource).get(resource, ()):
        if operation.inbound or operation.resolution is None:
            continue
        settled = operation.resolution, operation.key
        same = (one for one in alike if (one[0].resolution, one[0].key) == settled)
        group = next((one for one in same if {*operation.shows} <= {*one[0].shows}), None)
        if group is None:
            alike.append([operation])
        else:
            group.append(operation)
    return alike


def resolver_verb(contract: Contract, write: Operation) -> str:
    """Return the method of the resource that resolves a write. Operations added later do not change earlier names."""
    groups = writes_settled_alike(contract, write.resource)
    number, first = next((number, group[0]) for number, group in enumerate(groups) if write in group)
    return "resolve" if number == 0 else f"resolve_{naming.variable(first.verb)}"


def resolver_name(contract: Contract, write: Operation) -> str:
    """Return the whole name of the method, such as `client.orders.resolve`."""
    return f"client.{write.resource}.{resolver_verb(contract, write)}"


def _optional_type(contract: Contract, field: Field | None) -> str:
    """Return the type of an argument that may be left out, even if the field is required."""
    text = "str" if field is None else argument_type(contract, field).removesuffix(" | None")
    return f"{text} | None"


class ResolverView:
    """The method of a resource that resolves the unknown outcomes of writes with the same query."""

    def __init__(self, contract: Contract, writes: list[Operation]) -> None:
        first, self._writes = writes[0], writes
        resolution = first.resolution
        assert resolution is not None
        self._resolution = resolution
        self.write = first.name
        self.writes = [write.name for write in writes]
        self.verb = resolver_verb(contract, first)
        self.constant = naming.constant(first.name)
        verbs = " or ".join(naming.variable(write.verb) for write in writes)
        self.summary = f"Settle a call of {verbs} whose outcome is unknown. Nothing is sent yet."
        self.query = resolution.operation or ""
        query = contract.operations.get(self.query)
        self.result = _settled_result(contract, first)
        self.key_name = naming.variable(first.key or "")
        self._asks = query_arguments(contract, first)
        fields = [(shown, member(contract, first.asks, shown.asked)) for shown in (first.shows if query else ())]
        self.content = [
            (naming.content_argument(shown), shown.wire, _optional_type(contract, field)) for shown, field in fields
        ]
        limit = contract.limits.get(resolution.placed_again_after or "")
        self._interval = limit.seconds if limit is not None else None

    @property
    def parameters(self) -> list[str]:
        """Return the parameters: the error of the call, or its key and content, and the query's other arguments."""
        asks = [f"{name}: str" for name, _ in self._asks]
        content = [f"{name}: {type_} = None" for name, _, type_ in self.content]
        key = f"{self.key_name}: str | None = None"
        return ["error: OutcomeUnknown | None = None", "/", "*", *asks, key, *content]

    @property
    def given(self) -> str:
        """Return the arguments that are passed on: the error, the key, and the others by wire name."""
        asks = ", ".join(f"{wire!a}: {name}" for name, wire in self._asks)
        content = ", ".join(f"{wire!a}: {name}" for name, wire, _ in self.content)
        return f"error, key={self.key_name}, asks={{{asks}}}, content={{{content}}}"

    @property
    def doc(self) -> list[str]:
        """Return the docstring of the method."""
        lines = [*wrapped(self.summary, 8), "", *wrapped(" ".join(self._rule()), 8)]
        args = ["error: the error of the call. It has the key and the content."]
        args += [f"{name}: what {self.query} asks for beside the key." for name, _ in self._asks]
        args.append(f"{self.key_name}: without an error: the key of the call, as it was sent.")
        args += [
            f"{name}: without an error: the call's {wire}; if {self.query} shows another, the key belongs to another call."
            for name, wire, _ in self.content
        ]
        sections = dict.fromkeys(section for write in self._writes for section in write.sections)
        return [*lines, *listed("Args", args, 12), "", see_sections(["4.3", *sections])]

    def _rule(self) -> list[str]:
        if not self.query:
            return ["The contract has no query for it: the resolver says so, and the outcome stays unknown."]
        done = self._resolution.done
        shows = f"shows the key with {naming.variable(done[0])} {' or '.join(done[1])}" if done else "shows the key"
        rule = [f"It is settled when {self.query} {shows}."]
        if self._interval is None:
            return [*rule, 'The call is never repeated: "not there" proves nothing.']
        again = f'after "not there" again, at least {self._interval} seconds later, it may be placed again with the same key'
        return [*rule, f"Else it is queried again; {again}."]


def open_for(contract: Contract, following: Following) -> int | None:
    """Return the most seconds that an item can stay open, by its limit; None without a limit."""
    limit = contract.limits.get(following.open_for or "")
    return None if limit is None else limit.seconds


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
    def parameters(self) -> list[str]:
        """Return the parameters: the key, the query's other required members, and the content of the write."""
        unknown = ["unknown: bool = False", "after: PaywrightError | None = None"] if self._resolver else []
        content = [f"{name}: {type_} = None" for name, _, type_ in self._content]
        asks = [f"{name}: str" for name, _ in self._asks]
        expires = "expires_at: datetime | None = None"
        return [f"{self.key_name}: str", "*", *asks, *content, expires, *unknown]

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
        lines = [*wrapped(self.summary, 8), "", *wrapped(self._rule(), 8), *listed("Args", args, 12)]
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
        seconds = open_for(self._contract, self._following)
        end = "no end is known" if seconds is None else f"{seconds} seconds from now, the longest"
        if self._following.open_until:
            end = f"the {'.'.join(self._following.open_until)} that {self.query} shows"
        return f"the aware time until which it can stay open; by default {end}."


class ResourceView:
    """A resource: the operations that a client calls under one name. `awaited` has its methods with what makes them awaited."""

    def __init__(self, contract: Contract, resource: str) -> None:
        self.name = resource
        self.class_name = naming.resource_class(resource)
        self.operations = [MethodView(contract, one) for one in contract.once(by_resource)[resource] if not one.inbound]
        self.resolvers = [ResolverView(contract, writes) for writes in writes_settled_alike(contract, resource)]
        self.follow = follow_view(contract, resource, self.resolvers)
        self.slots = ("_call", "_resolve") if self.resolvers else ("_call",)
        forms: list[tuple[str, MethodView | ResolverView | FollowView]] = []
        forms += (("_awaited", each) for each in self.operations)
        forms += (("_awaited_resolver", each) for each in self.resolvers)
        forms += [] if self.follow is None else [("_shared", self.follow)]
        self.awaited = forms
        cited = dict.fromkeys(section for view in self.operations for section in view.operation.sections[:1])
        self.doc = f"{self.class_name}: {', '.join(view.verb for view in self.operations)} [{', '.join(cited)}]."
