"""`paywright sandbox`: create a folder, serve it, add a merchant, and print its log."""

from __future__ import annotations

import argparse
import signal
import sys
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from paywright_cli.check_receiver import command as check_command
from paywright_cli.commands.key_reading import named_public_key
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
from paywright_runtime.private_files import open_private
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.merchant import ADDRESSES
from paywright_sandbox.engine.responses import HttpReply
from paywright_sandbox.engine.settings import SandboxSettings
from paywright_sandbox.engine.url_policy import NotAllowed, read_destination
from paywright_sandbox.gateway import make_engine, open_store, read_settings
from paywright_sandbox.init import ENV_FILE, make_folder, read_env

_EXAMPLES: Final = """examples:
  paywright sandbox init sandbox             make keys, sandbox.toml and .env
  paywright sandbox --dir sandbox            serve it on the port of sandbox.toml
  paywright sandbox --dir sandbox --port 0   serve it on a free port
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
    parser.takes("--dir DIR", "folder made by init (default sandbox)", type=Path, default=Path("sandbox"))
    parser.takes("--port PORT", "port; 0 takes a free one (default: sandbox.toml's)", type=port_number)
    parser.takes("--host HOST", "address to listen on (default 127.0.0.1)", default="127.0.0.1")
    says = "URL for notifications and questions to merchants without one of their own, such as that of paywright listen"
    parser.takes("--notify URL", says)
    parser.takes("--memory", "keep no state on disk")
    parser.takes("--quiet", "do not print a line for each request")
    parser.set_defaults(run=_serve)
    add = parser.group("command")
    making = add("init", "create a folder with keys, sandbox.toml and .env", _init)
    making.takes("DIR", "the folder", dest="folder", type=Path)
    making.takes("--port PORT", "port that sandbox.toml and .env name (default 8787)", type=port_number, default=8787)
    making.takes("--force", "replace files that are there, with new keys")
    actions = add_commands(add)
    _add_merchant_command(actions["merchants"])
    _add_log_command(add)
    checking = add("check-receiver", "test your endpoint with valid, repeated, forged and broken notifications")
    check_command.fill(checking)


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
    if args.notify is not None:
        notify_at(settings, args.notify)
    need("sandbox")
    from paywright_sandbox.http.server import Server, address_of, listen  # an extra

    store = open_store(None if args.memory else settings.state)
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


def notify_at(settings: SandboxSettings, url: str) -> None:
    """Set `url` for all notifications of all merchants that have no URL. Raises `Usage`."""
    try:
        read_destination(url, settings.deliver_to)
    except NotAllowed as refused:
        raise Usage(f"--notify: {refused}") from None
    for merchant in settings.merchants:
        for name in ADDRESSES:
            merchant.addresses.setdefault(name, url)


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
    key = named_public_key(str(new.key_file))  # read here, so that a private key never leaves this process
    pem = key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    named = {"appId": new.app_id, "merchantNo": new.merchant_no, "publicKey": pem}
    say_answer(args, ask(args, "merchants add", Verb("register a merchant", "POST merchants"), args.given, named))


# The log


_LOG: Final = """The log contains whole bodies, and so whatever payers entered: treat it like the state file. A new FILE is
readable by its owner only; an existing one keeps its mode.

examples:
  paywright sandbox log | paywright audit - --merchant-key sandbox/keys/merchant.pub --gateway-key sandbox/keys/gateway.pub
  paywright sandbox log --output session.jsonl
"""


def _add_log_command(add: Add) -> None:
    """Add `log` to `paywright sandbox`."""
    log = add("log", "print captured exchanges, as capture records", refusable(_log), epilog=_LOG)
    log.description = (
        "Print all exchanges and notifications of a running sandbox as JSON lines that `paywright audit` reads."
    )
    log.takes("--output FILE", "write to a file instead of standard output", type=Path)
    add_where(log)


def _log(args: argparse.Namespace) -> None:
    log = remote_of(args).fetch("log")
    if args.output is None:
        say_bytes(log)
        return
    with open_private(args.output) as out:
        out.write(log)
    count = log.count(b"\n")
    say(f"wrote {args.output}: {count} exchange{'' if count == 1 else 's'}")
