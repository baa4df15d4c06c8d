"""`paywright follow`: follow open orders, refunds and the like to their last state, and list them."""

from __future__ import annotations

from typing import Final

from paywright_cli.commands import follow_items as items
from paywright_cli.commands import follow_run as running
from paywright_cli.common.options import add_format, add_ledger, distance, moment, whole_number
from paywright_cli.common.parser import Parser

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


def fill(parser: Parser) -> None:
    """Add what `follow` takes."""
    parser.description = "Follow the open items of a ledger until their last state is known."
    parser.epilog = _EXAMPLES
    add = parser.group(required=True)
    run = add("run", "ask about due items, and pass the results to the receiver's handlers", running.run)
    run.takes("--every DISTANCE", "repeat until a signal, such as every 30s", type=distance)
    run.takes("--limit N", "most items in a run (default 1000)", type=whole_number, default=1_000)
    run.takes("--book-only", "call no handler: store results and print them")
    add_format(run, "text (default) or json: an object a line")
    listed = add("list", "list items: the open ones, the oldest first, or those of another status", items.list_items)
    status, says = ("open", "settled", "closed", "all"), "open (default), settled, closed or all"
    listed.takes("--status", says, choices=status, default="open")
    listed.takes("--kind KIND", "such as orders or refunds")
    says = "items open for too long, with the reason and the next step; the exit code is for monitoring"
    report = add("report", says, items.report)
    report.takes("--older DISTANCE", "open for at least this long (default 30m)", type=distance, default="30m")
    report.takes("--at-most N", "how many are allowed (default 0)", type=whole_number, default=0)
    for action in (listed, report):
        action.takes("--app-id ID", "only this merchant app (default: all)")
        action.takes("--most N", "how many are listed at most (50)", type=whole_number, default=50)
        add_format(action)
    says = "follow an item from now on, such as an order placed before there was a follower"
    opened = add("open", says, items.open_item)
    hint = add("hint", "ask about an item at the next run", items.hint)
    hint.takes("--settled", "also if it is settled: its money may have been returned")
    closed = add("close", "stop the regular questions about an item; no handler is called", items.close)
    closed.takes("--why TEXT", "the reason, which is stored with the item", required=True)
    closed.takes("--state STATE", "the last state that you have put into your own books")
    for action in (opened, hint, closed):
        action.takes("KIND", "orders, refunds, exchanges, withdrawals or payment_links")
        action.takes("KEY", "your own key of it")
    opened.takes("NAME=VALUE", "members of its request: totalAmount=10.50", dest="content", nargs="*")
    opened.takes("--expires TIME", "until when it can stay open: 2026-11-22T12:00:00+00:00", type=moment)
    opened.takes("--unknown", "the gateway may not have it: the outcome of its call is unknown")
    says = "move open items from another address to this one, if this gateway shows the same"
    moved = add("move", says, items.move)
    moved.takes("--as-is KEY", "move this item without asking the gateway", action="append", default=[])
    says = "call the handlers again with what is known, after your own tables were restored from a backup"
    again = add("redeliver", says, items.redeliver)
    again.takes("KIND", "such as orders or refunds", nargs="?")
    again.takes("KEY", "your own key of it", nargs="?")
    says = "all results handled since this time, that of the backup: 2026-11-22T03:00:00+00:00"
    again.takes("--since TIME", says, type=moment)
    says = "how many results that are; without it they are only listed"
    again.takes("--confirm N", says, type=whole_number)
    for action in (run, listed, report, opened, hint, closed, moved, again):
        add_ledger(action, items.OPTION, "--app")
