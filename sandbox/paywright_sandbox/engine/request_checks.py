"""Check a request before it has any effect: merchant, signature, time and contract."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Final
from urllib.parse import parse_qsl

from paywright.contract import CONTRACT
from paywright_runtime import strict_json
from paywright_runtime.answer import Violation
from paywright_runtime.clock import Clock
from paywright_runtime.contract import formats
from paywright_runtime.contract.amount_guards import Guards
from paywright_runtime.contract.formats import FORMS, matcher
from paywright_runtime.contract.operation import Operation
from paywright_runtime.contract.validation import judge
from paywright_runtime.contract.value_checks import EMPTY, Report, within
from paywright_runtime.signing.rsa import SignatureProblem
from paywright_sandbox.engine.context import Decisions
from paywright_sandbox.engine.merchant import NUMBERS, RegisteredMerchant
from paywright_sandbox.engine.request_members import empty_texts, listed, nearest_member, rule_in_words, unknown_in
from paywright_sandbox.engine.settings import SandboxSettings
from paywright_sandbox.engine.state.refusal import Refusal

Headers = Sequence[tuple[str, str]]


def read_body(body: bytes) -> dict[str, object]:
    """Parse a request as strict JSON. Trust nothing in it until the signature is verified. Raises `Refusal`."""
    try:
        value = strict_json.parse(body)
    except strict_json.JsonProblem as problem:
        raise Refusal(f"The body is not strict JSON: {problem}.", policy="invalid-request") from None
    if type(value) is not dict:
        raise Refusal("The body must be a JSON object.", policy="invalid-request")
    return value  # type: ignore[return-value]  # dict is invariant: JSON values are objects


def nearest(operations: Sequence[Operation], headers: Headers, body: Mapping[str, object]) -> Operation:
    """Return the operation of an address whose form to use for a request that names no operation.

    It is the first one whose merchant the request names. It decides how the merchant is found and how refusals look.
    """
    return next((operation for operation in operations if _numbers(operation, headers, body)), operations[0])


@dataclass(slots=True, eq=False, repr=False)
class RequestCheck:
    """The checks of one request. Policies that accept or refuse something are added to `decisions`.

    `merchants` are all registered ones, `operations` those of the address, `operation` the one that the body names, if any,
    `path` is as sent, with its query.
    """

    settings: SandboxSettings
    merchants: Sequence[RegisteredMerchant]
    operations: Sequence[Operation]
    operation: Operation | None
    path: str
    headers: Headers
    raw: bytes
    body: dict[str, object]
    decisions: Decisions

    def merchant(self, now: datetime | None) -> RegisteredMerchant:
        """Check the request and return its merchant. `now` None skips the request time. Raises `Refusal`."""
        operation, body = self.operation, self.body
        asked = operation or nearest(self.operations, self.headers, body)
        if operation is None and not _numbers(asked, self.headers, body):
            raise _no_operation(self.operations, body)  # the merchant is unknown too
        merchant = merchant_of_request(self.merchants, asked, self.headers, body)
        if asked.request_headers and "sign" in CONTRACT.struct(asked.request_headers).by_wire:
            self._verify(merchant)
        if operation is not None and operation.envelope == "snap":
            self._check_snap(operation, merchant)
        if now is not None:
            self._check_time(asked, now)
        if operation is None:
            raise _no_operation(self.operations, body)
        other = _other_version(operation.name, body)
        if other is not None and self._refuses("request-version", "known"):
            raise Refusal(
                f"{other} is not the version that the specification shows for this operation (policy request-version).",
                policy="invalid-request",
            )
        unknown = unknown_in(operation, body)
        self.decisions.unknown = listed(unknown) if unknown else ""
        refuses_unknown = bool(unknown) and self._refuses("unknown-members", "refused")
        self._refuse_invalid(operation, self._violations(operation))
        self._check_decimals(operation)
        if refuses_unknown:
            near = nearest_member(operation, unknown[0])
            meant = f" Did you mean {near}?" if near else ""
            raise Refusal(
                f"{listed(unknown)} is not in the contract (policy unknown-members).{meant}", policy="invalid-request"
            )
        empty = empty_texts(operation, body)
        if empty and self._refuses("empty-texts", "refused"):
            raise Refusal(f"{listed(empty)} must not be empty (policy empty-texts).", policy="invalid-request")
        return merchant

    def _refuses(self, policy: str, value: str) -> bool:
        """Note that a policy decides; return whether it has the value that refuses."""
        self.decisions.add(policy)
        return self.settings.policies.text(policy) == value

    def _violations(self, operation: Operation) -> Sequence[Violation]:
        return judge(CONTRACT, operation.name, "request", self.body, headers=self.headers, parsed=True)

    def _refuse_invalid(self, operation: Operation, violations: Sequence[Violation]) -> None:
        """Raise `Refusal` for violations, except times in a form that the policy request-time-format accepts."""
        times = [violation for violation in violations if _is_time_of_request(violation, self.headers, self.body)]
        lenient = self.settings.policies.text("request-time-format") == "rfc-3339"
        if times:
            self.decisions.add("request-time-format")
        taken = times if lenient else []
        left = [violation for violation in violations if violation not in taken]
        if lenient:
            left = [_in_lenient_words(one) if _is_form_of_time(one) else one for one in left]
        if left:
            # Bank-style calls have their own code for a missing member.
            code = "400xx02" if operation.envelope == "snap" and left[0].code == "required" else None
            more = " (policy request-time-format)" if times and not taken else ""
            words = _in_words(operation, left, 230 - len(more)) + more
            raise Refusal(words, policy="invalid-request", code=code)

    def _check_decimals(self, operation: Operation) -> None:
        """Refuse numbers with more decimals than a client sends, in any currency."""
        report = Report()
        _guards(operation.name).check(self.body, "", report)
        if report.found and not self._refuses("decimals", "any"):
            at, _, why = report.found[0]
            raise Refusal(f"{at} {why} (policy decimals).", policy="invalid-request")

    def _verify(self, merchant: RegisteredMerchant) -> None:
        signatures = _values(self.headers, "sign")
        if len(signatures) == 1 and _is_signed(self.raw, signatures[0], merchant):
            return
        why = why_not_signed(self.settings, self.merchants, merchant, self.raw, signatures)
        raise Refusal(why if signatures else why + self._elsewhere(merchant), policy="signature-failed")

    def _elsewhere(self, merchant: RegisteredMerchant) -> str:
        """Return where the signature stands that is missing in its header, in sentences."""
        places = [(f"The header {name}", value) for name, value in self.headers]
        places += [("The query", value.replace(" ", "+")) for _, value in parse_qsl(self.path.partition("?")[2])]
        found = "".join(
            f" {place} has the signature." for place, value in places if _is_signed(self.raw, value, merchant)
        )
        return f"{found} The body has a member sign, which counts for nothing." if "sign" in self.body else found

    def _check_snap(self, operation: Operation, merchant: RegisteredMerchant) -> None:
        """Check the headers of a bank-style call and its second signature, which covers one of them."""
        self._refuse_invalid(operation, [one for one in self._violations(operation) if one.pointer.startswith("@")])
        from paywright_sandbox.engine.snap_signatures import SnapCall, snap_fault  # start-up

        headers, due = self.headers, self.settings.policies.text("snap-signature")
        host = next(iter(_values(headers, "host")), "")
        call = SnapCall("POST", self.path, self.raw, _values(headers, "x-timestamp")[0], host)
        if due == "any":
            self.decisions.add("snap-signature")
        fault = snap_fault(due, merchant, call, _values(headers, "x-signature"), _values(headers, "authorization"))
        if fault:
            raise Refusal(fault, policy="snap-signature")

    def _check_time(self, operation: Operation, now: datetime) -> None:
        sent = [(wire, self.body.get(wire)) for _, wire in _from(operation.request, "clock")]
        for _, wire in _from(operation.request_headers, "clock"):
            sent.append((wire, next(iter(_values(self.headers, wire)), None)))
        most = self.settings.request_skew_seconds
        for name, value in sent:
            time = formats.read_time(value) if isinstance(value, str) else None
            off = 0.0 if time is None else (time - now).total_seconds()  # the contract is checked later
            if abs(off) > most:
                raise Refusal(
                    f"{name} is {abs(off):.0f} s {'ahead of' if off > 0 else 'behind'} the clock here; {most} s are "
                    "allowed. Make a new one for every attempt, and check this machine's clock.",
                    policy="stale-request-time",
                )


@cache
def _guards(operation: str) -> Guards:
    return Guards(CONTRACT, CONTRACT.operation(operation).request)


def _is_time_of_request(violation: Violation, headers: Headers, body: Mapping[str, object]) -> bool:
    """Return whether a violation is only a request time in another form of RFC 3339 than the one shown [2]."""
    if not _is_form_of_time(violation):
        return False
    found = [body.get("requestTime")] if violation.pointer.startswith("/") else list(_values(headers, "x-timestamp"))
    return len(found) == 1 and isinstance(found[0], str) and matcher(FORMS["offset_time"].pattern)(found[0]) is not None


def _is_form_of_time(violation: Violation) -> bool:
    return violation.code == "format" and violation.pointer.lower() in ("/requesttime", "@header/x-timestamp")


def _in_lenient_words(violation: Violation) -> Violation:
    name = "requestTime " if violation.pointer.startswith("/") else ""
    due = f"{name}must be RFC 3339 with an offset (policy request-time-format)"
    return Violation(violation.pointer, violation.code, due)


def _other_version(operation: str, body: Mapping[str, object]) -> str | None:
    """Return the pointer of a version or keyVersion that differs from section 9; None if there is none."""
    for path, shown in _versions(operation):
        value = within(body, path)
        if value is not None and value != shown:
            return "/" + "/".join(path)
    return None


@cache
def _versions(operation: str) -> Sequence[tuple[tuple[str, ...], str]]:
    """Return the paths of version and keyVersion, at the top or in a part of the envelope, and their values."""
    facts = CONTRACT.operation(operation)
    top = CONTRACT.struct(facts.request).fields
    envelope = [field for field in top if field.kind == "struct" and field.of and field.wire != facts.payloads[0]]
    parts = [((part.wire,), field) for part in envelope for field in CONTRACT.struct(part.of or "").fields]
    found: list[tuple[tuple[str, ...], str]] = []
    for at, field in [*(((), field) for field in top), *parts]:
        shown = facts.version if field.source == "operation.version" else field.sends
        if field.wire in ("version", "keyVersion") and shown is not None:
            found.append(((*at, field.wire), shown))
    return found


# The merchant


def merchant_of_request(
    merchants: Sequence[RegisteredMerchant], operation: Operation, headers: Headers, body: Mapping[str, object]
) -> RegisteredMerchant:
    """Return the merchant that a request names, without verifying it. Raises `Refusal`."""
    given = _numbers(operation, headers, body)
    if not given:
        fields = _merchant_fields(operation)
        typed = [wire for wire in fields if body.get(wire) not in EMPTY]
        why = f"{' and '.join(typed)} must be a string" if typed else f"{' or '.join(fields)} is missing"
        raise Refusal(f"The request names no merchant: {why}.", policy="invalid-request")
    (first, named, value), *others = given
    found = [merchant for merchant in merchants if merchant.numbers.get(first) == value]
    for merchant in found:
        if all(merchant.numbers.get(name) in (None, number) for name, _, number in others):
            return merchant
    if not found:
        raise Refusal(
            f"No merchant with this {named} is registered here: see `paywright sandbox merchants`.",
            policy="unknown-merchant",
        )
    wrong = next(wire for name, wire, number in others if found[0].numbers.get(name) not in (None, number))
    raise Refusal(f"{wrong} does not belong to the merchant of {named}.", policy="unknown-merchant")


def _numbers(operation: Operation, headers: Headers, body: Mapping[str, object]) -> list[tuple[str, str, str]]:
    """Return the merchant's numbers in a request, the most telling first: our name, wire name, value."""
    found: dict[str, tuple[str, str, str]] = {}
    for name, wire, heads in _number_fields(operation.name):
        value = next(iter(_values(headers, wire)), None) if heads else body.get(wire)
        if isinstance(value, str) and (value or heads):
            found.setdefault(name, (name, wire, value))
    return list(found.values())


