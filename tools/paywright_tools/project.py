"""What this project generates: the gateway's contract into the package `paywright`."""

from __future__ import annotations

from pathlib import Path

from paywright_codegen.generating import Project
from paywright_runtime.formats import PATTERNS

__all__ = ["project"]

# The hand-written names that `paywright` exports, and where they live.
_PUBLIC = {
    "paywright_runtime.answer": ("Answer",),
    "paywright_runtime.attempts": ("Attempt", "UnverifiedHint"),
    "paywright_runtime.calling": ("AttemptEvent",),
    "paywright_runtime.clock": ("Clock", "FixedClock", "SystemClock"),
    "paywright_runtime.errors": (
        "AlreadyPlaced",
        "ClaimLost",
        "ConfigurationError",
        "ContractViolation",
        "GatewayError",
        "InvalidArgument",
        "KeyProblem",
        "LedgerProblem",
        "MissingSetting",
        "NoAnswer",
        "NotPlaced",
        "NotSent",
        "OutcomeUnknown",
        "PaywrightError",
        "TooEarly",
        "TransactionEnded",
        "UnreadableAnswer",
        "UnreadableNotification",
    ),
    "paywright_runtime.exchange": ("RawAnswer", "SignedRequest", "Transport", "TransportFailure"),
    "paywright_runtime.resolver": ("Resolver",),
    "paywright_runtime.resolving": ("Step",),
    "paywright_runtime.events": ("Event",),
    "paywright_runtime.ledger": ("Conflict", "Entry", "Ledger", "Transaction"),
    "paywright_runtime.reply": ("DeliveryEvent", "Reply"),
    "paywright_runtime.settings": ("Merchant",),
    "paywright_runtime.signatures": ("RsaSigner", "RsaVerifier", "Signer", "VerifiedBytes", "Verifier"),
    "paywright_runtime.snap": ("SnapAsymmetric", "SnapSignature", "SnapSymmetric"),
    "paywright_runtime.transport": ("HttpTransport",),
    "paywright_runtime.violations": ("Violation",),
}


def project(top: Path) -> Project:
    """The project whose checkout is at `top`."""
    return Project(
        spec=top / "spec",
        out=top / "generated",
        package="paywright",
        public={name: module for module, names in _PUBLIC.items() for name in names},
        patterns=PATTERNS,
        cache=top / ".cache" / "black",
    )
