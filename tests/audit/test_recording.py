"""Recorders: nothing on the wire changes, exact files are audited as the sandbox's own log, and redacted ones hold no secret."""

from __future__ import annotations

import asyncio
import json
import os
import stat
from base64 import b64decode
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache
from io import BytesIO
from pathlib import Path
from shutil import copytree
from threading import Event, Thread
from typing import Any

import pytest

from paywright import Client, GatewayError, OutcomeUnknown
from paywright.aio import Client as AsyncClient
from paywright.contract import CONTRACT
from paywright_audit import (
    AsyncRecorded,
    AuditSetupError,
    Recorded,
    Recorder,
    recorded_asgi,
    recorded_async_httpx,
    recorded_httpx,
    recorded_requests,
    recorded_wsgi,
)
from paywright_audit.recording import endpoints
from paywright_audit.recording.captured import Captured, CapturedMessage, capture_record
from paywright_cli.main import main
from paywright_receiver import asgi_app, wsgi_app
from paywright_runtime.clock import FixedClock
from paywright_runtime.signing.keys import load_private_key
from paywright_runtime.signing.rsa import RsaSigner
from paywright_sandbox.testing import (
    AsyncInProcessTransport,
    InProcessSandbox,
    InProcessTransport,
    in_process_sandbox,
    running_sandbox,
)
from tests.sandbox.helpers.place import place
from tests.support.forks import Fork, any_fork, in_child, needs_fork
from tests.support.time_limits import TimeLimit, needs_signals, strike, time_limit

FEW, MANY = 20, 10_000
AT = datetime(2025, 6, 1, 12, tzinfo=UTC)
Json = dict[str, Any]


def records(folder: Path) -> list[Json]:
    return [json.loads(line) for file in sorted(folder.glob("*.jsonl")) for line in file.read_bytes().splitlines()]


def bodies(found: list[Json]) -> list[tuple[bytes, bytes | None]]:
    """The bytes of each exchange, as the sandbox's log or a recorder has them."""
    return [
        (b64decode(one["request"]["body"]["base64"]), None if one["response"] is None else b64decode(one["response"]["body"]["base64"]))
        for one in found
    ]  # fmt: skip


def log_of(sandbox: Any) -> list[Json]:
    return [json.loads(line) for line in sandbox.log().splitlines()]


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from paywright_sandbox.init import make_folder

    folder = tmp_path_factory.mktemp("keys")
    make_folder(folder)
    toml = folder / "sandbox.toml"
    toml.write_text(toml.read_text().replace("log-keeps = 10000", "log-keeps = 100000"))
    return folder


def post(keys: Path, number: int) -> tuple[str, dict[str, str], bytes]:
    """A signed order, as a program without the SDK writes it."""
    body: Any = CONTRACT.example("orders.checkout.request")
    body["data"] |= {"outTradeNo": f"ORD_{number}", "subject": f"Zwölf ☕ {number}"}
    body |= {"appId": "app_sandbox_1", "requestTime": datetime.now(UTC).isoformat(timespec="milliseconds")}
    raw = json.dumps(body, ensure_ascii=False).encode()
    return (
        str(CONTRACT.operation("orders.checkout").path),
        {"Content-Type": "application/json", "sign": signer(keys).sign(raw)},
        raw,
    )


@cache
def signer(keys: Path) -> RsaSigner:
    return RsaSigner(load_private_key(keys / "keys" / "merchant.key"))


def by_client(keys: Path, recorder: Recorder, count: int) -> list[Json]:
    with in_process_sandbox(keys, clock=FixedClock(AT), seed="1") as sandbox:
        transport = Recorded(recorder, sandbox.base_url, InProcessTransport(sandbox.engine))
        with Client.from_env(sandbox.env, clock=sandbox.engine.wall, transport=transport) as client:
            for number in range(count):
                place(client, f"ORD_{number}")
        return log_of(sandbox)


def by_async_client(keys: Path, recorder: Recorder, count: int) -> list[Json]:
    async def run(sandbox: InProcessSandbox) -> None:
        transport = AsyncRecorded(recorder, sandbox.base_url, AsyncInProcessTransport(sandbox.engine))
        async with AsyncClient.from_env(sandbox.env, clock=sandbox.engine.wall, transport=transport) as client:
            for number in range(count):
                (
                    await client.orders.query(out_trade_no=f"ORD_{number}")
                    if number % 2
                    else await place_awaited(client, number + 1)
                )

    async def place_awaited(client: AsyncClient, number: int) -> object:
        return await client.orders.checkout(
            out_trade_no=f"ORD_{number}", subject="s", total_amount=Decimal("10.50"), currency="USD", user_id="u",
            front_callback_url="https://shop.example/back",
        )  # fmt: skip

    with in_process_sandbox(keys, clock=FixedClock(AT), seed="1") as sandbox:
        asyncio.run(run(sandbox))
        return log_of(sandbox)


