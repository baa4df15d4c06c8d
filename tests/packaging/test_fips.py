"""Hosts that allow approved algorithms alone (FIPS 140) run what the packages ask of hashlib and zlib: SHA-2 and HMAC."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
REFUSED = {"blake2b", "blake2s", "md5", "sha1", "adler32", "crc32", "shake_128", "shake_256"}
PACKAGES = sorted(
    path
    for name in ("audit", "cli", "codegen", "generated", "receiver", "runtime", "sandbox")
    for path in (TOP / name).rglob("*.py")
)


@pytest.mark.slow
@pytest.mark.parametrize("package", ["audit", "cli", "codegen", "generated", "receiver", "runtime", "sandbox"])
def test_no_package_asks_for_a_digest_that_is_not_approved(package: str) -> None:
    files = [path for path in PACKAGES if path.is_relative_to(TOP / package)]
    assert files != []
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = {node.attr} if isinstance(node, ast.Attribute) else set()
            if isinstance(node, ast.ImportFrom):
                names = {alias.name for alias in node.names}
            assert not names & REFUSED, f"{path}: {names & REFUSED}"
