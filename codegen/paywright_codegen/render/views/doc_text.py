"""Describe fields and rules of the contract for comments and docstrings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from textwrap import wrap

from paywright_codegen.lookup import closed_values, is_decimal, sent_decimals
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import Guard
from paywright_codegen.model.rules import Path, Rule
from paywright_codegen.model.types import Field
from paywright_codegen.naming import variable


def comment_words(contract: Contract, field: Field) -> str:
    """Return the comment behind a field of a dataclass: its limits, then its prose."""
    return "; ".join(part for part in (_limits(contract, field, brief=True), field.prose.text) if part)


def argument_words(contract: Contract, field: Field, *, sent: bool = True) -> str:
    """Return the limits and prose of an argument, for `Args:` of a method; "" if there are none.

    `sent` is True if the client sends it in a request, and False for an answer of ours.
    """
    limits = [_limits(contract, field, brief=False)]
    decimals = sent_decimals(contract) if sent and is_decimal(contract, field) else None
    limits += [] if decimals is None else [f"at most {decimals} decimals"]
    words = "; ".join(part for part in (", ".join(filter(None, limits)), field.prose.text) if part)
    return f"{words}." if words and not words.endswith(".") else words


def argument_description(contract: Contract, field: Field, *, sent: bool = True) -> str:
    """Describe an argument: its limits and prose, else its type, else that no limit is stated."""
    inner = contract.structs.get(field.type.name) if field.type.kind == "struct" else None
    plain = "no limit is stated." if inner is None else f"{inner.name}: {inner.prose.summary}"
    return argument_words(contract, field, sent=sent) or plain


def _limits(contract: Contract, field: Field, brief: bool) -> str:
    parts = []
    if field.type.kind == "format":
        parts.append(contract.formats[field.type.name].shown)
    what = "elements" if field.type.array else "characters"
    if field.min is not None and field.min == field.max:
        parts.append(f"exactly {field.min}" + ("" if brief else f" {what}"))
    elif field.max is not None:
        low = "" if field.min is None else f"{field.min} to "
        parts.append(f"{low}max {field.max}" if brief else f"{low or 'at most '}{field.max} {what}")
    elif field.min is not None:
        parts.append(f"at least {field.min} {what}")
    if field.range is not None:
        parts.append(f"digits from {field.range[0]} to {field.range[1]}")
    values = closed_values(contract, field)
    if values:
        parts.append(f"{'one of' if len(values) > 1 else 'always'} {', '.join(values)}")
    elif len(field.examples) > 1:
        parts.append(f"such as {', '.join(field.examples)}")
    if field.default is not None:
        parts.append(f"default {field.default}")
    if field.blank:
        parts.append("may be empty")
    return ", ".join(parts)


def python_rule(rule: Rule) -> str:
    """Return a rule with the SDK's names."""
    text = re.sub(r"( [?][a-z0-9-]+)+$", "", rule.text)  # questions after the sentence
    return _in_python(re.sub(r"[?]([a-z0-9-]+)", r"\1 (not shown)", text), rule.paths)


def python_guard(guard: Guard) -> str:
    """Return a guard with the SDK's names."""
    return _in_python(guard.text, tuple(demand.path for demand in guard.demands))


def _in_python(text: str, paths: tuple[Path, ...]) -> str:
    names = {step for path in paths for step in path}
    if not names:
        return text
    pattern = re.compile(rf"\b({'|'.join(sorted(map(re.escape, names), key=len, reverse=True))})\b")
    return pattern.sub(lambda found: variable(found[0]), text)


def joined(words: Iterable[str], last: str = "and") -> str:
    """Join words as a sentence does: `a, b and c`."""
    *most, end = words
    return f"{', '.join(most)} {last} {end}" if most else end


def see_sections(sections: Iterable[str]) -> str:
    """Return the last line of a docstring, which names the sections of the specification."""
    distinct = list(dict.fromkeys(sections))
    return f"See section{'s' if len(distinct) > 1 else ''} {', '.join(distinct)} of the specification."


def wrapped(text: str, indent: int, hanging: int = 0) -> list[str]:
    """Wrap a paragraph to 120 columns at an indent. Later lines are indented further by `hanging`."""
    return wrap(
        text, 118 - indent, subsequent_indent=" " * hanging, break_long_words=False, break_on_hyphens=False
    ) or [""]


def listed(title: str, texts: Iterable[str], indent: int) -> list[str]:
    """Return a part of a docstring: an empty line, the title, and each text below it, wrapped; nothing if there are none."""
    lines = [f"    {line}" for text in texts for line in wrapped(text, indent, 4)]
    return ["", f"{title}:", *lines] if lines else []
