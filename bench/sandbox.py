"""The sandbox: what an answer costs it, against the two signatures that no answer can do without; its start.

A server in a process of its own is asked over connections that stay open, by a few threads that have signed everything
beforehand. What is compared is the CPU time that the server's process takes for an answer (all its threads, and the kernel
on their behalf) with what one verify and one sign with keys of the same size take here, one after the other and nothing in
between, in the same rounds. Who asks has no part in it, but for what everything on a machine shares: its caches, and its
cores, if there are too few. The wall rate is stated beside it.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import NamedTuple

from bench.figures import Figure
from paywright_runtime import strict_json
from paywright_runtime.signing.keys import load_private_key, load_public_key
from paywright_runtime.signing.rsa import RsaSigner, RsaVerifier
from paywright_sandbox.init import make_folder

_PLACE = "/aggregate-pay/api/gateway/"
_CONNECTIONS = 4
_GOALS = {"orders.query": 0.57, "orders.checkout": 0.46}


class _Keys:
    def __init__(self, folder: Path) -> None:
        self.signer = RsaSigner(load_private_key(folder / "keys" / "merchant.key"))
        self.verifier = RsaVerifier([load_public_key(folder / "keys" / "merchant.pub")])

    def request(self, name: str, version: str, data: dict[str, object]) -> tuple[str, bytes, dict[str, str]]:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        body = strict_json.write(
            {"version": version, "keyVersion": "1", "requestTime": now, "appId": "app_sandbox_1", "data": data}
        )
        return _PLACE + name, body, {"Content-Type": "application/json", "sign": self.signer.sign(body)}

    def query(self, key: str) -> tuple[str, bytes, dict[str, str]]:
        return self.request("paymentOrderQry", "1.4", {"outTradeNo": key})

    def checkout(self, key: str) -> tuple[str, bytes, dict[str, str]]:
        data: dict[str, object] = {
            "outTradeNo": key, "integrate": "Hosted_Checkout", "subject": "Two tickets", "totalAmount": Decimal("10.50"), "currency": "USD",
            "country": "SG", "userId": "user_7001", "frontCallbackUrl": "https://shop.example/back",
        }  # fmt: skip
        return self.request("orderAndPay", "1.5", data)


class _Served(NamedTuple):
    """A sandbox process; `ready` is how many seconds it took until it answered that it is well."""

    process: subprocess.Popen[str]
    port: int
    ready: float

    def cpu(self) -> float:
        """Seconds of processor time the process has taken, in user and system together."""
        # The scheduler counts in nanoseconds; the ticks of /proc/PID/stat are 10 ms.
        tasks = Path(f"/proc/{self.process.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


@contextmanager
def _served(folder: Path) -> Iterator[_Served]:
    start = perf_counter()
    command = [sys.executable, "-m", "paywright_cli", "sandbox", "--dir", str(folder), "--port", "0", "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:(\d+)", process.stdout.readline())
        assert found is not None, "the sandbox did not start"
        port = int(found[1])
        connection = HTTPConnection("127.0.0.1", port, timeout=10)  # it says its address once it listens
        connection.request("GET", "/_sandbox/health")
        assert connection.getresponse().status == 200
        connection.close()
        yield _Served(process, port, perf_counter() - start)
    finally:
        process.terminate()
        process.wait(10)
        if process.stdout is not None:
            process.stdout.close()


def _ask(port: int, requests: Sequence[tuple[str, bytes, dict[str, str]]]) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        for path, body, headers in requests:
            connection.request("POST", path, body, headers)
            assert b'"APPLY_SUCCESS"' in connection.getresponse().read()
    finally:
        connection.close()


def _round(served: _Served, requests: list[tuple[str, bytes, dict[str, str]]]) -> tuple[float, float]:
    """CPU seconds of the server, and seconds of the wall, for each answer."""
    with ThreadPoolExecutor(_CONNECTIONS) as pool:
        cpu, start = served.cpu(), perf_counter()
        for done in [pool.submit(_ask, served.port, requests[n::_CONNECTIONS]) for n in range(_CONNECTIONS)]:
            done.result()
        wall = perf_counter() - start
        return (served.cpu() - cpu) / len(requests), wall / len(requests)


def _bare(keys: _Keys, request: tuple[str, bytes, dict[str, str]], times: int) -> float:
    """CPU seconds of one verify and one sign."""
    _, body, headers = request
    start = process_time()
    for _ in range(times):
        keys.verifier.verify(body, headers["sign"])
        keys.signer.sign(body)
    return (process_time() - start) / times


def figures(*, quick: bool = False) -> list[Figure]:
    """Return the lines of the table. Needs Linux, whose /proc says what another process has taken."""
    rounds, each = (5, 200) if quick else (15, 400)
    found: dict[str, list[tuple[float, float, float]]] = {"orders.query": [], "orders.checkout": []}
    with TemporaryDirectory(prefix="paywright-bench-") as made:
        folder = Path(made) / "sandbox"
        make_folder(folder)
        keys = _Keys(folder)
        with _served(folder) as served:
            _round(served, [keys.checkout(f"ORD_{number}") for number in range(each)])
            for number in range(rounds):
                asked = {
                    "orders.query": [keys.query(f"ORD_{one}") for one in range(each)],
                    "orders.checkout": [keys.checkout(f"ORD_{number}_{one}") for one in range(each)],
                }
                for name, requests in asked.items():
                    bare = _bare(keys, requests[0], each)
                    cpu, wall = _round(served, requests)
                    found[name].append((bare, cpu, wall))
        starts = []
        for _ in range(3 if quick else 9):
            with _served(folder) as served:
                starts.append(served.ready)
    lines = []
    for name, measured in found.items():
        rate = median(bare / cpu for bare, cpu, _ in measured)
        bare, cpu, wall = (median(column) for column in zip(*measured, strict=True))
        note = f"{cpu * 1e3:.2f} ms of CPU an answer, {bare * 1e3:.2f} ms bare; {1 / wall:.0f} answers a second of wall time"
        bare_work, goal = "one verify and one sign", _GOALS[name]
        lines.append(Figure(f"one core's rate of {name}", bare_work, rate, goal, note, more_is_better=True))
    note = f"{median(starts):.2f} s"
    return [*lines, Figure("start until it answers", "half a second", median(starts) / 0.5, 1, note)]
