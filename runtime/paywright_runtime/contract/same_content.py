"""Decide whose call an answer is about: its content is compared with the request, so that no other call under the key is taken for it.

Elements that were not asked for are told here, too.

The contract lists under `shows:` the members of a request that answers show. Numbers are compared by value, texts without
regard to case, keys exactly. A member that is missing or blank on either side counts as unknown, not as different.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from paywright_runtime.contract.conversion import number_text, read_number
from paywright_runtime.contract.value_checks import within
from paywright_runtime.error_text import difference_text
from paywright_runtime.errors import InvalidArgument
from paywright_runtime.json_value import JSON, by_value
from paywright_runtime.strict_json.errors import CutText

if TYPE_CHECKING:
    from paywright_runtime.contract.operation import Operation, Shown


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


_LARGEST_EXPONENT = 64


def content_of(operation: Operation, payload: Mapping[str, object]) -> dict[str, str]:
    """Return the content of a request: the text of each member under `shows:` that is there, by its path in the request."""
    found = ((shown.asked, _text(shown, within(payload, shown.asked_path))) for shown in operation.shows)
    return {path: text for path, text in found if text is not None}


def content_given(operation: Operation, given: Mapping[str, object]) -> dict[str, str]:
    """Return the content from a caller's values by path, without those that are None. Raises `InvalidArgument`."""
    shows = {shown.asked: shown for shown in operation.shows}
    content: dict[str, str] = {}
    for path, value in given.items():
        if path not in shows:
            known = ", ".join(shows) or "nothing"
            raise InvalidArgument(f"The answers of {operation.name} show {known}, and not {path!r}. Nothing was sent.")
        if value is None:
            continue
        text = _text(shows[path], value)
        if text is None:
            kind = "a Decimal or an int" if shows[path].number else "a text"
            raise InvalidArgument(
                f"{shows[path].python} is {kind}, as {operation.name} was called with it. Nothing was sent."
            )
        if shows[path].number and text.startswith("-"):
            raise InvalidArgument(f"{shows[path].python} is not below 0: no answer could show it. Nothing was sent.")
        content[path] = text
    return content


class Difference(NamedTuple):
    """A member that an answer shows with another value than the call had."""

    member: str
    asked: str
    shown: str

    def __str__(self) -> str:
        return difference_text(self.member, self.asked, self.shown)


def differences(
    operation: Operation,
    content: Mapping[str, str],
    payload: Mapping[str, object],
    by: str = "",
    keys: Collection[str] = (),
) -> tuple[Difference, ...]:
    """Return what the payload of an answer shows differently than it was asked for.

    `by` is the payload's member with the key, and `keys` are its spellings: an answer with another one is about another call,
    also where the gateway does not tell capitals from small letters.
    """
    found = []
    key = payload.get(by)
    if keys and isinstance(key, str) and key.strip() and key not in keys:
        found.append(Difference(by, next(iter(keys)), key))
    for shown in operation.shows:
        asked = content.get(shown.asked)
        if asked is not None and _differs(shown, asked, value := within(payload, shown.answered_path)):
            found.append(Difference(shown.asked, asked, _text(shown, value) or ""))
    return tuple(found)


def words_of(differences: Sequence[Difference]) -> str:
    """Return differences as text: `reference 'prod-7' where this call has 'staging-7'`."""
    return " and ".join(map(str, differences))


def shows_member(operation: Operation, member: str, payload: Mapping[str, object]) -> bool:
    """Return whether the payload of an answer shows a compared member, or the key, with any value."""
    shown = next((one for one in operation.shows if one.asked == member), None)
    return (
        bool(payload.get(member)) if shown is None else _text(shown, within(payload, shown.answered_path)) is not None
    )


def completed(operation: Operation, content: Mapping[str, str], payload: Mapping[str, JSON]) -> dict[str, JSON]:
    """Return the payload of an answer, completed with the requested values that it leaves out."""
    made = dict(payload)
    for shown in operation.shows:
        asked = content.get(shown.asked)
        if asked is not None and _text(shown, within(payload, shown.answered_path)) is None:
            *steps, last = shown.answered_path
            inner = made
            for step in steps:
                value = inner.get(step)
                inner[step] = value = dict(value) if isinstance(value, dict) else {}
                inner = value
            inner[last] = asked
    return made


def _differs(shown: Shown, asked: str, value: object) -> bool:
    if type(value) is str and value == asked:  # as most are: what it means as a number need not be found
        return False
    answered = _text(shown, value)
    return answered is not None and asked.lower() != answered.lower()


def _text(shown: Shown, value: object) -> str | None:
    value = None if isinstance(value, CutText) else by_value(value)
    if shown.number:
        number = read_number(value)
        if number is None or not number.is_finite() or abs(number.adjusted()) > _LARGEST_EXPONENT:
            return None
        return number_text(number)
    if isinstance(value, (int, Decimal)) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) and value.strip() else None
