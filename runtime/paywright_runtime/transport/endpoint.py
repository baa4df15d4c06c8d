"""Read the base URL and the proxy URL of a transport, refuse ambiguous ones, and share the time among the addresses of a host [4]."""

import errno
import re
import time
from binascii import b2a_base64
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from paywright_runtime.errors import ConfigurationError

_URL = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://"
    r"(?:(?P<user>[^/?#]*)@)?"
    # A name has parts of 1 to 63 characters: others cannot be resolved.
    r"(?P<host>\[[0-9A-Fa-f:.]+\]|(?=[A-Za-z0-9])[\w-]{1,63}(?:\.[\w-]{1,63})*(?<=[A-Za-z0-9]))(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<path>/[^?#]*)?(?P<rest>[?#].*)?"
).fullmatch
_PLAIN = re.compile(r"[!-\[\]-~]+").fullmatch  # printable ASCII without blank and backslash
_LOOPBACK = re.compile(
    r"127(?:\.(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])){3}"
).fullmatch  # no number has a leading zero
_DEFAULT_PORTS = {"http": 80, "https": 443}


class Endpoint(NamedTuple):
    """An address to connect to. `host` is without brackets, `path` is a prefix without a slash at its end."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """Return host and port as the Host header has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Return whether it is an address of this machine."""
        return self.host == "localhost" or is_loopback_address(self.host)


class Proxy(NamedTuple):
    """A proxy; `authorization` is the value of Proxy-Authorization, empty when its URL has no credentials."""

    endpoint: Endpoint
    authorization: str

    def __repr__(self) -> str:
        return f"Proxy({self.endpoint!r})"


def is_loopback_address(address: str) -> bool:
    """Return whether this is an address of this machine in its plain form: 127.x.y.z or ::1."""
    return address == "::1" or _LOOPBACK(address) is not None


def read_base_url(url: str) -> Endpoint:
    """Return the endpoint that all paths are joined to [4]. Raises ConfigurationError, which never shows the URL."""
    endpoint, user = _read(url, "base_url")
    if user is not None:
        raise ConfigurationError(
            "base_url has a user name or password, which the gateway does not use. Leave them out."
        )
    if endpoint.scheme == "http" and not endpoint.is_loopback:
        raise ConfigurationError(
            f"base_url is http:// to {endpoint.host}, which would send signed orders unencrypted over the network. Use "
            "https://; plain http:// is for a sandbox on this machine alone (127.0.0.1, [::1] or localhost)."
        )
    return endpoint


def read_proxy_url(url: str, base: Endpoint) -> Proxy:
    """Return the proxy on the way to `base`. Raises ConfigurationError, which never shows the URL."""
    endpoint, user = _read(url, "proxy")
    if endpoint.path:
        raise ConfigurationError("proxy is a host and a port, without a path.")
    if base.scheme == "http" and not endpoint.is_loopback:
        raise ConfigurationError(
            f"base_url is http:// on this machine, but the proxy {endpoint.host} is not: signed orders would leave it "
            "unencrypted. Leave the proxy out for a sandbox on this machine."
        )
    if user is None:
        return Proxy(endpoint, "")
    return Proxy(endpoint, "Basic " + b2a_base64(unquote_to_bytes(user), newline=False).decode("ascii"))


def _read(url: str, setting: str) -> tuple[Endpoint, str | None]:
    found = _URL(url) if isinstance(url, str) and _PLAIN(url) else None
    known = ("http",) if setting == "proxy" else _DEFAULT_PORTS
    if found is None or found["scheme"].lower() not in known:
        form = "http://[user:password@]host:port" if setting == "proxy" else "https://host[:port][/path]"
        raise ConfigurationError(f"{setting} is not a URL of the form {form} in plain ASCII without blanks.")
    if found["rest"] is not None:
        raise ConfigurationError(f"{setting} has a query or a fragment; it must end with its path.")
    scheme = found["scheme"].lower()
    port = int(found["port"] or _DEFAULT_PORTS[scheme])
    if not 0 < port < 65536:
        raise ConfigurationError(f"{setting} has port {port}; ports are 1 to 65535.")
    return Endpoint(scheme, found["host"].strip("[]").lower(), port, (found["path"] or "").rstrip("/")), found["user"]


Address = tuple[int, int, int, str, tuple[str | int, ...]]
"""An address from `socket.getaddrinfo`: family, kind, protocol, canonical name, and the argument of `connect`."""

_LONGEST = 86400.0  # a system takes no more than some weeks


def seconds_left(deadline: float) -> float:
    """Return the seconds until a deadline on `time.monotonic()`, a day at most. Raises TimeoutError once there are none."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return min(left, _LONGEST)


def shares(found: Iterable[Address], deadline: float, *, loopback_only: bool) -> Iterator[tuple[Address, float]]:
    """Iterate over the addresses in the resolver's order, each once, with the seconds that connecting to it may take.

    That is an equal share of the time until `deadline` on `time.monotonic()`: an address that refuses at once leaves its
    share to the others. Raises TimeoutError when no time is left, OSError if `loopback_only` leaves no address.
    """
    addresses = [
        address for address in dict.fromkeys(found) if not loopback_only or is_loopback_address(str(address[4][0]))
    ]
    if not addresses:
        raise OSError(errno.EADDRNOTAVAIL, "no address of this machine")
    for tried, address in enumerate(addresses):
        yield address, seconds_left(deadline) / (len(addresses) - tried)
