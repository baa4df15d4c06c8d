"""Recorders: nothing on the wire changes, exact files are audited as the sandbox's own log, and redacted ones hold no secret."""

from __future__ import annotations

import asyncio
import gzip
import json
from base64 import b64decode
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from io import BytesIO
from pathlib import Path
from shutil import copytree
from typing import Any

import httpx
import pytest
import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPResponse, Retry
from urllib3.exceptions import ConnectTimeoutError, MaxRetryError

from paywright import Client, GatewayError, NotSent, OutcomeUnknown
from paywright.aio import Client as AsyncClient
from paywright.contract import CONTRACT
from paywright_audit import AuditSetupError, Recorder, recorded_asgi, recorded_client, recorded_wsgi
from paywright_cli.main import main
from paywright_receiver import asgi_app, wsgi_app
from paywright_runtime.clock import FixedClock
from paywright_runtime.signing.keys import load_private_key
from paywright_runtime.signing.rsa import RsaSigner
from paywright_runtime.transport.api import Phase, SignedRequest
from paywright_sandbox.testing import (
    AsyncInProcessTransport,
    InProcessSandbox,
    InProcessTransport,
    in_process_sandbox,
    running_sandbox,
)
from tests.sandbox.helpers.place import place

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


def signed(message: Json) -> list[str]:
    return [value for name, value in message["headers"] if name.lower() == "sign"]


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
        transport = InProcessTransport(sandbox.engine)
        with recorded_client(
            Client.from_env(sandbox.env, clock=sandbox.engine.wall, transport=transport), recorder
        ) as client:
            for number in range(count):
                place(client, f"ORD_{number}")
        return log_of(sandbox)


def by_async_client(keys: Path, recorder: Recorder, count: int) -> list[Json]:
    async def run(sandbox: InProcessSandbox) -> None:
        transport = AsyncInProcessTransport(sandbox.engine)
        client = AsyncClient.from_env(sandbox.env, clock=sandbox.engine.wall, transport=transport)
        async with recorded_client(client, recorder):
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
    with running_sandbox(keys) as sandbox, recorded_client(httpx.Client(base_url=sandbox.base_url), recorder) as client:
        for number in range(count):
            path, headers, raw = post(keys, number)
            answer = client.post(path, headers=headers, content=raw)
            assert answer.json()["code"] == "APPLY_SUCCESS"
        return log_of(sandbox)


def by_async_httpx(keys: Path, recorder: Recorder, count: int) -> list[Json]:
    async def run(url: str) -> None:
        async with recorded_client(httpx.AsyncClient(base_url=url), recorder) as client:
            for number in range(count):
                path, headers, raw = post(keys, number)
                assert (await client.post(path, headers=headers, content=raw)).json()["code"] == "APPLY_SUCCESS"

    with running_sandbox(keys) as sandbox:
        asyncio.run(run(sandbox.base_url))
        return log_of(sandbox)


def by_requests(keys: Path, recorder: Recorder, count: int) -> list[Json]:
    with running_sandbox(keys) as sandbox, recorded_client(requests.Session(), recorder) as session:
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
            parts: Any = app(environ, lambda status, pairs, *more: started.append((status, pairs)))  # type: ignore[arg-type]  # nothing writes
            body = b"".join(parts)
            return int(started[0][0][:3]), started[0][1], body

        return call

    return notified(keys, count, wrap)


def by_asgi(keys: Path, recorder: Recorder, count: int) -> list[Json]:
    def wrap(receiver: Any) -> Any:
        app = recorded_asgi(asgi_app(receiver), recorder)

        async def run(raw: bytes, headers: Any) -> tuple[int, Any, bytes]:
            parts = [{"type": "http.request", "body": raw[:7], "more_body": True}, {"type": "http.request", "body": raw[7:]}]  # fmt: skip
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


@pytest.mark.parametrize(
    "count", [pytest.param(FEW, marks=pytest.mark.slow), pytest.param(MANY, marks=pytest.mark.full)]
)
@pytest.mark.parametrize("run", RECORDERS)
def test_no_byte_changes_on_the_wire(run: Run, keys: Path, tmp_path: Path, count: int) -> None:
    with Recorder(tmp_path / "records", exact=True) as recorder:
        log = run(Path(copytree(keys, tmp_path / "sandbox")), recorder, count)
    found = records(tmp_path / "records")
    assert recorder.lost == 0
    assert len(found) == count
    assert bodies(found) == bodies(log)
    for side in ("request", "response"):
        assert [signed(one[side]) for one in found] == [signed(one[side]) for one in log]
    assert [one["response"]["status"] for one in found] == [one["response"]["status"] for one in log]


def audited(capsys: pytest.CaptureFixture[str], files: list[Path], keys: Path | None) -> tuple[list[Json], Json]:
    """The findings, without where each stood and when, and the report at the end."""
    both = [] if keys is None else [f"--{side}-key={keys / 'keys' / side}.pub" for side in ("merchant", "gateway")]
    main(["audit", *map(str, files), "--format", "json", "--jobs", "1", *both])
    *findings, report = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return [
        {name: one[name] for name in one if name not in ("file", "at", "other", "message")} for one in findings
    ], report


