"""What `make fuzz` calls with atheris holds for its seeds, and notices what it is there to notice."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from paywright_receiver import MemoryLedger
from tests.fuzz import fuzz_audit, fuzz_receiver


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz_receiver, "signed", fuzz_receiver.Shop(fuzz_receiver.FAST))
    monkeypatch.setattr(fuzz_receiver, "unsigned", fuzz_receiver.Shop(fuzz_receiver.REAL))


def test_nothing_is_found_in_the_seeds_and_their_neighbours(tmp_path: Path) -> None:
    fuzz_receiver.seeds(tmp_path)
    random = Random(3)
    for file in sorted(tmp_path.iterdir()):
        data = bytearray(file.read_bytes())
        fuzz_receiver.one_input(bytes(data))
        for _ in range(30):
            changed = bytearray(data)
            changed[random.randrange(1, len(changed))] = random.randrange(256)
            fuzz_receiver.one_input(bytes(changed))
    assert fuzz_receiver.signed.done


def test_it_notices_a_second_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    class Forgetful(MemoryLedger):
        def acquire(self, request, /):  # type: ignore[no-untyped-def]  # a ledger that is none
            return MemoryLedger().acquire(request)

    shop = fuzz_receiver.signed
    monkeypatch.setattr(shop.receiver, "ledger", Forgetful())
    with pytest.raises(AssertionError):
        fuzz_receiver.one_input(b"\x01" + fuzz_receiver.BODIES[0])


def test_it_notices_an_effect_without_a_signature(monkeypatch: pytest.MonkeyPatch) -> None:
    class Credulous:
        def verify(self, body: bytes, signature: str, /) -> object:
            return fuzz_receiver.VerifiedBytes(body, "any", fuzz_receiver._MADE_BY_A_VERIFIER)

    monkeypatch.setattr(fuzz_receiver.unsigned.receiver, "verifier", Credulous())
    with pytest.raises(AssertionError):
        fuzz_receiver.one_input(b"\x00AAAA\n" + fuzz_receiver.BODIES[0])


@pytest.mark.slow
def test_nothing_is_found_in_the_seeds_of_the_audit_and_their_neighbours(tmp_path: Path) -> None:
    fuzz_audit.seeds(tmp_path)
    random = Random(4)
    for file in sorted(tmp_path.iterdir()):
        data = bytearray(file.read_bytes())
        fuzz_audit.one_input(bytes(data))
        for _ in range(10):
            changed = bytearray(data)
            changed[random.randrange(1, len(changed))] = random.randrange(256)
            fuzz_audit.one_input(bytes(changed))


def test_it_notices_what_steers_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paywright_audit.judging.judge.plain", str)
    monkeypatch.setattr("paywright_audit.judging.finding_text.plain", str)
    with pytest.raises(AssertionError):
        fuzz_audit.one_input(b'\x02{"\xe2\x80\xae":1,"\xe2\x80\xae":2}')


def test_it_notices_a_short_way_that_reads_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = fuzz_audit.typed_lines
    for module in (fuzz_audit.capture_reader, reader):
        monkeypatch.setattr(module, "seconds", lambda text: 0.0)
    line = fuzz_audit.record("refunds.create", b"{}")
    fuzz_audit.one_input(b"\x00" + line)
    quick = reader.usual_exchange
    monkeypatch.setattr(reader, "usual_exchange", lambda line, *where: quick(line.replace(b"e30=", b"W10="), *where))
    with pytest.raises(AssertionError):
        fuzz_audit.one_input(b"\x00" + line)
