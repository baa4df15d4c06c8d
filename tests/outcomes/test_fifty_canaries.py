"""Fifty secrets and more, each planted in a place of its own: no output, log, report or exception with its locals shows one.

A canary is a secret, a token, a password, a key, a card or a person where only the ledger, the state or a capture may have it.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, NoReturn

import pytest

from paywright import Client, Merchant, Receiver, SnapAsymmetric, SnapSymmetric
from paywright_cli.main import main
from paywright_receiver import MemoryLedger, SqliteLedger
from paywright_sandbox.env_file import env_values
from paywright_sandbox.init import read_env
from paywright_sandbox.testing.served import running_sandbox
from tests.audit.helpers.records import Scribe
from tests.cli.helpers import commands
from tests.outcomes.canaries import locals_of, secrets_in
from tests.receiver.helpers.desk import Desk, bill, order, period, transfer
from tests.runtime.helpers.canned_gateway import Gateway, Reply

CARD = "4929123456789015"  # with a right check digit, as those that are masked in long texts


class World:
    """A folder, keys, and a gateway; what is shown to anybody is collected in `shown`."""

    def __init__(self, folder: Path, keys: Path, gateway: Gateway, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.keys, self.gateway = folder, keys, gateway
        self._capsys = capsys
        self.shown: list[str] = []
        self.env = {
            **read_env(keys),
            "PAYWRIGHT_BASE_URL": gateway.base_url,
            "PAYWRIGHT_GATEWAY_KEYS": gateway.keys.public_line,
            "PAYWRIGHT_GATEWAY_KEY_FILES": "",
        }

    def raises(self, call: Callable[[], object]) -> None:
        """An error that leaves the library: its texts, and the locals of every frame of the library that it went through."""
        with pytest.raises(BaseException) as caught:  # any
            call()
        error = caught.value
        self.shown += [str(error), repr(error), *locals_of(error)]
        self.shown += [repr(getattr(error, name, None)) for name in ("args", "object", "answer")]

    def runs(self, *arguments: str | Path, given: str = "", env: Mapping[str, str] | None = None) -> None:
        """A command: its output."""
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            patch.setattr(sys, "stdin", TextIOWrapper(BytesIO(given.encode())))
            for name, value in {**self.env, **(env or {})}.items():
                patch.setenv(name, value)
            with suppress(SystemExit):
                assert main([str(one) for one in arguments]) != 70
        self.shown += self._capsys.readouterr()

    def wrote(self, *names: str) -> None:
        """Files that a command wrote."""
        for name in names:
            file = self.folder / name
            self.shown.append(file.read_text())

    def file(self, name: str, text: str | bytes) -> Path:
        (self.folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return self.folder / name

    def client(self, **env: str) -> Client:
        return Client.from_env({**self.env, **{f"PAYWRIGHT_{name}": value for name, value in env.items()}})

    def delivers(self, body: object, desk: Desk | None = None, **headers: str) -> None:
        """A delivery: what is answered, and what `notifications` shows of it."""
        desk = desk or Desk(SqliteLedger(self.folder / "shop.db"))
        reply = desk.deliver(body if isinstance(body, bytes) else json.dumps(body).encode(), **headers)
        self.shown += [repr(reply), reply.body.decode(), repr(reply.headers)]
        for form in ("text", "json"):
            self.runs("notifications", "list", "--ledger", "shop.db", "--format", form)
        for entry in desk.ledger.list(most=9):
            self.runs("show", "--ledger", "shop.db", entry.key)


def raising(error: Exception) -> Callable[..., NoReturn]:
    def fail(*_: object) -> NoReturn:
        raise error

    return fail


class Signs:
    """A signer of the merchant's own that fails."""

    def sign(self, body: bytes, /) -> str:
        raise OSError("the token is locked")


SIGNED = ("POST", "/x", b'{"a":"CANARY"}', "2025-06-01T12:00:00+07:00")


