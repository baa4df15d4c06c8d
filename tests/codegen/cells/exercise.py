"""Call, settle and deliver with a generated package: its clients, its resolvers and its receiver, in one process.

What leaves and what arrives is compared with what the contract says, read from its model and not from generated code.
"""

from __future__ import annotations

import asyncio
import importlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache
from types import ModuleType
from typing import Any, cast

import pytest

from paywright_codegen import naming
from paywright_codegen.lookup import each_echo, member, payload_struct, told
from paywright_codegen.model.contract import Contract, Following
from paywright_codegen.model.operations import MessageSpec, Operation
from paywright_codegen.model.types import Field, Struct
from paywright_codegen.python_types import kind
from paywright_codegen.render.views.methods import query_arguments, required_texts, resolver_verb
from paywright_receiver import Follower, MemoryLedger
from paywright_runtime.clock import FixedClock
from paywright_runtime.contract import formats
from paywright_runtime.contract.conversion import read, writers
from paywright_runtime.contract.index import Contract as GeneratedContract
from paywright_runtime.contract.validation import judge
from paywright_runtime.contract.value_checks import Report
from paywright_runtime.errors import AlreadyPlaced, ContractViolation, GatewayError, NoAnswer, OutcomeUnknown
from paywright_runtime.signing.covered import Scheme
from paywright_runtime.signing.keys import KeyPair, load_private_key, load_public_key
from paywright_runtime.signing.rsa import RsaSigner, RsaVerifier
from paywright_runtime.transport.api import Phase, RawAnswer, SignedRequest
from tests.support.keys import key_pair

Json = dict[str, Any]

NOW = datetime(2025, 6, 1, 4, tzinfo=UTC)
NUMBERS = {"app_id": "app_1", "merchant_no": "M100", "branch": "B1"}
STRANGE = "ZZ9"


@cache
def _keys() -> tuple[KeyPair, KeyPair]:
    return key_pair(0), key_pair(1)


@cache
def _gateway_signer() -> RsaSigner:
    return RsaSigner(load_private_key(_keys()[1].private_pem))


@cache
def _merchant_verifier() -> RsaVerifier:
    return RsaVerifier([load_public_key(_keys()[0].public_pem)])


class _Snap:
    """Signs bank-style calls with a word."""

    def headers(self, method: str, path: str, body: bytes, timestamp: str) -> Mapping[str, str]:
        return {"X-SIGNATURE": "word"}


class _Gateway:
    """A transport that remembers requests and answers what it is told to."""

    def __init__(self) -> None:
        self.requests: list[SignedRequest] = []
        self.answer: Json = {}
        self.scheme = Scheme("{body}", "{base64 of RSA-SHA256}")

    def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        self.requests.append(request)
        raw = json.dumps(self.answer, default=float).encode()
        signed = self.scheme.sign(_gateway_signer(), "POST", request.path, raw, {})
        return RawAnswer(200, [("sign", signed)], raw)

    def close(self) -> None:
        pass


class _AwaitedGateway:
    """The same for an awaited client."""

    def __init__(self, gateway: _Gateway) -> None:
        self._gateway = gateway

    async def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        request.reach(Phase.READING)
        return self._gateway.send(request, deadline)

    async def aclose(self) -> None:
        pass


