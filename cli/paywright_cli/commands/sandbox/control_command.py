"""`paywright sandbox trigger|advance|clock|notifications|events|policies`: control a running sandbox.

Each command prints what it did, or the sandbox's own reason for refusing.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from paywright_cli.commands.sandbox.policies_command import list_policies
from paywright_cli.commands.sandbox.remote_command import add_where, guarded, path_part, remote_of
from paywright_cli.common.terminal import say, say_json

if TYPE_CHECKING:
    from paywright_sandbox.engine.routes import Route

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["TRIGGERS", "fields_of", "register"]

TRIGGERS: Final[Mapping[str, tuple[str, str]]] = {
    "pay": ("orders/{outTradeNo}/pay", "the payer pays an open order"),
    "fail": ("orders/{outTradeNo}/fail", "the payment of an open order fails"),
    "close": ("orders/{outTradeNo}/close", "an open order is closed, as if it had expired"),
    "bounce": ("orders/{outTradeNo}/bounce", "the money of a paid order is returned to its payer"),
    "settle-refund": ("refunds/{outRefundNo}/settle", "a pending refund succeeds"),
    "fail-refund": ("refunds/{outRefundNo}/fail", "a pending refund fails"),
    "receive": ("transfers", "a transfer comes in: amount=10.00 currency=USD"),
    "settle": ("transfers/{requestNo}/settle", "a transfer that is to be proved is settled"),
    "reject": ("transfers/{requestNo}/reject", "a transfer that is to be proved is rejected"),
    "bill": ("bill-payments", "a bill is paid if the merchant confirms: referenceNo=BILL_1 amount=100.00"),
    "redeliver": ("notifications/{id}/redeliver", "a notification is delivered once more"),
    "link": ("links", "a payment link is made"),
    "open-link": ("links/{linkId}/open", "the payer opens a payment link"),
    "delete-token": ("tokens/{paymentTokenID}/delete", "a payment token is deleted"),
    "cancel": ("subscriptions/{subscriptionNo}/cancel", "a plan is cancelled"),
    "terminate": ("subscriptions/{subscriptionNo}/terminate", "a plan is terminated"),
    "fail-next": ("subscriptions/{subscriptionNo}/fail-next", "the next charges of a plan fail"),
    "credit": ("balances", "a balance is credited"),
    "settle-exchange": ("exchanges/{outTradeNo}/settle", "a pending exchange succeeds"),
    "fail-exchange": ("exchanges/{outTradeNo}/fail", "a pending exchange fails"),
    "withdraw": ("withdrawals", "a withdraw order is made"),
    "settle-withdrawal": ("withdrawals/{outTradeNo}/settle", "a withdraw order succeeds"),
    "fail-withdrawal": ("withdrawals/{outTradeNo}/fail", "a withdraw order fails"),
    "open-case": ("cases", "a chargeback case is opened"),
    "move-case": ("cases/{caseId}", "a chargeback case is moved"),
}
"""Events that can be triggered: the path of the control API, and a description."""

_FRESH: Final = 300  # seconds that a receiver allows a notification to be ahead by default
_EXAMPLES: Final = """examples:
  paywright sandbox trigger pay ORD_1
  paywright sandbox trigger fail ORD_1
  paywright sandbox trigger receive amount=10.00 currency=USD status=SETTLED
  paywright sandbox trigger reject RV0000000001... why='the payer is unknown'
