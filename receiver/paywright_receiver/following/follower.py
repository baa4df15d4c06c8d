"""The follower of all open items, blocking."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from paywright_receiver.following.core import FollowerCore
from paywright_receiver.following.inquiry import FollowRun
from paywright_receiver.following.run import Run
from paywright_runtime.tracebacks import empty_frames

if TYPE_CHECKING:
    from paywright_receiver.following.inquiry import Inquiry
    from paywright_receiver.items.open_items import Item, ItemStatus
    from paywright_receiver.ledgers.sql.sql_ledger import Ledger
    from paywright_receiver.webhooks.receiver import BaseReceiver
    from paywright_receiver.webhooks.reply import Reply
    from paywright_runtime.client.client import SyncClient
    from paywright_runtime.client.operation_refs import Follow
    from paywright_runtime.settling.permission import Permission


class Follower:
    """Follows all open orders, refunds, exchanges and withdrawals of a merchant to their last state [3].

        follower = Follower(client, ledger, receiver=receiver)
        follower.open(transaction, client.orders.follow("ORD_1", total_amount=amount, currency="USD"))
        ...
        follower.run_due()  # now and then, in any process

    Args:
        client: the client that asks.
        ledger: the receiver's ledger, whose database holds the open items.
        receiver: the receiver whose handlers of `on_result` get the results. It has the same ledger. Without one, results are
            stored with their items, and wait for a follower that has one.
        lease: seconds for which a process has an item to itself, above the client's timeout and the receiver's lease; by
            default 30 more than their sum. After a process has died, its item waits that long.
        book_only: True if no handler is ever to get the results: an item is settled when its last state is stored.

    Threads and processes may share the ledger: one at a time asks about an item. Raises `InvalidArgument`.
    """

    def __init__(
        self,
        client: SyncClient,
        ledger: Ledger,
        *,
        receiver: BaseReceiver | None = None,
        lease: float | None = None,
        book_only: bool = False,
    ) -> None:
        self._client = client
        self._core = FollowerCore(client, ledger, receiver, lease, book_only)

    def open(self, transaction: object | None, follow: Follow, /) -> bool:
        """Register an item in your own transaction; return False if it is registered and followed already.

        An item that was closed is opened again, with the same arguments: True.

        `transaction` is the connection in whose transaction you write the order: of `sqlite3`, `psycopg` or PyMySQL, or what Django or
        SQLAlchemy have of one; or None, for a transaction of the ledger's own. If you commit, the item is followed even if this
        process dies at the next instruction; if you roll back, it was never registered. Open an order before you place it, with
        `unknown=True`: then the follower finds out whether it was placed.

        `follow` is what `client.orders.follow(...)` returns, which belongs to this follower's merchant from here on. The same item
        may be registered again with the same arguments. Raises `InvalidArgument` for others under the same key, for a kind,
        key, content or time that cannot be followed, and for a connection to another database; `LedgerProblem` if the ledger
        cannot be written.
        """
        item = self._core.item(follow)
        return self._core.is_new(item, self._core.book.open(item, transaction))

    def correct(self, follow: Follow, /) -> bool:
        """Replace the content of an item that was registered with a slip, such as a mistyped amount; return False if it is the same.

        The gateway is then asked anew, and what it shows is compared with the new content. What it has signed stays, and a closed item
        is followed again. Correct what was typed wrongly, and never what was asked for: another order has another key. Raises
        `InvalidArgument` for an unknown item, for one whose last state is known, that had an effect, or that may be placed again
        with a permission that was given, and for content that leaves out a member that was registered.
        """
        return self._core.correct(follow)

    def run_due(self, limit: int = 1_000, *, stop: Callable[[], bool] | None = None) -> FollowRun:
        """Ask about all items that are due, the longest due first; `limit` is the largest number of items.

        A run asks about an item at most once. The result goes to the handler of `on_result`, and the item is settled in the
        transaction of that effect. An item that fails is tried again later and holds no other up. The run stops, and says why,
        if the gateway gives no answer or refuses every inquiry. It also stops when `stop`, called before each item, returns
        True, such as after a signal; the item in hand is finished first. Several threads and processes may run at once.

        Raises `LedgerProblem` if the ledger cannot be used: nothing is lost, and a leased item is due again after its lease. What
        a signal handler raises, such as a task's time limit, ends the run wherever it strikes and passes, and so does Ctrl-C: the
        item in hand is due as before, or half a minute later if its result was just being handled.
        """
        run = Run(self._core, limit, stop)
        try:
            while (lease := run.take()) is not None:
                try:
                    with self._core.observed(lease.item):
                        inquiry = self._core.inquiry(lease)
                        if run.asks(lease, inquiry):
                            self._ask(inquiry)
                            run.learned(lease, inquiry)
                except BaseException as error:
                    if not run.goes_on(lease, error):
                        empty_frames(error)
                        raise
        finally:
            run.put_back()
        return run.summary()

    def _ask(self, inquiry: Inquiry) -> None:
        state = inquiry.state
        with inquiry.asking():
            inquiry.answered(self._client.call_by_name(state.query or "", state.question, fresh=state.proves))

    def placed(self, kind: str, key: str) -> bool:
        """Record that the call was a verified success, for an item that was opened as `unknown` before the call.

        Otherwise the gateway is asked whether it has the item. An item that was closed is opened again. Return False if all that was
        known already. Give the key as the answer to the call shows it: in another spelling it belongs to another call. Raises
        `InvalidArgument` for an unknown item.
        """
        return self._core.placed(kind, key)

    def hint(self, kind: str, key: str, *, settled: bool = False) -> bool:
        """Schedule an inquiry for the next run, such as when the payer has come back. Return False if the item is settled.

        Inquiries keep their least distance, however many hints come. A settled item is asked about only with `settled`, once
        each time: a paid order may be returned (BOUNCEBACK), and without notifications nothing else shows it. Of a closed item the
        answer is stored, and it stays closed unless money has moved. False also for what no query shows, such as a plan. Raises
        `InvalidArgument` for an unknown item.
        """
        return self._core.hint(kind, key, settled=settled)

    def close(self, kind: str, key: str, why: str, *, state: str | None = None) -> bool:
        """Stop the regular inquiries about an item, and record why; return False if it was closed before.

        Nothing is forgotten. A notification opens the item again. It is asked about once after its expiry, once a day later, and once
        a day while the gateway shows it as open. If money has moved by then, a person decides. `state` is the last state that you
        have put into your own books, in which it then stands: a notification or an answer with the same state has no effect. A permission to place it
        again is void. Raises `InvalidArgument` for an unknown item, for a state that is no last one, and while a notification was
        acknowledged that nobody has asked about yet.
        """
        return self._core.close(kind, key, why, state)

    def redeliver(self, kind: str, key: str) -> Reply:
        """Call the handler again with the last result that it got, for a shop whose own tables were restored from a backup.

        `event.redelivered` is then True, and `event.data.was` is None, whatever your books say. A settled item whose result no
        handler got, as of a follower without a receiver, has its effect now. Otherwise the ledger stays as it is, however often
        that is done: a handler that fails is called again by another `redeliver` alone. The gateway is not asked. The reply has
        the outcome `handled`, `failed`, `in_progress` while a result of the item is being handled, or `stale` if a later one
        just was. Raises `InvalidArgument` for an unknown item, one whose result is not known, and a kind without a handler.
        """
        return self._core.redeliver(kind, key)

    def handled(self, since: datetime, until: datetime) -> Iterator[Item]:
        """Iterate over items whose last result was handled, or that settled without a handler, from `since` to before `until`."""
        return self._core.book.handled(since, until)

    def get(self, kind: str, key: str) -> Item | None:
        """Return a stored item, or None."""
        return self._core.book.get(self._core.id(kind, key))

    def permission(self, kind: str, key: str) -> Permission:
        """Give the permission to place an unknown order again [4.3]; the ordinary method takes it.

            permission = follower.permission("orders", "ORD_1")
            client.orders.checkout(out_trade_no=permission.key, ..., again=permission)

        An item with the step `place_again` waits for it. One with `decide` starts again if only time stood against it, and one
        that is due counts on. The gateway is asked once more. If it still does not have the order, the permission is given, and
        inquiries begin anew. This follower reads how the call with the permission ended; any other learns it by inquiries.

        Raises `TooEarly` if there is no permission to give, also because of the new answer, which then updates the item:
        come back when it says, whether a follower runs or not. Raises `InvalidArgument` for an unknown item, and the errors of a
        query that cannot be made.
        """
        lease = self._core.lease_to_place(kind, key)
        try:
            inquiry = self._core.inquiry(lease, ask_now=True)
            self._ask(inquiry)
            return Run(self._core, 1).permits(lease, inquiry)
        except BaseException:
            self._core.book.give_back(lease)
            raise

    def move(self, kind: str, key: str, *, as_is: bool = False) -> bool:
        """Move an item that was registered at another address to this one, such as after the gateway's address has changed.

        This gateway is asked about it first: a verified answer must show the key with the registered content. Otherwise return
        False and change nothing: it may be another gateway, or a sandbox. What it shows is handed over. With `as_is` the item moves
        without an inquiry. What the other address did not have proves nothing here.
        Raises `InvalidArgument` for an unknown item and one that is here already, `TooEarly` during an inquiry about it, and
        the errors of a query.
        """
        lease, inquiry = self._core.lease_to_move(kind, key, as_is)
        moved = False
        try:
            if not as_is:
                self._ask(inquiry)
            moved = Run(self._core, 1).moves(lease, inquiry, as_is=as_is)
        finally:
            if not moved:
                self._core.book.give_back(lease)
        return moved

    def items(self) -> Iterator[Item]:
        """Iterate over all items of this ledger, also of other merchants, in the order of their ids."""
        return self._core.book.items()

    def open_items(self, *, before: datetime | None = None) -> Iterator[Item]:
        """Iterate over open items, the oldest first; with `before`, over those registered before that time."""
        return self._core.book.open_items(before=before)

    def counts(self) -> Mapping[ItemStatus, int]:
        """Return how many items are open, settled and closed."""
        return self._core.book.counts()

    def next_due(self) -> datetime | None:
        """Return when the next item is due; None if none ever is."""
        return self._core.next_due()
