"""Find elements of an answer that its request did not ask for, such as payment methods of another user."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paywright_runtime.contract.operation import Operation

__all__ = ["not_asked_for"]


def _is_blank(value: object) -> bool:
    return value is None or value == ""


def not_asked_for(
    operation: Operation,
    asked: Mapping[str, object],
    around: Mapping[str, object],
    answered: Mapping[str, object],
    is_unknown: Callable[[object], bool] = _is_blank,
) -> Iterator[tuple[str, int, str, object]]:
    """Yield list, place, member and value of each element of an answer that shows another value than was asked for.

    `asked` and `answered` are payloads, `around` is what stands around that of the request. An unknown value differs from none.
    """
    members: dict[tuple[str, str], list[str]] = {}
    for elements, member, among in operation.each_echoes:
        members.setdefault((elements, among), []).append(member)
    for (elements, among), names in members.items():
        listed = answered.get(elements)
        wanted = asked.get(among) if among else [{name: asked.get(name, around.get(name)) for name in names}]
        # What is neither a text nor an object asks for nothing that an element could be compared with.
        if (
            isinstance(listed, list)
            and isinstance(wanted, list)
            and all(isinstance(one, (str, dict)) for one in wanted)
        ):
            for place, each in enumerate(listed):
                other = _other(each, names, wanted, is_unknown) if isinstance(each, dict) else None
                if other is not None:
                    yield elements, place, other, each[other]


def _other(
    each: Mapping[str, object], names: Sequence[str], wanted: Sequence[object], is_unknown: Callable[[object], bool]
) -> str | None:
    """Return a member in which an element differs from what was asked for; None if it is one of that."""
    other = None
    for one in wanted:
        pairs = ((name, each.get(name), one.get(name) if isinstance(one, dict) else one) for name in names)
        other = next((name for name, a, b in pairs if a != b and not (is_unknown(a) or is_unknown(b))), None)
        if other is None:
            return None
    return other
