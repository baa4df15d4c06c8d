"""TLS of both transports: whom to trust [4]."""

import os
import ssl
from pathlib import Path

from paywright_runtime.errors import ConfigurationError


def authorities(ca_file: Path | str | None) -> ssl.SSLContext:
    """Return a context that trusts the certificates of the file, or those of the system."""
    try:
        context = ssl.create_default_context(cafile=None if ca_file is None else os.fspath(ca_file))
        context.set_alpn_protocols(["http/1.1"])
        return context
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
    which = "The system's certificate authorities" if ca_file is None else f"ca_file {os.fspath(ca_file)!r}"
    raise ConfigurationError(f"{which} cannot be loaded as PEM certificates: {why}. Nothing was sent.")
