"""Forms that another site cannot send: each has a token, and the origin of the request is checked."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Final
from urllib.parse import parse_qsl

from paywright_runtime.signing.rsa import RsaSigner
from paywright_sandbox.engine.request_checks import Headers

__all__ = ["FormProblem", "form_token", "read_form", "require_own"]

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
