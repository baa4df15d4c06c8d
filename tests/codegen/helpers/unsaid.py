"""What other gateways have and the language does not say: written into the tiny contract, and what the linter says of it.

`docs/contract.md` lists it, with the linter's own words; it is all that is known to be missing.
"""

from __future__ import annotations

from tests.codegen.helpers.mistypings import Mistyping

__all__ = ["UNSAID"]

_POST = "    post: /query\n"
_PATH = "the path of a call is the same for every call"
_SEAL = '    written: "{hex of RSA-SHA256}"\n'
_NOTE = '      note: string min 2 max 20              # "quoted" \\ and {braced}\n'
_TIME = "      X-Sent-At!: millis from clock\n      X-Till"
_BARE = "      X-Sent-At!: millis\n      X-Seal!: string secret from signature.answer\n\ntypes"


def _type(word: str, why: str, do: str) -> Mistyping:
    return Mistyping("goods", _NOTE, f"      note: {word}\n", f"no type is called `{word}`: {why}; {do}")


UNSAID: dict[str, Mistyping] = {
    "another method": Mistyping(
        "goods", _POST, "    get: /query\n", "`get: /query`: every call is a POST; ask for an address of POST"
    ),
    "a key in a path": Mistyping(
        "goods",
        _POST,
        "    post: /goods/{key}/query\n",
        f"`post: /goods/{{key}}/query`: the language has no keys in paths: {_PATH}; ask for an address without one",
    ),
    "a key in a path, after a colon": Mistyping(
        "goods",
        _POST,
        "    post: /goods/:key\n",
        f"`post: /goods/:key`: the language has no keys in paths: {_PATH}; ask for an address without one",
    ),
    "a query behind a path": Mistyping(
        "goods",
        _POST,
        "    post: /query?by=key\n",
        f"`post: /query?by=key`: the language has no queries: {_PATH}; write the parameters as fields of the body",
    ),
    **{
        f"a path that clients and proxies change: {said}": Mistyping(
            "goods",
            _POST,
            f"    post: {path}\n",
            f"`post: {path}`: a path is made of letters, digits and `-._~` between single slashes; correct the address",
        )
        for said, path in {
            "dots": "/v1/../query",
            "two slashes": "//query",
            "a part": "/query#f",
            "an escape": "/qu%65ry",
            "another letter": "/qu\u00e9ry",
        }.items()
    },
    "a body that is not JSON": Mistyping(
        "service",
        "sends application/json",
        "sends application/x-www-form-urlencoded",
        "`Content-Type!: string sends application/x-www-form-urlencoded`: every message is JSON; write `sends application/json`",
    ),
    "a message that is an array": Mistyping(
        "goods",
        "    response: ItemList",
        "    response: Item[]",
        "`response: Item[]`: every message is an object; name a type that has the array",
    ),
    "a message without fields": Mistyping(
        "goods",
        "    request:\n      colour!: Colour\n",
        "    request:\n",
        "`request` has no value; write what it is, or remove the key",
        "    request:\n    response: ItemList",
    ),
    "fields two levels down": Mistyping(
        "service",
        "payload: order",
        "payload: order.goods",
        "`payload: order.goods`: the operation's own fields stand one level down; write the level between as an object of each request",
    ),
    "a status of HTTP that says something": Mistyping(
        "service",
        "    message: result.words\n",
        "    message: result.words\n    status: 201\n",
        "`status: 201`: every answer has the status 200, and its code in the body; remove the line",
    ),
    "more than one value that means yes": Mistyping(
        "service",
        "succeeds: result.code is OK",
        "succeeds: result.code in OK U",
        "`succeeds: result.code in OK U`: one value of one field means yes; name that one, and the others in a question",
    ),
    "a key of two fields": Mistyping(
        "goods",
        "    key: key ignoring case",
        "    key: key kind",
        "`key: key kind`: a write has one key; name the field that no two writes share",
    ),
    "a key of a call in a header": Mistyping(
        "service",
        "      X-Till: string from merchant.till",
        "      Idempotency-Key!: string from digits.30\n      X-Till: string from merchant.till",
        "`Idempotency-Key!: string from digits.30`: digits are other ones in every attempt, and the language has no key of a call in a header; ",
    ),
    "a member with a name that Python has not": Mistyping(
        "goods",
        "      note: string min 2 max 20 ",
        "      3ds: string min 2 max 20 ",
        "`3ds: string min 2 max 20`: the name of a member becomes one of Python's: letters, digits, `_` and `-`, a letter first; "
        "leave it out: `extra=` sends it and `answer.raw` has it, or write the object around it as `object`",
    ),
    "two members of one name in Python": Mistyping(
        "goods",
        "      pin: string secret",
        "      pin: string secret\n      Pin: string",
        "`Pin` and `pin` (tiny/goods.yaml:39) both become `pin` in `goods.buy.request.data`; leave one of them out: "
        "`extra=` sends it and `answer.raw` has it",
        "      Pin: string",
    ),
    "integers": _type("integer", "the language has no integers", "write `number`, or `string` with a range"),
    "binary numbers": _type(
        "double", "numbers are decimal as JSON writes them", "write `number`, or a format of decimal text"
    ),
    "maps": _type("map<string>", "the language has no maps", "write `object`, whose members nobody judges"),
    "unions": _type("string|number", "the language has no unions", "write `object`, or a field for each of the types"),
    "null that means something": _type(
        "null", "each field has one type, and null means the same as absent", "write its type, without `!`"
    ),
    "arrays of arrays": Mistyping(
        "goods",
        "tags: string[] max 3",
        "tags: string[][] max 3",
        "no type is called `string[]`: the language has no arrays of arrays; write an array of a type that has the inner one",
    ),
    "a type within itself": Mistyping(
        "goods",
        "    itemNo: string max 16\n",
        "    itemNo: string max 16\n    item: Item\n",
        "`Item` contains itself",
        "  Item [2]:",
    ),
    "numbers of more than 15 digits": Mistyping(
        "goods",
        "eg 10.50",
        "eg 12345678901234567890.55",
        "`amount`: `eg 12345678901234567890.55` has more digits than a number of JSON keeps; correct the value or the limit",
    ),
    "an unsigned call": Mistyping(
        "service",
        "      X-Seal!: string secret from signature.call\n",
        "      X-Seal!: string secret\n",
        "`goods.buy` has no signature in its request; ",
        "    headers:\n      Content-Type",
    ),
    "an unsigned answer": Mistyping(
        "service",
        "      X-Sent-At!: millis\n      X-Seal!: string secret from signature.answer\n    response:",
        "      X-Sent-At!: millis\n      X-Seal!: string secret\n    response:",
        "`goods.buy` has no signature in its response; ",
        "    response headers:\n      X-Sent-At",
    ),
    "HMAC of calls and notifications": Mistyping(
        "service",
        _SEAL,
        '    written: "{base64 of HMAC-SHA256}"\n',
        "signature `answer`: `{base64 of HMAC-SHA256}` signs with a secret, and the language signs so only what the merchant chooses; ",
    ),
    "another algorithm": Mistyping(
        "service",
        _SEAL,
        '    written: "{base64 of ED25519}"\n',
        "signature `answer`: `{base64 of ED25519}` is not a spelling; ",
    ),
    "percent-encoded Base64": Mistyping(
        "service",
        _SEAL,
        '    written: "{percent base64 of RSA-SHA256}"\n',
        "signature `answer`: `{percent base64 of RSA-SHA256}` is percent-encoded, which no signature of the language is; ",
    ),
    "the path in the signature of a notification": Mistyping(
        "service",
        '    covers: "{X-Sent-At}.{body sha256}"',
        '    covers: "{path}{X-Sent-At}.{body sha256}"',
        "signature `answer`: it covers the path, which a receiver does not know; write the address itself, such as `/notify{newline}{body}`, in a signature for notifications",
    ),
    "a token that the client fetches": Mistyping(
        "service",
        "X-Till: string from merchant.till",
        "X-Till: string from session.token",
        "`X-Till`: nothing is called `from session.token`; write one of the sources: ",
    ),
    "the time of a notification in a header": Mistyping(
        "service",
        _BARE,
        _BARE.replace("millis\n", "millis from clock\n"),
        "`goods.sent` has its time in the header `X-Sent-At`, and the language reads times of the body alone; mark a field of the whole message with `from clock`",
    ),
    "a question that is told by a value": Mistyping(
        "goods",
        "    decides:\n",
        "    when: kind is SENT\n    decides:\n",
        "`goods.may_send` asks the merchant, and says `when:`, by which notifications alone are recognised; ",
    ),
}
