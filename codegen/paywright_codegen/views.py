"""What templates see: the contract, arranged a file at a time, with every name and expression already made."""

from __future__ import annotations

from dataclasses import dataclass

from paywright_codegen import naming
from paywright_codegen.conditions import broken, corrected_at, failed_text, text_limits
from paywright_codegen.happenings import once_per
from paywright_codegen.lint_operations import member
from paywright_codegen.model import Cited, Contract, Field, Message, Operation, Set, Shown, Struct, Value
from paywright_codegen.python_types import Directions, argument_type, kind, model_line
from paywright_codegen.words import argument_words, comment_words, facets, python_guard, python_rule, wrapped

__all__ = ["Files", "ModuleView", "ResourceView"]

_WIDTH = 120


@dataclass(frozen=True, slots=True)
class Line:
    """A line of code with what stands above and behind it."""

    code: str
    behind: str = ""
    above: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """One statement of a validator: read member `wire`, then `code` lines, each with its depth."""

    wire: str
    code: tuple[tuple[int, str], ...]


class StructView:
    """A struct as a dataclass, as a validator and as a table."""

    def __init__(self, contract: Contract, struct: Struct, directions: Directions, package: str) -> None:
        self.struct = struct
        self.name = struct.name
        self.function = naming.function(struct)
        self.sections = struct.sections
        self.place = struct.place
        self.fields = struct.fields
        self.is_model = struct.named
        self.is_result = struct.name in directions.results
        self.model = f"{package}.models.{naming.module(struct.place)}:{struct.name}" if struct.named else None
        self.rules = struct.rules
        self._contract = contract
        self._directions = directions

    @property
    def doc(self) -> list[str]:
        """The docstring of the dataclass."""
        cited = f" [{', '.join(self.sections)}]"
        lines = wrapped(self.struct.prose.summary.rstrip(".") + f"{cited}.", 4)
        if self.struct.prose.more:
            lines += ["", *wrapped(" ".join(self.struct.prose.more), 4)]
        if self.name in self._directions.written:  # editors show the docstring where it is made, and no comments
            named = [f"{naming.variable(field.wire)}: {_argument(self._contract, field)}" for field in self.fields]
            lines += ["", "Args:", *(f"    {line}" for text in named for line in wrapped(text, 8, 4))]
        checked = [f"{rule.id}: {python_rule(rule)}." for rule in self.rules]
        if checked:
            lines += ["", "Rules:", *(f"    {line}" for text in checked for line in wrapped(text, 8, 4))]
        if self.is_result:
            lines += ["", "`answer` is the whole verified answer: code, msg, raw bytes, headers, violations."]
        return lines

    @property
    def lines(self) -> list[Line]:
        """The fields of the dataclass."""
        lines = []
        for field in self.fields:
            code = model_line(self._contract, self.struct, field, naming.variable(field.wire), self._directions)
            words = comment_words(self._contract, field)
            if len(code) + len(words) + 8 <= _WIDTH:
                lines.append(Line(code, words))
            else:
                lines.append(Line(code, "", tuple(wrapped(words, 6))))
        return lines

    @property
    def checks(self) -> list[Check]:
        """The members, each tested in the contract's order."""
        return [_check(self._contract, field) for field in self.fields]

    @property
    def rule_checks(self) -> list[tuple[str, str, str]]:
        """(condition, where to correct, rule id) of every demand that is checked."""
        return [
            (broken(rule, demand), corrected_at(demand), rule.id)
            for rule in self.rules
            if rule.checked
            for demand in rule.demands
        ]

    @property
    def rows(self) -> list[str]:
        """The members as calls of `Field(...)`, as source."""
        return [_row(self._contract, field, self.place.file) for field in self.fields]

    @property
    def rule_rows(self) -> list[str]:
        """The rules as calls of `Rule(...)`, as source."""
        return [
            f"Rule({rule.id!a}, {rule.text!a}, {python_rule(rule)!a}, {rule.place.line}, {rule.sections!a}"
            + ("" if rule.checked else ", checked=False")
            + ("" if rule.place.file == self.place.file else f", file={rule.place.file!a}")
            + ")"
            for rule in self.rules
        ]


