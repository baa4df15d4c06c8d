"""Control a running sandbox: each command is a verb for routes of the control API, whose fields are given as NAME=VALUE.

A command prints the sandbox's answer, or its own reason for refusing.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from time import monotonic, sleep
from typing import Final, NamedTuple
from urllib.parse import quote

from paywright_cli.common.options import distance
from paywright_cli.common.parser import Parser
from paywright_cli.common.terminal import Failed, Usage, say, say_json
from paywright_runtime import strict_json
from paywright_runtime.errors import ConfigurationError
from paywright_runtime.private_files import replace_file
from paywright_sandbox.control.api import ROUTES
from paywright_sandbox.control.client import ControlClient, RemoteRefused
from paywright_sandbox.engine.routes import Route
from paywright_sandbox.engine.settings import SETTINGS_FILE
from paywright_sandbox.faults.vocabulary import FIELDS, KINDS, NOTIFICATION_KINDS
from paywright_sandbox.gateway import POLICIES, make_policies, read_settings

Add = Callable[..., Parser]


class Verb(NamedTuple):
    """Tell what a command does: call one route, or the `other`, as the number of words without a name decides.

    These words are the numbers in the path, and then the fields `first`, which need no name.
    """

    words: str
    route: str
    other: str = ""
    first: tuple[str, ...] = ()


_TRIGGERS: Final = {
    "pay": Verb("the payer pays an open order", "POST orders/{outTradeNo}/pay"),
    "fail": Verb("the payment of an open order fails", "POST orders/{outTradeNo}/fail"),
    "close": Verb("an open order is closed, as if it had expired", "POST orders/{outTradeNo}/close"),
    "bounce": Verb("the money of a paid order is returned to its payer", "POST orders/{outTradeNo}/bounce"),
    "settle-refund": Verb("a pending refund succeeds", "POST refunds/{outRefundNo}/settle"),
    "fail-refund": Verb("a pending refund fails", "POST refunds/{outRefundNo}/fail"),
    "receive": Verb("a transfer comes in: amount=10.00 currency=USD", "POST transfers"),
    "settle": Verb("a transfer that is to be proved is settled", "POST transfers/{requestNo}/settle"),
    "reject": Verb("a transfer that is to be proved is rejected", "POST transfers/{requestNo}/reject"),
    "bill": Verb("a bill is paid if the merchant confirms: referenceNo=BILL_1 amount=100.00", "POST bill-payments"),
    "redeliver": Verb("a notification is delivered once more", "POST notifications/{id}/redeliver"),
    "link": Verb("a payment link is made", "POST links"),
    "open-link": Verb("the payer opens a payment link", "POST links/{linkId}/open"),
    "delete-token": Verb("a payment token is deleted", "POST tokens/{paymentTokenID}/delete"),
    "cancel": Verb("a plan is cancelled", "POST subscriptions/{subscriptionNo}/cancel"),
    "terminate": Verb("a plan is terminated", "POST subscriptions/{subscriptionNo}/terminate"),
    "fail-next": Verb("the next charges of a plan fail", "POST subscriptions/{subscriptionNo}/fail-next"),
    "credit": Verb("a balance is credited", "POST balances"),
    "settle-exchange": Verb("a pending exchange succeeds", "POST exchanges/{outTradeNo}/settle"),
    "fail-exchange": Verb("a pending exchange fails", "POST exchanges/{outTradeNo}/fail"),
    "withdraw": Verb("a withdraw order is made", "POST withdrawals"),
    "settle-withdrawal": Verb("a withdraw order succeeds", "POST withdrawals/{outTradeNo}/settle"),
    "fail-withdrawal": Verb("a withdraw order fails", "POST withdrawals/{outTradeNo}/fail"),
    "open-case": Verb("a chargeback case is opened", "POST cases"),
    "move-case": Verb("a chargeback case is moved", "POST cases/{caseId}"),
}

_CLOCK: Final = "clock, and what is due next"
_ADVANCE: Final = "move the clock forward, by 90s, 10m, 2h, 30d or 1d12h or to=TIME, and print what happened on the way"
COMMANDS: Final[Mapping[str, tuple[str, Mapping[str, Verb]]]] = {
    "trigger": ("make something happen: pay ORD_1, fail ORD_1, receive amount=10.00 currency=USD, ...", _TRIGGERS),
    "advance": ("move the clock forward", {"": Verb(_ADVANCE, "POST clock/advance", first=("seconds",))}),
    "clock": ("show the clock, stop it or let it run", {
        "": Verb(f"show the {_CLOCK}", "GET clock"),
        "freeze": Verb("stop it", "POST clock/freeze"),
        "resume": Verb("let it run", "POST clock/resume"),
    }),
    "notifications": ("show the outbox, or one notification with its attempts", {
        "": Verb("show the outbox, or the notification of a NUMBER", "GET notifications", "GET notifications/{id}"),
    }),
    "events": ("print what happened in the sandbox, the latest last", {"": Verb("print the events", "GET events")}),
    "fault": ("inject faults into answers and notifications, before or after the commit", {
        "add": Verb("add a rule: KIND, and fields", "POST faults", first=("kind",)),
        "list": Verb("show the rules, and how often each was applied", "GET faults"),
        "clear": Verb("take the rule of a NUMBER away, or all", "DELETE faults", "DELETE faults/{id}"),
    }),
    "merchants": ("list, add or remove merchants", {
        "": Verb("list the merchants", "GET merchants"),
        "remove": Verb("remove a merchant who was added, by APP_ID; its orders stay", "DELETE merchants/{appId}"),
    }),
    "reset": ("empty the whole state", {
        "": Verb("empty the state: orders, money, notifications, clock, log and added merchants; keys and sandbox.toml stay", "POST reset"),
    }),
}  # fmt: skip

EXAMPLES: Final = {
    "trigger": """examples:
  paywright sandbox trigger pay ORD_1
  paywright sandbox trigger receive amount=10.00 currency=USD status=SETTLED
  paywright sandbox trigger reject RV0000000001... why='the payer is unknown'
