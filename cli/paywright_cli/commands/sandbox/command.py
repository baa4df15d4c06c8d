"""`paywright sandbox`: create a folder, and serve it."""

from __future__ import annotations

import argparse
import signal
import sys
from datetime import datetime
from pathlib import Path
from typing import Final

from paywright_cli.check_receiver import command as check_command
from paywright_cli.commands.sandbox import control_command, log_command, merchant_command
from paywright_cli.common.options import port_number
from paywright_cli.common.parser import Parser
from paywright_cli.common.terminal import Usage, need, say
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.responses import HttpReply
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
    actions = control_command.add_commands(add)
    merchant_command.add_command(actions["merchants"])
    log_command.add_command(add)
    check_command.fill(
        add("check-receiver", "test your endpoint with valid, repeated, forged and broken notifications")
    )


def _add_serving(parser: Parser, folder: object) -> None:
    absent = argparse.SUPPRESS if folder is argparse.SUPPRESS else None
    parser.takes("--dir DIR", "folder made by init (default sandbox)", type=Path, default=folder)
    parser.takes("--port PORT", "port; 0 takes a free one (default: sandbox.toml's)", type=port_number, default=absent)
    parser.takes("--host HOST", "address to listen on (default 127.0.0.1)", default=absent or "127.0.0.1")
    form, kind = merchant_command.FORM, merchant_command.option
    says = "a further merchant, beside those of sandbox.toml; may be given several times"
    parser.takes(f"--merchant {form}", says, type=kind, action="append", default=absent)
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
    merchant_command.add_merchants(settings, args.merchant or [])
    if args.notify is not None:
        merchant_command.notify_at(settings, args.notify)
    need("sandbox")
    from paywright_sandbox.http.server import Server, address_of, listen  # an extra

    store = open_store(None if args.memory else settings.state, power_safe=settings.power_safe)
    try:
        with listen(args.host, settings.port if args.port is None else args.port) as listening:
            engine = make_engine(settings, store, address=address_of(listening))
            server = Server(engine, listening, None if args.quiet else _line)
            for number in (
                signal.SIGINT,
                signal.SIGTERM,
            ):  # until uvicorn has its own, and when it raises them again at its end
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
    sys.stdout.flush()


def _line(what: str, reply: HttpReply) -> None:
    name = reply.operation if reply.operation not in ("", "control") else what
    say(f"{datetime.now():%H:%M:%S} {name} -> {reply.status} {reply.code}".rstrip(), stream=sys.stderr, flush=True)
