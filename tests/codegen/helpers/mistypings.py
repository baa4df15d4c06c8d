"""What a person mistypes in a contract: a change of one place of the tiny contract each, and what the linter says of it.

`docs/contract.md` lists them too, with the linter's own words.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

from tests.codegen.helpers.contract_texts import problem_line

_NO_SPACES = str.maketrans("", "", " \n")
TINY = Path(__file__).parents[1] / "tiny"


class Mistyping(NamedTuple):
    """A change of a file, and how what the linter says of it begins.

    `old`, which stands there once, becomes `new`. The problem stands in the first line that changes, or in that which begins with `at`.
    """

    file: str
    old: str
    new: str
    says: str
    at: str = ""


MISTYPINGS: dict[str, Mistyping] = {
    # sections and keys
    "a section's name": Mistyping(
        "goods",
        "\ntypes:\n",
        "\ntype:\n",
        "`type` is not known here; did you mean `types`? Else write one of the keys of a contract file: ",
    ),
    "an operation's key": Mistyping(
        "goods",
        "    refuses: POOR",
        "    refuse: POOR",
        "`refuse` is not known here; did you mean `refuses`? Else write one of the keys of an operation: ",
    ),
    "a key of a notification in an operation": Mistyping(
        "goods",
        "    absent: NONE",
        "    absent: NONE\n    once per: key",
        "`once per` is not known here; write one of the keys of an operation: ",
    ),
    "a key left out": Mistyping(
        "goods",
        "    post: /query\n",
        "",
        "`goods.query [1.2]` lacks `post:`; write `post:`, `version:`, `envelope:`, `request:` and `response:`; of a write also `key:` and `resolved by:`",
        "  goods.query [1.2]:",
    ),
    "a key of a format": Mistyping(
        "service",
        '    pattern: "[A-Z0-9]+"',
        '    patern: "[A-Z0-9]+"',
        "`patern` is not known here; did you mean `pattern`? Else write one of the keys of a format: ",
    ),
    "a key of a question": Mistyping(
        "service",
        "    does: open list",
        "    do: open list",
        "`do` is not known here; did you mean `does`? Else write one of the keys of a question: ",
    ),
    "no section in brackets behind a name": Mistyping(
        "goods",
        "  Item [2]:                                  # What",
        "  Item:  # What",
        "`Item` is not the name of a type; write it like Money [2.3] or Case from Dispute [2.12]",
    ),
    "a bracket left open": Mistyping(
        "goods",
        "  goods.query [1.2]:",
        "  goods.query [1.2:",
        "`goods.query [1.2` is not the name of an operation; write it like refunds.create [4.13]",
    ),
    "a type in small letters": Mistyping(
        "goods",
        "  Person [2]:",
        "  person [2]:",
        "`person [2]` is not the name of a type; write it like Money [2.3] or Case from Dispute [2.12]",
    ),
    "an operation without its resource": Mistyping(
        "goods",
        "  goods.find [1.3]:",
        "  find [1.3]:",
        "`find [1.3]` is not the name of an operation; write it like refunds.create [4.13]",
    ),
    "a space before `!`": Mistyping(
        "goods",
        "      amount!: number",
        "      amount !: number",
        "`amount !` is not a field name; write `name:` or `name!:` in the wire's own letters, sections and questions behind it",
    ),
    "`!` behind the colon": Mistyping(
        "goods",
        "      amount!: number eg 10.50",
        "      amount: number! eg 10.50",
        "no type is called `number!`; did you mean `number`? Else write `!` behind the name of the field: `name!:`",
    ),
    "no colon": Mistyping(
        "goods",
        "    job: string max 20",
        "    job string max 20",
        "this cannot be read (could not find expected ':'); write a colon and a space behind the key; a comment cannot stand inside a text",
    ),
    "no space behind the colon": Mistyping(
        "goods",
        "    job: string max 20",
        "    job:string max 20",
        "this cannot be read (could not find expected ':'); write a colon and a space behind the key; a comment cannot stand inside a text",
    ),
    # money
    "an amount without its currency": Mistyping(
        "goods",
        "    amount: amount in currency\n    resolved",
        "    amount: amount\n    resolved",
        "`amount` is not an amount and its currency; write `FIELD in FIELD`, or with steps such as `trade.amount in trade.currency`",
    ),
    "the member that is the amount": Mistyping(
        "goods",
        "    amount: paid in currency",
        "    amount: payd in currency",
        "`goods.query` has the amount `payd`, which is not a number or decimal text of its response; did you mean `paid`? Else name one of its fields",
    ),
    "the gateway's id": Mistyping(
        "goods",
        "    gateway id: itemNo",
        "    gateway id: itemNumber",
        "`goods.buy` has the gateway id `itemNumber`, which is not a text of its response; ",
    ),
    "the key of a list's elements": Mistyping(
        "goods",
        "    lists: list by key",
        "    lists: list by kye",
        "`goods.find` lists `list` by `kye`, which is not a text of its elements; did you mean `key`? Else name a text of `Item`",
    ),
    "what a notification seen elsewhere is about": Mistyping(
        "goods",
        "    about: goods.query by parcelNo\n    state: status",
        "    about: goods.qury by parcelNo\n    state: status",
        "the notification `LOST` is about `goods.qury`, which is not an operation; did you mean `goods.query`? Else name a query",
    ),
    "the address of a notification seen elsewhere": Mistyping(
        "goods",
        "    address: note",
        "    address: noet",
        "the notification `LOST` is sent to `noet`, which no message has; did you mean `note`? Else name a field of a message",
    ),
    # facets
    "a facet": Mistyping(
        "goods",
        "      tags: string[] max 3",
        "      tags: string[] mx 3",
        "`mx` is no facet; did you mean `max`? Else write one of the facets: ",
    ),
    "a facet joined by a sign": Mistyping(
        "goods",
        "      tags: string[] max 3",
        "      tags: string[] max=3",
        "`max=3` is no facet; did you mean `max`? Else write one of the facets: ",
    ),
    "a facet joined to its value": Mistyping(
        "goods",
        "      tags: string[] max 3",
        "      tags: string[] max3",
        "`max3` is no facet; did you mean `max`? Else write one of the facets: ",
    ),
    "a facet without its value": Mistyping(
        "goods",
        "      tags: string[] max 3",
        "      tags: string[] max",
        "`max` has no value; write `max` and its value",
    ),
    "a facet twice": Mistyping(
        "goods",
        "      tags: string[] max 3",
        "      tags: string[] max 3 max 4",
        "`max` stands twice; write each facet once",
    ),
    "a facet of another type": Mistyping(
        "goods",
        "      amount!: number eg 10.50",
        "      amount!: number max 8 eg 10.50",
        "`amount`: min and max count characters or elements, and a number has none; take them away",
    ),
    "a range with a dash": Mistyping(
        "goods", "range 5..1200", "range 5-1200", "`range 5-1200` is no range; write it like 1800..86400"
    ),
    "a range the wrong way round": Mistyping(
        "goods",
        "range 5..1200",
        "range 1200..5",
        "`wait`: the range 1200..5 begins above its end; change one of its ends",
    ),
    "min above max": Mistyping(
        "goods", "min 2 max 20 ", "min 20 max 2 ", "`note`: min 20 is more than max 2; change one of them"
    ),
    "commas between values": Mistyping(
        "goods",
        "in NEW OLD\n",
        "in NEW, OLD\n",
        "`NEW,` has a sign that is not a part of a value; write values apart by spaces, without quotes",
    ),
    "a bar between values": Mistyping(
        "goods",
        "string in NEW OLD",
        "string in NEW|OLD",
        "`NEW|OLD` has a sign that is not a part of a value; write values apart by spaces, without quotes",
    ),
    "values without `in`": Mistyping(
        "goods", "string in NEW OLD", "string NEW OLD", "`NEW` is no facet; write one of the facets: "
    ),
    "a space before `[]`": Mistyping(
        "goods",
        "tags: string[] max 3",
        "tags: string [] max 3",
        "`[]` is no facet; write it behind the type, without a space: `string[]`",
    ),
    "the check of a format": Mistyping(
        "service",
        "check: calendar_date",
        "check: calender_date",
        "format `date`: the runtime has no check `calender_date`; did you mean `calendar_date`? Else write one of the checks: ip_address, calendar_date, calendar_day, request_time, zoned_time, offset_time, period_time, start_date, moment, epoch_millis, epoch_seconds, rate_moment, rate_time, http_url, callback_url",
    ),
    "an example longer than its limit": Mistyping(
        "goods",
        "key!: code max 8 eg K1                 # unique",
        "key!: code max 8 eg KEY-NUMBER-1  # unique",
        "`key`: `eg KEY-NUMBER-1` has 12 characters, more than 8; correct the value or the limit",
    ),
    "a default of a required field": Mistyping(
        "goods",
        "      gift: boolean",
        "      gift!: boolean",
        "`gift`: a required field has a default, which never applies; remove the `!` or the default",
    ),
    "a default that is not a value": Mistyping(
        "goods",
        "boolean default false",
        "boolean default no",
        "`gift`: `default no` is neither true nor false; correct the value or the limit",
    ),
    "a source": Mistyping(
        "service",
        "from merchant.shop_id",
        "from merchant.shopid",
        "`shopId`: nothing is called `from merchant.shopid`; did you mean `merchant.shop_id`? Else write one of the sources: ",
    ),
    # signatures and the merchant
    "a signature": Mistyping(
        "service",
        "X-Seal!: string secret from signature.call",
        "X-Seal!: string secret from signature.cal",
        "`X-Seal`: nothing is called `from signature.cal`; did you mean `signature.call`? Else write one of the sources: ",
    ),
    "the place of a body": Mistyping(
        "service",
        "{X-Sent-At}.{body sha256}",
        "{X-Sent-At}.{body sha265}",
        "signature `answer`: `{body sha265}` is not a form of the body; write {body}, {body minified}, {body sha256} or {body minified sha256}",
    ),
    "a covered header": Mistyping(
        "service",
        "{newline}{X-Sent-At} {body}",
        "{newline}{X-Send-At} {body}",
        "signature `call`: it covers `{X-Send-At}`, which is not a required header of `goods.buy.request`; did you mean `X-Sent-At`? Else name a required header of each message that it signs",
    ),
    "the spelling of a signature": Mistyping(
        "service",
        "{hex of RSA-SHA256}",
        "{hexa of RSA-SHA256}",
        "signature `answer`: `{hexa of RSA-SHA256}` is not a spelling; write base64, base64url or hex, like {base64 of RSA-SHA256}",
    ),
    "a signer": Mistyping(
        "service",
        '    written: "{base64 of RSA-SHA256}"\n    chosen by: find_signature',
        '    written: "{base64 of RSA-SHA256}"\n    chosen by: find_sign',
        "signature `find_key`: `find_sign` is not a signer of the merchant; did you mean `find_signature`? Else write `find_sign: signer` in `merchant:`",
    ),
    "the kind of a number": Mistyping(
        "service",
        "  till: text ",
        "  till: string ",
        "`string` is not a number of the merchant; write id (says who it is), text (any other) or signer (makes the signature of a call)",
    ),
    "a payload": Mistyping(
        "service",
        "    payload: order",
        "    payload: ordr",
        "no message in the envelope `sealed` has the payload `ordr`; did you mean `order`? Else name a field that is an object",
    ),
    "the place of the words": Mistyping(
        "service",
        "    message: result.words",
        "    message: result.word",
        "`goods.buy` has `message: result.word` in its envelope, and that is not a text of its answer; name a text of the whole answer, such as `msg` or `result.words`",
    ),
    # names and references
    "a builtin type": Mistyping(
        "goods",
        "      pin: string secret",
        "      pin: sting secret",
        "no type is called `sting`; did you mean `string`? Else write string, number, boolean, object, or a format or type that the contract defines",
    ),
    "a type": Mistyping(
        "goods",
        "      buyer: Person",
        "      buyer: Persona",
        "no type is called `Persona`; did you mean `Person`? Else write string, number, boolean, object, or a format or type that the contract defines",
    ),
    "a type in other letters": Mistyping(
        "goods",
        "      colour: Colour\n    rules",
        "      colour: colour\n    rules",
        "no type is called `colour`; did you mean `Colour`? Else write string, number, boolean, object, or a format or type that the contract defines",
    ),
    "brackets of an array left open": Mistyping(
        "goods",
        "      people: Person[] min 1",
        "      people: Person[ min 1",
        "no type is called `Person[`; did you mean `Person`? Else write string, number, boolean, object, or a format or type that the contract defines",
    ),
    "a parent": Mistyping(
        "goods",
        "  Worker from Person [2]",
        "  Worker from Persn [2]",
        "no type is called `Persn`; did you mean `Person`? Else name a type that the contract defines, or write the fields out",
    ),
    "a field dropped that is not there": Mistyping(
        "goods",
        "    card: none",
        "    crad: none",
        "there is no `crad` to drop; did you mean `card`? Else remove the line, or name a field above",
    ),
    "an envelope": Mistyping(
        "goods",
        "    post: /query\n    version: 1.1\n    envelope: sealed",
        "    post: /query\n    version: 1.1\n    envelope: seald",
        "no envelope is called `seald`; did you mean `sealed`? Else name one of the section `envelopes:`",
    ),
    "a response's type": Mistyping(
        "goods",
        "    response: ItemList",
        "    response: ItemsList",
        "no type is called `ItemsList`; did you mean `ItemList`? Else name a type that the contract defines",
    ),
    "a rule of the envelope": Mistyping(
        "goods",
        "    without: success-has-data",
        "    without: sucess-has-data",
        "envelope `sealed` has no rule `sucess-has-data` to drop; did you mean `success-has-data`? Else remove it, or name one of its rules",
    ),
    "a query": Mistyping(
        "goods",
        "query: goods.query by key",
        "query: goods.querry by key",
        "`goods.buy` is resolved by `goods.querry`, which is not an operation; did you mean `goods.query`? Else name a query",
    ),
    "a key's field": Mistyping(
        "goods",
        "    key: key ignoring case",
        "    key: kee ignoring case",
        "`goods.buy` has the key `kee`, which is not a field of its request; did you mean `key`? Else name one of its fields",
    ),
    "an echoed field": Mistyping(
        "goods",
        "    echoes: key\n    shows",
        "    echoes: keys\n    shows",
        "`goods.buy` echoes `keys`, which is not a field of its request; did you mean `key`? Else name a field of both messages",
    ),
    "a shown field": Mistyping(
        "goods",
        "    shows: amount as paid",
        "    shows: amount as payd",
        "`goods.buy` shows `payd`, which is not a field of its answer, nor of its query's; did you mean `paid`? Else name a field of one of them",
    ),
    "a limit's field": Mistyping(
        "service",
        "max 8 of goods.buy.request.key",
        "max 8 of goods.buy.request.kee",
        "limit `key-length`: there is no field `goods.buy.request.kee`; correct the limit or what carries it",
    ),
    "a limit's number": Mistyping(
        "service",
        "max 8 of goods.buy.request.key",
        "max 9 of goods.buy.request.key",
        "limit `key-length`: `goods.buy.request.key` (tiny/goods.yaml:21) does not say `max 9`; correct the limit or what carries it",
    ),
    "a limit's unit": Mistyping(
        "service",
        "again [2]: 300 s",
        "again [2]: 300 sec",
        "`300 sec` is not a limit; write `120 s`, `180 d`, a facet and what carries it: `max 40 of rates.query.request.ccyPairList`, or `8 decimals`, which no number that the client sends has more of",
    ),
    "a limit's name": Mistyping(
        "goods",
        "placed again after: again",
        "placed again after: agian",
        "`goods.buy` is placed again after `agian`, which is not a span of time in `limits:`; did you mean `again`? Else name one, such as not-exist-interval",
    ),
    "a question's name": Mistyping(
        "goods",
        "    ...: ?colours",
        "    ...: ?colors",
        "`?colors` is cited and not written down; did you mean `colours`? Else write it in `questions:`, or correct the name",
    ),
    "an operation under `versions:`": Mistyping(
        "service",
        "  goods.find: 1.0",
        "  goods.fnd: 1.0",
        "`goods.fnd` has a version and is not an operation; did you mean `goods.find`? Else remove it, or correct the name",
    ),
    "a version": Mistyping(
        "goods",
        "    version: 1.1\n",
        "    version: 1.11\n",
        "`goods.query` has version 1.11, and tiny/service.yaml:110 says 1.1; correct one of them",
    ),
    "a state": Mistyping(
        "goods",
        "    OPEN -> SENT: goods.sent",
        "    OPEN -> SEND: goods.sent",
        "`SEND` is not a state of `ItemStatus`; did you mean `SENT`? Else name one of its states",
    ),
    "the arrow of a move": Mistyping(
        "goods",
        "    OPEN -> SENT: goods.sent",
        "    OPEN > SENT: goods.sent",
        "`OPEN > SENT` is not a move; write `none -> PENDING`, `any -> 00` or `A -> B C`",
    ),
    "the operation of a move": Mistyping(
        "goods",
        "none -> OPEN: goods.buy answered OK",
        "none -> OPEN: goods.by answered OK",
        "`goods.by` is not an operation; did you mean `goods.buy`? Else name the operation that brings the move about",
    ),
    "the word of a move": Mistyping(
        "goods",
        "goods.buy answered OK",
        "goods.buy answerd OK",
        "`answerd` behind `goods.buy`; did you mean `answered`? Else write `goods.buy` alone, or `goods.buy answered CODE`",
    ),
    "the code of a move": Mistyping(
        "goods",
        "goods.buy answered OK",
        "goods.buy answered KO",
        "`KO` is not a code of `goods.buy`; name one of its codes: OK, BAD, POOR, AGAIN",
    ),
    "the notification of a move": Mistyping(
        "goods",
        "OPEN -> SENT: goods.sent",
        "OPEN -> SENT: goods.snt",
        "`goods.snt` is not an operation; did you mean `goods.sent`? Else name the operation that brings the move about",
    ),
    "a field of a list": Mistyping(
        "goods",
        "each echoes: list.colour",
        "each echoes: list.color",
        "`goods.find` has `list.color` under `each echoes:`, which is not a field of a list of its answer; did you mean `colour`? Else write LIST.FIELD",
    ),
    "no slash before an address": Mistyping(
        "goods",
        "    post: /buy",
        "    post: buy",
        "`buy` is not an address; write `/path`, or the `?question` that says why it is not shown",
    ),
    "the type of rules": Mistyping(
        "goods",
        "rules:\n\n  Item:",
        "rules:\n\n  Itme:",
        "no type is called `Itme`; did you mean `Item`? Else name a type that the contract defines",
    ),
    "the word behind a value": Mistyping(
        "goods",
        "    SENT final paid: sent",
        "    SENT finl paid: sent",
        "`SENT finl paid` is not a value; write `VALUE`, `VALUE MEMBER_NAME` or `...`, and `final` or `settled`, and `paid` or `returned`, behind it",
    ),
    "a code under two keys": Mistyping(
        "goods",
        "    refuses: POOR",
        "    refuses: POOR AGAIN",
        "`goods.buy` has AGAIN under `repeats:` and under `refuses:`; keep one",
        "    repeats: AGAIN ?repeats",
    ),
    "a field of `once per:`": Mistyping(
        "goods",
        "    once per: parcelNo state{status} part",
        "    once per: parcelNr state{status} part",
        "`goods.sent` is once per `parcelNr`, which is not a required text or number of its data; name one that always comes",
    ),
    "a value of `decides:`": Mistyping(
        "goods",
        "      no: NO",
        "      no: NOPE",
        "`goods.may_send` decides by `allowed` being NOPE, and that is not a value of `Allowed`; correct the field or the value",
    ),
    # sentences
    "a field of a rule": Mistyping(
        "goods",
        "when kind is OLD, need note",
        "when kind is OLD, need notes",
        "rule `note-of-old`: `goods.buy.request.data` has no field `notes`; did you mean `note`? Else name one of its fields",
    ),
    "a value of a rule": Mistyping(
        "goods",
        "when kind is OLD, need note",
        "when kind is OLDER, need note",
        "rule `note-of-old`: `kind` is never OLDER: it is none of NEW, OLD; correct the value",
    ),
    "a demand": Mistyping(
        "goods",
        "need key or token",
        "needs key or token",
        "rule `which`: `key` after `needs`; did you mean `need`? Else write a demand: `need f or g`, `refuse f`, `f is empty`, `f max 43`, `f in V W`, `f is V or g is W`, `f differs from g` or `f is g then h`",
    ),
    "`==` in a condition": Mistyping(
        "goods",
        "when kind is OLD, need note",
        "when kind == OLD, need note",
        "rule `note-of-old`: `==` after `kind`; a condition is `f is given`, `f is empty`, `f is not empty`, `f is V`, `f in V W` or `?question`",
    ),
    "no comma behind the conditions": Mistyping(
        "goods",
        "when kind is OLD, need note",
        "when kind is OLD need note",
        "rule `note-of-old`: `need` after a condition; write `and` with a condition, or a comma and the demand",
    ),
    "`or` between conditions": Mistyping(
        "goods",
        "when kind is OLD, need note",
        "when kind is OLD or kind is NEW, need note",
        "rule `note-of-old`: `or` after a condition; write `f in V W`, or one rule for each condition",
    ),
    "`if` for `when`": Mistyping(
        "goods",
        "when kind is OLD, need note",
        "if kind is OLD, need note",
        "rule `note-of-old`: `if` begins no rule; write `when`",
    ),
    "a full stop": Mistyping(
        "goods",
        "need note\n      gift",
        "need note.\n      gift",
        "rule `note-of-old`: `note.` where a field should stand; write `need f or g`, `refuse f`, `f is empty`, `f max 43`, `f in V W`, `f is V or g is W`, `f differs from g` or `f is g then h`",
    ),
    "a comma between fields": Mistyping(
        "goods",
        "need key or token",
        "need key, token",
        "rule `which`: `,` after a demand; join demands with `and`; a demand is `need f or g`, `refuse f`, `f is empty`, `f max 43`, `f in V W`, `f is V or g is W`, `f differs from g` or `f is g then h`",
    ),
    "no colon behind a rule's name": Mistyping(
        "goods",
        "note-of-old [1.1]: when",
        "note-of-old [1.1] when",
        "the text of `rules` does not begin on its line; begin it behind the colon of `rules:`, or write a colon behind the key of this line",
    ),
    "a field of a guard": Mistyping(
        "goods",
        "amounts [1.1]: amount above",
        "amounts [1.1]: amnt above",
        "guard `amounts`: `amnt` is not a field of the request; did you mean `amount`? Else name a field that stands in no array",
    ),
    "a rule's name in capitals": Mistyping(
        "goods",
        "      which [1.2]:",
        "      Which_One [1.2]:",
        "`Which_One [1.2]` is not the name of a rule; write it like which-order [4.13]",
    ),
    "a guard": Mistyping(
        "goods",
        "amount above 0 and",
        "amount > 0 and",
        "guard `amounts`: `amount > 0` is no demand; write `f above 0` or `f not below 0`, joined by `and`",
    ),
    # duplicates
    "a field twice": Mistyping(
        "goods",
        "      pin: string secret",
        "      pin: string secret\n      pin: string",
        "`pin` is here already, in line 39; keep one",
    ),
    "a field with and without `!`": Mistyping(
        "goods",
        "      pin: string secret",
        "      pin: string secret\n      pin!: string",
        "`pin` is here already, in line 39; keep one",
    ),
    "a type twice": Mistyping(
        "goods",
        "  Received [3]:",
        "  Person [2]:                                # Somebody else.\n    nick: string\n\n  Received [3]:",
        "`Person` is here already, in line 136; keep one",
    ),
    "an operation twice": Mistyping(
        "goods",
        "notifications:\n",
        "notifications:\n\n  goods.find [1.3]:\n    post: /f\n    envelope: bare\n    notification: Parcel\n    answer: Received\n",
        "`goods.find` is defined twice, first in tiny/goods.yaml:72; keep one, or give one of them another name",
    ),
    "a value twice": Mistyping(
        "goods", "YES NO        ", "YES YES NO    ", "`YES` stands twice in `Allowed`; keep one"
    ),
    # YAML
    "a tab": Mistyping("goods", "      pin: string secret", "\tpin: string secret", "the line has a tab; take it out"),
    "too little indentation": Mistyping(
        "goods",
        "      pin: string secret",
        "     pin: string secret",
        "this cannot be read (did not find expected key); indent the line like those beside it; a comment cannot stand inside a text",
    ),
    "too much indentation": Mistyping(
        "goods",
        "      pin: string secret",
        "        pin: string secret",
        "this cannot be read (did not find expected key); indent the line like those beside it; a comment cannot stand inside a text",
    ),
    "a list with dashes": Mistyping(
        "goods",
        "    echoes: key\n    shows",
        "    echoes:\n      - key\n    shows",
        "a list with dashes; write entries, or words on one line",
        "      - key",
    ),
    "braces": Mistyping(
        "goods",
        "    absent: NONE",
        "    absent: {code: NONE}",
        "a flow collection; write one entry a line, without braces and brackets",
    ),
    "brackets": Mistyping(
        "goods",
        "    absent: NONE",
        "    absent: [NONE]",
        "a flow collection; write one entry a line, without braces and brackets",
    ),
    "a block scalar": Mistyping(
        "service",
        "    does: open list",
        "    does: |\n      open list",
        "a block scalar; write the text on the key's line",
    ),
    "an anchor": Mistyping(
        "goods", "    response: ItemList", "    response: &list ItemList", "an anchor, `&list`; remove it"
    ),
    "an alias": Mistyping(
        "goods", "    response: ItemList", "    response: *list", "an alias; write out what it stands for"
    ),
    "a key in quotes": Mistyping(
        "goods",
        "      pin: string secret",
        '      "pin": string secret',
        "a key in quotes; write the key without quotes",
    ),
    "a colon in a text": Mistyping(
        "service",
        "    does: open list",
        "    does: this: open list",
        "this cannot be read (mapping values are not allowed in this context); quote text that has `: ` in it, and mind the indentation",
    ),
    "no space behind `#`": Mistyping(
        "goods",
        "# unique in the shop",
        "#unique in the shop",
        "a `#` with no space after it; write `# text`, or quote the text that has it",
    ),
    "no space before `#`": Mistyping(
        "goods",
        "eg K1                 # unique in the shop",
        "eg K1# unique in the shop",
        "`K1#` ends in `#`; write a space before the `#` of a comment",
    ),
    "a comment apart from its key": Mistyping(
        "goods",
        "  # Find goods, at an address that is not shown.\n",
        "  # Find goods, at an address that is not shown.\n\n",
        "a comment that belongs to no key; put it directly above a key and in its column, or behind one",
        "  # Find goods, at an address that is not shown.",
    ),
    "a second document": Mistyping(
        "goods",
        "\ntypes:\n",
        "\n---\ntypes:\n",
        "a document marker or directive; write one document, without `---` and `%`",
    ),
    "an unclosed quote": Mistyping(
        "service",
        '    seen: "a word in `note`"',
        '    seen: "a word in `note`',
        "this cannot be read (found unexpected end of stream); close the quote that begins here",
    ),
    "nothing behind the colon": Mistyping(
        "goods",
        "    envelope: bare\n    when",
        "    envelope:\n    when",
        "`envelope` has no value; write what it is, or remove the key",
    ),
    "a typographic quote": Mistyping(
        "service",
        '    pattern: "[A-Z0-9]+"',
        "    pattern: “[A-Z0-9]+”",
        "format `code`: the pattern is not ASCII; write other characters as \\u escapes",
    ),
    "a space that does not break": Mistyping(
        "goods",
        "      pin: string secret",
        "      pin: string\xa0secret",
        "the line has the character U+00A0 (no-break space); take it out",
    ),
}


def mistyped(mistyping: Mistyping, into: Path) -> tuple[Path, int]:
    """A copy of the tiny contract with the change, and the line in which the problem stands."""
    folder = into / TINY.name
    shutil.copytree(TINY, folder)
    path = folder / f"{mistyping.file}.yaml"
    text = path.read_text(encoding="utf-8")
    assert text.count(mistyping.old) == 1, f"{mistyping.old!r} stands there {text.count(mistyping.old)} times"
    changed = text.replace(mistyping.old, mistyping.new)
    path.write_text(changed, encoding="utf-8")
    return folder, problem_line(text, changed, mistyping.at)


def changed_line(mistyping: Mistyping) -> str:
    """What the change writes anew, as one line of a document; a tab, other spaces and the indentation, where it matters, are named."""
    before = mistyping.old.split("\n")
    if mistyping.old.translate(_NO_SPACES) == mistyping.new.translate(_NO_SPACES):
        more = len(mistyping.new) - len(mistyping.old)
        what = "empty line below" if mistyping.new.startswith(mistyping.old) else f"{abs(more)} spaces"
        return f"{mistyping.new.strip()} ({'+' if more > 0 else '-'} {what})"
    lines = [line.strip(" ") for line in mistyping.new.split("\n") if line.strip(" ") and line not in before]
    shown = " / ".join(lines) or f"(without {mistyping.old.strip()})"
    return shown.replace("\t", "[Tab]").replace("\u00a0", "[U+00A0]")