def signed_body(canary: str) -> tuple[str, str, bytes, str]:
    return ("POST", "/x", f'{{"a":"{canary}"}}'.encode(), "2025-06-01T12:00:00+07:00")


# Constructors with secrets, and what they call


CONSTRUCTORS: dict[str, Callable[[World, str], object]] = {
    "a secret in bytes": lambda w, c: w.raises(lambda: SnapSymmetric(c.encode(), "t")),  # type: ignore[arg-type]
    "a secret in a bytearray": lambda w, c: w.raises(lambda: SnapSymmetric(bytearray(c.encode()), "t")),  # type: ignore[arg-type]
    "a secret in a tuple": lambda w, c: w.raises(lambda: SnapSymmetric((c,), "t")),  # type: ignore[arg-type]
    "a secret that is no UTF-8": lambda w, c: w.raises(lambda: SnapSymmetric(f"{c}\udcff", "t")),
    "a secret too many": lambda w, c: w.raises(lambda: SnapSymmetric("s", "t", c)),  # type: ignore[call-arg]
    "a token beside no secret": lambda w, c: w.raises(lambda: SnapSymmetric("", c)),
    "a token with a blank": lambda w, c: w.raises(lambda: SnapSymmetric("s", f"{c} x").headers(*SIGNED)),
    "a token of a function": lambda w, c: w.raises(lambda: SnapSymmetric("s", lambda: f"{c}\n").headers(*SIGNED)),
    "a token in bytes": lambda w, c: w.raises(lambda: SnapSymmetric("s", lambda: c.encode()).sign(*SIGNED)),  # type: ignore[arg-type,return-value]
    "a body whose token fails": lambda w, c: w.raises(
        lambda: SnapSymmetric("s", raising(OSError("away"))).headers(*signed_body(c))
    ),
    "a body whose token fails, signed alone": lambda w, c: w.raises(
        lambda: SnapSymmetric("s", raising(OSError("away"))).sign(*signed_body(c))
    ),
    "a body whose signer fails": lambda w, c: w.raises(lambda: SnapAsymmetric(Signs()).headers(*signed_body(c))),
    "a merchant's key": lambda w, c: w.raises(
        lambda: Merchant(app_id="a", private_key=f"-----BEGIN PRIVATE KEY-----{c}", gateway_keys=["x"])
    ),
    "a receiver's key": lambda w, c: w.raises(
        lambda: Receiver(app_id="a", gateway_keys=["x"], ledger=MemoryLedger(), sign_answers=c)
    ),
    "a secret of the environment in bytes that are no UTF-8": lambda w, c: w.raises(
        lambda: w.client(SNAP_SIGNATURE="symmetric", SNAP_CLIENT_SECRET=f"{c}\udcff", SNAP_ACCESS_TOKEN="t")
    ),
    "a token of the environment": lambda w, c: w.raises(
        lambda: w.client(SNAP_SIGNATURE="symmetric", SNAP_CLIENT_SECRET="", SNAP_ACCESS_TOKEN=c)
    ),
    "a key of the environment": lambda w, c: w.raises(lambda: w.client(PRIVATE_KEY=c, PRIVATE_KEY_FILE="")),
    "a setting that is none": lambda w, c: w.raises(lambda: w.client(CLIENT_SECRET=c)),
    "a password in the base URL": lambda w, c: w.raises(lambda: w.client(BASE_URL=f"https://u:{c}@x.example")),
    "a token in the base URL": lambda w, c: w.raises(lambda: w.client(BASE_URL=f"https://x.example/?key={c}")),
    "a password of a proxy": lambda w, c: w.raises(lambda: w.client(PROXY=f"socks5://u:{c}@x.example:1")),
    "a password of a proxy that is away": lambda w, c: w.raises(
        lambda: Client(
            base_url="https://x.example", merchant=w.client()._merchant, proxy=f"http://u:{c}@127.0.0.1:9", retries=0
        ).orders.query(out_trade_no="ORD_1")
    ),
    "a line of .env": lambda w, c: w.raises(lambda: env_values(f"A=two {c}".encode(), ".env")),
    "a line of .env for a shell": lambda w, c: w.raises(lambda: env_values(f"A=${c}".encode(), ".env")),
    "a .env that is no UTF-8": lambda w, c: w.raises(lambda: env_values(f"A={c}\n".encode() + b"\xff", ".env")),
    "a database's password": lambda w, c: w.raises(lambda: postgres(f"postgresql://u:{c}@127.0.0.1:1/x")),
    "a database's password in words": lambda w, c: w.raises(lambda: postgres(f"host=127.0.0.1 port=1 password={c}")),
    "a database's address that is none": lambda w, c: w.raises(lambda: postgres(f"host=h password='{c}")),
}  # fmt: skip