def by_httpx(keys: Path, recorder: Recorder, count: int) -> list[Json]:
    import httpx

    with (
        running_sandbox(keys) as sandbox,
        httpx.Client(base_url=sandbox.base_url, transport=recorded_httpx(recorder)) as client,
    ):
        for number in range(count):
            path, headers, raw = post(keys, number)
            answer = client.post(path, headers=headers, content=raw)
            assert answer.json()["code"] == "APPLY_SUCCESS"
        return log_of(sandbox)


def by_async_httpx(keys: Path, recorder: Recorder, count: int) -> list[Json]:
    import httpx

    async def run(url: str) -> None:
        async with httpx.AsyncClient(base_url=url, transport=recorded_async_httpx(recorder)) as client:
            for number in range(count):
                path, headers, raw = post(keys, number)
                assert (await client.post(path, headers=headers, content=raw)).json()["code"] == "APPLY_SUCCESS"

    with running_sandbox(keys) as sandbox:
        asyncio.run(run(sandbox.base_url))
        return log_of(sandbox)


def by_requests(keys: Path, recorder: Recorder, count: int) -> list[Json]:
    import requests

    with running_sandbox(keys) as sandbox, requests.Session() as session:
        session.mount(sandbox.base_url, recorded_requests(recorder))
        for number in range(count):
            path, headers, raw = post(keys, number)
            answer = session.post(sandbox.base_url + path, headers=headers, data=raw, timeout=600)
            assert answer.json()["code"] == "APPLY_SUCCESS"
        return log_of(sandbox)


class _Called:
    """An endpoint that the sandbox calls in process, through a web interface."""

    def __init__(self, call: Callable[[bytes, Any], tuple[int, Any, bytes]]) -> None:
        self._call = call

    def receive(self, raw: bytes, headers: Any) -> Any:
        from types import SimpleNamespace

        status, pairs, body = self._call(raw, headers)
        return SimpleNamespace(status=status, headers=pairs, body=body)


def notified(
    keys: Path, count: int, wrap: Callable[[Any], Callable[[bytes, Any], tuple[int, Any, bytes]]]
) -> list[Json]:
    with in_process_sandbox(keys, clock=FixedClock(AT), seed="1") as sandbox:
        receiver = sandbox.receiver()
        receiver.on_receive(lambda event: None)
        sandbox.deliver_to(_Called(wrap(receiver)))  # type: ignore[arg-type]  # it has the one method
        for number in range(count):
            sandbox.done("POST", "transfers", {"amount": str(number + 1), "currency": "USD", "status": "SETTLED"})
            assert sandbox.deliver() == 1
        return [one for one in log_of(sandbox) if one["kind"] == "notify"]


def by_wsgi(keys: Path, recorder: Recorder, count: int) -> list[Json]:
    def wrap(receiver: Any) -> Any:
        app = recorded_wsgi(wsgi_app(receiver), recorder)

        def call(raw: bytes, headers: Any) -> tuple[int, Any, bytes]:
            started: list[Any] = []
            environ: Any = {
                "REQUEST_METHOD": "POST", "wsgi.url_scheme": "http", "SERVER_NAME": "shop.example", "SERVER_PORT": "80",
                "PATH_INFO": "/paywright", "wsgi.input": BytesIO(raw), "CONTENT_LENGTH": str(len(raw)),
                **{f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers if name != "Content-Type"},
                "CONTENT_TYPE": "application/json",
            }  # fmt: skip
            parts: Any = app(environ, lambda status, pairs, *more: started.append((status, pairs)))
            body = b"".join(parts)
            parts.close()
            return int(started[0][0][:3]), started[0][1], body

        return call

    return notified(keys, count, wrap)