def exercise(whole: Contract, contract: GeneratedContract, package: str) -> int:
    """Do with the package all that can be done with it, and return how many calls and deliveries that were."""
    module = importlib.import_module(package)
    merchant, gateway_keys = _keys()
    snap: Any = _Snap()
    gateway = _Gateway()
    gateway.scheme = _scheme(whole)
    clock = FixedClock(NOW)
    settings = {
        "base_url": "https://gateway.example",
        "merchant": module.Merchant(
            private_key=merchant.private_pem,
            gateway_keys=[gateway_keys.public_pem],
            **{each.name: snap if each.kind == "signer" else NUMBERS[each.name] for each in whole.numbers.values()},
        ),
        "paths": {one.name: "/else" for one in whole.operations.values() if one.post is None and not one.inbound},
        "clock": clock,
        "retries": 0,
    }
    client = module.Client(transport=gateway, **settings)
    awaited = importlib.import_module(f"{package}.aio").Client(transport=_AwaitedGateway(gateway), **settings)
    with asyncio.Runner() as runner:
        for operation in whole.operations.values():
            if not operation.inbound:
                _Calls(whole, contract, operation, client, gateway, clock).run(awaited, runner)
    if not any(operation.inbound for operation in whole.operations.values()):
        assert not hasattr(module, "Receiver")
        return len(gateway.requests)
    deliveries = _Deliveries(whole, contract, module, clock)
    deliveries.run()
    return len(gateway.requests) + deliveries.count


