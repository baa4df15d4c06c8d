"""Define the package `paywright` that is generated from the gateway's contract."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from inspect import cleandoc
from keyword import iskeyword, issoftkeyword
from pathlib import Path
from typing import Final

from paywright_codegen.documents.files import DOCUMENTS
from paywright_codegen.generation import Project
from paywright_runtime import errors
from paywright_runtime.client.client import ClientCore
from paywright_runtime.contract.patterns import PATTERNS

__all__ = ["another", "project", "refusal"]

# The hand-written names that `paywright` exports, by module.
_PUBLIC = {
    "paywright_runtime.answer": ("Answer",),
    "paywright_runtime.attempts": ("Attempt", "UnverifiedHint"),
    "paywright_runtime.client.attempt_event": ("AttemptEvent",),
    "paywright_runtime.clock": ("Clock", "FixedClock", "SystemClock"),
    "paywright_runtime.errors": tuple(sorted({*errors.__all__} - {"Attempt", "REASONS", "UnverifiedHint"})),
    "paywright_runtime.transport.api": ("RawAnswer", "SignedRequest", "Transport", "TransportFailure"),
    "paywright_runtime.client.follow": ("Follow",),
    "paywright_runtime.client.permission": ("Permission",),
    "paywright_runtime.client.resolver": ("Resolver",),
    "paywright_runtime.settling.resolution": ("Step",),
    "paywright_receiver.webhooks.event": ("Event",),
    "paywright_receiver.items.ledger": ("Conflict", "Entry", "Ledger", "Transaction"),
    "paywright_receiver.webhooks.reply": ("DeliveryEvent", "Reply"),
    "paywright_receiver.webhooks.result": ("ItemResult",),
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


def another(spec: Path, out: Path, package: str) -> Project:
    """Return the settings of the generation for the contract of another gateway."""
    return replace(project(spec), spec=spec, out=out, package=package, cache=None)


def refusal(out: Path, package: str) -> str | None:
    """Say why a package may not be generated under a name in a folder; None if it may."""
    parts = package.split(".")
    if not all(_NAME(part) and not iskeyword(part) and not issoftkeyword(part) for part in parts):
        return f"{package!r} is no name of a package: write small letters, digits and underscores, such as acmepay"
    if parts[0] in sys.stdlib_module_names or parts[0].startswith("paywright"):
        return f"{parts[0]!r} is the name of a package that there is already: choose another one"
    folder = out.joinpath(*parts)
    try:
        found = (path for path in sorted(folder.rglob("*")) if "__pycache__" not in path.parts)
        strange = [path for path in found if not path.is_dir() and not _generated(path)]
        there = folder.exists() and (not folder.is_dir() or any(folder.iterdir()))
        ours = (folder / "__init__.py").is_file() and (folder / "client.py").is_file()
    except OSError as error:
        return f"{error.filename}: {error.strerror}"
    if strange or (there and not ours):
        which = strange[0] if strange else folder
        return f"{which} was not generated, and would be removed or replaced: generate into a folder of its own"
    return None


_NAME: Final = re.compile("[a-z][a-z0-9_]*").fullmatch
_BARE: Final = re.compile(r'"""[^"]*"""\n').fullmatch


def _generated(path: Path) -> bool:
    if path.suffix != ".py":
        return path.name in (*DOCUMENTS, "py.typed")
    text = path.read_text(encoding="utf-8", errors="replace")
    return "\n# Generated from the contract by " in text or _BARE(text) is not None


def _client_arguments() -> tuple[str, ...]:
    """Return the lines of `ClientCore`'s docstring from `Args:` on."""
    lines = cleandoc(ClientCore.__doc__ or "").splitlines()
    return tuple(lines[lines.index("Args:") :])
