"""One reader of `.env` files, with one set of rules, for commands and for the sandbox."""

from __future__ import annotations

from pathlib import Path

import pytest

from paywright import ConfigurationError
from paywright_cli.common.env_file import environment
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


@pytest.mark.parametrize("line", ["A", "A B=1", "A=secret words", "A='secret", 'B="two words" # secret', "1A=x", "=x"])
def test_what_is_no_value_is_named_by_its_line_and_never_shown(line: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        env_values(f"OK=1\n{line}\n", "shop/.env")
    assert str(refused.value) == "shop/.env:2: this is not NAME=VALUE; quote a value with spaces"