class _Calls:
    """All that one operation of the client can come to."""

    def __init__(
        self,
        whole: Contract,
        contract: GeneratedContract,
        operation: Operation,
        client: Any,
        gateway: _Gateway,
        clock: FixedClock,
    ) -> None:
        self._whole, self._contract, self._operation = whole, contract, operation
        self._client, self._gateway, self._clock = client, gateway, clock
        self._asked, self._answer = _example(contract, operation.asks.name), _example(contract, operation.answers.name)
        self._payload: Json = _inside(operation.asks, self._asked)

    def run(self, awaited: Any, runner: asyncio.Runner) -> None:
        """Make the call with every kind of answer, and with one of each by the awaited client."""
        operation = self._operation
        if self._refused_with_what_is_filled_in():
            return
        fields = (operation.asks.data or operation.asks.root).fields
        filled = {
            field.wire: self._filled(field) for field in fields if field.filled and field.wire in operation.echoes
        }
        self._answer = _with_payload(operation, self._answer, filled)
        result = self._call(self._answer)
        assert self._gateway.requests[-1].path == (operation.post or "/else")
        self._compare_request()
        self._compare_headers()
        struct = self._contract.struct(operation.answers.result or "")
        same_model(self._contract, struct, result, _inside(operation.answers, self._answer))
        assert result.answer.violations == []
        assert operation.succeeds is not None
        yes = operation.succeeds[1]
        self._compare_awaited(awaited, runner, {yes, *operation.refuses, *operation.absent, *operation.repeats})
        for code in (*operation.refuses, *operation.absent):
            with pytest.raises(GatewayError) as refused:
                self._call(_refusal(operation, self._answer, code))
            assert refused.value.code == code
        for code in operation.repeats:
            with pytest.raises(AlreadyPlaced):
                self._call(_refusal(operation, self._answer, code))
        known = {yes, *operation.refuses, *operation.absent, *operation.repeats}
        if STRANGE not in known:
            with pytest.raises(OutcomeUnknown if operation.write else GatewayError):
                self._call(_refusal(operation, self._answer, STRANGE))
        for name in operation.echoes:
            if isinstance(self._payload.get(name), str):
                with pytest.raises(OutcomeUnknown if operation.write else NoAnswer):
                    self._call(_with_payload(operation, self._answer, {name: f"{self._payload[name]}x"}))
        if operation.write and operation.resolution is not None and operation.resolution.operation is not None:
            self._settle()
        for following in self._whole.follows.values():
            if following.operation == operation.name:
                self._follow(following)

    def _refused_with_what_is_filled_in(self) -> bool:
        """Whether a rule refuses the example once it has what the client fills in; then it is not sent."""
        if not judge(self._contract, self._operation.name, self._operation.asks.role, self._whole_request()):
            return False
        before = len(self._gateway.requests)
        with pytest.raises(ContractViolation):
            self._call(self._answer)
        assert len(self._gateway.requests) == before
        return True

    def _compare_awaited(self, awaited: Any, runner: asyncio.Runner, known: set[str]) -> None:
        """The awaited client sends the same, and says the same of an answer."""
        blocking, self._client = self._client, awaited
        sent = self._gateway.requests[-1]
        try:
            result = runner.run(self._call(self._answer))
            again = self._gateway.requests[-1]
            assert again is not sent
            assert (again.path, again.body) == (sent.path, sent.body)
            struct = self._contract.struct(self._operation.answers.result or "")
            same_model(self._contract, struct, result, _inside(self._operation.answers, self._answer))
            if STRANGE not in known:
                with pytest.raises(OutcomeUnknown if self._operation.write else GatewayError):
                    runner.run(self._call(_refusal(self._operation, self._answer, STRANGE)))
        finally:
            self._client = blocking

    def _call(self, answer: Json) -> Any:
        self._gateway.answer = answer
        method = getattr(getattr(self._client, self._operation.resource), naming.variable(self._operation.verb))
        return method(**self._arguments())

    def _arguments(self) -> Json:
        """The values of the example's request, in the types that the method takes, by Python name."""
        struct = self._operation.asks.data or self._operation.asks.root
        return {
            naming.variable(field.wire): self._python(field, self._payload[field.wire])
            for field in struct.fields
            if field.wire in self._payload and not field.filled and not _filled_struct(self._whole, field)
        }

    def _python(self, field: Field, value: Any) -> object:
        if field.type.array:
            return [self._one(field, each) for each in value]
        return self._one(field, value)

    def _one(self, field: Field, value: Any) -> object:
        word = kind(self._whole, field)
        if word == "struct":
            return _model(self._contract, self._contract.struct(field.type.name), value)
        if word == "decimal":
            return Decimal(value)
        if word == "datetime":
            return formats.read_form(self._whole.formats[field.type.name].check, value)
        return formats.read_day(value) if word == "date" else value

    def _compare_request(self) -> None:
        """What left is the example, with what the client fills in."""
        operation, sent = self._operation, json.loads(self._gateway.requests[-1].body, parse_float=Decimal)
        assert plain(sent) == plain(self._whole_request())
        assert not judge(self._contract, operation.name, operation.asks.role, sent)

    def _whole_request(self) -> Json:
        root = self._sent(self._operation.asks.root, self._asked)
        if self._operation.asks.data is not None:
            root[self._operation.asks.payload or ""] = self._sent(self._operation.asks.data, self._payload)
        return root

    def _sent(self, struct: Struct, example: Json) -> Json:
        body: Json = {}
        for field in struct.fields:
            value = self._filled(field) if field.filled else example.get(field.wire)
            if _filled_struct(self._whole, field):
                inner = self._whole.structs[field.type.name]
                value = {each.wire: self._filled(each) for each in inner.fields}
            if value is not None:
                body[field.wire] = value
        return body

    def _filled(self, field: Field) -> str | None:
        if field.source is None:
            return field.sends if field.sends is not None else field.values[0]
        if field.source == "clock":
            return _written(self._whole, field, self._clock.now())
        if field.source == "operation.version":
            return self._operation.version
        return NUMBERS[field.source.removeprefix("merchant.")]

    def _compare_headers(self) -> None:
        request = self._gateway.requests[-1]
        names = [name.lower() for name, _ in request.headers]
        assert len(set(names)) == len(names), names
        headers = dict(request.headers)
        for field in self._operation.asks.headers:
            if field.source == "signature.body":
                verified = _scheme(self._whole).verify(
                    _merchant_verifier(), headers[field.wire], "POST", request.path, request.body, {}
                )
                assert verified.raw == request.body
            elif field.source == "merchant.shop_signature":
                assert headers["X-SIGNATURE"] == "word"
            elif (field.source or "").startswith("digits."):
                assert headers[field.wire].isdecimal()
            else:
                assert headers[field.wire] == self._filled(field)

    def _settle(self) -> None:
        """Settle an unknown outcome by an answer that shows the key, and do not by one that does not."""
        resolution = self._operation.resolution
        assert resolution is not None
        query = self._whole.operations[resolution.operation or ""]
        key = str(self._payload[self._operation.key or ""])
        asked, answer = _example(self._contract, query.asks.name), _example(self._contract, query.answers.name)
        question: Json = {**_inside(query.asks, asked), resolution.by or "": key}
        asks = {wire: question[wire] for _, wire in query_arguments(self._whole, self._operation)}
        answered = {resolution.by} & _inside(
            query.answers, answer
        ).keys()  # an answer that shows the key shows this one
        repeated: Json = {
            name: question[name] for name in {*query.echoes, *answered} if isinstance(question.get(name), str)
        }
        if resolution.done is not None:
            repeated[resolution.done[0]] = resolution.done[1][0]
        for elements, name, _ in map(each_echo, query.each_echoes):
            listed = _inside(query.answers, answer).get(elements) or []
            repeated[elements] = [{**each, name: question[name]} if name in question else each for each in listed]
        there = _with_payload(query, answer, repeated)
        settled = self._resolver(key, asks, there)
        step = settled.step()
        assert step.state == "settled", (step, settled.error)
        sent = json.loads(self._gateway.requests[-1].body, parse_float=Decimal)
        inner = _inside(query.asks, sent)
        assert {name: inner[name] for name in (resolution.by, *asks)} == {resolution.by: key, **asks}
        same_model(
            self._contract,
            self._contract.struct(query.answers.result or ""),
            settled.result,
            _inside(query.answers, there),
        )
        assert query.succeeds is not None
        for code in query.absent[:1]:
            resolver = self._resolver(key, asks, _refusal(query, there, code))
            assert resolver.step().state == "wait"
            limit = self._whole.limits.get(resolution.placed_again_after or "")
            self._clock.advance(timedelta(seconds=1 + (limit.seconds or 0 if limit is not None else 600)))
            step = resolver.step()
            # Whoever does not know what was asked for, and the query shows it, gives no permission.
            shown = self._contract.operation(resolver.operation).shows
            again = "place_again" if all(one.optional for one in shown) else "decide"
            assert step.state == (again if limit is not None else "wait"), (step, resolver.error)

    def _follow(self, following: Following) -> None:
        """Follow an item by this query: the state that its answer shows is known, and a last one settles it."""
        operation = self._operation
        key = str(self._payload.get(following.by, "K1"))
        question = {**self._payload, following.by: key}
        repeated: Json = {name: question[name] for name in operation.echoes if isinstance(question.get(name), str)}
        asks = required_texts(self._whole, operation, following.by)
        follow = getattr(self._client, following.kind).follow(key, **{name: question[wire] for name, wire in asks})
        follower = Follower(self._client, MemoryLedger(clock=self._clock))
        follower.open(None, follow)
        self._clock.advance(follower.next_due() - self._clock.now())
        self._gateway.answer = answer = _with_payload(operation, self._answer, repeated)
        assert follower.run_due().asked == 1
        item = follower.get(following.kind, key)
        sent = json.loads(self._gateway.requests[-1].body, parse_float=Decimal)
        inner = _inside(operation.asks, sent)
        assert {inner[wire] for _, wire in asks} | {inner[following.by]} == {question[wire] for _, wire in asks} | {key}
        shown: Any = _inside(operation.answers, answer)
        for name in following.state:
            shown = None if shown is None else shown.get(name)
        assert item.state == shown
        model = self._contract.following(following.kind)
        assert (model.operation, model.by) == (operation.name, following.by)
        field = member(self._whole, operation.answers, following.state)
        assert field is not None
        last = {value.wire for value in self._whole.sets[field.type.name].values if value.final or value.settled}
        assert item.status == "open" or shown in last
        assert item.status == "settled" or following.each or shown not in last

    def _resolver(self, key: str, asks: Json, answer: Json) -> Any:
        self._gateway.answer = answer
        method = getattr(getattr(self._client, self._operation.resource), resolver_verb(self._whole, self._operation))
        given = {self._operation.key or "": key, **asks}
        return method(**{naming.variable(wire): text for wire, text in given.items()})


