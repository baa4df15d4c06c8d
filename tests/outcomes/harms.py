"""The kinds of harm: what reaches the gateway, what comes back, and how the bytes end."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Final, NamedTuple

from tests.outcomes import spoils
from tests.outcomes.messages import Reply, Request

__all__ = ["HARMS", "ON_SOCKETS", "ON_TLS", "Harm", "Reach"]

Spoil = Callable[["spoils.Source", Request, Reply | None], Reply]


class Reach(StrEnum):
    """How often the request comes to the gateway because of this call, and when."""

    NEVER = "never"
    ONCE = "once"
    TWICE = "twice"
    LATER = "later"
    """After the client has given up: seconds later, and still acceptable by its requestTime."""
    TOO_LATE = "too late"
    """Past the two minutes, and for some past the time at which the order may have been placed again."""


class Harm(NamedTuple):
    """One kind. `ending` is a word of the proxy's: how the answer's bytes leave, if they do."""

    name: str
    reach: Reach
    ending: str = "whole"
    spoil: Spoil | None = None


_N, _O, _T, _L, _X = Reach.NEVER, Reach.ONCE, Reach.TWICE, Reach.LATER, Reach.TOO_LATE

HARMS: Final = (
    # Nothing comes to the gateway.
    Harm("connection refused", _N, "refused"),
    Harm("reset before the request is read", _N, "reset at once"),
    Harm("reset after the head", _N, "reset after head"),
    Harm("reset within the body", _N, "reset in body"),
    Harm("reset after the body", _N, "reset"),
    Harm("closed after the body", _N, "closed"),
    Harm("hang, not forwarded", _N, "hang"),
    Harm("502 page, not forwarded", _N, spoil=spoils.page),
    Harm("redirect, not forwarded", _N, spoil=spoils.redirect),
    Harm("forged success", _N, spoil=spoils.forged_success),
    Harm("stale answer to the same key, not forwarded", _N, spoil=spoils.stale_same),
    Harm("stale answer to another key, not forwarded", _N, spoil=spoils.stale_other),
    # The gateway acts, and the answer suffers.
    Harm("reset before the answer", _O, "reset"),
    Harm("closed before the answer", _O, "closed"),
    Harm("reset within the answer", _O, "reset in answer"),
    Harm("hang, forwarded", _O, "hang"),
    Harm("drip", _O, "drip"),
    Harm("cut: shorter than its length", _O, "cut length"),
    Harm("cut: no length", _O, "cut without length"),
    Harm("cut: within a chunk", _O, "cut chunk"),
    Harm("not HTTP", _O, "garbage"),
    Harm("100 and 103 before 200", _O, "interim"),
    Harm("500 page, forwarded", _O, spoil=spoils.page),
    Harm("redirect, forwarded", _O, spoil=spoils.redirect),
    Harm("wrong status, valid body", _O, spoil=spoils.wrong_status),
    Harm("unsigned", _O, spoil=spoils.unsigned),
    Harm("unsigned refusal", _O, spoil=spoils.unsigned_refusal),
    Harm("signed by another key", _O, spoil=spoils.signed_by_another),
    Harm("forged refusal", _O, spoil=spoils.forged_refusal),
    Harm("forged not-there", _O, spoil=spoils.forged_absent),
    Harm("signature changed", _O, spoil=spoils.mangled),
    Harm("two signatures", _O, spoil=spoils.signed_twice),
    Harm("body changed", _O, spoil=spoils.changed),
    Harm("compressed", _O, spoil=spoils.compressed),
    Harm("answer of another connection", _O, "swapped"),
    Harm("stale answer to another key", _O, spoil=spoils.stale_other),
    Harm("stale answer to the same key", _O, spoil=spoils.stale_same),
    Harm("stale answer of another operation", _O, spoil=spoils.stale_operation),
    Harm("stale not-there", _O, spoil=spoils.stale_absent),
    # The gateway gets it more than once, or when nobody waits any longer.
    Harm("duplicated", _T),
    Harm("duplicated, and reset", _T, "reset"),
    Harm("delayed, and hang", _L, "hang"),
    Harm("delayed, and reset", _L, "reset"),
    Harm("delayed, and stale not-there", _L, spoil=spoils.stale_absent),
    Harm("delayed past two minutes", _X, "hang"),
    Harm("delayed past two minutes, and stale not-there", _X, spoil=spoils.stale_absent),
)

_TLS: Final = (
    Harm("TLS: reset in the handshake", _N, "reset at once"),
    Harm("TLS: no TLS at all", _N, "tls garbage"),
    Harm("TLS: another's certificate", _N, "tls stranger"),
)

ON_SOCKETS: Final = tuple(harm for harm in HARMS if harm.ending != "refused")
"""Those that a proxy can do; a refused connection needs a port on which nobody listens."""
ON_TLS: Final = (*ON_SOCKETS, *_TLS)
