"""`paywright sandbox reset` and `paywright sandbox snapshot`: empty, save or restore the whole state."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

from paywright_cli.commands.sandbox.remote_command import add_where, guarded, path_part, remote_of
from paywright_cli.common.options import show_help
from paywright_cli.common.terminal import say
from paywright_runtime.private_files import replace_file

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["register"]

_EXAMPLES: Final = """A snapshot is the whole state: orders, money, notifications, clock, faults, log and added merchants. Under a
NAME it is stored in the folder `snapshots` beside the state; a FILE can be moved to another folder or machine. Both contain
whatever payers entered, and are readable by their owner only.

examples:
  paywright sandbox snapshot save before-refunds
  paywright sandbox snapshot restore before-refunds
  paywright sandbox snapshot save --output state.sqlite3
  paywright sandbox snapshot restore --input state.sqlite3
  paywright sandbox snapshot list
  paywright sandbox snapshot remove before-refunds
"""


def register(commands: Subparsers) -> None:
    """Add `reset` and `snapshot` to `paywright sandbox`."""
    resetting = commands.add_parser(
        "reset",
        help="empty the whole state",
        description="Empty the state of a running sandbox: orders, money, notifications, clock, log, and the "
        "merchants who were added while it ran. Keys, sandbox.toml and snapshots stay.",
    )
    resetting.add_argument("--keep-merchants", action="store_true", help="keep the merchants that were added")
    resetting.set_defaults(run=guarded(_reset))
    snapshot = commands.add_parser(
        "snapshot",
        help="save, restore, list and remove snapshots of the whole state",
        description="Save the state of a running sandbox, or restore a saved one.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    snapshot.set_defaults(run=show_help(snapshot))
    actions = snapshot.add_subparsers(metavar="ACTION", title="actions")
    saving = actions.add_parser("save", help="save the current state")
    saving.add_argument(
        "name", metavar="NAME", nargs="?", help="letters, digits, - and _ (default the next free snapshot-N)"
    )
    saving.add_argument(
        "--output", metavar="FILE", type=Path, help="write the snapshot to a file instead of storing it under a name"
    )
    saving.add_argument("--replace", action="store_true", help="replace an existing snapshot or file")
    saving.set_defaults(run=guarded(_save))
    restoring = actions.add_parser("restore", help="replace the state by a snapshot")
    restoring.add_argument("name", metavar="NAME", nargs="?", help="one of the list")
    restoring.add_argument("--input", metavar="FILE", type=Path, help="a file that `save --output` wrote")
    restoring.set_defaults(run=guarded(_restore))
    listing = actions.add_parser("list", help="list the stored snapshots, the latest first")
    listing.set_defaults(run=guarded(_list))
    removing = actions.add_parser("remove", help="remove a snapshot")
    removing.add_argument("name", metavar="NAME")
    removing.set_defaults(run=guarded(_remove))
    add_where(snapshot)
    for parser in (resetting, saving, restoring, listing, removing):
        add_where(parser)


def _reset(args: argparse.Namespace) -> None:
    answer = remote_of(args).call("POST", "reset", {"keepMerchants": True} if args.keep_merchants else {})
    say(f"The sandbox is empty; removed: {_counted(answer['gone'])}. It is {answer['now']}.")


def _save(args: argparse.Namespace) -> None:
    from paywright_runtime.errors import ConfigurationError

    if args.output is None:
        body: dict[str, object] = {"replace": args.replace}
        answer = remote_of(args).call("POST", "snapshots", body if args.name is None else {**body, "name": args.name})
        say(f"saved {answer['name']}: {_counted(answer['holds'])}")
        return
    if args.name is not None:
        raise ConfigurationError(
            "Give a NAME to store it in the sandbox, or --output FILE to write it to a file; not both."
        )
    if args.output.exists() and not args.replace:
        raise ConfigurationError(f"{args.output} exists already: --replace replaces it. Nothing was written.")
    raw = remote_of(args).fetch("snapshot")
    try:
        replace_file(args.output, raw)
    except OSError as error:
        raise ConfigurationError(f"{args.output} cannot be written: {error.strerror or error}.") from None
    say(f"wrote {args.output}: {len(raw)} bytes")


def _restore(args: argparse.Namespace) -> None:
    from paywright_runtime.errors import ConfigurationError

    if (args.name is None) == (args.input is None):
        raise ConfigurationError(
            "Say what to restore: paywright sandbox snapshot restore NAME, or restore --input FILE."
        )
    if args.input is None:
        answer = remote_of(args).call("POST", f"snapshots/{path_part(args.name)}/restore")
    else:
        try:
            raw = args.input.read_bytes()
        except OSError as error:
            raise ConfigurationError(f"{args.input} cannot be read: {error.strerror or error}.") from None
        answer = remote_of(args).put("snapshot", raw)
    say(f"restored {args.name or args.input}: {_counted(answer['holds'])}. It is {answer['now']}.")


def _list(args: argparse.Namespace) -> None:
    found = remote_of(args).call("GET", "snapshots")["snapshots"]
    assert isinstance(found, list)
    for snapshot in found:
        say(f"{snapshot['name']} of {snapshot['at']}, {snapshot['bytes']} bytes")
    if not found:
        say("There is no snapshot: take one with paywright sandbox snapshot save.")


def _remove(args: argparse.Namespace) -> None:
    remote_of(args).call("DELETE", f"snapshots/{path_part(args.name)}")
    say(f"{args.name} is removed")


def _counted(counts: object) -> str:
    from paywright_sandbox.engine.state.snapshots import counted

    assert isinstance(counts, dict)
    return ", ".join(counted(counts)) or "nothing, it was empty"
