"""Reads the lines of a capture file that are written as usual, with the standard library alone."""

from __future__ import annotations

from binascii import a2b_base64
from json import JSONDecoder
from json.scanner import make_scanner
from typing import Final, NoReturn, cast

from paywright_audit.input.quotes import quotes_in
from paywright_audit.input.records import KINDS, Decoded, Exact, Exchange, Message
from paywright_audit.input.times import seconds

__all__ = ["usual_exchange"]


def _no_constant(_: str) -> NoReturn:
    raise ValueError


# Its own stub says that it takes another of its kind.
_scan: Final = make_scanner(cast(make_scanner, JSONDecoder(parse_constant=_no_constant)))
# The texts of a record as it is usually written, those of the headers apart: its keys, and its values that are texts.
_TEXTS: Final = 20
_TEXTS_UNANSWERED: Final = 15


def usual_exchange(line: bytes, offset: int, number: int) -> Exchange | None:
    """Return the exchange of a line in the form that nearly all have. None says only that it is another.

    Nothing is taken on trust. Every text has two quotes, so that their number proves that no name stands twice and that
    nothing is there but what is looked at.
    """
    try:
        text = line.decode()
        record, end = _scan(text, 0)
        request, answer, at = record["request"], record["response"], record["at"]
        headers = request["headers"]
        if text[end:] not in ("\n", "\r\n", "") or record["v"] != 1 or type(record["v"]) is not int:
            return None
        index = dict(headers)
        texts = _TEXTS_UNANSWERED + 2 * len(headers)
        "".join(index)  # fails unless all are texts
        "".join(index.values())
        if type(headers) is not list or len(index) != len(headers):
            return None
        asked = Message(headers, _body(request["body"]))
        answered = None
        if answer is not None:
            headers, status = answer["headers"], answer["status"]
            texts = _TEXTS + 2 * (len(index) + len(headers))
            index = dict(headers)
            "".join(index)
            "".join(index.values())
            if (
                type(status) is not int
                or not 0 <= status <= 999
                or type(headers) is not list
                or len(index) != len(headers)
            ):
                return None
            answered = Message(headers, _body(answer["body"]), status)
        began = seconds(at)
        # With members beyond these there are more texts, so that until, sent and a method are never passed over here.
        if type(record["url"]) is not str or began is None or quotes_in(line) != 2 * texts:
            return None
        return Exchange("line", record["url"], asked, answered, KINDS[record["kind"]], began, began, offset, number)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, StopIteration):
        return None


def _body(body: dict[str, str]) -> Exact | Decoded:
    if "base64" in body:
        return Exact(a2b_base64(body["base64"], strict_mode=True))
    return Decoded(body["text"].encode())
