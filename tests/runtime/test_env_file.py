"""One reader of `.env` files, with one set of rules, for commands and for the sandbox."""

from __future__ import annotations

from pathlib import Path

import pytest

from paywright import ConfigurationError
from paywright_cli.common.env_file import environment
from paywright_cli.common.terminal import Usage
from paywright_runtime.env_file import env_values
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
    "what a shell would put in its place": ("A=pa$word`x`!", "pa$word`x`!"),
    "a hash inside": ("A=a#b", "a#b"),
    "what other readers take for the end of a line": ("A=a\u2028#b\x85#c\x0c#d", "a\u2028#b\x85#c\x0c#d"),
    "a space that is no blank": ("A=a\u00a0", "a\u00a0"),
    "lines of Windows": ("A=a\r", "a"),
    "the mark with which Windows begins a file": ("\ufeffA=a", "a"),
}


@pytest.mark.parametrize(("line", "value"), KEPT.values(), ids=list(KEPT))
def test_nothing_of_a_value_is_lost(line: str, value: str) -> None:
    assert env_values(f"{line}\n".encode(), ".env") == {"A": value}


@pytest.mark.parametrize(
    "value", [r"C:\keys\m.key", r"a\ b", r"'C:\keys'\m.key", r'"C:\keys"\m.key', "C:\\keys\\", "\\"]
)
def test_a_backslash_outside_quotes_which_a_shell_takes_away_is_refused(value: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        env_values(f"OK=1\nA={value}\n".encode(), "shop/.env")
    said = str(refused.value)
    assert said.startswith("shop/.env:2: a backslash outside quotes would be lost; write the value in single quotes")
    assert "m.key" not in said


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("A=é\n".encode("latin-1"), "is not UTF-8"),
        ("A=1\n".encode("utf-16"), "is not UTF-8"),
        (b"A=" + b"x" * 262144, "longer than"),
    ],
)
def test_a_file_that_cannot_be_read_whole_is_refused(content: bytes, says: str, tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(content)
    with pytest.raises(Usage, match=says):
        environment(tmp_path / ".env")


@pytest.mark.parametrize("line", ["A", "A B=1", "A=secret words", "A='secret", 'B="two words" # secret', "1A=x", "=x"])
def test_what_is_no_value_is_named_by_its_line_and_never_shown(line: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        env_values(f"OK=1\n{line}\n".encode(), "shop/.env")
    assert str(refused.value) == "shop/.env:2: this is not NAME=VALUE; quote a value with spaces"
