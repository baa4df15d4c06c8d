"""The follower of all open items, blocking."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from paywright_receiver.following.core import FollowerCore
from paywright_receiver.following.run import FollowRun, Run

if TYPE_CHECKING:
    from paywright_receiver.following.inquiry import Inquiry
    from paywright_receiver.items.book import Item, ItemStatus
    from paywright_receiver.items.ledger import Ledger
    from paywright_receiver.webhooks.receiver import BaseReceiver
    from paywright_runtime.client.client import SyncClient
    from paywright_runtime.client.follow import Follow
    from paywright_runtime.client.permission import Permission

__all__ = ["Follower"]


class Follower:
    """Follows all open orders, refunds, exchanges and withdrawals of a merchant to their last state [3].

        follower = Follower(client, ledger, receiver=receiver)
        follower.open(transaction, client.orders.follow("ORD_1", total_amount=amount, currency="USD"))
        ...
        follower.run_due()  # now and then, in any process

    Args:
        client: the client that asks.
        ledger: the receiver's ledger, in whose database the book of open items is.
        receiver: the receiver whose handlers of `on_result` are told the results. It has the same ledger. Without one, results
            are only written into the book.
        lease: seconds for which a process has an item to itself, above the client's timeout and the receiver's lease; by default
            30 more than both. After a process has died, its item waits that long.

    Threads and processes may share the book: each item is asked about by one of them at a time. Raises `InvalidArgument`.
    """

    def __init__(
        self,
        client: SyncClient,
        ledger: Ledger,
        *,
        receiver: BaseReceiver | None = None,
        lease: float | None = None,
    ) -> None:
        self._core = FollowerCore(client, ledger, receiver=receiver, lease=lease)

    def open(self, transaction: object | None, follow: Follow, /) -> bool:
        """Register an item in your own transaction; return False if it was registered before.

        `transaction` is the connection in whose transaction you write the order: of `sqlite3` or `psycopg`, or what Django or
        SQLAlchemy have of one; or None, for a transaction of the book's own. If you commit, the item is followed even if this
        process dies at the next instruction; if you roll back, it was never registered. Open an order before you place it, with
        `unknown=True`: then it is found out whether it was placed.

        `follow` is what `client.orders.follow(...)` returns, which belongs to this follower's merchant from here on. The same item
        may be registered again with the same arguments. Raises `InvalidArgument` for others under the same key, for a kind,
        key, content or time that cannot be followed, and for a connection to another database; `LedgerProblem` if the book
        cannot be written.
        """
        item = self._core.item(follow)
        return self._core.is_new(item, self._core.book.open(item, transaction))

    def run_due(self, limit: int = 1_000, *, stop: Callable[[], bool] | None = None) -> FollowRun:
        """Ask about what is due, the longest due first, until nothing is, or `limit` items were taken up.

        Every item is asked about once at most. What it shows is handed to the handler of `on_result`, and the item is settled in
        the transaction of that effect. An item that fails is tried again later and holds no other up. If the gateway gives no
        answer, or refuses every question, the run stops and says so; and also if `stop`, which is called before each item, returns
        True, such as after a signal: then the item in hand was finished. Several threads and processes may run at once. Raises
        `LedgerProblem` if the book cannot be used: then nothing is lost, and what was taken up is due again after its lease.
        """
        run = Run(self._core, limit, stop)
        while (lease := run.take()) is not None:
            try:
                inquiry = self._core.inquiry(lease)
                if run.asks(lease, inquiry):
                    self._ask(inquiry)
                    run.learned(lease, inquiry)
            except Exception as error:
                run.trouble(lease, error)
        return run.summary()

    def _ask(self, inquiry: Inquiry) -> None:
        with inquiry.asking():
            inquiry.answered(self._core.client.call_by_name(inquiry.query, inquiry.question, fresh=inquiry.proves))

    def placed(self, kind: str, key: str) -> bool:
        """Record that the call was a verified success, of an item that was opened as `unknown` before the call.

        Otherwise the gateway is asked whether it has the item. Return False if that was known already. Raises
        `InvalidArgument` if the book does not have it.
        """
        return self._core.placed(kind, key)

    def hint(self, kind: str, key: str, *, settled: bool = False) -> bool:
        """Have an item asked about at the next run, such as when the payer has come back. Return False if it is closed.

        However many hints come, questions keep a distance. What is settled is asked about only with `settled`, once each time:
        a paid order may be returned (BOUNCEBACK), and without notifications nothing else tells you. Raises `InvalidArgument`
        if the book does not have it.
        """
        return self._core.hint(kind, key, settled=settled)

    def close(self, kind: str, key: str, why: str) -> bool:
        """Stop following an item, and keep in the book why; return False if it was closed before.

        A notification of its result is still handled. Raises `InvalidArgument` if the book does not have it.
        """
        return self._core.close(kind, key, why)

    def get(self, kind: str, key: str) -> Item | None:
        """Return an item as the book has it, or None."""
        return self._core.book.get(self._core.id(kind, key))

    def permission(self, kind: str, key: str) -> Permission:
        """Give the permission to place an unknown order again [4.3]; the ordinary method takes it.

            permission = follower.permission("orders", "ORD_1")
            client.orders.checkout(out_trade_no=permission.key, ..., again=permission)

        An item whose step is `place_again` waits for it; one of `decide` begins anew, where nothing but time was against it. The
        gateway is asked once more; if it still does not have the order, the permission is given, and the item asks from the
        beginning. It reads how the call with the permission ended, if
        the same follower runs on; any other finds it out by its questions.

        Raises `TooEarly` where there is none to give, or the answer was another: then the item is what the answer made of it;
        `InvalidArgument` if the book does not have it; and the errors of a query that cannot be made.
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
        """Have an item that was registered at another address asked about at this one, such as after the gateway's has changed.

        This gateway is asked about it first: a verified answer has to show the key, with what it was registered with. Return
        False, and change nothing, if it does not: it may be another gateway, or a sandbox. `as_is` moves it without that, for
        what you know to be there. Raises `InvalidArgument` if the book does not have it, or has it here, `TooEarly` if it is being
        asked about, and the errors of a query.
        """
        lease, inquiry = self._core.lease_to_move(kind, key, as_is)
        moved = False
        try:
            if not as_is:
                self._ask(inquiry)
            if as_is or Run(self._core, 1).shows(lease, inquiry):
                moved = self._core.move(lease)
        finally:
            if not moved:
                self._core.book.give_back(lease)
        return moved

    def items(self) -> Iterator[Item]:
        """Iterate over all items, also of other merchants in this book, in the order of their ids."""
        return self._core.book.items()

    def open_items(self, *, before: datetime | None = None) -> Iterator[Item]:
        """Iterate over open items, the oldest first; with `before`, over those registered before that time."""
        return self._core.book.open_items(before=before)

    def changed(self, since: datetime, until: datetime) -> Iterator[Item]:
        """Iterate over items whose state changed last at `since` or later, and before `until`."""
        return self._core.book.changed(since, until)

    def counts(self) -> Mapping[ItemStatus, int]:
        """Return how many items are open, settled and closed."""
        return self._core.counts()

    def next_due(self) -> datetime | None:
        """Return when the next item is due; None if none ever is."""
        return self._core.next_due()
