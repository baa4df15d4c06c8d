"""Limits and codes of the contract in words, and the marks of Markdown around them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from paywright_codegen.lookup import settled_by
from paywright_codegen.model import rules as model
from paywright_codegen.model.contract import Contract, Limit
from paywright_codegen.model.operations import Operation

_LONGEST_PATTERN = 60


def fenced(text: str, language: str) -> Iterator[str]:
    """Lines of a code block."""
    yield f"```{language}"
    yield from text.rstrip("\n").split("\n")
    yield "```"


def code(text: str) -> str:
    """Text as code within a line."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def row(*cells: str) -> str:
    """Row of a table."""
    return f"| {' | '.join(cell.replace('|', chr(92) + '|').replace(chr(10), ' ') for cell in cells)} |"


def table(columns: Sequence[str], rows: Iterable[str]) -> Iterator[str]:
    """Lines of a table, with its head."""
    yield from (row(*columns), row(*("---" for _ in columns)), *rows)


_SPANS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


def joined(words: Iterable[str], last: str = "and") -> str:
    """Join words as a sentence does: `a, b and c`."""
    *most, end = words
    return f"{', '.join(most)} {last} {end}" if most else end


def duration(seconds: int) -> str:
    """Return a span of time in its largest whole unit: `180 days`."""
    span, unit = next((span, unit) for span, unit in _SPANS if seconds % span == 0)
    count = seconds // span
    return f"{count} {unit}{'s' if count != 1 else ''}"


def sections(numbers: Sequence[str]) -> str:
    """Return `section 4.13` or `sections 4.13 and 8`; "" if there are none."""
    return f"section{'s' if len(numbers) > 1 else ''} {joined(numbers)}" if numbers else ""


def _at(path: model.Path) -> str:
    return code(".".join(path))


def amount_of(member: model.Path, currency: model.Path) -> str:
    """Return the member with an amount, and the one with its currency."""
    return f"{_at(member)} in the currency {_at(currency)}"


def limit_words(limit: Limit) -> str:
    """Return a limit in words."""
    if limit.seconds is not None:
        return duration(limit.seconds)
    if limit.decimals is not None:
        return f"{limit.decimals} decimals"
    return limit.facet or ""


@dataclass(frozen=True, slots=True)
class Meaning:
    """Proof that a code is in an answer, and what to do."""

    proves: str
    do: str


_SUCCESS = "The request itself succeeded. It says nothing of the state."
_NOTHING_HAPPENED = "Nothing happened: this call moved no money. Raises `GatewayError`."
_REFUSED = "The query was refused. Raises `GatewayError`."
_REPEAT = (
    "Correct what it names, or wait where it asks for time, and call again: the same content keeps its key, other content takes a new one. "
    "An earlier call with the key has an outcome of its own."
)
_CLOCK = "Set the clock of this machine: the error says by how much it is off. Then repeat the call."
_PLACED = Meaning(
    "An earlier call used this key, so money may have moved. Raises `AlreadyPlaced`.",
    "Settle the earlier call with the resolver. Do not take a new key.",
)
_ABSENT = "The gateway knows no such key now. Raises `GatewayError`."


def codes_of(contract: Contract, operation: Operation) -> Iterator[tuple[str, Meaning]]:
    """Yield the codes that the contract lists for an operation, success first, with their meanings."""
    if operation.succeeds is not None and not operation.inbound:
        yield operation.succeeds[1], Meaning(_SUCCESS, "Read the state in the answer.")
    for code in operation.refuses:
        proves = _NOTHING_HAPPENED if operation.write else _REFUSED
        do = _REPEAT if operation.write else "Put right what the message names, and ask again."
        if code in operation.stale:
            proves, do = f"The time of the request is too old or too new. {proves}", _CLOCK
        yield code, Meaning(proves, do)
    yield from ((code, _PLACED) for code in operation.repeats)
    yield from ((code, Meaning(_ABSENT, _after_absence(contract, operation))) for code in operation.absent)


def _after_absence(contract: Contract, operation: Operation) -> str:
    if not settled_by(contract, operation):
        return "Check what the query asks for."
    return (
        "Check the key. It does not prove that a lost write did nothing: the resolver says what is allowed, and when."
    )


def other_codes(operation: Operation) -> Meaning:
    """Return what every code means that the contract does not list for an operation."""
    if operation.write:
        return Meaning("Nothing. Money may have moved. Raises `OutcomeUnknown`.", "Settle the call with the resolver.")
    return Meaning(_REFUSED, "Read the code and its message.")


def all_codes(contract: Contract) -> dict[str, dict[Meaning, list[str]]]:
    """Return every code with its meanings, and the operations in which it has each."""
    found: dict[str, dict[Meaning, list[str]]] = {}
    for operation in contract.operations.values():
        if not operation.inbound:
            for code, meaning in codes_of(contract, operation):
                found.setdefault(code, {}).setdefault(meaning, []).append(operation.name)
    return dict(sorted(found.items(), key=lambda item: (item[0].isdecimal(), item[0])))
