"""Facts of the contract for machines, as JSON: a file for each file of the contract, and `_general.json`.

The members of a row are those of the runtime's classes [`paywright_runtime.contract.index` reads them]; what a class has by default is
left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paywright_codegen import naming
from paywright_codegen.documents.needed import needed_members
from paywright_codegen.lookup import (
    amount_message,
    each_echo,
    header_struct,
    header_structs,
    is_state,
    member,
    once_per,
    payload_member,
    payload_struct,
    settled_by,
    write_of,
)
from paywright_codegen.model.cited import Cited
from paywright_codegen.model.contract import Contract, Following
from paywright_codegen.model.operations import Amount, GivesBack, MessageSpec, Operation, SeenNotification, Shown
from paywright_codegen.model.rules import Path
from paywright_codegen.model.types import MARKS, Field, Set, Struct
from paywright_codegen.python_types import kind
from paywright_codegen.reader.printer import print_limits
from paywright_codegen.render.views.doc_text import python_rule
from paywright_codegen.render.views.methods import open_for, query_arguments, resolver_name

Row = dict[str, Any]
GENERAL = "_general"
"""The file of what belongs to no file of the contract: names and their files, limits, moves, followings, questions."""


def machine_documents(contract: Contract) -> Mapping[str, Mapping[str, object]]:
    """Return the documents by their names, without the ending."""
    structs = [*contract.all_structs(), *header_structs(contract).values()]
    rows: dict[str, list[tuple[Cited, str, Row]]] = {
        "operations": [(one, one.name, _operation(contract, one)) for one in contract.operations.values()],
        "structs": [(one, one.name, _struct(contract, one)) for one in structs],
        "sets": [(one, one.name, _set(one)) for one in contract.sets.values()],
    }
    documents: dict[str, dict[str, Row]] = {}
    homes: dict[str, dict[str, str]] = {part: {} for part in rows}
    for part, found in rows.items():
        for one, name, row in sorted(found, key=lambda each: naming.module(each[0].place)):
            homes[part][name] = at = naming.module(one.place)
            documents.setdefault(at, {}).setdefault(part, {})[name] = row
    general: Row = {
        **homes,
        "limits": {
            one.name: {"sections": one.sections, **_given(**_parts(one, "seconds decimals"))}
            for one in contract.limits.values()
        },
        "moves": [_parts(one, "set before after trigger sections") for one in contract.moves],
        "followed": {one.kind: _following(contract, one) for one in contract.follows.values()},
        "seen": {one.kind: _seen(contract, one) for one in contract.seen.values()},
        "questions": {
            name: _parts(one, "sections says does") | _given(seen=one.seen) for name, one in contract.questions.items()
        },
        "formats": {one.name: one.shown for one in contract.formats.values()},
        "signatures": {
            one.name: (one.covers, one.written) for one in contract.signatures.values() if not one.chosen_by
        },
    }
    return {**documents, GENERAL: general}


def _parts(one: object, names: str) -> Row:
    """Return parts that have the same names in the runtime's class."""
    return {name: getattr(one, name) for name in names.split()}


def _given(**options: object) -> Row:
    """Return what has a value: a class of the runtime has the same by default."""
    return {name: value for name, value in options.items() if value not in (None, False, (), "", {}, [])}


def _struct(contract: Contract, struct: Struct) -> Row:
    return {
        "fields": [_field(contract, struct, field) for field in struct.fields],
        **_given(
            sections=struct.sections,
            rules=[
                {"id": rule.id, "text": rule.text, "python": python_rule(rule), "sections": rule.sections}
                | ({} if rule.checked else {"checked": False})
                for rule in struct.rules
            ],
        ),
    }


