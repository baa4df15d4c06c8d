"""Build the site from the pages: `make docs-site` writes it into dist/site.

The pages are copied for Sphinx, with a table of contents from the lists of the first pages. Beside each page stands its Markdown, and
`llms.txt` lists them. What the theme lacks for readers of a screen, of a keyboard and of files is put in at the end.
"""

from __future__ import annotations

import re
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from posixpath import dirname, normpath
from posixpath import join as joined

from paywright_codegen.reference.tables import slug
from paywright_runtime.version import VERSION

__all__ = ["build", "site_pages"]

TOP = Path(__file__).resolve().parents[2]
CONFIG = Path(__file__).with_name("site_files")
LISTS = ("README.md", "reference/README.md", "reference/python.md")
"""The pages whose lists are the table of contents."""

_LINK = re.compile(r"(?<!!)\[((?:`[^`]*`|[^\]`])+)\]\(([^)\s]+)\)")
_FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^(#{1,6}) (.+)$", re.MULTILINE)
_LISTED = re.compile(r"^- \[[^\]]+\]\(([^)#]+[.]md)\)(.*)$", re.MULTILINE)
_PART = re.compile(r"^## (.+)$", re.MULTILINE)


def site_pages(docs: Path) -> dict[str, str]:
    """Return the Markdown of the site's pages, by path: all but decisions, which are for those who change the code."""
    found = sorted(docs.rglob("*.md"))
    names = (path.relative_to(docs).as_posix() for path in found)
    return {name: (docs / name).read_text(encoding="utf-8") for name in names if not name.startswith("decisions/")}


def build(out: Path, work: Path) -> int:
    """Build the site into a folder; `work` is for what Sphinx keeps. Return the number of pages."""
    from sphinx.application import Sphinx

    pages = site_pages(TOP / "docs")
    source = work / "source"
    shutil.rmtree(work, ignore_errors=True)
    shutil.rmtree(out, ignore_errors=True)
    for name, text in pages.items():
        _write(source / _renamed(name), f"{_for_sphinx(name, text, pages)}{_contents(name, text, pages)}")
    app = Sphinx(
        srcdir=source,
        confdir=CONFIG,
        outdir=out,
        doctreedir=work / "doctrees",
        buildername="html",
        status=None,
        warning=sys.stderr,
        warningiserror=True,
        exception_on_warning=False,
        confoverrides={"version": VERSION, "release": VERSION},
    )
    app.build()
    if app.statuscode:
        raise SystemExit(app.statuscode)
    for name, text in pages.items():
        _write(out / _renamed(name), _linked(name, text, pages, ".md"))
    _write(out / "llms.txt", _llms(pages))
    for path in out.rglob("*.html"):
        _write(path, _mended(path.read_text(encoding="utf-8")))
    options = out / "_static" / "documentation_options.js"
    shown = options.read_text(encoding="utf-8")
    # A page opened as a file may not read the others, from which the summaries are made.
    _write(options, shown.replace("SHOW_SEARCH_SUMMARY: true", 'SHOW_SEARCH_SUMMARY: location.protocol !== "file:"'))
    for left in (".buildinfo", "objects.inv"):
        (out / left).unlink(missing_ok=True)
    return len(pages)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _renamed(name: str) -> str:
    """Return the name of a page on the site: the first page of a folder is its index."""
    return re.sub(r"(^|/)README[.]md$", r"\1index.md", name)


def _linked(name: str, text: str, pages: Mapping[str, str], suffix: str) -> str:
    """Return a page with the links of the site; what is not on the site is named without a link."""

    def linked(found: re.Match[str]) -> str:
        words, target = found[1], found[2]
        path, mark, anchor = target.partition("#")
        if "://" in target or not path:
            return found[0]
        if normpath(joined(dirname(name), path)) not in pages:
            return words
        return f"[{words}]({_renamed(path).removesuffix('.md')}{suffix}{mark}{anchor})"

    return "".join(part if part.startswith("```") else _LINK.sub(linked, part) for part in _FENCED.split(text))


def _for_sphinx(name: str, text: str, pages: Mapping[str, str]) -> str:
    """Return a page with an anchor above each heading that is not the title: Sphinx makes other ones than Markdown."""

    def marked(found: re.Match[str]) -> str:
        return found[0] if found[1] == "#" else f'<a id="{slug(found[2])}"></a>\n\n{found[0]}'

    parts = _FENCED.split(_linked(name, text, pages, ".html"))
    twin = f'\n<p class="markdown-twin"><a href="{_renamed(name).rpartition("/")[2]}">This page as Markdown</a></p>\n'
    return "".join(part if part.startswith("```") else _HEADING.sub(marked, part) for part in parts) + twin


def _contents(name: str, text: str, pages: Mapping[str, str]) -> str:
    """Return the table of contents that the lists of a page make."""
    if name not in LISTS:
        return ""
    return "".join(_toctree(title, list(_children(name, part, pages))) for title, part in _parts(text))


def _children(name: str, part: str, pages: Mapping[str, str]) -> Iterator[str]:
    taken = {
        child for other in LISTS if LISTS.index(other) > LISTS.index(name) for child in _listed(other, pages[other])
    }
    for child in _listed(name, part):
        if child in pages and child not in taken:
            yield _renamed(child).removesuffix(".md")


def _listed(name: str, text: str) -> list[str]:
    return [normpath(joined(dirname(name), target)) for target, _ in _LISTED.findall(text)]


def _parts(text: str) -> list[tuple[str, str]]:
    _, *rest = _PART.split(text)
    return list(zip(rest[::2], rest[1::2], strict=True)) or [("", text)]


def _toctree(title: str, pages: list[str]) -> str:
    if not pages:
        return ""
    caption = f":caption: {title}\n" if title else ""
    listed = "".join(f"/{page}\n" for page in pages)
    return f"\n```{{toctree}}\n:hidden:\n:titlesonly:\n{caption}\n{listed}```\n"


def _llms(pages: Mapping[str, str]) -> str:
    """Return the list of pages for programs that read: the lists of the first pages, with links to Markdown."""
    lines = [
        "# paywright",
        "",
        "> A typed SDK for the payment gateway: every limit checked before a byte leaves, every answer verified.",
        "",
    ]
    for name in LISTS:
        for title, part in _parts(pages[name]):
            lines += [f"## {title}" if title else "## The Python API", ""]
            lines += [
                f"- [{_renamed(_at(name, target))}]({_renamed(_at(name, target))}){_plain(words)}"
                for target, words in _LISTED.findall(part)
            ]
            lines.append("")
    return "\n".join(lines)


def _at(name: str, target: str) -> str:
    return normpath(joined(dirname(name), target))


def _plain(words: str) -> str:
    return _LINK.sub(r"\1", words)


# What the theme lacks: names of its regions, scrolling by keyboard, cells that head nothing, and the Markdown of each page.
_MENDS = tuple(
    (re.compile(pattern), better)
    for pattern, better in (
        (r'<aside class="sidebar-drawer">', '<aside class="sidebar-drawer" aria-label="All pages">'),
        (r'<aside class="toc-drawer( no-toc)?">', r'<aside class="toc-drawer\1" aria-label="This page">'),
        (r'<p class="caption" role="heading">', '<p class="caption" role="heading" aria-level="2">'),
        (r"<pre>", '<pre tabindex="0">'),
        (r'<div class="(table-wrapper [^"]*)">', r'<div class="\1" tabindex="0">'),
        (r'<th class="head">(<p></p>)?</th>', "<td></td>"),
        (r'<div id="search-results">', '<h1>Search</h1>\n<div id="search-results">'),
    )
)


def _mended(text: str) -> str:
    for pattern, better in _MENDS:
        text = pattern.sub(better, text)
    return text


def main() -> int:
    """Build the site, and say where it is."""
    begun = time.monotonic()
    out = TOP / "dist" / "site"
    count = build(out, TOP / ".cache" / "site")
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    print(f"{out.relative_to(TOP)}/index.html: {count} pages, {size:,} bytes, in {time.monotonic() - begun:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
