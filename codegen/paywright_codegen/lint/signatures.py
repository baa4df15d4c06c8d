"""Check signatures and signers: the sections `signatures:` and `merchant:`, and the headers that carry signatures."""

from __future__ import annotations

import re
from collections.abc import Iterator

from paywright_codegen.model.contract import Contract, Signature
from paywright_codegen.model.operations import MessageSpec, Operation
from paywright_codegen.model.types import Field
from paywright_codegen.problems import Complaints, Problem, meant, problems_of

_PLACE = re.compile(r"\{([^{}]*)\}")
_WRITTEN = re.compile(r"[ -z|~]*\{(base64|base64url|hex) of ([A-Z0-9-]+)\}[ -z|~]*")
_BODY = re.compile("body( minified)?( sha256)?")
_KEYED, _SECRET = ("RSA-SHA256",), ("HMAC-SHA256", "HMAC-SHA512")


def lint_signatures(contract: Contract) -> Iterator[Problem]:
    """Yield the problems of signatures, of the merchant's numbers, and of the headers of all messages."""
    used: set[str] = set()
    for operation in contract.operations.values():
        for message in operation.messages:
            used |= {field.source or "" for field in message.fields}
            for field in message.headers:
                kind, _, name = (field.source or "").partition(".")
                found = contract.signatures.get(name) if kind == "signature" else None
                if found is not None:
                    yield from problems_of(found, f"signature `{found.name}`: ", _covered(operation, message, found))
        yield from problems_of(operation, f"`{operation.name}` ", _signed(contract, operation))
    for struct in contract.structs.values():
        used |= {field.source or "" for field in struct.fields}
    for signature in contract.signatures.values():
        complaints = _signature(contract, signature, f"signature.{signature.name}" in used)
        yield from problems_of(signature, f"signature `{signature.name}`: ", complaints)
    chosen = {signature.chosen_by for signature in contract.signatures.values()}
    for number in contract.numbers.values():
        if not number.prose.lines:
            yield Problem(number.place, f"`{number.name}` has no prose", "say behind it what it is")
        if number.kind == "signer" and number.name not in chosen:
            what = f"`{number.name}` is a signer, and no signature is `chosen by` it"
            yield Problem(number.place, what, "write the forms that there are in `signatures:`")
        if number.kind == "signer" and (number.required or not number.name.endswith("_signature")):
            yield Problem(number.place, f"`{number.name}` is a signer", "call it NAME_signature, without `!`")
    if contract.operations and not any(one.required and one.kind == "id" for one in contract.numbers.values()):
        place = next(iter((*contract.numbers.values(), *contract.operations.values()))).place
        what = "nothing says by which number the gateway knows a merchant"
        yield Problem(place, what, "write `merchant:` and `NAME!: id` under it")


