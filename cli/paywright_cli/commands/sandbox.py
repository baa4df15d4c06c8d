"""`paywright sandbox`: create a folder, serve it, with further merchants if asked for, and print its log."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from time import sleep
from typing import Final, NamedTuple

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from paywright_cli.check_receiver import command as check_command
from paywright_cli.commands.sandbox_control import (
    Add,
    Verb,
    add_commands,
    add_where,
    ask,
    refusable,
    remote_of,
    say_answer,
)
from paywright_cli.common.options import port_number
from paywright_cli.common.parser import Parser
from paywright_cli.common.terminal import Usage, flush, need, say, say_bytes
from paywright_runtime.errors import ConfigurationError
from paywright_runtime.private_files import open_private
from paywright_runtime.signing.keys import load_public_key
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.merchant import ADDRESSES, RegisteredMerchant, entry_faults, merchant_of, taken
from paywright_sandbox.engine.responses import HttpReply
from paywright_sandbox.engine.settings import STATE_FILE, SandboxSettings
from paywright_sandbox.engine.state.captures import Captures
from paywright_sandbox.engine.url_policy import NotAllowed, read_destination
from paywright_sandbox.gateway import make_engine, open_store, read_settings
from paywright_sandbox.init import ENV_FILE, make_folder, read_env

_EXAMPLES: Final = """examples:
  paywright sandbox init sandbox             make keys, sandbox.toml and .env
  paywright sandbox --dir sandbox            serve it on the port of sandbox.toml
  paywright sandbox --dir sandbox --port 0   serve it on a free port
  paywright sandbox serve --dir sandbox      the same
  set -a; . sandbox/.env; set +a             let Client.from_env() find it
  paywright sandbox wait --dir sandbox       in a script: until it answers
  paywright sandbox trigger pay ORD_1        the payer pays
  paywright sandbox advance 10m              what is due in ten minutes happens now
  paywright sandbox clock freeze             time stands still until `resume`
  paywright sandbox notifications            what was sent, and what is due
  paywright sandbox events                   what happened
  paywright sandbox policies                 what the specification leaves open, and how it is decided
  paywright sandbox reset                    begin with an empty state

