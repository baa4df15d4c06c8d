"""The index of errors: from the class, the word or the text of an error to the page that helps."""

from __future__ import annotations

from pathlib import Path

from docs.building.error_texts import error_classes, error_texts
from docs.building.python_api import escaped
from paywright_codegen.reference.tables import code, row

__all__ = ["errors_page"]

_HEAD = """\
<!-- Written by `make docs` from the messages in the source; never edited by hand. -->

# Errors

Look for the class of the error, for the word in parentheses, or for a part of its text. `…` stands for what a message fills in.
`paywright docs WORDS` searches this page too.
"""


def errors_page(top: Path) -> str:
    """Return the page: classes, words, then texts by the page that helps."""
    lines = [_HEAD, "## Classes", "", row("Class", "Meaning", "Help", "Base"), row(*["---"] * 4)]
    classes = error_classes(top)
    for name, (base, summary, page) in classes.items():
        moved = "**Money may have moved.** " if "OutcomeUnknown" in (name, base) else ""
        lines.append(row(code(name), f"{moved}{escaped(summary)}", _link(page), code(base) if base else ""))
    texts = error_texts(top)
    lines += ["", "## Words", "", row("Word", "Text", "Help"), row(*["---"] * 3)]
    worded = sorted((one.word, one.text, one.page) for one in texts if one.word)
    lines += [row(code(word), escaped(text), _link(page)) for word, text, page in worded]
    for page in sorted({one.page for one in texts if not one.word}):
        lines += ["", f"## Texts: {page.removesuffix('.md')}", "", f"{_link(page)} helps with these.", ""]
        lines += [f"- {escaped(one.text)}" for one in texts if one.page == page and not one.word]
    return "\n".join(lines) + "\n"


def _link(page: str) -> str:
    return f"[{page.removesuffix('.md')}]({page})"
