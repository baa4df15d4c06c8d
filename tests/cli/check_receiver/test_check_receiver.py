"""`paywright sandbox check-receiver`: our own receiver passes, and every check finds an endpoint that deserves it."""

from __future__ import annotations

import json
import shlex
import socket
import sys
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, cast

import pytest

from paywright_cli.check_receiver.command import CHECKS
from paywright_cli.check_receiver.endpoint import EndpointUnderTest, Response
from paywright_cli.check_receiver.messages import MessageFactory
from paywright_cli.check_receiver.verdicts import OPERATIONS, refused
from paywright_sandbox.delivery.http_client import Answered, at_once
from paywright_sandbox.engine.url_policy import read_destination
from paywright_sandbox.init import make_folder, read_env
from tests.cli.helpers.command_line import Ended, paywright
from tests.cli.helpers.listening_process import PACKAGES, TOP, listening, program
from tests.cli.helpers.naive_endpoint import (
    ByNumberAlone,
    Dying,
    Fussy,
    Gullible,
    InMemory,
    LateUndoes,
    Racing,
    Swallowing,
    TooEarly,
    Wrong,
    served,
)
from tests.support.http_servers import serving
from tests.support.ports import lasting_port

EVERY = {check.name for check in CHECKS}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kit") / "shop"
    make_folder(folder)
    return folder


# The command on a machine that may be so busy that a good receiver takes minutes.
PATIENT = """
import sys
from functools import partial
from paywright_cli.check_receiver import command, endpoint, refused, verdicts
from paywright_cli.main import main

request = endpoint.request


def patient(to, method, *given, seconds, **more):
    # What the endpoint has done is asked for with GET.
    return request(to, method, *given, seconds=600.0 if method == "GET" else seconds, **more)


endpoint.request = patient
endpoint._BACK_WITHIN = verdicts._PATIENCE = 600.0
command._seconds = float
refused._SLOW = float(sys.argv.pop(1))
sys.exit(main())
"""


def check(
    url: str, shop: Path, *more: str, seconds: float = 600, slow: float = 2.4
) -> tuple[int, dict[str, dict[str, Any]], dict[str, Any]]:
    """The exit code, what each check found, and the sum. `slow` is how many seconds the body of that check takes."""
    ended = paywright(
        *("sandbox", "check-receiver", url, "--dir", shop, "--json", "--seconds", str(seconds), *more),
        path=PACKAGES,
        program=("-c", PATIENT, str(slow)),
    )
    *found, total = map(json.loads, ended.out.splitlines())
    return ended.code, {one["check"]: one for one in found}, total


def passes(url: str, shop: Path, *more: str) -> dict[str, dict[str, Any]]:
    """What each check found of a receiver that passes all of them.

    On a busy machine everything may take as long as the slow body does, so that one is made slower until it is.
    """
    code, found, _ = check(url, shop, *more)
    for slow in (24.0, 240.0):
        if found["slow"]["verdict"] != "ok":
            found["slow"] = check(url, shop, "--only", "slow", slow=slow)[1]["slow"]
            code = 1 if verdicts(found, "wrong") else 0
    assert code == 0, found
    return found


def verdicts(found: dict[str, dict[str, Any]], *names: str) -> set[str]:
    return {name for name, one in found.items() if one["verdict"] in names}


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["memory", "file and signed answers"])
def test_our_own_receiver_passes(mode: str, shop: Path, tmp_path: Path) -> None:
    ledger, env = ([], {}) if mode == "memory" else (["--ledger", tmp_path / "l.db"], {"PAYWRIGHT_SIGN_ANSWERS": "yes"})
    with listening("--env", shop / ".env", "--bills", "accept", *ledger, env=env) as listener:
        found = passes(listener.url, shop, "--bill", "BILL_1:100")
        assert listener.stop() == 0
    assert set(found) == EVERY
    assert verdicts(found, "skipped") == {"restart"}
    # It accepts every bill because it was told to.
    assert verdicts(found, "note") == {"bill"}


@pytest.mark.slow
def test_the_sum_counts_the_verdicts(shop: Path) -> None:
    with listening("--env", shop / ".env", "--bills", "accept") as listener:
        _, found, total = check(listener.url, shop, "--only", "transfer,duplicate,restart,bill", "--bill", "BILL_1:100")
    assert len(found) == 4
    assert total == {"checks": 4, "ok": 2, "wrong": 0, "note": 1, "skipped": 1}


