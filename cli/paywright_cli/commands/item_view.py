"""Decide what is next for an open item, and show it to people: its state, its amount, what to do; and the same as JSON."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Final

from paywright.contract import CONTRACT
from paywright_cli.common.terminal import paint, say
from paywright_cli.common.wording import json_row
from paywright_receiver.items.open_items import Item
from paywright_runtime.error_text import ADVICE

_COLOURS: Final = {"settled": "green", "closed": "dim", "untold": "red", "decide": "red", "place_again": "red"}


def registered(item: Item) -> tuple[str | None, str | None]:
    """Return the registered amount and currency of an item; None for one that was not given."""
    following = CONTRACT.following(item.id.kind)
    write = None if following.write is None else CONTRACT.operation(following.write)
    content = json.loads(item.content).get("content", {})
    asked = {} if write is None else {shown.answered: content.get(shown.asked) for shown in write.shows}
    amount = asked.get(following.amount or "")
    return amount and re.sub(r"\.\d$", r"\g<0>0", amount), asked.get(following.currency or "")


def amount_of(item: Item) -> str:
    """Return amount and currency in words: the gateway's, or else the registered ones."""
    if item.amount is not None:
        return item.amount if item.currency is None else f"{item.amount} {item.currency}"
    amount, currency = registered(item)
    return "amount not shown" if amount is None else f"{amount} {currency or ''} registered".replace("  ", " ")


def show_item(item: Item, now: datetime, *, shown: bool = False) -> None:
    """Print an item: its state, since when, why, and its next step. `shown` says that the gateway shows it now."""
    word = item.step if item.status == "open" else item.status
    state = item.state or "no state shown"
    since = item.opened_at.isoformat(timespec="seconds")
    say(
        f"{paint(f'{word:<11}', _COLOURS.get(word, 'yellow'))} {item.id.kind} {item.key}  {state}  "
        f"{amount_of(item)}  since {since}  at {item.address}"
    )
    say(f"            {item.why}")
    if item.status != "settled" or item.step == "untold":
        say(f"            next: {next_step(item, now, shown=shown)}")


def next_step(item: Item, now: datetime, *, shown: bool = False) -> str:
    """Describe the next step of an item that is not done. `shown` says that the gateway shows it now."""
    if item.status == "closed" or item.step == "untold":
        return ADVICE["closed" if item.status == "closed" else "untold"]
    due = None if item.due_at is None else item.due_at.isoformat(timespec="seconds")
    late = item.due_at is not None and item.due_at <= now
    asked = "nothing more is asked" if due is None else f"{'due since' if late else 'asked about at'} {due}"
    if item.step == "place_again" and shown:
        return f"do not place it again: the gateway shows it; {asked}"
    if item.step == "place_again":
        return f"{ADVICE['place_again']}; {asked}"
    if item.step == "decide" or due is None:
        return f"a person decides, as the reason says; {asked}"
    if not late:
        return asked
    return f"{asked}; if this stays so, no `paywright follow run` is running for {item.id.app_id} at {item.address}"


def row_of_item(item: Item, now: datetime, *, shown: bool = False) -> dict[str, object]:
    """Return an item for JSON. `shown` says that the gateway shows it now."""
    names = "key address status step state settled_state effect effect_at paid amount currency opened_at changed_at settled_at due_at asked why"
    return {
        **json_row(item.id, "app_id kind"),
        **json_row(item, names),
        "registered": dict(zip(("amount", "currency"), registered(item), strict=True)),
        "next": next_step(item, now, shown=shown) if item.status == "open" else None,
    }
