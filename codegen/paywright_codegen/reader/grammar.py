"""The grammar of the contract's language, once: sections and keys, the form of each text, and facets. `rules` has the forms of sentences.

Reader, formatter, advice, the schema for editors and the page of the language are made of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from functools import cache
from typing import Final, NamedTuple

FACETS: Mapping[str, str] = {
    "exactly": "count", "min": "count", "max": "count", "range": "range", "blank": "", "is": "value", "in": "values", "eg": "values",
    "sends": "value", "default": "value", "also": "value", "secret": "", "pan": "", "pii": "", "from": "value",
}  # fmt: skip
"""Facets of a field in the order in which the formatter writes them, each with what stands behind it."""
EXCLUDED = (("is", "in"), ("is", "eg"), ("in", "eg"), ("exactly", "max"), ("exactly", "min"))
REDACTIONS = ("secret", "pan", "pii")

_MEMBER, _WORD, _STATE = "[A-Za-z][A-Za-z0-9_-]*", "[a-z][a-z0-9_]*", "[A-Za-z0-9_-]+"
_VARIES: Mapping[str, str] = {
    "member": _MEMBER,
    "path": rf"{_MEMBER}([.]{_MEMBER})*",
    "once": r"[A-Za-z][A-Za-z0-9_.-]*(\{[A-Za-z0-9_. -]+\})?",
    "operation": f"{_WORD}[.]{_WORD}",
    "word": _WORD,
    "dashed": "[a-z][a-z0-9]*(-[a-z0-9]+)*",
    "limit": "[a-z][a-z0-9-]*",
    "type": "[A-Z][A-Za-z0-9]*",
    "value": r"[^\s?]+",
    "values": r"[^\s?,]+( [^\s?,]+)*",
    "state": _STATE,
    "states": f"{_STATE}( {_STATE})*",
    "constant": "[A-Z][A-Z0-9_]*",
    "end": "(final|settled)",
    "money": "(paid|returned)",
    "ignoring": "ignoring case",
    "count": "[0-9]{1,9}",
    "few": "[0-9]{1,2}",
    "unit": "[smhd]",
    "cited": r" \[[0-9]+([.][0-9]+)*(, [0-9]+([.][0-9]+)*)*\]",
    "asked": r"( \?[a-z][a-z0-9-]*)*",
}

# A block, and under it its keys (`key!` must be there): title, how it is written, form, two spaces apart; or `key = BLOCK`. `<name>`
# are names of any kind, with `<each>` under them, and `<text>` may stand in place of entries. A form is a regular expression with
# `{name=kind}`, or `{kind}`, for what varies; questions may stand behind it but for `!`; it is prose behind `~`; `...` are several.
_TABLE = r"""
FIELDS  fields  write one `name!: type facets` a line
  <name>  a field name  write `name:` or `name!:` in the wire's own letters, sections and questions behind it  !{member}!?({cited})?{asked}
  <each>  a field  write `type facets`, such as `string max 64`
MESSAGE FIELDS  a message  write its fields one a line, or the name of a type
  <text>  a type  write its name  !{type}
RULES  rules  write one `name [4.1]: sentence` a line
  <name>  the name of a rule  write it like which-order [4.13]  !{dashed}({cited})?{asked}
  <each>  a rule  write one sentence, such as `when a is given, need b`
RESOLVED  how an unknown outcome is settled  write `query:` and, where they hold, `done when:`, `placed again after:` and `else:` under it; or `nothing`
  <text>  no query  write it  nothing
  query!  the query that settles it  write it, and the member of its request with the key: `orders.query by outTradeNo`  {operation} by {member}
  done when  what says that the write took effect  write a member of the query's answer and its values: `status in A B`  {member} in {values}
  placed again after  the time after which what is not there may be placed again  write the name of a limit  {limit}
  else  what is done before that time  write `queried again`  queried again
