"""The command `paywright docs`: list the pages, print one, or search them by words."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from paywright_cli.common.pages import docstring_of, read_pages
from paywright_cli.common.parser import Parser
from paywright_cli.common.terminal import Failed, paint, say

_HEADING: Final = re.compile(r"^(#{1,6}) (.+)$")
_FENCE: Final = re.compile(r"^ {0,3}```")
_WORD: Final = re.compile(r"[\w.@-]+")
_TITLE_WEIGHT, _DEFINED_WEIGHT, _HEADING_WEIGHT, _TOGETHER_WEIGHT, _PAGE_WEIGHT = 12, 8, 6, 6, 4
_ENOUGH: Final = 0.6
_LONGEST: Final = 160


class Hit(NamedTuple):
    """A section that has the words: its page, heading and a line of it."""

    page: str
    heading: str
    line: str


class _Section(NamedTuple):
    page: str
    title: str
    heading: str
    lines: list[str]

    @property
    def first(self) -> bool:
        return self.heading == self.title


def title_of(text: str) -> str:
    """Return the title of a page."""
    found = re.search(_HEADING.pattern, text, re.MULTILINE)
    return "" if found is None else found[2].replace("`", "")


def page_named(pages: Mapping[str, str], words: str) -> str | None:
    """Return the page that words name: `refunds.create`, `reference/codes`, `docs/audit.md`, `reference`; None if they name none."""
    path = words.strip().removeprefix("./").removeprefix("docs/").partition("#")[0]
    name = path.removesuffix(".md").rstrip("/").casefold()
    known = {page.removesuffix(".md").casefold(): page for page in pages}
    for page in pages:
        known.setdefault(page.removesuffix(".md").rpartition("/")[2].casefold(), page)
    return known.get(name) or known.get(f"{name}/readme")


def find(pages: Mapping[str, str], words: Sequence[str]) -> tuple[bool, list[Hit]]:
    """Return the sections that have the words, the best first, and whether they have all of them; else those that have most."""
    found = (word.rstrip(".@-").casefold() for text in words for word in _WORD.findall(text))
    wanted = list(dict.fromkeys(filter(None, found)))
    if not wanted:
        return False, []
    scored = [(*_score(section, wanted), number, section) for number, section in enumerate(_sections(pages))]
    most = max((found for found, *_ in scored), default=0)
    if most < max(1, len(wanted) * _ENOUGH):
        return False, []
    best = sorted((one for one in scored if one[0] == most), key=lambda one: (-one[1], one[2]))
    return most == len(wanted), [Hit(one.page, one.heading, _line(one, wanted)) for *_, one in best]


def _score(section: _Section, wanted: Sequence[str]) -> tuple[int, float]:
    """Return how many of the words a section has, and how much it is about them."""
    text = "\n".join(section.lines).casefold()
    title, heading = section.title.casefold(), section.heading.casefold()
    lines = [heading, *text.split("\n")]
    together = any(all(word in line for word in wanted) for line in lines)
    found, weight = 0, float(_TOGETHER_WEIGHT * together)
    for word in wanted:
        count = text.count(word)
        weighs = _TITLE_WEIGHT if section.first else _PAGE_WEIGHT
        titled = weighs * (word in title) + _HEADING_WEIGHT * (word in heading)
        found += bool(count or word in heading or (section.first and word in title))
        defined = heading == word or any(line.startswith((f"- `{word}`", f"| `{word}`")) for line in lines)
        weight += titled + _DEFINED_WEIGHT * defined + min(count, 3)
    return found, weight


def _line(section: _Section, wanted: Sequence[str]) -> str:
    """Return the line of a section that has most of the words, without the marks of Markdown; no head of a table."""
    pairs = zip(section.lines, (*section.lines[1:], ""), strict=True)
    lines = (line for line, after in pairs if line and "--- |" not in line + after)
    best = max(lines, key=lambda line: sum(word in line.casefold() for word in wanted), default="")
    plain = " ".join(best.replace("**", "").replace("\\|", "|").replace(" | ", "  ").strip("|# ").split())
    return plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST].rsplit(' ', 1)[0]} ..."


def _sections(pages: Mapping[str, str]) -> Iterator[_Section]:
    for page, text in pages.items():
        title, heading, fenced = title_of(text), "", False
        lines: list[str] = []
        for line in text.split("\n"):
            fenced ^= _FENCE.match(line) is not None
            found = None if fenced else _HEADING.match(line)
            if found is None:
                lines.append(line)
                continue
            if heading:
                yield _Section(page, title, heading, lines)
            heading, lines = found[2].replace("`", ""), []
        yield _Section(page, title, heading, lines)


_EXAMPLES = """\
examples:
  paywright docs                              the list of all pages, in a reader's order
  paywright docs refunds.create               a page: an operation, a guide, codes, errors
  paywright docs Follower.open                a public name of Python, as help() prints it
  paywright docs ORDER_NOT_EXIST              the sections that have a word, a code or a field
  paywright docs "signature does not verify"  the sections that have the words of an error

exit codes: 0 printed, 1 no page has the words
"""
_MOST = 10


def fill(parser: Parser) -> None:
    """Add what `docs` takes."""
    parser.description = "Print the documentation of this version. It needs neither an extra nor the network."
    parser.epilog = _EXAMPLES
    parser.takes("WORDS", "the name of a page, or words to look for", nargs="*")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> None:
    pages = read_pages()
    if not pages:
        raise Failed("this installation has no documentation: it was made without it. Install the wheel of paywright")
    words = " ".join(args.words)
    named = page_named(pages, words or "README")
    text = docstring_of(pages, words) if named is None else pages[named]
    if text is not None:
        say(*text.rstrip("\n").split("\n"))
        return
    whole, hits = find(pages, args.words)
    if not hits:
        raise Failed(f"no page has these words: {words}. Fewer words find more; `paywright docs` lists the pages")
    if not whole:
        say(f"No section has all of these words. These have most of them: {words}", "")
    for hit in hits[:_MOST]:
        say(f"{paint(hit.page.removesuffix('.md'), 'bold')}: {hit.heading}", f"    {hit.line}")
    more = len(hits) - _MOST
    say("", *([f"{more} more. More words find fewer."] if more > 0 else []))
    say(f"Read one: paywright docs {hits[0].page.removesuffix('.md')}")
