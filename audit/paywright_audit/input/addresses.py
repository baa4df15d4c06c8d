"""Addresses of inputs: check them, and mask them for reports.

Secrets cannot be recognised. So everything that is not known to be harmless is refused, and a refusal repeats nothing of it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, unquote, unquote_plus, urlsplit

from paywright_audit.input.errors import AuditSetupError

_SCHEME: Final = r"[a-z][a-z0-9+.-]+:"  # of two characters or more: one is a drive of Windows
_REMOTE: Final = re.compile(f"{_SCHEME}//", re.IGNORECASE).match
_ADDRESS: Final = re.compile(rf"{_SCHEME}[/\\]", re.IGNORECASE).search
_QUOTED: Final = re.compile(
    "[a-z]+\\.`([^`]*)`", re.IGNORECASE
).fullmatch  # a format with a path, as Spark SQL writes it
_SIGNS: Final = re.compile(r"[@?#;]").search
_HOST: Final = r"(?:[A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?"
_CONTAINER: Final = r"[a-z0-9$][a-z0-9-]{2,62}"
_USERS: Final = {
    "gs": "anonymous",
    "gcs": "anonymous",
    **dict.fromkeys(("abfs", "abfss", "wasb", "wasbs"), _CONTAINER),  # Azure puts a container there, not a user
}
"""Text that is allowed before the `@`, by scheme."""
_PARAMETERS: Final = {
    "region": r"[a-z0-9-]{1,32}",
    "scheme": "https?",
    "endpoint_override": _HOST,
    "retry_limit_seconds": "[0-9]{1,6}",
    "enable_tls": "true|false",
    "blob_storage_scheme": "https?",
    "dfs_storage_scheme": "https?",
    "blob_storage_authority": _HOST,
    "dfs_storage_authority": _HOST,
}
"""Values that are allowed for a parameter, by name."""
_RETRY_LIMIT: Final = "retry_limit_seconds"
_RETRY_SECONDS: Final = 30


def is_remote(name: str) -> bool:
    """Return whether a name is a URI such as `s3://bucket/prefix`."""
    return _REMOTE(name) is not None


def is_address(name: str) -> bool:
    """Return whether a name contains a URI, in any form."""
    return _ADDRESS(name) is not None


def is_there(name: str) -> bool:
    """Return whether a name is a file or a folder of this machine."""
    try:
        return not is_remote(name) and Path(name).exists()
    except (OSError, ValueError):
        return False


def check_address(name: str) -> None:
    """Refuse user-info, parameters and fragments that are not known to be harmless.

    `name` is an address, or no file of this machine and so perhaps a misspelled address. Raises `AuditSetupError`, whose message
    repeats nothing of it.
    """
    if not _harmless(name):
        raise AuditSetupError(
            "an input or output has user-info (@), parameters (?) or a fragment (#) that may be a key or a password. It was not"
            " opened, and is not shown. Give credentials in the environment; docs/audit.md (Tables) lists what an address may have"
        )


def shown_address(name: str) -> str:
    """Return the name of an input for a report: only the scheme, the host and the path of an address."""
    if not is_address(name):
        return name
    if not _harmless(name):  # a row may name such a file
        return "an address that is not shown"
    return name.partition("?")[0].replace("//anonymous@", "//", 1)


def with_retry_limit(address: str) -> str:
    """Return an address with a limit on retries: pyarrow by itself tries Google's store for many minutes."""
    found = urlsplit(address)
    limits = [name for name, _ in parse_qsl(found.query, keep_blank_values=True)]
    if found.scheme not in ("gs", "gcs") or _RETRY_LIMIT in limits:
        return address
    query = f"{found.query}&" if found.query else ""
    return found._replace(query=f"{query}{_RETRY_LIMIT}={_RETRY_SECONDS}").geturl()


def _harmless(name: str) -> bool:
    quoted = _QUOTED(name)
    name = quoted[1] if quoted else name
    found = _ADDRESS(name)
    if found is None:
        return not _SIGNS(_decoded(name))
    if found.start():
        return False
    scheme, _, rest = name.partition(":")
    rest, _, query = rest.partition("?")
    if scheme.lower() == "file" and not re.match("//[^/]", rest):
        authority, path = "", rest
    else:
        authority, _, path = rest.lstrip("/").partition("/")
    user, at, host = authority.rpartition("@")
    return (
        (not at or re.fullmatch(_USERS.get(scheme.lower(), "(?!)"), user) is not None)
        and re.fullmatch(_HOST, host) is not None
        and not _SIGNS(_decoded(path))
        and (not query or all(map(_harmless_parameter, query.split("&"))))
    )


def _harmless_parameter(text: str) -> bool:
    name, _, value = text.partition("=")
    return re.fullmatch(_PARAMETERS.get(name, "(?!)"), unquote_plus(value)) is not None


def _decoded(text: str) -> str:
    """Return the text with its percent encoding undone, however often it was encoded."""
    while (decoded := unquote(text)) != text:
        text = decoded
    return text
