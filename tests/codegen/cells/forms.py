"""The forms that each key of the contract language takes: the shop's contract with one thing said otherwise.

The keys are those of the grammar: a key without a form fails the test of this table. `words` are the linter's where it
refuses the form, and nothing where the form generates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from paywright_codegen.reader.grammar import FILE, Block
from paywright_runtime.contract.formats import FORMS
from tests.codegen.cells.contracts import Edits, in_answer, in_request, question


@dataclass(frozen=True)
class Form:
    """One form of a key. The problem stands in the first line that the edits change, or in that which begins with `at`."""

    name: str
    edits: Edits
    words: str = ""
    at: str = ""


def keys_of_the_language() -> frozenset[str]:
    """The sections of a file, and the keys of operations, notifications, envelopes and formats."""
    found = set(FILE.keys)
    for section, block in FILE.keys.items():
        each = block.each if isinstance(block, Block) else None
        for key, inner in each.keys.items() if isinstance(each, Block) and section != "questions" else ():
            found.add(f"{section}: {key}")
            found |= {f"{key}: {one}" for one in inner.keys} if isinstance(inner, Block) else set()
    return frozenset(found)


_POST, _POST_QUERY = "    post: /buy\n", "    post: /query\n"
_BUY = "    version: 1.0\n    envelope: sealed\n    key: key ignoring case\n"
_QUERY = "    version: 1.0\n    envelope: sealed\n    echoes: key\n    absent: NONE\n    request:\n      key!: code max 8\n    response: Item\n"
_SETTLED = (
    "    resolved by:\n      query: goods.query by key\n      placed again after: again\n      else: queried again\n"
)
_ECHOES = "    echoes: key\n    refuses: POOR\n"
_ENVELOPE = "    response rules:\n      success-has-data [1]: when code is OK, need data\n    payload: data\n    succeeds: code is OK\n    refuses: BAD\n"
_NESTED: Edits = (
    ("      code!: string max 8 eg OK\n", "      result!: Result\n"),
    (
        "types:\n",
        "types:\n\n  Result [1]:  # How it ended.\n    status!: string in S F U\n    code!: string max 8 eg OK\n    words: string eg Well.\n",
    ),
    (_ENVELOPE, "    payload: data\n    succeeds: result.code is OK\n    refuses: BAD\n"),
)
_TIME = (
    "formats:\n",
    "formats:\n\n  time [1]:  # A moment.\n    check: request_time\n    python: datetime\n    shown: of its form\n",
)
_CHOSEN: Edits = (
    _TIME,
    ("  merchant_no: id ", "  shop_signature: signer                     # How calls are signed.\n  merchant_no: id "),
    (
        "signatures:\n",
        'signatures:\n\n  shop_key [1]:  # With a key.\n    covers: "{method}:{path}:{body sha256}:{X-A}"\n    written: "{base64 of RSA-SHA256}"\n'
        "    chosen by: shop_signature\n",
    ),
)
_BY_CHOICE = (
    "    refuses: POOR\n",
    "    refuses: POOR\n    with headers:\n      X-A!: time from clock\n      X-SIGNATURE!: string from merchant.shop_signature\n",
)
_COVERS, _WRITTEN = '    covers: "{body}"\n', '    written: "{base64 of RSA-SHA256}"\n'
_SENT = "    post: /sent\n    envelope: bare\n    when: kind is SENT\n    once per: number\n    notification: Parcel\n    answer: Received\n"
_PARCEL = "    number!: string\n"
_TYPES = "types:\n"
_FORMATS = "formats:\n"
_RULES = "    rules:\n      note-of-old [1.1]: when kind is OLD, need note\n    response: Item\n"


def _follows(*lines: str, of: str = "goods") -> Edits:
    said = "".join(f"    {line}\n" for line in lines)
    return (("moves:\n", f"follows:\n\n  {of} [2]:\n{said}\nmoves:\n"),)


_ENVELOPES = "envelopes:\n"
_FLAT = (
    "envelopes:\n\n  flat [1]:  # No wrapper.\n    headers:\n      sign!: string secret from signature.body\n    request:\n"
    "      version!: string from operation.version\n    response headers:\n      sign!: string secret from signature.body\n    response:\n"
    "      code!: string eg OK\n      msg: string\n    succeeds: code is OK\n"
)
_WRAPPED = (
    "envelopes:\n\n  told [1]:  # A body that wraps `data`.\n    headers:\n      sign!: string secret from signature.body\n    request:\n"
    "      kind!: string eg SENT\n      toldAt!: string from clock\n      shop!: string from merchant.app_id\n      data!: object\n    payload: data\n"
)
_BOX = "    box!: Box\n    part!: number\n    status!: ItemStatus\n"
_BOX_TYPE = f"{_TYPES}\n  Box [3]:  # A box.\n    number!: code\n    status!: ItemStatus\n"


def _type(text: str) -> tuple[str, str]:
    return _TYPES, f"{_TYPES}\n{text}"


def _query(
    *, echoes: str = "    echoes: key\n", asks: str = "      key!: code max 8\n", answer: str = "Item", more: str = ""
) -> tuple[str, str]:
    changed = f"    version: 1.0\n    envelope: sealed\n{echoes}    absent: NONE\n{more}    request:\n{asks}    response: {answer}\n"
    return _QUERY, changed


def _of_buy(lines: str) -> tuple[str, str]:
    return _ECHOES, f"{_ECHOES}{lines}"


def _sent(lines: str = "", **changes: str) -> tuple[str, str]:
    text = _SENT
    for old, new in changes.items():
        key = old.replace("_", " ")
        line = next(line for line in _SENT.splitlines(keepends=True) if line.startswith(f"    {key}:"))
        text = text.replace(line, f"    {key}: {new}\n" if new else "")
    return _SENT, text.replace("    notification:", f"{lines}    notification:", 1) if lines else text


def _format(name: str, lines: str) -> Edits:
    return (
        (_FORMATS, f"{_FORMATS}\n  {name} [1]:  # A format.\n{lines}    shown: of its form\n"),
        in_request(f"x: {name}"),
        in_answer(f"y: {name}"),
    )


# A refund of what was bought: its request has an amount, a currency and what it is of; the query shows when.
_MONEY = (
    in_request("currency!: string eg EUR"),
    in_answer("price!: number", "currency!: string", "itemNo!: string", "made!: string"),
)
_BACK = (
    "  # Give back what was paid.\n  goods.refund [1.3]:\n    post: /refund\n    version: 1.0\n    envelope: sealed\n    key: back\n"
    "    resolved by: nothing\n    amount: sum in currency\n    gives back:\n{}    request:\n      back!: code eg B1\n"
    "      sum!: number eg 1\n      currency!: string eg EUR\n      key: code max 8\n      itemNo: string\n    response: Person\n\n"
)
_QUERIED = "  # Ask what became of goods.\n"


def _back(
    *lines: str,
    of: str = "goods.query",
    shown: str = "    amount: price in currency\n",
    made: str = "    gateway id: itemNo\n",
) -> Edits:
    said = "".join(f"{line}\n" for line in (f"      {of}:", *(f"        {line}" for line in lines)))
    return (
        *_MONEY, _of_buy(made), _query(more=shown), (_QUERIED, _BACK.format(said) + _QUERIED),
    )  # fmt: skip


_SEEN = (
    "notifications:\n",
    "seen elsewhere:\n\n  # Goods were lost.\n  {} [3]:\n    about: {}\n    state: {}\n    amount: worth.sum in worth.currency\n    address: {}\n\nnotifications:\n",
)


def _seen(
    kind: str = "LOST", about: str = "goods.query by number", state: str = "status", address: str = "note"
) -> Edits:
    return ((_SEEN[0], _SEEN[1].format(kind, about, state, address)),)


_TOLD_APART = (_POST_QUERY, _POST)
_CHILD = _type("  Child from Person [2]:  # One more.\n{}")[1]


def _child(*lines: str) -> Edits:
    """A type from another one, in a request and in an answer."""
    text = "".join(f"    {line}\n" for line in lines)
    grown = "    name!: string max 64 pii\n"
    return (
        (_TYPES, _CHILD.format(text)), in_request("x: Child", "y: Child[]"), in_answer("x: Child", "y: Child[]"),
        (grown, f"{grown}    nick: string max 9\n    age: number\n"),
    )  # fmt: skip


def _decided(said: Mapping[str, str]) -> Edits:
    limits = {"amount": "sum", "from": "least", "to": "most"}
    answer = "    allowed!: string in YES NO\n    part: string\n    why: string\n    least: number\n    most: number\n"
    return question(answer, "    a!: string\n    sum!: number\n", {**limits, **said})


_DECISIONS = {
    key: (Form("another one", _decided({key: text}), words, f"      {key}: {text}"),)
    for key, text, words in (
        ("answer", "part", "decides by `part`, which is not a required text"),
        ("yes", "MAYBE", "decides by `allowed` being MAYBE, and that is none of YES, NO"),
        ("no", "NEVER", "decides by `allowed` being NEVER, and that is none of YES, NO"),
        ("why not", "allowed", "gives its reason in `allowed`, which is not an optional text"),
        ("amount", "a", "limits its decision by `a`, which is not a number of the question"),
        ("from", "why", "limits its decision by `why`, which is not a number of its answer"),
        ("to", "why", "limits its decision by `why`, which is not a number of its answer"),
    )
}

FORMS: dict[str, tuple[Form, ...]] = {
    "operations: post": (
        Form("not shown", ((_POST, "    post: ?colours\n"),)),
        Form("shared, told apart by a member", (_TOLD_APART, in_request("op!: string is BUY"), _query(asks="      key!: code max 8\n      op!: string is ASK\n"))),
        Form("shared, told apart by a member of the envelope", (
            _TOLD_APART, _of_buy("    with request:\n      op!: string is BUY\n"), _query(more="    with request:\n      op!: string is ASK\n"))),
    ),
    "operations: version": (
        Form("two digits", ((_BUY, _BUY.replace("1.0", "2.10")),)),
    ),
    "operations: envelope": (
        Form("without data", ((_ENVELOPES, _FLAT), (_QUERY, _QUERY.replace("sealed", "flat")))),
        Form("without data, of a write", ((_ENVELOPES, _FLAT), (_BUY, _BUY.replace("sealed", "flat")))),
    ),
    "operations: echoes": (
        Form("none", ((_ECHOES, "    refuses: POOR\n"),)),
        Form("none of the query", (_query(echoes=""),)),
        Form("two, one of them optional", ((_ECHOES, _ECHOES.replace("echoes: key", "echoes: key note")), in_answer("note: string"))),
        Form("what the client fills in", (
            (_ECHOES, _ECHOES.replace("echoes: key", "echoes: key shop sort")), in_request("shop!: string from merchant.merchant_no", "sort!: string is A"),
            in_answer("shop!: string", "sort!: string"))),
        Form("a value list", ((_ECHOES, _ECHOES.replace("echoes: key", "echoes: key hue")), in_request("hue: Colour"), in_answer("hue: Colour"))),
        Form("an amount", (
            (_FORMATS, f'{_FORMATS}\n  sum [1]:  # An amount.\n    pattern: "[0-9]+([.][0-9]+)?"\n    python: Decimal\n    shown: decimal text\n'),
            (_ECHOES, _ECHOES.replace("echoes: key", "echoes: key paid")), in_request("paid!: sum"), in_answer("paid!: sum"))),
    ),
    "operations: each echoes": (
        Form("a list", (_query(echoes="    each echoes: items.key\n", answer="Items"), _type("  Items [2]:  # Some.\n    items!: Item[]\n"))),
        Form("an optional list and an optional member", (
            _query(echoes="    each echoes: items.shop\n", asks="      key!: code max 8\n      shop: string eg S1\n", answer="Items"),
            _type("  Items [2]:  # Some.\n    items: Item[]\n"), in_answer("shop: string"))),
        Form("one of several that are asked for", (
            _query(echoes="    each echoes: items{key shop} in pairs\n", asks="      key!: code max 8\n      pairs: Pair[]\n", answer="Items"),
            _type("  Items [2]:  # Some.\n    items!: Item[]\n\n  Pair [2]:  # A pair.\n    key!: code max 8\n    shop: string eg S1\n"),
            in_answer("shop: string"))),
        Form("one of a list of texts, and a member", (
            _query(echoes="    each echoes: items.shop in shops, items.key\n", asks="      key!: code max 8\n      shops: string[] eg S1\n", answer="Items"),
            _type("  Items [2]:  # Some.\n    items!: Item[]\n"), in_answer("shop: string"))),
        Form("one of a list of other things", (
            _query(echoes="    each echoes: items.key in pairs\n", asks="      key!: code max 8\n      pairs: Pair[]\n", answer="Items"),
            _type("  Items [2]:  # Some.\n    items!: Item[]\n\n  Pair [2]:  # A pair.\n    shop!: string eg S1\n")),
            "`items.key in pairs` under `each echoes:`, and `pairs` is no list with `key` or of texts", "    each echoes: items.key in pairs"),
    ),
    "operations: with request": (
        Form("one more", (_of_buy("    with request:\n      branch: string from merchant.merchant_no\n"),)),
        Form("dropped", (_of_buy("    with request:\n      version: none\n"),)),
        Form("overridden", (_of_buy("    with request:\n      version!: string max 5 from operation.version\n"),)),
        Form("data dropped", (_of_buy("    with request:\n      data: none\n"),)),
    ),
    "operations: with response": (
        Form("one more", (_of_buy("    with response:\n      at!: string eg A\n"),)),
        Form("overridden", (_of_buy("    with response:\n      code!: string in OK POOR BAD AGAIN\n"),)),
        Form("tightened", (_of_buy("    with response:\n      code!: string max 5 eg OK\n"),)),
        Form("data dropped", (_of_buy("    without: success-has-data\n    with response:\n      data: none\n"),)),
        Form("data required", (_of_buy("    with response:\n      data!: object\n"),)),
    ),
    "operations: with headers": (
        Form("one more", (_of_buy("    with headers:\n      X-A!: string sends A\n      X-B: string from merchant.merchant_no\n"),)),
        Form("of all sources", (_of_buy(
            "    with headers:\n      X-A!: time from clock\n      X-B!: string from digits.30\n      X-SIGNATURE!: string from merchant.shop_signature\n"), *_CHOSEN)),
    ),
    "operations: with response headers": (Form("one more", (_of_buy("    with response headers:\n      X-A: string\n"),)),),
    "operations: without": (
        Form("a rule", (_of_buy("    without: success-has-data\n"),)),
    ),
    "operations: request": (
        Form("of a type", (
            _type("  Wanted [1.2]:  # What is asked for.\n    key!: code max 8\n"),
            (_QUERY, _QUERY.replace("request:\n      key!: code max 8\n", "request: Wanted\n")))),
    ),
    "operations: response": (
        Form("of the same type as a member", (in_answer("inner: Person"), _query(answer="Person", echoes=""))),
    ),
    "operations: rules": (
        Form("a path", ((_RULES, _RULES.replace("need note", "need buyer.name and refuse tags")),)),
        Form("braces", ((_RULES, _RULES.replace("need note", "need buyer{name}")),)),
        Form("documented", ((_RULES, _RULES.replace("when kind is OLD", "when ?repeats")),)),
    ),
    "operations: response rules": (
        Form("about data", (_of_buy("    response rules:\n      whole [1]: when code is OK, need data.status\n"),)),
    ),
    "operations: before sending": (
        Form("a number", (_of_buy("    before sending:\n      some [1]: amount above 0\n"),)),
        Form("two", (_of_buy("    before sending:\n      some [1]: amount above 0 and amount not below 0\n"),)),
        Form("of an object", (_of_buy("    before sending:\n      some [1]: buyer.age not below 0\n"), ("    name!: string max 64 pii\n", "    name!: string max 64 pii\n    age: number\n"))),
        Form("that refuses the example", (_of_buy("    before sending:\n      some [1]: amount above 0\n"), ("      amount!: number eg 10.50", "      amount!: number eg 0")),
            "would not send the example of `goods.buy`", "      some [1]: amount above 0"),
    ),
    "operations: key": (
        Form("by its letters", ((_BUY, _BUY.replace(" ignoring case", "")),)),
        Form("a value list", (
            ("      key!: code max 8 eg K1 ", "      key!: Colour max 8 eg R "), ("    key!: code max 8\n    status", "    key!: string max 8\n    status"),
            in_request("used: code"), _query(asks="      key!: string max 8\n"))),
    ),
    "operations: amount": (
        Form("of a write", (*_MONEY, _of_buy("    amount: amount in currency\n"))),
        Form("of a query", (*_MONEY, _query(more="    amount: price in currency\n"))),
        Form("inside an object", (
            _query(more="    amount: price.value in price.currency\n"), _type("  Price [2]:  # A price.\n    value: number\n    currency: string\n"), in_answer("price: Price"))),
        Form("a text", (*_MONEY, _of_buy("    amount: note in currency\n")), "has the amount `note`, which is not a number or decimal text"),
        Form("in nothing", (_of_buy("    amount: amount in currency\n"),), "has the currency `currency`, which is not a text of its request"),
    ),
    "operations: gateway id": (
        Form("of a write", (*_MONEY, _of_buy("    gateway id: itemNo\n"))),
        Form("inside an object", (_query(more="    gateway id: buyers.name\n"), in_answer("buyers: Person"))),
        Form("with a second spelling", (_of_buy("    gateway id: itemId\n"), in_answer("itemId: string also itemID")), "has a second spelling"),
    ),
    "operations: acts on": (
        Form("a query", (_of_buy("    acts on: goods.query\n"),)),
        Form("a write", (_of_buy("    acts on: goods.buy\n"),), "acts on `goods.buy`, which is not a query"),
        Form("nothing", (_of_buy("    acts on: goods.lost\n"),), "acts on `goods.lost`, which is not an operation"),
        Form("of a read", (_query(more="    acts on: goods.query\n"),), "is not a write, and says `acts on:`"),
    ),
    "operations: gives back": (
        Form("by key", _back("key: key")),
        Form("by key or id, within a time", _back("key: key", "gateway id: itemNo", "within: again of made")),
        Form("by id", _back("gateway id: itemNo")),
        Form("of two", (*_back("key: key", "within: again of made\n      goods.sent:\n        gateway id: itemNo"), _sent("    amount: part in number\n    gateway id: number\n"), (_PARCEL, f"{_PARCEL}    part!: number\n"))),
        Form("by a number", _back("key: sum"), "gives back by `sum`, which is not a text of its request", "        key: sum"),
        Form("of nothing", _back("key: key", of="goods.lost"), "gives back of `goods.lost`, which is not an operation", "      goods.lost:"),
        Form("of a write", _back("key: key", of="goods.buy"), "gives back of `goods.buy`, which is a write", "      goods.buy:"),
        Form("of what has no amount", _back("key: key", shown=""), "does not say which member is its amount", "      goods.query:"),
        Form("by an id that nothing shows", _back("gateway id: itemNo", made=""), "and nothing shows that id", "        gateway id: itemNo"),
        Form("within no time", _back("key: key", "within: key-length of made"), "which is not a span of time in `limits:`", "        within: key-length of made"),
        Form("from no time", _back("key: key", "within: again of price"), "counts from `price` of `goods.query`, which is not a text", "        within: again of price"),
        Form("of a notification by key", (*_back("key: key", of="goods.sent"), _sent("    amount: part in number\n"), (_PARCEL, f"{_PARCEL}    part!: number\n")),
            "gives back of the notification `goods.sent` by `key: key`", "        key: key"),
        Form("of a read", (*_MONEY, _query(more="    gives back:\n      goods.query:\n        key: key\n    amount: price in currency\n")), "gives back money, and has no `key:`", "    gives back:"),
    ),
    "operations: lists": (
        Form("things with a state", (_query(echoes="    lists: items by key\n", answer="Items"), _type("  Items [2]:  # Some.\n    items!: Item[]\n"))),
        Form("things without a state", (_query(echoes="    lists: items by name\n", answer="Items"), _type("  Items [2]:  # Some.\n    items!: Person[]\n")), "whose elements have no state"),
        Form("by no text", (_query(echoes="    lists: items by nmae\n", answer="Items"), _type("  Items [2]:  # Some.\n    items!: Item[]\n")), "which is not a text of its elements"),
        Form("no list", (_query(more="    lists: status by key\n"),), "which is not an array of objects of its answer"),
    ),
    "operations: shows": (
        Form("a number", (_of_buy("    shows: amount\n"), in_answer("amount: number"))),
        Form("by a second spelling", (_of_buy("    shows: amount\n"), in_answer("amount: number also sum")),
            "shows `amount`, which has a second spelling", "    shows: amount"),
        Form("by another name", (_of_buy("    shows: amount as price.value, note\n"), _type("  Price [2]:  # A price.\n    value: number\n"), in_answer("price: Price", "note: string"))),
        Form("a date", (
            (_FORMATS, f"{_FORMATS}\n  day [1]:  # A day.\n    check: calendar_date\n    python: date\n    shown: yyyy-MM-dd\n"),
            _of_buy("    shows: on\n"), in_request("on: day"), in_answer("on: day"))),
    ),
    "operations: resolved by": (
        Form("nothing", ((_SETTLED, "    resolved by: nothing\n"), ("limits:\n  again [2]: 300 s\n\n", ""))),
    ),
    "resolved by: query": (
        Form("never placed again", ((_SETTLED, "    resolved by:\n      query: goods.query by key\n"), ("limits:\n  again [2]: 300 s\n\n", ""))),
        Form("another member", (
            (_SETTLED, _SETTLED.replace("by key", "by other")),
            _query(asks="      other!: code max 8\n", echoes=""))),
        Form("a query that asks for more", (_query(asks="      key!: code max 8\n      shop!: string\n      part: number\n"),)),
    ),
    "resolved by: done when": (Form("a state", ((_SETTLED, _SETTLED.replace("by key\n", "by key\n      done when: status in SENT\n")),)),),
    "resolved by: placed again after": (
        Form("an unknown time", ((_SETTLED, _SETTLED.replace("after: again", "after: soon")),), "is placed again after `soon`, which is not a span of time"),
    ),
    "resolved by: else": (Form("not queried again", ((_SETTLED, _SETTLED.replace("      else: queried again\n", "")),)),),
    **{f"decides: {key}": forms for key, forms in _DECISIONS.items()},
    "operations: succeeds": (
        Form("another value", (
            _of_buy("    succeeds: code is FINE\n    without: success-has-data\n"),
            ("goods.buy answered OK", "goods.buy answered FINE"))),
        Form("a value list", (("      code!: string max 8 eg OK\n", "      code!: string in OK BAD POOR AGAIN NONE\n"),)),
    ),
    "operations: refuses": (Form("none", ((_ECHOES, "    echoes: key\n"),)), Form("two", ((_ECHOES, _ECHOES.replace("POOR", "POOR LATE")),))),
    "operations: repeats": (Form("none", (("    repeats: AGAIN ?repeats\n", ""), ("  repeats [1.1]:\n    says: what answers a repeated key is not shown\n    does: AGAIN is read so\n    seen: AGAIN\n", ""))),),
    "operations: absent": (Form("none", (("    absent: NONE\n", ""),)),),
    "notifications: post": (Form("not shown", (_sent(post="?colours"),)),),
    "notifications: version": (Form("one", (_sent("    version: 1.0\n"),)),),
    "notifications: envelope": (
        Form("with data", (
            _sent(envelope="told", notification="Box", once_per="number status"), (_ENVELOPES, _WRAPPED), (_TYPES, _BOX_TYPE),
            ("  bare [1]:                                  # Headers alone.\n    headers:\n      sign!: string secret from signature.body\n\n", ""),
            ("  Parcel [3]:                                # A parcel.\n    kind!: string is SENT\n    toldAt!: string from clock\n    number!: string\n\n", ""))),
    ),
    "notifications: echoes": (Form("a member", (_sent("    echoes: number\n"), ("    code!: string sends OK\n", "    code!: string sends OK\n    number: string\n"))),),
    "notifications: each echoes": (Form("a list that is not there", (_sent("    each echoes: items.key\n"),), "which is not a field of a list of its answer"),),
    "notifications: with request": (Form("one more", (_sent("    with request:\n      shop!: string from merchant.app_id\n"),), "tells of something without a name", "    notification: Parcel"),),
    "notifications: with response": (
        Form("one more", (_sent("    with response:\n      msg: string\n"),)),
    ),
    "notifications: with headers": (Form("one more", (_sent("    with headers:\n      X-A: string\n"),)),),
    "notifications: with response headers": (Form("one more", (_sent("    with response headers:\n      X-A: string sends A\n"),)),),
    "notifications: without": (Form("a rule that is not there", (_sent("    without: other\n"),), "has no rule `other` to drop"),),
    "notifications: request": (Form("beside a notification", (_sent("    request: Item\n"),), "`request:` beside a notification"),),
    "notifications: response": (Form("beside a notification", (_sent("    response: Item\n"),), "`response:` beside a notification"),),
    "notifications: rules": (Form("about a type", (_sent("    rules:\n      whole [3]: need number\n"),), "is about the type `Parcel`", "      whole [3]: need number"),),
    "notifications: when": (
        Form("a value list", (("    kind!: string is SENT\n", "    kind!: string in SENT LOST\n"),)),
        Form("an open value list", (("    kind!: string is SENT\n", "    kind!: Colour\n"), _sent(when="kind is R"))),
    ),
    "notifications: succeeds": (Form("a member", (_sent("    succeeds: code is OK\n"), (_PARCEL, f"{_PARCEL}    code!: string eg OK\n{_BOX}"), (_TYPES, _BOX_TYPE))),),
    "notifications: once per": (
        Form("a path, a number and a state", (_sent(once_per="box.number part status"), (_PARCEL, _PARCEL + _BOX), (_TYPES, _BOX_TYPE))),
        Form("braces", (_sent(once_per="number box{number status}"), (_PARCEL, _PARCEL + _BOX), (_TYPES, _BOX_TYPE))),
    ),
    "notifications: decides": (Form("of a notification", (_sent("    decides:\n      answer: code\n      yes: OK\n      no: NO\n      why not: msg\n"),), "asks nothing of the merchant"),),
    "notifications: about": (
        Form("a query", (_sent("    about: goods.query by number\n"),)),
        Form("a write", (_sent("    about: goods.buy by number\n"),), "is about `goods.buy`, which is not a query"),
        Form("by no text", (_sent("    about: goods.query by nmuber\n"),), "which is not a text of its notification"),
    ),
    "notifications: amount": (
        Form("a number", (_sent("    amount: part in number\n"), (_PARCEL, f"{_PARCEL}    part!: number\n"))),
        Form("a text", (_sent("    amount: number in number\n"),), "has the amount `number`, which is not a number or decimal text of its notification"),
    ),
    "notifications: into": (
        Form("a text", (_sent("    into: number\n"),)),
        Form("that is not there", (_sent("    into: other\n"),), "is paid into `other`, which is not a text of its notification"),
    ),
    "notifications: gateway id": (
        Form("a text", (_sent("    gateway id: number\n"),)),
        Form("that is not there", (_sent("    gateway id: other\n"),), "has the gateway id `other`, which is not a text of its notification"),
    ),
    "seen elsewhere: about": (
        Form("a query", _seen()),
        Form("a write", _seen(about="goods.buy by number"), "which is not a query", "    about: goods.buy by number"),
        Form("what shows no state", (*_seen(about="goods.who by number"), (_QUERIED,
            "  # Ask who.\n  goods.who [1.3]:\n    post: /who\n    version: 1.0\n    envelope: sealed\n    request:\n      key!: code\n    response: Person\n\n" + _QUERIED)), "which shows no state", "    about: goods.who by number"),
    ),
    "seen elsewhere: state": (Form("a member", _seen(state="stateOfIt")),),
    "seen elsewhere: amount": (Form("inside an object", _seen()),),
    "seen elsewhere: address": (Form("no member", _seen(address="nowhere"), "which no message has", "    address: nowhere"),),
    "seen elsewhere": (
        Form("a kind that is shown", _seen(kind="SENT"), "the notification `SENT` is shown as `goods.sent`", "  SENT [3]:"),
        Form("none that is shown", (*_seen(), _sent(when="")), "cannot be told from others", "  LOST [3]:"),
    ),
    "notifications: notification": (
        Form("without a name", (
            _sent(notification=""), ("    answer: Received\n", "    answer: Received\n    notification:\n      kind!: string is SENT\n      toldAt!: string from clock\n      number!: string\n")),
            "tells of something without a name", "    notification:"),
    ),
    "notifications: answer": (Form("without a name", (("    answer: Received\n", "    answer:\n      code!: string sends OK\n"),
        ("  Received [3]:                              # The merchant's answer.\n    code!: string sends OK\n\n", ""))),),
    "envelopes: headers": (Form("a source of each kind", (("    headers:\n      sign!: string secret from signature.body\n    request:\n",
        "    headers:\n      sign!: string secret from signature.body\n      X-T!: time from clock\n      X-M: string from merchant.app_id\n      X-S!: string sends A\n    request:\n"), _TIME)),),
    "envelopes: request": (Form("a constant", (("      version!: string from operation.version\n", "      version!: string from operation.version\n      v!: string is 1\n      w: string sends 2\n"),)),),
    "envelopes: request rules": (Form("about data", (("    response headers:\n", "    request rules:\n      whole [1]: need data\n    response headers:\n"),)),),
    "envelopes: response headers": (Form("one more", (("    response headers:\n", "    response headers:\n      X-A: string\n"),)),),
    "envelopes: response": (Form("one more", (("      code!: string max 8 eg OK\n", "      code!: string max 8 eg OK\n      msg: string\n      at!: number\n"),)),),
    "envelopes: response rules": (
        Form("none", ((_ENVELOPE, "    payload: data\n    succeeds: code is OK\n    refuses: BAD\n"),)),
        Form("about a refusal", ((_ENVELOPE, _ENVELOPE.replace("need data\n", "need data\n      no-data [1]: when code in BAD NONE, refuse data\n")),)),
    ),
    "envelopes: payload": (
        Form("of another name", ((_ENVELOPE, _ENVELOPE.replace("need data", "need what").replace("payload: data", "payload: what")),
            ("      data!: object\n", "      what!: object\n"), ("      data: object\n", "      what: object\n"))),
    ),
    "envelopes: succeeds": (
        Form("one level down", _NESTED),
    ),
    "envelopes: message": (
        Form("one level down", (*_NESTED[:-1], (_ENVELOPE, _NESTED[-1][1].replace("    refuses", "    message: result.words\n    refuses")))),
    ),
    "envelopes: refuses": (Form("none", ((_ENVELOPE, _ENVELOPE.replace("    refuses: BAD\n", "")),)),),
    "envelopes: stale": (
        Form("a code", ((_ENVELOPE, f"{_ENVELOPE}    stale: BAD\n"),)),
    ),
    "merchant": (
        Form("a text", (("  merchant_no: id ", "  branch: text                               # A branch.\n  merchant_no: id "),
            _of_buy("    with request:\n      branch: string from merchant.merchant_no\n"))),
        Form("none that every merchant has", (("  app_id!: id", "  app_id: id"),), "nothing says by which number the gateway knows a merchant"),
        Form("without prose", (("  app_id!: id                                # The shop.\n", "  app_id!: id\n"),), "`app_id` has no prose"),
        Form("a signer without a form", (("  merchant_no: id ", "  shop_signature: signer                     # Calls.\n  merchant_no: id "),), "no signature is `chosen by` it"),
        Form("a signer by another name", (("  merchant_no: id ", "  shop: signer                               # Calls.\n  merchant_no: id "),), "`shop` is a signer"),
    ),
    "signatures": (
        Form("that nothing uses", (("signatures:\n", 'signatures:\n\n  other [1]:  # Another.\n    covers: "{body}"\n    written: "{base64 of RSA-SHA256}"\n'),), "nothing is `from signature.other`"),
        Form("twice in a response", (_of_buy("    with response headers:\n      sign2: string from signature.body\n"),), "has more than one signature in its response", "      sign2: string from signature.body"),
        Form("twice in a notification", (_sent("    with headers:\n      sign2: string from signature.body\n"),), "has more than one signature in its notification", "      sign2: string from signature.body"),
    ),
    "signatures: covers": (
        Form("a hash", ((_COVERS, '    covers: "{body minified sha256}"\n'),)),
        Form("method, body and words", ((_COVERS, '    covers: "{method} {body}, signed"\n'),)),
        Form("no body", ((_COVERS, '    covers: "{method}"\n'),), "it covers no body"),
        Form("a brace alone", ((_COVERS, '    covers: "{body}}"\n'),), "has an unpaired brace"),
        Form("a header that is not there", ((_COVERS, '    covers: "{X-T}:{body}"\n'),), "which is not a required header of"),
        Form("itself", ((_COVERS, '    covers: "{sign}:{body}"\n'),), "which carries it"),
    ),
    "signatures: written": (
        Form("hex", ((_WRITTEN, '    written: "{hex of RSA-SHA256}"\n'),)),
        Form("base64url in words", ((_WRITTEN, '    written: "v=1; s={base64url of RSA-SHA256}."\n'),)),
    ),
    "signatures: chosen by": (
        Form("a signer", (*_CHOSEN, _BY_CHOICE)),
        Form("another header than the time's", (*_CHOSEN, _BY_CHOICE, ("{X-A}", "{X-B}")), "`{X-B}` is not the header with the time", "    covers: \"{method}:{path}:{body sha256}:{X-B}\""),
    ),
    "signatures: sends": (
        Form("a token", (*_CHOSEN, _BY_CHOICE, ("{body sha256}:{X-A}", "{access_token}:{body sha256}:{X-A}"),
            ('RSA-SHA256}"\n    chosen by: shop_signature\n', 'HMAC-SHA256}"\n    chosen by: shop_signature\n    sends: "X-Token: {access_token}"\n'))),
        Form("of what nobody chooses", ((_WRITTEN, f'{_WRITTEN}    sends: "X-Token: A"\n'),), "`sends:` is for a signature that the merchant chooses"),
    ),
    "formats: pattern": tuple(
        Form(pattern, _format("form", f"    pattern: '{pattern}'\n"))
        for pattern in ("[A-Z]{2}", "a|bc|", "[^A]*", "[a-z]+?x", "(?:ab)+", "\\.[.]", ".*", "[\\\\/]", "a{0,3}", "(a|b)*c", "\\u00e9*", "[\\t -]+")
    ),
    "formats: check": tuple(Form(check, _format("form", f"    check: {check}\n")) for check in FORMS),
    "formats: python": (
        Form("text", _format("form", "    pattern: '[A-Z]*'\n    python: str\n")),
        Form("an amount", _format("form", "    pattern: '[0-9]+'\n    python: Decimal\n")),
        *(Form(f"a date by {one}", _format("form", f"    check: {one}\n    python: date\n")) for one in ("calendar_date", "calendar_day", "start_date")),
        *(Form(f"a time by {one}", _format("form", f"    check: {one}\n    python: datetime\n"))
          for one in ("request_time", "zoned_time", "offset_time", "period_time", "moment", "rate_moment", "rate_time",
                      "epoch_millis", "epoch_seconds")),
    ),
    "formats: shown": (Form("in quotes", _format("form", "    pattern: '[A-Z]*'\n").__class__(
        ((_FORMATS, f"{_FORMATS}\n  form [1]:  # A format.\n    pattern: '[A-Z]*'\n    shown: like \"A\\\" {{}} and %s\n"), in_request("x: form"))),),),
    "formats": (Form("in the order of its users", (in_request("x: code[] max 3", "y: code blank"),)),),
    "envelopes": (Form("one that nobody uses", ((_ENVELOPES, _FLAT),), "no operation has the envelope `flat`"),),
    "limits": (Form("of decimals", (("limits:\n", "limits:\n  exact [2]: 2 decimals\n"),)),
        Form("of no decimals", (("limits:\n", "limits:\n  exact [2]: 0 decimals\n"), ("eg 10.50", "eg 10")),),
        Form("of decimals, twice", (("limits:\n", "limits:\n  exact [2]: 2 decimals\n  other [2]: 3 decimals\n"),), "another limit says how many decimals", "  other [2]: 3 decimals"),
        Form("that an example breaks", (("limits:\n", "limits:\n  exact [2]: 1 decimals\n"),), "has 10.50, and at most 1 decimals are sent", "      amount!: number eg 10.50"),),
    "operations": (Form("a second resource", (
        ("  # Ask what became of goods.\n", "  # Buy a book.\n  books.buy [1.3]:\n    post: /book\n    version: 1.0\n    envelope: sealed\n    key: isbn\n    resolved by: nothing\n"
         "    request:\n      isbn!: code\n    response: Person\n\n  # Ask what became of goods.\n"),)),),
    "notifications": (Form("none", (("notifications:\n\n  # Goods were sent.\n  goods.sent [3]:\n" + _SENT + "\n", ""),
        ("  bare [1]:                                  # Headers alone.\n    headers:\n      sign!: string secret from signature.body\n\n", ""),
        ("  Parcel [3]:                                # A parcel.\n    kind!: string is SENT\n    toldAt!: string from clock\n    number!: string\n\n", ""),
        ("  Received [3]:                              # The merchant's answer.\n    code!: string sends OK\n\n", ""))),),
    "types": (
        Form("from another", _child("more: string")),
        Form("from another, one dropped", _child("nick: none")),
        Form("from another, all dropped", _child("nick: none", "age: none", "name: none", "other!: string")),
        Form("from another, one overridden", _child("age: string max 3")),
        Form("from another, one tightened", _child("nick!: string max 3", "name!: string max 5 pii")),
        Form("from another, and that from a third", (*_child("more: string"), ("  Child from", "  Grandchild from Child [2]:  # Two more.\n    even: boolean\n    nick: none\n\n  Child from"),
            ("      x: Child\n", "      x: Child\n      z: Grandchild\n"))),
        Form("from itself", ((_TYPES, _CHILD.format("    more: string\n").replace("from Person", "from Child")), in_request("x: Child")), "comes from itself", "  Child from Child [2]:"),
    ),
    "rules": (
        Form("inherited", (*_child("more: string"), ("rules:\n\n  Item:\n", "rules:\n\n  Person:\n    nick-of-age [2]: when age is given, need nick\n\n  Item:\n"))),
        Form("overridden", (*_child("more: string"), ("rules:\n\n  Item:\n",
            "rules:\n\n  Person:\n    nick-of-age [2]: when age is given, need nick\n\n  Child:\n    nick-of-age [2]: when age is given, need more\n\n  Item:\n"))),
        *(Form(f"of a member that the child drops: {rule}", (*_child("nick: none"), ("rules:\n\n  Item:\n", f"rules:\n\n  Person:\n    about-nick [2]: {rule}\n\n  Item:\n")))
          for rule in ("when nick is given, need age", "when nick in A B, need age", "when age is given, refuse nick", "nick max 5 and nick differs from name",
                       "when age is given, nick is empty")),
        *(Form(f"of a member that the child drops and needs: {rule}", (*_child("nick: none"), ("rules:\n\n  Item:\n", f"rules:\n\n  Person:\n    about-nick [2]: {rule}\n\n  Item:\n")),
               "`Child` has no field `nick`", "    about-nick [2]:")
          for rule in ("when age is given, need nick", "need age or nick", "nick is A or name is B")),
    ),
    "enums": (
        Form("closed", (("    ...: ?colours\n", ""), ("  colours [2]:\n    says: which colours there are is not shown\n    does: open list\n\n", ""))),
        Form("on one line", ((_TYPES, f"{_TYPES}"), ("enums:\n", "enums:\n\n  Hue [2]: 1 two-b C  # A hue.\n"), in_request("x!: Hue", "y: Hue[]"), in_answer("x!: Hue", "y: Hue[]"))),
        Form("with names of their own", (("enums:\n", "enums:\n\n  Hue [2]:  # A hue.\n    00 NULL: none\n    01: one\n"), in_request("x!: Hue"), in_answer("x!: Hue"))),
    ),
    "states": (
        Form("returned", (("    OPEN: not finished yet\n", "    OPEN: not finished yet\n    BACK final returned: came back ?repeats\n"),)),
        Form("settled", (("    OPEN: not finished yet\n", "    OPEN settled: not finished yet\n"), ("    none -> OPEN: goods.buy answered OK\n", "    none -> OPEN: goods.buy answered OK\n    OPEN -> SENT: it is sent\n"))),
    ),
    "moves": (Form("from any", (("    none -> OPEN: goods.buy answered OK\n", "    none -> OPEN: goods.buy answered OK\n    OPEN -> SENT: it is sent\n    any -> OPEN: it comes back\n"),)),),
    "follows": (
        Form("by a query", _follows("shown by: goods.query by key", "state: status")),
        Form("by a notification", (*_follows("shown by: goods.sent by number", "state: status"), (_PARCEL, f"{_PARCEL}    status!: ItemStatus\n"))),
        Form("of no resource", _follows("shown by: goods.query by key", "state: status", of="good"), "no resource is called `good`", "  good [2]:"),
    ),
    "follows: shown by": (
        Form("by no operation", _follows("shown by: goods.ask by key", "state: status"), "no operation is called `goods.ask`", "    shown by: goods.ask by key"),
        Form("by a write", _follows("shown by: goods.buy by key", "state: status"), "`goods.buy` is a write", "    shown by: goods.buy by key"),
        Form("by no member", _follows("shown by: goods.query by number", "state: status"), "`number` is not a member of `goods.query`", "    shown by: goods.query by number"),
        Form("by what is not a text", (*_follows("shown by: goods.query by number", "state: status"), ("    request:\n      key!: code max 8\n    response: Item\n", "    request:\n      key!: code max 8\n      number: number\n    response: Item\n")),
             "is followed by `number` of `goods.query`, which is not a text", "    shown by: goods.query by number"),
        Form("by a query that asks for more", (*_follows("shown by: goods.query by key", "state: status"), ("    request:\n      key!: code max 8\n    response: Item\n", "    request:\n      key!: code max 8\n      branch!: string\n    response: Item\n"))),
        Form("by a query that asks for an argument of its own", (*_follows("shown by: goods.query by key", "state: status"), ("    request:\n      key!: code max 8\n    response: Item\n", "    request:\n      key!: code max 8\n      expiresAt!: string\n    response: Item\n")),
             "which also requires `expiresAt`, and that name is the key's", "    shown by: goods.query by key"),
        Form("of a write that shows an argument of its own", (*_follows("shown by: goods.query by key", "state: status"), ("    echoes: key\n    refuses: POOR\n", "    echoes: key\n    shows: unknown\n    refuses: POOR\n"),
             ("      kind: string in NEW OLD\n", "      kind: string in NEW OLD\n      unknown: string\n"), ("    colour: Colour\n", "    colour: Colour\n    unknown: string\n")), "`unknown` is an argument of `follow`", "    shown by: goods.query by key"),
    ),
    "follows: state": (
        Form("by no state", _follows("shown by: goods.query by key", "state: colour"), "`colour` is not a state in `goods.query`", "    state: colour"),
        Form("without a state", _follows("shown by: goods.query by key"), "`goods [2]` lacks `state:`", "  goods [2]:"),
    ),
    "follows: amount": (
        Form("with no amount", _follows("shown by: goods.query by key", "state: status", "amount: paid in colour"), "`paid` is not a member of what `goods.query` shows", "    amount: paid in colour"),
    ),
    "follows: open for": (
        Form("for no time", _follows("shown by: goods.query by key", "state: status", "open for: key-length"), "`goods` is open for `key-length`, which is not a span of time in `limits:`", "    open for: key-length"),
    ),
    "follows: open until": (
        Form("until a time", (*_follows("shown by: goods.query by key", "state: status", "open until: sentAt"), ("    colour: Colour\n", "    colour: Colour\n    sentAt: string\n"))),
    ),
    "follows: each": (
        Form("with all of it", (*_follows("shown by: goods.query by key", "state: status", "each: parts.status", "amount: paid in colour", "open for: again ?repeats"),
                                ("    colour: Colour\n", "    colour: Colour\n    paid: number\n    parts: Part[]\n"), (_TYPES, f"{_TYPES}\n  Part [2]:  # One of them.\n    status: ItemStatus\n"))),
    ),
    "questions": (Form("asked nowhere", (("questions:\n", "questions:\n\n  other [2]:\n    says: nothing\n    does: nothing\n"),), "is not cited"),),
}  # fmt: skip
