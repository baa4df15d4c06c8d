"""`paywright audit`: judge captured traffic of any integration, in whatever language it was written."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

from paywright_tools.terminal import HelpFormatter, Usage

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

    from paywright_tools.audit.matching import Matcher
    from paywright_tools.audit.report import Report, Totals
    from paywright_tools.audit.signatures import Keys

    Groups = argparse._SubParsersAction[argparse.ArgumentParser]

# What judges is imported when the command runs: the rest of the command line must not wait for it.

__all__ = ["register"]

CLEAN, FINDINGS, UNREADABLE, NOTHING = 0, 1, 3, 4

_WORDS: Final = """\
FILE holds capture records (JSON lines, as `paywright sandbox log` writes them) or HAR 1.2, plain or gzip; - is standard
input. Exchanges that are none of the contract's are counted and passed over. No value of a message is printed.

examples:
  paywright audit session.jsonl --merchant-key merchant.pub --gateway-key gateway.pub
  paywright sandbox log | paywright audit - --merchant-key shop/keys/merchant.pub --gateway-key shop/keys/gateway.pub
  paywright audit traffic.har --path cases.inquire=/api/cases --format json

--format json prints JSON lines. Each has a `type`:
  finding     file, place (such as "line 7"), operation, part (request, response, notification, answer), pointer
              (@header/NAME for a header, @status for the HTTP status), code, message
  unreadable  file, place, message
  summary     the last line: v, exchanges, matched, unmatched, unreadable, unanswered, unjudged, findings,
              signatures (valid, invalid, unverifiable, absent), unverifiable (by reason), operations (exchanges of each)
Codes are those of `paywright validate`, and signature-invalid, signature-absent, http-status, more.

A signature is unverifiable, which is no finding, where no key was given, or the capture lost the bytes that were signed.

exit codes: 0 no finding, 1 findings, 2 usage, 3 some of the input could not be read (what could be was judged),
4 nothing in it is of the contract
"""


def register(groups: Groups) -> None:
    """Add `audit` to the command line."""
    parser = groups.add_parser(
        "audit",
        help="judge captured traffic against the contract, signatures included",
        description="Judge captured traffic against the contract, signatures included.",
        epilog=_WORDS,
        formatter_class=HelpFormatter,
    )
    parser.add_argument("files", metavar="FILE", nargs="+", help="a capture; - is standard input")
    for side, whose in (
        ("merchant", "the merchant, who signs requests"),
        ("gateway", "the gateway, which signs the rest"),
    ):
        parser.add_argument(
            f"--{side}-key",
            metavar="FILE",
            type=Path,
            action="append",
            default=[],
            help=f"a public key of {whose}; may be given several times",
        )
    parser.add_argument(
        "--path",
        metavar="OPERATION=PATH",
        action="append",
        default=[],
        help="the address of an operation, where the specification does not show it or yours differs",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="text (default) or json")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    from paywright_tools.audit.matching import Matcher
    from paywright_tools.audit.report import JsonReport, TextReport, Totals
    from paywright_tools.audit.signatures import Keys

    if args.files.count("-") > 1:
        raise Usage("standard input can be read once")
    keys = Keys(_keys(args.merchant_key), _keys(args.gateway_key))
    matcher = Matcher(_paths(args.path))
    report: Report = JsonReport() if args.format == "json" else TextReport()
    totals = Totals()
    for file in args.files:
        _audit(file, matcher, keys, report, totals)
    report.end(totals)
    if totals.unreadable:
        return UNREADABLE
    if not totals.matched:
        return NOTHING
    return FINDINGS if totals.findings else CLEAN


def _audit(file: str, matcher: Matcher, keys: Keys, report: Report, totals: Totals) -> None:
    from paywright_tools.audit.judging import judge
    from paywright_tools.audit.reading import read_input
    from paywright_tools.audit.records import Unreadable

    for found in read_input(file):
        if isinstance(found, Unreadable):
            totals.unreadable += 1
            report.unreadable(file, found)
            continue
        totals.exchanges += 1
        match = matcher.match(found)
        if match is None:
            continue
        judged = judge(found, match, keys)
        totals.add(match.operation.name if match.operation else "(notifications not shown)", judged)
        for finding in judged.findings:
            report.finding(file, found.place, finding)


def _keys(files: list[Path]) -> list[RSAPublicKey]:
    from paywright_runtime.keys import load_public_key

    return [load_public_key(file) for file in files]


def _paths(given: list[str]) -> dict[str, str]:
    from paywright.contract import CONTRACT

    paths = {}
    for text in given:
        name, equals, path = text.partition("=")
        if not equals or not path.startswith("/"):
            raise Usage("--path is OPERATION=PATH, such as cases.inquire=/api/cases")
        CONTRACT.operation(name)  # raises InvalidArgument, with the nearest names
        paths[name] = path
    return paths
