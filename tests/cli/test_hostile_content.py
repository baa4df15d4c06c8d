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

from paywright import Receiver
from paywright_cli.check_receiver.messages import MessageFactory, written
from paywright_cli.commands.listen import _teller
from paywright_cli.commands.listen_server import Listener
from paywright_cli.main import build_parser, main
from paywright_receiver import MemoryLedger, SqliteLedger
from paywright_sandbox.init import read_env
from tests.cli.helpers.terminal import HOSTILE, raw

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
