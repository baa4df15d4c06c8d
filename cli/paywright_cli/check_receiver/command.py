"""`paywright sandbox check-receiver URL`: run the checks one after the other, and print the results. Bodies of responses are never printed."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from paywright_cli.check_receiver import accepted, idempotency, refused
from paywright_cli.check_receiver.endpoint import (
    KEY,
    Effects,
    EffectsProblem,
    EndpointUnderTest,
)
from paywright_cli.check_receiver.messages import MessageFactory
from paywright_cli.check_receiver.verdicts import Check, CheckResult
from paywright_cli.common.exit_codes import Exit
from paywright_cli.common.parser import Parser
from paywright_cli.common.terminal import Usage, complain, flush, paint, say, say_json
from paywright_sandbox.engine.url_policy import Destination, NotAllowed, read_destination
from paywright_sandbox.gateway import read_settings

_EXAMPLES: Final = """examples:
  paywright sandbox check-receiver http://127.0.0.1:9000/hooks --dir shop
  paywright sandbox check-receiver http://127.0.0.1:9000/hooks --dir shop --effects 'http://127.0.0.1:9000/effects/{key}'
  paywright sandbox check-receiver http://127.0.0.1:9000/hooks --dir shop --only duplicate,late --json

The endpoint must verify with the public half of the sandbox's gateway key (DIR/keys/gateway.pub) and know the merchant's
appId and merchantNo: run it as for the sandbox. The sandbox need not be served meanwhile. Every check sends notifications
about numbers that begin with CHECK, and they have real effects there. Never run it against a system that handles real money.

The number of effects cannot be seen from outside. --effects names an address whose GET answers a count, or {"effects": 1,
"state": "SETTLED"}; {key} stands for the requestNo of a transfer (for a period: subscriptionNo/index).

exit codes: 0 nothing is wrong (notes are no fault), 1 something is wrong, 2 usage, 3 it could not be judged: no valid
notification was accepted
"""
_COLOURS: Final = {"ok": "green", "wrong": "red", "note": "yellow", "skipped": "dim"}
_WIDTH: Final = 26


class CheckReport:
    """Prints each result as it comes, as text or, with `lines`, as a JSON object."""

    def __init__(self, *, lines: bool) -> None:
        self._lines = lines
        self.verdicts: Counter[str] = Counter()

    def add(self, check: Check, result: CheckResult) -> None:
        """Print a result."""
        self.verdicts[result.verdict] += 1
        if self._lines:
            about = {"check": check.name, "group": check.group, "verdict": result.verdict, "sent": check.sent}
            found = {"came": result.response, "detail": result.detail}
            self._print({**about, **found, "why": check.why, "do": check.todo, "sections": list(check.sections)})
            return
        verdict = paint(f"{result.verdict:<8}", _COLOURS[result.verdict])
        tail = f"; {result.detail}" if result.detail and result.verdict in ("ok", "skipped") else ""
        say(f"{verdict}{check.name:<{_WIDTH}}{result.response + tail}".rstrip("; ").replace("  ; ", "  "))
        if result.verdict in ("wrong", "note"):
            pad = " " * 8
            say(f"{pad}sent: {check.sent} [{', '.join(check.sections)}]")
            say(f"{pad}{paint('found:', 'bold')} {result.detail}")
            if result.verdict == "wrong":
                say(f"{pad}why it matters: {check.why}")
                say(f"{pad}do: {check.todo}")

    def end(self, trouble: str = "") -> None:
        """Print the summary."""
        counts = {name: self.verdicts[name] for name in ("ok", "wrong", "note", "skipped")}
        if self._lines:
            self._print({"checks": sum(counts.values()), **counts, **({"trouble": trouble} if trouble else {})})
            return
        words = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
        say("", f"{sum(counts.values())} checks: {words or 'none was made'}.")

    @staticmethod
    def _print(record: dict[str, object]) -> None:
        say_json(json.dumps(record, ensure_ascii=False))


_REFUSED: Final = (*refused.FORGED, *refused.MALFORMED)
CHECKS: Final = (accepted.GATE, *accepted.CHECKS, *idempotency.CHECKS, *_REFUSED, *accepted.BILLS, refused.LAST)
"""All checks, in the order in which they run."""


_GONE: Final = "since this check the endpoint no longer answers, not even a valid notification"


class Unconfigured(Exception):
    """Raised when no valid notification was accepted, so that refusals prove nothing. `result` is the first one's."""

    def __init__(self, result: CheckResult) -> None:
        super().__init__(result.response)
        self.result = result


