"""The way from the gateway to the shops: notifications, which may be lost, late, doubled or false, and questions about bills."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Final

from paywright_receiver.webhooks.reply import Reply
from paywright_sandbox.delivery.attempts import outgoing_request
from paywright_sandbox.delivery.http_client import Answered
from tests.outcomes.spoils import STRANGER
from tests.world.gateway import resigned, spelled_otherwise, with_another_amount
from tests.world.machines import LEASE
from tests.world.scheduler import Violation

if TYPE_CHECKING:
    from paywright_sandbox.delivery.outbox import Notification
    from tests.world.shop import Shop
    from tests.world.world import World

__all__ = ["Post"]

_MOST_SENT: Final = 12
_DAYS: Final = 7
_PATIENCE: Final = 60.0
"""Seconds after which the gateway sends a notification again that was not acknowledged."""
_FATES: Final = {
    "comes": (2.0,), "comes twice": (2.0, 2.0), "comes late": (4000.0,), "comes a day late": (100_000.0,), "is lost": (),
}  # fmt: skip
"""When a notification arrives, in seconds."""


@dataclass
class _Sent:
    """A delivery: how often it was sent, and whether the shop has acknowledged it."""

    times: int = 0
    acknowledged: bool = False


class Post:
    """The way of notifications and questions."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._seen = 0
        self._sent: list[_Sent] = []
        self._false: set[tuple[int, str, bytes]] = set()

    def left(self) -> object:
        """Return what else decides about what comes."""
        return [(sent.times, sent.acknowledged) for sent in self._sent]

    def send_notifications(self) -> None:
        """Take new notifications out of the gateway's outbox, and draw what becomes of each."""
        for row in self.world.gateway.outbox(self._seen):
            self._seen = row.id
            shop = next(one for one in self.world.shops if one.app_id == row.merchant)
            self._post(shop, row)

    def _post(self, shop: Shop, row: Notification) -> None:
        world, lost = self.world, self.world.limits.lost
        raw, sign = row.body, dict(outgoing_request(world.sandbox.engine, row).headers)["sign"]
        # Nobody asks for the return of a paid order, nor for what comes after a failure, and a plan has no query.
        never = (
            b"BOUNCEBACK" in raw or b"SUBSCRIPTION_PAYMENT" in raw or world.gateway.had_failed(row.merchant, row.about)
        )
        shares = (1.0 - 2 * lost, lost / 2, lost / 3, lost / 6, 0.0 if never else lost)
        names = list(_FATES)
        fate = names[world.pick("notification", names, shares) if lost else 0]
        world.tell(f"a notification about {row.about} {fate}")
        if row.about.startswith(("ORD_", "REF_")):
            # Of an order that no table has, the handler is given the gateway's spelling, and the amount that comes first.
            written = shop.has_written(row.about)
            if written and world.chance("it spells the number otherwise", world.limits.spelled):
                raw, sign = resigned(world.gateway, raw, spelled_otherwise)
            if written and world.chance("one has another amount", world.limits.false):
                world.tell(f"another notification about {row.about} has another amount")
                false, signed = resigned(world.gateway, row.body, with_another_amount)
                self._false.add((shop.number, row.about, false))
                world.counts["false amounts"] += 1
                self._arrives(
                    shop, row.about, false, signed, (1.0, 3.0, 5000.0)[world.pick_by(("before", "after", "later"))]
                )
        if len(world.shops) > 1 and world.chance("it comes to another shop too", world.limits.spelled):
            world.tell(f"a notification about {row.about} comes to another shop too")
            self._arrives(world.shops[shop.number % len(world.shops)], row.about, raw, sign, 1.0)
        for wait in _FATES[fate]:
            self._arrives(shop, row.about, raw, sign, wait)

    def _arrives(self, shop: Shop, about: str, raw: bytes, sign: str, wait: float) -> None:
        self.world.at(
            shop, wait, f"a notification about {about} arrives", partial(self._deliver, shop, about, raw, sign)
        )

    def _deliver(self, shop: Shop, about: str, raw: bytes, sign: str) -> None:
        """Deliver a notification; what is not acknowledged is sent again."""
        sent = _Sent()
        self._sent.append(sent)

        def receive() -> None:
            reply = self._receive(shop, about, raw, sign)
            sent.acknowledged = sent.acknowledged or reply.acknowledged

        def send() -> None:
            # Somebody has what was refused sent again, once a day: nobody asks for the return of a paid order.
            if not sent.acknowledged and sent.times < _MOST_SENT + _DAYS:
                sent.times += 1
                wait = _PATIENCE + LEASE if sent.times < _MOST_SENT else 86_400.0
                self.world.at(shop, wait, f"the gateway looks after the notification about {about}", send)
                self.world.start(f"receiving {about}", shop.web, receive)

        send()

    def _receive(self, shop: Shop, about: str, raw: bytes, sign: str, *, forged: bool = False) -> Reply:
        reply = shop.web.receiver.receive(raw, {"sign": sign})
        self.world.captures.notified(shop, raw, sign, reply, forged=forged)
        self.world.tell(f"the receiver says {reply.outcome} of {about}")
        if reply.acknowledged and (shop.number, about, raw) in self._false:
            self._is_remembered(shop, about)
        if not reply.acknowledged:
            self.world.people.look_at_ledger(shop)
        return reply

    def _is_remembered(self, shop: Shop, about: str) -> None:
        """What contradicts the truth must be left to a person if it is acknowledged."""
        left = [
            one
            for one in shop.web.ledger.list()
            if one.subject.endswith(f"/{about.lower()}") or one.subject.endswith(f"/{about}")
        ]
        if all(one.status == "done" and one.own for one in left):
            raise Violation(f"a second amount for {about} was acknowledged, and nobody is told of it")

    def contradictions_of(self, shop: Shop) -> set[tuple[str, str]]:
        """Return keys and digests of the kept notifications that say what never was."""
        false = {raw for number, _, raw in self._false if number == shop.number}
        return {
            (one.key, one.digest)
            for one in shop.web.ledger.list()
            if shop.web.ledger.body(one.key, one.digest) in false
        }

    def forge(self, shop: Shop, order: str, amount: Decimal) -> None:
        """Deliver what a stranger signed."""
        data = {"outTradeNo": order, "totalAmount": str(amount), "currency": "USD", "status": "SUCCESS"}
        names = {"appId": shop.app_id, "merchantNo": shop.merchant_no, "notifyTime": self.world.now().isoformat()}
        raw = json.dumps({"notifyType": "PAYMENT", "code": "APPLY_SUCCESS", "data": data, **names}).encode()
        self.world.counts["harms"] += 1
        receive = partial(self._receive, shop, order, raw, STRANGER.sign(raw), forged=True)
        self.world.start(f"a forged notification about {order}", shop.web, receive)

    def ask(self, shop: Shop, reference: str, amount: Decimal) -> None:
        """Ask whether a bill may be paid, and hear the answer."""
        raw, headers = self.world.gateway.asks_about(reference, amount)

        def answer() -> None:
            reply = shop.web.receiver.receive(raw, headers)
            self.world.seam("an answer on its way")
            self.world.gateway.hears(shop.app_id, reference, amount, Answered(reply.status, reply.headers, reply.body))

        self.world.start(f"the question about {reference}", shop.web, answer)
