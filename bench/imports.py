"""What it costs to import the SDK and stand ready, against importing what any such client needs anyway.

Every measurement is a fresh interpreter, timed from its first statement to its last, so that starting Python itself is
not part of it; but for the process that makes one call, whose CPU time counts as a whole. The contenders take turns. All byte code comes from one folder that two rounds of warming up have filled, as
an installed package has it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from random import Random
from tempfile import TemporaryDirectory

from bench.call import Sides
from bench.canned import canned
from bench.figures import Figure, Timings, ratio

_BOTH = """\
import urllib3
from cryptography.hazmat.primitives.asymmetric import rsa, padding
from cryptography.hazmat.primitives import serialization, hashes
"""
_NEEDED = _BOTH + "import json, decimal\n"
_RECEIVER = "from paywright import Receiver\n"
_READY = _RECEIVER + """\
from paywright_receiver import SqliteLedger
receiver = Receiver(app_id="app_1", gateway_keys=Own(), ledger=SqliteLedger("notifications.db"))
receiver.on_receive(print)
"""
_ALONE = "assert 'paywright_runtime.transport' not in sys.modules, 'the receiver has imported a transport'\n"
_LOADED = _NEEDED + """\
key = serialization.load_pem_private_key(PRIVATE, None)
gateway = serialization.load_pem_public_key(PUBLIC)
"""
_CLIENT = """\
import paywright
from paywright import Client, Merchant
merchant = Merchant(app_id="app_1", private_key={private}, gateway_keys={public})
client = Client(base_url="http://127.0.0.1:PORT", merchant=merchant)
client.orders
"""
_CALLED = _CLIENT + """\
client.orders.checkout(out_trade_no="ORD_20250601_0001", subject="Two tickets", total_amount=10, currency="USD",
    country="SG", user_id="user_7001", front_callback_url="https://shop.example/back", notify_url="https://shop.example/notify")
"""
_BY_HAND = _LOADED + """\
from base64 import b64decode, b64encode
from datetime import UTC, datetime
order = {"outTradeNo": "ORD_20250601_0001", "subject": "Two tickets", "totalAmount": 10, "currency": "USD", "country": "SG",
    "userId": "user_7001", "frontCallbackUrl": "https://shop.example/back", "notifyUrl": "https://shop.example/notify"}
now = datetime.now(UTC).isoformat(timespec="milliseconds")
body = json.dumps({"version": "1.5", "keyVersion": "1", "requestTime": now, "appId": "app_1", "data": order}).encode()
sign = b64encode(key.sign(body, padding.PKCS1v15(), hashes.SHA256())).decode()
got = urllib3.PoolManager().request("POST", "http://127.0.0.1:PORT/pay", body=body, headers={"sign": sign}, retries=False)
gateway.verify(b64decode(got.headers["sign"]), got.data, padding.PKCS1v15(), hashes.SHA256())
json.loads(got.data)["data"]["redirectUrl"]
"""
_OWN = """\
class Own:
    def sign(self, body): ...
    def verify(self, body, signature): ...
"""


def _source(text: str, private: str, public: str, port: int) -> str:
    watch, before = (
        ("process_time", "0") if "key.sign" in text or "checkout" in text else ("perf_counter", "perf_counter()")
    )
    keys = f"PRIVATE, PUBLIC = {private.encode()!r}, {public.encode()!r}"
    after = f"spent = {watch}() - start\n{_ALONE if _RECEIVER in text else ''}print(spent)"
    return f"import sys\nfrom time import {watch}\n{keys}\nstart = {before}\n{text.replace('PORT', str(port))}\n{after}"


def run(*, quick: bool = False) -> Timings:
    """Seconds of every contender in every round."""
    sides = Sides()
    texts: Mapping[str, str] = {
        "needed": _NEEDED,
        "needed and keys": _LOADED,
        "client": _OWN + _CLIENT.format(private="Own()", public="Own()"),
        "both": _BOTH,
        "receiver": _RECEIVER,
        "receiver with ledger": _OWN + _READY,
        "client with keys": _CLIENT.format(private="PRIVATE", public="[PUBLIC]"),
        "called": _CALLED.format(private="PRIVATE", public="[PUBLIC]"),
        "called by hand": _BY_HAND,
    }
    found: dict[str, list[float]] = {name: [] for name in texts}
    order, random = list(texts), Random(1)
    with TemporaryDirectory() as cache, canned((sides.headers, sides.answer)) as port:
        environment = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = cache
        for number in range(-2, 7 if quick else 40):
            random.shuffle(order)
            for name in order:
                spent = _seconds(_source(texts[name], *sides.pems, port), environment, cache)
                if number >= 0:
                    found[name].append(spent)
    return found


def _seconds(source: str, environment: Mapping[str, str], folder: str) -> float:
    # By standard input, so that no command line and no error shows the keys.
    done = subprocess.run(
        [sys.executable, "-"], input=source, capture_output=True, text=True, env=environment, cwd=folder
    )
    if done.returncode != 0:
        raise RuntimeError(f"a fresh interpreter failed: {done.stderr.strip().splitlines()[-1]}")
    return float(done.stdout)


def figures(*, quick: bool = False) -> list[Figure]:
    """Return the lines of the table."""
    timings = run(quick=quick)
    bare = "importing urllib3, json, decimal, cryptography"
    both = "importing urllib3, cryptography"
    return [
        Figure("import, client, one resource", bare, ratio(timings, "client", "needed"), 1.06, "own signer, verifier"),
        Figure("client with two keys", f"{bare}, keys", ratio(timings, "client with keys", "needed and keys"), 1.12),
        Figure("the receiver alone", both, ratio(timings, "receiver", "both"), 0.60, "it imports no transport"),
        Figure("receiver, ledger, a handler", both, ratio(timings, "receiver with ledger", "both")),
        Figure("a process of one call, CPU", "the same by hand", ratio(timings, "called", "called by hand"), 1.07),
    ]