class Gone(Exception):
    """Raised when the endpoint no longer answers even a valid notification. `left` counts the checks that were not made."""

    def __init__(self, check: str, left: int) -> None:
        super().__init__(check)
        self.check = check
        self.left = left


def run(endpoint: EndpointUnderTest, names: Sequence[str] = ()) -> Iterator[tuple[Check, CheckResult]]:
    """Run the checks with these names, or all. The first valid notification is always sent.

    An endpoint that accepts periods and no transfers is checked with periods. Raises `Unconfigured`, `EffectsProblem`, and
    `Gone` once the endpoint no longer responds.
    """
    gate, *others = CHECKS
    first = gate.run(endpoint)
    if first.verdict == "wrong":
        endpoint.messages.kind = "SUBSCRIPTION_PAYMENT"
        period = next(check for check in accepted.CHECKS if check.name == "period-paid")
        if period.run(endpoint).verdict == "wrong":  # once that kind is chosen, its refusal is wrong
            endpoint.messages.kind = "RECEIVE"
            raise Unconfigured(first)
        again = gate.run(endpoint)  # which it may refuse now, but not acknowledge in other words
        first = again._replace(detail=f"{again.detail}; the other checks use periods [6.2]")
    if not names or gate.name in names:
        yield gate, first
    chosen = [check for check in others if not names or check.name in names]
    if endpoint.messages.kind != "RECEIVE":
        chosen = [check for check in chosen if check.name != "transfer-moves"]
    for at, check in enumerate(chosen, 1):
        endpoint.unanswered = False
        result = _ran(check, endpoint)
        if endpoint.unanswered and endpoint.gone():
            yield check, CheckResult("wrong", result.response, _GONE)
            raise Gone(check.name, len(chosen) - at)
        yield check, result


def _ran(check: Check, endpoint: EndpointUnderTest) -> CheckResult:
    try:
        return check.run(endpoint)
    except EffectsProblem as problem:
        endpoint.unanswered = True  # the endpoint may not be running
        return CheckResult("skipped", "", str(problem))


def fill(parser: Parser) -> None:
    """Add what `sandbox check-receiver` takes."""
    parser.description = (
        "Send valid, repeated, late, forged and broken notifications to a merchant's endpoint in any language, "
        "and report what it did wrong, why that matters, and what to do."
    )
    parser.epilog = _EXAMPLES
    parser.takes("URL", "where the endpoint takes notifications", dest="endpoint", nargs="?")
    parser.takes("--dir DIR", "the sandbox's folder", type=Path, default=argparse.SUPPRESS)
    parser.takes("--merchant APP_ID", "the merchant of the endpoint (default: the first of sandbox.toml)")
    parser.takes("--bill-url URL", "where bill questions go (default: the same URL)")
    parser.takes("--bill REFERENCE:AMOUNT", "a bill that the endpoint accepts")
    parser.takes("--effects URL", "where effects can be looked up; {key} stands for the number")
    parser.takes("--restart COMMAND", "restarts the endpoint, for the check `restart`")
    says = "also allow this host as the endpoint, besides this machine"
    parser.takes("--allow HOST", says, action="append", default=[])
    parser.takes("--only NAME,...", "only these checks; --list names them")
    parser.prints("--list", "list the checks and send nothing", _listed)
    parser.takes("--seconds SECONDS", "seconds to wait for each answer (default 5)", type=_seconds, default=5.0)
    parser.takes("--json", "print one JSON object per line, the summary last")
    parser.set_defaults(run=_run)


def _listed() -> list[str]:
    return [f"{check.name:<26}{check.sent} [{', '.join(check.sections)}]" for check in CHECKS]


