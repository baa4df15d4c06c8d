"""What faults do to notifications on their way, and the record of what was sent and answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from paywright_tools.sandbox.captures import Capture
from paywright_tools.sandbox.fault_words import HOLDS_BACK
from paywright_tools.sandbox.faults import Rule
from paywright_tools.sandbox.fields import text, whole
from paywright_tools.sandbox.other_key import other_signer
from paywright_tools.sandbox.outbox import KINDS
from paywright_tools.sandbox.posting import Answered, Parcel, Unanswered
from paywright_tools.sandbox.store import Row
from paywright_tools.sandbox.turn import Turn

if TYPE_CHECKING:
    from paywright_tools.sandbox.engine import Engine

__all__ = ["TABLES", "keep_notification", "keep_parcel", "packed"]

TABLES: Final = """
CREATE TABLE held_back (id INTEGER PRIMARY KEY REFERENCES notifications (id))
"""


def packed(engine: Engine, turn: Turn, row: Row, parcel: Parcel, asked: bool) -> Sequence[Parcel]:
    """What is really sent at one attempt: the parcel, something like it, twice the same, or nothing for now.

    A notification is held back once at most. One that is `asked` for on demand is not held back, and uses up no rule that
    would have done it.
    """
    held = turn.state.one("SELECT id FROM held_back WHERE id = ?", whole(row, "id")) is not None
    kind, about = text(row, "kind"), text(row, "about")
    strike = engine.faults.strike_notification(
        turn.state, kind, KINDS[kind].operation, about, turn.now, without=HOLDS_BACK if asked or held else ()
    )
    if strike is None:
        return (parcel,)
    if strike.rule.kind in HOLDS_BACK:
        _hold_back(turn, row, strike.rule)
        return ()
    if strike.rule.kind == "duplicate":
        return (parcel, parcel)
    if strike.rule.kind == "wrong-key":
        signature = other_signer(turn.seed).sign(parcel.body)
        headers = tuple((name, signature if name == "sign" else value) for name, value in parcel.headers)
        return (parcel._replace(headers=headers),)
    body = bytearray(parcel.body)
    body[len(body) // 2] ^= 1
    return (parcel._replace(body=bytes(body)),)


def _hold_back(turn: Turn, row: Row, rule: Rule) -> None:
    number, planned = whole(row, "id"), whole(row, "next_at")
    later = planned + rule.seconds * 1_000_000
    if rule.kind == "reordered":
        following = turn.state.one(
            "SELECT next_at FROM notifications WHERE next_at IS NOT NULL AND id > ? ORDER BY id LIMIT 1", number
        )
        if following is not None:
            later = max(whole(following, "next_at"), planned) + 1
    turn.state.insert("held_back", {"id": number})
    turn.state.update("notifications", number, {"next_at": later})


def keep_notification(engine: Engine, row: Row, parcel: Parcel, answer: Answered | Unanswered) -> None:
    """Keeps one delivery in the log."""
    kind = text(row, "kind")
    merchant, about = text(row, "merchant"), text(row, "about")
    keep_parcel(engine, KINDS[kind].operation or kind, merchant, about, parcel, answer)


def keep_parcel(
    engine: Engine, operation: str, merchant: str, about: str | None, parcel: Parcel, answer: Answered | Unanswered
) -> None:
    """Keeps in the log what was sent to a merchant, and what came back."""
    answered = answer if isinstance(answer, Answered) else None
    engine.captures.add(
        Capture(
            "notify",
            engine.wall.now(),
            parcel.url,
            parcel.headers,
            parcel.body,
            operation=operation,
            merchant=merchant,
            key=about,
            status=answered.status if answered else None,
            response_headers=answered.headers if answered else (),
            response=answered.body if answered else b"",
        )
    )