def _argument(contract: Contract, field: Field) -> str:
    """What an argument takes: its limits and prose, else what its type is, else that no limit is stated."""
    inner = contract.structs.get(field.type.name) if field.type.kind == "struct" else None
    plain = "no limit is stated." if inner is None else f"{inner.name}: {inner.prose.summary}"
    return argument_words(contract, field) or plain


def _check(contract: Contract, field: Field) -> Check:
    name, required = ascii(field.wire), field.required
    also = f" if get({name}) is not None else get({field.also!a})" if field.also else ""
    flag = ", required=True" if required else ""
    word = kind(contract, field)
    if field.type.array:
        code = _array_check(contract, field, flag)
    elif word == "struct":
        function = _function_of(contract, field)
        code = [
            (0, "if type(x) is dict:"),
            (1, f"{function}(x, at + {'/' + field.wire!a}, bad)"),
            (0, "else:" if required else "elif x is not None:"),
            (1, f"bad.struct(at, {name}, x{flag})"),
        ]
    else:
        if word == "number":
            test, call = "type(x) is not int and not is_number(x)", "number"
        elif word == "boolean":
            test, call = "type(x) is not bool", "boolean"
        elif word == "any":
            test, call = "type(x) is not dict", "struct"
        else:
            test, call = failed_text(contract, field), "text"
        limits = (
            "".join(f", {key}={value}" for key, value in text_limits(contract, field).items()) if call == "text" else ""
        )
        if not required:
            test = f"x is not None and ({test})" if " or " in test else f"x is not None and {test}"
        code = [(0, f"if {test}:"), (1, f"bad.{call}(at, {name}, x{flag}{limits})")]
    return Check(f"get({name}){also}", tuple(code))


def _array_check(contract: Contract, field: Field, flag: str) -> list[tuple[int, str]]:
    name = ascii(field.wire)
    bounds = [f"len(x) > {field.max}"] if field.max is not None else []
    bounds += [f"len(x) < {field.min}"] if field.min is not None else []
    limits = "".join(f", {key}={value}" for key, value in (("min", field.min), ("max", field.max)) if value is not None)
    test = " or ".join(["type(x) is not list", *bounds])
    if not field.required:
        test = f"x is not None and ({test})" if bounds else f"x is not None and {test}"
    if field.type.kind == "struct":
        each = f"bad.each(at, {name}, x, {_function_of(contract, field)})"
    else:
        particular = {k: v for k, v in text_limits(contract, field).items() if k in ("values", "format", "shown")}
        each = f"bad.each_text(at, {name}, x{''.join(f', {key}={value}' for key, value in particular.items())})"
    return [(0, f"if {test}:"), (1, f"bad.array(at, {name}, x{flag}{limits})"), (0, "if type(x) is list:"), (1, each)]


def _function_of(contract: Contract, field: Field) -> str:
    named = contract.structs.get(field.type.name)
    return naming.function(named if named is not None else _inner(contract, field.type.name))


def _inner(contract: Contract, name: str) -> Struct:
    return next(struct for struct in contract.all_structs() if struct.name == name)


def _row(contract: Contract, field: Field, file: str) -> str:
    sends = field.sends if field.sends is not None else field.values[0] if field.fixed else None
    options = {
        "required": True if field.required else None,
        "of": field.type.name if field.type.kind in ("struct", "set", "format") else None,
        "array": True if field.type.array else None,
        "blank": True if field.blank else None,
        "also": field.also,
        "sends": sends,
        "source": field.source,
        "redaction": field.redaction,
        "file": field.place.file if field.place.file != file else None,
    }
    given = "".join(f", {key}={value!a}" for key, value in options.items() if value is not None)
    name = naming.variable(field.wire)
    return f"Field({field.wire!a}, {name!a}, {kind(contract, field)!a}, {facets(field)!a}, {field.place.line}{given})"


