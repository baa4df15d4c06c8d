"""Coverage-guided fuzzing of `Receiver.receive`, with atheris: `make fuzz`.

What must hold for any body and any headers: no exception, no acknowledgement and no effect without a valid signature, an
answer that is valid by contract, one effect for what is delivered twice. The first byte of an input chooses the way in:
raw bytes with a header of the fuzzer's own (0), signed bytes (1), a signed message of the service's with bytes replaced (2).
Run with files as arguments it takes each as one input, without atheris.
"""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path

atheris = None
if __name__ == "__main__":
    with contextlib.suppress(ImportError):
        import atheris

with atheris.instrument_imports(include=["paywright", "paywright_runtime"]) if atheris else contextlib.nullcontext():
    import hmac
    import logging
    from hashlib import sha256

    from paywright import Event, FixedClock, Receiver, Reply, RsaVerifier, VerifiedBytes, validate
    from paywright_receiver import MemoryLedger
    from paywright_receiver.webhooks import processing, verification
    from paywright_runtime import strict_json
    from paywright_runtime.contract import conversion
    from paywright_runtime.signing.rsa import _MADE_BY_A_VERIFIER, SignatureProblem
    from tests.receiver.helpers.desk import APP, MERCHANT, NOW, bill, key, order, period, transfer

LOADED = (
    verification,
    processing,
    strict_json,
    conversion,
)  # at the first delivery otherwise, and then not followed by atheris
SECRET = b"what the fuzzer signs with, a thousand times as fast"
BODIES = [json.dumps(make()).encode() for make in (transfer, period, order, bill)]


class FastVerifier:
    """Stands for RSA where bodies are fuzzed and signatures are not."""

    def verify(self, body: bytes, signature: str, /) -> VerifiedBytes:
        if not hmac.compare_digest(fast_sign(body).encode(), signature.encode(errors="replace")):
            raise SignatureProblem("mismatch")
        return VerifiedBytes(body, "fast", _MADE_BY_A_VERIFIER)


def fast_sign(body: bytes) -> str:
    return hmac.new(SECRET, body, sha256).hexdigest()


class Shop:
    """A receiver, and what its handlers did."""

    def __init__(self, verifier: RsaVerifier | FastVerifier) -> None:
        self.done: list[str] = []
        self.ledger = MemoryLedger()
        self.receiver = Receiver(
            app_id=APP,
            merchant_no=MERCHANT,
            gateway_keys=verifier,
            ledger=self.ledger,
            clock=FixedClock(NOW),
            bill_deadline=30,
        )
        self.receiver.on_receive(self.note)
        self.receiver.on_subscription_payment(self.note)
        self.receiver.on_other(self.note)
        self.receiver.on_validate_bill_payment(lambda question: question.refuse("no"))

    def note(self, event: Event[object]) -> None:
        # All that an event says is looked at: reading it must not fail in a handler.
        assert event.data is not None or event.operation is None
        assert event.violations is not None
        assert event.unknown is not None
        assert event.notify_time.tzinfo is not None
        assert isinstance(event.code + event.msg, str)
        self.done.append(event.key)


REAL = RsaVerifier([key().public_key()])
FAST = FastVerifier()
unsigned = Shop(REAL)
signed = Shop(FAST)


def sound(reply: Reply) -> None:
    assert type(reply) is Reply
    assert reply.acknowledged is (reply.status == 200) is (json.loads(reply.body)["code"] == "SUCCESS"), reply
    operation, message = ("notifications.receive", "answer")
    if reply.outcome == "answered":
        operation, message = ("merchant.validate_bill_payment", "response")
    assert validate(operation, message, reply.body) == [], reply


def one_input(data: bytes) -> None:
    """What atheris calls."""
    if not data:
        return
    if data[0] % 3 == 0:
        without_a_signature(data[1:])
    else:
        body = data[1:] if data[0] % 3 == 1 else replaced(data[1:])
        with_a_signature(body)


def without_a_signature(data: bytes) -> None:
    header, _, body = data.partition(b"\n")
    for headers in ([(b"sign", header)], {"sign": header.decode("latin-1")}, [(header, header), (b"sign", header)]):
        reply = unsigned.receiver.receive(body, headers)
        sound(reply)
        assert not reply.acknowledged
        assert reply.status in (401, 413), reply
    assert not unsigned.done
    assert not unsigned.ledger.list()


def replaced(data: bytes) -> bytes:
    """A message, with some of its bytes replaced: which, where and how many is the data's to say."""
    if len(data) < 4:
        return data
    body = BODIES[data[0] % len(BODIES)]
    at, length = int.from_bytes(data[1:3]) % len(body), data[3]
    return body[:at] + data[4:] + body[at + length :]


def with_a_signature(body: bytes) -> None:
    global signed
    if len(signed.done) > 500:
        signed = Shop(FAST)
    shop, before = signed, len(signed.done)
    reply = shop.receiver.receive(body, {"sign": fast_sign(body)})
    sound(reply)
    assert reply.outcome not in ("internal", "ledger_failed", "failed", "in_progress"), (reply, reply.why)
    assert len(shop.done) - before == (reply.outcome == "handled"), reply
    again = shop.receiver.receive(body, {"sign": fast_sign(body)})
    sound(again)
    if reply.outcome == "handled":
        assert again.outcome == "duplicate", again
    assert len(shop.done) - before == (reply.outcome == "handled"), again
    assert len(set(shop.done)) == len(shop.done)


def seeds(folder: Path) -> None:
    """Something to begin with: the messages themselves, and what is nearly one."""
    for number, body in enumerate(BODIES):
        (folder / f"seed-signed-{number}").write_bytes(b"\x01" + body)
        (folder / f"seed-unsigned-{number}").write_bytes(b"\x00" + b"c2lnbg==\n" + body)
        (folder / f"seed-replaced-{number}").write_bytes(bytes([2, number, 0, 30, 2]) + b"null")


def main() -> None:
    logging.disable(logging.CRITICAL)
    folders = [Path(one) for one in sys.argv[1:] if Path(one).is_dir()]
    files = [Path(one) for one in sys.argv[1:] if Path(one).is_file()]
    if files:
        for file in files:
            one_input(file.read_bytes())
        print(f"{len(files)} inputs: nothing found")
        return
    assert atheris is not None, "atheris is not installed; `make fuzz` does that"
    for folder in folders[:1]:
        seeds(folder)
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
