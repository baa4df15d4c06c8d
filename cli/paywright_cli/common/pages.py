"""The pages of the documentation: read from the wheel, where they are packed, or from a checkout."""

from __future__ import annotations

import bz2
import json
import re
from collections.abc import Collection, Mapping
from importlib.resources import files
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Final

from paywright_runtime.errors import ConfigurationError

PACKED: Final = "pages.json.bz2"
"""The file of the wheel that holds the pages, beside the modules of `paywright_cli`."""

_LEFT_OUT: Final = ("decisions/", "reference/python/")
"""Decisions are for those who change the code; the Python API is in the docstrings, of which `docstring_of` makes pages."""

# What browsers use and readers of a terminal do not: anchors, the line that says what writes the page, and targets of links.
_UNSHOWN: Final = re.compile(r'<a id="[^"]*"></a>|<!-- (?:advice [\w.]+|end) -->|<!-- Written by .*? -->\n+')
_LINK: Final = re.compile(r"(?<!!)\[((?:`[^`]*`|[^\]`])+)\]\(([^)\s]+)\)")
_INDEX: Final = re.compile(
    r"^- \[.*\]\((?:reference/)?names\.md\)\n| Look for a name in .*\(names\.md\)\.", re.MULTILINE
)
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
        return words if words == short else f"{words} ({short})"

    text = _INDEX.sub("", text)
    parts = _FENCED.split(_UNSHOWN.sub("", text).lstrip("\n"))
    return "".join(part if part.startswith("```") else _LINK.sub(named, part) for part in parts)


def docstring_of(pages: Mapping[str, str], words: str) -> str | None:
    """Return what `help()` prints of a public name, or the names of a public module; None if `words` are neither."""
    from importlib import import_module
    from importlib.util import find_spec
    from pydoc import plain, render_doc

    for module in re.findall(r"^- `([\w.]+)`", pages.get("reference/python.md", ""), re.MULTILINE):
        steps = words.removeprefix(f"{module}.").split(".") if words != module else []
        if any(step.startswith("_") for step in steps):
            return None
        try:
            where = find_spec(module)
            if where is None or (steps and steps[0] not in Path(where.origin or "").read_text(encoding="utf-8")):
                continue  # its import may take a second
            home = found = import_module(module)
            names: list[str] = list(home.__all__)
            if not steps:
                return f"# {module}\n\n{home.__doc__}\n" + "".join(f"- {name}: {_says(home, name)}\n" for name in names)
            for step in steps if steps[0] in names else [""]:
                found = getattr(found, step)
        # What an extra brings that is not installed, or another module's name.
        except (ImportError, ConfigurationError, AttributeError):
            continue
        return plain(render_doc(found, "%s"))
    return None


def _says(module: object, name: str) -> str:
    try:
        return (getattr(module, name).__doc__ or "").partition("\n")[0]
    except (ImportError, ConfigurationError):  # of an extra that is not installed
        return "it needs an extra, as its import says"


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
