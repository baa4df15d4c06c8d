"""Make every name of generated Python from the contract's names, and keep those that it needs for itself."""

from __future__ import annotations

import builtins
import re
from keyword import iskeyword, issoftkeyword, kwlist

from paywright_codegen.model.cited import SourcePlace
from paywright_codegen.model.operations import Shown
from paywright_codegen.model.types import Struct, Value
from paywright_runtime import errors

_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^A-Za-z0-9]+")


def snake(wire: str) -> str:
    """Turn a wire name into snake case: `outTradeNo` becomes `out_trade_no`, `X-TIMESTAMP` `x_timestamp`."""
    return "_".join(word.lower() for word in _WORDS.split(wire) if word)


def variable(wire: str) -> str:
    """Return the name of an attribute or argument. Reserved words get a trailing underscore."""
    name = snake(wire)
    if iskeyword(name) or (issoftkeyword(name) and name == "_") or name in ANNOTATIONS:
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
    return f"{made}_" if made in CONSTANTS else made


def function(struct: Struct) -> str:
    """Return the name of a struct's validator: `money`, or `checkout_request_data` for `orders.checkout.request.data` of orders.yaml."""
    parts = struct.name.split(".")
    inside_module = len(parts) > 1 and parts[-1] != "headers" and parts[0] == module(struct.place)
    made = "_".join(snake(part) for part in (parts[1:] if inside_module else parts))
    return f"{made}_" if made in FUNCTIONS else made


def resource_class(resource: str) -> str:
    """Turn `payment_links` into `PaymentLinks`."""
    return "".join(word.capitalize() for word in resource.split("_"))


def module(place: SourcePlace) -> str:
    """Return the module generated from a file of the contract: `payment_links` for `spec/payment_links.yaml`."""
    return place.file.rpartition("/")[2].rpartition(".")[0]


# The names that generated code needs for itself, which a contract may therefore not use.

_IMPORTED = frozenset(
    {
        "Answer", "Any", "AsyncClient", "AsyncResource", "BaseMerchant", "BaseReceiver", "CONTRACT", "Call",
        "CallSignature", "Callable", "ClassVar", "Contract", "Decimal", "Event", "Follow", "Iterable", "Literal", "KeySignature", "Mapping", "MessageName", "MessageRole",
        "Model", "Never", "OpenEnum", "OperationName", "OperationRef", "OutcomeUnknown", "Path", "PaywrightError", "Permission",
        "Question", "ReceiverArguments", "Resolve", "Resolver", "SecretSignature", "Sequence", "Signer", "SyncClient", "TypeAlias",
        "Unpack", "VERSION", "Verifier", "WriteRef",
    }
)  # fmt: skip

CLASSES = _IMPORTED | {"Client", "Merchant", "Receiver"} | frozenset(dir(builtins))
"""Classes that modules with models, resources, clients or receivers import, define or find built in."""

_EXPORTED = {
    "paywright_receiver.items.ledger": "Conflict Entry Transaction",
    "paywright_receiver.ledgers.sql.sql_ledger": "Ledger",
    "paywright_receiver.webhooks.event": "Event",
    "paywright_receiver.webhooks.reply": "DeliveryEvent Reply",
    "paywright_receiver.webhooks.item_result": "ItemResult",
    "paywright_runtime.answer": "Answer Violation",
    "paywright_runtime.attempts": "Attempt UnverifiedHint",
    "paywright_runtime.client.operation_refs": "Follow",
    "paywright_runtime.client.attempt_events": "AttemptEvent",
    "paywright_runtime.settling.permission": "Permission",
    "paywright_runtime.client.resolver": "Resolver",
    "paywright_runtime.clock": "Clock FixedClock SystemClock",
    "paywright_runtime.errors": " ".join(
        name for name, one in vars(errors).items() if isinstance(one, type) and issubclass(one, errors.PaywrightError)
    ),
    "paywright_runtime.settling.resolution": "Step",
    "paywright_runtime.signing.rsa": "RsaSigner RsaVerifier Signer VerifiedBytes Verifier",
    "paywright_runtime.transport.api": "RawAnswer SignedRequest Transport TransportFailure",
    "paywright_runtime.transport.blocking": "HttpTransport",
}
EXPORTS = {name: module for module, names in _EXPORTED.items() for name in names.split()}
"""Names that every generated package exports beside its own, with their modules."""

NUMBERS = frozenset(
    {
        "addressee", "bill_deadline", "clock", "conflicts", "ends_of", "from_env", "gateway_keys", "hand_over", "handles_results_of", "hook", "observer",
        "lease", "ledger", "log_tracebacks", "max_age", "max_ahead", "max_bytes", "numbers", "on_conflict", "on_kind", "on_other",
        "on_result", "options", "private_key", "receive", "replay", "self", "sign_answers", "signer", "str", "super", "unhandled", "verifier",
    }
) | frozenset(kwlist)  # fmt: skip
"""Arguments and attributes that a merchant or a receiver has without any contract."""

ANNOTATIONS = frozenset({"bool", "date", "datetime", "int", "object", "str", "tuple"})
"""Types in lower case: a member of that name would hide them from the annotations behind it."""

FIELDS = frozenset({"again", "answer", "extra", "field", "self", "to_dict"})
"""Members that every model or method has."""

METHODS = frozenset({"strip_frames"})
"""The decorator that stands in the body of a resource's class."""

CLIENT = frozenset(
    {
        "aclose", "cached_property", "call", "call_by_name", "classmethod", "close", "context", "from_env", "resolve",
        "resolve_by_name", "resume", "timeout",
    }
)  # fmt: skip
"""Attributes of every client, and the decorators that stand in its body."""

HANDLERS = frozenset({"conflict", "kind", "other", "result"})
"""Names `on_...` that a receiver has without any contract."""

HEADERS = frozenset({"accept", "accept-encoding", "content-length", "host", "user-agent"})
"""Headers that the client writes by itself."""

FILES = frozenset(
    {
        "cast", "example", "followed", "kinds", "limits", "moves", "operation", "operations", "questions", "schema", "seen", "set", "sets",
        "struct", "structs",
    }
)  # fmt: skip
"""Functions of the package `contract`, which a module of the same name would replace once it is imported."""

FUNCTIONS = frozenset(
    {
        "at", "report", "body", "formats", "get", "element", "i", "in_range", "is_number", "longer", "matcher", "name", "not_joined", "re",
        "same_text",
        "within", "x",
    }
) | frozenset({*dir(builtins), *kwlist})  # fmt: skip
"""Names that a module of validators uses. A validator of such a name gets an underscore behind it, which no contract can write."""

CONSTANTS = frozenset({"EMPTY", "TYPE_CHECKING", "VALIDATORS"})
"""Constants of a module of validators; a format of that name gets an underscore behind it."""
