"""`paywright listen` as a program of its own, with a real sandbox where one is needed."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from datetime import timedelta
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from paywright import RsaVerifier
from paywright_cli.check_receiver.messages import MessageFactory, written
from paywright_runtime.signing.keys import load_private_key
from paywright_sandbox.init import make_folder
from tests.cli.helpers.command_line import paywright
from tests.cli.helpers.deliveries import post, tell
from tests.cli.helpers.listening_process import PACKAGES, Served, listening, program
from tests.support.http_servers import Answer, Request, serving
from tests.support.ports import lasting_port


@pytest.fixture(scope="module")
def listener(shop: Path) -> Iterator[Served]:
    with listening("--env", shop / ".env") as served:
        yield served


# What it says


def test_each_delivery_is_a_line_with_its_outcome(listener: Served, messages: MessageFactory) -> None:
    number = messages.number()
    settled = messages.transfer(number)
    assert tell(listener.url, messages, settled)[0] == 200
    assert listener.wait_for(rf"RECEIVE {number} SETTLED 10\.50 USD -> handled \(200\)$")
    tell(listener.url, messages, settled)
    assert listener.wait_for(rf"{number} SETTLED 10\.50 USD -> duplicate \(200\)$")
    tell(listener.url, messages, messages.transfer(number, "TO_BE_PROVED"))
    assert listener.wait_for(rf"{number} TO_BE_PROVED 10\.50 USD -> late \(200\): A newer state was handled before")
    tell(listener.url, messages, messages.transfer(number, "REJECTED"))
    assert listener.wait_for(rf"{number} REJECTED .* -> CONFLICT \(409\): It contradicts")
    tell(listener.url, messages, messages.period(number, "FAILED", index=2))
    assert listener.wait_for(rf"SUBSCRIPTION_PAYMENT {number}/2 FAILED 10\.5 USD -> handled")
    tell(listener.url, messages, messages.unshown("PAYMENT", number))
    assert listener.wait_for(rf"PAYMENT {number} SUCCESS 10\.50 USD -> handled")
    tell(listener.url, messages, messages.unshown("LATER", number))
    assert listener.wait_for(r"LATER sha256:[0-9a-f]{8}\.\.\. -> handled")


def test_a_question_is_answered_as_it_was_told_to(listener: Served, shop: Path, messages: MessageFactory) -> None:
    status, _, body = tell(listener.url, messages, messages.question("BILL_9"))
    assert (status, json.loads(body)["data"]["confirmation"]) == (200, "N")
    assert listener.wait_for(r"BILL BILL_9 10\.50 PHP -> refused \(200\)")
    with listening("--env", shop / ".env", "--bills", "accept") as other:
        _, _, body = tell(other.url, messages, messages.question("BILL_9"))
        assert json.loads(body)["data"]["confirmation"] == "Y"
        assert other.wait_for(r"BILL BILL_9 10\.50 PHP -> accepted")


def test_a_refusal_is_said_with_its_reason_and_no_body(listener: Served, messages: MessageFactory) -> None:
    raw = written(messages.transfer("SECRET_NUMBER"))
    assert post(listener.url, raw, messages.other.sign(raw))[0] == 401
    assert listener.wait_for(r"[0-9]+ bytes -> bad signature \(401\): .*does not hold")
    assert tell(listener.url, messages, {**messages.transfer("SECRET_NUMBER"), "appId": "app_9"})[0] == 403
    assert listener.wait_for(r"bytes -> not ours \(403\): .*appId is another one")
    assert not any("SECRET_NUMBER" in line for line in listener.lines)


def test_a_moved_clock_is_taken_by_choice(listener: Served, shop: Path, messages: MessageFactory) -> None:
    ahead = messages.transfer("R_AHEAD", ago=-timedelta(days=60))
    assert tell(listener.url, messages, ahead)[0] == 400
    assert listener.wait_for(r"too new \(400\): .* start this with --any-time$")
    with listening("--env", shop / ".env", "--any-time") as other:
        assert tell(other.url, messages, ahead)[0] == 200


def test_it_takes_posts_alone_and_ends_cleanly(shop: Path) -> None:
    with listening("--env", shop / ".env") as served:
        connection = HTTPConnection(urlsplit(served.url).netloc, timeout=600)
        connection.request("GET", "/")
        answer = connection.getresponse()
        assert (answer.status, answer.getheader("allow")) == (405, "POST")
        connection.close()
        assert served.stop() == 0
        assert served.lines[-1] == "Stopped."
    gateway = RsaVerifier([load_private_key(shop / "keys" / "gateway.key").public_key()])
    assert f"Gateway keys: {', '.join(gateway.keys)}" in served.lines


@pytest.mark.slow
def test_bodies_are_printed_only_when_asked_for_and_persons_are_hidden(shop: Path, messages: MessageFactory) -> None:
    with listening("--env", shop / ".env", "--show") as served:
        tell(served.url, messages, messages.transfer("R1"))
        served.wait_for('"requestNo": "R1"')
        served.wait_for(r'"accountName": "\(a person\'s data, [0-9]+ characters\)"')


# Passing on


class Behind:
    """What stands behind a listener: keeps what came, and answers in its own way."""

    def __init__(self) -> None:
        self.got: list[tuple[str, list[tuple[str, str]], bytes]] = []
        self.url = ""


@pytest.fixture
def behind() -> Iterator[Behind]:
    kept = Behind()

    def answer(request: Request) -> Answer:
        _, path, headers, raw = request
        kept.got.append((path, headers, raw))
        return 201, {"X-From": "behind"}, b'{"code":"SUCCESS","msg":"from behind"}'

    with serving(answer) as (url, _):
        kept.url = f"{url}/hooks?x=1"
        yield kept


def test_what_is_believed_is_passed_on_byte_for_byte(shop: Path, messages: MessageFactory, behind: Behind) -> None:
    with listening("--env", shop / ".env", "--forward", behind.url) as served:
        raw = json.dumps(messages.transfer("R1"), default=str, indent=1).encode()
        sign = messages.signer.sign(raw)
        for _ in range(2):  # a duplicate too: whoever stands behind is to see what comes
            status, headers, body = post(served.url, raw, sign, **{"X-Trace": "t1", "Keep-Alive": "5"})
            assert (status, headers["x-from"], body) == (201, "behind", b'{"code":"SUCCESS","msg":"from behind"}')
        served.wait_for(r"R1 SETTLED .* -> forwarded, which answered 201; here duplicate$")
        assert post(served.url, raw + b" ", sign)[0] == 401
    assert len(behind.got) == 2
    path, pairs, passed = behind.got[0]
    names = {name.lower(): value for name, value in pairs}
    assert (path, passed, names["sign"], names["x-trace"]) == ("/hooks?x=1", raw, sign, "t1")
    assert "keep-alive" not in names


def test_nobody_behind_is_no_acknowledgement(shop: Path, messages: MessageFactory) -> None:
    port = lasting_port()
    with listening("--env", shop / ".env", "--forward", f"http://127.0.0.1:{port}/") as served:
        raw = written(messages.transfer("R1"))
        status, _, body = post(served.url, raw, messages.signer.sign(raw))
        assert (status, json.loads(body)["code"]) == (502, "FORWARD_FAILED")
        line = served.wait_for(
            r"R1 SETTLED .* -> forwarding failed \(502\): no connection \(ECONNREFUSED\); here handled$"
        )[0]
        assert "(200)" not in line
        assert post(served.url, raw, messages.signer.sign(raw))[0] == 502
        served.wait_for(r"R1 SETTLED .* -> forwarding failed \(502\): no connection \(ECONNREFUSED\); here duplicate$")


@pytest.mark.slow
def test_it_passes_on_to_this_machine_alone_unless_told_so(shop: Path) -> None:
    ended = paywright("listen", "--env", shop / ".env", "--forward", "http://192.0.2.1/", path=PACKAGES)
    assert ended.code == 2
    assert "nor allowed with --allow" in ended.err
    assert paywright("listen", "--env", shop / ".env", "--allow", "h", path=PACKAGES).code == 2


# How it fails


@pytest.mark.slow
def test_missing_settings_and_taken_ports_are_said_in_words(shop: Path, tmp_path: Path) -> None:
    ended = paywright("listen", path=PACKAGES)
    assert ended.code == 2
    assert "app_id" in ended.err
    assert "gateway_keys" in ended.err
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = paywright("listen", "--env", shop / ".env", "--port", port, path=PACKAGES)
    assert ended.code == 2
    assert "--port" in ended.err
    (tmp_path / "no.db").write_text("this is no database " * 100)
    ended = paywright("listen", "--env", shop / ".env", "--ledger", tmp_path / "no.db", path=PACKAGES)
    assert ended.code in (1, 2)
    assert "ledger" in ended.err


def test_without_the_extra_it_is_named(shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    from paywright_cli.common import terminal
    from paywright_cli.main import main

    monkeypatch.setattr(terminal, "find_spec", lambda name: None)
    assert main(["listen", "--env", str(shop / ".env")]) == 2
    assert "pip install 'paywright[sandbox]'" in capsys.readouterr().err


# With an app of one's own


def test_an_own_receiver_has_its_own_settings(app: dict[str, Any], shop: Path) -> None:
    ended = paywright("listen", "--receiver", "my_shop:receiver", "--env", shop / ".env", path=PACKAGES, **app)
    assert (ended.code, "has its own settings and ledger" in ended.err) == (2, True)


# With a sandbox beside it


@pytest.mark.slow
def test_two_commands_side_by_side_show_a_newcomer_notifications(tmp_path: Path) -> None:
    make_folder(tmp_path / "shop")
    with listening("--env", tmp_path / "shop" / ".env", "--ledger", tmp_path / "l.db") as listener:
        serve = ("-m", "paywright_cli", "sandbox", "--dir", tmp_path / "shop", "--port", "0", "--quiet")
        with program(*serve, "--notify", listener.url) as sandbox:
            at = ("--url", sandbox.url)
            trigger = paywright("sandbox", "trigger", "receive", "amount=40.00", "currency=USD", *at, path=PACKAGES)
            assert trigger.code == 0, trigger.err
            number = listener.wait_for(r"RECEIVE (RV\w+) TO_BE_PROVED 40\.00 USD -> handled")[1]
            assert paywright("sandbox", "trigger", "settle", number, *at, path=PACKAGES).code == 0
            listener.wait_for(rf"{number} SETTLED 40\.00 USD -> handled")
            bill = paywright("sandbox", "trigger", "bill", "referenceNo=B1", "amount=1", *at, path=PACKAGES)
            assert "status REFUSED" in bill.out
            assert sandbox.stop() == 0
        listener.stop()
    ended = paywright("notifications", "list", "--ledger", tmp_path / "l.db", path=PACKAGES)
    assert ended.out.count("done  ") == 2


def test_a_sandbox_tells_nobody_elsewhere(tmp_path: Path) -> None:
    make_folder(tmp_path / "shop")
    ended = paywright("sandbox", "--dir", tmp_path / "shop", "--notify", "http://192.0.2.1/", path=PACKAGES)
    assert ended.code == 2
    assert "--notify: 192.0.2.1 is neither this machine" in ended.err
