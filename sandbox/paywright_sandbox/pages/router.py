"""Find the page that answers a request: the cashier, a payment link, the console's front or its log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import parse_qsl, quote, unquote, urlencode

from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.request_checks import Headers
from paywright_sandbox.engine.responses import HttpReply
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.pages.cashier import cashier
from paywright_sandbox.pages.exchange_log import FILTERS, LoggedExchange, one_seen, seen_page, signatures_of
from paywright_sandbox.pages.message_view import headers_out, laid_out, without_cards
from paywright_sandbox.pages.rendering import FormProblem, form_token, message, page, read_form, redirect, static
from paywright_sandbox.resources.links import link_by_id, open_link
from paywright_sandbox.resources.payments.payment_order import PaymentOrder

_HOME: Final = "/_sandbox/"
_FIELDS: Final = 20


def answer_page(engine: Engine, method: str, path: str, query: str, headers: Headers, body: bytes) -> HttpReply:
    """Answer a request that `is_page` has accepted. May wait for a merchant's server during a delivery. Never raises."""
    try:
        return _answer(engine, "GET" if method == "HEAD" else method, path, query, headers, body)
    except FormProblem as problem:
        return message(problem.status, "The form was not accepted", f"{problem.msg} Nothing happened.", back=None)
    except Exception as error:
        return message(500, "The sandbox itself failed", engine.failing("a page", error))


def _answer(engine: Engine, method: str, path: str, query: str, headers: Headers, body: bytes) -> HttpReply:
    if path in ("/", "/_sandbox"):
        return redirect(_HOME)
    if method not in ("GET", "POST"):
        refused = message(405, "Wrong method", "Pages accept GET and POST.")
        refused.headers = (*refused.headers, ("allow", "GET, POST"))
        return refused
    steps = [unquote(step, errors="replace") for step in path.removeprefix(_HOME).split("/")]
    try:
        asked = dict(parse_qsl(query, errors="replace", max_num_fields=_FIELDS)) if len(query) < 4096 else {}
    except ValueError:
        return message(400, "The address is not valid", f"A page takes at most {_FIELDS} fields.", back=_HOME)
    reply: HttpReply | None = None
    if steps[0] == "static" and len(steps) == 2 and method == "GET":
        reply = static(steps[1])
    elif steps[0] == "cashier":
        reply = cashier(engine, method, steps[1:], asked, headers, body)
    elif steps == ["console"] or steps == ["console", ""]:
        reply = redirect(_HOME)
    elif steps[0] in ("", "console"):
        reply = console(engine, steps[1:], asked) if method == "GET" else None
    elif len(steps) == 2 and steps[0] == "link":
        reply = link(engine, method, steps[1], headers, body)
    elif len(steps) == 2 and steps[0] == "links":
        reply = redirect(f"{_HOME}link/{quote(steps[1], safe='')}")
    return reply or message(404, "There is no such page", "Go to the console instead.", back=_HOME)


_LONGEST: Final = 64


def link(engine: Engine, method: str, link_id: str, headers: Headers, body: bytes) -> HttpReply:
    """Show a link for GET; for POST open it and redirect to the cashier page of its order."""
    address = f"/_sandbox/link/{quote(link_id, safe='')}"
    if method == "POST":
        return _opened(engine, link_id, address, headers, body)
    with engine.transaction() as context:
        found = _read(context, link_id)
    if found is None:
        return message(
            404, "There is no such payment link", "It may belong to another sandbox, or the sandbox was reset."
        )
    return page("link.html", address=address, token=form_token(engine.settings.signer, address), **found)


def _read(context: RequestContext, link_id: str) -> dict[str, object] | None:
    row = link_by_id(context, link_id)
    if row is None:
        return None
    paid = sum(order.outcome == "paid" for order in context.state.select(PaymentOrder, "WHERE link = ?", row.id))
    once = context.policies.text("link-payments") == "one"
    payable = row.status == "ACTIVE" and not (once and paid)
    return {"row": row, "paid": paid, "payable": payable, "expires": row.expires_at, "now": context.now}


def _opened(engine: Engine, link_id: str, address: str, headers: Headers, body: bytes) -> HttpReply:
    fields = read_form(engine.settings.signer, address, headers, body)
    name = "".join(filter(str.isprintable, fields.get("name", ""))).strip()[:_LONGEST]
    try:
        with engine.transaction() as context:
            order = open_link(context, link_id, user_name=name or None)
    except Refusal as refused:
        return message(int(refused.code or 409), "This link cannot be paid", refused.msg, back=address)
    return redirect(f"/_sandbox/cashier/{quote(order.trade_token, safe='')}")


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
        address=without_cards(seen.row.url),
        signatures=signatures,
        request=laid_out(seen.row.request, people=people),
        response=laid_out(seen.response, people=people),
        request_headers=headers_out(seen.row.headers[0]),
        response_headers=headers_out(seen.row.headers[1]),
        people=people,
    )


def _said(seen: LoggedExchange) -> str:
    """Return the sandbox's message of a refusal."""
    return "" if seen.verdict == "accepted" or seen.notification else seen.msg