class _Deliveries:
    """All that a receiver is sent."""

    def __init__(self, whole: Contract, contract: GeneratedContract, module: ModuleType, clock: FixedClock) -> None:
        self._whole, self._contract, self._clock = whole, contract, clock
        self.count = 0
        self._receiver = module.Receiver(
            **{name: NUMBERS[name] for name in module.Receiver.NUMBERS}, gateway_keys=[_keys()[1].public_pem],
            ledger=MemoryLedger(), clock=clock, bill_deadline=600.0,
        )  # fmt: skip

    def run(self) -> None:
        """Deliver every notification twice and once about something else; ask every question twice."""
        told: list[tuple[str, Any]] = []
        decide: dict[str, str] = {}
        inbound = [operation for operation in self._whole.operations.values() if operation.inbound]
        for operation in inbound:
            handler = (
                self._decider(operation, decide) if operation.decides is not None else self._teller(operation, told)
            )
            getattr(self._receiver, f"on_{operation.verb}")(handler)
        for operation in inbound:
            if operation.decides is None:
                self._tell(operation, told)
            else:
                self._ask(operation, decide)

    def _teller(self, operation: Operation, told: list[tuple[str, Any]]) -> Any:
        def handle(event: Any) -> None:
            told.append((operation.name, event.data))

        return handle

    def _decider(self, operation: Operation, decide: dict[str, str]) -> Any:
        def answer(question: Any) -> Any:
            if decide["say"] == "no":
                return question.refuse("why")
            return question.accept(**self._limits(operation))

        return answer

    def _limits(self, operation: Operation) -> Json:
        """The arguments of a yes: what is required and not in the question."""
        decides, asked = operation.decides, payload_struct(self._whole, operation.asks)[1]
        assert decides is not None
        fields = [
            field
            for field in told(self._whole, operation.answers).fields
            if field.wire not in (decides.member, decides.reason) and asked.field(field.wire) is None and field.required
        ]
        return {naming.variable(field.wire): 0 if field.wire == decides.least else 10**6 for field in fields}

    def _deliver(self, operation: Operation, body: Json) -> Any:
        self.count += 1
        raw = json.dumps(body, default=float).encode()
        signed = _scheme(self._whole).sign(_gateway_signer(), "POST", "/", raw, {})
        reply = self._receiver.receive(raw, {"sign": signed})
        assert reply.status == 200, (reply.outcome, reply.why)
        answered = json.loads(reply.body)
        assert not judge(self._contract, operation.name, operation.answers.role, answered)
        assert {} not in answered.values()
        return reply.outcome, answered

    def _tell(self, operation: Operation, told: list[tuple[str, Any]]) -> None:
        body = _example(self._contract, operation.asks.name)
        for field in self._whole.structs.get(operation.asks.root.name, operation.asks.root).fields:
            if field.source == "clock":
                body[field.wire] = _written(self._whole, field, self._clock.now())
            elif (field.source or "").startswith("merchant."):
                body[field.wire] = NUMBERS[(field.source or "").removeprefix("merchant.")]
        assert not judge(self._contract, operation.name, operation.asks.role, body)
        at, struct = payload_struct(self._whole, operation.asks)
        inner: Json = body[at[1:]] if at else body
        told.clear()
        assert self._deliver(operation, body)[0] == "handled"
        assert [name for name, _ in told] == [operation.name]
        same_model(self._contract, self._contract.struct(struct.name), told[0][1], inner)
        assert self._deliver(operation, body)[0] == "duplicate"
        first = struct.field(operation.once_per[0][0])
        if len(operation.once_per[0]) == 1 and first is not None and first.type.kind == "string" and not first.values:
            inner[first.wire] = f"{inner[first.wire]}1"[-(first.max or 64) :]
            assert self._deliver(operation, body)[0] == "handled"
            assert len(told) == 2

    def _ask(self, operation: Operation, decide: dict[str, str]) -> None:
        assert operation.decides is not None
        body = _example(self._contract, operation.asks.name)
        for say, word in (("yes", operation.decides.yes), ("no", operation.decides.no)):
            decide["say"] = say
            _, answered = self._deliver(operation, body)
            at = payload_struct(self._whole, operation.answers)[0]
            inner = answered[at[1:]] if at else answered
            assert inner[operation.decides.member] == word
            assert (operation.decides.reason in inner) is (say == "no")