def _signature(contract: Contract, signature: Signature, used: bool) -> Complaints:
    places = _PLACE.findall(signature.covers)
    if "{" in _PLACE.sub("", signature.covers) or "}" in _PLACE.sub("", signature.covers):
        yield "covers", f"`{signature.covers}` has an unpaired brace", 'write places like "{method}:{path}:{body}"'
    if not any(place.split(" ")[0] == "body" for place in places):
        yield "covers", "it covers no body", "write `{body}` or `{body sha256}` where the body stands"
    for place in places:
        if place.split(" ")[0] == "body" and _BODY.fullmatch(place) is None:
            yield "covers", f"`{{{place}}}` is not a form of the body", "write {body}, {body minified}, {body sha256} or {body minified sha256}"
    written = _WRITTEN.fullmatch(signature.written)
    known = (*_KEYED, *_SECRET) if signature.chosen_by is not None else _KEYED
    if "{percent " in signature.written:
        what = f"`{signature.written}` is percent-encoded, which no signature of the language is"
        yield "written", what, f"write {{base64 of {known[0]}}} if the gateway accepts it"
    elif written is not None and signature.chosen_by is None and written[2] in _SECRET:
        what = f"`{signature.written}` signs with a secret, and the language signs so only what the merchant chooses"
        yield "written", what, "write `chosen by:` and a signer, or {base64 of RSA-SHA256}"
    elif written is None or written[2] not in known:
        yield "written", f"`{signature.written}` is not a spelling", f"write base64, base64url or hex, like {{base64 of {' or '.join(known)}}}"
    if signature.chosen_by is None:
        if not used:
            yield "", f"nothing is `from signature.{signature.name}`", "use it, or remove it"
        if signature.sends is not None:
            yield "sends", "`sends:` is for a signature that the merchant chooses", "write `chosen by:`, or remove it"
        return
    if used:
        yield "chosen by", f"it is chosen by the merchant, and a header is `from signature.{signature.name}`", f"write `from merchant.{signature.chosen_by}`"
    number = contract.numbers.get(signature.chosen_by)
    if number is None or number.kind != "signer":
        do = f"{meant(signature.chosen_by, contract.numbers)}write `{signature.chosen_by}: signer` in `merchant:`"
        yield "chosen by", f"`{signature.chosen_by}` is not a signer of the merchant", do
    if written is not None and (written[0] != f"{{base64 of {written[2]}}}"):
        yield "written", "a signature that the merchant chooses is written in base64", f"write {{base64 of {written[2]}}}"
    requests = [one.asks.headers for one in contract.operations.values() if not one.inbound]
    signer = f"merchant.{signature.chosen_by}"
    chosen = [headers for headers in requests if any(one.source == signer for one in headers)]
    times = sorted({one.wire for headers in chosen for one in headers if one.source == "clock"})
    for place in places:
        if place not in times and place.split(" ")[0] not in ("body", "method", "newline", "path", "access_token"):
            yield "covers", f"`{{{place}}}` is not the header with the time", f"name {' or '.join(times) or 'a header from clock'}"
    if written is not None and written[2] in _KEYED and "access_token" in places:
        yield "covers", "it covers an access token, and no secret signs it", "write {base64 of HMAC-SHA512}"


def _covered(operation: Operation, message: MessageSpec, signature: Signature) -> Complaints:
    """Yield headers that a signature covers and this message does not always have."""
    headers = {field.wire: field for field in message.headers}
    received = operation.inbound and message is operation.asks
    for place in _PLACE.findall(signature.covers):
        if place.split(" ")[0] == "body" or place in ("method", "newline") or (place == "path" and not received):
            continue
        header = headers.get(place)
        if place == "path":
            yield "covers", "it covers the path, which a receiver does not know", "write the address itself, such as `/notify{newline}{body}`, in a signature for notifications"
        elif header is None or not header.required:
            what = f"it covers `{{{place}}}`, which is not a required header of `{message.name}`"
            yield "covers", what, f"{meant(place, headers)}name a required header of each message that it signs"
        elif header.source == f"signature.{signature.name}":
            yield "covers", f"it covers `{{{place}}}`, which carries it", "name another header"


def _signed(contract: Contract, operation: Operation) -> Complaints:
    """Yield messages without a header for their signature, or with more than one."""
    carried = [[one for one in message.headers if _carries(contract, one)] for message in operation.messages]
    asked, answered = carried
    do = "mark the header that carries it with `from signature.NAME`"
    at = asked[-1] if asked else operation.at("with headers", "headers")
    if not asked:
        yield at, f"has no signature in its {operation.asks.role}", do
    if operation.inbound:
        if len(asked) > 1:
            yield at, "has more than one signature in its notification", "keep one"
        ways = contract.once(_ways)
        other = next((name for name, way in ways.items() if way != ways[operation.name]), None)
        if other is not None:
            yield at, f"and `{other}` are signed in different ways", "use one header and one signature for both"
    elif len(answered) != 1:
        at = answered[-1] if answered else operation.at("with response headers", "response headers")
        yield at, f"has {'no' if not answered else 'more than one'} signature in its response", do


def _carries(contract: Contract, field: Field) -> bool:
    kind, _, name = (field.source or "").partition(".")
    number = contract.numbers.get(name) if kind == "merchant" else None
    return kind == "signature" or (number is not None and number.kind == "signer")


def _ways(contract: Contract) -> dict[str, set[tuple[str, str | None]]]:
    """Return by which headers each inbound operation is signed."""
    return {
        one.name: {(field.wire, field.source) for field in one.asks.headers if _carries(contract, field)}
        for one in contract.operations.values()
        if one.inbound
    }
