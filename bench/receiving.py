"""What it costs to receive a notification, against verifying its signature and `json.loads` by hand.

Every delivery is another notification, so that nothing is a repetition, except for "repeated". The ledger is SQLite on a file in
memory: what a disk takes says nothing about the receiver. The contenders take turns, a short batch each; CPU time of the thread counts, which other
programs disturb least.
"""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256

from bench.figures import Figure, Timings, ratio, turns
from paywright import Event, FixedClock, Receiver, RsaSigner, RsaVerifier, contract
from paywright_receiver import MemoryLedger

_BATCH = 10
_NOW = datetime(2025, 6, 1, 4, 0, tzinfo=UTC)
_EXAMPLE: Final = "notifications.receive.notification"
Delivery = tuple[bytes, dict[str, str]]


def _deliveries(signer: RsaSigner, count: int) -> Iterator[Delivery]:
    for number in range(count):
        body = contract.example(_EXAMPLE)
        data = body["data"]
        assert isinstance(data, dict)
        data["requestNo"] = f"R{number}"
        raw = json.dumps(body).encode()
        headers = {"Host": "shop.example", "Content-Type": "application/json", "Content-Length": str(len(raw))}
        yield raw, {**headers, "User-Agent": "gateway", "sign": signer.sign(raw)}


def run(*, quick: bool = False) -> Timings:
    """Seconds of CPU a delivery, by every contender in every round."""
    key = generate_private_key(65537, 2048)
    public = key.public_key()
    batches = 60 if quick else 400
    deliveries = list(_deliveries(RsaSigner(key), _BATCH * (batches + 1)))

    def by_hand(raw: bytes, headers: dict[str, str]) -> object:
        public.verify(b64decode(headers["sign"]), raw, PKCS1v15(), SHA256())
        return json.loads(raw)

    def receiver(handler: Callable[[Event[Any]], None]) -> Receiver:
        keys, clock = RsaVerifier([public]), FixedClock(_NOW)
        made = Receiver(app_id="app_55d1c0ffee", gateway_keys=keys, ledger=MemoryLedger(), clock=clock)
        made.on_receive(handler)
        return made

    verifier = receiver(lambda event: None)._processor._verifier

    def opened(raw: bytes, headers: dict[str, str]) -> object:
        verified = verifier.open(raw, headers).raw
        body = verifier.parse(verified)
        delivery = verifier.delivery(verified, body, verifier.kind(body) or "", verifier.time(body), _NOW)
        delivery.check()
        return delivery

    def read(event: Event[Any]) -> None:
        event.data  # noqa: B018  # decoded when it is read

    repeating = receiver(lambda event: None)

    def repeated(raw: bytes, headers: dict[str, str]) -> object:
        return repeating.receive(*deliveries[0])

    contenders = {
        "by hand": by_hand,
        "opened": opened,
        "received": receiver(lambda event: None).receive,
        "read": receiver(read).receive,
        "repeated": repeated,
    }
    return turns({name: fed(call, deliveries) for name, call in contenders.items()}, batches=batches, batch=_BATCH)


def fed(call: Callable[[bytes, dict[str, str]], object], deliveries: Sequence[Delivery]) -> Callable[[], object]:
    """Return a function that calls another with the next delivery each time."""
    own = iter(deliveries)
    return lambda: call(*next(own))


def figures(*, quick: bool = False) -> list[Figure]:
    """Return the lines of the table."""
    timings = run(quick=quick)
    bare = "verify, json.loads"
    return [
        Figure("opened: all but ledger and handler", bare, ratio(timings, "opened", "by hand"), 1.55),
        Figure("received, SQLite in memory, nothing read", bare, ratio(timings, "received", "by hand")),
        Figure("received, and its data read", bare, ratio(timings, "read", "by hand"), None),
        Figure("received again", bare, ratio(timings, "repeated", "by hand"), None),
    ]
