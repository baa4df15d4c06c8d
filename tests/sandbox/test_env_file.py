"""One reader of `.env` files, with one set of rules, for commands and for the sandbox; a shell reads the same or it is refused."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from paywright import ConfigurationError
from paywright_cli.common.loading import environment
from paywright_cli.common.terminal import Usage
from paywright_sandbox.env_file import MOST, env_values
from paywright_sandbox.init import read_env

LINES = """\
# a comment = no value
A=1
export B="two words" # said
 C='it''s'
EMPTY=

D=a=b
"""
VALUES = {"A": "1", "C": "its", "EMPTY": "", "D": "a=b"}


def test_commands_and_the_sandbox_read_a_file_alike(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(LINES.replace(" # said", ""))
    expected = {**VALUES, "B": "two words"}
    assert read_env(tmp_path) == expected
    found = environment(tmp_path / ".env")
    assert {name: found[name] for name in expected} == expected


KEPT = {
    "a path of Windows in single quotes": (r"A='C:\keys\m.key'", r"C:\keys\m.key"),
    "the same in double quotes": (r'A="C:\keys\m.key"', r"C:\keys\m.key"),
    "a quote in quotes": (r'A="say \"yes\""', 'say "yes"'),
    "a share in single quotes": (r"A='\\host\keys'", r"\\host\keys"),
    "parts in quotes": (r"""A=a'\b'"c d"e""", r"a\bc de"),
    "a hash inside": ("A=a#b", "a#b"),
    "lines of Windows": ("A=a\r", "a"),
    "the mark with which Windows begins a file": ("\ufeffA=a", "a"),
}


@pytest.mark.parametrize(("line", "value"), KEPT.values(), ids=list(KEPT))
def test_nothing_of_a_value_is_lost(line: str, value: str) -> None:
    assert env_values(f"{line}\n".encode(), ".env") == {"A": value}


@pytest.mark.parametrize("value", [r"C:\keys\m.key", r"'C:\keys'\m.key", r'"C:\keys"\m.key', "C:\\keys\\"])
def test_a_backslash_outside_quotes_which_a_shell_takes_away_is_refused(value: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        env_values(f"OK=1\nA={value}\n".encode(), "shop/.env")
    said = str(refused.value)
    assert said.startswith("shop/.env:2: a backslash outside quotes would be lost; write the value in single quotes")
    assert "m.key" not in said


@pytest.mark.parametrize("line", ["A", "A B=1", "A=secret words", "A='secret", 'B="two words" # secret', "1A=x", "=x"])
def test_what_is_no_value_is_named_by_its_line_and_never_shown(line: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        env_values(f"OK=1\n{line}\n".encode(), "shop/.env")
    assert str(refused.value) == "shop/.env:2: this is not NAME=VALUE; quote a value with spaces"


# Read as a shell reads it.
SAME = (
    "1", "", "''", '""', "'a b'", '"a b"', r"a\ b", "'$HOME'", "'`id`'", "'a;b'", '"a;b"', '"(a)|<b>&"', r"\$HOME", r"\`id\`",
    r"a\;b", "a#b", "#b", "'a'#c", r"\#", "'~'", '"~"', r"\~", "a~b", "a:b~", '"a:~"', "'it'\\''s'", '"it\'s"', "'a\"b'", r"\'",
    r"\"", '"a\\\\b"', '"a\\"b"', '"\\x"', "'C:\\Users\\x'", "a'b c'd", "'a''b'", "*", "[a]", "{a,b}", "!x", '"!x"', "a=b",
    "%", "^", "@", "a,b", "é", "'é ü'", "😀", "'a\tb'", "/a/b-c_d.e:f", "postgresql://u@h/d?x=y", "x " , "\tx\t"[1:],
)  # fmt: skip
# A shell replaces, runs or cuts these, or takes them for no value.
REFUSED = (
    "$", "$$", "$HOME", "${HOME}", "a$HOME", '"$HOME"', '"a\\$b"', "`id`", '"`id`"', '"a\\`b"', "$'x'", '$"x"', "$(id)", "~", "~/x",
    "a:~/x", "~root", "a;b", ";", "a&b", "a&", "a|b", "a>b", "a<b", "(a b)", "a(b)", ")", " b", "\tb", "a b", "a\tb", "a #b",
    '"a" #c', "'a' b", "'a", '"a', "it's", 'it"s', "a\\", "a\x0bb", "a\x1bb", "a\x85b", "a\u2028b", "a\u202eb", "'a\x07'", "a\rb", "a\x00b",
    "a\u3000b", "a\xa0b",
)  # fmt: skip


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash to ask")
def test_a_shell_reads_the_same(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    for value in SAME:
        file.write_bytes(f"A={value}\n".encode())
        asked = ["bash", "-c", '. "$0" && printf %s "$A"', str(file)]
        shell = subprocess.run(asked, capture_output=True, env={"HOME": "/home/x", "LC_ALL": "C.UTF-8"})
        assert (value, env_values(file.read_bytes(), ".env")["A"]) == (value, shell.stdout.decode())
        assert read_env(tmp_path) == {"A": shell.stdout.decode()}


@pytest.mark.parametrize("value", REFUSED, ids=ascii)
def test_what_a_shell_would_read_otherwise_is_refused_with_words(value: str, tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(f"OK=1\nA={value}\n".encode())
    with pytest.raises(ConfigurationError, match=r":2: ") as refused:
        read_env(tmp_path)
    with pytest.raises(Usage) as said:
        environment(tmp_path / ".env")
    assert str(said.value) == str(refused.value)
    assert len(value) < 4 or value not in str(refused.value)


def test_lines_of_windows_end_as_others_do() -> None:
    assert env_values(b"A=1\r\nB='x y'\r\n", ".env") == {"A": "1", "B": "x y"}


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"A=" + b"1" * MOST, "more than 262144 bytes"),
        (b"B=1\n" * (MOST // 4) + b"A=1", "more than 262144 bytes"),
        (b"A=\xff\n", "is not UTF-8"),
        ("A=1\n".encode("utf-16"), "is not UTF-8"),
    ],
)
def test_a_file_that_is_no_such_file_is_refused_and_not_cut(raw: bytes, why: str, tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(raw)
    with pytest.raises(ConfigurationError, match=why):
        read_env(tmp_path)
    with pytest.raises(Usage, match=why):
        environment(tmp_path / ".env")


def test_no_frame_holds_what_is_refused() -> None:
    for raw in (b"A=secret words", b"A='secret", b"A=$secret", b"A=secret\xff"):
        with pytest.raises(ConfigurationError) as refused:
            env_values(raw, ".env")
        step = refused.value.__traceback__
        while step is not None:
            if step.tb_frame.f_code.co_filename != __file__:
                assert "secret" not in repr(step.tb_frame.f_locals)
            step = step.tb_next
        assert refused.value.__context__ is None