class SetView:
    """A value list as an enum and as a table."""

    def __init__(self, chosen: Set, package: str) -> None:
        self.name = chosen.name
        self.set = chosen
        self.model = f"{package}.models.{naming.module(chosen.place)}:{chosen.name}"
        self.final = tuple(value.wire for value in chosen.values if value.final)
        self.settled = tuple(value.wire for value in chosen.values if value.settled)
        self.paid = tuple(value.wire for value in chosen.values if value.paid)
        self.members = [Line(f"{naming.member(value)} = {value.wire!a}", _set_words(value)) for value in chosen.values]
        self.meanings = {value.wire: value.prose.text for value in chosen.values}

    @property
    def doc(self) -> list[str]:
        """The docstring of the enum."""
        lines = wrapped(f"{self.set.prose.summary.rstrip('.')} [{', '.join(self.set.sections)}].", 4)
        if self.set.open:
            lines += ["", "The specification does not show all values: expect others."]
        return lines

    @property
    def flags(self) -> str:
        """The class keywords that say which states are final, which are settled, and which mean that money moved."""
        marks = (("final", self.final), ("settled", self.settled), ("paid", self.paid))
        return "".join(f", {name}={value!a}" for name, value in marks if value)


def _set_words(value: Value) -> str:
    marks = [word for word, on in (("final", value.final), ("settled", value.settled), ("paid", value.paid)) if on]
    return "; ".join(part for part in (value.prose.text, " and ".join(marks)) if part)


