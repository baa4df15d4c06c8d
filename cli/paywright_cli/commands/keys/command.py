"""`paywright keys`: generate a pair, describe a key, check that keys belong together, and that one signed a message.

No private key is printed.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from paywright_cli.commands.keys import verifying
from paywright_cli.commands.keys.reading import any_key, private_key, public_key, read_key
from paywright_cli.common.exit_codes import Exit
from paywright_cli.common.parser import HelpFormatter
from paywright_cli.common.terminal import Usage, paint, say
from paywright_runtime.private_files import PRIVATE, new_file

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

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

_Groups = argparse._SubParsersAction  # the only name argparse has for it


def register(groups: _Groups[argparse.ArgumentParser]) -> None:
    """Add `keys` to the command line."""
    parser = groups.add_parser(
        "keys",
        help="make, show and check RSA keys; say why a signature fails",
        description="Make, show and check the RSA keys that sign requests and verify answers, and say why a signature fails. Private "
        "keys are written to files only and never printed.",
        epilog=_EXAMPLES,
        formatter_class=HelpFormatter,
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    generate = commands.add_parser("generate", help="make a key pair in two new files; nothing is overwritten")
    generate.add_argument(
        "--dir",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="folder for the files, made if it is missing (default: here)",
    )
    generate.add_argument("--name", default="merchant", help="NAME.key and NAME.pub (default: merchant)")
    generate.add_argument(
        "--pkcs1",
        action="store_true",
        help="write the private key as PKCS#1 (BEGIN RSA PRIVATE KEY), for SDKs that read no other; `openssl rsa -traditional` "
        "converts a key that you have",
    )
    generate.set_defaults(run=_generate)

    check = commands.add_parser("check", help="exit 0 if the keys belong together and can be used, else 1")
    check.add_argument("private", metavar="PRIVATE", help="file of your private key")
    check.add_argument("public", metavar="PUBLIC", nargs="?", help="file of your public key")
    check.add_argument(
        "--gateway",
        action="append",
        default=[],
        metavar="FILE",
        help="file of a public key of the gateway; may be given several times",
    )
    check.set_defaults(run=_check)

    show = commands.add_parser("show", help="kind, bits and fingerprint of a key, without the key")
    show.add_argument("file", metavar="FILE", help="a key file, or - for standard input")
    show.set_defaults(run=_show)

    line = commands.add_parser("public-line", help="a public key as one line of Base64, as dashboards ask for it")
    line.add_argument("file", metavar="FILE", help="a public or a private key file, or -")
    line.set_defaults(run=_public_line)

    verifying.register(commands)


def _generate(args: argparse.Namespace) -> int:
    from paywright_runtime.signing.keys import generate_key_pair

    if not args.name or args.name in (".", "..") or "/" in args.name or "\\" in args.name or "\0" in args.name:
        raise Usage("--name is the name of a file, without a folder")
    private, public = args.dir / f"{args.name}.key", args.dir / f"{args.name}.pub"
    for path in (private, public):
        if os.path.lexists(path):
            raise Usage(f"{path} exists already; nothing was written. Choose another --name, or move the file")
    pair = generate_key_pair()
    with ExitStack() as undo:
        made = _made(args.dir)
        if made:
            undo.callback(_quietly, args.dir.rmdir)
        _write_new(private, pair.private_pkcs1 if args.pkcs1 else pair.private_pem, PRIVATE)
        undo.callback(_quietly, private.unlink)
        _write_new(public, pair.public_pem, 0o644)
        undo.pop_all()
    modes = os.name == "posix"
    if made:
        say(f"{args.dir}  a new folder{', for you alone (mode 0700)' * modes}")
    say(f"{private}  private key; keep it secret{' (mode 0600)' * modes}")
    say(f"{public}  public key, {pair.fingerprint}; its one line for the dashboard:")
    say(pair.public_line)
    return Exit.OK


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
        with new_file(path, mode=mode) as file:
            file.write(text.encode())
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "no name for a file"
        raise Usage(f"{path}: {why}; no key was kept") from None


def _check(args: argparse.Namespace) -> int:
    from paywright_runtime.errors import KeyProblem
    from paywright_runtime.signing.keys import check_pair, fingerprint, same_key

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
        report(args.private, None, f"a private key of 2048 bits, {fingerprint(private.public_key())}")
    except KeyProblem as error:
        report(args.private, str(error), "")
    if args.public is not None:
        try:
            public = public_key(read_key(args.public))
            if private is not None:
                check_pair(private, public)
            report(args.public, None, "the public key of that private key" if private else "a public key of 2048 bits")
        except KeyProblem as error:
            report(args.public, str(error), "")
    for name in args.gateway:
        try:
            gateway = public_key(read_key(name))
        except KeyProblem as error:
            report(name, str(error), "")
            continue
        own = private is not None and same_key(private, gateway)
        trouble = "this is your own public key; the gateway's is the one its dashboard shows" if own else None
        report(name, trouble, f"a public key of 2048 bits, {fingerprint(gateway)}, and not your own")
    return Exit.OK if good else Exit.NO


def _show(args: argparse.Namespace) -> int:
    from paywright_runtime.signing.keys import fingerprint

    private, public = any_key(args.file)
    say(f"kind         {'private key' if private else 'public key'}")
    say(f"bits         {public.key_size}")
    say(f"exponent     {public.public_numbers().e}")
    say(f"fingerprint  {fingerprint(public)}")
    if private and args.file != "-" and os.name == "posix" and Path(args.file).stat().st_mode & 0o077:
        say(f"{paint('note', 'yellow')}         other users may read this file; run: chmod 600 {args.file}")
    return Exit.OK


def _public_line(args: argparse.Namespace) -> int:
    from base64 import b64encode

    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    _, public = any_key(args.file)
    say(b64encode(public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).decode("ascii"))
    return Exit.OK
