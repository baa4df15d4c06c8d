"""One signed POST to a merchant's server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from paywright_runtime.version import VERSION
from paywright_sandbox.delivery.http_client import Answered, Headers, Unanswered, request
from paywright_sandbox.engine.merchants.url_policy import NotAllowed, read_destination
from paywright_sandbox.engine.settings.policies import Policies

__all__ = ["Answered", "OutgoingRequest", "Unanswered", "attempt_seconds", "post", "received"]

_LIMIT: Final = 64 * 1024
_HEADERS: Final = (("User-Agent", f"paywright-sandbox/{VERSION}"), ("Accept-Encoding", "identity"))


class OutgoingRequest(NamedTuple):
    """A request to post: address, headers besides those of HTTP, and the signed bytes."""

    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def __repr__(self) -> str:
        return f"<OutgoingRequest of {len(self.body)} bytes>"


def attempt_seconds(policies: Policies) -> float:
    """Return the seconds that one POST may take, from first packet to last byte: the policy attempt-seconds."""
    return float(max(1, policies.seconds("attempt-seconds")))


def post(outgoing: OutgoingRequest, allowed: tuple[str, ...], seconds: float) -> Answered | Unanswered:
    """Send the POST. Return the response, or why there is none.

    `allowed` are the hosts of `deliver-to`, `seconds` is the deadline of the whole exchange. Never raises for what a
    merchant's server or address does.
    """
    try:
        to = read_destination(outgoing.url, allowed)
    except NotAllowed as refused:
        return Unanswered("NOT_ALLOWED", str(refused))
    return request(to, "POST", _HEADERS + outgoing.headers, outgoing.body, seconds=seconds, limit=_LIMIT)


def received(receive: Callable[[Headers, bytes], tuple[int, Headers, bytes]], outgoing: OutgoingRequest) -> Answered:
    """Hand the POST to a receiver in this process, whatever its address. Return the response."""
    status, headers, body = receive(_HEADERS + outgoing.headers, outgoing.body)
    return Answered(status, tuple(headers), body)
