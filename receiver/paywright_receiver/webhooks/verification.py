"""Turn raw bytes and headers into a verified notification (webhook): fresh, for this merchant, and with a key [5, 6].

The order matters: only verified bytes reach the parser, and no notification for another merchant, or older than the
ledger remembers, reaches the ledger.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from paywright_receiver.webhooks.delivery import LONGEST, Delivery, KindFacts, key_step, part_of_key
from paywright_runtime import strict_json
from paywright_runtime.contract import formats
from paywright_runtime.contract.addresses import question_of
from paywright_runtime.contract.notification_digest import digest
from paywright_runtime.contract.value_checks import within
from paywright_runtime.redaction import redacted
from paywright_runtime.signing.covered import Scheme, header_values
from paywright_runtime.signing.rsa import SignatureProblem, Signer, VerifiedBytes

if TYPE_CHECKING:
    from paywright_receiver.webhooks.options import ReceiverOptions
    from paywright_receiver.webhooks.reply import Outcome
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.contract.operation import Operation
    from paywright_runtime.strict_json import JSON

Headers = Mapping[str, str] | Iterable[tuple[str, str]] | Iterable[tuple[bytes, bytes]]

_OBJECT_IN_BASE64: Final = (b"ey", b"ew")  # {" and { before a blank: no JSON begins so


class NotTaken(Exception):
    """Raised for a delivery that is not accepted.

    `outcome` is a stable word; `why` is a sentence without values. `slip` says more to the merchant, and nothing to the sender.
    """

    def __init__(self, outcome: Outcome, why: str, slip: str = "") -> None:
        super().__init__(outcome, why)
        self.outcome: Outcome = outcome
        self.why: str = why
        self.slip: str = slip


class DeliveryVerifier:
    """Verifies and parses deliveries for one merchant."""

    def __init__(self, contract: Contract, receiver: ReceiverOptions) -> None:
        self.contract: Contract = contract
        self._receiver = receiver
        main, self._ours = next((name, value or "") for name, value in receiver.numbers.items())
        self._verify = receiver.verifier.verify
        self.once_per: Mapping[str, Sequence[str]] = {kind: names for kind, (_, names) in receiver._kinds.items()}
        self.kinds: dict[str, KindFacts] = {}
        self._header = ""
        self._scheme: Scheme | None = None
        self._discriminator: str | None = None
        self._addressee: list[tuple[str, str, bool]] = []
        self._named_in_headers: dict[str, str] = {}
        self._time: str | None = None
        self._time_form: str | None = None
        self._at = ""  # where the data of kinds that the specification does not show stands: as of those that it shows
        for operation in map(contract.operation, contract.operations()):
            if not operation.inbound:
                continue
            if self._scheme is None and operation.request_headers is not None:
                signed = contract.struct(operation.request_headers).signed_by()
                if signed is not None:
                    self._header, self._scheme = signed[0].wire, Scheme(*contract.signature(signed[1]))
            for pointer, kind in operation.discriminators.items():
                self._discriminator = pointer[1:]
                self.kinds[kind] = KindFacts(contract, operation, kind)
                self._at = self._at or self.kinds[kind].at
        ours = {f"merchant.{name}": value for name, value in receiver.numbers.items()}
        for facts in self.kinds.values():
            if facts.operation.request_headers is not None:
                for field in contract.struct(facts.operation.request_headers).fields:
                    number = ours.get(field.source or "")
                    if number is not None:
                        self._named_in_headers[field.wire.lower()] = number
            for field in facts.root.fields:
                number = ours.get(field.source or "")
                # Every notification has the number that each merchant has. One that is left out is not compared.
                row = (field.wire, number or "", field.source == f"merchant.{main}")
                if number is not None and row not in self._addressee:
                    self._addressee.append(row)
                if field.source == "clock":
                    self._time, self._time_form = field.wire, field.of
        self._plain: bool = self._scheme is None or self._scheme.plain
        self._body_alone: bool = self._plain and not self._named_in_headers
        self._lower_header: str = self._header.lower()
        self._fronts: dict[str, str] = {kind: self.front(kind) for kind in self.kinds}

    # From bytes to JSON

    def open(self, raw: object, headers: object) -> VerifiedBytes:
        """Verify a body and return its bytes [5]. There must be exactly one valid signature. Raises `NotTaken`."""
        if type(raw) is not bytes:
            if not isinstance(raw, (bytes, bytearray, memoryview)):
                raise NotTaken(
                    "not_raw", f"the body was given as {type(raw).__name__}, not as the raw bytes that were signed"
                )
            raw = memoryview(raw).tobytes()  # not bytes(raw): a subclass may override __bytes__
        if len(raw) > self._receiver.max_bytes:
            raise NotTaken("too_large", f"the body has more than {self._receiver.max_bytes} bytes")
        try:
            found = _values(headers, self._lower_header)
        except (TypeError, ValueError, AttributeError) as error:
            why = f"the headers could not be read as a mapping or pairs: {type(error).__name__}"
            raise NotTaken("unsigned", why) from None
        if len(found) != 1:
            if found:
                raise NotTaken("several_signatures", f"there is more than one header {self._header}")
            raise NotTaken("unsigned", f"there is no header {self._header}")
        try:
            if self._body_alone:
                return self._verify(raw, found[0])
            pairs = ((_text(name), text) for name, value in _fields(headers) for text in _texts(value))
            return self._with_headers(raw, found[0], header_values(pairs))
        except SignatureProblem as problem:
            reason = problem.reason
        if reason == "not_canonical" and self._plain and "," in found[0]:  # servers and proxies join what came twice
            raise NotTaken("several_signatures", f"there is more than one header {self._header}, joined by a comma")
        if reason == "not_canonical":
            why = f"the signature is not {'canonical Base64' if self._plain else 'written as the contract says'}"
            raise NotTaken("not_canonical", why, self._slip(raw, found[0]))
        gone = missing_bytes(raw, headers)
        if gone:
            raise NotTaken("not_raw", gone)
        coding = next(iter(_values(headers, "content-encoding")), "")
        why = "the signature does not hold"
        if not raw:
            why += ": the body is empty"
        elif coding.lower() not in ("", "identity"):
            why += f": Content-Encoding is {redacted(coding, 16)}, and the gateway signs what it does not encode"
        raise NotTaken("bad_signature", why, self._slip(raw, found[0]))

    def _slip(self, raw: bytes, signature: str) -> str:
        """Return by which known slip a signature that a key of the gateway made does not hold; "" for any other signature."""
        if not self._plain:
            return ""
        from paywright_runtime.signing.diagnosis import slip_by  # only what fails needs it

        return slip_by(self._receiver.verifier, raw, signature)

    def _with_headers(self, raw: bytes, signature: str, values: Mapping[str, str]) -> VerifiedBytes:
        """Verify a signature that covers headers too, and compare the numbers in them."""
        verified = (
            self._verify(raw, signature)
            if self._scheme is None
            else self._scheme.verify(self._receiver.verifier, signature, "POST", "/", raw, values)
        )
        for name, number in self._named_in_headers.items():
            if values.get(name) != number:
                raise NotTaken("not_ours", f"its header {name} is another one than ours")
        return verified

    def signature_of(self, signer: Signer, body: bytes) -> tuple[str, str]:
        """Return the header that signs a reply, as notifications are signed."""
        if self._scheme is None or self._plain:
            return self._header, signer.sign(body)
        return self._header, self._scheme.sign(signer, "POST", "/", body, {})

    def parse(self, raw: bytes) -> dict[str, JSON]:
        """Return the JSON object in verified bytes. Raises `NotTaken`."""
        try:
            body = strict_json.parse(raw, max_bytes=self._receiver.max_bytes, mends=True)
        except strict_json.JsonProblem as problem:
            why = strict_json.WHY[problem.why]
        else:
            if type(body) is dict:
                return body
            why = "it is no object"
        raise NotTaken("not_json", f"the body is not a strict JSON object: {why}")

    # From JSON to a delivery

    def kind(self, body: Mapping[str, JSON]) -> str | None:
        """Return the kind of a notification, such as RECEIVE; None if the body has none. Raises `NotTaken` if it is too long for one."""
        kind = None if self._discriminator is None else body.get(self._discriminator)
        if type(kind) is not str or not kind:
            return None
        if len(kind) > LONGEST:
            raise NotTaken("no_kind", f"its {self._discriminator} has more than {LONGEST} characters")
        return kind

    def time(self, body: Mapping[str, JSON]) -> datetime | None:
        """Return the notification's own time, or None if it has none. Its age is not checked."""
        text = body.get(self._time) if self._time is not None else None
        return formats.read_form(self._time_form, text) if type(text) is str else None

    def question(self, body: Mapping[str, JSON]) -> Operation:
        """Return the question that a body without a kind asks: the one whose required members it has.

        Raises `NotTaken` if there is none.
        """
        operation = question_of(self.contract, body)
        if operation is None:
            raise NotTaken(
                "no_kind", f"the body has no {self._discriminator}, and is no question that the contract shows"
            )
        return operation

    def delivery(
        self, raw: bytes, body: dict[str, JSON], kind: str, time: datetime | None, now: datetime | None
    ) -> Delivery:
        """Return a notification after checking that it is addressed to us and fresh by `now` (None: of any age).

        `time` is the notification's own, as the method `time` reads it. Raises `NotTaken`.

        It does not check yet whether the data can be read; `Delivery.check` does.
        """
        self.check_addressee(body, named=True)
        facts = self.kinds.get(kind)
        at = self._at if facts is None else facts.at
        made = Delivery(self.contract, raw, body, kind, facts, at, self._fresh(time, now))
        self._name(made)
        return made

    def check_addressee(self, body: Mapping[str, JSON], *, named: bool) -> None:
        """Raise `NotTaken` if a message is for another merchant, or with `named`, if it does not name the merchant at all."""
        for wire, number, needed in self._addressee:
            value = body.get(wire)
            if value != number and str(value) != number and ((needed and named) or value not in (None, "")):
                raise NotTaken("not_ours", f"its {wire} is another one than ours")

    def _fresh(self, time: datetime | None, now: datetime | None) -> datetime:
        if time is None:
            raise NotTaken("no_time", f"its {self._time} is no time with an offset")
        if now is not None:
            age, most, ahead = now - time, self._receiver.max_age, self._receiver.max_ahead
            if age > most:
                raise NotTaken("too_old", f"its {self._time} is older than {most}")
            if -age > ahead:
                raise NotTaken("too_new", f"its {self._time} is more than {ahead} ahead of this machine's clock")
        return time

    def _name(self, made: Delivery) -> None:
        """Set key, subject and state."""
        facts = made.facts
        front = self._fronts.get(made.kind) or self.front(made.kind)
        if facts is not None:
            parts = facts.parts
        else:
            parts = [((name,), False) for name in self.once_per.get(made.kind, ())]
        named: list[str] = []
        for path, number in parts:
            text = part_of_key(made.data, path, number)
            if not text or len(text) > LONGEST:
                given = within(made.data, path) not in (None, "")
                made.lacks += (("/".join(path), "max" if text else "type" if given else "required"),)
            named.append(text or "")
        if made.lacks or not named:
            self.name_by_content(made)
            return
        if facts is not None and facts.state is not None:
            made.state = named.pop(facts.state)
            made.subject = "/".join([front, *map(key_step, named)])
            made.key = f"{made.subject}/{key_step(made.state)}"
        else:
            made.key = made.subject = "/".join([front, *map(key_step, named)])

    def name_by_content(self, made: Delivery) -> None:
        """Set key and subject of a notification that only its content identifies."""
        content = made.data if made.data is not None else {k: v for k, v in made.body.items() if k != self._time}
        made.key = made.subject = f"{self.front(made.kind)}/sha256:{digest(content)}"
        made.state = None

    def front(self, kind: str) -> str:
        """Return the beginning of the keys of a kind."""
        return f"{key_step(self._ours)}/{key_step(kind)}"