class OperationView:
    """An operation as a method and as a table."""

    def __init__(self, contract: Contract, operation: Operation) -> None:
        self.operation = operation
        self.name = operation.name
        self.verb = naming.variable(operation.verb)
        self.constant = f"_{operation.verb.upper()}"
        self.result = operation.answers.result or ""
        self._contract = contract

    @property
    def arguments(self) -> list[tuple[str, str, str]]:
        """(Python name, type with default, wire name) of every argument, required ones first."""
        fields = self._fields()
        ordered = [field for field in fields if field.required] + [field for field in fields if not field.required]
        return [
            (
                naming.variable(field.wire),
                argument_type(self._contract, field) + ("" if field.required else " = None"),
                field.wire,
            )
            for field in ordered
        ]

    def _fields(self) -> list[Field]:
        ask = self.operation.asks
        return [field for field in (ask.data or ask.root).fields if not self._written_by_us(field)]

    def _written_by_us(self, field: Field) -> bool:
        if field.type.kind == "struct" and not field.type.array:
            inner = self._contract.structs.get(field.type.name)
            return inner is not None and all(part.filled for part in inner.fields)
        return field.filled

    @property
    def doc(self) -> list[str]:
        """The docstring of the method."""
        operation = self.operation
        lines = wrapped(operation.prose.summary, 8)
        if operation.prose.more:
            lines += ["", *wrapped(" ".join(operation.prose.more), 8)]
        lines += ["", "Args:"]
        by_wire = {field.wire: field for field in self._fields()}
        for name, _, wire in self.arguments:
            lines += [f"    {line}" for line in wrapped(f"{name}: {_argument(self._contract, by_wire[wire])}", 12, 4)]
        lines.append("    extra: members newer than the contract, by wire name.")
        struct = operation.asks.data or operation.asks.root
        if struct.rules:
            lines += ["", "Rules:"]
            for rule in struct.rules:
                note = "" if rule.checked else " (documented; no field tells, so it is not checked)"
                lines += [f"    {line}" for line in wrapped(f"{rule.id}: {python_rule(rule)}{note}.", 12, 4)]
        if operation.guards:
            lines += ["", "Not sent unless:"]
            for guard in operation.guards:
                lines += [f"    {line}" for line in wrapped(f"{guard.id}: {python_guard(guard)}.", 12, 4)]
        result = self._contract.structs[self.result]
        lines += ["", "Returns:", *(f"    {line}" for line in wrapped(f"{self.result}: {result.prose.summary}", 12, 4))]
        lines += ["", "Raises:", *(f"    {line}" for text in self._raises() for line in wrapped(text, 12, 4))]
        lines += ["", f"See sections {', '.join(operation.sections)} of the specification."]
        return lines

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
            settles = operation.resolution.operation if operation.resolution else None
            how = (
                f"settle it with {resolver_name(self._contract, operation)}"
                if settles
                else "the contract has no query for it"
            )
            raised.append(f"OutcomeUnknown: it left and no verified answer came, so money may have moved; {how}.")
            if operation.repeats:
                raised.append(f"AlreadyPlaced: the gateway has this {naming.variable(operation.key or '')} already.")
        proves = "; it proves nothing about an earlier call with this key" if operation.write else ""
        raised.append(f"GatewayError: a verified refusal{proves}.")
        raised.append("UnreadableAnswer: a verified success that lacks a required member.")
        return raised

    @property
    def row(self) -> str:
        """The operation as a call of `Operation(...)`, as source."""
        operation = self.operation
        asks, answers = operation.messages
        options: dict[str, object] = {
            "path": operation.post,
            "envelope": operation.envelope,
            "roles": (asks.role, answers.role),
            "asks": asks.root.name,
            "answers": answers.root.name,
            "sections": operation.sections,
            "questions": operation.questions,
            "version": operation.version,
            "inbound": operation.inbound,
            "data": asks.data.name if asks.data is not None and not operation.inbound else None,
            "result": answers.result if not operation.inbound else asks.result,
            "request_headers": header_struct(self._contract, asks),
            "response_headers": header_struct(self._contract, answers),
            "tells": _tells(operation),
            "key": operation.key,
            "key_ignores_case": _ignores_case(self._contract, operation),
            "resolution": None,
            "echoes": operation.echoes,
            "each_echoes": operation.each_echoes,
            "succeeds": operation.succeeds,
            "once_per": once_per(self._contract, operation)[0],
            "state": once_per(self._contract, operation)[1],
        }
        shown = [f"{key}={value!a}" for key, value in options.items() if value or key == "path"]
        if operation.resolution is not None:
            shown.append(f"resolution={self._resolution()}")
        if operation.shows:
            shown.append(f"shows=({', '.join(self._shown(one) for one in operation.shows)},)")
        for name, codes in (
            ("refuses", operation.refuses),
            ("repeats", operation.repeats),
            ("absent", operation.absent),
            ("stale", operation.stale),
        ):
            if codes:
                shown.append(f"{name}=frozenset({codes!a})")
        if operation.guards:
            rows = [
                f"Guard({guard.id!a}, {demand.kind!a}, {'/' + '/'.join(demand.path)!a})"
                for guard in operation.guards
                for demand in guard.demands
            ]
            shown.append(f"guards=({', '.join(rows)},)")
        if operation.decides is not None:
            one = operation.decides
            limits = "" if one.amount is None else f", within=({one.amount!a}, {one.least!a}, {one.most!a})"
            shown.append(f"decides=Decision({one.member!a}, {one.yes!a}, {one.no!a}, {one.reason!a}{limits})")
        return f"Operation({self.name!a}, {operation.place.file!a}, {operation.place.line}, {', '.join(shown)})"

    def _resolution(self) -> str:
        resolution = self.operation.resolution
        assert resolution is not None
        options: dict[str, object] = {"by": resolution.by, "done": resolution.done}
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

    def _shown(self, shown: Shown) -> str:
        field = member(self._contract, self.operation.asks, shown.asked)
        number = field is not None and kind(self._contract, field) in ("number", "decimal")
        answered = ".".join(shown.answered)
        return f"Shown({shown.wire!a}, {content_name(shown)!a}, {answered!a}{', number=True' if number else ''})"


def _ignores_case(contract: Contract, operation: Operation) -> bool:
    settled = [
        other
        for other in contract.operations.values()
        if other.resolution is not None and other.resolution.operation == operation.name
    ]
    return operation.key_ignores_case or any(other.key_ignores_case for other in settled)


def content_name(shown: Shown) -> str:
    """`amount.value` -> `amount_value`: the argument of a resolver that says what was asked for."""
    return naming.variable("_".join(shown.asked))


def query_arguments(contract: Contract, write: Operation) -> list[tuple[str, str]]:
    """What the query of a write asks for beside the key: Python name and wire name of each required text."""
    resolution = write.resolution
    query = contract.operations.get(resolution.operation or "") if resolution is not None else None
    asked = OperationView(contract, query).arguments if query is not None else []
    return [(name, wire) for name, type_, wire in asked if type_ == "str" and resolution and wire != resolution.by]


