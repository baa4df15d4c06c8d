"""The audit: what an exchange costs it with both signatures, two processes, and its memory."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from base64 import b64decode
from collections.abc import Iterator, Sequence
from itertools import repeat
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256

from bench.figures import Figure, cpu, most_memory
from bench.traffic import records
from paywright_audit.cross_exchange.history.row_store import RowStore
from paywright_audit.input.captures.capture_reader import read_captures
from paywright_audit.judging.matching import Matcher
from paywright_audit.judging.signatures import Keys
from paywright_audit.result.partial_result import PartialResult
from paywright_audit.running.auditor import Auditor, relate_all
from paywright_audit.settings.audit_settings import AuditSettings
from paywright_runtime.signing.keys import load_private_key, load_public_key
from paywright_runtime.signing.rsa import RsaSigner
from paywright_sandbox.init import make_folder

_RATE_GOAL = 0.55
_PROCESSES_GOAL = 1.8
_MEMORY_GOAL = 100.0


def figures(*, quick: bool = False) -> Sequence[Figure]:
    """All of them."""
    with TemporaryDirectory(prefix="paywright-bench-") as made:
        folder = Path(made)
        make_folder(folder)
        keys = folder / "keys"
        merchant, gateway = (RsaSigner(load_private_key(keys / f"{side}.key")) for side in ("merchant", "gateway"))
        lines = list(records(2_000 if quick else 12_000, merchant, gateway))
        public = load_public_key(keys / "merchant.pub"), load_public_key(keys / "gateway.pub")
        return (
            *_rates(lines, *public, rounds=3 if quick else 9),
            *_processes(
                records(6_000 if quick else 240_000, merchant, gateway, polls=20), folder, rounds=1 if quick else 3
            ),
            _memory(lines, 100_000_000 if quick else 2_000_000_000),
        )


def _rates(lines: list[bytes], merchant: RSAPublicKey, gateway: RSAPublicKey, *, rounds: int) -> Iterator[Figure]:
    raw = b"".join(lines)
    _audited(raw, merchant, gateway)
    ours, bare = [], []
    for _ in range(rounds):
        ours.append(cpu(lambda: _audited(raw, merchant, gateway)))
        bare.append(cpu(lambda: _bare(lines, merchant, gateway)))
    rate = median(one / two for one, two in zip(bare, ours, strict=True))
    note = f"{median(ours) / len(lines) * 1e6:.0f} us an exchange; rules across exchanges included"
    what, parse = "audit with both signatures, rate on one core", "parsing the line, two bare verifications"
    yield Figure(what, parse, rate, _RATE_GOAL, note, more_is_better=True)


def _audited(raw: bytes, merchant: RSAPublicKey, gateway: RSAPublicKey) -> PartialResult:
    settings, store = AuditSettings(), RowStore()
    auditor = Auditor(Matcher(), Keys([merchant], [gateway]), settings, store)
    source = io.BytesIO(raw)
    auditor.take_all(read_captures(source.readline(), source))
    partial = auditor.partial
    relate_all(store, partial, settings)
    assert partial.signatures == {("valid", ""): 2 * partial.exchanges}
    assert not partial.groups
    return partial


def _bare(lines: list[bytes], merchant: RSAPublicKey, gateway: RSAPublicKey) -> None:
    padding, digest = PKCS1v15(), SHA256()
    for line in lines:
        record = json.loads(line)
        for side, key in ((record["request"], merchant), (record["response"], gateway)):
            body = b64decode(side["body"]["base64"])
            for name, value in side["headers"]:
                if name == "sign":
                    key.verify(b64decode(value), body, padding, digest)


def _processes(lines: Iterator[bytes], folder: Path, *, rounds: int) -> Iterator[Figure]:
    file = folder / "many.jsonl"
    with file.open("wb") as out:
        count = sum(1 for line in lines if out.write(line))
    walls, loads = [], []
    for _ in range(rounds):
        one, two = (_timed(folder, file, "--jobs", str(jobs)) for jobs in (1, 2))
        walls.append(one / two)
        loads.append(os.getloadavg()[0])
    file.unlink()
    what = f"two processes, {count} exchanges"
    note = f"of {os.cpu_count()} cores, under a load of {min(loads):.1f} to {max(loads):.1f} with their own"
    yield Figure(f"{what}, wall time", "one process", median(walls), _PROCESSES_GOAL, note, more_is_better=True)


def _timed(folder: Path, file: Path, *options: str) -> float:
    """Return the seconds of an audit."""
    start = perf_counter()
    given = [
        "--merchant-key",
        str(folder / "keys" / "merchant.pub"),
        "--gateway-key",
        str(folder / "keys" / "gateway.pub"),
    ]
    command = [sys.executable, "-m", "paywright_cli", "audit", str(file), "--format", "json", *given, *options]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return perf_counter() - start


def _memory(lines: list[bytes], size: int) -> Figure:
    """Measure the most memory of one process over a large file: a pipe, so that no disk has to hold it."""
    raw = b"".join(lines)
    times = -(-size // len(raw))
    peak = most_memory(["audit", "-", "--format", "json"], repeat(raw, times))
    what = f"memory over {times * len(raw) / 1e9:.1f} GB of records, MB"
    return Figure(what, "its goal", peak, _MEMORY_GOAL, f"{times * len(lines)} exchanges")
