"""What is refused: changes of a small contract, and what is said of them, in which line.

`docs/contract.md` lists `UNSAID`, and of each kind the first of `MISTYPED`, with the linter's own words.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.codegen.helpers.contract_texts import SHOP, changed, problem_line

Edits = tuple[tuple[str, str], ...]

_NO_SPACES = str.maketrans("", "", " \n")
_TINY = Path(__file__).parents[1] / "tiny"


class Refusal(NamedTuple):
    """Edits of a file, and how what is said of it begins. The problem stands in the first line that changes, or in that which begins with `at`."""

    file: str
    edits: Edits
    says: str
    at: str = ""

    def written(self, into: Path) -> tuple[Path, str]:
        """A folder with the contract, edited, and the place of the problem."""
        folder = into / ("spec" if self.file == "shop" else "tiny")
        folder.mkdir()
        texts = _texts(folder.name)
        edited = changed(*self.edits, text=texts[self.file])
        for name, text in (texts | {self.file: edited}).items():
            (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
        return folder, f"{folder.name}/{self.file}.yaml:{problem_line(texts[self.file], edited, self.at)}"


@cache
def _texts(name: str) -> dict[str, str]:
    if name == "spec":
        return {"shop": SHOP}
    return {path.stem: path.read_text(encoding="utf-8") for path in _TINY.glob("*.yaml")}


def changed_line(row: Refusal) -> str:
    """What a change writes anew, as one line of a document; a tab, other spaces and the indentation, where it matters, are named."""
    ((old, new),) = row.edits
    if old.translate(_NO_SPACES) == new.translate(_NO_SPACES):
        more = len(new) - len(old)
        what = "empty line below" if new.startswith(old) else f"{abs(more)} spaces"
        return f"{new.strip()} ({'+' if more > 0 else '-'} {what})"
    lines = [line.strip(" ") for line in new.split("\n") if line.strip(" ") and line not in old.split("\n")]
    return (" / ".join(lines) or f"(without {old.strip()})").replace("\t", "[Tab]").replace("\u00a0", "[U+00A0]")


def _of(file: str) -> Callable[..., Refusal]:
    def make(*parts: str, at: str = "") -> Refusal:
        *edits, says = parts
        return Refusal(file, tuple(zip(edits[::2], edits[1::2], strict=True)), says, at)

    return make


shop, goods, service = map(_of, ("shop", "goods", "service"))
_PERSON, _GUARDED = "    name!: string max 64 pii", "    rules:\n      note-of-old"


def line(text: str) -> tuple[str, str]:
    """The line of the type Person."""
    return _PERSON, f"    {text}"


def field(text: str) -> tuple[str, str]:
    """A further field in the type Person."""
    return _PERSON, f"{_PERSON}\n    {text}"


def guard(text: str) -> tuple[str, str]:
    """A guard of `goods.buy`."""
    return _GUARDED, f"    before sending:\n      {text}\n{_GUARDED}"


MISTYPED: dict[str, Refusal] = {
    "a section's name": goods("\ntypes:\n", "\ntype:\n", "`type` is not known here; did you mean `types`? Else write one of the keys of a contract file: "),
    "an operation's key": goods("    refuses: POOR", "    refuse: POOR",
        "`refuse` is not known here; did you mean `refuses`? Else write one of the keys of an operation: "),
    "a key of a notification in an operation": goods("    absent: NONE", "    absent: NONE\n    once per: key",
        "`once per` is not known here; write one of the keys of an operation: "),
    "a key left out": goods("    post: /query\n", "",
        "`goods.query [1.2]` lacks `post:`; write `post:`, `version:`, `envelope:`, `request:` and `response:`; of a write also `key:` and `resolved by:`",
        at="  goods.query [1.2]:"),
    "a key of a format": service('    pattern: "[A-Z0-9]+"', '    patern: "[A-Z0-9]+"',
        "`patern` is not known here; did you mean `pattern`? Else write one of the keys of a format: "),
    "a key of a question": service("    does: open list", "    do: open list",
        "`do` is not known here; did you mean `does`? Else write one of the keys of a question: "),
    "no section in brackets behind a name": goods("  Item [2]:                                  # What", "  Item:  # What",
        "`Item` is not the name of a type; write it like Money [2.3] or Case from Dispute [2.12]"),
    "a bracket left open": goods("  goods.query [1.2]:", "  goods.query [1.2:",
        "`goods.query [1.2` is not the name of an operation; write it like refunds.create [4.13]"),
    "a space before `!`": goods("      amount!: number", "      amount !: number",
        "`amount !` is not a field name; write `name:` or `name!:` in the wire's own letters, sections and questions behind it"),
    "`!` behind the colon": goods("      amount!: number eg 10.50", "      amount: number! eg 10.50",
        "no type is called `number!`; did you mean `number`? Else write `!` behind the name of the field: `name!:`"),
    "no colon": goods("    job: string max 20", "    job string max 20",
        "this cannot be read (could not find expected ':'); write a colon and a space behind the key; a comment cannot stand inside a text"),
    "an amount without its currency": goods("    amount: amount in currency\n    resolved", "    amount: amount\n    resolved",
        "`amount` is not an amount and its currency; write `FIELD in FIELD`, or with steps such as `trade.amount in trade.currency`"),
    "the member that is the amount": goods("    amount: paid in currency", "    amount: payd in currency",
        "`goods.query` has the amount `payd`, which is not a number or decimal text of its response; did you mean `paid`? Else name one of its fields"),
    "the gateway's id": goods("    gateway id: itemNo", "    gateway id: itemNumber",
        "`goods.buy` has the gateway id `itemNumber`, which is not a text of its response; "),
    "the key of a list's elements": goods("    lists: list by key", "    lists: list by kye",
        "`goods.find` lists `list` by `kye`, which is not a text of its elements; did you mean `key`? Else name a text of `Item`"),
    "what a notification seen elsewhere is about": goods("    about: goods.query by parcelNo\n    state: status",
        "    about: goods.qury by parcelNo\n    state: status",
        "the notification `LOST` is about `goods.qury`, which is not an operation; did you mean `goods.query`? Else name a query"),
    "the address of a notification seen elsewhere": goods("    address: note", "    address: noet",
        "the notification `LOST` is sent to `noet`, which no message has; did you mean `note`? Else name a field of a message"),
    "a facet": goods("      tags: string[] max 3", "      tags: string[] mx 3", "`mx` is no facet; did you mean `max`? Else write one of the facets: "),
    "a facet without its value": goods("      tags: string[] max 3", "      tags: string[] max", "`max` has no value; write `max` and its value"),
    "a facet twice": goods("      tags: string[] max 3", "      tags: string[] max 3 max 4", "`max` stands twice; write each facet once"),
    "a facet of another type": goods("      amount!: number eg 10.50", "      amount!: number max 8 eg 10.50",
        "`amount`: min and max count characters or elements, and a number has none; take them away"),
    "a range with a dash": goods("range 5..1200", "range 5-1200", "`range 5-1200` is no range; write it like 1800..86400"),
    "a range the wrong way round": goods("range 5..1200", "range 1200..5", "`wait`: the range 1200..5 begins above its end; change one of its ends"),
    "min above max": goods("min 2 max 20 ", "min 20 max 2 ", "`note`: min 20 is more than max 2; change one of them"),
    "commas between values": goods("in NEW OLD\n", "in NEW, OLD\n", "`NEW,` has a sign that is not a part of a value; write values apart by spaces, without quotes"),
    "values without `in`": goods("string in NEW OLD", "string NEW OLD", "`NEW` is no facet; write one of the facets: "),
    "a space before `[]`": goods("tags: string[] max 3", "tags: string [] max 3", "`[]` is no facet; write it behind the type, without a space: `string[]`"),
    "the check of a format": service("check: calendar_date", "check: calender_date",
        "format `date`: the runtime has no check `calender_date`; did you mean `calendar_date`? Else write one of the checks: ip_address, calendar_date, calendar_day, request_time, zoned_time, offset_time, period_time, start_date, moment, epoch_millis, epoch_seconds, rate_moment, rate_time, http_url, callback_url"),
    "an example longer than its limit": goods("key!: code max 8 eg K1                 # unique",
        "key!: code max 8 eg KEY-NUMBER-1  # unique",
        "`key`: `eg KEY-NUMBER-1` has 12 characters, more than 8; correct the value or the limit"),
    "a default of a required field": goods("      gift: boolean", "      gift!: boolean",
        "`gift`: a required field has a default, which never applies; remove the `!` or the default"),
    "a default that is not a value": goods("boolean default false", "boolean default no",
        "`gift`: `default no` is neither true nor false; correct the value or the limit"),
    "a source": service("from merchant.shop_id", "from merchant.shopid",
        "`shopId`: nothing is called `from merchant.shopid`; did you mean `merchant.shop_id`? Else write one of the sources: "),
    "the place of a body": service("{X-Sent-At}.{body sha256}", "{X-Sent-At}.{body sha265}",
        "signature `answer`: `{body sha265}` is not a form of the body; write {body}, {body minified}, {body sha256} or {body minified sha256}"),
    "a covered header": service("{newline}{X-Sent-At} {body}", "{newline}{X-Send-At} {body}",
        "signature `call`: it covers `{X-Send-At}`, which is not a required header of `goods.buy.request`; did you mean `X-Sent-At`? Else name a required header of each message that it signs"),
    "the spelling of a signature": service("{hex of RSA-SHA256}", "{hexa of RSA-SHA256}",
        "signature `answer`: `{hexa of RSA-SHA256}` is not a spelling; write base64, base64url or hex, like {base64 of RSA-SHA256}"),
    "a signer": service('    written: "{base64 of RSA-SHA256}"\n    chosen by: find_signature',
        '    written: "{base64 of RSA-SHA256}"\n    chosen by: find_sign',
        "signature `find_key`: `find_sign` is not a signer of the merchant; did you mean `find_signature`? Else write `find_sign: signer` in `merchant:`"),
    "the kind of a number": service("  till: text ", "  till: string ",
        "`string` is not a number of the merchant; write id (says who it is), text (any other) or signer (makes the signature of a call)"),
    "a payload": service("    payload: order", "    payload: ordr",
        "no message in the envelope `sealed` has the payload `ordr`; did you mean `order`? Else name a field that is an object"),
    "the place of the words": service("    message: result.words", "    message: result.word",
        "`goods.buy` has `message: result.word` in its envelope, and that is not a text of its answer; name a text of the whole answer, such as `msg` or `result.words`"),
    "a builtin type": goods("      pin: string secret", "      pin: sting secret",
        "no type is called `sting`; did you mean `string`? Else write string, number, boolean, object, or a format or type that the contract defines"),
    "a type": goods("      buyer: Person", "      buyer: Persona",
        "no type is called `Persona`; did you mean `Person`? Else write string, number, boolean, object, or a format or type that the contract defines"),
    "a type in other letters": goods("      colour: Colour\n    rules", "      colour: colour\n    rules",
        "no type is called `colour`; did you mean `Colour`? Else write string, number, boolean, object, or a format or type that the contract defines"),
    "a parent": goods("  Worker from Person [2]", "  Worker from Persn [2]",
        "no type is called `Persn`; did you mean `Person`? Else name a type that the contract defines, or write the fields out"),
    "a field dropped that is not there": goods("    card: none", "    crad: none",
        "there is no `crad` to drop; did you mean `card`? Else remove the line, or name a field above"),
    "an envelope": goods("    post: /query\n    version: 1.1\n    envelope: sealed",
        "    post: /query\n    version: 1.1\n    envelope: seald",
        "no envelope is called `seald`; did you mean `sealed`? Else name one of the section `envelopes:`"),
    "a response's type": goods("    response: ItemList", "    response: ItemsList",
        "no type is called `ItemsList`; did you mean `ItemList`? Else name a type that the contract defines"),
    "a rule of the envelope": goods("    without: success-has-data", "    without: sucess-has-data",
        "envelope `sealed` has no rule `sucess-has-data` to drop; did you mean `success-has-data`? Else remove it, or name one of its rules"),
    "a query": goods("query: goods.query by key", "query: goods.querry by key",
        "`goods.buy` is resolved by `goods.querry`, which is not an operation; did you mean `goods.query`? Else name a query"),
    "a key's field": goods("    key: key ignoring case", "    key: kee ignoring case",
        "`goods.buy` has the key `kee`, which is not a field of its request; did you mean `key`? Else name one of its fields"),
    "an echoed field": goods("    echoes: key\n    shows", "    echoes: keys\n    shows",
        "`goods.buy` echoes `keys`, which is not a field of its request; did you mean `key`? Else name a field of both messages"),
    "a shown field": goods("    shows: amount as paid", "    shows: amount as payd",
        "`goods.buy` shows `payd`, which is not a field of its answer, nor of its query's; did you mean `paid`? Else name a field of one of them"),
    "a limit's field": service("max 8 of goods.buy.request.key", "max 8 of goods.buy.request.kee",
        "limit `key-length`: there is no field `goods.buy.request.kee`; correct the limit or what carries it"),
    "a limit's number": service("max 8 of goods.buy.request.key", "max 9 of goods.buy.request.key",
        "limit `key-length`: `goods.buy.request.key` (tiny/goods.yaml:21) does not say `max 9`; correct the limit or what carries it"),
    "a limit's unit": service("again [2]: 300 s", "again [2]: 300 sec",
        "`300 sec` is not a limit; write `120 s`, `180 d`, a facet and what carries it: `max 40 of rates.query.request.ccyPairList`, or `8 decimals`, which no number that the client sends has more of"),
    "a limit's name": goods("placed again after: again", "placed again after: agian",
        "`goods.buy` is placed again after `agian`, which is not a span of time in `limits:`; did you mean `again`? Else name one, such as not-exist-interval"),
    "a question's name": goods("    ...: ?colours", "    ...: ?colors",
        "`?colors` is cited and not written down; did you mean `colours`? Else write it in `questions:`, or correct the name"),
    "an operation under `versions:`": service("  goods.find: 1.0", "  goods.fnd: 1.0",
        "`goods.fnd` has a version and is not an operation; did you mean `goods.find`? Else remove it, or correct the name"),
    "a version": goods("    version: 1.1\n", "    version: 1.11\n", "`goods.query` has version 1.11, and tiny/service.yaml:110 says 1.1; correct one of them"),
    "a state": goods("    OPEN -> SENT: goods.sent", "    OPEN -> SEND: goods.sent",
        "`SEND` is not a state of `ItemStatus`; did you mean `SENT`? Else name one of its states"),
    "the arrow of a move": goods("    OPEN -> SENT: goods.sent", "    OPEN > SENT: goods.sent",
        "`OPEN > SENT` is not a move; write `none -> PENDING`, `any -> 00` or `A -> B C`"),
    "the operation of a move": goods("none -> OPEN: goods.buy answered OK", "none -> OPEN: goods.by answered OK",
        "`goods.by` is not an operation; did you mean `goods.buy`? Else name the operation that brings the move about"),
    "the word of a move": goods("goods.buy answered OK", "goods.buy answerd OK",
        "`answerd` behind `goods.buy`; did you mean `answered`? Else write `goods.buy` alone, or `goods.buy answered CODE`"),
    "the code of a move": goods("goods.buy answered OK", "goods.buy answered KO", "`KO` is not a code of `goods.buy`; name one of its codes: OK, BAD, POOR, AGAIN"),
    "a field of a list": goods("each echoes: list.colour", "each echoes: list.color",
        "`goods.find` has `list.color` under `each echoes:`, which is not a field of a list of its answer; did you mean `colour`? Else write LIST.FIELD"),
    "no slash before an address": goods("    post: /buy", "    post: buy",
        "`buy` is not an address; write `/path`, or the `?question` that says why it is not shown"),
    "the type of rules": goods("rules:\n\n  Item:", "rules:\n\n  Itme:",
        "no type is called `Itme`; did you mean `Item`? Else name a type that the contract defines"),
    "the word behind a value": goods("    SENT final paid: sent", "    SENT finl paid: sent",
        "`SENT finl paid` is not a value; write `VALUE`, `VALUE MEMBER_NAME` or `...`, and `final` or `settled`, and `paid` or `returned`, behind it"),
    "a code under two keys": goods("    refuses: POOR", "    refuses: POOR AGAIN",
        "`goods.buy` has AGAIN under `repeats:` and under `refuses:`; keep one", at="    repeats: AGAIN ?repeats"),
    "a field of `once per:`": goods("    once per: parcelNo state{status} part", "    once per: parcelNr state{status} part",
        "`goods.sent` is once per `parcelNr`, which is not a required text or number of its data; name one that always comes"),
    "a value of `decides:`": goods("      no: NO", "      no: NOPE",
        "`goods.may_send` decides by `allowed` being NOPE, and that is not a value of `Allowed`; correct the field or the value"),
    "a field of a rule": goods("when kind is OLD, need note", "when kind is OLD, need notes",
        "rule `note-of-old`: `goods.buy.request.data` has no field `notes`; did you mean `note`? Else name one of its fields"),
    "a value of a rule": goods("when kind is OLD, need note", "when kind is OLDER, need note",
        "rule `note-of-old`: `kind` is never OLDER: it is none of NEW, OLD; correct the value"),
    "a demand": goods("need key or token", "needs key or token",
        "rule `which`: `key` after `needs`; did you mean `need`? Else write a demand: `need f or g`, `refuse f`, `f is empty`, `f max 43`, `f in V W`, `f is V or g is W`, `f differs from g` or `f is g then h`"),
    "`==` in a condition": goods("when kind is OLD, need note", "when kind == OLD, need note",
        "rule `note-of-old`: `==` after `kind`; a condition is `f is given`, `f is empty`, `f is not empty`, `f is V`, `f in V W` or `?question`"),
    "no comma behind the conditions": goods("when kind is OLD, need note", "when kind is OLD need note",
        "rule `note-of-old`: `need` after a condition; write `and` with a condition, or a comma and the demand"),
    "`or` between conditions": goods("when kind is OLD, need note", "when kind is OLD or kind is NEW, need note",
        "rule `note-of-old`: `or` after a condition; write `f in V W`, or one rule for each condition"),
    "`if` for `when`": goods("when kind is OLD, need note", "if kind is OLD, need note", "rule `note-of-old`: `if` begins no rule; write `when`"),
    "a full stop": goods("need note\n      gift", "need note.\n      gift",
        "rule `note-of-old`: `note.` where a field should stand; write a demand: `need f or g`, `refuse f`, `f is empty`, `f max 43`, `f in V W`, `f is V or g is W`, `f differs from g` or `f is g then h`"),
    "a comma between fields": goods("need key or token", "need key, token",
        "rule `which`: `,` after a demand; join demands with `and`; a demand is `need f or g`, `refuse f`, `f is empty`, `f max 43`, `f in V W`, `f is V or g is W`, `f differs from g` or `f is g then h`"),
    "no colon behind a rule's name": goods("note-of-old [1.1]: when", "note-of-old [1.1] when",
        "the text of `rules` does not begin on its line; begin it behind the colon of `rules:`, or write a colon behind the key of this line"),
    "a field of a guard": goods("amounts [1.1]: amount above", "amounts [1.1]: amnt above",
        "guard `amounts`: `amnt` is not a field of the request; did you mean `amount`? Else name a field that stands in no array"),
    "a rule's name in capitals": goods("      which [1.2]:", "      Which_One [1.2]:",
        "`Which_One [1.2]` is not the name of a rule; write it like which-order [4.13]"),
    "a guard": goods("amount above 0 and", "amount > 0 and", "guard `amounts`: `>` after `amount`; a demand is `f above 0` or `f not below 0`"),
    "a field twice": goods("      pin: string secret", "      pin: string secret\n      pin: string", "`pin` is here already, in line 39; keep one"),
    "a type twice": goods("  Received [3]:",
        "  Person [2]:                                # Somebody else.\n    nick: string\n\n  Received [3]:",
        "`Person` is here already, in line 136; keep one"),
    "an operation twice": goods("notifications:\n",
        "notifications:\n\n  goods.find [1.3]:\n    post: /f\n    envelope: bare\n    notification: Parcel\n    answer: Received\n",
        "`goods.find` is defined twice, first in tiny/goods.yaml:72; keep one, or give one of them another name"),
    "a value twice": goods("YES NO        ", "YES YES NO    ", "`YES` stands twice in `Allowed`; keep one"),
    "a tab": goods("      pin: string secret", "\tpin: string secret", "the line has a tab; take it out"),
    "too little indentation": goods("      pin: string secret", "     pin: string secret",
        "this cannot be read (did not find expected key); indent the line like those beside it; a comment cannot stand inside a text"),
    "a list with dashes": goods("    echoes: key\n    shows", "    echoes:\n      - key\n    shows",
        "a list with dashes; write entries, or words on one line", at="      - key"),
    "braces": goods("    absent: NONE", "    absent: {code: NONE}", "a flow collection; write one entry a line, without braces and brackets"),
    "a block scalar": service("    does: open list", "    does: |\n      open list", "a block scalar; write the text on the key's line"),
    "an anchor": goods("    response: ItemList", "    response: &list ItemList", "an anchor, `&list`; remove it"),
    "an alias": goods("    response: ItemList", "    response: *list", "an alias; write out what it stands for"),
    "a key in quotes": goods("      pin: string secret", '      "pin": string secret', "a key in quotes; write the key without quotes"),
    "a colon in a text": service("    does: open list", "    does: this: open list",
        "this cannot be read (mapping values are not allowed in this context); quote text that has `: ` in it, and mind the indentation"),
    "no space behind `#`": goods("# unique in the shop", "#unique in the shop", "a `#` with no space after it; write `# text`, or quote the text that has it"),
    "no space before `#`": goods("eg K1                 # unique in the shop", "eg K1# unique in the shop",
        "`K1#` ends in `#`; write a space before the `#` of a comment"),
    "a comment apart from its key": goods(
        "  # Find goods, at an address that is not shown.\n", "  # Find goods, at an address that is not shown.\n\n",
        "a comment that belongs to no key; put it directly above a key and in its column, or behind one", at="  # Find goods, at an address that is not shown.",
    ),
    "a second document": goods("\ntypes:\n", "\n---\ntypes:\n", "a document marker or directive; write one document, without `---` and `%`"),
    "an unclosed quote": service('    seen: "a word in `note`"', '    seen: "a word in `note`',
        "this cannot be read (found unexpected end of stream); close the quote that begins here"),
    "a typographic quote": service('    pattern: "[A-Z0-9]+"', "    pattern: “[A-Z0-9]+”",
        "format `code`: the pattern is not ASCII; write other characters as \\u escapes"),
    "a space that does not break": goods("      pin: string secret", "      pin: string\xa0secret",
        "the line has the character U+00A0 (no-break space); take it out"),
}  # fmt: skip
"""What a person mistypes."""

UNSAID: dict[str, Refusal] = {
    "another method": goods("    post: /query\n", "    get: /query\n", "`get: /query`: every call is a POST; ask for an address of POST"),
    "a key in a path": goods("    post: /query\n", "    post: /goods/{key}/query\n",
        "`post: /goods/{key}/query`: the language has no keys in paths: the path of a call is the same for every call; ask for an address without one"),
    "a key in a path, after a colon": goods("    post: /query\n", "    post: /goods/:key\n",
        "`post: /goods/:key`: the language has no keys in paths: the path of a call is the same for every call; ask for an address without one"),
    "a query behind a path": goods("    post: /query\n", "    post: /query?by=key\n",
        "`post: /query?by=key`: the language has no queries: the path of a call is the same for every call; write the parameters as fields of the body"),
    "a path that clients and proxies change: dots": goods("    post: /query\n", "    post: /v1/../query\n",
        "`post: /v1/../query`: a path is made of letters, digits and `-._~` between single slashes; correct the address"),
    "a path that clients and proxies change: two slashes": goods("    post: /query\n", "    post: //query\n",
        "`post: //query`: a path is made of letters, digits and `-._~` between single slashes; correct the address"),
    "a path that clients and proxies change: a part": goods("    post: /query\n", "    post: /query#f\n",
        "`post: /query#f`: a path is made of letters, digits and `-._~` between single slashes; correct the address"),
    "a path that clients and proxies change: an escape": goods("    post: /query\n", "    post: /qu%65ry\n",
        "`post: /qu%65ry`: a path is made of letters, digits and `-._~` between single slashes; correct the address"),
    "a path that clients and proxies change: another letter": goods("    post: /query\n", "    post: /quéry\n",
        "`post: /quéry`: a path is made of letters, digits and `-._~` between single slashes; correct the address"),
    "a body that is not JSON": service("sends application/json", "sends application/x-www-form-urlencoded",
        "`Content-Type!: string sends application/x-www-form-urlencoded`: every message is JSON; write `sends application/json`"),
    "a message that is an array": goods("    response: ItemList", "    response: Item[]",
        "`response: Item[]`: every message is an object; name a type that has the array"),
    "a message without fields": goods("    request:\n      colour!: Colour\n", "    request:\n",
        "`request` has no value; write what it is, or remove the key", at="    request:\n    response: ItemList"),
    "fields two levels down": service("payload: order", "payload: order.goods",
        "`payload: order.goods`: the operation's own fields stand one level down; write the level between as an object of each request"),
    "a status of HTTP that says something": service("    message: result.words\n", "    message: result.words\n    status: 201\n",
        "`status: 201`: every answer has the status 200, and its code in the body; remove the line"),
    "more than one value that means yes": service("succeeds: result.code is OK", "succeeds: result.code in OK U",
        "`succeeds: result.code in OK U`: one value of one field means yes; name that one, and the others in a question"),
    "a key of two fields": goods("    key: key ignoring case", "    key: key kind", "`key: key kind`: a write has one key; name the field that no two writes share"),
    "a key of a call in a header": service("      X-Till: string from merchant.till",
        "      Idempotency-Key!: string from digits.30\n      X-Till: string from merchant.till",
        "`Idempotency-Key!: string from digits.30`: digits are other ones in every attempt, and the language has no key of a call in a header; "),
    "a member with a name that Python has not": goods("      note: string min 2 max 20 ", "      3ds: string min 2 max 20 ",
        "`3ds: string min 2 max 20`: the name of a member becomes one of Python's: letters, digits, `_` and `-`, a letter first; leave it out: `extra=` sends it and `answer.raw` has it, or write the object around it as `object`"),
    "two members of one name in Python": goods("      pin: string secret", "      pin: string secret\n      Pin: string",
        "`Pin` and `pin` (tiny/goods.yaml:39) both become `pin` in `goods.buy.request.data`; leave one of them out: `extra=` sends it and `answer.raw` has it"),
    "integers": goods('      note: string min 2 max 20              # "quoted" \\ and {braced}\n', "      note: integer\n",
        "no type is called `integer`: the language has no integers; write `number`, or `string` with a range"),
    "binary numbers": goods('      note: string min 2 max 20              # "quoted" \\ and {braced}\n', "      note: double\n",
        "no type is called `double`: numbers are decimal as JSON writes them; write `number`, or a format of decimal text"),
    "maps": goods('      note: string min 2 max 20              # "quoted" \\ and {braced}\n', "      note: map<string>\n",
        "no type is called `map<string>`: the language has no maps; write `object`, whose members nobody judges"),
    "unions": goods('      note: string min 2 max 20              # "quoted" \\ and {braced}\n', "      note: string|number\n",
        "no type is called `string|number`: the language has no unions; write `object`, or a field for each of the types"),
    "null that means something": goods('      note: string min 2 max 20              # "quoted" \\ and {braced}\n', "      note: null\n",
        "no type is called `null`: each field has one type, and null means the same as absent; write its type, without `!`"),
    "arrays of arrays": goods("tags: string[] max 3", "tags: string[][] max 3",
        "no type is called `string[]`: the language has no arrays of arrays; write an array of a type that has the inner one"),
    "a type within itself": goods("    itemNo: string max 16\n", "    itemNo: string max 16\n    item: Item\n", "`Item` contains itself", at="  Item [2]:"),
    "numbers of more than 15 digits": goods("eg 10.50", "eg 12345678901234567890.55",
        "`amount`: `eg 12345678901234567890.55` has more digits than a number of JSON keeps; correct the value or the limit"),
    "an unsigned call": service("      X-Seal!: string secret from signature.call\n", "      X-Seal!: string secret\n",
        "`goods.buy` has no signature in its request; ", at="    headers:\n      Content-Type"),
    "an unsigned answer": service("      X-Sent-At!: millis\n      X-Seal!: string secret from signature.answer\n    response:",
        "      X-Sent-At!: millis\n      X-Seal!: string secret\n    response:", "`goods.buy` has no signature in its response; ",
        at="    response headers:\n      X-Sent-At"),
    "HMAC of calls and notifications": service('    written: "{hex of RSA-SHA256}"\n', '    written: "{base64 of HMAC-SHA256}"\n',
        "signature `answer`: `{base64 of HMAC-SHA256}` signs with a secret, and the language signs so only what the merchant chooses; "),
    "another algorithm": service('    written: "{hex of RSA-SHA256}"\n', '    written: "{base64 of ED25519}"\n',
        "signature `answer`: `{base64 of ED25519}` is not a spelling; "),
    "percent-encoded Base64": service('    written: "{hex of RSA-SHA256}"\n', '    written: "{percent base64 of RSA-SHA256}"\n',
        "signature `answer`: `{percent base64 of RSA-SHA256}` is percent-encoded, which no signature of the language is; "),
    "the path in the signature of a notification": service('    covers: "{X-Sent-At}.{body sha256}"',
        '    covers: "{path}{X-Sent-At}.{body sha256}"',
        "signature `answer`: it covers the path, which a receiver does not know; write the address itself, such as `/notify{newline}{body}`, in a signature for notifications"),
    "a token that the client fetches": service("X-Till: string from merchant.till", "X-Till: string from session.token",
        "`X-Till`: nothing is called `from session.token`; write one of the sources: "),
    "the time of a notification in a header": service(
        "      X-Sent-At!: millis\n      X-Seal!: string secret from signature.answer\n\ntypes",
        "      X-Sent-At!: millis from clock\n      X-Seal!: string secret from signature.answer\n\ntypes",
        "`goods.sent` has its time in the header `X-Sent-At`, and the language reads times of the body alone; mark a field of the whole message with `from clock`"),
    "a question that is told by a value": goods("    decides:\n", "    when: kind is SENT\n    decides:\n",
        "`goods.may_send` asks the merchant, and says `when:`, by which notifications alone are recognised; "),
}  # fmt: skip
"""What other gateways have and the language does not say; it is all that is known to be missing."""

MEANINGLESS: dict[str, Refusal] = {
    "a second spelling in what a request carries": shop(*field("x: string also y"), "`x`: the merchant writes a `Person`, and `also y` is for answers"),
    "a second spelling in a request itself": shop(
        "      note: string max 20", "      note: string max 20 also remark",
        "`note`: the merchant writes a `goods.buy.request.data`, and `also remark` is for answers",
    ),
    "an example shorter than its minimum": shop(*field("x: string min 2 eg A"), "`x`: `eg A` has 1 characters, fewer than 2"),
    "a default that is none of the values": shop(*field("x: string in A B default C"), "`x`: `default C` is none of A, B"),
    "a value outside its range": shop(*field("x: string range 3..5 eg 7"), "`x`: `eg 7` is outside the range 3..5"),
    "a value that does not match its pattern": shop(*field("x: code eg a-b"), "`x`: `eg a-b` is no `code`"),
    "a value that a check refuses": shop(
        "formats:\n", "formats:\n\n  day [1]:  # A day.\n    check: calendar_date\n    shown: yyyy-MM-dd\n", *field("x: day eg 2025-02-30"),
        "`x`: `eg 2025-02-30` is no `day`", at="    x:",
    ),
    "a required value that nothing shows": shop(
        "formats:\n", "formats:\n\n  shape [1]:  # A shape.\n    pattern: '[A-F]{3}-[0-9]+'\n    shown: of a shape\n", *field("x!: shape"),
        "`x`: no value is shown for the example", at="    x!:",
    ),
    "an example that is not a member": shop(*field("x: ItemStatus eg GONE"), "`x`: `eg GONE` is not a value of `ItemStatus`"),
    "a member longer than the field": shop(*field("x: ItemStatus max 3"), "`x`: `OPEN` of `ItemStatus` has 4 characters, more than 3"),
    "a number as JSON does not write it": shop(*field("x: number eg 01"), "`x`: `eg 01` is not a number as JSON writes it"),
    "a value of an object": shop(*field("x: object eg A"), "`x`: `eg A` is the value of an object"),
    "min above max here too": shop(*field("x: string min 3 max 2"), "`x`: min 3 is more than max 2"),
    "max 0": shop(*field("x: string max 0"), "`x`: max 0 leaves nothing to write"),
    "a range longer than the maximum": shop(*field("x: string max 2 range 1..100"), "`x`: 100, the end of the range, is longer than max 2"),
    "max on a boolean": shop(*field("x: boolean max 3"), "`x`: min and max count characters or elements, and a boolean has none"),
    "max on an object": shop(*field("x: object max 3"), "`x`: min and max count characters or elements, and a object has none"),
    "max on a struct": shop(*field("x: Received max 3"), "`x`: min and max count characters or elements, and a Received has none"),
    "range on a number": shop(*field("x: number range 1..3"), "`x`: range is for digits in a string, not for a number"),
    "range on an array": shop(*field("x: string[] range 1..3"), "`x`: range is for digits in a string, not for a string[]"),
    "is on a number": shop(*field("x: number is 3"), "`x`: `is` is for text, not for a number"),
    "in on a boolean": shop(*field("x: boolean in true"), "`x`: `in` is for text, not for a boolean"),
    "values beside a value list": shop(*field("x: ItemStatus in OPEN"), "`x`: `ItemStatus` has its own list of values"),
    "blank where nothing refuses it": shop(*field("x: string blank"), "`x`: `blank` where nothing would refuse the empty string"),
    "two sayings of what we write": shop(*field("x: string is A sends A"), "`x`: more than one of is, sends and from says what we write"),
    "a default of an array": shop(*field("x: string[] default A"), "`x`: an array has a default"),
    "a second spelling that is the first": shop(*field("x: string also x"), "`x`: `also x` is its own name"),
    "an unknown source": shop(
        "      version!: string from operation.version", "      version!: string from merchant.shoe_size", "`version`: nothing is called `from merchant.shoe_size`",
    ),
    "two fields of one Python name": shop(*field("x_y: string\n    xY: string"), "`xY` and `x_y` (spec/shop.yaml:106) both become `x_y` in `Person`", at="    xY:"),
    "a second spelling that is another field": shop(*field("x: string also name"), "`x` has `also name`, which is `name` in `Person`"),
    "a field whose name is taken": shop(*field("answer: string"), "`answer` becomes `answer`, which is taken"),
    "two members of one Python name": shop("    R RED: red", "    R RED: red\n    Red: red", "`Red` and `R` (spec/shop.yaml:123) both become `RED` in `Colour`"),
    "a rule named like a code": shop("colour-of-sent", "required", "`required` is the code of a limit"),
    "a type named like a resource": shop(
        "types:\n", "types:\n\n  Goods [1]:  # One more.\n    x: Person\n", "`Goods` is also the class of the resource `goods` (spec/shop.yaml:51)",
    ),
    "a type named as the generated code needs it": shop(
        "types:\n", "types:\n\n  Decimal [1]:  # One more.\n    x: Person\n", "`Decimal` is a name that the generated code needs",
    ),
    "a type named like what is exported": shop(
        "types:\n", "types:\n\n  Reply [1]:  # One more.\n    x: Person\n", "`Reply` is also what every generated package exports",
    ),
    "a type named like the class of a question": shop(
        "types:\n", "types:\n\n  ParcelQuestion [1]:  # One more.\n    x: Person\n", "    notification: Parcel\n    answer: Received",
        "    decides:\n      answer: code\n      yes: YES\n      no: NO\n      why not: why\n    request: Parcel\n    response: Received", "    once per: number\n",
        "", "    when: kind is SENT\n", "", "`ParcelQuestion` is also the class of what `goods.sent` asks", at="  ParcelQuestion",
    ),
    "two validators of one name": shop(
        "types:\n", "types:\n\n  GoodsBuyRequest [1]:  # One more.\n    x: Person\n",
        "`goods.buy.request` and `GoodsBuyRequest` (spec/shop.yaml:99) both become `goods_buy_request` among the validators of spec/shop.yaml",
        at="    request:\n      key!: code max 8 eg",
    ),
    "two types with validators of one name": shop(
        "types:\n", "types:\n\n  HttpCode [1]:  # One more.\n    x: Person\n", "  Person [2]:", "  HTTPCode [2]:  # Two.\n    x: Person\n\n  Person [2]:",
        "`HTTPCode` and `HttpCode` (spec/shop.yaml:99) both become `http_code` among the validators", at="  HTTPCode",
    ),
    "two formats of one name": shop(
        "formats:\n",
        'formats:\n\n  co_de [1]:  # Two.\n    pattern: "[0-9]+"\n    shown: digits\n\n  co__de [1]:  # One.\n    pattern: "[0-9]"\n    shown: a digit\n',
        "`co__de` and `co_de` (spec/shop.yaml:3) both become `CO_DE` among the formats", at="  co__de",
    ),
    "a member named _A": shop("    R RED: red", "    R RED: red\n    _A: red", "`_A` becomes `_A`, which is not a name for a member"),
    "a verb named by a keyword": shop(
        "  goods.query: 1.0", "  goods.import: 1.0", "  goods.query [1.2]:", "  goods.import [1.2]:", "query: goods.query by", "query: goods.import by",
        "`import` in `goods.import` is Python's own", at="goods.import [1.2]",
    ),
    "a resource named like an attribute of the client": shop(
        "  goods.query: 1.0", "  close.query: 1.0", "  goods.query [1.2]:", "  close.query [1.2]:", "query: goods.query by", "query: close.query by",
        "`close` in `close.query` is an attribute that every client has", at="close.query [1.2]",
    ),
    "a resource named like a class": shop(
        "  goods.query: 1.0", "  merchant.query: 1.0", "  goods.query [1.2]:", "  merchant.query [1.2]:", "query: goods.query by", "query: merchant.query by",
        "`merchant` in `merchant.query` becomes a class that the generated code needs", at="merchant.query [1.2]",
    ),
    "a verb named date": shop(
        "  goods.query: 1.0", "  goods.date: 1.0", "  goods.query [1.2]:", "  goods.date [1.2]:", "query: goods.query by", "query: goods.date by",
        "`date` in `goods.date` is a name that the generated code needs", at="goods.date [1.2]",
    ),
    "a verb named resolve": shop(
        "  goods.query: 1.0", "  goods.resolve: 1.0", "  goods.query [1.2]:", "  goods.resolve [1.2]:", "query: goods.query by", "query: goods.resolve by",
        "`resolve` in `goods.resolve` is what settles an unknown outcome", at="goods.resolve [1.2]",
    ),
    "a notification named like a method of the receiver": shop("  goods.sent [3]:", "  goods.conflict [3]:", "`on_conflict` is a method that every receiver has"),
    "a number named ledger": shop("  merchant_no: id", "  ledger: id", "`ledger` is an argument or attribute that every merchant or receiver has"),
    "a second write that the first one's query settles": shop(
        "versions:\n", "versions:\n  goods.drop: 1.0\n", "  # Ask what became of goods.\n",
        "  # Drop goods.\n  goods.drop [1.1]:\n    post: /drop\n    version: 1.0\n    envelope: sealed\n    key: key\n    resolved by:\n"
        "      query: goods.query by key\n    request:\n      key!: code max 8 eg K1\n    response: Item\n\n  # Ask what became of goods.\n",
        "`goods.drop` is settled by `goods.query`, which shows the key as soon as `goods.buy` took effect", at="      query: goods.query by key\n    request:",
    ),
    "an echo in a list that is none": shop(
        "    echoes: key\n    refuses", "    echoes: key\n    each echoes: status.key\n    refuses",
        "`goods.buy` has `status.key` under `each echoes:`, which is not a field of a list of its answer",
    ),
    "a guard that compares a text with 0": shop(*guard("x: note not below 0"), "guard `x`: `note` is neither a number nor an amount", at="      x:"),
    "a guard named like a rule": shop(
        *guard("note-of-old: amount above 0"), "guard `note-of-old` has the name of a rule of `goods.buy`", at="      note-of-old: amount above",
    ),
    "a number that is joined of texts": shop("need note", "amount is note then kind", "rule `note-of-old`: `amount` is not a text, so that it cannot be compared"),
    "a text that differs from itself": shop("need note", "note differs from note", "rule `note-of-old`: `note` is compared with itself"),
    "a condition on a field that is none": shop("when kind is OLD", "when sort is OLD", "rule `note-of-old`: `goods.buy.request.data` has no field `sort`"),
    "a path through a text": shop("need note", "need note.x", "rule `note-of-old`: `note` is not an object with known fields"),
    "a path through an array": shop("need note", "need people.name", "rule `note-of-old`: `people` is an array"),
    "a value too long for the field": shop(
        "when kind is OLD", "when key is ABCDEFGHI", "rule `note-of-old`: `key` is never ABCDEFGHI: it has 9 characters, more than 8",
    ),
    "a state that is none": shop(
        "when status is SENT, need colour", "when status is LOST, need colour", "rule `colour-of-sent`: `status` is never LOST: it is not a value of `ItemStatus`",
    ),
    "a value of an array": shop("when kind is OLD", "when tags is OLD", "rule `note-of-old`: `tags` is not a text, so that it cannot be compared"),
    "a demanded value that is none": shop("need note", "kind in OLDER", "rule `note-of-old`: `kind` is never OLDER: it is none of NEW, OLD"),
    "a max of a number": shop("need note", "amount max 3", "rule `note-of-old`: `amount` has no length"),
    "a max that is no less": shop("need note", "note max 20", "rule `note-of-old`: max 20 is no less than the max 20 of `note`"),
    "a required field refused": shop("need note", "refuse amount", "rule `note-of-old`: `amount` is required and refused"),
    "an operation without a version": shop(
        "    post: /query\n    version: 1.0\n", "    post: /query\n", "`goods.query` has no version, and `version` is filled with it", at="goods.query [1.2]",
    ),
    "a version that the table lacks": shop(
        "  goods.query: 1.0\n", "", "`goods.query` has version 1.0, and `versions:` does not list it", at="    version: 1.0\n    envelope: sealed\n    echoes: key",
    ),
    "a version that the table has otherwise": shop(
        "  goods.query: 1.0\n", "  goods.query: 1.1\n", "`goods.query` has version 1.0, and spec/shop.yaml:46 says 1.1",
        at="    version: 1.0\n    envelope: sealed\n    echoes: key",
    ),
    "a key that is not a field": shop("    key: key ignoring case", "    key: lock", "`goods.buy` has the key `lock`, which is not a field of its request"),
    "a key that may be absent": shop("    key: key ignoring case", "    key: note", "`goods.buy` has the key `note`, which its request may leave out"),
    "a write that nothing settles": shop(
        "    resolved by:\n      query: goods.query by key\n      placed again after: again\n      else: queried again\n", "",
        "`goods.buy` is a write and does not say how an unknown outcome is settled", at="    key: key ignoring case",
    ),
    "a read that is settled": shop("    key: key ignoring case\n", "", "`goods.buy` is not a write, and speaks of repeated or unknown ones"),
    "settled by a write": shop("query: goods.query by", "query: goods.buy by", "`goods.buy` is resolved by `goods.buy`, which is not a query"),
    "settled by no field": shop("goods.query by key", "goods.query by lock", "`goods.buy` is resolved by `lock`, which is not a field of `goods.query`"),
    "done by a member that is not answered": shop(
        "goods.query by key\n", "goods.query by key\n      done when: state in R\n",
        "`goods.buy` is done by `state`, which is not a field of the answer of `goods.query`",
    ),
    "done by a value that is none": shop(
        "goods.query by key\n", "goods.query by key\n      done when: status in LOST\n",
        "`goods.buy` is done when `status` is LOST, and that is not a value of `ItemStatus`",
    ),
    "a refused time that proves nothing": shop(
        "    refuses: BAD\n", "    refuses: BAD\n    stale: LATE\n", "`goods.buy` has LATE under `stale:` of its envelope and not under `refuses:`",
    ),
    "a verb that follows": shop(
        "  goods.query [1.2]:", "  goods.follow [1.2]:", "goods.query by key\n", "goods.follow by key\n", "  goods.query: 1.0", "  goods.follow: 1.0", "moves:\n",
        "follows:\n\n  goods [2]:\n    shown by: goods.follow by key\n    state: status\n\nmoves:\n",
        "`follow` in `goods.follow` is what follows the resource's items", at="goods.follow [1.2]",
    ),
    "placed again after no limit": shop("after: again", "after: soon", "`goods.buy` is placed again after `soon`, which is not a span of time in `limits:`"),
    "an echo that the answer lacks": shop(
        "    echoes: key\n    refuses", "    echoes: note\n    refuses", "`goods.buy` echoes `note`, which is not a field of its response",
    ),
    "an echo that the request lacks": shop(
        "    echoes: key\n    refuses", "    echoes: colour\n    refuses", "`goods.buy` echoes `colour`, which is not a field of its request",
    ),
    "a member shown that the request lacks": shop(
        "    echoes: key\n    refuses", "    echoes: key\n    shows: price as status\n    refuses",
        "`goods.buy` shows `price`, which is not a text or number of its request",
    ),
    "a member shown that no answer has": shop(
        "    echoes: key\n    refuses", "    echoes: key\n    shows: buyer.name, amount as total.amount\n    refuses",
        "`goods.buy` shows `total.amount`, which is not a field of its answer, nor of its query's",
    ),
    "a key that is shown as content": shop(
        "    echoes: key\n    refuses", "    echoes: key\n    shows: key\n    refuses",
        "`goods.buy` shows `key`, for which its resolver has no argument: the name is taken",
    ),
    "a read that says what it shows": shop(
        "    echoes: key\n    absent", "    echoes: key\n    shows: key\n    absent", "`goods.query` is not a write, and says `shows:`",
    ),
    "no success": shop("    succeeds: code is OK\n", "", "`goods.query` does not say which answer means yes", at="goods.query [1.2]"),
    "success by no field": shop("succeeds: code is OK", "succeeds: cody is OK", "`goods.query` succeeds when `cody`, which is not a field of its response"),
    "success by no value": shop(
        "succeeds: code is OK", "succeeds: code is OKOKOKOKO", "`goods.query` succeeds when `code` is OKOKOKOKO, and that has 9 characters, more than 8",
    ),
    "a code too long": shop("refuses: POOR", "refuses: IMPOVERISHED", "`goods.buy` has IMPOVERISHED under `refuses:`, and that has 12 characters, more than 8"),
    "a question of a key that is not written down": shop(
        "    echoes: key\n    refuses", "    echoes: key ?why\n    refuses", "`?why` is cited and not written down",
    ),
    "a notification that does not say what happens once": shop(
        "    once per: number\n", "", "`goods.sent` does not say what it has one effect for", at="  goods.sent [3]:",
    ),
    "one effect for a state of nothing": shop(
        "once per: number", "once per: state", "    number!: string", "    state!: ItemStatus", "`goods.sent` is once per a state of nothing",
    ),
    "one effect for two states": shop(
        "once per: number", "once per: number state other", "    number!: string", "    number!: string\n    state!: ItemStatus\n    other!: ItemStatus",
        "`goods.sent` is once per more than one state",
    ),
    "one effect for a field twice": shop("once per: number", "once per: number number", "`goods.sent` names a field twice in `once per:`"),
    "a question that does not say how it is decided": shop(
        "    notification: Parcel\n    answer: Received", "    request: Parcel\n    response: Received", "    once per: number\n", "",
        "`goods.sent` asks the merchant, and does not say how the answer decides", at="  goods.sent [3]:",
    ),
    "a decision that its field cannot hold": shop(
        "    notification: Parcel\n    answer: Received",
        "    decides:\n      answer: code\n      yes: MAYBE_NOT\n      no: NO\n      why not: why\n    request: Parcel\n    response: Received",
        "    once per: number\n", "", "    code!: string sends OK\n\nrules", "    code!: string max 8 eg OK\n    why: string\n\nrules",
        "`goods.sent` decides by `code` being MAYBE_NOT, and that has 9 characters, more than 8", at="      yes: MAYBE_NOT",
    ),
    "limits of a decision that are no numbers": shop(
        "    notification: Parcel\n    answer: Received",
        "    decides:\n      answer: code\n      yes: MAYBE\n      no: NO\n      why not: why\n      amount: number\n      from: code\n      to: why\n"
        "    request: Parcel\n    response: Received", "    once per: number\n", "", "    code!: string sends OK\n\nrules",
        "    code!: string max 8 eg OK\n    why: string\n\nrules", "`goods.sent` limits its decision by `code`, which is not a number of its answer",
        at="      from: code",
    ),
    "told by no field": shop("when: kind is SENT", "when: sort is SENT", "`goods.sent` is recognised by `sort`, which is not a field of its notification"),
    "told by no value": shop("when: kind is SENT", "when: kind is LOST", "`goods.sent` is recognised by `kind` is LOST, and that is none of SENT"),
    "a notification that shares an address untold": shop(
        "notifications:\n",
        "notifications:\n\n  # Other goods.\n  goods.lost [3]:\n    post: /sent\n    envelope: bare\n    notification: Parcel\n    answer: Received\n",
        "`goods.lost` shares /sent with `goods.sent`, and nothing tells them apart", at="    post: /sent\n    envelope: bare\n    notification: Parcel",
    ),
    "calls that share an address untold": shop("post: /query", "post: /buy", "`goods.query` shares /buy with `goods.buy`, and nothing tells them apart"),
    "an operation without a summary": shop("  # Buy goods.\n", "", "operation `goods.buy` has no summary"),
    "a type without a summary": shop("  Person [2]:                                # Somebody.", "  Person [2]:", "type `Person` has no summary"),
    "a value list without a summary": shop("# A colour.", "# [2]", "value list `Colour` has no summary"),
    "a format without a summary": shop("                                  # Letters and digits.", "", "format `code` has no summary"),
    "a question that is not written down": shop(*field("x: string ?why"), "`?why` is cited and not written down"),
    "a question that nobody asks": shop("    ...: ?colours\n", "", "the question `colours` is not cited", at="  colours [2]"),
    "a type that nothing uses": shop("types:\n", "types:\n\n  Lost [1]:  # Lost.\n    x: string\n", "no message uses the type `Lost`"),
    "a value list that nothing uses": shop("enums:\n", "enums:\n\n  Size [2]: S M  # A size.\n", "no message uses the value list `Size`"),
    "a format that nothing uses": shop(
        "formats:\n", "formats:\n\n  day [1]:  # A day.\n    check: calendar_date\n    shown: x\n", "no message uses the format `day`",
    ),
    "a check that the runtime lacks": shop('    pattern: "[A-Z0-9]+"', "    check: full_moon", "format `code`: the runtime has no check `full_moon`"),
    "a limit that its field lacks": shop(
        "      key!: code max 8 eg K1 ", "      key!: code max 9 eg K1 ", "limit `key-length`: `goods.buy.request.key` (spec/shop.yaml:64) does not say `max 8`",
        at="key-length [2]",
    ),
    "a limit of no message": shop("max 8 of goods.buy.request.key", "max 8 of goods.buy.notice.key", "limit `key-length`: there is no field `goods.buy.notice.key`"),
    "a limit of no rule": shop("max 8 of goods.buy.request.key", "max 8 of some-rule", "limit `key-length`: no rule is called `some-rule`"),
    "a limit that its rule lacks": shop(
        "max 8 of goods.buy.request.key", "max 8 of note-of-old", "limit `key-length`: rule `note-of-old` (spec/shop.yaml:72) does not say `max 8`",
    ),
    "a move of no states": shop("moves:\n\n  ItemStatus [2]", "moves:\n\n  Colour [2]", "`Colour` is not a list of states", at="none -> OPEN"),
    "a move to no state": shop("none -> OPEN", "none -> LOST", "`LOST` is not a state of `ItemStatus`"),
    "a settled state that nothing leads out of": shop("SENT final paid: sent", "SENT settled paid: sent", "`SENT` is settled and no move leads out of it"),
    "a move from a final state": shop("none -> OPEN", "SENT -> OPEN", "`SENT` is final and moves on"),
    "two handlers of one name": shop(
        "types:\n\n",
        "  # A refund ended.\n  refunds.sent [3]:\n    post: /refunded\n    envelope: bare\n    when: kind is BACK\n    once per: number\n"
        "    notification: Refunded\n    answer: Received\n\ntypes:\n\n  Refunded from Parcel [3]:  # It.\n    kind!: string is BACK\n\n",
        "`refunds.sent` and `goods.sent` (spec/shop.yaml:89) both become `on_sent` among the handlers", at="  refunds.sent [3]:",
    ),
    "times of notifications in fields of two names": shop(
        "types:\n\n",
        "  # Goods came back.\n  goods.back [3]:\n    post: /back\n    envelope: bare\n    when: kind is BACK\n    once per: number\n    notification: Back\n"
        "    answer: Received\n\ntypes:\n\n  Back [3]:  # It.\n    kind!: string is BACK\n    backAt!: string from clock\n    number!: string\n\n",
        "`goods.back` and `goods.sent` have different fields `from clock`", at="    backAt!:",
    ),
    '`note: ""`': shop("      note: string max 20", '      note: ""', "`` is not a field"),
    "`goods.buy: one`": shop("  goods.buy: 1.0", "  goods.buy: one", "`one` is not a version"),
    "`key: key ignoring`": shop("    key: key ignoring case", "    key: key ignoring", "`key ignoring` is not the key of a write"),
    "`query: goods.query with key`": shop("query: goods.query by key", "query: goods.query with key", "`goods.query with key` is not the query that settles it"),
    "`resolved by: nobody`": shop("    resolved by:\n", "    resolved by: nobody\n", "the text of `resolved by` runs over lines"),
    "`else: asked again`": shop("      else: queried again\n", "      else: asked again\n", "`asked again` is not what is done before that time"),
    "`succeeds: code = OK`": shop("succeeds: code is OK", "succeeds: code = OK", "`code = OK` is not what means success"),
    "`Size [2]: S Mß  # A size.`": shop("enums:\n", "enums:\n\n  Size [2]: S Mß  # A size.\n", "`S Mß` is not a value list"),
    "without `does: open list`": shop("    does: open list\n", "", "`colours [2]` lacks `does:`", at="  colours [2]"),
    "`shown: x`": shop("    shown: letters and digits\n", "    shown: x\n    python: int\n", "`int` is not a Python type", at="int"),
    "`answer: received`": shop("    answer: Received", "    answer: received", "`received` is not a message"),
    "`key: x`": shop("    post: /sent\n", "    post: /sent\n    key: x\n", "`key` is not known here"),
    "`envelope: bear`": shop("envelope: bare", "envelope: bear", "no envelope is called `bear`"),
    "`spare [1]:`": shop("  bare [1]:", "  spare [1]:\n    headers:\n      a: string\n\n  bare [1]:", "no operation has the envelope `spare`"),
    "`without: nothing-such`": shop("    absent: NONE\n", "    without: nothing-such\n", "envelope `sealed` has no rule `nothing-such` to drop"),
    "`Person from Nobody [2]:`": shop("  Person [2]:", "  Person from Nobody [2]:", "no type is called `Nobody`"),
    "`check: moment`": shop('    pattern: "[A-Z0-9]+"', "    check: moment\n    pattern: x", "format `code` needs a pattern or a check", at="  code [1]"),
    "without `answer: Received`": shop("    answer: Received\n", "", "`goods.sent` lacks `answer:`", at="goods.sent [3]"),
    "`request: Parcel`": shop("    answer: Received\n", "    answer: Received\n    request: Parcel\n", "`request:` beside a notification"),
    "`rules:`": shop("    answer: Received\n", "    answer: Received\n    rules:\n      r: need kind\n", "rule `r` is about the type `Parcel`", at="need kind"),
    "`a: text`": shop("    name!: string max 64 pii", "    a: text", "no type is called `text`"),
    "`a: Person[`": shop("    name!: string max 64 pii", "    a: Person[", "no type is called `Person[`"),
    "`a: string maximum 3`": shop("    name!: string max 64 pii", "    a: string maximum 3", "`maximum` is no facet"),
    "`a: string max`": shop("    name!: string max 64 pii", "    a: string max", "`max` has no value"),
    "`a: string max ?q`": shop("    name!: string max 64 pii", "    a: string max ?q", "`max` has no value"),
    "`a: string max min 3`": shop("    name!: string max 64 pii", "    a: string max min 3", "`max` has no value"),
    "`a: string max 3.5`": shop("    name!: string max 64 pii", "    a: string max 3.5", "`max 3.5` is no count"),
    "`a: string max ٣`": shop("    name!: string max 64 pii", "    a: string max ٣", "`max ٣` is no count"),
    "`a: string max 12345678901`": shop("    name!: string max 64 pii", "    a: string max 12345678901", "`max 12345678901` is no count"),
    "`a: string range 1-3`": shop("    name!: string max 64 pii", "    a: string range 1-3", "`range 1-3` is no range"),
    "`a: string range 1..`": shop("    name!: string max 64 pii", "    a: string range 1..", "`range 1..` is no range"),
    "`a: string in`": shop("    name!: string max 64 pii", "    a: string in", "`in` has no value"),
    "`a: string in A A`": shop("    name!: string max 64 pii", "    a: string in A A", "`in` names a value twice"),
    "`a: string max 3 max 4`": shop("    name!: string max 64 pii", "    a: string max 3 max 4", "`max` stands twice"),
    "`a: string blank blank`": shop("    name!: string max 64 pii", "    a: string blank blank", "`blank` stands twice"),
    "`a: string range 1..2 range 1..3`": shop("    name!: string max 64 pii", "    a: string range 1..2 range 1..3", "`range` stands twice"),
    "`a: string is A in B`": shop("    name!: string max 64 pii", "    a: string is A in B", "`is` and `in` exclude one another"),
    "`a: string is A eg B`": shop("    name!: string max 64 pii", "    a: string is A eg B", "`is` and `eg` exclude one another"),
    "`a: string in A eg B`": shop("    name!: string max 64 pii", "    a: string in A eg B", "`in` and `eg` exclude one another"),
    "`a: string exactly 3 max 3`": shop("    name!: string max 64 pii", "    a: string exactly 3 max 3", "`exactly` and `max` exclude one another"),
    "`a: string exactly 3 min 3`": shop("    name!: string max 64 pii", "    a: string exactly 3 min 3", "`exactly` and `min` exclude one another"),
    "`a: string secret pii`": shop("    name!: string max 64 pii", "    a: string secret pii", "more than one of secret, pan and pii"),
    "`a: string is A B`": shop("    name!: string max 64 pii", "    a: string is A B", "`B` is no facet"),
    "`a: none`": shop("    name!: string max 64 pii", "    a: none", "there is no `a` to drop"),
    "`a: 'string #x'`": shop("    name!: string max 64 pii", "    a: 'string #x'", "`#x` is no facet"),
}  # fmt: skip
"""What can be read, and cannot be meant; and lines that cannot be read."""
