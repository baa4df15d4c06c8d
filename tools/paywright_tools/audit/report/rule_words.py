"""What a code means, for whoever has not read the contract: the audit's own rules, the validators' codes, the contract's rules."""

from __future__ import annotations

from typing import Final, NamedTuple

from paywright.contract import CONTRACT
from paywright_tools.audit.findings import RULES

__all__ = ["RuleWords", "words_of"]

VALIDATORS: Final = {
    "required": "A member that must be there is missing, or empty where it must say something.",
    "type": "A value is of another JSON type than the contract has: text, number, boolean, object or array.",
    "max": "A text or an array is longer than the contract allows.",
    "min": "A text or an array is shorter than the contract allows.",
    "exact": "A text has another length than the one that the contract allows.",
    "range": "A number lies outside the range that the contract allows.",
    "value": "A value is none of the contract's list, which is closed.",
    "format": "A text is not of the form that the contract gives: an amount, a currency, a time, a code.",
    "json": "A body is not strict JSON: it cannot be read in one way only.",
    "duplicate": "A member or a header stands more than once, so that two readers may read two things.",
}
"""The codes of `paywright validate`."""


class RuleWords(NamedTuple):
    """`short` is a sentence, `help` says more, `lines` are those of the contract that say the rule."""

    short: str
    help: str
    lines: tuple[str, ...]


def words_of(code: str) -> RuleWords:
    """What a code means. A code that nobody knows is said to be one."""
    own = RULES.get(code)
    if own is not None:
        return RuleWords(own.words, f"{own.words} See docs/audit.md.", ())
    if code in VALIDATORS:
        words = VALIDATORS[code]
        return RuleWords(words, f"{words} The line of the contract is told with each result.", ())
    found: dict[str, list[str]] = {}
    for name in CONTRACT.structs():
        struct = CONTRACT.struct(name)
        rule = struct.rule(code)
        if rule is not None:
            found.setdefault(rule.text, []).append(f"{rule.file or struct.file}:{rule.line}")
    if not found:
        return RuleWords(f"The code {code}.", f"The code {code}.", ())
    lines = tuple(dict.fromkeys(line for some in found.values() for line in some))
    short = next(iter(found))
    said = "; ".join(f"{text} ({', '.join(dict.fromkeys(some))})" for text, some in found.items())
    return RuleWords(f"The contract: {short}.", f"In the contract's words, with its lines: {said}.", lines)
