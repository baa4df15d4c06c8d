"""Every command that shows what others wrote, with content that would act on a terminal."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

from paywright import Receiver, contract
from paywright_cli.check_receiver.messages import MessageFactory, written
from paywright_cli.commands.listen import _teller
from paywright_cli.commands.listen_server import Listener
from paywright_cli.commands.sandbox import _line
from paywright_cli.main import build_parser, main
from paywright_receiver import MemoryLedger, SqliteLedger
from paywright_runtime.signing.keys import load_private_key
from paywright_sandbox.init import read_env
from paywright_sandbox.testing.served import running_sandbox
from tests.audit.helpers.records import Scribe
from tests.cli.helpers.command_line import paywright
from tests.cli.helpers.terminal import HOSTILE, raw
from tests.runtime.helpers.canned_gateway import Gateway, Reply

Run = Callable[..., str]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs a command and returns what it printed, in which nothing is raw."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str | Path, given: bytes = b"", env: dict[str, str] | None = None) -> str:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", TextIOWrapper(BytesIO(given)))
            for name, value in (env or {}).items():
                patch.setenv(name, value)
            try:
                code = main([str(one) for one in arguments])
            except SystemExit as ended:
                code = int(ended.code or 0)
        out, err = capsys.readouterr()
        assert raw(out + err) == [], arguments
        assert code != 70, err
        return str(out + err)

    return run


def hostile(messages: MessageFactory) -> Iterator[bytes]:
    """Bodies with hostile content in every text, in the kind, in a name of a member, and some that are no JSON."""
    settled = messages.transfer(messages.number())
    yield written({**settled, "msg": HOSTILE, HOSTILE: HOSTILE})
    yield written({**settled, "notifyType": f"NEW{HOSTILE}", "data": {HOSTILE: [HOSTILE]}})
    settled["data"]["requestNo"] = f"R{HOSTILE}"  # type: ignore[index]
    settled["data"]["status"] = f"S{HOSTILE}"  # type: ignore[index]
    yield written(settled)
    yield f'{{"cvv": "{HOSTILE}", '.encode() + b"\xff\x9b"


@pytest.mark.parametrize("options", ["", "--show"])
def test_listen_shows_a_strangers_body_written_out(
    options: str, shop: Path, messages: MessageFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    receiver = Receiver.from_env(MemoryLedger(), read_env(shop))
    receiver.on_other(lambda event: None)
    listener = Listener(receiver, _teller(build_parser().parse_args(["listen", *options.split()])))
    for body in hostile(messages):
        for sign in (messages.signer.sign(body), messages.other.sign(body), HOSTILE):
            post(listener, body, sign)
    out = capsys.readouterr().out
    assert raw(out) == []
    assert out.count("\n") >= 12


def post(listener: Listener, body: bytes, sign: str) -> None:
    """One delivery, without a server."""

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body}

    async def send(message: object) -> None:
        """Nobody reads the answer."""

    headers = [(b"content-type", b"application/json"), (b"sign", sign.encode())]
    asyncio.run(listener({"type": "http", "method": "POST", "headers": headers}, receive, send))


def test_a_ledger_shows_text_written_out(run: Run, shop: Path, messages: MessageFactory, tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "shop.db")
    receiver = Receiver.from_env(ledger, read_env(shop))
    replies = [receiver.receive(body, {"sign": messages.signer.sign(body)}) for body in hostile(messages)]
    keys = [reply.key for reply in replies if reply.key is not None]
    assert len(keys) == 3
    for form in ("text", "json"):
        assert "\\u" in run("notifications", "list", "--ledger", "shop.db", "--format", form)
    for key in keys:
        shown = ("show", key, "--ledger", "shop.db")
        assert "\\u" in run(*shown)
        assert "\\u" in run(*shown, "--people")
        run("notifications", "discard", key, "--ledger", "shop.db")


def test_a_served_sandbox_shows_what_it_was_sent_written_out(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    with running_sandbox() as sandbox:
        url = ("--url", sandbox.base_url)
        run("sandbox", "fault", "add", "code", "--key", HOSTILE, *url)
        run("sandbox", "trigger", "receive", "amount=1.00", "currency=USD", f"requestNo={HOSTILE}", *url)
        run("sandbox", "trigger", "pay", HOSTILE, *url)
        for what in ("events", "notifications", "merchants", "clock", "log"):
            run("sandbox", what, *url)
        run("sandbox", "notifications", "--json", *url)
        reply = sandbox.engine.refuse(404, HOSTILE, HOSTILE)
    _line(f"POST /{HOSTILE}", reply)
    assert raw(capsys.readouterr().err) == []


@pytest.mark.parametrize("form", ["text", "json"])
def test_foreign_captures_are_shown_written_out(run: Run, form: str, made_once: Path, tmp_path: Path) -> None:
    body = json.dumps({HOSTILE: HOSTILE, "data": {HOSTILE: 1, "outTradeNo": HOSTILE}}, ensure_ascii=False)
    run("validate", "refunds.create", "request", "--format", form, given=body.encode())
    scribe = Scribe(made_once)
    scribe.call("orders.query", {"outTradeNo": HOSTILE, HOSTILE: HOSTILE}, {HOSTILE: HOSTILE})
    scribe.records[0]["url"] += HOSTILE
    capture = tmp_path / f"{HOSTILE}.jsonl"
    capture.write_text("".join(json.dumps(one) + "\n" for one in scribe.records) + f"{HOSTILE}\n")
    assert "\\u" in run("audit", capture, *scribe.options(), "--format", form, "--reveal")
    run("audit", tmp_path / f"{HOSTILE}.parquet", "--format", form)


def test_answers_of_a_gateway_are_shown_written_out(gateway: Gateway, shop: Path) -> None:
    env = {
        **read_env(shop),
        "PAYWRIGHT_BASE_URL": gateway.base_url,
        "PAYWRIGHT_GATEWAY_KEYS": gateway.keys.public_line,
        "PAYWRIGHT_GATEWAY_KEY_FILES": "",
    }
    found = {**contract.example("orders.query.response"), "msg": HOSTILE}
    found["data"] = {**found["data"], "outTradeNo": "ORD_1", "payeeName": HOSTILE, HOSTILE: [HOSTILE]}
    replies = [
        (0, Reply(json.dumps(found, ensure_ascii=False).encode())),
        (6, Reply(json.dumps({"code": f"NO{HOSTILE}", "msg": HOSTILE}, ensure_ascii=False).encode())),
        (4, Reply(f"<html>{HOSTILE}".encode(), status=502, signed=False)),
    ]
    for code, gateway.reply in replies:
        ended = paywright("call", "orders.query", given=b'{"outTradeNo": "ORD_1"}', env=env)
        assert (ended.code, raw(ended.out + ended.err)) == (code, []), ended
        assert code or json.loads(ended.out)[HOSTILE] == [HOSTILE]


def test_names_of_key_files_are_shown_written_out(run: Run, shop: Path, tmp_path: Path) -> None:
    key = tmp_path / f"{HOSTILE}.key"
    key.write_bytes((shop / "keys" / "merchant.key").read_bytes())
    public = tmp_path / f"{HOSTILE}.pub"
    public.write_bytes((shop / "keys" / "merchant.pub").read_bytes())
    assert "\\u{1b}" in run("keys", "check", key, public, "--gateway", public)
    run("keys", "show", key)
    run("keys", "public-line", key)
    run("keys", "verify", public, key, "--sign", HOSTILE, "--other", key)
    assert load_private_key(key)
    assert "\\u{1b}" in run("keys", "generate", "--name", f"new{HOSTILE}")


@pytest.mark.slow
def test_a_contract_of_others_is_shown_written_out(run: Run, tmp_path: Path) -> None:
    spec = tmp_path / f"acme{HOSTILE}"
    assert "\\u{1b}" in run("contract", "init", spec)
    payments = spec / "payments.yaml"
    text = payments.read_text(encoding="utf-8")
    payments.write_text(f"{text}# {HOSTILE.replace(chr(0x85), '')}\nx: {json.dumps(HOSTILE)}\n", encoding="utf-8")
    for command in ("lint", "questions", "fmt", "show payments.query"):
        run("contract", *command.split(), "--spec", spec)
    run("contract", "generate", "--spec", spec, "--out", tmp_path / f"out{HOSTILE}", "--package", "acme")
    (spec / f"{HOSTILE}.yaml").write_text("a: [\n")
    run("contract", "lint", "--spec", spec)