@pytest.mark.slow
def test_our_receiver_passes_behind_an_adapter_too(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "served.py").write_text(
        "import socket, uvicorn\n"
        "from paywright import Receiver\n"
        "from paywright_receiver import SqliteLedger\n"
        "from paywright_receiver.asgi import asgi_app\n"
        "receiver = Receiver.from_env(SqliteLedger('l.db'))\n"
        "receiver.on_receive(lambda event: None)\n"
        "listening = socket.create_server(('127.0.0.1', 0))\n"
        "print(f'http://127.0.0.1:{listening.getsockname()[1]}', flush=True)\n"
        "uvicorn.Server(uvicorn.Config(asgi_app(receiver), log_config=None)).run(sockets=[listening])\n"
    )
    with program("served.py", env=read_env(shop), cwd=tmp_path) as app:
        found = passes(app.url, shop)
    # It takes transfers alone, and says so of everything else.
    assert verdicts(found, "note") == {
        *("period-paid", "period-failed", "other-kinds", "nothing-there"),
        *("reordered", "bill", "bill-again"),
    }


@pytest.fixture
def restarts() -> Iterator[tuple[str, list[Any]]]:
    """A command that has what stands in the list called."""
    todo: list[Any] = []
    with serving(lambda _: (todo[0](), (204, {}, b""))[1]) as (url, _):
        yield shlex.join([sys.executable, "-c", f"import urllib.request as u; u.urlopen('{url}/')"]), todo


@pytest.mark.slow
def test_the_example_acts_once_over_a_restart(shop: Path, tmp_path: Path, restarts: tuple[str, list[Any]]) -> None:
    command, todo = restarts
    app, database = TOP / "examples" / "receiver_app.py", tmp_path / "shop.db"
    port = str(lasting_port())
    with program(app, database, port, env=read_env(shop)) as first:
        again = program(app, database, port, env=read_env(shop))
        todo.append(lambda: (first.stop(), again.__enter__()))
        try:
            where = ("--effects", f"{first.url}/effects/{{key}}", "--restart", command, "--bill", "BILL_1:100")
            found = passes(first.url, shop, *where)
        finally:
            again.__exit__(None, None, None)
    # It has a handler for each kind that the specification shows. One that was added to the contract since is noted.
    unhandled = OPERATIONS.keys() - {"RECEIVE", "SUBSCRIPTION_PAYMENT"}
    assert verdicts(found, "ok") == (EVERY - {"other-kinds"} if unhandled else EVERY)
    assert "one effect" in found["restart"]["came"]


@pytest.fixture(scope="module")
def gullible(shop: Path) -> dict[str, dict[str, Any]]:
    with served(Gullible()) as url:
        restart = shlex.join([sys.executable, "-c", f"import urllib.request as u; u.urlopen('{url}/restart')"])
        where = ("--effects", f"{url}/effects/{{key}}", "--restart", restart, "--bill", "BILL_1:100")
        code, found, _ = check(url, shop, *where)
        for slow in (24.0, 240.0):
            if "had to wait" not in found["slow"]["detail"]:  # the machine was too busy to send both at once
                found["slow"] = check(url, shop, "--only", "slow", slow=slow)[1]["slow"]
    assert code == 1
    return found


@pytest.fixture(scope="module")
def fussy(shop: Path) -> dict[str, dict[str, Any]]:
    for seconds in (2, 20, 200):  # one check waits so long for nothing
        endpoint = Fussy(shop / "keys" / "gateway.pub")
        with served(endpoint) as url:
            code, found, _ = check(url, shop, seconds=seconds)
            endpoint.over.set()
        if "wrong-key" in found and "an uncaught error" in found["wrong-key"]["detail"]:
            break
    assert code == 1
    return found


def test_who_believes_everything_is_told_of_each_forgery(gullible: dict[str, dict[str, Any]]) -> None:
    forged = {name for name, one in gullible.items() if one["group"] == "forged"}
    believed = verdicts(gullible, "wrong") & forged
    # What is truly signed is the merchant's to judge.
    assert forged - believed == {"not-canonical", "foreign-merchant", "old", "ahead"}
    assert forged - believed <= verdicts(gullible, "note")
    assert gullible["wrong-key"] == {
        "check": "wrong-key",
        "group": "forged",
        "verdict": "wrong",
        "sent": "a notification signed with another key",
        "came": "200, code SUCCESS",
        "detail": "it was acknowledged, so your program accepted it",
        "why": "anybody who knows the URL can send this, and accepting it may move money",
        "do": "verify the one header sign over the raw bytes with the gateway's key, before anything is parsed",
        "sections": ["5"],
    }