def _written(whole: Contract, field: Field, now: datetime) -> str:
    """The time in the form of a field, or in one that every receiver reads."""
    form = whole.formats.get(field.type.name)
    written: str = getattr(formats, f"write_{form.check if form is not None else 'request_time'}")(now)
    return written


def _filled_struct(whole: Contract, field: Field) -> bool:
    inner = whole.structs.get(field.type.name)
    return inner is not None and not field.type.array and all(part.filled for part in inner.fields)


def _example(contract: GeneratedContract, message: str) -> Json:
    return cast(Json, json.loads(json.dumps(contract.example(message)), parse_float=Decimal))


def _scheme(whole: Contract) -> Scheme:
    """What the signature `body` covers and how it is written, with which all messages of these contracts are signed."""
    signature = whole.signatures["body"]
    return Scheme(signature.covers, signature.written)


def _inside(message: MessageSpec, body: Json) -> Json:
    return body[message.payload or ""] if message.data is not None else body


def _refusal(operation: Operation, answer: Json, code: str) -> Json:
    """An answer with another code: where the code stands beside what means yes, that says F."""
    assert operation.succeeds is not None
    refused = (
        _said(answer, operation.succeeds[0].split("."), "F") if operation.code != operation.succeeds[0] else answer
    )
    refused = _said(refused, (operation.code or "").split("."), code)
    return {name: value for name, value in refused.items() if name != operation.answers.payload}


