"""Write one OpenAPI 3.1 document of the whole contract, for generators, mocks, proxies and viewers.

OpenAPI has one POST for each path: operations that share a path become one, whose body is one of theirs and whose answer is any of
theirs, because an answer may be valid as several. Operations whose path the specification does not show are left out, and named.
How messages are signed is told in a security scheme for each signature, and with each header that carries one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import Final

from paywright_codegen.documents.json_schema import Components, Schema
from paywright_codegen.examples import examples, field_example
from paywright_codegen.lookup import field_at, is_decimal, payload_member, payload_struct, settled_by
from paywright_codegen.model.contract import Contract, Signature
from paywright_codegen.model.operations import MessageSpec, Operation, SeenNotification
from paywright_codegen.model.types import Field

_PLACES: Final = {
    "body": "the body, byte for byte as it is sent",
    "body sha256": "the SHA-256 of the body in lower-case hexadecimal",
    "body minified": "the body without white space outside of its strings",
    "body minified sha256": "the SHA-256, in lower-case hexadecimal, of the body without white space outside of its strings",
    "method": "the method in capitals",
    "path": "the address's path with its leading slash",
    "newline": "a line feed",
    "access_token": "the access token of the session",
}
_OTHER: Final = "Any other status proves nothing: the call may have taken effect."


def openapi(contract: Contract, package: str) -> Schema:
    """Return the document. Its version is fixed, so that the document changes only when the contract does."""
    return _Document(contract).whole(package)


class _Document:
    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self._components = Components(contract)
        self._schemes: dict[str, Schema] = {}

    def whole(self, package: str) -> Schema:
        contract = self._contract
        shown = [one for one in contract.operations.values() if one.post is not None and not one.inbound]
        paths: dict[str, list[Operation]] = {}
        for operation in shown:
            paths.setdefault(operation.post or "", []).append(operation)
        made = {path: {"post": self._call(operations)} for path, operations in paths.items()}
        webhooks = {one.name: {"post": self._webhook(one)} for one in contract.operations.values() if one.inbound}
        webhooks |= {one.kind: {"post": self._seen(one)} for one in contract.seen.values()}
        tags: dict[str, list[str]] = {}
        for one in contract.operations.values():
            if one.inbound or one.post is not None:
                tags.setdefault(one.resource, []).append(f"`{one.name}`")
        left = [one.name for one in contract.operations.values() if one.post is None and not one.inbound]
        return {
            "openapi": "3.1.0",
            "info": {
                "title": f"The gateway's API, from the contract of {package}",
                "version": "1",
                "description": "\n\n".join(self._opening(left)),
                **({"x-not-shown": left} if left else {}),
            },
            "servers": [
                {
                    "url": "{base_url}",
                    "description": "The gateway's address, which its operators tell; the default is a server on this machine.",
                    "variables": {"base_url": {"default": "http://127.0.0.1:8787"}},
                }
            ],
            "tags": [{"name": name, "description": ", ".join(names)} for name, names in tags.items()],
            "paths": made,
            "webhooks": webhooks,
            "components": {"schemas": self._components.schemas(), "securitySchemes": self._schemes},
        }

    def _opening(self, left: list[str]) -> Iterator[str]:
        yield "Generated from the contract. Every request is signed over what is sent: see the security schemes. Verify an answer before reading it."
        if any(is_decimal(self._contract, field) for struct in self._contract.all_structs() for field in struct.fields):
            yield (
                "Amounts are exact decimals. A generator that makes 32-bit floats of `number` loses money: openapi-generator's for Go "
                "needs `--type-mappings number=float64`, and arithmetic belongs in a decimal type."
            )
        yield (
            "`x-rules` are conditions between members, which no schema here enforces; they stand as conditions in schemas.json. "
            "`x-codes`, `x-key`, `x-resolved-by` and `x-states` say for programs what the descriptions say of money."
        )
        if left:
            yield f"Left out, because the specification does not show their addresses: {', '.join(f'`{one}`' for one in left)}."

    def _call(self, operations: list[Operation]) -> Schema:
        first = operations[0]
        told = [" ".join(operation.prose.more) for operation in operations]
        if len(operations) > 1:
            told = [f"**{one.name}:** {one.prose.text}" for one in operations]
        told += (said for operation in operations for said in sentences(self._contract, operation))
        schemes = [self._security(field) for field in first.asks.headers if _signed(field)]
        return {
            "operationId": "_or_".join(operation.name for operation in operations),
            "summary": " / ".join(operation.prose.summary for operation in operations),
            "description": "\n\n".join(dict.fromkeys(filter(None, told))) or first.prose.summary,
            "tags": list(dict.fromkeys(operation.resource for operation in operations)),
            "security": [dict.fromkeys(chosen, ()) for chosen in product(*schemes)],
            "parameters": [
                self._parameter(field) for field in first.asks.headers if _told(field) and not _signed(field)
            ],
            "requestBody": self._body([one.asks for one in operations], "oneOf"),
            "responses": {
                "200": {
                    "description": "The gateway's answer. Its code says whether the call was accepted, not that money moved.",
                    "headers": {
                        field.wire: self._header(field, "answer") for field in first.answers.headers if _told(field)
                    },
                    **self._body([one.answers for one in operations], "anyOf", required=False),
                },
                "default": {"description": _OTHER},
            },
            "x-operations": {operation.name: facts(self._contract, operation) for operation in operations},
        }

    def _webhook(self, operation: Operation) -> Schema:
        told = (" ".join(operation.prose.more), *sentences(self._contract, operation), _FROM_GATEWAY)
        body = self._body([operation.asks])
        return {
            **self._inbound(operation.name, operation.prose.summary, "\n\n".join(told).strip(), operation, body),
            "x-operations": {operation.name: facts(self._contract, operation)},
        }

    def _inbound(self, name: str, summary: str, told: str, form: Operation, body: Schema) -> Schema:
        """Return what the gateway sends by itself, in the form of an operation."""
        signed = any(_signed(field) for field in form.answers.headers)
        headers = [field for field in form.asks.headers if _told(field)]
        return {
            "operationId": name,
            "summary": summary,
            "description": told,
            "tags": [form.resource],
            "security": [],
            "parameters": [{"name": field.wire, "in": "header", **self._header(field, "message")} for field in headers],
            "requestBody": body,
            "responses": {
                "200": {
                    "description": f"The merchant's answer, {'signed' if signed else 'which is not signed'}.",
                    **self._body([form.answers], required=False),
                },
                "default": {"description": "Not received: it may be sent again."},
            },
        }

    def _seen(self, seen: SeenNotification) -> Schema:
        """Return a notification that the specification does not show, in the form of those that it shows."""
        contract = self._contract
        form = next(one for one in contract.operations.values() if one.inbound and one.when is not None)
        assert form.when is not None
        assert seen.amount is not None  # the schema of the contract requires both
        query = contract.operations[seen.about]
        asked, answered = (payload_struct(contract, message)[1] for message in query.messages)
        writes = [payload_struct(contract, one.asks)[1] for one in settled_by(contract, query)]
        members: dict[str, Field] = {}
        for path in ((seen.key,), (seen.state,), seen.amount.member, seen.amount.currency):
            found = [field_at(contract, struct, path) for struct in (answered, asked, *writes)]
            field = next((one for one in found if one is not None), None)
            if field is not None and len(path) == 1:
                members[path[0]] = field
        payload = form.asks.payload or ""
        told: Schema = {form.when[0]: {"type": "string", "enum": [seen.kind]}}
        inner: Schema = {
            "type": "object",
            "properties": {name: self._components.value(field) for name, field in members.items()},
            "required": [name for name in (seen.key, seen.state) if name in members],
        }
        content: Schema = {name: field_example(contract, field) for name, field in members.items()}
        body: Schema = {
            "type": "object",
            "properties": {**told, **({payload: inner} if payload else {})},
            "required": [form.when[0], *([payload] if payload else [])],
        }
        shown = {"value": {form.when[0]: seen.kind, **({payload: content} if payload else {})}}
        media = {"schema": body, "examples": {seen.kind: shown}}
        words = (
            f"The specification does not show it: gateways of this kind send it so. `{seen.about}` shows the same thing: "
            f"ask it before acting. {_FROM_GATEWAY}"
        )
        sent: Schema = {"required": True, "content": {"application/json": media}}
        return {
            **self._inbound(seen.kind, seen.prose.summary, words, form, sent),
            "x-seen-elsewhere": True,
            "x-about": seen.about,
            "x-address": seen.address,
        }

    def _body(self, messages: list[MessageSpec], several: str = "anyOf", required: bool = True) -> Schema:
        schemas = list({str(ref): ref for ref in (self._components.ref(one.root) for one in messages)}.values())
        shown: Schema = {}
        for one in messages:
            operation = self._contract.operations[one.operation]
            shown[one.operation] = {"value": examples(self._contract, operation)[operation.messages.index(one)]}
        media = {"schema": schemas[0] if len(schemas) == 1 else {several: schemas}, "examples": shown}
        return {**({"required": True} if required else {}), "content": {"application/json": media}}

    def _parameter(self, field: Field) -> Schema:
        made = self._components.value(field)
        words = made.pop("description", None)
        required: Schema = {"name": field.wire, "in": "header", "required": field.required}
        return {**required, **({"description": words} if words else {}), "schema": made}

    def _header(self, field: Field, message: str) -> Schema:
        made = self._components.value(field)
        words = made.pop("description", "")
        signature = self._contract.signatures.get((field.source or "").partition(".")[2]) if _signed(field) else None
        if signature is None:
            return {**({"description": words} if words else {}), "required": field.required, "schema": made}
        covered = _covered(signature, "the gateway's private key", f"this {message}")
        return {"description": covered, "required": field.required, "schema": {"type": "string"}, **_form(signature)}

    def _security(self, field: Field) -> list[str]:
        """Return the schemes of a header that carries a signature: one, or those that the merchant may choose of."""
        kind, _, name = (field.source or "").partition(".")
        signatures = self._contract.signatures.values()
        found = [one for one in signatures if (one.name if kind == "signature" else one.chosen_by) == name]
        names: list[str] = []
        for one in found:
            secret = "HMAC" in one.algorithm
            who = "the secret that merchant and gateway share" if secret else "the merchant's private key"
            words = _covered(one, who, "each request")
            if one.sends is not None:
                words += f" Such a request also sends `{one.sends}`."
            scheme = {"type": "apiKey", "in": "header", "name": field.wire, "description": words, **_form(one)}
            # A signature in another header is another scheme.
            name = one.name if self._schemes.get(one.name, scheme) == scheme else f"{one.name}_{field.wire}"
            self._schemes[name] = scheme
            names.append(name)
        return names


_FROM_GATEWAY: Final = "The gateway sends it: verify its signature with the gateway's public key before reading it."


def _told(field: Field) -> bool:
    return field.wire.lower() != "content-type"  # OpenAPI names the media type itself


def _signed(field: Field) -> bool:
    kind, _, name = (field.source or "").partition(".")
    return kind == "signature" or (kind == "merchant" and name.endswith("_signature"))


def _form(signature: Signature) -> Schema:
    return {"x-covers": signature.covers, "x-written": signature.written}


def _covered(signature: Signature, key: str, of: str) -> str:
    places = list(dict.fromkeys(re.findall(r"\{([^{}]*)\}", signature.covers)))
    legend = "; ".join(f"`{{{one}}}` is {_PLACES.get(one, f'the value of header `{one}`')}" for one in places)
    prose = f"{signature.prose.text} " if signature.prose.text else ""
    padding = " with PKCS #1 v1.5" if signature.algorithm.startswith("RSA") else ""
    return f"{prose}`{signature.written}` of the text `{signature.covers}` of {of}, made with {key}{padding}: {legend}."


def facts(contract: Contract, operation: Operation) -> Schema:
    """Return the `x-` keys of an operation, without what the contract does not state."""
    found: Schema = {
        "x-sections": list(operation.sections),
        "x-version": operation.version,
        "x-key": _key(contract, operation),
        "x-resolved-by": _resolved_by(contract, operation),
        "x-codes": _codes(operation),
        "x-same-in-answer": list(operation.echoes),
        "x-acts-on": operation.acts_on,
        "x-once-per": [".".join(path) for path in operation.once_per],
    }
    return {name: value for name, value in found.items() if value}


def sentences(contract: Contract, operation: Operation) -> Iterator[str]:
    """Yield the paragraphs of an operation's description, as far as they are about money."""
    key = _key(contract, operation)
    if key is not None:
        case = ", whose case does not count" if key["ignores-case"] else ""
        yield f"**Key:** `{key['member']}`{case}. The same call keeps its key; with another key it is another call."
        yield f"**If no verified answer came,** money may have moved. {_settled(contract, operation)}"
    if operation.once_per:
        by = ", ".join(f"`{'.'.join(path)}`" for path in operation.once_per)
        yield f"It may come more than once: each combination of {by} has one effect."
    codes = list(_code_words(operation))
    if codes:
        yield f"**Codes,** in `{operation.code}` of a verified answer: {'; '.join(codes)}."