BACK  what is given back of one operation  write `key:`, `gateway id:` or both
  key  the key of what was paid  write the member of the refund's request that has it  {member}
  gateway id  the gateway's own id of what was paid  write the member of the refund's request that has it  {member}
  within  the time within which it may be given back  write the limit, and the time in the operation's answer from which it counts: `refund-window of transactionUtcTime`  {limit} of {member}
BACKS  what a refund gives back  write `OP:`, the query or notification that shows what was paid, and under it `key:`, `gateway id:` or both
  <name>  the name of an operation  write it like orders.query  !{operation}
  <each> = BACK
DECIDES  how the answer decides  write `answer:`, `yes:`, `no:` and `why not:`; for an amount with limits also `amount:`, `from:` and `to:`
  answer!  the member that decides  write a member of the answer  {member}
  yes!  what means yes  write a value of that member  {value}
  no!  what means no  write a value of that member  {value}
  why not!  the reason of a no  write a member of the answer  {member}
  amount  the amount in question  write a member of the question  {member}
  from  the least amount of a yes  write a member of the answer  {member}
  to  the largest amount of a yes  write a member of the answer  {member}
ENVELOPE  an envelope  write `request:` and `response:`, their headers and rules, `payload:`, `succeeds:`, `message:`, `refuses:` and `stale:`
  headers = FIELDS
  request = FIELDS
  request rules = RULES
  response headers = FIELDS
  response = FIELDS
  response rules = RULES
  payload  the member with the operation's own fields  write its name  {member}
  succeeds  what means success  write it like `code is APPLY_SUCCESS`  {path} is {value}
  message  a member of the answer  write its name, or its path such as `result.words`  {path}
  refuses  a list of codes that prove that nothing happened  write them on one line, apart by spaces  {value} ...
  stale  a list of codes for a time that is too old or too new  write them on one line, apart by spaces  {value} ...
CALL  a call  write its address and envelope
  post!  an address  write `/path`, or the `?question` that says why it is not shown  (/[^\s?]+|\?[a-z][a-z0-9-]*)
  version  a version  write it like 1.5  ~![0-9]+[.][0-9]+
  envelope!  the name of an envelope  write one of `envelopes:`  !{word}
  echoes  a list of fields in which answers repeat the request  write them on one line, apart by spaces  {value} ...
  each echoes  a list of fields of elements that repeat the request  write them like `tokenList.userId` or `currencyList{side currency} in pairList`, with commas between  {value} ...
  with request = FIELDS
  with response = FIELDS
  with headers = FIELDS
  with response headers = FIELDS
  without  a list of rule names  write them on one line, apart by spaces  {value} ...
  rules = RULES
  amount  an amount and its currency  write `FIELD in FIELD`, or with steps such as `trade.amount in trade.currency`  {member=path} in {currency=path}
  gateway id  the gateway's own id  write a member, such as `refundTradeNo` or `plan.number`  {path}
  succeeds  what means success  write it like `code is APPLY_SUCCESS`  {path} is {value}
OPERATION CALL  an operation  write `post:`, `version:`, `envelope:`, `request:` and `response:`; of a write also `key:` and `resolved by:`
  request! = MESSAGE
  response! = MESSAGE
  response rules = RULES
  before sending = RULES
  key  the key of a write  write a field of the request, with `ignoring case` where it holds  {member}( {ignoring})?
  acts on  what a write acts on  write the query that shows what the write changes, and does not make  {operation}
  gives back = BACKS
  lists  a list of lists  write `LIST by FIELD`, with commas between: each element has that key, and a state  {items=member} by {key=member}, ...
  shows  a list of members that answers show  write `FIELD` or `FIELD as FIELD.FIELD`, with commas between  {asked=path}( as {answered=path})?, ...
  resolved by = RESOLVED
  refuses  a list of codes that prove that nothing happened  write them on one line, apart by spaces  {value} ...
  repeats  a list of codes for a key that was used before  write them on one line, apart by spaces  {value} ...
  absent  a list of codes for a key that is not there  write them on one line, apart by spaces  {value} ...
