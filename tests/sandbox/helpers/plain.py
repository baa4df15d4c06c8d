"""A client that knows nothing of our SDK: the standard library's HTTP and `cryptography`."""

from __future__ import annotations

import base64
import json
import socket
from datetime import UTC, datetime
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

if TYPE_CHECKING:
    from paywright_sandbox.testing.served import RunningSandbox


def port_of(sandbox: RunningSandbox) -> int:
    return int(sandbox.base_url.rsplit(":", 1)[1])


def connected(sandbox: RunningSandbox) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port_of(sandbox)), timeout=600)


class PlainClient:
    def __init__(self, port: int, folder: Path) -> None:
        private = load_pem_private_key((folder / "keys" / "merchant.key").read_bytes(), None)
        public = load_pem_public_key((folder / "keys" / "gateway.pub").read_bytes())
        assert isinstance(private, RSAPrivateKey)
        assert isinstance(public, RSAPublicKey)
        self.private, self.public = private, public
        self.http = HTTPConnection("127.0.0.1", port, timeout=600)

    @classmethod
    def of(cls, sandbox: RunningSandbox) -> PlainClient:
        return cls(port_of(sandbox), sandbox.directory)

    def call(self, name: str, version: str, data: dict[str, Any]) -> dict[str, Any]:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        message = {"version": version, "keyVersion": "1", "requestTime": now, "appId": "app_sandbox_1", "data": data}
        return self.post(f"/aggregate-pay/api/gateway/{name}", json.dumps(message).encode())

    def post(self, path: str, body: bytes, **headers: str) -> dict[str, Any]:
        return self.request(
            "POST", path, body, {"Content-Type": "application/json", "sign": self.sign(body), **headers}
        )

    def sign(self, body: bytes) -> str:
        return base64.b64encode(self.private.sign(body, padding.PKCS1v15(), hashes.SHA256())).decode()

    def request(
        self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> dict[str, Any]:
        """The answer, once its signature is verified. `status` is the HTTP status of the last one."""
        self.http.request(method, path, body, headers or {})
        response = self.http.getresponse()
        self.status, raw = response.status, response.read()
        sign = response.headers.get_all("sign") or []
        assert len(sign) == 1
        assert base64.b64encode(base64.b64decode(sign[0], validate=True)).decode() == sign[0]
        self.public.verify(base64.b64decode(sign[0]), raw, padding.PKCS1v15(), hashes.SHA256())
        assert response.headers["content-type"] == "application/json"
        answer: dict[str, Any] = json.loads(raw)
        return answer

    def checkout(self, key: str, amount: float = 10.5, **more: str) -> dict[str, Any]:
        data = {
            "outTradeNo": key, "integrate": "Hosted_Checkout", "subject": "Two tickets", "totalAmount": amount,
            "currency": "USD", "userId": "user_1", "frontCallbackUrl": "https://shop.example/back", **more,
        }  # fmt: skip
        return self.call("orderAndPay", "1.5", data)

    def query(self, key: str) -> dict[str, Any]:
        return self.call("paymentOrderQry", "1.4", {"outTradeNo": key})

    def refund(self, key: str, order: str, amount: float) -> dict[str, Any]:
        data = {"outRefundNo": key, "refundAmount": amount, "refundCurrency": "USD", "outTradeNo": order}
        return self.call("refund", "1.5", data)

    def control(self, method: str, path: str, **headers: str) -> dict[str, Any]:
        self.http.request(method, f"/_sandbox/{path}", headers={"X-Sandbox": "1", **headers})
        response = self.http.getresponse()
        self.status = response.status
        answer: dict[str, Any] = json.loads(response.read())
        return answer

    def close(self) -> None:
        self.http.close()