def _key(contract: Contract, operation: Operation) -> Schema | None:
    if operation.key is None:
        return None
    member = payload_member(contract, operation.asks, (operation.key,))[0]
    return {"member": member, "ignores-case": operation.key_ignores_case}


def _resolved_by(contract: Contract, operation: Operation) -> Schema | None:
    resolution = operation.resolution
    if resolution is None:
        return None
    if resolution.operation is None:
        return {"operation": None}
    query = contract.operations[resolution.operation]
    limit = contract.limits.get(resolution.placed_again_after or "")
    found: Schema = {
        "operation": query.name,
        "by": payload_member(contract, query.asks, (resolution.by or "",))[0],
        "done-when": None if resolution.done is None else {resolution.done[0]: list(resolution.done[1])},
        "placed-again-after-seconds": None if limit is None else limit.seconds,
    }
    return {name: value for name, value in found.items() if value is not None}


def _settled(contract: Contract, operation: Operation) -> str:
    resolution = operation.resolution
    assert resolution is not None  # the linter requires it of what has a key
    if resolution.operation is None:
        return "No query tells what became of it: ask the gateway's people, and do not take another key."
    said = f"Ask `{resolution.operation}` by the same key"
    if resolution.done is not None:
        values = " or ".join(f"`{one}`" for one in resolution.done[1])
        said += f": it took effect where `{resolution.done[0]}` is {values}"
    limit = contract.limits.get(resolution.placed_again_after or "")
    if limit is None:
        return f"{said}, and do not take another key."
    return (
        f"{said} until it is shown. Where that says twice, at least {limit.seconds} seconds apart, that there is none, the same "
        "call may be made again with the same key."
    )