NOTIFICATION CALL  a call of the service on the merchant  write `notification:` and `answer:`, or `request:` and `response:`
  request = MESSAGE
  response = MESSAGE
  when  what tells the notification from others  write it like `notifyType is RECEIVE`  {member} is {value}
  once per  what a notification tells of  write fields of its data, such as `requestNo status` or `plan.number detail{index status}`  {once} ...
  about  what a notification is about  write the query that shows it, and the member of the notification's data with its key: `orders.query by outTradeNo`  {operation} by {path}
  into  the account that the money came into  write a member of its data, such as `payee.accountNo`  {path}
  decides = DECIDES
  notification = MESSAGE
  answer = MESSAGE
SEEN  a notification seen elsewhere  write `about:`, `state:`, `amount:` and `address:`
  about!  what a notification is about  write the query that shows it, and the member of the notification's data with its key: `orders.query by outTradeNo`  {operation} by {path}
  state!  the member with the state  write a member of the notification's data  {member}
  amount!  an amount and its currency  write `FIELD in FIELD`, or with steps such as `trade.amount in trade.currency`  {member=path} in {currency=path}
  address!  the member with the address  write the member of a request, or of what the query shows, that names where it is sent: `notifyUrl`  {member}
FOLLOWED  how the items of a resource are followed  write `shown by:` and `state:`; where it is so also `each:`, `amount:`, and `open for:` or `open until:`
  shown by!  what shows an item  write the query, and the member of its request with the key; or the notification that alone tells of it: `orders.query by outTradeNo`  {operation} by {member}
  state!  the member with the state  write it, such as `status`  {path}
  each  the state of each part of an item  write a member through a list, such as `payByLinkInfo.status`: the item is not settled before they are  {path}
  amount  an amount and its currency  write `FIELD in FIELD`, or with steps such as `trade.amount in trade.currency`  {member=path} in {currency=path}
  open for  the longest time that an item stays open  write the name of a limit  {limit}
  open until  the time until which an item can stay open  write a member, such as `expiresAt`  {path}
FORMAT  a format  write `pattern:` or `check:`, then `shown:`, and `python:` where it is not str
  pattern  a pattern  write a regular expression in quotes
  check  the name of a check  write a function of the runtime such as ip_address  !{word}
  python  a Python type  write str, date, datetime or Decimal  !(str|date|datetime|Decimal)
  shown!  how the format is shown  write it like `3 uppercase letters`
SIGNATURE  a signature  write `covers:` and `written:`; where the merchant chooses its form, also `chosen by:` and `sends:`
  covers!  what a signature covers  write a text in quotes with {body}, {body sha256}, {body minified sha256}, {method}, {path}, {newline}, {access_token} or the name of a header in braces
  written!  how a signature is written  write a text in quotes around {base64 of RSA-SHA256}; other spellings are base64url and hex
  chosen by  who chooses the form  write a signer of `merchant:`  !{word}
  sends  a header beside the signature  write it in quotes, like "Authorization: Bearer {access_token}"  ![A-Za-z][A-Za-z0-9-]*: .+
QUESTION  a question  write `says:`, `does:` and, where something was seen, `seen:`
  says!  a sentence  write it on the key's line  ~
  does!  a sentence  write it on the key's line  ~
  seen  a sentence  write it on the key's line  ~
SET  a value list  write the values apart by spaces, or one `VALUE: meaning` a line
  <name>  a value  write `VALUE`, `VALUE MEMBER_NAME` or `...`, and `final` or `settled` behind it, and behind that `paid` or `returned`  !([.]{3}|{state}( {constant})?( {end}( {money})?)?)
  <each>  the meaning of a value  say what the value means  ~
  <text>  values  write them apart by spaces  ~([A-Za-z0-9_-]+|[.]{3}) ...
SETS  value lists  write `Name [3]:` and the values under it
  <name>  the name of a value list  write it like OrderStatus [3]  !{type}{cited}{asked}
  <each> = SET
