"""A place where a message breaks the contract, as a value."""

from dataclasses import dataclass, field

__all__ = ["Violation"]


@dataclass(frozen=True, slots=True, repr=False)
class Violation:
    """One place where a message breaks the contract.

    `pointer` is a JSON pointer (RFC 6901) to the offending member, or to the place of a missing one; a header's is
    `@header/NAME`. `code` is one of required, type, max, min, exact, range, value, format, json, duplicate, or the id of a
    rule. `message` says what is wrong and cites the section of the specification; it never shows the value. Two
    violations are equal if their pointers and codes are.
    """

    pointer: str
    code: str
    message: str = field(compare=False)

    def __repr__(self) -> str:
        return f"Violation({self.pointer!r}, {self.code!r}, {self.message!r})"

    def __str__(self) -> str:
        return f"{self.pointer or '(the whole message)'}: {self.code}: {self.message}"
