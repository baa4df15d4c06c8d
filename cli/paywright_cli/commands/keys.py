"""`paywright keys`: generate a pair, describe a key, check that keys belong together, and that one signed a message.

No private key is printed.
"""

from __future__ import annotations

import argparse
import os
from base64 import b64encode
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final, NamedTuple

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from paywright_audit.input.body_decoding import bytes_of, unpacked
from paywright_audit.input.captures.reading import read_input as exchanges_of
from paywright_audit.input.records import Exact, Exchange
from paywright_audit.input.repairs import repaired
from paywright_cli.commands.key_reading import any_key, private_key, public_key, read_key
from paywright_cli.common.exit_codes import Exit
from paywright_cli.common.parser import Parser
from paywright_cli.common.terminal import Usage, paint, read_input, say
from paywright_runtime.errors import KeyProblem
from paywright_runtime.private_files import PRIVATE, new_file
from paywright_runtime.signing import keys
from paywright_runtime.signing.diagnosis import KeyInWords, why_not
from paywright_runtime.signing.key_text import in_words
from paywright_runtime.signing.rsa import RsaVerifier, SignatureProblem

_EXAMPLES = """\
examples:
  paywright keys generate                          merchant.key (0600) and merchant.pub here
  paywright keys generate --dir secrets --name live
  paywright keys public-line merchant.pub          the one line that the gateway's dashboard asks for
  paywright keys check merchant.key merchant.pub --gateway gateway.pub
  paywright keys show merchant.key                 kind, bits, fingerprint; never the key
  paywright keys verify gateway.pub answer.json --sign 'KW0P...'    whether the gateway signed exactly these bytes, or why not
  paywright keys verify gateway.pub --capture seen.jsonl --number 3 --part response

exit codes: 0 yes, or done, 1 no: keys that do not belong together, another key or other bytes, 2 usage, or a file that is no key
"""

_LONGEST: Final = 16 * 1024 * 1024


def fill(parser: Parser) -> None:
    """Add what `keys` takes."""
    parser.description = (
        "Make, show and check the RSA keys that sign requests and verify answers, and say why a signature fails. Private "
        "keys are written to files only and never printed."
    )
    parser.epilog = _EXAMPLES
    several = {"action": "append", "default": []}
    add = parser.group("command", required=True)
    generate = add("generate", "make a key pair in two new files; nothing is overwritten", _generate)
    says = "folder for the files, made if it is missing (default: here)"
    generate.takes("--dir DIR", says, type=Path, default=Path())
    generate.takes("--name NAME", "NAME.key and NAME.pub (default: merchant)", default="merchant")
    says = (
        "write the private key as PKCS#1 (BEGIN RSA PRIVATE KEY), for SDKs that read no other; `openssl rsa -traditional` "
        "converts a key that you have"
    )
    generate.takes("--pkcs1", says)
    check = add("check", "exit 0 if the keys belong together and can be used, else 1", _check)
    check.takes("PRIVATE", "file of your private key")
    check.takes("PUBLIC", "file of your public key", nargs="?")
    check.takes("--gateway FILE", "file of a public key of the gateway; may be given several times", **several)
    show = add("show", "kind, bits and fingerprint of a key, without the key", _show)
    show.takes("FILE", "a key file, or - for standard input")
    line = add("public-line", "a public key as one line of Base64, as dashboards ask for it", _public_line)
    line.takes("FILE", "a public or a private key file, or -")
    verify = add(
        "verify", "exit 0 if a key signed exactly these bytes, else 1, and say what was signed instead", _verify
    )
    verify.takes("KEY", "file of the key that should have signed, public or private")
    verify.takes("BODY", "file of the body, byte for byte as it was received, or -", nargs="?")
    verify.takes("--sign TEXT", "the value of the header `sign` that came with BODY")
    verify.takes("--capture FILE", "instead of BODY: a capture, in any form that `paywright audit` reads")
    says = "which line, entry or flow of the capture, as the audit counts them"
    verify.takes("--number N", says, type=int)
    says = "which message of it (default: the request)"
    verify.takes("--part", says, choices=("request", "response"), default="request")
    verify.takes("--other FILE", "a key that may have signed it by mistake; may be given several times", **several)


