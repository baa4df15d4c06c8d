"""Which operations the sandbox has: one dict, by the contract's names. What is not here answers that it is not there yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paywright_tools.sandbox import orders, refunds
from paywright_tools.sandbox.turn import Due, Handler

__all__ = ["DUE", "HANDLERS"]

HANDLERS: Final[Mapping[str, Handler]] = {**orders.HANDLERS, **refunds.HANDLERS}

DUE: Final[Mapping[str, Due]] = {**orders.DUE, **refunds.DUE}