def test_memory_and_whole_bodies_are_no_record_of_effects(gullible: dict[str, dict[str, Any]]) -> None:
    assert gullible["duplicate"]["verdict"] == "ok"
    assert "there are 2 effects" in gullible["sent-anew"]["detail"]
    assert "there are 2 effects" in gullible["restart"]["detail"]
    assert "there are 2 effects" in gullible["conflict"]["detail"]
    assert "undid the newer one" in gullible["late"]["detail"]
    assert "before it had its effect" in gullible["effect-before-answer"]["detail"]


def test_one_caller_at_a_time_and_answers_to_anything_are_found(gullible: dict[str, dict[str, Any]]) -> None:
    assert "had to wait" in gullible["slow"]["detail"]
    for name in ("cut-json", "no-object", "nothing-in-it", "deep-json", "get", "huge", "bill", "bill-again"):
        assert gullible[name]["verdict"] == "wrong", gullible[name]
    for name in ("bill", "bill-accepted"):  # a no that breaks the contract is not called a no
        assert "breaks the contract" in gullible[name]["detail"]


def test_who_takes_only_the_samples_is_told_of_each_difference(fussy: dict[str, dict[str, Any]]) -> None:
    differences = {name for name, one in fussy.items() if one["group"] == "differences"}
    assert differences <= verdicts(fussy, "wrong")
    assert {"transfer-moves", "period-failed", "late", "text-plain", "still-there"} <= verdicts(fussy, "wrong")
    assert "an uncaught error" in fussy["wrong-key"]["detail"]


@pytest.mark.slow
def test_every_check_can_fail(
    gullible: dict[str, dict[str, Any]], fussy: dict[str, dict[str, Any]], shop: Path
) -> None:
    found_by = verdicts(gullible, "wrong", "note") | verdicts(fussy, "wrong", "note")
    with served(Lossy()) as url:
        lossy = check(url, shop, "--effects", f"{url}/effects/{{key}}")[1]
    found_by |= verdicts(lossy, "wrong", "note")
    assert found_by >= EVERY - {"transfer"}, EVERY - found_by
    with served(Silent()) as url:
        code, found, total = check(url, shop)
    assert (code, found) == (3, {})  # the first one fails alone, and ends it
    assert "code is not SUCCESS" in total["trouble"]
    assert 'To accept one, answer HTTP 200 with {"msg":"Success","code":"SUCCESS"}.' in total["trouble"]


class Lossy(Gullible):
    """Has every effect twice, and words its answers in its own way."""

    at_a_time = ThreadingHTTPServer

    def post(self, raw: bytes, headers: dict[str, str]) -> tuple[int, dict[str, Any]]:
        body = json.loads(raw)
        data = body.get("data", {})
        kept = self.effects.setdefault(data.get("requestNo", ""), [])
        kept += [data.get("status", "")] * 2
        return 200, {"code": "SUCCESS", "msg": "thanks"}


class Silent(Gullible):
    def post(self, raw: bytes, headers: dict[str, str]) -> tuple[int, dict[str, Any]]:
        return 200, {"code": "FAIL", "msg": "not set up"}


# Wrong in one thing alone


@pytest.mark.parametrize(
    ("endpoint", "name", "words"),
    [
        (ByNumberAlone, "open-then-final", "its final state came and had no effect"),
        (TooEarly, "open-then-final", "1 before its final state and 1 after it"),
        (InMemory, "restart", "its effect is gone after the restart"),
        (Racing, "duplicate-at-once", "effects of one notification"),
        (LateUndoes, "late", "it is TO_BE_PROVED now: the older notification undid the newer one"),
    ],
)
def test_one_fault_alone_is_found_at_every_run(endpoint: type[Gullible], name: str, words: str, shop: Path) -> None:
    with served(endpoint()) as url:
        code, found, _ = one_by_one(url, shop, name)
    assert (code, found[name]["verdict"]) == (1, "wrong")
    assert words in found[name]["detail"]


VARIANTS = (
    *("unknown-members", "other-version", "empty-msg", "time-without-milliseconds", "time-with-z", "other-types"),
    *("beyond-ascii", "charset"),
)


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_what_was_acknowledged_and_swallowed_is_found(name: str, shop: Path) -> None:
    for endpoint, verdict in ((Swallowing(), "wrong"), (Wrong(), "ok")):
        with served(endpoint) as url:
            found = one_by_one(url, shop, name)[1][name]
        assert found["verdict"] == verdict, found
        assert ("there is no effect of one notification" in found["detail"]) == (verdict == "wrong")


