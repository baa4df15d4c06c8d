"""docs/other-languages.md: its commands run, and so do its lines that sign and verify, where their language is there."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from paywright_runtime.signing.rsa import RsaSigner
from tests.cli.helpers.command_line import paywright
from tests.docs.pages import Page
from tests.docs.reader import Reader
from tests.support.keys import key_pair
from tests.support.tables import table

PAGE = Page("other-languages")
TEXT, BLOCKS = PAGE.text, dict(PAGE.all)
BODY = '{"outTradeNo": "ORD_1", "subject": "Tr\u00e4ume", "totalAmount": 10.50}'


def test_every_block_is_run() -> None:
    assert set(BLOCKS) == {"sh", *PROGRAMS}
    assert TEXT.count("\n```\n") == len(BLOCKS)


@pytest.mark.slow
def test_the_commands_write_the_documents(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    reader.follow("sh", BLOCKS["sh"])
    assert {path.name for path in tmp_path.glob("*.json")} == {"openapi.json", "schemas.json", "examples.json"}


def test_every_key_of_the_document_is_explained() -> None:
    document = paywright("contract", "export", "openapi").out
    known = {"x-sections", "x-version", "x-address", "x-not-shown"}  # they explain themselves
    found = set(re.findall(r'"(x-[a-z-]+)":', document))
    assert {name for name in found - known if f"`{name}`" not in TEXT} == set()


_TYPES = re.compile(r": (?:Buffer|KeyLike|string|boolean)\b|, type KeyLike")
PROGRAMS: dict[str, dict[str, str]] = table("docs/other_languages.yaml")


@pytest.mark.parametrize(
    "language",
    [
        pytest.param(one, marks=pytest.mark.slow if one in ("typescript", "php") else pytest.mark.full)
        for one in PROGRAMS
    ],
)
def test_the_lines_sign_as_we_do_and_verify_what_was_signed(language: str, tmp_path: Path) -> None:
    program, file, before, after = PROGRAMS[language].values()
    lines = BLOCKS[language]
    if language == "typescript":
        lines = _TYPES.sub("", lines).replace("export ", "")
    if shutil.which(program) is None:
        pytest.skip(f"there is no {program} on this machine")
    pair = key_pair(1)
    (tmp_path / file).write_text(before + lines + after, encoding="utf-8")
    (tmp_path / "body").write_bytes(BODY.encode())
    (tmp_path / "key.pem").write_text(pair.private_pem)
    (tmp_path / "open.pem").write_text(pair.public_pem)
    command = [program, "run", file] if program == "go" else [program, file]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [RsaSigner(pair.private).sign(BODY.encode()), "true", "false", "false"]
