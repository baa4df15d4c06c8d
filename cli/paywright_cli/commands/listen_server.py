"""The server of `paywright listen`: an ASGI application that passes raw bodies to a receiver, reports them, and may forward them.

A delivery is reported in one line or one JSON object, without personal data or card numbers.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from contextlib import suppress
from threading import Lock, local
from typing import TYPE_CHECKING, Any, Final, Literal

import uvicorn

from paywright.contract import CONTRACT
from paywright_cli.common.terminal import paint
from paywright_receiver.webhooks.delivery import shown_key
from paywright_runtime import strict_json
from paywright_runtime.contract.addresses import question_of
from paywright_runtime.contract.violations import within
from paywright_runtime.redaction import visible
from paywright_sandbox.delivery.http_client import Answered, Unanswered, request
from paywright_sandbox.http.protocol import HttpProtocol
from paywright_sandbox.pages.message_view import laid_out, without_cards

if TYPE_CHECKING:
    from paywright_receiver.webhooks.receiver import BaseReceiver
    from paywright_receiver.webhooks.reply import Reply
    from paywright_sandbox.engine.url_policy import Destination

WORDS: Final[Mapping[str, str]] = {
    "duplicate": "duplicate",
    "stale": "late",
    "conflict": "CONFLICT",
    "in_progress": "in progress",
}
"""Outcomes that have a plainer word."""

_COLOURS: Final = {"handled": "green", "answered": "green", "duplicate": "yellow", "stale": "yellow"}
_BILL: Final = "BILL"


class ShownDelivery:
    """Printable facts of a delivery: `about` is its number, `state` the state it reports.

    Empty if it was not verified.
    """

    __slots__ = ("about", "amount", "answer", "kind", "state")

    def __init__(self, kind: str = "", about: str = "", state: str = "", amount: str = "", answer: str = "") -> None:
        self.kind = kind
        self.about = about
        self.state = state
        self.amount = amount
        self.answer = answer


def shown(raw: bytes, reply: Reply) -> ShownDelivery:
    """Return the printable facts of a delivery; none if its signature is not valid."""
    if reply.key is not None:
        steps = [_unescaped(step) for step in shown_key(reply.key).split("/")]
        _, kind, *rest = [*steps, "", ""][: max(len(steps), 2)]
        state = rest.pop() if len(rest) > 1 else ""
        known = CONTRACT.kinds().get(kind)
        amount = known.amount.text(_read(raw)) if known is not None and known.amount is not None else ""
        return ShownDelivery(kind, "/".join(_short(step) for step in rest), state, amount)
    body = _read(raw)
    question = question_of(CONTRACT, body) if reply.outcome == "answered" else None
    if question is None or question.decision is None:
        return ShownDelivery()
    decision = question.decision
    answer = within(_read(reply.body), *question.payload_paths[1], decision.member)
    about = " ".join(_text(within(body, *question.payload_paths[0], name)) for name in question.echoes)
    amount = question.amount.text(body) if question.amount is not None else ""
    said = "accepted" if answer == decision.yes else "refused" if answer == decision.no else ""
    return ShownDelivery(_BILL, about, "", amount, said)


def line_of(
    at: str,
    size: int,
    reply: Reply,
    why: str,
    forwarded: Answered | Unanswered | None,
    raw: bytes,
    instead: Answered | None = None,
) -> str:
    """Return a line for the user. After the arrow: the receiver's reply, or the response sent in its place."""
    what = shown(raw, reply)
    named = [what.kind, what.about, what.state, what.amount] if what.kind else [f"{size} bytes"]
    word = WORDS.get(reply.outcome, what.answer or reply.outcome.replace("_", " "))
    colour = _COLOURS.get(reply.outcome, "red")
    said = without_cards(" ".join(part for part in named if part))
    tail = f": {why}" if why and reply.outcome not in ("handled", "duplicate") else ""
    if forwarded is not None and instead is not None:
        sent_back = _passed_on(forwarded, f" ({instead.status})")
        colour = "green" if _acknowledged(instead) else "red"
        return f"{at} {said} -> {paint(sent_back, colour)}; here {word}{tail}"
    line = f"{at} {said} -> {paint(word, colour)} ({reply.status}){tail}"
    return line if forwarded is None else f"{line}; {_passed_on(forwarded)}"


