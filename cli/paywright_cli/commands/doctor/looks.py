"""Look at the parts of an installation: packages, settings, keys, the gateway, the ledger and the webhook endpoint.

Nothing that is found shows a key, a signature, a password or a body, so that all of it can be pasted.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from paywright_runtime.errors import ConfigurationError, GatewayError, PaywrightError
from paywright_runtime.version import VERSION

if TYPE_CHECKING:
    from paywright import Client
    from paywright_receiver.items.ledger import Ledger
    from paywright_runtime.settling.stored_document import Owner

__all__ = ["Observation", "endpoint", "gateway", "ledger", "packages", "settings"]

_KIND: Final = "orders"  # what is asked about: every merchant may ask about an order
_KEY: Final = "PAYWRIGHT_DOCTOR"
_OPEN: Final = ("failed", "unhandled", "unreadable", "conflict")
_SIGNS_BESIDE_OTHERS: Final = 47  # the first cryptography that signs without the interpreter's lock
_BOUND: Final = re.compile(r"([A-Za-z0-9_.-]+).*?>=\s*([0-9.]+)")


class Observation(NamedTuple):
    """One thing that was looked at: `part`, its state, what was seen, and what to do about it."""

    part: str
    state: Literal["ok", "note", "NO"]
    seen: str
    do: str = ""


def packages() -> Iterator[Observation]:
    """Look at the versions of Python and of what the SDK needs."""
    python = f"paywright {VERSION}, Python {platform.python_version()} on {platform.system()}"
    yield Observation("versions", "ok", python)
    for requirement in metadata.requires("paywright") or ():
        bound = _BOUND.match(requirement)
        if bound is None or ";" in requirement:
            continue
        name, least = bound[1], bound[2]
        try:
            there = metadata.version(name)
        except metadata.PackageNotFoundError:
            yield Observation("versions", "NO", f"{name} is not installed", f"pip install '{name}>={least}'")
            continue
        if _numbers(there) < _numbers(least):
            yield Observation(
                "versions", "NO", f"{name} {there} is older than {least}", f"pip install '{name}>={least}'"
            )
        elif name == "cryptography" and _numbers(there) < (_SIGNS_BESIDE_OTHERS,):
            seen = f"{name} {there}: while one thread signs, all others wait"
            do = f"pip install '{name}>={_SIGNS_BESIDE_OTHERS}' if threads or an event loop call often"
            yield Observation("versions", "note", seen, do)
        else:
            yield Observation("versions", "ok", f"{name} {there}")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"[0-9]+", version)[:3])


def settings(env: Mapping[str, str]) -> Iterator[Observation | tuple[Client, Owner]]:
    """Build the client of the settings, and yield it last, with whose it is; it is not yielded if it cannot be built."""
    from paywright import Client, Merchant
    from paywright_runtime.client.settings import merchant_from
    from paywright_runtime.settling.stored_document import Owner, address_of

    try:
        merchant, address = merchant_from(Merchant, env)
        client = Client.from_env(env)
    except ConfigurationError as error:
        yield Observation("settings", "NO", str(error), "set what it names, in the environment or in a file for --env")
        return
    yield Observation("settings", "ok", f"{merchant.app_id} at {address}")
    proxy = env.get("PAYWRIGHT_PROXY", "").strip().rpartition("@")[2]
    if proxy:
        yield Observation("settings", "ok", f"calls go through the proxy {proxy}")
    name = env.get("PAYWRIGHT_PRIVATE_KEY_FILE", "").strip()
    if name and os.name == "posix" and Path(name).stat().st_mode & 0o077:
        yield Observation("keys", "NO", f"other users may read {name}", f"chmod 600 {name}")
    yield Observation(
        "keys", "ok", f"{merchant.signer!r}, {merchant.verifier!r}: the dashboard should show the same fingerprints"
    )
    yield client, Owner(merchant.numbers(), address_of(address))


def gateway(client: Client) -> Iterator[Observation]:
    """Ask about an order that nobody has placed: the verified answer shows that address, TLS, both keys and clocks are right."""
    from paywright.contract import CONTRACT

    following = CONTRACT.following(_KIND)
    absent = CONTRACT.operation(following.operation).not_found_codes
    headers: Iterable[tuple[str, str]]
    began = datetime.now(UTC)
    try:
        headers = client.call_by_name(following.operation, {following.by: _KEY}).answer.headers
    except GatewayError as error:
        if error.code not in absent:
            yield Observation(
                "gateway",
                "NO",
                str(error),
                "mend what the gateway names; your call reached it, and its answer is genuine",
            )
            return
        headers = () if error.answer is None else error.answer.headers
    except PaywrightError as error:
        yield Observation(
            "gateway", "NO", str(error), "see docs/signatures.md if it is not verified, else mend the connection"
        )
        return
    took = datetime.now(UTC) - began
    yield Observation(
        "gateway",
        "ok",
        f"it answers, and the answer is verified: address and both keys are right ({took.total_seconds():.2f} s)",
    )
    yield from _clock(headers, began + took / 2)


def _clock(headers: Iterable[tuple[str, str]], ours: datetime) -> Iterator[Observation]:
    from paywright.contract import CONTRACT

    date = next((value for name, value in headers if name.lower() == "date"), None)
    if date is None:
        yield Observation("clock", "note", "the gateway shows no Date", "compare `date -u` with a clock that you trust")
        return
    ahead = (parsedate_to_datetime(date) - ours).total_seconds()
    most = CONTRACT.limits()["request-skew"].seconds or 0
    seen = f"the gateway's clock is {abs(ahead):.0f} s {'ahead' if ahead > 0 else 'behind'}; {most} s are allowed"
    if abs(ahead) > most / 4:
        yield Observation("clock", "NO", seen, "have this machine's clock kept by NTP")
    else:
        yield Observation("clock", "ok", seen)


def ledger(found: Ledger, owner: Owner | None) -> Iterator[Observation]:
    """Look at a ledger: whether it is whole, what failed, what waits, and what waits at another address than the `owner`'s."""
    from paywright_receiver.ledgers.sql.sql_book import HasBook

    ago = timedelta(minutes=10)
    found.check_whole()
    failed = {status: number for status, number in found.counts(older_than=ago).items() if status in _OPEN and number}
    yield Observation("ledger", "ok", "it is whole, and of this version")
    for status, number in failed.items():
        yield Observation(
            "ledger", "NO", f"{number} notifications are {status}", f"paywright notifications list --status {status}"
        )
    if not isinstance(found, HasBook):
        return
    now = datetime.now(UTC)
    opened = list(found.book.open_items())
    late = sum(one.due_at is not None and one.due_at < now - ago for one in opened)
    asking = sum(one.step in ("decide", "place_again") for one in opened)
    yield Observation("items", "ok", f"{len(opened)} are open")
    if late:
        yield Observation(
            "items", "NO", f"{late} were due ten minutes ago, and nobody asked", "start `paywright follow run`"
        )
    if asking:
        yield Observation("items", "NO", f"{asking} wait for a person", "paywright follow report says for what")
    if owner is None:
        return
    for one in found.book.elsewhere(next(iter(owner.merchant.values())), owner.address):
        seen = f"{one.items} of {one.app_id} belong to {one.address}, and are not asked about at {owner.address}"
        yield Observation("items", "NO", seen, "if that was this gateway: paywright follow move")


def endpoint(url: str, timeout: float = 10.0) -> Iterator[Observation]:
    """Send a webhook without a signature to an endpoint: it is there if it refuses it."""
    from http.client import HTTPConnection, HTTPException, HTTPSConnection
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        with closing(kind(parts.netloc.rpartition("@")[2], timeout=timeout)) as connection:
            connection.request("POST", parts.path or "/", b"{}", {"Content-Type": "application/json"})
            status = connection.getresponse().status
    except (OSError, HTTPException, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
        yield Observation("endpoint", "NO", f"no answer: {why}", "start it, and open the way to it from outside")
        return
    if status == 401:
        yield Observation("endpoint", "ok", "it is there, and refuses a webhook without a signature")
    elif 200 <= status < 300:
        yield Observation(
            "endpoint",
            "NO",
            f"it answers {status} to a webhook without a signature",
            "verify signatures: paywright sandbox check-receiver",
        )
    else:
        yield Observation(
            "endpoint",
            "NO",
            f"it answers {status} to a webhook without a signature, where 401 is due",
            "look at its path and its log",
        )
