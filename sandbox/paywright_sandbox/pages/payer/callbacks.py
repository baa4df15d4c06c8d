"""Addresses of a merchant that may be a link [4.1]: http, https or an app's scheme, nothing that a browser runs or reads."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

__all__ = ["linkable"]

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
