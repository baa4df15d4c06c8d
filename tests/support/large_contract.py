"""A contract of as many operations as one likes."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

_NAMES = re.compile(r"\b(payments|ended|Amount|Payment|PaymentEnded|PaymentStatus|Received|PAYMENT_RESULT)\b")
_VERSIONS = re.compile(r"^ +payments\..*\n", re.MULTILINE)


def contract_of(folder: Path, resources: int) -> Path:
    """Write a contract of so many resources, each with the three operations of the one that `contract init` writes."""
    folder.mkdir()
    start = files("paywright_codegen") / "start"
    texts = [(start / name).read_text(encoding="utf-8") for name in ("payments.yaml", "service.yaml")]

    def numbered(text: str, number: int) -> str:
        return _NAMES.sub(rf"\g<1>{number}", text)

    for number in range(resources):
        (folder / f"payments{number}.yaml").write_text(numbered(texts[0], number), encoding="utf-8")
    service = _VERSIONS.sub(lambda line: "".join(numbered(line[0], n) for n in range(resources)), texts[1])
    (folder / "service.yaml").write_text(service, encoding="utf-8")
    return folder
