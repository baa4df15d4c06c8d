"""A whole signed call through the client, against what a merchant would write by hand with urllib3 and cryptography.

Both build the same request, sign it with the same key, send it to the same loopback server over a connection that stays
open, verify the same signed answer and read it. The hand-written one checks nothing else: no limits, no strict JSON, no
deadline, no echo.

The floor is less than anybody could write: the same body signed, sent over a bare socket, and the answer's signature verified.
Against it CPU time counts, that of this thread alone: how long the server takes says nothing of either.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from socket import IPPROTO_TCP, TCP_NODELAY, create_connection, socket
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from urllib3 import HTTPConnectionPool, PoolManager

from bench.canned import Answer, canned
from bench.figures import Figure, Timings, ratio, turns, wall
from paywright import Client, Merchant

PATH = "/aggregate-pay/api/gateway/orderAndPay"
ANSWER: Final[dict[str, Any]] = {
    "code": "APPLY_SUCCESS", "msg": "Success.", "data": {
        "redirectUrl": "https://cashier.example/pay/TT2025060100000001", "outTradeNo": "ORD_20250601_0001", "status": "PENDING",
    },
}  # fmt: skip
ORDER: Final[dict[str, Any]] = {
    "out_trade_no": "ORD_20250601_0001", "subject": "Two tickets", "total_amount": Decimal("10.50"), "currency": "USD", "country": "SG",
    "user_id": "user_7001", "front_callback_url": "https://shop.example/back", "notify_url": "https://shop.example/notify",
}  # fmt: skip


class Sides:
    """A merchant and a gateway with new keys, and one answer of the gateway."""

    def __init__(self) -> None:
        self.key, self._signer = generate_private_key(65537, 2048), generate_private_key(65537, 2048)
        self.gateway = self._signer.public_key()
        ((self.headers, self.answer),) = self.many(1)
        private = self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
        public = self.gateway.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
        self.pems = private, public
        self.merchant = Merchant(app_id="app_1", private_key=private, gateway_keys=[public])

    def many(self, count: int) -> Iterator[Answer]:
        """Yield so many answers, no two alike."""
        for number in range(count):
            data = ANSWER["data"] | {"tradeToken": f"TT{number:016d}"}
            text = json.dumps(ANSWER | {"data": data}, separators=(",", ":"))
            yield self.headers_of(text), text

    def headers_of(self, answer: str) -> list[tuple[str, str]]:
        """Return the headers of an answer."""
        sign = b64encode(self._signer.sign(answer.encode(), PKCS1v15(), SHA256())).decode()
        return [("Content-Type", "application/json; charset=utf-8"), ("sign", sign)]


def by_hand(
    send: Callable[[bytes, dict[str, str]], tuple[bytes, str]], key: RSAPrivateKey, gateway: RSAPublicKey
) -> object:
    """Make a call that leaves out everything that can be left out."""
    return verified(*send(*signed(key)), gateway)


def signed(key: RSAPrivateKey) -> tuple[bytes, dict[str, str]]:
    """Return body and headers."""
    order = {
        "outTradeNo": "ORD_20250601_0001", "integrate": "Hosted_Checkout", "subject": "Two tickets", "totalAmount": 10.5, "currency": "USD",
        "country": "SG", "userId": "user_7001", "frontCallbackUrl": "https://shop.example/back", "notifyUrl": "https://shop.example/notify",
    }  # fmt: skip
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    message = {"version": "1.5", "keyVersion": "1", "requestTime": now, "appId": "app_1", "data": order}
    body = json.dumps(message, separators=(",", ":")).encode()
    sign = b64encode(key.sign(body, PKCS1v15(), SHA256())).decode()
    return body, {"Content-Type": "application/json; charset=utf-8", "sign": sign}


def verified(raw: bytes, answered: str, gateway: RSAPublicKey) -> object:
    """Return what an answer says."""
    gateway.verify(b64decode(answered), raw, PKCS1v15(), SHA256())
    return json.loads(raw)["data"]["redirectUrl"]


def by_client(client: Client) -> object:
    """Make the same call through the SDK."""
    order = client.orders.checkout(**ORDER)
    return order.redirect_url


def _floor(sides: Sides, connection: socket, port: int) -> Callable[[], object]:
    """Sign, one exchange in which nothing is built or judged, and verify."""
    body = json.dumps({"version": "1.5", "appId": "app_1", "data": {**ORDER, "total_amount": 10.5}}).encode()
    head = f"POST {PATH} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {len(body)}\r\nsign: ".encode()

    def call() -> None:
        sign = b64encode(sides.key.sign(body, PKCS1v15(), SHA256()))
        connection.sendall(head + sign + b"\r\n\r\n" + body)
        answer = b""
        while not answer.endswith(sides.answer.encode()):
            got = connection.recv(65536)
            if not got:
                raise ConnectionError("the canned server closed the connection")
            answer += got
        start = answer.index(b"sign: ") + 6
        raw = answer[answer.index(b"\r\n\r\n") + 4 :]
        sides.gateway.verify(b64decode(answer[start : answer.index(b"\r\n", start)]), raw, PKCS1v15(), SHA256())

    return call


def above_floor(*, quick: bool = False) -> Timings:
    """Seconds of CPU a call, per round, of the client and of the floor."""
    sides = Sides()
    with (
        canned((sides.headers, sides.answer)) as port,
        create_connection(("127.0.0.1", port)) as connection,
        Client(base_url=f"http://127.0.0.1:{port}", merchant=sides.merchant) as client,
    ):
        connection.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
        contenders = {"client": lambda: by_client(client), "floor": _floor(sides, connection, port)}
        return turns(contenders, batches=40 if quick else 400, batch=10)


def run(*, quick: bool = False) -> Timings:
    """Seconds a call, per round, of the client, of `PoolManager.request` and of `HTTPConnectionPool.urlopen`."""
    sides = Sides()
    with canned((sides.headers, sides.answer)) as port:
        base = f"http://127.0.0.1:{port}"
        manager = PoolManager()
        pool = HTTPConnectionPool("127.0.0.1", port)

        def with_manager(body: bytes, headers: dict[str, str]) -> tuple[bytes, str]:
            got = manager.request("POST", base + PATH, body=body, headers=headers, redirect=False, retries=False)
            return got.data, got.headers["sign"]

        def with_pool(body: bytes, headers: dict[str, str]) -> tuple[bytes, str]:
            got = pool.urlopen("POST", PATH, body=body, headers=headers, redirect=False, retries=False)
            return got.data, got.headers["sign"]

        with Client(base_url=base, merchant=sides.merchant) as client:
            return turns(
                {
                    "client": lambda: by_client(client),
                    "PoolManager": lambda: by_hand(with_manager, sides.key, sides.gateway),
                    "HTTPConnectionPool": lambda: by_hand(with_pool, sides.key, sides.gateway),
                },
                batches=28 if quick else 310,
                batch=10,
                clock=wall,
            )


def figures(*, quick: bool = False) -> list[Figure]:
    """Return the lines of the table."""
    timings = run(quick=quick)
    bare = above_floor(quick=quick)
    return [
        Figure("a whole signed call", "by hand, PoolManager.request", ratio(timings, "client", "PoolManager"), 0.85),
        Figure("a whole signed call", "by hand, urlopen", ratio(timings, "client", "HTTPConnectionPool"), 0.93),
        Figure("the same, CPU time", "sign, a bare exchange, verify", ratio(bare, "client", "floor"), 1.25),
    ]
