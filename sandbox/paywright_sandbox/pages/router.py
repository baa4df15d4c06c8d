"""Find the page that answers a request."""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qsl, quote, unquote

from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.request_checks import Headers
from paywright_sandbox.engine.responses import HttpReply
from paywright_sandbox.pages.console.log import console
from paywright_sandbox.pages.html.forms import FormProblem
from paywright_sandbox.pages.html.rendering import message, redirect, static
from paywright_sandbox.pages.payer.cashier import cashier
from paywright_sandbox.pages.payer.link import link

__all__ = ["answer_page"]

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
        return HttpReply(
            405, (*refused.headers, ("allow", "GET, POST")), refused.body, operation="page", code="message"
        )
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
