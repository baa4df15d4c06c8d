"""Define the package `paywright` that is generated from the gateway's contract."""

from __future__ import annotations

from inspect import cleandoc
from pathlib import Path

from paywright_codegen.generation import Project
from paywright_runtime import errors
from paywright_runtime.client.client import ClientCore
from paywright_runtime.contract.patterns import PATTERNS

__all__ = ["project"]

# The hand-written names that `paywright` exports, by module.
_PUBLIC = {
    "paywright_runtime.answer": ("Answer",),
    "paywright_runtime.attempts": ("Attempt", "UnverifiedHint"),
    "paywright_runtime.client.attempt_event": ("AttemptEvent",),
    "paywright_runtime.clock": ("Clock", "FixedClock", "SystemClock"),
    "paywright_runtime.errors": tuple(sorted({*errors.__all__} - {"Attempt", "REASONS", "UnverifiedHint"})),
    "paywright_runtime.transport.api": ("RawAnswer", "SignedRequest", "Transport", "TransportFailure"),
    "paywright_runtime.client.resolver": ("Resolver",),
    "paywright_runtime.client.resolution": ("Step",),
    "paywright_runtime.webhooks.event": ("Event",),
    "paywright_runtime.webhooks.ledger": ("Conflict", "Entry", "Ledger", "Transaction"),
    "paywright_runtime.webhooks.reply": ("DeliveryEvent", "Reply"),
    "paywright_runtime.signing.rsa": ("RsaSigner", "RsaVerifier", "Signer", "VerifiedBytes", "Verifier"),
    "paywright_runtime.transport.blocking": ("HttpTransport",),
    "paywright_runtime.violation": ("Violation",),
}


def project(top: Path) -> Project:
    """Return the settings of the generation in the checkout at `top`."""
    return Project(
        spec=top / "spec",
        out=top / "generated",
        package="paywright",
        public={name: module for module, names in _PUBLIC.items() for name in names},
        patterns=PATTERNS,
        cache=top / ".cache" / "black",
        client_arguments=_client_arguments(),
    )


def _client_arguments() -> tuple[str, ...]:
    """Return the lines of `ClientCore`'s docstring from `Args:` on."""
    lines = cleandoc(ClientCore.__doc__ or "").splitlines()
    return tuple(lines[lines.index("Args:") :])
