"""One delivery in one line, or as one object: what came, what became of it, and why. It holds no person's data and no card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from paywright_runtime import strict_json
from paywright_tools.sandbox.pages.laid_out import laid_out, without_cards
from paywright_tools.sandbox.posting import Answered, Unanswered
from paywright_tools.terminal import paint, plain

if TYPE_CHECKING:
    from paywright_runtime.reply import Reply

__all__ = ["WORDS", "Shown", "line_of", "record_of", "shown"]

WORDS: Final[Mapping[str, str]] = {
    "duplicate": "duplicate",
    "stale": "late",
    "conflict": "CONFLICT",
    "in_progress": "in progress",
}
"""Outcomes that have a plainer word."""

_COLOURS: Final = {"handled": "green", "answered": "green", "duplicate": "yellow", "stale": "yellow"}
# Where the amount stands, and its currency: as 6.1 and 6.2 show it, and as the others have been seen.
_AMOUNTS: Final[Mapping[str, tuple[str, str]]] = {
    "RECEIVE": ("data/paymentDetail/trade/amount", "data/paymentDetail/trade/currency"),
    "SUBSCRIPTION_PAYMENT": (
        "data/subscriptionPaymentDetail/payAmount/amount",
        "data/subscriptionPaymentDetail/payAmount/currency",
    ),
    "PAYMENT": ("data/totalAmount", "data/currency"),
    "REFUND": ("data/refundAmount", "data/refundCurrency"),
    "WITHDRAW": ("data/targetAmount", "data/targetCurrency"),
}
_BILL: Final = "BILL"


class Shown:
    """What may be said of a delivery. `about` is its number, `state` what it tells of; all empty where it was not believed."""

    __slots__ = ("about", "amount", "answer", "kind", "state")

    def __init__(self, kind: str = "", about: str = "", state: str = "", amount: str = "", answer: str = "") -> None:
        self.kind = kind
        self.about = about
        self.state = state
        self.amount = amount
        self.answer = answer


def shown(raw: bytes, reply: Reply) -> Shown:
    """What a delivery told, of those whose signature held; nothing of any other."""
    if reply.key is not None:
        steps = [_unescaped(step) for step in reply.key.split("/")]
        _, kind, *rest = [*steps, "", ""][: max(len(steps), 2)]
        state = rest.pop() if len(rest) > 1 else ""
        return Shown(kind, "/".join(_short(step) for step in rest), state, _amount(raw, _AMOUNTS.get(kind)))
    if reply.outcome == "answered":
        body = _read(raw)
        answer = _at(_read(reply.body), "data/confirmation")
        about = _text(body.get("referenceNo"))
        return Shown(
            _BILL, about, "", _amount(raw, ("amount", "currency")), {"Y": "accepted", "N": "refused"}.get(answer, "")
        )
    return Shown()


def line_of(
    at: str,
    size: int,
    reply: Reply,
    why: str,
    forwarded: Answered | Unanswered | None,
    raw: bytes,
    instead: Answered | None = None,
) -> str:
    """A line for a person. Behind the arrow stands what the sender was told: the receiver's reply, or what was answered instead."""
    what = shown(raw, reply)
    named = [what.kind, what.about, what.state, what.amount] if what.kind else [f"{size} bytes"]
    word = WORDS.get(reply.outcome, what.answer or reply.outcome.replace("_", " "))
    colour = _COLOURS.get(reply.outcome, "red")
    said = without_cards(plain(" ".join(part for part in named if part))).replace("\n", " ")
    tail = f": {plain(why)}" if why and reply.outcome not in ("handled", "duplicate") else ""
    if forwarded is not None and instead is not None:
        told = _passed_on(forwarded, f" ({instead.status})")
        colour = "green" if _acknowledged(instead) else "red"
        return f"{at} {said} -> {paint(told, colour)}; here {word}{tail}"
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
    """The same for a machine. `httpStatus` and `acknowledged` are of what the sender was told, `outcome` is the receiver's."""
    what = shown(raw, reply)
    record: dict[str, object] = {
        "at": at,
        "bytes": size,
        "kind": what.kind or None,
        "about": what.about or None,
        "state": what.state or None,
        "amount": what.amount or None,
        "key": reply.key,
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
    """A body for the eye: `body` laid out with credentials, cards and persons hidden, `raw` as it came."""
    return laid_out(raw) if how == "body" else plain(raw.decode("utf-8", "backslashreplace"))


def _passed_on(forwarded: Answered | Unanswered, status: str = "") -> str:
    if isinstance(forwarded, Answered):
        return f"forwarded, which answered {forwarded.status}"
    return f"forwarded in vain{status}: {forwarded.why}"


def _acknowledged(answer: Answered) -> bool:
    """Whether the service takes it for received."""
    return answer.status == 200 and _read(answer.body).get("code") == "SUCCESS"


def _read(raw: bytes) -> Mapping[str, object]:
    try:
        value = strict_json.parse(raw)
    except strict_json.JsonProblem:
        return {}
    return value if isinstance(value, dict) else {}


def _at(body: object, path: str) -> str:
    for step in path.split("/"):
        body = body.get(step) if isinstance(body, dict) else None
    return _text(body)


def _text(value: object) -> str:
    return "" if value is None or isinstance(value, (dict, list, bool)) else str(value)[:64]


def _amount(raw: bytes, where: tuple[str, str] | None) -> str:
    if where is None:
        return ""
    body = _read(raw)
    return " ".join(part for part in (_at(body, where[0]), _at(body, where[1])) if part)


def _short(step: str) -> str:
    return step[:15] + "..." if step.startswith("sha256:") else step


def _unescaped(step: str) -> str:
    return step.replace("%2F", "/").replace("%25", "%")
