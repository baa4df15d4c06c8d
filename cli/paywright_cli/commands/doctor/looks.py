"""Look at the parts of an installation: packages, settings, keys, the gateway, the ledger and the webhook endpoint.

Nothing that is found shows a key, a signature, a password or a body, so that all of it can be pasted.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterable, Iterator, Mapping
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

__all__ = ["Finding", "endpoint", "gateway", "ledger", "packages", "settings"]

_KIND: Final = "orders"  # what is asked about: every merchant may ask about an order
_KEY: Final = "PAYWRIGHT_DOCTOR"
_OPEN: Final = ("failed", "unhandled", "unreadable", "conflict")
_BOUND: Final = re.compile(r"([A-Za-z0-9_.-]+).*?>=\s*([0-9.]+)")


class Finding(NamedTuple):
    """One thing that was looked at: `part`, its state, what was seen, and what to do about it."""

    part: str
    state: Literal["ok", "note", "NO"]
    seen: str
    do: str = ""


def packages() -> Iterator[Finding]:
    """Look at the versions of Python and of what the SDK needs."""
    python = f"paywright {VERSION}, Python {platform.python_version()} on {platform.system()}"
    yield Finding("versions", "ok", python)
    for requirement in metadata.requires("paywright") or ():
        bound = _BOUND.match(requirement)
        if bound is None or ";" in requirement:
            continue
        name, least = bound[1], bound[2]
        try:
            there = metadata.version(name)
        except metadata.PackageNotFoundError:
            yield Finding("versions", "NO", f"{name} is not installed", f"pip install '{name}>={least}'")
            continue
        if _numbers(there) < _numbers(least):
            yield Finding("versions", "NO", f"{name} {there} is older than {least}", f"pip install '{name}>={least}'")
        else:
            yield Finding("versions", "ok", f"{name} {there}")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"[0-9]+", version)[:3])


def settings(env: Mapping[str, str]) -> Iterator[Finding | tuple[Client, Owner]]:
    """Build the client of the settings, and yield it last, with whose it is; it is not yielded if it cannot be built."""
    from paywright import Client, Merchant
    from paywright_runtime.client.settings import merchant_from
    from paywright_runtime.settling.stored_document import Owner, address_of

    try:
        merchant, address = merchant_from(Merchant, env)
        client = Client.from_env(env)
    except ConfigurationError as error:
        yield Finding("settings", "NO", str(error), "set what it names, in the environment or in a file for --env")
        return
    yield Finding("settings", "ok", f"{merchant.app_id} at {address}")
    proxy = env.get("PAYWRIGHT_PROXY", "").strip().rpartition("@")[2]
    if proxy:
        yield Finding("settings", "ok", f"calls go through the proxy {proxy}")
    name = env.get("PAYWRIGHT_PRIVATE_KEY_FILE", "").strip()
    if name and os.name == "posix" and Path(name).stat().st_mode & 0o077:
        yield Finding("keys", "NO", f"other users may read {name}", f"chmod 600 {name}")
    yield Finding(
        "keys", "ok", f"{merchant.signer!r}, {merchant.verifier!r}: the dashboard should show the same fingerprints"
    )
    yield client, Owner(merchant.numbers(), address_of(address))


def gateway(client: Client) -> Iterator[Finding]:
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
            yield Finding(
                "gateway",
                "NO",
                str(error),
                "mend what the gateway names; your call reached it, and its answer is genuine",
            )
            return
        headers = () if error.answer is None else error.answer.headers
    except PaywrightError as error:
        yield Finding(
            "gateway", "NO", str(error), "see docs/signatures.md if it is not verified, else mend the connection"
        )
        return
    took = datetime.now(UTC) - began
    yield Finding(
        "gateway",
        "ok",
        f"it answers, and the answer is verified: address and both keys are right ({took.total_seconds():.2f} s)",
    )
    yield from _clock(headers, began + took / 2)


def _clock(headers: Iterable[tuple[str, str]], ours: datetime) -> Iterator[Finding]:
    from paywright.contract import CONTRACT

    date = next((value for name, value in headers if name.lower() == "date"), None)
    if date is None:
        yield Finding("clock", "note", "the gateway shows no Date", "compare `date -u` with a clock that you trust")
        return
    ahead = (parsedate_to_datetime(date) - ours).total_seconds()
    most = CONTRACT.limits()["request-skew"].seconds or 0
    seen = f"the gateway's clock is {abs(ahead):.0f} s {'ahead' if ahead > 0 else 'behind'}; {most} s are allowed"
    if abs(ahead) > most / 4:
        yield Finding("clock", "NO", seen, "have this machine's clock kept by NTP")
    else:
        yield Finding("clock", "ok", seen)


def ledger(found: Ledger, owner: Owner | None) -> Iterator[Finding]:
    """Look at a ledger: whether it is whole, what failed, what waits, and what waits at another address than the `owner`'s."""
    from paywright_receiver.items.book import HasBook

    ago = timedelta(minutes=10)
    found.check_whole()
    failed = {status: number for status, number in found.counts(older_than=ago).items() if status in _OPEN and number}
    yield Finding("ledger", "ok", "it is whole, and of this version")
    for status, number in failed.items():
        yield Finding(
            "ledger", "NO", f"{number} notifications are {status}", f"paywright notifications list --status {status}"
        )
    if not isinstance(found, HasBook):
        return
    now = datetime.now(UTC)
    opened = list(found.book.open_items())
    late = sum(one.due_at is not None and one.due_at < now - ago for one in opened)
    asking = sum(one.step in ("decide", "place_again") for one in opened)
    yield Finding("items", "ok", f"{len(opened)} are open")
    if late:
        yield Finding(
            "items", "NO", f"{late} were due ten minutes ago, and nobody asked", "start `paywright follow run`"
        )
    if asking:
        yield Finding("items", "NO", f"{asking} wait for a person", "paywright follow report says for what")
    if owner is None:
        return
    for one in found.book.elsewhere(next(iter(owner.merchant.values())), owner.address):
        seen = f"{one.items} of {one.app_id} belong to {one.address}, and are not asked about at {owner.address}"
        yield Finding("items", "NO", seen, "if that was this gateway: paywright follow move")


def endpoint(url: str, timeout: float = 10.0) -> Iterator[Finding]:
    """Send a webhook without a signature to an endpoint: it is there if it refuses it."""
    import urllib3

    try:
        with urllib3.PoolManager(retries=False, timeout=timeout) as pool:
            status = pool.request(
                "POST", url, body=b"{}", headers={"Content-Type": "application/json"}, redirect=False
            ).status
    except urllib3.exceptions.HTTPError as error:
        yield Finding(
            "endpoint", "NO", f"{url.rpartition('@')[2]}: {type(error).__name__}", "start it, and open the way to it from outside"
        )
        return
    if status == 401:
        yield Finding("endpoint", "ok", "it is there, and refuses a webhook without a signature")
    elif 200 <= status < 300:
        yield Finding(
            "endpoint",
            "NO",
            f"it answers {status} to a webhook without a signature",
            "verify signatures: paywright sandbox check-receiver",
        )
    else:
        yield Finding(
            "endpoint",
            "NO",
            f"it answers {status} to a webhook without a signature, where 401 is due",
            "look at its path and its log",
        )