def _values(headers: object, wanted: str) -> list[str]:
    """Return the values of all headers with a name in lower case; none if the argument holds no headers."""
    found: list[str] = []
    for name, value in _fields(headers):
        if (name if type(name) is str else _text(name)).lower() == wanted:
            found += [value] if type(value) is str else _texts(value)
    return found


def missing_bytes(raw: bytes, headers: object) -> str:
    """Return words for a body that is not as long as its headers say; "" if it is, or if they say nothing."""
    length, *_ = (*_values(headers, "content-length"), "")
    chunked = any("chunked" in one.lower() for one in _values(headers, "transfer-encoding"))
    if len(raw) > 2 and raw[:2] in _OBJECT_IN_BASE64:
        return "the body is in Base64, as AWS Lambda has it with isBase64Encoded: decode it first"
    if not raw and (chunked or (length.isdecimal() and int(length))):
        return "the body is gone: something before this receiver has read or parsed it, and not kept it"
    if not chunked and length.isdecimal() and int(length) != len(raw):
        return (
            f"the body has {len(raw)} bytes, and Content-Length says {int(length)}: something before this receiver has cut it, or "
            "written it anew"
        )
    return ""


def _fields(headers: Any) -> Iterable[tuple[object, object]]:
    items = getattr(headers, "items", None)
    return headers if items is None else items()  # type: ignore[no-any-return]


def _texts(value: object) -> list[str]:
    return [_text(one) for one in (value if isinstance(value, (list, tuple)) else (value,))]  # a list is of AWS Lambda


def _text(part: object) -> str:
    return part.decode("latin-1").strip(" \t") if isinstance(part, bytes) else str(part)
