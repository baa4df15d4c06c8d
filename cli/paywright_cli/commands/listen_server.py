"""The server of `paywright listen`: an ASGI application that passes raw bodies to a receiver, reports them, and may forward them.

A delivery is reported in one line, without personal data or card numbers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from threading import Lock, local
from typing import Final, NamedTuple

import uvicorn
from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope, Send

from paywright.contract import CONTRACT
from paywright_cli.common.terminal import Usage, paint
from paywright_receiver.webhooks.delivery import shown_ledger_key
from paywright_receiver.webhooks.receiver import BaseReceiver
from paywright_receiver.webhooks.reply import DeliveryEvent, Reply
from paywright_runtime import strict_json
from paywright_runtime.contract.addresses import question_of
from paywright_runtime.contract.value_checks import within
from paywright_sandbox.delivery.http_client import Answered, Unanswered, request
from paywright_sandbox.engine.url_policy import Destination
from paywright_sandbox.http.protocol import HttpProtocol
from paywright_sandbox.pages.message_view import without_cards

_WORDS: Final = {"stale": "late", "conflict": "CONFLICT"}  # outcomes that have a plainer word
_COLOURS: Final = {"handled": "green", "answered": "green", "duplicate": "yellow", "stale": "yellow"}
_BILL: Final = "BILL"


class Told(NamedTuple):
    """A delivery: its body, the receiver's reply and the reason, and what the next server answered if it was forwarded."""

    raw: bytes
    reply: Reply
    why: str
    forwarded: Answered | Unanswered | None = None

    @property
    def sent(self) -> Answered:
        """The response: that of the next server, or the receiver's reply."""
        if self.forwarded is None:
            return Answered(self.reply.status, self.reply.headers, self.reply.body)
        if isinstance(self.forwarded, Unanswered):
            return _words(502, "FORWARD_FAILED", "The next server did not answer.")
        return Answered(self.forwarded.status, tuple(_end_to_end(self.forwarded.headers)), self.forwarded.body)


class ShownDelivery(NamedTuple):
    """Printable facts of a delivery: `about` is its number, `state` the state it reports. Empty if it was not verified."""

    kind: str = ""
    about: str = ""
    state: str = ""
    amount: str = ""
    answer: str = ""


def shown(raw: bytes, reply: Reply) -> ShownDelivery:
    """Return the printable facts of a delivery; none if its signature is not valid."""
    if reply.key is not None:
        steps = [_unescaped(step) for step in shown_ledger_key(reply.key).split("/")]
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
    answer = within(_read(reply.body), (*question.payload_paths[1], decision.member))
    about = " ".join(_text(within(body, (*question.payload_paths[0], name))) for name in question.echoes)
    amount = question.amount.text(body) if question.amount is not None else ""
    said = "accepted" if answer == decision.yes else "refused" if answer == decision.no else ""
    return ShownDelivery(_BILL, about, "", amount, said)


def line_of(at: str, told: Told) -> str:
    """Return a line for the user. After the arrow: the receiver's reply, or the next server's answer in its place."""
    raw, reply, why, forwarded = told
    what = shown(raw, reply)
    named = [what.kind, what.about, what.state, what.amount] if what.kind else [f"{len(raw)} bytes"]
    word = _WORDS.get(reply.outcome, what.answer or reply.outcome.replace("_", " "))
    said = without_cards(" ".join(part for part in named if part))
    tail = f": {why}" if why and reply.outcome not in ("handled", "duplicate") else ""
    if forwarded is None:
        return f"{at} {said} -> {paint(word, _COLOURS.get(reply.outcome, 'red'))} ({reply.status}){tail}"
    passed_on = f"forwarded, which answered {told.sent.status}"
    if isinstance(forwarded, Unanswered):
        passed_on = f"forwarding failed ({told.sent.status}): {forwarded.why}"
    return f"{at} {said} -> {paint(passed_on, 'green' if _acknowledged(told.sent) else 'red')}; here {word}{tail}"


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


Pairs = Sequence[tuple[str, str]]

_BODY_SECONDS: Final = 30
_FORWARD_SECONDS: Final = 5.0
# Headers of one connection, and headers that the next request sets itself.
_OF_CONNECTION: Final = frozenset(
    (
        *("connection", "content-length", "expect", "host", "keep-alive", "proxy-authenticate", "proxy-authorization"),
        *("proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"),
    )
)
_JSON: Final = ("Content-Type", "application/json")


class Listener:
    """An ASGI application. POST takes a delivery, at any path; other methods are refused.

    What is verified is passed on to `forward`, whose answer is sent back.
    """

    def __init__(
        self, receiver: BaseReceiver, tell: Callable[[Told], None], forward: Destination | None = None
    ) -> None:
        self._receiver = receiver
        self._tell = tell
        self._forward = forward
        self._telling = Lock()
        self._here = local()
        theirs = receiver.hook

        def seen(event: DeliveryEvent) -> None:
            self._here.why = event.why  # more than the reply may say
            if theirs is not None:
                theirs(event)

        receiver.hook = seen

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        if scope["method"] != "POST":
            answer = _words(405, "METHOD_NOT_ALLOWED", "Deliveries are POSTed.", ("Allow", "POST"))
        else:
            try:
                async with asyncio.timeout(_BODY_SECONDS):
                    raw = await self._body(Request(scope, receive))
                # Handler and commit block, so they run in a thread while the loop takes the next delivery.
                answer = await asyncio.to_thread(self._take, raw, scope["headers"])
            except TimeoutError:
                answer = _words(408, "TOO_SLOW", "The body did not arrive in time.", ("Connection", "close"))
            except ClientDisconnect:
                return
        head = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in answer.headers]
        head.append((b"content-length", b"%d" % len(answer.body)))
        await send({"type": "http.response.start", "status": answer.status, "headers": head})
        await send({"type": "http.response.body", "body": answer.body})

    async def _body(self, request: Request) -> bytes:
        """Return the body, cut to one byte more than the receiver accepts."""
        raw, most = bytearray(), self._receiver.max_bytes
        async for part in request.stream():
            raw += part
            if len(raw) > most:
                break
        return bytes(raw[: most + 1])

    def _take(self, raw: bytes, headers: Sequence[tuple[bytes, bytes]]) -> Answered:
        self._here.why = ""
        reply = self._receiver.receive(raw, headers)
        told = Told(raw, reply, self._here.why or reply.why, self._forwarded(raw, headers, reply))
        with self._telling, suppress(Usage):  # that there is no room for the output is no matter of the sender's
            self._tell(told)
        return told.sent

    def _forwarded(
        self, raw: bytes, headers: Sequence[tuple[bytes, bytes]], reply: Reply
    ) -> Answered | Unanswered | None:
        believed = reply.key is not None or reply.outcome == "answered"
        if self._forward is None or not believed:
            return None
        pairs = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers]
        return request(self._forward, "POST", _end_to_end(pairs), raw, seconds=_FORWARD_SECONDS)


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


def _end_to_end(headers: Pairs) -> Pairs:
    own = [value for name, value in headers if name.lower() == "connection"]
    named = {part.strip().lower() for value in own for part in value.split(",")}
    return [(name, value) for name, value in headers if name.lower() not in _OF_CONNECTION | named]


def _words(status: int, code: str, msg: str, *headers: tuple[str, str]) -> Answered:
    return Answered(status, (_JSON, *headers), strict_json.write({"code": code, "msg": msg}))