@cache
def _number_fields(operation: str) -> Sequence[tuple[str, str, bool]]:
    """Return the members and headers that name the merchant: our name, wire name, whether a header. Headers win."""
    facts = CONTRACT.operation(operation)
    fields = [(name, wire, True) for name, wire in _from(facts.request_headers, "merchant.")]
    fields += [(name, wire, False) for name, wire in _from(facts.request, "merchant.")]
    return sorted((one for one in fields if one[0] in NUMBERS), key=lambda one: NUMBERS.index(one[0]))


@cache
def _from(struct: str | None, source: str) -> Sequence[tuple[str, str]]:
    """Return the fields whose source begins with `source`: the rest of the source, and the wire name."""
    fields = CONTRACT.struct(struct).fields if struct else ()
    return [
        (one.source.removeprefix(source), one.wire) for one in fields if one.source and one.source.startswith(source)
    ]


def _merchant_fields(operation: Operation) -> list[str]:
    names = [operation.request, *([operation.request_headers] if operation.request_headers else [])]
    fields = [field for name in names for field in CONTRACT.struct(name).fields]
    known = {f"merchant.{name}" for name in NUMBERS}
    return [field.wire for field in fields if field.required and field.source in known]


# The signature


def _is_signed(raw: bytes, signature: str, merchant: RegisteredMerchant) -> bool:
    try:
        merchant.verifier.verify(raw, signature)
    except SignatureProblem:
        return False
    return True


