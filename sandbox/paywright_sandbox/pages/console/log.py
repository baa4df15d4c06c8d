"""The pages of the console that are made here: its front, whose script makes the others, and the log, which needs none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.responses import HttpReply
from paywright_sandbox.pages.console.exchange_log import FILTERS, LoggedExchange, one_seen, seen_page, signatures_of
from paywright_sandbox.pages.html.message_view import headers_out, laid_out, without_cards
from paywright_sandbox.pages.html.rendering import page

__all__ = ["console"]

_ADDRESS = "/_sandbox/console/log"
_LONGEST_KEY = 64


def console(engine: Engine, steps: Sequence[str], query: Mapping[str, str]) -> HttpReply | None:
    """Return a page of the console; None if there is no such page. `steps` follow `console`."""
    if not steps:
        return page("front.html", clock=engine.clock.now(), address=engine.address)
    if steps[0] != "log" or len(steps) > 2:
        return None
    return _log(engine, query) if len(steps) == 1 else _exchange(engine, _number(steps[1]) or 0, query)


def _number(text: str | None) -> int | None:
    """Parse a number in an address; None for anything else."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 16 else None


def _log(engine: Engine, query: Mapping[str, str]) -> HttpReply:
    """Return a page of the log; `show` is one of `FILTERS`, `key` a merchant's own number, `before` the page's start."""
    which = query.get("show", "all")
    which = which if which in FILTERS else "all"
    key = query.get("key", "").strip()[:_LONGEST_KEY]
    before = _number(query.get("before"))
    found, older, total = seen_page(engine, which, key, before)
    kept = {"show": which, "key": key} if key else {"show": which}
    filters = [(name, f"{_ADDRESS}?{urlencode({**kept, 'show': name})}", name == which) for name in FILTERS]
    return page(
        "log.html",
        clock=engine.clock.now(),
        seen=found,
        total=total,
        keeps=engine.captures.keeps,
        filters=filters,
        which=which,
        key=key,
        first=f"{_ADDRESS}?{urlencode(kept)}" if before is not None else "",
        older=f"{_ADDRESS}?{urlencode({**kept, 'before': older})}" if older is not None else "",
    )


def _exchange(engine: Engine, number: int, query: Mapping[str, str]) -> HttpReply | None:
    """Return the page of one exchange; None if it is not in the log. `people=1` shows personal data."""
    seen = one_seen(engine, number)
    if seen is None:
        return None
    people, signatures = query.get("people") == "1", signatures_of(engine, seen)
    said = _said(seen)
    return page(
        "exchange.html",
        clock=engine.clock.now(),
        seen=seen,
        said="" if any(signed.words == said for signed in signatures) else without_cards(said),
        address=without_cards(seen.address),
        signatures=signatures,
        request=laid_out(seen.request, people=people),
        response=laid_out(seen.response, people=people),
        request_headers=headers_out(seen.request_headers),
        response_headers=headers_out(seen.response_headers),
        people=people,
    )


def _said(seen: LoggedExchange) -> str:
    """Return the sandbox's message of a refusal."""
    return "" if seen.verdict == "accepted" or seen.notification else seen.msg