def by_asgi(keys: Path, recorder: Recorder, count: int) -> list[Json]:
    def wrap(receiver: Any) -> Any:
        app = recorded_asgi(asgi_app(receiver), recorder)  # type: ignore[arg-type]  # messages of any mapping

        async def run(raw: bytes, headers: Any) -> tuple[int, Any, bytes]:
            parts = [
                {"type": "http.request", "body": raw[:7], "more_body": True},
                {"type": "http.request", "body": raw[7:]},
            ]
            sent: list[Any] = []

            async def receive() -> Any:
                return parts.pop(0)

            async def send(message: Any) -> None:
                sent.append(message)

            pairs = [(name.lower().encode(), value.encode()) for name, value in headers]
            await app({"type": "http", "method": "POST", "path": "/paywright", "headers": pairs}, receive, send)
            head = [(name.decode(), value.decode()) for name, value in sent[0]["headers"]]
            return sent[0]["status"], head, b"".join(one.get("body", b"") for one in sent)

        return lambda raw, headers: asyncio.run(run(raw, headers))

    return notified(keys, count, wrap)


RECORDERS = [by_client, by_async_client, by_httpx, by_async_httpx, by_requests, by_wsgi, by_asgi]
Run = Callable[[Path, Recorder, int], list[Json]]


def judge(run: Run, keys: Path, folder: Path, count: int) -> None:
    with Recorder(folder / "records", exact=True) as recorder:
        log = run(Path(copytree(keys, folder / "sandbox")), recorder, count)
    found = records(folder / "records")
    assert recorder.lost == 0
    assert len(found) == count
    assert bodies(found) == bodies(log)
    assert [one["response"]["status"] for one in found] == [one["response"]["status"] for one in log]


@pytest.mark.slow
@pytest.mark.parametrize("run", RECORDERS)
def test_no_byte_changes_on_the_wire(run: Run, keys: Path, tmp_path: Path) -> None:
    judge(run, keys, tmp_path, FEW)


@pytest.mark.full
@pytest.mark.parametrize("run", RECORDERS)
def test_no_byte_of_ten_thousand_exchanges_changes(run: Run, keys: Path, tmp_path: Path) -> None:
    judge(run, keys, tmp_path, MANY)


def audited(capsys: pytest.CaptureFixture[str], files: list[Path], keys: Path) -> tuple[list[Json], Json]:
    """The findings, without where each stood and when, and the report at the end."""
    main(
        [
            "audit", *map(str, files), "--format", "json", "--jobs", "1",
            "--merchant-key", str(keys / "keys" / "merchant.pub"), "--gateway-key", str(keys / "keys" / "gateway.pub"),
        ]
    )  # fmt: skip
    *findings, report = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return [
        {name: one[name] for name in one if name not in ("file", "at", "other", "message")} for one in findings
    ], report


def session(sandbox: InProcessSandbox, recorder: Recorder) -> None:
    """A shop with faults of its own and of the gateway."""
    transport = Recorded(recorder, sandbox.base_url, InProcessTransport(sandbox.engine))
    env = {**sandbox.env, "PAYWRIGHT_VALIDATION": "off"}
    with Client.from_env(env, clock=sandbox.engine.wall, transport=transport) as client:
        for number in range(4):
            place(client, f"ORD_{number}")
            sandbox.pay(f"ORD_{number}")
        for wrong in ({"currency": "usd"}, {"subject": "x" * 300}):
            with pytest.raises(GatewayError):
                place(client, "ORD_9", **wrong)
        for fault in ("reset", "bad-signature", "no-signature", "html"):
            sandbox.fault(fault, when="after", times=1, operation="refunds.create")
            with pytest.raises(OutcomeUnknown):
                client.refunds.create(
                    out_refund_no=f"REF_{fault}", refund_amount=Decimal(6), refund_currency="USD", out_trade_no="ORD_1"
                )
        with pytest.raises(GatewayError):
            client.orders.query(out_trade_no="NONE")