def record_of(
    at: str,
    size: int,
    reply: Reply,
    why: str,
    forwarded: Answered | Unanswered | None,
    raw: bytes,
    instead: Answered | None = None,
) -> dict[str, object]:
    """Return the same as an object for JSON.

    `httpStatus` and `acknowledged` are of the response that was sent, `outcome` is the receiver's.
    """
    what = shown(raw, reply)
    record: dict[str, object] = {
        "at": at,
        "bytes": size,
        "kind": what.kind or None,
        "about": what.about or None,
        "state": what.state or None,
        "amount": what.amount or None,
        "key": None if reply.key is None else shown_key(reply.key),
        "outcome": reply.outcome,
        "httpStatus": reply.status if instead is None else instead.status,
        "acknowledged": reply.acknowledged if instead is None else _acknowledged(instead),
        "why": why,
    }
    if what.answer:
        record["decision"] = what.answer
    if isinstance(forwarded, Answered):
        record["forwarded"] = {"httpStatus": forwarded.status}
    elif forwarded is not None:
        record["forwarded"] = {"outcome": forwarded.outcome, "why": forwarded.why}
    return record


def body_out(raw: bytes, how: str) -> str:
    """Return a body to print: `body` laid out with credentials, cards and persons hidden, `raw` as it came."""
    return visible(laid_out(raw) if how == "body" else raw.decode("utf-8", "backslashreplace"), keep="\n")


def _passed_on(forwarded: Answered | Unanswered, status: str = "") -> str:
    if isinstance(forwarded, Answered):
        return f"forwarded, which answered {forwarded.status}"
    return f"forwarding failed{status}: {forwarded.why}"


def _acknowledged(answer: Answered) -> bool:
    """Return whether the gateway counts the notification as received."""
    return answer.status == 200 and _read(answer.body).get("code") == "SUCCESS"


def _read(raw: bytes) -> Mapping[str, object]:
    try:
        value = strict_json.parse(raw)
    except strict_json.JsonProblem:
        return {}
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return "" if value is None or isinstance(value, (dict, list, bool)) else str(value)[:64]


def _short(step: str) -> str:
    return step[:15] + "..." if step.startswith("sha256:") else step


def _unescaped(step: str) -> str:
    return step.replace("%2F", "/").replace("%25", "%")


Tell = Callable[[bytes, "Reply", str, "Answered | Unanswered | None", "Answered | None"], None]
"""Called with every delivery: the body, the receiver's reply, the reason, the outcome of forwarding, and the response sent in place of
the receiver's reply."""

# ASGI's own types.
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Pairs = Sequence[tuple[str, str]]

_BODY_SECONDS: Final = 30
# Headers of one connection, and headers that the next request sets itself.
_OF_CONNECTION: Final = frozenset(
    (
        *("connection", "content-length", "expect", "host", "keep-alive", "proxy-authenticate", "proxy-authorization"),
        *("proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"),
    )
)
_JSON: Final = ("Content-Type", "application/json")


class Forward:
    """Target to which deliveries are forwarded.

    `answer` says whose response is sent back. With `refused`, deliveries that the receiver refused are forwarded too.
    """

    def __init__(
        self,
        to: Destination,
        *,
        answer: Literal["theirs", "own"] = "theirs",
        refused: bool = False,
        seconds: float = 5.0,
    ) -> None:
        self.to = to
        self.answer = answer
        self.refused = refused
        self.seconds = seconds