def _field(contract: Contract, struct: Struct, field: Field) -> Row:
    named = kind(contract, field)
    of = field.type.name if field.type.kind in ("struct", "set", "format") else None
    return {
        "wire": field.wire,
        "python": naming.variable(field.wire),
        "kind": named,
        "limits": print_limits(field),
        **_given(
            of=contract.formats[field.type.name].check if named in ("date", "datetime") else of,
            required=field.required,
            array=field.type.array,
            blank=field.blank,
            also=field.also,
            sends=field.sends if field.sends is not None else field.values[0] if field.fixed else None,
            source=field.source,
            redaction=field.redaction,
            needed=(struct.name, field.wire) in contract.once(needed_members),
        ),
    }


def _following(contract: Contract, each: Following) -> Row:
    write = write_of(contract, each)
    return {
        "operation": each.operation,
        "by": each.by,
        "state": ".".join(each.state),
        "sections": each.sections,
        **_given(
            told=contract.operations[each.operation].inbound,
            **{name: ".".join(path) for name, path in _parts(each, "each amount currency").items()},
            open_for=open_for(contract, each),
            open_until=".".join(each.open_until),
            write=None if write is None else write.name,
        ),
    }


def _set(chosen: Set) -> Row:
    return {
        "values": {value.wire: value.prose.text for value in chosen.values},
        **_given(
            **_parts(chosen, "open states"),
            **{mark: [one.wire for one in chosen.values if getattr(one, mark)] for mark in MARKS},
            stated=[] if chosen.questions else [one.wire for one in chosen.values if one.ends and not one.questions],
            sections=chosen.sections,
        ),
    }


def _operation(contract: Contract, operation: Operation) -> Row:
    asks, answers = operation.messages
    once, state = once_per(contract, operation)

    def named(message: MessageSpec, path: Path | None) -> str | None:
        return None if path is None else payload_member(contract, message, path)[0]

    guards = [
        {"id": guard.id, "kind": demand.kind, "pointer": "/" + "/".join(demand.path)}
        for guard in operation.guards
        for demand in guard.demands
    ]
    return {
        "path": operation.post,
        "envelope": operation.envelope,
        "roles": (asks.role, answers.role),
        "request": asks.root.name,
        "response": answers.root.name,
        **_given(
            **_parts(operation, "sections questions version inbound"),
            data=asks.data.name if asks.data is not None and not operation.inbound else None,
            result=answers.result if not operation.inbound else asks.result,
            request_headers=header_struct(contract, asks),
            response_headers=header_struct(contract, answers),
            discriminators=_tells(operation),
            key=operation.key,
            key_ignores_case=any(one.key_ignores_case for one in (operation, *settled_by(contract, operation))),
            resolution=None if operation.resolution is None else _resolution(contract, operation),
            echoes=operation.echoes,
            each_echoes=tuple(map(each_echo, operation.each_echoes)),
            shows=[_shown(contract, operation, one) for one in operation.shows],
            payloads=(asks.payload or "", answers.payload or "") if asks.payload or answers.payload else None,
            succeeds=operation.succeeds,
            message_at=operation.message if not operation.inbound else None,
            refusal_codes=operation.refuses,
            duplicate_codes=operation.repeats,
            not_found_codes=operation.absent,
            clock_codes=operation.stale,
            once_per=once,
            state=state,
            decision=_decision(operation),
            guards=guards,
            amount=None if operation.amount is None else _amount(contract, operation, operation.amount),
            gateway_id=named(asks if operation.inbound else answers, operation.gateway_id),
            acts_on=operation.acts_on,
            about=None if operation.about is None else (operation.about[0], named(asks, operation.about[1])),
            gives_back=[_gives_back(contract, operation, back) for back in operation.gives_back],
            lists=_lists(contract, operation),
        ),
    }


def _resolution(contract: Contract, operation: Operation) -> Row:
    resolution = operation.resolution
    assert resolution is not None
    longest = None
    if resolution.operation is not None and resolution.by is not None:
        query, ask = contract.operations[resolution.operation].asks, operation.asks
        asked, own = (query.data or query.root).field(resolution.by), (ask.data or ask.root).field(operation.key or "")
        limit = None if asked is None else asked.max
        longest = limit if limit is not None and own is not None and (own.max or limit + 1) > limit else None
    after, settles = resolution.placed_again_after, resolution.operation is not None
    return {
        "operation": resolution.operation,
        **_given(
            by=resolution.by,
            done=resolution.done,
            argument=naming.variable(operation.key or ""),
            placed_again_after=contract.limits[after].seconds if after else None,
            longest_key=longest,
            resolver=resolver_name(contract, operation) if settles else None,
            asks=[name for name, _ in query_arguments(contract, operation)] if settles else None,
        ),
    }