exit codes: 0 done, 1 it was refused or is not there, 2 usage, or the sandbox does not answer; 130 interrupted
"""


def fill(parser: Parser) -> None:
    """Add what `sandbox` takes."""
    parser.description = "Serve a payment gateway on this machine: it verifies requests, keeps state and signs answers."
    parser.epilog = _EXAMPLES
    _add_serving(parser, Path("sandbox"))
    add = parser.group("command")
    making = add("init", "create a folder with keys, sandbox.toml and .env", _init)
    making.takes("DIR", "the folder", dest="folder", type=Path)
    making.takes("--port PORT", "port that sandbox.toml and .env name (default 8787)", type=port_number, default=8787)
    making.takes("--force", "replace files that are there, with new keys")
    # Options before the command apply unless they are repeated after it.
    _add_serving(add("serve", "serve a folder; the same as no command", aliases=["start"]), argparse.SUPPRESS)
    actions = add_commands(add)
    _add_merchant_command(actions["merchants"])
    _add_log_command(add)
    checking = add("check-receiver", "test your endpoint with valid, repeated, forged and broken notifications")
    check_command.fill(checking)


def _add_serving(parser: Parser, folder: object) -> None:
    absent = argparse.SUPPRESS if folder is argparse.SUPPRESS else None
    parser.takes("--dir DIR", "folder made by init (default sandbox)", type=Path, default=folder)
    parser.takes("--port PORT", "port; 0 takes a free one (default: sandbox.toml's)", type=port_number, default=absent)
    parser.takes("--host HOST", "address to listen on (default 127.0.0.1)", default=absent or "127.0.0.1")
    says = "a further merchant, beside those of sandbox.toml; may be given several times"
    parser.takes(f"--merchant {FORM}", says, type=named_merchant, action="append", default=absent)
    says = "URL for notifications and questions to merchants without one of their own, such as that of paywright listen"
    parser.takes("--notify URL", says, default=absent)
    parser.takes("--memory", "keep no state on disk", default=absent or False)
    parser.takes("--quiet", "do not print a line for each request", default=absent or False)
    parser.set_defaults(run=_serve)


def _init(args: argparse.Namespace) -> None:
    if args.port == 0:
        raise Usage("a folder needs a port of its own, so that .env can name it: give one from 1 to 65535")
    for file in make_folder(args.folder, port=args.port, force=args.force):
        say(f"wrote {file}")
    say(
        "",
        "Next:",
        f"  paywright sandbox --dir {args.folder}",
        "and in another terminal:",
        f"  set -a; . {args.folder / ENV_FILE}; set +a",
        "  python -c 'from paywright import Client; print(Client.from_env())'",
        f"Merchants, policies and the clock are set in {args.folder / 'sandbox.toml'}.",
    )


def _serve(args: argparse.Namespace) -> None:
    """Serve the sandbox of a folder until SIGINT or SIGTERM."""
    settings = read_settings(args.dir)
    add_merchants(settings, args.merchant or [])
    if args.notify is not None:
        notify_at(settings, args.notify)
    need("sandbox")
    from paywright_sandbox.http.server import Server, address_of, listen  # an extra

    store = open_store(None if args.memory else settings.state, power_safe=settings.power_safe)
    try:
        with listen(args.host, settings.port if args.port is None else args.port) as listening:
            engine = make_engine(settings, store, address=address_of(listening))
            server = Server(engine, listening, None if args.quiet else _line)
            # Until uvicorn has its own, and when it raises them again at its end.
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, lambda *_: server.stop())
            _announce(args.dir, engine, memory=args.memory)
            server.run()
    finally:
        store.close()
    say("Stopped." if args.memory else f"Stopped. The state is kept in {settings.state}.", flush=True)


def _announce(folder: Path, engine: Engine, *, memory: bool) -> None:
    address, merchants = engine.address, ", ".join(merchant.app_id for merchant in engine.merchants.registered)
    say(f"Serving the gateway on {address} for {merchants}; stop it with Ctrl-C.")
    for added in engine.merchants.set_aside:
        say(f"Set aside: {added.merchant.app_id}, who was added by the control API; {added.aside}.")
    say(f"Folder: {folder.absolute()}{', state in memory' if memory else ''}")
    say(f"Console: {address}/_sandbox/")
    try:
        named = read_env(folder).get("PAYWRIGHT_BASE_URL")
    except OSError:
        named = None
    if named is not None and named != address:
        say(f"Its .env names {named}: set PAYWRIGHT_BASE_URL={address} for your client.")
    flush()


def _line(what: str, reply: HttpReply) -> None:
    name = reply.operation if reply.operation not in ("", "control") else what
    say(f"{datetime.now():%H:%M:%S} {name} -> {reply.status} {reply.code}".rstrip(), stream=sys.stderr, flush=True)


# Merchants


FORM: Final = "APP_ID:MERCHANT_NO:PUBLIC_KEY_FILE"
_MERCHANTS: Final = """examples:
  paywright sandbox merchants add app_2:MN0000000000002:keys/second.pub
  paywright sandbox merchants add app_3:MN0000000000003:third.pub notifyUrl=http://127.0.0.1:9000/orders memberId=MB3
