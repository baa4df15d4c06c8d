"""The cells: each is the shop's contract with one thing changed. What is here generates, and all judges of its documents agree.

What is refused is in `refusals.yaml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tests.codegen.helpers.contract_texts import changed

Edits = tuple[tuple[str, str], ...]

_NOTE = "      note: string max 20\n"
_COLOUR = "    colour: Colour\n"
_FORMATS = "formats:\n"
_TYPES = "types:\n"


def text_of(edits: Edits) -> str:
    """The shop's contract with these edits."""
    return changed(*edits)


def in_request(*lines: str) -> tuple[str, str]:
    """Fields of the request of `goods.buy`."""
    return _NOTE, _NOTE + "".join(f"      {line}\n" for line in lines)


def in_answer(*lines: str) -> tuple[str, str]:
    """Fields of the type that answers it."""
    return _COLOUR, _COLOUR + "".join(f"    {line}\n" for line in lines)


def _rule(line: str) -> tuple[str, str]:
    return "      note-of-old [1.1]:", f"      {line}\n      note-of-old [1.1]:"


def _format(name: str, line: str, python: str = "") -> tuple[str, str]:
    python = f"    python: {python}\n" if python else ""
    return _FORMATS, f"{_FORMATS}\n  {name} [1]:  # A format.\n    {line}\n{python}    shown: of its form\n"


def _type(name: str) -> tuple[tuple[str, str], tuple[str, str]]:
    made = f"{_TYPES}\n  {name} [2]:  # A type.\n    a: string\n"
    return (_TYPES, made), in_request(f"of: {name}", f"many: {name}[]")


def _resource(name: str) -> Edits:
    return (
        ("\nnotifications:\n", f"\n  # Look.\n  {name} [1.3]:\n    post: /look\n    version: 1.0\n    envelope: sealed\n    request:\n"
         "      a: string\n    response: Item\n\nnotifications:\n"),
    )  # fmt: skip


def _decides(said: Mapping[str, str]) -> str:
    every = {"answer": "allowed", "yes": "YES", "no": "NO", "why not": "why", **said}
    return "".join(("    decides:\n", *(f"      {key}: {text}\n" for key, text in every.items())))


def question(answer: str, asked: str = "    a!: string\n", decides: Mapping[str, str] = MappingProxyType({})) -> Edits:
    """A question to the merchant."""
    return (
        ("notifications:\n", "notifications:\n\n  # May it be sent?\n  goods.may [3]:\n    post: /may\n    envelope: bare\n"
         f"{_decides(decides)}    request: Asked\n    response: Decided\n"),
        (_TYPES, f"{_TYPES}\n  Asked [3]:  # What is asked.\n{asked}\n  Decided [3]:  # What is decided.\n{answer}"),
    )  # fmt: skip


_DECIDED = "    allowed!: string in YES NO\n    why: string\n"
_SECOND = (
    "    answer: Received\n",
    "    answer: Received\n\n  # Goods were lost.\n  goods.lost [3]:\n    post: /lost\n    envelope: bare\n    when: {when}\n"
    "    once per: number\n    notification: Lost\n    answer: Received\n",
)


def _second(when: str, *lines: str) -> Edits:
    """A second notification, of a type with these fields."""
    fields = "".join(f"    {line}\n" for line in lines)
    return (_SECOND[0], _SECOND[1].format(when=when)), (_TYPES, f"{_TYPES}\n  Lost [3]:  # A lost parcel.\n{fields}")


_LOST = ("kind!: string is LOST", "toldAt!: string from clock", "number!: string")


RIGHT: dict[str, Edits] = {
    "the shop": (),
    "a list of numbers": (in_request("x: number[] min 1 max 3"),),
    "members called data inside of data": (in_request("data!: string"), in_answer("data: Person")),
    "a list of booleans": (in_request("x!: boolean[]"),),
    "a list of objects": (in_request("x: object[] max 2"),),
    "lists in an answer": (in_answer("x: number[]", "y: boolean[]", "z: object[]", "u: Colour[]", "v: code[]"),),
    **{
        f"a type called {name}": _type(name)
        for name in ("List", "Len", "Body", "Dict", "Return", "At", "Report", "Field", "Validate", "Self")
    },
    "a resource called str": _resource("str.look"),
    "a resource called models": _resource("models.look"),
    "a resource called validate": _resource("validate.look"),
    "a verb called match": _resource("looks.match"),
    "a verb called mro": _resource("looks.mro"),
    "a format called empty": (_format("empty", "pattern: '[A-Z]*'"), in_request("x: empty")),
    "fields called like types": (in_request("date: code", "str: string", "bool: boolean", "int: number"),),
    "fields of an answer called like types": (in_answer("date!: code", "str: string", "bool: boolean", "tuple: string"),),
    "a date by another name": (
        (_format("birthday", "check: calendar_date", "date")), in_request("x!: birthday"), in_answer("x!: birthday")),
    "a day by another name": ((_format("date", "check: calendar_day", "date")), in_request("x!: date"), in_answer("x!: date")),
    "a time by another name": (
        (_format("time", "check: zoned_time", "datetime")), in_request("x!: time"), in_answer("x!: time")),
    "a rule that leaves no character": (in_request("x: string"), _rule("none [1.1]: when note is given, x max 0")),
    "a rule that leaves one character": (in_request("x: string"), _rule("one [1.1]: when note is given, x max 1")),
    "a decision with nothing to say": question(_DECIDED),
    "a decision with a number": question(_DECIDED + "    most!: number\n"),
    "a decision that repeats": question(_DECIDED + "    a!: string\n"),
    "an example whose rule needs a member": (
        in_request("x: string eg A", "y: Person"), _rule("all-of-x [1.1]: when x is given, need y.name")),
    "an example whose rule refuses a member": (in_request("x: string eg A", "y: string eg B"), _rule("one-of-two [1.1]: when x is A, refuse y")),
    "an example whose rule lists values": (
        in_request("x: string", "y: string eg CCC"), _rule("few [1.1]: y max 2 and x in A B and x is B or note is N")),
    "an example whose rule compares": (
        in_request("x: string eg A", "y: string eg A", "z: string eg C"),
        _rule("apart [1.1]: x differs from y and z is x then y")),
    "objects of constants": (
        (_TYPES, f"{_TYPES}\n  Filled [2]:  # A type.\n    a!: string is A\n"),
        in_request("x!: Filled", "y: Filled", "z!: Filled[]", "u: Filled[]")),
    "objects with a constant": (
        (_TYPES, f"{_TYPES}\n  Filled [2]:  # A type.\n    a!: string sends A\n    b: string\n"),
        in_request("x!: Filled", "y: Filled", "z!: Filled[]", "u: Filled[]")),
    "an acknowledgement with objects": (
        ("    code!: string sends OK\n",
         "    code!: string sends OK\n    said: string\n    shop!: Shop\n    shops: Shop[]\n    place: Place\n    note: Note\n"),
        (_TYPES, f"{_TYPES}\n  Shop [3]:  # A shop.\n    name!: string sends shop\n    said: string\n"
         "\n  Place [3]:  # A place.\n    kind!: string sends SHOP\n    name!: string\n\n  Note [3]:  # A note.\n    text: string\n"),
    ),
    "a second notification": _second("kind is LOST", *_LOST),
    "a second notification of the same type": (
        (_SECOND[0], _SECOND[1].format(when="kind is LOST").replace("notification: Lost", "notification: Parcel")),
        ("    kind!: string is SENT\n", "    kind!: string in SENT LOST\n")),
}  # fmt: skip
