"""`paywright call`: make one signed call and verify its response."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Iterator, Mapping
from decimal import Decimal
from difflib import get_close_matches
from typing import Any

from paywright.contract import CONTRACT
from paywright_audit.input.wrappings import json_text
from paywright_cli.commands.single_call import Interrupts, make_call
from paywright_cli.common.exit_codes import CallExit
from paywright_cli.common.loading import environment
from paywright_cli.common.options import add_env, members
from paywright_cli.common.parser import Parser
from paywright_cli.common.terminal import Usage, bytes_shown, complaint, json_shown, read_input
from paywright_cli.common.wording import in_json_names, operation_named, query_command, words_of
from paywright_runtime import strict_json
from paywright_runtime.answer import Answer
from paywright_runtime.contract.conversion import writers
from paywright_runtime.contract.index import Contract
from paywright_runtime.contract.model import Field, Struct
from paywright_runtime.contract.operation import Operation
from paywright_runtime.contract.validation import describe_violations
from paywright_runtime.contract.value_checks import Report, within

_EXAMPLES = """\
examples:
  paywright call orders.query outTradeNo=ORD_1
  paywright call --env shop/.env orders.checkout order.json
  paywright call refunds.create refund.json > refund.answer.json || echo "see the exit code: $?"

The arguments are the members of `data` (of the whole body for operations without `data`), by their JSON names: as words, or, with
members of their own, in a JSON object.
Settings are PAYWRIGHT_* names of the environment: BASE_URL, APP_ID, PRIVATE_KEY_FILE, GATEWAY_KEY_FILES and so on; what
is missing is listed.

The exit code is decided before anything is printed, also if standard output or standard error is closed or full.

exit codes:
  0  a verified success; its data is printed as JSON
  1  refused here: the arguments break the contract; nothing was sent
  2  usage: arguments, settings or keys; nothing was sent
  3  not sent: no byte of the body was sent; this call has moved no money, but an earlier one with the same key may have:
     settle that first; else call again: the same content keeps its key, other content takes a new one
  4  no answer to a call that only reads, and has moved no money; repeat it
  5  OUTCOME UNKNOWN: it was sent, and no verified answer came; money may have moved; query it, do not send it again
  6  a verified refusal by the gateway: this call has moved no money, but an earlier one with the same key may have
  7  a verified success whose data cannot be read; query it
  8  a verified success whose output could not be written; after a write money may have moved: query it, do not repeat it
  128 + N  ended by SIGHUP, SIGINT (130), SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2 or SIGTERM (143) before a write was sent; one
           that may have been sent exits with 5. 137 (SIGKILL) and any other 128 + N say nothing of what was sent: treat a
           write as unknown, and query it