"""


class NamedMerchant(NamedTuple):
    """A merchant of the command line."""

    app_id: str
    merchant_no: str
    key_file: Path


def named_merchant(text: str) -> NamedMerchant:
    """Parse `FORM`. Raises `argparse.ArgumentTypeError`."""
    parts = text.split(":", 2)
    if len(parts) != 3 or not all(parts):
        raise argparse.ArgumentTypeError(f"a merchant is {FORM}, such as app_2:MN0000000000002:second.pub")
    return NamedMerchant(parts[0], parts[1], Path(parts[2]))


def add_merchants(settings: SandboxSettings, options: list[NamedMerchant]) -> None:
    """Add the merchants of the command line to those of sandbox.toml. Raises `Usage`."""
    settings.merchants = (
        *settings.merchants,
        *(_merchant(settings, given, options[:at]) for at, given in enumerate(options)),
    )


def notify_at(settings: SandboxSettings, url: str) -> None:
    """Set `url` for all notifications of all merchants that have no URL. Raises `Usage`."""
    try:
        read_destination(url, settings.deliver_to)
    except NotAllowed as refused:
        raise Usage(f"--notify: {refused}") from None
    for merchant in settings.merchants:
        for name in ADDRESSES:
            merchant.addresses.setdefault(name, url)


def _merchant(settings: SandboxSettings, given: NamedMerchant, before: list[NamedMerchant]) -> RegisteredMerchant:
    entry = {"app-id": given.app_id, "merchant-no": given.merchant_no}
    where = f"--merchant {given.app_id}"
    wrong = entry_faults(where, entry)
    if wrong:
        raise Usage("; ".join(wrong))
    merchant = merchant_of(entry, load_public_key(given.key_file), origin="--merchant")
    if settings.signer.key in merchant.verifier.keys:
        raise Usage(f"{where}: {given.key_file} is the gateway's own public key; give the merchant's")
    others = [known.numbers for known in settings.merchants]
    others += [{"app_id": other.app_id, "merchant_no": other.merchant_no} for other in before]
    if twice := taken(merchant.numbers, others):
        raise Usage(
            f"{where}: another merchant has the {twice} {entry[twice]} already, in sandbox.toml or by --merchant"
        )
    return merchant


def _add_merchant_command(add: Add) -> None:
    """Add `add` to `paywright sandbox merchants`."""
    adding = add("add", "register a merchant", refusable(_add_merchant), epilog=_MERCHANTS)
    adding.description = (
        "Add a merchant, who may call at once. The file holds the merchant's public key: PEM, or the "
        "Base64 inside it on one line."
    )
    adding.takes(FORM, "such as app_2:MN0000000000002:second.pub", dest="merchant", type=named_merchant)
    adding.takes("NAME=VALUE", "further fields, such as notifyUrl=...", dest="given", nargs="*")
    add_where(adding)


def _add_merchant(args: argparse.Namespace) -> None:
    new: NamedMerchant = args.merchant
    key = load_public_key(new.key_file)  # read here, so that a private key never leaves this process
    pem = key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    named = {"appId": new.app_id, "merchantNo": new.merchant_no, "publicKey": pem}
    say_answer(args, ask(args, "merchants add", Verb("register a merchant", "POST merchants"), args.given, named))


# The log


_LOG: Final = """The log contains whole bodies, and so whatever payers entered: treat it like the state file. A new FILE is
readable by its owner only; an existing one keeps its mode.

examples:
  paywright sandbox log | paywright audit - --merchant-key sandbox/keys/merchant.pub --gateway-key sandbox/keys/gateway.pub
  paywright sandbox log --output session.jsonl
  paywright sandbox log --follow
"""


def _add_log_command(add: Add) -> None:
    """Add `log` to `paywright sandbox`."""
    log = add("log", "print captured exchanges, as capture records", refusable(_log), epilog=_LOG)
    log.description = (
        "Print all captured exchanges and notifications as JSON lines that `paywright audit` reads: from "
        "the running sandbox, else from the folder's state."
    )
    log.takes("--follow", "continue with new ones, until interrupted")
    log.takes("--output FILE", "write to a file instead of standard output", type=Path)
    add_where(log)


def _log(args: argparse.Namespace) -> None:
    if args.output is None:
        for line in _lines(args):
            say_bytes(line, flush=args.follow)
        return
    count = 0
    with open_private(args.output) as out:
        for line in _lines(args):
            out.write(line)
            count += line.count(b"\n")
            if args.follow:
                out.flush()
    say(f"wrote {args.output}: {count} exchange{'' if count == 1 else 's'}")


def _lines(args: argparse.Namespace) -> Iterator[bytes]:
    stored = None if getattr(args, "url", None) or args.follow else _stored(args.dir)
    if stored is not None:
        yield from stored
        return
    remote, last = remote_of(args), 0
    while True:
        for line in remote.lines(f"log/{last}"):
            last = int(line.rpartition(b"sandbox#")[2].partition(b'"')[0])
            yield line
        if not args.follow:
            return
        sleep(0.5)


def _stored(folder: Path) -> Iterator[bytes] | None:
    """Yield the log of a folder that is not served; None if it is served, or has no state yet."""
    file = folder / STATE_FILE
    if not file.exists():
        return None
    try:
        store = open_store(file)
    except ConfigurationError as error:
        if "is in use" in str(error):
            return None
        raise

    def lines() -> Iterator[bytes]:
        try:
            yield from Captures(store, 1).lines()
        finally:
            store.close()

    return lines()
