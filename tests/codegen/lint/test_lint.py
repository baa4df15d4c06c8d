"""What the linter finds: for each finding a contract that has it, and the message with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from paywright_codegen.lint.linter import check, lint
from paywright_codegen.problems import ContractProblems, Problem
from paywright_codegen.reader.loader import load
from tests.codegen.helpers.contract_texts import RESOLVED, SHOP, SPEC, changed, contract_of, decides, folder_of, line_of

Edit = tuple[str, str]
NOTE = "      note: string max 20"
PERSON = "    name!: string max 64 pii"
TYPES = "types:\n"


def field(line: str) -> list[Edit]:
    """A further field `x` in the type Person."""
    return [(PERSON, f"{PERSON}\n    {line}")]


def guard(line: str) -> list[Edit]:
    """A guard of `goods.buy`."""
    return [("    rules:\n      note-of-old", f"    before sending:\n      {line}\n    rules:\n      note-of-old")]


def query_called(name: str) -> list[Edit]:
    """The query `goods.query` by another name."""
    edits = (("  {}: 1.0", "goods.query"), ("  {} [1.2]:", "goods.query"), ("query: {} by", "goods.query"))
    return [(text.format(old), text.format(name)) for text, old in edits]


def notification_called(name: str) -> list[Edit]:
    return [("  goods.sent [3]:", f"  {name} [3]:")]


def number_called(name: str) -> list[Edit]:
    return [("  merchant_no: id", f"  {name}: id")]


def type_called(name: str) -> list[Edit]:
    return [(TYPES, f"{TYPES}\n  {name} [1]:  # One more.\n    x: Person\n")]


LONG = "a" * 100  # the longest name that there may be
FOUND: dict[str, tuple[list[Edit], str, str]] = {
    # second spellings
    "a second spelling in what a request carries": (
        field("x: string also y"),
        "    x:",
        "`x`: the merchant writes a `Person`, and `also y` is for answers",
    ),
    "a second spelling in a request itself": (
        [(NOTE, f"{NOTE} also remark")],
        NOTE,
        "`note`: the merchant writes a `goods.buy.request.data`, and `also remark` is for answers",
    ),
    "a second spelling in the answer to a notification": (
        [("    code!: string sends OK\n\nrules", "    code!: string sends OK also kode\n\nrules")],
        "also kode",
        "`code`: the merchant writes a `Received`, and `also kode` is for answers",
    ),
    # values
    "an example longer than its maximum": (
        field("x: string max 2 eg ABC"),
        "    x:",
        "`x`: `eg ABC` has 3 characters, more than 2",
    ),
    "an example shorter than its minimum": (
        field("x: string min 2 eg A"),
        "    x:",
        "`x`: `eg A` has 1 characters, fewer than 2",
    ),
    "a value longer than its maximum": (
        field("x: string max 2 in AB ABC"),
        "    x:",
        "`x`: `in ABC` has 3 characters, more than 2",
    ),
    "a fixed value longer than its maximum": (
        field("x: string max 2 is ABC"),
        "    x:",
        "`x`: `is ABC` has 3 characters, more than 2",
    ),
    "a sent value longer than its maximum": (
        field("x: string max 2 sends ABC"),
        "    x:",
        "`x`: `sends ABC` has 3 characters, more than 2",
    ),
    "a default longer than its maximum": (
        field("x: string max 2 default ABC"),
        "    x:",
        "`x`: `default ABC` has 3 characters",
    ),
    "a default that is none of the values": (
        field("x: string in A B default C"),
        "    x:",
        "`x`: `default C` is none of A, B",
    ),
    "a value outside its range": (
        field("x: string range 3..5 eg 7"),
        "    x:",
        "`x`: `eg 7` is outside the range 3..5",
    ),
    "a value that is no digits in a range": (
        field("x: string range 3..5 eg four"),
        "    x:",
        "`x`: `eg four` is outside the range 3..5",
    ),
    "a value that does not match its pattern": (field("x: code eg a-b"), "    x:", "`x`: `eg a-b` is no `code`"),
    "a value that a check refuses": (
        [
            ("formats:\n", "formats:\n\n  day [1]:  # A day.\n    check: calendar_date\n    shown: yyyy-MM-dd\n"),
            *field("x: day eg 2025-02-30"),
        ],
        "    x:",
        "`x`: `eg 2025-02-30` is no `day`",
    ),
    "a required value that nothing shows": (
        [
            (
                "formats:\n",
                "formats:\n\n  shape [1]:  # A shape.\n    pattern: '[A-F]{3}-[0-9]+'\n    shown: of a shape\n",
            ),
            *field("x!: shape"),
        ],
        "    x!:",
        "`x`: no value is shown",
    ),
    "an example that is not a member": (
        field("x: ItemStatus eg GONE"),
        "    x:",
        "`x`: `eg GONE` is not a value of `ItemStatus`",
    ),
    "a member longer than the field": (
        field("x: ItemStatus max 3"),
        "    x:",
        "`x`: `OPEN` of `ItemStatus` has 4 characters, more than 3",
    ),
    "a number as JSON does not write it": (
        field("x: number eg 01"),
        "    x:",
        "`x`: `eg 01` is not a number as JSON writes it",
    ),
    "a boolean that is none": (field("x: boolean default no"), "    x:", "`x`: `default no` is neither true nor false"),
    "a value of an object": (field("x: object eg A"), "    x:", "`x`: `eg A` is the value of an object"),
    # facets
    "a required field with a default": (
        field("x!: boolean default false"),
        "    x!:",
        "`x`: a required field has a default",
    ),
    "min above max": (field("x: string min 3 max 2"), "    x:", "`x`: min 3 is more than max 2"),
    "max 0": (field("x: string max 0"), "    x:", "`x`: max 0 leaves nothing to write"),
    "a range that begins above its end": (
        field("x: string range 5..3"),
        "    x:",
        "`x`: the range 5..3 begins above its end",
    ),
    "a range longer than the maximum": (
        field("x: string max 2 range 1..100"),
        "    x:",
        "`x`: 100, the end of the range, is longer than max 2",
    ),
    "max on a number": (
        field("x: number max 3"),
        "    x:",
        "`x`: min and max count characters or elements, and a number has none",
    ),
    "max on a boolean": (
        field("x: boolean max 3"),
        "    x:",
        "`x`: min and max count characters or elements, and a boolean has none",
    ),
    "max on an object": (
        field("x: object max 3"),
        "    x:",
        "`x`: min and max count characters or elements, and a object has none",
    ),
    "max on a struct": (
        field("x: Received max 3"),
        "    x:",
        "`x`: min and max count characters or elements, and a Received has none",
    ),
    "range on a number": (
        field("x: number range 1..3"),
        "    x:",
        "`x`: range is for digits in a string, not for a number",
    ),
    "range on an array": (
        field("x: string[] range 1..3"),
        "    x:",
        "`x`: range is for digits in a string, not for a string[]",
    ),
    "is on a number": (field("x: number is 3"), "    x:", "`x`: `is` is for text, not for a number"),
    "in on a boolean": (field("x: boolean in true"), "    x:", "`x`: `in` is for text, not for a boolean"),
    "values beside a value list": (
        field("x: ItemStatus in OPEN"),
        "    x:",
        "`x`: `ItemStatus` has its own list of values",
    ),
    "blank where nothing refuses it": (
        field("x: string blank"),
        "    x:",
        "`x`: `blank` where nothing would refuse the empty string",
    ),
    "two sayings of what we write": (
        field("x: string is A sends A"),
        "    x:",
        "`x`: more than one of is, sends and from",
    ),
    "a default of an array": (field("x: string[] default A"), "    x:", "`x`: an array has a default"),
    "a second spelling that is the first": (field("x: string also x"), "    x:", "`x`: `also x` is its own name"),
    "an unknown source": (
        [("      version!: string from operation.version", "      version!: string from merchant.shoe_size")],
        "shoe_size",
        "`version`: nothing is called `from merchant.shoe_size`",
    ),
    # names
    "two fields of one Python name": (
        field("x_y: string\n    xY: string"),
        "    xY:",
        "`xY` and `x_y` (spec/shop.yaml:",
    ),
    "a second spelling that is another field": (
        field("x: string also name"),
        "    x:",
        "`x` has `also name`, which is `name` in `Person`",
    ),
    "a second spelling twice": (
        field("x: string also z\n    y: string also z"),
        "    y:",
        "`y` has `also z`, which is `x` in `Person`",
    ),
    "a field whose name is taken": (
        field("answer: string"),
        "answer: string",
        "`answer` becomes `answer`, which is taken",
    ),
    "a field called self": (field("Self: string"), "    Self:", "`Self` becomes `self`, which is taken"),
    "a field called extra": (field("extra: string"), "    extra:", "`extra` becomes `extra`, which is taken"),
    "two members of one Python name": (
        [("    R RED: red", "    R RED: red\n    Red: red")],
        "    Red:",
        "`Red` and `R` (spec/shop.yaml:",
    ),
    "a rule named like a code": ([("colour-of-sent", "required")], "required [2]", "`required` is the code of a limit"),
    "a type named like a resource": (
        type_called("Goods"),
        "  Goods",
        "`Goods` is also the class of the resource `goods`",
    ),
    "a type named as the generated code needs it": (
        type_called("Decimal"),
        "  Decimal",
        "`Decimal` is a name that the generated code needs",
    ),
    "a type named by a keyword": (type_called("None"), "  None", "`None` is a name that the generated code needs"),
    "a type named like what is exported": (
        type_called("Reply"),
        "  Reply",
        "`Reply` is also what every generated package exports",
    ),
    "a type named like the class of a question": (
        [
            *type_called("ParcelQuestion"),
            (
                "    notification: Parcel\n    answer: Received",
                decides("YES") + "    request: Parcel\n    response: Received",
            ),
            ("    once per: number\n", ""),
            ("    when: kind is SENT\n", ""),
        ],
        "  ParcelQuestion",
        "`ParcelQuestion` is also the class of what `goods.sent` asks",
    ),
    "two validators of one name": (
        type_called("GoodsBuyRequest"),
        "    request:\n      key!: code max 8 eg",
        "`goods.buy.request` and `GoodsBuyRequest` (spec/shop.yaml:",
    ),
    "two types with validators of one name": (
        [*type_called("HttpCode"), ("  Person [2]:", "  HTTPCode [2]:  # Two.\n    x: Person\n\n  Person [2]:")],
        "  HTTPCode",
        "`HTTPCode` and `HttpCode` (spec/shop.yaml:",
    ),
    "two formats of one name": (
        [
            (
                "formats:\n",
                'formats:\n\n  co_de [1]:  # Two.\n    pattern: "[0-9]+"\n    shown: digits\n\n'
                '  co__de [1]:  # One.\n    pattern: "[0-9]"\n    shown: a digit\n',
            )
        ],
        "  co__de",
        "`co__de` and `co_de` (spec/shop.yaml:",
    ),
    **{
        f"a member named {name}": (
            [("    R RED: red", f"    R RED: red\n    {value}: red")],
            f"    {value}:",
            f"`{value}` becomes `{name}`, which is not a name for a member; write a member name behind it",
        )
        for value, name in (("_A", "_A"), ("-1", "_1"), ("--", "_"))
    },
    "a verb named by a keyword": (
        query_called("goods.import"),
        "goods.import [1.2]",
        "`import` in `goods.import` is Python's own",
    ),
    "a resource named by a keyword": (
        notification_called("import.sent"),
        "import.sent",
        "`import` in `import.sent` is Python's own",
    ),
    "a resource named like an attribute of the client": (
        query_called("close.query"),
        "close.query [1.2]",
        "`close` in `close.query` is an attribute that every client has",
    ),
    "a resource named like a class": (
        query_called("merchant.query"),
        "merchant.query [1.2]",
        "`merchant` in `merchant.query` becomes a class that the generated code needs",
    ),
    **{
        f"a verb named {verb}": (
            query_called(f"goods.{verb}"),
            f"goods.{verb} [1.2]",
            f"`{verb}` in `goods.{verb}` is a name that the generated code needs",
        )
        for verb in ("date", "strip_frames")
    },
    **{
        f"a verb named {verb}": (
            query_called(f"goods.{verb}"),
            f"goods.{verb} [1.2]",
            f"`{verb}` in `goods.{verb}` is what settles an unknown outcome",
        )
        for verb in ("resolve", "resolve_all")
    },
    "a notification named like a method of the receiver": (
        notification_called("goods.conflict"),
        "goods.conflict",
        "`on_conflict` is a method that every receiver has",
    ),
    **{
        f"a number named {name}": (
            number_called(name),
            f"  {name}: id",
            f"`{name}` is an argument or attribute that every merchant or receiver has",
        )
        for name in ("ledger", "on_sent")
    },
    "a second write that the first one's query settles": (
        [
            ("versions:\n", "versions:\n  goods.drop: 1.0\n"),
            (
                "  # Ask what became of goods.\n",
                "  # Drop goods.\n  goods.drop [1.1]:\n    post: /drop\n    version: 1.0\n    envelope: sealed\n    key: key\n"
                "    resolved by:\n      query: goods.query by key\n    request:\n      key!: code max 8 eg K1\n    response: Item\n\n"
                "  # Ask what became of goods.\n",
            ),
        ],
        "      query: goods.query by key\n    request:",
        "`goods.drop` is settled by `goods.query`, which shows the key as soon as `goods.buy` took effect",
    ),
    # echoes of elements
    "an echo in a list that is none": (
        [("    echoes: key\n    refuses", "    echoes: key\n    each echoes: status.key\n    refuses")],
        "    each echoes: status.key",
        "`goods.buy` has `status.key` under `each echoes:`, which is not a field of a list of its answer",
    ),
    # guards
    "a guard about a field that is none": (
        guard("x: amuont above 0"),
        "      x:",
        "guard `x`: `amuont` is not a field of the request",
    ),
    "a guard that compares a text with 0": (
        guard("x: note not below 0"),
        "      x:",
        "guard `x`: `note` is neither a number nor an amount",
    ),
    "a guard about a field of a list's elements": (
        [*field("x: number"), *guard("y: people.x above 0")],
        "      y:",
        "guard `y`: `people.x` is not a field of the request",
    ),
    "a guard about a field inside a text": (
        guard("x: note.amount above 0"),
        "      x:",
        "guard `x`: `note.amount` is not a field of the request",
    ),
    "a guard that compares an object with 0": (
        guard("x: buyer above 0"),
        "      x:",
        "guard `x`: `buyer` is neither a number nor an amount",
    ),
    "a guard that compares a list of numbers with 0": (
        [(NOTE, f"{NOTE}\n      sums: number[]"), *guard("x: sums above 0")],
        "      x:",
        "guard `x`: `sums` is neither a number nor an amount",
    ),
    "a guard named like a rule": (
        guard("note-of-old: amount above 0"),
        "      note-of-old: amount above",
        "guard `note-of-old` has the name of a rule of `goods.buy`",
    ),
    # rules
    "a rule about a field that is none": (
        [("need note", "need notes")],
        "note-of-old",
        "rule `note-of-old`: `goods.buy.request.data` has no field `notes`",
    ),
    "a number that is joined of texts": (
        [("need note", "amount is note then kind")],
        "note-of-old",
        "rule `note-of-old`: `amount` is not a text, so that it cannot be compared",
    ),
    "a text that is joined of an array": (
        [("need note", "note is kind then tags")],
        "note-of-old",
        "rule `note-of-old`: `tags` is not a text, so that it cannot be compared",
    ),
    "a text that differs from a field that is none": (
        [("need note", "note differs from buyer.nam")],
        "note-of-old",
        "rule `note-of-old`: `Person` has no field `nam`",
    ),
    "a text that differs from itself": (
        [("need note", "note differs from note")],
        "note-of-old",
        "rule `note-of-old`: `note` is compared with itself",
    ),
    "a condition on a field that is none": (
        [("when kind is OLD", "when sort is OLD")],
        "note-of-old",
        "rule `note-of-old`: `goods.buy.request.data` has no field `sort`",
    ),
    "a path through a text": (
        [("need note", "need note.x")],
        "note-of-old",
        "rule `note-of-old`: `note` is not an object with known fields",
    ),
    "a path through an array": (
        [("need note", "need people.name")],
        "note-of-old",
        "rule `note-of-old`: `people` is an array",
    ),
    "a path to nothing inside": (
        [("need note", "need buyer.age")],
        "note-of-old",
        "rule `note-of-old`: `Person` has no field `age`",
    ),
    "a value that the field never has": (
        [("when kind is OLD", "when kind is OLDER")],
        "note-of-old",
        "rule `note-of-old`: `kind` is never OLDER: it is none of NEW, OLD",
    ),
    "a value too long for the field": (
        [("when kind is OLD", "when key is ABCDEFGHI")],
        "note-of-old",
        "rule `note-of-old`: `key` is never ABCDEFGHI: it has 9 characters",
    ),
    "a state that is none": (
        [("when status is SENT, need colour", "when status is LOST, need colour")],
        "colour-of-sent",
        "rule `colour-of-sent`: `status` is never LOST: it is not a value of `ItemStatus`",
    ),
    "a value of an array": (
        [("when kind is OLD", "when tags is OLD")],
        "note-of-old",
        "rule `note-of-old`: `tags` is not a text",
    ),
    "a value of a number": (
        [("when kind is OLD", "when amount is 3")],
        "note-of-old",
        "rule `note-of-old`: `amount` is not a text",
    ),
    "a demanded value that is none": (
        [("need note", "kind in OLDER")],
        "note-of-old",
        "rule `note-of-old`: `kind` is never OLDER",
    ),
    "an alternative that is none": (
        [("need note", "kind is OLD or note is 123456789012345678901")],
        "note-of-old",
        "rule `note-of-old`: `note` is never 123456789012345678901",
    ),
    "a max of a number": ([("need note", "amount max 3")], "note-of-old", "rule `note-of-old`: `amount` has no length"),
    "a max that is no less": (
        [("need note", "note max 20")],
        "note-of-old",
        "rule `note-of-old`: max 20 is no less than the max 20 of `note`",
    ),
    "a required field refused": (
        [("need note", "refuse amount")],
        "note-of-old",
        "rule `note-of-old`: `amount` is required and refused",
    ),
    "an envelope rule about nothing": (
        [("when code is OK, need data", "when code is OK, need date")],
        "success-has-data",
        "rule `success-has-data`: `goods.buy.response` has no field `date`",
    ),
    # operations
    "an operation without a version": (
        [("    post: /query\n    version: 1.0\n", "    post: /query\n")],
        "goods.query [1.2]",
        "`goods.query` has no version",
    ),
    "a version that the table lacks": (
        [("  goods.query: 1.0\n", "")],
        "    version: 1.0\n    envelope: sealed\n    echoes: key",
        "`goods.query` has version 1.0, and `versions:` does not list it",
    ),
    "a version that the table has otherwise": (
        [("  goods.query: 1.0\n", "  goods.query: 1.1\n")],
        "    version: 1.0\n    envelope: sealed\n    echoes: key",
        "`goods.query` has version 1.0, and spec/shop.yaml:",
    ),
    "a version of no operation": (
        [("  goods.query: 1.0\n", "  goods.query: 1.0\n  goods.sell: 1.0\n")],
        "goods.sell",
        "`goods.sell` has a version and is not an operation",
    ),
    "a key that is not a field": (
        [("    key: key ignoring case", "    key: lock")],
        "    key: lock",
        "`goods.buy` has the key `lock`, which is not a field of its request",
    ),
    "a key that may be absent": (
        [("    key: key ignoring case", "    key: note")],
        "    key: note",
        "`goods.buy` has the key `note`, which its request may leave out",
    ),
    "a write that nothing settles": (
        [(RESOLVED, "")],
        "    key: key ignoring case",
        "`goods.buy` is a write and does not say how an unknown outcome is settled",
    ),
    "a read that is settled": (
        [("    key: key ignoring case\n", "")],
        "    resolved by:",
        "`goods.buy` is not a write, and speaks of repeated or unknown ones",
    ),
    "settled by no operation": (
        [("query: goods.query by", "query: goods.ask by")],
        "      query: goods.ask by key",
        "`goods.buy` is resolved by `goods.ask`, which is not an operation",
    ),
    "settled by a write": (
        [("query: goods.query by", "query: goods.buy by")],
        "      query: goods.buy by key",
        "`goods.buy` is resolved by `goods.buy`, which is not a query",
    ),
    "settled by no field": (
        [("goods.query by key", "goods.query by lock")],
        "      query: goods.query by lock",
        "`goods.buy` is resolved by `lock`, which is not a field of `goods.query`",
    ),
    "done by a member that is not answered": (
        [("goods.query by key\n", "goods.query by key\n      done when: state in R\n")],
        "      done when: state in R",
        "`goods.buy` is done by `state`, which is not a field of the answer of `goods.query`",
    ),
    "done by a value that is none": (
        [("goods.query by key\n", "goods.query by key\n      done when: status in LOST\n")],
        "      done when: status in LOST",
        "`goods.buy` is done when `status` is LOST, and that",
    ),
    "a refused time that proves nothing": (
        [("    refuses: BAD\n", "    refuses: BAD\n    stale: LATE\n")],
        "    stale: LATE",
        "`goods.buy` has LATE under `stale:` of its envelope and not under `refuses:`",
    ),
    "a verb that follows": (
        [
            ("  goods.query [1.2]:", "  goods.follow [1.2]:"),
            ("goods.query by key\n", "goods.follow by key\n"),
            ("  goods.query: 1.0", "  goods.follow: 1.0"),
            ("moves:\n", "follows:\n\n  goods [2]:\n    shown by: goods.follow by key\n    state: status\n\nmoves:\n"),
        ],
        "goods.follow [1.2]",
        "`follow` in `goods.follow` is what follows the resource's items",
    ),
    "placed again after no limit": (
        [("after: again", "after: soon")],
        "      placed again after: soon",
        "`goods.buy` is placed again after `soon`, which is not a span of time",
    ),
    "placed again after a length": (
        [("after: again", "after: key-length")],
        "      placed again after: key-length",
        "`goods.buy` is placed again after `key-length`, which is not a span of time",
    ),
    "an echo that the answer lacks": (
        [("    echoes: key\n    refuses", "    echoes: note\n    refuses")],
        "    echoes: note",
        "`goods.buy` echoes `note`, which is not a field of its response",
    ),
    "an echo that the request lacks": (
        [("    echoes: key\n    refuses", "    echoes: colour\n    refuses")],
        "    echoes: colour",
        "`goods.buy` echoes `colour`, which is not a field of its request",
    ),
    "a member shown that the request lacks": (
        [("    echoes: key\n    refuses", "    echoes: key\n    shows: price as status\n    refuses")],
        "    shows: price as status",
        "`goods.buy` shows `price`, which is not a text or number of its request",
    ),
    "a member shown that is not a value": (
        [("    echoes: key\n    refuses", "    echoes: key\n    shows: buyer as status\n    refuses")],
        "    shows: buyer as status",
        "`goods.buy` shows `buyer`, which is not a text or number of its request",
    ),
    "a member shown that no answer has": (
        [
            (
                "    echoes: key\n    refuses",
                "    echoes: key\n    shows: buyer.name, amount as total.amount\n    refuses",
            )
        ],
        "    shows: buyer.name, amount as total.amount",
        "`goods.buy` shows `total.amount`, which is not a field of its answer, nor of its query's",
    ),
    "a key that is shown as content": (
        [("    echoes: key\n    refuses", "    echoes: key\n    shows: key\n    refuses")],
        "    shows: key",
        "`goods.buy` shows `key`, for which its resolver has no argument",
    ),
    "a read that says what it shows": (
        [("    echoes: key\n    absent", "    echoes: key\n    shows: key\n    absent")],
        "    shows: key",
        "`goods.query` is not a write, and says `shows:`",
    ),
    "no success": (
        [("    succeeds: code is OK\n", "")],
        "goods.query [1.2]",
        "`goods.query` does not say which answer means yes",
    ),
    "success by no field": (
        [("succeeds: code is OK", "succeeds: cody is OK")],
        "    succeeds: cody is OK",
        "`goods.query` succeeds when `cody`, which is not a field of its response",
    ),
    "success by no value": (
        [("succeeds: code is OK", "succeeds: code is OKOKOKOKO")],
        "    succeeds: code is OKOKOKOKO",
        "`goods.query` succeeds when `code` is OKOKOKOKO, and that has 9 characters",
    ),
    "a code too long": (
        [("refuses: POOR", "refuses: IMPOVERISHED")],
        "    refuses: IMPOVERISHED",
        "`goods.buy` has IMPOVERISHED under `refuses:`, and that has 12 characters",
    ),
    "a code of the envelope that is too long": (
        [("    refuses: BAD\n", "    refuses: BAD IMPOVERISHED\n")],
        "    refuses: BAD IMPOVERISHED",
        "`goods.buy` has IMPOVERISHED under `refuses:`, and that has 12 characters",
    ),
    "a question of a key that is not written down": (
        [("    echoes: key\n    refuses", "    echoes: key ?why\n    refuses")],
        "    echoes: key ?why",
        "`?why` is cited and not written down",
    ),
    "a question of the envelope that is not written down": (
        [("    succeeds: code is OK\n", "    succeeds: code is OK ?why\n")],
        "    succeeds: code is OK ?why",
        "`?why` is cited and not written down",
    ),
    "a question of an envelope that is not written down": (
        [("  bare [1]:  ", "  bare [1] ?why:  ")],
        "  bare [1] ?why",
        "`?why` is cited and not written down",
    ),
    "a question of a guard that is not written down": (
        guard("x: amount above 0 ?why"),
        "      x: amount",
        "`?why` is cited and not written down",
    ),
    "a question of an open list that is not written down": (
        [("    ...: ?colours", "    ...: ?colours ?why")],
        "    ...: ?colours ?why",
        "`?why` is cited and not written down",
    ),
    "a code of two meanings": (
        [("refuses: POOR", "refuses: AGAIN")],
        "    repeats: AGAIN ?repeats",
        "`goods.buy` has AGAIN under `repeats:` and under `refuses:`",
    ),
    "a code that means yes and no": (
        [("refuses: POOR", "refuses: OK")],
        "    refuses: OK",
        "`goods.buy` has OK under `refuses:` and under `succeeds:`",
    ),
    "a notification that does not say what happens once": (
        [("    once per: number\n", "")],
        "  goods.sent [3]:",
        "`goods.sent` does not say what it has one effect for",
    ),
    "one effect for what need not come": (
        [("    number!: string", "    number: string")],
        "    once per: number",
        "`goods.sent` is once per `number`, which is not a required text or number of its data",
    ),
    "one effect for a state of nothing": (
        [("once per: number", "once per: state"), ("    number!: string", "    state!: ItemStatus")],
        "    once per: state",
        "`goods.sent` is once per a state of nothing",
    ),
    "one effect for two states": (
        [
            ("once per: number", "once per: number state other"),
            ("    number!: string", "    number!: string\n    state!: ItemStatus\n    other!: ItemStatus"),
        ],
        "    once per: number state other",
        "`goods.sent` is once per more than one state",
    ),
    "one effect for a field twice": (
        [("once per: number", "once per: number number")],
        "    once per: number number",
        "`goods.sent` names a field twice in `once per:`",
    ),
    "a question that does not say how it is decided": (
        [
            ("    notification: Parcel\n    answer: Received", "    request: Parcel\n    response: Received"),
            ("    once per: number\n", ""),
        ],
        "  goods.sent [3]:",
        "`goods.sent` asks the merchant, and does not say how the answer decides",
    ),
    "a decision that its field cannot hold": (
        [
            (
                "    notification: Parcel\n    answer: Received",
                decides("MAYBE_NOT") + "    request: Parcel\n    response: Received",
            ),
            ("    once per: number\n", ""),
            ("    code!: string sends OK\n\nrules", "    code!: string max 8 eg OK\n    why: string\n\nrules"),
        ],
        "      yes: MAYBE_NOT",
        "`goods.sent` decides by `code` being MAYBE_NOT, and that has 9 characters",
    ),
    "limits of a decision that are no numbers": (
        [
            (
                "    notification: Parcel\n    answer: Received",
                decides("MAYBE", "amount: number", "from: code", "to: why")
                + "    request: Parcel\n    response: Received",
            ),
            ("    once per: number\n", ""),
            ("    code!: string sends OK\n\nrules", "    code!: string max 8 eg OK\n    why: string\n\nrules"),
        ],
        "      from: code",
        "`goods.sent` limits its decision by `code`, which is not a number of its answer",
    ),
    "told by no field": (
        [("when: kind is SENT", "when: sort is SENT")],
        "    when: sort is SENT",
        "`goods.sent` is recognised by `sort`, which is not a field of its notification",
    ),
    "told by no value": (
        [("when: kind is SENT", "when: kind is LOST")],
        "    when: kind is LOST",
        "`goods.sent` is recognised by `kind` is LOST, and that is none of SENT",
    ),
    "a notification that shares an address untold": (
        [
            (
                "notifications:\n",
                "notifications:\n\n  # Other goods.\n  goods.lost [3]:\n    post: /sent\n    envelope: bare\n    notification: Parcel\n    answer: Received\n",
            )
        ],
        "    post: /sent\n    envelope: bare\n    notification: Parcel",
        "`goods.lost` shares /sent with `goods.sent`, and nothing tells them apart",
    ),
    "calls that share an address untold": (
        [("post: /query", "post: /buy")],
        "    post: /buy\n    version: 1.0\n    envelope: sealed\n    echoes",
        "`goods.query` shares /buy with `goods.buy`, and nothing tells them apart",
    ),
    "no version to fill in": (
        [("  goods.query: 1.0\n", ""), ("    post: /query\n    version: 1.0\n", "    post: /query\n")],
        "goods.query [1.2]",
        "`goods.query` has no version, and `version` is filled with it",
    ),
    # the whole
    "an operation without a summary": (
        [("  # Buy goods.\n", "")],
        "goods.buy [1.1]",
        "operation `goods.buy` has no summary",
    ),
    "a type without a summary": (
        [("  Person [2]:                                # Somebody.", "  Person [2]:")],
        "  Person [2]",
        "type `Person` has no summary",
    ),
    "a value list without a summary": (
        [("# A colour.", "# [2]")],
        "  Colour [2]",
        "value list `Colour` has no summary",
    ),
    "a format without a summary": (
        [("                                  # Letters and digits.", "")],
        "  code [1]",
        "format `code` has no summary",
    ),
    "a question that is not written down": (field("x: string ?why"), "    x:", "`?why` is cited and not written down"),
    "a condition that is not written down": (
        [("when kind is OLD", "when ?why")],
        "note-of-old",
        "`?why` is cited and not written down",
    ),
    "a question that nobody asks": (
        [("    ...: ?colours\n", "")],
        "  colours [2]",
        "the question `colours` is not cited",
    ),
    "a type that nothing uses": (
        [(TYPES, f"{TYPES}\n  Lost [1]:  # Lost.\n    x: string\n")],
        "  Lost",
        "no message uses the type `Lost`",
    ),
    "a value list that nothing uses": (
        [("enums:\n", "enums:\n\n  Size [2]: S M  # A size.\n")],
        "  Size",
        "no message uses the value list `Size`",
    ),
    "a format that nothing uses": (
        [("formats:\n", "formats:\n\n  day [1]:  # A day.\n    check: calendar_date\n    shown: x\n")],
        "  day [1]",
        "no message uses the format `day`",
    ),
    "a type that contains itself": (field("friends: Person[]"), "  Person [2]", "`Person` contains itself"),
    "a type that contains itself through another": (
        [(TYPES, f"{TYPES}\n  Pet [1]:  # A pet.\n    owner: Person\n"), *field("pet: Pet")],
        "  Pet [1]",
        "`Pet` contains itself",
    ),
    "a check that the runtime lacks": (
        [('    pattern: "[A-Z0-9]+"', "    check: full_moon")],
        "    check: full_moon",
        "format `code`: the runtime has no check `full_moon`",
    ),
    "a limit that its field lacks": (
        [("      key!: code max 8 eg K1 ", "      key!: code max 9 eg K1 ")],
        "key-length [2]",
        "limit `key-length`: `goods.buy.request.key` (spec/shop.yaml:",
    ),
    "a limit of no field": (
        [("goods.buy.request.key", "goods.buy.request.lock")],
        "key-length [2]",
        "limit `key-length`: there is no field `goods.buy.request.lock`",
    ),
    "a limit of no operation": (
        [("max 8 of goods.buy.request.key", "max 8 of goods.sell.request.key")],
        "key-length [2]",
        "limit `key-length`: there is no field `goods.sell.request.key`",
    ),
    "a limit of no message": (
        [("max 8 of goods.buy.request.key", "max 8 of goods.buy.notice.key")],
        "key-length [2]",
        "limit `key-length`: there is no field `goods.buy.notice.key`",
    ),
    "a limit of no rule": (
        [("max 8 of goods.buy.request.key", "max 8 of some-rule")],
        "key-length [2]",
        "limit `key-length`: no rule is called `some-rule`",
    ),
    "a limit that its rule lacks": (
        [("max 8 of goods.buy.request.key", "max 8 of note-of-old")],
        "key-length [2]",
        "limit `key-length`: rule `note-of-old` (spec/shop.yaml:",
    ),
    "a move of no states": (
        [("moves:\n\n  ItemStatus [2]", "moves:\n\n  Colour [2]")],
        "none -> OPEN",
        "`Colour` is not a list of states",
    ),
    "a move to no state": ([("none -> OPEN", "none -> LOST")], "none -> LOST", "`LOST` is not a state of `ItemStatus`"),
    "a move from no state": (
        [("none -> OPEN", "LOST -> OPEN")],
        "LOST -> OPEN",
        "`LOST` is not a state of `ItemStatus`",
    ),
    "a move to none": ([("none -> OPEN", "OPEN -> none")], "OPEN -> none", "`none` is not a state of `ItemStatus`"),
    "a settled state that nothing leads out of": (
        [("SENT final paid: sent", "SENT settled paid: sent")],
        "SENT settled",
        "`SENT` is settled and no move leads out of it; write `final`, or the move",
    ),
    "a move from a final state": ([("none -> OPEN", "SENT -> OPEN")], "SENT -> OPEN", "`SENT` is final and moves on"),
    "two handlers of one name": (
        [
            (
                "types:\n\n",
                "  # A refund ended.\n  refunds.sent [3]:\n    post: /refunded\n    envelope: bare\n    when: kind is BACK\n"
                "    once per: number\n    notification: Refunded\n    answer: Received\n\ntypes:\n\n  Refunded from Parcel [3]:  # It.\n    kind!: string is BACK\n\n",
            )
        ],
        "  refunds.sent [3]:",
        "`refunds.sent` and `goods.sent` (spec/shop.yaml:89) both become `on_sent` among the handlers; "
        "a handler is called by the word behind the dot: give each its own, such as `refunds.refunds_sent`",
    ),
    "times of notifications in fields of two names": (
        [
            (
                "types:\n\n",
                "  # Goods came back.\n  goods.back [3]:\n    post: /back\n    envelope: bare\n    when: kind is BACK\n"
                "    once per: number\n    notification: Back\n    answer: Received\n\ntypes:\n\n  Back [3]:  # It.\n    kind!: string is BACK\n"
                "    backAt!: string from clock\n    number!: string\n\n",
            )
        ],
        "    backAt!:",
        "`goods.back` and `goods.sent` have different fields `from clock`; use one field for both",
    ),
    "a move by no operation": (
        [("goods.buy answered OK", "goods.sell answered OK")],
        "none -> OPEN",
        "`goods.sell` is not an operation",
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_lint_finds(tmp_path: Path, name: str) -> None:
    edits, needle, what = FOUND[name]
    text = changed(*edits)
    line = text[: text.index(needle)].count("\n") + 1 if "\n" in needle else line_of(text, needle)
    found = [str(problem) for problem in lint(contract_of(tmp_path, text))]
    assert any(one.startswith(f"spec/shop.yaml:{line}: {what}") for one in found), found


@pytest.mark.parametrize(
    ("sentence", "demands"),
    [
        ("amount above 0", [("above", ("amount",))]),
        ("amount not below 0", [("not below", ("amount",))]),
        ("buyer.x above 0 and amount above 0", [("above", ("buyer", "x")), ("above", ("amount",))]),
        ("buyer{x y} not below 0 ?colours", [("not below", ("buyer", "x")), ("not below", ("buyer", "y"))]),
    ],
)
def test_a_guard_about_amounts_is_read_and_clean(
    tmp_path: Path, sentence: str, demands: list[tuple[str, tuple[str, ...]]]
) -> None:
    contract = contract_of(
        tmp_path, changed((PERSON, f"{PERSON}\n    x: number\n    y: number"), *guard(f"g: {sentence}"))
    )
    assert [str(problem) for problem in lint(contract)] == []
    (read,) = contract.operations["goods.buy"].guards
    assert [(demand.kind, demand.path) for demand in read.demands] == demands


def test_a_guard_that_is_no_sentence_is_refused_with_the_forms_there_are(tmp_path: Path) -> None:
    with pytest.raises(
        ContractProblems, match="guard `x`: `kind is above` is no demand; write `f above 0` or `f not below 0`"
    ):
        contract_of(tmp_path, changed(*guard("x: amount above 0 and kind is above")))


PATTERNS = {
    "[A-Z]+$": "`$` in a pattern that is for the whole text",
    "^[A-Z]+": "`^` in a pattern that is for the whole text",
    r"\\d+": r"`\d` matches more than ASCII; write [0-9]",
    r"[\\d]+": r"`\d` matches more than ASCII",
    r"\\w+": r"`\w` matches more than ASCII",
    r"\\s": r"`\s` matches more than ASCII",
    r"\\S": r"`\S` matches more than ASCII",
    r"\\Aa": r"`\A` in a pattern that is for the whole text",
    r"a\\Z": r"`\Z` in a pattern that is for the whole text",
    r"a\\b": r"`\b` in a pattern that is for the whole text",
    "(?i)a": "the pattern has a group that is more than a group",
    "(?=a)a": "the pattern has a group that is more than a group",
    "ä+": "the pattern is not ASCII",
    "(a": "the pattern does not compile",
    "a{3,2}": "the pattern does not compile",
    "[a[]]$": "`$` in a pattern that is for the whole text",
    "[]a]$": "`$` in a pattern that is for the whole text",
}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_lint_finds_a_pattern_that_means_more_than_it_seems_to(tmp_path: Path, pattern: str) -> None:
    text = changed(('"[A-Z0-9]+"', f'"{pattern}"'))
    found = [str(problem) for problem in lint(contract_of(tmp_path, text))]
    place = f"spec/shop.yaml:{line_of(text, '    pattern: ')}"
    assert any(one.startswith(f"{place}: format `code`: {PATTERNS[pattern]}") for one in found), found


@pytest.mark.parametrize("pattern", ["(a", "a{3,2}"])
def test_a_pattern_that_does_not_compile_is_told_once_and_not_with_every_example(tmp_path: Path, pattern: str) -> None:
    (found,) = lint(contract_of(tmp_path, changed(('"[A-Z0-9]+"', f'"{pattern}"'))))
    assert "the pattern does not compile" in str(found)


@pytest.mark.parametrize("pattern", ["[^a-z$^]+", r"(?:[A-Z0-9]|\\$|\\^)+", r"[\\x41-\\x5a0-9\\]]+", "[A-Z0-9]{1,8}"])
def test_lint_lets_a_plain_pattern_pass(tmp_path: Path, pattern: str) -> None:
    assert lint(contract_of(tmp_path, changed(('"[A-Z0-9]+"', f'"{pattern}"')))) == ()


LAWFUL: dict[str, list[Edit]] = {
    **{
        f"a notification named {name}": notification_called(name)
        for name in ("close.date", "goods.resolved", "goods.strip_frames")
    },
    "a verb named follow where nothing is followed": query_called("goods.follow"),
    "a number named like no handler": number_called("on_buy"),
    "a member named with an underscore behind it": [("    R RED: red", "    R RED: red\n    A_: red")],
    "a number named with a hundred letters": number_called(LONG),
    "a field that is a keyword, which gets an underscore": field("from: string"),
    "a field of an answer with a second spelling that only differs in case": [
        ("    colour: Colour\n\n", "    colour: Colour\n    priceId: string also priceID\n\n")
    ],
    "an array with a maximum": field("x: number[] max 3"),
    "a time without a format in a question of the gateway": [
        (
            "    notification: Parcel\n    answer: Received",
            decides("MAYBE") + "    request: Parcel\n    response: Received",
        ),
        ("    once per: number\n", ""),
        ("    when: kind is SENT\n", ""),
        ("    code!: string sends OK\n\nrules", "    code!: string max 8 eg OK\n    why: string\n\nrules"),
    ],
    "elements with values": field("x: string[] in LONG LONGER max 2"),
    "a blank code": field("x: code blank eg A1"),
    "a blank member": field("x: ItemStatus blank max 4"),
    "a condition on an open list": [("when status is SENT, need colour", "when colour is GREEN, status is SENT")],
    "a key longer than what its query can ask for": [("      key!: code max 8\n", "      key!: code max 7\n")],
    "two calls told apart by a fixed value": [
        ("post: /query", "post: /buy"),
        ("      note: string max 20", "      note: string max 20\n      what!: string is buy"),
        ("      key!: code max 8\n    response", "      key!: code max 8\n      what!: string is query\n    response"),
    ],
    "a rule that max and values share": [("need note", "note max 19 and kind in OLD")],
    "a limit that a rule carries": [
        ("need note", "note max 19"),
        ("max 8 of goods.buy.request.key", "max 19 of note-of-old"),
    ],
    "a limit on a field inside": [("max 8 of goods.buy.request.key", "max 64 of goods.buy.request.buyer.name")],
    "a settled state with a move out of it": [
        ("SENT final paid: sent", "SENT settled paid: sent"),
        ("none -> OPEN: goods.buy answered OK", "SENT -> OPEN: goods come back"),
    ],
    "a write that acts on what a query shows, whose state may be absent": [
        ("    status!: ItemStatus", "    status: ItemStatus"),
        ("versions:\n", "versions:\n  goods.drop: 1.0\n"),
        (
            "  # Ask what became of goods.\n",
            "  # Drop goods.\n  goods.drop [1.1]:\n    post: /drop\n    version: 1.0\n    envelope: sealed\n    key: key\n"
            "    acts on: goods.query\n    resolved by:\n      query: goods.query by key\n      done when: status in SENT\n"
            "    request:\n      key!: code max 8 eg K1\n    response: Item\n\n  # Ask what became of goods.\n",
        ),
    ],
    "a move from any state": [("none -> OPEN", "any -> OPEN SENT")],
    "a condition that no field tells": [("when kind is OLD", "when ?colours")],
}


@pytest.mark.parametrize("name", LAWFUL)
def test_lint_lets_pass(tmp_path: Path, name: str) -> None:
    assert lint(contract_of(tmp_path, changed(*LAWFUL[name]))) == ()


def test_the_small_contract_is_clean(tmp_path: Path) -> None:
    assert check(folder_of(tmp_path, SHOP)) == ()


def test_the_contract_of_the_gateway_is_clean() -> None:
    assert lint(load(SPEC)) == ()


def test_a_name_has_at_most_a_hundred_letters_whatever_it_names(tmp_path: Path) -> None:
    long, wide = LONG + "a", f"{LONG.title()}a"
    text = changed(
        *type_called(wide),
        *number_called(long),
        *notification_called(f"goods.{long[6:]}"),
        ("formats:\n", f'formats:\n\n  {long} [1]:  # Digits.\n    pattern: "[0-9]+"\n    shown: digits\n'),
        (
            "signatures:\n",
            f'signatures:\n\n  {long} [1]:  # It.\n    covers: "{{body}}"\n    written: "{{base64 of RSA-SHA256}}"\n',
        ),
        ("enums:\n", f"enums:\n\n  E{long[1:]} [2]:  # Colours.\n    R: red\n    ...: ?colours\n"),
    )
    found = [str(one) for one in lint(contract_of(tmp_path, text)) if "more than 100" in str(one)]
    assert sorted(int(one.split(":")[1]) for one in found) == sorted(
        number for number, line in enumerate(text.split("\n"), 1) if LONG[6:] in line
    )


@pytest.mark.parametrize("stem", ["my-shop", "größe", "import", "_shop", "sets"])
def test_a_file_name_must_be_a_module(tmp_path: Path, stem: str) -> None:
    folder = folder_of(tmp_path, SHOP)
    (folder / "shop.yaml").rename(folder / f"{stem}.yaml")
    assert [str(one) for one in check(folder)] == [
        f"spec/{stem}.yaml:1: `{stem}` is not a name for a module; rename the file, such as orders.yaml"
    ]


def test_a_type_of_another_file_may_not_have_the_validator_of_a_request(tmp_path: Path) -> None:
    more = "types:\n\n  {} [2]:  # Something.\n    x!: string\n"
    contract = load(folder_of(tmp_path, SHOP, more=more.format("GoodsBuyRequestData")))
    (found,) = (problem for problem in lint(contract) if "validators" in str(problem))
    assert "GoodsBuyRequestData" in str(found)
    assert "among the validators of spec/shop.yaml" in str(found)
    pair = (more.format("HTTPCode"), more.format("HttpCode"))
    (found,) = (
        problem
        for problem in lint(load(folder_of(tmp_path, SHOP, more=pair[0], others=pair[1])))
        if "both" in str(problem)
    )
    assert "both become `http_code` among the validators" in str(found)
    (tmp_path / "spec" / "others.yaml").unlink()
    contract = load(folder_of(tmp_path, SHOP, more=more.format("GoodsBuyRequestDatum")))
    assert [problem for problem in lint(contract) if "validators" in str(problem)] == []


def test_each_problem_says_what_to_do_and_none_is_told_twice(tmp_path: Path) -> None:
    text = changed(
        *field("x!: string max 2 eg ABC default ABC"), ("      amount!: number eg 10.50", "      amount!: number max 3")
    )
    found = lint(contract_of(tmp_path, text))
    assert len(found) == len(set(found)) == 4
    assert all(isinstance(problem, Problem) and problem.do for problem in found)
    assert [problem.place.line for problem in found] == sorted(problem.place.line for problem in found)


def test_lines_that_cannot_be_understood_and_lines_that_make_no_sense_are_told_at_once(tmp_path: Path) -> None:
    text = changed((PERSON, "    name!: strnig max 64 pii"), (NOTE, "      note: string max 0"))
    found = [str(problem).split(";")[0] for problem in check(folder_of(tmp_path, text))]
    assert found == [
        f"spec/shop.yaml:{line_of(text, 'note: string max 0')}: `note`: max 0 leaves nothing to write",
        f"spec/shop.yaml:{line_of(text, 'strnig')}: no type is called `strnig`",
    ]


def test_a_contract_that_cannot_be_read_is_told_by_check(tmp_path: Path) -> None:
    assert [str(one.place) for one in check(folder_of(tmp_path, "types:\n  A [1]: {}\n"))] == ["spec/shop.yaml:2"]
    assert "cannot be read" in str(check(tmp_path / "nothing")[0])