def postgres(text: str) -> object:
    PostgresLedger = pytest.importorskip("paywright_receiver.ledgers.postgres").PostgresLedger
    return PostgresLedger(text, timeout=2).counts()


# Deliveries


def failing(world: World, canary: str) -> None:
    desk = Desk(SqliteLedger(world.folder / "shop.db"))
    desk.receiver.on_receive(raising(LookupError(canary)))
    world.delivers(transfer(), desk)


def replayed(world: World, canary: str) -> None:
    desk = Desk(SqliteLedger(world.folder / "shop.db"))
    body = transfer()
    body["data"]["paymentDetail"]["sessionKey"] = canary
    world.delivers(body, desk)
    world.raises(lambda: desk.receiver.replay("app_1/RECEIVE/R2/SETTLED"))


DELIVERIES: dict[str, Callable[[World, str], object]] = {
    "a card for a kind": lambda w, c: w.delivers(order(kind=CARD)),
    "a card in a kind": lambda w, c: w.delivers(order(kind=f"K{CARD[:8]}-{CARD[8:]}")),
    "a card for a state": lambda w, c: w.delivers(transfer(status=CARD)),
    "a card for a period's state": lambda w, c: w.delivers(period(status=f"S{CARD}")),
    "a card in a message": lambda w, c: w.delivers({**transfer(), "msg": f"paid by {CARD}"}),
    "a credential in a body": lambda w, c: w.delivers({**transfer(), "cvv": c}),
    "a credential deep within": lambda w, c: w.delivers(transfer(card={"password": c, "cardNumber": CARD})),
    "a person in a body": lambda w, c: w.delivers(person(c)),
    "an error of a handler": failing,
    "a body that is replayed": replayed,
    "a body that nobody signed": lambda w, c: w.delivers(transfer(number=c), sign="x"),
    "a signature of another": lambda w, c: w.delivers(transfer(), sign=c),
    "two signatures": lambda w, c: w.delivers(transfer(), Sign=c),
    "a body for another": lambda w, c: w.delivers({**transfer(number=c), "appId": c}),
    "a body that is no JSON": lambda w, c: w.delivers(f'{{"cvv": "{c}'.encode()),
    "a question": lambda w, c: w.delivers({**bill(), "note": c}),
    "a question without an amount": lambda w, c: w.delivers({**bill(), "amount": c}),
}  # fmt: skip


def person(canary: str) -> dict[str, Any]:
    text = json.dumps(transfer())
    assert "accountName-1" in text
    return dict(json.loads(text.replace("accountName-1", canary)))


# Commands


def audited(world: World, canary: str, *options: str) -> None:
    scribe = Scribe(world.keys)
    detail = {"sessionKey": canary, "paymentToken": canary, "buyerInfo": {"clientIp": 7}, "cardInfo": CARD}
    scribe.call(
        "orders.drop_in", {"paymentDetail": detail, "totalAmount": CARD}, {"tradeToken": [canary]}, signed=False
    )
    scribe.records[0]["request"]["headers"] += [["Authorization", f"Bearer {canary}"], ["X-Card", CARD]]
    world.file("seen.jsonl", scribe.bytes())
    written = [word for name in ("r.json", "r.html", "r.jsonl") for word in ("--write", name)]
    for form in ("text", "json"):
        world.runs("audit", "seen.jsonl", *scribe.options(), "--format", form, *written, *options)
    world.wrote("r.json", "r.html", "r.jsonl")