class Listener:
    """An ASGI application. POST takes a delivery, at any path; other methods are refused."""

    def __init__(self, receiver: BaseReceiver, tell: Tell, forward: Forward | None = None) -> None:
        self._receiver = receiver
        self._tell = tell
        self._forward = forward
        self._telling = Lock()
        self._why = _Why()
        logging.getLogger("paywright.receiver").addHandler(self._why)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        if scope["method"] != "POST":
            await _answer(send, 405, (_JSON, ("Allow", "POST")), _words("METHOD_NOT_ALLOWED", "Deliveries are POSTed."))
            return
        try:
            async with asyncio.timeout(_BODY_SECONDS):
                raw = await self._body(receive)
        except TimeoutError:
            await _answer(
                send, 408, (_JSON, ("Connection", "close")), _words("TOO_SLOW", "The body did not arrive in time.")
            )
            return
        if raw is None:
            return
        # Handler and commit block, so they run in a thread while the loop takes the next delivery.
        status, headers, body = await asyncio.to_thread(self._take, raw, scope["headers"])
        await _answer(send, status, headers, body)

    async def _body(self, receive: Receive) -> bytes | None:
        """Return the body, cut to one byte more than the receiver accepts; None if the client disconnected."""
        parts: list[bytes] = []
        size, most = 0, self._receiver.max_bytes
        while size <= most:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if not message.get("more_body", False):
                break
        return b"".join(parts)[: most + 1]

    def _take(self, raw: bytes, headers: Sequence[tuple[bytes, bytes]]) -> tuple[int, Pairs, bytes]:
        self._why.forget()
        reply = self._receiver.receive(raw, headers)
        why = self._why.said() or reply.why
        passed = self._passed_on(raw, headers, reply)
        instead = self._instead(passed)
        with (
            self._telling,
            suppress(BrokenPipeError),
        ):  # the reader of the output is gone, which must not affect the sender
            self._tell(raw, reply, why, passed, instead)
        return (reply.status, reply.headers, reply.body) if instead is None else instead

    def _instead(self, passed: Answered | Unanswered | None) -> Answered | None:
        """Return the response to send in place of the receiver's reply; None to send the reply."""
        if passed is None or self._forward is None or self._forward.answer == "own":
            return None
        if isinstance(passed, Unanswered):
            return Answered(502, (_JSON,), _words("FORWARD_FAILED", "The next server did not answer."))
        return Answered(passed.status, tuple(_end_to_end(passed.headers)), passed.body)

    def _passed_on(
        self, raw: bytes, headers: Sequence[tuple[bytes, bytes]], reply: Reply
    ) -> Answered | Unanswered | None:
        forward = self._forward
        believed = reply.key is not None or reply.outcome == "answered"
        if forward is None or not (believed or forward.refused) or reply.outcome == "too_large":
            return None
        pairs = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers]
        return request(forward.to, "POST", _end_to_end(pairs), raw, seconds=forward.seconds)


def server_of(listener: Listener) -> uvicorn.Server:
    """Return the server of a listener. Heads of requests are limited in size and time, as in the sandbox."""
    return uvicorn.Server(
        uvicorn.Config(
            listener,
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            ws="none",
            http=HttpProtocol,
            proxy_headers=False,
            loop="asyncio",
            timeout_graceful_shutdown=5,
        )
    )


class _Why(logging.Handler):
    """Collects the receiver's log of a delivery: it says more than the reply may."""

    def __init__(self) -> None:
        super().__init__()
        self._here = local()

    def emit(self, record: logging.LogRecord) -> None:
        if isinstance(record.args, tuple) and len(record.args) == 3:
            self._here.why = str(record.args[2])

    def forget(self) -> None:
        self._here.why = ""

    def said(self) -> str:
        why: str = getattr(self._here, "why", "")
        return why


def _end_to_end(headers: Pairs) -> Pairs:
    named = {
        part.strip().lower() for name, value in headers if name.lower() == "connection" for part in value.split(",")
    }
    return [(name, value) for name, value in headers if name.lower() not in _OF_CONNECTION | named]


def _words(code: str, msg: str) -> bytes:
    return strict_json.write({"code": code, "msg": msg})


async def _answer(send: Send, status: int, headers: Pairs, body: bytes) -> None:
    head = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    head.append((b"content-length", b"%d" % len(body)))
    await send({"type": "http.response.start", "status": status, "headers": head})
    await send({"type": "http.response.body", "body": body})