def why_not_signed(
    settings: SandboxSettings,
    merchants: Sequence[RegisteredMerchant],
    merchant: RegisteredMerchant,
    raw: bytes,
    signatures: Sequence[str],
) -> str:
    """Explain in one sentence why the `sign` headers of a merchant's request do not verify."""
    from paywright_runtime.signing.diagnosis import KeyInWords, why_not

    others = [KeyInWords(f"that of the merchant {one.app_id}", one.public) for one in merchants if one is not merchant]
    known = [*others, KeyInWords("the gateway's own", settings.signer.public)]
    return why_not(raw, signatures, KeyInWords("the one registered for this merchant", merchant.public), known)


# The time


def time_to_judge_by(settings: SandboxSettings, wall: Clock, sandbox: Clock) -> datetime | None:
    """Return the time to compare requestTime with; None if it is not compared."""
    judged_by = settings.judge_request_time
    return None if judged_by == "off" else (wall if judged_by == "wall" else sandbox).now()


# The contract


def _no_operation(operations: Sequence[Operation], body: dict[str, object]) -> Refusal:
    due: dict[str, list[str]] = {}
    for operation in operations:
        for pointer, value in operation.discriminators.items():
            due.setdefault(pointer, []).append(value)
    words = [f"{_where(body, pointer)} {' or '.join(values)}" for pointer, values in due.items()]
    if any(isinstance(within(body, tuple(pointer.split("/")[1:])), list) for pointer in due):
        words[-1] += ", not an array"
    return Refusal(f"{'; '.join(words)}: it selects the operation.", policy="invalid-request")