MOVES  moves  write `BEFORE -> AFTER: what brings it about`
  <name>  a move  write `none -> PENDING`, `any -> 00` or `A -> B C`  {before=state} -> {states}
  <each>  what brings a move about  say it like `refunds.create answered APPLY_SUCCESS`  ~
formats  formats  write `name [2]:` and `pattern:` or `check:` under it
  <name>  the name of a format  write it like currency [2], in small letters  !{word}{cited}{asked}
  <each> = FORMAT
merchant  what the gateway knows a merchant by  write `name!: id`, `name: text` or `name_signature: signer` a line
  <name>  the name of a number  write it like app_id! [2.1]  !{word}!?({cited})?{asked}
  <each>  a number of the merchant  write id (says who it is), text (any other) or signer (makes the signature of a call)  (id|text|signer)
signatures  signatures  write `name [5]:` with `covers:` and `written:` under it
  <name>  the name of a signature  write it like body [5]  !{word}{cited}{asked}
  <each> = SIGNATURE
envelopes  envelopes  write `name [2.1]:` and its parts under it
  <name>  the name of an envelope  write it like gateway [2.1]  !{word}{cited}{asked}
  <each> = ENVELOPE
limits  limits  write `name [8]: 120 s` or `name [2]: 8 decimals`
  <name>  the name of a limit  write it like refund-window [8]  !{dashed}{cited}{asked}
  <each>  a limit  write `120 s`, `180 d`, or `8 decimals`, which no number that the client sends has more of  ({count} {unit}|{few} decimals)
operations  operations  write `resource.verb [4.1]:` and its parts under it
  <name>  the name of an operation  write it like refunds.create [4.13]  !{operation}{cited}{asked}
  <each> = OPERATION
notifications  notifications  write `resource.verb [6.1]:` and its parts under it
  <name>  the name of an operation  write it like refunds.create [4.13]  !{operation}{cited}{asked}
  <each> = NOTIFICATION
seen elsewhere  notifications seen elsewhere  write `KIND [6.3]:` and its parts under it
  <name>  the kind of a notification  write it like PAYMENT [6.3], as the notification itself names its kind  ![A-Za-z0-9_.-]+{cited}{asked}
  <each> = SEEN
types  types  write `Name [2.3]:` and its fields under it
  <name>  the name of a type  write it like Money [2.3] or Case from Dispute [2.12]  !{type}( from {parent=type})?{cited}{asked}
  <each> = FIELDS
rules  rules  write `TypeName:` and its rules under it
  <name>  the name of a type  write it like Refund  !{type}
  <each> = RULES
enums = SETS
states = SETS
moves  moves  write `StatusName [3]:` and its moves under it
  <name>  the name of a value list  write it like OrderStatus [3]  !{type}{cited}{asked}
  <each> = MOVES
follows  what is followed  write `resource [3]:` and how its items are followed to their last state
  <name>  the name of a resource  write it like refunds [3, 4.14]  !{word}{cited}{asked}
  <each> = FOLLOWED
questions  questions  write `name [7.9]:` with `says:` and `does:` under it
  <name>  the name of a question  write it like error-codes [7.9]  !{dashed}{cited}
  <each> = QUESTION
