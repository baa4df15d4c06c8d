"""`paywright keys verify`: check that a key signed exactly these bytes, and otherwise find what was signed instead [5]."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final, NamedTuple

from paywright_cli.commands.keys.reading import any_key
from paywright_cli.common.exit_codes import Exit
from paywright_cli.common.terminal import Usage, paint, read_input, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paywright_runtime.signing.diagnosis import KeyInWords
    from paywright_runtime.signing.rsa import RsaVerifier

_LONGEST: Final = 16 * 1024 * 1024
_PARTS: Final = ("request", "response")

_Groups = argparse._SubParsersAction  # the only name argparse has for it


class _Signed(NamedTuple):
    """Bytes that may have been signed: as they came, and unpacked; with the values of all `sign` headers that came with them.

    `exact` is False if its bytes may have been changed since.
    """

    name: str
    bodies: Sequence[bytes]
    signatures: Sequence[str]
    exact: bool = True


def register(commands: _Groups[argparse.ArgumentParser]) -> None:
    """Add `verify` to the commands about keys."""
    verify = commands.add_parser(
        "verify", help="exit 0 if a key signed exactly these bytes, else 1, and say what was signed instead"
    )
    verify.add_argument("key", metavar="KEY", help="file of the key that should have signed, public or private")
    verify.add_argument(
        "body", metavar="BODY", nargs="?", help="file of the body, byte for byte as it was received, or -"
    )
    verify.add_argument("--sign", metavar="TEXT", help="the value of the header `sign` that came with BODY")
    verify.add_argument(
        "--capture", metavar="FILE", help="instead of BODY: a capture, in any form that `paywright audit` reads"
    )
    verify.add_argument(
        "--number", type=int, metavar="N", help="which line, entry or flow of the capture, as the audit counts them"
    )
    verify.add_argument("--part", choices=_PARTS, default="request", help="which message of it (default: the request)")
    verify.add_argument(
        "--other",
        action="append",
        default=[],
        metavar="FILE",
        help="a key that may have signed it by mistake; may be given several times",
    )
    verify.set_defaults(run=_verify)


def _verify(args: argparse.Namespace) -> int:
    from paywright_audit.input.repairs import repaired
    from paywright_runtime.signing.diagnosis import why_not
    from paywright_runtime.signing.rsa import RsaVerifier

    signed = _given(args)
    due, *others = (_key(name) for name in (args.key, *args.other))
    verifier = RsaVerifier([due.key])
    signature = signed.signatures[0] if len(signed.signatures) == 1 else ""
    if any(_holds(verifier, body, signature) for body in signed.bodies):
        say(f"{paint('ok', 'green')}  {signed.name}: signed by {due.whose}")
        return Exit.OK
    found = repaired(signed.bodies[0], [signature], [due.key], None) if signature else None
    if found is None or not found.words.startswith("over the body"):
        why = why_not(signed.bodies[0], signed.signatures, due, others)
    else:
        why = (
            f"The right key signed it, but {found.words}. It was changed after that: verify the bytes as they are sent."
        )
    say(f"{paint('NO', 'red')}  {signed.name}: {why}")
    if not signed.exact:
        say(
            "    The capture has decoded text, not the bytes that were sent: a signature that does not fit proves nothing."
        )
    return Exit.NO


def _holds(verifier: RsaVerifier, body: bytes, signature: str) -> bool:
    from paywright_runtime.signing.rsa import SignatureProblem

    try:
        verifier.verify(body, signature)
    except SignatureProblem:
        return False
    return True


def _key(name: str) -> KeyInWords:
    from paywright_runtime.errors import KeyProblem
    from paywright_runtime.signing.diagnosis import KeyInWords

    try:
        return KeyInWords(name, any_key(name)[1])
    except KeyProblem as error:
        raise Usage(f"{name}: {error}") from None


def _given(args: argparse.Namespace) -> _Signed:
    """Return the message to verify. Raises `Usage`."""
    captured = args.capture is not None
    if captured == (args.body is not None) or captured != (args.number is not None) or captured != (args.sign is None):
        raise Usage("give BODY with --sign, or --capture with --number")
    if [args.key, args.body, args.capture, *args.other].count("-") > 1:
        raise Usage("only one of the files can be standard input")
    if captured:
        return _captured(args.capture, args.number, args.part)
    body = read_input(args.body, _LONGEST)
    if len(body) > _LONGEST:
        raise Usage(f"{args.body}: it has more than {_LONGEST} bytes; no message of the gateway is that long")
    return _Signed(f"{args.body}, {len(body)} bytes", [body], [args.sign])


def _captured(file: str, number: int, part: str) -> _Signed:
    """Return a message of a capture. Raises `Usage` if there is none, or it has no body whose signature can be judged."""
    from paywright_audit import read_input as exchanges_of
    from paywright_audit.input.body_decoding import bytes_of, unpacked
    from paywright_audit.input.records import Exact, Exchange

    unread = ""
    for one in exchanges_of(file):
        if not isinstance(one, Exchange):
            unread = one.why
        elif one.number == number:
            message = one.request if part == "request" else one.response
            name = f"{file}, {one.place} {number}, {part}"
            if message is None:
                raise Usage(f"{name}: the capture has no response")
            body = bytes_of(message)
            if body is None:
                raise Usage(f"{name}: the capture does not have its body, which is what is signed")
            inside = unpacked(message)
            bodies = [body] if inside is None else [body, inside]
            return _Signed(name, bodies, message.get_all("sign"), isinstance(message.body, Exact))
    raise Usage(
        f"{file}: there is no exchange with the number {number}{unread and f'; what could not be read: {unread}'}"
    )
