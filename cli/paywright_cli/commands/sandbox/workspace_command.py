"""`paywright sandbox reset` and `paywright sandbox snapshot`: the whole workspace begins anew, is kept, or goes back."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from paywright_tools.sandbox.remote_command import add_where, guarded, remote_of

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["register"]

_EXAMPLES: Final = """A snapshot is the whole state: orders, money, notifications, clock, faults, log and added merchants. By a name the
sandbox keeps it, in the folder `snapshots` beside its state; a FILE is yours, for another folder or another machine. Both
hold whatever payers entered, and are made readable by their owner alone.

examples:
  paywright sandbox snapshot save before-refunds
  paywright sandbox snapshot restore before-refunds
  paywright sandbox snapshot save --output state.sqlite3
  paywright sandbox snapshot restore --input state.sqlite3
  paywright sandbox snapshot list
"""


def register(commands: Subparsers) -> None:
    """Mounts `reset` and `snapshot` on `paywright sandbox`."""
    resetting = commands.add_parser(
        "reset",
        help="begin anew with an empty state",
        description="Empty the state of a sandbox that is being served: orders, money, notifications, clock, log, and the "
        "merchants who were added while it ran. Keys, sandbox.toml and snapshots stay.",
    )
    resetting.add_argument("--keep-merchants", action="store_true", help="the merchants who were added stay")
    resetting.set_defaults(run=guarded(_reset))
    snapshot = commands.add_parser(
        "snapshot",
        help="keep the whole state, or go back to one that was kept",
        description="Keep the state of a sandbox that is being served, or put one that was kept in its place.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    snapshot.set_defaults(run=_usage(snapshot))
    actions = snapshot.add_subparsers(metavar="ACTION", title="actions")
    saving = actions.add_parser("save", help="keep the state as it is now")
    saving.add_argument(
        "name", metavar="NAME", nargs="?", help="letters, digits, - and _ (default the next free snapshot-N)"
    )
    saving.add_argument("--output", metavar="FILE", type=Path, help="write a file in place of keeping it by a name")
    saving.add_argument("--replace", action="store_true", help="replace the one, or the file, that is there")
    saving.set_defaults(run=guarded(_save))
    restoring = actions.add_parser("restore", help="put one that was kept in place of the state")
    restoring.add_argument("name", metavar="NAME", nargs="?", help="one of the list")
    restoring.add_argument("--input", metavar="FILE", type=Path, help="a file that `save --output` wrote")
    restoring.set_defaults(run=guarded(_restore))
    listing = actions.add_parser("list", help="show those that are kept by name, the latest first")
    listing.set_defaults(run=guarded(_list))
    removing = actions.add_parser("remove", help="keep one no longer")
    removing.add_argument("name", metavar="NAME")
    removing.set_defaults(run=guarded(_remove))
    add_where(snapshot)
    for parser in (resetting, saving, restoring, listing, removing):
        add_where(parser)


def _usage(parser: argparse.ArgumentParser) -> Callable[[argparse.Namespace], int]:
    def run(_: argparse.Namespace) -> int:
        parser.print_help()
        return 2

    return run


def _reset(args: argparse.Namespace) -> None:
    answer = remote_of(args).call("POST", "reset", {"keepMerchants": True} if args.keep_merchants else {})
    print(f"The sandbox begins anew; gone: {_counted(answer['gone'])}. It is {answer['now']}.")


def _save(args: argparse.Namespace) -> None:
    from paywright_runtime.errors import ConfigurationError

    if args.output is None:
        body: dict[str, object] = {"replace": args.replace}
        answer = remote_of(args).call("POST", "snapshots", body if args.name is None else {**body, "name": args.name})
        print(f"kept {answer['name']}: {_counted(answer['holds'])}")
        return
    if args.name is not None:
        raise ConfigurationError("Give a NAME for the sandbox to keep it, or --output FILE to have it; not both.")
    if args.output.exists() and not args.replace:
        raise ConfigurationError(f"{args.output} is there already: --replace replaces it. Nothing was written.")
    raw = remote_of(args).fetch("snapshot")
    half = args.output.with_name(f".{args.output.name}.{os.getpid()}.new")
    try:
        half.unlink(missing_ok=True)
        with open(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            out.write(raw)
        os.replace(half, args.output)
    except OSError as error:
        raise ConfigurationError(f"{args.output} cannot be written: {error.strerror or error}.") from None
    print(f"wrote {args.output}: {len(raw)} bytes")


def _restore(args: argparse.Namespace) -> None:
    from paywright_runtime.errors import ConfigurationError

    if (args.name is None) == (args.input is None):
        raise ConfigurationError(
            "Say what to restore: paywright sandbox snapshot restore NAME, or restore --input FILE."
        )
    if args.input is None:
        answer = remote_of(args).call("POST", f"snapshots/{quote(args.name, safe='')}/restore")
    else:
        try:
            raw = args.input.read_bytes()
        except OSError as error:
            raise ConfigurationError(f"{args.input} cannot be read: {error.strerror or error}.") from None
        answer = remote_of(args).put("snapshot", raw)
    print(f"restored {args.name or args.input}: {_counted(answer['holds'])}. It is {answer['now']}.")


def _list(args: argparse.Namespace) -> None:
    found = remote_of(args).call("GET", "snapshots")["snapshots"]
    assert isinstance(found, list)
    for snapshot in found:
        print(f"{snapshot['name']} of {snapshot['at']}, {snapshot['bytes']} bytes")
    if not found:
        print("No snapshot is kept: take one with paywright sandbox snapshot save.")


def _remove(args: argparse.Namespace) -> None:
    remote_of(args).call("DELETE", f"snapshots/{quote(args.name, safe='')}")
    print(f"{args.name} is kept no longer")


def _counted(counts: object) -> str:
    from paywright_tools.sandbox.snapshots import counted

    assert isinstance(counts, dict)
    return ", ".join(counted(counts)) or "nothing, it was empty"