"""


def fill(parser: Parser) -> None:
    """Add what `call` takes."""
    parser.description = (
        "Call one operation with arguments in JSON: validate, sign and send them, and verify the answer. A write is tried "
        "again only while no byte of its body has left, a read also without a verified answer: PAYWRIGHT_RETRIES times "
        "at most (2), all within PAYWRIGHT_TIMEOUT."
    )
    parser.epilog = _EXAMPLES
    parser.takes("OPERATION", "such as orders.query")
    says = "the arguments; FILE has them as JSON, - (default) is standard input"
    parser.takes("NAME=VALUE or FILE", says, dest="arguments", nargs="*")
    add_env(parser)
    parser.takes("--extra", "also send top-level members that the contract does not name")
    parser.takes("--raw", "print the verified answer byte for byte instead of its data")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    operation = operation_named(CONTRACT, args.operation)
    if operation.inbound:
        raise Usage(f"{args.operation} is a call that the gateway makes; check its messages with `paywright validate`")
    values, extra = arguments(CONTRACT, operation, _given(operation, args.arguments), newer=args.extra)
    env = environment(args.env)
    # What became of the call is said below. Until it is known, no full standard error may hold it up.
    logging.getLogger("paywright").addHandler(logging.NullHandler())
    interrupts = Interrupts()
    outcome = make_call(operation, values, extra or None, env, interrupts)
    code, answer = outcome.code, outcome.answer
    try:
        if answer is None:
            error = "" if outcome.error is None else words_of(CONTRACT, operation, outcome.error, values)
            interrupts.write(sys.stderr, complaint(f"{outcome.why} {error}".strip()))
        elif not interrupts.write(sys.stdout, _output(operation, answer, raw=args.raw)):
            code = CallExit.OUTPUT_LOST
            interrupts.write(sys.stderr, complaint(_lost(operation, values)))
    except Exception as defect:  # of ours, in what there is to say; it does not change what became of the money
        code = code if answer is None else CallExit.OUTPUT_LOST
        said = f"{outcome.why} {outcome.error}" if answer is None else _lost(operation, values)
        interrupts.write(sys.stderr, complaint(f"{said} (A bug of ours, {type(defect).__name__}, in saying so.)"))
    finally:
        interrupts.over()
    return code


def _output(operation: Operation, answer: Answer, *, raw: bool) -> str | bytes:
    if raw:
        return bytes_shown(answer.raw)
    return json_shown(json_text(within(answer.body, operation.payload_paths[1]))) + "\n"


def _lost(operation: Operation, values: Mapping[str, object]) -> str:
    """Describe a verified success whose output could not be written completely."""
    said = f"The gateway accepted {operation.name}, which was verified, but the output could not be written."
    if not operation.write:
        return f"{said} It only reads: no money has moved. Repeat it."
    query = operation.resolution.operation if operation.resolution is not None else None
    settle = (
        f"Query it with `{query_command(CONTRACT, operation, values)}`."
        if query
        else "The contract has no query for it: wait for its notification."
    )
    key = values.get(operation.key or "")
    return f"{said} Money may have moved. Do not call it again, under its key {key!r} or a new one. {settle}"


def _given(operation: Operation, words: list[str]) -> dict[str, object]:
    if len(words) < 2 and "=" not in "".join(words):
        return _object(words[0] if words else "-")
    fields = CONTRACT.struct(operation.data or operation.request).by_wire
    found = members(words, {name for name, field in fields.items() if field.kind == "number"})
    for field in (fields[name] for name in found if name in fields):
        if field.array or field.kind not in ("text", "number", "decimal", "date", "datetime"):
            raise Usage(
                f"{field.wire} has members of its own: give the arguments as JSON, in a file or on standard input"
            )
    return found


def _object(name: str) -> dict[str, object]:
    raw = read_input(name, 8 * 1024 * 1024)
    try:
        value = strict_json.parse(raw)
    except strict_json.JsonProblem as problem:
        raise Usage(f"the arguments are not strict JSON: {strict_json.WHY[problem.why]}") from None
    if not isinstance(value, dict):
        raise Usage("the arguments are no JSON object")
    return dict(value)


def arguments(
    contract: Contract, operation: Operation, given: Mapping[str, object], *, newer: bool = False
) -> tuple[dict[str, object], dict[str, object]]:
    """Convert JSON to the arguments of an operation, and members that the contract does not name.

    The arguments are by wire name, with the SDK's classes for nested objects. Members that the contract does not name
    are accepted only if `newer` is set. Raises `Usage` for members that the client fills in or that the contract does
    not name, with all violations of the contract. Otherwise nothing is validated here: the client validates.
    """
    struct = contract.struct(operation.data or operation.request)
    free = {field.wire for field in struct.fields if field.sends is None and field.source is None}
    trouble: list[str] = []
    values: dict[str, object] = {}
    rest: dict[str, object] = {}
    for name, value in given.items():
        field = struct.by_wire.get(name)
        if field is not None and name in free:
            values[name] = _value(contract, field, value, f"/{name}", trouble)
        elif field is not None:
            trouble.append(f"/{name}: the client fills this in; leave it out")
        elif newer:
            rest[name] = value
        else:
            trouble.append(f"/{name}: {operation.name} has no such member{_near(name, free)}; --extra sends it anyway")
    if trouble:
        trouble += _violations(contract, struct, values, set(struct.by_wire) - free)
        raise Usage("\n  ".join(["nothing was sent; these arguments cannot be used:", *trouble]))
    return values, rest


def _violations(contract: Contract, struct: Struct, values: Mapping[str, object], filled_in: set[str]) -> Iterator[str]:
    """Yield violations of the contract, except in members that the client fills in."""
    report = Report()
    wire: dict[str, object] = {}
    for field, write in zip(struct.fields, writers(contract, struct), strict=True):
        value = values.get(field.wire)
        if value is not None:
            wire[field.wire] = write(value, f"/{field.wire}", report)
    contract.validator(struct.name)(wire, "", report)
    for violation in dict.fromkeys(describe_violations(contract, struct.name, report)):
        if violation.pointer.partition("/")[2].partition("/")[0] not in filled_in:
            yield str(in_json_names(contract, struct.name, violation))


def arguments_of_example(contract: Contract, operation: Operation) -> dict[str, object]:
    """Return the arguments in the example request of an operation, by wire name. Amounts are `Decimal`."""
    message = contract.example(f"{operation.name}.request")
    asked = within(message, operation.payload_paths[0])
    assert isinstance(asked, dict)  # the contract's own example
    struct = contract.struct(operation.data or operation.request)
    given = {
        field.wire: asked[field.wire]
        for field in struct.fields
        if field.wire in asked and not _filled_in(contract, field)
    }
    return arguments(contract, operation, _exact(given))[0]


def _filled_in(contract: Contract, field: Field) -> bool:
    if field.kind == "struct" and field.of is not None:
        return all(_filled_in(contract, each) for each in contract.struct(field.of).fields)
    return field.sends is not None or field.source is not None


def _exact(value: Any) -> Any:
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, dict):
        return {name: _exact(item) for name, item in value.items()}
    return [_exact(item) for item in value] if isinstance(value, list) else value


def _value(contract: Contract, field: Field, value: object, at: str, trouble: list[str]) -> object:
    if field.kind != "struct" or field.of is None:
        return value
    struct = contract.struct(field.of)
    if field.array and isinstance(value, list):
        return [_model(contract, struct, item, f"{at}/{i}", trouble) for i, item in enumerate(value)]
    return _model(contract, struct, value, at, trouble)


def _model(contract: Contract, struct: Struct, value: object, at: str, trouble: list[str]) -> object:
    made = contract.model(struct.name)
    if not isinstance(value, dict) or made is None:
        return value  # the client reports what is wrong
    trouble += (
        f"{at}/{name}: {struct.name} has no such member{_near(name, struct.by_wire)}"
        for name in _unknown(struct, value)
    )
    # Made without its constructor: the client's validator reports all missing members at once.
    model: object = object.__new__(made)
    for field in struct.fields:
        item = value.get(field.wire)
        known = None if item is None else _value(contract, field, item, f"{at}/{field.wire}", trouble)
        setattr(model, field.python, known)
    return model


def _unknown(struct: Struct, value: Mapping[str, object]) -> Iterator[str]:
    return (name for name in value if name not in struct.by_wire)


def _near(name: str, names: object) -> str:
    near = get_close_matches(name, list(names) if isinstance(names, (set, dict)) else [], 1)
    return f" (did you mean {near[0]}?)" if near else ""
