"""The cells: each is the shop's contract with one thing changed, and what is to become of it.

`REFUSED` names the words of the linter; what is in `RIGHT` generates, and all judges of its documents agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from tests.codegen.helpers.contract_texts import changed

Edits = tuple[tuple[str, str], ...]

_NOTE = "      note: string max 20\n"
_COLOUR = "    colour: Colour\n"
_FORMATS = "formats:\n"
_QUERY = "      key!: code max 8\n    response: Item\n"
_PARCEL = "    number!: string\n"
_ENVELOPES = "envelopes:\n"
_TYPES = "types:\n"
_HEADERS = "    headers:\n      sign!: string secret from signature.body\n    request:\n"


def text_of(edits: Edits) -> str:
    """The shop's contract with these edits."""
    return changed(*edits)


def in_request(*lines: str) -> tuple[str, str]:
    """Fields of the request of `goods.buy`."""
    return _NOTE, _NOTE + "".join(f"      {line}\n" for line in lines)


def in_answer(*lines: str) -> tuple[str, str]:
    """Fields of the type that answers it."""
    return _COLOUR, _COLOUR + "".join(f"    {line}\n" for line in lines)


def _in_parcel(*lines: str) -> tuple[str, str]:
    return _PARCEL, _PARCEL + "".join(f"    {line}\n" for line in lines)


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


class Refused(NamedTuple):
    """What is refused with words, in the first line that the edits change, or in that which begins with `at`."""

    edits: Edits
    words: str
    at: str = ""


