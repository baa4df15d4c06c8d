"""What the audit says of the traffic that a sandbox recorded: of our own samples, nothing."""

from __future__ import annotations

import json
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from paywright_cli.main import main

__all__ = ["findings_of"]


def findings_of(log: bytes, folder: Path, *merchants: Path) -> list[tuple[str, str, str, str]]:
    """Operation, part, pointer and code of every finding in the log of the sandbox in `folder`, signatures included.

    `merchants` are public keys of further ones. Fails if there was nothing to judge, or a signature that no key of the folder holds for.
    """
    keys = [
        "--merchant-key",
        str(folder / "keys" / "merchant.pub"),
        "--gateway-key",
        str(folder / "keys" / "gateway.pub"),
    ]
    keys += [word for key in merchants for word in ("--merchant-key", str(key))]
    out = StringIO()
    with TemporaryDirectory() as made, redirect_stdout(out):
        file = Path(made) / "session.jsonl"
        file.write_bytes(log)
        code = main(["audit", str(file), *keys, "--format", "json"])
    *lines, summary = map(json.loads, out.getvalue().splitlines())
    assert summary["matched"] > 0
    assert summary["signatures"]["valid"] > 0
    assert code in (0, 1)
    return [
        (line["operation"], line["part"], line["pointer"], line["code"]) for line in lines if line["type"] == "finding"
    ]