def writes_settled_alike(contract: Contract, resource: str) -> list[list[Operation]]:
    """The writes of a resource; those that one method of it settles stand together, the first method's first."""
    alike: dict[object, list[Operation]] = {}
    for operation in contract.operations.values():
        if operation.resource == resource and not operation.inbound and operation.resolution is not None:
            alike.setdefault((operation.resolution, operation.key, operation.shows), []).append(operation)
    return list(alike.values())


def resolver_verb(contract: Contract, write: Operation) -> str:
    """The method of the resource that settles a write. An operation that is added later takes no name away from another."""
    groups = writes_settled_alike(contract, write.resource)
    number, first = next((number, group[0]) for number, group in enumerate(groups) if write in group)
    return "resolve" if number == 0 else f"resolve_{naming.variable(first.verb)}"


def resolver_name(contract: Contract, write: Operation) -> str:
    """`client.orders.resolve`."""
    return f"client.{write.resource}.{resolver_verb(contract, write)}"


def _tells(operation: Operation) -> dict[str, str]:
    """What tells an operation's requests from others on its address: pointers and values."""
    told = {f"/{operation.when[0]}": operation.when[1]} if operation.when else {}
    for at, struct in (("", operation.asks.root), ("/data", operation.asks.data)):
        for field in struct.fields if struct is not None and not operation.inbound else ():
            if field.fixed:
                told[f"{at}/{field.wire}"] = field.values[0]
    return told


def header_struct(contract: Contract, message: Message) -> str | None:
    """The name of the struct of a message's headers; messages with equal headers share one, named after the envelope."""
    if not message.headers:
        return None
    same = [
        (operation, other)
        for operation in contract.operations.values()
        for other in operation.messages
        if other.headers == message.headers
    ]
    operation, first = same[0]
    name = f"{operation.envelope}.{first.role}.headers"
    return name if len(same) > 1 else f"{message.name}.headers"


def _header_structs(contract: Contract) -> dict[str, Struct]:
    found: dict[str, Struct] = {}
    for operation in contract.operations.values():
        for message in operation.messages:
            name = header_struct(contract, message)
            if name is not None and name not in found:
                found[name] = Struct(message.headers[0].place, name=name, fields=message.headers)
    return found


class ModuleView:
    """All that is generated from one file of the contract."""

    def __init__(self, contract: Contract, module: str, directions: Directions, package: str) -> None:
        self.module = module
        self.package = package
        self.file = f"spec/{module}.yaml"
        self.sets = [
            SetView(chosen, package) for chosen in contract.sets.values() if naming.module(chosen.place) == module
        ]
        self.operations = [
            OperationView(contract, operation)
            for operation in contract.operations.values()
            if naming.module(operation.place) == module
        ]
        structs = [struct for struct in contract.all_structs() if naming.module(struct.place) == module]
        self.structs = [StructView(contract, struct, directions, package) for struct in structs]
        self.models = [struct for struct in self.structs if struct.is_model]
        self.headers = [
            StructView(contract, struct, directions, package)
            for struct in _header_structs(contract).values()
            if naming.module(struct.place) == module
        ]

    @property
    def validated(self) -> list[StructView]:
        """Everything that gets a validator."""
        return self.structs + self.headers


def _optional_type(contract: Contract, field: Field | None) -> str:
    """The type of an argument that may be left out, whether the field may be or not."""
    text = "str" if field is None else argument_type(contract, field).removesuffix(" | None")
    return f"{text} | None"


