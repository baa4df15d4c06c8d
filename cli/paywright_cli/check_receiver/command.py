"""`paywright sandbox check-receiver URL`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from paywright_cli.common.exit_codes import Exit
from paywright_cli.common.terminal import complain, say

if TYPE_CHECKING:
    from paywright_cli.check_receiver.endpoint import Effects, EndpointUnderTest
    from paywright_runtime.signing.rsa import RsaSigner, RsaVerifier
    from paywright_sandbox.engine.url_policy import Destination

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

_EXAMPLES: Final = """examples:
  paywright sandbox check-receiver http://127.0.0.1:9000/hooks --dir shop
  paywright sandbox check-receiver http://127.0.0.1:9000/hooks --dir shop --effects 'http://127.0.0.1:9000/effects/{key}'
  paywright sandbox check-receiver http://127.0.0.1:9000/hooks --dir shop --only duplicate,late,restart --ask
  paywright sandbox check-receiver http://127.0.0.1:9000/hooks --gateway-key gateway.key --app-id app_1 --json

The endpoint must verify with the public half of the sandbox's gateway key (DIR/keys/gateway.pub) and know the merchant's
appId and merchantNo: run it as for the sandbox. The sandbox need not be served meanwhile. Every check sends notifications
about numbers that begin with CHECK, and they have real effects there. Never run it against a system that handles real money.

The number of effects cannot be seen from outside. --effects names an address whose GET answers a count, or {"effects": 1,
"state": "SETTLED"}; {key} stands for the requestNo of a transfer (for a period: subscriptionNo/index). --ask asks you instead.

