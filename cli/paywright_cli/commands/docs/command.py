"""`paywright docs`: list the pages, print one, or search them by words."""

from __future__ import annotations

import argparse

from paywright_cli.common.exit_codes import Exit
from paywright_cli.common.parser import HelpFormatter
from paywright_cli.common.terminal import Failed, paint, say

__all__ = ["register"]

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

_Groups = argparse._SubParsersAction  # the only name argparse has for it


def register(groups: _Groups[argparse.ArgumentParser]) -> None:
    """Add `docs` to the command line."""
    parser = groups.add_parser(
        "docs",
        help="read the documentation: a page by its name, or sections by words",
        description="Print the documentation of this version. It needs neither an extra nor the network.",
        epilog=_EXAMPLES,
        formatter_class=HelpFormatter,
    )
    parser.add_argument("words", nargs="*", metavar="WORDS", help="the name of a page, or words to look for")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    from paywright_cli.commands.docs.pages import docstring_of, read_pages
    from paywright_cli.commands.docs.search import find, page_named

    pages = read_pages()
    if not pages:
        raise Failed("this installation has no documentation: it was made without it. Install the wheel of paywright")
    words = " ".join(args.words)
    named = page_named(pages, words or "README")
    if named is not None:
        say(*pages[named].rstrip("\n").split("\n"))
        return Exit.OK
    docstring = docstring_of(pages, words)
    if docstring is not None:
        say(*docstring.rstrip("\n").split("\n"))
        return Exit.OK
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
    return Exit.OK
