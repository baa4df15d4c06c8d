"""Describe a delivery in one line or one JSON object, without personal data or card numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from paywright.contract import CONTRACT
from paywright_cli.common.terminal import paint
from paywright_receiver.webhooks.delivery import shown_key
from paywright_runtime import strict_json
from paywright_runtime.contract.addresses import question_of
from paywright_runtime.contract.violations import within
from paywright_runtime.redaction import visible
from paywright_sandbox.delivery.http_client import Answered, Unanswered
from paywright_sandbox.pages.html.message_view import laid_out, without_cards

if TYPE_CHECKING:
    from paywright_receiver.webhooks.reply import Reply

__all__ = ["WORDS", "ShownDelivery", "line_of", "record_of", "shown"]

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
