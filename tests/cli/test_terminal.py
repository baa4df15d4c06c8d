"""No byte that a stranger wrote reaches a terminal raw: neither of an argument, nor of a file, a ledger, a peer or a log."""

from __future__ import annotations

import ast
import json
import logging
import os
import pty
import sys
from collections.abc import Callable
from contextlib import suppress
from io import StringIO
from pathlib import Path

import pytest

import paywright_cli
from paywright_cli.common.terminal import complain, paint, say, say_bytes, say_json, show_logs
from paywright_cli.main import main
from tests.cli.helpers.commands import COMMANDS, PARSERS, arguments_of
from tests.cli.helpers.terminal import HOSTILE, raw, shown
from tests.support.pairs import one_of

ARGUMENT = f"{HOSTILE}\udc9b"  # and half a character
OTHERS = ("--", "http://[", "\udcff.jsonl")


def test_only_one_module_of_the_command_line_prints() -> None:
    printing = {"print", "write", "writelines", "print_help"}
    for path in Path(next(iter(paywright_cli.__path__))).rglob("*.py"):
        if path.parts[-2:] == ("common", "terminal.py"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func)
                assert name != "print", f"{path.name}:{node.lineno} prints past `say`"
                assert not name.startswith(("sys.stdout.", "sys.stderr.")) or name.rpartition(".")[2] not in printing
                assert not name.startswith(("sys.stdout.buffer", "sys.stderr.buffer")), f"{path.name}:{node.lineno}"


# What prints


def screen(monkeypatch: pytest.MonkeyPatch, show: Callable[[], None], **env: str) -> str:
    """What a terminal with colours gets that is standard output."""
    leader, follower = pty.openpty()
    with open(follower, "w", encoding="utf-8") as stream, monkeypatch.context() as patch:
        patch.setenv("TERM", "xterm")
        patch.delenv("NO_COLOR", raising=False)
        for name, value in env.items():
            patch.setenv(name, value)
        patch.setattr(sys, "stdout", stream)
        show()
    return shown(leader).removesuffix("\n")


def test_our_colours_reach_a_terminal_and_nobody_elses(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = screen(monkeypatch, lambda: say(f"{paint('ok', 'green')}  {HOSTILE}"))
    assert seen.startswith("\x1b[32mok\x1b[0m  \\u{1b}]0;owned\\u{7}")
    assert raw(seen.removeprefix("\x1b[32mok\x1b[0m")) == []
    for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert screen(monkeypatch, lambda: say(paint("ok", "green")), **env) == "ok"


def test_a_line_break_of_others_makes_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    assert screen(monkeypatch, lambda: say("one\ntwo", "three")) == "one\\u{a}two\nthree"


def test_bytes_reach_a_terminal_as_text_and_a_pipe_as_they_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    body = f'{{"a": "{HOSTILE}"}}\n'.encode() + b"\xff"
    assert raw(screen(monkeypatch, lambda: say_bytes(body))) == []
    with (tmp_path / "out").open("w") as file, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", file)
        say_bytes(body)
    assert (tmp_path / "out").read_bytes() == body


def test_json_says_the_same_with_escapes(capsys: pytest.CaptureFixture[str]) -> None:
    said = {"a": HOSTILE, "名": "\U000e0001名\ud800"}
    say_json(json.dumps(said, ensure_ascii=False, indent=1))
    out = capsys.readouterr().out
    assert raw(out) == []
    assert '"名": "' in out
    assert json.loads(out) == said


def test_complaints_and_logs_are_visible(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging, "lastResort", None)
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    show_logs()
    logging.getLogger("of.a.library").warning("%s", HOSTILE)
    complain(HOSTILE)
    out, err = capsys.readouterr()
    assert (out, raw(err), err.count("\\u{1b}")) == ("", [], 4)


# Every command, with hostile arguments and names of files


@pytest.mark.parametrize("one", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["one other", "all others"])
@pytest.mark.parametrize("names", one_of(2, ((names,) for names in COMMANDS)), ids=" ".join)
def test_hostile_arguments_are_written_out(
    names: tuple[str, ...],
    one: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("PAYWRIGHT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(sys, "stdin", StringIO())
    monkeypatch.setattr("paywright_cli.main.build_parser", lambda whole: PARSERS[()])  # the same, built once
    # `sandbox start` would make a folder of any name, and serve it.
    at = len("".join(names)) % len(OTHERS)
    others = () if names == ("sandbox", "start") else OTHERS[at : at + 1] if one else OTHERS
    for arguments in (given for value in (ARGUMENT, *others) for given in arguments_of(names, value)):
        try:
            code = main(arguments)
        except SystemExit as ended:
            code = int(ended.code or 0)
        out, err = capfd.readouterr()
        assert raw(out + err) == [], arguments
        assert code != 70, (arguments, err)


# Passwords of databases, for which they are usual

SPELLINGS = (
    "postgresql://u:CANARY@127.0.0.1:1/shop", "postgres://u:CANARY@127.0.0.1:1/shop", "postgresql://u:CAN/CANARY@127.0.0.1:1/shop",
    "postgresql://127.0.0.1:1/shop?user=u&password=CANARY", "postgresql:/u:CANARY@h/shop", "postgresql:u:CANARY@h/shop",
    "POSTGRESQL://u:CANARY@h/shop", "mysql://u:CANARY@127.0.0.1:1/shop", "mariadb://u:CAN/CANARY@h/shop?x=CANARY", "//u:CANARY@h/shop", "u:CANARY@h", "host=127.0.0.1 port=1 password=CANARY",
    "password=CANARY host=127.0.0.1 port=1", "password = 'CANARY x' host=127.0.0.1 port=1", "hostaddr=127.0.0.1 port=1 passwd=CANARY",
    "postgresql://u:p@CANARY@127.0.0.1:1/shop", "host=127.0.0.1 port=CANARY", "host=127.0.0.1 port=1 sslmode=CANARY",
    "postgresql+psycopg://u:CANARY@h/shop", "connect_timeout=2 host=127.0.0.1 port=1 password=CANARY", "jdbc:postgresql://u:CANARY@h/shop",
)  # fmt: skip
WITH_LEDGER = [names for names in COMMANDS if "--ledger" in PARSERS[names]._option_string_actions]


@pytest.mark.slow
@pytest.mark.parametrize("names", WITH_LEDGER, ids=" ".join)
def test_a_password_in_the_address_of_a_ledger_is_never_printed(
    names: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("psycopg", reason="a ledger in PostgreSQL needs the extra `postgres`")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("paywright_cli.main.build_parser", lambda whole: PARSERS[()])  # the same, built once
    positions = ["x" for action in PARSERS[names]._actions if not action.option_strings and action.dest != "command"]
    for spelling in SPELLINGS:
        for arguments in (["--ledger", spelling, *positions], [*positions, spelling, "--most"]):
            with suppress(SystemExit):
                assert main([*names, *arguments]) != 70
            out, err = capsys.readouterr()
            assert "CANARY" not in out + err
            assert out + err
    assert list(tmp_path.iterdir()) == []
    assert len(WITH_LEDGER) >= 15