def _generate(args: argparse.Namespace) -> None:
    if not args.name or args.name in (".", "..") or "/" in args.name or "\\" in args.name or "\0" in args.name:
        raise Usage("--name is the name of a file, without a folder")
    private, public = args.dir / f"{args.name}.key", args.dir / f"{args.name}.pub"
    for path in (private, public):
        if os.path.lexists(path):
            raise Usage(f"{path} exists already; nothing was written. Choose another --name, or move the file")
    pair = keys.generate_key_pair()
    with ExitStack() as undo:
        made = _made(args.dir)
        if made:
            undo.callback(_quietly, args.dir.rmdir)
        form = PrivateFormat.TraditionalOpenSSL if args.pkcs1 else PrivateFormat.PKCS8
        _write_new(private, pair.private.private_bytes(Encoding.PEM, form, NoEncryption()).decode(), PRIVATE)
        undo.callback(_quietly, private.unlink)
        _write_new(public, pair.public_pem, 0o644)
        undo.pop_all()
    modes = os.name == "posix"
    if made:
        say(f"{args.dir}  a new folder{', for you alone (mode 0700)' * modes}")
    say(f"{private}  private key; keep it secret{' (mode 0600)' * modes}")
    say(f"{public}  public key, {pair.fingerprint}; its one line for the dashboard:")
    say(pair.public_line)


def _made(folder: Path) -> bool:
    """Make a folder if it is not there, for its owner alone; return whether it was made. Raises `Usage`."""
    try:
        folder.mkdir(0o700)
    except FileExistsError:
        return False
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "no name for a folder"
        raise Usage(f"{folder}: {why}; the folder could not be made, and no key was") from None
    return True


def _quietly(undo: Callable[[], object]) -> None:
    with suppress(OSError):
        undo()


def _write_new(path: Path, text: str, mode: int) -> None:
    try:
        with new_file(path, mode=mode) as file, ExitStack() as undo:
            undo.callback(_quietly, path.unlink)
            file.write(text.encode())
            file.flush()  # what finds no room shows here
            undo.pop_all()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "no name for a file"
        raise Usage(f"{path}: {why}; no key was kept") from None


def _check(args: argparse.Namespace) -> int:
    given = read_key(args.private)
    if args.public is None and not args.gateway:
        raise Usage("give your public key, or the gateway's with --gateway, to compare with the private key")
    good = True

    def report(name: str, trouble: str | None, fine: str) -> None:
        nonlocal good
        good = good and trouble is None
        mark = paint("ok", "green") if trouble is None else paint("NO", "red")
        say(f"{mark}  {name}: {fine if trouble is None else trouble}")

    private: RSAPrivateKey | None = None
    try:
        private = private_key(given)
        report(args.private, None, f"a private key of 2048 bits, {keys.fingerprint(private.public_key())}")
    except KeyProblem as error:
        report(args.private, str(error), "")
    if args.public is not None:
        try:
            public = public_key(read_key(args.public))
            trouble = None
            if private is not None and private.public_key() != public:
                due = keys.fingerprint(private.public_key())
                trouble = f"it does not match the private key, which belongs to {due}: it is {keys.fingerprint(public)}"
            report(
                args.public, trouble, "the public key of that private key" if private else "a public key of 2048 bits"
            )
        except KeyProblem as error:
            report(args.public, in_words(error), "")
    for name in args.gateway:
        try:
            gateway = public_key(read_key(name))
        except KeyProblem as error:
            report(name, str(error), "")
            continue
        own = private is not None and private.public_key() == gateway
        trouble = "this is your own public key; the gateway's is the one its dashboard shows" if own else None
        report(name, trouble, f"a public key of 2048 bits, {keys.fingerprint(gateway)}, and not your own")
    return Exit.OK if good else Exit.NO


def _show(args: argparse.Namespace) -> None:
    private, public = any_key(args.file)
    say(f"kind         {'private key' if private else 'public key'}")
    say(f"bits         {public.key_size}")
    say(f"exponent     {public.public_numbers().e}")
    say(f"fingerprint  {keys.fingerprint(public)}")
    if private and args.file != "-" and os.name == "posix" and Path(args.file).stat().st_mode & 0o077:
        say(f"{paint('note', 'yellow')}         other users may read this file; run: chmod 600 {args.file}")


def _public_line(args: argparse.Namespace) -> None:
    _, public = any_key(args.file)
    say(b64encode(public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).decode("ascii"))


class _Signed(NamedTuple):
    """Bytes that may have been signed: as they came, and unpacked; with the values of all `sign` headers that came with them.

    `exact` is False if its bytes may have been changed since.
    """

    name: str
    bodies: Sequence[bytes]
    signatures: Sequence[str]
    exact: bool = True


def _verify(args: argparse.Namespace) -> int:
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
    try:
        verifier.verify(body, signature)
    except SignatureProblem:
        return False
    return True


def _key(name: str) -> KeyInWords:
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
