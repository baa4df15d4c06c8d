"""Makes captures with much in them that is wrong or hostile, for the tests of what reports are written."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from typing import Any

from paywright_cli.main import main

__all__ = ["HOSTILE", "Page", "options", "spoiled", "written"]

HOSTILE = (
    "</style><script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "' onmouseover='alert(1)",
    "{{ 7 * 7 }}{% raw %}", "{0} [here](http://evil.example)", "\x1b]0;owned\x07\x1b[31mred",
    "\u202egnp.exe\u202c\u2066x\u200b\u2028", "<!--", "a" * 300,
)  # fmt: skip


def options(keys: Path) -> list[str]:
    """Both keys, for the command line."""
    return ["--merchant-key", str(keys / "keys" / "merchant.pub"), "--gateway-key", str(keys / "keys" / "gateway.pub")]


def written(
    folder: Path, capsys: Any, raw: bytes, ending: str, *more: str, name: str = "seen.jsonl"
) -> tuple[int, str]:
    """Audits a capture with the command: its exit code, and the text of the report that it wrote."""
    capture, report = folder / name, folder / f"report.{ending}"
    capture.write_bytes(raw)
    report.unlink(missing_ok=True)
    code = main(["audit", str(capture), "--write", str(report), *more])
    out = capsys.readouterr()
    return code, report.read_text(encoding="utf-8") if report.exists() else out.err


def spoiled(raw: bytes, seed: int = 1, rounds: int = 1) -> bytes:
    """The records of a capture with members taken out, put in and changed in every way, and lines that are no records."""
    random = Random(seed)
    lines = []
    for line in raw.splitlines() * rounds:
        record = json.loads(line)
        for side in ("request", "response"):
            body = (record[side] or {}).get("body") or {}
            if "base64" in body and random.random() < 0.6:
                value = _spoil(json.loads(b64decode(body["base64"])), random)
                record[side]["body"] = {"base64": b64encode(json.dumps(value).encode()).decode()}
        lines.append(json.dumps(record).encode())
    return b"\n".join([*lines, b"{broken", b"\x1b]0;owned\x07"]) + b"\n"


def _spoil(value: Any, random: Random) -> Any:
    if isinstance(value, dict):
        kept = {name: _spoil(item, random) for name, item in value.items() if random.random() > 0.06}
        if random.random() < 0.2:
            kept[random.choice(HOSTILE)] = random.choice(HOSTILE)
        return kept
    if isinstance(value, list):
        return [_spoil(item, random) for item in value]
    chance = random.random()
    if chance < 0.06:
        return random.choice(HOSTILE) * random.choice((1, 1, 200))
    return 5 if chance < 0.1 else "" if chance < 0.12 else value


class Page(HTMLParser):
    """What a browser would make of a page: its tags with their attributes in order, and its words."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, tuple[tuple[str, str | None], ...]]] = []
        self.data: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: Iterable[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(attrs)))

    def handle_data(self, data: str) -> None:
        self.data.append(data)

    @property
    def words(self) -> str:
        return " ".join(" ".join(self.data).split())

    @property
    def shape(self) -> list[tuple[str, tuple[str, ...]]]:
        """The tags and the names of their attributes."""
        return [(tag, tuple(name for name, _ in attributes)) for tag, attributes in self.tags]

    def values(self, name: str) -> set[str]:
        """The values of an attribute, wherever it stands."""
        return {value or "" for _, attributes in self.tags for key, value in attributes if key == name}
