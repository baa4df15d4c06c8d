"""The audit: what an exchange costs it with both signatures, two processes, its memory, and another tool on the same traffic."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Sequence
from importlib.resources import files
from itertools import repeat
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256

from bench.figures import Figure, cpu, most_memory
from bench.traffic import records
from paywright_audit.auditor import Auditor, add_cross_exchange_findings
from paywright_audit.cross_exchange.row_store import RowStore
from paywright_audit.input.capture_reader import read_captures
from paywright_audit.judging.matching import Matcher
from paywright_audit.judging.signatures import Keys
from paywright_audit.partial_result import PartialResult, Settings
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
            *_others(lines[:60] if quick else lines[:300], *public),
        )


def _rates(lines: list[bytes], merchant: RSAPublicKey, gateway: RSAPublicKey, *, rounds: int) -> Iterator[Figure]:
    texts = list(map(_as_text, lines))
    raw, text = b"".join(lines), b"".join(texts)
    contenders = {
        "ours": lambda: _audited(raw, merchant, gateway),
        "bare": lambda: _bare(lines, merchant, gateway),
        "parsed": lambda: _bare(lines, merchant, gateway, bodies=True),
        "ours, text": lambda: _audited(text, merchant, gateway),
        "bare, text": lambda: _bare(texts, merchant, gateway),
    }
    spent: dict[str, list[float]] = {name: [] for name in contenders}
    for run in contenders.values():
        run()
    for _ in range(rounds):
        for name, run in contenders.items():
            spent[name].append(cpu(run))

    def ratio(other: str, ours: str = "ours") -> float:
        return median(one / two for one, two in zip(spent[other], spent[ours], strict=True))

    def note(name: str) -> str:
        least, middle = (of(spent[name]) / len(lines) * 1e6 for of in (min, median))
        return f"{middle:.0f} us an exchange, {least:.0f} at the least; rules across exchanges included"

    what, parse = "audit with both signatures, rate on one core", "parsing the line, two bare verifications"
    yield Figure(what, parse, ratio("bare"), _RATE_GOAL, note("ours"), more_is_better=True)
    yield Figure(what, "the same and parsing both bodies", ratio("parsed"))
    what = "the same of bodies as text"
    yield Figure(what, parse, ratio("bare, text", "ours, text"), None, note("ours, text"), more_is_better=True)


def _as_text(line: bytes) -> bytes:
    """Return a record with its bodies as text, as recorders write it that do not keep the bytes."""
    record = json.loads(line)
    for side in ("request", "response"):
        record[side]["body"] = {"text": b64decode(record[side]["body"]["base64"]).decode()}
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def _audited(raw: bytes, merchant: RSAPublicKey, gateway: RSAPublicKey) -> PartialResult:
    settings, store = Settings(("traffic",)), RowStore()
    auditor = Auditor(Matcher(), Keys([merchant], [gateway]), settings, store)
    source = io.BytesIO(raw)
    auditor.take_all(read_captures(source.readline(), source))
    partial = auditor.close()
    add_cross_exchange_findings(store, partial, settings)
    assert partial.signatures == {("valid", ""): 2 * partial.exchanges}
    assert not partial.groups
    return partial


def _bare(lines: list[bytes], merchant: RSAPublicKey, gateway: RSAPublicKey, *, bodies: bool = False) -> None:
    padding, digest = PKCS1v15(), SHA256()
    for line in lines:
        record = json.loads(line)
        for side, key in ((record["request"], merchant), (record["response"], gateway)):
            ((form, content),) = side["body"].items()
            body = b64decode(content) if form == "base64" else content.encode()
            for name, value in side["headers"]:
                if name == "sign":
                    key.verify(b64decode(value), body, padding, digest)
            if bodies:
                json.loads(body)


def _processes(lines: Iterator[bytes], folder: Path, *, rounds: int) -> Iterator[Figure]:
    file = folder / "many.jsonl"
    with file.open("wb") as out:
        count = sum(1 for line in lines if out.write(line))
    walls, cpus, loads = [], [], []
    for _ in range(rounds):
        one, two = (_timed(folder, file, "--jobs", str(jobs)) for jobs in (1, 2))
        walls.append(one[0] / two[0])
        cpus.append(two[1] / one[1])
        loads.append(os.getloadavg()[0])
    file.unlink()
    what = f"two processes, {count} exchanges"
    note = f"of {os.cpu_count()} cores, under a load of {min(loads):.1f} to {max(loads):.1f} with their own"
    yield Figure(f"{what}, wall time", "one process", median(walls), _PROCESSES_GOAL, note, more_is_better=True)
    yield Figure(f"{what}, CPU time of all", "one process", median(cpus))


def _command(folder: Path, file: Path, *options: str) -> list[str]:
    keys = folder / "keys"
    given = ["--merchant-key", str(keys / "merchant.pub"), "--gateway-key", str(keys / "gateway.pub")]
    return [sys.executable, "-m", "paywright_cli", "audit", str(file), "--format", "json", *given, *options]


def _timed(folder: Path, file: Path, *options: str) -> tuple[float, float]:
    """Return the seconds of an audit, and the CPU time of all its processes."""
    start, before = perf_counter(), getrusage(RUSAGE_CHILDREN)
    done = subprocess.run(_command(folder, file, *options), stdout=subprocess.DEVNULL, check=False)
    wall, after = perf_counter() - start, getrusage(RUSAGE_CHILDREN)
    assert done.returncode == 0
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _memory(lines: list[bytes], size: int) -> Figure:
    """Measure the most memory of one process over a large file: a pipe, so that no disk has to hold it."""
    raw = b"".join(lines)
    times = -(-size // len(raw))
    peak = most_memory(["audit", "-", "--format", "json"], repeat(raw, times))
    what = f"memory over {times * len(raw) / 1e9:.1f} GB of records, MB"
    return Figure(what, "its goal", peak, _MEMORY_GOAL, f"{times * len(lines)} exchanges")


def _others(lines: list[bytes], merchant: RSAPublicKey, gateway: RSAPublicKey) -> Iterator[Figure]:
    """openapi-core with the OpenAPI document of the same contract, over the same traffic, half of it spoilt."""
    from openapi_core import OpenAPI  # type: ignore[import-not-found,unused-ignore]  # of the extra `bench`

    document = json.loads((files("paywright") / "openapi.json").read_text())
    other = OpenAPI.from_dict(document)
    spoilt = [_spoilt(line, number // 2 % len(_FAULTS)) if number % 2 else line for number, line in enumerate(lines)]
    seen: list[set[int]] = [set(), set()]
    theirs = cpu(lambda: seen[0].update(n for n, line in enumerate(spoilt) if not _passes(other, line)))
    ours = cpu(lambda: seen[1].update(_found(spoilt, merchant, gateway)))
    notes = []
    for name, found in (("openapi-core", seen[0]), ("the audit", seen[1])):
        right = len({n for n in found if n % 2})
        notes.append(f"{name}: {right} of {len(lines) // 2} faults, {len(found) - right} false alarms")
    yield Figure(
        "audit, rate", "openapi-core, same traffic", theirs / ours, None, "; ".join(notes), more_is_better=True
    )


def _found(lines: list[bytes], merchant: RSAPublicKey, gateway: RSAPublicKey) -> Iterator[int]:
    settings, store = Settings(("traffic",), kept=len(lines)), RowStore()
    auditor = Auditor(Matcher(), Keys([merchant], [gateway]), settings, store)
    source = io.BytesIO(b"".join(lines))
    auditor.take_all(read_captures(source.readline(), source))
    partial = auditor.close()
    add_cross_exchange_findings(store, partial, settings)
    for group in partial.groups.values():
        yield from (evidence.place.number - 1 for evidence in group.evidence)


def _passes(openapi: object, line: bytes) -> bool:
    from openapi_core.exceptions import OpenAPIError  # type: ignore[import-not-found,unused-ignore]
    from openapi_core.testing import MockRequest, MockResponse  # type: ignore[import-not-found,unused-ignore]

    record = json.loads(line)
    path = record["url"].removeprefix("https://gw.example")
    (asked, asked_headers), (told, told_headers) = (
        (b64decode(record[side]["body"]["base64"]), dict(map(tuple, record[side]["headers"])))
        for side in ("request", "response")
    )
    request = MockRequest(
        "http://127.0.0.1:8787", "post", path, data=asked, headers=asked_headers, content_type="application/json"
    )
    response = MockResponse(data=told, status_code=200, headers=told_headers, content_type="application/json")
    try:
        openapi.validate_request(request)  # type: ignore[attr-defined]  # the package is not there when types are checked
        openapi.validate_response(request, response)  # type: ignore[attr-defined]
    except OpenAPIError:
        return False
    return True


def _spoilt(line: bytes, fault: int) -> bytes:
    record = json.loads(line)
    _FAULTS[fault](record)
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def _edited(side: str, old: bytes, new: bytes) -> Callable[[dict[str, dict[str, dict[str, str]]]], None]:
    def change(record: dict[str, dict[str, dict[str, str]]]) -> None:
        body = b64decode(record[side]["body"]["base64"])
        record[side]["body"]["base64"] = b64encode(body.replace(old, new)).decode()

    return change


_FAULTS = (
    _edited("request", b'"keyVersion":"1"', b'"keyVersion":1'),
    _edited("response", b'"Success."', b'"Success!"'),
    _edited("request", b'"appId"', b'"appID"'),
    _edited("response", b'"outTradeNo":"ORD', b'"outTradeNo":"XRD'),
)
