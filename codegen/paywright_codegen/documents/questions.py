"""Write the open questions as a letter to the operators of the gateway."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from textwrap import wrap

from paywright_codegen.model.contract import Contract, Question
from paywright_codegen.reader.document import Document, TreeEntry
from paywright_codegen.reader.grammar import FIELDS, RULES

_OPENING = (
    "We build on the interface that your specification describes. In some places it does not show what we need, or "
    "says it twice and differently. Below is each of these places with the section, what we read there, and what we "
    "do until we hear from you. Please tell us what holds; where what we do is right, a word is enough."
)


def letter(contract: Contract) -> str:
    """Return the open questions of a contract, numbered, by the section that each arises in first."""
    lines = ["Questions about the interface specification", "", *wrap(_OPENING, 100)]
    wires = {field.wire for struct in contract.all_structs() for field in struct.fields}
    heading = ""
    asked = in_order(contract)
    for number, question in enumerate(asked, 1):
        section = _section(question)
        if section != heading:
            heading = section
            title = f"Section {section}" if section else "Not of one section"
            lines += ["", title, "-" * len(title)]
        lines += ["", *_one(number, question, wires)]
    if not asked:
        lines += ["", "There are no open questions."]
    return "\n".join(lines) + "\n"


def in_order(contract: Contract) -> list[Question]:
    """Return the open questions by the section that each arises in first."""
    return sorted(contract.questions.values(), key=lambda question: _order(_section(question)))


def _one(number: int, question: Question, wires: Set[str]) -> list[str]:
    others = question.sections[1:]
    cited = f" (see also {', '.join(others)})" if others else ""
    lines = _indented(f"{number}. ", f"{sentence(question.says, wires)}{cited}")
    lines += _indented("   Meanwhile: ", sentence(question.does, wires))
    if question.seen is not None:
        lines += _indented("   Seen elsewhere: ", sentence(question.seen, wires))
    return [*lines, f"   (our name for it: {question.name})"]


def _indented(start: str, text: str) -> list[str]:
    return wrap(
        text, 100, initial_indent=start, subsequent_indent="   ", break_long_words=False, break_on_hyphens=False
    )


def sentence(text: str, wires: Set[str]) -> str:
    """Capitalise a text, unless it begins with a wire name such as `outTradeNo`, and end it with a full stop."""
    first = text.split(" ", 1)[0].rstrip(",;:")
    plain = first.isalpha() and first.islower() and first not in wires
    begun = text[:1].upper() + text[1:] if plain else text
    return begun if begun.endswith((".", "?")) else f"{begun}."


def _section(question: Question) -> str:
    return question.sections[0] if question.sections else ""


def _order(section: str) -> tuple[int, ...]:
    return tuple(int(part) for part in section.split(".") if part.isdecimal())


def places_asked(documents: Iterable[Document]) -> dict[str, str]:
    """Places of the questions, each with the first line that has one."""
    found: dict[str, str] = {}
    for document in documents:
        for section in document.block:
            for path, entry in _walked(section, ()):
                for place in _places(path, entry):
                    found.setdefault(
                        place, f"{entry.key.text}: {entry.text}".rstrip(": ") + (":" if entry.block.entries else "")
                    )
    return found


def _walked(entry: TreeEntry, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], TreeEntry]]:
    for each in entry.block:
        inner = (*path, entry.key.text)
        yield inner, each
        yield from _walked(each, inner)


def _places(path: tuple[str, ...], entry: TreeEntry) -> Iterator[str]:
    """Yield the constructs by which an entry asks questions; `path` are the keys above it."""
    if path[0] == "questions":
        return
    is_field = path[-1] in FIELDS or (path[0] == "types" and len(path) == 2)
    if entry.key.questions:
        yield "behind the name of a field" if is_field else f"behind a name under `{path[0]}:`"
    asked = [at for at, word in enumerate(entry.text.split()) if word.startswith("?")]
    if not asked:
        return
    if is_field:
        yield "behind the facets of a field"
    elif path[-1] in RULES or path[0] == "rules":
        yield "as a condition" if "when ?" in entry.text else "behind a rule"
    elif len(path) == 2 and path[0] not in ("enums", "states", "moves"):
        yield f"as the text of `{entry.key.text}:`" if asked[0] == 0 else f"behind the text of `{entry.key.text}:`"
    else:
        yield "for the values that are not shown" if entry.key.text == "..." else f"behind a text under `{path[0]}:`"
