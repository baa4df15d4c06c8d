"""Addresses, which Spark reads: check them, and mask them for reports.

Secrets cannot be recognised. So everything that is not known to be harmless is refused, and a refusal repeats nothing of it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from paywright_audit.input.errors import AuditSetupError

_ADDRESS: Final = re.compile(r"[a-z][a-z0-9+.-]+:[/\\]", re.IGNORECASE).search  # one letter is a drive of Windows
_QUOTED: Final = re.compile(
    "[a-z]+\\.`([^`]*)`", re.IGNORECASE
).fullmatch  # a format with a path, as Spark SQL writes it
_SIGNS: Final = re.compile(r"[@?#;]").search
_HOST: Final = re.compile(r"(?:[A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?").fullmatch
_CONTAINER: Final = re.compile(r"[a-z0-9$][a-z0-9-]{2,62}").fullmatch
_AZURE: Final = ("abfs", "abfss", "wasb", "wasbs")
"""Schemes with a container before the `@`, and not a user."""


def is_address(name: str) -> bool:
    """Return whether a name contains a URI, in any form."""
    return _ADDRESS(name) is not None


def is_there(name: str) -> bool:
    """Return whether a name is a file or a folder of this machine."""
    try:
        return Path(name).exists()
    except (OSError, ValueError):
        return False


def check_address(name: str) -> None:
    """Refuse user-info, parameters and fragments.

    `name` is an address, or no file of this machine and so perhaps a misspelled address. Raises `AuditSetupError`, whose message
    repeats nothing of it.
    """
    if not _harmless(name):
        raise AuditSetupError(
            "an input or output has user-info (@), parameters (?) or a fragment (#) that may be a key or a password. It was not"
            " opened, and is not shown. Give credentials in the environment; docs/audit.md (Tables) says what an address may have"
        )


def shown_address(name: str) -> str:
    """Return the name of an input for a report: of an address, which a row may name, only a harmless one."""
    return name if not is_address(name) or _harmless(name) else "an address that is not shown"


def _harmless(name: str) -> bool:
    quoted = _QUOTED(name)
    name = quoted[1] if quoted else name
    found = _ADDRESS(name)
    if found is None:
        return not _SIGNS(_decoded(name))
    scheme, _, rest = name.partition(":")
    if scheme.lower() == "file" and not re.match("//[^/]", rest):
        authority, path = "", rest
    else:
        authority, _, path = rest.lstrip("/").partition("/")
    user, at, host = authority.rpartition("@")
    contained = not at or (scheme.lower() in _AZURE and _CONTAINER(user) is not None)
    return not found.start() and contained and _HOST(host) is not None and not _SIGNS(_decoded(path))


def _decoded(text: str) -> str:
    """Return the text with its percent encoding undone, however often it was encoded."""
    while (decoded := unquote(text)) != text:
        text = decoded
    return text