@pytest.mark.parametrize("name", ["open-then-final", "restart", "duplicate-at-once", "late", "duplicate", "sent-anew"])
def test_what_is_not_wrong_is_not_said_to_be(name: str, shop: Path) -> None:
    with served(Wrong()) as url:
        code, found, _ = one_by_one(url, shop, name)
    assert (code, found[name]["verdict"]) in ((0, "ok"), (0, "note"))


def one_by_one(url: str, shop: Path, name: str) -> tuple[int, dict[str, dict[str, Any]], dict[str, Any]]:
    restart = shlex.join([sys.executable, "-c", f"import urllib.request as u; u.urlopen('{url}/restart')"])
    return check(url, shop, "--only", name, "--effects", f"{url}/effects/{{key}}", "--restart", restart)


def test_all_copies_are_on_their_way_before_one_is_whole() -> None:
    """A server that answers nobody before all have come is answered by all: none of them waits for another one."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:

        def serve() -> None:
            come = [server.accept()[0] for _ in range(32)]
            for one in come:
                with one, one.makefile("rb") as stream:
                    while stream.readline() not in (b"\r\n", b""):
                        pass
                    assert stream.read(5) == b"whole"
                    one.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

        thread = Thread(target=serve, daemon=True)
        thread.start()
        to = read_destination(f"http://127.0.0.1:{server.getsockname()[1]}/", ())
        answers = at_once(to, [], b"whole", seconds=600, copies=32)
        thread.join(600)
    assert [answer.status for answer in answers if isinstance(answer, Answered)] == [200] * 32


def test_an_endpoint_that_dies_is_said_to_once_and_that_is_the_end(shop: Path) -> None:
    with served(Dying()) as url:
        ended = paywright("sandbox", "check-receiver", url, "--dir", shop, "--json", path=PACKAGES)
    *found, total = map(json.loads, ended.out.splitlines())
    assert ended.code == 1
    gone = [one for one in found if "no longer answers" in one["detail"]]
    assert gone == found[-1:]
    assert (gone[0]["check"], gone[0]["verdict"]) == ("no-object", "wrong")
    assert total["checks"] == len(found) < len(EVERY)
    left = [check.name for check in CHECKS][[check.name for check in CHECKS].index("no-object") + 1 :]
    assert f"has not answered since no-object, so the checks end there ({len(left)} were not made)" in total["trouble"]
    assert total["trouble"] in ended.err


@pytest.mark.slow
def test_an_endpoint_with_another_key_is_not_judged_and_told_which_it_needs(shop: Path, tmp_path: Path) -> None:
    make_folder(tmp_path / "other")
    with listening("--env", tmp_path / "other" / ".env") as listener:
        ended = paywright("sandbox", "check-receiver", listener.url, "--dir", shop, path=PACKAGES)
    assert ended.code == 3
    assert "code BAD_SIGNATURE" in ended.err
    assert f"{shop / 'keys' / 'gateway.pub'} (fingerprint " in ended.err
    assert "appId app_sandbox_1 and merchantNo MN0000000000001" in ended.err


def test_nobody_there_is_no_fault_of_the_receiver_but_no_pass_either(shop: Path) -> None:
    code, found, total = check("http://127.0.0.1:9/", shop)
    assert (code, found) == (3, {})
    assert "UNREACHABLE" in total["trouble"]


@pytest.mark.parametrize(("status", "verdict"), [(501, "note"), (200, "wrong")])
def test_a_receiver_of_periods_alone_is_checked_with_periods(shop: Path, status: int, verdict: str) -> None:
    class Periods(Gullible):
        at_a_time = ThreadingHTTPServer

        def post(self, raw: bytes, headers: dict[str, str]) -> tuple[int, dict[str, Any]]:
            if b"SUBSCRIPTION_PAYMENT" not in raw:
                return status, {"code": "SUCCESS"}
            return super().post(raw, headers)

    with served(Periods()) as url:
        _, found, _ = check(url, shop, "--only", "transfer,duplicate,wrong-key,still-there")
    assert found["transfer"]["verdict"] == verdict
    assert found["duplicate"]["verdict"] == found["still-there"]["verdict"] == "ok"
    assert found["wrong-key"]["verdict"] == "wrong"


def test_a_receiver_of_orders_alone_is_told_what_it_needs_for_the_check(shop: Path) -> None:
    class Orders(Gullible):
        at_a_time = ThreadingHTTPServer

        def post(self, raw: bytes, headers: dict[str, str]) -> tuple[int, dict[str, Any]]:
            return 501, {"code": "UNHANDLED", "msg": "There is no handler for its kind; it is kept."}

    with served(Orders()) as url:
        code, found, total = check(url, shop)
    assert (code, found) == (3, {})
    assert "neither transfers nor periods of subscriptions cannot be judged: for the check" in total["trouble"]


def test_refusals_are_told_apart_by_what_was_taken_before_and_by_401(shop: Path) -> None:
    class ByCode(Gullible):
        at_a_time = ThreadingHTTPServer

        def post(self, raw: bytes, headers: dict[str, str]) -> tuple[int, dict[str, Any]]:
            shown = b"SUBSCRIPTION_PAYMENT" in raw or b"RECEIVE" in raw
            return super().post(raw, headers) if shown and b"APPLY_SUCCESS" in raw else (400 if shown else 401, {})

    with served(ByCode()) as url:
        _, found, _ = check(url, shop, "--only", "period-paid,period-failed,other-kinds,bill")
    assert verdicts(found, "wrong") == {"period-failed", "other-kinds", "bill"}
    assert "taken for a forged one" in found["bill"]["detail"]


def refusal(*arguments: str | Path) -> Ended:
    ended = paywright("sandbox", "check-receiver", *arguments, path=PACKAGES)
    assert ended.code == 2
    return ended


@pytest.mark.slow
def test_it_sends_to_this_machine_alone_unless_it_is_told_so(shop: Path) -> None:
    for url in ("http://192.0.2.1/", "http://2130706433/", "ftp://127.0.0.1/", "http://u@127.0.0.1/"):
        assert "check" not in refusal(url, "--dir", shop).out.lower()
    assert "allowed with --allow" in refusal("http://shop.example/", "--dir", shop).err
    assert "--effects" in refusal("http://127.0.0.1:9/", "--dir", shop, "--effects", "http://192.0.2.1/{key}").err


@pytest.mark.slow
def test_what_is_asked_wrongly_is_refused_in_words(shop: Path, tmp_path: Path) -> None:
    assert "There is no check nonsense" in refusal("http://127.0.0.1:9/", "--dir", shop, "--only", "nonsense").err
    assert "say which endpoint" in refusal("--dir", shop).err
    assert "sandbox init" in refusal("http://127.0.0.1:9/", "--dir", tmp_path).err
    assert "it has app_sandbox_1" in refusal("http://127.0.0.1:9/", "--dir", shop, "--merchant", "app_9").err
    assert "{key}" in refusal("http://127.0.0.1:9/", "--dir", shop, "--effects", "http://127.0.0.1:9/").err


def test_the_checks_can_be_listed_without_sending_anything() -> None:
    ended = paywright("sandbox", "check-receiver", "--list", path=PACKAGES)
    assert ended.code == 0
    assert [line.split()[0] for line in ended.out.splitlines()] == [check.name for check in CHECKS]
    assert len(EVERY) == len(CHECKS)


@pytest.mark.slow
def test_an_answer_that_is_signed_wrongly_is_found(shop: Path, tmp_path: Path) -> None:
    make_folder(tmp_path / "other")
    keys = {"PAYWRIGHT_SIGN_ANSWERS": "yes", "PAYWRIGHT_PRIVATE_KEY_FILE": str(tmp_path / "other" / "keys" / "merchant.key")}  # fmt: skip
    env = {**read_env(shop), **keys}
    with listening(env=env) as listener:
        code, found, total = check(listener.url, shop)
    assert (code, found) == (3, {})
    assert "is not valid for the merchant's key" in total["trouble"]


@pytest.mark.parametrize(
    ("status", "body", "verdict"),
    [
        (401, b"", "ok"),
        (400, b'{"code":"SIGN_VERIFY_FAILED"}', "ok"),
        (200, b'{"code":"SIGN_VERIFY_FAILED","msg":"no"}', "ok"),
        (200, b"", "note"), (200, b'{"status":"refused"}', "note"), (500, b"", "note"),
        (200, b'{"code":"SUCCESS","msg":"Success"}', "wrong"),
    ],
)  # fmt: skip
def test_a_refusal_is_judged_by_status_and_code(status: int, body: bytes, verdict: str) -> None:
    response = Response(Answered(status, (), body), 0.1)
    assert refused(cast(EndpointUnderTest, None), response).verdict == verdict


def test_no_number_can_look_like_a_card_number_which_is_masked(messages: MessageFactory) -> None:
    assert sum(map(str.isdigit, messages.number())) == 3
