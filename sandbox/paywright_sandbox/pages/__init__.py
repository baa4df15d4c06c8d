"""The pages a person sees: the cashier, payment links and the console.

They are HTML from templates, without cookies. Pages of payers have no script; the console has one of its own, without
which all of it works too.

Nothing else of this package is imported before the first page is asked for: the sandbox starts without Jinja2.
"""

from __future__ import annotations

from typing import Final

from paywright_sandbox.engine.request_checks import Headers

__all__ = ["is_page"]

_PAGES: Final = ("cashier", "console", "link", "static")


def is_page(path: str, headers: Headers) -> bool:
    """Whether a request is for a page: the header `X-Sandbox` says that it is for the control API instead.

    `/` is one for a browser alone.
    """
    if any(name.lower() == "x-sandbox" for name, _ in headers):
        return False
    if path == "/":
        return any(name.lower() == "accept" and "text/html" in value for name, value in headers)
    steps = path.removeprefix("/_sandbox").split("/")
    if path == "/_sandbox/" or path == "/_sandbox":
        return True
    if not path.startswith("/_sandbox/"):
        return False
    return steps[1] in _PAGES or (steps[1] == "links" and len(steps) == 3 and steps[2] != "")