def _where(body: dict[str, object], pointer: str) -> str:
    """Return what must be a value, with a verb; of a member in what is no object, first that it must be one."""
    above, _, name = pointer.rpartition("/")
    if type(within(body, tuple(above.split("/")[1:]))) is dict:
        return f"{pointer} must be"
    return f"{above} must be an object, and its {name}"


_WHERE: Final = re.compile(r" \[[0-9., ]+\]\Z")


def _in_words(operation: Operation, violations: Sequence[Violation], most: int) -> str:
    """Return the first violations that fit into `most` characters, by wire names, and the number of the others."""
    parts: list[str] = []
    for violation in violations:
        part = f"{violation.pointer or 'The body'} {_reason(operation, violation)}"
        if parts and sum(map(len, parts)) + 2 * len(parts) + len(part) > most:
            parts.append(f"and {len(violations) - len(parts)} more")
            break
        parts.append(part)
    return "; ".join(parts)


def _reason(operation: Operation, violation: Violation) -> str:
    if not violation.pointer.startswith("@"):
        for struct, field in CONTRACT.at(operation.request, violation.pointer):
            rule = struct.rule(violation.code)
            if rule is None and field is not None and field.kind == "struct" and field.of:
                rule = CONTRACT.struct(field.of).rule(violation.code)
            if rule is not None:
                return f"breaks the rule {rule.id}: {rule_in_words(rule.text)}"
        # Leave out the Python name, which comes first, and the section at the end.
        return _WHERE.sub("", violation.message).partition(" ")[2]
    return violation.message


def _values(headers: Headers, name: str) -> list[str]:
    wanted = name.lower()
    return [value for key, value in headers if key.lower() == wanted]
