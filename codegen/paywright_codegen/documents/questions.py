"""Write the open questions as a letter to the operators of the gateway."""

from __future__ import annotations

from collections.abc import Set
from textwrap import wrap

from paywright_codegen.model.contract import Contract, Question

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