def called(world: World, reply: Reply, **arguments: object) -> None:
    """`paywright call` without its process: the message that it prints, by the same function."""
    from paywright.contract import CONTRACT
    from paywright_cli.commands.single_call import Interrupts, make_call

    world.gateway.reply = reply
    interrupts = Interrupts.__new__(Interrupts)  # without its handlers of signals, which would stay in this process
    operation = CONTRACT.operation("orders.query")
    outcome = make_call(operation, {"outTradeNo": "ORD_1", **arguments}, None, world.env, interrupts)
    world.shown += [outcome.why, str(outcome.error), repr(outcome)]


def sandbox_shows(world: World, canary: str) -> None:
    with running_sandbox() as sandbox:
        url = ("--url", sandbox.base_url)
        world.runs("sandbox", "trigger", "pay", "ORD_1", f"cardNumber={CARD}", f"cvv={canary}", *url)
        for what in ("events", "notifications", "merchants", "clock"):
            world.runs("sandbox", what, *url)


KEY = "-----BEGIN PRIVATE KEY-----\nMIIE{}\n-----END PRIVATE KEY-----\n"
LEDGERS = (
    "host=127.0.0.1 port=1 password={}", "postgresql:/u:{}@h/x", "postgresql://u:{}@127.0.0.1:1/x", "mysql://u:{}@h",
)  # fmt: skip
COMMANDS: dict[str, Callable[[World, str], object]] = {
    "a card in a message that is validated": lambda w, c: w.runs(
        "validate", "orders.drop_in", "request", given=json.dumps({"data": {"totalAmount": CARD, "currency": CARD, "riskParams": c}})
    ),
    "a header that is validated": lambda w, c: w.runs(
        "validate", "orders.query", "request", "--header", f"sign: {c}", "--header", f"Authorization: {c}", given="{}"
    ),
    "a key file that is checked": lambda w, c: w.runs("keys", "check", w.file("m.key", KEY.format(c)), "--gateway", "m.key"),
    "a key file that is shown": lambda w, c: w.runs("keys", "show", w.file("m.key", KEY.format(c))),
    "a key file for a dashboard": lambda w, c: w.runs("keys", "public-line", w.file("m.key", c)),
    "a signature that is verified": lambda w, c: w.runs(
        "keys", "verify", w.keys / "keys" / "gateway.pub", w.file("body.json", "{}"), "--sign", c
    ),
    "a body that is verified": lambda w, c: w.runs(
        "keys", "verify", w.keys / "keys" / "gateway.pub", w.file("body.json", c), "--sign", "x"
    ),
    "a .env of listen": lambda w, c: w.runs("listen", "--env", w.file("x.env", f"PAYWRIGHT_APP_ID=two {c}\n")),
    "a .env of call": lambda w, c: w.runs("call", "orders.query", "--env", w.file("x.env", f"PAYWRIGHT_PRIVATE_KEY={c}\n")),
    "a .env of follow": lambda w, c: w.runs("follow", "run", "--book-only", "--ledger", "x.db", "--env", w.file("x.env", f"A=`{c}`")),
    "arguments of a call that are none": lambda w, c: w.runs("call", "orders.query", given=json.dumps({"outTradeNo": "A", "cvv": c})),
    "arguments of a call that are no JSON": lambda w, c: w.runs("call", "orders.query", given=f'{{"outTradeNo": "{c}'),
    "arguments of a call that break the contract": lambda w, c: w.runs(
        "call", "orders.drop_in", given=json.dumps({"outTradeNo": "A B", "country": CARD, "paymentDetail": {"sessionKey": [c]}})
    ),
    "a refusal of a call": lambda w, c: called(w, Reply({"code": f"E{CARD}", "msg": CARD, "data": {"token": c}})),
    "an answer that nobody signed": lambda w, c: called(w, Reply({"code": CARD, "data": c}, signed=False)),
    "an answer with another signature": lambda w, c: called(w, Reply({"code": "X", "data": c}, signature=f"{c}==")),
    "an answer that cannot be read": lambda w, c: called(w, Reply({"code": "APPLY_SUCCESS", "msg": c, "data": {"status": [c]}})),
    "a merchant of a sandbox": lambda w, c: w.runs(
        "sandbox", "merchants", "add", f"a:M1:{w.file('m.pub', KEY.format(c))}", "--url", "http://127.0.0.1:9"
    ),
    "a sandbox's payer": sandbox_shows,
    "a capture that is audited": audited,
    "a capture whose values are shown": lambda w, c: audited(w, c, "--values"),
    "a capture that is revealed": lambda w, c: audited(w, c, "--reveal"),
    **{
        f"{' '.join(names)} --ledger {spelling.partition('{')[0]}...": (
            lambda w, c, names=names, spelling=spelling: w.runs(*names, "--ledger", spelling.format(c))
        )
        for names in (("notifications", "list"), ("notifications", "check"), ("follow", "report"), ("follow", "list"))
        for spelling in LEDGERS
    },
    "an address where none goes": lambda w, c: w.runs("notifications", "list", f"postgresql://u:{c}@h/x"),
}  # fmt: skip

