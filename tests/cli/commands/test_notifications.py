"""`paywright notifications` as a program of its own, on the ledger of a receiver that was delivered to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from paywright_cli.check_receiver.messages import MessageFactory
from paywright_receiver import SqliteLedger
from tests.cli.helpers.command_line import paywright
from tests.cli.helpers.deliveries import tell
from tests.cli.helpers.listening_process import PACKAGES, listening


@pytest.mark.slow
def test_ones_own_receiver_is_listed_replayed_and_pruned(app: dict[str, Any], messages: MessageFactory) -> None:
    with listening("--receiver", "my_shop:receiver", **app) as served:
        assert tell(served.url, messages, messages.transfer("R1"))[0] == 500
        served.wait_for(
            r"R1 SETTLED 10\.50 USD -> failed \(500\): the handler raised LookupError at my_shop\.py:[0-9]+$"
        )
        assert tell(served.url, messages, messages.period("SUB1"))[0] == 501
        served.wait_for(r"SUBSCRIPTION_PAYMENT SUB1/1 SUCCESS .* -> unhandled \(501\)")
        assert not any("SECRET_WORDS" in line for line in served.lines)

    def run(*arguments: str) -> tuple[int, str, str]:
        return paywright("notifications", *arguments, path=PACKAGES, **app)

    failed, lost = "app_sandbox_1/RECEIVE/R1/SETTLED", "app_sandbox_1/SUBSCRIPTION_PAYMENT/SUB1/1/SUCCESS"
    code, out, _ = run("list", "--ledger", "app.db")
    assert code == 0
    assert out.count("failed  ") == 1
    assert failed in out
    assert lost in out
    entries = json.loads(run("list", "--receiver", "my_shop:receiver", "--status", "failed", "--format", "json")[1])
    assert [(entry["key"], entry["attempts"]) for entry in entries] == [(failed, 1)]

    def shown(*arguments: str) -> tuple[int, str, str]:
        return paywright("show", *arguments, "--ledger", "app.db", path=PACKAGES, **app)

    code, out, _ = shown(failed)
    assert code == 0
    assert "LookupError at my_shop.py" in out
    assert "(a person's data" in out
    assert "accountName-1" not in out
    assert '"accountName":"accountName-1"' in shown(failed, "--raw")[1]
    assert "accountName-1" in shown(failed, "--people")[1]

    code, out, _ = run("replay", "--receiver", "my_shop:receiver", "--all", "failed")
    assert (code, "LookupError at my_shop.py" in out) == (1, True)
    (app["cwd"] / "stock").touch()
    code, out, _ = run("replay", "--receiver", "my_shop:receiver", failed)
    assert (code, out) == (0, f"handled  {failed}\n")
    code, _, err = run("replay", "--receiver", "my_shop:receiver", failed)
    assert (code, "is done: nothing is kept" in err) == (1, True)
    assert run("replay", "--receiver", "my_shop:receiver", "--all", "failed")[:2] == (0, "nothing\n")
    assert "no longer kept" in shown(failed)[1]
    assert run("prune", "--ledger", "app.db", "--older-than", "7d")[:2] == (
        0,
        "0 deleted, which were done or stale. Records that could still be delivered again stay, and so do conflicts "
        "and those kept to be tried again.\n",
    )


@pytest.mark.slow
def test_what_contradicts_is_shown_and_discarded_by_its_digest(app: dict[str, Any], messages: MessageFactory) -> None:
    (app["cwd"] / "stock").touch()
    with listening("--receiver", "my_shop:receiver", **app) as served:
        assert tell(served.url, messages, messages.transfer("R1"))[0] == 200
        other = messages.transfer("R1")
        other["data"]["channelTradeNo"] = "ANOTHER"
        assert tell(served.url, messages, other)[0] == 409
        other["data"]["channelTradeNo"] = "A THIRD"
        assert tell(served.url, messages, other)[0] == 409

    def run(*arguments: str) -> tuple[int, str, str]:
        return paywright("notifications", *arguments, path=PACKAGES, **app)

    key = "app_sandbox_1/RECEIVE/R1/SETTLED"
    for named, records in (
        (key, 3),
        (key.lower(), 0),
        ("r1", 3),
        ("R", 0),
    ):  # of transfers the gateway tells capitals from small letters
        assert run("list", "--ledger", "app.db", "--key", named)[1].count("SETTLED") == records
    assert run("list", "--ledger", "app.db")[1].count("--digest ") == 2
    entries = json.loads(run("list", "--ledger", "app.db", "--status", "conflict", "--format", "json")[1])
    show = ("show", key, "--ledger", "app.db", "--raw", "--digest")
    bodies = {paywright(*show, entry["digest"][:12], path=PACKAGES, **app).out for entry in entries}
    assert sorted("ANOTHER" in body for body in bodies) == [False, True]
    digest = entries[0]["digest"]
    assert (run("discard", key, "--ledger", "app.db")[0], run("discard", key, "--ledger", "app.db")[1]) == (1, "")
    code, out, _ = run("replay", key, "--receiver", "my_shop:receiver", "--digest", digest)
    assert (code, "reconcile it with a handler of on_conflict" in out) == (1, True)
    code, out, _ = run("discard", key, "--ledger", "app.db", "--digest", digest[:12])
    assert (code, "discarded  " in out) == (0, True)
    (left,) = json.loads(run("list", "--ledger", "app.db", "--status", "conflict", "--format", "json")[1])
    assert left["digest"] != digest
    code, _, err = run("discard", key, "--ledger", "app.db", "--digest", "xyz")
    assert (code, "no record with that digest" in err) == (1, True)


@pytest.mark.slow
def test_replaying_a_conflict_says_why_this_one_is_kept(app: dict[str, Any], messages: MessageFactory) -> None:
    (app["cwd"] / "stock").touch()
    rejected = messages.transfer("R1", "REJECTED")
    other = messages.transfer("R1", "REJECTED")
    other["data"]["channelTradeNo"] = "ANOTHER"
    with listening("--receiver", "my_shop:receiver", **app) as served:
        told = [tell(served.url, messages, one)[0] for one in (messages.transfer("R1"), rejected, other)]
    assert told == [200, 409, 409]
    listed = ("list", "--ledger", "app.db", "--status", "conflict", "--format", "json")
    entries = json.loads(paywright("notifications", *listed, path=PACKAGES, **app).out)
    reasons = {entry["why"] for entry in entries}
    assert len(reasons) == 2
    for entry in entries:
        replay = ("replay", entry["key"], "--receiver", "my_shop:receiver", "--digest", entry["digest"])
        out = paywright("notifications", *replay, path=PACKAGES, **app).out
        assert [why for why in reasons if why in out] == [entry["why"]]


def test_a_claim_is_released_by_hand(app: dict[str, Any], tmp_path: Path) -> None:
    from paywright_receiver import SqliteLedger
    from paywright_receiver.items.ledger import ClaimRequest

    ledger = SqliteLedger(app["cwd"] / "app.db")
    ledger.acquire(
        ClaimRequest("k", "s", "K", None, raw=b"{}", digest="0" * 64, notify_time=0, lease=60_000_000, keep=1)
    )
    release = ("notifications", "release", "k", "--ledger", "app.db")
    ended = paywright(*release, path=PACKAGES, **app)
    assert (ended.code, ended.out.startswith("released  k")) == (0, True)
    ended = paywright(*release, path=PACKAGES, **app)
    assert (ended.code, "it has no claim" in ended.err) == (1, True)
    assert [entry.why for entry in ledger.list(status="failed")] == ["released by hand"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["list"], "either --ledger FILE or --receiver"),
        (["list", "--ledger", "none.db"], "there is no ledger none.db"),
        (["list", "--ledger", "."], "--ledger . is a folder: name the ledger's file in it"),
        (["list", "--ledger", "my_shop.py"], "file is not a database"),
        (["list", "--ledger", "ftp://x:SECRET_WORDS@y/z"], "begins with postgresql:// or mariadb://"),
        (["list", "--ledger", "mariadb://x@y/z", "--schema", "s"], "--schema needs a postgresql:// ledger"),
        (["list", "--receiver", "my_shop"], "MODULE:RECEIVER"),
        (["list", "--receiver", "nowhere:receiver"], "there is no module nowhere"),
        (["list", "--receiver", "half:receiver"], "there is no module no_such_part\n"),
        (["list", "--receiver", "nameless:receiver"], "there is no module nameless;"),
        (["list", "--receiver", "my_shop:missing"], "has no missing"),
        (["list", "--receiver", "my_shop:NotOne"], "not a paywright.Receiver"),
        (["list", "--receiver", "broken:receiver"], "RuntimeError at broken.py:1"),
        (["list", "--receiver", "my_shop:receiver", "--status", "lost"], "argument --status: invalid choice"),
        (["list", "--receiver", "my_shop:receiver", "--most", "0"], "--most"),
        (["replay", "K", "--ledger", "app.db"], "replay calls your handlers"),
        (["replay", "--receiver", "my_shop:receiver"], "name keys, or --all"),
        (["replay", "K", "--receiver", "my_shop:receiver"], "has no notification K"),
        (["replay", "--receiver", "my_shop:receiver", "K", "L", "--digest", "a"], "goes with one key"),
        (["discard", "K", "--receiver", "my_shop:receiver"], "has no notification K"),
        (["prune", "--receiver", "my_shop:receiver", "--older-than", "soon"], "write it as 90d"),
        (["list", "--ledger", "app.db", "--schema", "shop"], "a file has no schema"),
        (["count", "--receiver", "my_shop:receiver", "--schema", "shop"], "has a ledger of its own"),
        (["check", "--ledger", "app.db", "--failed", "-1"], "a limit is a number"),
        (["check", "--ledger", "app.db", "--failed", "few"], "a limit is a number"),
    ],
)
def test_whatever_is_asked_wrongly_is_refused_in_words(app: dict[str, Any], arguments: list[str], words: str) -> None:
    (app["cwd"] / "broken.py").write_text("raise RuntimeError('SECRET_WORDS')\n")
    (app["cwd"] / "half.py").write_text("import no_such_part\n")
    (app["cwd"] / "nameless.py").write_text("raise ModuleNotFoundError('SECRET_WORDS')\n")
    ended = paywright("notifications", *arguments, path=PACKAGES, **app)
    assert ended.code in (1, 2)
    assert words in ended.err
    assert "SECRET_WORDS" not in ended.err


def test_another_way_to_tell_effects_apart_is_accepted_by_name(tmp_path: Path) -> None:
    with_one = SqliteLedger(tmp_path / "shop.db")
    with_one.identity("app_1/PAYMENT", "their content")
    code, out, _ = paywright("notifications", "accept", "--ledger", "shop.db", "app_1/PAYMENT", cwd=tmp_path)
    assert (code, "identified by their content; from now on the next receiver decides" in out) == (0, True)
    code, _, err = paywright("notifications", "accept", "--ledger", "shop.db", "app_1/PAYMENT", cwd=tmp_path)
    assert (code, "there is nothing to accept" in err) == (1, True)
    assert with_one.identity("app_1/PAYMENT", "the members outTradeNo") == "the members outTradeNo"
