"""Views of `contract_file.py.jinja`: operations, structs and value lists as calls of the runtime's classes."""

from __future__ import annotations

from paywright_codegen import naming
from paywright_codegen.lookup import (
    amount_message,
    header_struct,
    is_state,
    member,
    once_per,
    payload_member,
    payload_struct,
    settled_by,
    write_of,
)
from paywright_codegen.model.contract import Contract, Following
from paywright_codegen.model.operations import Amount, GivesBack, Listed, Operation, SeenNotification, Shown
from paywright_codegen.model.rules import Path
from paywright_codegen.model.types import Field, Set, Struct
from paywright_codegen.python_types import kind
from paywright_codegen.render.python.doc_text import facets, python_rule
from paywright_codegen.render.views.follow import open_for
from paywright_codegen.render.views.methods import query_arguments, resolver_name

__all__ = [
    "EnvelopeMembers",
    "FollowingRow",
    "OperationTable",
    "SeenTable",
    "SetTable",
    "StructTable",
    "field_row",
    "rule_rows",
]


class EnvelopeMembers:
    """The members of an envelope before its payload, and its rules, as most messages of one role have them."""

    def __init__(self, envelope: str, role: str, rows: tuple[str, ...], rules: tuple[str, ...]) -> None:
        self.name = f"{naming.constant(envelope)}_{role.upper()}_FIELDS"
        self.rules_name = f"{naming.constant(envelope)}_{role.upper()}_RULES"
        self.rows = rows
        self.rules = rules


class StructTable:
    """A struct as a call of `Struct(...)`. It may begin with the members that its envelope states."""

    def __init__(self, contract: Contract, struct: Struct, shared: EnvelopeMembers | None = None) -> None:
        self.name = struct.name
        self.sections = struct.sections
        self.rows = [field_row(contract, field) for field in struct.fields]
        rules = rule_rows(struct)
        self.rules = f"({', '.join(rules)},)" if rules else ""
        if shared is not None:
            self.rows[: len(shared.rows)] = [f"*{shared.name}"]
            if rules and rules == shared.rules:
                self.rules = shared.rules_name


def rule_rows(struct: Struct) -> tuple[str, ...]:
    """Return the rules of a struct as calls of `Rule(...)`, as source."""
    return tuple(
        f"Rule({rule.id!a}, {rule.text!a}, {python_rule(rule)!a}, {rule.sections!a}"
        + (")" if rule.checked else ", checked=False)")
        for rule in struct.rules
    )


def field_row(contract: Contract, field: Field) -> str:
    """Return a member as a call of `Field(...)`, as source."""
    sends = field.sends if field.sends is not None else field.values[0] if field.fixed else None
    of = _of(contract, field)
    options = {
        "required": True if field.required else None,
        "array": True if field.type.array else None,
        "blank": True if field.blank else None,
        "also": field.also,
        "sends": sends,
        "source": field.source,
        "redaction": field.redaction,
    }
    given = "" if of is None else f", {of!a}"
    given += "".join(f", {key}={value!a}" for key, value in options.items() if value is not None)
    name = naming.variable(field.wire)
    return f"Field({field.wire!a}, {name!a}, {kind(contract, field)!a}, {facets(field)!a}{given})"


def _of(contract: Contract, field: Field) -> str | None:
    """Name the type behind a field: a struct, a set or a format; for a date or time, its check."""
    if kind(contract, field) in ("date", "datetime"):
        return contract.formats[field.type.name].check
    return field.type.name if field.type.kind in ("struct", "set", "format") else None


class FollowingRow:
    """Follow of a resource's items, as a call of `Following(...)`."""

    def __init__(self, contract: Contract, following: Following) -> None:
        self.kind = following.kind
        self._contract = contract
        self._following = following

    @property
    def row(self) -> str:
        """Return the call as source."""
        each = self._following
        operation = self._contract.operations[each.operation]
        write = write_of(self._contract, each)
        options: dict[str, object] = {
            "told": operation.inbound or None,
            "each": ".".join(each.each) or None,
            "amount": ".".join(each.amount) or None,
            "currency": ".".join(each.currency) or None,
            "open_for": open_for(self._contract, each),
            "open_until": ".".join(each.open_until) or None,
            "write": None if write is None else write.name,
        }
        given = "".join(f", {key}={value!a}" for key, value in options.items() if value is not None)
        first = f"{each.kind!a}, {each.operation!a}, {each.by!a}, {'.'.join(each.state)!a}"
        return f"Following({first}, sections={each.sections!a}{given})"


