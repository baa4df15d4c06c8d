"""A shop that follows `docs/outcomes.md`: what it may believe of each thing it bought, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from random import Random
from typing import TypeVar

from outcomes.intents import Intent
from outcomes.messages import address_of
from outcomes.middle import Middle
from outcomes.truth import Tally

from paywright import (
    AlreadyPlaced,
    BuyerInfo,
    Client,
    DropInPaymentDetail,
    GatewayError,
    NoAnswer,
    NotSent,
    OrderStatus,
    OutcomeUnknown,
    PaywrightError,
    UnreadableAnswer,
)
from paywright_runtime import formats
from paywright_runtime.answer import Result
from paywright_runtime.clock import FixedClock
from paywright_runtime.resolver import Resolver

__all__ = ["Shop"]

T = TypeVar("T")
Story = Iterator[datetime]

_SOON = timedelta(seconds=1)
_LATER = timedelta(seconds=10)
_MOST_QUERIES = 8  # of what may never be called again: after that it is reported unknown
_MOST_STEPS = 60


class Shop:
    """Its programs are several: each step of a story is done by any of `clients`, which share nothing but stored JSON.

    A story is a generator that yields when it is to be gone on with. `crash` is how often a step is not stored, as if the
    program had died before it could.
    """

    def __init__(self, clients: list[Client], middle: Middle, tally: Tally, *, seed: str, crash: float = 0.1) -> None:
        self._clients = clients
        self._middle = middle
        self._tally = tally
        self._seed = seed
        self._crash = crash

    def buy(self, intent: Intent) -> Story:
        """The story of one intent, from its call to the end; `intent.belief` then says what the shop believes."""
        random = Random(f"{self._seed}:{intent.key}")
        while True:
            client = random.choice(self._clients)
            try:
                made = self._watched(intent, lambda client=client: self._call(client, intent, intent.key))
            except NotSent:
                yield self._in(_SOON)
                continue  # with the same key
            except (OutcomeUnknown, UnreadableAnswer) as unknown:
                self._check_unknown(intent, unknown)
                yield from self._settle(intent, random)
                return
            except GatewayError:
                intent.belief = "failed"
                return
            if made is None:
                return  # the tally has it: no error of the tree
            yield from self._look(intent, made, random)
            return

    def _call(self, client: Client, intent: Intent, key: str) -> Result:
        if intent.kind == "refund":
            return client.refunds.create(
                out_refund_no=key, refund_amount=intent.amount, refund_currency="USD", out_trade_no=intent.of
            )
        if intent.kind == "exchange":
            return client.exchanges.create(
                ccy_pair="EURUSD", out_trade_no=key, side="SELL", transaction_amount=intent.amount,
                transaction_ccy="EUR", target_ccy="USD",
            )  # fmt: skip
        if intent.kind == "hosted":
            return client.orders.checkout(
                out_trade_no=key, subject="Two tickets", total_amount=intent.amount, currency="USD", user_id="u1",
                front_callback_url="https://shop.example/back",
            )  # fmt: skip
        return client.orders.drop_in(
            out_trade_no=key, subject="Two tickets", total_amount=intent.amount, currency="USD", country="SG",
            user_id="u1", front_callback_url="https://shop.example/back", terminal_type="WEB",
            payment_detail=DropInPaymentDetail(buyer_info=BuyerInfo(client_ip="203.0.113.7", user_agent="UA")),
        )  # fmt: skip

    def _look(self, intent: Intent, made: object, random: Random) -> Story:
        """The creation had a verified answer; for a drop-in payment only SUCCESS says that it is paid."""
        status = getattr(made, "status", None)
        for _ in range(_MOST_STEPS):
            if intent.kind != "order" or status == OrderStatus.SUCCESS:
                intent.belief = "placed"
            elif status == OrderStatus.FAILED:
                intent.belief = "failed"
            if intent.belief != "open":
                return
            yield self._in(_LATER)
            client = random.choice(self._clients)
            try:
                found = self._watched(intent, lambda client=client: client.orders.query(out_trade_no=intent.key))
            except (NoAnswer, NotSent, GatewayError, UnreadableAnswer):
                continue  # the order is there: whatever this says, it is asked for again
            if found is None:
                return
            status = found.status
        intent.belief = "unknown"

    def _settle(self, intent: Intent, random: Random) -> Story:
        """The outcome is unknown: the resolver says what to do and when, whichever program has it."""
        text = self._begun(random.choice(self._clients), intent).to_json()
        most = _MOST_STEPS if intent.is_order else _MOST_QUERIES
        for _ in range(most):
            client = random.choice(self._clients)
            resolver = client.resume(text)
            step = self._watched(intent, resolver.step)
            if step is None:
                return
            if random.random() >= self._crash:
                text = resolver.to_json()
            if step.state == "settled":
                yield from self._look(intent, resolver.result, random)
                return
            if step.state == "place_again":
                self._tally.placed_again += 1
                stored: list[str] = []
                assert intent.is_order, "only orders are placed again"
                try:
                    made = self._watched(
                        intent,
                        lambda c=client, r=resolver, stored=stored: r.place_again(
                            lambda key: self._call(c, intent, key), store=stored.append
                        ),
                    )
                except NotSent:
                    yield self._in(_SOON)
                except (OutcomeUnknown, UnreadableAnswer) as unknown:
                    self._check_unknown(intent, unknown)
                    self._tally.repeats_refused += isinstance(unknown, AlreadyPlaced)
                    text = resolver.to_json()
                except GatewayError:
                    intent.belief = "failed"
                    return
                else:
                    if made is not None:
                        yield from self._look(intent, made, random)
                    return
                continue
            assert step.at is not None, "what waits says until when"
            yield step.at
        intent.belief, intent.stored = "unknown", text

    def _begun(self, client: Client, intent: Intent) -> Resolver[Result]:
        if intent.kind == "refund":
            return client.refunds.resolve(intent.key)
        if intent.kind == "exchange":
            return client.exchanges.resolve(intent.key)
        return client.orders.resolve(intent.key)

    def _watched(self, intent: Intent, call: Callable[[], T]) -> T | None:
        """Makes a call and judges by what really happened. None when something else than an error of the tree came out."""
        try:
            made = call()
        except NotSent as error:
            self._tally.not_sent += 1
            trace = address_of(error.operation), intent.key, formats.write_request_time(self._middle.clock.now())
            self._tally.unsound += self._middle.accepted(trace) > 0
            raise
        except PaywrightError:
            raise
        except Exception as error:
            self._tally.strangers.append(f"{type(error).__name__} at {intent.kind}")
            intent.belief = "unknown"
            return None
        echoed = getattr(made, "out_refund_no" if intent.kind == "refund" else "out_trade_no", None)
        self._tally.foreign += echoed is not None and echoed.lower() != intent.key.lower()
        return made

    def _check_unknown(self, intent: Intent, error: OutcomeUnknown | UnreadableAnswer) -> None:
        self._tally.without_key += error.key != intent.key

    def _in(self, by: timedelta) -> datetime:
        return self._middle.clock.now() + by

    def finish(self, intents: list[Intent], clock: FixedClock) -> None:
        """Long after, with nothing broken: what is reported unknown is asked for once more. It settles exactly if it is there."""
        for intent in intents:
            if intent.stored is None:
                continue
            resolver = self._clients[0].resume(intent.stored)
            for _ in range(10):  # the machine may be too busy for the patience of a call
                step = resolver.step()
                if resolver.error is None or isinstance(resolver.error, GatewayError):
                    break
                clock.advance(3600)
            intent.settled_late = step.state == "settled"
            self._tally.misplaced += step.state == "place_again" and not intent.is_order
