"""The resolver under any schedule: a client whose gateway answers what a schedule says, and a witness of what was really said.

The witness keeps, in the order in which things happened, every query's answer with the time at which it was asked and the
time at which it was answered: by the clock that the resolver reads, and by a clock that no one can turn.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Final, Literal, NamedTuple

from paywright import Client, Merchant, SnapAsymmetric
from paywright_runtime.signing.keys import KeyPair, load_private_key
from paywright_runtime.signing.rsa import RsaSigner
from paywright_runtime.transport.api import Phase, RawAnswer, SignedRequest, TransportFailure

__all__ = ["SAYINGS", "Absence", "Saying", "Scripted", "TurnedClock", "Witness", "scripted_client"]

Saying = Literal[
    "absent", "found", "refused", "forged", "unsigned", "html", "lost", "not sent", "foreign", "unreadable"
]
SAYINGS: Final[tuple[Saying, ...]] = (
    "absent", "absent", "absent", "absent", "found", "refused", "forged", "unsigned", "html", "lost", "not sent", "foreign",
    "unreadable",
)  # fmt: skip

_KEY_OF_CANCELS: Final = "originalPartnerReferenceNo"
INTERVAL: Final = timedelta(seconds=300)


class TurnedClock:
    """A clock that people turn. `true` is what it would say if nobody did."""

    def __init__(self) -> None:
        self.true = datetime(2025, 6, 1, 12, tzinfo=UTC)
        self.off = timedelta()

    def now(self) -> datetime:
        return self.true + self.off

    def monotonic(self) -> float:
        return self.true.timestamp()

    def sleep(self, seconds: float) -> None:
        self.true += timedelta(seconds=seconds)


class Absence(NamedTuple):
    """A verified "not there": when it was asked and when answered, by the clock and in truth."""

    asked: datetime
    answered: datetime
    truly_asked: datetime
    truly_answered: datetime


class Witness:
    """All verified "not there"s of one key."""

    def __init__(self) -> None:
        self.absences: list[Absence] = []

    def allows(self, now: datetime, *, truly: bool) -> bool:
        """Whether two of them are far enough apart, the second asked after the first was answered, and not long ago."""
        for number, first in enumerate(self.absences):
            for second in self.absences[number + 1 :]:
                apart = second.truly_asked - first.truly_answered if truly else second.asked - first.answered
                if apart >= INTERVAL and timedelta() <= now - second.answered < INTERVAL:
                    return True
        return False


class Scripted:
    """A transport: says what it is told to, after `takes` seconds of the clock. Verified answers are signed once."""

    def __init__(self, keys: KeyPair, clock: TurnedClock, witness: Witness) -> None:
        self._signer = RsaSigner(load_private_key(keys.private_pem))
        self._signed: dict[bytes, str] = {}
        self._clock = clock
        self._witness = witness
        self.saying: Saying = "absent"
        self.takes = 0.0
        self.turns = 0.0
        self.dated = True
        self.sent: list[tuple[str, str]] = []

    def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        """One exchange; see `exchange.Transport`."""
        asked, truly = self._clock.now(), self._clock.true
        data = json.loads(request.body).get("data") or json.loads(request.body)
        if self.saying == "not sent":
            raise TransportFailure(Phase.CONNECTING, "connection_failed")
        self.sent.append((request.path, data.get("outRefundNo") or data.get("outTradeNo") or ""))
        self._clock.true += timedelta(seconds=self.takes)
        self._clock.off += timedelta(seconds=self.turns)
        if self.saying == "lost":
            raise TransportFailure(Phase.WAITING, "connection_lost")
        if self.saying == "html":
            return RawAnswer(502, (), b"<html>")
        if self.saying == "absent":
            self._witness.absences.append(Absence(asked, self._clock.now(), truly, self._clock.true))
        return self._answer(data)

    def _answer(self, data: dict[str, str]) -> RawAnswer:
        body = b'{"responseCode":"4045501","responseMessage":""}' if _KEY_OF_CANCELS in data else self._body(data)
        dates = (("date", format_datetime(self._clock.true, usegmt=True)),) if self.dated else ()
        if self.saying == "unsigned":
            return RawAnswer(200, dates, body)
        sign = self._signed.get(body) or self._signed.setdefault(body, self._signer.sign(body))
        if self.saying == "forged":
            body += b" "
        return RawAnswer(200, (("sign", sign), *dates), body)

    def _body(self, data: dict[str, str]) -> bytes:
        if self.saying in ("absent", "forged", "unsigned"):
            return b'{"code":"ORDER_NOT_EXIST","msg":""}'
        if self.saying == "refused":
            return b'{"code":"TOO_MANY_REQUEST","msg":""}'
        if self.saying == "unreadable":
            return b'{"code":"APPLY_SUCCESS","msg":""}'
        key = "ANOTHER" if self.saying == "foreign" else data.get("outRefundNo") or data.get("outTradeNo")
        amount = {"amount": "10.50", "currency": "USD"}
        found = {
            "outTradeNo": key, "outRefundNo": key, "status": "SUCCESS", "tradeToken": "T", "redirectUrl": "https://x.example/",
            "transactionUtcTime": "2025-06-01T12:00:00.000+08:00", "trade": amount, "source": amount,
            "destination": amount,
        }  # fmt: skip
        return json.dumps({"code": "APPLY_SUCCESS", "msg": "", "data": found}).encode()

    def close(self) -> None:
        """Nothing is open."""


class _Quick:
    """A signer that costs nothing: nobody verifies requests here."""

    def sign(self, body: bytes, /) -> str:
        return "A" * 341 + "Q=="


def scripted_client(keys: KeyPair, clock: TurnedClock, transport: Scripted) -> Client:
    """A client of nobody's: what it hears is `transport.saying`."""
    merchant = Merchant(
        app_id="app_1", private_key=_Quick(), gateway_keys=[keys.public_pem], merchant_no="M1", merchant_id="MID1",
        snap_partner_id="P1", snap_channel_id="C1", snap_signature=SnapAsymmetric(_Quick()),
    )  # fmt: skip
    return Client(base_url="http://127.0.0.1:1", merchant=merchant, retries=0, clock=clock, transport=transport)