class SetTable:
    """A value list as a call of `Set(...)`."""

    def __init__(self, chosen: Set) -> None:
        self.name = chosen.name
        options: dict[str, object] = {
            "open": chosen.open,
            "states": chosen.states,
            "final": tuple(value.wire for value in chosen.values if value.final),
            "settled": tuple(value.wire for value in chosen.values if value.settled),
            "paid": tuple(value.wire for value in chosen.values if value.paid),
            "returned": tuple(value.wire for value in chosen.values if value.returned),
            "stated": tuple(
                value.wire
                for value in chosen.values
                if (value.final or value.settled) and not (value.questions or chosen.questions)
            ),
            "sections": chosen.sections,
        }
        given = "".join(f", {key}={value!a}" for key, value in options.items() if value)
        meanings = {value.wire: value.prose.text for value in chosen.values}
        self.row = f"Set({chosen.name!a}, {meanings!a}{given})"


class OperationTable:
    """An operation as a call of `Operation(...)`, whose arguments are `options`, as source."""

    def __init__(self, contract: Contract, operation: Operation) -> None:
        self.name = operation.name
        self.operation = operation
        self._contract = contract
        self.options = self._options()

    @property
    def row(self) -> str:
        """Return the call as source."""
        return f"Operation({', '.join([f'{self.name!a}', *(f'{key}={value}' for key, value in self.options.items())])})"

    def _options(self) -> dict[str, str]:
        operation = self.operation
        asks, answers = operation.messages
        options: dict[str, object] = {
            "path": operation.post,
            "envelope": operation.envelope,
            "roles": (asks.role, answers.role),
            "request": asks.root.name,
            "response": answers.root.name,
            "sections": operation.sections,
            "questions": operation.questions,
            "version": operation.version,
            "inbound": operation.inbound,
            "data": asks.data.name if asks.data is not None and not operation.inbound else None,
            "result": answers.result if not operation.inbound else asks.result,
            "request_headers": header_struct(self._contract, asks),
            "response_headers": header_struct(self._contract, answers),
            "discriminators": _tells(operation),
            "key": operation.key,
            "key_ignores_case": _ignores_case(self._contract, operation),
            "resolution": None,
            "echoes": operation.echoes,
            "each_echoes": operation.each_echoes,
            "payloads": (asks.payload or "", answers.payload or "") if asks.payload or answers.payload else None,
            "succeeds": operation.succeeds,
            "code_at": operation.code if operation.succeeds and operation.code != operation.succeeds[0] else None,
            "message_at": operation.message if not operation.inbound else None,
            "once_per": once_per(self._contract, operation)[0],
            "state": once_per(self._contract, operation)[1],
            "gateway_id": self._gateway_id(),
            "about": self._about(),
            "acts_on": operation.acts_on,
        }
        shown = {key: ascii(value) for key, value in options.items() if value or key == "path"}
        if operation.resolution is not None:
            shown["resolution"] = self._resolution()
        if operation.shows:
            shown["shows"] = f"({', '.join(self._shown(one) for one in operation.shows)},)"
        for name, codes in (
            ("refusal_codes", operation.refuses),
            ("duplicate_codes", operation.repeats),
            ("not_found_codes", operation.absent),
            ("clock_codes", operation.stale),
        ):
            if codes:
                shown[name] = f"frozenset({codes!a})"
        if operation.guards:
            rows = [
                f"Guard({guard.id!a}, {demand.kind!a}, {'/' + '/'.join(demand.path)!a})"
                for guard in operation.guards
                for demand in guard.demands
            ]
            shown["guards"] = f"({', '.join(rows)},)"
        if operation.amount is not None:
            shown["amount"] = _amount(self._contract, operation, operation.amount)
        for name, written in (
            ("gives_back", ", ".join(map(self._gives_back, operation.gives_back))),
            ("lists", ", ".join(map(self._listed, operation.lists))),
        ):
            if written:
                shown[name] = f"({written},)"
        if operation.decides is not None:
            one = operation.decides
            limits = "" if one.amount is None else f", within=({one.amount!a}, {one.least!a}, {one.most!a})"
            shown["decision"] = f"Decision({one.member!a}, {one.yes!a}, {one.no!a}, {one.reason!a}{limits})"
        return shown

    def _resolution(self) -> str:
        resolution = self.operation.resolution
        assert resolution is not None
        options: dict[str, object] = {"by": resolution.by, "done": resolution.done}
        options["argument"] = naming.variable(self.operation.key or "")
        if resolution.placed_again_after:
            options["placed_again_after"] = self._contract.limits[resolution.placed_again_after].seconds
        if resolution.operation is not None and resolution.by is not None:
            query = self._contract.operations[resolution.operation].asks
            asked = (query.data or query.root).field(resolution.by)
            ask = self.operation.asks
            own = (ask.data or ask.root).field(self.operation.key or "")
            if (
                asked is not None
                and own is not None
                and asked.max is not None
                and (own.max or asked.max + 1) > asked.max
            ):
                options["longest_key"] = asked.max
        if resolution.operation is not None:
            options["resolver"] = resolver_name(self._contract, self.operation)
            options["asks"] = tuple(name for name, _ in query_arguments(self._contract, self.operation)) or None
        given = "".join(f", {key}={value!a}" for key, value in options.items() if value is not None)
        return f"Resolution({resolution.operation!a}{given})"

    def _about(self) -> tuple[str, str] | None:
        if self.operation.about is None:
            return None
        query, key = self.operation.about
        return query, payload_member(self._contract, self.operation.asks, key)[0]

    def _gateway_id(self) -> str | None:
        operation = self.operation
        if operation.gateway_id is None:
            return None
        message = operation.asks if operation.inbound else operation.answers
        return payload_member(self._contract, message, operation.gateway_id)[0]

    def _gives_back(self, back: GivesBack) -> str:
        target = self._contract.operations[back.operation]
        options: dict[str, object] = {
            name: payload_member(self._contract, self.operation.asks, (wire,))[0]
            for name, wire in (("key", back.key), ("gateway_id", back.gateway_id))
            if wire is not None
        }
        if back.within is not None and back.since is not None:
            message = target.asks if target.inbound else target.answers
            options["within"] = self._contract.limits[back.within].seconds
            options["since"] = payload_member(self._contract, message, (back.since,))[0]
        return f"GivesBack({target.name!a}{''.join(f', {key}={value!a}' for key, value in options.items())})"

    def _listed(self, listed: Listed) -> str:
        pointer, items = payload_member(self._contract, self.operation.answers, (listed.items,))
        assert items is not None  # the linter requires it
        fields = self._contract.structs[items.type.name].fields
        state = next(field for field in fields if is_state(self._contract, field))
        return f"Listed({pointer!a}, {listed.key!a}, {state.wire!a}, {state.type.name!a})"

    def _shown(self, shown: Shown) -> str:
        field = member(self._contract, self.operation.asks, shown.asked)
        number = field is not None and kind(self._contract, field) in ("number", "decimal")
        answered = ".".join(shown.answered)
        options = f"{', number=True' if number else ''}{', optional=True' if self._may_lack(shown.asked) else ''}"
        return f"Shown({shown.wire!a}, {naming.content_argument(shown)!a}, {answered!a}{options})"

    def _may_lack(self, path: Path) -> bool:
        """Return whether a request may leave out a member, or something above it."""
        above = (member(self._contract, self.operation.asks, path[:end]) for end in range(1, len(path) + 1))
        return any(field is None or not field.required for field in above)