def session(sandbox: InProcessSandbox, recorder: Recorder) -> None:
    """A shop with faults of its own and of the gateway."""
    env = {**sandbox.env, "PAYWRIGHT_VALIDATION": "off"}
    client = Client.from_env(env, clock=sandbox.engine.wall, transport=InProcessTransport(sandbox.engine))
    with recorded_client(client, recorder):
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


def test_exact_files_are_audited_as_the_log(keys: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Recorder(tmp_path / "records", exact=True) as recorder, in_process_sandbox(keys) as sandbox:
        session(sandbox, recorder)
        (tmp_path / "log.jsonl").write_bytes(sandbox.log())
    (file,) = (tmp_path / "records").glob("*.jsonl")
    findings, report = audited(capsys, [file], keys)
    wanted, log = audited(capsys, [tmp_path / "log.jsonl"], keys)
    assert findings == wanted != []
    assert report["signatures"] == log["signatures"]


def test_redacted_files_verify_no_signature(keys: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Recorder(tmp_path / "r") as recorder, in_process_sandbox(keys) as sandbox:
        session(sandbox, recorder)
    found, report = audited(capsys, list((tmp_path / "r").iterdir()), None)
    words = {(one["operation"], one["pointer"], one["code"]) for one in found}
    assert {("orders.checkout", "/data/currency", "format"), ("orders.checkout", "/data/subject", "max")} <= words
    assert report["signatures"] == {"valid": 0, "invalid": 0, "unverifiable": 19, "absent": 1}


@pytest.mark.parametrize("fault", ["reset", "cut", "hang"])
def test_a_transport_error_is_recorded_without_an_answer(keys: Path, tmp_path: Path, fault: str) -> None:
    with Recorder(tmp_path) as recorder, in_process_sandbox(keys) as sandbox:
        sandbox.fault(fault, when="after", times=1)
        transport = InProcessTransport(sandbox.engine)
        client = Client.from_env(sandbox.env, clock=sandbox.engine.wall, transport=transport)
        with recorded_client(client, recorder), pytest.raises(OutcomeUnknown):
            place(client, "ORD_1")
    (record,) = records(tmp_path)
    assert (record["response"], "sent" in record) == (None, False)


def test_a_request_that_was_not_sent_says_so_by_every_client(keys: Path, tmp_path: Path) -> None:
    nobody = "http://127.0.0.1:9"

    async def awaited() -> None:
        async with recorded_client(AsyncClient.from_env(env), recorder) as client:
            with pytest.raises(NotSent):
                await client.orders.query(out_trade_no="ORD_1")
        async with recorded_client(httpx.AsyncClient(), recorder) as other:
            with pytest.raises(httpx.ConnectError):
                await other.post(nobody)

    def late(*given: Any, **more: Any) -> Any:
        raise requests.ConnectTimeout(MaxRetryError(HTTPConnectionPool("a"), "/", ConnectTimeoutError()))

    with Recorder(tmp_path) as recorder, in_process_sandbox(keys) as sandbox:
        env = {**sandbox.env, "PAYWRIGHT_BASE_URL": nobody, "PAYWRIGHT_RETRIES": "0"}
        with recorded_client(Client.from_env(env), recorder) as client, pytest.raises(NotSent):
            place(client, "ORD_1")
        asyncio.run(awaited())
        for proxy in (None, "http://127.0.0.1:9"):
            with recorded_client(httpx.Client(proxy=proxy), recorder) as other, pytest.raises(httpx.ConnectError):
                other.post(nobody)
            with recorded_client(requests.Session(), recorder) as third, pytest.raises(requests.ConnectionError):
                third.post(nobody, timeout=600, proxies={"http": proxy or ""})
        session = requests.Session()
        session.adapters["http://"].send = late  # type: ignore[method-assign]  # no port of this machine is so slow
        with recorded_client(session, recorder), pytest.raises(requests.ConnectTimeout):
            session.post(nobody)
    found = records(tmp_path)
    assert [(one["response"], one.get("sent")) for one in found] == [(None, False)] * 8
    with Recorder(tmp_path / "again") as recorder, recorded_client(requests.Session(), recorder) as session:
        session.adapters["http://"].max_retries = Retry(1)  # type: ignore[attr-defined]  # an adapter of HTTP has it
        with pytest.raises(requests.ConnectionError):
            session.post(nobody, timeout=600)
    assert "sent" not in records(tmp_path / "again")[0], "the first attempt may have been sent"


def test_a_call_that_is_cancelled_while_it_connects_was_not_sent(keys: Path, tmp_path: Path) -> None:
    class Connecting:
        async def send(self, request: SignedRequest, deadline: float) -> Any:
            request.reach(Phase.CONNECTING)
            raise asyncio.CancelledError

        async def aclose(self) -> None: ...

    async def run() -> None:
        client = AsyncClient.from_env(sandbox.env, transport=Connecting())
        with pytest.raises(asyncio.CancelledError):
            await recorded_client(client, recorder).orders.query(out_trade_no="ORD_1")

    with Recorder(tmp_path) as recorder, in_process_sandbox(keys) as sandbox:
        asyncio.run(run())
    assert [one.get("sent") for one in records(tmp_path)] == [False]


def test_a_client_keeps_its_settings(keys: Path, tmp_path: Path) -> None:
    with Recorder(tmp_path) as recorder, in_process_sandbox(keys) as sandbox:
        env = {**sandbox.env, "PAYWRIGHT_BASE_URL": "http://127.0.0.1:1", "PAYWRIGHT_PROXY": "http://127.0.0.1:9"}
        with recorded_client(Client.from_env(env), recorder) as client, pytest.raises(NotSent) as refused:
            client.orders.query(out_trade_no="ORD_1")
    assert "127.0.0.1:1 through 127.0.0.1:9" in str(refused.value)
    assert {one["url"].partition("/aggregate")[0] for one in records(tmp_path)} == {"http://127.0.0.1:1"}


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["reset", "cut"])
def test_httpx_and_requests_behave_as_without_a_recorder(keys: Path, tmp_path: Path, fault: str) -> None:
    def seen(sandbox: Any, recorded: Callable[[Any], Any]) -> list[object]:
        found: list[object] = []
        sandbox.fault(fault, when="after", times=2)
        path, headers, raw = post(keys, len(sandbox.log()))
        url = sandbox.base_url + path
        with recorded(httpx.Client()) as client, recorded(requests.Session()) as third:
            with pytest.raises(httpx.HTTPError) as error:
                client.post(url, headers=headers, content=raw)
            with pytest.raises(requests.RequestException) as other:
                third.post(url, headers=headers, data=raw, timeout=600)
            found += [error.type, other.type]
            for answer in (client.head(url), third.head(url, timeout=600)):
                found += [answer.status_code, answer.headers["content-length"], answer.content, answer.elapsed is None]
        return found

    with running_sandbox(Path(copytree(keys, tmp_path / "sandbox"))) as sandbox, Recorder(tmp_path / "r") as recorder:
        assert seen(sandbox, lambda client: recorded_client(client, recorder)) == seen(sandbox, lambda client: client)
    assert [one["response"] is None for one in records(tmp_path / "r")] == [True, True, False, False]


def test_a_body_that_is_compressed_or_streamed_stays_what_it_was(tmp_path: Path) -> None:
    class Gzipped(HTTPAdapter):
        def send(self, *given: Any, **options: Any) -> Any:
            (request,) = given
            answer = HTTPResponse(BytesIO(packed), {"Content-Encoding": "gzip"}, 200, preload_content=False)
            return self.build_response(request, answer)

    plain = b'{"code":"APPLY_SUCCESS"}'
    packed = gzip.compress(plain)
    answers = httpx.MockTransport(
        lambda request: httpx.Response(200, headers={"Content-Encoding": "gzip"}, stream=httpx.ByteStream(packed))
    )
    with Recorder(tmp_path, exact=True) as recorder, requests.Session() as session:
        session.mount("http://", Gzipped())
        recorded_client(session, recorder)
        assert session.post("http://gateway.example/", data="{}").content == plain
        streamed = session.post("http://gateway.example/", data=iter([b"{", b"}"]), stream=True)
        assert b"".join(streamed.iter_content(5)) == plain
        with recorded_client(httpx.Client(transport=answers), recorder) as client:
            assert client.post("http://gateway.example/", content=iter([b"{", b"}"])).content == plain
            with client.stream("GET", "http://gateway.example/") as response:
                assert b"".join(response.iter_raw()) == packed
    whole, parts, *others = [one["response"]["body"] for one in records(tmp_path)]
    assert (b64decode(whole["base64"]), parts) == (plain, None), "requests has unpacked it"
    assert [b64decode(one["base64"]) for one in others] == [packed, packed]
    assert [one["request"]["body"] for one in records(tmp_path)][1:3] == [None, {"base64": "e30="}]


@pytest.mark.parametrize(
    ("wrap", "why"),
    [
        (lambda given: recorded_client(httpx.Client(), given), "A recorder is needed"),
        (lambda given: recorded_wsgi(lambda environ, start: [], given), "A recorder is needed"),
        (lambda given: recorded_asgi(asgi_app(given), given), "A recorder is needed"),
        (lambda given: recorded_client(given, Recorder("/tmp")), "and this is none"),
        (lambda given: recorded_client(recorded_client(httpx.Client(), r := Recorder("/tmp")), r), "recorded already"),
    ],
)
def test_what_cannot_be_recorded_is_refused_before_the_first_call(wrap: Callable[[Any], object], why: str) -> None:
    with pytest.raises(AuditSetupError, match=why):
        wrap("captures")