class ResolverView:
    """How a resource settles unknown outcomes of writes that one query settles alike."""

    def __init__(self, contract: Contract, writes: list[Operation]) -> None:
        first, self._writes = writes[0], writes
        resolution = first.resolution
        assert resolution is not None
        self._resolution = resolution
        self.write = first.name
        self.verb = resolver_verb(contract, first)
        self.constant = f"_{self.verb.upper()}"
        self.query = resolution.operation or ""
        query = contract.operations.get(self.query)
        self.result = (query.answers.result if query is not None else None) or "None"
        own = (first.asks.data or first.asks.root).field(first.key or "")
        self.key = own
        self.key_name = naming.variable(first.key or "")
        self._asks = query_arguments(contract, first)
        self._content = [
            (content_name(shown), shown.wire, _optional_type(contract, member(contract, first.asks, shown.asked)))
            for shown in (first.shows if query is not None else ())
        ]
        limit = contract.limits.get(resolution.placed_again_after or "")
        self._interval = limit.seconds if limit is not None else None

    @property
    def arguments(self) -> str:
        """The parameters: the key, and what else the query needs."""
        content = [f"{name}: {type_} = None" for name, _, type_ in self._content]
        return ", ".join(
            [
                f"{self.key_name}: str",
                "*",
                *(f"{n}: str" for n, _ in self._asks),
                *content,
                "after: PaywrightError | None = None",
            ]
        )

    @property
    def given(self) -> str:
        """What is passed on: the key, and the rest by wire name."""
        asks = ", ".join(f"{wire!a}: {name}" for name, wire in self._asks)
        content = ", ".join(f"{wire!a}: {name}" for name, wire, _ in self._content)
        return f"{self.key_name}, {{{asks}}}, {{{content}}}, after"

    @property
    def doc(self) -> list[str]:
        """The docstring of the method."""
        verbs = " or ".join(naming.variable(write.verb) for write in self._writes)
        lines = wrapped(f"Settle a call of {verbs} whose outcome is unknown. Nothing is sent yet.", 8)
        lines += ["", *wrapped(" ".join(self._rule()), 8), "", "Args:"]
        lines += [f"    {line}" for line in wrapped(f"{self.key_name}: the key of the call, as it was sent.", 12, 4)]
        for name, _ in self._asks:
            lines += [f"    {line}" for line in wrapped(f"{name}: what {self.query} asks for beside the key.", 12, 4)]
        for name, wire, _ in self._content:
            text = f"{name}: the call's {wire}; if {self.query} shows another, the key is another call's."
            lines += [f"    {line}" for line in wrapped(text, 12, 4)]
        text = "after: the error of the call, where it raised one; it may say that the gateway has the key already."
        lines += [f"    {line}" for line in wrapped(text, 12, 4)]
        sections = dict.fromkeys(section for write in self._writes for section in write.sections)
        return [*lines, "", f"See sections {', '.join(dict.fromkeys(['4.3', *sections]))} of the specification."]

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


class ResourceView:
    """A resource: the operations that a client calls under one name."""

    def __init__(self, contract: Contract, resource: str, operations: list[OperationView]) -> None:
        self.name = resource
        self.class_name = naming.resource_class(resource)
        self.operations = operations
        self.resolvers = [ResolverView(contract, writes) for writes in writes_settled_alike(contract, resource)]
        cited = dict.fromkeys(section for view in operations for section in view.operation.sections[:1])
        self.doc = f"{self.class_name}: {', '.join(view.verb for view in operations)} [{', '.join(cited)}]."


class Files:
    """The whole package: which modules, which resources, which names it exports."""

    def __init__(self, contract: Contract, package: str) -> None:
        self.contract = contract
        self.package = package
        directions = Directions(contract)
        parts: list[Cited] = [*contract.all_structs(), *contract.sets.values(), *contract.operations.values()]
        places = [part.place for part in (*parts, *_header_structs(contract).values())]
        self.modules = [
            ModuleView(contract, module, directions, package) for module in sorted({naming.module(p) for p in places})
        ]
        by_resource: dict[str, list[OperationView]] = {}
        for module in self.modules:
            for view in module.operations:
                if not view.operation.inbound:
                    by_resource.setdefault(view.operation.resource, []).append(view)
        self.resources = [ResourceView(contract, name, views) for name, views in sorted(by_resource.items())]
        self.patterns = [form for form in contract.formats.values() if form.pattern is not None]
        self.checks = [form for form in contract.formats.values() if form.check is not None]
        self.model_homes = {struct.name: module.module for module in self.modules for struct in module.models}
        self.model_homes |= {chosen.name: module.module for module in self.modules for chosen in module.sets}