def test_exact_files_are_audited_as_the_log_of_the_sandbox(
    keys: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Recorder(tmp_path / "records", exact=True) as recorder, in_process_sandbox(keys) as sandbox:
        session(sandbox, recorder)
        (tmp_path / "log.jsonl").write_bytes(sandbox.log())
    (file,) = (tmp_path / "records").glob("*.jsonl")
    findings, report = audited(capsys, [file], keys)
    wanted, log = audited(capsys, [tmp_path / "log.jsonl"], keys)
    assert findings == wanted != []
    assert report["signatures"] == log["signatures"]


@pytest.mark.slow
@pytest.mark.parametrize("run", RECORDERS)
def test_the_audit_verifies_every_signature_of_each_recorder(
    run: Run, keys: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Recorder(tmp_path / "records", exact=True) as recorder:
        run(Path(copytree(keys, tmp_path / "sandbox")), recorder, 4)
    _, report = audited(capsys, list((tmp_path / "records").iterdir()), keys)
    notified = run in (by_wsgi, by_asgi)  # their answers carry no signature
    assert report["signatures"] == {"valid": 4 if notified else 8, "invalid": 0, "unverifiable": 0, "absent": 0}


def planted() -> tuple[list[str], Captured]:
    """Two hundred secrets, in every place where a message has one, and a message with all of them."""
    secrets: list[str] = []

    def secret(like: str = "S3cr3t-{}") -> str:
        secrets.append(like.format(f"{len(secrets):03}"))
        return secrets[-1]

    confidential = [
        field.wire
        for name in CONTRACT.structs()
        for field in CONTRACT.struct(name).fields
        if field.redaction is not None and "." not in field.wire
    ]
    members: Json = {name: secret() for name in sorted(set(confidential)) if name not in ("sign", "X-SIGNATURE")}
    members |= {f"unknown{number}": [secret(), {"deeper": secret()}] for number in range(30)}
    members["subject"] = f"My card is {secret('4111111111111111')}"
    body: Json = {
        "appId": "app_1",
        "data": {**members, "extend": {"free": secret()}, "nested": {"data": {"x": secret()}}},
    }
    headers = [(f"X-Token-{number}", secret()) for number in range(30)]
    headers += [(name, secret()) for name in ("Authorization", "Cookie", "sign", "X-SIGNATURE", "Set-Cookie")]
    url = f"https://user:{secret()}@gateway.example/aggregate-pay/api/gateway/order?token={secret()}"
    body["data"]["flags"], body["status"] = [True, None, 7], 200  # what is no text of the contract's is a zero
    while len(secrets) < 200:
        body["data"][f"more{len(secrets)}"] = secret()
    message = CapturedMessage(headers, json.dumps(body).encode(), 200)
    return secrets, Captured("call", "POST", url, message, message, AT, AT)


def test_redacted_records_hold_none_of_200_planted_secrets_and_say_so(tmp_path: Path) -> None:
    secrets, seen = planted()
    assert len(secrets) >= 200
    with Recorder(tmp_path) as recorder:
        recorder.record(seen)
        recorder.record(seen._replace(request=CapturedMessage([], secrets[0].encode())))  # no JSON at all
    written = b"".join(file.read_bytes() for file in tmp_path.iterdir()).decode()
    assert [one for one in secrets if one in written] == []
    first, second = records(tmp_path)
    assert first["redacted"] is second["redacted"] is True
    assert first["url"] == "https://gateway.example/aggregate-pay/api/gateway/order"
    assert first["request"]["body"]["parsed"]["appId"] == "app_1"
    assert first["request"]["body"]["parsed"]["data"]["flags"] == [True, None, 0]
    assert first["request"]["body"]["parsed"]["status"] == 200
    assert second["request"]["body"] is None


def test_the_audit_of_redacted_files_verifies_no_signature_and_finds_the_rest(
    keys: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Recorder(tmp_path / "r") as recorder, in_process_sandbox(keys) as sandbox:
        session(sandbox, recorder)
    found, report = audited(capsys, list((tmp_path / "r").iterdir()), keys)
    words = {(one["operation"], one["pointer"], one["code"]) for one in found}
    assert {("orders.checkout", "/data/currency", "format"), ("orders.checkout", "/data/subject", "max")} <= words
    assert report["signatures"] == {"valid": 0, "invalid": 0, "unverifiable": 19, "absent": 1}


def exchange(number: int = 0) -> Captured:
    message = CapturedMessage([("Content-Type", "application/json")], b'{"data":{"outTradeNo":"ORD_%d"}}' % number, 200)
    return Captured("call", "POST", "https://gateway.example/x", message, message, AT, AT)


def test_files_are_of_their_owner_alone_and_bounded(tmp_path: Path) -> None:
    size = len(capture_record(exchange(), 1, exact=True))
    folder = tmp_path / "made" / "for it"
    for round_ in range(8):
        with Recorder(folder, exact=True, file_bytes=4 * size, total_bytes=20 * size) as recorder:
            for number in range(10):
                recorder.record(exchange(number))
        assert recorder.lost == 0, round_
    files = sorted(folder.iterdir())
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert sum(file.stat().st_size for file in files) <= 21 * size
    for file in files:
        os.utime(file, (0, 0))
    with Recorder(folder, exact=True, max_age=timedelta(days=1)) as recorder:
        recorder.record(exchange())
    assert len(list(folder.iterdir())) == 1


def test_nothing_that_fails_reaches_the_call(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = tmp_path / "r"
    recorder = Recorder(folder)
    recorder.record(exchange()._replace(request=CapturedMessage([("a", "b")], "text")))  # type: ignore[arg-type]  # no bytes
    folder.rmdir()
    recorder.record(exchange())
    recorder.close()
    recorder.record(exchange())  # after its end
    assert recorder.lost == 3
    assert [one.message for one in caplog.records if one.name == "paywright.recording"] == [
        "Exchanges are not recorded: No such file or directory. Calls go on."
    ]


@needs_signals
def test_a_time_limit_gets_out_of_a_recorder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder(tmp_path)
    app = recorded_wsgi(lambda environ, start: [], recorder)
    monkeypatch.setattr(Recorder, "_check_process", strike)
    monkeypatch.setattr(endpoints, "request_uri", strike)
    with time_limit():
        with pytest.raises(TimeLimit):
            recorder.record(exchange())
        with pytest.raises(TimeLimit):
            app({"REQUEST_METHOD": "POST"}, lambda *given: lambda part: None)
    assert recorder.lost == 2


def test_more_than_can_wait_is_lost_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from paywright_audit.recording import recorder as module

    held = Event()
    write = module.capture_record
    monkeypatch.setattr(module, "capture_record", lambda *given, **more: held.wait(600) and write(*given, **more))
    recorder = Recorder(tmp_path)
    for number in range(3_000):
        recorder.record(exchange(number))
    assert recorder.lost >= 3_000 - 1_200
    held.set()
    recorder.close()
    assert len(records(tmp_path)) + recorder.lost == 3_000


@needs_fork
@any_fork
def test_a_forked_process_writes_files_of_its_own(tmp_path: Path, fork: Fork) -> None:
    def in_the_child() -> None:
        recorder.record(exchange(2))
        recorder.close()

    recorder = Recorder(tmp_path)
    recorder.record(exchange(1))
    assert in_child(in_the_child, fork) == 0
    recorder.close()
    numbers = [one["request"]["body"]["parsed"]["data"]["outTradeNo"] for one in records(tmp_path)]
    assert sorted(numbers) == ["ORD_1", "ORD_2"]
    assert len(list(tmp_path.iterdir())) == 2


@needs_fork
@any_fork
def test_a_child_that_was_forked_while_a_recorder_began_closes_it(
    tmp_path: Path, fork: Fork, monkeypatch: pytest.MonkeyPatch
) -> None:
    from paywright_audit.recording import recorder as module

    def begins(recorder: Recorder) -> None:
        beginning.set()
        goes_on.wait(600)

    beginning, goes_on = Event(), Event()
    monkeypatch.setattr(module, "_Writer", begins)
    recorder = Recorder(tmp_path)
    thread = Thread(target=recorder.record, args=(exchange(1),))
    thread.start()
    assert beginning.wait(600)
    code = in_child(recorder.close, fork)
    goes_on.set()
    thread.join(600)
    assert code == 0


@pytest.mark.parametrize("fault", ["reset", "cut", "hang"])
def test_an_error_of_the_transport_passes_and_is_recorded_without_an_answer(
    keys: Path, tmp_path: Path, fault: str
) -> None:
    with Recorder(tmp_path) as recorder, in_process_sandbox(keys) as sandbox:
        sandbox.fault(fault, when="after", times=1)
        transport = Recorded(recorder, sandbox.base_url, InProcessTransport(sandbox.engine))
        client = Client.from_env(sandbox.env, clock=sandbox.engine.wall, transport=transport)
        with client, pytest.raises(OutcomeUnknown):
            place(client, "ORD_1")
    (record,) = records(tmp_path)
    assert record["response"] is None


def test_a_request_that_was_not_sent_says_so(keys: Path, tmp_path: Path) -> None:
    import httpx
    import requests

    from paywright import NotSent

    with Recorder(tmp_path) as recorder, in_process_sandbox(keys) as sandbox:
        nobody = "http://127.0.0.1:9"
        env = {**sandbox.env, "PAYWRIGHT_BASE_URL": nobody, "PAYWRIGHT_RETRIES": "0"}
        with Client.from_env(env, transport=Recorded(recorder, nobody)) as client, pytest.raises(NotSent):
            place(client, "ORD_1")
        with httpx.Client(transport=recorded_httpx(recorder)) as other, pytest.raises(httpx.ConnectError):
            other.post(nobody)
        with requests.Session() as third:
            third.mount(nobody, recorded_requests(recorder))
            with pytest.raises(requests.ConnectionError):
                third.post(nobody, timeout=600)
    assert [one["response"] for one in records(tmp_path)] == [None] * 3
    assert [one.get("sent") for one in records(tmp_path)][:2] == [False, False]


@pytest.mark.parametrize("limits", [{"file_bytes": 0}, {"file_bytes": 10, "total_bytes": 9}, {"max_age": timedelta(0)}])
def test_limits_that_cannot_be_are_refused(tmp_path: Path, limits: Any) -> None:
    with pytest.raises(AuditSetupError, match="file_bytes is above 0 and at most total_bytes"):
        Recorder(tmp_path, **limits)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(AuditSetupError, match="file/r cannot be made: Not a directory"):
        Recorder(tmp_path / "file" / "r")


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["reset", "cut"])
def test_httpx_and_requests_raise_what_they_raise_without_a_recorder(keys: Path, tmp_path: Path, fault: str) -> None:
    import httpx
    import requests

    def errors(sandbox: Any, recorder: Recorder | None) -> list[type[BaseException]]:
        raised: list[type[BaseException]] = []
        sandbox.fault(fault, when="after", times=2)
        path, headers, raw = post(keys, len(sandbox.log()))
        with httpx.Client(transport=recorder and recorded_httpx(recorder)) as client, requests.Session() as third:
            if recorder is not None:
                third.mount(sandbox.base_url, recorded_requests(recorder))
            for call in (
                lambda: client.post(sandbox.base_url + path, headers=headers, content=raw),
                lambda: third.post(sandbox.base_url + path, headers=headers, data=raw, timeout=600),
            ):
                with pytest.raises(Exception) as error:
                    call()
                raised.append(error.type)
        return raised

    with running_sandbox(Path(copytree(keys, tmp_path / "sandbox"))) as sandbox, Recorder(tmp_path / "r") as recorder:
        assert errors(sandbox, recorder) == errors(sandbox, None)
    assert [one["response"] for one in records(tmp_path / "r")] == [None, None]


def test_a_body_that_is_compressed_or_streamed_stays_what_it_was(tmp_path: Path) -> None:
    import gzip

    import requests
    from urllib3 import HTTPResponse

    class Gzipped(requests.adapters.HTTPAdapter):
        def send(self, request: Any, stream: bool = False, **options: Any) -> Any:
            raw = gzip.compress(b'{"code":"APPLY_SUCCESS"}')
            answer = HTTPResponse(BytesIO(raw), {"Content-Encoding": "gzip"}, 200, preload_content=False)
            return self.build_response(request, answer)

    with Recorder(tmp_path, exact=True) as recorder, requests.Session() as session:
        session.mount("http://", recorded_requests(recorder, Gzipped()))
        assert session.post("http://gateway.example/", data="{}").json() == {"code": "APPLY_SUCCESS"}
        streamed = session.post("http://gateway.example/", data=iter([b"{", b"}"]), stream=True)
        assert b"".join(streamed.iter_content(5)) == b'{"code":"APPLY_SUCCESS"}'
    whole, parts = records(tmp_path)
    assert gzip.decompress(b64decode(whole["response"]["body"]["base64"])) == b'{"code":"APPLY_SUCCESS"}'
    assert (parts["request"]["body"], parts["response"]["body"]) == (None, None)


def test_an_environment_that_wsgi_does_not_allow_reaches_the_application(tmp_path: Path) -> None:
    with Recorder(tmp_path) as recorder:
        app = recorded_wsgi(lambda environ, start: [b"as before"], recorder)
        assert list(app({}, lambda *given: lambda part: None)) == [b"as before"]
    assert recorder.lost == 1


@pytest.mark.parametrize(
    "wrap",
    [
        lambda given: Recorded(given, "https://gateway.example"),
        lambda given: AsyncRecorded(given, "https://gateway.example"),
        recorded_httpx,
        recorded_async_httpx,
        recorded_requests,
        lambda given: recorded_wsgi(lambda environ, start: [], given),
        lambda given: recorded_asgi(asgi_app(given), given),
    ],
)
def test_what_is_no_recorder_is_refused_before_the_first_call(wrap: Callable[[Any], object]) -> None:
    with pytest.raises(AuditSetupError, match=r'A recorder is needed, such as Recorder\("captures"\)'):
        wrap("captures")