exit codes: 0 nothing is wrong (notes are no fault), 1 something is wrong, 2 usage, 3 it could not be judged: no valid
notification was accepted
"""


def register(commands: Subparsers) -> None:
    """Add the command to `paywright sandbox`."""
    parser = commands.add_parser(
        "check-receiver",
        help="test your endpoint with valid, repeated, forged and broken notifications",
        description="Send valid, repeated, late, forged and broken notifications to a merchant's endpoint in any language, "
        "and report what it did wrong, why that matters, and what to do.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("endpoint", metavar="URL", nargs="?", help="where the endpoint takes notifications")
    parser.add_argument("--dir", metavar="DIR", type=Path, default=argparse.SUPPRESS, help="the sandbox's folder")
    parser.add_argument(
        "--merchant", metavar="APP_ID", help="the merchant of the endpoint (default: the first of sandbox.toml)"
    )
    parser.add_argument(
        "--gateway-key", metavar="FILE", type=Path, help="sign with this private key instead of the one in a folder"
    )
    parser.add_argument("--app-id", metavar="APP_ID", help="with --gateway-key: the merchant's appId")
    parser.add_argument("--merchant-no", metavar="NUMBER", help="with --gateway-key: the merchant's merchantNo")
    parser.add_argument("--bill-url", metavar="URL", help="where bill questions go (default: the same URL)")
    parser.add_argument("--bill", metavar="REFERENCE:AMOUNT", help="a bill that the endpoint accepts")
    seeing = parser.add_mutually_exclusive_group()
    seeing.add_argument("--effects", metavar="URL", help="where effects can be looked up; {key} stands for the number")
    seeing.add_argument("--ask", action="store_true", help="ask at the terminal how many effects there are")
    parser.add_argument("--restart", metavar="COMMAND", help="restarts the endpoint, for the check `restart`")
    parser.add_argument(
        "--allow",
        metavar="HOST",
        action="append",
        default=[],
        help="also allow this host as the endpoint, besides this machine",
    )
    parser.add_argument("--only", metavar="NAME,...", help="only these checks; --list names them")
    parser.add_argument("--list", action="store_true", help="list the checks and send nothing")
    parser.add_argument("--seconds", type=_seconds, default=5.0, help="seconds to wait for each answer (default 5)")
    parser.add_argument("--json", action="store_true", help="print one JSON object per line, the summary last")
    parser.set_defaults(run=_run)


def _seconds(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0.1 <= found <= 60:
        raise argparse.ArgumentTypeError("a number from 0.1 to 60")
    return found


def _run(args: argparse.Namespace) -> int:
    from paywright_runtime.errors import ConfigurationError, PaywrightError

    try:
        return _list() if args.list else _check(args)
    except (ConfigurationError, PaywrightError) as error:
        complain(str(error), "paywright sandbox")
        return Exit.USAGE


def _list() -> int:
    from paywright_cli.check_receiver.running import CHECKS

    for check in CHECKS:
        say(f"{check.name:<26}{check.sent} [{', '.join(check.sections)}]")
    return Exit.OK


def _check(args: argparse.Namespace) -> int:
    from paywright_cli.check_receiver.running import CHECKS, CheckReport, Gone, Unconfigured, run
    from paywright_runtime.errors import ConfigurationError

    if args.endpoint is None:
        raise ConfigurationError("Say which endpoint: paywright sandbox check-receiver http://127.0.0.1:9000/hooks")
    names = [name.strip() for name in (args.only or "").split(",") if name.strip()]
    absent = [name for name in names if name not in {check.name for check in CHECKS}]
    if absent:
        raise ConfigurationError(f"There is no check {', '.join(absent)}; --list names all.")
    endpoint, whose = _endpoint(args)
    report = CheckReport(lines=args.json)
    if not args.json:
        say(f"Checking {args.endpoint} as {whose}.", "", flush=True)
    try:
        for check, result in run(endpoint, names):
            report.add(check, result)
            sys.stdout.flush()
    except Unconfigured as trouble:
        words = _unconfigured(trouble.result.response, trouble.result.detail, whose)
        report.end(words)
        complain(words, "paywright sandbox")
        return Exit.UNJUDGED
    except Gone as gone:
        words = (
            f"The endpoint has not answered since {gone.check}, so the checks end there ({gone.left} were not made). Find out from "
            "its log why, correct that, and start it again."
        )
        report.end(words)
        complain(words, "paywright sandbox")
        return Exit.NO
    report.end()
    if not endpoint.effects.seen and not args.json:
        say("Effects were not checked: use --effects URL or --ask to check that each happened once.")
    return Exit.NO if report.verdicts["wrong"] else Exit.OK


def _unconfigured(response: str, detail: str, whose: str) -> str:
    return (
        f"The first valid notification was not accepted ({response}: {detail}). So refusing others "
        f"proves nothing, and no other check was made. Is it running, and configured for {whose}? It must verify with that key "
        "of the gateway, not with the merchant's own key nor with that of another environment."
    )


def _endpoint(args: argparse.Namespace) -> tuple[EndpointUnderTest, str]:
    from paywright_cli.check_receiver.endpoint import EndpointUnderTest
    from paywright_cli.check_receiver.messages import MessageFactory

    signer, app_id, number, merchant, allowed, key = _identity(args)
    to = _destination("the endpoint", args.endpoint, allowed)
    endpoint = EndpointUnderTest(
        to,
        MessageFactory(signer, app_id, number),
        _effects(args, to, allowed),
        bill_to=None if args.bill_url is None else _destination("--bill-url", args.bill_url, allowed),
        bill=args.bill,
        merchant=merchant,
        seconds=args.seconds,
    )
    return endpoint, f"the gateway with the key {key} (fingerprint {signer.key}), to appId {app_id}" + (
        f" and merchantNo {number}" if number else ""
    )


def _identity(args: argparse.Namespace) -> tuple[RsaSigner, str, str | None, RsaVerifier | None, tuple[str, ...], str]:
    """Return signer, app id, merchant number, the merchant's own key, the allowed hosts, and where the key is."""
    from paywright_runtime.errors import ConfigurationError
    from paywright_runtime.signing.keys import load_private_key
    from paywright_runtime.signing.rsa import RsaSigner
    from paywright_sandbox.gateway import read_settings

    if args.gateway_key is not None:
        if not args.app_id:
            raise ConfigurationError("--gateway-key needs --app-id, and usually --merchant-no.")
        signer = RsaSigner(load_private_key(args.gateway_key))
        return signer, args.app_id, args.merchant_no, None, tuple(args.allow), f"of {args.gateway_key}"
    if args.app_id or args.merchant_no:
        raise ConfigurationError("--app-id and --merchant-no go with --gateway-key; with a folder use --merchant.")
    settings = read_settings(args.dir)
    known = {merchant.app_id: merchant for merchant in settings.merchants}
    if args.merchant is not None and args.merchant not in known:
        raise ConfigurationError(f"sandbox.toml has no merchant {args.merchant}; it has {', '.join(known)}.")
    merchant = known[args.merchant] if args.merchant is not None else settings.merchants[0]
    allowed = (*settings.deliver_to, *args.allow)
    number = merchant.numbers.get("merchant_no")
    return settings.signer, merchant.app_id, number, merchant.verifier, allowed, str(args.dir / "keys" / "gateway.pub")


def _destination(what: str, url: str, allowed: tuple[str, ...]) -> Destination:
    from paywright_runtime.errors import ConfigurationError
    from paywright_sandbox.engine.url_policy import NotAllowed, read_destination

    try:
        return read_destination(url, allowed)
    except NotAllowed as refused:
        words = str(refused).replace("in deliver-to of sandbox.toml", "allowed with --allow or in deliver-to")
        raise ConfigurationError(f"{what}: {words}") from None


def _effects(args: argparse.Namespace, to: Destination, allowed: tuple[str, ...]) -> Effects:
    from paywright_cli.check_receiver.endpoint import KEY, AskedEffects, Effects, ServedEffects
    from paywright_runtime.errors import ConfigurationError

    if args.ask:
        if not sys.stdin.isatty():
            raise ConfigurationError("--ask needs a terminal; use --effects URL instead.")
        return AskedEffects(to, args.restart)
    if args.effects is None:
        return Effects(to, args.restart)
    if KEY not in args.effects:
        raise ConfigurationError(f"--effects needs {KEY} where the number goes: http://127.0.0.1:9000/effects/{KEY}")
    _destination("--effects", args.effects.replace(KEY, "x"), allowed)
    return ServedEffects(to, args.effects, allowed, args.restart)