""",
    "clock": """examples:
  paywright sandbox clock freeze
  paywright sandbox clock resume
""",
    "fault": """examples:
  paywright sandbox fault add reset operation=orders.checkout times=1
  paywright sandbox fault add code code=SYSTEM_ERROR when=before operation=refunds.create key=REF_1
  paywright sandbox fault add hang seconds=30 probability=0.2
  paywright sandbox fault list
  paywright sandbox fault clear 2
""",
    "merchants": """A merchant who is added may call at once, and stays until it is removed or the sandbox is reset. Merchants of
sandbox.toml are settings, and are changed there.

examples:
  paywright sandbox merchants
  paywright sandbox merchants add app_2:MN0000000000002:keys/second.pub
  paywright sandbox merchants remove app_2
""",
}
_SNAPSHOT: Final = """A snapshot is the whole state: orders, money, notifications, clock, faults, log and added merchants. It contains
whatever payers entered, and is readable by its owner only. It can be restored in another folder, or on another machine.

examples:
  paywright sandbox snapshot save before-refunds.sqlite3
  paywright sandbox snapshot restore before-refunds.sqlite3
"""


def add_commands(add: Add) -> Mapping[str, Add]:
    """Add the commands to `paywright sandbox`. Return what adds further actions, by command."""
    found: dict[str, Add] = {}
    for name, (words, verbs) in COMMANDS.items():
        whole = add(name, words, epilog=EXAMPLES.get(name, ""))
        if name == "trigger":
            whole.epilog = _table("what", {what: verb.words for what, verb in verbs.items()}) + f"\n{EXAMPLES[name]}"
            whole.takes("WHAT", "see below", choices=tuple(verbs))
        if name == "trigger" or set(verbs) == {""}:
            _fill(whole, name, verbs)
            continue
        if "" in verbs:
            whole.set_defaults(run=_doing(name, verbs), what="")
        add_where(whole)
        found[name] = whole.group(required="" not in verbs)
        for action, verb in verbs.items():
            if action:
                _fill(found[name](action, verb.words), f"{name} {action}", {"": verb})
    snapshot = add("snapshot", "save the whole state in a file, or restore it", epilog=_SNAPSHOT).group(required=True)
    for action, words, run in (
        ("save", "write the state to a FILE", _save),
        ("restore", "replace the state by that of a FILE", _restore),
    ):
        whole = snapshot(action, words, refusable(run))
        whole.takes("FILE", "the snapshot", type=Path)
        add_where(whole)
    waiting = add("wait", "wait until a sandbox answers, for scripts that have just started one", refusable(_wait))
    waiting.description = (
        "Wait until the sandbox of a folder or a URL answers. Exit code 0 as soon as it does, 2 if not."
    )
    waiting.takes("--seconds N", "how long at most, 1 to 600 (default 30)", type=_whole_seconds, default=30)
    add_where(waiting)
    policies = add("policies", "list every named policy, its default, its value and its question", _policies)
    policies.takes("--dir DIR", "the sandbox's folder", type=Path, default=argparse.SUPPRESS)
    policies.takes("--json", "as JSON")
    return found


def _fill(parser: Parser, name: str, verbs: Mapping[str, Verb]) -> None:
    parser.takes("NUMBER or NAME=VALUE", "numbers, and fields of the route", dest="given", nargs="*")
    parser.takes("--json", "print the sandbox's answer as JSON")
    if name == "fault add":
        parser.epilog = _table("kinds", {**KINDS, **NOTIFICATION_KINDS}) + "\n" + _table("fields", FIELDS)
    add_where(parser)
    parser.set_defaults(run=_doing(name, verbs))


def _table(title: str, rows: Mapping[str, str]) -> str:
    width = max(map(len, rows))
    return f"{title}:\n" + "".join(f"  {name:<{width}}  {words}\n" for name, words in rows.items())


def _doing(name: str, verbs: Mapping[str, Verb]) -> Callable[[argparse.Namespace], None]:
    def do(args: argparse.Namespace) -> None:
        what = args.what if name == "trigger" else ""
        say_answer(args, ask(args, f"{name} {what}".rstrip(), verbs[what], getattr(args, "given", [])))

    return refusable(do)


def _save(args: argparse.Namespace) -> None:
    raw = remote_of(args).fetch("snapshot")
    replace_file(args.file, raw)
    say(f"wrote {args.file}: {len(raw)} bytes")


def _restore(args: argparse.Namespace) -> None:
    say_answer(args, remote_of(args).put("snapshot", args.file.read_bytes()))


def ask(
    args: argparse.Namespace, name: str, verb: Verb, given: Sequence[str], more: Mapping[str, object] | None = None
) -> dict[str, object]:
    """Call the route of a verb with the words that were given, and `more` fields. Raises `Usage`."""
    bare = [word for word in given if "=" not in word]
    routes = [one for one in ROUTES if f"{one.method} {one.path}" in (verb.route, verb.other)]
    fitting = [one for one in routes if len(one.variables) <= len(bare) <= len(one.variables) + len(verb.first)]
    if not fitting:
        forms = " or ".join(f"paywright sandbox {name} {_usage(one, verb)}".rstrip() for one in routes)
        raise Usage(f"this is written {forms}")
    route, path = fitting[0], fitting[0].path
    for variable in route.variables:
        path = path.replace(f"{{{variable}}}", quote(os.fsencode(bare.pop(0)), safe=""))
    words = [f"{field}={word}" for field, word in zip(verb.first, bare, strict=False)]
    body = {**_fields(name, route, [*words, *(word for word in given if "=" in word)]), **(more or {})}
    return remote_of(args).call(route.method, path, body if route.fields else None)


def _usage(route: Route, verb: Verb) -> str:
    fields = [f"{field.name}=..." if field.required else f"[{field.name}=...]" for field in route.fields]
    return " ".join((*(f"<{name}>" for name in (*route.variables, *verb.first)), *fields))


def _fields(what: str, route: Route, words: Sequence[str]) -> dict[str, object]:
    """Turn `NAME=VALUE` words into the fields of a route. Raises `Usage`."""
    kinds = {field.name: field.kind for field in route.fields}
    body: dict[str, object] = {}
    for word in words:
        name, _, value = word.partition("=")
        if name not in kinds:
            there = f"there is {', '.join(kinds)}" if kinds else "it has none"
            raise Usage(f"{name} is no field of {what}: {there}")
        body[name] = _typed(name, kinds[name], value)
    return body


_JSON: Final = {
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a JSON list",
}


def _typed(name: str, kind: str, value: str) -> object:
    if name == "seconds" and not value.isdigit():
        try:
            return int(distance(value).total_seconds())
        except argparse.ArgumentTypeError as error:
            raise Usage(f"{value} is no span of time here: {error}") from None
    if kind not in _JSON:
        return value
    try:
        typed: object = json.loads(value)
    except ValueError:
        raise Usage(f"{name} must be {_JSON[kind]}") from None
    return typed


def say_answer(args: argparse.Namespace, answer: Mapping[str, object]) -> None:
    """Print an answer: its rows, each on a line, and then its plain members."""
    if getattr(args, "json", False):
        say_json(strict_json.write(dict(answer)))
        return
    rows = next((value for value in answer.values() if isinstance(value, list)), None)
    for row in rows or ():
        say(_line(row))
    line = _line(answer)
    if line or not rows:
        say(line or "There is nothing.")


def _line(row: Mapping[str, object]) -> str:
    if "what" in row:  # an event
        return f"{row['at']} {row['kind']} {row['subject']}" + (f": {row['what']}" if row["what"] else "")
    plain: list[str] = []
    for name, value in row.items():
        if isinstance(value, dict) and name != "body":
            plain.append(f"{name}: {_line(value)}")
        elif value not in (None, "") and not isinstance(value, (dict, list)) and name != "raw":
            said = str(value).lower() if isinstance(value, bool) else value
            plain.append(f"{name} {format(said, 'f') if isinstance(said, Decimal) else said}")
    return ", ".join(plain)


def _whole_seconds(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 600:
        raise argparse.ArgumentTypeError("a number of seconds from 1 to 600")
    return int(text)


def _wait(args: argparse.Namespace) -> None:
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


def _policies(args: argparse.Namespace) -> None:
    """Print all policies. Raises `ConfigurationError` if sandbox.toml is invalid."""
    file = args.dir / SETTINGS_FILE  # without a folder there are only the defaults
    values = read_settings(args.dir).policies if file.exists() else make_policies()
    rows = [
        {"name": name, "default": policy.default, "value": values.value(name), "question": policy.question, "decides": policy.summary}
        for name, policy in POLICIES.items()
    ]  # fmt: skip
    if args.json:
        say_json(rows, indent=1)
        return
    say(f"The policies of {file}:" if file.exists() else f"The defaults; there is no {file}:", "")
    for row in rows:
        changed = "" if row["value"] == row["default"] else f"   (default {json.dumps(row['default'])})"
        say(f"{row['name']} = {json.dumps(row['value'])}{changed}", f"    {row['decides']} [{row['question']}]")


# The sandbox that a command controls


def refusable(command: Callable[[argparse.Namespace], None]) -> Callable[[argparse.Namespace], None]:
    """Make a command raise `Failed`, with the sandbox's reason, if it refused."""

    def run(args: argparse.Namespace) -> None:
        try:
            command(args)
        except RemoteRefused as refused:
            raise Failed(f"refused: {refused}") from None

    return run


def remote_of(args: argparse.Namespace) -> ControlClient:
    """Return the sandbox of `--url`, or of the folder `--dir`."""
    return ControlClient(args.dir, getattr(args, "url", None))


def add_where(parser: Parser) -> None:
    """Add the options that say which sandbox. They may also stand before the action."""
    parser.takes("--dir DIR", "the sandbox's folder", type=Path, default=argparse.SUPPRESS)
    parser.takes("--url URL", "its URL, if it is not the one in its .env", default=argparse.SUPPRESS)