PLACES = {**CONSTRUCTORS, **DELIVERIES, **COMMANDS}


def word(number: int) -> str:
    """A canary of a place's own."""
    return "CANARY-" + "".join(chr(ord("a") + int(digit)) for digit in f"{number:03}") + "secret"


@pytest.mark.parametrize("place", PLACES)
def test_nothing_shows_what_is_planted(
    place: str,
    tmp_path: Path,
    made_once: Path,
    gateway: Gateway,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(1)
    world, canary = World(tmp_path, made_once, gateway, capsys), word(list(PLACES).index(place))
    PLACES[place](world, canary)
    shown = [*world.shown, *(logging.Formatter().format(record) for record in caplog.records)]
    assert "".join(shown).strip()
    assert [one for one in shown if canary in one or secrets_in(one) or CARD in re.sub("[ -]", "", one)] == []


FILES = {
    "k.pem": KEY.format("CANARY-file"),
    "b.json": json.dumps({"cvv": "CANARY-file", "cardNumber": CARD, "password": ["CANARY-file"]}),
    ".env": f"PAYWRIGHT_PRIVATE_KEY=CANARY-file\nPAYWRIGHT_PROXY=http://u:CANARY-file@h:1\nCARD={CARD}\n",
}
ENVIRONMENT = {
    **dict.fromkeys(("PRIVATE_KEY", "GATEWAY_KEYS", "SNAP_CLIENT_SECRET", "SNAP_ACCESS_TOKEN"), "CANARY-environment"),
    "BASE_URL": "https://u:CANARY-url@x.example", "PROXY": "http://u:CANARY-proxy@h", "SNAP_SIGNATURE": "symmetric", "APP_ID": "a",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("names", commands.COMMANDS, ids=" ".join)
def test_no_command_shows_a_secret_of_its_environment_or_of_a_file_that_it_is_given(
    names: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(FILES["b.json"].encode())))
    monkeypatch.setattr("paywright_cli.main.build_parser", lambda whole: commands.PARSERS[()])  # the same, built once
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(f"PAYWRIGHT_{name}", value)
    for file, text in FILES.items():
        for arguments in commands.arguments_of(names, file):
            (tmp_path / file).write_text(text)
            with suppress(SystemExit):
                assert main(arguments) != 70
            shown = "".join(capfd.readouterr())
            assert "CANARY" not in shown, arguments
            assert CARD not in shown, arguments
