"""Decide where the sandbox may post to: read a URL, and resolve its host to one allowed address."""

from __future__ import annotations

import re
import socket
from collections.abc import Sequence
from ipaddress import AddressValueError, IPv4Address, IPv6Address, ip_address
from typing import Final, NamedTuple

from paywright_runtime.transport.endpoint import is_loopback_address

_URL: Final = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)"
    r"(?::(?P<port>[1-9][0-9]{0,4}))?(?P<target>(?:/[!-\"$-\[\]-~]*)?(?:\?[!-\"$-\[\]-~]*)?)",
    re.IGNORECASE | re.ASCII,
).fullmatch
_PORTS: Final = {"http": 80, "https": 443}


class NotAllowed(Exception):
    """The sandbox does not post there. The message holds nothing of the URL but its host."""


class NotFound(Exception):
    """The host's name has no address."""


class Destination(NamedTuple):
    """A URL that may be posted to: `host` in lower case without brackets, `target` for the request line."""

    scheme: str
    host: str
    port: int
    target: str
    listed: bool

    @property
    def authority(self) -> str:
        """Host and port for the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


def read_destination(url: str, allowed: Sequence[str] = ()) -> Destination:
    """Parse a URL. `allowed` are hosts, or hosts with ports, as in `deliver-to`. Raises `NotAllowed`."""
    found = _URL(url) if len(url) <= 2048 else None
    if found is None:
        raise NotAllowed("The address is not a plain http:// or https:// URL, without user name and fragment.")
    scheme, host = found["scheme"].lower(), found["host"].strip("[]").lower()
    port = int(found["port"] or _PORTS[scheme])
    if port > 65535:
        raise NotAllowed(f"{host} has the port {port}; ports are 1 to 65535.")
    address = _as_address(host)
    target = found["target"] or "/"
    names = {host, f"{host}:{port}", f"[{host}]", f"[{host}]:{port}"}
    listed = any(entry.lower() in names for entry in allowed)
    if not listed and host != "localhost" and not (address is not None and is_loopback_address(host)):
        raise NotAllowed(
            f"{host} is neither this machine (127.0.0.1, [::1], localhost) nor in deliver-to of sandbox.toml."
        )
    return Destination(scheme, host, port, target if target.startswith("/") else f"/{target}", listed)


def destination_of(url: str) -> str:
    """Return host and port of a URL, to tell destinations apart; empty for an invalid one."""
    found = _URL(url) if len(url) <= 2048 else None
    return "" if found is None else f"{found['host'].lower()}:{found['port'] or _PORTS[found['scheme'].lower()]}"


def _as_address(host: str) -> IPv4Address | IPv6Address | None:
    """Return the address of a numeric host; None for a name. Raises `NotAllowed` for unusual forms of an address."""
    last = host.rpartition(".")[2]
    if ":" not in host and not (last.isdigit() or last.startswith("0x")):
        return None
    try:
        address = ip_address(host)
    except (ValueError, AddressValueError):
        raise NotAllowed(f"{host} is not a plain address.") from None
    if str(address) != host:
        raise NotAllowed(f"{host} is not a plain address: write {address}.")
    return address


def resolved(destination: Destination) -> str:
    """Return the one address to connect to, as text. Raises `NotAllowed` or `NotFound`.

    `localhost` must be this machine; a name in `deliver-to` may have any address of a server.
    """
    address = _as_address(destination.host)
    if address is not None:
        return str(address)
    try:
        found = socket.getaddrinfo(destination.host, destination.port, 0, socket.SOCK_STREAM)
    except OSError:
        raise NotFound(f"{destination.host} was not found") from None
    for _, _, _, _, where in found:
        text = str(where[0]).partition("%")[0]
        if _fits(text, destination):
            return text
    raise NotAllowed(f"{destination.host} resolves to an address that the sandbox does not send to.")


def _fits(text: str, destination: Destination) -> bool:
    if destination.host == "localhost":
        return is_loopback_address(text)
    address = ip_address(text)
    return not (address.is_link_local or address.is_multicast or address.is_unspecified or address.is_reserved)
