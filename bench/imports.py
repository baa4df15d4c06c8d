"""What it costs to import the SDK and stand ready, against importing what any such client needs anyway.

Every measurement is a fresh interpreter, timed from its first statement to its last, so that starting Python itself is
not part of it. The contenders take turns. All byte code comes from one folder that two rounds of warming up have filled, as
an installed package has it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from random import Random
from tempfile import TemporaryDirectory

from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from bench.figures import Figure, Timings, ratio

_NEEDED = """\
import urllib3, json, decimal
from cryptography.hazmat.primitives.asymmetric import rsa, padding
from cryptography.hazmat.primitives import serialization, hashes
"""
_BOTH = """\
import urllib3
from cryptography.hazmat.primitives.asymmetric import rsa, padding
from cryptography.hazmat.primitives import serialization, hashes
"""
_RECEIVER = "from paywright import Receiver\n"
_READY = _RECEIVER + """\
from paywright_receiver import SqliteLedger
receiver = Receiver(app_id="app_1", gateway_keys=Own(), ledger=SqliteLedger("notifications.db"))
receiver.on_receive(print)
"""
_ALONE = "assert 'urllib3' not in sys.modules, 'the receiver has imported urllib3'\n"
_LOADED = _NEEDED + """\
key = serialization.load_pem_private_key(PRIVATE, None)
gateway = serialization.load_pem_public_key(PUBLIC)
"""
_CLIENT = """\
import paywright
from paywright import Client, Merchant
merchant = Merchant(app_id="app_1", private_key={private}, gateway_keys={public})
client = Client(base_url="http://127.0.0.1:1", merchant=merchant)
client.orders
"""
_CONNECTION = "import paywright_runtime.transport.connection\n"  # which the first call imports, and urllib3 with it
_OWN = """\
class Own:
    def sign(self, body): ...
    def verify(self, body, signature): ...
"""


def _source(text: str, private: bytes, public: bytes) -> str:
    return (
        f"import sys\nfrom time import perf_counter\nPRIVATE, PUBLIC = {private!r}, {public!r}\n"
        f"start = perf_counter()\n{text}\nspent = perf_counter() - start\n{_ALONE if _RECEIVER in text else ''}print(spent)"
    )


def run(*, quick: bool = False) -> Timings:
    """Seconds of every contender in every round."""
    key, gateway = generate_private_key(65537, 2048), generate_private_key(65537, 2048).public_key()
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    public = gateway.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    texts: Mapping[str, str] = {
        "needed": _NEEDED,
        "needed and keys": _LOADED,
        "client": _OWN + _CLIENT.format(private="Own()", public="Own()"),
        "client and connection": _OWN + _CLIENT.format(private="Own()", public="Own()") + _CONNECTION,
        "both": _BOTH,
        "receiver": _RECEIVER,
        "receiver with ledger": _OWN + _READY,
        "client with keys": _CLIENT.format(private="PRIVATE", public="[PUBLIC]"),
    }
    sources = {name: _source(text, private, public) for name, text in texts.items()}
    found: dict[str, list[float]] = {name: [] for name in sources}
    order, random = list(sources), Random(1)
    with TemporaryDirectory() as cache:
        environment = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = cache
        for number in range(-2, 7 if quick else 40):
            random.shuffle(order)
            for name in order:
                spent = _seconds(sources[name], environment, cache)
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
        Figure(
            "import, client, one resource",
            bare,
            ratio(timings, "client", "needed"),
            1.06,
            "signer and verifier of one's own",
        ),
        Figure(
            "the same, and what the first call imports", bare, ratio(timings, "client and connection", "needed"), 1.06
        ),
        Figure(
            "the same, with two keys loaded",
            f"{bare}, loading them",
            ratio(timings, "client with keys", "needed and keys"),
            1.12,
        ),
        Figure("the same, with two keys loaded", bare, ratio(timings, "client with keys", "needed"), None),
        Figure("the receiver alone", both, ratio(timings, "receiver", "both"), 0.60, "it does not import urllib3"),
        Figure(
            "receiver, ledger, a handler",
            both,
            ratio(timings, "receiver with ledger", "both"),
            None,
            "a verifier of one's own",
        ),
    ]
