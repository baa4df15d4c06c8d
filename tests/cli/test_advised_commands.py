"""A command that a message advises runs as it is printed: with the ledger and the settings of the command that advised it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from paywright_cli.common.terminal import complaint, complete_advice
from paywright_receiver import SqliteLedger
from paywright_sandbox.init import make_folder
from tests.cli.helpers.command_line import paywright


@pytest.mark.parametrize(
    ("command", "advised"),
    [
        ("follow hint orders X", "follow list --status all"),
        ("follow close orders X --why x", "follow list --status all"),
        ("notifications discard a/b/c", "notifications list"),
        ("notifications release a/b/c", "notifications list"),
        ("show a/b/c", "notifications list"),
        ("show X --digest 1", "show X"),
    ],
)
def test_an_advised_command_runs_as_it_is_printed(command: str, advised: str, tmp_path: Path) -> None:
    make_folder(tmp_path / "gate")
    SqliteLedger(tmp_path / "my shop.db").close()
    given = ["--ledger", "my shop.db", "--env", "gate/.env"]
    ended = paywright(*command.split(), *given, cwd=tmp_path)
    found = re.search(f"`paywright ({advised} [^`]+)`", ended.err)
    assert found is not None, ended.err
    again = paywright(*shlex.split(found[1]), cwd=tmp_path)
    assert again.code != 2, again.err
    assert again.out == "nothing\n" or "nothing here is about X" in again.err


def test_an_advised_command_has_a_number_with_a_space_as_one_word(tmp_path: Path) -> None:
    make_folder(tmp_path / "gate")
    SqliteLedger(tmp_path / "shop.db").close()
    opened = ["follow", "open", "orders", "O 1", "totalAmount=10"]
    given = ["--ledger", "shop.db", "--env", "gate/.env"]
    assert paywright(*opened, *given, cwd=tmp_path).code == 0
    assert (
        paywright("follow", "close", "orders", "O 1", "--why", "x", "--state", "SUCCESS", *given, cwd=tmp_path).code
        == 0
    )
    for command in (
        ["follow", "open", "orders", "O 1", "totalAmount=11", "--correct"],
        ["show", "O 1", "--digest", "1"],
    ):
        found = re.search("`paywright (show [^`]+)`", paywright(*command, *given, cwd=tmp_path).err)
        assert found is not None
        again = paywright(*shlex.split(found[1]), cwd=tmp_path)
        assert "closed by hand" in again.out or "booked by hand" in again.out, again


def test_what_needs_a_receiver_gets_no_ledger_and_what_is_complete_nothing() -> None:
    text = (
        "`paywright follow run` `paywright follow move` `paywright show X --ledger b.db` `paywright call orders.query`"
    )
    try:
        complete_advice({"follow": "--ledger a.db", "show": "--ledger a.db", "call": "--env .env"})
        assert complaint(text) == (
            "paywright: `paywright follow run` `paywright follow move --ledger a.db` `paywright show X --ledger b.db` "
            "`paywright call orders.query --env .env`\n"
        )
        complete_advice({"follow": "--receiver shop:receiver"})
        assert "`paywright follow run --receiver shop:receiver`" in complaint(text)
    finally:
        complete_advice({})
    assert complaint(text) == f"paywright: {text}\n"