def _decision(operation: Operation) -> Row | None:
    one = operation.decides
    if one is None:
        return None
    limits = None if one.amount is None else (one.amount, one.least, one.most)
    return {"member": one.member, "yes": one.yes, "no": one.no, "reason": one.reason, **_given(within=limits)}


def _gives_back(contract: Contract, operation: Operation, back: GivesBack) -> Row:
    target = contract.operations[back.operation]
    row: Row = {"operation": target.name}
    for name, wire in (("key", back.key), ("gateway_id", back.gateway_id)):
        if wire is not None:
            row[name] = payload_member(contract, operation.asks, (wire,))[0]
    if back.within is not None and back.since is not None:
        message = target.asks if target.inbound else target.answers
        row["within"] = contract.limits[back.within].seconds
        row["since"] = payload_member(contract, message, (back.since,))[0]
    return row


def _lists(contract: Contract, operation: Operation) -> list[Row]:
    rows: list[Row] = []
    for listed in operation.lists:
        pointer, items = payload_member(contract, operation.answers, (listed.items,))
        assert items is not None  # the linter requires it
        state = next(field for field in contract.structs[items.type.name].fields if is_state(contract, field))
        rows.append({"items": pointer, "key": listed.key, "state": state.wire, "states": state.type.name})
    return rows


def _shown(contract: Contract, operation: Operation, shown: Shown) -> Row:
    field = member(contract, operation.asks, shown.asked)
    above = (member(contract, operation.asks, shown.asked[:end]) for end in range(1, len(shown.asked) + 1))
    return {
        "asked": shown.wire,
        "python": naming.content_argument(shown),
        "answered": ".".join(shown.answered),
        **_given(
            number=field is not None and kind(contract, field) in ("number", "decimal"),
            optional=any(one is None or not one.required for one in above),
        ),
    }


def _seen(contract: Contract, seen: SeenNotification) -> Row:
    # It has the form of those that the specification shows.
    shown = next(one for one in contract.operations.values() if one.inbound and one.when is not None)
    assert shown.when is not None
    assert seen.amount is not None  # the schema requires it
    at = payload_struct(contract, shown.asks)[0]
    amount, currency = ("/".join((at, *path)) for path in (seen.amount.member, seen.amount.currency))
    return {
        "discriminators": {f"/{shown.when[0]}": seen.kind},
        "about": (seen.about, f"{at}/{seen.key}"),
        "once_per": (f"{at}/{seen.key}", f"{at}/{seen.state}"),
        "state": f"{at}/{seen.state}",
        "amount": {"role": shown.asks.role, "pointer": amount, "currency": currency},
        "address": seen.address,
        "summary": seen.prose.summary,
        **_given(sections=seen.sections, questions=seen.questions),
    }


def _amount(contract: Contract, operation: Operation, amount: Amount) -> Row:
    message = amount_message(operation)
    pointer, currency = (payload_member(contract, message, path)[0] for path in (amount.member, amount.currency))
    return {"role": message.role, "pointer": pointer, "currency": currency}


def _tells(operation: Operation) -> dict[str, str]:
    """Return the pointers and values that tell an operation's requests from others at its address."""
    found = {f"/{operation.when[0]}": operation.when[1]} if operation.when else {}
    for at, struct in (("", operation.asks.root), (f"/{operation.asks.payload}", operation.asks.data)):
        for field in struct.fields if struct is not None and not operation.inbound else ():
            if field.fixed:
                found[f"{at}/{field.wire}"] = field.values[0]
    return found
