"""The pages of the documentation: read from the wheel, where they are packed, or from a checkout."""

from __future__ import annotations

import json
import lzma
import re
from importlib.resources import files
from pathlib import Path
from typing import Final

__all__ = ["PACKED", "checkout_pages", "pack", "read_pages"]

PACKED: Final = "pages.json.xz"
"""The file of the wheel that holds the pages, beside the modules of `paywright_cli`."""

_LEFT_OUT: Final = "decisions"
# What browsers use and readers of a terminal do not: anchors, and the line that says what writes the page.
_UNSHOWN: Final = re.compile(r'<a id="[^"]*"></a>|<!-- Written by .*? -->\n+')


def checkout_pages(docs: Path) -> dict[str, str]:
    """Return the pages of a checkout's folder `docs`, by path in it. Decisions are for those who change the code."""
    found = {path.relative_to(docs).as_posix(): path for path in sorted(docs.rglob("*.md"))}
    return {
        name: _UNSHOWN.sub("", path.read_text(encoding="utf-8")).lstrip("\n")
        for name, path in found.items()
        if not name.startswith(f"{_LEFT_OUT}/")
    }


def pack(pages: dict[str, str]) -> bytes:
    """Return pages in the form of the wheel."""
    return lzma.compress(json.dumps(pages, ensure_ascii=False).encode(), preset=9 | lzma.PRESET_EXTREME)


def read_pages() -> dict[str, str]:
    """Return the pages of this installation, by path; without any if it was made without them."""
    packed = files("paywright_cli") / PACKED
    if packed.is_file():
        pages: dict[str, str] = json.loads(lzma.decompress(packed.read_bytes()))
        return pages
    import paywright_cli

    return checkout_pages(Path(paywright_cli.__path__[0]).parents[1] / "docs")
