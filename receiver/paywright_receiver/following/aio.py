"""The awaited follower: inquiries are awaited; the ledger and handlers work in threads."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar, cast

from anyio import CancelScope, create_task_group, to_thread

from paywright_receiver.following.core import FollowerCore
from paywright_receiver.following.inquiry import FollowRun
from paywright_receiver.following.run import Run
from paywright_runtime.errors import InvalidArgument, LedgerProblem
from paywright_runtime.tracebacks import empty_frames

if TYPE_CHECKING:
    from paywright_receiver.following.inquiry import Inquiry
    from paywright_receiver.items.open_items import Item, ItemStatus, Leased
    from paywright_receiver.ledgers.sql.sql_ledger import Ledger
    from paywright_receiver.webhooks.receiver import BaseReceiver
    from paywright_receiver.webhooks.reply import Reply
    from paywright_runtime.client.aio import AsyncClient
    from paywright_runtime.client.operation_refs import Follow
    from paywright_runtime.settling.permission import Permission

T = TypeVar("T")
_END: Any = object()


class AsyncFollower:
    """Follows all open items of a merchant to their last state [3]: `Follower`, awaited.

    The arguments are those of `Follower`. Handlers are plain functions, and run in a thread, as those of a receiver do.
    """

    def __init__(
        self,
        client: AsyncClient,
        ledger: Ledger,
        *,
        receiver: BaseReceiver | None = None,
        lease: float | None = None,
        book_only: bool = False,
    ) -> None:
        self._client = client
        self._core = FollowerCore(client, ledger, receiver, lease, book_only)

    async def open(self, transaction: object | None, follow: Follow, /) -> bool:
        """Register an item in your own transaction. As `Follower.open`.

        `transaction` may also be awaited: a `psycopg.AsyncConnection`, or a connection of `aiosqlite`.
        """
        item, book = self._core.item(follow), self._core.book
        if transaction is None:
            return self._core.is_new(item, await to_thread.run_sync(book.open, item))
        if not hasattr(transaction, "__aenter__"):  # as all connections have that are awaited
            return self._core.is_new(item, book.open(item, transaction))
        check, insert, look = await to_thread.run_sync(book.to_open, item)
        execute = cast(Any, transaction).execute
        try:
            known = await (await execute(check)).fetchone()
        except Exception as error:
            book.check_id(error)
            raise
        book.check_id(known)
        await execute(*insert)
        return self._core.is_new(item, book.opened(item, insert[1], await (await execute(*look)).fetchone()))

    async def run_due(
        self, limit: int = 1_000, *, at_once: int = 8, stop: Callable[[], bool] | None = None
    ) -> FollowRun:
        """Ask about all items that are due, `at_once` of them at a time. As `Follower.run_due`."""
        if type(at_once) is not int or at_once < 1:
            raise InvalidArgument("at_once is a whole number of questions, 1 or more.")
        run = Run(self._core, limit, stop)
        problems: list[Exception] = []
        try:
            async with create_task_group() as tasks:
                for _ in range(at_once):
                    tasks.start_soon(self._work, run, problems, tasks.cancel_scope)
        finally:
            with CancelScope(shield=True):
                await to_thread.run_sync(run.put_back)
        if problems:
            raise problems[0]
        return await to_thread.run_sync(run.summary)

    async def _work(self, run: Run, problems: list[Exception], all_work: CancelScope) -> None:
        try:
            while not problems and (lease := await to_thread.run_sync(run.take)) is not None:
                try:
                    await self._follow(run, lease)
                except BaseException as error:
                    goes_on = False
                    with CancelScope(shield=True):
                        goes_on = await to_thread.run_sync(run.goes_on, lease, error)
                    if not goes_on:
                        empty_frames(error)
                        raise
        except Exception as problem:
            problems.append(problem)
            if not isinstance(problem, LedgerProblem):
                all_work.cancel()

    async def _follow(self, run: Run, lease: Leased) -> None:
        with self._core.observed(lease.item):
            inquiry = self._core.inquiry(lease)
            if await to_thread.run_sync(run.asks, lease, inquiry):
                await self._ask(inquiry)
                await to_thread.run_sync(run.learned, lease, inquiry)

    async def _ask(self, inquiry: Inquiry) -> None:
        state = inquiry.state
        with inquiry.asking():
            found = await self._client.call_by_name(state.query or "", state.question, fresh=state.proves)
            inquiry.answered(found)

    async def placed(self, kind: str, key: str) -> bool:
        """Record that the call was a verified success. As `Follower.placed`."""
        return await to_thread.run_sync(self._core.placed, kind, key)

    async def hint(self, kind: str, key: str, *, settled: bool = False) -> bool:
        """Schedule an inquiry for the next run. As `Follower.hint`."""
        return await to_thread.run_sync(lambda: self._core.hint(kind, key, settled=settled))

    async def correct(self, follow: Follow, /) -> bool:
        """Replace the content of an item that was registered with a slip. As `Follower.correct`."""
        return await to_thread.run_sync(self._core.correct, follow)

    async def close(self, kind: str, key: str, why: str, *, state: str | None = None) -> bool:
        """Stop the regular inquiries about an item, and record why. As `Follower.close`."""
        return await to_thread.run_sync(self._core.close, kind, key, why, state)

    async def redeliver(self, kind: str, key: str) -> Reply:
        """Call the handler again with the last result that it got. As `Follower.redeliver`."""
        return await to_thread.run_sync(self._core.redeliver, kind, key)

    def handled(self, since: datetime, until: datetime) -> AsyncIterator[Item]:
        """Iterate over items whose last result was handled in that time. As `Follower.handled`."""
        return _each(lambda: self._core.book.handled(since, until))

    async def get(self, kind: str, key: str) -> Item | None:
        """Return a stored item, or None."""
        return await to_thread.run_sync(self._core.book.get, self._core.id(kind, key))

    async def permission(self, kind: str, key: str) -> Permission:
        """Give the permission to place an unknown order again [4.3]. As `Follower.permission`."""
        lease = await to_thread.run_sync(self._core.lease_to_place, kind, key)
        try:
            inquiry = self._core.inquiry(lease, ask_now=True)
            await self._ask(inquiry)
            return await to_thread.run_sync(Run(self._core, 1).permits, lease, inquiry)
        except BaseException:
            with CancelScope(shield=True):
                await to_thread.run_sync(self._core.book.give_back, lease)
            raise

    async def move(self, kind: str, key: str, *, as_is: bool = False) -> bool:
        """Move an item from another address to this one. As `Follower.move`."""
        lease, inquiry = await to_thread.run_sync(self._core.lease_to_move, kind, key, as_is)
        moved = False
        try:
            if not as_is:
                await self._ask(inquiry)
            moved = await to_thread.run_sync(lambda: Run(self._core, 1).moves(lease, inquiry, as_is=as_is))
        finally:
            if not moved:
                with CancelScope(shield=True):
                    await to_thread.run_sync(self._core.book.give_back, lease)
        return moved

    def items(self) -> AsyncIterator[Item]:
        """Iterate over all items. As `Follower.items`."""
        return _each(self._core.book.items)

    def open_items(self, *, before: datetime | None = None) -> AsyncIterator[Item]:
        """Iterate over open items, the oldest first. As `Follower.open_items`."""
        return _each(lambda: self._core.book.open_items(before=before))

    async def counts(self) -> Mapping[ItemStatus, int]:
        """Return how many items are open, settled and closed."""
        return await to_thread.run_sync(self._core.book.counts)

    async def next_due(self) -> datetime | None:
        """Return when the next item is due; None if none ever is."""
        return await to_thread.run_sync(self._core.next_due)


async def _each(begin: Callable[[], Iterator[T]]) -> AsyncIterator[T]:
    found = await to_thread.run_sync(begin)
    while (one := await to_thread.run_sync(lambda: next(found, _END))) is not _END:
        yield one