def _said(body: Json, path: list[str], value: str) -> Json:
    return {**body, path[0]: _said(body[path[0]], path[1:], value) if path[1:] else value}


def _with_payload(operation: Operation, answer: Json, more: Json) -> Json:
    inner = {**_inside(operation.answers, answer), **more}
    return {**answer, operation.answers.payload or "": inner} if operation.answers.data is not None else inner


def _model(contract: GeneratedContract, struct: Any, body: Json) -> object:
    trouble = Report()
    model = read(contract, struct, body, "", trouble)
    assert not trouble.found, f"the example of {struct.name} cannot be read: {trouble.found}"
    return model


def same_model(contract: GeneratedContract, struct: Any, model: object, body: Mapping[str, object]) -> None:
    """Compare what a model holds with the object that it was read from: nothing but the writing of numbers may differ.

    An answer's list that is absent is read as an empty one, in the objects inside it too.
    """
    trouble = Report()
    written = {
        field.wire: writer(getattr(model, field.python), "", trouble)
        for field, writer in zip(struct.fields, writers(contract, struct), strict=True)
        if getattr(model, field.python) is not None
    }
    assert not trouble.found, f"{struct.name}: what was read cannot be written: {trouble.found}"
    known = {name: value for name, value in body.items() if name in struct.by_wire}
    assert plain(_told(written)) == plain(_told(known)), struct.name


def _told(value: object) -> object:
    """A value of JSON without the members that are null or an empty list."""
    if isinstance(value, dict):
        return {name: _told(item) for name, item in value.items() if item not in (None, [])}
    return [_told(item) for item in value] if isinstance(value, list) else value


def plain(value: object) -> object:
    """A value of JSON in a form in which equal numbers are equal."""
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return Decimal(str(value)) if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool) else value
