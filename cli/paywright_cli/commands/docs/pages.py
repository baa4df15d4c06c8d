"""The pages of the documentation: read from the wheel, where they are packed, or from a checkout."""

from __future__ import annotations

import bz2
import json
import re
from collections.abc import Collection
from importlib.resources import files
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Final

__all__ = ["PACKED", "checkout_pages", "for_terminals", "pack", "read_pages"]

PACKED: Final = "pages.json.bz2"
"""The file of the wheel that holds the pages, beside the modules of `paywright_cli`."""

_LEFT_OUT: Final = ("decisions/", "reference/names", "reference/python")
"""Decisions are for those who change the code; the Python API is in the docstrings, which `help()` prints; an index is for links."""

# What browsers use and readers of a terminal do not: anchors, the line that says what writes the page, and targets of links.
_UNSHOWN: Final = re.compile(r'<a id="[^"]*"></a>|<!-- (?:advice [\w.]+|end) -->|<!-- Written by .*? -->\n+')
_LINK: Final = re.compile(r"(?<!!)\[((?:`[^`]*`|[^\]`])+)\]\(([^)\s]+)\)")
_FENCED: Final = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def checkout_pages(docs: Path) -> dict[str, str]:
    """Return the pages of a checkout's folder `docs`, by path in it, without those that are left out."""
    names = [path.relative_to(docs).as_posix() for path in sorted(docs.rglob("*.md"))]
    names = [name for name in names if not name.startswith(_LEFT_OUT)]
    return {name: for_terminals(name, (docs / name).read_text(encoding="utf-8"), names) for name in names}


def for_terminals(name: str, text: str, pages: Collection[str]) -> str:
    """Return a page without anchors, and with the names of pages in place of links: `paywright docs NAME` prints one."""

    def named(link: re.Match[str]) -> str:
        words, target = link[1], link[2]
        if "://" in target:
            return f"{words} ({target})"
        page = normpath(join(dirname(name), target.partition("#")[0]))
        if words.startswith("`") or page not in pages:
            return words
        short = page.removesuffix(".md").removesuffix("/README").rpartition("/")[2]
        return words if words.casefold() == short.casefold() else f"{words} ({short})"

    parts = _FENCED.split(_UNSHOWN.sub("", text).lstrip("\n"))
    return "".join(part if part.startswith("```") else _LINK.sub(named, part) for part in parts)


def pack(pages: dict[str, str]) -> bytes:
    """Return pages in the form of the wheel."""
    return bz2.compress(json.dumps(pages, ensure_ascii=False).encode())


def read_pages() -> dict[str, str]:
    """Return the pages of this installation, by path; without any if it was made without them."""
    packed = files("paywright_cli") / PACKED
    if packed.is_file():
        pages: dict[str, str] = json.loads(bz2.decompress(packed.read_bytes()))
        return pages
    return checkout_pages(Path(str(packed)).parents[2] / "docs")
