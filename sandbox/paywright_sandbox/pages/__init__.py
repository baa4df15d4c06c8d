"""Web pages: the cashier, payment links and the console.

They are HTML from templates, without cookies. Pages of payers have no script. Those of the console but the log are made by
one, `static/console.js`, from the control API's OpenAPI document: a new route needs nothing here.

No other module here is imported before the first page is requested: the sandbox starts without Jinja2.
"""

from __future__ import annotations

from typing import Final

from paywright_sandbox.engine.request_checks import Headers

_PAGES: Final = ("cashier", "console", "link", "static")


def is_page(path: str, headers: Headers) -> bool:
    """Return whether a request is for a page, not for the control API, which needs the header `X-Sandbox`.

    `/` is a page only for browsers.
    """
    if path != "/" and not path.startswith("/_sandbox"):
        return False
    found = {name.lower(): value for name, value in headers}
    if "x-sandbox" in found:
        return False
    if path == "/":
        return "text/html" in found.get("accept", "")
    steps = path.removeprefix("/_sandbox").split("/")
    if path in ("/_sandbox", "/_sandbox/"):
        return True
    if steps[0] or len(steps) < 2:
        return False
    return steps[1] in _PAGES or (steps[1] == "links" and len(steps) == 3 and steps[2] != "")