"""


class Beside(NamedTuple):
    """A demand on a block beside its keys: in the schema for editors, and of the keys that are there."""

    schema: Mapping[str, object] = {}
    holds: Callable[[Set[str]], bool] = lambda keys: True


_ANY: Final = Beside()
_BESIDE: Mapping[str, Beside] = {
    "BACK": Beside(
        {"anyOf": [{"required": ["key"]}, {"required": ["gateway id"]}]},
        lambda keys: bool(keys & {"key", "gateway id"}),
    ),
    "DECIDES": Beside(
        {"dependencies": {"amount": ["from", "to"], "from": ["amount", "to"], "to": ["amount", "from"]}},
        lambda keys: len(keys & {"amount", "from", "to"}) in (0, 3),
    ),
    "FOLLOWED": Beside(
        {"not": {"required": ["open for", "open until"]}}, lambda keys: not keys >= {"open for", "open until"}
    ),
}


@dataclass(frozen=True, slots=True)
class Text:
    """A text: what it is, how it is written, its form ("" for any), and what stands between several of that form."""

    title: str
    do: str
    form: str = ""
    between: str = ""
    prose: bool = False  # editors may read it as a number or a truth value
    asks: bool = True  # questions may stand behind it


@dataclass(slots=True)
class Block:
    """A block of entries: its keys; or names of one form, with what stands under each. `text` may stand in place of the entries."""

    title: str
    do: str
    keys: dict[str, Node] = field(default_factory=dict)
    required: list[str] = field(default_factory=list)
    name: Text | None = None
    each: Node | None = None
    text: Text | None = None
    beside: Beside = _ANY


Node = Text | Block


_VARYING = re.compile(r"\{(?:([a-z]+)=)?([a-z]+)\}")


def pattern(text: Text) -> str:
    """Return the regular expression of a text, without the names of what varies."""
    form = _VARYING.sub(lambda found: _VARIES[found[2]], text.form)
    several = f"({text.between}{form})*" if text.between else ""
    return f"^{form}{several}{_VARIES['asked'] if text.asks else ''}$"


@cache
def _named(form: str) -> re.Pattern[str]:
    return re.compile(_VARYING.sub(lambda found: f"(?P<{found[1] or found[2]}>{_VARIES[found[2]]})", form))


def varying(text: Text, written: str) -> list[dict[str, str]]:
    """Return what varies in a text of this form, by name; once for each of several."""
    parts = written.split(text.between) if text.between else [written]
    found = (_named(text.form).fullmatch(part) for part in parts)
    return [{name: said for name, said in one.groupdict().items() if said is not None} for one in found if one]


def _text(title: str, do: str, form: str = "") -> Text:
    prose, form = form.startswith("~"), form.removeprefix("~")
    asks, form = bool(form) and not form.startswith("!"), form.removeprefix("!")
    between = ", " if form.endswith(", ...") else " " if form.endswith(" ...") else ""
    return Text(title, do, form.removesuffix(f"{between}..."), between, prose, asks)


def _blocks() -> dict[str, Block]:
    blocks: dict[str, Block] = {}
    block = Block("", "")
    for line in _TABLE.strip().split("\n"):
        name, *said = re.split(" {2,}| = ", line.strip())
        if not line.startswith(" "):
            name, _, base = name.partition(" ") if name.isupper() else (name, "", "")
            block = Block(said[0], said[1], beside=_BESIDE.get(name, _ANY)) if said[1:] else blocks[said[0]]
            if base:
                one = blocks[base]
                block.keys, block.required, block.name, block.each = {**one.keys}, [*one.required], one.name, one.each
            blocks[name] = block
            continue
        node: Node = _text(*said) if said[1:] else blocks[said[0]]
        if name.startswith("<"):
            setattr(block, name.strip("<>"), node)
        else:
            block.keys[name.removesuffix("!")] = node
            block.required.extend([name.removesuffix("!")] if name.endswith("!") else [])
    return blocks


_BLOCKS = _blocks()
FILE = Block(
    "a contract file",
    "write sections such as `types:`",
    {name: block for name, block in _BLOCKS.items() if not name.isupper()},
)
"""A file of a contract: its sections."""


def _keys_of(*blocks: str) -> frozenset[str]:
    wanted = [_BLOCKS[name] for name in blocks]
    nodes = (item for block in _BLOCKS.values() for item in block.keys.items())
    return frozenset(key for key, node in nodes if any(node is one for one in wanted))


FIELDS, RULES = _keys_of("FIELDS", "MESSAGE"), _keys_of("RULES")
"""Keys with fields under them, and keys with rules."""
