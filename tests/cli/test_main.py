"""`paywright` itself: help, exit codes, terminals, and that nothing makes it show a traceback."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from paywright.contract import CONTRACT
from paywright_cli.common.exit_codes import Exit
from paywright_cli.main import build_parser, main
from paywright_runtime.version import VERSION
from tests.cli.helpers.command_line import TOP, paywright
from tests.support.packages import FOLDERS, PACKAGES


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from parsers(inner)


EVERY = [*parsers(build_parser())]
_LINES = [line for parser in EVERY for line in (parser.epilog or "").splitlines()]
EXAMPLES = [line.split("  #")[0].strip() for line in _LINES if line.startswith("  paywright ")]


def test_the_version_is_the_distributions() -> None:
    said = f"paywright {VERSION}, contract {CONTRACT.digest[:12]}\n"
    assert paywright("--version") == paywright("-V") == paywright("-V", program=("-m", "paywright")) == (0, said, "")


def test_an_option_is_not_guessed_from_its_beginning() -> None:
    ended = paywright("--vers")
    assert (ended.code, ended.out) == (2, "")


@pytest.mark.parametrize("parser", EVERY, ids=lambda parser: parser.prog)
def test_every_commands_help_has_its_exit_codes(
    parser: argparse.ArgumentParser, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="0"):
        main([*parser.prog.split()[1:], "--help"])
    shown = capsys.readouterr().out
    assert shown.startswith("usage: paywright")
    sentence = shown.partition("\n\n")[2].partition("\n\n")[0]
    assert re.match(r"[A-Z].*[.:]", sentence, re.DOTALL), sentence
    assert re.search(rf"^  {parser.prog}( |$)", shown.partition("examples:")[2], re.MULTILINE)
    assert "exit codes:" in shown


@pytest.mark.parametrize(
    ("typed", "meant"), [("cal", "call"), ("folow", "follow"), ("keys chek", "check"), ("sandbox fault ad", "add")]
)
def test_a_mistyped_command_is_met_with_the_one_that_was_meant(typed: str, meant: str) -> None:
    ended = paywright(*typed.split())
    assert (ended.code, f"there is no {typed.split()[-1]!r}; did you mean {meant}?" in ended.err) == (2, True), ended


def test_without_a_command_it_prints_its_help_and_calls_that_wrong_usage() -> None:
    ended = paywright()
    assert ended.code == Exit.USAGE
    assert "examples:" in ended.out


@pytest.mark.parametrize("line", EXAMPLES)
def test_the_examples_of_the_help_are_commands_that_exist(line: str) -> None:
    words = shlex.split(re.split(r" [|>] | \|\| | {2,}", line)[0])
    assert callable(build_parser().parse_args(words[1:]).run)


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"], ["keys"], ["keys", "generate", "--nonsense"], ["validate"], ["call"], ["contract", "show"],
        ["sandbox", "--port", "x"], ["follow"], ["follow", "nothing"],
        ["validate", "refunds.create", "\udcff\udcfe"],
        ["\x1b[31mred"], ["keys", "show", "x" * 5000], ["keys", "show", "a\nb"],
        ["call", "orders.query", "/nowhere/at/all"],
        ["validate", "refunds.create", "request", "/"],
    ],
    ids=lambda arguments: ascii(" ".join(arguments))[:40],
)  # fmt: skip
def test_wrong_usage_is_explained_and_exits_with_2(arguments: list[str]) -> None:
    ended = paywright(*[os.fsencode(word) for word in arguments])
    assert ended.code == Exit.USAGE
    assert ended.err
    assert "\x1b" not in ended.out + ended.err


@pytest.mark.parametrize("command", ["call orders.query", "sandbox log", "keys generate", "audit traffic.jsonl"])
def test_an_option_that_a_command_does_not_know_is_met_with_that_command_s_usage(command: str) -> None:
    ended = paywright(*command.split(), "--nonsense")
    named = " ".join(word for word in command.split() if "." not in word)
    assert ended.code == Exit.USAGE
    assert ended.err.startswith(f"usage: paywright {named} ")
    assert f"paywright {named}: unrecognized option --nonsense" in ended.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("sandbox --prot 5", "unrecognized option --prot; did you mean --port?"),
        ("sandbox --prot=5", "unrecognized option --prot; did you mean --port?"),
        ("sandbox --hots 1 init shop", "unrecognized option --hots; did you mean --host?"),
        ("sandbox 5", "argument COMMAND: invalid choice: '5'"),
        ("sandbox init shop --zzz", "unrecognized option --zzz\n"),
        ("sandbox init shop more", "unrecognized arguments: more"),
    ],
)
def test_a_mistyped_option_is_what_the_error_is_about(words: str, said: str) -> None:
    ended = paywright(*words.split())
    assert (ended.code, said in ended.err) == (2, True), ended.err


AUDIT = "audit docs/samples/shop.har --merchant-key docs/samples/merchant.pub --gateway-key docs/samples/gateway.pub --write"


def test_a_reader_that_leaves_early_is_no_error_and_changes_no_verdict(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    for words, code in (("contract show orders.checkout", 0), (f"{AUDIT} {report}", 1)):
        command = [sys.executable, "-m", "paywright_cli", *words.split()]
        env = {**os.environ, "PYTHONPATH": PACKAGES}
        writing = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=TOP, env=env)
        assert writing.stdout is not None
        assert writing.stderr is not None
        writing.stdout.close()
        assert writing.stderr.read() == b""
        assert writing.wait(600) == code
    assert report.exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full disk here")
def test_output_that_finds_no_room_is_told_after_the_reports_are_written(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    command = [sys.executable, "-m", "paywright_cli", *f"{AUDIT} {report}".split()]
    with open("/dev/full", "w", encoding="ascii") as full:
        env = {**os.environ, "PYTHONPATH": PACKAGES}
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, timeout=600, cwd=TOP, env=env)
    said = b"paywright: the output could not be written: No space left on device\n"
    assert (ended.returncode, ended.stderr, report.exists()) == (Exit.USAGE, said, True)


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&-"])
def test_a_stream_that_is_closed_is_no_error(closed: str) -> None:
    command = f"exec {shlex.quote(sys.executable)} -m paywright_cli contract show orders.checkout {closed}"
    env = {**os.environ, "PYTHONPATH": PACKAGES}
    ended = subprocess.run(["sh", "-c", command], capture_output=True, timeout=600, cwd=TOP, env=env)
    assert (ended.returncode, ended.stderr) == (0, b"")


def broken(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> int:
    """The exit code of a command that fails in a way nobody has thought of."""

    def strike(*_: object, **__: object) -> str:
        raise error

    monkeypatch.setattr("paywright_runtime.signing.keys.generate_key_pair", strike)
    return main(["keys", "generate", "--dir", "/nowhere"])


def test_a_bug_of_ours_exits_70(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("PAYWRIGHT_DEBUG", raising=False)
    assert broken(monkeypatch, ZeroDivisionError("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ")) == 70
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "ZeroDivisionError" in err
    assert "MIIE" not in err


def test_a_full_disk_is_no_bug_of_ours(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert broken(monkeypatch, OSError(28, "No space left on device")) == Exit.USAGE
    assert capsys.readouterr().err == "paywright: a file could not be written: No space left on device\n"


def test_debug_shows_where_and_no_secret(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PAYWRIGHT_DEBUG", "1")
    secret = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ"
    assert broken(monkeypatch, ZeroDivisionError(f"no way with {secret} and 4444 3333 2222 1111")) == 70
    err = capsys.readouterr().err
    assert "test_main.py" in err
    assert "no way with **** and ****" in err
    assert secret not in err


def test_an_interrupt_exits_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    assert broken(monkeypatch, KeyboardInterrupt()) == 130


@pytest.mark.parametrize("module", ["argparse", "paywright_cli.common.parser", "paywright_cli.commands.docs"])
def test_an_interrupt_while_it_is_imported_shows_no_traceback(module: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(_INTERRUPTED_AT.format(module))
    ended = paywright("docs", path=os.pathsep.join([str(tmp_path), *FOLDERS]))
    assert (ended.code, ended.out, ended.err) == (Exit.INTERRUPTED, "", "")


_INTERRUPTED_AT = """
import sys
class Interrupted:
    def find_spec(name, path=None, target=None):
        if name == {!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupted)
"""


def test_a_missing_generated_package_is_explained(tmp_path: Path) -> None:
    path = os.pathsep.join([str(tmp_path), *(one for one in FOLDERS if not one.endswith("generated"))])
    (tmp_path / "sitecustomize.py").write_text(_WITHOUT_PAYWRIGHT)
    ended = paywright("validate", "refunds.create", "request", given=b"{}", path=path)
    assert ended.code == Exit.USAGE
    assert "make generate" in ended.err


# As if `generated/` were not there, also where it is installed for editing.
_WITHOUT_PAYWRIGHT = """
import sys
class Without:
    def find_spec(self, name, path=None, target=None):
        if name == "paywright":
            raise ModuleNotFoundError("No module named 'paywright'", name="paywright")
sys.meta_path.insert(0, Without())
"""
