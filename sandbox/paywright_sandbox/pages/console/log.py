"""The log on the console: a list, and each exchange with both messages laid out."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.responses import HttpReply
from paywright_sandbox.pages.console.exchange_log import FILTERS, LoggedExchange, one_seen, seen_page, signatures_of
from paywright_sandbox.pages.console.view import View, number_of
from paywright_sandbox.pages.html.message_view import headers_out, laid_out, without_cards
from paywright_sandbox.pages.html.rendering import page

__all__ = ["log_page", "one_page"]

_ADDRESS = "/_sandbox/console/log"
_LONGEST_KEY = 64


def log_page(engine: Engine, query: Mapping[str, str]) -> HttpReply:
    """Return a page of the log; `show` is one of `FILTERS`, `key` a merchant's own number, `before` the page's start."""
    which = query.get("show", "all")
    which = which if which in FILTERS else "all"
    key = query.get("key", "").strip()[:_LONGEST_KEY]
    before = number_of(query.get("before"))
    found, older, total = seen_page(engine, which, key, before)
    kept = {"show": which, "key": key} if key else {"show": which}
    filters = [(name, f"{_ADDRESS}?{urlencode({**kept, 'show': name})}", name == which) for name in FILTERS]
    with engine.transaction() as context:
        view = View(context, "log")
    return page(
        "log.html",
        view=view,
        seen=found,
        total=total,
        keeps=engine.captures.keeps,
        filters=filters,
        which=which,
        key=key,
        first=f"{_ADDRESS}?{urlencode(kept)}" if before is not None else "",
        older=f"{_ADDRESS}?{urlencode({**kept, 'before': older})}" if older is not None else "",
    )


def one_page(engine: Engine, number: int, query: Mapping[str, str]) -> HttpReply | None:
    """Return the page of one exchange; None if it is not in the log. `people=1` shows personal data."""
    seen = one_seen(engine, number)
    if seen is None:
        return None
    people, signatures = query.get("people") == "1", signatures_of(engine, seen)
    said = _said(seen)
    with engine.transaction() as context:
        view = View(context, "log", path=seen.path)
    return page(
        "exchange.html",
        view=view,
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
