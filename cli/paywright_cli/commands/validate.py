"""`paywright validate`: check a message of any program against the contract."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime

from paywright import InvalidArgument, validate
from paywright.contract import CONTRACT
from paywright_cli.common.exit_codes import Exit
from paywright_cli.common.options import add_format
from paywright_cli.common.parser import Parser
from paywright_cli.common.terminal import Usage, complain, paint, read_input, say, say_json
from paywright_cli.common.wording import in_json_names, operation_named
from paywright_runtime import strict_json
from paywright_runtime.answer import Violation
from paywright_runtime.contract.amount_guards import Guards
from paywright_runtime.contract.formats import read_time
from paywright_runtime.contract.validation import describe_violations
from paywright_runtime.contract.value_checks import Report, within
from paywright_runtime.strict_json.errors import MAX_BYTES

_EXAMPLES = """\
examples:
  paywright validate refunds.create request refund.json
  curl -s ... | paywright validate orders.query response -
  paywright validate refunds.create request r.json --header 'sign: AbC...' --header 'Content-Type: application/json'
  paywright validate refunds.create request r.json --now now --format json

MESSAGE is request or response; notification or answer for the two notifications.
exit codes: 0 no violation, 1 violations, 2 usage
"""


def fill(parser: Parser) -> None:
    """Add what `validate` takes."""
    parser.description = (
        "Check a JSON message, byte for byte as it is sent, against the contract. All violations are listed, "
        "each with its JSON pointer, its code and the line of the contract. No value of the message is shown."
    )
    parser.epilog = _EXAMPLES
    parser.takes("OPERATION", "such as refunds.create")
    parser.takes("MESSAGE", "such as request")
    parser.takes("FILE", "the message; - (default): standard input", nargs="?", default="-")
    parser.takes("--header NAME:VALUE", "also check headers; give each that was sent", action="append", type=_header)
    says = "check the request time against TIME (RFC 3339), or against the current time with `now`"
    parser.takes("--now TIME", says, type=_time)
    add_format(parser)
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    struct = _struct(args.operation, args.message)
    body = read_input(args.file, MAX_BYTES)
    try:
        found = validate(args.operation, args.message, body, headers=args.header, now=args.now)
    except InvalidArgument as error:
        raise Usage(str(error)) from None
    violations = [in_json_names(CONTRACT, struct, each) for each in found]
    if [each.code for each in violations] == ["json"]:
        violations = [Violation("", "json", violations[0].message + _stopped(body))]
    if args.format == "json":
        say_json([{"pointer": v.pointer, "code": v.code, "message": v.message} for v in violations], indent=2)
        return Exit.NO if violations else Exit.OK
    for violation in violations:
        where = violation.pointer or "(the whole message)"
        say(f"{paint(where, 'bold')}: {paint(violation.code, 'red')}: {violation.message}")
    count = len(violations)
    verdict = "keeps to the contract" if not count else f"{count} violation{'s' if count > 1 else ''}"
    say(f"{args.operation} {args.message}: {paint(verdict, 'red' if count else 'green')}")
    for violation in () if count else _not_sent(args.operation, struct, body):
        say(f"but the client does not send it: {violation.pointer}: {violation.message}")
    return Exit.NO if violations else Exit.OK


def _stopped(body: bytes) -> str:
    """Return the line and column, from 1, at which reading stopped, for the end of a sentence; "" if they are not known."""
    try:
        strict_json.parse(body)
    except strict_json.JsonProblem as problem:
        if problem.why != "empty" and problem.position is not None:
            read = body.decode("utf-8", "replace")[: problem.position]
            return f", in line {read.count(chr(10)) + 1}, column {len(read) - read.rfind(chr(10))}"
    return ""


def _not_sent(operation: str, struct: str, body: bytes) -> list[Violation]:
    """Return why the client refuses to send a request that keeps to the contract."""
    facts, report = CONTRACT.operation(operation), Report()
    value = strict_json.parse(body)
    if facts.inbound or struct != facts.request or not isinstance(value, dict):
        return []
    path = facts.payload_paths[0]
    inner = within(value, path) if path else value
    if isinstance(inner, dict):
        guards = Guards(CONTRACT, facts.data or facts.request, facts.guards)
        guards.check(inner, "".join(f"/{name}" for name in path), report)
    return [in_json_names(CONTRACT, struct, one) for one in describe_violations(CONTRACT, struct, report)]


def _struct(operation: str, message: str) -> str:
    """Return the name of a message's object. Raises `Usage`, which lists those that exist."""
    try:
        facts = operation_named(CONTRACT, operation)
    except InvalidArgument as error:
        complain(str(error))
        listing = "\n".join(f"  {name}: {', '.join(CONTRACT.operation(name).roles)}" for name in CONTRACT.operations())
        raise Usage(f"operations and their messages:\n{listing}") from None
    struct = facts.message(message)
    if struct is None:
        raise Usage(f"{operation} has no message {message!r}; it has {' and '.join(facts.roles)}")
    return struct


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise argparse.ArgumentTypeError("NAME:VALUE, such as 'Content-Type: application/json'")
    return name.strip(), value.strip()


def _time(text: str) -> datetime:
    if text == "now":
        return datetime.now(UTC)
    time = read_time(text)
    if time is None:
        raise argparse.ArgumentTypeError("`now`, or a time such as 2025-06-01T12:00:00.000+08:00")
    return time
