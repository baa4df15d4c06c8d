"""A small contract that lints clean, and what tests do with such texts."""

from __future__ import annotations

from pathlib import Path

from paywright_codegen.model.contract import Contract
from paywright_codegen.reader.loader import load

SHOP = Path(__file__).with_name("shop.yaml").read_text(encoding="utf-8")

RESOLVED = """\
    resolved by:
      query: goods.query by key
      placed again after: again
      else: queried again
"""
assert RESOLVED in SHOP

SPEC = Path(__file__).parents[3] / "spec"


def decides(yes: str, *more: str) -> str:
    """How the answer to a question decides by `code`, as a part of an operation."""
    lines = ("answer: code", f"yes: {yes}", "no: NO", "why not: why", *more)
    return "".join(("    decides:\n", *(f"      {line}\n" for line in lines)))


def folder_of(tmp_path: Path, *texts: str, **named: str) -> Path:
    """A folder `spec` with the texts as shop.yaml, shop2.yaml, ... and others by name."""
    folder = tmp_path / "spec"
    folder.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(texts):
        (folder / f"shop{number + 1 if number else ''}.yaml").write_text(text, encoding="utf-8", newline="")
    for name, text in named.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8", newline="")
    return folder


def contract_of(tmp_path: Path, *texts: str) -> Contract:
    return load(folder_of(tmp_path, *texts))


def changed(*edits: tuple[str, str], text: str = SHOP) -> str:
    """The text with each `old` replaced, which must stand there once."""
    for old, new in edits:
        assert text.count(old) == 1, f"{old!r} stands there {text.count(old)} times"
        text = text.replace(old, new)
    return text


def problem_line(before: str, after: str, at: str = "") -> int:
    """The number of the line that begins with `at`, which stands there once; without it, of the first that differs."""
    if at:
        assert after.count(at) == 1, f"{at!r} stands there {after.count(at)} times"
        return after[: after.index(at)].count("\n") + 1
    lines = zip(before.split("\n"), after.split("\n"), strict=False)
    return next(number for number, (old, new) in enumerate(lines, 1) if old != new)


def line_of(text: str, part: str) -> int:
    """The number of the one line that has a part."""
    lines = [number for number, line in enumerate(text.split("\n"), 1) if part in line]
    assert len(lines) == 1, f"{part!r} stands in lines {lines}"
    return lines[0]