def _codes(operation: Operation) -> Schema | None:
    if operation.inbound or operation.code is None:
        return None
    refused = [code for code in operation.refuses if code not in operation.stale]
    found: Schema = {
        "member": "/" + operation.code.replace(".", "/"),
        "accepted": [operation.succeeds[1]] if operation.succeeds is not None else [],
        "nothing-happened" if operation.write else "refused": refused,
        "clock": [code for code in operation.refuses if code in operation.stale],
        "placed-before": list(operation.repeats),
        "absent": list(operation.absent),
    }
    return {name: value for name, value in found.items() if value}


def _code_words(operation: Operation) -> Iterator[str]:
    said = {
        "accepted": "accepted, which says nothing of the state: read it in the answer",
        "nothing-happened": "this call did nothing",
        "refused": "the query was refused",
        "clock": "it did nothing, because its time was too old or too new",
        "placed-before": "the key was used before, so money may have moved: settle the earlier call, and take no other key",
        "absent": "there is no such key now, which does not prove that a lost call did nothing",
    }
    for name, values in (_codes(operation) or {}).items():
        if name in said and isinstance(values, list):
            yield f"{', '.join(f'`{code}`' for code in values)}: {said[name]}"
    if operation.write and operation.code is not None:
        yield "any other: unknown, and money may have moved"
