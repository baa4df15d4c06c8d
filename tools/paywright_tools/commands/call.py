"""`paywright call`: one signed call, one verified answer."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from decimal import Decimal
from json import dumps
from pathlib import Path

from paywright_tools.terminal import Exit, HelpFormatter, Usage, complain, read_input, say

__all__ = ["register"]

_EXAMPLES = """\
examples:
  echo '{"outTradeNo": "ORD_1"}' | paywright call orders.query
  paywright call --env shop/.env orders.checkout order.json
  paywright call refunds.create refund.json > refund.answer.json || echo "see the exit code: $?"

The arguments are the members of `data` (of the whole body for operations without `data`), by their names on the wire.
Settings are PAYWRIGHT_* names of the environment: BASE_URL, APP_ID, PRIVATE_KEY_FILE, GATEWAY_KEY_FILES and so on; what
is missing is listed.

exit codes:
  0  a verified success; its data is printed as JSON
  1  refused here: the arguments break the contract; nothing was sent
  2  usage: arguments, settings or keys; nothing was sent
  3  not sent: no byte of the body left; no money moved; repeat it
  4  no answer to a call that only reads; no money moved; repeat it
  5  OUTCOME UNKNOWN: it left and nothing verified came back; money may have moved; query it, do not place it anew
  6  a verified refusal by the gateway; no money moved
  7  a verified success that cannot be read; query it
"""

_Groups = argparse._SubParsersAction  # the only name argparse has for it


def register(groups: _Groups[argparse.ArgumentParser]) -> None:
    """Add `call` to the command line."""
    parser = groups.add_parser(
        "call",
        help="call one operation of the gateway",
        description="Call one operation with arguments in JSON: validated, signed and sent once, the answer verified. "
        "Nothing is repeated.",
        epilog=_EXAMPLES,
        formatter_class=HelpFormatter,
    )
    parser.add_argument("operation", metavar="OPERATION", help="such as orders.query")
    parser.add_argument(
        "file", metavar="FILE", nargs="?", default="-", help="the arguments; - (default): standard input"
    )
    parser.add_argument("--env", type=Path, metavar="FILE", help="a file of PAYWRIGHT_* lines, over the environment")
    parser.add_argument("--extra", action="store_true", help="send top members too that the contract does not name")
    parser.add_argument(
        "--raw", action="store_true", help="print the verified answer byte for byte instead of its data"
    )
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    from paywright import Client
    from paywright.contract import CONTRACT
    from paywright_runtime import errors
    from paywright_tools.env_file import environment
    from paywright_tools.wire_arguments import arguments

    operation = CONTRACT.operation(args.operation)
    if operation.inbound:
        raise Usage(f"{args.operation} is a call that the gateway makes; judge its messages with `paywright validate`")
    values, extra = arguments(CONTRACT, operation, _object(args.file), newer=args.extra)
    try:
        with Client.from_env(environment(args.env)) as client:
            answer = client.call(args.operation, values, extra or None).answer
    except errors.ContractViolation as error:
        return _ended(error, 1)
    except errors.NotSent as error:
        return _ended(error, 3)
    except errors.NoAnswer as error:
        return _ended(error, 4)
    except errors.OutcomeUnknown as error:
        return _ended(error, 5)
    except errors.GatewayError as error:
        return _ended(error, 6)
    except errors.UnreadableAnswer as error:
        return _ended(error, 7)
    if args.raw:
        sys.stdout.buffer.write(answer.raw)
        return Exit.OK
    wrapped = "data" in CONTRACT.struct(operation.answers).by_wire
    say("".join(_json(answer.body.get("data") if wrapped else answer.body)))
    return Exit.OK


def _ended(error: Exception, code: int) -> int:
    complain(str(error))
    return code


def _object(name: str) -> dict[str, object]:
    from paywright_runtime import strict_json

    raw = read_input(name, 8 * 1024 * 1024)
    try:
        value = strict_json.parse(raw)
    except strict_json.JsonProblem as problem:
        raise Usage(f"the arguments are not strict JSON: {strict_json.WHY[problem.why]}") from None
    if not isinstance(value, dict):
        raise Usage("the arguments are no JSON object")
    return dict(value)


def _json(value: object, margin: str = "\n") -> Iterator[str]:
    """Indented JSON with every digit as it came; the standard library cannot write a Decimal as a number."""
    inner = margin + "  "
    if isinstance(value, dict) and value:
        for i, (name, item) in enumerate(value.items()):
            yield from ("{" if i == 0 else ",", inner, dumps(name), ": ")
            yield from _json(item, inner)
        yield margin + "}"
    elif isinstance(value, list) and value:
        for i, item in enumerate(value):
            yield from ("[" if i == 0 else ",", inner)
            yield from _json(item, inner)
        yield margin + "]"
    else:
        yield format(value, "f") if isinstance(value, Decimal) else dumps(value, ensure_ascii=False)
