"""Coverage and form of signatures."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

SIGNATURES = {
    "body": ("{body}", "{base64 of RSA-SHA256}"),
}
