"""Kinds of faults and fields of rules, shared by the command line, the control API and sandbox.toml."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["ENDS_WHOLE", "FIELDS", "HOLDS_BACK", "KINDS", "NOTIFICATION_KINDS"]

KINDS: Final[Mapping[str, str]] = {
    "reset": "the connection is reset in place of an answer",
    "hang": "no answer comes; the connection is closed after `seconds`",
    "cut": "half of the body comes, then the connection is closed",
    "drip": "the body comes in small pieces over `seconds`",
    "html": "an HTML page with `status` 500 or 502, as proxies send it",
    "bad-signature": "the signature does not hold",
    "no-signature": "there is no sign header",
    "another-answer": "a signed earlier answer to a request with another key, which it names",
    "stale-answer": "a signed earlier answer of the same operation, of the same key if there is one",
    "code": "a signed answer with the business `code`",
}
"""The faults of answers."""

ENDS_WHOLE: Final = ("drip",)
"""Faults that deliver the true answer in the end: they cannot apply before the commit."""

HOLDS_BACK: Final = ("late", "reordered")
"""The faults that delay a notification."""

NOTIFICATION_KINDS: Final[Mapping[str, str]] = {
    "duplicate": "it is delivered twice",
    "late": "its delivery waits for `seconds`",
    "reordered": "it is delivered after the next one that waits; `seconds` later where there is none",
    "wrong-key": "a key that is not the gateway's signs it",
    "corrupted": "its body is changed after it was signed",
}
"""The faults of notifications."""

FIELDS: Final[Mapping[str, str]] = {
    "kind": "what happens: " + ", ".join((*KINDS, *NOTIFICATION_KINDS)),
    "when": "before or after the commit (default after); drip and notifications stand after it",
    "operation": "the operation, such as refunds.create, or a notifyType (default any)",
    "key": "the merchant's own number in the request, such as its outTradeNo; upper and lower case are the same",
    "skip": "how many matching requests pass before the first is struck (default 0)",
    "times": "how many are struck (default all of them)",
    "probability": "how likely a matching request is struck, from 0 to 1; the seed decides (default 1)",
    "seconds": "how long hang, drip, late and reordered take, 0 to 600 (default 5)",
    "status": "the HTTP status of html: 500 or 502 (default 502)",
    "code": "the business code of code (default SYSTEM_ERROR)",
}
"""The fields of a rule, the same in sandbox.toml, the control API and the command line."""
