"""Make HTML: always escaped, under a policy that runs only our own script, with invisible characters shown."""

from __future__ import annotations

import unicodedata
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from paywright_runtime.version import VERSION
from paywright_sandbox.engine.money import in_currency
from paywright_sandbox.engine.responses import HttpReply

__all__ = ["message", "page", "redirect", "shown", "span", "stamp", "static"]

_HERE: Final = Path(__file__).parents[1]
_SCRIPT: Final = "text/javascript; charset=utf-8"
_FILES: Final = {"sandbox.css": "text/css; charset=utf-8", "sandbox.js": _SCRIPT, "console.js": _SCRIPT}
_SAFE: Final = (
    ("x-content-type-options", "nosniff"),
    # Not no-referrer: it makes browsers send our own forms with `Origin: null`.
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
)
_POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_GUARDED: Final = (*_SAFE, ("content-security-policy", _POLICY))
_SCRIPTED: Final = (
    *_SAFE,
    (
        "content-security-policy",
        f"{_POLICY}; script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'",
    ),
)
"""Headers of console pages, whose scripts can make no markup of a text; pages of payers have no script."""
# Characters that change the reading direction. Other marks of a script stay: people write with them.
_TURNING: Final = frozenset(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C)))


def page(template: str, status: int = 200, /, **values: object) -> HttpReply:
    """Make a page from a template. Those of the console have a `clock`, the time on it, and scripts."""
    html = _environment().get_template(template).render(values)
    guards = _SCRIPTED if "clock" in values else _GUARDED
    headers = (("content-type", "text/html; charset=utf-8"), ("cache-control", "no-store"), *guards)
    return HttpReply(
        status, headers, html.encode("utf-8", "replace"), operation="page", code=template.partition(".")[0]
    )


def message(status: int, title: str, words: str, *, back: str | None = None) -> HttpReply:
    """Make a page with one message; `back` is the path of its link."""
    return page("message.html", status, title=title, words=words, back=back)


def redirect(path: str) -> HttpReply:
    """Redirect to a path with GET after a form, so that reloading does not send it again."""
    return HttpReply(
        303, (("location", path), ("cache-control", "no-store"), *_GUARDED), b"", operation="page", code="redirect"
    )


def static(name: str) -> HttpReply | None:
    """Return a file that pages need."""
    if name not in _FILES:
        return None
    headers = (("content-type", _FILES[name]), ("cache-control", "no-cache"), *_GUARDED)
    return HttpReply(200, headers, _read(name), operation="page", code="static")


@cache
def _read(name: str) -> bytes:
    return (_HERE / "static" / name).read_bytes()


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters.update(shown=shown, stamp=stamp, span=span, money=in_currency)
    made.globals.update(version=VERSION)
    return made


def shown(value: object) -> str:
    """Write out invisible characters, and those that change the reading direction, in a text of others."""
    return "".join(_visible(character) for character in str(value))


def _visible(character: str) -> str:
    if character in "\n\t":
        return character
    if character in _TURNING or unicodedata.category(character) in ("Cc", "Cs", "Co", "Cn", "Zl", "Zp"):
        return f"\\u{{{ord(character):x}}}"
    return character


def stamp(time: datetime | None) -> str:
    """Format a time for pages, in UTC."""
    return "" if time is None else time.strftime("%Y-%m-%d %H:%M:%S UTC")


def span(time: timedelta) -> str:
    """Format a duration in its two largest units."""
    seconds = max(0, int(time.total_seconds()))
    units = (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1))
    parts: list[str] = []
    for name, size in units:
        number, seconds = divmod(seconds, size)
        if number or parts:
            parts.append(f"{number} {name}{'' if number == 1 else 's'}" if number else "")
        if len(parts) == 2:
            break
    return " ".join(filter(None, parts)) or "0 seconds"
