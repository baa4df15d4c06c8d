"""Make HTML: always escaped, under a policy that runs only our own scripts, and with forms that another site cannot send."""

from __future__ import annotations

import hmac
import re
import unicodedata
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from paywright_runtime.signing.rsa import RsaSigner
from paywright_runtime.version import VERSION
from paywright_sandbox.engine.currency_decimals import in_currency
from paywright_sandbox.engine.request_checks import Headers
from paywright_sandbox.engine.responses import HttpReply

_HERE: Final = Path(__file__).parent
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


_MOST: Final = 16 * 1024
_FIELDS: Final = 30
_TYPE: Final = "application/x-www-form-urlencoded"


class FormProblem(Exception):
    """The form is not accepted: an HTTP status, and a message without values."""

    def __init__(self, status: int, msg: str) -> None:
        super().__init__(msg)
        self.status = status
        self.msg = msg


def form_token(signer: RsaSigner, address: str) -> str:
    """Return the token of a form for `address` (a path). Each address has its own: one order's does not fit another."""
    return hmac.new(_secret(signer), address.encode(), sha256).hexdigest()


@lru_cache(maxsize=16)
def _secret(signer: RsaSigner) -> bytes:
    # Signatures are deterministic, so that an open page works after a restart, and need the key. No message of the
    # gateway begins like this, so this signature is never sent.
    return sha256(signer.sign(b"paywright sandbox: the secret of form tokens").encode()).digest()


def read_form(signer: RsaSigner, address: str, headers: Headers, body: bytes) -> Mapping[str, str]:
    """Return the fields of a form sent to `address`; of equal names the last wins. Raises `FormProblem`."""
    require_own(headers)
    kinds = [value.partition(";")[0].strip().lower() for name, value in headers if name.lower() == "content-type"]
    if kinds != [_TYPE]:
        raise FormProblem(415, f"A form is sent as {_TYPE}.")
    if len(body) > _MOST:
        raise FormProblem(413, "The form is too large.")
    try:
        fields = dict(parse_qsl(body.decode("ascii"), keep_blank_values=True, errors="replace", max_num_fields=_FIELDS))
    except (UnicodeDecodeError, ValueError):
        raise FormProblem(400, "The form cannot be read.") from None
    if not hmac.compare_digest(fields.pop("token", "").encode(), form_token(signer, address).encode()):
        raise FormProblem(
            403, "The form is not from this page, or the keys of the sandbox have changed. Load the page again."
        )
    return fields


def require_own(headers: Headers) -> None:
    """Accept only requests from pages of this sandbox. Raises `FormProblem`."""
    found = {name.lower(): value.strip().lower() for name, value in headers}
    host, origin = found.get("host", ""), found.get("origin")
    if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
        raise FormProblem(403, "The form comes from a page of another origin.")
    if found.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise FormProblem(403, "The form comes from a page of another site.")


# Read the host strictly, since browsers and libraries disagree on odd ones: no user names, no escapes.
_WEB: Final = re.compile(
    r"https?://(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?\.?|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?(?:[/?#].*)?",
    re.ASCII | re.IGNORECASE | re.DOTALL,
)
_APP: Final = re.compile(r"([a-z][a-z0-9+.-]+)://.*", re.ASCII | re.IGNORECASE | re.DOTALL)

# Schemes that browsers and systems handle; all others with :// belong to apps. http and https were checked before.
_NEVER: Final = frozenset((
    "about", "afp", "blob", "cid", "data", "dav", "davs", "filesystem", "file", "ftp", "ftps", "gopher", "http",
    "https", "jar", "javascript", "ldap", "ldaps", "livescript", "mhtml", "mocha", "nfs", "resource", "search-ms",
    "sftp", "shell", "smb", "ssh", "telnet", "vbscript", "view-source", "wais", "ws", "wss",
))  # fmt: skip
_NEVER_STARTS: Final = ("ms-", "chrome", "moz-", "edge", "safari-", "x-apple.")


def linkable(url: str) -> str | None:
    """Return `url` if it may be a link; None if it may only be shown."""
    if not url or len(url) > 2048 or "\\" in url or any(_is_odd(character) for character in url):
        return None
    if _WEB.fullmatch(url):
        return url
    app = _APP.fullmatch(url)
    if app is None:
        return None
    scheme = app[1].lower()
    return None if scheme in _NEVER or scheme.startswith(_NEVER_STARTS) else url


def _is_odd(character: str) -> bool:
    """Return whether a character is a space, control or invisible: browsers drop some, and then read another address."""
    return unicodedata.category(character)[0] in "CZ" or character in "<>\"'`^{|}"
