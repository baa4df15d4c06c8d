"""What arguments of several commands mean."""

from __future__ import annotations

from argparse import ArgumentTypeError
from datetime import timedelta
from pathlib import Path

import pytest

from paywright_cli.common.options import distance, port_number, whole_number
from paywright_receiver import SqliteLedger
from tests.cli.helpers.command_line import paywright
from tests.cli.helpers.commands import COMMANDS, PARSERS


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("90d", timedelta(days=90)), ("36h", timedelta(hours=36)), ("1d12h", timedelta(days=1, hours=12)),
        ("5m", timedelta(minutes=5)), ("30s", timedelta(seconds=30)), ("0s", timedelta()),
        ("1d2h3m4s", timedelta(days=1, hours=2, minutes=3, seconds=4)),
        ("36500d", timedelta(days=36_500)),
    ],
)  # fmt: skip
def test_a_time_is_written_with_its_units(text: str, time: timedelta) -> None:
    assert distance(text) == time


@pytest.mark.parametrize("text", ["", "5", "m5", "5x", "1h1d", "-5m", "5 m", "1.5h", "1000000d", "\u0665m"])
def test_anything_else_is_no_time(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="write it as 90d"):
        distance(text)


def test_a_time_is_not_so_long_that_it_leads_out_of_the_calendar(tmp_path: Path) -> None:
    for text in ("36501d", "999999d", "36500d1s"):
        with pytest.raises(ArgumentTypeError, match="at most 36500d"):
            distance(text)
    SqliteLedger(tmp_path / "shop.db").close()
    for command in ("follow report --older", "notifications check --older", "notifications prune --older-than"):
        for text, code in (("36500d", 0), ("999999d", 2)):
            ended = paywright(*command.split(), text, "--ledger", "shop.db", cwd=tmp_path)
            assert ended.code == code, ended.err


def test_numbers_have_their_bounds() -> None:
    assert [port_number(text) for text in ("0", "8787", "65535")] == [0, 8787, 65535]
    assert [whole_number(text) for text in ("0", "999999999")] == [0, 999_999_999]
    for text in ("-1", "65536", "", "8787a", "\u0661"):
        with pytest.raises(ArgumentTypeError, match="from 0 to 65535"):
            port_number(text)
    for text in ("-1", "1000000000", "", "1.0", "\u0661"):
        with pytest.raises(ArgumentTypeError, match="0 or more"):
            whole_number(text)


def test_whatever_imports_a_module_says_that_it_runs_it() -> None:
    options = [one for names in COMMANDS for one in PARSERS[names]._actions if one.dest == "receiver"]
    assert len(options) >= 15
    assert all("which runs its code" in str(one.help) for one in options)
