"""`paywright sandbox`: create a folder, and serve it."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from paywright_cli.check_receiver import command as check_command
from paywright_cli.commands.sandbox import control_command, log_command, merchant_command
from paywright_cli.common.exit_codes import Exit
from paywright_cli.common.options import port_number
from paywright_cli.common.parser import Parser
from paywright_cli.common.terminal import complain, say

if TYPE_CHECKING:
    from paywright_sandbox.engine.engine import Engine
    from paywright_sandbox.engine.responses import HttpReply

# The sandbox itself is imported when a command runs: the rest of the command line must not wait for it, and
# `paywright contract generate` works where the generated package is broken.

_FOLDER: Final = Path("sandbox")
_EXTRA: Final = "The sandbox needs starlette and uvicorn: pip install 'paywright[sandbox]'"
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

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]


def register(subparsers: Subparsers) -> None:
    """Add `sandbox` to the command line."""
    parser = subparsers.add_parser(
        "sandbox",
        help="run a gateway on this machine to develop against",
        description="Serve a payment gateway on this machine: it verifies requests, keeps state and signs answers.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_serving(parser, _FOLDER)
    commands = parser.add_subparsers(dest="sandbox_command", metavar="COMMAND", title="commands")
    making = commands.add_parser("init", help="create a folder with keys, sandbox.toml and .env")
    making.add_argument("folder", metavar="DIR", type=Path)
    making.add_argument(
        "--port", type=port_number, default=8787, help="port that sandbox.toml and .env name (default 8787)"
    )
    making.add_argument("--force", action="store_true", help="replace files that are there, with new keys")
    # Options before the command apply unless they are repeated after it.
    serving = commands.add_parser("serve", aliases=["start"], help="serve a folder; the same as no command")
    _add_serving(serving, argparse.SUPPRESS)
    actions = control_command.register(commands)
    merchant_command.register(actions["merchants"])
    log_command.register(commands)
    check_command.register(commands)
    parser.set_defaults(run=run)


def _add_serving(parser: argparse.ArgumentParser, folder: object) -> None:
    absent = argparse.SUPPRESS if folder is argparse.SUPPRESS else None
    parser.add_argument("--dir", metavar="DIR", type=Path, default=folder, help="folder made by init (default sandbox)")
    parser.add_argument(
        "--port", type=port_number, default=absent, help="port; 0 takes a free one (default: sandbox.toml's)"
    )
    parser.add_argument("--host", default=absent or "127.0.0.1", help="address to listen on (default 127.0.0.1)")
    parser.add_argument(
        "--merchant",
        metavar=merchant_command.FORM,
        type=merchant_command.option,
        action="append",
        default=absent,
        help="a further merchant, beside those of sandbox.toml; may be given several times",
    )
    parser.add_argument(
        "--notify",
        metavar="URL",
        default=absent,
        help="URL for notifications and questions to merchants without one of their own, such as that of paywright listen",
    )
    parser.add_argument("--memory", action="store_true", default=absent or False, help="keep no state on disk")
    parser.add_argument(
        "--quiet", action="store_true", default=absent or False, help="do not print a line for each request"
    )


def run(args: argparse.Namespace) -> int:
    """Run the command. Return 0, or 2 with the reason on stderr."""
    from paywright_runtime.errors import ConfigurationError

    try:
        if args.sandbox_command == "init":
            return init(args.folder, port=args.port, force=args.force)
        merchants = args.merchant or ()
        return serve(
            args.dir,
            port=args.port,
            host=args.host,
            memory=args.memory,
            quiet=args.quiet,
            merchants=merchants,
            notify=args.notify,
        )
    except ConfigurationError as error:
        complain(str(error), "paywright sandbox")
        return Exit.USAGE


def init(folder: Path, *, port: int = 8787, force: bool = False) -> int:
    """Run `paywright sandbox init`. Raises `ConfigurationError`."""
    from paywright_runtime.errors import ConfigurationError
    from paywright_sandbox.init import ENV_FILE, make_folder

    if port == 0:
        raise ConfigurationError(
            "A folder needs a port of its own, so that .env can name it: give one from 1 to 65535."
        )
    for file in make_folder(folder, port=port, force=force):
        say(f"wrote {file}")
    say(
        "",
        "Next:",
        f"  paywright sandbox --dir {folder}",
        "and in another terminal:",
        f"  set -a; . {folder / ENV_FILE}; set +a",
        "  python -c 'from paywright import Client; print(Client.from_env())'",
        f"Merchants, policies and the clock are set in {folder / 'sandbox.toml'}.",
    )
    return Exit.OK


def serve(
    folder: Path,
    *,
    port: int | None = None,
    host: str = "127.0.0.1",
    memory: bool = False,
    quiet: bool = False,
    merchants: Sequence[merchant_command.Option] = (),
    notify: str | None = None,
) -> int:
    """Serve the sandbox of a folder until SIGINT or SIGTERM. Raises `ConfigurationError`."""
    from paywright_sandbox.gateway import open_store, read_settings

    settings = read_settings(folder)
    merchant_command.add_merchants(settings, list(merchants))
    if notify is not None:
        merchant_command.notify_at(settings, notify)
    try:
        from paywright_sandbox.gateway import make_engine
        from paywright_sandbox.http.server import Server, address_of, listen
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn", "anyio", "h11", "click"):
            raise
        complain(_EXTRA, "paywright sandbox")
        return Exit.USAGE
    store = open_store(None if memory else settings.state, power_safe=settings.power_safe)
    try:
        listening = listen(host, settings.port if port is None else port)
        with listening:
            address = address_of(listening)
            engine = make_engine(settings, store, address=address)
            server = Server(engine, listening, None if quiet else _line)
            for number in (
                signal.SIGINT,
                signal.SIGTERM,
            ):  # until uvicorn has its own, and when it raises them again at its end
                signal.signal(number, lambda *_: server.stop())
            _announce(folder, engine, memory=memory)
            server.run()
    finally:
        store.close()
    say("Stopped." if memory else f"Stopped. The state is kept in {settings.state}.", flush=True)
    return Exit.OK


def _announce(folder: Path, engine: Engine, *, memory: bool) -> None:
    from paywright_sandbox.init import read_env

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


def main(arguments: list[str]) -> int:
    """Run `paywright sandbox` with these arguments."""
    parser = cast(argparse.ArgumentParser, Parser(prog="paywright"))
    register(parser.add_subparsers(dest="command", required=True))
    args = parser.parse_args(["sandbox", *arguments])
    return int(args.run(args))