"""


def register(commands: Subparsers) -> None:
    """Add the commands to `paywright sandbox`."""
    width = max(map(len, TRIGGERS))
    trigger = commands.add_parser(
        "trigger",
        help="make something happen: pay ORD_1, fail ORD_1, receive amount=10.00 currency=USD, ...",
        description="Make something happen in a running sandbox.",
        epilog="what:\n"
        + "".join(f"  {name:<{width}}  {words}\n" for name, (_, words) in TRIGGERS.items())
        + "\n"
        + _EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    trigger.add_argument("what", metavar="WHAT", choices=tuple(TRIGGERS), help="see below")
    trigger.add_argument(
        "words",
        metavar="NUMBER or NAME=VALUE",
        nargs="*",
        help="the merchant's number of the order, refund etc., and further fields",
    )
    trigger.add_argument("--json", action="store_true", help="print the sandbox's answer as JSON")
    trigger.set_defaults(run=guarded(_trigger))
    advance = commands.add_parser("advance", help="move the clock forward and print what happened on the way")
    advance.add_argument("distance", metavar="DISTANCE", nargs="?", help="such as 90s, 10m, 2h, 30d, or 1d12h")
    advance.add_argument("--to", metavar="TIME", help="until a time such as 2025-06-01T12:00:00Z")
    advance.add_argument("--json", action="store_true", help="print the sandbox's answer as JSON")
    advance.set_defaults(run=guarded(_advance))
    clock = commands.add_parser("clock", help="show the clock, stop it or let it run")
    clock.add_argument("action", metavar="ACTION", nargs="?", choices=("freeze", "resume"), help="freeze or resume")
    clock.set_defaults(run=guarded(_clock))
    notes = commands.add_parser("notifications", help="show the outbox, or one notification with its attempts")
    notes.add_argument("number", metavar="NUMBER", nargs="?", type=int)
    notes.add_argument("--json", action="store_true", help="print the sandbox's answer as JSON")
    notes.set_defaults(run=guarded(_notifications))
    waiting = commands.add_parser(
        "wait",
        help="wait until a sandbox answers, for scripts that have just started one",
        description="Wait until the sandbox of a folder or a URL answers. Exit code 0 as soon as it does, 2 if it does not.",
    )
    waiting.add_argument(
        "--seconds", metavar="N", type=_whole_seconds, default=30, help="how long at most, 1 to 600 (default 30)"
    )
    waiting.set_defaults(run=guarded(_wait))
    events = commands.add_parser("events", help="print what happened in the sandbox, the latest last")
    events.set_defaults(run=guarded(_events))
    for parser in (trigger, advance, clock, notes, waiting, events):
        add_where(parser)
    policies = commands.add_parser("policies", help="list every named policy, its default, its value and its question")
    policies.add_argument("--dir", metavar="DIR", type=Path, default=argparse.SUPPRESS, help="the sandbox's folder")
    policies.add_argument("--json", action="store_true", help="as JSON")
    policies.set_defaults(run=guarded(list_policies))


def _whole_seconds(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 600:
        raise argparse.ArgumentTypeError("a number of seconds from 1 to 600")
    return int(text)


def _wait(args: argparse.Namespace) -> None:
    from time import monotonic, sleep

    from paywright_runtime.errors import ConfigurationError

    remote, until = remote_of(args), monotonic() + args.seconds
    while True:
        try:
            answer = remote.call("GET", "health")
            break
        except ConfigurationError:
            if monotonic() > until:
                raise
            sleep(0.05)
    merchants = answer.get("merchants")
    say(f"Served on {answer['address']} for {', '.join(map(str, merchants)) if isinstance(merchants, list) else ''}.")


# Triggers


def _trigger(args: argparse.Namespace) -> None:
    from paywright_runtime.errors import ConfigurationError
    from paywright_sandbox.control.api import ROUTES

    template = TRIGGERS[args.what][0]
    route = next(route for route in ROUTES if route.method == "POST" and route.path == template)
    numbers = [word for word in args.words if "=" not in word]
    wanted = route.variables
    if len(numbers) != len(wanted):
        due = f"names one {wanted[0]}" if wanted else "takes only NAME=VALUE"
        raise ConfigurationError(f"{args.what} {due}: paywright sandbox trigger {args.what} {_usage(route)}")
    path = template
    for name, number in zip(wanted, numbers, strict=True):
        path = path.replace(f"{{{name}}}", path_part(number))
    answer = remote_of(args).call("POST", path, fields_of(args.what, route, args.words))
    if args.json:
        _say_json(answer)
        return
    attempt = answer.get("attempt")  # for a notification: the result of its attempt, not its whole message
    said = (
        f"{attempt['outcome']}: {attempt['why']}; {_notification(answer)}"
        if isinstance(attempt, dict)
        else _line(answer)
    )
    say(f"{args.what} {' '.join(numbers)}".strip() + ": " + said)


def _usage(route: Route) -> str:
    fields = (f"{field.name}=..." if field.required else f"[{field.name}=...]" for field in route.fields)
    return " ".join((*(f"<{name}>" for name in route.variables), *fields))


def fields_of(what: str, route: Route, words: list[str]) -> dict[str, object]:
    """Turn `NAME=VALUE` words into the fields of a route. Raises `ConfigurationError`."""
    from paywright_runtime.errors import ConfigurationError

    kinds = {field.name: field.kind for field in route.fields}
    body: dict[str, object] = {}
    for word in words:
        name, given, value = word.partition("=")
        if not given:
            continue
        if name not in kinds:
            there = f"there is {', '.join(kinds)}" if kinds else "it has none"
            raise ConfigurationError(f"{name} is no field of {what}: {there}.")
        body[name] = _typed(name, kinds[name], value)
    return body


def _typed(name: str, kind: str, value: str) -> object:
    from paywright_runtime.errors import ConfigurationError

    if kind not in ("integer", "boolean", "object", "array"):
        return value
    try:
        found: object = json.loads(value)
    except ValueError:
        due = {
            "integer": "a whole number",
            "boolean": "true or false",
            "object": "a JSON object",
            "array": "a JSON list",
        }
        raise ConfigurationError(f"{name} must be {due[kind]}.") from None
    return found


# The clock


def _advance(args: argparse.Namespace) -> None:
    from paywright_runtime.errors import ConfigurationError

    if (args.distance is None) == (args.to is None):
        raise ConfigurationError("Say how far: paywright sandbox advance 2h, or advance --to 2025-06-01T12:00:00Z.")
    body: dict[str, object] = {"to": args.to} if args.to is not None else {"seconds": _seconds(args.distance)}
    remote = remote_of(args)
    answer = remote.call("POST", "clock/advance", body)
    if args.json:
        _say_json(answer)
        return
    happened = answer["happened"]
    assert isinstance(happened, list)
    for event in happened:
        say(_event(event))
    say(f"The clock went from {answer['from']} to {answer['now']}; {len(happened)} things happened.")
    if "why" in answer:
        say(str(answer["why"]))
    ahead = remote.call("GET", "clock")["aheadSeconds"]
    if isinstance(ahead, int) and ahead > _FRESH:
        say(
            f"Webhooks carry this time, {ahead} s ahead of this machine's. A receiver refuses them (TOO_NEW) unless its max_ahead is "
            "longer; `paywright listen --any-time` takes them."
        )


def _seconds(distance: str) -> int:
    import re

    from paywright_runtime.errors import ConfigurationError

    found = re.fullmatch(r"(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,12})s?)?", distance, re.ASCII)
    if found is None or not any(found.groups()):
        raise ConfigurationError(f"{distance} is no span of time: write 90s, 10m, 2h, 30d or 1d12h.")
    return sum(int(part or 0) * unit for part, unit in zip(found.groups(), (86400, 3600, 60, 1), strict=True))


def _clock(args: argparse.Namespace) -> None:
    remote = remote_of(args)
    before = remote.call("GET", "clock")
    answer = remote.call("POST", f"clock/{args.action}") if args.action else before
    standing = "stands still" if answer["frozen"] else "runs"
    as_before = ", as it did before" if args.action and before["frozen"] == answer["frozen"] else ""
    say(
        f"It is {answer['now']} and the clock {standing}{as_before}, {answer['aheadSeconds']} s ahead of the wall clock."
    )
    say(f"Next: {answer['nextDue'] or 'nothing is due'}.")


# The outbox and the log


def _notifications(args: argparse.Namespace) -> None:
    if args.number is not None:
        answer = remote_of(args).call("GET", f"notifications/{args.number}")
        if args.json:
            _say_json(answer)
            return
        say(_notification(answer))
        deliveries = answer["deliveries"]
        assert isinstance(deliveries, list)
        for attempt in deliveries:
            asked = " (asked for)" if attempt["asked"] else ""
            say(f"  {attempt['at']} {attempt['outcome']}: {attempt['why']}{asked}")
        return
    answer = remote_of(args).call("GET", "notifications")
    if args.json:
        _say_json(answer)
        return
    found = answer["notifications"]
    assert isinstance(found, list)
    for item in reversed(found):
        say(_notification(item))
    if not found:
        say("The outbox is empty.")


def _notification(item: Mapping[str, object]) -> str:
    after = f", next {item['nextAt']}" if item["nextAt"] else ""
    return f"{item['id']} {item['kind']} of {item['about']} to {item['url']}: {item['status']}, {item['attempts']} attempts{after}"


def _events(args: argparse.Namespace) -> None:
    events = remote_of(args).call("GET", "events")["events"]
    assert isinstance(events, list)
    for event in events:
        say(_event(event))
    if not events:
        say("Nothing has happened yet.")


def _event(event: Mapping[str, object]) -> str:
    return f"{event['at']} {event['kind']} {event['subject']}" + (f": {event['what']}" if event["what"] else "")


# Answers


def _line(answer: Mapping[str, object]) -> str:
    plain = {name: value for name, value in answer.items() if value is not None and not isinstance(value, (dict, list))}
    return ", ".join(f"{name} {value}" for name, value in plain.items() if value != "")


def _say_json(answer: Mapping[str, object]) -> None:
    from paywright_runtime import strict_json

    say_json(strict_json.write(dict(answer)))