def _seconds(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0.1 <= found <= 60:
        raise argparse.ArgumentTypeError("a number from 0.1 to 60")
    return found


def _run(args: argparse.Namespace) -> int:
    if args.endpoint is None:
        raise Usage("say which endpoint: paywright sandbox check-receiver http://127.0.0.1:9000/hooks")
    names = [name.strip() for name in (args.only or "").split(",") if name.strip()]
    absent = [name for name in names if name not in {check.name for check in CHECKS}]
    if absent:
        raise Usage(f"There is no check {', '.join(absent)}; --list names all")
    endpoint, whose = _endpoint(args)
    report = CheckReport(lines=args.json)
    if not args.json:
        say(f"Checking {args.endpoint} as {whose}.", "", flush=True)
    try:
        for check, result in run(endpoint, names):
            report.add(check, result)
            flush()
    except Unconfigured as trouble:
        words = _unconfigured(trouble.result.response, trouble.result.detail, whose)
        report.end(words)
        complain(words)
        return Exit.UNJUDGED
    except Gone as gone:
        words = (
            f"The endpoint has not answered since {gone.check}, so the checks end there ({gone.left} were not made). Find out from "
            "its log why, correct that, and start it again."
        )
        report.end(words)
        complain(words)
        return Exit.NO
    report.end()
    if args.effects is None and not args.json:
        say("Effects were not checked: use --effects URL to check that each happened once.")
    return Exit.NO if report.verdicts["wrong"] else Exit.OK


def _unconfigured(response: str, detail: str, whose: str) -> str:
    return (
        f"The first valid notification was not accepted ({response}: {detail}). So refusing others "
        f'proves nothing, and no other check was made. To accept one, answer HTTP 200 with {{"msg":"Success","code":"SUCCESS"}}. '
        f"Is it running, and configured for {whose}? It must verify with that key "
        "of the gateway, not with the merchant's own key nor with that of another environment. An endpoint that takes neither "
        "transfers nor periods of subscriptions cannot be judged: for the check, have it take transfers."
    )


def _endpoint(args: argparse.Namespace) -> tuple[EndpointUnderTest, str]:
    settings = read_settings(args.dir)
    known = {merchant.app_id: merchant for merchant in settings.merchants}
    if args.merchant is not None and args.merchant not in known:
        raise Usage(f"sandbox.toml has no merchant {args.merchant}; it has {', '.join(known)}")
    merchant = known[args.merchant] if args.merchant is not None else settings.merchants[0]
    allowed = (*settings.deliver_to, *args.allow)
    number = merchant.numbers.get("merchant_no")
    to = _destination("the endpoint", args.endpoint, allowed)
    endpoint = EndpointUnderTest(
        to,
        MessageFactory(settings.signer, merchant.app_id, number),
        _effects(args, to, allowed),
        merchant.verifier,
        bill_to=None if args.bill_url is None else _destination("--bill-url", args.bill_url, allowed),
        bill=args.bill,
        seconds=args.seconds,
    )
    key = f"{args.dir / 'keys' / 'gateway.pub'} (fingerprint {settings.signer.key})"
    return endpoint, f"the gateway with the key {key}, to appId {merchant.app_id}" + (
        f" and merchantNo {number}" if number else ""
    )


def _destination(what: str, url: str, allowed: tuple[str, ...]) -> Destination:
    try:
        return read_destination(url, allowed)
    except NotAllowed as refused:
        words = str(refused).replace("in deliver-to of sandbox.toml", "allowed with --allow or in deliver-to")
        raise Usage(f"{what}: {words}") from None


def _effects(args: argparse.Namespace, to: Destination, allowed: tuple[str, ...]) -> Effects:
    if args.effects is not None:
        if KEY not in args.effects:
            raise Usage(f"--effects needs {KEY} where the number goes: http://127.0.0.1:9000/effects/{KEY}")
        _destination("--effects", args.effects.replace(KEY, "x"), allowed)
    return Effects(to, args.effects, allowed, args.restart)
