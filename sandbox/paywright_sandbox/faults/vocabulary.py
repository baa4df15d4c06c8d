"""Kinds of faults and fields of rules, shared by the command line and the control API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

KINDS: Final[Mapping[str, str]] = {
    "reset": "reset the connection instead of answering",
    "hang": "send no answer, and close the connection after `seconds`",
    "cut": "send half of the body, then close the connection",
    "drip": "send the body in small pieces over `seconds`",
    "html": "answer with an HTML page and `status` 500 or 502, like a proxy",
    "bad-signature": "answer with a wrong signature",
    "no-signature": "answer without a sign header",
    "another-answer": "send a signed earlier answer to another key, which it names",
    "stale-answer": "send a signed earlier answer of the same operation, to the same key if there is one",
    "code": "send a signed answer with the business `code`",
}
"""The faults of answers."""

ENDS_WHOLE: Final = ("drip",)
"""Faults that deliver the true answer in the end: they cannot apply before the commit."""

HOLDS_BACK: Final = ("late", "reordered")
"""The faults that delay a notification."""

NOTIFICATION_KINDS: Final[Mapping[str, str]] = {
    "duplicate": "deliver it twice",
    "late": "delay its delivery by `seconds`",
    "reordered": "deliver it after the next one that waits, or `seconds` later if none does",
    "wrong-key": "sign it with a key that is not the gateway's",
    "corrupted": "change its body after signing",
}
"""The faults of notifications."""

FIELDS: Final[Mapping[str, str]] = {
    "kind": "the fault: " + ", ".join((*KINDS, *NOTIFICATION_KINDS)),
    "when": "before or after the commit (default after); drip and faults of notifications need after",
    "operation": "the operation, such as refunds.create, or a notifyType (default any)",
    "key": "the merchant's own number in the request, such as its outTradeNo, in any case",
    "skip": "number of matching requests to leave alone first (default 0)",
    "times": "number of requests to apply it to (default all)",
    "probability": "probability for each matching request, from 0 to 1, drawn by the seed (default 1)",
    "seconds": "seconds of hang, drip, late and reordered, 0 to 600 (default 5)",
    "status": "the HTTP status of html: 500 or 502 (default 502)",
    "code": "the business code of the kind code (default SYSTEM_ERROR)",
}
"""The fields of a rule."""
