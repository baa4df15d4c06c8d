"""Every name that generated Python gets, made from the contract's names in one place."""

from __future__ import annotations

import re
from keyword import iskeyword, issoftkeyword
from pathlib import PurePosixPath

from paywright_codegen.model import Place, Struct, Value

__all__ = ["constant", "function", "member", "module", "resource_class", "snake", "variable"]

_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^A-Za-z0-9]+")


def snake(wire: str) -> str:
    """`outTradeNo` -> `out_trade_no`, `paymentTokenID` -> `payment_token_id`, `X-TIMESTAMP` -> `x_timestamp`."""
    return "_".join(word.lower() for word in _WORDS.split(wire) if word)


def variable(wire: str) -> str:
    """The name of an attribute or an argument; what Python keeps for itself gets an underscore behind it."""
    name = snake(wire)
    if iskeyword(name) or (issoftkeyword(name) and name == "_"):
        return f"{name}_"
    return f"n_{name}" if name[:1].isdigit() else name


def member(value: Value) -> str:
    """The member of an enum: the contract's own name, else the value in capitals."""
    name = value.member or re.sub(r"[^A-Za-z0-9]+", "_", value.wire).upper()
    return f"N_{name}" if name[:1].isdigit() else name


def constant(name: str) -> str:
    """`currency` -> `CURRENCY`, `orders.checkout` -> `ORDERS_CHECKOUT`."""
    return snake(name.replace(".", "_")).upper()


def function(struct: Struct) -> str:
    """The validator of a struct: `money`, or `checkout_request_data` for `orders.checkout.request.data`."""
    parts = struct.name.split(".")
    inside_module = len(parts) > 1 and parts[-1] != "headers"
    return "_".join(snake(part) for part in (parts[1:] if inside_module else parts))


def resource_class(resource: str) -> str:
    """`payment_links` -> `PaymentLinks`."""
    return "".join(word.capitalize() for word in resource.split("_"))


def module(place: Place) -> str:
    """The module made from a file of the contract: `spec/payment_links.yaml` -> `payment_links`."""
    return PurePosixPath(place.file).stem
