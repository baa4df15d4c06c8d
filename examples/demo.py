"""The main job, end to end, against a sandbox on this machine: what `make demo` runs.

Every line says what really happened. Whatever is not as it should be ends the program with exit code 1.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import NoReturn
from urllib.parse import urlsplit

from paywright import (
    BuyerInfo,
    Client,
    ContractViolation,
    DropInPaymentDetail,
    GatewayError,
    OutcomeUnknown,
    RsaSigner,
)
from paywright_runtime.keys import generate_key_pair
from paywright_tools.env_file import environment

_PATIENCE = 30.0


def main() -> None:
    with TemporaryDirectory(prefix="paywright-demo-") as made:
        folder = Path(made) / "shop"
        run("sandbox", "init", str(folder))
        step("made a sandbox: keys for merchant and gateway, settings, .env")
        with sandbox(folder) as address:
            env = {**environment(folder / ".env"), "PAYWRIGHT_BASE_URL": address}
            step(f"the gateway answers on {address}")
            with Client.from_env(env) as client:
                place_and_pay(client, address)
                refund(client)
                refused_locally(client, address)
                forged(client, env)
        step("the sandbox stopped cleanly")
    print("\nAll of it happened as it should.")


def place_and_pay(client: Client, address: str) -> None:
    title("A hosted order")
    order = client.orders.checkout(
        out_trade_no="DEMO_1",
        subject="Two tickets",
        total_amount=Decimal("10.50"),
        currency="USD",
        user_id="user_7001",
        front_callback_url="https://shop.example/back",
    )
    expect(order.status == "PENDING" and order.redirect_url.startswith(address), "a hosted order waits for its payer")
    step(f"orders.checkout: {order.answer.code}; {order.out_trade_no} is {order.status}, pay at {order.redirect_url}")

    title("A Drop-In order")
    drop_in = client.orders.drop_in(
        out_trade_no="DEMO_2",
        subject="One ticket",
        total_amount=Decimal("5.25"),
        currency="USD",
        country="US",
        user_id="user_7001",
        terminal_type="WEB",
        front_callback_url="https://shop.example/back",
        payment_detail=DropInPaymentDetail(
            buyer_info=BuyerInfo(client_ip="203.0.113.7", user_agent="Mozilla/5.0"), session_key="from the page"
        ),
    )
    expect(drop_in.out_trade_no == "DEMO_2" and drop_in.status.is_known, "a Drop-In order has a state")
    step(f"orders.drop_in: {drop_in.answer.code}; {drop_in.out_trade_no} is {drop_in.status}")

    title("The payer pays")
    status, paid = control(address, "POST", "orders/DEMO_1/pay")
    expect(status == 200 and paid["status"] == "SUCCESS", "the sandbox let the payer pay")
    found = client.orders.query(out_trade_no="DEMO_1")
    is_paid = found.status is not None and found.status.is_paid
    expect(is_paid, "a paid order says so")
    step(f"orders.query: DEMO_1 is {found.status}, {found.trade.amount} {found.trade.currency}, paid: {is_paid}")


def refund(client: Client) -> None:
    title("A refund")
    created = client.refunds.create(
        out_refund_no="DEMO_REF_1", out_trade_no="DEMO_1", refund_amount=Decimal("4.25"), refund_currency="USD"
    )
    step(f"refunds.create: {created.answer.code}; {created.out_refund_no} is {created.status}")
    until, asked = time.monotonic() + _PATIENCE, 0
    while True:
        found = client.refunds.query(out_refund_no="DEMO_REF_1")
        asked += 1
        if found.status is not None and found.status.is_final:
            break
        expect(time.monotonic() < until, "a refund becomes final")
        time.sleep(0.2)
    expect(found.status == "REFUND_SUCCESS" and found.refund_amount == Decimal("4.25"), "the refund succeeded in full")
    step(f"refunds.query: {found.status} of {found.refund_amount} {found.refund_currency}, final after {asked} queries")


def refused_locally(client: Client, address: str) -> None:
    title("A request that breaks the contract")
    before = control(address, "GET", "orders")[1]
    try:
        client.orders.checkout(
            out_trade_no="NO SPACES",
            subject="x" * 257,
            total_amount=10.5,  # type: ignore[arg-type]  # a float, as somebody untyped would pass it
            currency="usd",
            user_id="user_7001",
            front_callback_url="nowhere",
        )
    except ContractViolation as error:
        violations = error.violations
    else:
        violations = ()
    codes = {violation.pointer: violation.code for violation in violations}
    expect(
        codes
        == {
            "/data/outTradeNo": "format",
            "/data/subject": "max",
            "/data/totalAmount": "type",
            "/data/currency": "format",
            "/data/frontCallbackUrl": "format",
        },
        f"all five violations are found at once, not {codes}",
    )
    for violation in violations:
        step(f"refused: {violation}")
    expect(control(address, "GET", "orders")[1] == before, "the gateway heard nothing of it")
    step("nothing was sent: the gateway has the same orders as before")


def forged(client: Client, env: dict[str, str]) -> None:
    title("A forged answer")
    with forger() as (address, requests), Client.from_env({**env, "PAYWRIGHT_BASE_URL": address}) as deceived:
        unknown: OutcomeUnknown | None = None
        try:
            deceived.orders.checkout(
                out_trade_no="DEMO_3",
                subject="A trap",
                total_amount=Decimal("1.00"),
                currency="USD",
                user_id="user_7001",
                front_callback_url="https://shop.example/back",
            )
        except OutcomeUnknown as error:
            unknown = error
        expect(len(requests) == 1, "the request went out once")
    if unknown is None:
        fail("the forged answer was believed")
    expect(unknown.reason == "bad_signature" and unknown.code is None, "it is its signature that gives it away")
    step(f"not believed: {unknown}")
    try:
        client.orders.query(out_trade_no=str(unknown.key))
    except GatewayError as error:
        expect(error.code == "ORDER_NOT_EXIST", "the real gateway knows no such order")
        step(f"settled by orders.query, verified: {error.code}")
    else:
        fail("the real gateway has an order that it never saw")


# The sandbox as a process of its own, by the commands that the README shows


def run(*arguments: str) -> None:
    done = subprocess.run([sys.executable, "-m", "paywright_tools.cli", *arguments], capture_output=True, text=True)
    expect(done.returncode == 0, f"`paywright {' '.join(arguments)}` works: {done.stderr.strip()}")


@contextmanager
def sandbox(folder: Path) -> Iterator[str]:
    """Serves the folder on a free port; yields the address; expects a clean end."""
    command = [sys.executable, "-m", "paywright_tools.cli", "sandbox", "--dir", str(folder), "--port", "0", "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None  # it was asked for
    try:
        found = re.search(r"http://127\.0\.0\.1:[0-9]+", process.stdout.readline())
        if found is None:
            fail("the sandbox did not say where it listens")
        address = found[0]
        wait_until_healthy(address)
        yield address
        process.send_signal(signal.SIGINT)
        expect(process.wait(10) == 0, "the sandbox ends with exit code 0")
    finally:
        if process.poll() is None:
            process.kill()
            process.wait(10)
        process.stdout.close()


def wait_until_healthy(address: str) -> None:
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            if control(address, "GET", "health")[0] == 200:
                return
        except OSError:
            pass
        expect(time.monotonic() < until, "the sandbox answers in time")
        time.sleep(0.05)


def control(address: str, method: str, path: str) -> tuple[int, dict[str, object]]:
    """What a person does to the sandbox: its control API, which no gateway has."""
    connection = HTTPConnection(urlsplit(address).netloc, timeout=10)
    try:
        connection.request(method, f"/_sandbox/{path}", headers={"X-Sandbox": "1"})
        response = connection.getresponse()
        answer = json.loads(response.read())
    finally:
        connection.close()
    return response.status, answer if isinstance(answer, dict) else {}


@contextmanager
def forger() -> Iterator[tuple[str, list[bytes]]]:
    """A server that answers what a gateway would, signed with a key that is not the gateway's; and what it was sent."""
    signer = RsaSigner(generate_key_pair().private)
    requests: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            requests.append(self.rfile.read(int(self.headers["Content-Length"])))
            out_trade_no = json.loads(requests[-1])["data"]["outTradeNo"]
            data = {
                "outTradeNo": out_trade_no,
                "tradeToken": "TT1",
                "status": "SUCCESS",
                "redirectUrl": "https://phish.example/pay",
            }
            body = json.dumps({"code": "APPLY_SUCCESS", "msg": "Success.", "data": data}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("sign", signer.sign(body))
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", requests
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


# Words


def title(text: str) -> None:
    print(f"\n{text}")


def step(text: str) -> None:
    print(f"  {text}", flush=True)


def expect(holds: bool, what: str) -> None:
    if not holds:
        fail(f"expected: {what}")


def fail(what: str) -> NoReturn:
    print(f"  NOT AS IT SHOULD BE: {what}", file=sys.stderr)
    sys.exit(1)


if __name__ == "__main__":
    main()