class SeenTable:
    """A notification that was seen elsewhere as a call of `SeenNotification(...)`."""

    def __init__(self, contract: Contract, seen: SeenNotification) -> None:
        self.kind = seen.kind
        # It has the form of those that the specification shows.
        shown = next(one for one in contract.operations.values() if one.inbound and one.when is not None)
        assert shown.when is not None
        assert seen.amount is not None  # the schema requires it
        at = payload_struct(contract, shown.asks)[0]
        options = {
            "discriminators": {f"/{shown.when[0]}": seen.kind},
            "about": (seen.about, f"{at}/{seen.key}"),
            "once_per": (f"{at}/{seen.key}", f"{at}/{seen.state}"),
            "state": f"{at}/{seen.state}",
            "address": seen.address,
            "summary": seen.prose.summary,
            "sections": seen.sections,
            "questions": seen.questions,
        }
        member, currency = ("/".join((at, *path)) for path in (seen.amount.member, seen.amount.currency))
        given = ", ".join(f"{key}={value!a}" for key, value in options.items())
        self.row = (
            f"SeenNotification({seen.kind!a}, {given}, "
            f"amount=Amount({shown.asks.role!a}, {member!a}, {currency!a}))"
        )


def _amount(contract: Contract, operation: Operation, amount: Amount) -> str:
    message = amount_message(operation)
    member, currency = (payload_member(contract, message, path)[0] for path in (amount.member, amount.currency))
    return f"Amount({message.role!a}, {member!a}, {currency!a})"


def _ignores_case(contract: Contract, operation: Operation) -> bool:
    return operation.key_ignores_case or any(one.key_ignores_case for one in settled_by(contract, operation))


def _tells(operation: Operation) -> dict[str, str]:
    """Return the pointers and values that tell an operation's requests from others at its address."""
    found = {f"/{operation.when[0]}": operation.when[1]} if operation.when else {}
    for at, struct in (("", operation.asks.root), (f"/{operation.asks.payload}", operation.asks.data)):
        for field in struct.fields if struct is not None and not operation.inbound else ():
            if field.fixed:
                found[f"{at}/{field.wire}"] = field.values[0]
    return found
