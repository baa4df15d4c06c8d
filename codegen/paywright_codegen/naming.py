"""Make every name of generated Python from the contract's names."""

from __future__ import annotations

import re
from keyword import iskeyword, issoftkeyword

from paywright_codegen import taken
from paywright_codegen.model.cited import SourcePlace
from paywright_codegen.model.operations import Shown
from paywright_codegen.model.types import Struct, Value

_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^A-Za-z0-9]+")


def snake(wire: str) -> str:
    """Turn a wire name into snake case: `outTradeNo` becomes `out_trade_no`, `X-TIMESTAMP` `x_timestamp`."""
    return "_".join(word.lower() for word in _WORDS.split(wire) if word)


def variable(wire: str) -> str:
    """Return the name of an attribute or argument. Reserved words get a trailing underscore."""
    name = snake(wire)
    if iskeyword(name) or (issoftkeyword(name) and name == "_") or name in taken.ANNOTATIONS:
        return f"{name}_"
    return f"n_{name}" if name[:1].isdigit() else name


def content_argument(shown: Shown) -> str:
    """Return the argument of a resolver that repeats a member of the request: `amount_value` for `amount.value`."""
    return variable("_".join(shown.asked))


def member(value: Value) -> str:
    """Return the name of an enum's member: the contract's own name, else the value in capitals."""
    name = value.member or re.sub(r"[^A-Za-z0-9]+", "_", value.wire).upper()
    return f"N_{name}" if name[:1].isdigit() else name


def constant(name: str) -> str:
    """Turn `currency` into `CURRENCY`, `orders.checkout` into `ORDERS_CHECKOUT`."""
    made = snake(name.replace(".", "_")).upper()
    return f"{made}_" if made in taken.CONSTANTS else made


def function(struct: Struct) -> str:
    """Return the name of a struct's validator: `money`, or `checkout_request_data` for `orders.checkout.request.data` of orders.yaml."""
    parts = struct.name.split(".")
    inside_module = len(parts) > 1 and parts[-1] != "headers" and parts[0] == module(struct.place)
    made = "_".join(snake(part) for part in (parts[1:] if inside_module else parts))
    return f"{made}_" if made in taken.FUNCTIONS else made


def resource_class(resource: str) -> str:
    """Turn `payment_links` into `PaymentLinks`."""
    return "".join(word.capitalize() for word in resource.split("_"))


def module(place: SourcePlace) -> str:
    """Return the module generated from a file of the contract: `payment_links` for `spec/payment_links.yaml`."""
    return place.file.rpartition("/")[2].rpartition(".")[0]
