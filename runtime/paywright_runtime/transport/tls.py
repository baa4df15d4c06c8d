"""TLS of both transports: whom to trust, and sessions that the next connection to the same name resumes [4].

Resuming spares both sides most of a handshake. A session belongs to one context: it can only be resumed under the settings
under which its certificate was verified.
"""

import os
import ssl
from pathlib import Path
from typing import cast

from paywright_runtime.errors import ConfigurationError


class ResumingContext(ssl.SSLContext):
    """A context that resumes the last session that was had with a name."""

    _sessions: dict[str | bytes | None, ssl.SSLSession]

    def remember(self, connected: ssl.SSLObject) -> None:
        """Keep the session of a connection that has carried an answer: its ticket has come by then."""
        session = connected.session
        if session is not None and session.has_ticket:
            self._sessions[connected.server_hostname] = session

    def wrap_bio(
        self,
        incoming: ssl.MemoryBIO,
        outgoing: ssl.MemoryBIO,
        server_side: bool = False,
        server_hostname: str | bytes | None = None,
        session: ssl.SSLSession | None = None,
    ) -> ssl.SSLObject:
        """Connect as the base class does, with the session that is known of the name."""
        return super().wrap_bio(
            incoming, outgoing, server_side, server_hostname, session or self._sessions.get(server_hostname)
        )


def authorities(ca_file: Path | str | None) -> ResumingContext:
    """Return a context that trusts the certificates of the file, or those of the system."""
    try:
        made = ssl.create_default_context(cafile=None if ca_file is None else os.fspath(ca_file))
        made.set_alpn_protocols(["http/1.1"])
        made.__class__ = ResumingContext  # Python's own defaults of the class below it, whichever those are
        context = cast(ResumingContext, made)
        context._sessions = {}
        return context
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
    which = "The system's certificate authorities" if ca_file is None else f"ca_file {os.fspath(ca_file)!r}"
    raise ConfigurationError(f"{which} cannot be loaded as PEM certificates: {why}. Nothing was sent.")
