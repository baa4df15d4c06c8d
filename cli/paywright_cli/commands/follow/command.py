"""`paywright follow`: follow open orders, refunds and the like to their last state, and list them."""

from __future__ import annotations

import argparse
from typing import Final

from paywright_cli.commands.follow import items
from paywright_cli.common.options import add_ledger, distance, show_help, whole_number
from paywright_cli.common.parser import HelpFormatter

_EXAMPLES: Final = """\
examples:
  paywright follow run --receiver shop.payments:receiver                 once, from cron or a systemd timer
  paywright follow run --receiver shop.payments:receiver --every 30s     until SIGTERM or Ctrl-C
  paywright follow list --ledger shop.db --kind orders
  paywright follow report --ledger shop.db --older 30m
  paywright follow open --ledger shop.db orders ORD_1 totalAmount=10.50 currency=USD
  paywright follow hint --ledger shop.db orders ORD_1
  paywright follow close --ledger shop.db orders ORD_1 --why 'cancelled by phone'
  paywright follow move --ledger shop.db                                 after the gateway's address has changed
  paywright follow redeliver --receiver shop.payments:receiver orders ORD_1
  paywright follow redeliver --receiver shop.payments:receiver --since 2026-11-22T03:00:00+00:00

--receiver names a module and the receiver in it. Its ledger is used, and `run` and `redeliver` call its handlers of on_result;
modules of this folder are found. `run` without a receiver needs --book-only: it stores and prints results, and no handler ever gets them.
run, open, hint, close, move and redeliver act as the merchant of the PAYWRIGHT_* settings (--env FILE reads more of them); list and report
need no settings and no keys, and ask the gateway nothing.
No command creates a file, schema or table. With a postgresql:// URL the first schema of its search path is used, unless --schema
names another one.

exit codes: 0 done, 1 something failed, was refused, or is not there, 2 usage, settings or keys; of `run` also 1 if the run stopped
early, no inquiry was answered, or items of another merchant or address have waited for a day, and 128 + N if signal N ended it
(a loop of --every ends with 0); of `report` 1 if more items are open than allowed, 3 if the ledger could not be read
"""

_Groups = argparse._SubParsersAction  # the only name argparse has for it


def register(groups: _Groups[argparse.ArgumentParser]) -> None:
    """Add `follow` to the command line."""
    parser = groups.add_parser(
        "follow",
        help="follow open orders, refunds and the like until they are settled; list and report them",
        description="Follow the open items of a ledger until their last state is known.",
        epilog=_EXAMPLES,
        formatter_class=HelpFormatter,
    )
    parser.set_defaults(run=show_help(parser))
    actions = parser.add_subparsers(title="actions", metavar="ACTION")
    for add in (_add_run, _add_list, _add_report, _add_open, _add_hint, _add_close, _add_move, _add_redeliver):
        action = add(actions)
        add_ledger(action, "--receiver", "--app")


def _add_run(actions: _Groups[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    action = actions.add_parser("run", help="ask about due items, and pass the results to the receiver's handlers")
    action.add_argument("--every", type=distance, metavar="DISTANCE", help="repeat until a signal, such as every 30s")
    action.add_argument(
        "--limit", type=whole_number, default=1_000, metavar="N", help="most items in a run (default 1000)"
    )
    action.add_argument("--book-only", action="store_true", help="call no handler: store results and print them")
    _add_format(action, "text (default) or json: an object a line")
    action.set_defaults(run=_run)
    return action


def _run(args: argparse.Namespace) -> int:
    from paywright_cli.commands.follow.running import run  # sockets, signals and JSON, for this action alone

    return run(args)


def _add_list(actions: _Groups[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    action = actions.add_parser("list", help="list items: the open ones, the oldest first, or those of another status")
    action.add_argument(
        "--status",
        choices=("open", "settled", "closed", "all"),
        default="open",
        help="open (default), settled, closed or all",
    )
    action.add_argument("--kind", metavar="KIND", help="such as orders or refunds")
    _add_app_id(action)
    _add_most(action)
    _add_format(action)
    action.set_defaults(run=items.list_items)
    return action


def _add_report(actions: _Groups[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    action = actions.add_parser(
        "report", help="items open for too long, with the reason and the next step; the exit code is for monitoring"
    )
    action.add_argument(
        "--older", type=distance, default="30m", metavar="DISTANCE", help="open for at least this long (default 30m)"
    )
    action.add_argument("--at-most", type=whole_number, default=0, metavar="N", help="how many are allowed (default 0)")
    _add_app_id(action)
    _add_most(action)
    _add_format(action)
    action.set_defaults(run=items.report)
    return action


def _add_open(actions: _Groups[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    action = actions.add_parser(
        "open", help="follow an item from now on, such as an order placed before there was a follower"
    )
    _add_item(action)
    action.add_argument("content", nargs="*", metavar="NAME=VALUE", help="members of its request: totalAmount=10.50")
    action.add_argument("--expires", metavar="TIME", help="until when it can stay open: 2026-11-22T12:00:00+00:00")
    action.add_argument(
        "--unknown", action="store_true", help="the gateway may not have it: the outcome of its call is unknown"
    )
    action.set_defaults(run=items.open_item)
    return action


def _add_hint(actions: _Groups[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    action = actions.add_parser("hint", help="ask about an item at the next run")
    _add_item(action)
    action.add_argument(
        "--settled", action="store_true", help="also if it is settled: its money may have been returned"
    )
    action.set_defaults(run=items.hint)
    return action


def _add_close(actions: _Groups[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    action = actions.add_parser("close", help="stop the regular questions about an item; no handler is called")
    _add_item(action)
    action.add_argument("--why", required=True, metavar="TEXT", help="the reason, which is stored with the item")
    action.add_argument("--state", metavar="STATE", help="the last state that you have put into your own books")
    action.set_defaults(run=items.close)
    return action


def _add_move(actions: _Groups[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    action = actions.add_parser(
        "move", help="move open items from another address to this one, if this gateway shows the same"
    )
    action.add_argument(
        "--as-is", action="append", default=[], metavar="KEY", help="move this item without asking the gateway"
    )
    action.set_defaults(run=items.move)
    return action


def _add_redeliver(actions: _Groups[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    action = actions.add_parser(
        "redeliver",
        help="call the handlers again with what is known, after your own tables were restored from a backup",
    )
    action.add_argument("kind", nargs="?", metavar="KIND", help="such as orders or refunds")
    action.add_argument("key", nargs="?", metavar="KEY", help="your own key of it")
    action.add_argument(
        "--since",
        metavar="TIME",
        help="all results handled since this time, that of the backup: 2026-11-22T03:00:00+00:00",
    )
    action.add_argument(
        "--confirm", type=whole_number, metavar="N", help="how many results that are; without it they are only listed"
    )
    action.set_defaults(run=items.redeliver)
    return action


def _add_item(action: argparse.ArgumentParser) -> None:
    action.add_argument("kind", metavar="KIND", help="orders, refunds, exchanges, withdrawals or payment_links")
    action.add_argument("key", metavar="KEY", help="your own key of it")


def _add_app_id(action: argparse.ArgumentParser) -> None:
    action.add_argument("--app-id", metavar="ID", help="only this merchant app (default: all)")


def _add_most(action: argparse.ArgumentParser) -> None:
    action.add_argument("--most", type=whole_number, default=50, metavar="N", help="how many are listed at most (50)")


def _add_format(action: argparse.ArgumentParser, says: str = "text (default) or json") -> None:
    action.add_argument("--format", choices=("text", "json"), default="text", help=says)
