"""`paywright call`: make one signed call and verify its response."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Mapping

from paywright.contract import CONTRACT
from paywright_audit.input.wrappings import json_text
from paywright_cli.commands.call_arguments import arguments
from paywright_cli.commands.single_call import Interrupts, make_call
from paywright_cli.common.exit_codes import CallExit
from paywright_cli.common.loading import environment
from paywright_cli.common.options import add_env, members
from paywright_cli.common.parser import Parser
from paywright_cli.common.terminal import Usage, bytes_shown, complaint, json_shown, read_input
from paywright_cli.common.wording import words_of
from paywright_runtime import strict_json
from paywright_runtime.answer import Answer
from paywright_runtime.contract.operation import Operation
from paywright_runtime.contract.violations import within

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
    operation = CONTRACT.operation(args.operation)
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
            error = "" if outcome.error is None else words_of(CONTRACT, operation, outcome.error)
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
    return json_shown(json_text(within(answer.body, *operation.payload_paths[1]))) + "\n"


def _lost(operation: Operation, values: Mapping[str, object]) -> str:
    """Describe a verified success whose output could not be written completely."""
    said = f"The gateway accepted {operation.name}, which was verified, but the output could not be written."
    if not operation.write:
        return f"{said} It only reads: no money has moved. Repeat it."
    query = operation.resolution.operation if operation.resolution is not None else None
    settle = f"Query it with {query}." if query else "The contract has no query for it: wait for its notification."
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