REFUSED: dict[str, Refused] = {
    # names
    "two operations of one constant": Refused((*_resource("goods_buy.old"), *_resource("goods.buy_old")), "both become `GOODS_BUY_OLD` among the operations", "  goods.buy_old [1.3]:"),
    # lists
    "max of a list in a rule": Refused((_rule("few [1.1]: when note is given, tags max 2"),), "`max` of the array `tags`"),
    "a constant of a list": Refused((in_request("x: string[] is A"),), "`is` gives one value"),
    "a blank list": Refused((in_request("x: code[] blank"),), "`blank` is for a text"),
    "a second spelling of a list": Refused((in_answer("x: string[] also y"),), "`also` is for a single value"),
    # formats
    "a date by a pattern": Refused((_format("day", "pattern: '[0-9]{8}'", "date"), in_request("x: day")), "`python: date` without a check",
        "    python: date"),
    "a time by a check that takes days too": Refused((_format("at", "check: start_date", "datetime"), in_request("x: at")),
        "`python: datetime` without a check", "    python: datetime"),
    "an amount by a pattern of letters": Refused((_format("sum", "pattern: '[A-Z]+'", "Decimal"), in_request("x: sum")),
        "no pattern of decimal text", "    python: Decimal"),
    "a clock in a form that the client does not write": Refused(
        (_format("at", "check: zoned_time", "datetime"),
         ("      version!: string from operation.version\n", "      version!: string from operation.version\n      at!: at max 20 from clock\n")),
        "`from clock` writes times like", "      at!: at max 20 from clock"),
    "a clock longer than its field": Refused((in_request("x!: string max 8 from clock"),), "`from clock` writes times like"),
    "a version longer than its field": Refused(
        (("      version!: string from operation.version\n", "      version!: string max 2 from operation.version\n"),),
        "`from operation.version` writes 1.0"),
    "a signature in a body": Refused((in_request("x: string from signature.body"),), "`from signature.body` is for a header"),
    "a pattern with a possessive repetition": Refused((_format("odd", "pattern: '[A-Z]++'"), in_request("x: odd")),
        "Python and JSON Schema read differently", "    pattern: '[A-Z]++'"),
    "a pattern with a bracket first in a class": Refused((_format("odd", "pattern: '[]a]+'"), in_request("x: odd")),
        "Python and JSON Schema read differently", "    pattern: '[]a]+'"),
    "a pattern with a brace by itself": Refused((_format("odd", "pattern: '[a]{,3}'"), in_request("x: odd")),
        "Python and JSON Schema read differently", "    pattern: '[a]{,3}'"),
    "a pattern with an escaped dash": Refused((_format("odd", "pattern: 'a\\-b'"), in_request("x: odd")),
        "Python and JSON Schema read differently", "    pattern: 'a\\-b'"),
    # keys and echoes
    "a key that is filled by its value": Refused((("      key!: code max 8 eg K1 ", "      key!: code max 8 is K1 "),),
        "which the client fills in", "    key: key ignoring case"),
    "a key that is a number": Refused((("      key!: code max 8 eg K1 ", "      key!: number eg 1 "),), "which is not a text", "    key: key ignoring case"),
    "a query by a filled member": Refused(((_QUERY, "      key!: code max 8 is K1\n    response: Item\n"),),
        "of `goods.query`, which the client fills in", "      query: goods.query by key"),
    "a query by a number": Refused((("    key!: code max 8\n    status", "    key!: number\n    status"),), "which is not a text", "    echoes: key\n    refuses: POOR"),
    "an echo of a boolean": Refused(
        (("    echoes: key\n    refuses", "    echoes: key gift\n    refuses"), in_request("gift: boolean"), in_answer("gift: boolean")),
        "echoes `gift`, which is not a text"),
    "a query by another id that also requires the key": Refused(
        (("goods.query by key", "goods.query by other"),
         (_QUERY, "      other!: code max 8\n      key!: code max 8\n    response: Item\n")),
        "which also requires `key`, and that name is the key's"),
    "a query whose rule asks for more": Refused(
        ((_QUERY, "      key!: code max 8\n      number: string\n    rules:\n      whole [1.2]: need number\n    response: Item\n"),),
        "and that alone breaks its rule `whole`", "      query: goods.query by key"),
    "a query that requires a value list": Refused(((_QUERY, "      key!: code max 8\n      colour!: Colour\n    response: Item\n"),),
        "which also requires `colour`, no plain text", "      query: goods.query by key"),
    # second spellings
    "a rule of a second spelling": Refused(
        (in_answer("x: string also y"), ("    colour-of-sent [2]:", "    odd [2]: when status is SENT, need x\n    colour-of-sent [2]:")),
        "`x` has a second spelling, which rules do not see", "    odd [2]: when status is SENT, need x"),
    "an echo of a second spelling": Refused((("    key!: code max 8\n    status", "    key!: code max 8 also Key\n    status"),),
        "echoes `key`, which has a second spelling", "    echoes: key\n    refuses: POOR"),
    "success by a second spelling": Refused(
        (("      code!: string max 8 eg OK\n", "      code!: string max 8 eg OK also Code\n"),
         ("    response rules:\n      success-has-data [1]: when code is OK, need data\n", "")), "which has a second spelling",
        "    succeeds: code is OK"),
    "once per a second spelling": Refused(((_PARCEL, "    number!: string also Number\n"),),
        "is once per `number`, which has a second spelling", "    once per: number"),
    "done by a second spelling": Refused(
        (("by key\n      placed", "by key\n      done when: done in YES\n      placed"), in_answer("done!: string also Done")),
        "is done by `done`, which has a second spelling"),
    # success, when and done when
    "success by a number": Refused(
        (("      code!: string max 8 eg OK\n", "      code!: number eg 0\n"), ("when code is OK, need data", "when data is given, need data"),
         ("    succeeds: code is OK\n    refuses: BAD\n", "    succeeds: code is 0\n"),
         ("    refuses: POOR\n    repeats: AGAIN ?repeats\n", ""), ("    absent: NONE\n", "")),
        "has `succeeds:` with `code`, which is not a text", "    succeeds: code is 0"),
    "done by a boolean": Refused(
        (("by key\n      placed", "by key\n      done when: done in true\n      placed"), in_answer("done!: boolean")), "is done by `done`, which is not a text",
    ),
    # notifications
    "two addresses with the same value": Refused(_second("kind is SENT", "kind!: string is SENT", *_LOST[1:]), "is recognised like `goods.sent`", "    when: kind is SENT\n    once per: number\n    notification: Lost"),
    "two members that tell": Refused(_second("sort is LOST", "sort!: string is LOST", *_LOST[1:]),
        "is recognised by `sort`, and `goods.sent` by `kind`", "    when: sort is LOST"),
    "a notification that nothing tells": Refused((("    when: kind is SENT\n", ""),), "has nothing to be recognised by", "  goods.sent [3]:"),
    "a notification without a time": Refused((("    toldAt!: string from clock\n", ""),), "does not say when it was sent",
        "    notification: Parcel"),
    "a notification with two times": Refused((_in_parcel("again!: string from clock"),), "has more than one field `from clock`"),
    "a notification for two apps": Refused((_in_parcel("one!: string from merchant.app_id", "two!: string from merchant.app_id"),),
        "has more than one field `from merchant.app_id`", "    two!: string from merchant.app_id"),
    "an answer that nobody fills": Refused((("    code!: string sends OK\n", "    code!: string sends OK\n    said!: string eg A\n"),),
        "and nothing says its value"),
    "an answer that breaks its rule": Refused(
        (("    code!: string sends OK\n", "    code!: string sends OK\n    said: string\n"),
         ("rules:\n\n  Item:\n", "rules:\n\n  Received:\n    whole [3]: need said\n\n  Item:\n")),
        "is broken by what `goods.sent` is acknowledged with", "    whole [3]: need said"),
    # decisions
    "a question inside an envelope": Refused(
        (("notifications:\n", "notifications:\n\n  # May it be sent?\n  goods.may [3]:\n    post: /may\n    envelope: ask\n"
          f"{_decides({})}    request: Asked\n    response: Decided\n"),
         (_TYPES, f"{_TYPES}\n  Asked [3]:  # What is asked.\n    a!: string\n\n  Decided [3]:  # What is decided.\n{_DECIDED}"),
         (_ENVELOPES, f"{_ENVELOPES}\n  ask [1]:  # Asks.\n    headers:\n      sign!: string secret from signature.body\n    request:\n      data!: object\n    payload: data\n")),
        "asks inside an envelope that has members of its own", "    envelope: ask"),
    "a reason that is a number": Refused(question("    allowed!: string in YES NO\n    why: number\n"), "which is not an optional text", "      why not: why"),
    "a reason that is a list": Refused(question("    allowed!: string in YES NO\n    why: string[]\n"), "which is not a free text", "      why not: why"),
    "a decision that may be left out": Refused(question("    allowed: string in YES NO\n    why: string\n"), "which is not a required text", "      answer: allowed"),
    "a yes that the question has": Refused(question(_DECIDED, "    a!: string\n    allowed!: string eg YES\n"),
        "which is also a field of the question", "      answer: allowed"),
    "a repeated member that the question may leave out": Refused(question(_DECIDED + "    a!: string\n", "    b!: string\n    a: string\n"),
        "which is of another type there", "    a!: string"),
    "a required list in a decision": Refused(question(_DECIDED + "    parts!: number[]\n"), "must answer the array `parts`", "    parts!: number[]"),
    "a question with what tells notifications": Refused(question(_DECIDED, "    a!: string\n    kind: string\n"),
        "which tells notifications apart", "    kind: string\n"),
    # headers
    "a member beside data that nobody gives": Refused(
        (("      version!: string from operation.version\n", "      version!: string from operation.version\n      who: string\n"),),
        "stands beside `data` in the request of `goods.buy`, and no argument gives it"),
    "a source inside an object of a request": Refused(
        ((_TYPES, f"{_TYPES}\n  Filled [2]:  # A type.\n    a!: string from merchant.app_id\n"), in_request("x!: Filled")),
        "stands in an object inside the request of `goods.buy`", "    a!: string from merchant.app_id"),
    "a value list from a number of the merchant": Refused((in_request("x!: Colour from merchant.merchant_no"),),
        "`from merchant.merchant_no` gives plain text"),
    "a header of a day from the clock": Refused(
        (_format("day", "check: calendar_date", "date"),
         (_HEADERS, "    headers:\n      sign!: string secret from signature.body\n      at!: day from clock\n    request:\n")),
        "nothing says how the time is written", "      at!: day from clock"),
    "headers that differ by case": Refused(
        ((_HEADERS, "    headers:\n      sign!: string secret from signature.body\n      SIGN: string sends A\n    request:\n"),),
        "is the header `sign` in other letters"),
    "a header that is a number": Refused(
        ((_HEADERS, "    headers:\n      sign!: string secret from signature.body\n      n: number\n    request:\n"),), "is a header and no text",
    ),
    "a header that nobody gives": Refused(
        ((_HEADERS, "    headers:\n      sign!: string secret from signature.body\n      n!: string\n    request:\n"),),
        "is a header that nothing fills in"),
    "a header that the client writes": Refused(
        ((_HEADERS, "    headers:\n      sign!: string secret from signature.body\n      Accept-Encoding: string sends A\n    request:\n"),),
        "is a header that the client writes by itself"),
    "an answer without a name": Refused(
        (("    response: Item\n\n  # Ask", "    response:\n      key!: code max 8\n      code: string\n\n  # Ask"),),
        "is answered by something without a name"),
    "a member data without an envelope that has it": Refused(
        (("      data!: object\n    response headers", "    response headers"),
         ("      data: object\n    response rules:\n      success-has-data [1]: when code is OK, need data\n", ""),
         in_answer("data: object")), "no message in the envelope `sealed` has the payload `data`", "    payload: data"),
    # rules
    "a rule that replaces one of the envelope": Refused(
        (("      data: object\n    response rules", "      data: object\n    request rules:\n      whole [1]: need data\n    response rules"),
         ("    refuses: POOR\n", "    refuses: POOR\n    response rules:\n      success-has-data [1]: need data\n")),
        "`success-has-data` is also a rule in", "      success-has-data [1]: need data"),
    "rules that no example keeps": Refused(
        (_rule("one [1.1]: need note"), ("      one [1.1]", "      two [1.1]: refuse note\n      one [1.1]")),
        "no example of `goods.buy.request` was found that keeps it", "      one [1.1]: need note"),
    "an example that repeats what its own field refuses": Refused(
        (("    key!: code max 8\n    status", "    key!: code max 1\n    status"),), "repeats K1 of the request"),
}  # fmt: skip

RIGHT: dict[str, Edits] = {
    "the shop": (),
    "a list of numbers": (in_request("x: number[] min 1 max 3"),),
    "members called data inside of data": (in_request("data!: string"), in_answer("data: Person")),
    "a list of booleans": (in_request("x!: boolean[]"),),
    "a list of objects": (in_request("x: object[] max 2"),),
    "lists in an answer": (in_answer("x: number[]", "y: boolean[]", "z: object[]", "u: Colour[]", "v: code[]"),),
    "a type called List": _type("List"),
    "a type called Len": _type("Len"),
    "a type called Body": _type("Body"),
    "a type called Dict": _type("Dict"),
    "a type called Return": _type("Return"),
    "a type called At": _type("At"),
    "a type called Report": _type("Report"),
    "a type called Field": _type("Field"),
    "a type called Validate": _type("Validate"),
    "a type called Self": _type("Self"),
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
